"""The Gradient flow page: every number read off the curves and the map, what stays, and where a press leads."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from rnnviz import Trace, log10_gradient_norm_grid, log10_gradient_norms
from rnnviz.network import build, network_of, of_cell, run_network
from rnnviz.settings import KINDS, Settings
from rnnviz.views.numbers import power_of_ten
from tests.browser.conftest import AppServer, assert_accessible, settle, unfold, visit
from tests.browser.test_controls import slider
from tests.browser.test_hooks import expect_query, open_explorer
from tests.browser.test_looks import LOOKS, assert_in_view, assert_no_sideways_scrolling

PAGE = "gradient_flow"
NAMES = {"elman": "Elman (tanh)", "lstm": "LSTM", "gru": "GRU"}


def shown(**chosen: object) -> dict[str, Trace]:
    """The core's own run of the default network with choices, by kind of cell."""
    settings = Settings("pytorch", beside=KINDS[1:]).choose(**chosen)  # type: ignore[arg-type]
    return {kind: run_network(build(network_of(of_cell(settings, kind)))).trace for kind in KINDS}


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
    traces = shown(steps=30, hidden_size=5)
    norms = {kind: log10_gradient_norms(trace, block="state") for kind, trace in traces.items()}
    press(chart, "Home")
    assert {read_off(chart)[name] for name in NAMES.values()} == {"1"}
    for back in (0, 1, 2):
        assert chart.get_attribute("aria-valuenow") == str(back)
        assert (chart.get_attribute("aria-valuetext") or "").startswith(f"Step {30 - back} (T − {back}): ")
        said = read_off(chart)
        for kind, name in NAMES.items():
            assert said[name] == power_of_ten(float(norms[kind][30 - back]))
        chart.press("ArrowRight")
    press(chart, "End")
    assert read_off(chart)["LSTM"] == power_of_ten(float(norms["lstm"][0]))


def test_pointing_at_the_curves_reads_them_off(server: AppServer, page: Page) -> None:
    chart = open_flow(page, server)
    readout = page.get_by_test_id("gradient-flow").first.locator(".readout")
    expect(readout).to_contain_text("Step 0 (T − 100):")
    chart.hover(position={"x": 300, "y": 100})
    expect(readout).not_to_contain_text("Step 0,")
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
    expect(readout).to_contain_text(f"From step 4 (t − 23) to step 27: {mean} (root mean square over all directions)")
    pairs.press("Enter")
    expect_query(page, {"steps": "30", "hidden_size": "5", "from_step": "4", "to_step": "27"})
    expect(page.get_by_text(re.compile("∂h₂₇/∂h₄‖ is "))).to_be_visible()

    box = pairs.locator("canvas").bounding_box()
    assert box is not None
    cell = box["width"] / 31
    page.mouse.click(box["x"] + 10.5 * cell, box["y"] + (30 - 20 + 0.5) * cell)
    expect_query(page, {"steps": "30", "hidden_size": "5", "from_step": "10", "to_step": "20"})
    expect(page.get_by_text(re.compile("∂h₂₀/∂h₁₀‖ is "))).to_be_visible()
    page.go_back()
    expect(page.get_by_text(re.compile("∂h₂₇/∂h₄‖ is "))).to_be_visible()


def test_kept_curves_stay_behind_a_lever(server: AppServer, page: Page) -> None:
    chart = open_flow(page, server)
    before = paths(chart)
    page.get_by_role("button", name="Keep these curves").first.click()
    expect(chart.locator(".kept")).to_have_count(3)
    press(slider(page, "Gain of W_hh"), "ArrowRight")
    expect_query(page, {"gain": "1.05"})
    expect(chart.locator(".kept")).to_have_count(3)
    expect(chart.locator('[data-curve="elman"]')).not_to_have_attribute("d", before["elman"])
    page.get_by_role("button", name="Remove the kept curves").click()
    expect(chart.locator(".kept")).to_have_count(0)


def curve_box(page: Page, name: str) -> Locator:
    """The checkbox of a curve of the main picture."""
    return page.get_by_test_id("gradient-flow").first.get_by_role("checkbox", name=re.compile(f"^Show {name}"))


def test_what_is_asked_for_stays_while_a_lever_moves(server: AppServer, page: Page) -> None:
    """The bound is shown when asked for. Its name changes with the weights; the reader's wish does not."""
    chart = open_flow(page, server)
    for key in ("bound", "radius", "0.9ⁿ", "1.1ⁿ"):
        expect(chart.locator(f'[data-curve="{key}"]')).to_have_count(0)
    curve_box(page, "bound").check()
    curve_box(page, "LSTM").uncheck()
    expect(chart.locator('[data-curve="bound"]')).to_have_count(1)
    press(slider(page, "Gain of W_hh"), "ArrowRight")
    expect_query(page, {"gain": "1.05"})
    expect(curve_box(page, "bound 1.1")).to_be_checked()
    expect(curve_box(page, "LSTM")).not_to_be_checked()
    expect(chart.locator('[data-curve="bound"]')).to_have_count(1)
    expect(chart.locator('[data-curve="lstm"]')).to_have_count(0)


