"""The page From n-grams in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from rnnviz.texts import say
from tests.browser.conftest import AppServer, PageMaker, assert_accessible, visit

PAGE = "from_ngrams"


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_it_is_accessible_and_trains_on_the_spot(page: Page, server: AppServer) -> None:
    visit(page, server.url(PAGE))
    page.get_by_role("button", name=say("ngrams.learn.press")).click()
    expect(page.get_by_text("the cross-entropy of the RNN is")).to_be_visible()
    assert_accessible(page)


@pytest.mark.parametrize("viewport", [{"width": 360, "height": 800}, {"width": 640, "height": 360}])
def test_nothing_is_wider_than_the_window(page: Page, server: AppServer, viewport: ViewportSize) -> None:
    visit(page, server.url(PAGE))
    expect(page.locator("table.read")).to_be_visible()
    assert page.evaluate("document.scrollingElement.scrollWidth") <= viewport["width"]
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth - main.clientWidth") <= 0


def test_an_edit_changes_the_address_and_back_undoes_it(new_page: PageMaker, server: AppServer) -> None:
    page = new_page()
    visit(page, server.url(PAGE))
    field = page.get_by_label(say("ngrams.label.first"))
    field.fill("war and peac")
    field.press("Enter")
    expect(page.get_by_text("A 5-gram model sees “peac” and “chin”")).to_be_visible()
    assert "first=war" in page.url
    page.go_back()
    expect(page.get_by_text("A 5-gram model sees “chin” in both histories")).to_be_visible()
    expect(field).to_have_value("the machin")
