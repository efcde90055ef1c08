"""What the road from n-grams to hidden states is asked: sizes, two histories, a small network; and its address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from rnnviz.maths import InputError
from rnnviz.sequences import read_sequence, write_sequence
from rnnviz.settings.address import Problem
from rnnviz.settings.chosen import Rows
from rnnviz.settings.table import NOT_HERE, SETTINGS, Setting, Value

FROM_NGRAMS: Mapping[str, Setting] = MappingProxyType(
    {
        setting.name: setting
        for setting in (
            Setting("vocabulary", 27, 1, 1_000_000),
            Setting("n", 5, 1, 10),
            Setting("hidden_size", 64, 1, 4096),
            Setting("seed", 0, 0, 2**32 - 1),
            Setting("activation", "tanh", choices=SETTINGS["activation"].choices),
            Setting("delay", 1, 0, 5),
        )
    }
)
"""Its settings that are numbers or words."""

MATRICES = ("x", "W_xh", "W_hh", "b_h")
"""Its matrices, by the names that they have in the address."""

HISTORIES = ("first", "second")
"""Its texts."""

MOST_CHARACTERS = 200
"""In a history."""

_MOST_ROWS, _MOST_COLUMNS = 12, 6


@dataclass(frozen=True)
class FromNgrams:
    """All that the page can be set to.

    Attributes
    ----------
    vocabulary, n, hidden_size : int
        Characters in the vocabulary, those of an n-gram, and the units of the recurrent network beside it.
    first, second : str
        Two histories.
    seed : int
        Of the network that reads them, and of the bits that are learned.
    x, W_xh, W_hh, b_h : tuples of rows
        One step a row, and the weights in the row convention, x W.
    activation : str
    delay : int
        How many steps ago the bit was that is to be said.
    """

    vocabulary: int = 27
    n: int = 5
    hidden_size: int = 64
    first: str = "the machin"
    second: str = "a big machin"
    seed: int = 0
    x: Rows = ((1.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 0.0))
    W_xh: Rows = ((0.8, -0.5, 0.3), (-0.4, 0.9, 0.6))
    W_hh: Rows = ((0.5, 0.4, 0.0), (-0.6, 0.5, 0.3), (0.2, 0.0, 0.7))
    b_h: Rows = ((0.0, 0.1, 0.0),)
    activation: str = "tanh"
    delay: int = 1

    def value(self, name: str) -> Any:
        """The value of a setting."""
        return getattr(self, name)

    def choose(self, name: str, value: object) -> FromNgrams:
        """The same with another value of one setting."""
        return replace(self, **{name: value})  # type: ignore[arg-type]


FIRST = FromNgrams()
"""What an address without settings means."""


def read_from_ngrams(query: Mapping[str, str]) -> tuple[FromNgrams, tuple[Problem, ...]]:
    """Read what an address carries; what cannot be read is named and left out."""
    problems, chosen = [], dict[str, Any]()
    for name, text in query.items():
        try:
            chosen[name] = _read(name, text)
        except InputError as error:
            problems.append(Problem(name, text, error.message))
    return replace(FIRST, **chosen), tuple(problems)


def _read(name: str, text: str) -> Value | Rows:
    if name in FROM_NGRAMS:
        return FROM_NGRAMS[name].read(text)
    if name in MATRICES:
        return read_matrix(text)
    if name in HISTORIES:
        return checked_history(text)
    raise InputError.of(NOT_HERE)


def write_from_ngrams(of: FromNgrams) -> dict[str, str]:
    """The query that `read_from_ngrams` reads back to the same; what is as at first stays out."""
    changed = [name for name in (*FROM_NGRAMS, *HISTORIES, *MATRICES) if of.value(name) != FIRST.value(name)]
    return {name: _written(name, of.value(name)) for name in changed}


def _written(name: str, value: Any) -> str:
    if name in MATRICES:
        return write_sequence(np.array(value))
    return str(value) if name in HISTORIES else FROM_NGRAMS[name].write(value)


def read_matrix(text: str) -> Rows:
    """Read a typed matrix, one row a line, also where there is only one.

    Raises
    ------
    InputError
        As `read_sequence`; or if it is too large to be drawn.
    """
    rows = read_sequence(text + ";")
    if rows.shape[0] > _MOST_ROWS or rows.shape[1] > _MOST_COLUMNS:
        raise InputError(
            "matrix.large",
            "The matrix has {rows} {rows:row|rows} and {columns} {columns:column|columns}; at most {most_rows} rows "
            "and {most_columns} columns are shown here.",
            rows=rows.shape[0], columns=rows.shape[1], most_rows=_MOST_ROWS, most_columns=_MOST_COLUMNS,
        )  # fmt: skip
    return tuple(tuple(float(value) for value in row) for row in rows)


def checked_history(text: str) -> str:
    """A text that is short enough to be read here.

    Raises
    ------
    InputError
        If it is too long.
    """
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            "history.long", "The text has {count:,} characters; at most {most} are read here. Shorten it.",
            count=len(text), most=MOST_CHARACTERS,
        )  # fmt: skip
    return text
