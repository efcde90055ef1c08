"""What to notice: every fact of a preset, found again by another route, and after an edit that changes it."""

from __future__ import annotations

import math
import re

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from rnnviz import ElmanCell, log10_gradient_norms, run
from rnnviz.maths import Trace
from rnnviz.network import NetworkRun, build, choose, follow, network_of, run_network, run_to_the_end
from rnnviz.presets import HIDDEN_STATE
from rnnviz.settings import SETTINGS, Entry, Settings
from rnnviz.texts.en import TEXTS
from rnnviz.views.sentences.facts import nudge_left, steps, swing_period
from tests.maths import reference
from tests.views.spoken import number, slots, vector, whole

Array = NDArray[np.float64]

TURN = TEXTS["fact.oscillator.turn"].partition("{")[0]


def ran(preset: str, edits: dict[Entry, float] | None = None, **chosen: object) -> NetworkRun:
    """A preset, with edits, or with settings chosen as the controls do it."""
    settings = Settings(preset)
    for name, value in chosen.items():
        settings = choose(settings, name, value)
    return run_network(build(network_of(settings.edit(dict(edits or {})))))


def fact(preset: str, ran: NetworkRun) -> str:
    return HIDDEN_STATE[preset].fact(ran.trace, ran.y)


# --- worked example: the numbers of the textbook's page, by hand ----------------------------------------------------


def test_the_worked_example_is_the_textbooks() -> None:
    trace = ran("worked_example").trace
    assert trace.x[0].tolist() == [0.5, -0.3]
    assert trace.h[0].tolist() == [0.1, 0.2, -0.1]
    np.testing.assert_allclose(trace.from_x[0], [0.00, -0.25, 0.10], rtol=0, atol=1e-15)
    np.testing.assert_allclose(trace.from_h[0], [0.04, 0.25, 0.12], rtol=0, atol=1e-15)
    np.testing.assert_allclose(trace.preacts["a"][0], [0.04, 0.00, 0.22], rtol=0, atol=1e-15)
    np.testing.assert_allclose(trace.h[1], [math.tanh(0.04), 0.0, math.tanh(0.22)], rtol=0, atol=1e-15)
    said = slots("fact.worked_example", fact("worked_example", ran("worked_example")))
    assert said == {"a": "[0.04, 0, 0.22]", "sign": "≈", "h": "[0.03998, 0, 0.2165]"}


def test_the_worked_example_after_an_edit() -> None:
    """W_ih[1, 1] = 0.3 adds 0.2 * 0.5 to the first sum."""
    said = slots(
        "fact.worked_example.changed",
        fact("worked_example", ran("worked_example", {Entry("W_ih", (0, 0)): 0.3})),
    )
    assert said["a"] == "[0.14, 0, 0.22]"
    assert said["own"] == "[0.04, 0, 0.22]"
    assert said["h"] == "[0.1391, 0, 0.2165]"


def test_a_small_edit_reads_unlike_the_textbook() -> None:
    """W_ih[1, 1] changes in its eighth digit, and so does what is said of the sums."""
    changed = ran("worked_example", {Entry("W_ih", (0, 0)): 0.10000001})
    said = slots("fact.worked_example.changed", fact("worked_example", changed))
    assert vector(said["a"])[0] - vector(said["own"])[0] == pytest.approx(0.5e-8, rel=1e-6)


def test_a_later_input_leaves_the_textbooks_step() -> None:
    changed = ran("worked_example", {Entry("x", (1, 0)): 9.0})
    assert fact("worked_example", changed) == fact("worked_example", ran("worked_example"))


@pytest.mark.parametrize("activation", ["sigmoid", "relu", "identity"])
def test_another_activation_is_not_the_textbooks_step(activation: str) -> None:
    """Its sums are the same, its state is not: the page has tanh."""
    said = fact("worked_example", ran("worked_example", activation=activation))
    with pytest.raises(AssertionError):
        slots("fact.worked_example", said)
    assert " instead of " not in said
    slots("fact.worked_example.activation", said)


