"""Fixed points of straight units, relu and identity: one linear system for each set of active units."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.checks import Array, Sealed
from rnnviz.maths.dynamics.newton import ACCEPTED, NEWTON_STEPS, Map, solve

__all__ = ["FixedFlat", "by_regions", "lies_on"]

_ALL_PATTERNS = 1024
"""So many regions of a piecewise linear network are all looked at; of more, those met from the starts."""


@dataclass(frozen=True, eq=False)
class FixedFlat(Sealed):
    """A line, plane or more of fixed points, as piecewise linear networks have them.

    All states ``h + s @ directions`` with ``normals @ s + offsets >= 0`` are fixed points: a convex set.

    Attributes
    ----------
    h : (H,) array
        One of them, not on the edge.
    directions : (k, H) array
        Orthonormal.
    normals, offsets : (m, k) and (m,) array
        Where the set ends; no rows for an identity network, whose sets have no end.
    jacobian : (H, H) array
        Of the step at `h`, as everywhere else on the set.
    on_edge : bool
        Whether a relu unit stands at its kink all along the set, where the Jacobian of one side decides nothing.
    """

    h: Array
    directions: Array
    normals: Array
    offsets: Array
    jacobian: Array
    on_edge: bool = False

    def __post_init__(self) -> None:
        for array in (self.h, self.directions, self.normals, self.offsets, self.jacobian):
            array.setflags(write=False)

    @property
    def dimensions(self) -> int:
        """1 for a line, 2 for a plane."""
        return len(self.directions)

    @property
    def span(self) -> tuple[float, float]:
        """The least and the largest s of a line, which may be infinite."""
        return _interval(self.normals[:, 0], self.offsets)

    @property
    def radius_across(self) -> float:
        """The largest modulus of the eigenvalues of `jacobian`, without those that are 1 because of the set itself."""
        sizes = np.linalg.eigvals(self.jacobian)
        return float(np.abs(sizes[np.argsort(np.abs(sizes - 1))][self.dimensions :]).max(initial=0.0))


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

    It ends in a region that holds its own solution, or is given up. A start that stays where it is names its region at
    once: where a whole line is fixed, the region's system is singular.
    """
    on = step.sums(h) > 0
    resting = np.abs(step.misses(h)).max(axis=1) <= ACCEPTED * np.maximum(1.0, np.abs(h).max(axis=1))
    first = on[resting]
    at_home = np.zeros(len(h), dtype=bool)
    for _ in range(NEWTON_STEPS):
        with np.errstate(over="ignore", invalid="ignore"):
            solved = solve(np.eye(h.shape[1]) - on[:, :, None] * step.W, on * step.c)
            following = step.sums(solved) > 0
        at_home = (following == on).all(axis=1)
        if at_home.all():
            break
        on = following
    return np.unique(np.concatenate([first, on[at_home]]), axis=0), int((~at_home & ~resting).sum())


def _in_region(step: Map, on: NDArray[np.bool_]) -> Array | FixedFlat | None:
    """What solves ``(I - diag(on) W) h = diag(on) c`` and lies where just those units are active."""
    H = len(on)
    with np.errstate(over="ignore", invalid="ignore"):
        A, b = np.eye(H) - on[:, None] * step.W, on * step.c
        largest = np.abs(A).max(axis=1)
        rows = 1 / np.where(largest > 0, largest, 1.0)  # one huge row must not make the others look singular
        A, b = A * rows[:, None], b * rows
        left, sizes, right = np.linalg.svd(A)
        zero = sizes <= 64 * H * np.finfo(float).eps * max(1.0, sizes[0])
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


def _flat(step: Map, on: NDArray[np.bool_], h: Array, directions: Array) -> Array | FixedFlat | None:
    """The part of ``h + s @ directions`` that lies in its region; a single state where no more of it does."""
    J, k = on[:, None] * step.W, len(directions)
    if step.activation == "identity":
        return FixedFlat(h, directions, np.empty((0, k)), np.empty(0), J)
    signs = np.where(on, 1.0, -1.0)
    offsets, normals = signs * step.sums(h), signs[:, None] * (step.W @ directions.T)
    sizes = np.linalg.norm(normals, axis=1)
    level = sizes <= 1e-12 * max(1.0, float(np.abs(step.W).max()))
    slack = ACCEPTED * max(1.0, float(np.abs(h).max()))
    if (offsets[level] < -slack).any():
        return None
    on_edge = bool((offsets[level] <= slack).any())
    normals, offsets = normals[~level] / sizes[~level, None], offsets[~level] / sizes[~level]
    s = _inside(normals, offsets)
    if s is None:
        return None
    h, offsets = h + s @ directions, normals @ s + offsets
    tight = offsets <= slack
    if not tight.any():
        return FixedFlat(h, directions, normals, offsets, J, on_edge)
    _, sizes, right = np.linalg.svd(normals[tight])  # it is no wider than an edge: what of it lies along that edge
    along = right[int((sizes > 1e-9).sum()) :] @ directions
    return _flat(step, on, h, along) if len(along) else h


def _inside(normals: Array, offsets: Array) -> Array | None:
    """An s with ``normals @ s + offsets >= 0``, well inside where there is room, else at the edge; None without one."""
    s = np.zeros(normals.shape[1])
    if len(s) == 1:
        low, high = _interval(normals[:, 0], offsets)
        if not low <= high + ACCEPTED:
            return None
        ends = [end for end in (low, high) if np.isfinite(end)]
        middle = sum(ends) / 2 if len(ends) == 2 else (low + 1.0 if np.isfinite(low) else min(high - 1.0, 0.0))
        return np.array([middle])
    for margin in (1.0, 1e-2, 1e-5, 0.0):
        for _ in range(_PROJECTIONS):
            room = normals @ s + offsets
            if (room >= 0.5 * margin - ACCEPTED).all():
                return s
            worst = int(np.argmin(room))
            s = s + (margin - room[worst]) * normals[worst]
    return None


_PROJECTIONS = 60
"""So often a state is moved onto the side of the inequality that it fails most (Motzkin & Schoenberg 1954)."""


def _interval(normals: Array, offsets: Array) -> tuple[float, float]:
    """Least and largest s with ``normals * s + offsets >= 0``; (inf, -inf) or the like where there is none."""
    rising, falling = normals > 0, normals < 0
    low = (-offsets[rising] / normals[rising]).max(initial=-np.inf)
    high = (-offsets[falling] / normals[falling]).min(initial=np.inf)
    return float(low), float(high)


def lies_on(flat: FixedFlat, h: Array) -> bool:
    """Whether a state is one of the flat's, to six digits."""
    along = flat.directions @ (h - flat.h)
    scale = 1e-6 * max(1.0, float(np.abs(h).max()))
    beside = float(np.abs(h - flat.h - along @ flat.directions).max())
    return beside <= scale and bool((flat.normals @ along + flat.offsets >= -scale).all())


def _distinct_flats(flats: list[FixedFlat]) -> tuple[FixedFlat, ...]:
    """Each flat once, the largest first, without those that are an edge of another.

    Where a unit's sum is zero all along a flat, the regions on both of its sides have it. A flat of which one state
    that is not on its edge lies on another flat lies on that as a whole, since its region meets the other in a face.
    """
    kept: list[FixedFlat] = []
    for flat in sorted(flats, key=lambda one: -one.dimensions):
        if not any(lies_on(other, flat.h) for other in kept):
            kept.append(flat)
    return tuple(kept)
