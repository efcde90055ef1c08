"""Stacked layers in both forms: against torch, against a loop written out, and by their number of parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from rnnviz import StateOverflowError, make_cell
from rnnviz.network import (
    Network,
    build,
    canonicalise,
    choose,
    network_of,
    parameter_counts,
    parts_of,
    run_network,
    run_to_the_end,
    values_of,
)
from rnnviz.sequences import derived_seed
from rnnviz.settings import Entry, Settings

Array = NDArray[np.float64]


def stack(form: str = "hidden", **others: object) -> Settings:
    chosen = {"layers": 3, "stack": form, "hidden_size": 4, "input_size": 2, "steps": 7, "output_size": 3, "gain": 1.5}
    return Settings("random").choose(**chosen | {"h0": (0.3, -0.2, 0.9, -0.7)} | others)


def tensor(array: Array) -> torch.Tensor:
    return torch.tensor(np.array(array))


# --- the standard stack ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["tanh", "relu"])
def test_the_standard_stack_is_torchs(activation: str) -> None:
    network = build(network_of(stack(activation=activation, sequences=3)))
    rnn = torch.nn.RNN(2, 4, num_layers=3, nonlinearity=activation, batch_first=True, dtype=torch.float64)
    head = torch.nn.Linear(4, 3, dtype=torch.float64)
    assert network.readout is not None
    with torch.no_grad():
        for number, cell in enumerate(network.cells):
            for name, own in {"weight_ih": "W_ih", "weight_hh": "W_hh", "bias_ih": "b_ih", "bias_hh": "b_hh"}.items():
                getattr(rnn, f"{name}_l{number}").copy_(tensor(getattr(cell, own)))
        head.weight.copy_(tensor(network.readout.W))
        head.bias.copy_(tensor(network.readout.b))
        h0 = tensor(np.array(network.h0s))[:, None, :].repeat(1, 3, 1)
        top, last = rnn(tensor(np.array(network.xs)), h0)
        wanted = head(top)
    ran = run_network(network)
    for k, layers in enumerate(ran.traces):
        np.testing.assert_allclose(layers[-1].h[1:], top[k].numpy(), rtol=0, atol=1e-13)
        np.testing.assert_allclose([trace.h[-1] for trace in layers], last[:, k].numpy(), rtol=0, atol=1e-13)
        np.testing.assert_allclose(ran.outputs[k].y, wanted[k].numpy(), rtol=0, atol=1e-13)


TORCH: dict[str, Any] = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}


@pytest.mark.parametrize("kind", TORCH)
def test_a_gated_stack_is_torchs(kind: str) -> None:
    """With an initial state of its own in each layer, for h and for c."""
    starts = {"h0": tuple(np.linspace(-1, 1, 12))} | ({"c0": tuple(np.linspace(2, -2, 12))} if kind == "lstm" else {})
    network = build(network_of(replace(stack(sequences=2, **starts), kind=kind)))
    rnn = TORCH[kind](2, 4, num_layers=3, batch_first=True, dtype=torch.float64)
    states = [tensor(np.reshape(start, (3, 1, 4))).repeat(1, 2, 1) for start in starts.values()]
    with torch.no_grad():
        for number, cell in enumerate(network.cells):
            for name, own in {"weight_ih": "W_ih", "weight_hh": "W_hh", "bias_ih": "b_ih", "bias_hh": "b_hh"}.items():
                getattr(rnn, f"{name}_l{number}").copy_(tensor(getattr(cell, own)))
        top, last = rnn(tensor(np.array(network.xs)), tuple(states) if kind == "lstm" else states[0])
    ends = torch.cat(last, dim=-1) if kind == "lstm" else last
    for k, layers in enumerate(run_network(network).traces):
        np.testing.assert_allclose(layers[-1].h[1:], top[k].numpy(), rtol=0, atol=1e-13)
        np.testing.assert_allclose([trace.states[-1] for trace in layers], ends[:, k].numpy(), rtol=0, atol=1e-13)


@pytest.mark.parametrize("kind", TORCH)
def test_a_gated_stack_by_its_parameters(kind: str) -> None:
    module = TORCH[kind](10, 20, num_layers=3)
    settings = Settings("random", kind=kind).choose(input_size=10, hidden_size=20, output_size=3, layers=3)
    wanted = sum(p.numel() for p in [*module.parameters(), *torch.nn.Linear(20, 3).parameters()])
    assert parameter_counts(parts_of(settings).base)["hidden"] == wanted


def test_layer_1_is_the_network_without_a_stack() -> None:
    alone, stacked = build(network_of(stack(layers=1))), build(network_of(stack()))
    for name in ("W_ih", "W_hh", "b_ih", "b_hh"):
        assert getattr(alone.cell, name).tobytes() == getattr(stacked.cell, name).tobytes()
    assert run_network(alone).trace.h.tobytes() == run_network(stacked).trace.h.tobytes()
    assert alone.base["W_ho"].tobytes() == stacked.base["W_ho"].tobytes()


def test_upper_layers_are_drawn_from_seeds_of_their_own() -> None:
    """They never change, as shared addresses rely on them."""
    assert [derived_seed(0, layer) for layer in (1, 2, 3)] == [0, 49182197, 1179852003]
    for layer, cell in enumerate(build(network_of(stack(init="orthogonal", seed=5))).cells[1:], start=2):
        wanted = make_cell("elman", 4, 4, init="orthogonal", gain=1.5, seed=derived_seed(5, layer))
        np.testing.assert_array_equal(cell.W_hh, wanted.W_hh)
        np.testing.assert_array_equal(cell.W_ih, wanted.W_ih)


def test_hand_set_weights_stay_in_layer_1() -> None:
    stacked = choose(Settings("worked_example"), "layers", 3)
    assert stacked.preset == "worked_example"
    network, alone = build(network_of(stacked)), build(network_of(Settings("worked_example")))
    np.testing.assert_array_equal(network.cell.W_hh, alone.cell.W_hh)
    np.testing.assert_array_equal(network.cells[1].W_hh, make_cell("elman", 3, 3, seed=derived_seed(0, 2)).W_hh)
    np.testing.assert_array_equal(run_network(network).trace.h, run_network(alone).trace.h)


# --- the stack that hands readouts on -------------------------------------------------------------------------------


def test_the_readout_stack_is_the_loop_written_out() -> None:
    """Every layer has an h, reads it out, and the next one gets that; y is one more matrix on the last readout."""
    network = build(network_of(stack("readout", output_activation="sigmoid")))
    ran = run_network(network)
    a = network.base
    h = [a["h0"], a["2.h0"], a["3.h0"]]
    for t in range(7):
        given = network.x[t]
        for layer in range(3):
            mark = "" if layer == 0 else f"{layer + 1}."
            total = a[f"{mark}W_ih"] @ given + a[f"{mark}b_ih"] + a[f"{mark}W_hh"] @ h[layer] + a[f"{mark}b_hh"]
            h[layer] = np.tanh(total)
            given = a[f"{mark}W_ho"] @ h[layer] + a[f"{mark}b_o"]
            passed = ran.batch[0][layer].passed
            assert passed is not None
            np.testing.assert_allclose(ran.traces[0][layer].h[t + 1], h[layer], rtol=0, atol=1e-14)
            np.testing.assert_allclose(passed[t], given, rtol=0, atol=1e-14)
        y = 1 / (1 + np.exp(-(a["W_out"] @ given + a["b_out"])))
        np.testing.assert_allclose(ran.outputs[0].y[t], y, rtol=0, atol=1e-14)


class Layer(torch.nn.Module):
    """As the textbook code has it: three linear maps, two of them summed inside tanh."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.W_xh = torch.nn.Linear(inputs, hidden, dtype=torch.float64)
        self.W_hh = torch.nn.Linear(hidden, hidden, dtype=torch.float64)
        self.W_hy = torch.nn.Linear(hidden, outputs, dtype=torch.float64)

    def forward(self, x: torch.Tensor, h: torch.Tensor) -> torch.Tensor:
        outputs = []
        for x_t in x.unbind(1):
            h = torch.tanh(self.W_xh(x_t) + self.W_hh(h))
            outputs.append(self.W_hy(h))
        return torch.stack(outputs, dim=1)


