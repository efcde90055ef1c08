"""Generated sequences: from a rule and a seed, or from the characters of a text."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def impulse(steps: int, size: int, seed: int = 0) -> Array:
    """One 1 in each component at the first step, then silence: what remains later is memory."""
    del seed
    x = np.zeros((steps, size))
    x[0] = 1.0
    return x


def sine(steps: int, size: int, seed: int = 0) -> Array:
    """Sine waves with a period of 12 steps, each component a quarter period behind the one before it."""
    del seed
    t = np.arange(1, steps + 1)[:, None]
    return np.asarray(np.sin(2 * np.pi * (t / 12 - np.arange(size) / 4)).round(2) + 0.0)


def noise(steps: int, size: int, seed: int = 0) -> Array:
    """Independent uniform numbers in -1..1, rounded to two decimals so that the screen shows them whole.

    The stream of `numpy.random.RandomState` never changes, so that a shared address shows the same numbers for
    ever; rows are drawn in order, so a longer sequence begins like a shorter one.
    """
    return np.round(np.random.RandomState(seed).uniform(-1.0, 1.0, (steps, size)), 2) + 0.0


def silence(steps: int, size: int, seed: int = 0) -> Array:
    """Zeros: the network is left to itself."""
    del seed
    return np.zeros((steps, size))


GENERATORS: dict[str, Callable[[int, int, int], Array]] = {
    "noise": noise,
    "impulse": impulse,
    "sine": sine,
    "silence": silence,
}
"""Every generated sequence by its name in the address: ``generator(steps, size, seed) -> (steps, size)``."""


def generate(kind: str, steps: int, size: int, seed: int, number: int) -> Array:
    """The sequence of a batch: noise from a seed of its own, an impulse or a wave each a step apart, silence the same.

    Parameters
    ----------
    kind : str
        A name of `GENERATORS`.
    steps, size, seed : int
        As the generators take them.
    number : int
        Which sequence of the batch, counted from 1; the first is the generator's own.

    Returns
    -------
    (steps, size) array

    Examples
    --------
    >>> generate("impulse", 3, 1, 0, 2).tolist()
    [[0.0], [1.0], [0.0]]
    """
    if kind == "sine":
        return sine(steps + number - 1, size)[number - 1 :]
    x = GENERATORS[kind](steps, size, derived_seed(seed, number))
    return np.roll(x, number - 1, axis=0) if kind == "impulse" else x


def derived_seed(seed: int, number: int) -> int:
    """The seed of the sequence or layer of that number, counted from 1; the first has the seed itself.

    It is drawn, not counted up: else layer 2 of a seed would be layer 1 of the next.

    Examples
    --------
    >>> derived_seed(7, 1), derived_seed(7, 2)
    (7, 3024930075)
    """
    if number == 1:
        return seed
    return int(np.random.RandomState([seed, number]).randint(2**32, dtype=np.uint32))


def alphabet(text: str) -> tuple[str, ...]:
    """The different characters of a text, sorted: the components of `one_hot`.

    Examples
    --------
    >>> alphabet("hello")
    ('e', 'h', 'l', 'o')
    """
    return tuple(sorted(set(text)))


def one_hot(text: str, number: int = 1) -> Array:
    """A text as a sequence: a step for each character, with a 1 at its place in the text's `alphabet`.

    Parameters
    ----------
    text : str
        At least one character.
    number : int
        Which sequence of a batch, counted from 1: each begins a character later and ends with what it left out.

    Returns
    -------
    (T, D) array

    Examples
    --------
    >>> one_hot("aba").tolist()
    [[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]
    """
    places = {sign: place for place, sign in enumerate(alphabet(text))}
    x = np.eye(len(places))[[places[sign] for sign in text]]
    return np.roll(x, 1 - number, axis=0)
