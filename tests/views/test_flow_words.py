"""What to notice of a gradient and why: the numbers of every sentence, found again by hand and in plain products."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import (
    Clamp,
    DecayCauses,
    ElmanCell,
    GRUCell,
    LSTMCell,
    Trace,
    decay_causes,
    log10_gradient_norms,
    log10_keep_products,
    make_cell,
    run,
    step_jacobians,
)
from rnnviz.texts import say
from rnnviz.texts.en import TEXTS
from rnnviz.views.charts.gradient_flow import CellFlow
from rnnviz.views.numbers import written
from rnnviz.views.sentences.gradient_flow import (
    blocks_words,
    elman_cause,
    gated_cause,
    gradient_words,
    keep_words,
    limits_words,
    notice,
    pace_words,
    point_words,
    saturation_words,
    shares_words,
    split_words,
)
from tests.maths.drawn import FORMS, cases, clamps_for
from tests.views.flows import flows, norms_back, with_norms
from tests.views.spoken import sentences, slots, the_one, whole
from tests.views.written import says, says_power, says_share

Array = NDArray[np.float64]
ELMAN, GATED = FORMS["elman"], [*FORMS["lstm"], *FORMS["gru"]]
TWICE = math.log10(2)

decades = st.floats(-40.0, 40.0) | st.floats(-4.0, 4.0) | st.sampled_from([-math.inf, 0.0, -1000.0, -3.0, 3.0, 400.0])
paths = st.lists(decades, min_size=1, max_size=30).map(lambda norms: [*norms, 0.0])


# --- how far it reaches ---------------------------------------------------------------------------------------------


POINTS = [
    f"reach.{one}"
    for one in ("vanishing", "fading", "stable", "constant", "swinging", "growing", "exploding", "zero", "zero_first")
]
PACES = [key for key in TEXTS if key.startswith("reach.pace.")]
HORIZONS = ["reach.horizon", "reach.horizon_none"]
TURNS = ["reach.first_grows", "reach.first_shrinks"]


def assert_point(text: str, norms: list[float], name: str, threshold: int) -> None:
    """What the first sentence says is true, with every number of it; no two of them can be true of one gradient."""
    steps, left, low, high = len(norms) - 1, norms[0], min(norms), max(norms)
    key, said = the_one(POINTS, text)
    assert said["name"] == name
    if left == -math.inf:
        zero = next(k for k, norm in enumerate(norms) if norm > -math.inf) - 1
        assert int(said["back"]) == steps - zero
        assert key == ("reach.zero" if zero else "reach.zero_first")
        assert int(said.get("zero", 0)) == zero
        return
    back, apart = abs(left) < TWICE, max(high - max(left, 0.0), min(left, 0.0) - low)
    between = abs(left) <= threshold
    assert {
        "vanishing": left < -threshold,
        "exploding": left > threshold,
        "fading": between and left < 0 and not back,
        "growing": between and left > 0 and not back,
        "swinging": between and back and apart >= TWICE,
        "stable": between and back and apart < TWICE,
        "constant": high - low < 1e-4,
    }[key.removeprefix("reach.")]
    assert says_power(said["left"], left)
    assert int(said["steps"]) == steps
    assert "low" not in said or (says_power(said["low"], low) and says_power(said["high"], high))


def assert_turn(told: list[tuple[str, dict[str, str]]], norms: list[float]) -> list[tuple[str, dict[str, str]]]:
    """A norm that leaves 1 the other way first, by a factor of 2 and more, is told; returns the sentences after it."""
    if -math.inf in norms or abs(norms[0]) < TWICE:
        turn = None
    else:
        turn = max(norms) if norms[0] < 0 else min(norms)
        turn = turn if abs(turn) >= TWICE and (turn > 0) != (norms[0] > 0) else None
    if turn is None:
        assert told == [] or told[0][0] not in TURNS
        return told
    key, said = told[0]
    assert key == TURNS[turn < 0]
    assert says_power(said["low" if turn < 0 else "peak"], turn)
    assert norms[int(said["step"])] == pytest.approx(turn, rel=1e-9)
    assert int(said["step"]) + int(said["back"]) == len(norms) - 1
    return told[1:]


def assert_paces(text: str, norms: list[float], threshold: int) -> None:
    """Each sentence on the pace is true of the range that it names, by numpy's own fit; so is the last one."""
    told = sentences([*PACES, *HORIZONS, *TURNS], text)
    steps = len(norms) - 1
    told = assert_turn(told, norms)
    if norms[0] < -threshold:
        key, said = told.pop()
        heard = [k for k, norm in enumerate(norms) if norm >= -threshold]
        if heard[0] == steps:
            assert key == "reach.horizon_none"
        else:
            assert (key, int(said["k"]), int(said["back"])) == ("reach.horizon", heard[0], steps - heard[0])
        assert says_power(said["share"], -threshold)
    norms = norms[next(k for k, norm in enumerate(norms) if norm > -math.inf) :]
    if max(norms) - min(norms) < TWICE:
        assert told == []
        return
    for key, said in told:
        if key == "reach.pace.drop":
            assert_drop(norms, steps, said)
        elif key == "reach.pace.none":
            assert int(said["steps"]) == len(norms) - 1 >= 4
            assert says_power(said["factor"], norms[0])
        else:
            assert_line(key, norms[::-1], said)


def assert_drop(norms: list[float], steps: int, said: dict[str, str]) -> None:
    back = int(said["back"])
    assert int(said["step"]) == steps - back
    losses = [after - before for before, after in pairwise(norms[::-1])]
    assert losses[back] == min(losses)
    assert losses[back] <= min(-1.0, norms[0] / 2)
    assert says_power(said["factor"], losses[back])


def assert_line(key: str, back: list[float], said: dict[str, str]) -> None:
    first, last = int(said["first"]), int(said["last"])
    part = np.array(back[first : last + 1])
    assert len(part) >= 5
    rate, level = np.polyfit(np.arange(len(part)), part, 1)
    off = np.abs(part - level - rate * np.arange(len(part))).max()
    assert off <= max(0.05, 0.05 * abs(rate) * (last - first)) + 1e-6
    match key.removeprefix("reach.pace."):
        case "keeps":
            assert part.max() - part.min() < TWICE + 1e-9
        case "halves":
            assert rate < 0
            assert says(said["steps"], TWICE / -rate)
        case "doubles":
            assert rate > 0
            assert says(said["steps"], TWICE / rate)
        case "divides":
            assert rate <= -TWICE
            assert says_power(said["factor"], -rate)
        case "multiplies":
            assert rate >= TWICE
            assert says_power(said["factor"], rate)


