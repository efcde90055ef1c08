"""The factors of a run in float64, and where they are not safe in it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.arithmetic import FLOATS, WIDES, ZEROS, Factors
from rnnviz.maths.extended_range.wide import Wide
from rnnviz.maths.trace import Trace

__all__ = ["FLOOR", "CheckedFactors", "all_within", "within"]

# In binary digits: entries that are not 0 lie within FLOOR either way, factors and weights within the cell's `reach`.
# What a step makes of them stays above -1022, sums that cancel included; a sum can fall 53 digits below its terms, in a
# matrix product 106, since its terms are not rounded. Elman: 2 factors, 1 matrix product, 200 + 2 * 350 + 106. LSTM: 3
# and 2, 200 + 3 * 200 + 2 * 106. GRU with reset="before": 4, 2 and 2 other sums, 200 + 4 * 125 + 2 * 106 + 2 * 53. A
# cell that has only a step: 1 and 1, its Jacobian.
FLOOR = 200


class CheckedFactors:
    """The factors of all steps in float64, and in wide numbers where it might fail.

    Attributes
    ----------
    plain : (T,) array of bool
        Where the weights and all factors are 0 or in reach, so that float64 will do.
    """

    def __init__(self, trace: Trace) -> None:
        self.cell, self.plain = trace.cell, np.ones(trace.steps, dtype=np.bool_)
        cell, reach = self.cell, self.cell.reach
        with np.errstate(over="ignore", invalid="ignore"):
            self._factors = cell.factors(trace, slice(None), FLOATS)
            for values in self._factors.values():
                if not all_within(values, reach):
                    self.plain &= within(_flat(values), reach).all(axis=1)
        self._accept_zeros(trace, reach)
        self._doubtful = np.flatnonzero(~self.plain)
        self._wide = cell.factors(trace, self._doubtful, WIDES) if self._doubtful.size else {}
        W = self.cell.W_hh
        self.plain &= all_within(W, reach) or bool(within(W[W != 0.0], reach).all())

    def _accept_zeros(self, trace: Trace, reach: int) -> None:
        """A 0 is out of reach, unless it is one by the equations and not by underflow."""
        at = np.flatnonzero(~self.plain)
        if at.size:
            zeros = self.cell.factors(trace, at, ZEROS)
            rows = np.concatenate([_flat(self._factors[name][at]) for name in zeros], axis=1)
            by_equation = np.concatenate([_flat(values) for values in zeros.values()], axis=1) == 0.0
            self.plain[at] = (within(rows, reach) | by_equation).all(axis=1)

    def floats(self, at: slice) -> Factors:
        """Return the factors of some steps, which should be plain."""
        return {name: values[at] for name, values in self._factors.items()}

    def wide(self, at: slice) -> Factors:
        """Return the factors of some steps, one after the other."""
        first, last, _ = at.indices(len(self.plain))
        rows = slice(*np.searchsorted(self._doubtful, (first, last)).tolist())
        factors = {name: Wide.of(values[first:last]) for name, values in self._factors.items()}
        for name, values in self._wide.items():
            factors[name][self._doubtful[rows] - first] = values[rows]
        return factors

    def wide_jacobian(self, k: int) -> Wide:
        """Return the Jacobian of the step from k to k + 1, (S, S)."""
        J: Wide = self.cell.jacobians(self.wide(slice(k, k + 1)), WIDES)
        return J[0]


def _flat(values: Array) -> Array:
    """Return a row of numbers for each step; the factor of a cell that has only a step is a matrix."""
    return values.reshape(len(values), -1)


def all_within(values: Array, reach: int) -> bool:
    """Return whether all values do, as mostly: the quicker question."""
    sizes = np.abs(values)
    return bool(sizes.min() >= 2.0**-reach and sizes.max() <= 2.0**reach)


def within(values: Array, reach: int) -> NDArray[np.bool_]:
    """Return where values lie within `reach` binary digits of 1."""
    sizes = np.abs(values)
    return (sizes >= 2.0**-reach) & (sizes <= 2.0**reach)
