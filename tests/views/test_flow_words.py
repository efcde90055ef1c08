"""What to notice of a gradient and why: the numbers of every sentence, found again by hand and in plain products."""

from __future__ import annotations

import math
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
from tests.views.spoken import number, whole
from tests.views.written import says, says_power

Array = NDArray[np.float64]
ELMAN, GATED = FORMS["elman"], [*FORMS["lstm"], *FORMS["gru"]]
TWICE = math.log10(2)

decades = st.floats(-40.0, 40.0) | st.floats(-4.0, 4.0) | st.sampled_from([-math.inf, 0.0, -1000.0, -3.0, 3.0, 400.0])
paths = st.lists(decades, min_size=1, max_size=30).map(lambda norms: [*norms, 0.0])


def whole_or(text: str, value: float) -> bool:
    """A number of steps to one decimal, which may be many or endless."""
    return number(text) == value if math.isinf(value) else says(text, value)


# --- how far it reaches ---------------------------------------------------------------------------------------------


def assert_pace(text: str, norms: list[float], first: int = 0) -> None:
    """The pace of the norms of the steps from `first` to the last; a step that takes half of all is told alone."""
    change, steps = norms[0], len(norms) - 1
    losses = {first + k + 1: norms[k + 1] - norms[k] for k in range(steps)}
    worst = max(losses, key=lambda step: losses[step], default=0)
    if max(norms) - min(norms) < TWICE:
        assert whole("reach.pace.still", text) == {}
    elif abs(change) < TWICE:
        said = whole("reach.pace.swings", text)
        assert says_power(said["low"], min(norms))
        assert says_power(said["high"], max(norms))
    elif change < 0 and steps > 3 and min(norms) > -math.inf and losses[worst] >= max(1.0, -change / 2):
        said = whole("reach.pace.drop", text)
        assert losses[int(said["step"])] == pytest.approx(losses[worst], abs=1e-9)
        assert says_power(said["factor"], -losses[worst])
    else:
        said = whole("reach.pace.halves" if change < 0 else "reach.pace.doubles", text)
        assert says(said["steps"], TWICE * steps / abs(change))


def near_a_bound(norms: list[float], threshold: int) -> bool:
    """Whether a number lies so near to one that rounding decides what is said."""
    losses = [after - before for before, after in pairwise(norms)] or [0.0]
    bounds = [(abs(norms[0]), float(threshold)), (abs(norms[0]), TWICE), (max(norms) - min(norms), TWICE)]
    bounds += [(max(losses), 1.0), (max(losses), -norms[0] / 2), (norms[0], 0.0)]
    return any(abs(value - bound) < 1e-9 for value, bound in bounds)


def assert_reach(text: str, norms: list[float], name: str, threshold: int) -> None:
    """Every number of the sentence, and that it is the right one of the sentences."""
    steps, left = len(norms) - 1, norms[0]
    if left == -math.inf:
        zero = next(k for k, norm in enumerate(norms) if norm > -math.inf) - 1  # of a gap behind it nothing is said
        said = whole("reach.zero" if zero < steps - 1 else "reach.zero_at_once", text)
        assert int(said["zero"]) == zero
        if zero < steps - 1:
            assert_pace(said["pace"], norms[zero + 1 :], zero + 1)
    else:
        if left < -threshold:
            said = whole("reach.vanishing", text)
            lags = [steps - k for k, norm in enumerate(norms) if norm >= -threshold]
            assert int(said["horizon"]) == max(lags)
        elif left > threshold:
            said = whole("reach.exploding", text)
        elif max(norms) - min(norms) < TWICE:
            said = whole("reach.stable", text)
        elif abs(left) < TWICE:
            said = whole("reach.swinging", text)
        else:
            said = whole("reach.fading" if left < 0 else "reach.growing", text)
        assert says_power(said["left"], left)
        assert "steps" not in said or int(said["steps"]) == steps
        assert "share" not in said or says_power(said["share"], -threshold)
        assert_pace(said["pace"], norms)
    assert said["name"] == name


