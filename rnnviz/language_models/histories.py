"""What is left of a text that was read: the last characters in an n-gram model, a hidden state in a network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rnnviz.maths import Cell, make_cell, run
from rnnviz.maths.checks import Array

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


def one_hot(text: str, characters: str) -> Array:
    """A row for each character of a text, 1 at its place among all characters, (T, V)."""
    places = {character: place for place, character in enumerate(characters)}
    rows = np.zeros((len(text), len(characters)))
    rows[np.arange(len(text)), [places[character] for character in text]] = 1.0
    return rows


def known_of(histories: tuple[str, str], n: int, seed: int) -> tuple[Known, Known]:
    """Read two histories with an Elman RNN of `UNITS` units over the characters of both; its W_hh is orthogonal."""
    characters = "".join(sorted(set("".join(histories))))
    cell = make_cell("elman", max(len(characters), 1), UNITS, init="orthogonal", seed=seed)
    first, second = (Known(_last(text, n - 1), _state(cell, one_hot(text, characters))) for text in histories)
    return first, second


def _last(text: str, count: int) -> str:
    return text[len(text) - min(count, len(text)) :]


def _state(cell: Cell, x: Array) -> Array:
    """The last state; before the first character it is 0."""
    return run(cell, x).h[-1] if len(x) else np.zeros(cell.hidden_size)
