"""How much of a change of a gated memory lasts: along the direct path, and along all paths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rnnviz.maths.checks import Array, Sealed, read_integer
from rnnviz.maths.gradient_flow.products import backward_products
from rnnviz.maths.ledger import keep_and_write
from rnnviz.maths.trace import Trace

__all__ = ["MemoryPaths", "memory_paths"]


@dataclass(frozen=True, eq=False)
class MemoryPaths(Sealed):
    """The derivatives of one unit's memory at step t with respect to its own memory at every step up to t.

    All arrays are read-only; entry k belongs to step k, entry t is 1.

    Attributes
    ----------
    direct : (t+1,) array
        The direct path: the product of the keep factors of the steps k + 1 to t, 0..1.
    log10_direct : (t+1,) array
        Decades: the same, where float64 would underflow.
    sign : (t+1,) array
        The sign of the whole derivative, along all paths: -1, 0 or 1.
    log10 : (t+1,) array
        Decades: log10 of its absolute value, -inf where it is 0.
    """

    direct: Array
    log10_direct: Array
    sign: Array
    log10: Array

    def __post_init__(self) -> None:
        for array in (self.direct, self.log10_direct, self.sign, self.log10):
            array.setflags(write=False)

    @property
    def every(self) -> Array:
        """The whole derivative, (t+1,); infinite where it overflows float64."""
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(self.sign * 10.0**self.log10)


def memory_paths(trace: Trace, unit: int, t: int | None = None) -> MemoryPaths:
    """Return how a small change of a unit's memory at each step reaches its memory at step t.

    ``s_t = keep_t * s_{t-1} + write_t`` is the direct path, whose derivative is ``keep_t * ... * keep_{k+1}``. The
    gates and the candidate read h, so a change goes other ways too. All paths together are the product of the step
    Jacobians, of which this is the entry of the unit::

        LSTM    d c_t[unit] / d c_k[unit]    of J_t ... J_{k+1}, with h_k held fixed
        GRU     d h_t[unit] / d h_k[unit]

    Parameters
    ----------
    trace : Trace
        Of an LSTM or a GRU. Clamped gates count as constants.
    unit : int
        Zero-based.
    t : int, optional
        The step (1..T) whose memory is looked at; the last if left out.

    Returns
    -------
    MemoryPaths

    Raises
    ------
    InputError
        If the cell has no gates, the trace has no steps, or unit or t lies outside the trace.

    Examples
    --------
    >>> import numpy as np
    >>> from rnnviz import LSTMCell, run
    >>> cell = LSTMCell([[0.0]] * 4, [[0.0], [0.0], [2.0], [0.0]], [0.0] * 4, [0.0] * 4)
    >>> paths = memory_paths(run(cell, np.zeros((3, 1))), 0)  # f = i = o = 1/2, and g reads h with a weight of 2
    >>> paths.direct.tolist(), paths.every.tolist()
    ([0.125, 0.25, 0.5, 1.0], [0.5, 0.5, 0.5, 1.0])
    """
    keeps, _ = keep_and_write(trace, "memory_paths")
    unit = read_integer("unit", unit, 0, trace.cell.hidden_size - 1)
    t = trace.steps if t is None else read_integer("t", t, 1, trace.steps)
    part, row = trace.between(0, t), trace.cell.state_size - trace.cell.hidden_size + unit
    sign, log10 = np.empty(t + 1), np.empty(t + 1)
    for ks, products, exponents in backward_products(part, slice(row, row + 1)):
        at, entries = slice(ks[-1], ks[0] + 1), products[::-1, 0, 0]
        sign[at] = np.sign(entries)
        with np.errstate(divide="ignore"):
            log10[at] = np.log10(np.abs(entries)) + exponents[::-1] * np.log10(2.0)
    keep = np.append(keeps[:t, unit], 1.0)[::-1]
    with np.errstate(divide="ignore"):
        log10_direct = np.log10(keep).cumsum()[::-1].copy()
    return MemoryPaths(np.multiply.accumulate(keep)[::-1].copy(), log10_direct, sign, log10)