@given(paths, st.integers(1, 300))
@example([-4.0, 0.0], 3)
@example([0.0, 5.0, 0.0], 3)
@example([-math.inf, 0.1, -0.1, 0.0], 3)
@example([-math.inf, 0.1, 1.0, 0.0], 3)
@example([-3.0, 0.0], 3)
@example([3.0, 0.0], 3)
@example([-9.0, -9.5, -1.0, -0.5, 0.0], 3)
@example([8.0, 9.0, -2.0, 5.0, 0.0], 3)  # it loses at a step and explodes nevertheless
@example([-0.5, -math.inf, -1.0, 0.0], 3)  # a gap behind which the gradient comes back
@example([-math.inf, -4.0, -math.inf, -1.0, 0.0], 3)
def test_how_far_it_reaches_in_any_norms(norms: list[float], threshold: int) -> None:
    assert_reach(reach_words(with_norms(norms), threshold), norms, "Elman (tanh)", threshold)


@given(flows(max_steps=40), st.integers(1, 4))
def test_how_far_it_reaches_in_any_network(one: CellFlow, threshold: int) -> None:
    """Against products of the steps."""
    norms = norms_back(one.trace)
    if not near_a_bound(norms, threshold):
        assert_reach(reach_words(one, threshold), norms, one.name, threshold)


GRADIENT = "Elman (identity): the gradient "


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (0.5, f"{GRADIENT}halves every 1.0 steps on average and is below 0.001 beyond 9 steps back: vanishing; 9.5e−7 "
              "reaches step 0"),
        (1.0, f"{GRADIENT}keeps its size within a factor of 2: stable; 1 reaches step 0, 20 steps back"),
        (2.0, f"{GRADIENT}doubles every 1.0 steps on average: exploding; 1e6 arrives at step 0, 20 steps back"),
        (0.9, f"{GRADIENT}halves every 6.6 steps on average, yet 0.122 of it still reaches step 0, 20 steps back: more "
              "than 0.001"),
        (1.1, f"{GRADIENT}doubles every 7.3 steps on average; 6.73 reaches step 0, 20 steps back: not yet exploding"),
        (0.0, "Elman (identity): exactly nothing of step 19 or any before it arrives: a single step loses all"),
    ],
)  # fmt: skip
def test_sentences_to_the_character(weight: float, sentence: str) -> None:
    """Powers of one weight."""
    cell = ElmanCell([[0.0]], [[weight]], [0.0], [0.0], activation="identity")
    assert reach_words(flow_of(run(cell, np.zeros((20, 1)))), 3) == sentence


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


KNOWN = [
    Known("weights", scalar(0.5, *[1.0] * 20), powers(0.5, 20), 0.0),
    Known("slopes_tanh", scalar(1.0, *[0.5] * 20), 0.0, powers(0.5, 20)),
    Known("both", scalar(-0.5, *[0.4] * 20), powers(0.5, 20), powers(0.4, 20)),
    Known("together", scalar(0.9, *[0.9] * 40), powers(0.9, 40), powers(0.9, 40)),
    # six decades go: the larger part of them is named where it is more than 6 in 10
    Known("together", scalar(10 ** (-3.3 / 20), *[10 ** (-2.7 / 20)] * 20), -3.3, -2.7),
    Known("weights", scalar(10 ** (-3.9 / 20), *[10 ** (-2.1 / 20)] * 20), -3.9, -2.1),
    Known("together", scalar(10 ** (-2.7 / 20), *[10 ** (-3.3 / 20)] * 20), -2.7, -3.3),
    Known("slopes_tanh", scalar(10 ** (-2.1 / 20), *[10 ** (-3.9 / 20)] * 20), -2.1, -3.9),
    Known("stretch", scalar(3.0, *[0.9] * 20), powers(3.0, 20), powers(0.9, 20)),
    Known("balance", scalar(2.0, *[0.5] * 20), powers(2.0, 20), powers(0.5, 20)),
    Known("balance", scalar(1.9, *[0.45] * 10), powers(1.9, 10), powers(0.45, 10)),  # the slopes alone would do it
    Known("still", scalar(1.1, *[0.9] * 20), powers(1.1, 20), powers(0.9, 20)),
    Known("interplay", half_asleep(40), power_of_the_matrix(40), 0.0),
    Known("still", half_asleep(12), power_of_the_matrix(12), 0.0),  # neither explodes nor vanishes
]


@pytest.mark.parametrize("known", KNOWN, ids=[f"{number} {one.lead}" for number, one in enumerate(KNOWN)])
def test_the_reason_and_its_numbers_by_hand(known: Known) -> None:
    said = elman_cause(flow_of(known.trace), decay_causes(known.trace), 3)
    found = whole(f"cause.elman.{known.lead}", said)
    assert says_power(found["weights"], known.weights)
    assert says_power(found["slopes"], known.slopes)


