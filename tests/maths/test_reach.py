"""How far back a gradient reaches, by plain loops over its norms; and a part of a run as a run of its own."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from rnnviz import Clamp, InputError, Trace, log10_gradient_norms, make_cell, run, step_jacobians
from rnnviz.maths.gradient_flow.horizon import gradient_reach

from .digits import log10_norm, products
from .drawn import ALL_FORMS, Case, cases, clamps_for, make_case

decades = st.floats(-400.0, 400.0) | st.sampled_from([-math.inf, -1000.0, -3.0, 0.0, 3.0, 308.5, 1e-9, -5e-324])
paths = st.lists(decades, min_size=1, max_size=12).map(lambda norms: [*norms, 0.0])
"""Norms at the steps 0..T as no network need have them; the last is the identity's."""


# --- reach ----------------------------------------------------------------------------------------------------------


@given(paths, st.floats(-300.0, -1e-3) | st.sampled_from([-3.0, -1.0]))
@example([-3.0, 0.0], -3.0)
@example([3.0, 0.0], -3.0)
@example([-math.inf, -math.inf, 0.0], -1.0)
@example([-1.0, -math.inf, -2.0, 0.0], -1.0)
@example([-math.inf, -1.0, -math.inf, -2.0, 0.0], -1.0)
def test_what_norms_amount_to(norms: list[float], threshold: float) -> None:
    """The horizon is that of the earliest step from which enough arrives, whatever lies between."""
    reach, steps = gradient_reach(norms, threshold), len(norms) - 1
    assert reach.steps == steps
    heard = [k for k in range(steps + 1) if norms[k] >= threshold]
    assert reach.horizon == steps - min(heard)
    since = next(k for k in range(steps + 1) if norms[k] > -math.inf)
    assert reach.zero == (since - 1 if since else None)
    if since == steps:
        assert reach.decades_per_step == -math.inf
    else:
        assert reach.decades_per_step == pytest.approx(norms[since] / (steps - since), rel=1e-14)
    if norms[0] < threshold:
        assert reach.verdict == "vanishing"
    elif norms[0] > -threshold:
        assert reach.verdict == "exploding"
    else:
        assert reach.verdict == "stable"


@given(paths)
def test_half_life_and_doubling_are_one_pace(norms: list[float]) -> None:
    """So many half-lives halve it to what is left; where it fades nothing doubles, where it grows nothing halves."""
    reach = gradient_reach(norms)
    pace = reach.decades_per_step
    assume(pace == 0 or abs(pace) > 1e-300)  # else the steps are beyond float64
    if math.isinf(pace):
        assert (reach.half_life, reach.doubling) == (0.0, math.inf)
    elif pace == 0:
        assert reach.half_life == reach.doubling == math.inf
    else:
        steps, other = (reach.half_life, reach.doubling) if pace < 0 else (reach.doubling, reach.half_life)
        assert other == math.inf
        assert steps > 0
        assert steps * pace == pytest.approx(math.log10(0.5 if pace < 0 else 2.0), rel=1e-12)


@pytest.mark.parametrize(
    ("per_step", "half_life", "doubling", "horizon", "verdict"),
    [
        (Fraction(1, 2), 1.0, math.inf, 9, "vanishing"),  # 2^-9 is the last above 1/1000
        (Fraction(1, 4), 0.5, math.inf, 4, "vanishing"),
        (Fraction(9, 10), 6.5788, math.inf, 65, "vanishing"),
        (Fraction(99, 100), 68.968, math.inf, 100, "stable"),
        (Fraction(1), math.inf, math.inf, 100, "stable"),
        (Fraction(2), math.inf, 1.0, 100, "exploding"),
        (Fraction(11, 10), math.inf, 7.2725, 100, "exploding"),
    ],
)
def test_a_single_weight_by_hand(
    per_step: Fraction, half_life: float, doubling: float, horizon: int, verdict: str
) -> None:
    """w^n needs log 1000 / log(1/w) steps to a thousandth."""
    linear = make_cell("elman", 1, 1, init="identity", gain=float(per_step), activation="identity")
    reach = gradient_reach(log10_gradient_norms(run(linear, np.zeros((100, 1)))))
    assert reach.half_life == pytest.approx(half_life, rel=1e-4)
    assert reach.doubling == pytest.approx(doubling, rel=1e-4)
    assert (reach.horizon, reach.verdict, reach.zero) == (horizon, verdict, None)
    assert per_step**horizon >= Fraction(1, 1000)
    assert horizon == 100 or per_step ** (horizon + 1) < Fraction(1, 1000)


