"""What two units show of a line, a plane or more of fixed points: its shadow in their plane."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rnnviz.maths.checks import Array
from rnnviz.maths.dynamics.regions import FixedFlat

__all__ = ["shadow"]

_FLAT = 1e-9
_MOST_ROWS = 2000
"""Where eliminating the unseen directions needs more inequalities than this, the part straight behind is taken."""


def shadow(flat: FixedFlat, units: Sequence[int], low: Sequence[float], high: Sequence[float]) -> Array:
    """The values that two units take on a flat, clipped to a rectangle.

    The directions that do not show are eliminated from the inequalities of the flat (Fourier & Motzkin). Where that
    takes too many of them, a part of the shadow is returned: each of its points is the shadow of a fixed point still.

    Parameters
    ----------
    flat : FixedFlat
    units : (2,) sequence of int
        Zero-based.
    low, high : (2,) sequence of float
        The lower left and the upper right corner of the rectangle.

    Returns
    -------
    (N, 2) array
        The corners of a convex polygon in order; the ends of a line segment (N = 2), a point (N = 1), or nothing.

    Examples
    --------
    >>> import numpy as np
    >>> quadrant = FixedFlat(np.ones(2), np.eye(2), np.eye(2), np.ones(2), np.eye(2))
    >>> sorted(shadow(quadrant, (0, 1), (-1.0, -1.0), (2.0, 2.0)).tolist())
    [[0.0, 0.0], [0.0, 2.0], [2.0, 0.0], [2.0, 2.0]]
    """
    corner, opposite = np.array(low, dtype=float), np.array(high, dtype=float)
    onto = flat.directions[:, list(units)].T
    _, sizes, right = np.linalg.svd(onto)
    seen = right[: int((sizes > _FLAT).sum())]
    unseen = right[len(seen) :]
    place, ways = flat.h[list(units)], onto @ seen.T  # the point of z is place + ways @ z
    rows = _eliminated(flat.normals @ seen.T, flat.normals @ unseen.T, flat.offsets)
    if rows is None:
        rows = flat.normals @ seen.T, flat.offsets
    normals, offsets = rows
    if len(seen) == 2:
        rectangle = np.array([corner, [opposite[0], corner[1]], opposite, [corner[0], opposite[1]]])
        inward = np.linalg.inv(ways)
        return _clipped(rectangle, normals @ inward, offsets - normals @ inward @ place)
    window = np.concatenate([ways, -ways]), np.concatenate([place - corner, opposite - place])
    normals, offsets = np.concatenate([normals, window[0]]), np.concatenate([offsets, window[1]])
    level = np.abs(normals).max(axis=1, initial=0.0) <= _FLAT
    if (offsets[level] < -_FLAT).any():
        return np.empty((0, 2))
    if not len(seen):
        return place[None]
    z = -offsets[~level] / normals[~level, 0]
    rising = normals[~level, 0] > 0
    ends = z[rising].max(initial=-np.inf), z[~rising].min(initial=np.inf)
    return place + np.array(ends)[:, None] * ways[:, 0] if ends[0] <= ends[1] else np.empty((0, 2))


def _eliminated(seen: Array, unseen: Array, offsets: Array) -> tuple[Array, Array] | None:
    """The inequalities ``seen @ z + offsets >= 0`` of those z for which some w fulfils the ones with `unseen` too."""
    rows = np.concatenate([unseen, seen, offsets[:, None]], axis=1)
    for _ in range(unseen.shape[1]):
        sizes = np.abs(rows[:, :-1]).max(axis=1, initial=0.0)
        rows = rows / np.where(sizes > _FLAT, sizes, 1.0)[:, None]
        way = rows[:, 0]
        up, down, level = rows[way > _FLAT], rows[way < -_FLAT], rows[np.abs(way) <= _FLAT]
        if len(level) + len(up) * len(down) > _MOST_ROWS:
            return None
        pairs = (up / up[:, :1])[:, None] + (down / -down[:, :1])[None]
        rows = np.concatenate([level, pairs.reshape(-1, rows.shape[1])])[:, 1:]
        rows = np.unique(rows.round(12), axis=0)
    return rows[:, :-1], rows[:, -1]


def _clipped(polygon: Array, normals: Array, offsets: Array) -> Array:
    """The part of a convex polygon where ``normals @ p + offsets >= 0`` (Sutherland & Hodgman)."""
    for normal, offset in zip(normals, offsets, strict=True):
        if not len(polygon):
            break
        room = polygon @ normal + offset
        kept = []
        for one, two, here, there in zip(polygon, np.roll(polygon, -1, 0), room, np.roll(room, -1), strict=True):
            if here >= 0:
                kept.append(one)
            if here * there < 0:
                kept.append(one + here / (here - there) * (two - one))
        polygon = np.array(kept).reshape(-1, 2)
    return polygon
