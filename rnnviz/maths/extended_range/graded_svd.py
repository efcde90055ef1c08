"""Singular values of matrices whose rows or columns lie far apart in size, right to the rounding of each row."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.graded import log2_lengths, triangle, wide_qr, with_rows_apart
from rnnviz.maths.extended_range.wide import Wide

__all__ = ["log10_graded_singular_values", "log10_singular_values_of_rows"]

CONVERGED = 1e-15  # cosine of the angle between two rows
SWEEPS = 60
PASSES = 3
NEAR = 12  # binary digits between singular values that LAPACK finds well enough: it loses them from the smallest
LOWEST = -1e300  # binary digits
SMALLEST = float(np.finfo(float).tiny)


def log10_graded_singular_values(A: Wide) -> Array:
    """Return the base-10 logarithms of the singular values of (r, n) numbers of rank r, (r,), descending.

    A QR factorization with column pivoting turns rows and columns of all sizes into graded rows.
    """
    return log10_singular_values_of_rows(with_rows_apart(wide_qr(A.T, pivot=True)[1]))


def log10_singular_values_of_rows(A: Wide) -> Array:
    """Return the base-10 logarithms of the singular values of r rows of rank r, an exponent each, (r,), descending.

    Where they lie near each other those of LAPACK are right. Else the rotations of Jacobi make the rows orthogonal, and
    their lengths are the singular values (Drmac & Veselic 2008, "New fast and accurate Jacobi SVD algorithm"). Each
    row keeps its own exponent, so that none is rounded against another.
    """
    if not A.exponent.size:
        return np.empty(0)
    A = _with_lost_rows(A)
    top = float(A.exponent.max())
    if top - A.exponent.min() < NEAR:
        values = np.linalg.svd(A.entries.floats(top), compute_uv=False)
        if values[-1] > 2.0**-NEAR * values[0]:
            return np.asarray(np.log10(values) + top * np.log10(2.0))
    A = _nearly_orthogonal(A)
    for _ in range(SWEEPS):
        if _largest_cosine(A.mantissa) <= CONVERGED:
            break
        for first, second in _rounds(len(A.mantissa)):
            _rotate(A, first, second)
    return np.asarray(np.sort(log2_lengths(A))[::-1] * np.log10(2.0))


def _with_lost_rows(A: Wide) -> Wide:
    """Return the rows with those of zeros, which even their exponents could not hold, at the lowest exponent."""
    lost = np.flatnonzero(~A.mantissa.any(axis=1))
    if not lost.size:
        return A
    mantissa, exponent = A.mantissa.copy(), A.exponent.copy()
    mantissa[lost, lost], exponent[lost] = 1.0, LOWEST
    return Wide(mantissa, exponent)


def _nearly_orthogonal(A: Wide) -> Wide:
    """Return rows with the same singular values, the closer to orthogonal the further the values lie apart.

    With ``D = diag(2**exponents)``, descending, and ``(D N)^T = Q_1 S_1 D`` those of ``D N`` are those of ``D S_1^T =
    G D``; with ``G = Q_2 S_2`` they are those of ``S_2 D``, upper triangular rows. Each time what stands beside the
    diagonal is smaller by the square of the ratio of the values.
    """
    for _ in range(PASSES):
        A = A[np.argsort(-A.exponent, kind="stable")]
        between = np.clip(A.exponent[:, None] - A.exponent, -2200.0, 2200.0).astype(int)
        S_2 = triangle(np.ldexp(triangle(A.mantissa.T).T, between))
        A = with_rows_apart(Wide(np.ldexp(S_2, between.T), A.exponent))
    return A


def _largest_cosine(rows: Array) -> float:
    unit = rows / np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return float(np.abs(np.tril(unit @ unit.T, -1)).max())


def _rotate(A: Wide, first: NDArray[np.int_], second: NDArray[np.int_]) -> None:
    """Make pairs of rows orthogonal, in place.

    With x the longer row and y the other, ``x <- c (x - t y)`` and ``y <- c (y + t x)``, ``c = 1 / sqrt(1 + t^2)``.
    """
    swap = A.exponent[first] < A.exponent[second]
    longer, shorter = np.where(swap, second, first), np.where(swap, first, second)
    x, y = A.mantissa[longer], A.mantissa[shorter]
    ratio = np.ldexp(1.0, np.maximum(A.exponent[shorter] - A.exponent[longer], -2200.0).astype(int))
    xx, yy, xy = (np.einsum("ij,ij->i", *pair) for pair in ((x, x), (y, y), (x, y)))
    difference = ratio**2 * yy - xx
    # t = ratio * turn, which stays right where the ratio has become 0: y then loses its part along x, and x stays.
    turn = np.where(difference < 0.0, -2.0, 2.0) * xy
    turn /= np.maximum(np.abs(difference) + np.sqrt(difference**2 + 4.0 * (ratio * xy) ** 2), SMALLEST)
    cosine = 1.0 / np.sqrt(1.0 + (ratio * turn) ** 2)
    x, y = (x - (ratio**2 * turn)[:, None] * y) * cosine[:, None], (y + turn[:, None] * x) * cosine[:, None]
    for at, row in ((longer, x), (shorter, y)):
        A[at] = with_rows_apart(Wide(row, A.exponent[at]))


def _rounds(n: int) -> Iterator[tuple[NDArray[np.int_], NDArray[np.int_]]]:
    """Yield every pair of n rows once, disjoint pairs together: n players, everyone meets everyone."""
    players = np.arange(n + n % 2)
    for _ in range(len(players) - 1):
        first, second = players[: len(players) // 2], players[: len(players) // 2 - 1 : -1]
        there = (first < n) & (second < n)  # with an odd number one rests
        yield first[there], second[there]
        players[1:] = np.roll(players[1:], 1)
