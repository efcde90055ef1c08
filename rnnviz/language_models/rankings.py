"""The units of a character network that follow a pattern of the text, and moments whose states are alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rnnviz.maths import InputError
from rnnviz.maths.checks import Array, Sealed, read_array, read_integer, require_shape
from rnnviz.wording import Message

_BLOCK = 64  # characters at a time: with a few hundred units they stay in the cache of a core
_LARGEST_EXPONENT = 300  # of 2: squares, and differences in the last digit squared, stay far inside float64

_VALUES = Message("error.rankings.values.whose", "with a row for each character and a column for each unit")
_PATTERN = Message("error.rankings.pattern.whose", "with a number for each row of values")
_SAME_TEXT = Message("error.rankings.cure", "Record the activations and make the pattern on the same characters.")

Places = NDArray[np.intp]


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
            "rankings.cut",
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
