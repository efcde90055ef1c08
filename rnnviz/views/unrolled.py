"""The network as an acyclic graph over time: its vectors at every step, level above level, and the weights between."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Readout, Trace

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Level:
    """A vector of the graph at every step.

    Attributes
    ----------
    symbol, sup : str
        Its letter, and the layer's mark.
    values : (T, n) or (T+1, n) array
        With an initial state in row 0, or without.
    inward : (symbol, matrix) or None
        The weights of the arrow that comes from the level below.
    around : (symbol, matrix) or None
        The weights of the arrow that comes from the step before.
    """

    symbol: str
    sup: str
    values: Array
    inward: tuple[str, Array] | None = None
    around: tuple[str, Array] | None = None


def levels_of(
    traces: Sequence[Trace],
    passes: Sequence[tuple[Readout, Array]] = (),
    head: tuple[Readout, Array] | None = None,
) -> tuple[Level, ...]:
    """The levels of a stack's graph from the input up.

    Parameters
    ----------
    traces : sequence of L Trace
        The layers over one sequence.
    passes : sequence of L (Readout, (T, H) array), optional
        What each layer hands on instead of its state.
    head : (Readout, (T, O) array), optional
        The network's readout, and its output at every step.
    """
    levels = [Level("x", "", traces[0].x)]
    for number, trace in enumerate(traces, start=1):
        mark = f"({number})" if len(traces) > 1 else ""
        cell = trace.cell
        levels.append(Level("h", mark, trace.h, (f"W_ih{mark}", cell.W_ih), (f"W_hh{mark}", cell.W_hh)))
        if passes:
            readout, passed = passes[number - 1]
            levels.append(Level("u", mark, passed, (f"W_ho{mark}", readout.W)))
    if head is not None:
        readout, y = head
        levels.append(Level("y", "", y, ("W_out" if passes else "W_ho", readout.W)))
    return tuple(levels)