# --- echo -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("chosen", [{}, {"input": "sine"}, {"steps": 200}, {"h0": (0.7,)}])
def test_echo_is_exact(chosen: dict[str, object]) -> None:
    echo = ran("echo", **chosen)
    x, y = echo.trace.x[:, 0].tolist(), echo.y[:, 0].tolist()
    for t in range(1, len(x)):
        assert y[t] == x[t - 1]
    whole("fact.echo.exact", fact("echo", echo))


def test_echo_after_an_edit() -> None:
    """With the copied unit at three quarters, a quarter of the largest input is missing."""
    echo = ran("echo", {Entry("W_hh", (1, 0)): 0.75})
    worst = max(abs(0.25 * x) for x in echo.trace.x[:-1, 0].tolist())
    said = whole("fact.echo.off", fact("echo", echo))
    assert number(said["error"].rstrip(".")) == pytest.approx(worst, rel=1e-3)


@pytest.mark.parametrize("chosen", [{"steps": 1}, {"output_size": 0}])
def test_no_echo_without_two_steps_and_an_output(chosen: dict[str, object]) -> None:
    slots("fact.echo.none", fact("echo", ran("echo", **chosen)))


# --- counter --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1, 16, 200])
def test_counter_counts_at_every_step(length: int) -> None:
    counter = ran("counter", steps=length)
    count = 0.0
    for x, h in zip(counter.trace.x[:, 0].tolist(), counter.trace.h[1:].tolist(), strict=True):
        count += x
        assert h == [count, max(count - 2, 0)]
    said = slots("fact.counter.exact", fact("counter", counter))
    assert (int(said["steps"]), number(said["count"])) == (length, count)
    assert length == 1 or count > 3


def test_counter_after_an_edit() -> None:
    """A memory of a half forgets: 1 + 1/2 + 1/4 ..."""
    counter = ran("counter", {Entry("W_hh", (0, 0)): 0.5})
    count = 0.0
    for x in counter.trace.x[:, 0].tolist():
        count = x + 0.5 * count
    said = slots("fact.counter.off", fact("counter", counter))
    assert number(said["count"]) == pytest.approx(count, abs=0.005)
    assert number(said["total"]) == counter.trace.x.sum()


@pytest.mark.parametrize("x", [(1.0, -3.0, 1.0, 2.0, -1.0), (-1.0, 1.0), (-1.0, 2.0)])
def test_relu_does_not_count_below_zero(x: tuple[float, ...]) -> None:
    counter = run_network(build(network_of(follow(Settings("counter"), tuple((value,) for value in x)))))
    said = slots("fact.counter.off", fact("counter", counter))
    count = 0.0
    for value in x:
        count = max(count + value, 0.0)
    assert (number(said["count"]), number(said["total"])) == (count, sum(x))


def test_a_wrong_count_between_is_told() -> None:
    """Right at the end alone is no count: unit 1 takes over unit 2, which starts at 3 and is 0 afterwards."""
    counter = ran("counter", {Entry("W_hh", (0, 0)): 0.0}, input="silence", steps=3, h0=(5.0, 0.0))
    assert counter.trace.h[1:, 0].tolist() == [0.0, 0.0, 0.0]
    slots("fact.counter.exact", fact("counter", counter))
    slow = ran(
        "counter", {Entry("W_hh", (0, 0)): 0.0, Entry("W_hh", (0, 1)): 1.0}, input="silence", steps=2, h0=(0.0, 3.0)
    )
    assert slow.trace.h[1:, 0].tolist() == [3.0, 0.0]
    said = slots("fact.counter.between", fact("counter", slow))
    assert (said["step"], said["count"], said["sum"], said["total"]) == ("1", "3", "0", "0")


@pytest.mark.parametrize("size", [1.0, 1e6, 1e12, 1e300])
def test_large_counts_are_told_apart(size: float) -> None:
    counter = run_network(build(network_of(follow(Settings("counter"), ((size,), (size,), (3.0,))))))
    slots("fact.counter.exact", fact("counter", counter))
    off = run_network(build(network_of(follow(Settings("counter"), ((1e6,), (1.0,))).edit({Entry("b_ih", (0,)): 0.5}))))
    said = slots("fact.counter.off", fact("counter", off))
    assert (said["count"], said["total"]) == ("1.000002e6", "1.000001e6")


