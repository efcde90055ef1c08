"""Fixed points of smooth units: Newton's method from many states."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.cells import Cell, ElmanCell
from rnnviz.maths.cells.elman import require_elman
from rnnviz.maths.checks import Array, read_array, require_shape
from rnnviz.maths.forward import run
from rnnviz.wording import Message

__all__ = ["ACCEPTED", "TWINS", "Map", "by_newton", "map_under", "solve"]

ACCEPTED = 1e-10
"""The largest residual of a fixed point, relative to its largest entry where that is above 1."""

NEWTON_STEPS = 40
_HALVINGS = 12
_SETTLING = 100
"""Steps that the network itself runs from half of the random starts, which leads to attractors."""


class Map(NamedTuple):
    """``h -> f(W h + c)`` for states in rows."""

    activation: str
    W: Array
    c: Array

    def sums(self, h: Array) -> Array:
        return h @ self.W.T + self.c

    def misses(self, h: Array) -> Array:
        """``f(W h + c) - h``; not finite where a sum overflows."""
        with np.errstate(over="ignore", invalid="ignore"):
            return ACTIVATIONS[self.activation](self.sums(h)) - h


def map_under(cell: Cell, u: object = None) -> tuple[ElmanCell, Array, Map]:
    """The cell, its constant input (zeros for None) and its map, all checked.

    Raises
    ------
    InputError
        If the cell is no Elman cell, the input does not fit, or the weights overflow float64.
    """
    needed = Message("error.fixed_points.elman", "Fixed points are for Elman RNNs")
    cell = require_elman(cell, needed, Message("error.fixed_points.give", "Give an ElmanCell."))
    D, H = cell.input_size, cell.hidden_size
    constant = read_array("u", np.zeros(D) if u is None else u)
    whose = Message("error.fixed_points.u", "one input vector")
    require_shape("u", constant, (D,), whose, Message("error.fixed_points.inputs", "Give one number for each input."))
    sums = run(cell, constant[None], np.zeros(H)).preacts["a"][0]  # those of the map at h = 0
    return cell, constant, Map(cell.activation, cell.W_hh, sums)


class _Twin(NamedTuple):
    """A smooth activation in three straight pieces: `low`, ``middle + slope * a``, `high`."""

    low: float
    middle: float
    slope: float
    high: float


TWINS = {"tanh": _Twin(-1.0, 0.0, 1.0, 1.0), "sigmoid": _Twin(0.0, 0.5, 0.25, 1.0)}


def by_newton(step: Map, extra: Array, random: np.random.Generator, count: int) -> tuple[Array, int]:
    """Where Newton's method arrives, (N, H), and the number of starts."""
    H = len(step.c)
    twin = TWINS[step.activation]
    drawn = random.uniform(twin.low, twin.high, (count, H))
    settled = drawn[: (count + 1) // 2].copy()
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(_SETTLING):
            settled = ACTIVATIONS[step.activation](step.sums(settled))
    h = np.concatenate([np.full((1, H), twin.middle), drawn, settled, extra, _twin_starts(step, twin, random, count)])
    h = h[np.isfinite(h).all(axis=1)]
    h = np.unique(h, axis=0)  # what settles to the same bits is one start
    ends = _newton(step, h)
    misses = np.abs(step.misses(ends)).max(axis=1)
    best_first = np.argsort(misses, kind="stable")
    return ends[best_first[misses[best_first] <= ACCEPTED]], len(h)


def _twin_starts(step: Map, twin: _Twin, random: np.random.Generator, count: int) -> Array:
    """Fixed points of the piecewise linear twin, for all or `count` drawn choices of each unit's piece.

    Where weights are large, the smooth network's own unstable fixed points lie in a steep and narrow valley that no
    random start meets; these starts lie in it.
    """
    H = len(step.c)
    pieces = np.array(list(product((0, 1, 2), repeat=H))) if 6 * count >= 3**H else random.integers(0, 3, (count, H))
    linear = pieces == 1
    level = np.array([twin.low, twin.middle, twin.high])[pieces]
    slope = np.where(linear, twin.slope, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        h = solve(np.eye(H) - slope[:, :, None] * step.W, level + slope * step.c)
    return np.clip(h[np.isfinite(h).all(axis=1)], twin.low, twin.high)


def _newton(step: Map, h: Array) -> Array:
    """Damped Newton from every row; a row rests once no step makes it better."""
    h, slope = h.copy(), ACTIVATIONS[step.activation].slope
    moving = np.arange(len(h))
    for _ in range(NEWTON_STEPS):
        here = h[moving]
        miss = step.misses(here)
        with np.errstate(over="ignore", invalid="ignore"):
            J = slope(step.sums(here))[:, :, None] * step.W
            move = solve(np.eye(h.shape[1]) - J, miss)
            size, length = np.linalg.norm(miss, axis=1), np.ones(len(here))
            better = np.zeros(len(here), dtype=bool)
            for _ in range(_HALVINGS):
                trial = here + length[:, None] * move
                better = np.linalg.norm(step.misses(trial), axis=1) < (1 - 1e-4 * length) * size
                if better.all():
                    break
                length[~better] /= 2
        h[moving[better]] = trial[better]
        moving = moving[better]
        if not len(moving):
            break
    return h


def solve(A: Array, b: Array) -> Array:
    """Solve each of N systems; an exactly singular one gets nan."""
    try:
        return np.asarray(np.linalg.solve(A, b[..., None])[..., 0], dtype=np.float64)
    except np.linalg.LinAlgError:
        singular = np.linalg.det(A) == 0.0
        if singular.all():
            return np.full_like(b, np.nan)
        x = np.full_like(b, np.nan)
        x[~singular] = solve(A[~singular], b[~singular])
        return x