@pytest.mark.parametrize("width", [360, 800, 1440])
@pytest.mark.parametrize("preset", ["pytorch", "edge_of_chaos", "identity_rnn", "chrono", "nilpotent"])
def test_lines_are_named_where_they_end_and_no_name_covers_another(
    server: AppServer, page: Page, width: int, preset: str
) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    chart = open_flow(page, server, preset=preset)
    boxes = page.get_by_test_id("gradient-flow").first.get_by_role("checkbox")
    for number in range(boxes.count()):
        boxes.nth(number).check()
    drawn = chart.locator("[data-curve]").evaluate_all("all => all.map((one) => one.dataset.curve)")
    names = chart.locator("[data-name]")
    assert sorted(str(one) for one in drawn if not str(one).startswith("fit")) == sorted(
        str(one) for one in names.evaluate_all("all => all.map((one) => one.dataset.name)")
    )
    frame = chart.bounding_box()
    found = [box for box in (names.nth(number).bounding_box() for number in range(names.count())) if box]
    assert frame is not None
    for number, one in enumerate(found):
        assert frame["x"] - 1 <= one["x"]
        assert one["x"] + one["width"] <= frame["x"] + frame["width"] + 1
        for other in found[:number]:
            apart_x = max(one["x"], other["x"]) - min(one["x"] + one["width"], other["x"] + other["width"])
            lines = abs(one["y"] + one["height"] / 2 - other["y"] - other["height"] / 2)
            assert apart_x > 0 or lines >= 13  # letters of 12 px


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_the_picture_is_saved_as_it_looks(server: AppServer, page: Page, color_scheme: str) -> None:
    """Both pictures, with nothing of the page needed: no class, no variable, colours as plain rgb."""
    open_flow(page, server, preset="vanishes")
    saved = {}
    for kind in ("PNG", "SVG"):
        with page.expect_download() as download:
            page.get_by_role("button", name=f"Download the picture as {kind}").first.click()
        assert download.value.suggested_filename == f"gradient-flow.{kind.lower()}"
        saved[kind] = download.value.path().read_bytes()
    assert saved["PNG"].startswith(b"\x89PNG")
    text = saved["SVG"].decode()
    root = ElementTree.fromstring(text)
    ground = root[0] if root[0].tag.endswith("rect") else root[1]
    light = [int(part) for part in re.findall(r"\d+", str(ground.get("fill")))[:3]]
    assert (min(light) > 200) == (color_scheme == "light")
    shown = "".join(root.itertext())
    for words in ("Elman (tanh)", "LSTM", "GRU", "steps back from T = 100", "all pairs", "1e−300", "threshold 0.001"):
        assert words in shown
    assert not re.search(r"color-mix|var\(|class=|color\(srgb", text)
    assert "data:image/png" in text  # the map's cells
    frame = page.get_by_test_id("gradient-flow").first.locator(".pictures").bounding_box()
    assert frame is not None
    width, height = (int.from_bytes(saved["PNG"][at : at + 4], "big") for at in (16, 20))
    assert frame["width"] < width < 2 * frame["width"] + 100
    assert height > 600


def test_the_map_has_the_same_scale_for_every_network(server: AppServer, page: Page) -> None:
    """With whole labels, 1 in the middle; what is exactly 0 is told apart, and steps left out are named."""
    labels = []
    for query in ({"preset": "vanishes"}, {"preset": "explodes"}, {"steps": 450, "hidden_size": 2}):
        open_flow(page, server, **query)
        svg = map_of(page).locator("svg")
        box = svg.bounding_box()
        assert box is not None
        texts = svg.locator("text", has_text=re.compile("^(1|1e.*)$"))
        labels.append(texts.all_text_contents())
        for number in range(texts.count()):
            place = texts.nth(number).bounding_box()
            assert place is not None
            assert place["x"] + place["width"] <= box["x"] + box["width"]
    assert labels[0][-11:] == labels[1][-11:] == labels[2][-11:]
    assert "1e−300" in labels[0]
    expect(page.get_by_text("The map leaves out the steps before 50.").first).to_be_visible()
    open_flow(page, server, init="zeros", steps=12)
    expect(map_of(page).locator("svg text", has_text="exactly 0")).to_be_visible()


def test_all_numbers_stand_in_a_table(server: AppServer, page: Page) -> None:
    open_flow(page, server, steps=30, hidden_size=5)
    numbers = page.get_by_test_id("gradient-flow").first.locator("details")
    unfold(numbers.locator("summary"))
    row = numbers.locator("tbody tr").nth(23)
    assert row.locator("th").inner_text() == "7"
    cells = row.locator("td").all_inner_texts()
    norms = [log10_gradient_norms(trace, block="state")[7] for trace in shown(steps=30, hidden_size=5).values()]
    assert cells[:3] == [power_of_ten(float(norm)) for norm in norms]


