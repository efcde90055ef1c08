"""RTRL beside BPTT in numbers, sentences, charts and a picture, each held against another way to the same number."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from rnnviz import (
    Cell,
    Clamp,
    ElmanCell,
    Gradients,
    OnlineRun,
    Trace,
    bptt,
    influence,
    influence_norms,
    make_cell,
    rtrl,
    rtrl_online,
    run,
)
from rnnviz.texts import say
from rnnviz.views.charts.rtrl import drift_figure, influence_figure
from rnnviz.views.sentences.rtrl import (
    Measured,
    cost_columns,
    counted,
    drift_words,
    equality_words,
    influence_words,
    letter_columns,
    matrix_words,
    state_names,
)
from tests.views.spoken import number, slots, whole
from tests.views.written import says, says_power

Array = NDArray[np.float64]
WEIGHTS = ("W_ih", "W_hh", "b_ih", "b_hh")
T, D, H = 7, 2, 3
X = np.random.default_rng(0).standard_normal((T, D))
D_H = np.random.default_rng(1).standard_normal((T, H))
CELLS: dict[str, Cell] = {kind: make_cell(kind, D, H, seed=2) for kind in ("elman", "lstm", "gru")} | {
    "before": replace(make_cell("gru", D, H), reset="before")  # type: ignore[call-arg]
}
TRACES = {name: run(cell, X) for name, cell in CELLS.items()}


def whole_number(text: str) -> int:
    return int(text.replace(",", ""))


# --- equal ----------------------------------------------------------------------------------------------------------


def nudged(found: Gradients, by: float) -> Gradients:
    W_hh = found.W_hh.copy()
    W_hh[1, 2] += by
    return replace(found, W_hh=W_hh)


@pytest.mark.parametrize("name", TRACES)
def test_both_ways_are_equal_to_rounding(name: str) -> None:
    backward, forward = bptt(TRACES[name], D_H), rtrl(TRACES[name], D_H)
    pairs = [
        (one, other)
        for weight in WEIGHTS
        for one, other in zip(
            backward.weights[weight].ravel().tolist(), forward.weights[weight].ravel().tolist(), strict=True
        )
    ]
    said = whole("rtrl.equal", equality_words(backward, forward))
    difference, largest = max(abs(a - b) for a, b in pairs), max(abs(a) for a, _ in pairs)
    assert whole_number(said["count"]) == len(pairs)
    assert 0 < difference < 1e-14 * largest
    assert says_power(said["difference"], math.log10(difference))
    assert says_power(said["largest"], math.log10(largest))
    assert says_power(said["share"], math.log10(difference / largest))


def test_a_difference_would_be_said() -> None:
    found = bptt(TRACES["elman"], D_H)
    said = whole("rtrl.differ", equality_words(found, nudged(found, 0.25)))
    assert number(said["difference"]) == 0.25
    assert whole_number(said["count"]) == H * P
    largest = max(float(np.abs(array).max()) for array in found.weights.values())
    assert says_power(said["largest"], math.log10(largest))


def test_no_difference_and_no_gradient_are_said_as_such() -> None:
    found, none = bptt(TRACES["elman"], D_H), bptt(TRACES["elman"], np.zeros((T, H)))
    assert whole("rtrl.equal.exact", equality_words(found, found))
    assert whole_number(whole("rtrl.equal.zero", equality_words(none, none))["count"]) == H * (D + H + 2)
    assert whole("rtrl.differ", equality_words(none, nudged(none, 1.0)))["largest"] == "0"


@pytest.mark.parametrize("steps", [1, 40, 1000])
@pytest.mark.parametrize("gain", [0.0, 0.5, 1.0, 3.0])
def test_rounding_is_all_there_is_in_any_run(steps: int, gain: float) -> None:
    """Saturated, chaotic, vanishing, without recurrence: no sentence but those of equality is ever needed."""
    for seed in range(8):
        random = np.random.default_rng(seed)
        trace = run(make_cell("elman", 1, 4, init="spectral", gain=gain, seed=seed), random.normal(size=(steps, 1)))
        d_h = random.normal(size=(steps, 4)) * (random.random() > 0.5 or np.arange(steps)[:, None] == steps - 1)
        text = equality_words(bptt(trace, d_h), rtrl(trace, d_h))
        assert text.startswith(("Real-time recurrent learning (RTRL) and BPTT agree ", "The gradient is exactly 0"))


# --- the price ------------------------------------------------------------------------------------------------------

KEPT = {  # D + S + G H numbers for each step, H more where a reset gate scales a product; S for the start
    "elman": T * (D + H + H) + H,
    "lstm": T * (D + 2 * H + 4 * H) + 2 * H,
    "gru": T * (D + H + 3 * H + H) + H,
    "before": T * (D + H + 3 * H) + H,
}
P = D + H + 2
CARRIED = {"elman": (H + 1) * H * P, "lstm": (2 * H + 1) * 4 * H * P, "gru": (H + 1) * 3 * H * P}
CARRIED["before"] = CARRIED["gru"]
FORWARD = {"elman": (H + 1) * H * H * P, "lstm": (2 * H + 1) * H * 4 * H * P, "gru": (H + 1) * H * 3 * H * P}
FORWARD["before"] = FORWARD["gru"] + H**3


@pytest.mark.parametrize("name", TRACES)
def test_the_table_has_what_both_cost(name: str) -> None:
    """Numbers kept by formula and as counted in the arrays; multiplications by hand; times as measured."""
    trace, forward = TRACES[name], rtrl(TRACES[name], D_H)
    assert counted(trace, forward) == (KEPT[name], CARRIED[name])
    columns = cost_columns(trace, forward, Measured(bptt=0.002, rtrl=0.5))
    assert list(columns)[1:3] == ["BPTT", "RTRL"]
    keep, keep_form, count, work, work_form, time = (list(row) for row in zip(*columns.values(), strict=True))
    assert [whole_number(text.split()[0]) for text in keep[1:3]] == [KEPT[name], CARRIED[name]]
    assert [bytes_of(text) for text in keep[1:3]] == [
        pytest.approx(8 * kept, rel=1e-3) for kept in (KEPT[name], CARRIED[name])
    ]
    assert keep[1:] == count[1:]
    assert says_power(keep[3].removeprefix("× "), math.log10(CARRIED[name] / KEPT[name]))
    gates = len(trace.cell.W_hh)
    assert [whole_number(text) for text in work[1:3]] == [T * gates * (D + 2 * H), T * FORWARD[name]]
    assert time[1:] == ["2 ms", "500 ms", "× 250"]
    values = {"T": T, "D": D, "H": H, "S": trace.cell.state_size, "G": gates // H, "P": gates * P}
    assert [evaluated(text, values) for text in keep_form[1:3]] == [KEPT[name], CARRIED[name]]
    assert [evaluated(text, values) for text in work_form[1:3]] == [T * gates * (D + 2 * H), T * FORWARD[name]]
    letter, meaning, here = letter_columns(trace).values()
    assert {one: whole_number(text) for one, text in zip(letter, here, strict=True)} == values
    assert meaning == [
        "steps",
        "hidden units",
        "inputs",
        "blocks of H rows in W_hh",
        "numbers in the state",
        "weights and biases",
    ]
    assert {one for row in (*keep_form[1:3], *work_form[1:3]) for one in re.findall("[A-Z]", row)} <= set(letter)


def bytes_of(text: str) -> float:
    """The memory that is written behind a count of numbers."""
    _, size = text.split(", ")
    value, unit = size.split()
    return float(value) * {"bytes": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}[unit]


@pytest.mark.parametrize(("hidden", "unit"), [(1, "bytes"), (8, "KiB"), (64, "MiB")])
def test_memory_is_written_in_numbers_and_bytes(hidden: int, unit: str) -> None:
    trace = run(make_cell("elman", 1, hidden), np.zeros((1, 1)))
    written = cost_columns(trace, rtrl(trace, np.zeros((1, hidden))), Measured(1.0, 1.0))["RTRL"][0]
    numbers = (hidden + 1) * hidden * (hidden + 3)
    assert written.startswith(f"{numbers:,} numbers, " if numbers >= 10_000 else f"{numbers} numbers, ")
    assert written.endswith(unit)
    assert bytes_of(written) == pytest.approx(8 * numbers, rel=1e-3)


def evaluated(formula: str, values: dict[str, int]) -> int:
    """A formula as it is written on the screen, with numbers for its letters."""
    tokens = re.sub(r"([A-Z])", r" \1 ", formula.replace("³", " ** 3")).replace("(", " ( ").replace(")", " ) ").split()
    code = ""
    for before, token in zip(["+", *tokens], tokens, strict=False):
        joined = (before.isalnum() or before == ")") and (token.isalnum() or token == "(") and before != "**"
        code += f" * {token}" if joined else f" {token}"
    result: Any = eval(code, {}, values)
    return int(result)


# --- the influence --------------------------------------------------------------------------------------------------


def by_differences(trace: Trace, t: int) -> dict[str, Array]:
    """How the state at a step depends on each weight, by runs with every weight nudged either way."""
    found = {}
    for name in WEIGHTS:
        weight = getattr(trace.cell, name)
        block = np.empty((trace.cell.state_size, *weight.shape))
        for place in np.ndindex(weight.shape):
            ends = []
            for sign in (1, -1):
                other = weight.copy()
                other[place] += sign * 1e-6
                ends.append(run(replace(trace.cell, **{name: other}), trace.x, clamp=trace.clamp).states[t])
            block[:, *place] = (ends[0] - ends[1]) / 2e-6
        found[name] = block
    return found


def norm_by_differences(trace: Trace, t: int) -> float:
    return math.sqrt(math.fsum(float((block**2).sum()) for block in by_differences(trace, t).values()))


@pytest.mark.parametrize("name", TRACES)
def test_the_figure_has_the_norm_of_the_influence_after_every_step(name: str) -> None:
    line, heat = influence_figure(
        influence_norms(TRACES[name]), influence(TRACES[name], 2), state_names(TRACES[name]), 2
    )["data"]
    assert line["x"] == list(range(1, T + 1))
    for t in (1, 2, T):
        assert line["y"][t - 1] == pytest.approx(math.log10(norm_by_differences(TRACES[name], t)), abs=1e-7)
    assert heat["zmax"] == -heat["zmin"] == pytest.approx(max(map(max, np.abs(heat["z"]).tolist())))


def test_the_influence_in_words() -> None:
    said = whole("rtrl.influence.peak", influence_words(np.array([1.0, 4.0, 2.0])))
    assert [number(said[key]) for key in ("first", "step", "peak", "last", "steps")] == [1, 2, 4, 2, 3]
    said = whole("rtrl.influence.ends", influence_words(np.array([1.0, 4.0, 5.0])))
    assert [number(said[key]) for key in ("first", "last", "steps")] == [1, 5, 3]
    assert whole("rtrl.influence.one", influence_words(np.array([3.0]))) == {"first": "3"}


@pytest.mark.parametrize("t", [1, T])
@pytest.mark.parametrize("name", TRACES)
def test_the_matrix_shows_and_names_what_each_weight_moves(name: str, t: int) -> None:
    """Cells of either colour as many as entries of either sign; the strongest is that of the nudged runs."""
    trace, expected = TRACES[name], by_differences(TRACES[name], t)
    said = slots("rtrl.matrix.words", matrix_words(trace, t))
    flat = np.concatenate([block.reshape(len(block), -1) for block in expected.values()], axis=1)
    there = np.abs(flat) > 1e-9
    assert (int(said["rows"]), whole_number(said["columns"])) == flat.shape
    assert (whole_number(said["there"]), whole_number(said["all"])) == (there.sum(), flat.size)
    largest = float(np.abs(flat).max())
    assert abs(abs(number(said["value"].rstrip("."))) - largest) < 0.0006 * largest
    symbol, unit = said["unit"][0], unicodedata.normalize("NFKC", said["unit"][1:])
    match = re.fullmatch(r"(\w+)\[([\d, ]+)\]", said["entry"])
    assert match
    place = [int(text) - 1 for text in match[2].split(", ")]
    entry = expected[match[1]][int(unit) - 1 + (H if symbol == "c" else 0), *place]
    assert abs(entry) == pytest.approx(largest, rel=1e-5)
    drawn = influence_figure(influence_norms(trace), influence(trace, t), state_names(trace), t)
    heat = drawn["data"][1]
    np.testing.assert_allclose(heat["z"], flat, atol=1e-7 * max(1.0, largest))
    assert heat["y"] == [f"h{'₀₁₂₃₄₅₆₇₈₉'[one + 1]}" for one in range(H)] + (
        [f"c{'₀₁₂₃₄₅₆₇₈₉'[one + 1]}" for one in range(H)] if name == "lstm" else []
    )
    row, column = 1, trace.cell.W_ih.size + H + 1  # W_hh[2, 2]
    assert heat["hovertext"][row][column].startswith(f"∂h₂/∂W_hh[2, 2] after step {t}: ")
    layout = drawn["layout"]
    assert [text.removeprefix("<br>") for text in layout["xaxis2"]["ticktext"]] == list(WEIGHTS)
    edges = [shape["x0"] for shape in layout["shapes"] if shape["xref"] == "x2"]
    sizes = [getattr(trace.cell, weight).size for weight in WEIGHTS]
    assert edges == [place - 0.5 for place in np.cumsum([0, *sizes]).tolist()]
    assert [shape["x0"] for shape in layout["shapes"] if shape["xref"] == "x"] == [t]


@pytest.mark.parametrize(("units", "lower"), [(3, []), (8, ["b_ih"])])
def test_names_of_narrow_columns_stand_on_two_lines(units: int, lower: list[str]) -> None:
    """The biases of 8 units take 8 of 88 columns each, those of 3 units 3 of 18."""
    trace = run(make_cell("elman", 1, units), np.ones((4, 1)))
    drawn = influence_figure(influence_norms(trace), influence(trace, 1), state_names(trace), 1)
    texts = drawn["layout"]["xaxis2"]["ticktext"]
    assert [text.removeprefix("<br>") for text in texts if text.startswith("<br>")] == lower
    assert drawn["layout"]["xaxis2"]["tickangle"] == 0


def test_after_one_step_an_elman_unit_depends_on_its_own_row_alone() -> None:
    """From h = 0: two inputs and two biases for each unit, no recurrent weight."""
    said = slots("rtrl.matrix.words", matrix_words(TRACES["elman"], 1))
    assert int(said["there"]) == H * (D + 2)


def test_a_weight_without_influence_is_no_reason_to_divide() -> None:
    asleep = run(ElmanCell([[1.0]], [[1.0]], [-5.0], [0.0], activation="relu"), [[0.5], [0.5]])
    assert whole("rtrl.matrix.zero", matrix_words(asleep, 2))["columns"] == "4"
    heat = influence_figure(influence_norms(asleep), influence(asleep, 2), state_names(asleep), 2)["data"][1]
    assert (heat["z"], heat["zmax"]) == ([[0.0] * 4], 1.0)


def test_a_run_of_one_step_has_a_figure() -> None:
    once = run(CELLS["elman"], X[:1])
    line, _ = influence_figure(influence_norms(once), influence(once, 1), state_names(once), 1)["data"]
    assert (line["x"], line["mode"]) == ([1], "lines+markers")
    assert len(influence_figure(influence_norms(once), {}, state_names(once), 1)["data"]) == 1  # too many entries


# --- learning at every step -----------------------------------------------------------------------------------------


def online(lr: float, *, last: bool = False, x: Array = X) -> OnlineRun:
    def d_loss(t: int, h: Array) -> Array:
        return 0 * h if last and t < len(x) else h - 0.5

    return rtrl_online(CELLS["elman"], x, d_loss, lr=lr)


def test_drift_is_said_as_a_share_of_the_true_gradient() -> None:
    learned = online(0.3)
    said = whole("rtrl.drift.words", drift_words(learned, 0.3))
    shares = [drift / true for drift, true in zip(learned.drift.tolist(), learned.true_norms.tolist(), strict=True)]
    assert says(said["rate"], 0.3)
    assert says_power(said["share"], math.log10(max(shares)))
    assert shares[int(said["step"]) - 1] == max(shares)
    assert says_power(said["last"], math.log10(shares[-1]))
    # the difference at step 2 by hand: the influence on h_1 was made with the weights before the first update
    assert learned.drift[0] < 1e-15
    assert learned.drift[1] == pytest.approx(drift_at_step_2(0.3), rel=1e-9)


def drift_at_step_2(lr: float) -> float:
    """By BPTT alone: over the two steps as they ran, each with its weights, and over both with the later ones."""
    cell = CELLS["elman"]
    first = run(cell, X[:1])
    step = bptt(first, first.h[1:] - 0.5).weights
    moved = replace(cell, **{name: getattr(cell, name) - lr * step[name] for name in WEIGHTS})
    second, again = run(moved, X[1:2], first.h[1]), run(moved, X[:2])
    here = bptt(second, second.h[1:] - 0.5)
    before = bptt(first, here.h[:1])  # what comes back to h_1
    true = bptt(again, [np.zeros(H), again.h[2] - 0.5]).weights
    parts = [here.weights[name] + before.weights[name] - true[name] for name in WEIGHTS]
    return math.sqrt(math.fsum(float((part**2).sum()) for part in parts))


def test_what_does_not_drift_says_why() -> None:
    still = online(0.0)
    most = max(drift / true for drift, true in zip(still.drift.tolist(), still.true_norms.tolist(), strict=True))
    first = say("rtrl.drift.still") + " "
    said = drift_words(still, 0.0)
    assert said.startswith(first)
    assert says_power(whole("rtrl.drift.rounding", said.removeprefix(first))["share"], math.log10(most))
    assert most < 1e-14
    last = drift_words(online(0.3, last=True), 0.3)
    assert last.startswith(say("rtrl.drift.last", steps=T) + " ")
    assert drift_words(online(0.3, x=X[:1]), 0.3).startswith(say("rtrl.drift.one"))
    exact = OnlineRun(still.cell, still.h, still.norms, still.true_norms, np.zeros(T))
    assert drift_words(exact, 0.0) == say("rtrl.drift.still")
    none = whole("rtrl.drift.none", drift_words(online(1e-15), 1e-15))
    assert number(none["share"]) < 1e-12
    nothing = rtrl_online(CELLS["elman"], X, lambda t, h: 0 * h, lr=0.3)
    assert whole("rtrl.drift.nothing", drift_words(nothing, 0.3)) == {}


def test_shares_of_the_smallest_and_of_no_gradient_are_said() -> None:
    """Their quotients leave float64, or are none."""

    def of(drift: tuple[float, ...], *true: float) -> str:
        h, ones = np.zeros((len(true) + 1, H)), np.ones(len(true))
        return drift_words(OnlineRun(CELLS["elman"], h, ones, np.array(true), np.array(drift)), 0.1)

    at_the_end = whole("rtrl.drift.at_the_end", of((2.0, 2.0), 1.0, 1e-310))
    assert (at_the_end["share"], at_the_end["steps"]) == ("2e310", "2")
    words = whole("rtrl.drift.words", of((1.0, 3.0, 0.0), 1.0, 1.0, 1.0))
    assert (words["share"], words["step"], words["last"], words["steps"]) == ("3", "2", "0", "3")
    from_zero = whole("rtrl.drift.from_zero", of((1.0, 2.0), 1.0, 0.0))
    assert (from_zero["step"], from_zero["norm"]) == ("2", "2")
    assert whole("rtrl.drift.words", of((1.0, 0.0), 1.0, 0.0))["last"] == "0"


def test_the_figure_of_the_drift_leaves_rounding_out() -> None:
    learned = online(0.3)
    drawn = drift_figure(learned)
    found = {one["name"]: one["y"] for one in drawn["data"]}
    true, own, drift = (say(f"rtrl.drift.{key}") for key in ("true", "online", "drift"))
    assert list(found) == [true, own, drift]
    assert found[drift][0] is None
    assert found[drift][1] == pytest.approx(math.log10(drift_at_step_2(0.3)), abs=1e-9)
    np.testing.assert_allclose(10 ** np.array(found[own]), learned.norms, rtol=1e-12)
    np.testing.assert_allclose(10 ** np.array(found[true]), learned.true_norms, rtol=1e-12)
    assert drawn["layout"]["yaxis"]["range"][0] > -6
    assert [one["name"] for one in drift_figure(online(0.0))["data"]] == [true, own]


def test_a_clamped_gate_has_no_influence() -> None:
    trace = run(CELLS["lstm"], X, clamp=[Clamp("f", 0.5)])
    expected = by_differences(trace, T)
    there = sum(int((np.abs(block) > 1e-9).sum()) for block in expected.values())
    assert whole_number(slots("rtrl.matrix.words", matrix_words(trace, T))["there"]) == there


def test_an_entry_below_0_is_the_largest_in_absolute_value_alone() -> None:
    """One step by hand: h = tanh(2 x) with x = -1.5 has ∂h/∂W_ih = x sech²(2 x), below 0, and ∂h/∂b above 0."""
    cell = ElmanCell([[2.0]], [[0.0]], [0.0], [0.0])
    trace, slope = run(cell, [[-1.5]]), 1 / math.cosh(3.0) ** 2
    text = matrix_words(trace, 1)
    said = slots("rtrl.matrix.words", text)
    assert (said["unit"], said["entry"]) == ("h₁", "W_ih[1, 1]")
    assert number(said["value"].rstrip(".")) == pytest.approx(-1.5 * slope, rel=1e-3)
    assert "The largest in absolute value is" in text
    backward = bptt(trace, [[1.0]])
    assert backward.W_ih.item() < 0 < backward.b_ih.item()
    assert "absolute value" in equality_words(backward, rtrl(trace, [[1.0]]))
