"""The equations once more, in plain Python: lists, loops and `math`, nothing shared with the package."""

from __future__ import annotations

import math
from typing import Any

Vector = list[float]
Numbers = dict[str, list[Vector]]  # name -> one vector for each step


def sigmoid(a: float) -> float:
    if a >= 0.0:
        return 1.0 / (1.0 + math.exp(-a))
    return math.exp(a) / (1.0 + math.exp(a))


ACTIVATIONS: dict[str, Any] = {
    "tanh": math.tanh,
    "sigmoid": sigmoid,
    "relu": lambda a: a if a > 0.0 else 0.0,
    "identity": lambda a: a,
}


def affine(W: Any, x: Vector, b: Any) -> Vector:
    rows = zip(W.tolist(), b.tolist(), strict=True)
    return [math.fsum([*(weight * v for weight, v in zip(row, x, strict=True)), bias]) for row, bias in rows]


def elman(cell: Any, x: Any, h0: Any) -> Numbers:
    g = ACTIVATIONS[cell.activation]
    out: Numbers = {"from_x": [], "from_h": [], "a_a": [], "h": [[float(v) for v in h0]]}
    for x_t in x.tolist():
        u, w = affine(cell.W_ih, x_t, cell.b_ih), affine(cell.W_hh, out["h"][-1], cell.b_hh)
        a = [p + q for p, q in zip(u, w, strict=True)]
        keep(out, from_x=u, from_h=w, a_a=a, h=[g(v) for v in a])
    return out


def lstm(cell: Any, x: Any, h0: Any, c0: Any) -> Numbers:
    H = len(h0)
    out: Numbers = {"h": [[float(v) for v in h0]], "c": [[float(v) for v in c0]]}
    for x_t in x.tolist():
        u, w = affine(cell.W_ih, x_t, cell.b_ih), affine(cell.W_hh, out["h"][-1], cell.b_hh)
        a = [p + q for p, q in zip(u, w, strict=True)]
        a_i, a_f, a_g, a_o = a[:H], a[H : 2 * H], a[2 * H : 3 * H], a[3 * H :]
        i, f, o = ([sigmoid(v) for v in part] for part in (a_i, a_f, a_o))
        g = [math.tanh(v) for v in a_g]
        c = [f[k] * out["c"][-1][k] + i[k] * g[k] for k in range(H)]
        h = [o[k] * math.tanh(c[k]) for k in range(H)]
        keep(out, from_x=u, from_h=w, a_i=a_i, a_f=a_f, a_g=a_g, a_o=a_o, i=i, f=f, g=g, o=o, c=c, h=h)
    return out


def gru(cell: Any, x: Any, h0: Any) -> Numbers:
    H = len(h0)
    out: Numbers = {"h": [[float(v) for v in h0]]}
    W_r, W_z, W_n = cell.W_hh[:H], cell.W_hh[H : 2 * H], cell.W_hh[2 * H :]
    b_r, b_z, b_n = cell.b_hh[:H], cell.b_hh[H : 2 * H], cell.b_hh[2 * H :]
    for x_t in x.tolist():
        h_prev = out["h"][-1]
        u = affine(cell.W_ih, x_t, cell.b_ih)
        w_r, w_z = affine(W_r, h_prev, b_r), affine(W_z, h_prev, b_z)
        a_r, a_z = [u[k] + w_r[k] for k in range(H)], [u[H + k] + w_z[k] for k in range(H)]
        r, z = [sigmoid(v) for v in a_r], [sigmoid(v) for v in a_z]
        if cell.reset == "after":
            w_n = affine(W_n, h_prev, b_n)
            a_n = [u[2 * H + k] + r[k] * w_n[k] for k in range(H)]
        else:
            w_n = affine(W_n, [r[k] * h_prev[k] for k in range(H)], b_n)
            a_n = [u[2 * H + k] + w_n[k] for k in range(H)]
        n = [math.tanh(v) for v in a_n]
        if cell.update == "keep":
            h = [(1.0 - z[k]) * n[k] + z[k] * h_prev[k] for k in range(H)]
        else:
            h = [(1.0 - z[k]) * h_prev[k] + z[k] * n[k] for k in range(H)]
        keep(out, from_x=u, from_h=w_r + w_z + w_n, a_r=a_r, a_z=a_z, a_n=a_n, r=r, z=z, n=n, h=h)
    return out


def keep(out: Numbers, **step: Vector) -> None:
    for name, vector in step.items():
        out.setdefault(name, []).append(vector)
