"""Networks on stored weights: torch's own numbers, sizes that differ from layer to layer, and what gives way when."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from rnnviz import Clamp, InputError, Readout, make_cell
from rnnviz.maths import LSTMCell
from rnnviz.network import build, canonicalise, choose, follow, in_front, network_of, run_network, values_of
from rnnviz.network.canonical import STORED
from rnnviz.settings import Entry, Settings, format_address, parse_address
from rnnviz.weights import STORE, StoredNetwork

from .test_store import stacked

D, H, LAYERS, OUTPUTS = 3, 5, 2, 2


def modules() -> tuple[torch.nn.LSTM, torch.nn.Linear]:
    torch.manual_seed(7)
    return torch.nn.LSTM(D, H, num_layers=LAYERS).double(), torch.nn.Linear(H, OUTPUTS).double()


def of_modules(lstm: torch.nn.LSTM, linear: torch.nn.Linear) -> StoredNetwork:
    """The weights of torch's own modules, by their own names."""

    def layer(number: int) -> LSTMCell:
        names = (f"{name}_l{number}" for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
        return LSTMCell(*(getattr(lstm, name).detach().numpy() for name in names))

    readout = Readout(linear.weight.detach().numpy(), linear.bias.detach().numpy())
    return StoredNetwork(tuple(layer(number) for number in range(LAYERS)), readout)


def stored(network: StoredNetwork, **values: object) -> Settings:
    """Settings on a network that is put into the store."""
    settings = Settings("random", kind=network.kind, weights=STORE.put(network))
    return settings.choose(**values)  # type: ignore[arg-type]


@pytest.fixture
def torch_settings() -> Settings:
    return stored(of_modules(*modules()))


def test_torchs_own_stack_gives_torchs_own_numbers(torch_settings: Settings) -> None:
    lstm, linear = modules()
    found = run_network(build(network_of(torch_settings)))
    x = torch.tensor(found.network.x.copy())[:, None]
    with torch.no_grad():
        h, (last_h, last_c) = lstm(x)
        y = linear(h)
    for layer in range(LAYERS):
        trace = found.batch[0][layer].trace
        assert trace.c is not None
        np.testing.assert_allclose(trace.h[-1], last_h[layer, 0], atol=1e-14)
        np.testing.assert_allclose(trace.c[-1], last_c[layer, 0], atol=1e-14)
    np.testing.assert_allclose(found.batch[0][-1].trace.h[1:], h[:, 0], atol=1e-14)
    np.testing.assert_allclose(found.y, y[:, 0], atol=1e-14)


def test_its_sizes_are_those_of_the_weights(torch_settings: Settings) -> None:
    values = values_of(torch_settings)
    assert [values[name] for name in ("input_size", "hidden_size", "layers", "output_size")] == [D, H, LAYERS, OUTPUTS]
    assert canonicalise(torch_settings) == (torch_settings, ())


@pytest.mark.parametrize("kind", ["elman", "lstm", "gru"])
def test_layers_may_differ_in_size(kind: str) -> None:
    network = stacked(kind, sizes=(3, 5, 2, 7))
    settings = stored(network, h0=tuple(np.linspace(-1, 1, 14)))
    assert canonicalise(settings) == (settings, ())
    found = build(network_of(settings))
    assert [cell.hidden_size for cell in found.cells] == [5, 2, 7]
    np.testing.assert_array_equal(np.concatenate(found.h0s), np.linspace(-1, 1, 14))
    layers = run_network(found).batch[0]
    x = found.x
    for layer, cell in zip(layers, network.cells, strict=True):
        np.testing.assert_array_equal(layer.trace.x, x)
        np.testing.assert_array_equal(layer.trace.cell.W_hh, cell.W_hh)
        x = layer.trace.h[1:]
    assert network.readout is not None
    np.testing.assert_array_equal(run_network(found).y, network.readout(x))


def test_starts_and_clamps_know_the_size_of_each_layer() -> None:
    settings = stored(stacked("lstm", sizes=(3, 5, 2)))
    for length, fits in ((1, True), (7, True), (2, False), (5, False), (10, False)):
        _, problems = canonicalise(settings.choose(h0=(0.5,) * length))
        assert (not problems) == fits, length
    clamps = tuple((layer, Clamp("f", 1.0, unit=4)) for layer in (1, 2))
    kept, (problem,) = canonicalise(replace(settings, clamps=clamps))
    assert kept.clamps == clamps[:1]
    assert problem.name == "clamp"


def test_edits_stand_on_the_stored_weights(torch_settings: Settings) -> None:
    entry = Entry("2.W_hh", (0, 1))
    edited, problems = canonicalise(torch_settings.edit({entry: 0.5, Entry("2.W_hh", (20, 0)): 1.0}))
    assert [problem.name for problem in problems] == ["2.W_hh.21.1"]
    W_hh = build(network_of(edited)).cells[1].W_hh
    before = build(network_of(torch_settings)).cells[1].W_hh
    assert W_hh[0, 1] == 0.5
    assert (W_hh != before).sum() == 1


def test_an_address_names_them_and_brings_them_back(torch_settings: Settings) -> None:
    settings = choose(torch_settings, "steps", 12)
    query = format_address(settings, "latch")
    assert query["weights"] == torch_settings.weights
    back, problems = parse_address(query, ["latch", "random"], "latch", "lstm")
    assert (back, problems) == (settings, ())
    _, (problem,) = parse_address({"weights": "../x"}, ["latch"], "latch", "lstm")
    assert "20 characters" in str(problem.needed)


@pytest.mark.parametrize(
    ("name", "value"), [("hidden_size", 4), ("input_size", 2), ("seed", 3), ("init", "orthogonal"), ("gain", 2.0)]
)
def test_asking_for_other_weights_draws_them(torch_settings: Settings, name: str, value: int | float | str) -> None:
    drawn = choose(torch_settings, name, value)
    assert (drawn.weights, drawn.preset) == ("", "random")
    found, sizes = values_of(drawn), {"input_size": D, "hidden_size": H, "layers": LAYERS, "output_size": OUTPUTS}
    assert found[name] == value
    assert all(found[other] == size for other, size in sizes.items() if other != name)


def test_what_touches_no_weight_keeps_them(torch_settings: Settings) -> None:
    for name, value in (("steps", 20), ("notation", "column"), ("input", "sine"), ("sequences", 3)):
        assert choose(torch_settings, name, value).weights == torch_settings.weights
    own = follow(torch_settings, tuple((0.1 * t,) * D for t in range(4)))
    assert own.weights == torch_settings.weights
    assert follow(torch_settings, ((0.5,),)).weights == ""  # inputs of another size
    assert choose(torch_settings, "preset", STORED).weights == torch_settings.weights
    assert choose(torch_settings, "preset", "latch").weights == ""


def test_another_cell_in_front_is_drawn_at_sizes_that_controls_have() -> None:
    large = stored(StoredNetwork((make_cell("lstm", 100, 200),)))
    beside = replace(large, beside=("elman", "gru"))
    other = in_front(beside, "gru")
    assert (other.weights, values_of(other)["hidden_size"], values_of(other)["input_size"]) == ("", 64, 64)
    assert build(network_of(large)).cell.hidden_size == 200


@pytest.fixture
def empty_store() -> None:
    STORE.clear()


def test_missing_weights_are_named_and_stay_in_the_address(empty_store: None) -> None:
    network = stacked("lstm")
    asked = Settings("random", kind="lstm", weights=network.hash)
    shown, problems = canonicalise(asked)
    assert (shown.weights, shown.missing, problems) == ("", network.hash, ())
    assert build(network_of(shown)).cells  # random ones stand in their place
    assert format_address(shown, "latch")["weights"] == network.hash
    STORE.put(network)
    back, problems = parse_address(format_address(shown, "latch"), ["latch", "random"], "latch", "lstm")
    assert canonicalise(back) == (asked, ())
    assert problems == ()


def test_weights_that_went_meanwhile_are_refused(empty_store: None) -> None:
    settings = stored(stacked("lstm", seed=99))
    STORE.clear()
    with pytest.raises(InputError, match="no longer on this server"):
        build(network_of(settings))


def test_weights_of_another_cell_are_refused_on_its_page() -> None:
    settings = replace(stored(stacked("gru")), kind="lstm")
    shown, (problem,) = canonicalise(settings)
    assert (shown.weights, shown.missing) == ("", "")
    assert "a GRU" in str(problem.needed)
