"""The network that settings stand for."""

from __future__ import annotations

import numpy as np
import pytest

from rnnviz import make_cell, run
from rnnviz.network import build, canonicalise, network_of, run_network, values_of
from rnnviz.presets import HIDDEN_STATE, PRESETS
from rnnviz.sequences import GENERATORS, derived_seed
from rnnviz.settings import KINDS, Entry, Settings, choices_of
from tests.settings.drawn import EVERY_PRESET, GATED

GATES = {"lstm": "ifgo", "gru": "rzn"}
WEIGHTS = ("W_ih", "W_hh", "b_ih", "b_hh")


@pytest.mark.parametrize(("kind", "name"), EVERY_PRESET)
def test_every_preset_is_canonical_and_runs(kind: str, name: str) -> None:
    settings = Settings(name, kind=kind)
    assert canonicalise(settings) == (settings, ())
    network, values = build(network_of(settings)), values_of(settings)
    assert {cell.kind for cell in network.cells} == {kind}
    ran = run_network(network)
    assert ran.y is not None
    assert ran.trace.x.shape == (values["steps"], values["input_size"])
    assert ran.trace.h.shape == (len(ran.trace.x) + 1, values["hidden_size"])
    assert ran.y.shape == (len(ran.trace.x), values["output_size"])
    for array, own in PRESETS[kind][name].weights.items():
        np.testing.assert_array_equal(network.base[array], own)


@pytest.mark.parametrize(("kind", "init"), [(kind, init) for kind in KINDS for init in choices_of("init", kind)])
def test_drawn_weights_are_those_of_make_cell(kind: str, init: str) -> None:
    """Those of an upper layer from a seed of its own."""
    chosen = {"hidden_size": 5, "input_size": 4, "seed": 9, "init": init, "gain": 0.7, "layers": 2, "steps": 30}
    network = build(network_of(Settings("random", kind=kind).choose(**chosen)))
    t_max = {"t_max": 30} if init == "chrono" else {}
    for layer, cell in enumerate(network.cells, start=1):
        seed = derived_seed(9, layer)
        wanted = make_cell(kind, 4 if layer == 1 else 5, 5, init=init, gain=0.7, seed=seed, **t_max)
        for name in WEIGHTS:
            np.testing.assert_array_equal(getattr(cell, name), getattr(wanted, name))


@pytest.mark.parametrize(("steps", "t_max"), [(1, 3), (2, 3), (3, 3), (4, 4), (200, 200)])
@pytest.mark.parametrize("kind", GATED)
def test_chrono_has_the_steps_for_its_longest_memory(kind: str, steps: int, t_max: int) -> None:
    network = build(network_of(Settings("random", kind=kind).choose(init="chrono", steps=steps)))
    wanted = make_cell(kind, 2, 3, init="chrono", t_max=t_max)
    np.testing.assert_array_equal(network.cell.b_ih, wanted.b_ih)
    keep = network.cell.b_ih[network.cell.rows("f" if kind == "lstm" else "z")]
    assert ((keep >= 0) & (keep <= np.log(t_max - 1))).all()


def test_chrono_keeps_in_either_form_of_the_update() -> None:
    """Where z writes, it has to stay shut."""
    keep, write = (
        build(network_of(Settings("random", kind="gru").choose(init="chrono", update=u))).cell
        for u in ("keep", "write")
    )
    assert (keep.b_ih[keep.rows("z")] > 0).all()
    np.testing.assert_array_equal(write.b_ih[write.rows("z")], -keep.b_ih[keep.rows("z")])


@pytest.mark.parametrize("reset", ["after", "before"])
@pytest.mark.parametrize("update", ["keep", "write"])
def test_a_gru_is_built_in_the_form_that_was_chosen(reset: str, update: str) -> None:
    network = build(network_of(Settings("random", kind="gru").choose(reset=reset, update=update, layers=2)))
    forms = [(getattr(cell, "reset", ""), getattr(cell, "update", "")) for cell in network.cells]
    assert forms == [(reset, update)] * 2


@pytest.mark.parametrize("preset", ["latch", "random"])
@pytest.mark.parametrize(("kind", "gate"), [(kind, gate) for kind in GATED for gate in GATES[kind]])
def test_a_bias_slider_adds_to_its_gates_rows_of_b_ih_in_every_layer(kind: str, gate: str, preset: str) -> None:
    plain = Settings(preset, kind=kind).choose(layers=2)
    raised = plain.choose(**{f"bias_{gate}": -1.25})
    assert canonicalise(raised) == (raised, ())
    size = int(str(values_of(plain)["hidden_size"]))
    first = GATES[kind].index(gate) * size
    for before, after in zip(build(network_of(plain)).cells, build(network_of(raised)).cells, strict=True):
        wanted = before.b_ih.copy()
        wanted[first : first + size] += -1.25
        np.testing.assert_array_equal(after.b_ih, wanted)
        for name in ("W_ih", "W_hh", "b_hh"):
            np.testing.assert_array_equal(getattr(after, name), getattr(before, name))


