"""Fixed points of straight units, relu and identity: one linear system for each set of active units."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.checks import Array, Sealed
from rnnviz.maths.fixed_newton import ACCEPTED, NEWTON_STEPS, Map, solve

__all__ = ["FixedFlat", "by_regions", "lies_on"]

_ALL_PATTERNS = 1024
"""So many regions of a piecewise linear network are all looked at; of more, those met from the starts."""


@dataclass(frozen=True, eq=False)
class FixedFlat(Sealed):
    """A whole line, plane or more of fixed points, as piecewise linear networks have them.

    Attributes
    ----------
    h : (H,) array
        One of them.
    directions : (k, H) array
        Orthonormal: near `h`, moving along them stays fixed.
    span : (float, float)
        For a line (k = 1), the part that is fixed: ``h + s * directions[0]`` with s between these two, which may be
        infinite; (0, 0) for k > 1, where the ends are not sought.
    """

    h: Array
    directions: Array
    span: tuple[float, float]

    def __post_init__(self) -> None:
        for array in (self.h, self.directions):
            array.setflags(write=False)


def by_regions(
    step: Map, extra: Array, random: np.random.Generator, count: int
) -> tuple[Array, tuple[FixedFlat, ...], int, int]:
    """Isolated solutions, flats, the number of starts, and of those that arrived nowhere."""
    H, failed = len(step.c), 0
    if step.activation == "identity":
        patterns = np.ones((1, H), dtype=bool)
        tried = 1
    elif 2**H <= _ALL_PATTERNS:
        patterns = np.array(list(product((False, True), repeat=H)))
        tried = 1  # one search through all, rather than many starts
    else:
        reach = max(1.0, float(np.abs(step.c).max()))
        starts = np.concatenate([np.zeros((1, H)), random.uniform(0, 2 * reach, (count, H)), extra])
        patterns, failed = _patterns_met(step, starts)
        tried = len(starts)
    points, flats = [], []
    for pattern in patterns:
        solved = _in_region(step, pattern)
        if isinstance(solved, FixedFlat):
            flats.append(solved)
        elif solved is not None:
            points.append(solved)
    return np.array(points).reshape(-1, H), _distinct_flats(flats), tried, failed


def _patterns_met(step: Map, h: Array) -> tuple[NDArray[np.bool_], int]:
    """Newton's method for relu: solve in the region of each start, go to the region of the solution, and so on.

    It ends in a region that holds its own solution, or is given up.
    """
    on = step.sums(h) > 0
    at_home = np.zeros(len(h), dtype=bool)
    for _ in range(NEWTON_STEPS):
        with np.errstate(over="ignore", invalid="ignore"):
            solved = solve(np.eye(h.shape[1]) - on[:, :, None] * step.W, on * step.c)
            following = step.sums(solved) > 0
        at_home = (following == on).all(axis=1)
        if at_home.all():
            break
        on = following
    return np.unique(on[at_home], axis=0), int((~at_home).sum())


def _in_region(step: Map, on: NDArray[np.bool_]) -> Array | FixedFlat | None:
    """What solves ``(I - diag(on) W) h = diag(on) c`` and lies where just those units are active."""
    H = len(on)
    with np.errstate(over="ignore", invalid="ignore"):
        A, b = np.eye(H) - on[:, None] * step.W, on * step.c
        largest = np.abs(A).max(axis=1)
        rows = 1 / np.where(largest > 0, largest, 1.0)  # one huge row must not make the others look singular
        A, b = A * rows[:, None], b * rows
        left, sizes, right = np.linalg.svd(A)
        zero = sizes <= 4 * H * np.finfo(float).eps * max(1.0, sizes[0])
        inside = left.T @ b
        scale = max(1.0, float(np.abs(b).max()))
        if (np.abs(inside[zero]) > ACCEPTED * scale).any():
            return None
        if not zero.any():
            solved = np.asarray(np.linalg.solve(A, b), dtype=np.float64)
            return solved if _lies_in(step, on, solved) else None
        h = right[~zero].T @ (inside[~zero] / sizes[~zero])
        return _flat(step, on, h, right[zero])


def _lies_in(step: Map, on: NDArray[np.bool_], h: Array) -> bool:
    if not np.isfinite(h).all():
        return False
    slack = ACCEPTED * max(1.0, float(np.abs(h).max()))
    a = step.sums(h)
    return step.activation == "identity" or bool((a[on] >= -slack).all() and (a[~on] <= slack).all())


def _flat(step: Map, on: NDArray[np.bool_], h: Array, directions: Array) -> FixedFlat | None:
    """The part of a flat that lies in its region: exact for a line; for more, where one of a few states lies in it."""
    signs = np.where(on, 1.0, -1.0)
    a, along = signs * step.sums(h), signs * (directions @ step.W.T)  # a + s * along >= 0 is needed
    if step.activation == "identity":
        span = (-np.inf, np.inf) if len(directions) == 1 else (0.0, 0.0)
        return FixedFlat(h, directions, span)
    if len(directions) > 1:
        states = h + (on * np.array([[1.0], [0.1], [10.0]]) - h) @ directions.T @ directions
        return next((FixedFlat(one, directions, (0.0, 0.0)) for one in states if _lies_in(step, on, one)), None)
    slope = along[0]
    flat = np.abs(slope) <= 1e-12 * max(1.0, float(np.abs(step.W).max()))
    if (a[flat] < -ACCEPTED).any():
        return None
    ends = -a[~flat] / slope[~flat]
    low = float(ends[slope[~flat] > 0].max(initial=-np.inf))
    high = float(ends[slope[~flat] < 0].min(initial=np.inf))
    if not low < high - ACCEPTED:
        return None
    inside = [s for s in (low, high) if np.isfinite(s)]
    middle = sum(inside) / 2 if len(inside) == 2 else (low + 1.0 if np.isfinite(low) else min(high - 1.0, 0.0))
    return FixedFlat(h + middle * directions[0], directions, (low - middle, high - middle))


def lies_on(flat: FixedFlat, h: Array) -> bool:
    along = flat.directions @ (h - flat.h)
    scale = 1e-6 * max(1.0, float(np.abs(h).max()))
    beside = float(np.abs(h - flat.h - along @ flat.directions).max())
    low, high = flat.span
    return beside <= scale and (len(along) > 1 or bool(low - scale <= along[0] <= high + scale))


def _distinct_flats(flats: list[FixedFlat]) -> tuple[FixedFlat, ...]:
    """The flats of the largest dimension alone, each once: the others are their edges or stand beside them.

    Where a unit's sum is zero all along a flat, the regions on both of its sides have it.
    """
    most = max((len(flat.directions) for flat in flats), default=0)
    kept: list[FixedFlat] = []
    for flat in flats:
        if len(flat.directions) == most and not any(_same(flat, other) for other in kept):
            kept.append(flat)
    return tuple(kept)


def _same(one: FixedFlat, other: FixedFlat) -> bool:
    along = one.directions @ other.directions.T @ other.directions
    parallel = bool(np.abs(one.directions - along).max() <= 1e-6)
    return parallel and lies_on(one, other.h) and lies_on(other, one.h)
