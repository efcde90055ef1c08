"""Two hidden units against each other: their path, the fixed points of the network, and what these mean in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import ElmanCell, Trace
from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.fixed_points import KINDS, FixedFlat, FixedPoint, FixedPointSearch
from rnnviz.texts import say
from rnnviz.views.numbers import written
from rnnviz.views.phase_words import eigenvalues, fixed_points_said, of_kind

Array = NDArray[np.float64]

_SIDE = 352.0
_LEFT, _TOP = 52.0, 8.0
_WIDTH, _HEIGHT = _LEFT + _SIDE + 12, _TOP + _SIDE + 44
_GRID = 11
_HEADS = 12
_BANDS = 22
_NUMBERED = 12
_NEGATIVE, _POSITIVE = "#e0762f", "#2b7fc3"
_PATH = "#3b86cc"
_FAINT = 0.3
_FULL = {"tanh": (0.0, 1.08), "sigmoid": (0.5, 0.54)}  # centre and half side of all that these units can reach


class Window(NamedTuple):
    """The square of states that is drawn: its lower left corner and its side."""

    a: float
    b: float
    side: float

    def place(self, states: Array) -> Array:
        """Pixels within the plot for states (N, 2), y downwards."""
        return (states - [self.a, self.b]) / self.side * [_SIDE, -_SIDE] + [0.0, _SIDE]

    def holds(self, state: Array) -> bool:
        """Whether a state lies within the picture."""
        return bool(((self.place(state[None])[0] >= 0) & (self.place(state[None])[0] <= _SIDE)).all())


# --- the picture ----------------------------------------------------------------------------------------------------


def phase_portrait(trace: Trace, unit_a: int, unit_b: int, search: FixedPointSearch, u: Array, t: int) -> str:
    """The path of two units with the fixed points of the network under a held input.

    Parameters
    ----------
    trace : Trace
        Of an `ElmanCell` with at least two units.
    unit_a, unit_b : int
        The units to the right and upwards, zero-based.
    search : FixedPointSearch
        What was found under `u`.
    u : (D,) array
        The held input, for the arrows; they are drawn for networks of two units alone.
    t : int
        The step that is marked, 0..T.

    Returns
    -------
    str
        One SVG element that takes the text's colour; what is pointed at says its numbers.
    """
    units = [unit_a, unit_b]
    path = trace.h[:, units]
    window = _window(trace, units, search)
    parts = [_axes(window, unit_a, unit_b)]
    inner = [_field(cast(ElmanCell, trace.cell), units, u, window)] if trace.cell.hidden_size == 2 else []
    inner += [_flat(flat, units, window) for flat in search.flats]
    inner.append(_walk(path, window))
    inner.append(_marks(path, min(t, trace.steps), window))
    inner += [
        _fixed(number, point, units, window, len(search.points)) for number, point in _drawn(search, units, window)
    ]
    label = say(
        "phase.picture", a=unit_a + 1, b=unit_b + 1, steps=trace.steps, found=fixed_points_said(search, unit_a, unit_b),
        a0=written(path[0, 0]), b0=written(path[0, 1]), a1=written(path[-1, 0]), b1=written(path[-1, 1]),
    )  # fmt: skip
    plot = f'<svg x="{_LEFT:g}" y="{_TOP:g}" width="{_SIDE:g}" height="{_SIDE:g}">{"".join(inner)}</svg>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="phase" viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" width="100%" '
        f'role="img" aria-label="{escape(label)}">{"".join(parts)}{plot}</svg>'
    )


def _window(trace: Trace, units: Sequence[int], search: FixedPointSearch) -> Window:
    """All that the units can reach where that is well filled, else a square around the path and the points near it."""
    path = np.clip(trace.h[:, units], -1e300, 1e300)
    low, high = path.min(axis=0), path.max(axis=0)
    reach = max(float((high - low).max()), 0.05)
    for point in search.points:
        h = point.h[units]
        if ((h >= low - 2 * reach) & (h <= high + 2 * reach)).all():
            low, high = np.minimum(low, h), np.maximum(high, h)
    middle = (low + high) / 2
    half = max(0.62 * float((high - low).max()), 0.05, 1e-6 * float(np.abs(middle).max()))
    activation = cast(ElmanCell, trace.cell).activation
    if activation in _FULL and half > 0.35 * _FULL[activation][1]:
        centre, half = _FULL[activation]
        middle = np.array([centre, centre])
    return Window(float(middle[0]) - half, float(middle[1]) - half, 2 * half)


def _axes(window: Window, unit_a: int, unit_b: int) -> str:
    """A frame, ticks, and a band along each axis in the colours that states have everywhere."""
    parts = []
    limit = max(abs(value) for low in (window.a, window.b) for value in (low, low + window.side))
    size = _SIDE / _BANDS
    for number in range(_BANDS):
        share = (number + 0.5) / _BANDS
        right, up = number * size, _SIDE - (number + 1) * size
        for value, box in (
            (window.a + share * window.side, (_LEFT + right, _TOP + _SIDE, size, 6.0)),
            (window.b + share * window.side, (_LEFT - 6, _TOP + up, 6.0, size)),
        ):
            x, y, width, height = box
            fill = _POSITIVE if value > 0 else _NEGATIVE
            parts.append(
                f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" '
                f'fill-opacity="{(abs(value) / limit) ** 0.75:.2f}"/>'
            )
    frame = f'<rect x="{_LEFT:g}" y="{_TOP:g}" width="{_SIDE:g}" height="{_SIDE:g}" fill="none"'
    parts.append(f'{frame} stroke="currentColor" stroke-opacity="0.35"/>')
    for value in _ticks(window.a, window.side):
        x = _LEFT + (value - window.a) / window.side * _SIDE
        parts += [
            _line(x, _TOP, x, _TOP + _SIDE, 0.3 if value == 0 else 0.09),
            _text(x, _TOP + _SIDE + 20, _tick(value)),
        ]
    for value in _ticks(window.b, window.side):
        y = _TOP + _SIDE - (value - window.b) / window.side * _SIDE
        parts += [
            _line(_LEFT, y, _LEFT + _SIDE, y, 0.3 if value == 0 else 0.09),
            _text(_LEFT - 10, y + 4, _tick(value), "end"),
        ]
    parts.append(_text(_LEFT + _SIDE / 2, _TOP + _SIDE + 39, say("phase.column.unit", unit=unit_a + 1), weight="600"))
    upwards = f'<g transform="translate(11 {_TOP + _SIDE / 2:g}) rotate(-90)">'
    parts.append(upwards + _text(0, 0, say("phase.column.unit", unit=unit_b + 1), weight="600") + "</g>")
    return "".join(parts)


def _ticks(low: float, side: float) -> list[float]:
    """Round numbers, about five of them."""
    power = 10.0 ** math.floor(math.log10(side / 4))
    step = next(step * power for step in (1.0, 2.0, 5.0, 10.0) if side / (step * power) <= 5)
    first = math.ceil(low / step)
    return [number * step for number in range(first, math.floor((low + side) / step) + 1)] if abs(first) < 1e9 else []


def _tick(value: float) -> str:
    return written(value, 1) if abs(value) >= 0.1 or value == 0 else written(value)


def _field(cell: ElmanCell, units: Sequence[int], u: Array, window: Window) -> str:
    """Arrows along ``f(W h + c) - h``; lengths grow with the root of the step, so that short steps still show."""
    cell_size = window.side / _GRID
    lines = window.a + cell_size * (np.arange(_GRID) + 0.5), window.b + cell_size * (np.arange(_GRID) + 0.5)
    states = np.stack([grid.ravel() for grid in np.meshgrid(*lines)], axis=1)
    h = np.empty_like(states)
    h[:, units] = states
    with np.errstate(over="ignore", invalid="ignore"):
        sums = h @ cell.W_hh.T + (cell.W_ih @ u + cell.b_ih + cell.b_hh)
        move = (ACTIVATIONS[cell.activation](sums) - h)[:, units] / window.side
    move = np.clip(np.nan_to_num(move), -1e6, 1e6) * [1.0, -1.0]
    length = np.hypot(*move.T)
    if not length.max() > 1e-12:
        return ""
    size = 0.9 * _SIDE / _GRID * np.sqrt(length / length.max())
    way = move / np.maximum(length, 1e-300)[:, None]
    tip = window.place(states) + way * (size / 2)[:, None]
    tail = tip - way * size[:, None]
    strokes = []
    for one, two, (x, y), long in zip(tail, tip, way, size, strict=True):
        if long < 1.5:
            continue
        barb = min(5.0, 0.4 * long)
        left, right = (
            two - barb * np.array([x - 0.6 * y, y + 0.6 * x]),
            two - barb * np.array([x + 0.6 * y, y - 0.6 * x]),
        )
        strokes.append(f"M{_xy(one)}L{_xy(two)}M{_xy(left)}L{_xy(two)}L{_xy(right)}")
    return f'<path d="{"".join(strokes)}" fill="none" stroke="currentColor" stroke-opacity="0.38" stroke-width="1.1"/>'


def _walk(path: Array, window: Window) -> str:
    """The path from state to state, stronger with time, with arrowheads along it and a dot for each state."""
    places = np.clip(window.place(path), -1e5, 1e5)
    steps, parts, long = len(places) - 1, [], []
    for number, (one, two) in enumerate(pairwise(places)):
        strength = _FAINT + (1 - _FAINT) * (number + 1) / steps
        parts.append(f'<path d="M{_xy(one)}L{_xy(two)}" stroke="{_PATH}" stroke-opacity="{strength:.2f}" fill="none"/>')
        if np.hypot(*(two - one)) > 14:
            long.append((one, two, strength))
    for one, two, strength in long[:: max(1, math.ceil(len(long) / _HEADS))]:
        way = (two - one) / np.hypot(*(two - one))
        side, tip = np.array([-way[1], way[0]]), (one + two) / 2 + 4.5 * way
        corners = (tip, tip - 9 * way + 4 * side, tip - 9 * way - 4 * side)
        parts.append(f'<path d="M{"L".join(map(_xy, corners))}Z" fill="{_PATH}" fill-opacity="{strength:.2f}"/>')
    for t, place in enumerate(places):
        title = say("phase.state", t=t, a=written(path[t, 0], 4), b=written(path[t, 1], 4))
        strength = _FAINT + (1 - _FAINT) * t / max(1, steps)
        parts.append(
            f'<g><title>{escape(title)}</title><circle cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="2.6" fill="{_PATH}" '
            f'fill-opacity="{strength:.2f}"/></g>'
        )
    width = 1.6 if steps <= 40 else 0.9
    return f'<g stroke-width="{width:g}">{"".join(parts)}</g>'


def _marks(path: Array, t: int, window: Window) -> str:
    """Where it starts, and the step that the explorer shows."""
    start, now = np.clip(window.place(path[[0, t]]), -1e5, 1e5)
    square = f'<rect x="{start[0] - 5:.1f}" y="{start[1] - 5:.1f}" width="10" height="10" fill="{_PATH}"/>'
    ring = f'<circle cx="{now[0]:.1f}" cy="{now[1]:.1f}" r="9" fill="none" stroke="{_PATH}" stroke-width="2.6"/>'
    labels = _beside(now, say("phase.step", t=t), 13) + (
        _beside(start + np.array([0.0, 24.0]), say("phase.start"), 10) if t else ""
    )
    return square + ring + labels


def _drawn(search: FixedPointSearch, units: Sequence[int], window: Window) -> list[tuple[int, FixedPoint]]:
    """The points within the picture with their numbers, the weakest kinds below."""
    numbered = list(enumerate(search.points, start=1))
    return [(number, point) for number, point in reversed(numbered) if window.holds(point.h[units])]


def _fixed(number: int, point: FixedPoint, units: Sequence[int], window: Window, count: int) -> str:
    place = window.place(point.h[units][None])[0]
    a, b = (written(value, 4) for value in point.h[units])
    title = say("phase.point", number=number, kind=say(f"phase.kind.{point.kind}"), a=a, b=b, values=eigenvalues(point))
    label = _beside(place + np.array([0.0, 16.0]), str(number), 7) if 1 < count <= _NUMBERED else ""
    return f'<g data-kind="{point.kind}"><title>{escape(title)}</title>{_glyph(point.kind, place)}{label}</g>'


def _glyph(kind: str, place: Array) -> str:
    """Each kind has a shape of its own: a disc holds, a ring lets go, a cross does both, a diamond is open."""
    x, y = place
    ink = 'stroke="currentColor" stroke-width="2.4"'
    match kind:
        case "attractor":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="currentColor"/>'
        case "repeller":
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="none" {ink}/>'
        case "saddle":
            return f'<path d="M{x - 5:.1f} {y - 5:.1f}l10 10m0 -10l-10 10" fill="none" {ink}/>'
        case "borderline":
            return f'<path d="M{x:.1f} {y - 7:.1f}l7 7l-7 7l-7 -7Z" fill="none" {ink}/>'
    return f'<path d="M{x - 8:.1f} {y:.1f}h16" stroke="currentColor" stroke-width="6" stroke-opacity="0.4"/>'


def _flat(flat: FixedFlat, units: Sequence[int], window: Window) -> str:
    """A line of fixed points as far as it is seen; of more dimensions, one of the points."""
    h, way = flat.h[units], flat.directions[0][units]
    long = float(way @ way)
    if len(flat.directions) > 1 or long < 1e-12:
        return f'<g data-kind="flat">{_glyph("flat", window.place(h[None])[0])}</g>' if window.holds(h) else ""
    nearest = float((np.array([window.a, window.b]) + window.side / 2 - h) @ way) / long
    ends = np.clip([nearest - window.side / long, nearest + window.side / long], *flat.span)
    one, two = window.place(h + ends[:, None] * way)
    style = 'stroke="currentColor" stroke-width="7" stroke-opacity="0.4" stroke-linecap="round"'
    return f'<g data-kind="flat"><path d="M{_xy(one)}L{_xy(two)}" {style}/></g>'


def _beside(place: Array, text: str, gap: float) -> str:
    """A text to the right of a place, or to its left where the picture ends."""
    x, y = place
    right = x < _SIDE - 60
    return _text(x + gap if right else x - gap, max(11.0, y - 6), text, "start" if right else "end", "600")


def _text(x: float, y: float, text: str, anchor: str = "middle", weight: str = "400") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor" font-size="12" '
        f'font-weight="{weight}">{escape(text)}</text>'
    )


def _line(x1: float, y1: float, x2: float, y2: float, strength: float) -> str:
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="currentColor" stroke-opacity="{strength:g}"/>'


def _xy(place: Array) -> str:
    return f"{place[0]:.1f} {place[1]:.1f}"


# --- around it ----------------------------------------------------------------------------------------------


def phase_legend(search: FixedPointSearch, t: int) -> str:
    """The signs that the picture uses, as HTML."""
    middle = np.array([9.0, 9.0])
    signs = [(_glyph(kind, middle), say(f"phase.kind.{kind}")) for kind in KINDS if of_kind(search, kind)]
    if search.flats:
        signs.append((_glyph("flat", middle), say("phase.kind.flat")))
    signs += [
        (f'<path d="M1 9H17" stroke="{_PATH}" stroke-width="2"/>', say("phase.legend.path")),
        (f'<rect x="4" y="4" width="10" height="10" fill="{_PATH}"/>', say("phase.legend.start")),
        (
            f'<circle cx="9" cy="9" r="7" fill="none" stroke="{_PATH}" stroke-width="2.6"/>',
            say("phase.legend.now", t=t),
        ),
    ]
    items = "".join(
        f'<span><svg viewBox="0 0 18 18" width="18" height="18" aria-hidden="true">{sign}</svg> {escape(text)}</span>'
        for sign, text in signs
    )
    return f'<div class="phase-legend">{items}</div>'


def phase_notes(trace: Trace, unit_a: int, unit_b: int, search: FixedPointSearch, u: Array) -> str:
    """How to read the picture: what the arrows are, or why there are none, and what lies outside.

    `u` is the held input of the search.
    """
    units, window = trace.cell.hidden_size, _window(trace, [unit_a, unit_b], search)
    notes = [say("phase.field") if units == 2 else say("phase.projection", units=units)]
    if (trace.x != u).any():
        notes.append(say("phase.moving"))
    outside = len(search.points) - len(_drawn(search, [unit_a, unit_b], window))
    if outside:
        notes.append(say("phase.outside", count=outside))
    return " ".join(notes)