@pytest.mark.parametrize("bias", [-2.0, -5.0, 1.0])
def test_the_second_unit_wakes_where_the_fact_says(bias: float) -> None:
    counter = ran("counter", {Entry("b_ih", (1,)): bias})
    claim = re.search(r"Unit 2 .*passes (\S+?)\.?$", fact("counter", counter))
    for count, second in counter.trace.h[1:].tolist():
        assert claim is None or (second > 0) == (count > number(claim[1]))
    assert (claim is not None) is (bias == -2.0)
    few = fact("counter", ran("counter", {Entry("b_ih", (1,)): bias}, steps=1))
    assert "Unit 2" not in few  # the count has not passed 2 yet: there is nothing to see


# --- oscillator -----------------------------------------------------------------------------------------------------


def test_oscillator_has_the_period_of_its_spectrum() -> None:
    long = ran("oscillator", steps=192)
    signal = long.trace.h[:, 0]
    peak = int(np.abs(np.fft.rfft(signal[:192])).argmax())
    said = slots("fact.oscillator.itself", fact("oscillator", long))
    assert number(said["period"]) == pytest.approx(192 / peak, abs=0.4)
    assert number(said["size"]) == pytest.approx(max(map(abs, signal.tolist())), abs=0.005)


def test_oscillator_has_the_period_of_its_sign_changes() -> None:
    oscillator = ran("oscillator")
    signal = oscillator.trace.h[:, 0].tolist()
    rising = [t for t in range(1, len(signal)) if signal[t - 1] < 0 <= signal[t]]
    counted = (rising[-1] - rising[0]) / (len(rising) - 1)
    assert len(rising) >= 3
    period = number(slots("fact.oscillator.itself", fact("oscillator", oscillator))["period"])
    assert period == pytest.approx(counted, abs=1 / (len(rising) - 1))
    assert period == pytest.approx(12, abs=0.5)


def test_oscillator_after_an_edit() -> None:
    """Without the turn each unit falls to one side and stays there."""
    still = ran("oscillator", {Entry("W_hh", (0, 1)): 0.0, Entry("W_hh", (1, 0)): 0.0})
    slots("fact.oscillator.none", fact("oscillator", still))


@pytest.mark.parametrize("degrees", [30.0, 20.0, 72.0])
def test_the_turn_of_the_state_is_measured_on_the_screen(degrees: float) -> None:
    """The direction of a vector before and after a product with W_hh, by hand."""
    cos, sin = 1.2 * math.cos(math.radians(degrees)), 1.2 * math.sin(math.radians(degrees))
    places = {(0, 0): cos, (0, 1): -sin, (1, 0): sin, (1, 1): cos}
    turning = ran("oscillator", {Entry("W_hh", place): value for place, value in places.items()})
    said = fact("oscillator", turning)
    turn = slots("fact.oscillator.turn", said[said.index(TURN) :])
    assert number(turn["angle"]) == pytest.approx(degrees, abs=0.051)
    assert number(turn["steps"]) == pytest.approx(360 / degrees, abs=0.051)


def test_an_oscillator_without_a_turn_claims_none() -> None:
    """Two units that swing by changing sign at each step: no angle below 180 degrees."""
    signs = {(0, 0): -1.5, (0, 1): 0.0, (1, 0): 0.0, (1, 1): -1.5}
    flipping = ran("oscillator", {Entry("W_hh", place): value for place, value in signs.items()})
    said = fact("oscillator", flipping)
    assert slots("fact.oscillator.itself", said)["period"] == "2"
    assert TURN not in said


@pytest.mark.parametrize(("input", "cause"), [("silence", "itself"), ("sine", "driven")])
def test_an_oscillator_is_driven_when_there_is_an_input(input: str, cause: str) -> None:
    slots(f"fact.oscillator.{cause}", fact("oscillator", ran("oscillator", input=input)))


@pytest.mark.parametrize("period", [5.0, 12.3, 30.0])
def test_the_period_of_a_sine(period: float) -> None:
    t = np.arange(200)
    assert swing_period(np.sin(2 * np.pi * (t + 0.4) / period)) == pytest.approx(period, rel=0.005)


