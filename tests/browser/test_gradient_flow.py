"""The Gradient flow page: every number read off the curves and the map, what stays, and where a press leads."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from rnnviz import Trace, log10_gradient_norm_grid, log10_gradient_norms
from rnnviz.presets import build, of_cell, walk
from rnnviz.settings import KINDS, Settings
from rnnviz.views.numbers import power_of_ten
from tests.browser.conftest import AppServer, assert_accessible, settle, unfold, visit
from tests.browser.test_controls import slider
from tests.browser.test_hooks import expect_query, open_explorer
from tests.browser.test_looks import PHONE, WIDE, assert_in_view, assert_no_sideways_scrolling

PAGE = "gradient_flow"
NAMES = {"elman": "Elman (tanh)", "lstm": "LSTM", "gru": "GRU"}


def shown(**chosen: object) -> dict[str, Trace]:
    """The core's own run of the default network with choices, by kind of cell."""
    settings = Settings("pytorch", beside=KINDS[1:]).choose(**chosen)  # type: ignore[arg-type]
    return {kind: walk(build(of_cell(settings, kind))).trace for kind in KINDS}


def chart_of(page: Page, number: int = 0) -> Locator:
    """The main picture's curves, or those of a fold."""
    return page.get_by_test_id("gradient-flow").nth(number).locator(".chart")


def map_of(page: Page) -> Locator:
    """The map of all pairs."""
    return page.get_by_test_id("gradient-flow").first.locator(".map")


def open_flow(page: Page, server: AppServer, **query: object) -> Locator:
    """The page at an address, with its curves drawn."""
    visit(page, server.url(PAGE, **query))
    chart = chart_of(page)
    expect(chart.locator("[data-curve]").first).to_be_attached()
    return chart


def press(target: Locator, *keys: str) -> None:
    """Keys for an element."""
    target.focus()
    for key in keys:
        target.press(key)


def read_off(chart: Locator) -> dict[str, str]:
    """The numbers of the step that is pointed at, by the names of the curves, as a screen reader says them."""
    said = chart.get_attribute("aria-valuetext") or ""
    return dict(one.rsplit(" ", 1) for one in said.split(": ", 1)[1].split(", "))  # type: ignore[misc]


def paths(chart: Locator, selector: str = "[data-curve]") -> dict[str, str]:
    """The drawn lines by their keys."""
    found = chart.locator(selector).evaluate_all("all => all.map((one) => [one.dataset.curve, one.getAttribute('d')])")
    return {str(key): str(path) for key, path in found}


def test_the_curves_say_the_norms_of_all_three_cells(server: AppServer, page: Page) -> None:
    """Step by step with the keys: each number is that of the core, in the same digits."""
    chart = open_flow(page, server, steps=30, hidden_size=5)
    norms = {kind: log10_gradient_norms(trace) for kind, trace in shown(steps=30, hidden_size=5).items()}
    press(chart, "Home")
    for k in (0, 1, 2):
        assert chart.get_attribute("aria-valuenow") == str(k)
        said = read_off(chart)
        for kind, name in NAMES.items():
            assert said[name] == power_of_ten(float(norms[kind][k]))
        chart.press("ArrowRight")
    press(chart, "End")
    assert {read_off(chart)[name] for name in NAMES.values()} == {"1"}


def test_pointing_at_the_curves_reads_them_off(server: AppServer, page: Page) -> None:
    chart = open_flow(page, server)
    readout = page.get_by_test_id("gradient-flow").first.locator(".readout")
    expect(readout).to_contain_text("k = 0, 100 back from T")
    chart.hover(position={"x": 300, "y": 100})
    expect(readout).not_to_contain_text("k = 0,")
    expect(chart.locator(".cross")).to_have_count(1)
    page.mouse.move(5, 5)
    expect(chart.locator(".cross")).to_have_count(0)


def test_the_map_says_all_pairs_and_opens_them(server: AppServer, page: Page) -> None:
    """By keys and by a press; the steps between them stand below, and on the address."""
    open_flow(page, server, steps=30, hidden_size=5)
    grid = log10_gradient_norm_grid(shown(steps=30, hidden_size=5)["elman"], norm="fro")
    pairs, readout = map_of(page), page.get_by_test_id("gradient-flow").first.locator(".readout")
    press(pairs, *["ArrowRight"] * 4, *["ArrowDown"] * 3)
    mean = power_of_ten(float(grid[27, 4] - np.log10(5) / 2))
    expect(readout).to_contain_text(
        f"From step 4 to step 27 arrives {mean} of a change in the mean over all directions"
    )
    pairs.press("Enter")
    expect_query(page, {"steps": "30", "hidden_size": "5", "from_step": "4", "to_step": "27"})
    expect(page.get_by_text(re.compile("Of a change at step 4, .* reaches step 27"))).to_be_visible()

    box = pairs.locator("canvas").bounding_box()
    assert box is not None
    cell = box["width"] / 31
    page.mouse.click(box["x"] + 10.5 * cell, box["y"] + (30 - 20 + 0.5) * cell)
    expect_query(page, {"steps": "30", "hidden_size": "5", "from_step": "10", "to_step": "20"})
    expect(page.get_by_text(re.compile("Of a change at step 10, .* reaches step 20"))).to_be_visible()
    page.go_back()
    expect(page.get_by_text(re.compile("Of a change at step 4, .* reaches step 27"))).to_be_visible()


