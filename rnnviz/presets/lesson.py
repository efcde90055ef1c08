"""What a network is to learn: a target for every step, a loss, and the error that it sends to the hidden states."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import InputError, Loss, Readout, Trace, cross_entropy, readout_gradients, squared_error
from rnnviz.presets.walk import Walk
from rnnviz.settings import Value

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Lesson:
    """One sequence with what is to be learned from it, seen from the top layer.

    Attributes
    ----------
    trace : Trace
        Of the top layer.
    readouts : tuple of Readout
        What stands between its hidden states and the outputs, in order; none where the loss is taken of h itself.
    target : (T, O) array
        What the outputs are compared with: the input of some steps before. For the cross-entropy its rows have a
        single 1, at the class.
    kind, at : str
        "squared" or "cross_entropy"; "every" or "last".
    loss : Loss
    d_h : (T, H) array
        The direct gradient of the loss with respect to each hidden state, as `rnnviz.bptt` takes it.
    """

    trace: Trace
    readouts: tuple[Readout, ...]
    target: Array
    kind: str
    at: str
    loss: Loss
    d_h: Array

    def loss_of(self, h: Array) -> tuple[Loss, Array]:
        """The loss of other hidden states (T, H) and its direct gradient with respect to them, (T, H).

        Raises
        ------
        InputError
            If one of them leaves float64.
        """
        return _loss(h, self.readouts, self.target, self.kind, self.at)


def lesson_of(walk: Walk, sequence: int, values: Mapping[str, Value]) -> Lesson:
    """The lesson of one sequence of a walk, numbered from 1.

    Parameters
    ----------
    walk : Walk
    sequence : int
    values : mapping of setting to value
        Of which it takes ``loss``, ``loss_at`` and ``delay``.

    Raises
    ------
    InputError
        If the loss does not fit the outputs or leaves float64.
    """
    network, layers = walk.network, walk.batch[sequence - 1]
    trace = layers[-1].trace
    readouts = (*network.passes[-1:], *((network.readout,) if network.readout else ()))
    size = len(readouts[-1].b) if readouts else trace.cell.hidden_size
    kind, at = str(values["loss"]), str(values["loss_at"])
    if kind == "cross_entropy" and size < 2:
        raise InputError(
            f"The cross-entropy compares classes, and there is {size} output. Choose at least 2 outputs, or the "
            "squared error."
        )
    inputs = layers[0].trace.x.shape[1]
    if kind == "cross_entropy" and inputs < 2:
        raise InputError(
            f"The class to be told is the largest component of an input, and an input has {inputs}. Choose an input "
            "size of at least 2, or the squared error."
        )
    target = _target(layers[0].trace.x, int(str(values["delay"])), size)
    if kind == "cross_entropy":
        target = np.eye(size)[target.argmax(axis=1)]
    loss, d_h = _loss(trace.h[1:], readouts, target, kind, at)
    return Lesson(trace, readouts, target, kind, at, loss, d_h)


def _target(x: Array, delay: int, size: int) -> Array:
    """The input of `delay` steps before, zeros before the first; its components in turn where outputs are more."""
    late = np.zeros_like(x)
    late[delay:] = x[: max(0, len(x) - delay)]
    return late[:, np.arange(size) % x.shape[1]]


def _loss(h: Array, readouts: tuple[Readout, ...], target: Array, kind: str, at: str) -> tuple[Loss, Array]:
    states = [h]
    for readout in readouts[:-1]:
        states.append(readout(states[-1]))
    head = readouts[-1] if readouts else None
    wanted = target if at == "every" else target[-1]
    if kind == "squared":
        loss = squared_error(head(states[-1]) if head else h, wanted, at=at)
    else:
        loss = cross_entropy(head.preacts(states[-1]) if head else h, wanted, at=at)
    d_h, of = loss.d_y, "outputs" if kind == "squared" else "preacts"
    for readout, state in zip(reversed(readouts), reversed(states), strict=False):
        d_h, of = readout_gradients(readout, state, d_h, of=of).h, "outputs"
    return loss, d_h
