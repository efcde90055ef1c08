"""The presets of the LSTM and the GRU page: what each promises, by plain loops over its own weights."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest

from rnnviz import LSTMCell, Readout, memory_ledger, run, step_jacobians
from rnnviz.learning import brackets
from rnnviz.network import Network, NetworkRun, build, canonicalise, choose, network_of, run_network
from rnnviz.presets import PRESETS, preset_of, trained
from rnnviz.settings import Entry, Settings, Value
from rnnviz.texts.en import TEXTS
from rnnviz.views.sentences import gate_facts
from rnnviz.views.sentences.ledger import ledger_words
from tests.maths import reference
from tests.settings.drawn import GATED, NAMES
from tests.views.spoken import number, slots
from tests.views.written import says, says_power, says_share

MARKED, STEPS = 3, 100
MEMORY = {"lstm": "c", "gru": "h"}
KEEPER = {"lstm": "f", "gru": "z"}

Numbers = dict[str, list[list[float]]]


def ran(kind: str, preset: str, edits: dict[Entry, float] | None = None, **chosen: Value) -> NetworkRun:
    """A preset, with settings chosen as the controls do it, and edits."""
    settings = Settings(preset, kind=kind)
    for name, value in chosen.items():
        settings = choose(settings, name, value)
    assert settings.preset == preset
    return run_network(build(network_of(settings.edit(dict(edits or {})))))


def looped(network: Network) -> Numbers:
    """Every number of the first layer in plain Python."""
    if network.cell.kind == "gru":
        return reference.gru(network.cell, network.x, network.h0)
    return reference.lstm(network.cell, network.x, network.h0, network.c0s[0])


def kept(network: Network, numbers: Numbers) -> list[list[float]]:
    """What each step keeps of the memory, unit by unit."""
    if getattr(network.cell, "update", "") == "write":
        return [[1 - z for z in row] for row in numbers["z"]]
    return numbers[KEEPER[network.cell.kind]]


def wrote(network: Network, numbers: Numbers) -> list[list[float]]:
    """What each step adds to it."""
    if network.cell.kind == "lstm":
        pairs = zip(numbers["i"], numbers["g"], strict=True)
    else:
        let_in = [[1 - keep for keep in row] for row in kept(network, numbers)]
        pairs = zip(let_in, numbers["n"], strict=True)
    return [[a * b for a, b in zip(*rows, strict=True)] for rows in pairs]


def fact(kind: str, preset: str, ran: NetworkRun) -> str:
    return PRESETS[kind][preset].fact(ran.trace, ran.y)


def test_the_presets_of_each_page() -> None:
    assert NAMES["lstm"] == (
        "latch",
        "copy_forever",
        "forget_at_once",
        "binary_counter",
        "bracket_depth",
        "random",
    )
    assert NAMES["gru"] == ("latch", "copy_forever", "forget_at_once", "binary_counter", "parity", "random")


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in GATED for name in NAMES[kind]])
def test_every_preset_runs_as_its_equations_say(kind: str, name: str) -> None:
    walked_through = ran(kind, name)
    numbers = looped(walked_through.network)
    np.testing.assert_allclose(walked_through.trace.h, numbers["h"], rtol=0, atol=1e-13)
    for gate, values in walked_through.trace.gates.items():
        np.testing.assert_allclose(values, numbers[gate], rtol=0, atol=1e-13)


# --- latch ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", GATED)
def test_the_latch_marks_one_value_of_a_noise(kind: str) -> None:
    x = ran(kind, "latch").trace.x
    assert x.shape == (STEPS, 2)
    assert np.flatnonzero(x[:, 1]).tolist() == [MARKED - 1]
    assert x[MARKED - 1, 1] == 1.0
    assert len(set(x[:, 0].tolist())) > 50
    assert abs(x[MARKED - 1, 0]) > 0.1


@pytest.mark.parametrize("kind", GATED)
def test_the_latch_opens_at_the_mark_alone(kind: str) -> None:
    """Unit 1 forgets and writes there, and does neither anywhere else; unit 2 forgets a half at each step."""
    network = ran(kind, "latch").network
    numbers = looped(network)
    for t, keeps in enumerate(kept(network, numbers), start=1):
        let_in = numbers["i"][t - 1][0] if kind == "lstm" else 1 - numbers["z"][t - 1][0]
        if t == MARKED:
            assert keeps[0] < 1e-4
            assert let_in > 0.9999
        else:
            assert keeps[0] > 0.9999
            assert let_in < 1e-4
        assert keeps[1] == 0.5
        if kind == "lstm":
            assert min(numbers["o"][t - 1]) > 0.9999
            assert numbers["i"][t - 1][1] > 0.8
        else:
            assert min(numbers["r"][t - 1]) > 0.9999


@pytest.mark.parametrize("kind", GATED)
def test_the_latch_holds_the_marked_value_to_the_end(kind: str) -> None:
    """tanh(2 x) of step 3, within 1 % at each of the 97 steps that follow."""
    one = ran(kind, "latch")
    marked = math.tanh(2 * one.trace.x[MARKED - 1, 0])
    memory = looped(one.network)[MEMORY[kind]]
    for t in range(MARKED, STEPS + 1):
        assert memory[t][0] == pytest.approx(marked, rel=0.01)


@pytest.mark.parametrize("kind", GATED)
def test_beside_the_latch_unit_2_forgets(kind: str) -> None:
    """Another value at the marked step changes nothing at the end but unit 1."""
    other = {Entry("x", (MARKED - 1, 0)): 0.9}
    ends = [looped(ran(kind, "latch", edits).network)[MEMORY[kind]][-1] for edits in ({}, other)]
    assert abs(ends[0][0] - ends[1][0]) > 1.5
    assert ends[0][1] == pytest.approx(ends[1][1], rel=0, abs=1e-15)


def tanh_latch(ran: NetworkRun, step: int) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The end of h = tanh(3 h + 5 u) over the same input, and its derivative from a step on, in 50 digits."""
    with mpmath.workdps(50):
        h, product = mpmath.mpf(0), mpmath.mpf(1)
        for t, x in enumerate(ran.trace.x.tolist(), start=1):
            h = mpmath.tanh(3 * h + 5 * mpmath.mpf(x[-1]))
            product *= 3 * (1 - h**2) if t > step else 1
        return h, product


