"""Plain gradient descent through time, with and without clipping, until numbers leave float64."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Cell, InputError, Loss, Trace, bptt, clip_by_global_norm, run
from rnnviz.maths.checks import read_integer, read_number

Array = NDArray[np.float64]

LossOf = Callable[[Array], tuple[Loss, Array]]
"""Takes the hidden states (T, H); returns their loss and its direct gradient with respect to each, (T, H)."""

_NEVER = float(np.finfo(np.float64).max)


@dataclass(frozen=True, eq=False)
class Descent:
    """What a number of updates made of a loss.

    Attributes
    ----------
    losses : (n+1,) array
        The loss after 0, 1, ... updates, as long as it is a finite number.
    norms : (n,) or (n+1,) array
        The norm of the whole gradient that each update went along, before it was clipped.
    left : int or None
        After how many updates the loss was no longer a finite number, where a framework would print inf or nan; None
        if it always was.
    cell : ElmanCell, LSTMCell or GRUCell
        With the last weights of which all was finite.
    """

    losses: Array
    norms: Array
    left: int | None
    cell: Cell


def descend(trace: Trace, loss_of: LossOf, *, lr: float, updates: int, max_norm: float | None = None) -> Descent:
    """Let a cell learn one sequence by gradient descent.

    Each update runs the cell anew and moves all four weights against the whole gradient of `rnnviz.bptt`, as
    ``torch.optim.SGD`` without momentum does::

        theta <- theta - lr * g * min(1, max_norm / |g|)

    Parameters
    ----------
    trace : Trace
        The run to begin with: its cell, its input, its initial state and the gates that it holds.
    loss_of : callable
        Such as `rnnviz.presets.Lesson.loss_of`.
    lr : float
        The learning rate, at least 0.
    updates : int
        How many, at least 0.
    max_norm : float, optional
        As for `rnnviz.clip_by_global_norm`; nothing is clipped if left out.

    Returns
    -------
    Descent

    Raises
    ------
    InputError
        If lr, updates or max_norm is out of range, or the loss of the run to begin with is refused.
    """
    lr, updates = read_number("lr", lr, 0.0), read_integer("updates", updates, 0)
    limit = _NEVER if max_norm is None else read_number("max_norm", max_norm, 0.0)
    losses, norms, cell = [loss_of(trace.h[1:])[0].value], [], trace.cell
    start = {"h0": trace.h[0], "c0": None if trace.c is None else trace.c[0], "clamp": trace.clamp}
    for _ in range(updates):
        try:
            found = bptt(trace, loss_of(trace.h[1:])[1])
            step, norm = clip_by_global_norm(found.weights, limit)
            norms.append(norm)
            moved = _moved(cell, step, lr)
            trace = run(moved, trace.x, **start)
            losses.append(loss_of(trace.h[1:])[0].value)
        except InputError:  # of what was taken at first, only numbers beyond float64 are refused
            return Descent(np.array(losses), np.array(norms), len(losses), cell)
        cell = moved
    return Descent(np.array(losses), np.array(norms), None, cell)


def _moved(cell: Cell, step: Mapping[str, Array], lr: float) -> Cell:
    with np.errstate(over="ignore", invalid="ignore"):  # refused by the cell
        return replace(cell, **{name: getattr(cell, name) - lr * array for name, array in step.items()})
