"""The phase portrait below the explorer: opened by a person, it follows the weights."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, TimeoutError, expect

from tests.browser.conftest import AppServer, assert_accessible, unfold
from tests.browser.test_hooks import eventually, open_explorer
from tests.browser.test_looks import PHONE, WIDE, assert_no_sideways_scrolling

PLOT = ".js-plotly-plot"


def open_portrait(page: Page) -> Locator:
    """Unfold it, and wait for its picture."""
    fold = page.get_by_test_id("stExpander").filter(has_text="Phase portrait")
    unfold(fold.locator("summary").first)
    expect(fold.locator(f"{PLOT} .main-svg").first).to_be_visible()
    return fold.first


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


def drawn(fold: Locator, kind: str) -> list[list[float]]:
    """The places of the marks of one name in the newest picture, as Plotly has them: an old one may still be there."""
    marks: list[dict[str, Any]] = fold.locator(PLOT).last.evaluate(
        "plot => (plot.data ?? []).map(({name, x, y}) => ({name, x: Array.from(x), y: Array.from(y)}))"
    )
    found = [list(pair) for mark in marks if mark["name"] == kind for pair in zip(mark["x"], mark["y"], strict=True)]
    return sorted([round(float(a), 4) + 0.0, round(float(b), 4) + 0.0] for a, b in found)


def test_a_person_moves_a_fixed_point(server: AppServer, page: Page) -> None:
    """h = tanh(W h + b) with W = 0: the bias that is typed is where the network comes to rest."""
    explorer = open_explorer(page, server, preset="random", hidden_size=2, init="zeros")
    expect(page.locator(PLOT)).to_have_count(0)
    fold = open_portrait(page)
    expect(fold).to_contain_text("an attractor at (0, 0)")
    expect(fold).to_contain_text("All 64 random starts end there")
    assert drawn(fold, "attractor") == [[0.0, 0.0]]
    explorer.type_into("0.5", "b_hh", 1)
    eventually(page, lambda: drawn(fold, "attractor"), [[0.0, 0.4621]])
    explorer.type_into("2", "W_hh", 0, 0)
    eventually(page, lambda: drawn(fold, "attractor"), [[-0.9575, 0.4621], [0.9575, 0.4621]])
    eventually(page, lambda: drawn(fold, "saddle"), [[0.0, 0.4621]])
    expect(fold).to_contain_text("2 attractors and 1 saddle")
    explorer.button("Next").click()
    expect(fold.locator(PLOT).last).to_contain_text("step 2")
    explorer.expect_step(2)


def test_a_line_of_fixed_points_is_drawn(server: AppServer, page: Page) -> None:
    """The counter's bent line, and no red box."""
    open_explorer(page, server, preset="counter")
    fold = open_portrait(page)
    expect(fold).to_contain_text("2 pieces of lines")
    ends = drawn(fold, "set of fixed points")
    assert len(ends) == 4
    assert all(abs(b - max(a - 2, 0)) < 1e-3 for a, b in ends)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_axe_finds_nothing_in_it(server: AppServer, page: Page) -> None:
    """With its tables open, wide and on a phone; nothing is wider than the window."""
    open_explorer(page, server, preset="saturated")
    fold = open_portrait(page)
    for table in ("Fixed points as numbers", "Path as numbers"):
        unfold(fold.locator("summary", has_text=table))
    expect(fold.get_by_test_id("stDataFrame")).to_have_count(2)
    assert_accessible(page)
    assert_no_sideways_scrolling(page)


def test_units_and_the_constant_input_are_chosen(server: AppServer, page: Page) -> None:
    """Another pair of units turns the axes, another constant input moves the points; one unit has no portrait."""
    open_explorer(page, server, preset="saturated")
    fold = open_portrait(page)
    expect(fold).to_contain_text("None of them is an attractor")
    expect(fold).to_contain_text("3 different cycles of period 2")
    choose(page, "Constant input", "mean of the run")
    expect(fold).to_contain_text("1 attractor")
    expect(fold.locator(PLOT).last).to_contain_text("h of unit 2")
    choose(page, "Unit on the vertical axis", "unit 3")
    expect(fold.locator(PLOT).last).to_contain_text("h of unit 3")
    page.get_by_role("slider", name="Hidden size H").press("Home")
    expect(page.get_by_text("this network has one")).to_be_visible()
