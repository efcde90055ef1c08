"""Fixed points in words and tables: what was found, and what becomes of a small nudge."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from rnnviz.maths import Trace
from rnnviz.maths.fixed_points import KINDS, FixedFlat, FixedPoint, FixedPointSearch
from rnnviz.texts import say
from rnnviz.views.numbers import written
from rnnviz.views.tables import table

_ROWS = 24
_VALUES = 3


def fixed_points_said(search: FixedPointSearch, unit_a: int, unit_b: int) -> str:
    """What was found and what it means for a nudge, in words.

    Parameters
    ----------
    search : FixedPointSearch
    unit_a, unit_b : int
        The units whose values are named, zero-based.
    """
    said = _flats_said(search.flats)
    count = len(search.points)
    if count == 1:
        (point,) = search.points
        a, b = written(float(point.h[unit_a])), written(float(point.h[unit_b]))
        said += [say(f"phase.only.{point.kind}", a=a, b=b), *_nudge_said(point)]
    elif count:
        kinds = [_counted(kind, number) for kind in KINDS if (number := len(of_kind(search, kind)))]
        listed = say("phase.and", first=", ".join(kinds[:-1]), last=kinds[-1]) if len(kinds) > 1 else kinds[0]
        said.append(say("phase.found.several", count=count, kinds=listed))
        attractors = len(of_kind(search, "attractor"))
        if attractors > 1:
            said.append(say("phase.choice"))
        elif not attractors and not of_kind(search, "borderline"):
            said.append(say("phase.restless"))
    elif not said:
        said.append(say("phase.found.none"))
    if search.failed:
        said.append(say("phase.failed", failed=search.failed, starts=search.starts))
    return " ".join(said)


def fixed_point_table(search: FixedPointSearch, unit_a: int, unit_b: int) -> str:
    """The fixed points as an HTML table; empty where none was found."""
    if not search.points:
        return ""
    head = [
        say("phase.column.number"),
        say("phase.column.kind"),
        *(say("phase.column.unit", unit=unit + 1) for unit in (unit_a, unit_b)),
        say("phase.column.radius"),
        say("phase.column.values"),
    ]
    rows = [
        [
            str(number),
            say(f"phase.kind.{point.kind}"),
            written(float(point.h[unit_a]), 4),
            written(float(point.h[unit_b]), 4),
            written(point.radius, 3),
            eigenvalues(point),
        ]
        for number, point in enumerate(search.points[:_ROWS], start=1)
    ]
    more = len(search.points) - len(rows)
    note = f"<p>{escape(say('phase.more', count=more))}</p>" if more else ""
    return table("phase", say("phase.table"), head, rows) + note


def path_table(trace: Trace, unit_a: int, unit_b: int) -> str:
    """The path as an HTML table: step 0 is the start."""
    head = [say("phase.column.step"), *(say("phase.column.unit", unit=unit + 1) for unit in (unit_a, unit_b))]
    rows = [[str(t), *(written(float(h[unit]), 4) for unit in (unit_a, unit_b))] for t, h in enumerate(trace.h)]
    return table("phase", say("phase.path"), head, rows)


def _flats_said(flats: Sequence[FixedFlat]) -> list[str]:
    if not flats:
        return []
    dimensions = len(flats[0].directions)
    if dimensions > 1:
        return [say("phase.found.flat", count=dimensions)]
    return [say("phase.found.line") if len(flats) == 1 else say("phase.found.lines", count=len(flats))]


def _nudge_said(point: FixedPoint) -> list[str]:
    """What becomes of a small nudge, and how fast."""
    radius = written(point.radius)
    if point.on_edge:
        return [say("phase.nudge.edge")]
    if point.kind == "borderline":
        return [say("phase.nudge.mixed", radius=radius) if point.unstable else say("phase.nudge.one")]
    steps = written(math.log(2) / abs(math.log(point.radius)), 1) if point.radius else "0"
    if point.kind == "saddle":
        units = len(point.h)
        said = [say("phase.nudge.some", radius=radius, unstable=point.unstable, units=units, steps=steps)]
    elif point.kind == "repeller":
        said = [say("phase.nudge.doubles", radius=radius, steps=steps)]
    elif point.radius < 0.1:
        return [say("phase.nudge.gone", radius=radius)]
    else:
        said = [say("phase.nudge.halves", radius=radius, steps=steps)]
    leading = point.eigenvalues[0]
    if leading.imag:
        said.append(say("phase.turn", angle=written(abs(math.degrees(np.angle(leading))), 1)))
    return said


def _counted(kind: str, number: int) -> str:
    return say(f"phase.one.{kind}") if number == 1 else say(f"phase.kinds.{kind}", count=number)


def of_kind(search: FixedPointSearch, kind: str) -> list[FixedPoint]:
    """The points of one kind."""
    return [point for point in search.points if point.kind == kind]


def eigenvalues(point: FixedPoint) -> str:
    """The largest ones; a complex pair once, with ±."""
    said = []
    for value in point.eigenvalues:
        if value.imag < 0:
            continue
        real = written(value.real, 3)
        said.append(f"{real}\u00a0±\u00a0{written(value.imag, 3)}i" if value.imag else real)
    return ", ".join(said[:_VALUES]) + (", …" if len(said) > _VALUES else "")
