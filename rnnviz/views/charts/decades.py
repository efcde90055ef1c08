"""Curves of positive numbers over time on an axis of decades: plain values for the component that draws them.

All numbers are base-10 logarithms, so that 1e-1000 is drawn as well as 1e-3; an exact 0 is ``-inf``.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rnnviz.texts import group
from rnnviz.views.explorer.picture import Sync
from rnnviz.views.message import packed
from rnnviz.views.numbers import MINUS

Array = NDArray[np.float64]

FRONT, BEHIND, FIT, BOUND, REFERENCE, FADE, GROW = "front", "behind", "fit", "bound", "reference", "fade", "grow"
"""How a curve is drawn: the one in front, others beside it, a fitted line, and lines to compare with, each with a dash
of its own: a bound, a reference that is none, a single number's fading and growing."""

ASKED = (BOUND, REFERENCE, FADE, GROW)
"""Those that are shown when asked for."""

MAP_TICKS = (300, 100, 30, 10, 3, 0, -3, -10, -30, -100, -300)
"""Where the numbers of the map's scale stand, in decades: the same for every network, 1 in the middle, ends included.

The scale is linear near 1 and logarithmic in the decades far from it: a factor of 10 shows, and one of 1e100 does too.
"""


@dataclass(frozen=True, eq=False)
class Curve:
    """A line of the chart.

    Attributes
    ----------
    name : str
        In the legend.
    values : (T+1,) array
        log10 at the steps 0..T.
    colour : str
        "elman", "lstm", "gru", "alone", "other", "muted" or "text".
    style : str
        `FRONT`, `BEHIND`, `FIT`, `BOUND`, `REFERENCE`, `FADE` or `GROW`.
    note : str
        What it is, in a sentence.
    key : str
        What stays the same while its name and values change: a hidden curve stays hidden. By default the name.
    """

    name: str
    values: Array
    colour: str
    style: str = FRONT
    note: str = ""
    key: str = ""