@given(paths, st.integers(1, 300))
@example([-4.0, 0.0], 3)
@example([0.0, 5.0, 0.0], 3)
@example([-math.inf, 0.1, -0.1, 0.0], 3)
@example([-math.inf, 0.1, 1.0, 0.0], 3)
@example([-3.0, 0.0], 3)
@example([3.0, 0.0], 3)
@example([-5.0, -math.inf, -1.0, 0.0], 3)
@example([-math.inf, 5.0, -math.inf, 0.0], 3)
@example([-math.inf, -4.5, -0.5, -0.4, -0.2, 0.0], 3)
@example([0.0] * 6, 3)
def test_how_far_it_reaches_in_any_norms(norms: list[float], threshold: int) -> None:
    one = with_norms(norms)
    assert_point(point_words(one, threshold), norms, "Elman (tanh)", threshold)
    assert_paces(pace_words(one, threshold), norms, threshold)


@given(flows(max_steps=40), st.integers(1, 4))
def test_how_far_it_reaches_in_any_network(one: CellFlow, threshold: int) -> None:
    """Against products of the steps, unless a number lies so near to a bound that rounding decides."""
    norms = norms_back(one.trace)
    first = next(norm for norm in norms if norm > -math.inf)
    bounds = [-threshold, threshold, TWICE, -TWICE, *(norm + by for norm in (first, 0.0) for by in (TWICE, -TWICE))]
    losses = [after - before for before, after in pairwise(norms)]
    if any(abs(norm - bound) < 1e-9 for bound in bounds for norm in norms if norm > -math.inf):
        return
    if any(abs(max(part) - min(part) - TWICE) < 1e-9 for part in (norms, norms[norms.index(first) :])):
        return
    if any(abs(loss - bound) < 1e-9 for loss in losses for bound in (1.0, -first / 2)):
        return
    assert_point(point_words(one, threshold), norms, one.name, threshold)
    assert_paces(pace_words(one, threshold), norms, threshold)


@pytest.mark.parametrize(
    ("weight", "steps", "sentence"),
    [
        (
            0.5,
            20,
            "the gradient vanishes. 9.537e−7 of it reaches step 0, 20 steps back. From 0 to 20 steps back the norm "
            "halves every step. Step 11, 9 steps back, is the earliest with a norm of at least 0.001, the threshold.",
        ),
        (
            0.1,
            4,
            "the gradient vanishes. 1e−4 of it reaches step 0, 4 steps back. From 0 to 4 steps back each step divides "
            "the norm by 10 on average. Step 1, 3 steps back, is the earliest with a norm of at least 0.001, the "
            "threshold.",
        ),
        (
            1e-4,
            1,
            "the gradient vanishes. 1e−4 of it reaches step 0, 1 step back. No step before the last has a norm of at "
            "least 0.001, the threshold.",
        ),
        (1.0, 20, "the gradient survives. Its norm is 1 at every step, down to step 0, 20 steps back."),
        (
            0.99,
            20,
            "the gradient survives. Its norm stays between 0.8179 and 1; at step 0, 20 steps back, it is 0.8179.",
        ),
        (
            3.0,
            20,
            "the gradient explodes. At step 0, 20 steps back, its norm is 3.487e9. From 0 to 20 steps back each step "
            "multiplies the norm by 3 on average.",
        ),
        (
            0.9,
            20,
            "the gradient fades but does not vanish. 0.1216 of it reaches step 0, 20 steps back. From 0 to 20 steps "
            "back the norm halves every 6.579 steps.",
        ),
        (
            1.1,
            20,
            "the gradient grows but does not explode. At step 0, 20 steps back, its norm is 6.727. From 0 to 20 steps "
            "back the norm doubles every 7.273 steps.",
        ),
    ],
)
def test_sentences_to_the_character(weight: float, steps: int, sentence: str) -> None:
    """Powers of one weight."""
    cell = ElmanCell([[0.0]], [[weight]], [0.0], [0.0], activation="identity")
    assert notice([flow_of(run(cell, np.zeros((steps, 1))))], 3) == f"Elman (identity): {sentence}"


@pytest.mark.parametrize(
    ("norms", "sentence"),
    [
        (
            [-math.inf, -math.inf, 0.0],
            "the gradient is exactly 0 at step 1, 1 step back, and at every earlier step. No step before the "
            "last has a norm of at least 0.001, the threshold.",
        ),
        (
            [-math.inf, -math.inf, -0.6020599913279624, -0.3010299956639812, 0.0],
            "the gradient is exactly 0 at step 1, 3 steps back, and at every earlier step. Step 2, 2 steps back, is "
            "the earliest with a norm of at least 0.001, the threshold.",
        ),
        (  # of step 1 nothing arrives in h, but of step 0 it does, by the cell state
            [-0.6020599913279624, -math.inf, 0.0],
            "the gradient fades but does not vanish. 0.25 of it reaches step 0, 2 steps back.",
        ),
        (
            [-8.2, -8.1, -0.2, -0.1, 0.0],
            "the gradient vanishes. 6.31e−9 of it reaches step 0, 4 steps back. One step loses most: step 2, 2 steps "
            "back, multiplies the norm by 1.259e−8. Step 2, 2 steps back, is the earliest with a norm of at least "
            "0.001, the threshold.",
        ),
        (
            [-math.inf, -4.2, -4.1, -0.2, -0.1, 0.0],
            "the gradient is exactly 0 at step 0, 5 steps back. One step loses most: step 3, 2 steps back, multiplies "
            "the norm by 1.259e−4. Step 3, 2 steps back, is the earliest with a norm of at least 0.001, the threshold.",
        ),
        (  # just more than half of it at one step, and just less
            [-10.0, -4.5, -3.0, -2.0, -1.0, 0.0],
            "the gradient vanishes. 1e−10 of it reaches step 0, 5 steps back. One step loses most: step 1, 4 steps "
            "back, multiplies the norm by 3.162e−6. Step 2, 3 steps back, is the earliest with a norm of at least "
            "0.001, the threshold.",
        ),
        (
            [-10.0, -5.5, -3.5, -2.0, -1.0, 0.0],
            "the gradient vanishes. 1e−10 of it reaches step 0, 5 steps back. The rate is not constant: over 5 "
            "steps back the norm changes by a factor of 1e−10. Step 3, 2 steps back, is "
            "the earliest with a norm of at least 0.001, the threshold.",
        ),
        (  # it loses most at one step, but in the end it has grown
            [3.5, -1.0, 2.0, 1.0, 0.5, 0.0],
            "the gradient explodes. At step 0, 5 steps back, its norm is 3162. On the way back the norm first "
            "shrinks to 0.1, at step 1, 4 steps back. The rate is not constant: "
            "over 5 steps back the norm changes by a factor of 3162.",
        ),
    ],
)
def test_gaps_ends_and_single_steps_to_the_character(norms: list[float], sentence: str) -> None:
    assert notice([with_norms(norms)], 3) == f"Elman (tanh): {sentence}"