@pytest.mark.parametrize("kind", sorted(GENERATORS))
def test_the_generator_gets_size_and_seed(kind: str) -> None:
    x = build(network_of(Settings("random").choose(input=kind, input_size=3, steps=20, seed=4))).x
    np.testing.assert_array_equal(x, GENERATORS[kind](20, 3, 4))


def test_a_sequence_of_ones_own() -> None:
    x = ((0.5, -0.0), (1e308, 5e-324), (1.0, 2.0))
    network = build(network_of(Settings("worked_example", x=x)))
    assert network.x.tobytes() == np.array(x).tobytes()


@pytest.mark.parametrize(("h0", "start"), [((), [0, 0, 0]), ((0.5,), [0.5, 0.5, 0.5]), ((1.0, -2.0, 3.0), [1, -2, 3])])
def test_initial_states(h0: tuple[float, ...], start: list[float]) -> None:
    settings = Settings("random").choose(**({"h0": h0} if h0 else {}))
    network = build(network_of(settings))
    assert network.h0.tolist() == start
    assert run_network(network).trace.h[0].tolist() == start


@pytest.mark.parametrize(
    ("c0", "starts"),
    [
        ((), [[0, 0], [0, 0]]),
        ((0.5,), [[0.5, 0.5], [0.5, 0.5]]),
        ((1.0, -2.0), [[1, -2], [1, -2]]),
        ((1.0, 2.0, 3.0, 4.0), [[1, 2], [3, 4]]),
    ],
)
def test_initial_cell_states_beside_h0(c0: tuple[float, ...], starts: list[list[float]]) -> None:
    """Each by itself, for all layers or each; and an entry of it can be edited."""
    settings = Settings("random", kind="lstm").choose(hidden_size=2, layers=2, h0=(0.25,), c0=c0 or None)
    assert canonicalise(settings) == (settings, ())
    edited = canonicalise(settings.edit({Entry("2.c0", (1,)): 9.0}))[0]
    for given, wanted in ((settings, starts), (edited, [starts[0], [starts[1][0], 9.0]])):
        network = build(network_of(given))
        assert [start.tolist() for start in network.c0s if start is not None] == wanted
        assert [start.tolist() for start in network.h0s] == [[0.25, 0.25]] * 2
        for layer, start in zip(run_network(network).traces[0], wanted, strict=True):
            assert layer.c is not None
            assert (layer.h[0].tolist(), layer.c[0].tolist()) == ([0.25, 0.25], start)


@pytest.mark.parametrize("kind", ["elman", "gru"])
def test_no_cell_state_without_an_lstm(kind: str) -> None:
    network = build(network_of(Settings("random", kind=kind).choose(layers=2)))
    assert network.c0s == (None, None)
    assert not [name for name in network.base if name.endswith("c0")]


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
    plain, network = (
        build(network_of(Settings("worked_example"))),
        build(network_of(Settings("worked_example").edit(edits))),
    )
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
    build(network_of(Settings("echo").edit({Entry("W_hh", (0, 0)): 3.0, Entry("W_ho", (0, 0)): 3.0})))
    for name, array in weights.items():
        np.testing.assert_array_equal(array, before[name])


@pytest.mark.parametrize("outputs", [1, 3, 8])
def test_another_number_of_outputs_is_drawn(outputs: int) -> None:
    network = build(network_of(Settings("random").choose(output_size=outputs, seed=2, output_activation="softmax")))
    again = build(network_of(Settings("random").choose(output_size=outputs, seed=3)))
    assert network.readout is not None
    assert again.readout is not None
    assert network.readout.W.shape == (outputs, 3)
    assert network.readout.activation == "softmax"
    assert np.abs(network.readout.W).max() <= 1 / np.sqrt(3)
    assert not np.array_equal(network.readout.W, again.readout.W)


def test_no_outputs_no_readout() -> None:
    ran = run_network(build(network_of(Settings("worked_example").choose(output_size=0))))
    assert (ran.network.readout, ran.y, ran.y_preact) == (None, None, None)


@pytest.mark.parametrize("activation", ["identity", "softmax", "sigmoid", "tanh"])
def test_the_readout_reads_the_new_state_of_each_step(activation: str) -> None:
    ran = run_network(build(network_of(Settings("random").choose(output_size=2, output_activation=activation))))
    readout = ran.network.readout
    assert readout is not None
    assert ran.y is not None
    a = np.array([readout.W @ h + readout.b for h in ran.trace.h[1:]])
    np.testing.assert_allclose(ran.y_preact, a, rtol=0, atol=1e-14)
    exponentials = np.exp(a)
    wanted = {
        "identity": a,
        "softmax": exponentials / exponentials.sum(axis=1, keepdims=True),
        "sigmoid": 1 / (1 + np.exp(-a)),
        "tanh": np.tanh(a),
    }[activation]
    np.testing.assert_allclose(ran.y, wanted, rtol=0, atol=1e-14)


@pytest.mark.parametrize(("kind", "name"), EVERY_PRESET)
def test_a_walk_is_the_run_of_its_network(kind: str, name: str) -> None:
    ran = run_network(build(network_of(Settings(name, kind=kind))))
    network = ran.network
    wanted = run(network.cell, network.x, network.h0, network.c0s[0])
    np.testing.assert_array_equal(ran.trace.states, wanted.states)
