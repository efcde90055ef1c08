"""Backpropagation through time: the gradient of a loss from one sweep back over the run."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rnnviz.maths.checks import one_of, read_integer
from rnnviz.maths.learning_rules.backward_trace import take_back
from rnnviz.maths.learning_rules.gradients import WEIGHTS, Gradients, read_d_h
from rnnviz.maths.trace import Trace, require_trace

__all__ = ["bptt"]


def bptt(trace: Trace, d_h: ArrayLike, *, truncation: int | None = None, scheme: str = "sliding") -> Gradients:
    """Return the gradient of a loss by backpropagation through time.

    The error at a state is what the loss of its own step says and what comes back from the step after it. A sweep from
    the last step to the first turns it into delta, the gradient with respect to the pre-activations, and hands it on
    (Werbos 1990, "Backpropagation through time: what it does and how to do it"). For an Elman cell::

        dL/dh_t = d_h[t] + W_hh^T delta_{t+1}        delta_t = g'(a_t) * dL/dh_t
        dL/dW_hh = sum_t delta_t h_{t-1}^T           dL/dW_ih = sum_t delta_t x_t^T

    `BackwardTrace` has the other cells. A clamped gate is a constant.

    Parameters
    ----------
    trace : Trace
        Of T steps.
    d_h : (T, H) array-like
        The direct gradient of the loss with respect to each ``h_t``: row t - 1 is what the loss of step t alone says.
    truncation : int, optional
        K in 1..T, the most steps that an error goes back; all if left out (Williams & Peng 1990, "An efficient
        gradient-based algorithm for on-line training of recurrent network trajectories").
    scheme : {"sliding", "chunk"}
        "sliding": the loss of each step goes back through at most K steps, its own included, which takes K times as
        long. "chunk": the run is cut into chunks of K steps, counted from step 1, and no error passes from one to the
        one before, as if the state between were detached; with K = 1 each step learns from its own loss alone. A
        truncated gradient is not the gradient of any loss.

    Returns
    -------
    Gradients
        Numbers below 1e-308 have lost digits or are 0; `log10_gradient_norms` goes on there.

    Raises
    ------
    InputError
        If the trace has no steps, d_h is not (T, H) or not finite, the truncation is not an integer in 1..T, the scheme
        is unknown or a number overflows float64.

    Examples
    --------
    >>> from rnnviz import ElmanCell, run
    >>> linear = ElmanCell([[1.0]], [[0.5]], [0.0], [0.0], activation="identity")
    >>> trace = run(linear, [[1.0], [1.0], [1.0]])
    >>> last_only = [[0.0], [0.0], [1.0]]
    >>> bptt(trace, last_only).h[:, 0].tolist()
    [0.125, 0.25, 0.5, 1.0]
    >>> bptt(trace, last_only, truncation=2).W_ih.item()  # 1 + 0.5, without the 0.25 of step 1
    1.5
    """
    require_trace("bptt", trace)
    one_of("scheme", scheme, ("sliding", "chunk"))
    if truncation is not None:
        truncation = read_integer("truncation", truncation, 1, trace.steps)
    passed = take_back(trace, read_d_h(d_h, trace), truncation, scheme)
    with np.errstate(over="ignore", invalid="ignore"):  # looked for by Gradients
        parts = {name: trace.cell.gradient(passed, name) for name in WEIGHTS}
        return Gradients(**parts, x=trace.cell.input_gradient(passed), backward=passed)
