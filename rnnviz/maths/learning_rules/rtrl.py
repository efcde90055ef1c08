"""Real-time recurrent learning: the same gradient as BPTT, carried forward beside the run."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rnnviz.maths.learning_rules.backward_trace import take_back
from rnnviz.maths.learning_rules.gradients import WEIGHTS, Gradients, read_d_h
from rnnviz.maths.learning_rules.influence import gradients_by_loss, part_of, require_small
from rnnviz.maths.trace import Trace

__all__ = ["rtrl"]


def rtrl(trace: Trace, d_h: ArrayLike) -> Gradients:
    """Return the gradient of a loss by real-time recurrent learning.

    How the state depends on every weight is carried forward from step to step, as `influence` says, so that each loss
    has its gradient at once, and no step has to be remembered (Williams & Zipser 1989, "A learning algorithm for
    continually running fully recurrent neural networks")::

        dL/dtheta = sum_t d_h[t]^T dh_t/dtheta

    With fixed weights that is the gradient of `bptt`, for some H^2 / 2 times as many multiplications; `gradient_costs`
    counts them. A clamped gate is a constant.

    Parameters
    ----------
    trace : Trace
        Of T steps and at most 64 units.
    d_h : (T, H) array-like
        The direct gradient of the loss with respect to each ``h_t``, as for `bptt`.

    Returns
    -------
    Gradients
        Those of the weights by RTRL. It finds none with respect to states and inputs: these are from a backward sweep.

    Raises
    ------
    InputError
        If the cell has more than 64 units, the trace has no steps, d_h is not (T, H) or not finite, or a number
        overflows float64.

    Examples
    --------
    >>> import numpy as np
    >>> from rnnviz import bptt, make_cell, run
    >>> trace = run(make_cell("gru", 2, 3), np.ones((5, 2)))
    >>> d_h = np.ones((5, 3))
    >>> np.allclose(rtrl(trace, d_h).W_hh, bptt(trace, d_h).W_hh, rtol=1e-12)
    True
    """
    require_small("rtrl", trace)
    direct = read_d_h(d_h, trace)
    with np.errstate(over="ignore", invalid="ignore"):  # looked for by Gradients
        total = sum(gradients_by_loss(trace, direct), start=np.zeros(()))
        passed = take_back(trace, direct)
        d_x = trace.cell.input_gradient(passed)
    parts = {name: part_of(total, name, trace.cell).copy() for name in WEIGHTS}
    return Gradients(**parts, x=d_x, backward=passed)