def test_a_unit_that_sleeps_once_cuts_all_before_it_off() -> None:
    """Relu with one step below 0: exactly nothing arrives from that step's start and before."""
    cell = make_cell("elman", 1, 1, init="identity", activation="relu")
    x = np.ones((10, 1))
    x[5] = -100.0  # step 6
    reach = gradient_reach(log10_gradient_norms(run(cell, x)))
    assert (reach.zero, reach.horizon, reach.verdict) == (5, 4, "vanishing")
    assert reach.decades_per_step == 0.0


def test_behind_a_gap_a_gradient_comes_back_by_the_long_memory() -> None:
    """From step 2 on nothing is written and all gates are held, so h at 1 and 2 is not heard; at 0 it was, by c."""
    held = [Clamp("f", 1.0, None, 2), Clamp("i", 0.0, None, 2), Clamp("o", 0.5, None, 2)]
    reach = gradient_reach(log10_gradient_norms(run(make_cell("lstm", 1, 2), np.zeros((3, 1)), clamp=held)))
    assert (reach.zero, reach.steps, reach.horizon) == (None, 3, 3)
    assert -1.0 < reach.decades_per_step < 0.0


def test_the_threshold_moves_the_horizon_and_the_verdict() -> None:
    norms = [-5.0, -4.0, -3.0, -2.0, -1.0, 0.0]
    assert [gradient_reach(norms, -float(d)).horizon for d in range(1, 7)] == [1, 2, 3, 4, 5, 5]
    assert [gradient_reach(norms, -float(d)).verdict for d in (4, 5, 6)] == ["vanishing", "stable", "stable"]
    assert gradient_reach([5.0, 0.0], -5.0).verdict == "stable"
    assert gradient_reach([5.5, 0.0], -5.0).verdict == "exploding"


def test_the_norms_are_left_as_they_are() -> None:
    norms = np.array([-np.inf, -1.0, 0.0])
    gradient_reach(norms)
    assert norms.tolist() == [-math.inf, -1.0, 0.0]


@pytest.mark.parametrize(
    ("norms", "threshold", "parts"),
    [
        ([], -3.0, ["log10_norms must be (T+1,)", "got (0,)", "log10_gradient_norms"]),
        ([0.0], -3.0, ["got one norm", "Run at least one step"]),
        ([[0.0, 0.0]], -3.0, ["(T+1,)", "got (1, 2)"]),
        ([-1.0, math.nan, 0.0], -3.0, ["log10_norms", "nan"]),
        ([-1.0, math.inf, 0.0], -3.0, ["log10_norms", "inf"]),
        ([-math.inf, math.nan, 0.0], -3.0, ["log10_norms", "nan"]),
        ([0.0, -math.inf], -3.0, ["must end with the identity's norm", "got -inf"]),
        ([0.0, -1.0, -2.0], -3.0, ["must end with the identity's norm", "got -2", "reverse them"]),
        (["-1", "0"], -3.0, ["must hold real numbers"]),
        (None, -3.0, ["must hold real numbers"]),
        ([[0.0], [0.0, 0.0]], -3.0, ["log10_norms cannot be read as an array", "log10_gradient_norms"]),
        ([-1.0, 0.0], 0.1, ["threshold (a log10)", "got 0.1"]),
        ([-1.0, 0.0], math.nan, ["threshold (a log10)", "nan"]),
        ([-1.0, 0.0], -math.inf, ["threshold (a log10)", "inf"]),
        ([-1.0, 0.0], "-3", ["threshold (a log10)", "'-3'"]),
    ],
)
def test_what_are_no_norms_is_refused(norms: Any, threshold: Any, parts: list[str]) -> None:
    with pytest.raises(InputError) as refused:
        gradient_reach(norms, threshold)
    for part in parts:
        assert part in str(refused.value)


# --- a part of a run ------------------------------------------------------------------------------------------------


@st.composite
def parts(draw: st.DrawFn) -> tuple[Case, list[Clamp], int, int]:
    """Any cell, gates held or not, and two of its steps, the first before the last."""
    case = draw(cases(shifts=(0.0, 30.0)))
    clamps = draw(st.lists(clamps_for(case), max_size=3)) if case.cell.clampable else []
    first = draw(st.integers(0, len(case.x) - 1))
    return case, clamps, first, draw(st.integers(first + 1, len(case.x)))


def seen_from(clamps: list[Clamp], first: int, last: int) -> list[Clamp]:
    """The clamps as someone would hold them who begins after step `first`: the steps count from there."""
    found = []
    for one in clamps:
        steps = [t for t in range(first + 1, last + 1) if t >= one.from_step]
        if steps:
            found.append(Clamp(one.gate, one.value, one.unit, steps[0] - first))
    return found


