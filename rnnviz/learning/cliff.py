"""A cliff in the loss of one unit that keeps a bit, and gradient descent over it with and without clipping.

The unit has two weights, ``h_t = sigmoid(w h_{t-1} + b)``, so that its whole loss can be drawn (after Pascanu, Mikolov
& Bengio 2013, "On the difficulty of training recurrent neural networks", figure 6). From ``h_0 = 0.2`` it is to end at
0.1 after 50 steps, from 0.8 at 0.9. Where one of its two fixed points disappears, the loss has a wall.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.activations import sigmoid, sigmoid_slope
from rnnviz.maths.checks import read_number

Array = NDArray[np.float64]

STEPS = 50
BITS = ((0.2, 0.1), (0.8, 0.9))
"""Where the unit begins, and where it is to be after the last step: for a 0 and for a 1."""
UPDATES = 500
LAST = 20
"""The last loss of a run is the median of its losses after so many last updates: some runs zigzag to the end."""
ARRIVED = 1e-3
"""A last loss below it keeps the bit: both errors are below 0.05."""
RATES: Array = 10.0 ** (np.arange(-12, 7) / 4)
"""Learning rates from 0.001 to 32, four to a decade."""
AT_THE_WALL = (5.0, -2.33)
"""The first of the starts: w and b."""
BOX = ((4.0, 6.0), (-3.5, -2.0))
"""Where the other starts are drawn from: the ranges of w and of b."""
MAP = ((3.0, 8.0), (-4.5, -1.0))
"""What of the loss is drawn."""

_STARTS = 32
_CELLS = 221
_FREE, _LEAST = float(np.finfo(np.float64).max), float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Sweep:
    """Gradient descent from all starts at all learning rates.

    Attributes
    ----------
    last : (R, S) array
        The last loss of each run: for each of R learning rates and S starts.
    best : int
        The rate at which most starts arrive; of several, the one with the lowest median of the last losses.
    losses : (n+1, S) array
        At the best rate: the losses after 0, 1, ... n updates.
    path : (n+1, S, 2) array
        At the best rate: w and b.
    norms : (n, S) array
        At the best rate: the norms of the gradient before it was clipped.
    """

    last: Array
    best: int
    losses: Array
    path: Array
    norms: Array

    @property
    def arrived(self) -> Array:
        """For each learning rate the number of starts that arrive, (R,)."""
        return np.asarray((self.last < ARRIVED).sum(axis=1), dtype=np.float64)

    @property
    def rate(self) -> float:
        """The best learning rate."""
        return float(RATES[self.best])

    @property
    def quartiles(self) -> Array:
        """For each learning rate the lower quartile, the median and the upper quartile of the last losses, (R, 3)."""
        return np.quantile(self.last, (0.25, 0.5, 0.75), axis=1).T


def starts() -> Array:
    """Where the runs begin, (S, 2): the first at the wall, the others drawn evenly from `BOX`."""
    low, high = np.array(BOX).T
    drawn = np.random.RandomState(0).uniform(low, high, (_STARTS - 1, 2))
    return np.concatenate([[AT_THE_WALL], drawn])


def loss_and_gradient(w: Array, b: Array) -> tuple[Array, Array, Array]:
    """The mean squared error over both bits and its derivatives with respect to w and b, all of one shape.

    The derivatives of h are carried forward, as RTRL does::

        dh_t/dw = g'(a_t) (h_{t-1} + w dh_{t-1}/dw),    dh_t/db = g'(a_t) (1 + w dh_{t-1}/db)

    Examples
    --------
    >>> loss, d_w, d_b = loss_and_gradient(np.array([0.0]), np.array([0.0]))
    >>> round(loss.item(), 12), d_w.item(), d_b.item()  # h = 1/2 whatever the bit
    (0.16, 0.0, 0.0)
    """
    begin, target = (np.array(one).reshape(2, *(1,) * np.ndim(w)) for one in zip(*BITS, strict=True))
    h = np.broadcast_to(begin, (2, *np.shape(w)))
    h_w, h_b = np.zeros(h.shape), np.zeros(h.shape)
    for _ in range(STEPS):
        a = w * h + b
        slope = sigmoid_slope(a)
        h_w, h_b = slope * (h + w * h_w), slope * (1.0 + w * h_b)
        h = sigmoid(a)
    off = h - target
    loss, d_w, d_b = ((off * one).mean(axis=0) for one in (off, 2.0 * h_w, 2.0 * h_b))
    return loss, d_w, d_b


def surface() -> tuple[Array, Array, Array]:
    """The loss over `MAP`: w (n,), b (m,) and the losses (m, n)."""
    w, b = (np.linspace(low, high, _CELLS) for low, high in MAP)
    return w, b, loss_and_gradient(*np.meshgrid(w, b))[0]


def sweep(max_norm: float | None) -> Sweep:
    """Descend from all starts at all learning rates, and keep the best rate's runs.

    Each update moves w and b against the gradient, as ``torch.optim.SGD`` without momentum does, after it was clipped
    to a norm of at most `max_norm`, if that is given.

    Raises
    ------
    InputError
        If max_norm is not a finite number above 0.
    """
    limit = _FREE if max_norm is None else read_number("max_norm", max_norm, _LEAST)
    begin, shape = starts(), (UPDATES + 1, len(RATES), _STARTS)
    losses, norms, path = np.empty(shape), np.empty(shape), np.empty((*shape, 2))
    w, b = (np.broadcast_to(one, shape[1:]) for one in begin.T)
    for update in range(UPDATES + 1):
        losses[update], d_w, d_b = loss_and_gradient(w, b)
        norms[update] = np.hypot(d_w, d_b)
        path[update] = np.stack([w, b], axis=-1)
        rate = RATES[:, None] * (limit / np.maximum(norms[update], limit))
        w, b = w - rate * d_w, b - rate * d_b
    last = np.median(losses[-LAST:], axis=0)
    best = max(range(len(RATES)), key=lambda one: ((last[one] < ARRIVED).sum(), -np.median(last[one])))
    return Sweep(last, best, losses[:, best].copy(), path[:, best].copy(), norms[:-1, best].copy())
