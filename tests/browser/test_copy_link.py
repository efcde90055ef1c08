"""The button Copy link: on every page, with the whole address, also where the clipboard is not to be had."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from rnnviz.settings import ADDRESS_LIMIT
from tests.browser.conftest import AppServer, PageMaker, assert_accessible, visit
from tests.browser.test_hooks import expect_query, open_explorer
from tests.browser.test_looks import assert_in_view

PATHS = ["", "hidden_state", "lstm_gates", "gru_gates", "gradient_flow", "bptt_rtrl", "compare_cells", "from_ngrams"]
_NO_API = "Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })"
_NOTHING = f"{_NO_API}; document.execCommand = () => false"
_SELECTED = f"{_NO_API}; document.execCommand = () => {{ window.copied = getSelection().toString(); return true; }}"


def button(page: Page) -> Locator:
    return page.get_by_role("button", name="Copy link", exact=True)


def clipboard(page: Page) -> str:
    return str(page.evaluate("navigator.clipboard.readText()"))


@pytest.fixture
def reader(new_page: PageMaker) -> Page:
    return new_page(permissions=["clipboard-read", "clipboard-write"])


@pytest.mark.parametrize("path", PATHS)
def test_every_page_copies_its_address(server: AppServer, reader: Page, path: str) -> None:
    """Above the fold at 1280 x 720; it says so."""
    visit(reader, server.url(path))
    expect(button(reader)).to_have_count(1)
    assert_in_view(reader, button(reader))
    button(reader).click()
    expect(reader.get_by_text("Copied", exact=True).first).to_be_visible()
    assert clipboard(reader) == reader.url


def test_a_number_typed_just_before_is_in_the_link(server: AppServer, reader: Page) -> None:
    explorer = open_explorer(reader, server)
    explorer.cell("W_hh", 0, 0).click()
    reader.keyboard.type("1.4")
    button(reader).click()
    expect_query(reader, {"W_hh.1.1": "1.4"})
    reader.wait_for_timeout(400)
    assert clipboard(reader).endswith("W_hh.1.1=1.4")


@pytest.mark.own_page
def test_without_the_clipboard_api_it_copies_all_the_same(server: AppServer, page: Page) -> None:
    """As over http from another machine."""
    page.add_init_script(_SELECTED)
    visit(page, server.url("hidden_state", preset="echo"))
    button(page).click()
    expect(page.get_by_text("Copied", exact=True).first).to_be_visible()
    assert page.evaluate("window.copied") == page.url


@pytest.mark.own_page
def test_where_nothing_can_be_copied_the_address_is_shown(server: AppServer, page: Page) -> None:
    page.add_init_script(_NOTHING)
    visit(page, server.url("hidden_state", preset="echo"))
    button(page).click()
    field = page.get_by_role("textbox", name="Press Ctrl + C")
    expect(field).to_have_value(page.url)
    expect(field).to_be_focused()
    assert_accessible(page)
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()


def test_an_address_that_is_too_long_is_said_beside_the_button(server: AppServer, page: Page) -> None:
    """With the file instead, above the fold."""
    visit(page, server.url("hidden_state", input_size=64, x=";".join([",".join(["0.1"] * 64)] * 12)))
    expect(button(page)).to_be_enabled()
    page.get_by_role("spinbutton", name="Hidden size H, as a number").focus()
    field = page.get_by_role("textbox", name="Type or paste")
    field.fill("\n".join(",".join(["0.123456789"] * 64) for _ in range(20)))
    field.press("Control+Enter")
    warning = page.get_by_test_id("stMain").get_by_test_id("stAlert").first
    expect(warning).to_contain_text(f"at most {ADDRESS_LIMIT:,} are safe")
    assert_in_view(page, warning)
    expect(button(page)).to_be_disabled()
    download = page.get_by_test_id("stMain").get_by_role("button", name="Download settings as JSON")
    assert_in_view(page, download)
