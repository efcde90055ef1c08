"""Fixed points in words and tables: what was found, what becomes of a small perturbation, and where starts end."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rnnviz.maths import Trace
from rnnviz.maths.dynamics.endings import GROWN, LONGEST, Ending, Endings
from rnnviz.maths.dynamics.fixed_points import KINDS, NEAR_ONE, FixedFlat, FixedPoint, FixedPointSearch
from rnnviz.maths.dynamics.regions import lies_on
from rnnviz.texts import say
from rnnviz.views.numbers import power, thousands, written
from rnnviz.views.sentences.facts import elman_activation

_VALUES = 3
_MOST_ENDS = 4
_CHAOS = 1e-3
"""A mean factor per step this far above 1, over 1,000 steps, is growth: slow approaches stay well below."""


# --- what was found ---------------------------------------------------------------------------------------------------


def fixed_points_said(search: FixedPointSearch, unit_a: int, unit_b: int) -> str:
    """What was found and what it means for a small perturbation.

    Parameters
    ----------
    search : FixedPointSearch
    unit_a, unit_b : int
        The units whose values are named, zero-based.
    """
    said = _flats_said(search.flats)
    count = len(search.points)
    kinds = [say(f"phase.kinds.{kind}", count=number) for kind in KINDS if (number := len(of_kind(search, kind)))]
    listed = say("phase.and", first=", ".join(kinds[:-1]), last=kinds[-1]) if len(kinds) > 1 else "".join(kinds)
    if count and said:
        said.append(say("phase.isolated", count=count, kinds=listed))
    elif count == 1:
        (point,) = search.points
        a, b = written(float(point.h[unit_a])), written(float(point.h[unit_b]))
        said += [say(f"phase.only.{point.kind}", a=a, b=b), *_perturbation_said(point)]
    elif count:
        said.append(say("phase.several", count=count, kinds=listed))
        attractors = len(of_kind(search, "attractor"))
        if attractors > 1:
            said.append(say("phase.choice"))
        elif not attractors and not of_kind(search, "borderline"):
            said.append(say("phase.unstable"))
    elif not said:
        said.append(say("phase.none.proved") if search.complete else say("phase.none.found"))
    return " ".join(said)


def _flats_said(flats: Sequence[FixedFlat]) -> list[str]:
    """Lines, planes and more of fixed points; of a single one also what becomes of states beside it."""
    if not flats:
        return []
    largest = max(flat.dimensions for flat in flats)
    if len(flats) > 1:
        if largest == 1:
            return [say("phase.flat.lines", count=len(flats))]
        return [say("phase.flat.sets", count=len(flats), most=largest)]
    (flat,) = flats
    if flat.dimensions == len(flat.h):
        return [say("phase.flat.region") if len(flat.offsets) else say("phase.flat.everything")]
    if flat.dimensions == 1:
        said = [say("phase.flat.part_of_line") if len(flat.offsets) else say("phase.flat.line")]
    elif flat.dimensions == 2:
        said = [say("phase.flat.part_of_plane") if len(flat.offsets) else say("phase.flat.plane")]
    else:
        said = [say("phase.flat.more", count=flat.dimensions)]
    radius = flat.radius_across
    if not flat.on_edge and radius < 1 - NEAR_ONE:
        said.append(say("phase.across.in", radius=power(radius)))
    elif not flat.on_edge and radius > 1 + NEAR_ONE:
        said.append(say("phase.across.out", radius=written(radius)))
    return said


def _perturbation_said(point: FixedPoint) -> list[str]:
    """What becomes of a small perturbation, and how fast."""
    radius = power(point.radius)
    if point.on_edge:
        return [say("phase.perturb.edge")]
    if point.kind == "borderline":
        return [say("phase.perturb.mixed", radius=radius) if point.unstable else say("phase.perturb.one")]
    if point.kind == "neutral":
        units, count = len(point.h), point.lasting
        part = say("phase.perturb.neutral.part", count=count, units=units)
        return [say("phase.perturb.neutral") if count == units else part, *_turn_said(point)]
    if not point.radius:
        return [say("phase.perturb.gone", units=len(point.h))]
    steps = power(math.log(2) / abs(math.log(point.radius)))
    if point.kind == "saddle":
        said = [say("phase.perturb.some", radius=radius, unstable=point.unstable, units=len(point.h))]
    elif point.kind == "repeller" and point.radius > 2:  # doubles in less than a step
        said = [say("phase.perturb.grows", radius=radius)]
    elif point.kind == "repeller":
        said = [say("phase.perturb.doubles", radius=radius, steps=steps)]
    elif point.radius <= 0.5:
        said = [say("phase.perturb.shrinks", radius=radius)]
    else:
        said = [say("phase.perturb.halves", radius=radius, steps=steps)]
    return [*said, *_turn_said(point)]


def _turn_said(point: FixedPoint) -> list[str]:
    leading = point.eigenvalues[0]
    return [say("phase.turn", angle=written(abs(math.degrees(np.angle(leading)))))] if leading.imag else []


def of_kind(search: FixedPointSearch, kind: str) -> list[FixedPoint]:
    """The points of one kind."""
    return [point for point in search.points if point.kind == kind]


def eigenvalues(point: FixedPoint, most: int = _VALUES) -> str:
    """The largest ones; a complex pair once, with ±."""
    said = []
    for value in point.eigenvalues:
        if value.imag < 0:
            continue
        real = written(value.real)
        said.append(f"{real}\u00a0±\u00a0{written(value.imag)}i" if value.imag else real)
    return ", ".join(said[:most]) + (", …" if len(said) > most else "")


# --- what attracts ----------------------------------------------------------------------------------------------------


class _Group(NamedTuple):
    """Starts that ended alike: how many, and the sentence for all of them or for some."""

    starts: int
    key: str
    slots: Mapping[str, object]


def endings_said(trace: Trace, search: FixedPointSearch, endings: Endings) -> str:
    """Where runs under the constant input end that begin in random states.

    Parameters
    ----------
    trace : Trace
        Of the network.
    search : FixedPointSearch
        Its fixed points; their numbers are those of the table.
    endings : Endings
    """
    groups = sorted(_groups(search, endings), key=lambda group: -group.starts)
    everything = len(groups) == 1
    shown = groups if len(groups) <= _MOST_ENDS else groups[: _MOST_ENDS - 1]
    said = [_ends(group, endings.starts, everything=everything) for group in shown]
    rest = sum(group.starts for group in groups[len(shown) :])
    if rest:
        said.append(say("phase.some.rest", count=rest))
    if endings.moving and elman_activation(trace) in ("tanh", "sigmoid"):
        factor = float(np.median(endings.factors))
        verdict = "grows" if factor > 1 + _CHAOS else "shrinks" if factor < 1 - _CHAOS else "stays"
        said.append(say(f"phase.factor.{verdict}", factor=power(factor)))
    return " ".join(said)


def _groups(search: FixedPointSearch, endings: Endings) -> list[_Group]:
    groups: list[_Group] = []
    single = len(search.points) == 1 and not search.flats
    numbers: dict[int, int] = {}
    on_flats = missed = 0
    cycles: dict[int, list[Ending]] = {}
    for ending in endings.found:
        number = number_of(search, ending)
        if ending.period > 1:
            cycles.setdefault(ending.period, []).append(ending)
        elif number:
            numbers[number] = numbers.get(number, 0) + ending.starts
        elif any(lies_on(flat, ending.states[0]) for flat in search.flats):
            on_flats += ending.starts
        else:
            missed += ending.starts
    for number, starts in numbers.items():
        groups.append(_Group(starts, "point", {}) if single else _Group(starts, "numbered", {"number": number}))
    if on_flats:
        groups.append(_Group(on_flats, "flat", {}))
    if missed:
        groups.append(_Group(missed, "missed", {}))
    for period, alike in cycles.items():
        starts = sum(ending.starts for ending in alike)
        slots = {"period": period} if len(alike) == 1 else {"period": period, "cycles": len(alike)}
        groups.append(_Group(starts, "cycle" if len(alike) == 1 else "cycles", slots))
    if endings.growing:
        groups.append(_Group(endings.growing, "growing", {"size": power(GROWN)}))
    if endings.moving:
        groups.append(_Group(endings.moving, "moving", {"steps": thousands(endings.steps), "longest": LONGEST}))
    return groups


def _ends(group: _Group, starts: int, *, everything: bool) -> str:
    if everything:
        return say(f"phase.all.{group.key}", starts=starts, **group.slots)
    return say(f"phase.some.{group.key}", count=group.starts, starts=starts, **group.slots)


def number_of(search: FixedPointSearch, ending: Ending) -> int:
    """Which of the fixed points an ending is, thousands from 1; 0 if it is a cycle or none of them."""
    if ending.period > 1 or not search.points:
        return 0
    h = ending.states[0]
    apart = [float(np.abs(point.h - h).max()) for point in search.points]
    nearest = int(np.argmin(apart))
    return nearest + 1 if apart[nearest] <= 1e-5 * max(1.0, float(np.abs(h).max())) else 0


# --- how to read it ---------------------------------------------------------------------------------------------------


def phase_notes(
    trace: Trace, search: FixedPointSearch, endings: Endings, u: object, inside: Callable[[FixedPoint], bool]
) -> str:
    """How to read the picture: what fixed points are, what the arrows are or why there are none, and what lies outside.

    `u` is the constant input of the search; `inside` says of a fixed point whether the picture shows it.
    """
    units = trace.cell.hidden_size
    notes = [say("phase.note.kinds")] if search.points else []
    notes.append(say("phase.note.field") if units == 2 else say("phase.note.projection", units=units))
    if (trace.x != u).any():
        notes.append(say("phase.note.input"))
    outside = sum(not inside(point) for point in search.points)
    if outside:
        notes.append(say("phase.note.outside", count=outside))
    notes.append(say("phase.note.starts", starts=endings.starts, low=written(endings.low), high=written(endings.high)))
    notes.append(say("phase.note.complete") if search.complete else say("phase.note.search"))
    if search.failed:
        notes.append(say("phase.note.failed", failed=search.failed, starts=search.starts))
    return " ".join(notes)


# --- tables -----------------------------------------------------------------------------------------------------------


def point_columns(search: FixedPointSearch, endings: Endings) -> dict[str, list[object]]:
    """The fixed points as columns of a table, in full precision: a row for each."""
    points = search.points
    ends = dict.fromkeys(range(1, len(points) + 1), 0)
    for ending in endings.found:
        number = number_of(search, ending)
        if number:
            ends[number] += ending.starts
    columns: dict[str, list[object]] = {
        say("phase.column.number"): list(ends),
        say("phase.column.kind"): [say(f"phase.kind.{point.kind}") for point in points],
        say("phase.column.radius"): [point.radius for point in points],
        say("phase.column.growing"): [point.unstable for point in points],
        say("phase.column.starts", starts=endings.starts): list(ends.values()),
        say("phase.column.values"): [eigenvalues(point, len(point.h)) for point in points],
    }
    units = range(len(points[0].h)) if points else range(0)
    return columns | {say("phase.column.unit", unit=unit + 1): [float(p.h[unit]) for p in points] for unit in units}


def path_columns(trace: Trace) -> dict[str, list[object]]:
    """The path as columns of a table: row 0 is the start."""
    steps: dict[str, list[object]] = {say("phase.column.step"): list(range(trace.steps + 1))}
    units = range(trace.cell.hidden_size)
    return steps | {say("phase.column.unit", unit=unit + 1): trace.h[:, unit].tolist() for unit in units}
