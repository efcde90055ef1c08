"""What to notice of a gradient and why: the numbers of every sentence, found again by hand and in plain products."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import Any, NamedTuple

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
from rnnviz.texts.en import TEXTS
from rnnviz.views.flow import CellFlow
from rnnviz.views.flow_words import (
    elman_cause,
    gated_cause,
    keep_words,
    limits_words,
    memory_words,
    notice,
    reach_words,
    split_words,
)
from tests.maths.drawn import FORMS, cases, clamps_for
from tests.views.flows import flows, norms_back, with_norms
from tests.views.spoken import slots, the_one, whole
from tests.views.written import says, says_power

Array = NDArray[np.float64]
ELMAN, GATED = FORMS["elman"], [*FORMS["lstm"], *FORMS["gru"]]
TWICE = math.log10(2)

decades = st.floats(-40.0, 40.0) | st.floats(-4.0, 4.0) | st.sampled_from([-math.inf, 0.0, -1000.0, -3.0, 3.0, 400.0])
paths = st.lists(decades, min_size=1, max_size=30).map(lambda norms: [*norms, 0.0])


# --- how far it reaches ---------------------------------------------------------------------------------------------


REACHES = [f"reach.{one}" for one in ("vanishing", "stable", "fading", "growing", "swinging", "exploding")]
PACES = [f"reach.pace.{one}" for one in ("halves", "doubles", "still", "swings", "drop")]


def assert_pace(text: str, norms: list[float], first: int) -> None:
    """What is said of the pace is true of norms from the step `first`, the earliest of which anything arrives."""
    key, said = the_one(PACES, text)
    change, steps = norms[0], len(norms) - 1
    losses = {first + place + 1: after - before for place, (before, after) in enumerate(pairwise(norms))}
    still, back = max(norms) - min(norms) < TWICE, abs(change) < TWICE
    at_once = max(losses.values(), default=0.0)
    lost_at_once = steps >= 4 and min(norms) > -math.inf and at_once >= max(1.0, -change / 2)
    match key.removeprefix("reach.pace."):
        case "still":
            assert still
        case "swings":
            assert back
            assert not still
            assert says_power(said["low"], min(norms))
            assert says_power(said["high"], max(norms))
        case "drop":
            assert lost_at_once
            assert change < 0
            assert not back
            assert losses[int(said["step"])] == pytest.approx(at_once, abs=1e-9)
            assert says_power(said["factor"], -at_once)
        case "halves":
            assert change < 0
            assert not any((still, back, lost_at_once))
            assert says(said["steps"], TWICE * steps / -change)
        case "doubles":
            assert change > 0
            assert not any((still, back))
            assert says(said["steps"], TWICE * steps / change)


def assert_reach(text: str, norms: list[float], name: str, threshold: int) -> None:
    """What the sentence says is true, with every number of it; no two of the sentences can be true of one gradient."""
    steps, left = len(norms) - 1, norms[0]
    if left == -math.inf:
        since = next(k for k, norm in enumerate(norms) if norm > -math.inf)
        key, said = the_one(["reach.zero", "reach.zero_at_once"], text)
        assert (int(said["zero"]), said["name"]) == (since - 1, name)
        assert (key == "reach.zero_at_once") == (since == steps)
        if "pace" in said:
            assert_pace(said["pace"], norms[since:], since)
        return
    key, said = the_one(REACHES, text)
    between, still, back = abs(left) <= threshold, max(norms) - min(norms) < TWICE, abs(left) < TWICE
    assert {
        "vanishing": left < -threshold,
        "exploding": left > threshold,
        "stable": between and still,
        "swinging": back and not still,
        "fading": between and left < 0 and not back,
        "growing": between and left > 0 and not back,
    }[key.removeprefix("reach.")]
    if "horizon" in said:
        assert int(said["horizon"]) == max(steps - k for k, norm in enumerate(norms) if norm >= -threshold)
    assert says_power(said["left"], left)
    assert "steps" not in said or int(said["steps"]) == steps
    assert "share" not in said or says_power(said["share"], -threshold)
    assert_pace(said["pace"], norms, 0)
    assert said["name"] == name


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
def test_how_far_it_reaches_in_any_norms(norms: list[float], threshold: int) -> None:
    assert_reach(reach_words(with_norms(norms), threshold), norms, "Elman (tanh)", threshold)


@given(flows(max_steps=40), st.integers(1, 4))
def test_how_far_it_reaches_in_any_network(one: CellFlow, threshold: int) -> None:
    """Against products of the steps, unless a number lies so near to a bound that rounding decides."""
    norms = norms_back(one.trace)
    bounds = (-threshold, threshold, TWICE, -TWICE)
    losses = [after - before for before, after in pairwise(norms)]
    first = next(norm for norm in norms if norm > -math.inf)
    if any(abs(end - bound) < 1e-9 for bound in bounds for end in (norms[0], first)):
        return
    if any(abs(max(norms) - min(part) - TWICE) < 1e-9 for part in (norms, norms[norms.index(first) :])):
        return
    if any(abs(loss - bound) < 1e-9 for loss in losses for bound in (1.0, -first / 2)):
        return
    assert_reach(reach_words(one, threshold), norms, one.name, threshold)


@pytest.mark.parametrize(
    ("weight", "steps", "sentence"),
    [
        (
            0.5,
            20,
            "halves every 1.0 steps on average and is below 0.001 beyond 9 steps back: vanishing; 9.5e−7 reaches "
            "step 0",
        ),
        (1.0, 20, "keeps its size within a factor of 2: stable; 1 reaches step 0, 20 steps back"),
        (2.0, 20, "doubles every 1.0 steps on average: exploding; 1e6 arrives at step 0, 20 steps back"),
        (
            0.9,
            20,
            "halves every 6.6 steps on average, yet 0.122 of it still reaches step 0, 20 steps back: more than 0.001",
        ),
        (1.1, 20, "doubles every 7.3 steps on average; 6.73 reaches step 0, 20 steps back: not yet exploding"),
    ],
)
def test_sentences_to_the_character(weight: float, steps: int, sentence: str) -> None:
    """Powers of one weight."""
    cell = ElmanCell([[0.0]], [[weight]], [0.0], [0.0], activation="identity")
    assert reach_words(flow_of(run(cell, np.zeros((steps, 1)))), 3) == f"Elman (identity): the gradient {sentence}"


@pytest.mark.parametrize(
    ("norms", "sentence"),
    [
        ([-math.inf, -math.inf, 0.0], "exactly nothing of step 1 or any before it arrives: a single step loses all"),
        (
            [-math.inf, -math.inf, -0.6020599913279624, -0.3010299956639812, 0.0],
            "exactly nothing of step 1 or any before it arrives; after that the gradient halves every 1.0 steps on "
            "average",
        ),
        (  # of step 1 nothing arrives in h, but of step 0 it does, as by the long memory
            [-0.6020599913279624, -math.inf, 0.0],
            "the gradient halves every 1.0 steps on average, yet 0.25 of it still reaches step 0, 2 steps back: more "
            "than 0.001",
        ),
        (
            [-8.2, -8.1, -0.2, -0.1, 0.0],
            "the gradient loses most at a single step, 2 (times 1.3e−8) and is below 0.001 beyond 2 steps back: "
            "vanishing; 6.3e−9 reaches step 0",
        ),
        (
            [-math.inf, -4.2, -4.1, -0.2, -0.1, 0.0],
            "exactly nothing of step 0 or any before it arrives; after that the gradient loses most at a single step, "
            "3 (times 0.000126)",
        ),
        (  # just more than half of it at one step, and just less
            [-10.0, -4.5, -3.0, -1.5, 0.0],
            "the gradient loses most at a single step, 1 (times 3.2e−6) and is below 0.001 beyond 2 steps back: "
            "vanishing; 1e−10 reaches step 0",
        ),
        (
            [-10.0, -5.5, -3.5, -1.5, 0.0],
            "the gradient halves every 0.1 steps on average and is below 0.001 beyond 1 steps back: vanishing; 1e−10 "
            "reaches step 0",
        ),
        (  # of three steps one always loses a third
            [-8.2, -0.2, -0.1, 0.0],
            "the gradient halves every 0.1 steps on average and is below 0.001 beyond 2 steps back: vanishing; 6.3e−9 "
            "reaches step 0",
        ),
        (  # it loses most at one step, but in the end it has grown
            [3.5, -1.0, 2.0, 1.0, 0.0],
            "the gradient doubles every 0.3 steps on average: exploding; 3162 arrives at step 0, 4 steps back",
        ),
    ],
)
def test_gaps_ends_and_single_steps_to_the_character(norms: list[float], sentence: str) -> None:
    assert reach_words(with_norms(norms), 3) == f"Elman (tanh): {sentence}"


def test_a_gradient_that_grows_and_comes_back_is_not_called_still() -> None:
    """Its ends alone would say so: 2, 2, 1/2 and 1/2 multiply to 1."""
    assert reach_words(flow_of(scalar(2.0, 0.25, 0.25, 1.0, 1.0)), 3) == (
        "Elman (tanh): the gradient swings between 1 and 4; 1 reaches step 0, 4 steps back"
    )


def scalar(weight: float, *slopes: float) -> Trace:
    """One unit of tanh with these slopes at its steps: h = sqrt(1 - slope), which its input sees to."""
    h = [0.0, *(math.sqrt(1 - slope) for slope in slopes)]
    x = [[math.atanh(after) - weight * before] for before, after in pairwise(h)]
    return run(ElmanCell([[1.0]], [[weight]], [0.0], [0.0]), x)


def test_a_step_that_takes_all_is_told_alone() -> None:
    """One step of slope 1e-6 among nineteen of slope 1: no half-life says that."""
    one = flow_of(scalar(1.0, *[1.0] * 11, 1e-6, *[1.0] * 8))
    assert reach_words(one, 3) == (
        "Elman (tanh): the gradient loses most at a single step, 12 (times 1e−6) and is below 0.001 beyond 8 steps "
        "back: vanishing; 1e−6 reaches step 0"
    )


def flow_of(trace: Trace) -> CellFlow:
    return CellFlow(trace, log10_gradient_norms(trace))


@given(st.lists(flows(max_steps=6), min_size=1, max_size=3), st.integers(1, 9))
def test_the_notice_is_of_the_cell_in_front_with_what_arrives_in_the_others(
    shown: list[CellFlow], threshold: int
) -> None:
    said = notice(shown, threshold)
    front = reach_words(shown[0], threshold)
    if len(shown) == 1:
        assert said == f"{front}."
        return
    assert said.startswith(f"{front} (")
    assert said.endswith(").")
    cells = said.removeprefix(f"{front} (").removesuffix(").").split(", ")
    for cell, one in zip(cells, shown[1:], strict=True):
        name, _, left = cell.rpartition(" ")
        assert name == one.name
        assert says_power(left, norms_back(one.trace)[0])


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
    return Known("slopes_sigmoid", trace, 0.0, powers(0.25, steps), powers(0.25, steps))


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
    of_one_number("slopes_tanh", 1.0, 0.5, 20),
    of_one_number("slopes_tanh", 2.0, 0.2, 20),  # though the weights stretch
    at_its_steepest(20),
    asleep_once(1.0, "slopes_relu"),
    asleep_once(0.25, "both"),
    of_one_number("both", 0.5, 0.4, 20),
    of_one_number("together", 0.9, 0.9, 40),
    of_one_number("together", 0.5, 0.6, 12),  # the weights alone would do it, with -3.6 of -6.3 decades
    of_one_number("together", 0.6, 0.5, 12),
    of_one_number("stretch", 3.0, 0.9, 20),
    of_one_number("balance", 2.0, 0.5, 20),
    of_one_number("balance", 1.9, 0.45, 10),  # the slopes alone would do it
    of_one_number("still", 1.1, 0.9, 20),
    of_half_asleep("interplay", 40),
    of_half_asleep("still", 12),  # the weights alone would vanish, but it does not
]


@pytest.mark.parametrize("known", KNOWN, ids=[f"{one.lead} {one.trace.steps}" for one in KNOWN])
def test_the_reason_and_its_numbers_by_hand(known: Known) -> None:
    said = elman_cause(flow_of(known.trace), decay_causes(known.trace), 3)
    found = whole(f"cause.elman.{known.lead}", said)
    assert says_power(found["weights"], known.weights)
    assert says_power(found["slopes"], known.slopes)


@pytest.mark.parametrize("known", KNOWN, ids=[f"{one.lead} {one.trace.steps}" for one in KNOWN])
def test_the_made_networks_are_what_they_are_taken_for(known: Known) -> None:
    """The norms by plain products; each sentence says whether it vanishes, explodes or neither."""
    assert norms_back(known.trace)[0] == pytest.approx(known.end)
    assert (known.end < -3) == known.lead.startswith(("weights", "slopes", "both", "together"))
    assert (known.end > 3) == (known.lead in ("stretch", "interplay"))


CAUSES = [key for key in TEXTS if key.startswith("cause.elman.")]


@given(flows(ELMAN, shifts=(0.0, 1.0), max_steps=30), st.sampled_from([0.3, 1.0, 2.0]), st.integers(1, 3))
def test_the_reason_is_true_of_any_network(one: CellFlow, gain: float, threshold: int) -> None:
    """A cause that is named crosses the threshold alone and makes most of the way; both numbers are right."""
    cell, x, h0 = one.trace.cell, one.trace.x, one.trace.h[0]
    activation = getattr(cell, "activation", "tanh")
    trace = run(ElmanCell(cell.W_ih, gain * cell.W_hh, cell.b_ih, cell.b_hh, activation=activation), x, h0)
    (weights, slopes), end = alone(trace), norms_back(trace)[0]
    near = [abs(abs(number) - threshold) < 1e-6 for number in (weights, slopes, end)]
    near += [end > -math.inf and abs(cause - 0.6 * end) < 1e-6 for cause in (weights, slopes)]
    if any(near):
        return
    key, found = the_one(CAUSES, elman_cause(flow_of(trace), decay_causes(trace), threshold))
    lead = key.removeprefix("cause.elman.")
    by_weights, by_slopes = weights < -threshold, slopes < -threshold
    most_by_weights, most_by_slopes = weights <= 0.6 * end, slopes <= 0.6 * end
    claims = {
        "both": end < -threshold and by_weights and by_slopes,
        "weights": end < -threshold and by_weights and not by_slopes and most_by_weights,
        f"slopes_{activation}": end < -threshold and by_slopes and not by_weights and most_by_slopes,
        "together": end < -threshold
        and not (by_weights and (by_slopes or most_by_weights))
        and not (by_slopes and most_by_slopes),
        "stretch": end > threshold and weights > threshold,
        "interplay": end > threshold and weights <= threshold,
        "balance": abs(end) <= threshold and (weights > threshold or by_slopes),
        "still": abs(end) <= threshold and weights <= threshold and not by_slopes,
    }
    assert claims[lead], lead
    assert says_power(found["weights"], weights)
    assert says_power(found["slopes"], slopes)


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
    return log10_size(np.linalg.matrix_power(W, trace.steps)), log10_size(product)


def log10_size(matrix: Array) -> float:
    size = float(np.linalg.norm(matrix, 2))
    return math.log10(size) if size else -math.inf


@given(flows(ELMAN, shifts=(0.0, 1.0), max_steps=30))
def test_the_split_is_that_of_the_determinants(one: CellFlow) -> None:
    """The factor of a step is the H-th root of |det J_t|, in the mean over the steps; its parts multiply to it."""
    trace, H = one.trace, one.trace.cell.hidden_size
    signs, logs = np.linalg.slogdet(step_jacobians(trace))
    text = split_words(decay_causes(trace), trace)
    if (signs == 0).any():  # a unit of relu that sleeps
        assert slots("cause.split.dead", text) == {}
        return
    weights = float(np.linalg.slogdet(trace.cell.W_hh)[1]) / H / math.log(10)
    step = float(logs.mean()) / H / math.log(10)
    said = slots("cause.split", text)
    assert says_power(said["step"], step)
    assert says_power(said["weights"], weights)
    assert says_power(said["slopes"], step - weights)


def test_a_singular_matrix_and_a_sleeping_unit_lose_a_direction() -> None:
    singular = run(ElmanCell(np.eye(2), [[1.0, 1.0], [1.0, 1.0]], [0.0, 0.0], [0.0, 0.0]), np.zeros((3, 2)))
    assert slots("cause.split.singular", split_words(decay_causes(singular), singular)) == {}
    sleeping = run(make_cell("elman", 1, 2, init="identity", activation="relu"), [[-1.0], [-1.0]])
    causes = decay_causes(sleeping)
    assert slots("cause.split.dead", split_words(causes, sleeping)) == {}
    awake = DecayCauses(causes.weights_alone, causes.slopes_alone, np.zeros(2), 0.0)
    assert slots("cause.split", split_words(awake, sleeping)) == {"step": "1", "slopes": "1", "weights": "1"}


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


SHUT_FIRST = (Clamp("z", 0.0), Clamp("z", 0.25, 0))
WHY: list[tuple[str, Trace, float, list[float]]] = [  # what the gates alone leave, and the gates themselves
    ("shut", gru(np.zeros((2, 2)), 20, Clamp("z", 0.5)), powers(0.5, 20), [0.5]),
    ("shut", gru(np.zeros((2, 2)), 20, *SHUT_FIRST), powers(0.25, 20), [0.0, 0.25]),
    ("shut", lstm(20), powers(0.5, 20), [0.5]),
    ("shut_rest", gru(0.6 * np.eye(2), 20, Clamp("z", 0.0)), -math.inf, [0.0]),
    ("shut_rest", gru(0.5 * np.eye(2), 20, Clamp("z", 0.25)), powers(0.25, 20), [0.25]),
    ("lost", lstm(20, Clamp("f", 1.0)), 0.0, [1.0]),
    ("lost", lstm(4), powers(0.5, 4), [0.5]),
    ("lost", gru(-0.9 * np.eye(2), 3, Clamp("z", 0.5)), powers(0.5, 3), [0.5]),  # h takes back what z keeps: 0.05^3
    ("lost", gru(-0.7 * np.eye(2), 2, Clamp("z", 0.5)), powers(0.5, 2), [0.5]),  # 0.15^2 is within the threshold
    ("lost", through_h(2.0), powers(0.5, 1), [0.5]),  # of a single step from h to h, f has no part
    ("open", gru(np.zeros((2, 2)), 20, Clamp("z", 1.0)), 0.0, [1.0]),
    ("open", gru(np.zeros((2, 2)), 20, Clamp("z", 0.9), Clamp("z", 1.0, 1)), 0.0, [0.9, 1.0]),
    ("open", gru(np.zeros((2, 2)), 1, Clamp("z", 0.5)), powers(0.5, 1), [0.5]),  # over a single step too
    ("others", gru(np.eye(2), 20, Clamp("z", 0.0)), -math.inf, [0.0]),
    ("others", gru(np.eye(2), 20, Clamp("z", 0.25)), powers(0.25, 20), [0.25]),
    ("around", gru(3.0 * np.eye(2), 20, Clamp("z", 0.0)), -math.inf, [0.0]),
    ("around", gru(3.0 * np.eye(2), 20, Clamp("z", 0.5)), powers(0.5, 20), [0.5]),
]


@pytest.mark.parametrize(("lead", "trace", "kept", "gates"), WHY)
def test_which_way_carries_it_by_hand(lead: str, trace: Trace, kept: float, gates: list[float]) -> None:
    said = whole(f"cause.gates.{lead}", gated_cause(flow_of(trace), log10_keep_products(trace), 3))
    letter, name = ("f", "forget gates") if trace.c is not None else ("z", "update gates")
    assert (said["gate"], said["gates"]) == (letter, name)
    assert says_power(said["kept"], kept)
    assert says(said["mean"], sum(gates) / len(gates))
    if "least" in said:
        assert says(said["least"], min(gates))
        assert says(said["most"], max(gates))


def test_the_made_gated_networks_are_what_they_are_taken_for() -> None:
    ends = {f"{number} {lead}": norms_back(trace)[0] for number, (lead, trace, _, _) in enumerate(WHY)}
    for name, end in ends.items():
        lead = name.split()[1]
        assert (end < -3) <= (lead in ("shut", "shut_rest", "lost")), name
        assert (end < -3) >= (lead in ("shut", "shut_rest")), name
        assert (end > 3) == (lead == "around"), name


def test_gates_that_would_leave_more_than_arrives_do_not_carry_it() -> None:
    """The LSTM with chrono: its gates alone would leave a third, of a change of h alone arrives a hundredth of that."""
    trace = run(make_cell("lstm", 4, 32, init="chrono", t_max=100), np.random.default_rng(0).uniform(-1, 1, (100, 4)))
    kept = max(math.fsum(map(math.log10, unit)) for unit in trace.gates["f"].T.tolist())
    assert -3 < norms_back(trace)[0] < kept - 1
    said = slots("cause.gates.lost", gated_cause(flow_of(trace), log10_keep_products(trace), 3))
    assert says_power(said["kept"], kept)


def test_of_the_long_memory_a_single_step_passes_the_gates() -> None:
    """dc_1/dc_0 is f itself."""
    trace = lstm(1)
    flow = CellFlow(trace, log10_gradient_norms(trace, block="c"), "c")
    assert whole("cause.gates.open", gated_cause(flow, log10_keep_products(trace), 3))["kept"] == "0.5"


@pytest.mark.parametrize(
    ("trace", "sentence"),
    [
        (lstm(3), "Alone, f would leave 0.125: "),
        (gru(np.eye(2), 2, Clamp("z", 0.5)), "Alone, z would leave 0.25: "),
        (
            run(make_cell("gru", 1, 2, update="write"), np.zeros((2, 1)), clamp=[Clamp("z", 0.9)]),
            "Alone, 1 − z would leave 0.01: ",
        ),
        (gru(np.eye(2), 2, Clamp("z", 0.0)), "Alone, z would leave 0: "),
    ],
)
def test_what_the_gates_alone_would_leave(trace: Trace, sentence: str) -> None:
    assert keep_words(trace, log10_keep_products(trace)).startswith(sentence)


WHYS = [key for key in TEXTS if re.fullmatch(r"cause\.gates\.(?!fold)[^.]+", key)]


@given(cases(GATED, shifts=(0.0, 3.0), max_steps=20), st.data(), st.integers(1, 3))
def test_which_way_carries_it_in_any_cell(case: Any, data: st.DataObject, threshold: int) -> None:
    """The gates in plain loops; what is said of their product beside the norm is true."""
    trace = run(*case, clamp=data.draw(st.lists(clamps_for(case), max_size=2)))
    writes = getattr(trace.cell, "update", "") == "write"
    gates = trace.gates["f" if trace.c is not None else "z"].tolist()
    keeps = [[1 - gate if writes else gate for gate in row] for row in gates]
    logs = [[math.log10(keep) if keep else -math.inf for keep in row] for row in keeps]
    kept, end = max(map(sum, zip(*logs, strict=True))), norms_back(trace)[0]
    near = [abs(abs(one) - threshold) < 1e-6 for one in (kept, end)]
    if any(near) or (end > -math.inf and abs(abs(end - kept) - 1) < 1e-6):
        return
    key, said = the_one(WHYS, gated_cause(flow_of(trace), log10_keep_products(trace), threshold))
    passed = trace.steps > 1 or trace.c is None
    more, less = end > kept + 1, end < kept - 1
    claims = {
        "shut": end < -threshold and kept < -threshold and not more,
        "shut_rest": end < -threshold and kept < -threshold and more,
        "lost": kept >= -threshold > end or (abs(end) <= threshold and (less or not (more or passed))),
        "around": end > threshold,
        "open": abs(end) <= threshold and not more and not less and passed,
        "others": abs(end) <= threshold and more,
    }
    assert claims[key.removeprefix("cause.gates.")], key
    assert said["gate"] == ("f" if trace.c is not None else "1 − z" if writes else "z")
    assert says_power(said["kept"], kept)
    every = [keep for row in keeps for keep in row]
    assert says(said["mean"], math.fsum(every) / len(every))
    if "least" in said:
        assert says(said["least"], min(every))
        assert says(said["most"], max(every))


@pytest.mark.parametrize(
    ("memory", "norm", "said"),
    [
        (-2.0, -4.0, "Its long memory c passes on 0.01."),
        (-2.0, -3.9, ""),
        (0.0, -300.0, "Its long memory c passes on 1."),
        (-40.0, -math.inf, "Its long memory c passes on 1e−40."),
        (-math.inf, -math.inf, ""),  # nothing is no hundred times nothing
        (-math.inf, -3.0, ""),
    ],
)
def test_the_long_memory_is_told_of_where_it_passes_on_a_hundred_times_as_much(
    memory: float, norm: float, said: str
) -> None:
    assert memory_words(with_norms([norm, 0.0], "lstm"), np.array([memory, 0.0])) == said


# --- what the norms leave out ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("held", [False, True])
@pytest.mark.parametrize("wanted", [5, 9])
def test_what_the_norms_leave_out(layers: int, held: bool, wanted: int) -> None:
    trace = run(make_cell("gru", 1, 2), np.zeros((5, 1)), clamp=[Clamp("z", 1.0)] if held else [])
    said = limits_words([flow_of(trace)], 2, layers, wanted)
    sentences = [
        "Within layer 2: ways through other layers are not followed." if layers > 1 else "",
        "Held gates count as constants: nothing flows back through what would have set them." if held else "",
        "GRU leaves the range of numbers after step 5: this is its gradient up to there." if wanted > 5 else "",
    ]
    assert said == " ".join(filter(None, sentences))


def test_each_cell_that_ends_early_is_named() -> None:
    """In front or beside it; the gates of those beside it are not told of."""
    held = run(make_cell("lstm", 1, 2), np.zeros((3, 1)), clamp=[Clamp("f", 1.0)])
    shown = [run(make_cell("gru", 1, 2), np.zeros((9, 1))), held, run(make_cell("elman", 1, 2), np.zeros((5, 1)))]
    assert limits_words([flow_of(trace) for trace in shown], 1, 1, 9) == (
        "LSTM leaves the range of numbers after step 3: this is its gradient up to there. "
        "Elman (tanh) leaves the range of numbers after step 5: this is its gradient up to there."
    )
    assert limits_words([flow_of(trace) for trace in shown], 1, 1, 3) == ""
