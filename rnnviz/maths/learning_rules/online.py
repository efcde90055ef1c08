"""RTRL as it was meant: the weights change at every step, while the sequence is still running."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from rnnviz.maths.cells import Cell
from rnnviz.maths.checks import Array, Sealed, read_array, read_number, require_shape
from rnnviz.maths.errors import InputError
from rnnviz.maths.extended_range.lengths import lengths
from rnnviz.maths.forward import run
from rnnviz.maths.learning_rules.bptt import bptt
from rnnviz.maths.learning_rules.gradients import WEIGHTS
from rnnviz.maths.learning_rules.influence import influences, part_of, read_off, require_finite, require_small
from rnnviz.maths.trace import Trace
from rnnviz.wording import Message

__all__ = ["OnlineRun", "rtrl_online"]

LossGradient = Callable[[int, Array], ArrayLike]
"""Takes the step, 1..T, and h_t (H,); returns dL_t/dh_t (H,)."""


@dataclass(frozen=True, eq=False)
class OnlineRun(Sealed):
    """What learning at every step leaves behind. All arrays are read-only.

    Attributes
    ----------
    cell : ElmanCell, LSTMCell or GRUCell
        With the weights after the last step.
    h : (T+1, H) array
        The hidden states as they came out, each by the weights of its time.
    norms : (T,) array
        The norm of the gradient that step t learned from, all weights together.
    true_norms : (T,) array
        The norm of the gradient of the same loss at the same weights, had these been in force from step 1.
    drift : (T,) array
        The norm of the difference of the two; 0 to rounding as long as no weight has changed.
    """

    cell: Cell
    h: Array
    norms: Array
    true_norms: Array
    drift: Array

    def __post_init__(self) -> None:
        for array in (self.h, self.norms, self.true_norms, self.drift):
            array.setflags(write=False)


def rtrl_online(
    cell: Cell,
    x: ArrayLike,
    d_loss: LossGradient,
    *,
    lr: float,
    h0: ArrayLike | None = None,
    c0: ArrayLike | None = None,
) -> OnlineRun:
    """Run a cell over a sequence and let it learn at every step by real-time recurrent learning.

    Each step reads the gradient of its own loss off the influence and moves the weights against it at once::

        theta_t = theta_{t-1} - lr * dL_t/dh_t^T dh_t/dtheta

    The influence and the state were made by weights that have changed since, so what is followed is not quite a
    gradient. Williams & Zipser (1989) ask for a small lr for that. `OnlineRun.drift` says how far off it is, found by
    `bptt` over the steps so far with the weights of each step: T sweeps, so the time grows with T^2.

    Parameters
    ----------
    cell : ElmanCell, LSTMCell or GRUCell
        Of at most 64 units.
    x : (T, D) array-like
    d_loss : callable
        ``d_loss(t, h)`` is the gradient of the loss of step t, 1..T, with respect to ``h = h_t``, both (H,).
    lr : float
        The learning rate, at least 0.
    h0, c0 : (H,) array-like, optional
        As for `run`.

    Returns
    -------
    OnlineRun

    Raises
    ------
    InputError
        If `run` refuses the input, the cell has more than 64 units, lr is no finite number of at least 0, what
        d_loss returns is not (H,) and finite, or the weights grow until a number overflows float64.

    Examples
    --------
    >>> from rnnviz import make_cell
    >>> learned = rtrl_online(make_cell("elman", 1, 2), [[1.0]] * 9, lambda t, h: h - 0.5, lr=0.1)
    >>> bool(learned.drift[0] < 1e-15), bool(learned.drift[-1] > 0.001)
    (True, True)
    """
    lr = read_number("lr", lr, 0.0)
    fixed = run(cell, x, h0, c0)
    require_small("rtrl_online", fixed)
    H, states, norms = cell.hidden_size, np.empty_like(fixed.states), np.empty((3, fixed.steps))
    states[0], carried = fixed.states[0], None
    for t in range(1, fixed.steps + 1):
        try:
            here = _run_on(cell, fixed.x[t - 1 : t], states[t - 1])
            states[t] = here.states[1]
            carried = next(influences(here, carried))
            online = read_off(carried, _direct(d_loss, t, states[t, :H]))
            require_finite(online, t)
            true = _true_gradient(_run_on(cell, fixed.x[:t], states[0]), d_loss)
            norms[:, t - 1] = [lengths(part.reshape(-1)) for part in (online, true, online - true)]
            cell = _moved(cell, online, lr)
        except InputError as problem:
            slots = {"step": t, "steps": fixed.steps, "lr": lr, "problem": problem}
            if not lr:
                raise InputError(
                    "online.still",
                    "Learning stops at step {step} of {steps} (learning rate lr = 0). {problem}",
                    **slots,
                ) from problem
            raise InputError(
                "online",
                "Learning stops at step {step} of {steps} (learning rate lr = {lr:g}). {problem} A smaller learning "
                "rate may help, too.",
                **slots,
            ) from problem
    return OnlineRun(cell, states[:, :H].copy(), *norms.copy())


def _run_on(cell: Cell, x: Array, state: Array) -> Trace:
    return run(cell, x, *cell.blocks(state))


def _true_gradient(trace: Trace, d_loss: LossGradient) -> Array:
    """Return the gradient of the last step's loss, (G*H, D+H+2)."""
    d_h = np.zeros_like(trace.h[1:])
    d_h[-1] = _direct(d_loss, trace.steps, trace.h[-1])
    found = bptt(trace, d_h)
    return np.column_stack([found.weights[name] for name in WEIGHTS])


def _direct(d_loss: LossGradient, t: int, h: Array) -> Array:
    """Return dL_t/dh_t, checked."""
    name = Message("error.online.d_loss", "what d_loss returns")
    direct = read_array(name, d_loss(t, h))
    whose = Message("error.online.whose", "for as many units")
    require_shape(name, direct, h.shape, whose, Message("error.online.units", "Return one number for each unit."))
    return direct


def _moved(cell: Cell, gradient: Array, lr: float) -> Cell:
    """Return the cell with all weights moved against a gradient (G*H, D+H+2)."""
    with np.errstate(over="ignore"):  # refused by the cell
        return replace(cell, **{name: getattr(cell, name) - lr * part_of(gradient, name, cell) for name in WEIGHTS})
