"""The phase portrait below the explorer: opened by a person, it follows the weights."""

from __future__ import annotations

from contextlib import suppress

import pytest
from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.browser.conftest import AppServer, assert_accessible, unfold
from tests.browser.test_hooks import eventually, open_explorer
from tests.browser.test_looks import PHONE, WIDE, assert_no_sideways_scrolling
from tests.views.spoken import number


def open_portrait(page: Page) -> Locator:
    """Unfold it, and wait for its picture."""
    fold = page.get_by_test_id("stExpander").filter(has_text="Phase portrait")
    unfold(fold.locator("summary").first)
    expect(fold.locator("svg.phase")).to_be_visible()
    return fold


def choose(page: Page, label: str, word: str) -> None:
    """The page is brought to rest first: a menu closes when it scrolls."""
    menu, option = page.get_by_role("combobox", name=label), page.get_by_role("option", name=word)
    menu.evaluate("menu => menu.scrollIntoView({ block: 'center', behavior: 'instant' })")
    for _ in range(4):  # it closes too when what is still on its way moves it
        page.wait_for_timeout(300)
        menu.press("ArrowDown")
        with suppress(TimeoutError):
            option.click(timeout=2500)
            return
    option.click()


def rows(fold: Locator) -> list[list[float]]:
    """The places of the fixed points, from the table."""
    found = fold.get_by_role("table", name="The fixed points found").locator("tbody tr").all()
    return [[number(cell.inner_text()) for cell in row.locator("td").all()[1:3]] for row in found]


def test_a_person_moves_a_fixed_point(server: AppServer, page: Page) -> None:
    """h = tanh(W h + b) with W = 0: the bias that is typed is where the network comes to rest."""
    explorer = open_explorer(page, server, preset="random", hidden_size=2, init="zeros")
    expect(page.locator("svg.phase")).to_have_count(0)
    fold = open_portrait(page)
    expect(fold).to_contain_text("an attractor at (0.00, 0.00)")
    assert rows(fold) == [[0.0, 0.0]]
    unfold(fold.locator("summary", has_text="The path in numbers"))
    path = fold.get_by_role("table", name="The path in numbers")
    expect(path.get_by_role("cell", name="0.4621")).to_have_count(0)
    explorer.type_into("0.5", "b_hh", 1)
    expect(path.get_by_role("cell", name="0.4621").first).to_be_visible()  # its table stays open
    eventually(page, lambda: rows(fold), [[0.0, 0.4621]])
    explorer.type_into("2", "W_hh", 0, 0)
    eventually(page, lambda: sorted(rows(fold)), [[-0.9575, 0.4621], [0.0, 0.4621], [0.9575, 0.4621]])
    expect(fold).to_contain_text("2 attractors and 1 saddle")
    explorer.button("Next").click()
    expect(fold.locator("svg.phase")).to_contain_text("t = 2")
    explorer.expect_step(2)


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_axe_finds_nothing_in_it(server: AppServer, page: Page) -> None:
    """With its tables open, wide and on a phone; nothing is wider than the window."""
    open_explorer(page, server, preset="saturated")
    fold = open_portrait(page)
    unfold(fold.locator("summary", has_text="The path in numbers"))
    expect(fold.get_by_role("table", name="The path in numbers")).to_be_visible()
    assert_accessible(page)
    assert_no_sideways_scrolling(page)


def test_units_and_the_held_input_are_chosen(server: AppServer, page: Page) -> None:
    """Another pair of units turns the axes, another held input moves the points; one unit has no portrait."""
    open_explorer(page, server, preset="saturated")
    fold = open_portrait(page)
    expect(fold).to_contain_text("None of them attracts")
    choose(page, "Input held at", "the mean input")
    expect(fold).to_contain_text("1 attractor")
    expect(fold.get_by_role("columnheader", name="h of unit 2").first).to_be_visible()
    choose(page, "Unit upwards", "unit 3")
    expect(fold.get_by_role("columnheader", name="h of unit 3").first).to_be_attached()
    page.get_by_role("slider", name="Hidden size H").press("Home")
    expect(page.get_by_text("this network has one")).to_be_visible()