def test_the_made_networks_are_what_they_are_taken_for() -> None:
    """The norms by plain products: vanishing for four reasons, exploding for two, the rest between."""
    ends = [norms_back(known.trace)[0] for known in KNOWN]
    assert ends[:4] == pytest.approx([powers(b, n) for b, n in ((0.5, 20), (0.5, 20), (0.2, 20), (0.81, 40))])
    assert ends[4:8] == pytest.approx([-6.0] * 4)
    assert ends[8] == pytest.approx(powers(2.7, 20))
    assert ends[9:12] == pytest.approx([0.0, powers(1.9 * 0.45, 10), powers(0.99, 20)])
    assert ends[12:] == pytest.approx([powers(1.5, n - 1) + math.log10(1.5 * math.sqrt(2)) for n in (40, 12)])


@given(flows(ELMAN, shifts=(0.0, 1.0), max_steps=30), st.sampled_from([0.3, 1.0, 2.0]), st.integers(1, 3))
def test_the_reason_by_its_definition(one: CellFlow, gain: float, threshold: int) -> None:
    """A cause is named that would do it alone, and the only one; if it is not most of it, both together do it."""
    cell, x, h0 = one.trace.cell, one.trace.x, one.trace.h[0]
    activation = getattr(cell, "activation", "")
    scaled = ElmanCell(cell.W_ih, gain * cell.W_hh, cell.b_ih, cell.b_hh, activation=activation)
    trace = run(scaled, x, h0)
    weights, slopes = alone(trace)
    end = norms_back(trace)[0]
    near = [abs(abs(number) - threshold) < 1e-6 for number in (weights, slopes, end)]
    near += [abs(0.6 * end - number) < 1e-6 for number in (weights, slopes)]
    if any(near):
        return
    if end < -threshold:
        alone_too = {"weights": weights < -threshold, f"slopes_{activation}": slopes < -threshold}
        most = {"weights": weights <= 0.6 * end, f"slopes_{activation}": slopes <= 0.6 * end}
        either = [name for name, enough in alone_too.items() if enough and most[name]]
        lead = "both" if all(alone_too.values()) else either[0] if either else "together"
    elif end > threshold:
        lead = "stretch" if weights > threshold else "interplay"
    else:
        lead = "balance" if weights > threshold or slopes < -threshold else "still"
    found = whole(f"cause.elman.{lead}", elman_cause(flow_of(trace), decay_causes(trace), threshold))
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
        assert whole("cause.split.dead", text) == {}
        return
    weights = float(np.linalg.slogdet(trace.cell.W_hh)[1]) / H / math.log(10)
    step = float(logs.mean()) / H / math.log(10)
    said = whole("cause.split", text)
    assert says_power(said["step"], step)
    assert says_power(said["weights"], weights)
    assert says_power(said["slopes"], step - weights)


def test_a_singular_matrix_and_a_sleeping_unit_lose_a_direction() -> None:
    singular = run(ElmanCell(np.eye(2), [[1.0, 1.0], [1.0, 1.0]], [0.0, 0.0], [0.0, 0.0]), np.zeros((3, 2)))
    assert whole("cause.split.singular", split_words(decay_causes(singular), singular)) == {}
    sleeping = run(make_cell("elman", 1, 2, init="identity", activation="relu"), [[-1.0], [-1.0]])
    causes = decay_causes(sleeping)
    assert whole("cause.split.dead", split_words(causes, sleeping)) == {}
    awake = DecayCauses(causes.weights_alone, causes.slopes_alone, np.zeros(2), 0.0)
    assert whole("cause.split", split_words(awake, sleeping)) == {"step": "1", "slopes": "1", "weights": "1"}


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