LATCHES: list[tuple[dict[str, Value], dict[Entry, float], int]] = [
    ({}, {}, MARKED),
    ({"steps": 20}, {}, MARKED),
    ({"steps": 400}, {}, MARKED),
    ({}, {Entry("x", (2, 1)): 0.0, Entry("x", (59, 1)): 1.0}, 60),  # another step is marked
    ({"bias_f": -3.0}, {}, MARKED),
    ({"bias_z": -3.0}, {}, MARKED),
    ({"update": "write"}, {}, 0),
]


@pytest.mark.parametrize("kind", GATED)
@pytest.mark.parametrize(("chosen", "edits", "writer"), LATCHES)
def test_the_fact_of_the_latch(kind: str, chosen: dict[str, Value], edits: dict[Entry, float], writer: int) -> None:
    """The largest write to unit 1, how much of it is left, and what a plain RNN would know of that step."""
    if set(chosen) & ({"bias_z", "update"} if kind == "lstm" else {"bias_f"}):
        return
    one = ran(kind, "latch", edits, **chosen)
    numbers, steps = looped(one.network), one.trace.steps
    keeps, written = ([row[0] for row in rows(one.network, numbers)] for rows in (kept, wrote))
    shares = [math.prod(keeps[t:]) for t in range(1, steps + 1)]
    [share * write for share, write in zip(shares, written, strict=True)]
    largest = max(range(steps), key=lambda k: abs(written[k]))
    assert not writer or largest + 1 == writer
    sentence = fact(kind, "latch", one)
    if largest + 1 == steps:
        said = slots("fact.latch.last", sentence)
        assert (int(said["step"]), said["symbol"]) == (steps, MEMORY[kind])
        return
    said = slots("fact.latch", sentence)
    assert (int(said["step"]), int(said["last"]), said["symbol"]) == (largest + 1, steps, MEMORY[kind])
    assert (int(said["count"]), said["gate"]) == (steps - largest - 1, "1 − z" if "update" in chosen else KEEPER[kind])
    assert says(said["write"], written[largest])
    assert says(said["low"], min(keeps[largest + 1 :]))
    assert says_share(said["share"], shares[largest])
    h, derivative = tanh_latch(one, largest + 1)
    plain = slots("fact.latch.tanh", sentence[sentence.index("A plain tanh unit") :])
    assert says(plain["h"], float(h))
    assert says_power(plain["left"].rstrip("."), float(mpmath.log10(derivative)))


