"""Stacks of matrices far beyond float64: in plain float64 while that is safe, else with an exponent for each entry.

One exponent for a matrix is fast, and not always enough: a direction that has shrunk to 1e-400 of another one would
underflow, and may be all that is left once a masked unit has cut the strong one off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.wide import Wide

__all__ = ["Scaled", "joined", "log10_norms", "running_products"]

# In binary digits. The largest entry of a plain matrix lies in -CEILING..CEILING, all that are not 0 above -FLOOR. So
# no term of a product underflows, nor does a sum that cancels down to its last digit: 2 * FLOOR + 53 < 1022.
FLOOR, CEILING = 300, 64


@dataclass(frozen=True, eq=False)
class Scaled:
    """Matrices ``digits * 2**exponents``.

    Attributes
    ----------
    digits : (..., n, m) array
    exponents : (..., 1, 1) or (..., n, m) array
        Whole numbers, one for each matrix if all are plain, else one for each entry.

    Examples
    --------
    >>> small = Scaled.of(np.diag([1e-200, 1.0]))
    >>> log10_norms(small @ small.part(columns=slice(0, 1)), "fro").round(9).item()
    -400.0
    """

    digits: Array
    exponents: Array

    @classmethod
    def of(cls, matrices: Array | Wide) -> Scaled:
        """Take (..., n, m) matrices."""
        if isinstance(matrices, Wide):
            return _narrowed(matrices)
        return _settled(matrices, np.zeros((*matrices.shape[:-2], 1, 1)))

    @property
    def plain(self) -> bool:
        """Whether there is one exponent for each matrix."""
        return self.exponents.shape[-2:] == (1, 1)

    def __getitem__(self, batch: Any) -> Scaled:
        """Choose among the matrices."""
        return Scaled(self.digits[batch], self.exponents[batch])

    def part(self, rows: slice = slice(None), columns: slice = slice(None)) -> Scaled:
        """Cut the same block out of every matrix."""
        exponents = self.exponents if self.plain else self.exponents[..., rows, columns]
        return Scaled(self.digits[..., rows, columns], exponents)

    def __matmul__(self, other: Scaled) -> Scaled:
        """Multiply as float64 would if its exponents did not run out."""
        if self.plain and other.plain:
            return _settled(self.digits @ other.digits, self.exponents + other.exponents)
        (mine, my_top), (others, other_top) = self._centred(), other._centred()
        product = mine @ others
        return _narrowed(Wide(product.mantissa, product.exponent + (my_top + other_top)))

    def together(self) -> tuple[Array, Array]:
        """Return the digits with one exponent for each matrix, and these exponents (...,).

        What underflows then is below 1e-300 of the largest entry, so that no norm sees it.
        """
        if self.plain:
            return self.digits, self.exponents[..., 0, 0]
        wide, top = self._centred()
        return wide.floats(), top[..., 0, 0]

    def _centred(self) -> tuple[Wide, Array]:
        """Return each matrix with its largest entry in 1/2..1, and the exponents that were taken out, (..., 1, 1)."""
        mantissa, shift = np.frexp(self.digits)
        exponent = np.where(mantissa == 0.0, -np.inf, self.exponents + shift)
        top = _top(exponent)
        return Wide(mantissa, exponent - top), top


def joined(parts: Sequence[Scaled]) -> Scaled:
    """Concatenate along the first axis."""
    digits = np.concatenate([part.digits for part in parts])
    if all(part.plain for part in parts):
        return Scaled(digits, np.concatenate([part.exponents for part in parts]))
    return Scaled(digits, np.concatenate([np.broadcast_to(part.exponents, part.digits.shape) for part in parts]))


def running_products(J: Scaled) -> Scaled:
    """Return ``J_i ... J_1`` for i = 0..T, entry 0 the identity: (T, n, n) to (T+1, n, n)."""
    chain = [Scaled.of(np.eye(J.digits.shape[-1])[None])]
    for step in range(len(J.digits)):
        chain.append(J[step : step + 1] @ chain[-1])
    return joined(chain)


def log10_norms(P: Scaled, norm: str) -> Array:
    """Return the base-10 logarithm of the "spectral" or "fro" norm of each matrix, (...,); -inf for an exact zero."""
    digits, exponents = P.together()
    if norm == "fro":
        squares = np.einsum("...ij,...ij->...", digits, digits)
    else:
        squares = np.maximum(np.linalg.eigvalsh(digits @ np.swapaxes(digits, -2, -1))[..., -1], 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(0.5 * np.log10(squares) + exponents * np.log10(2.0))


def _settled(digits: Array, exponents: Array) -> Scaled:
    """Bring the largest entry of every matrix back into range if need be, or give up one exponent for all entries."""
    sizes = np.abs(digits).reshape(*digits.shape[:-2], -1)
    if sizes.min() >= 2.0**-CEILING and sizes.max() <= 2.0**CEILING:
        return Scaled(digits, exponents)  # as mostly
    high, low = sizes.max(axis=-1), sizes.min(axis=-1)
    if not low.all():
        low = sizes.min(axis=-1, where=sizes > 0.0, initial=np.inf)
    above, below = np.frexp(high)[1], np.frexp(np.where(high > 0.0, low, 1.0))[1]
    if (above - below > FLOOR - CEILING).any():
        return Scaled(digits, np.broadcast_to(exponents, digits.shape))
    if (np.abs(above) >= CEILING).any():
        above = above[..., None, None]
        return Scaled(np.ldexp(digits, -above), exponents + above)
    return Scaled(digits, exponents)


def _narrowed(wide: Wide) -> Scaled:
    """Take one exponent for each matrix if the entries of none lie too far apart."""
    top = _top(wide.exponent)
    bottom = wide.exponent.min(axis=(-2, -1), keepdims=True, where=wide.mantissa != 0.0, initial=np.inf)
    if (top - bottom > FLOOR - CEILING).any():
        return Scaled(wide.mantissa, wide.exponent)
    return Scaled(Wide(wide.mantissa, wide.exponent - top).floats(), top)


def _top(exponent: Array) -> Array:
    """Return the largest exponent of each matrix, (..., 1, 1); 0 for one of zeros."""
    top: Array = exponent.max(axis=(-2, -1), keepdims=True)
    return np.where(np.isneginf(top), 0.0, top)
