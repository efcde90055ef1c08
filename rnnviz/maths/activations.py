"""Activations: value and slope, both from the pre-activation.

Slopes come from the pre-activation ``a`` because the usual forms from the value, ``1 - tanh(a)**2`` and
``s (1 - s)``, lose all digits from ``|a|`` of about 19 and 37 on: the value has rounded to 1 by then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from rnnviz.maths.checks import Array

__all__ = ["ACTIVATIONS", "ONE", "Activation", "relu_slope", "sigmoid", "sigmoid_into", "sigmoid_slope", "tanh_slope"]

# An array, since a ufunc converts a Python float anew at every call.
ONE = np.array(1.0)


@dataclass(frozen=True)
class Activation:
    """An elementwise function and its slope.

    Attributes
    ----------
    into : callable
        ``into(a, out)`` writes the value at `a` into `out`. It may overflow on the way to a right limit: call it
        inside ``np.errstate(over="ignore")``.
    slope : callable
        ``slope(a)`` is the derivative at the pre-activation `a`.
    largest_slope : float
        The largest that `slope` can return, whatever the pre-activation.
    of_complex : callable
        ``of_complex(a)`` is the value at a complex `a`; near the real axis its imaginary part is `slope` times that of
        `a`. For relu, which is not analytic, the sign of the real part decides.
    """

    into: Callable[[Array, Array], Array]
    slope: Callable[[Array], Array]
    largest_slope: float
    of_complex: Callable[[Any], Array]

    def __call__(self, a: Array) -> Array:
        """Return the value at `a`, any shape; `a` may be complex."""
        if np.iscomplexobj(a):
            return self.of_complex(a)
        with np.errstate(over="ignore"):
            return self.into(a, np.empty_like(a))


def sigmoid_into(a: Array, out: Array) -> Array:
    """Write ``1 / (1 + exp(-a))`` into `out`; where ``exp(-a)`` overflows, its reciprocal is the right limit 0."""
    np.negative(a, out)
    np.exp(out, out)
    np.add(out, ONE, out)
    return np.reciprocal(out, out)


@np.errstate(over="ignore")
def tanh_slope(a: Array) -> Array:
    """``sech(a)**2 = 4 e / (1 + e)**2`` with ``e = exp(-2 |a|)``: right in every digit down to underflow.

    >>> float(tanh_slope(np.array(0.0)))
    1.0
    """
    e = np.exp(-2.0 * np.abs(a))
    return np.asarray(4.0 * e / (1.0 + e) ** 2)


def sigmoid_slope(a: Array) -> Array:
    """``s (1 - s) = e / (1 + e)**2`` with ``e = exp(-|a|)``: right in every digit down to underflow.

    >>> float(sigmoid_slope(np.array(0.0)))
    0.25
    """
    e = np.exp(-np.abs(a))
    return np.asarray(e / (1.0 + e) ** 2)


def relu_slope(a: Array) -> Array:
    """Return 1 above zero, else 0; at zero it is 0, as in PyTorch."""
    return np.asarray(a > 0.0, dtype=np.float64)


def _complex_sigmoid(a: Any) -> Array:
    """By ``exp(-|Re a|)``, which does not overflow."""
    right = a.real >= 0.0
    e = np.exp(np.where(right, -a, a))
    return np.asarray(np.where(right, 1.0, e) / (1.0 + e))


ACTIVATIONS: Mapping[str, Activation] = MappingProxyType(
    {
        "tanh": Activation(np.tanh, tanh_slope, 1.0, np.tanh),
        "sigmoid": Activation(sigmoid_into, sigmoid_slope, 0.25, _complex_sigmoid),
        "relu": Activation(
            lambda a, out: np.maximum(a, 0.0, out=out), relu_slope, 1.0, lambda a: np.where(a.real > 0.0, a, 0.0)
        ),
        "identity": Activation(np.positive, np.ones_like, 1.0, np.positive),
    }
)

sigmoid = ACTIVATIONS["sigmoid"]