def textbook(network: Network) -> tuple[list[Layer], torch.nn.Linear]:
    """The same network of torch modules, with the network's weights."""
    layers, size = [], network.cell.input_size
    for number, cell in enumerate(network.cells, start=1):
        layer, mark = Layer(size, cell.hidden_size, cell.hidden_size), "" if number == 1 else f"{number}."
        pairs = {"W_xh": ("W_ih", "b_ih"), "W_hh": ("W_hh", "b_hh"), "W_hy": ("W_ho", "b_o")}
        for part, names in pairs.items():
            for parameter, name in zip(("weight", "bias"), names, strict=True):
                getattr(getattr(layer, part), parameter).data.copy_(tensor(network.base[mark + name]))
        layers.append(layer)
        size = cell.hidden_size
    head = torch.nn.Linear(size, len(network.base["W_out"]), dtype=torch.float64)
    head.weight.data.copy_(tensor(network.base["W_out"]))
    head.bias.data.copy_(tensor(network.base["b_out"]))
    return layers, head


def test_the_readout_stack_is_torchs_modules_one_after_the_other() -> None:
    network = build(network_of(stack("readout", sequences=2)))
    layers, head = textbook(network)
    flow = tensor(np.array(network.xs))
    with torch.no_grad():
        for layer, h0 in zip(layers, network.h0s, strict=True):
            flow = layer(flow, tensor(h0).expand(2, -1))
        wanted = head(flow)
    for output, y in zip(run_network(network).outputs, wanted.numpy(), strict=True):
        np.testing.assert_allclose(output.y, y, rtol=0, atol=1e-13)