@pytest.mark.parametrize("signal", [[0, 0, 0], [-1, 1, 1], [1, -1, 1, 0.5], [1, -1, -2], [1, 2, 1, 2], [0.0]])
def test_no_period_below_two_rising_passages(signal: list[float]) -> None:
    assert swing_period(np.array(signal)) is None


def test_a_touch_of_zero_is_a_passage() -> None:
    assert swing_period(np.array([-1.0, 0.0, 1.0, -1.0, 0.0])) == 3.0


# --- saturated ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [1.0, 0.5, 0.2, 0.1, 0.0])
@pytest.mark.parametrize("steps", [1, 12, 60])
@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
def test_saturated_counts_small_derivatives(scale: float, steps: int, activation: str) -> None:
    """By the derivative of the activation's own formula; saturated is said where half of them are small."""
    base = ran("saturated").trace.cell
    edits = {
        Entry(name, (row, column)): scale * float(array[row, column])
        for name, array in (("W_ih", base.W_ih), ("W_hh", base.W_hh))
        for row in range(3)
        for column in range(array.shape[1])
    }
    saturated = ran("saturated", edits, steps=steps, activation=activation)
    a = saturated.trace.preacts["a"].ravel().tolist()
    if activation == "tanh":
        slopes = sorted(1 / math.cosh(value) ** 2 for value in a)
    else:
        slopes = sorted(1 / (2 + math.exp(value) + math.exp(-value)) for value in a)
    small = sum(slope < 0.01 for slope in slopes)
    key = "none" if not small else "most" if small >= len(slopes) / 2 else "some"
    said = slots(f"fact.saturated.{key}", fact("saturated", saturated))
    assert int(said["all"]) == len(slopes) == 3 * steps
    assert int(said.get("count", "0")) == small
    middle = (
        slopes[len(slopes) // 2] if len(slopes) % 2 else sum(slopes[len(slopes) // 2 - 1 : len(slopes) // 2 + 1]) / 2
    )
    assert number(said["median"]) == pytest.approx(middle, rel=1e-3)


def test_most_of_the_preset_is_saturated_and_less_after_an_edit() -> None:
    edits = {Entry("W_hh", (row, column)): 0.0 for row in range(3) for column in range(3)}
    before = slots("fact.saturated.most", fact("saturated", ran("saturated")))
    after = slots("fact.saturated.some", fact("saturated", ran("saturated", edits)))
    assert int(before["count"]) > int(after["count"])


@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
@pytest.mark.parametrize("steps", [11, 12])
def test_a_median_far_below_float64_is_no_zero(activation: str, steps: int) -> None:
    """Inputs a thousand times as large: the formula of the derivative in 50 digits."""
    network = ran("saturated", steps=steps, activation=activation, input_scale=1000.0)
    said = slots("fact.saturated.most", fact("saturated", network))
    with mpmath.workdps(50):
        a = [mpmath.mpf(value) for value in network.trace.preacts["a"].ravel().tolist()]
        slopes = sorted(mpmath.sech(one) ** 2 if activation == "tanh" else mpmath.sech(one / 2) ** 2 / 4 for one in a)
        half = len(slopes) // 2
        middle = slopes[half] if len(slopes) % 2 else (slopes[half - 1] + slopes[half]) / 2
        wanted = float(mpmath.log10(middle))
    assert wanted < -330
    assert log10_of(said["median"]) == pytest.approx(wanted, abs=1e-3)


def test_a_straight_activation_is_never_saturated() -> None:
    said = fact("saturated", ran("saturated", activation="identity", steps=3))
    assert slots("fact.saturated.none", said) == {"all": "9", "median": "1"}


def test_a_relu_unit_is_inactive() -> None:
    relu = ran("saturated", activation="relu", steps=4)
    said = slots("fact.saturated.relu", fact("saturated", relu))
    assert int(said["count"]) == int((relu.trace.h[1:] == 0).sum())


# --- chaotic --------------------------------------------------------------------------------------------------------


def apart(chaotic: NetworkRun) -> tuple[float, float]:
    """Both starts once more in plain Python: the largest difference at the end, and the length of all of them."""
    trace = chaotic.trace
    start = trace.h[0].tolist()
    ends = [reference.elman(trace.cell, trace.x, h0)["h"][-1] for h0 in (start, [start[0] + 1e-9, *start[1:]])]
    differences = [abs(a - b) for a, b in zip(*ends, strict=True)]
    return max(differences), math.hypot(*differences)


def test_chaos_grows() -> None:
    chaotic = ran("chaotic")
    said = slots("fact.chaotic.grows", fact("chaotic", chaotic))
    largest, _ = apart(chaotic)
    assert largest > 1e-3
    assert number(said["apart"]) == pytest.approx(largest, rel=0.02)
    assert number(said["factor"]) == pytest.approx(number(said["apart"]) / 1e-9, rel=1e-3)
    assert (said["steps"], said["start"]) == ("100", "1e−9")


def test_chaos_dies_with_a_small_gain() -> None:
    tame = ran("chaotic", gain=0.5, steps=20)
    said = slots("fact.chaotic.shrinks", fact("chaotic", tame))
    largest, _ = apart(tame)
    assert number(said["apart"]) == pytest.approx(largest, rel=0.02)
    assert largest < 1e-12
    assert number(said["factor"]) == pytest.approx(largest / 1e-9, rel=0.02)
    assert said["steps"] == "20"


def test_a_difference_that_stays_or_is_gone() -> None:
    """W_hh = I with identity units keeps it, W_hh = 0 ends it; beside a start of 1e12 it is its share."""
    kept = ran("chaotic", init="identity", activation="identity", hidden_size=3, gain=1.0)
    slots("fact.chaotic.stays", fact("chaotic", kept))
    slots("fact.chaotic.gone", fact("chaotic", ran("chaotic", init="zeros")))
    far = ran("chaotic", init="identity", activation="identity", hidden_size=3, gain=1.0, h0=(1e12,))
    assert number(slots("fact.chaotic.stays", fact("chaotic", far))["start"]) == pytest.approx(1000, rel=1e-3)


# --- random ---------------------------------------------------------------------------------------------------------


def log10_left(trace: Trace) -> float:
    """log10 of the largest singular value of the product of all Jacobians by central differences, steps 2 to T."""
    size = trace.cell.hidden_size
    product, log10 = np.eye(size), 0.0
    for t in range(1, len(trace.x)):
        columns, step = [], 1e-6 * max(1.0, np.abs(trace.h[t]).max())
        for unit in range(size):
            nudge = step * np.eye(size)[unit]
            up, down = (run(trace.cell, trace.x[t : t + 1], trace.h[t] + side).h[-1] for side in (nudge, -nudge))
            columns.append((up - down) / (2 * step))
        product = np.stack(columns, axis=1) @ product
        scale = np.abs(product).max()
        product, log10 = product / scale, log10 + math.log10(scale)
    return log10 + 0.5 * math.log10(np.linalg.eigvalsh(product.T @ product).max())


def log10_of(text: str) -> float:
    mantissa, _, exponent = text.partition("e")
    return math.log10(number(mantissa)) + number(exponent or "0")


@pytest.mark.parametrize(
    ("key", "chosen"),
    [
        ("fades", {}),
        ("stays", {"steps": 2}),
        ("fades", {"gain": 0.02, "steps": 200, "seed": 3}),
        ("stays", {"gain": 1.5, "init": "orthogonal", "steps": 4}),
        ("grows", {"gain": 10.0, "activation": "identity", "init": "orthogonal", "steps": 200, "hidden_size": 4}),
    ],
)
def test_random_says_what_is_left(key: str, chosen: dict[str, object]) -> None:
    """Also where it lies below 1e-308: the third case is about 1e-400."""
    random = ran("random", **chosen)
    said = slots(f"fact.random.{key}", fact("random", random))
    assert log10_of(said["left"]) == pytest.approx(log10_left(random.trace), abs=0.03)
    assert int(said["steps"]) == len(random.trace.x)


@pytest.mark.parametrize("seed", range(32))
def test_random_says_what_the_gradient_norms_say(seed: int) -> None:
    """By the backward sweep of the Gradient flow page, for cells, lengths and gains of all sorts; no share above 1."""
    chosen: dict[str, object] = {
        "seed": seed, "gain": (0.1, 1.0, 2.0, 30.0)[seed % 4], "steps": (2, 9, 60, 300)[seed % 4],
        "hidden_size": 1 + seed % 6, "activation": SETTINGS["activation"].choices[seed // 4 % 4],
    }  # fmt: skip
    settings = Settings("random")
    for name, value in chosen.items():
        settings = choose(settings, name, value)
    random, _ = run_to_the_end(build(network_of(settings)))
    wanted = float(log10_gradient_norms(random.trace)[1])
    said = fact("random", random)
    if wanted == -math.inf:
        slots("fact.random.gone", said)
        return
    faded = "fades_only" if chosen["hidden_size"] == 1 else "fades"  # a single unit has one direction
    key = faded if wanted < -1 else "grows" if wanted > 1 else "stays"
    assert log10_of(slots(f"fact.random.{key}", said)["left"]) == pytest.approx(wanted, abs=1e-3)


@pytest.mark.parametrize("preset", list(HIDDEN_STATE))
@pytest.mark.parametrize("activation", SETTINGS["activation"].choices)
@pytest.mark.parametrize("size", [0.0, 1.0, 1e-200, 1e200])
def test_facts_of_any_numbers_are_sentences(preset: str, activation: str, size: float) -> None:
    """One step or two, weights and inputs of any size: no warning, and nothing that is no number."""
    for length in (1, 2):
        x = ((size,) * (1 if HIDDEN_STATE[preset].values.get("input_size") == 1 else 2),) * length
        settings = choose(follow(Settings(preset), x), "activation", activation)
        for edited in (settings, settings.edit({Entry("W_hh", (0, 0)): size}), choose(settings, "hidden_size", 1)):
            network, _ = run_to_the_end(build(network_of(edited)))
            said = HIDDEN_STATE[preset].fact(network.trace, network.y)
            assert said.endswith(".")
            assert not re.search(r"\b(nan|inf|None)\b", said)
            assert not re.search(r"\b1 steps\b", said)


def test_random_after_an_edit() -> None:
    """A weight of a unit on itself that magnifies, in a straight network: 2 ** 7 is left after 8 steps."""
    random = ran("random", {Entry("W_hh", (0, 0)): 2.0}, init="zeros", activation="identity")
    assert number(slots("fact.random.grows", fact("random", random))["left"]) == 128.0


def test_what_neither_fades_nor_grows_is_not_magnified() -> None:
    kept = fact("random", ran("random", init="identity", activation="identity"))
    assert slots("fact.random.stays", kept)["left"] == "1"


def test_what_is_lost_is_zero() -> None:
    assert slots("fact.random.gone", fact("random", ran("random", init="zeros")))["steps"] == "8"


def test_a_direction_that_is_weak_at_first_is_not_lost() -> None:
    """diag(2, 0.5) with the strong unit cut off at the end: 0.5 ** 1100 is left, beside 2 ** 1100 on the way."""
    steps = 1100
    x = np.zeros((steps, 1))
    x[-1] = -1.0
    cell = ElmanCell([[1e300], [0.0]], np.diag([2.0, 0.5]), [0.0, 1.0], [0.0, 0.0], activation="relu")
    trace = run(cell, x[-1000:], [0.0, 2.0])
    left = nudge_left(run(cell, x[-1000:], [1e-300, 2.0]), 1)
    assert trace.h[-1, 0] == 0.0
    assert left == pytest.approx(999 * math.log10(0.5), rel=1e-9)


def test_one_step_remembers_nothing() -> None:
    slots("fact.random.short", fact("random", ran("random", steps=1)))


# --- each step ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", SETTINGS["activation"].choices)
def test_each_step_names_the_unit_that_moves_most(activation: str) -> None:
    trace = ran("random", activation=activation, hidden_size=5, gain=2.0, seed=8, steps=12).trace
    notices = steps(trace)
    assert len(notices) == 12
    for t, (unit, text) in enumerate(notices):
        before, after = trace.h[t].tolist(), trace.h[t + 1].tolist()
        moves = [abs(new - old) for old, new in zip(before, after, strict=True)]
        assert moves[unit] == max(moves)
        said = {name: number(slot) for name, slot in slots("notice.moves", text).items()}
        total = math.fsum(trace.cell.W_ih[unit] * trace.x[t]) + trace.cell.b_ih[unit]
        memory = math.fsum(trace.cell.W_hh[unit] * trace.h[t]) + trace.cell.b_hh[unit]
        nudged = [reference.ACTIVATIONS[activation](total + memory + side) for side in (1e-6, -1e-6)]
        wanted = {
            "unit": unit + 1,
            "before": before[unit],
            "after": after[unit],
            "from_x": total,
            "from_h": memory,
            "sum": total + memory,
            "slope": (nudged[0] - nudged[1]) / 2e-6,
        }
        assert said == pytest.approx(wanted, abs=0.0051)


def test_a_step_without_a_move_says_so() -> None:
    still = ran("echo", input="silence", h0=(0.0,))
    for unit, text in steps(still.trace):
        assert 0 <= unit < 3
        slots("notice.still", text)


def test_the_steps_of_a_run_that_overflows() -> None:
    """Differences of huge states are looked at without a warning."""
    cell = ElmanCell([[1.0]], [[-1.0]], [0.0], [0.0], activation="identity")
    notices = steps(run(cell, [[0.0], [0.0]], [1.7e308]))
    assert [unit for unit, _ in notices] == [0, 0]


@pytest.mark.parametrize(("activation", "a"), [("tanh", 118.6), ("tanh", 400.0), ("sigmoid", 40.0), ("sigmoid", 800.0)])
def test_a_derivative_that_is_small_is_not_said_to_be_0(activation: str, a: float) -> None:
    """Also where it underflows float64; by mpmath."""
    cell = ElmanCell([[1.0]], [[0.0]], [0.0], [0.0], activation=activation)
    ((_, text),) = steps(run(cell, [[a]]))
    slope = mpmath.sech(a) ** 2 if activation == "tanh" else mpmath.sech(mpmath.mpf(a) / 2) ** 2 / 4
    said = mpmath.mpf(slots("notice.moves.only", text)["slope"].rstrip(".").replace("−", "-"))
    assert abs(said / slope - 1) < 1e-3


def test_facts_follow_a_sequence_of_ones_own() -> None:
    x = ((1.0,), (0.0,), (1.0,), (1.0,), (5.0,))
    counter = run_network(build(network_of(follow(Settings("counter"), x))))
    said = slots("fact.counter.exact", fact("counter", counter))
    assert (said["count"], said["steps"]) == ("8", "5")
    echo = run_network(build(network_of(follow(Settings("echo"), x))))
    whole("fact.echo.exact", fact("echo", echo))


@pytest.mark.parametrize(("layer", "key"), [(1, "notice.moves.only"), (2, "notice.moves_above.only")])
def test_a_single_unit_is_not_compared_with_others(layer: int, key: str) -> None:
    for _, text in steps(ran("random", hidden_size=1).trace, layer):
        assert slots(key, text)
        assert "Unit" not in text


@pytest.mark.parametrize(("layer", "key"), [(1, "notice.moves"), (2, "notice.moves_above")])
def test_none_of_units_that_are_all_alike_moves_most(layer: int, key: str) -> None:
    """All weights 0: sigmoid takes every unit from 0 to a half. With one bias raised, that unit moves most."""
    alike = ran("random", init="zeros", activation="sigmoid", hidden_size=4).trace
    unit, text = steps(alike, layer)[0]
    said = slots(f"{key}.only", text)
    assert alike.h[1].tolist() == [0.5] * 4
    assert (said["before"], said["after"], said["slope"].rstrip(".")) == ("0", "0.5", "0.25")
    assert "most" not in text
    one = ran("random", {Entry("b_ih", (2,)): 1.0}, init="zeros", activation="sigmoid", hidden_size=4).trace
    unit, text = steps(one, layer)[0]
    assert (unit, slots(key, text)["unit"]) == (2, "3")


def test_above_the_first_layer_nothing_comes_from_the_input() -> None:
    traces = run_network(build(network_of(Settings("worked_example").choose(layers=2)))).traces[0]
    for layer, key in ((1, "notice.moves"), (2, "notice.moves_above")):
        for t, (unit, said) in enumerate(steps(traces[layer - 1], layer)):
            found = slots(key, said)
            assert number(found["from_x"]) == pytest.approx(traces[layer - 1].from_x[t, unit], abs=0.006)
