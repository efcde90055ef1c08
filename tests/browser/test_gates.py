"""The LSTM and the GRU page: every number, the arithmetic of each gate, what acts on gates, and the ledger."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from rnnviz import Clamp, GRUCell, LSTMCell, Trace, run
from rnnviz.network import build, network_of, run_network
from rnnviz.settings import Settings
from tests.browser.conftest import AppServer, assert_accessible, settle, unfold
from tests.browser.test_controls import choose, slider
from tests.browser.test_hooks import Screen, eventually, expect_query, open_explorer, query_of
from tests.browser.test_looks import assert_no_sideways_scrolling

LSTM, GRU = "lstm_gates", "gru_gates"
GATES = {LSTM: ("i", "f", "g", "o"), GRU: ("r", "z", "n")}
FORMS = [{"reset": reset, "update": update} for reset in ("after", "before") for update in ("keep", "write")]


def shown_trace(screen: Screen, path: str, clamp: tuple[Clamp, ...] = (), **form: str) -> Trace:
    """The core's own run of the weights, inputs and initial states that stand on the screen."""
    weights = [screen.array(name) for name in ("W_ih", "W_hh", "b_ih", "b_hh")]
    x, h0 = screen.array("x", over_time=True), screen.array("h0", over_time=True)[0]
    if path == GRU:
        return run(GRUCell(*weights, **form), x, h0, clamp=clamp)
    return run(LSTMCell(*weights), x, h0, screen.array("c0", over_time=True)[0], clamp=clamp)


def differences(screen: Screen, trace: Trace) -> list[str]:
    """Every shown number that is not bit for bit that of the trace."""
    t = screen.t - 1
    expected: dict[tuple[str, bool], Any] = {
        ("x", False): trace.x[t], ("h_prev", False): trace.h[t], ("from_x", False): trace.from_x[t],
        ("from_h", False): trace.from_h[t], ("h", False): trace.h[t + 1], ("h", True): trace.h[1:],
    }  # fmt: skip
    for gate, values in trace.gates.items():
        expected |= {(gate, False): values[t], (gate, True): values, (f"a_{gate}", False): trace.preacts[gate][t]}
    if trace.c is not None:
        expected |= {("c_prev", False): trace.c[t], ("c", False): trace.c[t + 1], ("c", True): trace.c[1:]}
        expected[("tanh_c", False)] = np.tanh(trace.c[t + 1])
    return [
        f"{var}{' over time' if over_time else ''}: {shown.tolist()} is not {wanted.tolist()}"
        for (var, over_time), wanted in expected.items()
        if not np.array_equal(shown := screen.array(var, over_time=over_time), wanted)
    ]


def spoken_numbers(text: str) -> list[float]:
    """The numbers of a line of arithmetic."""
    return [float(number) for number in re.findall(r"(?<![\w\[])-?\d+\.\d+(?:e-?\d+)?", text.replace("−", "-"))]


@pytest.mark.parametrize("path", [LSTM, GRU])
def test_the_first_visitor_of_a_server_opens_a_deep_link(
    make_server: Callable[[], AppServer], page: Page, path: str
) -> None:
    """With the menu, without an error box, on the preset that an address without one means."""
    screen = open_explorer(page, make_server(), path).read()
    menu = page.get_by_test_id("stSidebarNav")
    for name in ("Home", "Hidden state", "LSTM gates", "GRU gates"):
        expect(menu.get_by_role("link", name=name, exact=True)).to_be_visible()
    expect(page.get_by_text("Page not found")).to_have_count(0)
    expect(page.get_by_test_id("stAlert")).to_have_count(0)
    assert (screen.t, screen.steps) == (1, 100)


@pytest.mark.parametrize(
    ("path", "query"),
    [(LSTM, {}), *((GRU, form) for form in FORMS)],
    ids=lambda value: value if isinstance(value, str) else " ".join(value.values()),
)
def test_every_number_is_that_of_the_core(server: AppServer, page: Page, path: str, query: dict[str, str]) -> None:
    """Of the scene and of the strip, bit for bit, in every form."""
    screen = open_explorer(page, server, path, preset="random", t=5, seed=3, **query).read()
    assert differences(screen, shown_trace(screen, path, **query)) == []


