"""The page that compares cells, in a browser: a small run is trained, its bands are drawn while it goes on."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from rnnviz.texts import say
from tests.browser.conftest import AppServer, assert_accessible, unfold, visit
from tests.browser.test_looks import LOOKS, assert_in_view, assert_no_sideways_scrolling

SMALL = {
    "task": "parity", "hidden_size": 3, "steps": 5, "seeds": 2, "batch_size": 4, "updates": 20000,
}  # fmt: skip
START = 60_000
"""Milliseconds that a worker may take to load torch on a busy machine."""


def run_of(page: Page) -> Locator:
    return page.get_by_test_id("comparison-run")


def chart(page: Page, heading: str) -> Locator:
    return page.locator(".js-plotly-plot").filter(has_text=heading)


def test_bands_grow_while_it_learns_and_the_table_is_filled_when_it_is_stopped(server: AppServer, page: Page) -> None:
    visit(page, server.url("compare_cells", **SMALL))
    expect(page.get_by_role("cell", name="press Train").first).to_be_visible()
    page.get_by_role("button", name="Train 6 networks").click()
    expect(run_of(page)).to_have_attribute("data-state", "running", timeout=START)
    expect(run_of(page)).to_have_attribute("data-update", re.compile(r"[1-9]\d"), timeout=START)
    losses = chart(page, "test loss: median")
    expect(losses.locator(".fills path.js-fill")).to_have_count(6)  # two bands of each cell
    before = int(run_of(page).get_attribute("data-update") or "0")
    page.wait_for_function(
        "before => +document.querySelector('[data-testid=comparison-run]')?.dataset.update > before", arg=before
    )
    page.get_by_role("button", name="Pause").click()
    expect(run_of(page)).to_have_attribute("data-state", "paused")
    page.get_by_role("button", name="Play").click()
    expect(run_of(page)).to_have_attribute("data-state", "running")
    page.get_by_role("button", name="Stop").click()
    expect(run_of(page)).to_have_attribute("data-state", "stopped")
    expect(page.get_by_role("cell", name="press Train")).to_have_count(0)
    expect(chart(page, "gradient norm after training")).to_be_visible()
    expect(page.get_by_role("button", name="Train 6 networks")).to_be_enabled()


def test_the_time_of_a_step_is_measured(server: AppServer, page: Page) -> None:
    visit(page, server.url("compare_cells", **SMALL))
    page.get_by_role("button", name="Measure time").click()
    expect(page.get_by_role("cell", name="press Measure time")).to_have_count(0)
    row = page.get_by_role("row", name=re.compile("Time a step"))
    expect(row.first).to_contain_text("× 1 ")
    expect(row.first).to_contain_text("µs")


@LOOKS
def test_it_is_accessible_and_fits(server: AppServer, page: Page, viewport: dict[str, int]) -> None:
    visit(page, server.url("compare_cells"))
    expect(chart(page, "gradient norm")).to_be_visible()
    for title in ("compare.gates", "compare.counted"):
        unfold(page.locator("summary", has_text=say(title)))
    assert_no_sideways_scrolling(page)
    assert_accessible(page)
    train = page.get_by_role("button", name="Train 12 networks")
    train.scroll_into_view_if_needed()
    assert_in_view(page, train)
    if viewport["width"] > 640:
        page.get_by_role("heading", name="Compare cells").scroll_into_view_if_needed()
        assert_in_view(page, chart(page, "gradient norm"))
