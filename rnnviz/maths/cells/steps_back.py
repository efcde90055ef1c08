"""One step back: how the error at a state becomes that at the state before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.arithmetic import FLOATS

if TYPE_CHECKING:
    from rnnviz.maths.trace import Trace

__all__ = ["StepsBack"]


class StepsBack:
    """The steps of a run, ready to be taken back, any number of them side by side; these are those of an Elman cell.

    In all methods `error` is (n, S) and belongs to the states that the n `steps` have made.

    Attributes
    ----------
    factors : mapping of name to (T, H) array
        See `Cell.factors`.
    """

    def __init__(self, trace: Trace) -> None:
        self.cell = trace.cell
        self.factors: dict[str, Array] = self.cell.factors(trace, slice(None), FLOATS)
        self._slopes = np.concatenate([self._slope(name) for name in self.cell.gate_names], axis=1)

    def _slope(self, name: str) -> Array:
        """Return what turns an error into the delta of one gate, (T, H)."""
        return self.factors[name]

    def complete(self, error: Array, steps: slice) -> None:
        """Add, in place, what the parts of an error hand to each other: h_t of an LSTM to c_t."""

    def deltas(self, error: Array, steps: slice) -> Array:
        """Return the gradient with respect to each row of ``W_hh h_{t-1} + b_hh``, (n, G*H)."""
        deltas: Array = error * self._slopes[steps]
        return deltas

    def deltas_of_x(self, error: Array, deltas: Array, steps: slice) -> Array:
        """Return the gradient with respect to each row of ``W_ih x_t + b_ih``, (n, G*H), given what `deltas` says."""
        return deltas.copy()

    def before(self, error: Array, steps: slice) -> Array:
        """Return the error at the states before, (n, S), not yet complete."""
        return np.asarray(np.dot(self.deltas(error, steps), self.cell.W_hh))

    def paths(self, error: Array, steps: slice) -> dict[str, Array]:
        """Return `before` apart: what comes through each gate's rows of W_hh, and past them as "keep", (n, H) each."""
        deltas, W = self.deltas(error, steps), self.cell.W_hh
        rows = {name: self.cell.rows(name) for name in self.cell.gate_names}
        return {name: np.dot(deltas[:, own], W[own]) for name, own in rows.items()}
