"""Patterns of characters in a text, each a number for every character, which a unit of a network may follow.

Karpathy, Johnson & Fei-Fei (2015), "Visualizing and understanding recurrent networks", found such units in an LSTM:
one that is on inside quotes, one that counts the characters of a line, one that knows the depth of brackets.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import InputError
from rnnviz.maths.checks import Array, read_integer

SENTENCE_ENDS = ".!?…؟।"
CLOSERS = "\"'”’»)]}"
"""What may stand between the end of a sentence and the white space after it."""

Truths = NDArray[np.bool_]
Kind = TypeVar("Kind", bound=np.generic)


def _quotes(text: str) -> Array:
    """1 from “ up to ”, and from one " up to the next, the signs too; what is never closed lasts to the end."""
    straight = np.cumsum(_where(text, '"'.__eq__)) % 2 == 1
    curly = _switched(_where(text, "“".__eq__), _where(text, "”".__eq__))
    inside: Truths = straight | curly  # after each character
    return (inside | _before(inside)).astype(np.float64)


def _brackets(text: str) -> Array:
    """How many ( [ { are open; a bracket has the depth of what it encloses. One that closes nothing is ignored.

    Examples
    --------
    >>> _brackets("f(x[0])").tolist()
    [0.0, 1.0, 1.0, 2.0, 2.0, 2.0, 1.0]
    """
    change = _where(text, "([{".__contains__).astype(np.int64) - _where(text, ")]}".__contains__)
    height = np.cumsum(change)
    depth = height - np.minimum(np.minimum.accumulate(height), 0)  # at 0 it stays where it would fall
    return np.maximum(depth, _before(depth)).astype(np.float64)


def _vowels(text: str) -> Array:
    """1 on a, e, i, o, u, small or capital, with or without accents; a combining accent by itself is none."""
    return _where(text, lambda sign: unicodedata.normalize("NFD", sign)[0] in "aeiouAEIOU").astype(np.float64)


def _spaces(text: str) -> Array:
    """1 on white space, which newlines are too."""
    return _where(text, str.isspace).astype(np.float64)


def _upper(text: str) -> Array:
    """1 on the upper-case letters of any script."""
    return _where(text, lambda sign: unicodedata.category(sign) == "Lu").astype(np.float64)


def _digits(text: str) -> Array:
    """1 on the decimal digits of any script."""
    return _where(text, str.isdecimal).astype(np.float64)


def _position_in_word(text: str) -> Array:
    """The letters of the word before this one; 0 on all that is no letter. Combining accents don't end a word."""
    letter = _where(text, str.isalpha)
    letters = np.cumsum(letter)
    before_word = np.maximum.accumulate(np.where(_in_word(text), 0, letters))
    return np.where(letter, letters - before_word - 1, 0).astype(np.float64)


def _position_in_line(text: str) -> Array:
    r"""The characters since the last newline \n; on a newline the length of the line that it ends."""
    place = np.arange(len(text))
    return (place - np.maximum.accumulate(np.where(_before(_where(text, "\n".__eq__)), place, 0))).astype(np.float64)


def _sentence_start(text: str) -> Array:
    """1 up to the last letter of the first word, from the white space on that comes after . ! ? … ؟ ।, quotes between.

    An abbreviation before white space is taken for the end of a sentence, as it may look to the network.
    """
    end = _where(text, SENTENCE_ENDS.__contains__)
    ended = _switched(end, ~end & ~_where(text, CLOSERS.__contains__))
    start = _where(text, str.isspace) & _before(ended)
    start[:1] = True
    word = _in_word(text)
    return _switched(start, _before(word) & ~word).astype(np.float64)


PATTERNS: dict[str, Callable[[str], Array]] = {
    "quotes": _quotes,
    "brackets": _brackets,
    "vowels": _vowels,
    "spaces": _spaces,
    "upper": _upper,
    "digits": _digits,
    "position_in_word": _position_in_word,
    "position_in_line": _position_in_line,
    "sentence_start": _sentence_start,
}
"""From a text of T characters, which are code points, to (T,) numbers; each says in its docstring what it counts."""


def span_pattern(text: str, start: int, end: int) -> Array:
    """1 within a span of the text, 0 elsewhere.

    Parameters
    ----------
    text : str
        Of T characters.
    start, end : int
        Zero-based; `end` is the first character after the span.

    Returns
    -------
    (T,) array

    Raises
    ------
    InputError
        Unless ``0 <= start < end <= T``.

    Examples
    --------
    >>> span_pattern("abcd", 1, 3).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    start, end = read_integer("start", start, 0), read_integer("end", end, 0)
    if not start < end <= len(text):
        raise InputError(
            "patterns.span",
            "From {start} up to {end} is no span of a text of {count} {count:character|characters}. Select at least "
            "one character of the text, with start < end.",
            start=start, end=end, count=len(text),
        )  # fmt: skip
    pattern = np.zeros(len(text))
    pattern[start:end] = 1.0
    return pattern


def _where(text: str, holds: Callable[[str], bool]) -> Truths:
    """Whether something holds of each character; asked once for each that is different."""
    answers = {sign: holds(sign) for sign in set(text)}
    return np.fromiter(map(answers.__getitem__, text), dtype=np.bool_, count=len(text))


def _switched(on: Truths, off: Truths) -> Truths:
    """Whether the last switch up to each character was `on`, which wins over `off`; before the first it was not."""
    last = np.maximum.accumulate(np.where(on | off, np.arange(len(on)), -1))
    return (last >= 0) & on[last]


def _before(found: NDArray[Kind]) -> NDArray[Kind]:
    """What was found one character earlier; 0 before the first."""
    return np.concatenate([np.zeros(1, dtype=found.dtype), found])[:-1]


def _in_word(text: str) -> Truths:
    """Whether a word, which begins with a letter, goes on: it consists of letters and combining accents."""
    letter = _where(text, str.isalpha)
    return _switched(letter, ~letter & ~_where(text, lambda sign: unicodedata.category(sign).startswith("M")))
