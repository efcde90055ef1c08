"""Which unit of a character network follows what in the text: patterns of characters, and the units that go with them.

Karpathy, Johnson & Fei-Fei (2015), "Visualizing and understanding recurrent networks", found such units in an LSTM:
one that is on inside quotes, one that counts the characters of a line, one that knows the depth of brackets.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rnnviz.maths import InputError
from rnnviz.maths.checks import Array, Sealed, read_array, read_integer, require_shape
from rnnviz.wording import Message

SENTENCE_ENDS = ".!?…؟।"
CLOSERS = "\"'”’»)]}"
"""What may stand between the end of a sentence and the white space after it."""

_BLOCK = 64  # characters at a time: with a few hundred units they stay in the cache of a core
_LARGEST_EXPONENT = 300  # of 2: squares, and differences in the last digit squared, stay far inside float64

_VALUES = Message("error.patterns.values.whose", "with a row for each character and a column for each unit")
_PATTERN = Message("error.patterns.pattern.whose", "with a number for each row of values")
_SAME_TEXT = Message("error.patterns.cure", "Record the activations and make the pattern on the same characters.")

Truths = NDArray[np.bool_]
Places = NDArray[np.intp]
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


@dataclass(frozen=True, eq=False)
class Ranking(Sealed):
    """The units of a network, those first that follow a pattern most closely. The arrays are read-only.

    Attributes
    ----------
    units : (N,) array of int
        Zero-based.
    correlations : (N,) array
        Of these units with the pattern, in -1..1, the largest absolute value first.
    """

    units: Places
    correlations: Array

    def __post_init__(self) -> None:
        for array in (self.units, self.correlations):
            array.setflags(write=False)


@dataclass(frozen=True, eq=False)
class HeldBackRanking(Sealed):
    """Units that were chosen on one part of a text and tested on the rest. The arrays are read-only.

    The best of many units correlates with anything by chance; what was held back tells how much of it was chance.

    Attributes
    ----------
    units : (N,) array of int
        Zero-based.
    seen : (N,) array
        Their correlations on the part on which they were chosen, the largest absolute value first.
    held_back : (N,) array
        Their correlations on the rest.
    """

    units: Places
    seen: Array
    held_back: Array

    def __post_init__(self) -> None:
        for array in (self.units, self.seen, self.held_back):
            array.setflags(write=False)


def rank_units(values: ArrayLike, pattern: ArrayLike) -> Ranking:
    """Rank units by how closely they follow a pattern, up or down.

    By Pearson's correlation, with the means over the text::

        r = Σ (v - mean v) (p - mean p) / sqrt(Σ (v - mean v)² Σ (p - mean p)²)

    and ``r = 0`` if the unit or the pattern is constant.

    Parameters
    ----------
    values : (T, N) array-like
        The activations of N units at T characters.
    pattern : (T,) array-like

    Returns
    -------
    Ranking
        Of equal |r| the first column comes first.

    Raises
    ------
    InputError
        If the shapes do not fit together, or a number is not finite.

    Examples
    --------
    >>> rank_units([[5, 0], [5, 0], [5, -1]], [0, 0, 1])
    Ranking(units=array([1, 0]), correlations=array([-1.,  0.]))
    """
    correlations = _correlations(*_read(values, pattern))
    units = _by_size(correlations)
    return Ranking(units, correlations[units])


def rank_on_held_back(values: ArrayLike, pattern: ArrayLike, cut: int) -> HeldBackRanking:
    """Rank units on the characters before `cut`, and correlate them once more on those from `cut` on.

    Parameters
    ----------
    values : (T, N) array-like
        The activations of N units at T characters.
    pattern : (T,) array-like
    cut : int
        The first character that is held back, zero-based, in 2..T-2.

    Returns
    -------
    HeldBackRanking

    Raises
    ------
    InputError
        As `rank_units`, and if fewer than 2 characters are left on a side.
    """
    activations, wanted = _read(values, pattern)
    cut, count = read_integer("cut", cut, 0), len(wanted)
    if not 2 <= cut <= count - 2:
        raise InputError(
            "patterns.cut",
            "A cut at {cut} leaves fewer than 2 of {count} {count:character|characters} on a side, too few for a "
            "correlation. Move the cut towards the middle, or use a longer text.",
            cut=cut, count=count,
        )  # fmt: skip
    seen, held_back = _correlations(activations[:cut], wanted[:cut]), _correlations(activations[cut:], wanted[cut:])
    units = _by_size(seen)
    return HeldBackRanking(units, seen[units], held_back[units])


def similar_moments(values: ArrayLike, t: int, count: int = 5, apart: int = 10) -> list[int]:
    """The steps at which a network was in a state most like that of step t.

    Likeness is the cosine of two state vectors, ``v·w / (|v| |w|)``, and 0 if one of them is 0.

    Parameters
    ----------
    values : (T, N) array-like
        The state at each step.
    t : int
        Zero-based, in 0..T-1.
    count : int
        How many steps are wanted, at least 1; in a short text fewer are found.
    apart : int
        The steps that lie at least between any two of the results, and between each and t; at least 1.

    Returns
    -------
    list of int
        Zero-based, the largest cosine first, of equal ones the first step. Each is the best that the ones before it
        leave room for.

    Raises
    ------
    InputError
        If t is no step, or count or apart is below 1.

    Examples
    --------
    >>> similar_moments([[1, 0], [1, 1], [0, 1], [3, 0]], 0, count=2, apart=1)
    [3, 1]
    """
    states = _read_values(values)
    t = read_integer("t", t, 0, len(states) - 1)
    count, apart = read_integer("count", count, 1), read_integer("apart", apart, 1)
    states = _scaled(states, axis=1)
    norms = np.sqrt(np.einsum("tn,tn->t", states, states))
    cosines = _quotient(np.einsum("tn,n->t", states, states[t]), norms * norms[t])  # not with @, as in _correlations
    free = np.ones(len(states), dtype=np.bool_)
    found: list[int] = []
    for step in [t, *np.argsort(-cosines, kind="stable").tolist()]:
        if free[step] and len(found) <= count:
            found.append(step)
            free[max(step - apart + 1, 0) : step + apart] = False
    return found[1:]  # without t, which only takes its room


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


def _read(values: ArrayLike, pattern: ArrayLike) -> tuple[Array, Array]:
    activations, wanted = _read_values(values), read_array("pattern", pattern)
    require_shape("pattern", wanted, activations.shape[:1], _PATTERN, _SAME_TEXT)
    return activations, wanted


def _read_values(values: ArrayLike) -> Array:
    activations = read_array("values", values)
    require_shape("values", activations, ("T", "N"), _VALUES, _SAME_TEXT)
    return activations


def _correlations(values: Array, pattern: Array) -> Array:
    """Of each column with the pattern."""
    v, p = _scaled(values, axis=0), _scaled(pattern, axis=0)
    T, first = len(v), v[0]
    blocks = [slice(start, start + _BLOCK) for start in range(0, T, _BLOCK)]
    # Differences from the first row are exact where the spread is tiny, and exactly 0 where a column is constant.
    p = p - p[0]
    p -= p.mean()
    mean = sum((v[block] - first).sum(axis=0) for block in blocks) / T
    products, squares = np.zeros_like(first), np.zeros_like(first)
    for block in blocks:
        centred = v[block] - first
        centred -= mean
        # Not with @: there the last digit depends on where a column stands, and equal columns would not tie.
        products += np.einsum("tn,t->n", centred, p[block])
        squares += np.einsum("tn,tn->n", centred, centred)
    size = np.sqrt(squares) * np.sqrt(p @ p)
    return np.clip(_quotient(products, size), -1.0, 1.0)


def _scaled(values: Array, axis: int) -> Array:
    """The same, but where squares might leave float64 times a power of 2, one for each vector along the axis.

    The largest absolute value becomes about 1, without rounding. Only below 2**-1000 it stays smaller, since the factor
    would overflow, but then at least 2**-74, which can be squared.
    """
    largest = np.maximum(values.max(axis, keepdims=True), -values.min(axis, keepdims=True))
    _, exponent = np.frexp(largest)
    if np.abs(exponent).max() <= _LARGEST_EXPONENT:
        return values
    factor: Array = np.ldexp(1.0, -np.maximum(exponent, -1000))
    return values * factor


def _quotient(products: Array, sizes: Array) -> Array:
    """0 where the size is 0."""
    return np.divide(products, sizes, out=np.zeros_like(products), where=sizes > 0)


def _by_size(correlations: Array) -> Places:
    return np.argsort(-np.abs(correlations), kind="stable")
