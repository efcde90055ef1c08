"""RTRL beside BPTT in numbers, sentences, charts and a picture, each held against another way to the same number."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from html import unescape
from typing import Any
from xml.etree import ElementTree

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
    influence_norms,
    make_cell,
    rtrl,
    rtrl_online,
    run,
)
from rnnviz.views.decades import pack_chart
from rnnviz.views.plots import NEGATIVE, POSITIVE
from rnnviz.views.rtrl import (
    Measured,
    cost_table,
    cost_words,
    counted,
    drift_chart,
    drift_words,
    equality_words,
    influence_chart,
    influence_words,
    matrix_picture,
    matrix_words,
)
from tests.views.spoken import number, slots, whole
from tests.views.unpacked import unpack
from tests.views.written import says, says_power

Array = NDArray[np.float64]
SVG = "{http://www.w3.org/2000/svg}"
WEIGHTS = ("W_ih", "W_hh", "b_ih", "b_hh")
T, D, H = 7, 2, 3
X = np.random.default_rng(0).standard_normal((T, D))
D_H = np.random.default_rng(1).standard_normal((T, H))
CELLS: dict[str, Cell] = {kind: make_cell(kind, D, H, seed=2) for kind in ("elman", "lstm", "gru")} | {
    "before": replace(make_cell("gru", D, H), reset="before")  # type: ignore[call-arg]
}
TRACES = {name: run(cell, X) for name, cell in CELLS.items()}


def cells_of(html: str) -> list[list[str]]:
    """The texts of a table, row by row."""
    rows = re.findall(r"<tr>(.*?)</tr>", html)
    return [[unescape(text) for text in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


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
    said = whole("rtrl.equal", equality_words(found, nudged(found, 0.25)))
    assert number(said["difference"]) == 0.25
    assert "exactly" not in equality_words(found, nudged(found, 0.25))


def test_no_difference_and_no_gradient_are_said_as_such() -> None:
    found, none = bptt(TRACES["elman"], D_H), bptt(TRACES["elman"], np.zeros((T, H)))
    assert whole("rtrl.equal.exact", equality_words(found, found))
    assert whole_number(whole("rtrl.equal.zero", equality_words(none, none))["count"]) == H * (D + H + 2)
    assert whole("rtrl.equal", equality_words(none, nudged(none, 1.0)))["share"] == "∞"


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
    head, keep, keep_form, count, work, work_form, time = cells_of(
        cost_table(trace, forward, Measured(bptt=0.002, rtrl=0.5))
    )
    assert head[1:3] == ["BPTT", "RTRL"]
    assert [whole_number(text) for text in keep[1:3]] == [KEPT[name], CARRIED[name]]
    assert keep[1:] == count[1:]
    assert says_power(keep[3].removeprefix("× "), math.log10(CARRIED[name] / KEPT[name]))
    gates = len(trace.cell.W_hh)
    assert [whole_number(text) for text in work[1:3]] == [T * gates * (D + 2 * H), T * FORWARD[name]]
    assert time[1:] == ["2.00 ms", "500.00 ms", "× 250"]
    values = {"T": T, "D": D, "H": H, "S": trace.cell.state_size, "G": gates // H, "P": gates * P}
    assert [evaluated(text, values) for text in keep_form[1:3]] == [KEPT[name], CARRIED[name]]
    assert [evaluated(text, values) for text in work_form[1:3]] == [T * gates * (D + 2 * H), T * FORWARD[name]]
    said = whole("rtrl.cost.words", cost_words(trace))
    assert {key: whole_number(text) for key, text in said.items()} == values


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
def test_the_chart_has_the_norm_of_the_influence_after_every_step(name: str) -> None:
    chart = unpack(pack_chart(influence_chart(influence_norms(TRACES[name]))))
    (curve,) = chart.header["curves"]
    values = chart.arrays[curve["array"]]
    assert values[0] == -math.inf  # no weight has done anything yet
    for t in (1, 2, T):
        assert values[t] == pytest.approx(math.log10(norm_by_differences(TRACES[name], t)), abs=1e-7)


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
    assert abs(abs(number(said["value"].removesuffix(" times as much."))) - largest) < 0.006 * largest
    symbol, unit = said["unit"].split()
    match = re.fullmatch(r"(\w+)\[([\d, ]+)\]", said["entry"])
    assert match
    place = [int(text) - 1 for text in match[2].split(", ")]
    entry = expected[match[1]][int(unit) - 1 + (H if symbol == "c" else 0), *place]
    assert abs(entry) == pytest.approx(largest, rel=1e-5)
    (svg,) = ElementTree.fromstring(matrix_picture(trace, t))
    drawn = {POSITIVE: 0, NEGATIVE: 0}
    for path in svg.iter(f"{SVG}path"):
        drawn[path.attrib["fill"]] += path.attrib["d"].count("M")
    assert drawn == {POSITIVE: (there & (flat > 0)).sum(), NEGATIVE: (there & (flat < 0)).sum()}
    assert [text.text for text in svg.iter(f"{SVG}text")][:4] == list(WEIGHTS)
    assert svg.attrib["aria-label"] == matrix_words(trace, t)


def test_after_one_step_an_elman_unit_depends_on_its_own_row_alone() -> None:
    """From h = 0: two inputs and two biases for each unit, no recurrent weight."""
    said = slots("rtrl.matrix.words", matrix_words(TRACES["elman"], 1))
    assert int(said["there"]) == H * (D + 2)


def test_a_weight_without_influence_is_no_reason_to_divide() -> None:
    asleep = run(ElmanCell([[1.0]], [[1.0]], [-5.0], [0.0], activation="relu"), [[0.5], [0.5]])
    assert whole("rtrl.matrix.zero", matrix_words(asleep, 2))["columns"] == "4"
    assert "<path" not in matrix_picture(asleep, 2)


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
    assert says_power(whole("rtrl.drift.still", drift_words(still, 0.0))["most"], math.log10(still.drift.max()))
    assert still.drift.max() < 1e-14
    assert whole("rtrl.drift.last", drift_words(online(0.3, last=True), 0.3))["steps"] == str(T)
    assert whole("rtrl.drift.last", drift_words(online(0.3, x=X[:1]), 0.3))["steps"] == "1"
    assert whole("rtrl.drift.none", drift_words(online(1e-15), 1e-15))
    nothing = rtrl_online(CELLS["elman"], X, lambda t, h: 0 * h, lr=0.3)
    assert whole("rtrl.drift.nothing", drift_words(nothing, 0.3)) == {}


def test_shares_of_the_smallest_and_of_no_gradient_are_said() -> None:
    """Their quotients leave float64, or are none."""

    def of(*true: float) -> dict[str, str]:
        h, ones = np.zeros((3, H)), np.ones(2)
        return whole("rtrl.drift.words", drift_words(OnlineRun(CELLS["elman"], h, ones, np.array(true), 2 * ones), 0.1))

    assert (of(1.0, 1e-310)["share"], of(1.0, 1e-310)["step"]) == ("2e310", "2")
    assert (of(1.0, 0.0)["share"], of(0.0, 1.0)["step"], of(0.0, 1.0)["last"]) == ("∞", "1", "2")


def test_the_chart_of_the_drift_leaves_rounding_out() -> None:
    learned = online(0.3)
    chart = unpack(pack_chart(drift_chart(learned)))
    found = {one["key"]: chart.arrays[one["array"]] for one in chart.header["curves"]}
    assert list(found) == ["online", "true", "drift"]
    assert (found["drift"][:2] == -math.inf).all()
    assert found["drift"][2] == pytest.approx(math.log10(drift_at_step_2(0.3)), abs=1e-9)
    np.testing.assert_allclose(10 ** found["online"][1:], learned.norms, rtol=1e-12)
    np.testing.assert_allclose(10 ** found["true"][1:], learned.true_norms, rtol=1e-12)
    assert chart.header["low"] > -6
    still = unpack(pack_chart(drift_chart(online(0.0))))
    assert [one["key"] for one in still.header["curves"]] == ["online", "true"]


def test_a_held_gate_has_no_influence() -> None:
    trace = run(CELLS["lstm"], X, clamp=[Clamp("f", 0.5)])
    expected = by_differences(trace, T)
    there = sum(int((np.abs(block) > 1e-9).sum()) for block in expected.values())
    assert whole_number(slots("rtrl.matrix.words", matrix_words(trace, T))["there"]) == there
