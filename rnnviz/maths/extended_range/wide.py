"""Numbers with the 53 digits of float64 and an exponent that does not run out.

A product over a thousand steps leaves the range of float64 (1e-308 to 1e308), and its entries can lie further apart
than that range is wide, so that no common factor saves them: a direction that has shrunk to 1e-400 of another one may
be all that is left once a masked unit has cut the strong one off. So every entry has an exponent of its own where need
be, and an operation rounds as float64 does: a zero is an exact zero.

Where entries lie near each other one exponent for all of a matrix will do, and is quick: its product is that of
float64. Where the rows of a matrix lie far apart and no number of a small one matters beside a large one of its own
row, there is one for each row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rnnviz.maths.checks import Array

__all__ = ["Wide", "wide_sigmoid", "wide_sigmoid_slope", "wide_tanh_slope"]

# In binary digits. With one exponent for a matrix its largest entry lies in -CEILING..CEILING, all that are not 0 above
# -FLOOR. So no term of a product underflows, nor does a sum that cancels down to its last digit: 2 * FLOOR + 53 < 1022.
FLOOR, CEILING = 300, 64
LAYER = 400  # binary digits: the product of two entries of one layer each stays inside float64
TERMS = 2**15  # products of two entries that are added one by one: of more, whole layers are quicker
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # ln 2 in two parts, as in FreeBSD's exp
LARGEST = 1e300  # of a pre-activation; further out its exponents would add up to more than float64 holds


@dataclass(frozen=True, eq=False)
class Wide:
    """``mantissa * 2**exponent``.

    Attributes
    ----------
    mantissa : array
        With an exponent for each entry 0, or of a size in 0.5..1.
    exponent : array
        Whole numbers as float64, so that they don't run out either. Of the same shape, one for each entry, -inf for a
        zero; or without its last axis, one for each row; or without the last two, one for each matrix.

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

    @classmethod
    def stack(cls, matrices: Array | Wide) -> Wide:
        """Return (..., n, m) matrices with an exponent for each, or for each entry where those lie too far apart."""
        if isinstance(matrices, Wide):
            return matrices.narrowed()
        return _settled(matrices, np.zeros(matrices.shape[:-2]))

    @property
    def shared(self) -> bool:
        """Whether there is one exponent for each matrix."""
        return self.exponent.ndim == self.mantissa.ndim - 2

    @property
    def entries(self) -> Wide:
        """The same with an exponent for each entry."""
        missing = self.mantissa.ndim - self.exponent.ndim
        return Wide.of(self.mantissa, self.exponent[(..., *[None] * missing)]) if missing else self

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the numbers."""
        return self.mantissa.shape

    @property
    def top(self) -> float:
        """The largest exponent, -inf if there are but zeros."""
        return float(self.entries.exponent.max(initial=-np.inf))

    @property
    def log10(self) -> Array:
        """The base-10 logarithms of the sizes, -inf for a zero."""
        entries = self.entries
        with np.errstate(divide="ignore"):
            return np.asarray(np.log10(np.abs(entries.mantissa)) + entries.exponent * np.log10(2.0))

    @property
    def spread(self) -> float:
        """How many binary digits the largest entry lies above the smallest that is not 0."""
        entries = self.entries
        return entries.top - float(entries.exponent.min(where=entries.mantissa != 0.0, initial=np.inf))

    def floats(self, exponent: float = 0.0) -> Array:
        """Return the values divided by ``2**exponent``; what is beyond float64 then becomes 0 or infinite."""
        entries = self.entries
        with np.errstate(over="ignore"):
            return np.asarray(np.ldexp(entries.mantissa, _shift(entries.exponent - exponent)))

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
        entries = self.entries
        return Wide(entries.mantissa.T, entries.exponent.T)

    def __getitem__(self, index: Any) -> Wide:
        return Wide(self.mantissa[index], self.exponent[index])

    def __setitem__(self, index: Any, values: Wide) -> None:
        self.mantissa[index], self.exponent[index] = values.mantissa, values.exponent

    def __mul__(self, other: Wide) -> Wide:
        one, two = self.entries, other.entries
        mantissa, shift = np.frexp(one.mantissa * two.mantissa)
        return Wide(mantissa, one.exponent + two.exponent + shift)

    def __add__(self, other: Wide) -> Wide:
        one, two = self.entries, other.entries
        top = np.maximum(np.maximum(one.exponent, two.exponent), -np.finfo(float).max)  # finite, for two zeros too
        # What underflows here lies a thousand digits below the other one.
        mine, others = (np.ldexp(term.mantissa, _shift(term.exponent - top)) for term in (one, two))
        mantissa, shift = np.frexp(mine + others)
        return Wide(mantissa, np.where(mantissa == 0.0, -np.inf, top + shift))

    # --- matrices -----------------------------------------------------------------------------------------------------

    def part(self, rows: slice = slice(None), columns: slice = slice(None)) -> Wide:
        """Cut the same block out of every matrix."""
        cut: Any = (..., *(rows, columns)[: self.exponent.ndim - self.mantissa.ndim + 2])
        return Wide(self.mantissa[..., rows, columns], self.exponent[cut])

    def narrowed(self) -> Wide:
        """Return the same with one exponent for each matrix, if the entries of none lie too far apart."""
        if self.shared:
            return self
        entries = self.entries
        bottom = entries.exponent.min(axis=(-2, -1), where=entries.mantissa != 0.0, initial=np.inf)
        return entries if (entries._tops - bottom > FLOOR - CEILING).any() else entries.together()

    def together(self) -> Wide:
        """Return the same with one exponent for each matrix.

        What underflows then is below 1e-300 of the largest entry, so that no norm sees it.
        """
        if self.shared:
            return self
        centred, tops = self._centred()
        return Wide(centred.floats(), tops)

    def __matmul__(self, other: Wide) -> Wide:
        """Multiply matrices: plainly, term by term, or layer by layer, each of which is an ordinary matrix."""
        if self.shared and other.shared:
            return _settled(self.mantissa @ other.mantissa, self.exponent + other.exponent)
        shape = (*np.broadcast_shapes(self.shape[:-2], other.shape[:-2]), *self.shape[-2:], other.shape[-1])
        if math.prod(shape) <= TERMS:
            return _term_by_term(self.entries, other.entries)
        (one, of_one), (two, of_two) = self._centred(), other._centred()
        sums: dict[float, Array] = {}
        layers = list(two._layers())
        for high, mine in one._layers():
            for low, theirs in layers:
                product = mine @ theirs
                sums[high + low] = sums[high + low] + product if high + low in sums else product
        result = Wide.zeros((*shape[:-2], shape[-1]))
        for exponent, product in sorted(sums.items(), reverse=True):
            result = result + Wide.of(product, exponent)
        return Wide(result.mantissa, result.exponent + (of_one + of_two)[..., None, None])

    @property
    def _tops(self) -> Array:
        """The largest exponent of each matrix, (...,); 0 for one of zeros."""
        tops: Array = self.exponent.max(axis=(-2, -1))
        return np.where(np.isneginf(tops), 0.0, tops)

    def _centred(self) -> tuple[Wide, Array]:
        """Return each matrix with its largest entry in 1/2..1, and the exponents that were taken out, (...,)."""
        entries = self.entries
        tops = entries._tops
        return Wide(entries.mantissa, entries.exponent - tops[..., None, None]), tops

    def _layers(self) -> Iterator[tuple[float, Array]]:
        """Split into a sum of matrices ``2**exponent * floats``, whose entries are 0 or in 1/2..2**LAYER."""
        layer = np.floor(self.exponent / LAYER)
        for one in np.unique(layer[self.mantissa != 0.0]).tolist():
            exponent = one * LAYER
            above = np.clip(self.exponent - exponent, 0.0, LAYER)  # a whole number beyond 2**53 may be off by some
            yield exponent, np.ldexp(np.where(layer == one, self.mantissa, 0.0), above.astype(np.int64))


def _term_by_term(one: Wide, two: Wide) -> Wide:
    """Multiply matrices whose entries have an exponent each; every sum is taken relative to its largest term."""
    exponent = one.exponent[..., None] + two.exponent[..., None, :, :]
    top = np.maximum(exponent.max(axis=-2), -np.finfo(float).max)  # finite, for a sum of zeros too
    terms = np.ldexp(one.mantissa[..., None] * two.mantissa[..., None, :, :], _shift(exponent - top[..., None, :]))
    return Wide.of(terms.sum(axis=-2), top)


def _settled(mantissa: Array, exponent: Array) -> Wide:
    """Bring the largest entry of every matrix back into range if need be, or give up one exponent for all entries."""
    sizes = np.abs(mantissa).reshape(*mantissa.shape[:-2], -1)
    if sizes.min() >= 2.0**-CEILING and sizes.max() <= 2.0**CEILING:
        return Wide(mantissa, exponent)  # as mostly
    high, low = sizes.max(axis=-1), sizes.min(axis=-1)
    if not low.all():
        low = sizes.min(axis=-1, where=sizes > 0.0, initial=np.inf)
    above, below = np.frexp(high)[1], np.frexp(np.where(high > 0.0, low, 1.0))[1]
    if (above - below > FLOOR - CEILING).any():
        return Wide(mantissa, exponent).entries
    if (np.abs(above) >= CEILING).any():
        return Wide(np.ldexp(mantissa, -above[..., None, None]), exponent + above)
    return Wide(mantissa, exponent)


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
