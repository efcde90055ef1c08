"""The loops over the steps, one for each cell.

All inputs have been multiplied before; a step multiplies the state and applies its gates. A step of this size costs
calls more than arithmetic, so each line is one call that writes to the row that keeps its result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import numpy as np

from rnnviz.maths.activations import ACTIVATIONS, ONE, sigmoid_into
from rnnviz.maths.cells import Cell, ElmanCell, GRUCell, LSTMCell
from rnnviz.maths.checks import Array

__all__ = ["LOOPS", "Sums"]


class Sums(NamedTuple):
    """The arrays that a loop fills, (T, G*H) each; `from_x` is given."""

    from_x: Array
    from_h: Array
    preacts: Array
    gates: Array
    clamped: Iterable[Array | None]  # what the gates are clamped to, nan where free


# In the loops u, w and a are the rows of from_x, from_h and preacts. Each result goes straight to the array named last.
# The previous state is [1, h], so that one product with [b_hh, W_hh] gives W_hh h + b_hh.


def _elman(cell: ElmanCell, first: Array, sums: Sums) -> Array:
    b_W_hh, activation = _with_bias(cell), ACTIVATIONS[cell.activation].into
    one_h = _states_after_one(first, sums)
    rows = zip(sums.from_x, sums.from_h, sums.preacts, one_h, one_h[1:, 1:], strict=False)
    for u, w, a, one_h_prev, h in rows:
        b_W_hh.dot(one_h_prev, w)
        np.add(u, w, a)
        activation(a, h)  # h_t = g(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)
    return one_h[:, 1:].copy()


def _lstm(cell: LSTMCell, first: Array, sums: Sums) -> Array:
    b_W_hh, H = _with_bias(cell), cell.hidden_size
    one_h = _states_after_one(first[:H], sums)
    g_c = np.empty((len(one_h), 2 * H))  # rows [g_t, c_{t-1}], beside which the gates i, f lie: one product for both
    g_c[0, H:] = first[H:]
    written_kept = np.empty(2 * H)
    written, kept = written_kept[:H], written_kept[H:]
    preacts, gates = sums.preacts, sums.gates
    parts = preacts[:, cell.rows("g")], g_c[:, :H], gates[:, : 2 * H], g_c, g_c[1:, H:], gates[:, cell.rows("o")]
    rows = zip(sums.from_x, sums.from_h, preacts, gates, sums.clamped, *parts, one_h, one_h[1:, 1:], strict=False)
    for u, w, a, gate, clamped, a_g, g, i_f, g_c_prev, c, o, one_h_prev, h in rows:
        b_W_hh.dot(one_h_prev, w)
        np.add(u, w, a)
        sigmoid_into(a, gate)
        if clamped is not None:
            _clamp(gate, clamped)
        np.tanh(a_g, g)
        np.multiply(i_f, g_c_prev, written_kept)
        np.add(written, kept, c)  # c_t = i * g + f * c_{t-1}
        np.tanh(c, h)
        np.multiply(o, h, h)  # h_t = o * tanh(c_t)
    gates[:, cell.rows("g")] = g_c[:-1, :H]
    return np.concatenate([one_h[:, 1:], g_c[:, H:]], axis=1)


def _gru(cell: GRUCell, first: Array, sums: Sums) -> Array:
    b_W_hh, n_rows = _with_bias(cell), cell.rows("n")
    b_W_hn = np.asfortranarray(b_W_hh[n_rows])
    before, keep = cell.reset == "before", cell.update == "keep"
    one_h = _states_after_one(first, sums)
    one_part = np.ones(1 + cell.hidden_size)
    part = one_part[1:]
    whole = sums.from_x, sums.from_h, sums.preacts
    of_n = (array[:, n_rows] for array in whole)
    gates = (sums.gates[:, cell.rows(name)] for name in cell.gate_names)
    rows = zip(*whole, *of_n, sums.gates, sums.clamped, *gates, one_h, one_h[:, 1:], one_h[1:, 1:], strict=False)
    for u, w, a, u_n, w_n, a_n, gate, clamped, r, z, n, one_h_prev, h_prev, h in rows:
        b_W_hh.dot(one_h_prev, w)
        np.add(u, w, a)
        sigmoid_into(a, gate)
        if clamped is not None:
            _clamp(gate, clamped)
        if before:
            np.multiply(r, h_prev, part)
            b_W_hn.dot(one_part, w_n)
            np.add(u_n, w_n, a_n)  # a_n = W_in x + b_in + W_hn (r * h) + b_hn
        else:
            np.multiply(r, w_n, a_n)
            np.add(u_n, a_n, a_n)  # a_n = W_in x + b_in + r * (W_hn h + b_hn)
        np.tanh(a_n, n)
        shut, opened = (n, h_prev) if keep else (h_prev, n)
        np.subtract(ONE, z, part)
        np.multiply(part, shut, part)
        np.multiply(z, opened, h)
        np.add(part, h, h)  # h_t = (1 - z) * n + z * h_{t-1}, or with n and h_{t-1} exchanged
    return one_h[:, 1:].copy()


# Each takes the cell, the initial state (S,) and the sums, and returns the states (T+1, S).
LOOPS: Mapping[str, Callable[..., Array]] = {"elman": _elman, "lstm": _lstm, "gru": _gru}


def _with_bias(cell: Cell) -> Array:
    """Return ``[b_hh, W_hh]``, column by column in memory, which makes the product with a vector faster."""
    return np.asfortranarray(np.column_stack([cell.b_hh, cell.W_hh]))


def _states_after_one(first: Array, sums: Sums) -> Array:
    """Return rows ``[1, h_t]`` for t = 0..T, of which only the first is filled in."""
    one_h = np.empty((len(sums.from_x) + 1, 1 + len(first)))
    one_h[:, 0] = 1.0
    one_h[0, 1:] = first
    return one_h


def _clamp(gate: Array, clamped: Array) -> None:
    np.copyto(gate, clamped, where=~np.isnan(clamped))
