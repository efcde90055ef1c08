"""Products of step Jacobians from the last step back, in numbers that neither vanish nor run over.

A product ``J_T ... J_{k+1}`` over a thousand steps leaves float64 on either side, and so do its entries against each
other: with ``W = diag(2, 0.5)`` they lie 10**602 apart, and the small one is all that is left once the large one's
unit is masked at an early step. No common exponent holds both. One for each column does, but fails where a column's
large entries cancel and its small ones don't.

So the product is taken in plain float64 as long as every factor and entry keeps so far from the ends of its range
that nothing can underflow on the way to the next product; each product is looked at. Where that ends, it goes
on in `Wide` numbers, which have an exponent for each entry, until it is back in range. Either way it is the product
that float64 would give if its exponent did not run out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.arithmetic import Factors
from rnnviz.maths.extended_range.checked_factors import FLOOR, CheckedFactors, all_within
from rnnviz.maths.extended_range.wide import Wide
from rnnviz.maths.trace import Trace

__all__ = ["Steps", "backward_products"]

Steps: TypeAlias = Callable[[Factors, Array, Array], None]
"""Takes the factors of some steps in float64, P (S, R) and where to write J^T P, J'^T J^T P, ..."""

BLIND = 32  # steps between two looks at the entries, at most
FIRST = 8  # products handed out first; fewer of them show early what they come to
ROWS = 1024  # of the weights, for all steps that are handed out together: 16 steps for 64 units


def backward_products(trace: Trace, rows: slice) -> Iterator[tuple[range, Array, Array]]:
    """Yield rows and columns of ``J_T ... J_{k+1}``, transposed, for k = T, T-1, ..., 0, some at a time.

    Parameters
    ----------
    trace : Trace
        Of at least one step.
    rows : slice
        R of the S numbers of the state: the rows and columns to hand out.

    Yields
    ------
    ks : range
        n of T, T-1, ..., 0.
    products : (n, R, R) array
        Overwritten by the next ones.
    exponents : (n,) array
        The products are ``products * 2**exponents``.
    """
    T, sweep = trace.steps, _Sweep(trace, rows)
    most = max(2, ROWS // trace.cell.hidden_size)
    buffer = np.empty((min(most, T + 1), *sweep.P.shape))
    ks = range(T + 1, T, -1)
    size = min(most, FIRST)
    while ks[-1] > 0:
        ks = range(ks[-1] - 1, max(ks[-1] - 1 - size, -1), -1)
        size = min(most, 2 * size)
        exponents, slot = np.zeros(len(ks)), 0
        if ks[0] == T:
            buffer[0], slot = sweep.P, 1
        while slot < len(ks):
            taken = sweep.in_float64(ks[slot : slot + BLIND], buffer[slot:])
            if taken:
                exponents[slot : slot + taken] = sweep.exponent
            else:
                buffer[slot, rows], exponents[slot] = sweep.in_wide_numbers(ks[slot])
            slot += taken or 1
        yield ks, buffer[: len(ks), rows], exponents


class _Sweep:
    """The R rows of the product so far, transposed: an array P (S, R) times ``2**exponent``, or wide numbers."""

    def __init__(self, trace: Trace, rows: slice) -> None:
        self.factors, self.steps = CheckedFactors(trace), trace.cell.product_steps(BLIND)
        self.P: Array | Wide = np.eye(trace.cell.state_size)[:, rows].copy()
        self.rows, self.exponent = rows, 0.0

    def in_float64(self, ks: range, out: Array) -> int:
        """Go on for as many of these steps as can be relied on; return how many products lie in `out`, maybe none."""
        plain = self.factors.plain[ks[-1] : ks[0] + 1][::-1]
        taken = len(plain) if plain.all() else int(np.argmin(plain))
        if isinstance(self.P, Wide) or not taken:
            return 0
        self.P, self.exponent = _centred(self.P, self.exponent)
        last = ks[taken - 1] - 1 if ks[taken - 1] else None
        with np.errstate(over="ignore", invalid="ignore"):  # after a product that is out of range: looked for below
            self.steps(self.factors.floats(slice(ks[0], last, -1)), self.P, out)
        good = _in_range(out[:taken])
        taken = taken if good.all() else int(np.argmin(good))
        self.P = out[taken - 1] if taken else self.P
        return taken

    def in_wide_numbers(self, k: int) -> tuple[Array, float]:
        """Go on by one step; return the wanted part and its exponent."""
        P = self.P if isinstance(self.P, Wide) else Wide.of(self.P, self.exponent)
        self.P = P = self.factors.wide_jacobian(k).T @ P
        if P.spread <= FLOOR / 2:
            self.P, self.exponent = P.scaled()
        return P[self.rows].scaled()


def _in_range(products: Array) -> NDArray[np.bool_]:
    """Return for n products whether their entries keep far enough from the ends of float64, (n,)."""
    if all_within(products, FLOOR):
        return np.ones(len(products), dtype=np.bool_)
    sizes = np.abs(products)
    high, low = sizes.max(axis=(1, 2)), sizes.min(axis=(1, 2))
    if not low.all():
        low = sizes.min(axis=(1, 2), where=sizes > 0.0, initial=np.inf)
    within: NDArray[np.bool_] = (high <= 2.0**FLOOR) & (low >= 2.0**-FLOOR)
    return within


def _centred(P: Array, exponent: float) -> tuple[Array, float]:
    """Bring the largest entry back to about 1, if it is far away and the smallest one allows it."""
    sizes = np.abs(P)
    shift = math.frexp(sizes.max())[1]
    if abs(shift) < FLOOR / 10 or math.frexp(sizes.min(where=sizes > 0.0, initial=np.inf))[1] - shift <= -FLOOR:
        return P, exponent
    return P * 2.0**-shift, exponent + shift
