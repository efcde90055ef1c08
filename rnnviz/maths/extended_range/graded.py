"""Orthogonal factors and singular values of matrices whose rows or columns lie far apart in size.

The usual algorithms are right to the rounding of the largest entry, so that a singular value of 1e-17 of the largest
one is lost. These are right to the rounding of each row and column.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.wide import Wide

__all__ = [
    "GradedRows",
    "graded_qr",
    "log2_diagonal",
    "log2_lengths",
    "log10_graded_singular_values",
    "log10_singular_values_of_rows",
    "reduced_qr",
    "wide_qr",
]

CONVERGED = 1e-15  # cosine of the angle between two rows
SWEEPS = 60
PASSES = 3
NEAR = 12  # binary digits between singular values that LAPACK finds well enough: it loses them from the smallest
UNORDERED = 8.0  # binary digits by which a row may be larger than one above it
ROUNDING, SMALLEST = float(np.finfo(float).eps), float(np.finfo(float).tiny)


@dataclass(frozen=True, eq=False)
class GradedRows:
    """Rows that lie far apart in size: ``2**exponents * rows``.

    Attributes
    ----------
    rows : (r, n) array
    exponents : (r,) array
        Whole numbers.
    """

    rows: Array
    exponents: Array

    @property
    def wide(self) -> Wide:
        """The same as wide numbers."""
        return Wide.of(self.rows, self.exponents[:, None])

    def order(self, log2_sizes: Array) -> NDArray[np.int_] | None:
        """Return an order of the rows from the largest to the smallest, once multiplied; None if they are in one."""
        sizes = np.maximum(self.exponents + log2_sizes, -1e300)  # -inf for a column of zeros
        later = np.maximum.accumulate(sizes[::-1])[::-1]
        return None if (later - sizes).max() <= UNORDERED else np.argsort(-sizes, kind="stable")

    def multiplied(self, R: Wide, order: NDArray[np.int_] | None = None) -> GradedRows:
        """Return ``R rows`` for an upper triangular R, the rows taken in this order; right to the rounding of each."""
        rows, exponents = (self.rows, self.exponents) if order is None else (self.rows[order], self.exponents[order])
        exponent = R.exponent + exponents
        top = np.maximum(exponent.max(axis=1), -1e300)
        rows = Wide(R.mantissa, exponent - top[:, None]).floats() @ rows
        _, shift = np.frexp(np.abs(rows).max(axis=1))
        return GradedRows(np.ldexp(rows, -shift[:, None]), top + shift)


def graded_qr(A: Any) -> tuple[Any, Any]:
    """Return ``A = Q R`` for (m, n) numbers: Q has orthonormal columns, min(m, n) of them, R is upper triangular.

    With the larger rows first, the method of Householder is right to the rounding of each row (Powell & Reid 1969; Cox
    & Higham 1998, "Stability of Householder QR factorization for weighted least squares problems"), if the larger
    columns come first too. A pivot that rounding has made 0 is put at the size of the rounding: which columns really
    depend on those before them is for exact arithmetic to say.
    """
    if isinstance(A, Wide):
        return wide_qr(A)
    if A.all() or not A.any(axis=0).all():
        return _sorted_qr(A)
    blocks = _apart(A != 0.0)
    if any(len(rows) < len(columns) for rows, columns in blocks):
        return _sorted_qr(A)
    Q, R = np.zeros_like(A), np.zeros((A.shape[1], A.shape[1]))
    for rows, columns in blocks:  # units apart from each other stay so exactly
        Q[np.ix_(rows, columns)], R[np.ix_(columns, columns)] = _sorted_qr(A[np.ix_(rows, columns)])
    return Q, R


def _sorted_qr(A: Array) -> tuple[Array, Array]:
    order = np.argsort(-np.abs(A).max(axis=1), kind="stable")
    Q, R = np.linalg.qr(A[order])
    Q[order] = Q.copy()
    return Q, _with_pivots(R)


def _apart(there: NDArray[np.bool_]) -> list[tuple[NDArray[np.int_], NDArray[np.int_]]]:
    """Return rows and columns of the blocks that have no row in common, given where entries are."""
    blocks, left = [], np.ones(there.shape[1], dtype=np.bool_)
    while left.any():
        columns = np.arange(len(left)) == np.argmax(left)
        rows = there[:, columns].any(axis=1)
        while (reached := there[rows].any(axis=0)).sum() > columns.sum():
            columns, rows = reached, there[:, reached].any(axis=1)
        left &= ~columns
        blocks.append((np.flatnonzero(rows), np.flatnonzero(columns)))
    return blocks


def _triangle(A: Array) -> Array:
    return _with_pivots(np.asarray(np.linalg.qr(A, mode="r")))


def _with_pivots(R: Array) -> Array:
    """Put pivots that rounding has made 0 at the size of the rounding, in place."""
    lost = np.flatnonzero(np.diag(R) == 0.0)
    R[lost, lost] = ROUNDING * np.abs(R[:, lost]).max(axis=0)
    return R


def reduced_qr(A: Any, rank: int) -> tuple[Any, Any]:
    """Return ``A = Q R`` with `rank` orthonormal columns in Q, for (m, n) numbers of that rank."""
    if not rank:
        return A[:, :0], A[:0]
    numbers = A.mantissa if isinstance(A, Wide) else A
    rows = np.flatnonzero(numbers.any(axis=1))
    if len(rows) == rank:  # it is lost in rows of zeros, as behind a masked unit
        inside, R = graded_qr(A[rows])
        Q = Wide.zeros((len(numbers), rank)) if isinstance(inside, Wide) else np.zeros((len(numbers), rank))
        Q[rows] = inside
        return Q, R
    # Columns that depend on those before them are left out, the most dependent one first.
    kept = list(range(numbers.shape[1]))
    Q, R = graded_qr(A)
    while len(kept) > rank:
        pivots = R[np.arange(len(kept)), np.arange(len(kept))]
        lengths = np.maximum(log2_lengths(R.T), -1e300)
        kept.pop(int(np.argmin(log2_lengths(pivots[:, None]) - lengths)))
        Q, R = graded_qr(A[:, kept])
    before = (np.array(kept)[:, None] < np.arange(numbers.shape[1])).astype(float)
    whole = Q.T @ A
    whole = whole * (Wide.of(before) if isinstance(whole, Wide) else before)
    whole[:, kept] = R
    return Q, whole


def wide_qr(A: Wide, *, pivot: bool = False) -> tuple[Wide, Wide]:
    """Return the QR factorization of wide numbers; with `pivot` R is that of A with its columns in another order."""
    m, n = A.shape
    rank = min(m, n)
    R, Q = A.copy(), Wide.of(np.eye(m, rank))
    reflections = []
    for j in range(rank):
        if pivot:
            largest = j + int(np.argmax(log2_lengths(R[j:, j:].T)))
            R[:, [j, largest]] = R[:, [largest, j]]
        row = j + int(np.argmax(R.exponent[j:, j]))
        R[[j, row]] = R[[row, j]]
        v, top = R[j:, j].scaled()
        size = float(np.sqrt(v @ v))
        if size == 0.0:
            R[j, j] = Wide.of(ROUNDING, max(R[:, j].top, -1e300))
            continue
        sign = -1.0 if v[0] < 0.0 else 1.0
        reflector = Wide(R.mantissa[j:, j].copy(), R.exponent[j:, j] - top)  # its small entries are not in v
        reflector[:1] = Wide.of(v[:1] + sign * size)
        factor = -1.0 / (size * (size + abs(float(v[0]))))
        reflections.append((j, row, reflector, factor))
        R[j:, j:] = _reflected(R[j:, j:], reflector, factor)
        R[j:, j] = Wide.of(np.eye(m - j)[0] * (-sign * size), top)
    for j, row, reflector, factor in reversed(reflections):
        Q[j:, j:] = _reflected(Q[j:, j:], reflector, factor)
        Q[[j, row]] = Q[[row, j]]
    return Q, R[:rank]


def _reflected(A: Wide, v: Wide, factor: float) -> Wide:
    """``A + factor v v^T A``."""
    return A + v[:, None] * (Wide.of(factor) * (v[None, :] @ A))


def log2_diagonal(A: GradedRows, columns: NDArray[np.int_]) -> Array:
    """Return log2 of what is left of these r columns of r rows, each without its part along those before it, (r,)."""
    _, R = wide_qr(A.wide[:, columns])
    diagonal = R[np.arange(len(columns)), np.arange(len(columns))]
    return np.asarray(np.log2(np.abs(diagonal.mantissa)) + diagonal.exponent)


def log10_graded_singular_values(A: Wide) -> Array:
    """Return the base-10 logarithms of the singular values of (r, n) numbers of rank r, (r,), descending.

    A QR factorization with column pivoting turns rows and columns of all sizes into graded rows.
    """
    _, R = wide_qr(A.T, pivot=True)
    exponents = np.maximum(R.exponent.max(axis=1), -1e300)
    rows = Wide(R.mantissa, R.exponent - exponents[:, None]).floats()
    return log10_singular_values_of_rows(GradedRows(rows, exponents))


def log10_singular_values_of_rows(A: GradedRows) -> Array:
    """Return the base-10 logarithms of the singular values of r rows of rank r, (r,), descending.

    Where they lie near each other those of LAPACK are right. Else the rotations of Jacobi make the rows orthogonal, and
    their lengths are the singular values (Drmac & Veselic 2008, "New fast and accurate Jacobi SVD algorithm"). Each
    row keeps its own exponent, so that none is rounded against another.
    """
    if not len(A.rows):
        return np.empty(0)
    top = float(A.exponents.max())
    if top - A.exponents.min() < NEAR:
        values = np.linalg.svd(A.wide.floats(top), compute_uv=False)
        if values[-1] > 2.0**-NEAR * values[0]:
            return np.asarray(np.log10(values) + top * np.log10(2.0))
    rows, exponents = _nearly_orthogonal(A.rows, A.exponents)
    for _ in range(SWEEPS):
        if _largest_cosine(rows) <= CONVERGED:
            break
        for first, second in _rounds(len(rows)):
            _rotate(rows, exponents, first, second)
    lengths: Array = np.sort(log2_lengths(Wide.of(rows, exponents[:, None])))[::-1] * np.log10(2.0)
    return lengths


def _nearly_orthogonal(rows: Array, exponents: Array) -> tuple[Array, Array]:
    """Return rows with the same singular values, the closer to orthogonal the further the values lie apart.

    With ``D = diag(2**exponents)``, descending, and ``(D N)^T = Q_1 S_1 D`` those of ``D N`` are those of ``D S_1^T =
    G D``; with ``G = Q_2 S_2`` they are those of ``S_2 D``, upper triangular rows. Each time what stands beside the
    diagonal is smaller by the square of the ratio of the values.
    """
    for _ in range(PASSES):
        order = np.argsort(-exponents, kind="stable")
        rows, exponents = rows[order], exponents[order]
        between = np.clip(exponents[:, None] - exponents, -2200.0, 2200.0).astype(int)
        S_1 = _triangle(rows.T)
        S_2 = _triangle(np.ldexp(S_1.T, between))
        rows = np.ldexp(S_2, between.T)
        _, shift = np.frexp(np.abs(rows).max(axis=1))
        rows, exponents = np.ldexp(rows, -shift[:, None]), exponents + shift
    return rows, exponents


def _largest_cosine(rows: Array) -> float:
    unit = rows / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return float(np.abs(np.tril(unit @ unit.T, -1)).max())


def _rotate(rows: Array, exponents: Array, first: NDArray[np.int_], second: NDArray[np.int_]) -> None:
    """Make pairs of rows orthogonal, in place.

    With x the longer row and y the other, ``x <- c (x - t y)`` and ``y <- c (y + t x)``, ``c = 1 / sqrt(1 + t^2)``.
    """
    swap = exponents[first] < exponents[second]
    longer, shorter = np.where(swap, second, first), np.where(swap, first, second)
    x, y = rows[longer], rows[shorter]
    ratio = np.ldexp(1.0, np.maximum(exponents[shorter] - exponents[longer], -2200.0).astype(int))
    xx, yy, xy = (np.einsum("ij,ij->i", *pair) for pair in ((x, x), (y, y), (x, y)))
    difference = ratio**2 * yy - xx
    # t = ratio * turn, which stays right where the ratio has become 0: y then loses its part along x, and x stays.
    turn = np.where(difference < 0.0, -2.0, 2.0) * xy
    turn /= np.maximum(np.abs(difference) + np.sqrt(difference**2 + 4.0 * (ratio * xy) ** 2), SMALLEST)
    cosine = 1.0 / np.sqrt(1.0 + (ratio * turn) ** 2)
    x, y = (x - (ratio**2 * turn)[:, None] * y) * cosine[:, None], (y + turn[:, None] * x) * cosine[:, None]
    for at, row in ((longer, x), (shorter, y)):
        _, shift = np.frexp(np.abs(row).max(axis=1))
        rows[at], exponents[at] = np.ldexp(row, -shift[:, None]), exponents[at] + shift


def _rounds(n: int) -> Iterator[tuple[NDArray[np.int_], NDArray[np.int_]]]:
    """Yield every pair of n rows once, disjoint pairs together: n players, everyone meets everyone."""
    players = np.arange(n + n % 2)
    for _ in range(len(players) - 1):
        first, second = players[: len(players) // 2], players[: len(players) // 2 - 1 : -1]
        there = (first < n) & (second < n)  # with an odd number one rests
        yield first[there], second[there]
        players[1:] = np.roll(players[1:], 1)


def log2_lengths(rows: Array | Wide) -> Array:
    """Return log2 of the length of each of (m, n) rows, (m,)."""
    wide = rows if isinstance(rows, Wide) else Wide.of(rows)
    top = np.maximum(wide.exponent.max(axis=1), -1e300)
    floats = Wide(wide.mantissa, wide.exponent - top[:, None]).floats()
    with np.errstate(divide="ignore"):
        lengths: Array = top + np.log2(np.sqrt(np.einsum("ij,ij->i", floats, floats)))
    return lengths
