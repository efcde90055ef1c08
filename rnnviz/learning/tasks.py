"""The tasks: sequences drawn from a seed, and what a network has to say at each of their steps.

All streams are those of `numpy.random.RandomState`, which never change, so that a shared address shows the same
sequence for ever; a longer sequence begins like a shorter one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def brackets(steps: int, seed: int = 0, deepest: int = 8) -> Array:
    """Opening and closing brackets, of which none closes what was not opened.

    Parameters
    ----------
    steps : int
        T.
    seed : int
        A fair coin opens or closes, except where only one of them is allowed: at depth 0 and at the deepest.
    deepest : int
        At most so many brackets are open at a time; at least 1.

    Returns
    -------
    (T, 2) array
        Component 1 is 1 for an opening bracket, component 2 for a closing one.

    Examples
    --------
    >>> "".join("()"[int(closes)] for closes in brackets(12, seed=3)[:, 1])
    '()()()(((((('
    """
    coins = np.random.RandomState(seed).random_sample(steps) < 0.5
    x = np.zeros((steps, 2))
    height = 0
    for t, opens in enumerate(coins):
        opens = height == 0 or (opens and height < deepest)
        x[t, 0 if opens else 1] = 1.0
        height += 1 if opens else -1
    return x


def depth(x: Array) -> Array:
    """How many brackets are open after each step of a ``(T, 2)`` sequence of `brackets`: ``(T,)``.

    >>> depth(np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])).tolist()
    [1.0, 2.0, 1.0]
    """
    return np.cumsum(x[:, 0] - x[:, 1])


def bits(steps: int, seed: int = 0) -> Array:
    """Zeros and ones, each with even odds: ``(T, 1)``.

    >>> bits(6, seed=1)[:, 0].tolist()
    [1.0, 1.0, 0.0, 0.0, 1.0, 1.0]
    """
    return np.random.RandomState(seed).randint(0, 2, (steps, 1), dtype=np.int64).astype(np.float64)


def parity(x: Array) -> Array:
    """1 after each step of a ``(T, 1)`` sequence of `bits` up to which the ones are odd in number, else 0: ``(T,)``.

    >>> parity(np.array([[1.0], [0.0], [1.0], [1.0]])).tolist()
    [1.0, 1.0, 0.0, 1.0]
    """
    return np.cumsum(x[:, 0]) % 2
