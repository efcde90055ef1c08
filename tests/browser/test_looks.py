"""Seen by everyone: axe-core, contrast, light and dark, a phone, and what stands above the fold."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import AppServer, assert_accessible, settle, unfold
from tests.browser.test_hooks import expect_query, open_explorer

WIDE, PHONE = {"width": 1280, "height": 720}, {"width": 360, "height": 740}
AA = 4.5
PATHS = ["hidden_state", ""]

# The smallest contrast of a number with its cell, by WCAG 2.
_LEAST_CONTRAST = """root => {
    const luminance = (colour) => {
        const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => {
            const share = part / 255;
            return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (cell) => {
        const [ink, ground] = ["text", "rect"].map((tag) => luminance(getComputedStyle(cell.querySelector(tag)).fill));
        return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    };
    const cells = [...root.querySelectorAll("[data-var]")].filter((cell) => cell.querySelector("text"));
    return [cells.length, Math.min(...cells.map(contrast))];
}"""


def assert_in_view(page: Page, element: Locator) -> None:
    """It lies in the window without scrolling."""
    box, window = element.bounding_box(), page.viewport_size
    assert box is not None
    assert window is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= window["width"]
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= window["height"]


def assert_no_sideways_scrolling(page: Page) -> None:
    """The page is as wide as its window."""
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_axe_finds_nothing(server: AppServer, page: Page, color_scheme: str) -> None:
    """On both pages, with a pinned result, an edited number and its ghost, an open field, the table of numbers."""
    explorer = open_explorer(page, server)
    assert explorer.root.get_attribute("data-theme") == color_scheme
    assert_accessible(page)

    for summary in explorer.root.locator("summary").all():
        unfold(summary)
    expect(explorer.root.locator("table")).to_be_visible()
    explorer.cell("h", 2).click()
    explorer.type_into("-1.4", "W_hh", 0, 0)
    explorer.expect_value(-1.4, "W_hh", 0, 0)
    explorer.cell("b_ih", 1).click()
    page.keyboard.type("one")
    page.keyboard.press("Enter")
    expect(explorer.root.locator(".field").get_by_role("alert")).to_contain_text("one")
    assert_accessible(page)

    page.goto(server.url())
    settle(page)
    expect(explorer.cell("h", 0)).to_be_visible()
    assert_accessible(page)


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_every_number_is_readable(server: AppServer, page: Page, color_scheme: str) -> None:
    """Contrast AA with its cell, however strong the colours."""
    explorer = open_explorer(page, server)
    for preset in ("Worked example", "Saturated", "Chaotic"):
        page.get_by_text(preset, exact=True).click()
        expect_query(page, {} if preset == "Worked example" else {"preset": preset.lower()})
        assert explorer.root.get_attribute("data-theme") == color_scheme
        count, least = explorer.root.evaluate(_LEAST_CONTRAST)
        assert count > 50
        assert least >= AA


@pytest.mark.parametrize("path", PATHS, ids=["hidden_state", "home"])
def test_the_main_picture_stands_above_the_fold(server: AppServer, page: Page, path: str) -> None:
    """The step, its arithmetic and what to notice, at 1280 x 720, without scrolling."""
    explorer = open_explorer(page, server, path)
    for part in (".bar", ".scene svg", ".arithmetic", ".notice"):
        assert_in_view(page, explorer.root.locator(part))
    for part in (".scene", ".timeline"):
        assert explorer.root.locator(part).evaluate("part => part.scrollWidth <= part.clientWidth")
    assert_no_sideways_scrolling(page)
    page.set_viewport_size({"width": 640, "height": 360})  # the same window at 200 %
    expect(explorer.cell("h", 0)).to_be_visible()
    assert_no_sideways_scrolling(page)


@pytest.mark.parametrize("viewport", [PHONE], ids=["phone"])
def test_a_phone_reaches_everything(server: AppServer, page: Page) -> None:
    """Nothing is wider than the window; buttons, numbers, the field and the sidebar can be pressed."""
    explorer = open_explorer(page, server)
    assert_no_sideways_scrolling(page)
    for name in ("First", "Previous", "Play", "Next", "Last", "1×"):
        button = explorer.button(name)
        button.scroll_into_view_if_needed()
        assert_in_view(page, button)
    explorer.button("Next").click()
    explorer.expect_step(2)
    for name in ("Worked example", "Echo", "Counter", "Oscillator", "Saturated", "Chaotic", "Random"):
        preset = page.get_by_text(name, exact=True)
        preset.scroll_into_view_if_needed()
        assert_in_view(page, preset)
    for cell in explorer.root.locator(".scene [data-var]").all():
        cell.scroll_into_view_if_needed()
        assert_in_view(page, cell)
    explorer.cell("W_ho", 0, 2).click()
    assert_in_view(page, explorer.root.locator(".field"))
    assert_no_sideways_scrolling(page)
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    explorer.expect_value(0.5, "W_ho", 0, 2)

    page.get_by_test_id("stExpandSidebarButton").click()
    for control in page.get_by_test_id("stSidebar").get_by_role("slider").all():
        control.scroll_into_view_if_needed()
        assert_in_view(page, control)