def test_quick_levers_choose_nothing_else(server: AppServer, page: Page) -> None:
    """Ten presses in a row: the address has the lever alone, and the fold with the rarer levers opens on any cell."""
    open_flow(page, server)
    press(slider(page, "Steps T"), *["ArrowLeft"] * 10)
    expect_query(page, {"steps": "90"})
    for kind in KINDS:
        visit(page, server.url(PAGE, cell=kind))
        unfold(page.locator("summary", has_text="Seed, input, threshold"))
        expect(page.get_by_label("Exponent n of the threshold 10⁻ⁿ").first).to_be_visible()


def test_another_cell_stands_in_front(server: AppServer, page: Page) -> None:
    chart = open_flow(page, server)
    page.get_by_test_id("stButtonGroup").nth(1).get_by_text("LSTM", exact=True).click()
    expect_query(page, {"cell": "lstm"})
    expect(page.get_by_text("The direct path, the product of f alone, leaves")).to_be_visible()
    expect(chart.locator('[data-curve="bound"]')).to_have_count(0)


def test_a_network_goes_to_its_gradient_and_back(server: AppServer, page: Page) -> None:
    """An edited weight and a held gate of the LSTM page."""
    explorer = open_explorer(page, server, "lstm_gates", preset="random", clamp="f:1", **{"W_hh.1.1": 1.5})
    page.get_by_role("link", name=re.compile("See how far back")).click()
    expect(chart_of(page).locator("[data-curve]").first).to_be_attached()
    expect_query(page, {"cell": "lstm", "preset": "random", "clamp": "f:1", "W_hh.1.1": "1.5"})
    page.get_by_role("link", name="Open this network on the page LSTM gates").click()
    expect_query(page, {"preset": "random", "clamp": "f:1", "W_hh.1.1": "1.5"})
    explorer.expect_value(1.5, "W_hh", 0, 0)


def test_a_deep_link_opens_on_a_fresh_server(make_server: Callable[..., AppServer], page: Page) -> None:
    server = make_server()
    chart = open_flow(page, server, preset="nilpotent")
    expect(page.get_by_role("link", name="Hidden state", exact=True)).to_be_visible()
    expect(page.get_by_text("the gradient explodes")).to_be_visible()
    expect(chart.locator('[data-curve="elman"]')).to_be_attached()


@LOOKS
def test_axe_finds_nothing_in_the_gradient(server: AppServer, page: Page, color_scheme: str) -> None:
    """With every fold open and the numbers shown; nothing is wider than the window."""
    open_flow(page, server, preset="textbook_matrix")
    flow = page.get_by_test_id("gradient-flow").first
    expect(flow).to_have_attribute("data-theme", color_scheme)
    unfold(flow.locator("summary"))
    unfold(page.locator('[data-testid="stExpander"] [data-testid="stExpander"] summary').first)
    expect(page.get_by_test_id("stDataFrame").first).to_be_visible()
    assert_accessible(page)
    assert_no_sideways_scrolling(page)
    page.goto(server.url(PAGE, cell="gru", steps=20, hidden_size=4))
    settle(page)
    unfold(page.locator("summary", has_text="Is it the seed or the initialisation?"))
    expect(page.locator(".js-plotly-plot:has(.main-svg)")).to_have_count(2)  # both, for till then the page is faded
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.wait_for_timeout(1500)
    assert_accessible(page)
    assert_no_sideways_scrolling(page)


def test_the_curves_the_map_and_what_to_notice_stand_above_the_fold(server: AppServer, page: Page) -> None:
    chart = open_flow(page, server)
    for part in (chart, map_of(page).locator("canvas"), page.locator(".notice")):
        assert_in_view(page, part)
    assert_no_sideways_scrolling(page)
    page.set_viewport_size({"width": 640, "height": 360})  # the same window at 200 %
    assert_no_sideways_scrolling(page)


@pytest.mark.parametrize("preset", ["forget_1", "transient", "pytorch"])
def test_the_name_of_the_threshold_stands_clear(server: AppServer, page: Page, preset: str) -> None:
    """Of the numbers below the axis, and of every curve."""
    visit(page, server.url("gradient_flow", preset=preset))
    chart = page.get_by_test_id("gradient-flow").first.locator('[data-part="chart"]')
    expect(chart.locator("text.level")).to_be_visible()
    met = chart.evaluate("""chart => {
        const name = chart.querySelector("text.level").getBoundingClientRect();
        const beside = (box) => box.left >= name.right || box.right <= name.left;
        const met = (box) => !beside(box) && box.top < name.bottom - 3 && box.bottom > name.top + 3;
        const others = [...chart.querySelectorAll("text:not(.level)")];
        const texts = others.filter((text) => met(text.getBoundingClientRect()));
        const within = ({ x, y }) => x > name.left && x < name.right && y > name.top + 2 && y < name.bottom - 2;
        const curves = [...chart.querySelectorAll("path.curve")].filter((curve) => {
            const matrix = curve.getScreenCTM(), length = curve.getTotalLength();
            const along = Array.from({ length: 400 }, (_, i) => curve.getPointAtLength((i * length) / 399));
            return along.some((point) => within(point.matrixTransform(matrix)));
        });
        return [...texts.map((text) => text.textContent), ...curves.map((curve) => curve.dataset.curve)];
    }""")
    assert met == []
