"""The presets of the LSTM and the GRU page: what each promises, by plain loops over its own weights."""

from __future__ import annotations

import math
import statistics
from typing import Any

import mpmath
import numpy as np
import pytest

from rnnviz import make_cell
from rnnviz.presets import PRESETS, Network, Walk, build, choose, preset_of, settle, walk
from rnnviz.settings import Entry, Settings, Value
from tests.maths import reference
from tests.settings.drawn import GATED, NAMES
from tests.views.spoken import number, slots
from tests.views.written import says, says_power, says_share

MARKED, STEPS = 3, 100
MEMORY = {"lstm": "c", "gru": "h"}
KEEPER = {"lstm": "f", "gru": "z"}

Numbers = dict[str, list[list[float]]]


def walked(kind: str, preset: str, edits: dict[Entry, float] | None = None, **chosen: Value) -> Walk:
    """A preset, with settings chosen as the controls do it, and edits."""
    settings = Settings(preset, kind=kind)
    for name, value in chosen.items():
        settings = choose(settings, name, value)
    assert settings.preset == preset
    return walk(build(settings.edit(dict(edits or {}))))


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


def fact(kind: str, preset: str, walk: Walk) -> str:
    return PRESETS[kind][preset].fact(walk.trace, walk.y)


def test_the_presets_of_each_page() -> None:
    assert NAMES["lstm"] == ("latch", "copy_forever", "forget_at_once", "bracket_depth", "random")
    assert NAMES["gru"] == ("latch", "copy_forever", "forget_at_once", "parity", "random")


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in GATED for name in NAMES[kind]])
def test_every_preset_runs_as_its_equations_say(kind: str, name: str) -> None:
    walked_through = walked(kind, name)
    numbers = looped(walked_through.network)
    np.testing.assert_allclose(walked_through.trace.h, numbers["h"], rtol=0, atol=1e-13)
    for gate, values in walked_through.trace.gates.items():
        np.testing.assert_allclose(values, numbers[gate], rtol=0, atol=1e-13)


# --- latch ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", GATED)
def test_the_latch_marks_one_value_of_a_noise(kind: str) -> None:
    x = walked(kind, "latch").trace.x
    assert x.shape == (STEPS, 2)
    assert np.flatnonzero(x[:, 1]).tolist() == [MARKED - 1]
    assert x[MARKED - 1, 1] == 1.0
    assert len(set(x[:, 0].tolist())) > 50
    assert abs(x[MARKED - 1, 0]) > 0.1


@pytest.mark.parametrize("kind", GATED)
def test_the_latch_opens_at_the_mark_alone(kind: str) -> None:
    """Unit 1 forgets and writes there, and does neither anywhere else; unit 2 forgets a half at each step."""
    network = walked(kind, "latch").network
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
    one = walked(kind, "latch")
    marked = math.tanh(2 * one.trace.x[MARKED - 1, 0])
    memory = looped(one.network)[MEMORY[kind]]
    for t in range(MARKED, STEPS + 1):
        assert memory[t][0] == pytest.approx(marked, rel=0.01)


@pytest.mark.parametrize("kind", GATED)
def test_beside_the_latch_unit_2_forgets(kind: str) -> None:
    """Another value at the marked step changes nothing at the end but unit 1."""
    other = {Entry("x", (MARKED - 1, 0)): 0.9}
    ends = [looped(walked(kind, "latch", edits).network)[MEMORY[kind]][-1] for edits in ({}, other)]
    assert abs(ends[0][0] - ends[1][0]) > 1.5
    assert ends[0][1] == pytest.approx(ends[1][1], rel=0, abs=1e-15)


