"""How the state of one step moves the next: ``J_t[i, j] = d s_t[i] / d s_{t-1}[j]``."""

from __future__ import annotations

import numpy as np

from rnnviz.maths.checks import Array
from rnnviz.maths.errors import InputError
from rnnviz.maths.extended_range.arithmetic import FLOATS
from rnnviz.maths.trace import Trace

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
        J: Array = trace.cell.jacobians(trace.cell.factors(trace, slice(None), FLOATS), FLOATS)
    finite = np.isfinite(J).all(axis=(1, 2))
    if not finite.all():
        step = int(np.argmin(finite)) + 1
        raise InputError(
            "jacobian", "The Jacobian of step {step} overflows float64 (about 1.8e308). Lower the weights or states.",
            step=step,
        )  # fmt: skip
    return J
