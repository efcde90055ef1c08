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
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.cells import ElmanCell, GRUCell, LSTMCell
from rnnviz.maths.checks import Array
from rnnviz.maths.factors import FLOATS, WIDES, ZEROS, Factors, jacobians_of, step_factors
from rnnviz.maths.trace import Trace
from rnnviz.maths.wide import Wide

__all__ = ["CheckedFactors", "backward_products"]

Steps: TypeAlias = Callable[[Factors, Array, Array], None]

# In binary digits: entries that are not 0 lie within FLOOR either way, factors and weights within REACH. What a step
# makes of them stays above -1022, sums that cancel included; a sum can fall 53 digits below its terms, in a matrix
# product 106, since its terms are not rounded. Elman: 2 factors, 1 matrix product, 200 + 2 * 350 + 106. LSTM: 3 and 2,
# 200 + 3 * 200 + 2 * 106. GRU with reset="before": 4, 2 and 2 other sums, 200 + 4 * 125 + 2 * 106 + 2 * 53.
FLOOR = 200
REACH: Mapping[str, int] = {"elman": 350, "lstm": 200, "gru": 125}
BLIND = 32  # steps between two looks at the entries, at most
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
    size = min(max(2, ROWS // trace.cell.hidden_size), T + 1)
    buffer = np.empty((size, *sweep.P.shape))
    for last in range(T, -1, -size):
        ks = range(last, max(last - size, -1), -1)
        exponents, slot = np.zeros(len(ks)), 0
        if last == T:
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
        self.factors, self.steps = CheckedFactors(trace), _STEPS[trace.cell.kind](trace.cell)
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


class CheckedFactors:
    """The factors of all steps in float64, and in wide numbers where it might fail.

    Attributes
    ----------
    plain : (T,) array of bool
        Where the weights and all factors are 0 or in reach, so that float64 will do.
    """

    def __init__(self, trace: Trace) -> None:
        self.cell, self.plain = trace.cell, np.ones(trace.steps, dtype=np.bool_)
        reach = REACH[self.cell.kind]
        with np.errstate(over="ignore", invalid="ignore"):
            self._factors = step_factors(trace, slice(None), FLOATS)
            for values in self._factors.values():
                self.plain &= _within(values, reach).all(axis=1)
        self._accept_zeros(trace, reach)
        self._doubtful = np.flatnonzero(~self.plain)
        self._wide = step_factors(trace, self._doubtful, WIDES) if self._doubtful.size else {}
        self.plain &= bool(_within(self.cell.W_hh[self.cell.W_hh != 0.0], reach).all())

    def _accept_zeros(self, trace: Trace, reach: int) -> None:
        """A 0 is out of reach, unless it is one by the equations and not by underflow."""
        at = np.flatnonzero(~self.plain)
        if at.size:
            zeros = step_factors(trace, at, ZEROS)
            fine = [(_within(self._factors[name][at], reach) | (zeros[name] == 0.0)).all(axis=1) for name in zeros]
            self.plain[at] = np.logical_and.reduce(fine)

    def floats(self, at: slice) -> Factors:
        """Return the factors of some steps, which should be plain."""
        return {name: values[at] for name, values in self._factors.items()}

    def jacobians(self, at: slice) -> Array:
        """Return the Jacobians of some steps, (n, S, S), which should be plain."""
        with np.errstate(over="ignore", invalid="ignore"):  # those that are not
            J: Array = jacobians_of(self.cell, self.floats(at), FLOATS)
        return J

    def wide(self, k: int) -> Factors:
        """Return the factors of the step from k to k + 1."""
        row = int(np.searchsorted(self._doubtful, k))
        if row < len(self._doubtful) and self._doubtful[row] == k:
            return {name: values[row : row + 1] for name, values in self._wide.items()}
        return {name: Wide.of(values[k : k + 1]) for name, values in self._factors.items()}

    def wide_jacobian(self, k: int) -> Wide:
        """Return the Jacobian of the step from k to k + 1, (S, S)."""
        J: Wide = jacobians_of(self.cell, self.wide(k), WIDES)
        return J[0]


def _within(values: Array, reach: int) -> NDArray[np.bool_]:
    """Return where values lie within `reach` binary digits of 1."""
    sizes = np.abs(values)
    return (sizes >= 2.0**-reach) & (sizes <= 2.0**reach)


# --- steps in float64: take the factors, P (S, R) and where to write J^T P, J'^T J^T P, ... -------------------------


def _elman_steps(cell: ElmanCell) -> Steps:
    W = cell.W_hh.T

    def steps(factors: Factors, P: Array, out: Array) -> None:
        for slope, product in zip(factors["a"][:, :, None], out, strict=False):
            P = np.dot(W, slope * P, out=product)

    return steps


def _lstm_steps(cell: LSTMCell) -> Steps:
    """One product with the columns of J for h; those for c are diagonal, ``through keep`` above ``keep``."""
    H = cell.hidden_size
    weights = np.stack([cell.W_hh[cell.rows(name)] for name in "ifgo"], axis=1)  # (H, 4, H)
    for_h = np.empty((BLIND, 2 * H, H))

    def steps(factors: Factors, P: Array, out: Array) -> None:
        through, keep = factors["through"], factors["keep"]
        for_c = np.concatenate([through * keep, keep], axis=1)[:, :, None]
        scales = np.stack([factors[name] for name in "ifgo"], axis=2).transpose(1, 0, 2)  # (H, n, 4)
        of_h, of_c = for_h[: len(keep), :H].transpose(1, 0, 2), for_h[: len(keep), H:].transpose(1, 0, 2)
        # For all steps at once, one product for each unit.
        np.matmul(scales[:, :, :3], weights[:, :3], out=of_c)
        scales[:, :, :3] *= through.T[:, :, None]
        np.matmul(scales, weights, out=of_h)
        scaled = np.empty_like(P)
        for columns, diagonal, product, h, c in zip(
            for_h.transpose(0, 2, 1), for_c, out, out[:, :H], out[:, H:], strict=False
        ):
            np.dot(columns, P, out=h)
            np.multiply(diagonal, P, out=scaled)
            np.add(scaled[:H], scaled[H:], out=c)
            P = product

    return steps


def _gru_steps(cell: GRUCell) -> Steps:
    def steps(factors: Factors, P: Array, out: Array) -> None:
        for J, product in zip(jacobians_of(cell, factors, FLOATS), out, strict=False):
            P = np.dot(J.T, P, out=product)

    return steps


_STEPS: Mapping[str, Callable[..., Steps]] = {"elman": _elman_steps, "lstm": _lstm_steps, "gru": _gru_steps}