def test_the_names_of_an_lstm_step_are_those_of_the_contract(server: AppServer, page: Page) -> None:
    screen = open_explorer(page, server, LSTM, preset="random").read()
    names = "x W_ih b_ih W_hh b_hh h_prev c_prev from_x from_h i f g o a_i a_f a_g a_o c tanh_c h W_ho b_o y"
    assert {place.var for place in screen.numbers if place.step is None} == set(names.split())
    assert {place.var for place in screen.numbers if place.step is not None} == set("x i f g o c h y h0 c0".split())
    assert screen.array("W_ih").shape == (12, 2)
    assert screen.array("W_hh").shape == (12, 3)


@pytest.mark.parametrize(("path", "gate"), [(path, gate) for path, gates in GATES.items() for gate in gates])
def test_each_gate_shows_the_arithmetic_that_made_it(server: AppServer, page: Page, path: str, gate: str) -> None:
    """On hover: products that add up to the sum, and what the function makes of it; its row of weights stays bright."""
    form = {"reset": "before"} if path == GRU else {}  # so that the candidate is a sum of products too
    explorer = open_explorer(page, server, path, preset="random", t=4, **form)
    trace = shown_trace(explorer.read(), path, **form)
    unit = 1
    explorer.cell(gate, unit).hover()
    line = explorer.root.locator(".arithmetic")
    expect(line).to_contain_text(f"{gate}t[2]")
    total, value = trace.preacts[gate][3, unit], trace.gates[gate][3, unit]
    assert value == pytest.approx(math.tanh(total) if gate in "gn" else 1 / (1 + math.exp(-total)), abs=1e-15)
    numbers = spoken_numbers(line.inner_text())
    assert numbers[-1] == pytest.approx(value, rel=6e-4, abs=6e-5)
    assert numbers[-2] == pytest.approx(total, rel=6e-4, abs=6e-5)
    products = re.findall(r"\(?(-?[\d.]+)\)?·\(?(-?[\d.]+)\)?", line.inner_text().replace("−", "-"))
    assert len(products) == 2 + 3
    row = trace.cell.rows(gate).start + unit
    lit = explorer.root.locator(".cell.lit").evaluate_all("all => all.map(({dataset: d}) => [d.var, d.index])")
    assert {("W_ih", f"{row},0"), ("W_hh", f"{row},2"), ("b_ih", str(row)), ("b_hh", str(row))} <= set(map(tuple, lit))
    assert not any(var == "W_hh" and not index.startswith(f"{row},") for var, index in lit)


def test_a_band_reads_as_an_equation(server: AppServer, page: Page) -> None:
    """Every sign between two blocks is written, and each side of every = has the same value."""
    explorer = open_explorer(page, server, LSTM, preset="random", t=4)
    signs = explorer.root.locator(".scene .sign:not(.big)").all_text_contents()
    band = [" × xt +", "+", " × ht−1 +", "=", "+", "="]
    assert all(signs.count(sign) >= 4 for sign in band)
    trace = shown_trace(explorer.read(), LSTM)
    cell = trace.cell
    products = cell.W_ih @ trace.x[3] + cell.b_ih + cell.W_hh @ trace.h[3] + cell.b_hh
    partial_sums = trace.from_x[3] + trace.from_h[3]
    sums = np.concatenate([trace.preacts[gate][3] for gate in GATES[LSTM]])
    np.testing.assert_allclose(products, partial_sums, rtol=0, atol=1e-14)
    np.testing.assert_allclose(partial_sums, sums, rtol=0, atol=1e-14)