def left_of_a_plain_rnn(walk: Walk, step: int) -> mpmath.mpf:
    """The spectral norm of d h_T / d h_step of PyTorch's tanh network over the same input, in 50 digits."""
    cell = make_cell("elman", walk.trace.cell.input_size, walk.trace.cell.hidden_size)
    with mpmath.workdps(50):
        W_ih, W_hh = (mpmath.matrix(array.tolist()) for array in (cell.W_ih, cell.W_hh))
        bias = mpmath.matrix(cell.b_ih.tolist()) + mpmath.matrix(cell.b_hh.tolist())
        h, product = mpmath.zeros(W_hh.rows, 1), mpmath.eye(W_hh.rows)
        for t, x in enumerate(walk.trace.x.tolist(), start=1):
            h = (W_ih * mpmath.matrix(x) + W_hh * h + bias).apply(mpmath.tanh)
            if t > step:
                product = mpmath.diag([1 - value**2 for value in h]) * W_hh * product
        squares = mpmath.eigsy(product.T * product, eigvals_only=True)
        return mpmath.sqrt(max(squares))


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
    one = walked(kind, "latch", edits, **chosen)
    numbers, steps = looped(one.network), one.trace.steps
    keeps, written = ([row[0] for row in rows(one.network, numbers)] for rows in (kept, wrote))
    shares = [math.prod(keeps[t:]) for t in range(1, steps + 1)]
    writes = [share * write for share, write in zip(shares, written, strict=True)]
    largest = max(range(steps), key=lambda k: abs(written[k]))
    assert not writer or largest + 1 == writer
    sentence = fact(kind, "latch", one)
    said = slots("fact.latch", sentence)
    assert (int(said["step"]), int(said["last"]), said["symbol"]) == (largest + 1, steps, MEMORY[kind])
    assert (int(said["count"]), said["gate"]) == (steps - largest - 1, "1 − z" if "update" in chosen else KEEPER[kind])
    assert says(said["write"], written[largest])
    assert says(said["left"], writes[largest])
    assert says(said["total"], math.fsum(writes))
    assert says_share(said["share"], shares[largest])
    _, dot, more = sentence.partition(" A plain RNN ")
    assert bool(dot) == (largest + 1 < steps)
    if dot:
        plain = slots("fact.plain_rnn", f"A plain RNN {more}")
        assert int(plain["step"]) == largest + 1
        assert says_power(plain["left"], float(mpmath.log10(left_of_a_plain_rnn(one, largest + 1))))


def test_the_plain_rnn_has_forgotten_beyond_float64() -> None:
    one = walked("lstm", "latch", steps=500)
    left = left_of_a_plain_rnn(one, MARKED)
    assert left < mpmath.mpf("1e-150")
    text = fact("lstm", "latch", one).partition("at most ")[2].partition(" of")[0]
    assert says_power(text, float(mpmath.log10(left)))


@pytest.mark.parametrize("kind", GATED)
@pytest.mark.parametrize("steps", [1, 2])
def test_a_latch_that_is_too_short_marks_its_last_step(kind: str, steps: int) -> None:
    said = slots("fact.latch", fact(kind, "latch", walked(kind, "latch", steps=steps)))
    assert (int(said["step"]), said["share"], said["count"]) == (steps, "100 %", "0")


# --- copy for ever --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", GATED)
@pytest.mark.parametrize("steps", [1, 50, 500])
def test_copy_forever_is_exact_at_every_step(kind: str, steps: int) -> None:
    one = walked(kind, "copy_forever", steps=steps)
    numbers = looped(one.network)
    for memory in (numbers[MEMORY[kind]], (one.trace.c if one.trace.c is not None else one.trace.h).tolist()):
        assert [[value.hex() for value in row] for row in memory] == [[v.hex() for v in (0.9, -0.5, 0.2)]] * (steps + 1)
    assert one.trace.x.any()
    assert {value for row in numbers[KEEPER[kind]] for value in row} == {1.0}
    said = slots("fact.copy.exact", fact(kind, "copy_forever", one))
    assert said == {"symbol": MEMORY[kind], "steps": str(steps), "gate": KEEPER[kind]}


@pytest.mark.parametrize("kind", GATED)
@pytest.mark.parametrize("bias", [-20.0, -40.0])
def test_a_copy_with_a_leak_says_how_much(kind: str, bias: float) -> None:
    """From the same loop: the error at the end, and the least that is left of the start."""
    one = walked(kind, "copy_forever", {Entry("b_ih", (4,)): 40.0 + bias})
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
    one = walk(build(settings.edit({Entry("b_ih", (3,)): -2.0})))
    assert looped(one.network)["c"][-1] == [0.0] * 3
    assert "f is 1" not in preset_of(settings).fact(one.trace, one.y)