def test_f_is_told_from_1() -> None:
    """It teaches by its digits: 97 times 4.5e-5 is what is lost."""
    assert "f is at least 0.999955 in the 97 steps" in fact("lstm", "latch", ran("lstm", "latch"))


def test_the_tanh_latch_has_forgotten_beyond_float64() -> None:
    one = ran("lstm", "latch", steps=500)
    _, derivative = tanh_latch(one, MARKED)
    assert derivative < mpmath.mpf("1e-700")
    text = fact("lstm", "latch", one).rpartition(" is ")[2].rstrip(".")
    assert says_power(text, float(mpmath.log10(derivative)))


@pytest.mark.parametrize("kind", GATED)
@pytest.mark.parametrize("steps", [1, 2])
def test_a_latch_that_is_too_short_marks_its_last_step(kind: str, steps: int) -> None:
    said = slots("fact.latch.last", fact(kind, "latch", ran(kind, "latch", steps=steps)))
    assert int(said["step"]) == steps


# --- copy for ever --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", GATED)
@pytest.mark.parametrize("steps", [1, 50, 500])
def test_copy_forever_is_exact_at_every_step(kind: str, steps: int) -> None:
    one = ran(kind, "copy_forever", steps=steps)
    numbers = looped(one.network)
    for memory in (numbers[MEMORY[kind]], (one.trace.c if one.trace.c is not None else one.trace.h).tolist()):
        assert [[value.hex() for value in row] for row in memory] == [[v.hex() for v in (0.9, -0.5, 0.2)]] * (steps + 1)
    assert one.trace.x.any()
    assert {value for row in numbers[KEEPER[kind]] for value in row} == {1.0}
    key = "fact.copy.rounded" if any(map(any, wrote(one.network, numbers))) else "fact.copy.exact"
    assert (key == "fact.copy.rounded") == (kind == "lstm")  # 1 - z is 0 where z has rounded to 1; i is 4e-18
    said = slots(key, fact(kind, "copy_forever", one))
    assert said == {"symbol": MEMORY[kind], "steps": str(steps), "gate": KEEPER[kind]}


@pytest.mark.parametrize("kind", GATED)
@pytest.mark.parametrize("bias", [-20.0, -40.0])
def test_a_copy_with_a_leak_says_how_much(kind: str, bias: float) -> None:
    """From the same loop: the error at the end, and the least that is left of the start."""
    one = ran(kind, "copy_forever", {Entry("b_ih", (4,)): 40.0 + bias})
    memory, numbers = MEMORY[kind], looped(one.network)
    error = max(abs(a - b) for a, b in zip(numbers[memory][-1], numbers[memory][0], strict=True))
    least = min(math.prod(column) for column in zip(*kept(one.network, numbers), strict=True))
    said = slots("fact.copy.off", fact(kind, "copy_forever", one))
    assert (said["symbol"], int(said["steps"])) == (memory, 50)
    assert says(said["error"], error)
    assert says_share(said["share"], least)


def test_an_empty_memory_that_stays_empty_was_not_kept() -> None:
    """Nothing is let in and nothing is kept: bit for bit the same, but not because f is 1."""
    settings = Settings("copy_forever", kind="lstm").choose(c0=(0.0,), bias_i=-20.0, input="silence", bias_f=-20.0)
    one = run_network(build(network_of(settings.edit({Entry("b_ih", (3,)): -2.0}))))
    assert looped(one.network)["c"][-1] == [0.0] * 3
    assert "f is 1" not in preset_of(settings).fact(one.trace, one.y)


# --- forget at once -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", GATED)
def test_forget_at_once_knows_the_input_of_its_step_alone(kind: str) -> None:
    """From another past the same state comes at each step, to the fifth digit."""
    one = ran(kind, "forget_at_once")
    numbers = looped(one.network)
    memory = numbers[MEMORY[kind]]
    assert max(max(row) for row in kept(one.network, numbers)) < 5e-5
    np.testing.assert_allclose(memory[1:], wrote(one.network, numbers), rtol=0, atol=5e-5)
    assert max(abs(value) for row in memory for value in row) <= 1
    far: dict[str, Any] = {"h0": (0.9, -0.9, 0.9)} | ({"c0": (-5.0, 5.0, 5.0)} if kind == "lstm" else {})
    other = looped(ran(kind, "forget_at_once", **far).network)[MEMORY[kind]]
    np.testing.assert_allclose(other[1], memory[1], rtol=0, atol=1e-3)
    np.testing.assert_allclose(other[2:], memory[2:], rtol=0, atol=1e-7)
    assert len({tuple(row) for row in memory}) == len(memory)