def test_the_cell_state_is_what_is_kept_and_what_is_let_in(server: AppServer, page: Page) -> None:
    """c = f ⊙ c_prev + i ⊙ g, in numbers and in letters, and h = o ⊙ tanh(c)."""
    explorer = open_explorer(page, server, LSTM, preset="random", t=4)
    trace = shown_trace(explorer.read(), LSTM)
    assert trace.c is not None
    line = explorer.root.locator(".arithmetic")
    explorer.cell("c", 2).hover()
    expect(line).to_contain_text("ct[3]")
    f, c_prev, i, g, c = spoken_numbers(line.inner_text())
    wanted = [trace.gates["f"][3, 2], trace.c[3, 2], trace.gates["i"][3, 2], trace.gates["g"][3, 2], trace.c[4, 2]]
    assert [f, c_prev, i, g, c] == pytest.approx(wanted, rel=6e-4, abs=6e-5)
    expect(line).to_contain_text("ct = ft ⊙ ct−1 + it ⊙ gt")
    explorer.cell("h", 0).hover()
    expect(line).to_contain_text("ht[1]")
    wanted = [trace.gates["o"][3, 0], math.tanh(trace.c[4, 0]), trace.h[4, 0]]
    assert spoken_numbers(line.inner_text()) == pytest.approx(wanted, rel=6e-4, abs=6e-5)


def test_the_memory_of_a_gru_is_kept_or_written(server: AppServer, page: Page) -> None:
    """h = z · h_prev + (1 - z) · n; the candidate's sum has r before what comes from the memory."""
    explorer = open_explorer(page, server, GRU, preset="random", t=4)
    trace = shown_trace(explorer.read(), GRU)
    line = explorer.root.locator(".arithmetic")
    explorer.cell("h", 1).hover()
    expect(line).to_contain_text("ht[2]")
    z, n = trace.gates["z"][3, 1], trace.gates["n"][3, 1]
    assert spoken_numbers(line.inner_text()) == pytest.approx(
        [z, trace.h[3, 1], z, n, trace.h[4, 1]], rel=6e-4, abs=6e-5
    )
    explorer.cell("a_n", 1).hover()
    expect(line).to_contain_text("an[2]")
    numbers = spoken_numbers(line.inner_text())
    assert numbers[-1] == pytest.approx(trace.preacts["n"][3, 1], rel=6e-4, abs=6e-5)
    assert numbers[-4:-1] == pytest.approx(
        [trace.from_x[3, 7], trace.gates["r"][3, 1], trace.from_h[3, 7]], rel=6e-4, abs=6e-5
    )


def test_any_of_the_stacked_weights_is_edited_in_place(server: AppServer, page: Page) -> None:
    """Row 5 of W_hh is the second row of f: only that gate of unit 2 changes at step 2, and the address says so."""
    explorer = open_explorer(page, server, LSTM, preset="random", t=2)
    before = shown_trace(explorer.read(), LSTM)
    explorer.type_into("2.5", "W_hh", 4, 0)
    expect_query(page, {"preset": "random", "t": "2", "W_hh.5.1": "2.5"})
    W_hh = before.cell.W_hh.copy()
    W_hh[4, 0] = 2.5
    after = run(LSTMCell(before.cell.W_ih, W_hh, before.cell.b_ih, before.cell.b_hh), before.x)
    explorer.expect_value(float(after.gates["f"][1, 1]), "f", 1)
    assert differences(explorer.read(), after) == []
    assert after.gates["i"][1].tolist() == before.gates["i"][1].tolist()


def test_the_cell_state_at_the_start_is_edited_in_place(server: AppServer, page: Page) -> None:
    explorer = open_explorer(page, server, LSTM, preset="random")
    explorer.type_into("0.75", "c_prev", 1)
    expect_query(page, {"preset": "random", "c0.2": "0.75"})
    explorer.expect_value(0.75, "c0", 1, step=0)
    screen = explorer.read()
    assert differences(screen, shown_trace(screen, LSTM)) == []


def test_the_switches_change_the_form_and_keep_the_weights(server: AppServer, page: Page) -> None:
    explorer = open_explorer(page, server, GRU, preset="random", t=3)
    weights = explorer.read().array("W_hh")
    choose(page, "Reset gate r acts", "before the product, on h")
    expect(explorer.cell("r_h", 0)).to_be_visible()
    choose(page, "Update gate z", "z near 1 writes n")
    expect_query(page, {"preset": "random", "t": "3", "reset": "before", "update": "write"})
    trace = shown_trace(explorer.read(), GRU, reset="before", update="write")
    explorer.expect_value(float(trace.h[3, 0]), "h", 0)
    screen = explorer.read()
    assert differences(screen, trace) == []
    assert np.array_equal(screen.array("W_hh"), weights)
    assert screen.array("r_h").tolist() == (trace.gates["r"][2] * trace.h[2]).tolist()


