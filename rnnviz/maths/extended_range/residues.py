"""Exact arithmetic modulo two primes, to tell an exact zero from a small number.

The rank of a product of float64 matrices is a matter of exact arithmetic: ``W = [[1, 1], [1, 1]]`` has rank 1, and with
rounding its second singular value comes out as 1e-17 rather than 0. A float64 is a whole number times a power of 2 and
so has a residue modulo any odd prime; sums and products of residues are exact. What is 0 is 0 modulo every prime; what
is not 0 is taken for 0 only if both primes divide it, which happens by chance once in 1e12 times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.wide import Wide

__all__ = ["Residues", "independent_columns"]

PRIMES = np.array([1048573.0, 1048571.0])  # below 2**20: a sum of 8192 products of residues is exact in float64


@dataclass(frozen=True, eq=False)
class Residues:
    """Numbers by their residues.

    Attributes
    ----------
    values : (..., 2) array
        Whole numbers, 0 up to each prime.

    Examples
    --------
    >>> tenth = Residues.of(np.array(0.1))
    >>> (tenth * tenth + Residues.of(np.array(-0.1 * 0.1))).values.any()  # 0.1 * 0.1 is rounded
    np.True_
    """

    values: Array

    @classmethod
    def of(cls, numbers: Any) -> Residues:
        """Return the residues of an array or of `Wide` numbers."""
        wide = numbers if isinstance(numbers, Wide) else Wide.of(numbers)
        whole = np.remainder((wide.mantissa * 2.0**53)[..., None], PRIMES)
        # 2**(p-1) has the residue 1.
        powers = np.remainder(np.where(wide.mantissa == 0.0, 0.0, wide.exponent - 53.0)[..., None], PRIMES - 1.0)
        for axis, prime in enumerate(PRIMES.astype(int).tolist()):
            known, where = np.unique(powers[..., axis], return_inverse=True)
            twos = np.array([pow(2, int(power), prime) for power in known], dtype=np.float64)
            powers[..., axis] = twos[where].reshape(wide.shape)
        return cls(np.remainder(whole * powers, PRIMES))

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> Residues:
        """Return zeros."""
        return cls(np.zeros((*shape, 2)))

    def copy(self) -> Residues:
        """Return the same residues in an array of their own."""
        return Residues(self.values.copy())

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the numbers."""
        return self.values.shape[:-1]

    def __getitem__(self, index: Any) -> Residues:
        return Residues(self.values[index])

    def __setitem__(self, index: Any, residues: Residues) -> None:
        self.values[index] = residues.values

    def __add__(self, other: Residues) -> Residues:
        return Residues(np.remainder(self.values + other.values, PRIMES))

    def __mul__(self, other: Residues) -> Residues:
        return Residues(np.remainder(self.values * other.values, PRIMES))

    def __matmul__(self, other: Residues) -> Residues:
        products = np.moveaxis(self.values, -1, -3) @ np.moveaxis(other.values, -1, -3)
        return Residues(np.remainder(np.moveaxis(products, -3, -1), PRIMES))


def independent_columns(matrix: Residues) -> list[int]:
    """Return which columns of (m, n) residues are no combination of those before them.

    >>> independent_columns(Residues.of(np.array([[1.0, 2.0, 0.5], [0.1, 0.2, 0.5]])))
    [0, 2]
    """
    return max((_independent(matrix.values[..., axis], prime) for axis, prime in enumerate(PRIMES)), key=len)


def _independent(residues: Array, prime: float) -> list[int]:
    """Gauss modulo one prime; what depends modulo a prime alone makes the list shorter, never longer."""
    rest, found = residues.copy(), []
    for column in range(rest.shape[1]):
        rows = np.flatnonzero(rest[:, column])
        if rows.size:
            found.append(column)
            inverse = pow(int(rest[rows[0], column]), -1, int(prime))
            shares = np.remainder(rest[rows[0], column + 1 :] * inverse, prime)
            rest[:, column + 1 :] -= np.outer(rest[:, column], shares)
            np.remainder(rest, prime, out=rest)
    return found
