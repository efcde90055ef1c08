"""What is left of a text that was read: the last characters in an n-gram model, a hidden state in a network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rnnviz.maths import Cell, make_cell, run
from rnnviz.maths.checks import Array
from rnnviz.sequences import one_hot

UNITS = 8
"""Of the network that reads."""


@dataclass(frozen=True, eq=False)
class Known:
    """What two models know of one history.

    Attributes
    ----------
    context : str
        The last n - 1 characters, all that an n-gram model sees.
    h : (H,) array
        The hidden state after the last character.
    """

    context: str
    h: Array


def known_of(histories: tuple[str, str], n: int, seed: int) -> tuple[Known, Known]:
    """Read two histories with an Elman RNN of `UNITS` units over the characters of both; its W_hh is orthogonal."""
    read = "".join(histories)
    x = one_hot(read) if read else np.zeros((0, 1))
    cell = make_cell("elman", x.shape[1], UNITS, init="orthogonal", seed=seed)
    first, second = np.split(x, [len(histories[0])])
    return Known(_last(histories[0], n - 1), _state(cell, first)), Known(
        _last(histories[1], n - 1), _state(cell, second)
    )


def _last(text: str, count: int) -> str:
    return text[len(text) - min(count, len(text)) :]


def _state(cell: Cell, x: Array) -> Array:
    """The last state; before the first character it is 0."""
    return run(cell, x).h[-1] if len(x) else np.zeros(cell.hidden_size)
