"""Parameters and multiply-adds of a network, counted a second way: in torch's modules, and one by one in a loop."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import Readout, make_cell
from rnnviz.maths.step_costs import nearest_hidden_size, parameter_count, step_costs
from rnnviz.settings import KINDS

MODULES = {"elman": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru": torch.nn.GRU}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("D", "H", "layers", "O"), [(2, 32, 1, 1), (1, 1, 1, 1), (6, 5, 3, 4)])
def test_parameters_are_those_of_torchs_modules(kind: str, D: int, H: int, layers: int, O: int) -> None:  # noqa: E741
    modules = [MODULES[kind](D, H, num_layers=layers), torch.nn.Linear(H, O)]
    counted = sum(parameter.numel() for module in modules for parameter in module.parameters())
    assert parameter_count(kind, D, H, layers=layers, output_size=O) == counted
    learned = parameter_count(kind, D, H, layers=layers, output_size=O, learned_start=True)
    assert learned == counted + layers * H


class Counted(float):
    """A number that counts how often it is multiplied."""

    times = 0

    def __mul__(self, other: float) -> float:
        Counted.times += 1
        return float(self) * other


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("layers", [1, 2])
def test_multiply_adds_are_those_of_a_loop(kind: str, layers: int) -> None:
    """Every entry of every weight matrix is multiplied once, by the number of its column."""
    D, H = 3, 4
    cells = [make_cell(kind, D if number == 0 else H, H, seed=number) for number in range(layers)]
    Counted.times = 0
    for cell in cells:
        for W in (cell.W_ih, cell.W_hh):
            vector = np.arange(1.0, W.shape[1] + 1)
            product = [sum(Counted(w) * v for w, v in zip(row, vector, strict=True)) for row in W]
            np.testing.assert_allclose(product, W @ vector)
    costs = step_costs(cells)
    assert costs.multiply_adds == Counted.times
    module = MODULES[kind](D, H, num_layers=layers)
    _, end = module(torch.zeros(1, D))
    assert costs.numbers == sum(state.numel() for state in (end if isinstance(end, tuple) else (end,)))


@given(
    st.sampled_from(KINDS), st.integers(1, 60_000), st.integers(1, 8), st.integers(1, 3), st.integers(0, 5),
    st.booleans(),
)  # fmt: skip
def test_the_nearest_size_has_no_nearer_neighbour(
    kind: str, parameters: int, D: int, layers: int, outputs: int, learned: bool
) -> None:
    def off(size: int) -> int:
        count = parameter_count(kind, D, size, layers=layers, output_size=outputs, learned_start=learned)
        return abs(count - parameters)

    found = nearest_hidden_size(kind, parameters, D, most=64, layers=layers, output_size=outputs, learned_start=learned)
    assert 1 <= found <= 64
    assert off(found) == min(map(off, range(1, 65)))
    assert found == 1 or off(found - 1) > off(found)


def test_a_readout_is_counted_as_it_is() -> None:
    readout = Readout(np.zeros((3, 5)), np.zeros(3))
    without = parameter_count("gru", 2, 5)
    assert parameter_count("gru", 2, 5, output_size=3) - without == readout.W.size + readout.b.size
