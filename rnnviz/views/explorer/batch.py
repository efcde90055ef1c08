"""All sequences of a batch beside each other, at one step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rnnviz.texts import say

Array = NDArray[np.float64]


def state_columns(states: Array) -> dict[str, list[object]]:
    """States of all sequences, (N, H), as columns of a table: a row for each sequence, a column for each unit."""
    numbers: dict[str, list[object]] = {say("batch.sequence"): list(range(1, len(states) + 1))}
    return numbers | {say("batch.unit", unit=unit): column.tolist() for unit, column in enumerate(states.T, start=1)}
