"""The backward sweep: how the error at each state is handed back to the state before.

The error at a state is the gradient of the loss with respect to it, ``[dL/dh, dL/dc]`` for an LSTM. A step hands it
back as ``J_t^T error``. No Jacobian is formed for that: the factors of the step turn the error into deltas, one for
each row of W_hh, and one product with W_hh turns these into the error before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rnnviz.maths.cells import Cell, GRUCell
from rnnviz.maths.checks import Array
from rnnviz.maths.factors import FLOATS, step_factors
from rnnviz.maths.trace import Trace

__all__ = ["StepsBack", "Swept", "steps_back", "sweep"]


class StepsBack:
    """The steps of a run, ready to be taken back, any number of them side by side; these are those of an Elman cell.

    In all methods `error` is (n, S) and belongs to the states that the n `steps` have made.

    Attributes
    ----------
    factors : mapping of name to (T, H) array
        See `step_factors`.
    """

    def __init__(self, trace: Trace) -> None:
        self.cell = trace.cell
        self.factors: dict[str, Array] = step_factors(trace, slice(None), FLOATS)
        self._slopes = np.concatenate([self._slope(name) for name in self.cell.gate_names], axis=1)

    def _slope(self, name: str) -> Array:
        """Return what turns an error into the delta of one gate, (T, H)."""
        return self.factors[name]

    def complete(self, error: Array, steps: slice) -> None:
        """Add, in place, what the parts of an error hand to each other: h_t of an LSTM to c_t."""

    def deltas(self, error: Array, steps: slice) -> Array:
        """Return the gradient with respect to each row of ``W_hh h_{t-1} + b_hh``, (n, G*H)."""
        deltas: Array = error * self._slopes[steps]
        return deltas

    def before(self, error: Array, steps: slice) -> Array:
        """Return the error at the states before, (n, S), not yet complete."""
        return np.asarray(np.dot(self.deltas(error, steps), self.cell.W_hh))

    def paths(self, error: Array, steps: slice) -> dict[str, Array]:
        """Return `before` apart: what comes through each gate's rows of W_hh, and past them as "keep", (n, H) each."""
        deltas, W = self.deltas(error, steps), self.cell.W_hh
        rows = {name: self.cell.rows(name) for name in self.cell.gate_names}
        return {name: np.dot(deltas[:, own], W[own]) for name, own in rows.items()}


class _LSTMStepsBack(StepsBack):
    def complete(self, error: Array, steps: slice) -> None:
        H = self.cell.hidden_size
        error[:, H:] += error[:, :H] * self.factors["through"][steps]

    def deltas(self, error: Array, steps: slice) -> Array:
        H = self.cell.hidden_size
        dh, dc = error[:, :H], error[:, H:]
        deltas = np.concatenate([dc, dc, dc, dh], axis=1)
        deltas *= self._slopes[steps]
        return deltas

    def before(self, error: Array, steps: slice) -> Array:
        return np.concatenate([super().before(error, steps), self._kept(error, steps)], axis=1)

    def paths(self, error: Array, steps: slice) -> dict[str, Array]:
        return super().paths(error, steps) | {"keep": self._kept(error, steps)}

    def _kept(self, error: Array, steps: slice) -> Array:
        return error[:, self.cell.hidden_size :] * self.factors["keep"][steps]


class _GRUStepsBack(StepsBack):
    def _slope(self, name: str) -> Array:
        after = name == "n" and not _resets_before(self.cell)
        return self.factors["n"] * self.factors["reset"] if after else self.factors[name]

    def deltas(self, error: Array, steps: slice) -> Array:
        deltas = np.concatenate([error, error, error], axis=1)
        deltas *= self._slopes[steps]
        if _resets_before(self.cell):  # r is reached only through W_hn, which reads r_t * h_{t-1}
            r, n = self.cell.rows("r"), self.cell.rows("n")
            np.multiply(np.dot(deltas[:, n], self.cell.W_hh[n]), self.factors["r"][steps], out=deltas[:, r])
        return deltas

    def before(self, error: Array, steps: slice) -> Array:
        return np.asarray(sum(self.paths(error, steps).values()))

    def paths(self, error: Array, steps: slice) -> dict[str, Array]:
        paths = super().paths(error, steps) | {"keep": error * self.factors["keep"][steps]}
        if _resets_before(self.cell):
            paths["n"] *= self.factors["reset"][steps]
        return paths


def _resets_before(cell: Cell) -> bool:
    return isinstance(cell, GRUCell) and cell.reset == "before"


_STEPS_BACK: Mapping[str, type[StepsBack]] = {"elman": StepsBack, "lstm": _LSTMStepsBack, "gru": _GRUStepsBack}


def steps_back(trace: Trace) -> StepsBack:
    """Return the steps of a run, ready to be taken back. What overflows in them is for the caller to look for."""
    with np.errstate(over="ignore", invalid="ignore"):
        return _STEPS_BACK[trace.cell.kind](trace)


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
