"""A step of the gradient in parts that rounding cannot spoil, each of which multiplies columns of changes.

Where a sum joins a large and a small part, the Jacobian itself has lost the small one: in an LSTM all that h_t knows
but c_t does not may stand in its 20th digit. And where a column of it is small, orthonormal columns drown it: what
they lack of 0 in that row, 1e-16, counts for more. So a step is taken in parts that scale rows and parts that mix them
well, and the columns are made orthonormal again after each part that scales.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.arithmetic import Arithmetic

__all__ = ["MILD", "Part", "product_of", "relative"]

MILD = 6  # binary digits: rows that are scaled by no more may wait for the next part; it costs two decimal digits


class Part(NamedTuple):
    """One part of a step.

    Attributes
    ----------
    apply : callable
        Takes (S, r) numbers to (S, r) numbers.
    log2_size : float
        The size of its largest entry, in binary digits.
    waits : bool
        Whether the columns need not be made orthonormal before the next part.
    """

    apply: Callable[[Any], Any]
    log2_size: float
    waits: bool = False


def relative(powers: Array) -> tuple[Array, float]:
    """Return the powers of a step relative to the largest, and that one."""
    top = float(powers.max())
    return powers - top, top


def product_of(numbers: Arithmetic, powers: Array, M: Any, scale: Any = None) -> list[Part]:
    """Return the parts of a step that is the product with M, whose rows are then scaled."""
    power, top = relative(powers)

    def mix(X: Any) -> Any:
        Y = M @ numbers.shifted(X, -power)
        return Y if scale is None else scale[:, None] * Y

    return [Part(lambda X: numbers.shifted(X, power), 0.0, waits=bool(power.min() >= -MILD)), Part(mix, top)]
