"""What a gated state is made of: a share of the initial state and what each write still contributes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rnnviz.maths.checks import Array, Sealed, read_integer
from rnnviz.maths.trace import Trace, no_gates, require_trace

__all__ = ["Ledger", "keep_and_write", "memory_ledger"]


@dataclass(frozen=True, eq=False)
class Ledger(Sealed):
    """The state at one step t, taken apart. All arrays are read-only; row k belongs to step k + 1.

    Attributes
    ----------
    kept : (H,) array
        The share of the initial state that is left at step t, 0..1.
    writes : (t, H) array
        What the write of each step still contributes to the state at step t.
    survival : (t, H) array
        The share of each write that is left at step t, 0..1; 1 for the write of step t itself.
    """

    kept: Array
    writes: Array
    survival: Array

    def __post_init__(self) -> None:
        for array in (self.kept, self.writes, self.survival):
            array.setflags(write=False)


def memory_ledger(trace: Trace, t: int | None = None) -> Ledger:
    """Take the state at step t apart into what is left of the initial state and of each write.

    A gated state is kept in part and written to, unit by unit: ``s_t = keep_t * s_{t-1} + write_t``. Unrolled, it is
    a weighted sum of all writes (Levy, Lee, FitzGerald & Zettlemoyer 2018, "Long short-term memory as a dynamically
    computed element-wise weighted sum")::

        s_t = kept * s_0 + sum_k survival_k * write_k    survival_k = keep_{k+1} * ... * keep_t,   k = 1..t
                                                         kept       = keep_1 * ... * keep_t

        LSTM                      s = c    keep = f        write = i * g
        GRU, update="keep"        s = h    keep = z        write = (1 - z) * n
        GRU, update="write"       s = h    keep = 1 - z    write = z * n

    Gates count as applied, so clamped where clamped. They are taken as they came out: with a write gone, the later
    gates of a recurrent cell would come out differently too, which is not in these numbers.

    Parameters
    ----------
    trace : Trace
        Of an LSTM or a GRU, or of a cell that says what it keeps.
    t : int, optional
        The step (1..T) whose state is taken apart; the last if left out.

    Returns
    -------
    Ledger
        Adds up to the state of the trace to rounding. A share below 1e-308 has lost its digits or is 0.

    Raises
    ------
    InputError
        If the cell has no gates, the trace has no steps or t is not an integer in 1..T.

    Examples
    --------
    >>> import numpy as np
    >>> from rnnviz import Clamp, make_cell, run
    >>> half = [Clamp("f", 0.5), Clamp("i", 1.0)]
    >>> trace = run(make_cell("lstm", 1, 2), np.ones((3, 1)), c0=[1.0, -1.0], clamp=half)
    >>> ledger = memory_ledger(trace)
    >>> ledger.kept.tolist(), ledger.survival[:, 0].tolist()
    ([0.125, 0.125], [0.25, 0.5, 1.0])
    >>> np.allclose(ledger.kept * trace.c[0] + ledger.writes.sum(axis=0), trace.c[3])
    True
    """
    keep, write = keep_and_write(trace, "memory_ledger")
    t = trace.steps if t is None else read_integer("t", t, 1, trace.steps)
    # From step t back, so that nothing is divided: a keep factor of 0 cuts off what lies before it and no more.
    left = np.multiply.accumulate(np.vstack([np.ones_like(keep[:1]), keep[:t][::-1]]), axis=0)[::-1]
    return Ledger(kept=left[0], writes=left[1:] * write[:t], survival=left[1:])


def keep_and_write(trace: Trace, who: str = "keep_and_write") -> tuple[Array, Array]:
    """Return what the cell says that it keeps and writes, (T, H) each; refuse one that does not say, for `who`."""
    cell = require_trace(who, trace).cell
    found = cell.keep_and_write(trace)
    if found is None:
        raise no_gates(who, cell)
    return found