def test_kept_curves_stay_behind_a_lever(server: AppServer, page: Page) -> None:
    chart = open_flow(page, server)
    before = paths(chart)
    page.get_by_role("button", name="Keep these curves").first.click()
    expect(chart.locator(".kept")).to_have_count(3)
    press(slider(page, "Gain of W_hh"), "ArrowRight")
    expect_query(page, {"gain": "1.05"})
    expect(chart.locator(".kept")).to_have_count(3)
    expect(chart.locator('[data-curve="elman"]')).not_to_have_attribute("d", before["elman"])
    page.get_by_role("button", name="Let them go").click()
    expect(chart.locator(".kept")).to_have_count(0)


def test_a_hidden_curve_stays_hidden(server: AppServer, page: Page) -> None:
    """The name of the bound changes with the weights; the reader's wish does not."""
    chart = open_flow(page, server)
    page.get_by_role("button", name=re.compile("^bound")).first.click()
    expect(chart.locator('[data-curve="bound"]')).to_have_count(0)
    press(slider(page, "Gain of W_hh"), "ArrowRight")
    expect_query(page, {"gain": "1.05"})
    expect(page.get_by_role("button", name=re.compile("^bound 1.1")).first).to_have_attribute("aria-pressed", "false")
    expect(chart.locator('[data-curve="bound"]')).to_have_count(0)
    expect(chart.locator('[data-curve="radius"]')).to_have_count(1)


def test_all_numbers_stand_in_a_table(server: AppServer, page: Page) -> None:
    open_flow(page, server, steps=30, hidden_size=5)
    numbers = page.get_by_test_id("gradient-flow").first.locator("details")
    unfold(numbers.locator("summary"))
    cells = numbers.locator("tbody tr").nth(7).locator("td").all_inner_texts()
    norms = [log10_gradient_norms(trace)[7] for trace in shown(steps=30, hidden_size=5).values()]
    assert cells[:3] == [power_of_ten(float(norm)) for norm in norms]


def test_quick_levers_choose_nothing_else(server: AppServer, page: Page) -> None:
    """Ten presses in a row: the address has the lever alone, and the fold with the rarer levers opens on any cell."""
    open_flow(page, server)
    press(slider(page, "Steps T"), *["ArrowLeft"] * 10)
    expect_query(page, {"steps": "90"})
    for kind in KINDS:
        visit(page, server.url(PAGE, cell=kind))
        unfold(page.locator("summary", has_text="Seed, input, threshold"))
        expect(page.get_by_label("Threshold: 10 to the minus").first).to_be_visible()


def test_another_cell_stands_in_front(server: AppServer, page: Page) -> None:
    chart = open_flow(page, server)
    page.get_by_test_id("stButtonGroup").nth(1).get_by_text("LSTM", exact=True).click()
    expect_query(page, {"cell": "lstm"})
    expect(page.get_by_text("this product is what is often called the derivative")).to_be_visible()
    expect(chart.locator('[data-curve="bound"]')).to_have_count(0)


def test_a_network_goes_to_its_gradient_and_back(server: AppServer, page: Page) -> None:
    """An edited weight and a held gate of the LSTM page."""
    explorer = open_explorer(page, server, "lstm_gates", preset="random", clamp="f:1", **{"W_hh.1.1": 1.5})
    page.get_by_role("link", name=re.compile("How far back")).click()
    expect(chart_of(page).locator("[data-curve]").first).to_be_attached()
    expect_query(page, {"cell": "lstm", "preset": "random", "clamp": "f:1", "W_hh.1.1": "1.5"})
    page.get_by_role("link", name="Walk this network on the page LSTM gates").click()
    expect_query(page, {"preset": "random", "clamp": "f:1", "W_hh.1.1": "1.5"})
    explorer.expect_value(1.5, "W_hh", 0, 0)


def test_a_deep_link_opens_on_a_fresh_server(make_server: Callable[..., AppServer], page: Page) -> None:
    server = make_server()
    chart = open_flow(page, server, preset="nilpotent")
    expect(page.get_by_role("link", name="Hidden state", exact=True)).to_be_visible()
    expect(page.get_by_text("exploding")).to_be_visible()
    expect(chart.locator('[data-curve="elman"]')).to_be_attached()


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
def test_axe_finds_nothing_in_the_gradient(server: AppServer, page: Page, color_scheme: str) -> None:
    """With every fold open and the numbers shown; nothing is wider than the window."""
    open_flow(page, server, preset="textbook_matrix")
    flow = page.get_by_test_id("gradient-flow").first
    expect(flow).to_have_attribute("data-theme", color_scheme)
    unfold(flow.locator("summary"))
    unfold(page.locator("summary", has=page.get_by_text("As numbers", exact=True)))
    expect(page.get_by_text("In the order of size")).to_be_visible()
    assert_accessible(page)
    assert_no_sideways_scrolling(page)
    page.goto(server.url(PAGE, cell="gru", steps=20, hidden_size=4))
    settle(page)
    unfold(page.locator("summary", has_text="Is it the seed?"))
    expect(page.get_by_test_id("gradient-flow")).to_have_count(4)
    assert_accessible(page)
    assert_no_sideways_scrolling(page)


def test_the_curves_the_map_and_what_to_notice_stand_above_the_fold(server: AppServer, page: Page) -> None:
    chart = open_flow(page, server)
    for part in (chart, map_of(page).locator("canvas"), page.locator(".notice")):
        assert_in_view(page, part)
    assert_no_sideways_scrolling(page)
    page.set_viewport_size({"width": 640, "height": 360})  # the same window at 200 %
    assert_no_sideways_scrolling(page)
