"""Where a norm over time is exponential, and at what pace: straight lines fitted to its logarithm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rnnviz.maths.checks import Array
from rnnviz.maths.gradient_flow.horizon import read_norms

__all__ = ["FLOOR", "TOLERANCE", "Phase", "decay_phases"]

TOLERANCE = 0.05
"""The share of a line's decades by which a norm may lie off it."""

FLOOR = 0.05
"""Decades, 12 %, by which it may lie off a line in any case."""

_LEAST = 4  # steps of a line: through fewer points there is always one
_SHORT = 0.1  # the share of all steps that may pass before a line begins, without being told of by themselves
_PLACES = 48  # where a line is tried to begin; with so many, none of them is far from the best


@dataclass(frozen=True)
class Phase:
    """A range of steps back over which a norm is exponential: the least-squares line of its logarithm.

    Attributes
    ----------
    first, last : int
        Steps back from T at which the line begins and ends.
    decades_per_step : float
        Its slope for each step back; negative where the norm fades.
    start : float
        Decades: the line's value at `first`.
    off : float
        Decades: the most by which a norm of this range lies off the line.
    """

    first: int
    last: int
    decades_per_step: float
    start: float
    off: float

    @property
    def change(self) -> float:
        """Decades from the line's beginning to its end."""
        return self.decades_per_step * (self.last - self.first)

    @property
    def is_line(self) -> bool:
        """Whether every norm lies within the tolerance."""
        return self.off <= max(FLOOR, TOLERANCE * abs(self.change))


def decay_phases(log10_norms: object) -> tuple[Phase, ...]:
    """Return the ranges over which a norm is exponential: one, two that follow each other, or none.

    "Halves every N steps" is true of a norm only where its logarithm is a straight line. The line is that of least
    squares, and a range counts where no norm lies off it by more than 5 % of the decades that the line passes, or 12 %
    (0.05 decades) where that is more. The longest tail is taken that is such a line, if it has at least half of all
    steps; else, or where much comes before it, two lines that meet, each within the tolerance.

    Parameters
    ----------
    log10_norms : (T+1,) array
        From `log10_gradient_norms`: entry k belongs to step k. What is exactly 0, from step 0 on, is left out.

    Returns
    -------
    tuple of Phase
        By their steps back; empty where no line fits, a norm in between is exactly 0, or there are fewer than 4 steps.

    Raises
    ------
    InputError
        As `gradient_reach` does.

    Examples
    --------
    >>> import numpy as np
    >>> (phase,) = decay_phases(-0.25 * np.arange(20.0, -1.0, -1.0))
    >>> phase.first, phase.last, round(phase.decades_per_step, 12), round(phase.off, 12)
    (0, 20, -0.25, 0.0)
    """
    norms = read_norms(log10_norms)[::-1]  # by steps back
    there = np.isfinite(norms)
    last = int(np.flatnonzero(there)[-1])
    if last < _LEAST or not there[: last + 1].all():
        return ()
    norms = norms[: last + 1]
    tail = _tail(norms)
    if tail is not None and tail.first <= max(2, _SHORT * last):
        return (tail,)
    return _two(norms) or (() if tail is None else (tail,))


def _fitted(norms: Array, first: int, last: int) -> Phase:
    """The least-squares line of the norms from one step back to another."""
    steps, values = np.arange(first, last + 1) - (first + last) / 2, norms[first : last + 1]
    mean = float(values.mean())
    slope = float(steps @ (values - mean) / (steps @ steps))
    off = float(np.abs(values - mean - slope * steps).max())
    return Phase(first, last, slope, mean + slope * float(steps[0]), off)


def _tail(norms: Array) -> Phase | None:
    """The line over the longest tail that is one, of at least half of all steps."""
    last = len(norms) - 1
    for first in _places(0, min(last // 2, last - _LEAST)):
        line = _fitted(norms, first, last)
        if line.is_line:
            return line
    return None


def _two(norms: Array) -> tuple[Phase, ...]:
    """Two lines that meet where their squares are least, if both fit and differ; else none."""
    last = len(norms) - 1
    if last < 2 * _LEAST:
        return ()
    near = min(_places(_LEAST, last - _LEAST), key=lambda place: _squares(norms, place))
    stride = last // _PLACES + 1
    around = range(max(_LEAST, near - stride), min(last - _LEAST, near + stride) + 1)
    meet = min(around, key=lambda place: _squares(norms, place))
    lines = _fitted(norms, 0, meet), _fitted(norms, meet, last)
    return lines if all(line.is_line for line in lines) else ()


def _squares(norms: Array, place: int) -> float:
    """The sum of the squares by which the norms lie off two lines that meet at a place."""
    total = 0.0
    for part in (norms[: place + 1], norms[place:]):
        steps = np.arange(len(part)) - (len(part) - 1) / 2
        apart = part - part.mean()
        total += float(apart @ apart - (steps @ apart) ** 2 / (steps @ steps))
    return total


def _places(first: int, last: int) -> list[int]:
    """All whole numbers of a range, or about `_PLACES` of them."""
    places = np.linspace(first, last, min(last - first + 1, _PLACES)).round()
    return [int(place) for place in np.unique(places)]
