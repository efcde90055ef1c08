"""What was measured of a recipe: which cells reach its goal, at which seeds and after how many updates."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

GOALS = ("solved", "by_heart", "exploded")

SEEDS = tuple(range(8))
"""Those that every recipe was trained at."""


@dataclass(frozen=True, eq=False)
class Expected:
    """What becomes of a recipe as it stands; ``python -m tests.bench.recipes`` measures it.

    Attributes
    ----------
    at : mapping of str to tuple of int or None
        By the kind of cell, and for each of `SEEDS`: after how many updates the goal was reached, or None.
    goal : str
        "solved": the update from which on every kept checkpoint has a test loss below what solves the task, to the end
        of the run. "by_heart": the first one with such a training loss, where the test loss ends no better than that of
        the best constant answer. "exploded": the update whose loss or gradient is no finite number.

    Examples
    --------
    >>> Expected({"gru": (31, 50, None, 40, 31, 31, 40, None)}).missed("gru")
    (2, 7)
    >>> Expected({"gru": (31, 50, None, 40, 31, 31, 40, None)}).median("gru")
    36
    """

    at: Mapping[str, tuple[int | None, ...]]
    goal: str = GOALS[0]

    def missed(self, kind: str) -> tuple[int, ...]:
        """The seeds at which a cell does not reach the goal."""
        return tuple(seed for seed, update in zip(SEEDS, self.at[kind], strict=True) if update is None)

    def median(self, kind: str) -> int | None:
        """The median update at which it does, over the seeds at which it does."""
        there = [update for update in self.at[kind] if update is not None]
        return round(statistics.median(there)) if there else None