def test_two_phases_have_two_paces() -> None:
    """A tenth at each of ten steps, then a half at each of thirty."""
    back = [-float(lag) if lag <= 10 else -10 - TWICE * (lag - 10) for lag in range(41)]
    assert pace_words(with_norms(back[::-1]), 300) == (
        "From 0 to 10 steps back each step divides the norm by 10 on average. From 10 to 40 steps back the norm "
        "halves every step."
    )


def test_a_gradient_that_grows_and_comes_back_is_not_called_still() -> None:
    """Its ends alone would say so: 2, 2, 1/2 and 1/2 multiply to 1."""
    assert point_words(flow_of(scalar(2.0, 0.25, 0.25, 1.0, 1.0)), 3) == (
        "Elman (tanh): the gradient swings. Its norm moves between 1 and 4; at step 0, 4 steps back, it is 1."
    )


def scalar(weight: float, *slopes: float) -> Trace:
    """One unit of tanh with these slopes at its steps: h = sqrt(1 - slope), which its input sees to."""
    h = [0.0, *(math.sqrt(1 - slope) for slope in slopes)]
    x = [[math.atanh(after) - weight * before] for before, after in pairwise(h)]
    return run(ElmanCell([[1.0]], [[weight]], [0.0], [0.0]), x)


def test_growth_before_a_decay_is_told_and_the_other_way_round() -> None:
    """Weights of 3 with slopes that hold them back first or last; by hand: a product of 3 · slope for each step."""
    decay = flow_of(scalar(3.0, *[0.1] * 8, *[0.9] * 3))
    growth = flow_of(scalar(3.0, *[0.9] * 8, *[0.1] * 3))
    assert f"first grows to {written(2.7**3)}, at step 8, 3 steps back." in pace_words(decay, 3)
    assert f"first shrinks to {written(0.3**3)}, at step 8, 3 steps back." in pace_words(growth, 3)
    for seed in range(32):
        for gain in (0.5, 1.0, 1.5, 3.0):
            flow = flow_of(run(make_cell("elman", 2, 8, gain=gain, seed=seed), np.full((30, 2), 0.3)))
            jacobians, product, norms = step_jacobians(flow.trace), np.eye(8), [1.0]
            for J in jacobians[::-1]:
                product = product @ J
                norms.append(float(np.linalg.norm(product, 2)))
            said = pace_words(flow, 3)
            assert ("first grows" in said) is (norms[-1] <= 0.5 and max(norms) >= 2)
            assert ("first shrinks" in said) is (norms[-1] >= 2 and min(norms) <= 0.5)


def test_a_step_that_takes_all_is_told_alone() -> None:
    """One step of slope 1e-6 among nineteen of slope 1: no half-life says that."""
    one = flow_of(scalar(1.0, *[1.0] * 11, 1e-6, *[1.0] * 8))
    assert notice([one], 3) == (
        "Elman (tanh): the gradient vanishes. 1e−6 of it reaches step 0, 20 steps back. One step loses most: step 12, "
        "8 steps back, multiplies the norm by 1e−6. Step 12, 8 steps back, is the earliest with a norm of at least "
        "0.001, the threshold."
    )


def flow_of(trace: Trace) -> CellFlow:
    return CellFlow(trace, log10_gradient_norms(trace))


@given(st.lists(flows(max_steps=6), min_size=1, max_size=3), st.integers(1, 9))
def test_the_notice_is_of_the_cell_in_front_with_what_arrives_in_the_others(
    shown: list[CellFlow], threshold: int
) -> None:
    """The point, the reason, the pace, and then the others."""
    said = notice(shown, threshold, "Because.")
    front = f"{point_words(shown[0], threshold)} Because. {pace_words(shown[0], threshold)}".strip()
    assert said.startswith(front)
    if len(shown) == 1:
        assert said == front
        return
    cells = whole("reach.beside", said.removeprefix(front).strip())["cells"].split(", ")
    for cell, one in zip(cells, shown[1:], strict=True):
        name, _, left = cell.rpartition(" ")
        assert name == one.name
        assert says_power(left, norms_back(one.trace)[0])


def test_random_cells_beside_weights_set_by_hand_are_called_so() -> None:
    shown = [with_norms([-2.0, -1.0, 0.0]), with_norms([-5.0, -1.0, 0.0], "gru")]
    said = notice(shown, 3, is_hand_set=True)
    assert said.endswith(say("reach.beside.random", cells="GRU 1e−5"))
    assert "random" not in notice(shown, 3)


# --- why: an Elman network ------------------------------------------------------------------------------------------


class Known(NamedTuple):
    """A network that one reason makes what it is, with its numbers by hand: all as log10 over its steps."""

    lead: str
    trace: Trace
    weights: float
    slopes: float
    end: float


NEARLY_NILPOTENT = np.array([[1.5, -1.5], [1.5, -1.5 - 2**-6]])
"""Its eigenvalues are about 0.15 in size; the orthogonal matrix nearest to it is diag(1, -1)."""


def half_asleep(steps: int) -> Trace:
    """With unit 2 asleep a step multiplies by [[1.5, -1.5], [0, 0]]."""
    cell = ElmanCell(np.eye(2), NEARLY_NILPOTENT, [0.0, -1e9], [0.0, 0.0], activation="relu")
    return run(cell, np.ones((steps, 2)))


def powers(base: float, steps: int) -> float:
    return steps * math.log10(base) if base else -math.inf


def power_of_the_matrix(steps: int) -> float:
    return math.log10(np.linalg.norm(np.linalg.matrix_power(NEARLY_NILPOTENT, steps), 2))


def of_one_number(lead: str, weight: float, slope: float, steps: int) -> Known:
    """One unit of tanh with one slope: all multiplies."""
    weights, slopes = powers(weight, steps), powers(slope, steps)
    return Known(lead, scalar(weight, *[slope] * steps), weights, slopes, weights + slopes)


