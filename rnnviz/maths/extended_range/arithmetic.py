"""The kinds of numbers that a step's derivatives are made of.

The same equations run on all of them: on float64 arrays, where those underflow on `Wide` ones, and to tell exact zeros
on `Residues`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.activations import ACTIVATIONS, sigmoid, sigmoid_slope, tanh_slope
from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.residues import Residues
from rnnviz.maths.extended_range.wide import Wide, wide_sigmoid, wide_sigmoid_slope, wide_tanh_slope

__all__ = [
    "FLOATS",
    "RESIDUES",
    "WIDES",
    "ZEROS",
    "Arithmetic",
    "At",
    "Factors",
    "Numbers",
    "scaled_rows",
]

Factors: TypeAlias = dict[str, Any]
"""Name of a factor to (n, ...) numbers, one row for each of n steps; `Cell.factors` says which."""

At: TypeAlias = slice | NDArray[np.int_]
"""Which steps, out of 0..T-1."""


@dataclass(frozen=True)
class Arithmetic:
    """One kind of numbers: how to make them, sums of scaled rows, and rows times powers of 2.

    ``mixed(scales, weights)`` is the sum of ``diag(scale_t) W`` over the pairs: (n, H) and (H, J) each to (n, H, J).
    """

    of: Callable[[Array], Any]
    zeros: Callable[[tuple[int, ...]], Any]
    mixed: Callable[[Sequence[Any], Sequence[Any]], Any]
    shifted: Callable[[Any, Array], Any]


@dataclass(frozen=True)
class Numbers(Arithmetic):
    """One that has the sigmoid and the slopes too.

    `gate` takes the pre-activation and the value in float64. ``column_powers`` of (n, m, J) numbers are the exponents
    of the largest in each column, (n, J), 0 where there is none.
    """

    column_powers: Callable[[Any], Array]
    gate: Callable[[Array, Array], Any]
    sigmoid: Callable[[Array], Any]
    sigmoid_slope: Callable[[Array], Any]
    tanh_slope: Callable[[Array], Any]

    def slope(self, activation: str, a: Array) -> Any:
        """Return the slope of an Elman cell's activation."""
        curved = {"tanh": self.tanh_slope, "sigmoid": self.sigmoid_slope}
        return curved[activation](a) if activation in curved else self.of(ACTIVATIONS[activation].slope(a))


def scaled_rows(scale: Any, W: Any) -> Any:
    """Return ``diag(scale_t) W`` for every step: (n, H) and (H, J) or (n, H, J) to (n, H, J)."""
    return scale[:, :, None] * W


def _mixed_floats(scales: Sequence[Array], weights: Sequence[Array]) -> Array:
    """For each row of the weights a product of all steps with them: one pass instead of one for each sum."""
    mixed = np.empty((*scales[0].shape, weights[0].shape[1]))
    np.matmul(np.stack(scales, axis=2).transpose(1, 0, 2), np.stack(weights, axis=1), out=mixed.transpose(1, 0, 2))
    return mixed


def _mixed_in_turn(scales: Sequence[Any], weights: Sequence[Any]) -> Any:
    mixed = scaled_rows(scales[0], weights[0])
    for scale, W in zip(scales[1:], weights[1:], strict=True):
        mixed = mixed + scaled_rows(scale, W)
    return mixed


def _float_powers(M: Array) -> Array:
    return np.asarray(np.frexp(np.abs(M).max(axis=1))[1].astype(float))


def _wide_powers(M: Wide) -> Array:
    powers: Array = M.exponent.max(axis=1)
    return np.where(np.isfinite(powers), powers, 0.0)


def _shifted_floats(X: Array, powers: Array) -> Array:
    return np.asarray(np.ldexp(X, powers.astype(int)[:, None]))


FLOATS = Numbers(
    of=np.asarray,
    zeros=np.zeros,
    mixed=_mixed_floats,
    column_powers=_float_powers,
    shifted=_shifted_floats,
    gate=lambda a, value: value,
    sigmoid=sigmoid,
    sigmoid_slope=sigmoid_slope,
    tanh_slope=tanh_slope,
)
WIDES = Numbers(
    of=Wide.of,
    zeros=Wide.zeros,
    mixed=_mixed_in_turn,
    column_powers=_wide_powers,
    shifted=lambda X, powers: Wide(X.mantissa, X.exponent + powers[:, None]),
    gate=lambda a, value: wide_sigmoid(a),
    sigmoid=wide_sigmoid,
    sigmoid_slope=wide_sigmoid_slope,
    tanh_slope=wide_tanh_slope,
)
ZEROS = Numbers(  # 0 for an exact zero, 1 for all else: what float64 would give if nothing underflowed
    of=lambda values: (values != 0.0).astype(float),
    zeros=np.zeros,
    mixed=_mixed_floats,
    column_powers=_float_powers,
    shifted=_shifted_floats,
    gate=lambda a, value: np.ones_like(a),
    sigmoid=np.ones_like,
    sigmoid_slope=np.ones_like,
    tanh_slope=np.ones_like,
)
RESIDUES = Arithmetic(
    of=Residues.of,
    zeros=Residues.zeros,
    mixed=_mixed_in_turn,
    shifted=lambda X, powers: X.copy(),
)
