"""The same network in torch.nn, in float64."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from rnnviz import Cell, ElmanCell, GRUCell, Trace
from rnnviz.maths.trace import held_gates

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


def differentiable_states(trace: Trace) -> list[torch.Tensor]:
    """The states of a run by torch, each (S,) and linked to the one before: any form, with its clamps as constants."""
    cell, H = trace.cell, trace.cell.hidden_size
    W_ih, W_hh, b_ih, b_hh = (tensor(getattr(cell, name)) for name in NAMES)
    held = tensor(held_gates(trace.clamp, cell, trace.steps))
    states = [tensor(trace.states[0]).requires_grad_()]
    for x, values in zip(tensor(trace.x), held, strict=True):
        h, u = states[-1][:H], W_ih @ x + b_ih
        w = W_hh @ h + b_hh
        gates = torch.where(torch.isnan(values), torch.sigmoid(u + w), values)
        if isinstance(cell, ElmanCell):
            states.append({"identity": lambda a: a, **vars(torch)}[cell.activation](u + w))
        elif isinstance(cell, GRUCell):
            r, z, _ = torch.split(gates, H)
            from_h = W_hh[2 * H :] @ (r * h) + b_hh[2 * H :] if cell.reset == "before" else r * w[2 * H :]
            n = torch.tanh(u[2 * H :] + from_h)
            states.append((1 - z) * n + z * h if cell.update == "keep" else (1 - z) * h + z * n)
        else:
            i, f, _, o = torch.split(gates, H)
            c = f * states[-1][H:] + i * torch.tanh((u + w)[2 * H : 3 * H])
            states.append(torch.cat([o * torch.tanh(c), c]))
    return states