def at_its_steepest(steps: int) -> Known:
    """A unit of sigmoid whose sum is always 0, where its slope is 1/4: nowhere is it saturated."""
    cell = ElmanCell([[1.0]], [[1.0]], [0.0], [0.0], activation="sigmoid")
    trace = run(cell, [[0.0], *[[-0.5]] * (steps - 1)])
    return Known("slopes", trace, 0.0, powers(0.25, steps), powers(0.25, steps))


def asleep_once(weight: float, lead: str) -> Known:
    """A unit of relu that sleeps at step 4 of 8."""
    cell = ElmanCell([[1.0]], [[weight]], [0.0], [0.0], activation="relu")
    trace = run(cell, [[-1e9 if t == 4 else 1.0] for t in range(1, 9)])
    return Known(lead, trace, powers(weight, 8), -math.inf, -math.inf)


def of_half_asleep(lead: str, steps: int) -> Known:
    end = powers(1.5, steps - 1) + math.log10(1.5 * math.sqrt(2))
    return Known(lead, half_asleep(steps), power_of_the_matrix(steps), 0.0, end)


KNOWN = [
    of_one_number("weights", 0.5, 1.0, 20),
    of_one_number("weights", 0.5, 0.7, 12),  # -3.6 of -5.5 decades
    of_one_number("slopes", 1.0, 0.5, 20),
    of_one_number("slopes", 2.0, 0.2, 20),  # though the weights stretch
    at_its_steepest(20),
    asleep_once(1.0, "slopes"),
    asleep_once(0.25, "slopes"),  # which lose all, the weights a few decades
    of_one_number("both", 0.5, 0.4, 20),
    of_one_number("both", 0.9, 0.9, 40),
    of_one_number("both", 0.5, 0.6, 12),
    of_one_number("stretch", 3.0, 0.9, 20),
    of_one_number("balance", 2.0, 0.5, 20),
    of_one_number("balance", 1.9, 0.45, 10),
    of_one_number("still", 1.1, 0.9, 20),
    of_half_asleep("interplay", 40),
    of_half_asleep("interplay", 12),  # the weights alone would make it vanish, and it grows
]


@pytest.mark.parametrize("known", KNOWN, ids=[f"{one.lead} {one.trace.steps}" for one in KNOWN])
def test_the_reason_and_its_numbers_by_hand(known: Known) -> None:
    said = elman_cause(flow_of(known.trace), decay_causes(known.trace))
    found = slots(f"cause.elman.{known.lead}", said)
    assert says_power(found["weights"].rstrip("."), known.weights)
    assert says_power(found["slopes"].rstrip("."), known.slopes)


@pytest.mark.parametrize("known", KNOWN, ids=[f"{one.lead} {one.trace.steps}" for one in KNOWN])
def test_the_made_networks_are_what_they_are_taken_for(known: Known) -> None:
    """The norms by plain products; each sentence is of one that falls, grows or stays within a factor of 10."""
    assert norms_back(known.trace)[0] == pytest.approx(known.end)
    assert (known.end < -1) == known.lead.startswith(("weights", "slopes", "both"))
    assert (known.end > 1) == (known.lead in ("stretch", "interplay"))


CAUSES = [key for key in TEXTS if key.startswith("cause.elman.")]
SATURATION = [key for key in TEXTS if key.startswith("cause.saturated.")]


@given(flows(ELMAN, shifts=(0.0, 1.0, 4.0), max_steps=30), st.sampled_from([0.3, 1.0, 2.0]))
def test_the_reason_is_true_of_any_network(one: CellFlow, gain: float) -> None:
    """A cause that is named makes most of the decades, whatever T and threshold; both numbers are right."""
    cell, x, h0 = one.trace.cell, one.trace.x, one.trace.h[0]
    activation = getattr(cell, "activation", "tanh")
    trace = run(ElmanCell(cell.W_ih, gain * cell.W_hh, cell.b_ih, cell.b_hh, activation=activation), x, h0)
    (weights, slopes), end = alone(trace), norms_back(trace)[0]
    lost = [min(weights, 0.0), min(slopes, 0.0)]
    near = [abs(abs(number) - 1) < 1e-6 for number in (weights, slopes, end)]
    near += [end > -math.inf and abs(number - end / 2) < 1e-6 for number in (weights, sum(lost))]
    near += [min(lost) > -math.inf and abs(lost[0] - share * sum(lost)) < 1e-6 for share in (0.4, 0.6)]
    if any(near):
        return
    (key, found), *more = sentences([*CAUSES, *SATURATION], elman_cause(flow_of(trace), decay_causes(trace)))
    lead = key.removeprefix("cause.elman.")
    falls, explained = end < -1, sum(lost) <= end / 2
    by_weights, by_slopes = (part <= 0.6 * sum(lost) and part < 0 for part in lost)
    claims = {
        "weights": falls and explained and by_weights,
        "slopes": falls and explained and by_slopes,
        "both": falls and explained and (by_weights == by_slopes),
        "stretch": end > 1 and weights >= end / 2,
        "interplay": (end > 1 and weights < end / 2) or (falls and not explained),
        "balance": abs(end) <= 1 and weights > 1 and slopes < -1,
        "still": abs(end) <= 1 and not (weights > 1 and slopes < -1),
    }
    assert claims[lead], lead
    assert says_power(found["weights"], weights)
    assert says_power(found["slopes"], slopes)
    asked = lead in ("slopes", "both", "interplay") and activation != "identity"
    assert len(more) == asked
    for saturation, told in more:
        assert_saturation(saturation, told, trace)


def assert_reach_and_leave(said: str) -> None:
    """To more than 1 the norm is raised, what is at most 1 is left: every number behind one of the two verbs."""
    told = re.findall(r"\b(raise the norm to|leave|leaves) (\d\S*?)[.,:]?(?=\s|$)", said)
    assert told
    for verb, value in told:
        mantissa, _, exponent = value.replace("−", "-").partition("e")
        over = math.log10(float(mantissa) or 1e-300) + int(exponent or 0)
        assert (verb == "raise the norm to") == (over > 0), said


@given(flows(ELMAN, shifts=(0.0, 1.0, 4.0), max_steps=30), st.sampled_from([0.3, 1.0, 2.0, 5.0]), st.booleans())
def test_more_than_all_of_it_is_reached_and_less_is_left(one: CellFlow, gain: float, singular: bool) -> None:
    cell, x, h0 = one.trace.cell, one.trace.x, one.trace.h[0]
    W = gain * np.array(cell.W_hh)
    if singular:
        W[-1] = W[0] if len(W) > 1 else 0.0
    activation = getattr(cell, "activation", "tanh")
    trace = run(ElmanCell(cell.W_ih, W, cell.b_ih, cell.b_hh, activation=activation), x, h0)
    causes = decay_causes(trace)
    assert_reach_and_leave(elman_cause(flow_of(trace), causes))


