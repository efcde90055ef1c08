"""Norms over many seeds, and of several initialisations: medians, quartiles and what they say."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rnnviz.texts import say
from rnnviz.views.numbers import power_of_ten

Array = NDArray[np.float64]


class Quartiles(NamedTuple):
    """The lower quartile, the median and the upper quartile at each step, log10, (T+1,) each."""

    lower: Array
    median: Array
    upper: Array


def quartiles(norms: Array) -> Quartiles:
    """The quartiles of the logarithms at each step, interpolated between two seeds (Hyndman & Fan 1996, type 7).

    Parameters
    ----------
    norms : (N, T+1) array
        log10; ``-inf`` is an exact 0, and so is what lies between it and another norm.
    """
    ranked = np.sort(norms, axis=0)
    return Quartiles(*(_at(ranked, share) for share in (0.25, 0.5, 0.75)))


def _at(ranked: Array, share: float) -> Array:
    """The value at a share of the way through sorted rows."""
    place = share * (len(ranked) - 1)
    below, above = ranked[math.floor(place)], ranked[math.ceil(place)]
    between, there = np.array(below), ~np.isneginf(below)  # and so is what lies above it
    between[there] += (place - math.floor(place)) * (above[there] - below[there])
    return between


def bands_words(bands: Mapping[str, Quartiles], count: int) -> str:
    """Between which norms at step 0 the middle half of the networks lies, by the name of each cell."""
    said = []
    for name, found in bands.items():
        edges = {edge: power_of_ten(float(at[0])) for edge, at in found._asdict().items()}
        key = "seeds.cell.same" if len(set(edges.values())) == 1 else "seeds.cell"
        said.append(say(key, name=name, **edges))
    return say("seeds.bands", count=count, cells="; ".join(said))


def zero_words(bands: Mapping[str, Quartiles]) -> str:
    """Of which cells the median ends in an exact 0, and how far back."""
    ends = {name: ended(found.median) for name, found in bands.items()}
    return " ".join(say("seeds.zero", name=name, lag=lag) for name, lag in ends.items() if lag is not None)


def ended(norms: Array) -> int | None:
    """How many steps back the first exact 0 is, or None."""
    zeros = np.flatnonzero(np.isneginf(norms[::-1]))
    return int(zeros[0]) if len(zeros) else None


def inits_words(medians: Mapping[str, Array], name: str, count: int) -> str:
    """What each initialisation leaves at step 0 in the median."""
    said = [say("inits.cell", name=init, left=power_of_ten(float(median[0]))) for init, median in medians.items()]
    return say("inits.words", name=name, count=count, cells="; ".join(said))


def bands_columns(bands: Mapping[str, Quartiles]) -> dict[str, list[float]]:
    """All of them as columns of a table, a row for each number of steps back."""
    columns = {say("seeds.column.lag"): _lags([found.median for found in bands.values()])}
    for name, found in bands.items():
        for edge, values in found._asdict().items():
            columns[say(f"seeds.column.{edge}", name=name)] = values[::-1].tolist()
    return columns


def inits_columns(medians: Mapping[str, Array]) -> dict[str, list[float]]:
    """The medians as columns of a table, a row for each number of steps back."""
    back = {say("seeds.column.median", name=init): median[::-1].tolist() for init, median in medians.items()}
    return {say("seeds.column.lag"): _lags(list(medians.values())), **back}


def _lags(norms: Sequence[Array]) -> list[float]:
    return [float(lag) for lag in range(max(map(len, norms), default=0))]
