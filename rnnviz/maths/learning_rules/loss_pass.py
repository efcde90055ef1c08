"""The first part of a backward pass: from the loss through the readout to the hidden states, every number kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.checks import Array, Sealed
from rnnviz.maths.errors import InputError
from rnnviz.maths.learning_rules.losses import Loss, before_activation, cross_entropy, readout_gradients, squared_error
from rnnviz.maths.readout import Readout, softmax

__all__ = ["LossPass", "ReadoutPass", "take_loss_back"]


@dataclass(frozen=True, eq=False)
class ReadoutPass(Sealed):
    """A readout ``y = g(W h + b)`` in the backward pass. All arrays are read-only; row t - 1 is step t.

    Attributes
    ----------
    readout : Readout
    read : (T, N) array
        The states that it reads.
    d_y, d_a : (T, O) arrays
        The gradient with respect to ``y_t`` and to ``a_t = W h_t + b``. Where the loss is one of the logits, as the
        cross-entropy is, both are the second.
    W, b : (O, N) and (O,) arrays
        The gradients of its weights: ``sum_t d_a[t] h_t^T`` and ``sum_t d_a[t]``.
    """

    readout: Readout
    read: Array
    d_y: Array
    d_a: Array
    W: Array
    b: Array

    def __post_init__(self) -> None:
        for array in (self.d_y, self.d_a, self.W, self.b):
            array.setflags(write=False)

    def along(self, direction: Array) -> Array:
        """Return the part of each step's contribution along a direction, of the shape of W or of b: (T,)."""
        by_row = self.d_a @ direction
        return np.asarray(by_row if direction.ndim == 1 else (by_row * self.read).sum(axis=1))


@dataclass(frozen=True, eq=False)
class LossPass(Sealed):
    """How a loss reaches the hidden states: every number from the outputs to ``dL_t/dh_t``. All arrays are read-only.

    Attributes
    ----------
    kind : {"squared", "cross_entropy"}
    y : (T, O) array
        What is compared with the target: the outputs, for the cross-entropy the probabilities ``softmax(a_t)``.
    target : (T, O) array
        Zeros where a step has none; for the cross-entropy its rows have a single 1, at the class.
    error : (T, O) array
        ``y - target``, to the last digit where they are almost equal.
    has_loss : (T,) array of bool
    loss : Loss
    readouts : tuple of ReadoutPass
        In the order of the forward pass; none where the loss is taken of h itself.
    d_h : (T, H) array
        ``dL_t/dh_t``, the `d_h` of `bptt`.
    """

    kind: str
    y: Array
    target: Array
    error: Array
    has_loss: NDArray[np.bool_]
    loss: Loss
    readouts: tuple[ReadoutPass, ...]
    d_h: Array

    def __post_init__(self) -> None:
        for array in (self.target, self.error, self.has_loss, self.d_h):
            array.setflags(write=False)

    @property
    def factor(self) -> Array:
        """What turns the error into the loss's gradient, (T,): 2 or 1 where a step has a loss, else 0."""
        return np.where(self.has_loss, 2.0 if self.kind == "squared" else 1.0, 0.0)

    @property
    def last(self) -> int:
        """The last step that has a loss, counted from 1."""
        return int(np.flatnonzero(self.has_loss)[-1]) + 1


def take_loss_back(
    h: Array, readouts: Sequence[Readout], target: Array, kind: str, has_loss: NDArray[np.bool_]
) -> LossPass:
    """Return the gradient of a loss with respect to every hidden state, with all that it is made of::

        squared:        L = sum_t |y_t - target_t|^2              dL/dy_t = 2 (y_t - target_t)
        cross_entropy:  L = -sum_t log softmax(a_t)[class_t]      dL/da_t = softmax(a_t) - onehot(class_t)
        dL/da_t = g'(a_t) * dL/dy_t                               dL_t/dh_t = W^T dL/da_t

    The sums run over the steps that have a loss.

    Parameters
    ----------
    h : (T, H) array
    readouts : sequence of Readout
        What stands between h and the outputs, in order; none where h itself is compared.
    target : (T, O) array
    kind : {"squared", "cross_entropy"}
    has_loss : (T,) array of bool

    Raises
    ------
    InputError
        If no step has a loss, a shape does not fit or a number overflows float64.
    """
    steps = np.flatnonzero(has_loss)
    if not len(steps):
        raise InputError(
            "loss.none", "No step has a target, so there is no loss. Choose another target, or at least 2 steps."
        )
    read = [h]
    for readout in readouts[:-1]:
        read.append(readout(read[-1]))
    head = readouts[-1] if readouts else None
    y, of = (head(read[-1]) if head else h), "outputs"
    if kind == "squared":
        here = squared_error(y[steps], target[steps])
        with np.errstate(over="ignore"):
            error = np.nan_to_num(y - target)  # beyond float64 only at steps without a loss
    else:
        logits, of = (head.preacts(read[-1]) if head else h), "preacts"
        here, y = cross_entropy(logits[steps], target[steps]), softmax(logits)
        error = y - target
        error[steps] = here.d_y  # the difference itself would be 0 where a probability rounds to 1
    by_step, d = np.zeros(len(h)), np.zeros_like(target)
    by_step[steps], d[steps] = here.by_step, here.d_y
    loss, passes = Loss(here.value, by_step, d), []
    for readout, states in zip(reversed(readouts), reversed(read), strict=False):
        found = readout_gradients(readout, states, d, of=of)
        d_a = before_activation(readout, readout.preacts(states), d) if of == "outputs" else d
        passes.append(ReadoutPass(readout, states, d, d_a, found.W, found.b))
        d, of = found.h, "outputs"
    return LossPass(kind, y, target, error, has_loss, loss, tuple(reversed(passes)), d)
