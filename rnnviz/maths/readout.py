"""The layer that reads a hidden state out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.checks import Array, Sealed, one_of, read_array, require_shape
from rnnviz.maths.errors import InputError
from rnnviz.wording import Message

__all__ = ["Readout"]

_CHOICES = ("identity", "softmax", "sigmoid", "tanh")


@dataclass(frozen=True, eq=False)
class Readout(Sealed):
    """``y = g(W h + b)``, the same for every step.

    Parameters
    ----------
    W : (O, H) array-like
    b : (O,) array-like
    activation : {"identity", "softmax", "sigmoid", "tanh"}

    Raises
    ------
    InputError
        If a shape does not fit, an entry is not a finite number or the activation is unknown.

    Examples
    --------
    >>> readout = Readout([[1.0, -1.0], [0.0, 2.0]], [0.0, 0.5])
    >>> readout([[3.0, 1.0]])
    array([[2. , 2.5]])
    """

    W: Array
    b: Array
    activation: str = "identity"

    def __post_init__(self) -> None:
        W, b = read_array("W", self.W), read_array("b", self.b)
        whose = Message("error.readout.W", "for a readout of O outputs from H units")
        require_shape("W", W, ("O", "H"), whose, Message("error.readout.rows", "Stack one row for each output."))
        whose = Message("error.readout.b", "for a readout of {count} {count:output|outputs}", count=W.shape[0])
        require_shape("b", b, W.shape[:1], whose, Message("error.readout.numbers", "One number for each row of W."))
        one_of(Message("error.readout.activation", "readout activation"), self.activation, _CHOICES)
        object.__setattr__(self, "W", W)
        object.__setattr__(self, "b", b)

    def __call__(self, h: ArrayLike) -> Array:
        """Read out one state or many.

        Parameters
        ----------
        h : (..., H) array-like

        Returns
        -------
        y : (..., O) array

        Raises
        ------
        InputError
            If the last axis of `h` is not H long, or the sum overflows float64.
        """
        a = self.preacts(h)
        return softmax(a) if self.activation == "softmax" else ACTIVATIONS[self.activation](a)

    def preacts(self, h: ArrayLike) -> Array:
        """Return ``W h + b``, before the activation: (..., H) to (..., O); the logits, if that is a softmax.

        Raises
        ------
        InputError
            As when called.
        """
        states = read_array("h", h)
        units = self.W.shape[1]
        if states.ndim == 0 or states.shape[-1] != units:
            raise InputError(
                "readout.h",
                "h must be (..., {units}) for a readout from {units} {units:unit|units}; got {got}. Put the units on "
                "the last axis.",
                units=units, got=str(states.shape),
            )  # fmt: skip
        with np.errstate(over="ignore", invalid="ignore"):
            a = states @ self.W.T + self.b
        if not np.isfinite(a).all():
            raise InputError(
                "readout.overflow",
                "W h + b of the readout overflows float64 (about 1.8e308). Lower W, b or the states.",
            )
        return np.asarray(a)


def softmax(a: Array) -> Array:
    """``exp(a) / sum(exp(a))`` over the last axis; the largest entry is taken off first, so that none overflows."""
    with np.errstate(over="ignore"):  # a difference past float64 is -inf, whose exp is the right limit 0
        e = np.exp(a - a.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))
