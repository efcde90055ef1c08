"""The curves of the gradient and the lines to hold them against: the bound is one, the other line is none."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import (
    ElmanCell,
    Trace,
    decay_causes,
    log10_gradient_norm_grid,
    log10_gradient_norms,
    log10_keep_products,
    make_cell,
    run,
    step_jacobians,
)
from rnnviz.texts import say
from rnnviz.texts.en import TEXTS
from rnnviz.views.charts.causes import causes_chart, paths_chart
from rnnviz.views.charts.decades import BEHIND, BOUND, FADE, FIT, FRONT, GROW, REFERENCE, Curve
from rnnviz.views.charts.gradient_flow import CellFlow, flow_chart, pair_map
from tests.maths.drawn import FORMS, make_case
from tests.views.flows import flow, flows, norms_back, with_norms
from tests.views.spoken import number, slots, whole
from tests.views.written import says

Array = NDArray[np.float64]
ELMAN, GATED = FORMS["elman"], [*FORMS["lstm"], *FORMS["gru"]]


def curves(front: CellFlow, *beside: CellFlow) -> list[Curve]:
    return list(flow_chart([front, *beside], 3, "said", None).curves)


def lines(front: CellFlow, *beside: CellFlow) -> dict[str, Curve]:
    """The curves by their style, of those of which there is one."""
    return {curve.style: curve for curve in curves(front, *beside) if curve.style not in (BEHIND, FIT, FADE, GROW)}


# --- the norms ------------------------------------------------------------------------------------------------------


@given(st.lists(flows(), min_size=1, max_size=3))
def test_the_curves_are_the_norms_of_the_cells_in_their_order(shown: list[CellFlow]) -> None:
    found = curves(*shown)
    assert [curve.style for curve in found[: len(shown)]] == [FRONT, BEHIND, BEHIND][: len(shown)]
    for one, curve in zip(shown, found, strict=False):
        np.testing.assert_allclose(curve.values, norms_back(one.trace), rtol=0, atol=1e-9)
        assert (curve.colour, curve.name) == (one.trace.cell.kind, one.name)
        assert slots("flows.note.norm", curve.note)["name"] == one.name


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu", "identity"])
def test_a_cell_is_called_by_its_kind_and_what_bends_it(activation: str) -> None:
    cells = [make_cell("elman", 1, 2, activation=activation), make_cell("lstm", 1, 2), make_cell("gru", 1, 2)]
    traces = [run(cell, np.zeros((1, 1))) for cell in cells]
    assert [CellFlow(trace, np.zeros(2)).name for trace in traces] == [f"Elman ({activation})", "LSTM (h alone)", "GRU"]
    followed = [CellFlow(traces[1], np.zeros(2), block).name for block in ("h", "c", "state")]
    assert followed == ["LSTM (h alone)", "LSTM (c alone)", "LSTM"]


def test_irnn_is_relu_with_the_identity_and_no_bias_and_nothing_else() -> None:
    cells = {
        "IRNN": make_cell("elman", 2, 3, init="identity", activation="relu"),
        "Elman (tanh)": make_cell("elman", 2, 3, init="identity"),
        "Elman (relu)": make_cell("elman", 2, 3, init="identity", activation="relu", gain=0.9),
        "GRU": make_cell("gru", 2, 3, init="identity"),
    }
    for name, cell in cells.items():
        assert CellFlow(run(cell, np.zeros((1, 2))), np.zeros(2)).name == name
    first = cells["IRNN"]
    biased = ElmanCell(first.W_ih, first.W_hh, [0.0, 0.0, 0.1], [0.0] * 3, activation="relu")
    assert CellFlow(run(biased, np.zeros((1, 2))), np.zeros(2)).name == "Elman (relu)"


@given(flows(ELMAN), flows(GATED))
def test_a_curve_is_known_by_the_same_word_while_its_name_changes(one: CellFlow, other: CellFlow) -> None:
    """So that a hidden one stays hidden: its name carries numbers that every lever moves."""
    found = [curve.key or curve.name for curve in curves(one, other) if curve.style != FIT]
    assert found == ["elman", other.kind, "bound", "radius", "0.9ⁿ", "1.1ⁿ"]


# --- the lines beside them ------------------------------------------------------------------------------------------


@given(flows(ELMAN, shifts=(0.0, 3.0, 30.0), max_steps=30))
def test_no_norm_is_above_the_bound(front: CellFlow) -> None:
    """Whatever the sequence: the largest singular value times the largest slope, at every step."""
    bound, norms = lines(front)[BOUND].values, norms_back(front.trace)
    assert len(bound) == len(norms)
    assert all(norm <= limit + 1e-9 for norm, limit in zip(norms, bound, strict=True))


@given(flows(ELMAN))
def test_the_bound_and_the_reference_are_powers(front: CellFlow) -> None:
    """The slope of a sigmoid is at most 1/4, of the others 1; eigenvalues and singular values in 40 digits."""
    W, T = front.trace.cell.W_hh, front.trace.steps
    with mpmath.workdps(40):
        sigma = max(mpmath.svd_r(mpmath.matrix(W.tolist()), compute_uv=False))
        rho = largest_eigenvalue(W)
        slope = mpmath.mpf(0.25 if getattr(front.trace.cell, "activation", "") == "sigmoid" else 1)
        limit, line = (float(mpmath.log10(one)) for one in (sigma * slope, rho))
    lags = np.arange(T, -1, -1)
    found = lines(front)
    np.testing.assert_allclose(found[BOUND].values, lags * limit, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found[REFERENCE].values, lags * line, rtol=1e-6, atol=1e-6)
    named = slots("flows.bound", found[BOUND].name)["bound"].removesuffix("ⁿ")
    assert says(named, float(sigma * slope))
    assert says(slots("flows.radius", found[REFERENCE].name)["radius"], float(rho))
    note = slots("flows.note.bound", found[BOUND].note)
    assert says(note["sigma"], float(sigma))
    assert number(note["slope"]) == float(slope)
    assert says(slots("flows.note.radius", found[REFERENCE].note)["radius"], float(rho))


def largest_eigenvalue(W: Array) -> Any:
    """Its size, in the digits at hand."""
    if len(W) == 1:
        return abs(mpmath.mpf(W[0, 0]))
    return max(abs(value) for value in mpmath.eig(mpmath.matrix(W.tolist()), left=False, right=False))


def test_the_norm_may_be_far_above_the_reference() -> None:
    """1.5 [[1, -1], [1, -1]] has radius 0; where unit 2 sleeps a step multiplies by [[1.5, -1.5], [0, 0]]."""
    cell = ElmanCell(np.zeros((2, 1)), [[1.5, -1.5], [1.5, -1.5]], [9.0, -1e9], [0.0, 0.0], activation="relu")
    trace = run(cell, np.zeros((20, 1)))
    found = lines(CellFlow(trace, log10_gradient_norms(trace)))
    assert found[REFERENCE].values.tolist() == [-math.inf] * 20 + [0.0]
    assert found[BOUND].values[0] == pytest.approx(20 * math.log10(3.0))
    grown = 19 * math.log10(1.5) + math.log10(1.5 * math.sqrt(2))
    assert found[FRONT].values[0] == pytest.approx(grown)


def test_weights_of_zero_have_lines_that_end_at_once() -> None:
    """0 to the power of 0 is 1, as the norm of no step is."""
    found = lines(flow(make_case(ELMAN[0], 1, 2, 4, 0)._replace(cell=make_cell("elman", 1, 2, init="zeros"))))
    for style in (FRONT, BOUND, REFERENCE):
        assert found[style].values.tolist() == [-math.inf] * 4 + [0.0]


@given(flows(GATED), flows(ELMAN))
def test_a_gated_cell_in_front_has_no_bound(front: CellFlow, behind: CellFlow) -> None:
    """Its step depends on the gates, so W_hh alone bounds nothing."""
    assert {curve.style for curve in curves(front, behind)} - {FIT} == {FRONT, BEHIND, FADE, GROW}


@given(flows(max_steps=30))
def test_the_stories_with_one_number(front: CellFlow) -> None:
    found = [curve for curve in curves(front) if curve.style in (FADE, GROW)]
    assert [curve.name for curve in found] == ["0.9ⁿ", "1.1ⁿ"]
    for base, curve in zip(("0.9", "1.1"), found, strict=True):
        T = front.trace.steps
        wanted = [float(mpmath.log10(mpmath.mpf(base) ** (T - k))) for k in range(T + 1)]
        np.testing.assert_allclose(curve.values, wanted, rtol=1e-12, atol=1e-13)
        assert slots("flows.note.story", curve.note)["base"] == base


def test_the_lines_of_a_network_that_ends_early_end_with_it() -> None:
    """Each norm stands over its own number of steps back, so that it lies on its own power."""
    linear = make_cell("elman", 1, 1, init="identity", gain=2.0, activation="identity")
    front, behind = (CellFlow(trace, log10_gradient_norms(trace)) for trace in (run(linear, np.zeros((5, 1))), LONGER))
    found = curves(front, behind)
    by_style = lines(front, behind)
    for style in (FRONT, BOUND, REFERENCE):
        np.testing.assert_allclose(by_style[style].values, np.arange(5, -1, -1) * math.log10(2), atol=1e-12)
    assert [len(curve.values) for curve in found if curve.style in (BEHIND, FADE, GROW)] == [10, 10, 10]


LONGER = run(make_cell("gru", 1, 2), np.zeros((9, 1)))


@given(st.integers(1, 300))
def test_the_threshold_is_a_level_with_its_name(threshold: int) -> None:
    level = flow_chart([with_norms([0.0, 0.0])], threshold, "said", None).threshold
    assert level is not None
    named = slots("flows.threshold", level[1])["share"]
    assert level[0] == -threshold
    assert mpmath.almosteq(mpmath.mpf(named.replace("−", "-")), mpmath.mpf(10) ** -threshold, 1e-12)


def test_the_chart_says_what_the_page_says() -> None:
    pairs = pair_map(np.zeros((2, 2)), 0, (0, 1), "LSTM")
    chart = flow_chart([with_norms([0.0, 0.0])], 3, "what to notice", pairs)
    assert (chart.said, chart.pairs) == ("what to notice", pairs)


@given(flows(max_steps=40))
def test_the_lines_fitted_stand_over_their_ranges_alone(front: CellFlow) -> None:
    """Of the cell in front, by numpy's own fit; each note says how far off it is."""
    fits = [curve for curve in curves(front, LONG_FLOW) if curve.style == FIT]
    assert len(fits) == len(front.phases)
    back = front.norms[::-1]
    for place, (curve, phase) in enumerate(zip(fits, front.phases, strict=True)):
        values = curve.values[::-1]
        lags = np.flatnonzero(np.isfinite(values))
        assert (lags[0], lags[-1], len(lags)) == (phase.first, phase.last, phase.last - phase.first + 1)
        np.testing.assert_allclose(values[lags], np.polyval(np.polyfit(lags, back[lags], 1), lags), atol=1e-6)
        said = slots("flows.note.fit", curve.note)
        assert (int(said["first"]), int(said["last"])) == (lags[0], lags[-1])
        assert abs(math.log10(number(said["off"])) - np.abs(values[lags] - back[lags]).max()) < 1e-3
        assert curve.key == f"fit {place}"


