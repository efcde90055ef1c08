"""Several networks that learned one task: their test losses side by side, and when each had solved it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.learning.jobs import Lane
from rnnviz.maths.checks import Array


def losses_of(lanes: Sequence[Lane]) -> tuple[NDArray[np.int64], Array]:
    """The moments at which all of these networks have been tested, and their losses.

    Parameters
    ----------
    lanes : sequence of N Lane

    Returns
    -------
    updates : (M,) array of int
    losses : (N, M) array
        Infinite from where a network has left the range of numbers, and where its test did.
    """
    losses = [{one.update: one.test_loss for one in [*lane.checkpoints]} for lane in lanes]
    whole = [found for found, lane in zip(losses, lanes, strict=True) if not lane.is_broken]
    common = set.intersection(*map(set, whole)) if whole else set().union(*losses)
    updates = np.array(sorted(common), dtype=np.int64)
    found = np.array([[one.get(int(update), np.inf) for update in updates] for one in losses])
    return updates, np.where(np.isfinite(found), found, np.inf).reshape(len(lanes), len(updates))


def solved_at(updates: NDArray[np.int64], losses: Array, level: float) -> int | None:
    """The update from which on every test of one network has a loss below a level, or None.

    Examples
    --------
    >>> updates = np.array([0, 10, 20, 30])
    >>> solved_at(updates, np.array([0.5, 0.009, 0.02, 0.001]), 0.01)
    30
    >>> solved_at(updates, np.array([0.5, 0.009, 0.02, 0.03]), 0.01)
    """
    above = np.flatnonzero(~(losses < level))
    first = int(above[-1]) + 1 if len(above) else 0
    return int(updates[first]) if first < len(updates) else None