@given(flows(GATED, shifts=(0.0, 4.0), max_steps=30))
def test_gates_alone_leave_at_most_all(one: CellFlow) -> None:
    keep = log10_keep_products(one.trace)
    assert_reach_and_leave(gated_cause(one, keep))
    assert_reach_and_leave(keep_words(one.trace, keep))


@pytest.mark.parametrize("weight", [0.5, 1.0, 1.1, 2.0])
@pytest.mark.parametrize("norm", [-30.0, -5.0, 0.0, 5.0, 30.0])
@pytest.mark.parametrize("singular", [False, True])
def test_the_verb_goes_by_the_weights_number_in_every_sentence(weight: float, norm: float, singular: bool) -> None:
    """Of every lead, with weights above and below 1: the norm is chosen freely."""
    base = scalar(0.0 if singular else 0.5, *[0.5] * 20)
    alone = np.linspace(powers(weight, 20), 0.0, 21)
    slopes = np.linspace(-3.0, 0.0, 21)
    causes = DecayCauses(alone, slopes, np.zeros(20), -math.inf if singular else 0.0)
    said = elman_cause(CellFlow(base, np.linspace(norm, 0.0, 21)), causes)
    assert_reach_and_leave(said)
    assert (" raise the norm to " in said) == (weight > 1)


def assert_saturation(key: str, told: dict[str, str], trace: Trace) -> None:
    """The share of derivatives that are small, by the states alone."""
    h = trace.h[1:]
    match key.removeprefix("cause.saturated."):
        case "tanh":
            share = float((1 - h**2 < 0.1).mean())
            assert share >= 0.05
            assert says_share(told["share"], share)
        case "few":
            assert 0 < (1 - h**2 < 0.1).mean() < 0.05
            assert says_share(told["share"], float((1 - h**2 < 0.1).mean()))
            assert says(told["mean"], float((1 - h**2).mean()))
        case "none":
            assert float((1 - h**2).min()) >= 0.1 - 1e-12
            assert says(told["least"], float((1 - h**2).min()))
        case "relu":
            assert says_share(told["share"], float((h == 0).mean()))
            assert (h == 0).any()
        case "relu_none":
            assert (h > 0).all()
        case other:
            assert other == getattr(trace.cell, "activation", "") == "sigmoid"
            assert float((h * (1 - h)).max()) <= 0.25


def test_saturated_is_said_of_saturated_units_only() -> None:
    """Two steps of slope 0.05 of four; and a network in which none is under 0.5."""
    some, none = scalar(0.5, 0.05, 0.9, 0.05, 0.9), scalar(0.5, 0.5, 0.9, 0.6, 0.9)
    assert saturation_words(some) == "Of all units and steps, 50 % are saturated: their g′(a) is below 0.1."
    few = saturation_words(scalar(0.5, 0.05, *[0.9] * 39))
    assert few == (
        "Of all units and steps, only 2.5 % are saturated: their g′(a) is below 0.1. But g′(a) is 0.8787 on average."
    )
    assert saturation_words(none) == "No unit is saturated: every g′(a) is at least 0.5."


def test_an_input_of_a_thousand_is_blamed_on_the_derivatives() -> None:
    """At every T: each alone would be under 0.001 over 100 steps."""
    for steps in (10, 100, 1000):
        x = 1000 * np.random.default_rng(0).standard_normal((steps, 4))
        trace = run(make_cell("elman", 4, 32), x)
        said = elman_cause(flow_of(trace), decay_causes(trace))
        found = slots("cause.elman.slopes", said)
        weights, slopes = alone_in_logs(trace)
        assert says_power(found["weights"].rstrip("."), weights)
        assert slopes < 10 * weights
        assert "saturated" in said


def alone_in_logs(trace: Trace) -> tuple[float, float]:
    """The two counterfactuals, scaled at every step so that they do not underflow."""
    W, U, V = trace.cell.W_hh, *np.linalg.svd(trace.cell.W_hh)[::2]
    a = trace.preacts["a"]
    logs = []
    for slopes, matrix in ((np.ones_like(a), W), (1 / np.cosh(np.clip(a, -300, 300)) ** 2, U @ V)):
        product, decades = np.eye(len(W)), 0.0
        for row in slopes:
            product = row[:, None] * (matrix @ product)
            size = float(np.abs(product).max())
            product, decades = product / size, decades + math.log10(size)
        logs.append(math.log10(np.linalg.norm(product, 2)) + decades)
    return logs[0], logs[1]


@given(flows(ELMAN, shifts=(0.0, 1.0), max_steps=30))
def test_the_shares_are_those_of_the_decades(one: CellFlow) -> None:
    text = shares_words(one, decay_causes(one.trace))
    (weights, slopes), end = alone(one.trace), norms_back(one.trace)[0]
    if abs(end + 1) < 1e-6 or max(weights, slopes) > -1e-6 or slopes == -math.inf:
        return
    assert bool(text) == (end < -1 and weights < 0)
    if text:
        found = whole("cause.share", text)
        assert says_share(found["weights"], weights / (weights + slopes))


@pytest.mark.parametrize(("size", "said"), [(1e-8, "nearly all of the decay"), (0.0, "100 %")])
def test_a_share_that_is_not_quite_all_is_not_written_as_all(size: float, said: str) -> None:
    """Inputs of 1e-8 cost a derivative 1e-16 of 1; without any, tanh is at its steepest."""
    trace = run(ElmanCell(np.eye(2), 0.5 * np.eye(2), np.zeros(2), np.zeros(2)), np.full((20, 2), size))
    assert said in shares_words(flow_of(trace), decay_causes(trace))


def alone(trace: Trace) -> tuple[float, float]:
    """log10 of the norms of W_hh^T, and of the slopes with the nearest orthogonal matrix, by Newton's iteration."""
    W = trace.cell.W_hh
    X = W / np.linalg.norm(W, 2)
    for _ in range(80):
        X = (X + np.linalg.inv(X).T) / 2
    jacobians = step_jacobians(trace)
    slopes = (jacobians @ np.linalg.inv(W)).diagonal(axis1=1, axis2=2)  # J = D W
    product = np.eye(len(W))
    for row in slopes:
        product = row[:, None] * (X @ product)
    left = log10_size(product)
    if left < -13 and not slopes[(slopes != 0) & (slopes != 1)].size:
        left = in_sixty_digits(W, slopes)  # it may be a rounded 0
    return log10_size(np.linalg.matrix_power(W, trace.steps)), left