def test_both_forms_by_their_parameters() -> None:
    """10 inputs, 20 units, 3 outputs, 3 layers; counted by torch too."""
    settings = Settings("random").choose(input_size=10, hidden_size=20, output_size=3, layers=3)
    counts = parameter_counts(parts_of(settings).base)
    assert counts == {"hidden": 2383, "readout": 3643}
    layers, head = textbook(build(network_of(settings.choose(stack="readout"))))
    modules = [*layers, head]
    assert sum(p.numel() for module in modules for p in module.parameters()) == counts["readout"]
    standard = [torch.nn.RNN(10, 20, num_layers=3), torch.nn.Linear(20, 3)]
    assert sum(p.numel() for module in standard for p in module.parameters()) == counts["hidden"]


def test_a_single_layer_has_no_next_one() -> None:
    network = build(network_of(stack("readout", layers=1)))
    assert network.passes == ()
    assert "W_out" not in network.base
    assert parameter_counts(parts_of(stack(layers=1)).base) == dict.fromkeys(("hidden", "readout"), 2 * 4 + 16 + 8 + 15)


def test_a_readout_stack_without_outputs() -> None:
    ran = run_network(build(network_of(stack("readout", output_size=0))))
    assert ran.outputs == ()
    assert ran.batch[0][2].passed is not None


# --- initial states, edits, choices ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("h0", "starts"),
    [
        ((), [[0, 0], [0, 0]]),
        ((0.5,), [[0.5, 0.5], [0.5, 0.5]]),
        ((1.0, 2.0), [[1, 2], [1, 2]]),
        ((1.0, 2.0, 3.0, 4.0), [[1, 2], [3, 4]]),
    ],
)
def test_initial_states_for_all_layers_or_each(h0: tuple[float, ...], starts: list[list[float]]) -> None:
    settings = Settings("random").choose(hidden_size=2, layers=2, **({"h0": h0} if h0 else {}))
    assert canonicalise(settings) == (settings, ())
    assert [start.tolist() for start in build(network_of(settings)).h0s] == starts


