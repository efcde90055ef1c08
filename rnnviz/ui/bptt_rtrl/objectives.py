"""What a network is to learn and what its gradient is, remembered for all sessions by the parts they depend on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rnnviz.cache import remembered
from rnnviz.maths import Gradients, bptt
from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.lengths import lengths
from rnnviz.network import Objective, objective_of, parts_of
from rnnviz.settings import NetworkSettings, ObjectiveSettings, Settings
from rnnviz.ui.results import run_of


@dataclass(frozen=True)
class Task:
    """A network in front of what it is to learn: all that a gradient depends on.

    Attributes
    ----------
    network : NetworkSettings
    sequence : int
        Counted from 1.
    asked : ObjectiveSettings
    """

    network: NetworkSettings
    sequence: int
    asked: ObjectiveSettings


def task_of(settings: Settings) -> Task:
    """What the network in front is to learn."""
    parts = parts_of(settings)
    return Task(parts.network, parts.view.sequence, parts.objective)


@remembered
def objective(task: Task) -> Objective:
    """The targets, the loss and its gradient at the hidden states.

    Raises
    ------
    InputError
        If the loss does not fit the outputs, or overflows float64.
    """
    return objective_of(run_of(task.network, task.sequence)[0], task.asked)


@remembered
def gradients(task: Task) -> Gradients:
    """The whole gradient.

    Raises
    ------
    InputError
        As `objective`, or if the gradient overflows float64.
    """
    found = objective(task)
    return bptt(found.trace, found.d_h)


def cut_gradients(settings: Settings) -> Gradients:
    """The gradient of truncated backpropagation; the whole one where nothing is truncated."""
    task, learning = task_of(settings), parts_of(settings).learning
    if 0 < learning.truncation < objective(task).trace.steps:
        return _cut(task, learning.truncation, learning.scheme)
    return gradients(task)


@remembered
def _cut(task: Task, truncation: int, scheme: str) -> Gradients:
    found = objective(task)
    return bptt(found.trace, found.d_h, truncation=truncation, scheme=scheme)


@remembered
def gradients_of_last(task: Task) -> Gradients:
    """The gradient of the loss of one step alone: the last that has one."""
    found = objective(task)
    alone, last = np.zeros_like(found.d_h), found.path.last - 1
    alone[last] = found.d_h[last]
    return bptt(found.trace, alone)


def norms_of_last(task: Task) -> Array:
    """Its norm at each state, (T,), [h; c] for an LSTM; 0 after the step of that loss."""
    return lengths(gradients_of_last(task).backward.states[1:])
