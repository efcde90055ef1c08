"""The same network in torch.nn, in float64."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch

from rnnviz import Cell, ElmanCell, GRUCell, Trace
from rnnviz.maths.checks import Array
from rnnviz.maths.trace import clamped_gates

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


def torch_step(cell: Cell, weights: Sequence[Any], x: Any, h: Any, c: Any, held: Any) -> tuple[Any, Any]:
    """One step by torch, any form: h and, for an LSTM, c; gates are constants where `held` is not nan."""
    W_ih, W_hh, b_ih, b_hh = weights
    H, u, w = cell.hidden_size, W_ih @ x + b_ih, W_hh @ h + b_hh
    gates = torch.where(torch.isnan(held), torch.sigmoid(u + w), held)
    if isinstance(cell, ElmanCell):
        return {"identity": lambda a: a, **vars(torch)}[cell.activation](u + w), c
    if isinstance(cell, GRUCell):
        r, z, _ = torch.split(gates, H)
        from_h = W_hh[2 * H :] @ (r * h) + b_hh[2 * H :] if cell.reset == "before" else r * w[2 * H :]
        n = torch.tanh(u[2 * H :] + from_h)
        return (1 - z) * n + z * h if cell.update == "keep" else (1 - z) * h + z * n, c
    i, f, _, o = torch.split(gates, H)
    c = f * c + i * torch.tanh((u + w)[2 * H : 3 * H])
    return o * torch.tanh(c), c


def differentiable_states(trace: Trace, weights: Sequence[Any] | None = None) -> list[torch.Tensor]:
    """The states of a run by torch, each (S,) and linked to the one before: any form, with its clamps as constants.

    `weights` are tensors in the order of `NAMES`, those of the cell if left out.
    """
    cell, H = trace.cell, trace.cell.hidden_size
    weights = weights or [tensor(getattr(cell, name)) for name in NAMES]
    held = tensor(clamped_gates(trace.clamp, cell, trace.steps))
    states = [tensor(trace.states[0]).requires_grad_()]
    for x, values in zip(tensor(trace.x), held, strict=True):
        states.append(torch.cat(torch_step(cell, weights, x, states[-1][:H], states[-1][H:], values)))
    return states


class Learned(NamedTuple):
    """Gradients by autograd."""

    by_use: dict[str, Array]
    """Of each weight, (T, *shape): every step has a copy of the weights of its own."""
    x: Array
    h: Array
    c: Array


def torch_gradients(trace: Trace, d_h: Array, truncation: int | None = None, scheme: str = "chunk") -> Learned:
    """Of the loss ``sum_t d_h[t] . h_t``, the states detached where a truncated gradient is cut.

    "sliding" makes a graph for each step's loss, which begins at the state K steps before, detached.
    """
    T, most = trace.steps, truncation or trace.steps
    if scheme == "sliding":
        graphs = [_graph(trace, d_h, range(max(0, t - most), t), (), only_last=True) for t in range(1, T + 1)]
        return Learned(
            {name: np.sum([one.by_use[name] for one in graphs], axis=0) for name in NAMES},
            *(np.sum([getattr(one, name) for one in graphs], axis=0) for name in ("x", "h", "c")),
        )
    return _graph(trace, d_h, range(T), range(most, T, most))


def _graph(trace: Trace, d_h: Array, steps: range, detached: Iterable[int], *, only_last: bool = False) -> Learned:
    cell, T, H = trace.cell, trace.steps, trace.cell.hidden_size
    held, x = tensor(clamped_gates(trace.clamp, cell, T)), tensor(trace.x).requires_grad_()
    weights = [[tensor(getattr(cell, name)).requires_grad_() for name in NAMES] for _ in range(T)]
    state = tensor(trace.states[steps[0]])
    h, c = {steps[0]: state[:H].requires_grad_()}, {steps[0]: state[H:].clone().requires_grad_()}
    loss = torch.zeros(())
    for t in steps:
        h_before, c_before = (part.detach() if t in detached and len(part) else part for part in (h[t], c[t]))
        h[t + 1], c[t + 1] = torch_step(cell, weights[t], x[t], h_before, c_before, held[t])
        if t == steps[-1] or not only_last:
            loss = loss + tensor(d_h[t]) @ h[t + 1]

    def gradients(leaves: list[Any]) -> list[Array]:
        found = torch.autograd.grad(loss, leaves, retain_graph=True, allow_unused=True)
        return [np.zeros(leaf.shape) if one is None else one.numpy() for one, leaf in zip(found, leaves, strict=True)]

    if steps[0]:  # where a graph begins in the middle, nothing arrives at the state that it begins with
        del h[steps[0]], c[steps[0]]
    states = []
    for kept in (h, c):
        states.append(np.zeros((T + 1, len(kept[steps[-1] + 1]))))
        states[-1][list(kept)] = gradients(list(kept.values()))
    flat = gradients([leaf for own in weights for leaf in own])
    by_use = {name: np.stack(flat[place :: len(NAMES)]) for place, name in enumerate(NAMES)}
    return Learned(by_use, gradients([x])[0], *states)
