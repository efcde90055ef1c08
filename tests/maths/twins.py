"""The same network in torch.nn, in float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from rnnviz import Cell, ElmanCell

NAMES = {"W_ih": "weight_ih", "W_hh": "weight_hh", "b_ih": "bias_ih", "b_hh": "bias_hh"}
NETWORKS: dict[str, Any] = {"elman": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru": torch.nn.GRU}
CELLS: dict[str, Any] = {"elman": torch.nn.RNNCell, "lstm": torch.nn.LSTMCell, "gru": torch.nn.GRUCell}


def tensor(array: Any) -> torch.Tensor:
    return torch.tensor(np.array(array), dtype=torch.float64)


def torch_network(cells: Sequence[Cell]) -> Any:
    """torch.nn.RNN, LSTM or GRU with these cells as its layers."""
    first = cells[0]
    network = NETWORKS[first.kind](first.input_size, first.hidden_size, len(cells), **_options(first)).double()
    for layer, cell in enumerate(cells):
        _fill(network, cell, f"_l{layer}")
    return network


def torch_cell(cell: Cell) -> Any:
    """torch.nn.RNNCell, LSTMCell or GRUCell."""
    twin = CELLS[cell.kind](cell.input_size, cell.hidden_size, **_options(cell)).double()
    _fill(twin, cell, "")
    return twin


def _options(cell: Cell) -> dict[str, str]:
    return {"nonlinearity": cell.activation} if isinstance(cell, ElmanCell) else {}


def _fill(module: Any, cell: Cell, suffix: str) -> None:
    with torch.no_grad():
        for ours, theirs in NAMES.items():
            getattr(module, theirs + suffix).copy_(tensor(getattr(cell, ours)))