def in_sixty_digits(W: Array, slopes: Array) -> float:
    """The second of the above, where what comes to less than 1e-50 is 0."""
    with mpmath.workdps(60):
        X = mpmath.matrix(W.tolist()) / float(np.linalg.norm(W, 2))
        for _ in range(80):
            X = (X + (X**-1).T) / 2
        product = mpmath.eye(len(W))
        for row in slopes:
            product = mpmath.diag(row.tolist()) * X * product
        size = mpmath.mnorm(product, "f")
        return float(mpmath.log10(size)) if size > 1e-50 else -math.inf


def log10_size(matrix: Array) -> float:
    size = float(np.linalg.norm(matrix, 2))
    return math.log10(size) if size else -math.inf


@given(flows(ELMAN, shifts=(0.0, 1.0), max_steps=30))
def test_the_split_is_that_of_the_determinants(one: CellFlow) -> None:
    """The factor of a step is the H-th root of |det J_t|, in the mean over the steps; its parts multiply to it."""
    trace, H = one.trace, one.trace.cell.hidden_size
    signs, logs = np.linalg.slogdet(step_jacobians(trace))
    (key, said), *follows = sentences(SPLITS, split_words(one, decay_causes(trace)))
    last, norm = follows[0] if follows else ("", {})
    each = norms_back(trace)[0] / trace.steps
    if last == "cause.split.norm":
        assert says_power(norm["norm"], each)
    if (signs == 0).any():  # a unit of relu that sleeps
        assert (key, last) == ("cause.split.dead", "cause.split.norm" if np.isfinite(each) else "")
        return
    weights = float(np.linalg.slogdet(trace.cell.W_hh)[1]) / H / math.log(10)
    step = float(logs.mean()) / H / math.log(10)
    if key == "cause.split.keeps":
        assert (step, weights, each) == pytest.approx((0.0, 0.0, 0.0), abs=1e-12)
        return
    assert (key, last) == ("cause.split.only", "") if H == 1 else key == "cause.split"
    assert says_power(said["step"], step)
    assert says_power(said["weights"], weights)
    assert says_power(said["slopes"], step - weights)
    assert each >= step - 1e-9  # the direction that keeps most keeps no less than the mean
    assert H > 1 or each == pytest.approx(step, abs=1e-9)
    if abs(each - step) > 1e-6 * max(1.0, abs(step)):
        assert last == "cause.split.norm"


SPLITS = [key for key in TEXTS if key.startswith("cause.split")]


def test_a_singular_matrix_and_a_sleeping_unit_lose_a_direction() -> None:
    singular = run(ElmanCell(np.eye(2), [[1.0, 1.0], [1.0, 1.0]], [0.0, 0.0], [0.0, 0.0]), np.zeros((3, 2)))
    follows = "The norm follows the direction that shrinks least or grows most: "
    text = split_words(flow_of(singular), decay_causes(singular))
    assert text == f"{TEXTS['cause.split.singular']} {follows}2 a step on average."
    sleeping = run(make_cell("elman", 1, 2, init="identity", activation="relu"), [[-1.0], [-1.0]])
    causes = decay_causes(sleeping)
    text = split_words(flow_of(sleeping), causes)
    assert text == TEXTS["cause.split.dead"]  # all is lost: there is no direction that the norm follows
    awake = DecayCauses(causes.weights_alone, causes.slopes_alone, np.zeros(2), 0.0)
    text = split_words(CellFlow(sleeping, np.zeros(3)), awake)
    assert text == TEXTS["cause.split.keeps"]
    halved = DecayCauses(causes.weights_alone, causes.slopes_alone, np.zeros(2), math.log(0.25))
    text = split_words(CellFlow(sleeping, np.array([-2.0, -1.0, 0.0]) * math.log10(2)), halved)
    assert slots("cause.split", text) == {"step": "0.5", "slopes": "1", "weights": "0.5"}
    assert text.endswith(TEXTS["cause.split.alike"])


@pytest.mark.parametrize(
    ("W", "steps", "lead"),
    [
        ([[1.0, 1.0], [1.0, 1.0]], 20, "stretch"),
        ([[0.1, 0.1], [0.1, 0.1]], 20, "weights"),
        ([[0.5, 0.5], [0.5, 0.5]], 20, "still"),
        ([[0.0, 1.0], [0.0, 0.0]], 20, "weights"),
    ],
)
def test_a_singular_matrix_has_the_weights_alone_only(W: list[list[float]], steps: int, lead: str) -> None:
    """At h = 0 every derivative is 1."""
    trace = run(ElmanCell(np.eye(2), W, [0.0, 0.0], [0.0, 0.0]), np.zeros((steps, 2)))
    said = elman_cause(flow_of(trace), decay_causes(trace))
    found = whole(f"cause.singular.{'weights' if lead == 'stretch' else lead}", said)
    assert says_power(found["weights"], log10_size(np.linalg.matrix_power(np.array(W), steps)))


# --- why: a gated cell ----------------------------------------------------------------------------------------------


def gru(W_n: Any, steps: int, *clamps: Clamp) -> Trace:
    """h_t = tanh(W_n h_{t-1}) where z is held at 0 and r at 1; at h = 0, where the slope is 1."""
    H = len(W_n)
    cell = GRUCell(np.zeros((3 * H, 1)), np.vstack([np.zeros((2 * H, H)), W_n]), np.zeros(3 * H), np.zeros(3 * H))
    return run(cell, np.zeros((steps, 1)), clamp=[Clamp("r", 1.0), *clamps])


def lstm(steps: int, *clamps: Clamp) -> Trace:
    """No weights: c_t = f c_{t-1}, and h hears nothing of h."""
    return run(
        LSTMCell(np.zeros((8, 1)), np.zeros((8, 2)), np.zeros(8), np.zeros(8)), np.zeros((steps, 1)), clamp=clamps
    )


def through_h(weight: float) -> Trace:
    """One step of an LSTM from nought in which h goes to h by g alone: dh = o i w = w/4."""
    W = np.zeros((8, 2))
    W[4:6] = weight * np.eye(2)
    return run(LSTMCell(np.zeros((8, 1)), W, np.zeros(8), np.zeros(8)), np.zeros((1, 1)))


