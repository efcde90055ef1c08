"""Clipping in sentences: the gradient before and after, what it mends and what it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.extended_range.lengths import direction, lengths
from rnnviz.texts import say
from rnnviz.views.numbers import faded, power, power_of_ten, written

Array = NDArray[np.float64]

NOTHING, LEARNED = 0.95, 0.1
"""Shares of the target's variance: a loss above the one has learned nothing, one below the other has learned it."""


@dataclass(frozen=True, eq=False)
class Descents:
    """What became of the starts at the best learning rate.

    Attributes
    ----------
    arrived, starts : int
        How many arrive, of how many.
    rate : float
        The learning rate.
    quartiles : (3,) array
        Of the last losses: the lower quartile, the median, the upper quartile.
    """

    arrived: int
    starts: int
    rate: float
    quartiles: Array


@dataclass(frozen=True, eq=False)
class Way:
    """One descent.

    Attributes
    ----------
    path : (n+1, 2) array
        Both weights after 0, 1, ... updates.
    last : float
        Its last loss.
    """

    path: Array
    last: float

    @property
    def longest(self) -> tuple[float, int]:
        """How far the largest update moves the weights, and which it is, counted from 1."""
        moves = lengths(np.diff(self.path, axis=0))
        return float(moves.max()), int(moves.argmax()) + 1


def norm_of(arrays: Mapping[str, Array]) -> float:
    """The norm of all entries together, right over the whole range of float64."""
    return float(lengths(_flat(arrays)))


def cosine(before: Mapping[str, Array], after: Mapping[str, Array]) -> float:
    """Of the angle between two gradients, neither of them 0."""
    return float(direction(_flat(before)) @ direction(_flat(after)))


def _flat(arrays: Mapping[str, Array]) -> Array:
    return np.concatenate([array.ravel() for array in arrays.values()])


def clip_words(before: Mapping[str, Array], after: Mapping[str, Array], max_norm: float) -> str:
    """The norm before and after, and the cosine between both gradients."""
    norm, limit = norm_of(before), power(max_norm)
    if norm == 0:
        return say("clip.zero")
    if norm <= max_norm:
        return say("clip.kept", norm=power(norm), limit=limit)
    return say(
        "clip.clipped", norm=power(norm), limit=limit, factor=power_of_ten(float(np.log10(max_norm) - np.log10(norm))),
        after=power(norm_of(after)), cosine=written(cosine(before, after)),
    )  # fmt: skip


def norms_of(before: Mapping[str, Array], after: Mapping[str, Array]) -> dict[str, tuple[float, float]]:
    """The norms of the four weights' gradients and of all together, before and after, by name."""
    norms = {name: (norm_of({name: before[name]}), norm_of({name: after[name]})) for name in before}
    return norms | {say("clip.column.all"): (norm_of(before), norm_of(after))}


def norms_columns(before: Mapping[str, Array], after: Mapping[str, Array]) -> dict[str, list[object]]:
    """The same as columns of a table, with the number of entries."""
    norms, sizes = norms_of(before, after), [array.size for array in before.values()]
    return {
        say("clip.column.weight"): list(norms),
        say("clip.column.entries"): [*sizes, sum(sizes)],
        say("clip.column.before"): [one for one, _ in norms.values()],
        say("clip.column.after"): [other for _, other in norms.values()],
    }


# --- a cliff --------------------------------------------------------------------------------------------------------


def cliff_words(free: Descents, clipped: Descents) -> str:
    """Whether clipping lets more starts arrive, and the last losses either way."""
    more = np.sign(clipped.arrived - free.arrived)
    verdict = {1: "clip.cliff.helps", 0: "clip.cliff.same", -1: "clip.cliff.harms"}[int(more)]
    said = say(verdict, starts=free.starts, free=free.arrived, clipped=clipped.arrived)
    return f"{said} {_spread(free, clipped)}"


def _spread(free: Descents, clipped: Descents) -> str:
    without, within = ([power(one) for one in way.quartiles.tolist()] for way in (free, clipped))
    return say(
        "clip.cliff.spread", free=without[1], free_low=without[0], free_high=without[2], free_rate=written(free.rate),
        clipped=within[1], clipped_low=within[0], clipped_high=within[2], clipped_rate=written(clipped.rate),
    )  # fmt: skip


def way_words(start: int, free: Way, clipped: Way, inside: tuple[tuple[float, float], tuple[float, float]]) -> str:
    """What became of one start, and how far the largest update moves its weights.

    Parameters
    ----------
    start : int
        Its number, counted from 1.
    free, clipped : Way
    inside : pair of ranges
        Of w and of b: what the map shows.
    """
    if np.array_equal(free.path, clipped.path):
        return say("clip.cliff.same_way", start=start, last=power(free.last))
    (far, when), (near, _) = free.longest, clipped.longest
    said = [
        say(
            "clip.cliff.way", start=start, free=power(free.last), clipped=power(clipped.last), far=written(far),
            when=when, near=written(near),
        )
    ]  # fmt: skip
    low, high = np.array(inside).T
    for name, way in ((say("clip.without"), free), (say("clip.with"), clipped)):
        outside = ((way.path < low) | (way.path > high)).any(axis=1)
        if outside.any():
            said.append(say("clip.cliff.leaves", name=name, update=int(outside.argmax())))
    return " ".join(said)


def cliff_columns(rates: Array, free: tuple[Array, Array], clipped: tuple[Array, Array]) -> dict[str, list[float]]:
    """What came of every learning rate, as columns of a table.

    Parameters
    ----------
    rates : (R,) array
    free, clipped : pair of (R,) and (R, 3) arrays
        How many starts arrive, and the quartiles of their last losses.
    """
    columns = {say("clip.cliff.rate"): rates.tolist()}
    for name, (arrived, quartiles) in ((say("clip.without"), free), (say("clip.with"), clipped)):
        columns[say("clip.cliff.column.arrived", name=name)] = arrived.tolist()
        for part, values in zip(("low", "median", "high"), quartiles.T.tolist(), strict=True):
            columns[say(f"clip.cliff.column.{part}", name=name)] = values
    return columns


# --- a vanished gradient --------------------------------------------------------------------------------------------


def recall_words(steps: int, share: float, reach: tuple[float, float], count: int, updates: int) -> str:
    """Whether a network with clipped gradients has learned anything of its first input, and what of it arrives.

    Parameters
    ----------
    steps : int
        T.
    share : float
        Its last loss on fresh data as a share of the target's variance.
    reach : pair of float
        The largest derivative of the output with respect to the first input, before learning and after.
    count, updates : int
        How many updates were clipped, of how many.
    """
    key = "clip.recall.nothing" if share > NOTHING else "clip.recall.learned" if share < LEARNED else "clip.recall.part"
    arrives = say("clip.recall.reach", before=faded(reach[0]), after=faded(reach[1]))
    acted = say("clip.recall.acted" if count else "clip.recall.idle", count=count, updates=updates)
    return f"{say(key, steps=steps, share=power(share))} {arrives} {acted}"


def control_words(steps: int, share: float) -> str:
    """Whether the same network with clipped gradients learns it over fewer steps."""
    key = "clip.control.learned" if share < LEARNED else "clip.control.not"
    return say(key, steps=steps, share=power(share))


def recall_columns(rates: Array, swept: Mapping[str, Array]) -> dict[str, list[float]]:
    """The last losses at every learning rate as shares of the target's variance, as columns of a table."""
    return {say("clip.cliff.rate"): rates.tolist()} | {name: shares.tolist() for name, shares in swept.items()}
