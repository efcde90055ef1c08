"""How the state of one step moves the next: ``J_t[i, j] = d s_t[i] / d s_{t-1}[j]``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.activations import ACTIVATIONS, sigmoid, sigmoid_slope, tanh_slope
from rnnviz.maths.cells import ElmanCell, GRUCell, LSTMCell
from rnnviz.maths.checks import Array
from rnnviz.maths.errors import InputError
from rnnviz.maths.trace import Trace, held_gates

__all__ = ["step_jacobians"]


def step_jacobians(trace: Trace) -> Array:
    """Return the Jacobian of every step.

    A slope is taken at the pre-activation, so that it is right in a saturated unit too. A clamped gate is a constant:
    its slope is 0. With column vectors and ``diag(v) W`` for rows of W scaled by v:

    - Elman: ``J = diag(g'(a)) W_hh``.
    - LSTM, state ``[h; c]``, with ``A = diag(c_{t-1} f') W_hf + diag(g i') W_hi + diag(i g') W_hg``::

          dc/dh = A                                          dc/dc = diag(f)
          dh/dh = diag(tanh(c) o') W_ho + diag(o tanh'(c)) A    dh/dc = diag(o tanh'(c) f)

    - GRU, with N = dn/dh: ``J = diag(1-z) N + diag(z) + diag((h_{t-1} - n) z') W_hz`` for ``update="keep"`` and
      ``J = diag(z) N + diag(1-z) + diag((n - h_{t-1}) z') W_hz`` for "write", where::

          N = diag(n') (diag(r) W_hn + diag((W_hn h_{t-1} + b_hn) r') W_hr)     reset="after"
          N = diag(n') W_hn (diag(r) + diag(h_{t-1} r') W_hr)                   reset="before"

    Parameters
    ----------
    trace : Trace

    Returns
    -------
    (T, S, S) array
        Entry t - 1 belongs to step t.

    Raises
    ------
    InputError
        If an entry overflows float64.

    Examples
    --------
    >>> from rnnviz import ElmanCell, run
    >>> linear = ElmanCell([[1.0]], [[0.5]], [0.0], [0.0], activation="identity")
    >>> step_jacobians(run(linear, [[1.0], [2.0]])).tolist()
    [[[0.5]], [[0.5]]]
    """
    with np.errstate(over="ignore", invalid="ignore"):  # looked for below
        J = _JACOBIANS[trace.cell.kind](trace, trace.cell)
    finite = np.isfinite(J).all(axis=(1, 2))
    if not finite.all():
        step = int(np.argmin(finite)) + 1
        raise InputError(f"The Jacobian of step {step} overflows float64 (about 1.8e308). Lower the weights or states.")
    return J


def _elman(trace: Trace, cell: ElmanCell) -> Array:
    return _rows(ACTIVATIONS[cell.activation].slope(trace.preacts["a"]), cell.W_hh)


def _lstm(trace: Trace, cell: LSTMCell) -> Array:
    H, gates, slopes = cell.hidden_size, trace.gates, _gate_slopes(trace, _free_gates(trace))
    W_hi, W_hf, W_hg, W_ho = (cell.W_hh[cell.rows(name)] for name in cell.gate_names)
    c_prev, c = trace.states[:-1, H:], trace.states[1:, H:]
    dc_dh = _rows(c_prev * slopes["f"], W_hf) + _rows(gates["g"] * slopes["i"], W_hi)
    dc_dh += _rows(gates["i"] * slopes["g"], W_hg)
    through_c = gates["o"] * tanh_slope(c)
    J = np.empty((trace.steps, 2 * H, 2 * H))
    J[:, :H, :H] = _rows(np.tanh(c) * slopes["o"], W_ho) + through_c[:, :, None] * dc_dh
    J[:, :H, H:] = _rows(through_c * gates["f"], np.eye(H))
    J[:, H:, :H] = dc_dh
    J[:, H:, H:] = _rows(gates["f"], np.eye(H))
    return J


def _gru(trace: Trace, cell: GRUCell) -> Array:
    r, z, n = (trace.gates[name] for name in cell.gate_names)
    free = _free_gates(trace)
    slopes = _gate_slopes(trace, free)
    # 1 - sigmoid(a) = sigmoid(-a), which keeps its digits where z has rounded to 1.
    not_z = np.where(free[:, cell.rows("z")], sigmoid(-trace.preacts["z"]), 1.0 - z)
    W_hr, W_hz, W_hn = (cell.W_hh[cell.rows(name)] for name in cell.gate_names)
    h_prev, unit = trace.h[:-1], np.eye(cell.hidden_size)
    if cell.reset == "after":
        from_h_n = trace.from_h[:, cell.rows("n")]
        dn_dh = slopes["n"][:, :, None] * (_rows(r, W_hn) + _rows(from_h_n * slopes["r"], W_hr))
    else:
        dn_dh = slopes["n"][:, :, None] * (W_hn @ (_rows(r, unit) + _rows(h_prev * slopes["r"], W_hr)))
    if cell.update == "keep":
        return not_z[:, :, None] * dn_dh + _rows(z, unit) + _rows((h_prev - n) * slopes["z"], W_hz)
    return z[:, :, None] * dn_dh + _rows(not_z, unit) + _rows((n - h_prev) * slopes["z"], W_hz)


_JACOBIANS: Mapping[str, Callable[..., Array]] = {"elman": _elman, "lstm": _lstm, "gru": _gru}


def _free_gates(trace: Trace) -> NDArray[np.bool_]:
    """Return where the rows of `gates` are not clamped, (T, G*H)."""
    return np.isnan(held_gates(trace.clamp, trace.cell, trace.steps))


def _gate_slopes(trace: Trace, free: NDArray[np.bool_]) -> dict[str, Array]:
    """Return the slope of every gate and candidate, (T, H) each; 0 where clamped."""
    cell = trace.cell
    return {
        name: (sigmoid_slope(a) if name in cell.clampable else tanh_slope(a)) * free[:, cell.rows(name)]
        for name, a in trace.preacts.items()
    }


def _rows(scale: Array, W: Array) -> Array:
    """Return ``diag(scale_t) W`` for every step: (T, H) and (H, J) to (T, H, J)."""
    return np.asarray(scale[:, :, None] * W)