OTHERS = {True: "h and the gates", False: "the candidate n and the gates"}
SHUT_FIRST = (Clamp("z", 0.0), Clamp("z", 0.25, 0))
WHY: list[tuple[str, Trace, float, list[float]]] = [  # what the gates alone leave, and the gates themselves
    ("shut", gru(np.zeros((2, 2)), 20, Clamp("z", 0.5)), powers(0.5, 20), [0.5]),
    ("shut", gru(np.zeros((2, 2)), 20, *SHUT_FIRST), powers(0.25, 20), [0.0, 0.25]),
    ("others", gru(0.6 * np.eye(2), 20, Clamp("z", 0.0)), -math.inf, [0.0]),
    ("shut_rest", gru(0.2 * np.eye(2), 20, Clamp("z", 0.4)), powers(0.4, 20), [0.4]),  # (0.4 + 0.6 * 0.2)^20
    ("lost_h", lstm(20, Clamp("f", 1.0)), 0.0, [1.0]),
    ("lost_h", lstm(20), powers(0.5, 20), [0.5]),  # with c fixed, no change of h enters it: there are no weights
    ("lost_h", lstm(4), powers(0.5, 4), [0.5]),
    ("lost", gru(-0.9 * np.eye(2), 3, Clamp("z", 0.5)), powers(0.5, 3), [0.5]),  # h takes back what z keeps: 0.05^3
    ("lost", gru(-0.7 * np.eye(2), 2, Clamp("z", 0.5)), powers(0.5, 2), [0.5]),  # 0.15^2 is within the threshold
    ("beside", through_h(2.0), powers(0.5, 1), [0.5]),  # of a single step from h to h, f has no part
    ("open", gru(np.zeros((2, 2)), 20, Clamp("z", 1.0)), 0.0, [1.0]),
    ("open", gru(np.zeros((2, 2)), 20, Clamp("z", 0.9), Clamp("z", 1.0, 1)), 0.0, [0.9, 1.0]),
    ("open", gru(np.zeros((2, 2)), 1, Clamp("z", 0.5)), powers(0.5, 1), [0.5]),  # over a single step too
    ("others", gru(np.eye(2), 20, Clamp("z", 0.0)), -math.inf, [0.0]),
    ("others", gru(np.eye(2), 20, Clamp("z", 0.25)), powers(0.25, 20), [0.25]),
    ("around", gru(3.0 * np.eye(2), 20, Clamp("z", 0.0)), -math.inf, [0.0]),
    ("around", gru(3.0 * np.eye(2), 20, Clamp("z", 0.5)), powers(0.5, 20), [0.5]),
    ("open_grows", gru(20.0 * np.eye(2), 20, Clamp("z", 0.98)), powers(0.98, 20), [0.98]),  # (0.98 + 0.02 * 20)^20
]


@pytest.mark.parametrize(("lead", "trace", "kept", "gates"), WHY)
def test_which_way_carries_it_by_hand(lead: str, trace: Trace, kept: float, gates: list[float]) -> None:
    said = whole(f"cause.gates.{lead}", gated_cause(flow_of(trace), log10_keep_products(trace)))
    memory = trace.c is not None
    assert (said["gate"], said["gates"]) == (("f", "forget gates") if memory else ("z", "update gates"))
    assert says_power(said["kept"], kept)
    assert says(said["mean"], sum(gates) / len(gates))
    assert said.get("others") in (None, OTHERS[memory])
    if "least" in said:
        assert says(said["least"], min(gates))
        assert says(said["most"], max(gates))


def test_the_made_gated_networks_are_what_they_are_taken_for() -> None:
    for lead, trace, kept, _ in WHY:
        end = norms_back(trace)[0]
        assert (end > 1) == (lead in ("around", "open_grows"))
        assert end < -1 or lead in ("others", "around", "open", "open_grows", "beside")
        if lead.startswith("lost"):
            assert end < kept


def test_gates_that_would_leave_more_than_arrives_do_not_carry_it() -> None:
    """The LSTM with chrono: of a change of h alone arrives a hundredth of what its gates alone would leave."""
    trace = run(make_cell("lstm", 4, 32, init="chrono", t_max=100), np.random.default_rng(0).uniform(-1, 1, (100, 4)))
    kept = max(math.fsum(map(math.log10, unit)) for unit in trace.gates["f"].T.tolist())
    assert -3 < norms_back(trace)[0] < kept - 1
    said = slots("cause.gates.lost_h", gated_cause(flow_of(trace), log10_keep_products(trace)))
    assert says_power(said["kept"], kept)
    state = CellFlow(trace, log10_gradient_norms(trace, block="state"), "state")
    assert slots("cause.gates.open", gated_cause(state, log10_keep_products(trace)))


def test_of_the_cell_state_a_single_step_passes_the_gates() -> None:
    """dc_1/dc_0 is f itself."""
    trace = lstm(1)
    flow = CellFlow(trace, log10_gradient_norms(trace, block="c"), "c")
    assert whole("cause.gates.open", gated_cause(flow, log10_keep_products(trace)))["kept"] == "0.5"


@pytest.mark.parametrize(
    ("trace", "sentence"),
    [
        (lstm(3), "The direct path, the product of f alone, leaves 0.125. "),
        (gru(np.eye(2), 2, Clamp("z", 0.5)), "The direct path, the product of z alone, leaves 0.25. "),
        (
            run(make_cell("gru", 1, 2, update="write"), np.zeros((2, 1)), clamp=[Clamp("z", 0.9)]),
            "The direct path, the product of 1 − z alone, leaves 0.01. ",
        ),
        (gru(np.eye(2), 2, Clamp("z", 0.0)), "The direct path, the product of z alone, leaves 0. "),
    ],
)
def test_what_the_gates_alone_would_leave(trace: Trace, sentence: str) -> None:
    assert keep_words(trace, log10_keep_products(trace)).startswith(sentence)


WHYS = [key for key in TEXTS if re.fullmatch(r"cause\.gates\.(?!fold)[^.]+", key)]


