"""Learning to say the bit of some steps ago, with a hidden state and without.

Both networks have the same weights to begin with, read the same bits and learn in the same way; W_hh of the one without
a state is 0 and stays so, which makes it an MLP that sees one step at a time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import make_cell
from rnnviz.maths.activations import sigmoid, tanh_slope
from rnnviz.maths.checks import Array, read_integer
from rnnviz.maths.initialisation import drawn_readout

UPDATES = 400
EVERY = 10
"""Updates from one test to the next."""
HIDDEN = 16
STEPS = 20
CHANCE = float(np.log(2.0))
"""The cross-entropy of a guess of 1/2, in nats: no model that does not see the bit has less on average."""

_BATCH, _TESTED = 32, 256
_LR, _BETAS, _EPSILON = 0.02, (0.9, 0.999), 1e-8
_WITHOUT, _WITH = 0, 1


@dataclass(frozen=True, eq=False)
class Echo:
    """What became of the two networks.

    Attributes
    ----------
    updates : (M,) array of int
        The updates after which they were tested.
    without, with_state : (M,) array
        The mean cross-entropy of each on sequences that it never learned from, in nats.
    bits : (T,) array
        One sequence of the test.
    said : (2, T) array
        The probability of a 1 that the network without a state and the one with it give at each step of it.
    """

    updates: NDArray[np.int64]
    without: Array
    with_state: Array
    bits: Array
    said: Array


def echo(delay: int, seed: int = 0) -> Echo:
    """Let an MLP and an Elman RNN learn to say the bit of `delay` steps ago.

    Fresh batches of 32 sequences, Adam (Kingma & Ba, 2015) at a learning rate of 0.02, backpropagation through all
    steps. The first `delay` steps have no target.

    Parameters
    ----------
    delay : int
        From 0, the bit of the same step, to `STEPS` - 1.
    seed : int
        Of the first weights and of the sequences.

    Raises
    ------
    InputError
        If the delay is out of range.
    """
    delay = read_integer("delay", delay, 0, STEPS - 1)
    fresh, held_back = np.random.RandomState([seed, 2]), np.random.RandomState([seed, 3])
    weights, test = _first_weights(seed), _drawn(held_back, _TESTED)
    moments = {name: (np.zeros_like(weight), np.zeros_like(weight)) for name, weight in weights.items()}
    tested = [_loss(weights, test, delay)]
    for update in range(1, UPDATES + 1):
        gradient = _gradient(weights, _drawn(fresh, _BATCH), delay)
        weights, moments = _adam(weights, gradient, moments, update)
        if update % EVERY == 0:
            tested.append(_loss(weights, test, delay))
    losses = np.array(tested)
    return Echo(
        np.arange(0, UPDATES + 1, EVERY, dtype=np.int64), losses[:, _WITHOUT], losses[:, _WITH], test[0],
        sigmoid(_run(weights, test[:1])[2][:, 0]),
    )  # fmt: skip


def _first_weights(seed: int) -> dict[str, Array]:
    """The weights of both networks, one after the other along the first axis."""
    cell = make_cell("elman", 1, HIDDEN, seed=seed)
    W, b = drawn_readout(1, HIDDEN, [seed, 1])
    drawn = {"W_ih": cell.W_ih, "W_hh": cell.W_hh, "b": cell.b_ih + cell.b_hh, "W_ho": W, "b_o": b}
    weights = {name: np.repeat(array[None], 2, axis=0) for name, array in drawn.items()}
    weights["W_hh"][_WITHOUT] = 0.0
    return weights


def _drawn(random: np.random.RandomState, count: int) -> Array:
    return random.randint(0, 2, (count, STEPS)).astype(np.float64)


def _run(weights: Mapping[str, Array], bits: Array) -> tuple[Array, Array, Array]:
    """Pre-activations and states of all steps, (2, B, T, H), and the outputs before the sigmoid, (2, B, T)."""
    W_ih, W_hh, bias = weights["W_ih"][:, None, :, 0], weights["W_hh"].transpose(0, 2, 1), weights["b"][:, None]
    shape = (2, *bits.shape, HIDDEN)
    preacts, states, h = np.empty(shape), np.empty(shape), np.zeros((2, len(bits), HIDDEN))
    for t in range(bits.shape[1]):
        preacts[:, :, t] = bits[:, t, None] * W_ih + h @ W_hh + bias
        states[:, :, t] = h = np.tanh(preacts[:, :, t])
    outputs = np.einsum("nbth,nh->nbt", states, weights["W_ho"][:, 0]) + weights["b_o"][:, None]
    return preacts, states, outputs


def _targets(bits: Array, delay: int) -> Array:
    return bits[:, : bits.shape[1] - delay]


def _loss(weights: Mapping[str, Array], bits: Array, delay: int) -> Array:
    """The mean cross-entropy of both networks, (2,)."""
    outputs, target = _run(weights, bits)[2][:, :, delay:], _targets(bits, delay)
    return np.asarray(np.logaddexp(0.0, np.where(target > 0, -outputs, outputs)).mean(axis=(1, 2)))


def _gradient(weights: Mapping[str, Array], bits: Array, delay: int) -> dict[str, Array]:
    """The gradient of that loss with respect to all weights, by backpropagation through time."""
    preacts, states, outputs = _run(weights, bits)
    target = _targets(bits, delay)
    d_a = np.zeros_like(outputs)
    d_a[:, :, delay:] = (sigmoid(outputs[:, :, delay:]) - target) / target.size
    gradient = {name: np.zeros_like(weight) for name, weight in weights.items()}
    gradient["W_ho"][:, 0] = np.einsum("nbt,nbth->nh", d_a, states)
    gradient["b_o"][:, 0] = d_a.sum(axis=(1, 2))
    arrived = np.zeros_like(states[:, :, 0])
    for t in range(bits.shape[1] - 1, -1, -1):
        delta = tanh_slope(preacts[:, :, t]) * (d_a[:, :, t, None] * weights["W_ho"] + arrived)
        gradient["W_ih"][:, :, 0] += np.einsum("nbh,b->nh", delta, bits[:, t])
        gradient["b"] += delta.sum(axis=1)
        if t:
            gradient["W_hh"] += delta.transpose(0, 2, 1) @ states[:, :, t - 1]
        arrived = delta @ weights["W_hh"]
    gradient["W_hh"][_WITHOUT] = 0.0
    return gradient


def _adam(
    weights: Mapping[str, Array], gradient: Mapping[str, Array], moments: Mapping[str, tuple[Array, Array]], update: int
) -> tuple[dict[str, Array], dict[str, tuple[Array, Array]]]:
    first, second = _BETAS
    new, kept = dict[str, Array](), dict[str, tuple[Array, Array]]()
    for name, weight in weights.items():
        mean = first * moments[name][0] + (1.0 - first) * gradient[name]
        square = second * moments[name][1] + (1.0 - second) * gradient[name] ** 2
        step = (mean / (1.0 - first**update)) / (np.sqrt(square / (1.0 - second**update)) + _EPSILON)
        new[name], kept[name] = weight - _LR * step, (mean, square)
    return new, kept
