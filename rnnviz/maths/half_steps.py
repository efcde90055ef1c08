"""A step of the gradient in parts that rounding cannot spoil, each of which multiplies columns of changes.

Where a sum joins a large and a small part, the Jacobian itself has lost the small one: in an LSTM all that h_t knows
but c_t does not may stand in its 20th digit. And where a column of it is small, orthonormal columns drown it: what
they lack of 0 in that row, 1e-16, counts for more. So a step is taken in parts that scale rows and parts that mix them
well, and the columns are made orthonormal again after each part that scales.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rnnviz.maths.cells import Cell
from rnnviz.maths.checks import Array
from rnnviz.maths.factors import Arithmetic, Factors, Numbers, jacobians_of

__all__ = ["LOSSES", "Part", "column_powers", "parts_of"]

MILD = 6  # binary digits: rows that are scaled by no more may wait for the next part; it costs two decimal digits

# For each part of a step the rows of W_hh and the factors that must be regular and other than 0 for it to lose no
# direction; None where that is not enough.
LOSSES: dict[str, list[tuple[str, tuple[str, ...]] | None]] = {
    "elman": [("", ()), ("a", ("a",))],
    "gru": [("", ()), None],
    "lstm": [("", ("keep",)), ("o", ("o",)), ("", ())],
}


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


def column_powers(cell: Cell, factors: Factors, numbers: Numbers) -> Array:
    """Return the powers of 2 in the sizes of the columns that mix, (n, S), for each of n steps."""
    if cell.kind == "elman":
        return numbers.column_powers(numbers.mixed([factors["a"]], [numbers.of(cell.W_hh)]))
    if cell.kind == "gru":
        return numbers.column_powers(jacobians_of(cell, factors, numbers))
    e = numbers.mixed([factors["o"]], [numbers.of(cell.W_hh[cell.rows("o")])])
    powers = np.maximum(numbers.column_powers(_dc_dh(cell, factors, numbers)), numbers.column_powers(e))
    return np.concatenate([powers, np.zeros_like(powers)], axis=1)  # the columns for c are those of the identity


def parts_of(cell: Cell, factors: Factors, powers: Array, numbers: Arithmetic) -> list[list[Part]]:
    """Return the parts of each of n steps, the first to be taken first; their product is the Jacobian.

    The first part multiplies rows by the `powers` of 2 of `column_powers`, (n, S), relative to the largest of the
    step, which the next one takes back. The parts of an LSTM but for these powers, with ``A = dc_t/dh_{t-1}``::

        [h; c] -> [h; keep c] -> [o W_ho h; A h + keep c] = [e; c_t] -> [e + through c_t; c_t]
    """
    tops = powers.max(axis=1)
    steps = list(zip(powers - tops[:, None], tops.tolist(), strict=True))
    if cell.kind == "elman":
        W = numbers.of(cell.W_hh)
        return [_product(numbers, *step, W, factors["a"][row]) for row, step in enumerate(steps)]
    if cell.kind == "gru":
        J = jacobians_of(cell, factors, numbers)
        return [_product(numbers, *step, J[row]) for row, step in enumerate(steps)]
    A, W_ho = _dc_dh(cell, factors, numbers), numbers.of(cell.W_hh[cell.rows("o")])
    keep, o, through = (factors[name] for name in ("keep", "o", "through"))
    return [_lstm(numbers, *step, keep[row], W_ho, o[row], A[row], through[row]) for row, step in enumerate(steps)]


def _dc_dh(cell: Cell, factors: Factors, numbers: Arithmetic) -> Any:
    scales = [factors[name] for name in "ifg"]
    return numbers.mixed(scales, [numbers.of(cell.W_hh[cell.rows(name)]) for name in "ifg"])


def _product(numbers: Arithmetic, power: Array, top: float, M: Any, scale: Any = None) -> list[Part]:
    def mix(X: Any) -> Any:
        Y = M @ numbers.shifted(X, -power)
        return Y if scale is None else scale[:, None] * Y

    return [Part(lambda X: numbers.shifted(X, power), 0.0, waits=bool(power.min() >= -MILD)), Part(mix, top)]


def _lstm(
    numbers: Arithmetic, power: Array, top: float, keep: Any, W_ho: Any, o: Any, A: Any, through: Any
) -> list[Part]:
    H = len(power) // 2

    def forget(X: Any) -> Any:
        Y = numbers.shifted(X, power)
        Y[H:] = keep[:, None] * Y[H:]
        return Y

    def write(X: Any) -> Any:
        Y = numbers.shifted(X, -power)
        h = Y[:H].copy()
        Y[:H] = o[:, None] * (W_ho @ h)
        Y[H:] = A @ h + Y[H:]
        return Y

    def read(X: Any) -> Any:
        Y = X.copy()
        Y[:H] = X[:H] + through[:, None] * X[H:]
        return Y

    mild = power.min() >= -MILD and isinstance(keep, np.ndarray) and keep.min() >= 2.0**-MILD
    return [Part(forget, 0.0, waits=bool(mild)), Part(write, top), Part(read, 0.0, waits=True)]
