"""Where a network ends up under a constant input: simply run from many states until they repeat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.cells import ElmanCell
from rnnviz.maths.checks import Array, Sealed, read_integer
from rnnviz.maths.dynamics.newton import Map, map_under

__all__ = ["GROWN", "LONGEST", "Ending", "Endings", "find_endings"]

GROWN = 1e9
"""A state with a larger entry is given up as growing."""

LONGEST = 100
"""The longest cycle that is recognised, in steps."""

_RETURNED = 1e-12
"""A state has returned when it is this near, relative to its largest entry where that is above 1."""

_SAME = 1e-6
"""States this near are the same one; a cycle that is no larger is a fixed point."""

_BLOCK = 400
_MEASURED = 1000
"""Steps over which the growth of small differences is measured."""


@dataclass(frozen=True, eq=False)
class Ending(Sealed):
    """A fixed point (one state) or a cycle (several, in order) at which starts came to an end.

    Attributes
    ----------
    states : (p, H) array
        p is the period.
    starts : int
        So many of the starts end there.
    """

    states: Array
    starts: int

    def __post_init__(self) -> None:
        self.states.setflags(write=False)

    @property
    def period(self) -> int:
        """Steps until a state returns; 1 for a fixed point."""
        return len(self.states)


@dataclass(frozen=True, eq=False)
class Endings(Sealed):
    """What became of many starts.

    Attributes
    ----------
    found : tuple of Ending
        Most starts first.
    starts : int
        All of them, drawn uniformly from `low` to `high` in every unit.
    steps : int
        So long each of them ran at most.
    growing : int
        Starts with a state beyond `GROWN`.
    factors : (moving,) array
        For each start that neither ended nor grew: the factor by which a small difference grows per step, the geometric
        mean over the last 1,000 steps.
    low, high : float
    """

    found: tuple[Ending, ...]
    starts: int
    steps: int
    growing: int
    factors: Array
    low: float
    high: float

    def __post_init__(self) -> None:
        self.factors.setflags(write=False)

    @property
    def moving(self) -> int:
        """The number of starts that neither ended nor grew."""
        return len(self.factors)


def find_endings(cell: ElmanCell, u: object = None, *, starts: int = 64, seed: int = 0) -> Endings:
    """Run an Elman network under a constant input from random states, until each state returns or the time is over.

    Parameters
    ----------
    cell : ElmanCell
    u : (D,) array-like, optional
        The constant input; zeros if left out.
    starts : int
        At least 1.
    seed : int

    Raises
    ------
    InputError
        If an argument does not fit, or the weights overflow float64.

    Examples
    --------
    >>> (end,) = find_endings(ElmanCell([[1.0]], [[0.5]], [0.0], [0.0])).found
    >>> end.states.round(9).tolist(), end.starts
    ([[0.0]], 64)
    """
    _, _, step = map_under(cell, u)
    random, count = np.random.default_rng(read_integer("seed", seed, 0)), read_integer("starts", starts, 1)
    low, high = _range(step)
    h = random.uniform(low, high, (count, len(step.c)))
    # Straight units that have not come to rest by then drift, turn or grow: longer runs would find nothing else.
    most = 20_000 if step.activation in ("tanh", "sigmoid") and len(step.c) <= 8 else 4_000
    moving, grown, taken = np.arange(count), np.zeros(count, dtype=bool), 0
    ends: list[Array] = []
    while len(moving) and taken < most:
        h[moving] = _after(step, h[moving], _BLOCK - LONGEST)
        periods, h[moving] = _periods(step, h[moving])
        taken += _BLOCK
        ends += [_cycle(step, state, period) for state, period in zip(h[moving], periods, strict=True) if period]
        grown[moving] = ~(np.abs(h[moving]) <= GROWN).all(axis=1) & (periods == 0)
        moving = moving[(periods == 0) & ~grown[moving]]
    factors, taken = (_factors(step, h[moving]), taken + _MEASURED) if len(moving) else (np.empty(0), taken)
    return Endings(_gathered(ends), count, taken, int(grown.sum()), factors, low, high)


def _range(step: Map) -> tuple[float, float]:
    """All that the units can reach, or for units without a limit as far as their biases go."""
    reach = max(1.0, float(np.abs(step.c).max()))
    return {"tanh": (-1.0, 1.0), "sigmoid": (0.0, 1.0), "relu": (0.0, reach)}.get(step.activation, (-reach, reach))


@np.errstate(over="ignore", invalid="ignore")
def _after(step: Map, h: Array, steps: int) -> Array:
    """States some steps later; those that overflow on the way are not finite."""
    into, columns = ACTIVATIONS[step.activation].into, np.ascontiguousarray(step.W.T)
    for _ in range(steps):
        h = h @ columns
        h += step.c
        into(h, h)
    return h


@np.errstate(over="ignore", invalid="ignore")
def _periods(step: Map, h: Array) -> tuple[NDArray[np.int64], Array]:
    """For each state the steps until it returns, 0 where it does not, and the states `LONGEST` steps later."""
    first, periods = h, np.zeros(len(h), dtype=np.int64)
    near = _RETURNED * np.maximum(1.0, np.abs(first).max(axis=1))
    for period in range(1, LONGEST + 1):
        h = _after(step, h, 1)
        periods[(periods == 0) & (np.abs(h - first).max(axis=1) <= near)] = period
    periods[~(np.abs(first).max(axis=1) <= GROWN)] = 0
    return periods, h


def _cycle(step: Map, h: Array, period: int) -> Array:
    """The states of a cycle, the least of unit 1 first; one of them where they hardly differ."""
    states = [h]
    for _ in range(period - 1):
        states.append(_after(step, states[-1][None], 1)[0])
    cycle = np.array(states)
    if np.ptp(cycle, axis=0).max() <= _SAME * max(1.0, float(np.abs(cycle).max())):
        return cycle[:1]
    return np.roll(cycle, -int(np.lexsort(cycle.round(6).T[::-1])[0]), axis=0)


def _gathered(ends: list[Array]) -> tuple[Ending, ...]:
    """Ends that are the same, with the number of their starts."""
    kinds: list[tuple[Array, int]] = []
    for end in ends:
        near = _SAME * max(1.0, float(np.abs(end).max()))
        for place, (other, count) in enumerate(kinds):
            if other.shape == end.shape and np.abs(other - end).max() <= near:
                kinds[place] = other, count + 1
                break
        else:
            kinds.append((end, 1))
    return tuple(Ending(states, count) for states, count in sorted(kinds, key=lambda one: (-one[1], len(one[0]))))


def _factors(step: Map, h: Array) -> Array:
    """The mean factor per step of a small difference along each run (one tangent vector, first turned for a while)."""
    slope = ACTIVATIONS[step.activation].slope
    difference, decades = np.random.default_rng(0).standard_normal(h.shape), np.zeros(len(h))
    for number in range(2 * _MEASURED):
        with np.errstate(over="ignore", invalid="ignore"):
            a = step.sums(h)
            difference, h = slope(a) * (difference @ step.W.T), ACTIVATIONS[step.activation](a)
        sizes = np.linalg.norm(difference, axis=1)
        alive = sizes > 0
        difference[alive] /= sizes[alive, None]
        if number >= _MEASURED:
            decades += np.where(alive, np.log10(np.where(alive, sizes, 1.0)), -np.inf)
    return np.asarray(10 ** (decades / _MEASURED), dtype=np.float64)
