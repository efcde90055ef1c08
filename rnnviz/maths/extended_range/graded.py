"""Orthogonal factors of matrices whose rows or columns lie far apart in size.

The usual algorithms are right to the rounding of the largest entry, so that a direction of 1e-17 of the largest one is
lost. These are right to the rounding of each row, which has an exponent of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.wide import Wide

__all__ = [
    "graded_qr",
    "log2_diagonal",
    "log2_lengths",
    "order_of",
    "reduced_qr",
    "times_rows",
    "triangle",
    "wide_qr",
    "with_rows_apart",
]

UNORDERED = 8.0  # binary digits by which a row may be larger than one above it
ROUNDING = float(np.finfo(float).eps)


def order_of(rows: Wide, log2_sizes: Array) -> NDArray[np.int_] | None:
    """Return an order of the rows from the largest to the smallest, once multiplied; None if they are in one."""
    sizes = np.maximum(rows.exponent + log2_sizes, -1e300)  # -inf for a column of zeros
    later = np.maximum.accumulate(sizes[::-1])[::-1]
    return None if (later - sizes).max() <= UNORDERED else np.argsort(-sizes, kind="stable")


def times_rows(R: Wide, rows: Wide) -> Wide:
    """Return ``R rows`` for an upper triangular R, right to the rounding of each row."""
    R = with_rows_apart(Wide(R.mantissa, R.exponent + rows.exponent))
    return with_rows_apart(Wide(R.mantissa @ rows.mantissa, R.exponent))


def with_rows_apart(A: Wide) -> Wide:
    """Return (m, n) numbers with one exponent for each row, by which its largest entry lies in 1/2..1."""
    if A.exponent.ndim == 2:
        top = np.maximum(A.exponent.max(axis=1), -1e300)
        return Wide(Wide(A.mantissa, A.exponent - top[:, None]).floats(), top)
    _, shift = np.frexp(np.abs(A.mantissa).max(axis=1))
    return Wide(np.ldexp(A.mantissa, -shift[:, None]), A.exponent + shift)


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
    there = A != 0.0
    if (there.sum(axis=0) == 1).all() and there.sum(axis=1).max() == 1:  # as often: all units apart from each other
        return np.sign(A), np.diag(np.abs(A).max(axis=0))
    blocks = _apart(there)
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


def triangle(A: Array) -> Array:
    """Return R alone, of the columns as they stand."""
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


def log2_diagonal(A: Wide, columns: NDArray[np.int_]) -> Array:
    """Return log2 of what is left of these r columns of r rows, each without its part along those before it, (r,)."""
    _, R = wide_qr(A.entries[:, columns])
    diagonal = R[np.arange(len(columns)), np.arange(len(columns))]
    return np.asarray(np.log2(np.abs(diagonal.mantissa)) + diagonal.exponent)


def log2_lengths(rows: Array | Wide) -> Array:
    """Return log2 of the length of each of (m, n) rows, (m,)."""
    apart = with_rows_apart(rows if isinstance(rows, Wide) else Wide(rows, np.zeros(len(rows))))
    squares = np.einsum("ij,ij->i", apart.mantissa, apart.mantissa)
    with np.errstate(divide="ignore"):
        return np.asarray(apart.exponent + np.log2(np.sqrt(squares)))
