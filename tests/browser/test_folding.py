"""Large networks in the explorer: colours, with the focused row as numbers that point, edit and explain as usual."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from rnnviz.network import build, network_of, run_network
from rnnviz.settings import Settings
from tests.browser.conftest import AppServer, PageMaker, assert_accessible
from tests.browser.test_hooks import Explorer, Screen, eventually, open_explorer

LARGE = {"preset": "random", "hidden_size": 40, "input_size": 12, "steps": 300, "activation": "relu", "t": 137}
SETTINGS = Settings("random").choose(hidden_size=40, input_size=12, steps=300, activation="relu")


@pytest.fixture
def large(server: AppServer, page: Page) -> Explorer:
    """A network with 40 units over 300 steps."""
    return open_explorer(page, server, **LARGE)


def shown_rows(screen: Screen, var: str) -> set[int]:
    """The rows of a matrix that are shown as numbers."""
    return {place.at[0] for place in screen.numbers if place.var == var}


def test_every_number_that_is_shown_is_that_of_the_core(large: Explorer) -> None:
    """The vectors whole, one row of each matrix; over time the shown step, the start, and the row of one unit."""
    ran = run_network(build(network_of(SETTINGS)))
    trace, network, screen, t = ran.trace, ran.network, large.read(), 137
    assert ran.y is not None
    assert network.readout is not None
    of_step = {
        "x": trace.x[t - 1], "h_prev": trace.h[t - 1], "from_x": trace.from_x[t - 1], "from_h": trace.from_h[t - 1],
        "a": trace.preacts["a"][t - 1], "h": trace.h[t], "y": ran.y[t - 1], "W_ih": trace.cell.W_ih,
        "W_hh": trace.cell.W_hh, "b_ih": trace.cell.b_ih, "b_hh": trace.cell.b_hh, "W_ho": network.readout.W,
        "b_o": network.readout.b,
    }  # fmt: skip
    over_time = {"x": trace.x, "h": trace.h[1:], "y": ran.y, "h0": trace.h[:1]}
    for place, value in screen.numbers.items():
        if place.step is None:
            assert value == of_step[place.var][place.at], place
        else:
            assert value == over_time[place.var][max(place.step, 1) - 1][place.at], place
    for name, array in of_step.items():
        places = {place.at for place in screen.numbers if place.var == name and place.step is None}
        rows = [array.shape[0], 1][name in ("W_ih", "W_hh")]
        assert len(places) == rows * (array.shape[1] if array.ndim == 2 else 1), name
    assert {place.at[0] for place in screen.numbers if place.var == "h" and place.step == t} == set(range(40))
    assert {place.step for place in screen.numbers if place.var == "h" and place.at == (0,)} == {None, *range(1, 301)}


def test_pointing_into_a_matrix_shows_that_row_and_its_product(large: Explorer) -> None:
    """Any entry can be reached by the pointer, though only one row stands there as numbers."""
    box = large.root.locator('[data-block="W_hh"] .heat-area').bounding_box()
    assert box is not None
    row, column = 29, 7
    large.page.mouse.move(box["x"] + (column + 0.5) * box["width"] / 40, box["y"] + (row + 0.5) * box["height"] / 40)
    eventually(large.page, lambda: shown_rows(large.read(), "W_hh"), {row})
    trace = run_network(build(network_of(SETTINGS))).trace
    line = large.root.locator(".arithmetic")
    expect(line).to_contain_text("Whh[30,8]")
    product = trace.cell.W_hh[row, column] * trace.h[136, column]
    written = re.findall(r"−?\d+\.\d+(?:e−?\d+)?", line.inner_text())
    assert float(written[-1].replace("−", "-")) == pytest.approx(product, rel=6e-4)


def test_the_arithmetic_of_a_unit_is_written_out_whole(large: Explorer) -> None:
    """All products of a unit with 12 inputs and 40 memories, and they add up to its sum."""
    trace = run_network(build(network_of(SETTINGS))).trace
    large.cell("h", 20).hover()
    sums = large.root.locator(".arithmetic .sum")
    expect(sums).to_have_count(2)
    for place, wanted, terms in ((0, trace.from_x[136, 20], 12), (1, trace.from_h[136, 20], 40)):
        text = sums.nth(place).inner_text().replace("−", "-").replace("(", "").replace(")", "")
        products = re.findall(r"(-?[\d.]+(?:e-?\d+)?)·(-?[\d.]+(?:e-?\d+)?)", text)
        assert len(products) == terms
        bias = float(re.split(r"\+ ", text)[-1])
        assert sum(float(a) * float(b) for a, b in products) + bias == pytest.approx(wanted, abs=2e-3)


def test_an_entry_of_a_folded_matrix_is_edited_in_place(large: Explorer) -> None:
    """Click, type, and all that follows comes from the core; the entry stays marked."""
    box = large.root.locator('[data-block="W_hh"] .heat-area').bounding_box()
    assert box is not None
    large.page.mouse.click(box["x"] + 3.5 * box["width"] / 40, box["y"] + 10.5 * box["height"] / 40)
    large.page.keyboard.type("1.25")
    large.page.keyboard.press("Enter")
    expect(large.page).to_have_url(re.compile(r"W_hh\.11\.4=1\.25"))
    base = run_network(build(network_of(SETTINGS))).trace
    W_hh = base.cell.W_hh.copy()
    W_hh[10, 3] = 1.25
    from_h = W_hh @ base.h[0] + base.cell.b_hh
    large.button("First").click()
    large.expect_value(float(from_h[10]), "from_h", 10)
    marks = large.root.locator('[data-block="W_hh"] .heat-marks').get_attribute("d")
    assert marks is not None
    assert marks.count("M") == 1


def test_the_keyboard_reaches_every_entry(large: Explorer) -> None:
    """Alt with the arrows goes from row to row of a folded matrix."""
    large.root.locator('[data-block="W_hh"] .cell[tabindex="0"]').focus()
    (row,) = shown_rows(large.read(), "W_hh")
    large.page.keyboard.press("Alt+ArrowDown")
    large.page.keyboard.press("Alt+ArrowRight")
    eventually(large.page, lambda: shown_rows(large.read(), "W_hh"), {row + 1})
    value = float(run_network(build(network_of(SETTINGS))).trace.cell.W_hh[row + 1, 1])
    expect(large.cell("W_hh", row + 1, 1)).to_be_focused()
    large.expect_value(value, "W_hh", row + 1, 1)


def test_the_folded_strip_answers_to_pointing_and_pressing(large: Explorer) -> None:
    """The number under the pointer, of any unit at any step; a press goes there."""
    strip = large.root.locator('.strip[data-block="h"] .heat-area')
    strip.scroll_into_view_if_needed()
    box = strip.bounding_box()
    assert box is not None
    x, y = box["x"] + 200.5 * box["width"] / 301, box["y"] + 33.5 * box["height"] / 40
    large.page.mouse.move(x, y)
    h = run_network(build(network_of(SETTINGS))).trace.h
    expect(large.root.locator(".arithmetic")).to_contain_text("h200[34]")
    large.expect_value(float(h[200, 33]), "h", 33, step=200)
    large.page.mouse.click(x, y)
    large.expect_step(200)


def test_the_keyboard_reaches_every_unit_of_the_strip(large: Explorer) -> None:
    """Alt with the arrows, and a pinned number stays what it was."""
    first = large.root.locator('.strip[data-block="h"] .cell[tabindex="0"]')
    first.focus()
    large.page.keyboard.press("Alt+ArrowDown")
    large.page.keyboard.press("Alt+ArrowDown")
    large.page.keyboard.press("Alt+ArrowRight")
    expect(large.cell("h", 2, step=2)).to_be_focused()
    large.page.keyboard.press("Enter")
    line = large.root.locator(".arithmetic")
    expect(line).to_contain_text("h2[3]")
    large.page.keyboard.press("Alt+ArrowDown")
    expect(line).to_contain_text("h2[3]")


def test_the_unit_that_one_looks_at_is_framed_over_all_steps(large: Explorer) -> None:
    """Whichever of its numbers: the row of the strip from the start on."""
    strip, frame = large.root.locator('.strip[data-block="h"] .heat-area'), large.root.locator(".links .use")
    whole = strip.bounding_box()
    assert whole is not None
    for name in ("h", "from_h", "h_prev"):
        large.cell(name, 33).hover(force=True)
        expect(frame).to_have_count(1)
        row = frame.bounding_box()
        assert row is not None
        assert row["width"] == pytest.approx(whole["width"], abs=3)
        assert row["y"] - whole["y"] == pytest.approx(33 * whole["height"] / 40, abs=2)
    large.page.mouse.move(1, 1)
    expect(frame).to_have_count(0)


def test_a_long_sum_begins_at_its_head_for_each_unit(large: Explorer) -> None:
    """It stays where it was scrolled to while one looks at the same number."""
    line = large.root.locator(".arithmetic")
    large.cell("h", 3).click(force=True)
    expect(line).to_contain_text("ht[4]")
    line.evaluate("line => (line.scrollTop = 60)")
    large.button("Next").click()
    large.expect_step(138)
    assert line.evaluate("line => line.scrollTop") > 0
    large.page.keyboard.press("Escape")
    large.cell("h", 30).click(force=True)
    expect(line).to_contain_text("ht[31]")
    eventually(large.page, lambda: line.evaluate("line => line.scrollTop"), 0)


@pytest.mark.parametrize("shown", [137, 1])
def test_a_focused_number_keeps_the_focus_when_the_picture_is_laid_out_anew(
    server: AppServer, page: Page, shown: int
) -> None:
    """At the shown step too, where a column of numbers crosses the row."""
    explorer = open_explorer(page, server, **LARGE | {"t": shown})
    explorer.root.locator('.strip[data-block="h"] .cell[tabindex="0"]').focus()
    page.keyboard.press("Alt+ArrowDown")
    expect(explorer.cell("h", 1, step=1)).to_be_focused()
    strip = explorer.root.locator(".timeline-svg")
    wide = strip.get_attribute("width")
    page.set_viewport_size({"width": 1000, "height": 720})
    eventually(page, lambda: strip.get_attribute("width") == wide, False)
    expect(explorer.cell("h", 1, step=1)).to_be_focused()
    expect(explorer.root.locator(".arithmetic")).to_contain_text("h1[2]")


def test_each_strip_says_its_layer(server: AppServer, page: Page) -> None:
    explorer = open_explorer(page, server, preset="random", hidden_size=40, steps=60, layers=2, layer=2)
    labels = explorer.root.locator(".row-label").all_text_contents()
    assert labels[:2] == ["h(1)", "h(2)"]


@pytest.mark.parametrize("scale", [1, 1.25, 2])
@pytest.mark.parametrize(("name", "inputs"), [("W_ih", 1), ("W_ih", 5), ("W_hh", 1)])
def test_a_matrix_has_its_colours(server: AppServer, new_page: PageMaker, name: str, inputs: int, scale: float) -> None:
    """What lies below the cells is painted from the same numbers, on screens of any density."""
    sizes = {"hidden_size": 30, "input_size": inputs}
    explorer = open_explorer(new_page(device_scale_factor=scale), server, preset="random", **sizes)
    weights = getattr(run_network(build(network_of(Settings("random").choose(**sizes)))).trace.cell, name)
    area = explorer.root.locator(f'[data-block="{name}"] .heat-area')
    colours = area.evaluate(
        """(area, [rows, columns]) => {
            const canvas = area.closest(".sheet").querySelector("canvas"), scale = window.devicePixelRatio;
            const [x, y, width, height] = ["x", "y", "width", "height"].map((side) => Number(area.getAttribute(side)));
            const pen = canvas.getContext("2d");
            const middle = (i, j) => [x + (j + 0.5) * width / columns, y + (i + 0.5) * height / rows];
            const at = (i, j) => Array.from(pen.getImageData(...middle(i, j).map((one) => one * scale), 1, 1).data);
            const count = (size) => Array.from({ length: size }).keys();
            return Array.from(count(rows), (i) => Array.from(count(columns), (j) => at(i, j).slice(0, 3)));
        }""",
        list(weights.shape),
    )
    red, _, blue = np.moveaxis(np.array(colours), 2, 0)
    assert (np.array(colours).sum(axis=2) > 0).all()  # 0 where nothing was painted
    sure = np.abs(weights) > 0.02
    assert ((red > blue) == (weights < 0))[sure].all()  # brown below nought, teal above
    assert sure.mean() > 0.8


@pytest.mark.parametrize("width", [360, 1280])
def test_a_folded_page_is_accessible(server: AppServer, page: Page, width: int) -> None:
    """axe-core finds nothing, on a phone too, and the page does not scroll sideways."""
    page.set_viewport_size({"width": width, "height": 720})
    open_explorer(page, server, **LARGE)
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