SHUT_FIRST = (Clamp("z", 0.0), Clamp("z", 0.25, 0))
WHY: list[tuple[str, Trace, float, list[float]]] = [  # what the gates alone leave, and the gates themselves
    ("shut", gru(np.zeros((2, 2)), 20, Clamp("z", 0.5)), powers(0.5, 20), [0.5]),
    ("shut", gru(np.zeros((2, 2)), 20, *SHUT_FIRST), powers(0.25, 20), [0.0, 0.25]),
    ("shut", lstm(20), powers(0.5, 20), [0.5]),
    ("lost", lstm(20, Clamp("f", 1.0)), 0.0, [1.0]),
    ("lost", lstm(4), powers(0.5, 4), [0.5]),
    ("lost", gru(0.5 * np.eye(2), 1, Clamp("z", 0.0), Clamp("z", 1.0, 1)), 0.0, [0.0, 1.0]),  # one step is no way
    ("open", gru(np.zeros((2, 2)), 20, Clamp("z", 1.0)), 0.0, [1.0]),
    ("open", gru(np.zeros((2, 2)), 20, Clamp("z", 0.9), Clamp("z", 1.0, 1)), 0.0, [0.9, 1.0]),
    ("others", gru(np.eye(2), 20, Clamp("z", 0.0)), -math.inf, [0.0]),
    ("others", gru(np.eye(2), 20, Clamp("z", 0.25)), powers(0.25, 20), [0.25]),
    ("others", gru(np.eye(2), 4, Clamp("z", 0.5)), powers(0.5, 4), [0.5]),  # more than a decade more arrives
    ("open", gru(np.eye(2), 3, Clamp("z", 0.5)), powers(0.5, 3), [0.5]),
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
    for lead, trace, kept, _ in WHY:
        end = norms_back(trace)[0]
        assert (end < -3) == (lead in ("shut", "lost") and trace.steps > 1), lead
        assert (end > 3) == (lead == "around"), lead
        assert (end > kept + 1) == (lead in ("others", "around")), lead


def test_gates_that_would_leave_more_than_arrives_do_not_carry_it() -> None:
    """The LSTM with chrono: its gates alone would leave a third, of a change of h alone arrives a hundredth of that."""
    trace = run(make_cell("lstm", 4, 32, init="chrono", t_max=100), np.random.default_rng(0).uniform(-1, 1, (100, 4)))
    kept = max(math.fsum(map(math.log10, unit)) for unit in trace.gates["f"].T.tolist())
    assert -3 < norms_back(trace)[0] < kept - 1
    said = whole("cause.gates.lost", gated_cause(flow_of(trace), log10_keep_products(trace), 3))
    assert says_power(said["kept"], kept)


@given(cases(GATED, shifts=(0.0, 3.0), max_steps=20), st.data(), st.integers(1, 3))
def test_which_way_carries_it_in_any_cell(case: Any, data: st.DataObject, threshold: int) -> None:
    """The gates in plain loops; the sentence that their product and the norm ask for."""
    trace = run(*case, clamp=data.draw(st.lists(clamps_for(case), max_size=2)))
    writes = getattr(trace.cell, "update", "") == "write"
    gates = trace.gates["f" if trace.c is not None else "z"].tolist()
    keeps = [[1 - gate if writes else gate for gate in row] for row in gates]
    logs = [[math.log10(keep) if keep else -math.inf for keep in row] for row in keeps]
    kept, end = max(map(sum, zip(*logs, strict=True))), norms_back(trace)[0]
    if any(abs(abs(one) - threshold) < 1e-6 for one in (kept, end)) or abs(abs(end - kept) - 1) < 1e-6:
        return
    through_h = end > kept + 1
    if end < -threshold:
        lead = "lost" if kept >= -threshold else "shut_rest" if through_h else "shut"
    elif end > threshold:
        lead = "around"
    else:
        lead = "others" if through_h else "lost" if end < kept - 1 or trace.steps == 1 else "open"
    text = gated_cause(flow_of(trace), log10_keep_products(trace), threshold)
    said = whole(f"cause.gates.{lead}", text)
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
    front = flow_of(run(make_cell("gru", 1, 2), np.zeros((5, 1)), clamp=[Clamp("z", 1.0)] if held else []))
    beside = (
        flow_of(run(make_cell("elman", 1, 2), np.zeros((9, 1)))),
        flow_of(run(make_cell("lstm", 1, 2), [[0.0]] * 7)),
    )
    early = "leaves the range of numbers after step {}: this is its gradient up to there."
    sentences = [
        "Within layer 2: ways through other layers are not followed." if layers > 1 else "",
        "Held gates count as constants: nothing flows back through what would have set them." if held else "",
        *(f"{name} {early.format(steps)}" for name, steps in (("GRU", 5), ("LSTM", 7)) if steps < wanted),
    ]
    assert limits_words([front, *beside], 2, layers, wanted) == " ".join(filter(None, sentences))


@pytest.mark.parametrize("value", [0.5, 0.0])
def test_the_product_of_the_gates_is_told_for_itself(value: float) -> None:
    trace = gru(np.eye(2), 10, Clamp("z", value))
    said = whole("cause.gates.fold", keep_words(trace, log10_keep_products(trace)))
    assert said["gate"] == "z"
    assert says_power(said["kept"], powers(value, 10))