def test_another_form_stands_beside_this_one(server: AppServer, page: Page) -> None:
    """The fold says both numbers and draws the whole h of both."""
    explorer = open_explorer(page, server, GRU, preset="random", t=3)
    screen = explorer.read()
    unfold(page.locator("summary", has_text="Two forms of the GRU with the same weights"))
    here, other = (shown_trace(screen, GRU, reset=reset) for reset in ("after", "before"))
    said = page.get_by_text("At step 3, h of unit 1 is")
    expect(said).to_be_visible()
    a, b = spoken_numbers(said.inner_text())[:2]
    assert [a, b] == pytest.approx([here.h[3, 0], other.h[3, 0]], rel=6e-4)
    charts = page.locator(".js-plotly-plot").filter(has_text="h in the other form")
    expect(charts).to_have_count(1)


def test_a_bias_slider_moves_its_gate(server: AppServer, page: Page) -> None:
    explorer = open_explorer(page, server, LSTM, preset="random")
    before = explorer.read().array("b_ih")
    unfold(page.locator("summary", has_text="Gates: biases and clamps"))
    bias = slider(page, "Add to the bias of the forget gate f")
    bias.focus()
    for _ in range(2):
        bias.press("ArrowRight")
    expect_query(page, {"preset": "random", "bias_f": "1"})
    explorer.expect_value(float(before[3] + 1), "b_ih", 3)
    after = explorer.read().array("b_ih")
    assert (after - before).tolist() == pytest.approx([0] * 3 + [1] * 3 + [0] * 6, abs=1e-15)


def test_a_gate_is_clamped_and_computed_again(server: AppServer, page: Page) -> None:
    """Clamped to 1 from step 3 on for unit 2: the trace follows, the cell is marked, the line tells."""
    explorer = open_explorer(page, server, LSTM, preset="random", t=4)
    free = shown_trace(explorer.read(), LSTM)
    unfold(page.locator("summary", has_text="Gates: biases and clamps"))
    expect(page.get_by_role("spinbutton", name="Clamp from step, as a number")).to_be_visible()
    settle(page)
    choose(page, "Clamp in", "unit 2")
    step = page.get_by_role("spinbutton", name="Clamp from step, as a number")
    step.fill("3")
    step.press("Enter")
    page.wait_for_timeout(1000)  # nothing tells that it was taken: the address has no clamp yet
    settle(page)
    expect(step).to_have_value("3")
    choose(page, "Gate f", "open (1)")
    expect_query(page, {"preset": "random", "t": "4", "clamp": "f.2:1@3"})
    explorer.expect_value(1.0, "f", 1)
    screen = explorer.read()
    clamped = shown_trace(screen, LSTM, (Clamp("f", 1.0, 1, 3),))
    assert differences(screen, clamped) == []
    expect(explorer.cell("f", 1)).to_have_class(re.compile(r"\bclamped\b"))
    expect(explorer.cell("f", 0)).not_to_have_class(re.compile(r"\bclamped\b"))
    explorer.cell("f", 1).hover()
    line = explorer.root.locator(".arithmetic")
    expect(line).to_contain_text("clamped to this value")
    computed = 1 / (1 + math.exp(-clamped.preacts["f"][3, 1]))
    assert spoken_numbers(line.inner_text())[-1] == pytest.approx(computed, abs=6e-5)
    unfold(page.locator("summary", has_text="Memory ledger"))
    expect(page.locator(".js-plotly-plot").first).to_contain_text("c with computed gates")
    choose(page, "Gate f", "computed")
    expect_query(page, {"preset": "random", "t": "4"})
    explorer.expect_value(float(free.gates["f"][3, 1]), "f", 1)


