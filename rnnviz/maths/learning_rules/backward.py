"""The backward sweep: how the error at each state is handed back to the state before.

The error at a state is the gradient of the loss with respect to it, ``[dL/dh, dL/dc]`` for an LSTM. A step hands it
back as ``J_t^T error``. No Jacobian is formed for that: the factors of the step turn the error into deltas, one for
each row of W_hh, and one product with W_hh turns these into the error before.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rnnviz.maths.cells.steps_back import StepsBack
from rnnviz.maths.checks import Array

__all__ = ["Swept", "sweep"]


class Swept(NamedTuple):
    """What a sweep leaves behind.

    Attributes
    ----------
    from_future : (T+1, S) array
        Row k is what arrives at state k from the step after it, not yet complete.
    passed_on : (T, S) array
        Row t - 1 is the part of the error at state t that goes on through step t to the state before.
    """

    from_future: Array
    passed_on: Array


def sweep(steps: StepsBack, d_h: Array, most: int, scheme: str) -> Swept:
    """Hand the errors ``d_h`` (T, H) back, each through at most `most` steps; `bptt` explains the schemes."""
    error = np.zeros((len(d_h), steps.cell.state_size))
    error[:, : d_h.shape[1]] = d_h
    # Where no step is left out the two agree, and the sweep in chunks takes T steps back, not T^2 / 2.
    chosen = _sliding if scheme == "sliding" and most < len(d_h) else _chunks
    with np.errstate(over="ignore", invalid="ignore"):
        return chosen(steps, error, most)


def _chunks(steps: StepsBack, error: Array, size: int) -> Swept:
    """From the last step of each chunk to its first, all chunks side by side."""
    T, S = error.shape
    from_future, arriving = np.zeros((T + 1, S)), np.zeros((-(-T // size), S))
    for place in range(size - 1, -1, -1):
        at = slice(place, T, size)
        here = error[at]
        n = len(here)  # a last chunk that is shorter joins at its own last step
        from_future[1:][at] = arriving[:n]
        here += arriving[:n]
        steps.complete(here, at)
        arriving[:n] = steps.before(here, at)
    from_future[0] = arriving[0]
    error[size::size] = 0.0  # at the first step of every further chunk nothing goes on
    return Swept(from_future, error)


def _sliding(steps: StepsBack, error: Array, most: int) -> Swept:
    """The loss of every step goes back on its own, all side by side, and leaves its part at each state on the way."""
    T, S = error.shape
    from_future, passed_on = np.zeros((T + 1, S)), np.zeros((T, S))
    for gone in range(1, most + 1):
        at = slice(0, len(error))
        steps.complete(error, at)
        passed_on[0] += error[0]
        before = steps.before(error, at)
        from_future[0] += before[0]
        if gone < most:
            passed_on[1 : len(error)] += error[1:]
            error = before[1:]
            from_future[1 : 1 + len(error)] += error
    return Swept(from_future, passed_on)