@dataclass(frozen=True)
class Axis:
    """The range of an axis of decades, and where its numbers stand."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]


@dataclass(frozen=True, eq=False)
class PairMap:
    """Norms of all pairs of steps.

    Attributes
    ----------
    norms : (n, n) array
        log10 of what arrives from step ``first + column`` at step ``first + row``; ``-inf`` above the diagonal.
    first : int
        The step of row and column 0.
    chosen : (k, t)
        The pair whose steps are shown one by one; it may lie off the map, which then marks none.
    said : str
        The map in a sentence.
    left_out : str
        Which steps it leaves out, in a sentence; empty where it has all.
    """

    norms: Array
    first: int
    chosen: tuple[int, int]
    said: str
    left_out: str = ""


@dataclass(frozen=True, eq=False)
class Chart:
    """What the component draws.

    Attributes
    ----------
    curves : sequence of Curve
        The first stands before the others. All have T + 1 values, or end early together with their network.
    said : str
        The chart in a sentence, for screen readers.
    threshold : (float, str), or None
        A level to hold the curves against, log10, and its name.
    pairs : PairMap or None
        The map beside it.
    height : int
        In pixels.
    """

    curves: Sequence[Curve]
    said: str
    threshold: tuple[float, str] | None = None
    pairs: PairMap | None = None
    height: int = 330
    words: dict[str, str] = field(default_factory=lambda: group("flow"))


def decade_axis(values: Sequence[Array], most: int = 6, least: float = 2.0) -> Axis:
    """An axis that holds all finite values and 1, with at most `most` numbers at whole decades.

    Examples
    --------
    >>> decade_axis([np.array([-299.2, 0.0])]).ticks[-1]
    (-300, '1e−300')
    """
    finite = np.concatenate([np.zeros(1), *(one[np.isfinite(one)] for one in values)])
    low, high = (end if abs(end) > _ROUNDING else 0.0 for end in (float(finite.min()), float(finite.max())))
    if high - low < least:
        low, high = (low - (least - high + low), high) if high <= -low else (low, high + least - high + low)
    margin = 0.04 * (high - low)
    low, high = low - margin, high + margin
    step = next(size for size in _steps(high - low) if _count(low, high, size) <= most)
    first, last = _ends(low, high, step)
    if step * first > float(finite.min()) and last - first + 1 < most:
        # a whole number at the lower end reads better than one just cut off
        first, low = first - 1, step * (first - 1) - margin / 2
    return Axis(low, high, decade_ticks(range(step * last, step * first - 1, -step)))


_ROUNDING = 1e-9
"""Decades next to 1 that are no growth: a rotation, whose norm is 1 but for the last bits, has the axis of 1."""


def _ends(low: float, high: float, step: int) -> tuple[int, int]:
    """The first and the last multiple of a step within a range, counted in steps."""
    return math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)


def _count(low: float, high: float, step: int) -> int:
    first, last = _ends(low, high, step)
    return last - first + 1


def _steps(span: float) -> Iterator[int]:
    """Round steps, from the least that may do for a range on."""
    for power in itertools.count(max(0, math.floor(math.log10(span)) - 2)):
        yield from (size * 10**power for size in (1, 2, 5))


def decade_ticks(decades: Sequence[int]) -> tuple[tuple[int, str], ...]:
    """Powers of ten at an axis with their texts in one form: where one has an exponent, all have but 1.

    Examples
    --------
    >>> decade_ticks([2, 0, -2]), decade_ticks([2, 0, -4])
    (((2, '100'), (0, '1'), (-2, '0.01')), ((2, '1e2'), (0, '1'), (-4, '1e−4')))
    """
    short = all(_LEAST <= decade <= _MOST for decade in decades)
    return tuple((decade, decade_text(decade, short=short)) for decade in decades)


_LEAST, _MOST = -3, 4
"""Between them a power of ten may be written without an exponent."""


def decade_text(decade: int, *, short: bool = True) -> str:
    """A power of ten; `short` is without an exponent where it is near 1.

    Examples
    --------
    >>> [decade_text(decade) for decade in (-20, -1, 0, 2, 40)]
    ['1e−20', '0.1', '1', '100', '1e40']
    """
    if decade == 0 or (short and _LEAST <= decade <= _MOST):
        return f"{10.0**decade:g}"
    return (f"1e{decade}" if abs(decade) < 1e7 else f"10^{decade:.0e}".replace("e+", "e")).replace("-", MINUS)


def pack_chart(chart: Chart, sync: Sync | None = None) -> bytes:
    """A chart as the component reads it (`rnnviz.views.message`); with `sync` it has the page's Undo."""
    arrays: dict[str, Array] = {}
    curves = []
    for number, curve in enumerate(chart.curves):
        arrays[f"curve {number}"] = curve.values
        shown = {
            "key": curve.key or curve.name,
            "name": curve.name,
            "colour": curve.colour,
            "style": curve.style,
            "note": curve.note,
            "shown": curve.style not in ASKED,
        }
        curves.append({**shown, "array": f"curve {number}"})
    main = [curve for curve in chart.curves if curve.style in (FRONT, BEHIND)]
    level = [] if chart.threshold is None else [np.array([chart.threshold[0]])]
    axis = decade_axis([*(curve.values for curve in main), *level])
    header: dict[str, object] = {
        "words": chart.words,
        "steps": max(len(curve.values) for curve in chart.curves) - 1,
        "height": chart.height,
        "curves": curves,
        "low": axis.low,
        "high": axis.high,
        "ticks": axis.ticks,
        "threshold": chart.threshold and {"value": chart.threshold[0], "label": chart.threshold[1]},
        "said": chart.said,
        "map": None,
        "chosen": [0, 1],
        "sync": sync and vars(sync),
    }
    if chart.pairs is not None:
        arrays["pairs"] = chart.pairs.norms
        header["chosen"] = chart.pairs.chosen
        header["map"] = {
            "array": "pairs", "first": chart.pairs.first, "size": len(chart.pairs.norms), "said": chart.pairs.said,
            "left_out": chart.pairs.left_out, "ticks": decade_ticks(MAP_TICKS),
        }  # fmt: skip
    return packed(header, arrays)