@pytest.mark.parametrize("kind", GATED)
@pytest.mark.parametrize(("bias", "key"), [(0.0, "fact.forget.at_once"), (9.0, "fact.forget.keeps")])
def test_the_fact_of_forgetting(kind: str, bias: float, key: str) -> None:
    one = ran(kind, "forget_at_once", **{f"bias_{KEEPER[kind]}": bias})
    numbers = looped(one.network)
    most = max(value for row in numbers[KEEPER[kind]] for value in row)
    said = slots(key, fact(kind, "forget_at_once", one))
    assert said["symbol"] == MEMORY[kind]
    assert says_share(said["share"], most)


# --- binary counter -------------------------------------------------------------------------------------------------


def signs(kind: str, one: NetworkRun) -> list[int]:
    """The number that the signs of units 1 and 2 are, after each step of a plain loop."""
    return [(row[0] > 0) + 2 * (row[1] > 0) for row in looped(one.network)[MEMORY[kind]][1:]]


@pytest.mark.parametrize("kind", GATED)
@pytest.mark.parametrize("steps", [1, 24, 1000])
@pytest.mark.parametrize("seed", range(4))
def test_the_counter_counts_pulses_modulo_4(kind: str, steps: int, seed: int) -> None:
    """For any pulses, however many: those of a batch are drawn from other seeds."""
    one = ran(kind, "binary_counter", steps=steps, sequences=4)
    network = replace(one.network, xs=(one.network.xs[seed],))
    alone = run_network(network)
    pulses = [int(x) for (x,) in alone.trace.x.tolist()]
    assert set(pulses) <= {0, 1}
    counts = [sum(pulses[: t + 1]) % 4 for t in range(steps)]
    assert signs(kind, alone) == counts
    sentence = fact(kind, "binary_counter", alone)
    said = slots("fact.counter4", sentence)
    told = [int(said[name].replace(",", "")) for name in ("right", "steps", "pulses")]
    assert told == [steps, steps, sum(pulses)]
    assert alone.y is not None
    error = max(abs(y - count) for (y,), count in zip(alone.y.tolist(), counts, strict=True))
    assert error < 0.05
    assert says(slots("fact.counter4.output", sentence[sentence.index("The output") :])["error"], error)


@pytest.mark.parametrize("kind", GATED)
def test_the_counter_needs_its_recurrent_weights(kind: str) -> None:
    """Without W_hh the count is wrong at most steps, as a plain loop finds; the fact says at how many it is right."""
    one = ran(kind, "binary_counter")
    assert one.network.cell.W_hh.any()
    W_hh = {Entry("W_hh", place): 0.0 for place, _ in np.ndenumerate(one.network.cell.W_hh)}
    without = ran(kind, "binary_counter", W_hh)
    counts = np.cumsum(without.trace.x[:, 0]) % 4
    right = sum(int(a == b) for a, b in zip(signs(kind, without), counts.tolist(), strict=True))
    said = slots("fact.counter4", fact(kind, "binary_counter", one))
    assert int(said["without"].rstrip(".")) == right < one.trace.steps
    wrong = fact(kind, "binary_counter", without)
    assert slots("fact.counter4.wrong", wrong)["right"] == str(right)
    assert "are the two bits" not in wrong


@pytest.mark.parametrize("kind", GATED)
@pytest.mark.parametrize("chosen", [{"input": "noise"}, {"input_size": 2}])
def test_a_counter_without_pulses_says_what_any_network_does(kind: str, chosen: dict[str, Value]) -> None:
    one = ran(kind, "binary_counter", **chosen)
    assert fact(kind, "binary_counter", one) == fact(kind, "random", one)


