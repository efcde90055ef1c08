"""Learning to recall the first input on fresh data, with clipping and without.

Every update has sequences that were never seen before, and so has the test: a network that has learned the one sequence
on the screen by heart would gain nothing here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import ElmanCell, InputError, Readout
from rnnviz.maths.activations import tanh_slope
from rnnviz.maths.checks import read_integer, read_number
from rnnviz.maths.extended_range.lengths import lengths

Array = NDArray[np.float64]

UPDATES = 200
EVERY = 10
"""Updates from one test to the next."""
LAST = 5
"""The last loss of a run is the median of so many last tests; its rate is chosen by the last batches instead."""
RATES: Array = 10.0 ** (np.arange(-4, 3) / 2)
"""Learning rates from 0.01 to 10, two to a decade."""

_BATCH, _TESTED, _CHOSEN_BY = 16, 256, 50
_FREE, _LEAST = float(np.finfo(np.float64).max), float(np.finfo(np.float64).tiny)
_WEIGHTS = ("W_ih", "W_hh", "b_ih", "b_hh", "W_ho", "b_o")


@dataclass(frozen=True, eq=False)
class Recalled:
    """What became of one network that was to recall its first input.

    Attributes
    ----------
    rate : float
        The learning rate with the lowest median loss over the last batches, each before it was learned from.
    tests : (n,) array
        The mean squared error on the test sequences after 0, `EVERY`, 2 `EVERY`, ... updates.
    variance : float
        Of the target over the test sequences: the loss of the best constant answer.
    reach : pair of float
        The largest absolute derivative of the output with respect to the first input over the test sequences, before
        learning and after.
    clipped : int
        The number of updates that were clipped.
    swept : (R,) array
        The last loss at each learning rate; inf where it has overflowed.
    """

    rate: float
    tests: Array
    variance: float
    reach: tuple[float, float]
    clipped: int
    swept: Array

    @property
    def last(self) -> float:
        """The last loss."""
        return float(np.median(self.tests[-LAST:]))


def recall(cell: ElmanCell, readout: Readout, steps: int, max_norm: float, seed: int = 0) -> tuple[Recalled, Recalled]:
    """Let a network learn to put out at the last step what came in at the first.

    All its weights and those of the readout learn by plain gradient descent from the mean squared error of 16 fresh
    sequences an update, once without clipping and once with a norm of at most `max_norm`, at several learning rates,
    all from the same data.

    Parameters
    ----------
    cell : ElmanCell
        With tanh and one input.
    readout : Readout
        With one output, the identity.
    steps : int
        T, at least 1.
    max_norm : float
        Above 0.
    seed : int
        Of the sequences, which are even in -1..1.

    Returns
    -------
    free, clipped : Recalled
        Each at its best learning rate.

    Raises
    ------
    InputError
        If the network is another one, or a number is out of range.
    """
    weights, limits = _weights(cell, readout), _limits(max_norm)
    T, rates = read_integer("steps", steps, 1), np.tile(RATES, 2)
    test = np.random.RandomState(seed + 1).uniform(-1.0, 1.0, (_TESTED, T))
    fresh = np.random.RandomState(seed)
    tests, batches, clips = [], [], np.zeros(len(rates), dtype=np.int64)
    before = _reach(weights, test)[0]
    with np.errstate(over="ignore", invalid="ignore"):  # what overflows is the worst of the rates
        for update in range(UPDATES + 1):
            if update % EVERY == 0:
                tests.append(_loss(weights, test))
            if update == UPDATES:
                break
            loss, gradient = _gradient(weights, fresh.uniform(-1.0, 1.0, (_BATCH, T)))
            batches.append(loss)
            norms = lengths(np.concatenate([part.reshape(len(rates), -1) for part in gradient.values()], axis=1))
            step = rates * (limits / np.maximum(norms, limits))
            clips += norms > limits
            weights = {
                name: weight - step.reshape(-1, *(1,) * (weight.ndim - 1)) * gradient[name]
                for name, weight in weights.items()
            }
        after = _reach(weights, test)
    found, variance = _finite(np.array(tests)), float(test[:, 0].var())
    chosen_by = np.median(_finite(np.array(batches))[-_CHOSEN_BY:], axis=0)
    swept = np.median(found[-LAST:], axis=0)
    ways = []
    for first in (0, len(RATES)):
        best = first + int(np.argmin(chosen_by[first : first + len(RATES)]))
        reach = float(before), float(after[best])
        of_rates = swept[first : first + len(RATES)]
        ways.append(Recalled(float(rates[best]), found[:, best], variance, reach, int(clips[best]), of_rates))
    return ways[0], ways[1]


def _weights(cell: ElmanCell, readout: Readout) -> dict[str, Array]:
    """All weights, as many times as there are learning rates, with clipping and without."""
    fits = cell.input_size == 1 and cell.activation == "tanh" and len(readout.b) == 1
    if not fits or readout.activation != "identity":
        raise InputError(
            "recall", "recall needs a tanh cell with one input and a readout with one output, the identity."
        )
    alone = {name: getattr(cell, name) for name in _WEIGHTS[:4]} | {"W_ho": readout.W, "b_o": readout.b}
    return {name: np.repeat(array[None], 2 * len(RATES), axis=0) for name, array in alone.items()}


def _limits(max_norm: float) -> Array:
    return np.repeat([_FREE, read_number("max_norm", max_norm, _LEAST)], len(RATES))


def _states(weights: Mapping[str, Array], x: Array) -> tuple[list[Array], list[Array]]:
    """The pre-activations of the steps 1..T and the hidden states of 0..T, each (R, B, H)."""
    W_ih, W_hh = weights["W_ih"].transpose(0, 2, 1), weights["W_hh"].transpose(0, 2, 1)
    bias = (weights["b_ih"] + weights["b_hh"])[:, None]
    states: list[Array] = [np.zeros((len(bias), len(x), bias.shape[2]))]
    preacts: list[Array] = []
    for column in x.T:
        preacts.append(column[:, None] * W_ih + states[-1] @ W_hh + bias)
        states.append(np.tanh(preacts[-1]))
    return preacts, states


def _off(weights: Mapping[str, Array], h: Array, x: Array) -> Array:
    """The error of the output, (R, B)."""
    y = h @ weights["W_ho"].transpose(0, 2, 1) + weights["b_o"][:, None]
    return np.asarray(y[:, :, 0] - x[:, 0])


def _loss(weights: Mapping[str, Array], x: Array) -> Array:
    return np.asarray((_off(weights, _states(weights, x)[1][-1], x) ** 2).mean(axis=1))


def _gradient(weights: Mapping[str, Array], x: Array) -> tuple[Array, dict[str, Array]]:
    """The mean squared error (R,) and its gradient with respect to all weights, by backpropagation through time."""
    preacts, states = _states(weights, x)
    off = _off(weights, states[-1], x)
    d_y = (2.0 / len(x)) * off[:, :, None]
    gradient = {name: np.zeros_like(weight) for name, weight in weights.items()}
    gradient["W_ho"], gradient["b_o"] = d_y.transpose(0, 2, 1) @ states[-1], d_y.sum(axis=1)

    def use(t: int, delta: Array) -> None:
        gradient["W_hh"] += delta.transpose(0, 2, 1) @ states[t - 1]
        gradient["W_ih"] += np.einsum("rbh,b->rh", delta, x[:, t - 1])[:, :, None]
        gradient["b_ih"] += delta.sum(axis=1)

    _back(weights, preacts, d_y @ weights["W_ho"], use)
    gradient["b_hh"] = gradient["b_ih"]
    return np.asarray((off**2).mean(axis=1)), gradient


def _back(weights: Mapping[str, Array], preacts: list[Array], d_h: Array, use: Callable[[int, Array], None]) -> Array:
    """Backpropagate through all steps; `use` gets the gradient at each pre-activation. Returns that at step 1."""
    for t in range(len(preacts), 0, -1):
        delta = tanh_slope(preacts[t - 1]) * d_h
        use(t, delta)
        d_h = delta @ weights["W_hh"]
    return np.asarray(delta)


def _reach(weights: Mapping[str, Array], x: Array) -> Array:
    """The largest absolute derivative of the output with respect to the first input, (R,)."""
    preacts, states = _states(weights, x)
    d_h = np.broadcast_to(weights["W_ho"], states[-1].shape)
    delta = _back(weights, preacts, d_h, lambda t, delta: None)
    return np.asarray(np.abs(delta @ weights["W_ih"]).max(axis=(1, 2)))


def _finite(losses: Array) -> Array:
    """The losses, with inf for what is no number."""
    return np.where(np.isfinite(losses), losses, np.inf)
