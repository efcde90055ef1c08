"""The Jacobians of a run in 60 digits with mpmath, from the pre-activations and states of its trace.

The equations are written down anew, one number at a time: nothing here is shared with the package.
"""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np

from rnnviz import Trace

mpmath.mp.dps = 60
mpf: Any = mpmath.mpf
Matrix = np.ndarray[Any, Any]
"""An array of objects: numbers of mpmath."""


def exact(values: Any) -> Matrix:
    """The very float64 values."""
    return np.array([mpf(value) for value in np.ravel(values).tolist()], dtype=object).reshape(np.shape(values))


def sigmoid(a: Any) -> Any:
    return 1 / (1 + mpmath.exp(-a))


def jacobian(trace: Trace, t: int) -> Matrix:
    """``d s_t / d s_{t-1}``, t = 1..T."""
    return {"elman": elman, "lstm": lstm, "gru": gru}[trace.cell.kind](trace, t)


def elman(trace: Any, t: int) -> Matrix:
    slopes: Any = {
        "tanh": lambda a: mpmath.sech(a) ** 2,
        "sigmoid": lambda a: sigmoid(a) * sigmoid(-a),
        "relu": lambda a: mpf(a > 0),
        "identity": lambda a: mpf(1),
    }
    W, a = exact(trace.cell.W_hh), exact(trace.preacts["a"][t - 1])
    slope = slopes[trace.cell.activation]
    return np.array([[slope(a[i]) * W[i, j] for j in range(len(a))] for i in range(len(a))])


def held(trace: Trace, gate: str, unit: int, t: int) -> Any:
    """The value of the clamp that holds a gate at step t, or None."""
    values = [c.value for c in trace.clamp if c.gate == gate and c.unit in (None, unit) and c.from_step <= t]
    return values[-1] if values else None


def gate(trace: Trace, name: str, t: int) -> tuple[list[Any], list[Any], list[Any]]:
    """Each unit's value, what it leaves over of 1, and its slope."""
    value, rest, slope = [], [], []
    for unit, a in enumerate(exact(trace.preacts[name][t - 1])):
        clamp = held(trace, name, unit, t)
        value.append(sigmoid(a) if clamp is None else mpf(clamp))
        rest.append(sigmoid(-a) if clamp is None else 1 - mpf(clamp))
        slope.append(sigmoid(a) * sigmoid(-a) if clamp is None else mpf(0))
    return value, rest, slope


def lstm(trace: Any, t: int) -> Matrix:
    H = trace.cell.hidden_size
    (i, _, di), (f, _, df), (o, _, do) = (gate(trace, name, t) for name in "ifo")
    a_g, c_prev, c = exact(trace.preacts["g"][t - 1]), exact(trace.c[t - 1]), exact(trace.c[t])
    W = {name: exact(trace.cell.W_hh[trace.cell.rows(name)]) for name in "ifgo"}
    J = np.full((2 * H, 2 * H), mpf(0))
    for u in range(H):
        g, dg = mpmath.tanh(a_g[u]), mpmath.sech(a_g[u]) ** 2
        through = o[u] * mpmath.sech(c[u]) ** 2
        J[H + u, H + u], J[u, H + u] = f[u], through * f[u]
        for v in range(H):
            from_h = c_prev[u] * df[u] * W["f"][u, v] + g * di[u] * W["i"][u, v] + i[u] * dg * W["g"][u, v]
            J[H + u, v] = from_h
            J[u, v] = mpmath.tanh(c[u]) * do[u] * W["o"][u, v] + through * from_h
    return J


def gru(trace: Any, t: int) -> Matrix:
    cell, H = trace.cell, trace.cell.hidden_size
    (r, _, dr), (z, not_z, dz) = (gate(trace, name, t) for name in "rz")
    h, a_n, from_h = exact(trace.h[t - 1]), exact(trace.preacts["n"][t - 1]), exact(trace.from_h[t - 1])
    n = exact(trace.gates["n"][t - 1])
    W = {name: exact(cell.W_hh[cell.rows(name)]) for name in "rzn"}
    if cell.update == "write":
        z, not_z, dz = not_z, z, [-d for d in dz]
    J = np.full((H, H), mpf(0))
    for u in range(H):
        for v in range(H):
            if cell.reset == "after":
                inner = r[u] * W["n"][u, v] + from_h[2 * H + u] * dr[u] * W["r"][u, v]
            else:
                parts = [W["n"][u, w] * (r[w] * (w == v) + h[w] * dr[w] * W["r"][w, v]) for w in range(H)]
                inner = mpmath.fsum(parts)
            J[u, v] = not_z[u] * mpmath.sech(a_n[u]) ** 2 * inner + (h[u] - n[u]) * dz[u] * W["z"][u, v]
            J[u, v] += z[u] * (u == v)
    return J


def products(trace: Trace) -> list[Matrix]:
    """``d s_T / d s_k`` for k = 0..T."""
    found, known = [exact(np.eye(trace.cell.state_size))], dict[bytes, Matrix]()
    for t in range(trace.steps, 0, -1):
        values = [
            trace.states[t - 1],
            trace.states[t],
            *(a[t - 1] for a in (*trace.preacts.values(), *trace.gates.values())),
        ]
        clamped = bytes(clamp.from_step <= t for clamp in trace.clamp)
        key = b"".join(np.asarray(value).tobytes() for value in values) + clamped  # a state at rest has one Jacobian
        if key not in known:
            known[key] = jacobian(trace, t)
        found.append(found[-1] @ known[key])
    return found[::-1]


def log10_norm(M: Matrix, norm: str) -> float:
    """The spectral or Frobenius norm, -inf for zeros."""
    squares = (M * M).sum()
    if squares == 0:
        return -np.inf
    if norm == "spectral":
        squares = max(mpmath.eigsy(mpmath.matrix((M @ M.T / squares).tolist()), eigvals_only=True)) * squares
    return float(mpmath.log10(squares) / 2)