def test_an_edit_changes_its_layer_and_nothing_else() -> None:
    edits = {Entry("2.W_hh", (0, 1)): 7.0, Entry("2.h0", (0,)): 0.5, Entry("3.b_ih", (3,)): -1.0}
    settings, problems = canonicalise(stack().edit(edits))
    assert (dict(settings.edits), problems) == (edits, ())
    plain, network = build(network_of(stack())), build(network_of(settings))
    assert network.cells[1].W_hh[0, 1] == 7.0
    assert network.h0s[1][0] == 0.5
    assert network.cells[2].b_ih[3] == -1.0
    np.testing.assert_array_equal(network.cell.W_hh, plain.cell.W_hh)
    np.testing.assert_array_equal(network.cells[1].W_ih, plain.cells[1].W_ih)


def edited(**chosen: object) -> Settings:
    names = ("W_hh", "2.W_hh", "3.W_hh", "W_ho", "2.h0")
    places = {name: (0,) if name.endswith("h0") else (0, 0) for name in names}
    return canonicalise(stack(**chosen).edit({Entry(name, place): 9.0 for name, place in places.items()}))[0]


@pytest.mark.parametrize(
    ("name", "value", "left"),
    [
        ("layers", 2, {"W_hh", "2.W_hh", "W_ho", "2.h0"}),
        ("layers", 1, {"W_hh", "W_ho"}),
        ("stack", "readout", {"W_hh", "2.W_hh", "3.W_hh", "2.h0"}),
        ("seed", 5, {"2.h0"}),
        ("hidden_size", 5, {"2.h0"}),
        ("h0", (0.5,), {"W_hh", "2.W_hh", "3.W_hh", "W_ho"}),
        ("activation", "relu", {"W_hh", "2.W_hh", "3.W_hh", "W_ho", "2.h0"}),
    ],
)
def test_which_edits_survive_a_choice(name: str, value: object, left: set[str]) -> None:
    before = edited(h0=(0.1,))
    assert {entry.name for entry, _ in choose(before, name, value).edits} == left


def test_the_layer_shown_stays_within_the_stack() -> None:
    settings = canonicalise(Settings("random", (("layers", 4),), layer=4, t=3))[0]
    fewer = choose(settings, "layers", 2)
    assert (fewer.layer, fewer.t) == (2, 3)
    assert values_of(fewer)["layers"] == 2


# --- numbers that grow out of float64 -------------------------------------------------------------------------------


def growing(**others: object) -> Settings:
    chosen = {"hidden_size": 1, "input_size": 1, "activation": "identity", "input": "silence", "h0": (1.0,)}
    return Settings("random").choose(**chosen | {"layers": 2, "steps": 9, "init": "zeros"} | others)


def test_a_stack_is_shown_up_to_the_step_that_overflows() -> None:
    settings = growing().edit({Entry("2.W_hh", (0, 0)): 1e100})
    with pytest.raises(StateOverflowError, match=r"Layer 2: .* step 4 of 9"):
        run_network(build(network_of(settings)))
    ran, reason = run_to_the_end(build(network_of(settings)))
    assert "Layer 2" in str(reason)
    assert [trace.steps for trace in ran.traces[0]] == [3, 3]


def test_a_batch_ends_where_the_first_of_its_sequences_does() -> None:
    settings = growing(sequences=2, steps=6).edit(
        {Entry("W_hh", (0, 0)): 1e150, Entry("W_ih", (0, 0)): 1.0, Entry("2.x", (0, 0)): 1e200}
    )
    ran, reason = run_to_the_end(build(network_of(settings)))
    assert str(reason).startswith("Sequence 2, layer 1: ")
    assert {trace.steps for layers in ran.traces for trace in layers} == {1}
