"""What a network is to learn and what its gradient is, cached for all sessions."""

from __future__ import annotations

import numpy as np

from rnnviz.cache import remembered
from rnnviz.maths import Gradients, bptt
from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.lengths import lengths
from rnnviz.network import Objective, objective_of, of_network, values_of
from rnnviz.settings import Settings
from rnnviz.ui.gradient_flow.flows import single
from rnnviz.ui.results import run_of

_LOSS = ("loss", "loss_at", "delay")
_CUT = ("truncation", "scheme")


def objective(settings: Settings) -> Objective:
    """What the network in front is to learn.

    Raises
    ------
    InputError
        If the loss does not fit the outputs, or overflows float64.
    """
    return _objective(followed(settings))


def gradients(settings: Settings) -> Gradients:
    """The whole gradient of the network in front.

    Raises
    ------
    InputError
        As `objective`, or if the gradient overflows float64.
    """
    return _gradients(followed(settings))


def cut_gradients(settings: Settings) -> Gradients:
    """The gradient of truncated backpropagation; the whole one where nothing is truncated."""
    values, steps = values_of(settings), objective(settings).trace.steps
    most = int(str(values["truncation"]))
    return _cut(_keep(settings, *_LOSS, *_CUT)) if 0 < most < steps else gradients(settings)


def gradients_of_last(settings: Settings) -> Gradients:
    """The gradient of the loss of one step alone: the last that has one."""
    return _of_last(followed(settings))


def norms_of_last(settings: Settings) -> Array:
    """Its norm at each state, (T,), [h; c] for an LSTM; 0 after the step of that loss."""
    return lengths(gradients_of_last(settings).backward.states[1:])


def followed(settings: Settings) -> Settings:
    """The settings of an objective alone, without what else is chosen: what is computed of it is kept by these."""
    return _keep(settings, *_LOSS)


def _keep(settings: Settings, *names: str) -> Settings:
    """The network in front, and of the objective only these settings."""
    alone, chosen = single(settings), dict(settings.chosen)
    return of_network(alone).choose(**{name: chosen.get(name) for name in names})


@remembered
def _objective(settings: Settings) -> Objective:
    return objective_of(run_of(settings)[0], values_of(settings))


@remembered
def _gradients(settings: Settings) -> Gradients:
    found = _objective(settings)
    return bptt(found.trace, found.d_h)


@remembered
def _cut(settings: Settings) -> Gradients:
    values, found = values_of(settings), _objective(settings.choose(truncation=None, scheme=None))
    return bptt(found.trace, found.d_h, truncation=int(str(values["truncation"])), scheme=str(values["scheme"]))


@remembered
def _of_last(settings: Settings) -> Gradients:
    found = _objective(settings)
    alone, last = np.zeros_like(found.d_h), found.path.last - 1
    alone[last] = found.d_h[last]
    return bptt(found.trace, alone)
