"""The gradient carried forward, and learning at every step, remembered for all sessions."""

from __future__ import annotations

from collections.abc import Callable
from statistics import median
from time import perf_counter

import numpy as np

from rnnviz.cache import remembered
from rnnviz.maths import Gradients, OnlineRun, bptt, influence_norms, rtrl, rtrl_online
from rnnviz.maths.checks import Array
from rnnviz.ui.bptt_rtrl.objectives import Task, objective
from rnnviz.views.sentences.rtrl import Measured


@remembered
def forward_gradient(task: Task) -> tuple[Gradients, Measured, Array]:
    """The gradient by RTRL, what either way takes on this machine, and the norms of the influence."""
    found = objective(task)
    trace, d_h = found.trace, found.d_h
    seconds = Measured(bptt=_median_time(lambda: bptt(trace, d_h)), rtrl=_median_time(lambda: rtrl(trace, d_h)))
    return rtrl(trace, d_h), seconds, influence_norms(trace)


def _median_time(call: Callable[[], object]) -> float:
    """The median of up to seven calls, of fewer where they take long."""
    times: list[float] = []
    while len(times) < 7 and sum(times) < 0.1:
        before = perf_counter()
        call()
        times.append(perf_counter() - before)
    return median(times)


@remembered
def online(task: Task, lr: float) -> OnlineRun:
    """The run that learns at every step from the loss of that step."""
    found = objective(task)
    trace = found.trace

    def d_loss(t: int, h: Array) -> Array:
        states = np.zeros_like(trace.h[1:])
        states[t - 1] = h
        alone: Array = found.loss_of(states)[1][t - 1]
        return alone

    return rtrl_online(trace.cell, trace.x, d_loss, lr=lr, h0=trace.h[0], c0=None if trace.c is None else trace.c[0])
