"""What a network is to learn: a target for every step, a loss, and its gradient at the hidden states."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import InputError, Loss, Readout, Trace
from rnnviz.maths.learning_rules.loss_pass import LossPass, take_loss_back
from rnnviz.network.run import SequenceRun
from rnnviz.settings import ObjectiveSettings

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Objective:
    """One sequence with what is to be learned from it, seen from the top layer.

    Attributes
    ----------
    trace : Trace
        Of the top layer.
    at : {"every", "last"}
        Whether every step that has a target has a loss, or the last of them alone.
    delay : int
        How many steps before the target is the input; -1 is the next input, which the last step lacks.
    path : LossPass
        The target, the loss and its gradient, with every number between.
    """

    trace: Trace
    at: str
    delay: int
    path: LossPass

    @property
    def readouts(self) -> tuple[Readout, ...]:
        """What stands between the hidden states and the outputs, in order; none where h itself is compared."""
        return tuple(one.readout for one in self.path.readouts)

    @property
    def target(self) -> Array:
        """What the outputs are compared with, (T, O)."""
        return self.path.target

    @property
    def kind(self) -> str:
        """The loss: "squared" or "cross_entropy"."""
        return self.path.kind

    @property
    def loss(self) -> Loss:
        """Its value, by step, and its gradient at the outputs or the logits."""
        return self.path.loss

    @property
    def d_h(self) -> Array:
        """The direct gradient of the loss with respect to each hidden state, (T, H), as `rnnviz.bptt` takes it."""
        return self.path.d_h

    def loss_of(self, h: Array) -> tuple[Loss, Array]:
        """The loss of other hidden states (T, H) and its direct gradient with respect to them, (T, H).

        Raises
        ------
        InputError
            If one of them overflows float64.
        """
        path = take_loss_back(h, self.readouts, self.target, self.kind, self.path.has_loss)
        return path.loss, path.d_h


def objective_of(ran: SequenceRun, asked: ObjectiveSettings) -> Objective:
    """The objective of a run over one sequence.

    Parameters
    ----------
    ran : SequenceRun
    asked : ObjectiveSettings

    Raises
    ------
    InputError
        If the loss does not fit the outputs, no step has a target or a number overflows float64.
    """
    network, layers = ran.network, ran.layers
    x, trace = layers[0].trace.x, layers[-1].trace
    readouts = (*network.passes[-1:], *((network.readout,) if network.readout else ()))
    size = len(readouts[-1].b) if readouts else trace.cell.hidden_size
    kind, at, delay = asked.loss, asked.loss_at, asked.delay
    if kind == "cross_entropy" and size < 2:
        raise InputError(
            "objective.classes",
            "Cross-entropy needs at least 2 outputs, one for each class, and there {size:is|are} {size}. Raise the "
            "number of outputs, or choose the squared error.",
            size=size,
        )
    if kind == "cross_entropy" and x.shape[1] < 2:
        raise InputError(
            "objective.inputs",
            "Cross-entropy needs an input size of at least 2, because the class is the largest component of an input. "
            "Here the input size is {size}. Raise it, or choose the squared error.",
            size=x.shape[1],
        )
    has_loss = np.ones(len(x), dtype=bool)
    if delay < 0:
        if len(x) == 1:
            raise InputError(
                "objective.next",
                "The next input as target needs at least 2 steps, and there is 1. Add steps, or choose another target.",
            )
        has_loss[-1] = False
    if at == "last":
        has_loss[: int(np.flatnonzero(has_loss)[-1])] = False
    target = _target(x, delay, size)
    if kind == "cross_entropy":
        target = np.eye(size)[target.argmax(axis=1)]
        target[len(x) + min(delay, 0) :] = 0.0  # no class where there is no target
    return Objective(trace, at, delay, take_loss_back(trace.h[1:], readouts, target, kind, has_loss))


def _target(x: Array, delay: int, size: int) -> Array:
    """The input of `delay` steps before, zeros where there is none; its components in turn where outputs are more."""
    late = np.zeros_like(x)
    if delay < 0:
        late[:delay] = x[-delay:]
    else:
        late[delay:] = x[: max(0, len(x) - delay)]
    return late[:, np.arange(size) % x.shape[1]]