LONG_FLOW = CellFlow(LONGER, log10_gradient_norms(LONGER))


# --- the pairs ------------------------------------------------------------------------------------------------------


@given(flows(max_steps=6))
def test_the_map_tells_the_mean_over_all_directions(front: CellFlow) -> None:
    """The root of the mean square of what unit changes along any orthonormal directions leave; all of it at once."""
    trace, H = front.trace, front.trace.cell.hidden_size
    found = pair_map(log10_gradient_norm_grid(trace, norm="fro"), 0, (0, 1), front.name).norms
    directions = np.linalg.qr(np.random.default_rng(0).standard_normal((H, H)))[0]
    for k in range(trace.steps + 1):
        changed = np.vstack([directions, np.zeros((trace.cell.state_size - H, H))])
        for t in range(k, trace.steps + 1):
            arrives = math.sqrt(np.mean(np.sum(changed[:H] ** 2, axis=0)))
            if arrives > 1e-12:
                assert found[t, k] == pytest.approx(math.log10(arrives), abs=1e-3 if arrives < 1e-8 else 1e-6)
            else:
                assert found[t, k] < -11.9
            if t < trace.steps:
                changed = step_jacobians(trace)[t] @ changed
    assert np.isneginf(found[np.triu_indices(trace.steps + 1, 1)]).all()
    np.testing.assert_array_equal(found.diagonal(), 0.0)