def test_the_ledger_answers_who_wrote_what_is_remembered(server: AppServer, page: Page) -> None:
    """Why it still knows at step 100 what it saw at step 3, and what a plain tanh unit pays for the same."""
    explorer = open_explorer(page, server, LSTM)
    fact = explorer.root.locator('[data-part="fact"]')
    expect(fact).to_contain_text("Step 3 makes the largest write into c of unit 1: −0.6858")
    expect(fact).to_contain_text("99.56 %")
    expect(fact).to_contain_text("9.582e−148")
    unfold(page.locator("summary", has_text="Memory ledger"))
    chart = page.locator(".js-plotly-plot").first
    chart.scroll_into_view_if_needed()
    expect(chart.locator(".bars .point")).to_have_count(101)
    expect(page.get_by_text("with respect to c at step 3 is 0.9956 over all paths")).to_be_visible()

    choose(page, "Seen at step t", "the step shown above")
    expect(page.get_by_text(re.compile("At step 1, c of unit 1"))).to_be_visible()
    explorer.button("Last").click()
    expect(page.get_by_text(re.compile("At step 100, c of unit 1"))).to_be_visible()

    unfold(page.locator("summary", has_text="The same latch in a plain tanh unit"))
    expect(page.get_by_text("9.582e−148 in the tanh unit")).to_be_visible()
    expect(page.locator(".js-plotly-plot").filter(has_text="h = tanh(3 h + 5 u)")).to_have_count(1)


def test_the_ledger_shows_both_paths_of_the_trained_counter(server: AppServer, page: Page) -> None:
    """Unit 2 from step 20 on, as the fact says: 0.022 on the direct path, 0.709 on all."""
    explorer = open_explorer(page, server, LSTM, preset="bracket_depth")
    expect(explorer.root.locator('[data-part="fact"]')).to_contain_text("the product of f is 0.02198")
    unfold(page.locator("summary", has_text="Memory ledger"))
    expect(page.get_by_role("spinbutton", name="Change at step k, as a number")).to_have_value("20")
    expect(
        page.get_by_text("is 0.7093 over all paths. The direct path, the product of f, contributes 0.02198")
    ).to_be_visible()


def test_the_strips_can_be_sorted(server: AppServer, page: Page) -> None:
    """By how much the units keep: rows of numbers and rows of colours alike."""
    for size, folded in ((4, False), (12, True)):
        explorer = open_explorer(page, server, LSTM, preset="random", hidden_size=size, order="keep", steps=40)
        trace = run_network(build(network_of(Settings("random", kind="lstm").choose(hidden_size=size, steps=40)))).trace
        wanted = np.argsort(-trace.gates["f"].mean(axis=0), kind="stable").tolist()
        strip = explorer.root.locator('.strip[data-block="f"]')
        strip.scroll_into_view_if_needed()
        if folded:
            box = strip.locator(".heat-area").bounding_box()
            assert box is not None
            page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 1.5 / size)
            expect(explorer.root.locator(".arithmetic")).to_contain_text(f"[{wanted[1] + 1}]")
        else:
            cells = strip.locator(".cell[data-step='1']").evaluate_all(
                "all => all.map((cell) => [cell.getBoundingClientRect().top, +cell.dataset.index])"
            )
            assert [unit for _, unit in sorted(cells)] == wanted


def test_large_gated_cells_fold_and_keep_every_gate(server: AppServer, page: Page) -> None:
    """The focused row of each gate's weights, reached by pointing; the arithmetic is written out."""
    explorer = open_explorer(page, server, LSTM, preset="random", hidden_size=20, input_size=6, steps=60, t=30)
    trace = run_network(
        build(network_of(Settings("random", kind="lstm").choose(hidden_size=20, input_size=6, steps=60)))
    ).trace
    explorer.cell("o", 13).hover()
    line = explorer.root.locator(".arithmetic")
    expect(line).to_contain_text("ot[14]")
    sums = line.locator(".sum")
    expect(sums).to_have_count(2)
    text = sums.nth(1).inner_text().replace("−", "-").replace("(", "").replace(")", "")
    products = re.findall(r"(-?[\d.]+(?:e-?\d+)?)·(-?[\d.]+(?:e-?\d+)?)", text)
    assert len(products) == 20
    total = sum(float(a) * float(b) for a, b in products) + trace.cell.b_hh[73]
    assert total == pytest.approx(trace.from_h[29, 73], abs=2e-3)
    rows = {int(index.split(",")[0]) for index in explorer.root.locator('[data-var="W_hh"]').evaluate_all(
        "all => all.map(({dataset}) => dataset.index)")}  # fmt: skip
    assert 73 in rows
    assert len(rows) == 4


