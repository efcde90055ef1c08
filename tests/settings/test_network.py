"""The network that settings stand for."""

from __future__ import annotations

import numpy as np
import pytest

from rnnviz import make_cell, run
from rnnviz.presets import HIDDEN_STATE, build, settle, values_of, walk
from rnnviz.sequences import GENERATORS
from rnnviz.settings import Entry, Settings
from tests.settings.drawn import PRESETS

WEIGHTS = ("W_ih", "W_hh", "b_ih", "b_hh")


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_canonical_and_runs(name: str) -> None:
    assert settle(Settings(name)) == (Settings(name), ())
    network = build(Settings(name))
    values = values_of(Settings(name))
    walked = walk(network)
    assert walked.y is not None
    assert walked.trace.x.shape == (values["steps"], values["input_size"])
    assert walked.trace.h.shape == (len(walked.trace.x) + 1, values["hidden_size"])
    assert walked.y.shape == (len(walked.trace.x), values["output_size"])
    for array, own in HIDDEN_STATE[name].weights.items():
        np.testing.assert_array_equal(network.base[array], own)


def test_drawn_weights_are_those_of_make_cell() -> None:
    settings = Settings("random").choose(hidden_size=5, input_size=4, seed=9, init="spectral", gain=0.7)
    network, wanted = build(settings), make_cell("elman", 4, 5, init="spectral", gain=0.7, seed=9)
    for name in WEIGHTS:
        np.testing.assert_array_equal(getattr(network.cell, name), getattr(wanted, name))


@pytest.mark.parametrize("kind", sorted(GENERATORS))
def test_the_generator_gets_size_and_seed(kind: str) -> None:
    x = build(Settings("random").choose(input=kind, input_size=3, steps=20, seed=4)).x
    np.testing.assert_array_equal(x, GENERATORS[kind](20, 3, 4))


def test_a_sequence_of_ones_own() -> None:
    x = ((0.5, -0.0), (1e308, 5e-324), (1.0, 2.0))
    network = build(Settings("worked_example", x=x))
    assert network.x.tobytes() == np.array(x).tobytes()


@pytest.mark.parametrize(("h0", "start"), [((), [0, 0, 0]), ((0.5,), [0.5, 0.5, 0.5]), ((1.0, -2.0, 3.0), [1, -2, 3])])
def test_initial_states(h0: tuple[float, ...], start: list[float]) -> None:
    settings = Settings("random").choose(**({"h0": h0} if h0 else {}))
    network = build(settings)
    assert network.h0.tolist() == start
    assert walk(network).trace.h[0].tolist() == start


def test_edits_change_their_entries_and_nothing_else() -> None:
    edits = {
        Entry("W_ih", (1, 0)): 1.5,
        Entry("W_hh", (2, 1)): -0.0,
        Entry("b_ih", (0,)): 2.5,
        Entry("b_hh", (2,)): 1e-300,
        Entry("W_ho", (0, 2)): 4.5,
        Entry("b_o", (0,)): 5.5,
        Entry("h0", (1,)): 6.5,
        Entry("x", (7, 1)): 7.5,
    }
    plain, network = build(Settings("worked_example")), build(Settings("worked_example").edit(edits))
    assert network.readout is not None
    arrays = {name: getattr(network.cell, name) for name in WEIGHTS}
    arrays |= {"W_ho": network.readout.W, "b_o": network.readout.b, "h0": network.h0, "x": network.x}
    for name, array in arrays.items():
        wanted = plain.base[name].copy()
        for entry, value in edits.items():
            if entry.name == name:
                wanted[entry.place] = value
        assert array.tobytes() == wanted.tobytes()
        # What a reset brings back.
        np.testing.assert_array_equal(network.base[name], plain.base[name])


def test_the_preset_itself_is_never_edited() -> None:
    weights = HIDDEN_STATE["echo"].weights
    before = {name: array.copy() for name, array in weights.items()}
    build(Settings("echo").edit({Entry("W_hh", (0, 0)): 3.0, Entry("W_ho", (0, 0)): 3.0}))
    for name, array in weights.items():
        np.testing.assert_array_equal(array, before[name])


@pytest.mark.parametrize("outputs", [1, 3, 8])
def test_another_number_of_outputs_is_drawn(outputs: int) -> None:
    network = build(Settings("random").choose(output_size=outputs, seed=2, output_activation="softmax"))
    again = build(Settings("random").choose(output_size=outputs, seed=3))
    assert network.readout is not None
    assert again.readout is not None
    assert network.readout.W.shape == (outputs, 3)
    assert network.readout.activation == "softmax"
    assert np.abs(network.readout.W).max() <= 1 / np.sqrt(3)
    assert not np.array_equal(network.readout.W, again.readout.W)


def test_no_outputs_no_readout() -> None:
    walked = walk(build(Settings("worked_example").choose(output_size=0)))
    assert (walked.network.readout, walked.y, walked.y_preact) == (None, None, None)


@pytest.mark.parametrize("activation", ["identity", "softmax", "sigmoid", "tanh"])
def test_the_readout_reads_the_new_state_of_each_step(activation: str) -> None:
    walked = walk(build(Settings("random").choose(output_size=2, output_activation=activation)))
    readout = walked.network.readout
    assert readout is not None
    assert walked.y is not None
    a = np.array([readout.W @ h + readout.b for h in walked.trace.h[1:]])
    np.testing.assert_allclose(walked.y_preact, a, rtol=0, atol=1e-14)
    exponentials = np.exp(a)
    wanted = {
        "identity": a,
        "softmax": exponentials / exponentials.sum(axis=1, keepdims=True),
        "sigmoid": 1 / (1 + np.exp(-a)),
        "tanh": np.tanh(a),
    }[activation]
    np.testing.assert_allclose(walked.y, wanted, rtol=0, atol=1e-14)


def test_a_walk_is_the_run_of_its_network() -> None:
    walked = walk(build(Settings("chaotic")))
    np.testing.assert_array_equal(walked.trace.h, run(walked.network.cell, walked.network.x, walked.network.h0).h)
