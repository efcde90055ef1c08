"""Refusals: each says what was given, what is needed and how to mend it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rnnviz.maths.trace import Trace

__all__ = ["InputError", "StateOverflowError"]


class InputError(ValueError):
    """Something given to rnnviz cannot be used; the message says what is needed instead and how to mend it."""


class StateOverflowError(InputError):
    """A number of the forward pass grew past float64 (about 1.8e308).

    Attributes
    ----------
    step : int
        The first step (1..T) with a number that is not finite.
    trace : Trace
        The run up to the last finite step: ``step - 1`` steps, which may be none.
    """

    def __init__(self, message: str, step: int, trace: Trace) -> None:
        super().__init__(message)
        self.step = step
        self.trace = trace