@given(st.integers(2, 9), st.integers(0, 900), st.integers(0, 1000), st.integers(0, 1000))
def test_the_pair_is_the_one_that_is_shown_on_the_map_or_off_it(size: int, first: int, k: int, t: int) -> None:
    """The page chooses it; the map may begin later than it, and is not to mark another pair instead."""
    grid = np.where(np.tri(size), 0.5 * np.log10(size), -np.inf)
    found = pair_map(grid, first, (k, t), "GRU")
    assert (found.chosen, found.first) == ((k, t), first)
    assert found.norms.tolist() == np.where(np.tri(size), 0.0, -np.inf).tolist()
    left_out = TEXTS["flows.map.left_out"].format(first=first) if first else ""
    assert found.left_out == left_out
    said = whole("flows.map", found.said.removesuffix(left_out).strip())
    assert said == {"name": "GRU", "first": str(first), "last": str(first + size - 1)}


# --- its causes -----------------------------------------------------------------------------------------------------


@given(flows(ELMAN))
def test_the_norm_stands_beside_what_either_cause_alone_would_leave(front: CellFlow) -> None:
    """Powers of W_hh; and slopes with the nearest orthogonal matrix, found here by Newton's iteration."""
    W = front.trace.cell.W_hh
    chart = causes_chart(front, decay_causes(front.trace))
    norm, weights, without = chart.curves
    assert [curve.style for curve in chart.curves] == [FRONT, BEHIND, BEHIND]
    assert [curve.name for curve in chart.curves[1:]] == [say("cause.weights_alone"), say("cause.slopes_alone")]
    np.testing.assert_allclose(norm.values, norms_back(front.trace), rtol=0, atol=1e-9)
    powers = [np.linalg.matrix_power(W, lag) for lag in range(front.trace.steps, -1, -1)]
    np.testing.assert_allclose(weights.values, [log10_size(power) for power in powers], rtol=0, atol=1e-9)
    Q, product, found = polar(W), np.eye(len(W)), [0.0]
    for slopes in slopes_of(front)[::-1]:
        product = product @ (slopes[:, None] * Q)
        found.append(log10_size(product))
    sure = 1 + next((lag for lag, (one, then) in enumerate(pairwise(found)) if then < one - 12), len(found) - 1)
    assert all(value < -12 for value in without.values[: len(found) - sure])  # it ends there, but for rounding
    np.testing.assert_allclose(without.values[::-1][:sure], found[:sure], rtol=0, atol=1e-7)


