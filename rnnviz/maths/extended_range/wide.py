"""Numbers with the 53 digits of float64 and an exponent that does not run out.

A product over a thousand steps leaves the range of float64 (1e-308 to 1e308), and its entries can lie further apart
than that range is wide, so that no common factor saves them. Here every entry has an exponent of its own, and an
operation rounds as float64 does: a zero is an exact zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rnnviz.maths.checks import Array

__all__ = ["Wide", "wide_sigmoid", "wide_sigmoid_slope", "wide_tanh_slope"]

LAYER = 400  # binary digits: the product of two entries of one layer each stays inside float64
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # ln 2 in two parts, as in FreeBSD's exp
LARGEST = 1e300  # of a pre-activation; further out its exponents would add up to more than float64 holds


@dataclass(frozen=True, eq=False)
class Wide:
    """``mantissa * 2**exponent``, entry by entry.

    Attributes
    ----------
    mantissa : array
        0, or of a size in 0.5..1.
    exponent : array of the same shape
        Whole numbers as float64, so that they don't run out either; -inf for a zero.

    Examples
    --------
    >>> tiny = Wide.of([1e-200, 3.0])
    >>> (tiny * tiny * Wide.of([1e200, 2.0])).floats()
    array([1.0e-200, 1.8e+001])
    """

    mantissa: Array
    exponent: Array

    @classmethod
    def of(cls, values: Any, exponent: float | Array = 0.0) -> Wide:
        """Return ``values * 2**exponent``."""
        mantissa, shift = np.frexp(np.asarray(values, dtype=np.float64))
        return cls(mantissa, np.where(mantissa == 0.0, -np.inf, shift + exponent))

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> Wide:
        """Return exact zeros."""
        return cls(np.zeros(shape), np.full(shape, -np.inf))

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of both arrays."""
        return self.mantissa.shape

    @property
    def top(self) -> float:
        """The largest exponent, -inf if there are but zeros."""
        return float(self.exponent.max(initial=-np.inf))

    @property
    def log10(self) -> Array:
        """The base-10 logarithms of the sizes, -inf for a zero."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log10(np.abs(self.mantissa)) + self.exponent * np.log10(2.0))

    @property
    def spread(self) -> float:
        """How many binary digits the largest entry lies above the smallest that is not 0."""
        return self.top - float(self.exponent.min(where=self.mantissa != 0.0, initial=np.inf))

    def floats(self, exponent: float = 0.0) -> Array:
        """Return the values divided by ``2**exponent``; what is beyond float64 then becomes 0 or infinite."""
        with np.errstate(over="ignore"):
            return np.asarray(np.ldexp(self.mantissa, _shift(self.exponent - exponent)))

    def scaled(self) -> tuple[Array, float]:
        """Return floats with the largest in 1/2..1, and the exponent of the power of 2 that was taken out."""
        exponent = self.top if np.isfinite(self.top) else 0.0
        return self.floats(exponent), exponent

    def copy(self) -> Wide:
        """Return the same numbers in arrays of their own."""
        return Wide(self.mantissa.copy(), self.exponent.copy())

    @property
    def T(self) -> Wide:
        """The matrix with rows and columns exchanged."""
        return Wide(self.mantissa.T, self.exponent.T)

    def __getitem__(self, index: Any) -> Wide:
        return Wide(self.mantissa[index], self.exponent[index])

    def __setitem__(self, index: Any, values: Wide) -> None:
        self.mantissa[index], self.exponent[index] = values.mantissa, values.exponent

    def __mul__(self, other: Wide) -> Wide:
        mantissa, shift = np.frexp(self.mantissa * other.mantissa)
        return Wide(mantissa, self.exponent + other.exponent + shift)

    def __add__(self, other: Wide) -> Wide:
        top = np.maximum(np.maximum(self.exponent, other.exponent), -np.finfo(float).max)  # finite, for two zeros too
        # What underflows here lies a thousand digits below the other one.
        mine, others = (np.ldexp(one.mantissa, _shift(one.exponent - top)) for one in (self, other))
        mantissa, shift = np.frexp(mine + others)
        return Wide(mantissa, np.where(mantissa == 0.0, -np.inf, top + shift))

    def __matmul__(self, other: Wide) -> Wide:
        """Multiply layer by layer, each of which is an ordinary matrix."""
        sums: dict[float, Array] = {}
        others = list(other._layers())
        for high, mine in self._layers():
            for low, theirs in others:
                product = mine @ theirs
                sums[high + low] = sums[high + low] + product if high + low in sums else product
        result = Wide.zeros((*np.broadcast_shapes(self.shape[:-2], other.shape[:-2]), self.shape[-2], other.shape[-1]))
        for exponent, product in sorted(sums.items(), reverse=True):
            result = result + Wide.of(product, exponent)
        return result

    def _layers(self) -> Iterator[tuple[float, Array]]:
        """Split into a sum of matrices ``2**exponent * floats``, whose entries are 0 or in 1/2..2**LAYER."""
        layer = np.floor(self.exponent / LAYER)
        for one in np.unique(layer[self.mantissa != 0.0]).tolist():
            exponent = one * LAYER
            above = np.clip(self.exponent - exponent, 0.0, LAYER)  # a whole number beyond 2**53 may be off by some
            yield exponent, np.ldexp(np.where(layer == one, self.mantissa, 0.0), above.astype(np.int64))


def wide_sigmoid(a: Array) -> Wide:
    """``1 / (1 + exp(-a))``.

    >>> wide_sigmoid(np.array(-1e4)).exponent.item()  # 2**-14426 is 10**-4343
    -14426.0
    """
    return _exp(np.minimum(a, 0.0)) * Wide.of(1.0 / (1.0 + np.exp(-np.abs(a))))


def wide_sigmoid_slope(a: Array) -> Wide:
    """``s (1 - s) = e / (1 + e)**2`` with ``e = exp(-|a|)``."""
    return _exp(-np.abs(a)) * Wide.of((1.0 + np.exp(-np.abs(a))) ** -2)


def wide_tanh_slope(a: Array) -> Wide:
    """``sech(a)**2 = 4 e / (1 + e)**2`` with ``e = exp(-2 |a|)``."""
    twice = 2.0 * np.minimum(np.abs(a), LARGEST)
    return _exp(-twice) * Wide.of(4.0 * (1.0 + np.exp(-twice)) ** -2)


def _exp(x: Array) -> Wide:
    """Return ``exp(x)`` for ``x <= 0``."""
    x = np.maximum(x, -2.0 * LARGEST)
    n = np.rint(x / np.log(2.0))
    rest = np.clip((x - n * LN2_HIGH) - n * LN2_LOW, -1.0, 1.0)  # from 1e15 on x itself has no digits left for it
    return Wide.of(np.exp(rest)) * Wide(np.full_like(rest, 0.5), n + 1.0)


def _shift(exponent: Array) -> Any:
    """Return whole numbers that ldexp takes; past 2200 either way the result is 0 or infinite anyway."""
    return np.clip(exponent, -2200.0, 2200.0).astype(np.int64)
