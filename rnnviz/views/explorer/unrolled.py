"""The network as an acyclic graph over time: its vectors at every step, level above level, and the weights between."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Readout, Trace
from rnnviz.views.sentences.gate_facts import keep_factors
from rnnviz.views.sentences.gate_facts import keeper as keeper_of

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
    carry : (label, (T, n) array) or None
        The share of each number that is carried over from the step before, past all weights.
    from_below : str
        How the vector is made of the one below it in the same cell, where no weights are between them.
    scale : str
        Whose colour limit it has, as a `Variable`.
    """

    symbol: str
    sup: str
    values: Array
    inward: tuple[str, Array] | None = None
    around: tuple[str, Array] | None = None
    carry: tuple[str, Array] | None = None
    from_below: str = ""
    scale: str = "state"

    @property
    def has_start(self) -> bool:
        """Whether row 0 of its values is an initial state."""
        return self.around is not None or self.carry is not None


def levels_of(
    traces: Sequence[Trace],
    passes: Sequence[tuple[Readout, Array]] = (),
    head: tuple[Readout, Array] | None = None,
    letter: Callable[[str, str], str] = lambda name, usual: usual,
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
    letter : callable
        ``letter(name, usual) -> str``: how a variable is called in the notation, as `Notation.letter`.
    """
    levels = [Level(letter("x", "x"), "", traces[0].x, scale="signed")]
    for number, trace in enumerate(traces, start=1):
        mark = f"({number})" if len(traces) > 1 else ""
        cell = trace.cell
        inward, around = (f"{letter(name, name)}{mark}" for name in ("W_ih", "W_hh"))
        levels += _state_levels(trace, letter("h", "h"), mark, (inward, cell.W_ih), (around, cell.W_hh))
        if passes:
            readout, passed = passes[number - 1]
            levels.append(Level("u", mark, passed, (f"{letter('W_ho', 'W_ho')}{mark}", readout.W), scale="signed"))
    if head is not None:
        readout, y = head
        last = "W_out" if passes else letter("W_ho", "W_ho")
        levels.append(Level(letter("y", "y"), "", y, (last, readout.W), scale="signed"))
    return tuple(levels)


def _state_levels(
    trace: Trace, h: str, mark: str, inward: tuple[str, Array], around: tuple[str, Array]
) -> Sequence[Level]:
    """The state of a cell: of an LSTM the cell state, which the gates carry on, and the hidden state read from it."""
    if trace.cell.told_by != "gates":
        return (Level(h, mark, trace.h, inward, around),)
    keeper = keeper_of(trace)
    carry = (f"({keeper}) ⊙" if " " in keeper else f"{keeper} ⊙", keep_factors(trace))
    if trace.c is None:
        return (Level(h, mark, trace.h, inward, around, carry=carry),)
    c = Level("c", mark, trace.c, inward, carry=carry, scale="cell")
    return c, Level(h, mark, trace.h, around=around, from_below="o ⊙ tanh c")