def polar(W: Array) -> Array:
    """The orthogonal matrix nearest to W (Higham 1986): X <- (X + X^-T) / 2."""
    X = W / np.linalg.norm(W, 2)
    for _ in range(80):
        X = (X + np.linalg.inv(X).T) / 2
    return X


def slopes_of(front: CellFlow) -> Array:
    a = front.trace.preacts["a"]
    by_name = {
        "tanh": 1 / np.cosh(a) ** 2,
        "sigmoid": 1 / (2 + 2 * np.cosh(a)),
        "relu": np.where(a > 0, 1.0, 0.0),
        "identity": np.ones_like(a),
    }
    return by_name[getattr(front.trace.cell, "activation", "")]


def log10_size(matrix: Array) -> float:
    size = float(np.linalg.norm(matrix, 2))
    return math.log10(size) if size else -math.inf


@given(flows(GATED, max_steps=6), st.sampled_from(["h", "c", "state"]))
def test_the_blocks_of_a_gated_cell_stand_beside_its_gates_alone(front: CellFlow, followed: str) -> None:
    """The largest product of the gates that keep; the blocks by differences of the cell's own steps."""
    trace = front.trace
    names = ("h", "c", "state") if trace.c is not None else ("h",)
    blocks = {name: log10_gradient_norms(trace, block=name) for name in names}
    followed = followed if followed in names else "h"
    chart = paths_chart(CellFlow(trace, blocks[followed], followed), blocks, log10_keep_products(trace))
    order = [followed, *(name for name in names if name != followed)]
    assert [curve.name for curve in chart.curves[:-1]] == [say(f"cause.block.{name}") for name in order]
    assert [curve.style for curve in chart.curves] == [FRONT] + [BEHIND] * len(names)
    assert len({curve.colour for curve in chart.curves}) == len(chart.curves)
    gates = trace.gates["f" if trace.c is not None else "z"]
    writes = getattr(trace.cell, "update", "") == "write"
    alone, keeps = chart.curves[-1], 1 - gates if writes else gates
    assert alone.name == say("cause.keep", gate="f" if trace.c is not None else "1 − z" if writes else "z")
    wanted = [math.log10(max(np.prod(keeps[k:], axis=0))) for k in range(trace.steps + 1)]
    np.testing.assert_allclose(alone.values, wanted, rtol=0, atol=1e-9)
    H, product = trace.cell.hidden_size, np.eye(trace.cell.state_size)
    for t in range(trace.steps, 0, -1):
        product = product @ by_differences(trace, t)
    parts = {"h": product[:H, :H], "c": product[H:, H:], "state": product}
    for name, curve in zip(order, chart.curves, strict=False):
        assert curve.values[0] == pytest.approx(log10_size(parts[name]), abs=1e-6)


def by_differences(trace: Trace, t: int) -> Array:
    """The Jacobian of a step; two widths together leave an error of their fourth power."""
    columns = []
    for place in range(trace.cell.state_size):
        wide, narrow = (slope_at(trace, t, place, width) for width in (1e-3, 5e-4))
        columns.append((4 * narrow - wide) / 3)
    return np.array(columns).T


def slope_at(trace: Trace, t: int, place: int, width: float) -> Array:
    """The change of the state at step t for one of the state before it."""
    H, ends = trace.cell.hidden_size, []
    for nudge in (width, -width):
        state = trace.states[t - 1].copy()
        state[place] += nudge
        c = state[H:] if trace.c is not None else None
        ends.append(run(trace.cell, trace.x[t - 1 : t], state[:H], c).states[1])
    return np.asarray((ends[0] - ends[1]) / (2 * width))