# --- forget at once -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", GATED)
def test_forget_at_once_knows_the_input_of_its_step_alone(kind: str) -> None:
    """From another past the same state comes at each step, to the fifth digit."""
    one = walked(kind, "forget_at_once")
    numbers = looped(one.network)
    memory = numbers[MEMORY[kind]]
    assert max(max(row) for row in kept(one.network, numbers)) < 5e-5
    np.testing.assert_allclose(memory[1:], wrote(one.network, numbers), rtol=0, atol=5e-5)
    assert max(abs(value) for row in memory for value in row) <= 1
    far: dict[str, Any] = {"h0": (0.9, -0.9, 0.9)} | ({"c0": (-5.0, 5.0, 5.0)} if kind == "lstm" else {})
    other = looped(walked(kind, "forget_at_once", **far).network)[MEMORY[kind]]
    np.testing.assert_allclose(other[1], memory[1], rtol=0, atol=1e-3)
    np.testing.assert_allclose(other[2:], memory[2:], rtol=0, atol=1e-7)
    assert len({tuple(row) for row in memory}) == len(memory)


@pytest.mark.parametrize("kind", GATED)
@pytest.mark.parametrize(("bias", "key"), [(0.0, "fact.forget.at_once"), (9.0, "fact.forget.keeps")])
def test_the_fact_of_forgetting(kind: str, bias: float, key: str) -> None:
    one = walked(kind, "forget_at_once", **{f"bias_{KEEPER[kind]}": bias})
    numbers = looped(one.network)
    most = max(value for row in numbers[KEEPER[kind]] for value in row)
    said = slots(key, fact(kind, "forget_at_once", one))
    assert said["symbol"] == MEMORY[kind]
    assert says_share(said["share"], most)


# --- trained --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [30, 40, 120])
def test_a_unit_counts_the_open_brackets(steps: int) -> None:
    """By the correlation of the statistics module; beyond the length that the weights were trained on, too."""
    one = walked("lstm", "bracket_depth", steps=steps)
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
    assert (int(said["unit"]), said["symbol"], int(said["deepest"])) == (unit + 1, "c", max(depth))
    assert says(said["r"], follows[unit])
    assert abs(follows[unit]) >= 0.99
    assert says(said["slope"], statistics.linear_regression(depth[1:], memory[unit]).slope)
    assert one.y is not None
    error = max(abs(y - wanted) for (y,), wanted in zip(one.y.tolist(), depth[1:], strict=True))
    output = slots("fact.brackets.output", sentence[sentence.index("The output") :])
    assert says(output["error"], error)
    assert error < 0.5  # so that rounding gives the number itself


@pytest.mark.parametrize("steps", [16, 100])
def test_a_unit_is_the_parity_of_the_bits(steps: int) -> None:
    one = walked("gru", "parity", steps=steps)
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
    one = walked(kind, preset, **chosen)
    sentence = fact(kind, preset, one)
    if chosen == {"output_size": 0}:
        assert "output" not in sentence
    else:
        assert sentence == fact(kind, "random", one)


def test_each_sequence_of_a_batch_is_another_task() -> None:
    """Brackets that are never closed before they are opened, each with its own fact."""
    one = walked("lstm", "bracket_depth", sequences=4)
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
    settings = settle(Settings(preset, kind=kind).choose(input_size=inputs))[0]
    assert settings.preset == preset
    own, cell = preset_of(settings).weights, build(settings).cell
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
    one = walked(kind, "random", **chosen)
    rows = looped(one.network)[KEEPER[kind]]
    left = [math.prod(column) for column in zip(*rows, strict=True)]
    unit = max(range(len(left)), key=left.__getitem__)
    said = slots("fact.kept", fact(kind, "random", one))
    assert (int(said["unit"]), said["gate"]) == (unit + 1, KEEPER[kind])
    steady, halved = left[unit] ** (1 / len(rows)), number(said["steps"])
    assert steady ** (halved - 0.051) > 0.5 > steady ** (halved + 0.051)