# --- trained --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [30, 40, 120])
def test_a_unit_counts_the_open_brackets(steps: int) -> None:
    """By the correlation of the statistics module; beyond the length that the weights were trained on, too."""
    one = ran("lstm", "bracket_depth", steps=steps)
    depth = [0]
    for opens, closes in one.trace.x.tolist():
        assert sorted((opens, closes)) == [0, 1]
        depth.append(depth[-1] + int(opens) - int(closes))
        assert depth[-1] >= 0
    memory = list(zip(*looped(one.network)["c"][1:], strict=True))
    follows = [statistics.correlation(depth[1:], column) for column in memory]
    unit = max(range(len(memory)), key=lambda unit: abs(follows[unit]))
    sentence = fact("lstm", "bracket_depth", one)
    said = slots("fact.brackets", sentence)
    assert (int(said["unit"]), said["symbol"]) == (unit + 1, "c")
    assert says(said["r"], follows[unit])
    assert abs(follows[unit]) >= 0.99
    assert says(said["slope"], statistics.linear_regression(depth[1:], memory[unit]).slope)
    assert one.y is not None
    error = max(abs(y - wanted) for (y,), wanted in zip(one.y.tolist(), depth[1:], strict=True))
    output = slots("fact.brackets.output", sentence[sentence.index("The output") :])
    assert says(output["error"], error)
    assert error < 0.5  # so that rounding gives the number itself
    paths = slots("fact.brackets.paths", sentence[sentence.index("In unit", sentence.index("The output")) :])
    places = int(paths["unit"]), int(paths["step"]), int(paths["last"]), paths["gate"]
    assert places == (unit + 1, steps // 2, steps, "f")
    product, row = np.eye(8), 4 + unit
    for jacobian in step_jacobians(one.trace)[steps // 2 :]:
        product = jacobian @ product
    assert number(paths["every"].rstrip(".")) == pytest.approx(product[row, row], rel=1e-3)
    keeps = [f[unit] for f in looped(one.network)["f"][steps // 2 :]]
    assert number(paths["direct"]) == pytest.approx(math.prod(keeps), rel=1e-3)
    subject = gate_facts.subject_of(PRESETS["lstm"]["bracket_depth"].fact, one.trace)
    assert subject == (unit, steps // 2)


def brackets_right(x: np.ndarray) -> np.ndarray:
    """At which steps of a sequence the rounded output of the shipped counter is the number of open brackets."""
    weights = trained("bracket_depth")
    cell = LSTMCell(*(weights[name] for name in ("W_ih", "W_hh", "b_ih", "b_hh")))
    y = Readout(weights["W_ho"], weights["b_o"])(run(cell, x).h[1:])[:, 0]
    return np.asarray(np.abs(y - np.cumsum(x[:, 0] - x[:, 1])) < 0.5)


def test_how_far_the_trained_counter_counts() -> None:
    """What the page's remark says: 9 in a row, not 10; in 111 of 200 fresh sequences of 1,000 brackets it errs."""
    opening = np.column_stack([np.ones(14), np.zeros(14)])
    right = brackets_right(opening)
    assert right[:9].all()
    assert not right[9]
    erring = sum(not brackets_right(brackets(1000, 5_000_000 + seed)).all() for seed in range(200))
    assert erring == 111
    remark = TEXTS["remark.lstm_gates.brackets"]
    assert "9 opening brackets in a row" in remark
    assert f"at least one error in {erring} of 200" in " ".join(remark.split())
    assert "depths up to 8" in remark
    assert max(np.cumsum(x[:, 0] - x[:, 1]).max() for x in (brackets(40, 1_000_000 + k) for k in range(32))) == 8


@pytest.mark.parametrize("steps", [16, 100])
def test_a_unit_is_the_parity_of_the_bits(steps: int) -> None:
    one = ran("gru", "parity", steps=steps)
    ones, odd = 0, []
    for (bit,) in one.trace.x.tolist():
        assert bit in (0, 1)
        ones += int(bit)
        odd.append(ones % 2)
    states = list(zip(*looped(one.network)["h"][1:], strict=True))
    follows = [abs(statistics.correlation(odd, column)) for column in states]
    sentence = fact("gru", "parity", one)
    said = slots("fact.parity", sentence)
    assert int(said["unit"]) == follows.index(max(follows)) + 1
    assert says(said["r"].lstrip("−"), max(follows))
    assert max(follows) >= 0.99
    assert one.y is not None
    right = sum((y > 0.5) == bool(parity) for (y,), parity in zip(one.y.tolist(), odd, strict=True))
    output = slots("fact.parity.output", sentence[sentence.index("The output") :])
    assert output == {"right": str(right), "steps": str(steps)}
    assert right == steps


@pytest.mark.parametrize(
    ("kind", "preset", "key"), [("lstm", "bracket_depth", "brackets"), ("gru", "parity", "parity")]
)
@pytest.mark.parametrize("chosen", [{"output_size": 0}, {"input": "noise"}, {"input_size": 3}])
def test_a_trained_network_on_something_else_says_so(
    kind: str, preset: str, key: str, chosen: dict[str, Value]
) -> None:
    """Without an output it says nothing of it; of what are no brackets or bits, what it says of any network."""
    one = ran(kind, preset, **chosen)
    sentence = fact(kind, preset, one)
    if chosen == {"output_size": 0}:
        assert "output" not in sentence
    else:
        assert sentence == fact(kind, "random", one)


def test_each_sequence_of_a_batch_is_another_task() -> None:
    """Brackets that are never closed before they are opened, each with its own fact."""
    one = ran("lstm", "bracket_depth", sequences=4)
    xs = one.network.xs
    assert len({x.tobytes() for x in xs}) == 4
    for x in xs:
        assert np.cumsum(x[:, 0] - x[:, 1]).min() >= 0


@pytest.mark.parametrize(
    ("kind", "preset"), [(kind, name) for kind in GATED for name in PRESETS[kind] if name != "random"]
)
@pytest.mark.parametrize("inputs", [1, 5])
def test_the_weights_of_a_preset_are_for_inputs_of_any_size(kind: str, preset: str, inputs: int) -> None:
    """A component too many has no weight, one too few is left out; all else stays, and so does the preset's name."""
    settings = canonicalise(Settings(preset, kind=kind).choose(input_size=inputs))[0]
    assert settings.preset == preset
    own, cell = preset_of(settings).weights, build(network_of(settings)).cell
    both = min(inputs, own["W_ih"].shape[1])
    assert cell.W_ih.shape[1] == inputs
    assert np.array_equal(cell.W_ih[:, :both], own["W_ih"][:, :both])
    assert not cell.W_ih[:, both:].any()
    assert np.array_equal(cell.W_hh, own["W_hh"])


# --- random ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", GATED)
@pytest.mark.parametrize("chosen", [{}, {"seed": 5, "steps": 100}, {"init": "chrono", "steps": 200, "hidden_size": 8}])
def test_the_fact_of_a_random_network(kind: str, chosen: dict[str, Value]) -> None:
    """The unit of which most is left at the end, and the steady share that would leave as much."""
    one = ran(kind, "random", **chosen)
    rows = looped(one.network)[KEEPER[kind]]
    left = [math.prod(column) for column in zip(*rows, strict=True)]
    unit = max(range(len(left)), key=left.__getitem__)
    steady = left[unit] ** (1 / len(rows))
    said = slots("fact.kept" if steady > 0.5 else "fact.kept.little", fact(kind, "random", one))
    assert (int(said["unit"]), said["gate"]) == (unit + 1, KEEPER[kind])
    if steady <= 0.5:
        assert says(said["share"], 100 * steady)
        return
    halved = number(said["steps"])
    assert steady ** (halved - 0.051) > 0.5 > steady ** (halved + 0.051)


# --- nothing that is not 0 reads 0 ----------------------------------------------------------------------------------


def test_a_memory_that_rounding_moved_differs_by_more_than_0() -> None:
    """f is 1 - 6e-16: what is lost over 50 steps is small, but no 0."""
    said = slots("fact.copy.off", fact("lstm", "copy_forever", ran("lstm", "copy_forever", bias_f=-5.0)))
    assert 0 < number(said["error"]) < 1e-12
    assert said["share"] == "more than 99.9999 %"


def test_a_write_that_is_lost_in_rounding_is_no_0_in_the_ledger() -> None:
    trace = ran("lstm", "copy_forever").trace
    said = slots("ledger.words", ledger_words(memory_ledger(trace, trace.steps), trace, 0, trace.steps))
    assert 0 < abs(number(said["write"])) < 1e-15


def test_a_counter_that_starts_wrong_is_not_called_a_counter() -> None:
    one = ran("gru", "binary_counter", h0=(3.0,))
    said = slots("fact.counter4.wrong", fact("gru", "binary_counter", one))
    counts = [int(count) % 4 for count in np.cumsum(one.trace.x[:, 0])]
    assert int(said["right"]) == sum(a == b for a, b in zip(signs("gru", one), counts, strict=True)) < one.trace.steps