def arrays(trace: Trace) -> dict[str, np.ndarray[Any, Any]]:
    gates = {f"gate {name}": array for name, array in trace.gates.items()}
    preacts = {f"preact {name}": array for name, array in trace.preacts.items()}
    sums = {"from_x": trace.from_x, "from_h": trace.from_h}
    return {"x": trace.x, "states": trace.states, "h": trace.h} | sums | gates | preacts


@given(parts())
def test_a_part_of_a_run_is_a_run_from_that_state(part: tuple[Case, list[Clamp], int, int]) -> None:
    case, clamps, first, last = part
    trace = run(*case, clamp=clamps)
    got = trace.between(first, last)
    c = None if trace.c is None else trace.c[first]
    shifted = seen_from(clamps, first, last)
    wanted = run(case.cell, case.x[first:last], trace.h[first], c, clamp=shifted)
    assert got.clamp == tuple(shifted)
    assert got.cell is case.cell
    assert got.steps == last - first
    assert arrays(got).keys() == arrays(wanted).keys()
    for name, array in arrays(got).items():
        np.testing.assert_allclose(array, arrays(wanted)[name], rtol=1e-12, atol=1e-12, err_msg=name)
        assert not array.flags.writeable
    np.testing.assert_allclose(step_jacobians(got), step_jacobians(trace)[first:last], rtol=1e-12, atol=1e-15)


@given(parts())
def test_a_part_begins_and_ends_with_the_very_states_of_the_whole(part: tuple[Case, list[Clamp], int, int]) -> None:
    case, clamps, first, last = part
    trace = run(*case, clamp=clamps)
    got = trace.between(first, last)
    assert got.states[0].tolist() == trace.states[first].tolist()
    assert got.states[-1].tolist() == trace.states[last].tolist()
    assert (got.c is None) == (trace.c is None)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_the_whole_and_parts_of_parts(form: tuple[type, dict[str, str]]) -> None:
    case = make_case(form, D=2, H=3, T=9, seed=2)
    clamps = [Clamp(gate, 0.25, 1, 4) for gate in case.cell.clampable]
    trace = run(*case, clamp=clamps)
    whole, inner = trace.between(0, 9), trace.between(2, 8).between(1, 5)
    for name, array in arrays(trace).items():
        np.testing.assert_array_equal(arrays(whole)[name], array)
        np.testing.assert_array_equal(arrays(inner)[name], arrays(trace.between(3, 7))[name])
    assert whole.clamp == trace.clamp
    assert inner.clamp == trace.between(3, 7).clamp == tuple(Clamp(gate, 0.25, 1) for gate in case.cell.clampable)
    assert trace.between(0, 3).clamp == ()


@pytest.mark.parametrize("form", ALL_FORMS)
@pytest.mark.parametrize(("first", "last"), [(0, 6), (2, 6), (0, 3), (2, 3), (5, 6)])
def test_the_gradient_of_a_part_is_the_product_of_its_steps(
    form: tuple[type, dict[str, str]], first: int, last: int
) -> None:
    """In 60 digits: dh_last/dh_first, whatever comes before and behind."""
    case = make_case(form, D=1, H=3, T=6, seed=7)
    trace = run(*case, clamp=[Clamp(gate, 0.5, 0, 2) for gate in case.cell.clampable[:1]])
    H = case.cell.hidden_size
    wanted = [log10_norm(product[:H, :H], "spectral") for product in products(trace.between(first, last))]
    np.testing.assert_allclose(log10_gradient_norms(trace.between(first, last)), wanted, rtol=0, atol=1e-12)
    by_numpy = np.linalg.multi_dot([np.eye(case.cell.state_size), *step_jacobians(trace)[first:last][::-1]])
    assert wanted[0] == pytest.approx(math.log10(np.linalg.norm(by_numpy[:H, :H], 2)), abs=1e-9)


@pytest.mark.parametrize(("first", "last"), [(-1, 2), (3, 2), (0, 5), (4, 5), (0.0, 2), (0, True), ("0", 2)])
def test_steps_that_a_run_has_not_are_refused(first: Any, last: Any) -> None:
    trace = run(make_cell("gru", 1, 2), np.zeros((4, 1)))
    with pytest.raises(InputError, match=r"of Trace\.between must be an integer in"):
        trace.between(first, last)


def test_a_part_of_no_steps_is_a_state() -> None:
    trace = run(make_cell("lstm", 1, 2), np.ones((4, 1)), clamp=[Clamp("f", 1.0)])
    part = trace.between(3, 3)
    assert (part.steps, part.states.tolist()) == (0, trace.states[3:4].tolist())
