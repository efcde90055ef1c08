"""To which characters before it a prediction owes its probability: by the gradient, and by leaving each one out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rnnviz.language_models.codes import read_codes
from rnnviz.language_models.predictions import require_model
from rnnviz.maths import Cell, InputError, Readout, Trace, bptt, cross_entropy, readout_gradients, run_stack
from rnnviz.maths.checks import Array, Sealed, read_integer

__all__ = ["Influences", "influences_of"]


@dataclass(frozen=True, eq=False)
class Influences(Sealed):
    """What each of the characters k = 1..t did for the prediction of step t, in nats; row k - 1 is character k.

    Above 0 it made the target likelier, below 0 less likely. To first order in ``x_k`` both are the same; they part
    where the network bends between the character and its absence: a gradient is 0 where all is saturated, and what is
    left out may still be missed. The arrays are read-only.

    Attributes
    ----------
    gradient_times_input : (t,) array
        ``x_k . d log p_t(target_t) / d x_k``, the sum over the vocabulary.
    left_out : (t,) array
        ``log p_t(target_t)`` less what it is if ``x_k`` is zero instead of one-hot.
    """

    gradient_times_input: Array
    left_out: Array

    def __post_init__(self) -> None:
        self.gradient_times_input.setflags(write=False)
        self.left_out.setflags(write=False)


def influences_of(
    cells: tuple[Cell, ...],
    readout: Readout,
    codes: ArrayLike,
    t: int,
    h0s: Sequence[ArrayLike | None] | None = None,
) -> Influences:
    """Ask which characters made step t predict what came, ``codes[t]``, as likely as it did.

    The gradient goes back through all layers and steps to the one-hot inputs (gradient times input, Shrikumar et al.
    2016, "Not just a black box: learning important features through propagating activation differences"). Leaving out
    runs the network again from character k on (Li, Monroe & Jurafsky 2016, "Understanding neural networks through
    representation erasure"), which takes time in proportion to t**2.

    Parameters
    ----------
    cells : tuple of Cell
        The layers from the input up; the first reads characters one-hot, so that its input size is V.
    readout : Readout
        A softmax of V outputs.
    codes : (N,) array-like of int
        At least two characters, as integers in 0..V-1. What comes after the target does not matter.
    t : int
        In 1..N-1.
    h0s : sequence of (H,) array-like, optional
        The initial hidden state of each layer; zeros if left out, as the cell states of an LSTM always are.

    Returns
    -------
    Influences

    Raises
    ------
    InputError
        If the readout does not fit, the text is too short, a code is not in 0..V-1, t is out of range or a number
        overflows float64.

    Examples
    --------
    >>> from rnnviz import ElmanCell
    >>> adds = ElmanCell([[1.0, 0.0]], [[0.5]], [0.0], [0.0], activation="identity")
    >>> influences = influences_of((adds,), Readout([[9.0], [0.0]], np.zeros(2), "softmax"), [0, 1, 0, 1], t=3)
    >>> influences.gradient_times_input.round(4).tolist()
    [-2.25, 0.0, -8.9999]
    >>> influences.left_out.round(4).tolist()
    [-2.2499, 0.0, -8.8998]
    """
    V = require_model(cells, readout)
    text = read_codes("codes", codes, V, least=2)
    t = read_integer("t", t, 1, len(text) - 1)
    read, target = text[:t], int(text[t])
    x = np.eye(V)[read]
    traces = run_stack(cells, x, h0s)
    h = traces[-1].h[-1:]
    loss = cross_entropy(readout.preacts(h), [target])
    d_h = np.zeros((t, cells[-1].hidden_size))
    d_h[-1:] = readout_gradients(readout, h, loss.d_y, of="preacts").h
    for trace in reversed(traces):
        d_h = bptt(trace, d_h).x
    without = np.concatenate([_last_without(traces, k) for k in range(t)])
    return Influences(
        0.0 - d_h[np.arange(t), read],  # the loss is -log p
        cross_entropy(readout.preacts(without), [target] * t).by_step - loss.value,
    )


def _last_without(traces: tuple[Trace, ...], k: int) -> Array:
    """The last state (1, H) of the top layer with zeros for the input in row k, run from the states before it."""
    x = traces[0].x[k:].copy()
    x[0] = 0.0
    h0s = [trace.h[k] for trace in traces]
    c0s = [None if trace.c is None else trace.c[k] for trace in traces]
    try:
        return run_stack([trace.cell for trace in traces], x, h0s, c0s)[-1].h[-1:]
    except InputError as problem:
        raise problem.within(
            "influences.left_out", "Without character {number}, steps counted from there: {problem}", number=k + 1
        ) from problem