@given(cases(GATED, shifts=(0.0, 3.0), max_steps=20), st.data(), st.sampled_from(["h", "state"]))
def test_which_way_carries_it_in_any_cell(case: Any, data: st.DataObject, block: str) -> None:
    """The gates in plain loops; what is said of their product beside the norm is true."""
    trace = run(*case, clamp=data.draw(st.lists(clamps_for(case), max_size=2)))
    writes = getattr(trace.cell, "update", "") == "write"
    gates = trace.gates["f" if trace.c is not None else "z"].tolist()
    keeps = [[1 - gate if writes else gate for gate in row] for row in gates]
    logs = [[math.log10(keep) if keep else -math.inf for keep in row] for row in keeps]
    kept = max(map(sum, zip(*logs, strict=True)))
    flow = CellFlow(trace, log10_gradient_norms(trace, block=block), block)
    end = float(flow.norms[0])
    if any(end > -math.inf and abs(kept - bound) < 1e-6 for bound in (-1, 0.8 * end, 2 * end, end - 1, end + 0.5)):
        return
    if abs(abs(end) - 1) < 1e-6:
        return
    key, said = the_one(WHYS, gated_cause(flow, log10_keep_products(trace)))
    fades, grows, stays = end < -1, end > 1, abs(end) <= 1
    claims = {
        "shut": fades and kept <= 0.8 * end and not end > kept + 1,
        "shut_rest": fades and kept <= 0.8 * end and end > kept + 1,
        "lost": end < kept and (fades or stays),
        "lost_h": end < kept and block == "h" and trace.c is not None,
        "around": grows and kept < -1,
        "open_grows": grows and kept >= -1,
        "open": stays and kept <= end + 0.5 and end <= kept + 1,
        "others": (stays and end > kept + 1) or (fades and end > kept / 2),
        "beside": trace.steps == 1 and block == "h" and trace.c is not None,
    }
    assert claims[key.removeprefix("cause.gates.")], key
    assert said["gate"] == ("f" if trace.c is not None else "1 − z" if writes else "z")
    assert says_power(said["kept"], kept)
    every = [keep for row in keeps for keep in row]
    assert says(said["mean"], math.fsum(every) / len(every))
    if "least" in said:
        assert says(said["least"], min(every))
        assert says(said["most"], max(every))


INF = math.inf


@pytest.mark.parametrize(
    ("block", "ends", "said"),
    [
        (
            "state",
            (-2.5, -0.33, -0.25),
            "The blocks differ: at step 0 the norm is 0.003162 for h alone and 0.4677 for c alone.",
        ),
        ("state", (-1.2, -0.33, -0.25), ""),
        (
            "state",
            (-INF, -300.0, -300.0),
            "The blocks differ: at step 0 the norm is 0 for h alone and 1e−300 for c alone.",
        ),
        ("state", (-INF, -INF, -INF), ""),
        ("state", (4.0, 0.0, 4.0), "The blocks differ: at step 0 the norm is 10000 for h alone and 1 for c alone."),
        (
            "h",
            (-2.0, 0.0, 0.0),
            "The other blocks differ: at step 0 the norm is 1 for the whole state and 1 for c alone.",
        ),
        (
            "c",
            (-2.0, 0.0, 0.0),
            "The other blocks differ: at step 0 the norm is 1 for the whole state and 0.01 for h alone.",
        ),
        ("c", (0.0, 0.0, 0.9), ""),
    ],
)
def test_the_blocks_are_told_of_where_one_is_ten_times_another(
    block: str, ends: tuple[float, float, float], said: str
) -> None:
    shown = CellFlow(with_norms([0.0, 0.0], "lstm").trace, np.zeros(2), block)
    assert blocks_words(shown, dict(zip(("h", "c", "state"), ends, strict=True))) == said


# --- what is shown, and what the norms leave out --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([("elman", "h")], "Here s is the hidden state h."),
        ([("gru", "h"), ("elman", "h")], "Here s is the hidden state h."),
        ([("lstm", "h")], "Here s is the hidden state h."),
        ([("lstm", "h"), ("gru", "h")], "Here s is the hidden state h."),
        ([("lstm", "state")], "Here s is [h; c], the whole state."),
        ([("elman", "h"), ("lstm", "state"), ("gru", "h")], "Here s is [h; c] in the LSTM and h in the other cells."),
        ([("lstm", "c")], "Here s is the cell state c."),
        ([("lstm", "c"), ("elman", "h")], "Here s is c in the LSTM and h in the other cells."),
    ],
)
def test_which_gradient_is_shown(cells: list[tuple[str, str]], said: str) -> None:
    shown = [CellFlow(run(make_cell(kind, 1, 2), np.ones((3, 1))), np.zeros(4), block) for kind, block in cells]
    assert gradient_words(shown) == (
        f"The gradient is ∂s_T/∂s_k: how the last state changes with the state at step k. {said} At k = T the norm "
        "is 1."
    )


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("wanted", [5, 9])
def test_what_the_norms_leave_out(layers: int, held: bool, wanted: int) -> None:
    trace = run(make_cell("gru", 1, 2), np.zeros((5, 1)), clamp=[Clamp("z", 1.0)] if held else [])
    said = limits_words([flow_of(trace)], 2, layers, wanted)
    sentences = [
        "This is the gradient within layer 2. Paths through other layers are left out." if layers > 1 else "",
        "Clamped gates count as constants: no gradient flows through their pre-activations." if held else "",
        "GRU overflows float64 after step 5. Its curve ends there." if wanted > 5 else "",
    ]
    assert said == " ".join(filter(None, sentences))


def test_each_cell_that_ends_early_is_named() -> None:
    """In front or beside it; the gates of those beside it are not told of."""
    held = run(make_cell("lstm", 1, 2), np.zeros((3, 1)), clamp=[Clamp("f", 1.0)])
    shown = [run(make_cell("gru", 1, 2), np.zeros((9, 1))), held, run(make_cell("elman", 1, 2), np.zeros((5, 1)))]
    assert limits_words([flow_of(trace) for trace in shown], 1, 1, 9) == (
        "LSTM (h alone) overflows float64 after step 3. Its curve ends there. "
        "Elman (tanh) overflows float64 after step 5. Its curve ends there."
    )
    assert limits_words([flow_of(trace) for trace in shown], 1, 1, 3) == ""


@pytest.mark.parametrize(("x", "key"), [(1e-7, "cause.share.weights"), (0.0, "cause.share"), (0.3, "cause.share")])
def test_weights_that_account_for_nearly_all_of_a_decay(x: float, key: str) -> None:
    """One unit: the weight costs T log 2, the derivatives the sum of their logarithms, in 40 digits."""
    T = 40
    trace = run(ElmanCell([[1.0]], [[0.5]], [0.0], [0.0]), np.full((T, 1), x))
    with mpmath.workdps(40):
        h, slopes = mpmath.mpf(0), []
        for _ in range(T):
            h = mpmath.tanh(h / 2 + x)
            slopes.append(1 - h * h)
        cost = -sum(map(mpmath.log, slopes))
        share = float(cost / (cost + T * mpmath.log(2)))
    said = shares_words(CellFlow(trace, log10_gradient_norms(trace)), decay_causes(trace))
    told = whole(key, said)
    assert (0 < share < 1e-9) == (key == "cause.share.weights")
    if key == "cause.share":
        assert says_share(told["slopes"], share)
        assert says_share(told["weights"], 1 - share)
