"""Products of many matrices whose entries lie far beyond float64.

A single exponent for a matrix is not enough: a direction that has shrunk to 1e-400 of another one would underflow, and
may be all that is left once a masked unit has cut the strong one off. So every row and every column has its own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.checks import Array

__all__ = ["Factor", "Scaled", "identity", "log10_norms", "products", "times", "together"]

Exponents = NDArray[np.int32]

# The exponent of an exact zero: low enough to lose against any other, far enough from the ends of int32 to be added.
NOTHING = np.int32(-(2**28))


class Scaled(NamedTuple):
    """Matrices ``digits[..., i, j] * 2**(rows[..., i] + columns[..., j])``, each (n, m)."""

    digits: Array
    rows: Exponents
    columns: Exponents


class Factor(NamedTuple):
    """Matrices ``fractions * 2**exponents``, ready to be multiplied by; (..., n, n) each."""

    fractions: Array
    exponents: Exponents

    @classmethod
    def of(cls, J: Array) -> Factor:
        """Take float64 matrices apart."""
        fractions, exponents = np.frexp(J)
        return cls(fractions, np.where(fractions == 0.0, NOTHING, exponents))


def identity(shape: tuple[int, ...], size: int) -> Scaled:
    """Return unit matrices, (*shape, size, size)."""
    exponents = np.zeros((*shape, size), dtype=np.int32)
    return Scaled(np.broadcast_to(np.eye(size), (*shape, size, size)), exponents, exponents)


def times(J: Factor, P: Scaled) -> Scaled:
    """Return ``J P``, right in every entry that is not small because of cancellation.

    Column j of the product comes from column j of P alone. Row i mixes the rows of P, each at its own exponent: they
    are shifted to the largest of ``J[i, l] P[l]``, so that what underflows is below 1e-300 of what stays.
    """
    exponents = J.exponents + P.rows[..., None, :]
    rows = exponents.max(axis=-1)
    exponents -= rows[..., None]
    return _balanced(np.ldexp(J.fractions, exponents) @ P.digits, rows, P.columns)


def products(J: Array) -> Scaled:
    """Return ``J_i ... J_1`` for i = 0..T, entry 0 the identity: (T, ..., n, n) to (T+1, ..., n, n)."""
    P = identity(J.shape[1:-2], J.shape[-1])
    factors = Factor.of(J)
    chain = [P]
    for factor in zip(*factors, strict=True):
        P = times(Factor(*factor), P)
        chain.append(P)
    return Scaled(*map(np.stack, zip(*chain, strict=True)))


def together(P: Scaled) -> tuple[Array, Exponents]:
    """Return the digits with one exponent for each matrix, and that exponent (...,); the largest digit is 1 to 2.

    What underflows now is below 1e-300 of the largest entry, so that no norm sees it.
    """
    fractions, exponents = np.frexp(P.digits)
    exponents = np.where(fractions == 0.0, NOTHING, exponents + P.rows[..., :, None] + P.columns[..., None, :])
    largest = exponents.max(axis=(-2, -1)) - 1
    return np.ldexp(fractions, exponents - largest[..., None, None]), largest


def log10_norms(P: Scaled, norm: str) -> Array:
    """Return the base-10 logarithm of the "spectral" or "fro" norm of each matrix, (...,); -inf for an exact zero."""
    digits, exponents = together(P)
    if norm == "fro":
        squared = np.einsum("...ij,...ij->...", digits, digits)
    else:
        squared = np.linalg.eigvalsh(np.swapaxes(digits, -2, -1) @ digits)[..., -1]
    with np.errstate(divide="ignore"):
        return np.asarray((0.5 * np.log2(squared) + exponents) * np.log10(2.0))


def _balanced(digits: Array, rows: Exponents, columns: Exponents) -> Scaled:
    """Move the powers of two: columns get all they can, so that only rows small in every column have one of their own.

    Then each column has a digit of 0.5 to 1 in a row of exponent 0, where no shift of rows can lose it, and each row
    has one too. Digits are at most 1.
    """
    fractions, exponents = np.frexp(digits)
    exponents = np.where(fractions == 0.0, NOTHING, exponents + rows[..., :, None])
    of_columns = exponents.max(axis=-2)
    of_columns[of_columns < NOTHING // 2] = 0
    exponents -= of_columns[..., None, :]
    rows = exponents.max(axis=-1)
    digits = np.ldexp(fractions, exponents - rows[..., :, None])
    return Scaled(digits, np.maximum(rows, NOTHING), columns + of_columns)
