"""An orthonormal basis followed through a run with all digits: part by part of each step, in wide numbers if need be.

For what `plain_bases` is not certain of: directions far apart in size, masked units, exact zeros.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.arithmetic import FLOATS, RESIDUES, WIDES, ZEROS
from rnnviz.maths.extended_range.checked_factors import CheckedFactors
from rnnviz.maths.extended_range.graded import graded_qr, log2_lengths, order_of, reduced_qr, times_rows
from rnnviz.maths.extended_range.half_steps import Part
from rnnviz.maths.extended_range.residues import Residues, independent_columns
from rnnviz.maths.extended_range.wide import Wide
from rnnviz.maths.trace import Trace

__all__ = ["exact_product"]

NARROW = 200  # binary digits from 1 up to which entries are safe in float64 through one part of a step
CERTAIN = 26  # binary digits; what lies no more below what it was made of is no rounded 0
CHUNK = 16  # steps whose parts are made at a time


def exact_product(trace: Trace, factors: CheckedFactors) -> tuple[Wide, NDArray[np.int_]]:
    """Return ``R_T ... R_1``, of the rank that the product of the Jacobians has.

    Returns
    -------
    product : Wide
        (r, S), with an exponent for each row. The rows stand in another order than those of the triangles, the largest
        first.
    columns : (r,) array
        Those that are no combination of columns before them.
    """
    S = trace.cell.state_size
    product, independent = Wide(np.eye(S), np.zeros(S)), np.arange(S)
    for columns in _passed_through(trace, factors):
        X, exponent = columns.values, columns.exponent
        # The largest columns of the product first: small rows keep their digits then.
        order = order_of(product, log2_lengths(X.T))
        if order is not None:
            X, product = X[:, order], product[order]
        Q, R = graded_qr(X)
        kept = columns.independent(R)
        if kept is not None:
            independent = independent[kept]
            Q, R = reduced_qr(X, len(kept))
        product = times_rows(R if isinstance(R, Wide) else Wide.of(R, exponent), product)
        if not len(independent):
            break
        columns.set_orthonormal(Q)
    return product, independent


def _passed_through(trace: Trace, factors: CheckedFactors) -> Iterator[_Columns]:
    """Yield the columns, at first the identity, after each part of each step; whoever asks makes them orthonormal."""
    columns, waits = _Columns(trace, factors), False
    for start in range(0, trace.steps, CHUNK):
        floats = factors.floats(slice(start, start + CHUNK))
        with np.errstate(all="ignore"):  # in steps that are not plain: not used
            powers = trace.cell.column_powers(floats, FLOATS)
            steps = trace.cell.parts(floats, powers, FLOATS)
        for row, parts in enumerate(steps):
            for part in columns.multiplied(start + row, parts, powers[row : row + 1]):
                waits = part.waits
                if not waits:
                    yield columns
    if waits:
        yield columns


class _Columns:
    """Columns (S, r) of changes, in float64 as far as it will do.

    Attributes
    ----------
    values : (S, r) array or Wide
    exponent : float
        They are ``values * 2**exponent``.
    """

    def __init__(self, trace: Trace, factors: CheckedFactors) -> None:
        self.trace, self.factors, self._lossless = trace, factors, _lossless(trace)
        self.values: Array | Wide = np.eye(trace.cell.state_size)
        self.exponent = 0.0
        self._place, self._log2_size = (0, 0), 0.0
        self._exact, self._exact_parts, self._taken = Residues.of(np.eye(trace.cell.state_size)), _exact_parts(self), 0

    def multiplied(self, step: int, in_float: list[Part], powers: Array) -> Iterator[Part]:
        """Multiply by a step that is given in float64, part by part; yield each when it is done."""
        cell, factors, plain = self.trace.cell, self.factors, bool(self.factors.plain[step])
        in_wide: list[Part] = []
        for place, part in enumerate(in_float):
            X, self._place = self.values, (step, place)
            if plain and isinstance(X, np.ndarray) and _narrow(X):
                self.values = part.apply(X)
            else:
                if not in_wide:
                    wide = factors.wide(slice(step, step + 1))
                    in_wide = cell.parts(wide, powers if plain else cell.column_powers(wide, WIDES), WIDES)[0]
                Y: Wide = in_wide[place].apply(Wide.of(X, self.exponent) if isinstance(X, np.ndarray) else X)
                self.values, self.exponent = Y.scaled() if Y.spread <= 2 * NARROW else (Y, 0.0)
            part = part if plain else in_wide[place]
            self._log2_size = part.log2_size
            yield part

    def set_orthonormal(self, Q: Array | Wide) -> None:
        """Go on with these columns."""
        self.values = Q.floats() if isinstance(Q, Wide) and Q.spread <= NARROW else Q
        self.exponent = 0.0

    def independent(self, R: Array | Wide) -> list[int] | None:
        """Return which columns of the product of all parts so far are no combination of those before them.

        None if all those are that were at the last call: for certain by the kind of step, or as R says, the triangular
        factor of the columns. Else it is found in exact arithmetic, which leaves the others out from then on.
        """
        step, part = self._place
        if self._lossless[step, part] or _surely_independent(R, self._log2_size - self.exponent):
            return None
        parts = self._lossless.shape[1]
        for _ in range(self._taken, step * parts + part + 1):
            self._exact = next(self._exact_parts).apply(self._exact)
        self._taken = step * parts + part + 1
        found = independent_columns(self._exact)
        if len(found) == self._exact.shape[1]:
            return None
        self._exact = self._exact[:, found]
        return found


def _exact_parts(columns: _Columns) -> Iterator[Part]:
    """Yield the parts of all steps in residues."""
    cell = columns.trace.cell
    for start in range(0, columns.trace.steps, CHUNK):
        wide = columns.factors.wide(slice(start, start + CHUNK))
        factors = {name: Residues.of(values) for name, values in wide.items()}
        powers = np.zeros((len(next(iter(factors.values())).values), cell.state_size))  # a power of 2 makes nothing 0
        for parts in cell.parts(factors, powers, RESIDUES):
            yield from parts


def _lossless(trace: Trace) -> NDArray[np.bool_]:
    """Return which part of which step surely loses no direction, (T, parts)."""
    cell, losses = trace.cell, trace.cell.losses
    zeros = cell.factors(trace, slice(None), ZEROS)
    lossless = np.zeros((trace.steps, len(losses)), dtype=np.bool_)
    for part, loss in enumerate(losses):
        if loss is not None:
            gate, names = loss
            W = cell.W_hh[cell.rows(gate)] if gate else np.eye(1)
            regular = len(independent_columns(Residues.of(W))) == len(W)
            lossless[:, part] = regular and np.all([(zeros[name] != 0.0).all(axis=1) for name in names], axis=0)
    return lossless


def _surely_independent(R: Array | Wide, log2_size: float) -> bool:
    """Whether the columns of ``Q R`` are independent by far more than the rounding of what they were made of."""
    if isinstance(R, Wide):
        return False
    lengths = np.sqrt(np.einsum("ij,ij->j", R, R))
    if not lengths.all() or not np.log2(lengths.min()) > log2_size - CERTAIN:
        return False
    try:
        return bool(np.abs(np.linalg.inv(R / lengths)).max() < 2.0**CERTAIN)
    except np.linalg.LinAlgError:
        return False


def _narrow(X: Array) -> bool:
    sizes = np.abs(X)
    low = sizes.min(where=sizes > 0.0, initial=np.inf)
    return bool(sizes.max() <= 2.0**NARROW and low >= 2.0**-NARROW)
