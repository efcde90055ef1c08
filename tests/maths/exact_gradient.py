"""Gradients of a run to 40 digits and more: differences, with mpmath, of the equations written down anew."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np

from rnnviz import ElmanCell, GRUCell, Trace
from rnnviz.maths.checks import Array

from .digits import Matrix, exact, sigmoid

DIGITS = 400
"""A slope of 1e-260, that of tanh at 300, is 340 digits below 1, and half of what is left makes the difference."""

STEP = mpmath.mpf(10) ** -60

sigmoids, tanhs = np.frompyfunc(sigmoid, 1, 1), np.frompyfunc(mpmath.tanh, 1, 1)


def weight_gradients(trace: Trace, d_h: Array) -> dict[str, Array]:
    """Of ``sum_t d_h[t] . h_t`` with respect to all four weights, entry by entry."""
    with mpmath.workdps(DIGITS):
        return _differences(trace, d_h)


def _differences(trace: Trace, d_h: Array) -> dict[str, Array]:
    weights = {name: exact(getattr(trace.cell, name)) for name in ("W_ih", "W_hh", "b_ih", "b_hh")}
    found = {}
    for name, values in weights.items():
        found[name] = np.empty(values.shape)
        for index in np.ndindex(values.shape):
            ends = []
            for step in (-STEP, STEP):
                moved = values.copy()
                moved[index] += step
                ends.append(loss(trace, d_h, weights | {name: moved}))
            found[name][index] = float((ends[1] - ends[0]) / (2 * STEP))
    return found


def loss(trace: Trace, d_h: Array, weights: dict[str, Matrix]) -> Any:
    H, total = trace.cell.hidden_size, mpmath.mpf(0)
    h, c = exact(trace.states[0, :H]), exact(trace.states[0, H:])
    for x, direct in zip(exact(trace.x), exact(d_h), strict=True):
        h, c = step(trace.cell, weights, x, h, c)
        total += direct @ h
    return total


def step(cell: Any, weights: dict[str, Matrix], x: Matrix, h: Matrix, c: Matrix) -> tuple[Matrix, Matrix]:
    W_hh, b_hh, H = weights["W_hh"], weights["b_hh"], cell.hidden_size
    u, w = weights["W_ih"] @ x + weights["b_ih"], W_hh @ h + b_hh
    if isinstance(cell, ElmanCell):
        return {"tanh": tanhs, "sigmoid": sigmoids}[cell.activation](u + w), c
    if isinstance(cell, GRUCell):
        r, z = sigmoids(u[:H] + w[:H]), sigmoids(u[H : 2 * H] + w[H : 2 * H])
        from_h = W_hh[2 * H :] @ (r * h) + b_hh[2 * H :] if cell.reset == "before" else r * w[2 * H :]
        n = tanhs(u[2 * H :] + from_h)
        return ((1 - z) * n + z * h if cell.update == "keep" else (1 - z) * h + z * n), c
    i, f, o = (sigmoids((u + w)[rows]) for rows in (slice(0, H), slice(H, 2 * H), slice(3 * H, 4 * H)))
    c = f * c + i * tanhs((u + w)[2 * H : 3 * H])
    return o * tanhs(c), c