@pytest.mark.parametrize(("path", "color_scheme"), [(LSTM, "light"), (GRU, "dark")])
def test_the_gate_pages_are_accessible(server: AppServer, page: Page, path: str, color_scheme: str) -> None:
    """With every fold open, light and dark."""
    explorer = open_explorer(page, server, path, preset="random", clamp=f"{GATES[path][1]}:1@3")
    assert explorer.root.get_attribute("data-theme") == color_scheme
    unfold(page.locator("summary", has_text="Memory ledger"))
    unfold(page.locator("summary", has_text="Gate statistics"))
    expect(page.locator(".js-plotly-plot").filter(has_text=f"gate {GATES[path][1]}")).to_have_count(1)
    unfold(page.locator("summary", has_text="Remarks and sources"))
    assert_accessible(page)


@pytest.mark.parametrize("path", [LSTM, GRU])
def test_the_gate_pages_fit_on_a_phone(server: AppServer, page: Page, path: str) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    open_explorer(page, server, path, preset="random")
    assert_no_sideways_scrolling(page)
    assert_accessible(page)


def test_a_wide_picture_fades_while_there_is_more_of_it(server: AppServer, page: Page) -> None:
    """On a phone, until its end is reached."""
    page.set_viewport_size({"width": 360, "height": 740})
    scene = open_explorer(page, server, LSTM).root.locator(".scene")
    expect(scene).to_have_css("mask-image", re.compile("gradient"))
    scene.evaluate("scene => (scene.scrollLeft = scene.scrollWidth)")
    expect(scene).to_have_css("mask-image", "none")
    scene.evaluate("scene => (scene.scrollLeft = 0)")
    expect(scene).to_have_css("mask-image", re.compile("gradient"))
    page.set_viewport_size({"width": 1440, "height": 900})
    expect(scene).to_have_css("mask-image", "none")


def test_the_keys_walk_through_a_gated_cell(server: AppServer, page: Page) -> None:
    """Steps, and Alt with arrows among the cells of a gate."""
    explorer = open_explorer(page, server, LSTM, preset="random", t=2)
    explorer.cell("f", 0).focus()
    page.keyboard.press("Alt+ArrowDown")
    expect(explorer.cell("f", 1)).to_be_focused()
    page.keyboard.press("ArrowRight")
    explorer.expect_step(3)
    screen = explorer.read()
    assert differences(screen, shown_trace(screen, LSTM)) == []
    eventually(page, lambda: query_of(page).get("t"), "3")


@pytest.mark.parametrize(("path", "row", "gate"), [(LSTM, 1, "i"), (LSTM, 4, "f"), (LSTM, 11, "o"), (GRU, 7, "n")])
def test_a_weight_lights_up_where_its_gate_stands_in_the_strip(
    server: AppServer, page: Page, path: str, row: int, gate: str
) -> None:
    """Each row of the stacked weights goes into its own gate and unit, at every step."""
    explorer = open_explorer(page, server, path, preset="random", t=3)
    explorer.cell("W_hh", row, 0).hover()
    uses = explorer.root.locator(".links rect.use")
    expect(uses).to_have_count(8)
    wanted = explorer.cell(gate, row % 3, step=5).locator("rect.face")
    place = [wanted.get_attribute(side) for side in ("x", "y")]
    found = uses.evaluate_all("all => all.map((use) => [use.getAttribute('x'), use.getAttribute('y')])")
    assert place in found


def test_the_keys_go_down_a_sorted_strip_line_by_line(server: AppServer, page: Page) -> None:
    explorer = open_explorer(page, server, LSTM, preset="random", hidden_size=4, order="keep", steps=6)
    trace = run_network(build(network_of(Settings("random", kind="lstm").choose(hidden_size=4, steps=6)))).trace
    order = np.argsort(-trace.gates["f"].mean(axis=0), kind="stable").tolist()
    explorer.cell("f", order[0], step=2).focus()
    for unit in order[1:]:
        page.keyboard.press("Alt+ArrowDown")
        expect(explorer.cell("f", unit, step=2)).to_be_focused()
