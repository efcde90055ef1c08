"""The phase portrait: two hidden units against each other, their path, and the fixed points of the network."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import ElmanCell, Trace
from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.dynamics.endings import Endings
from rnnviz.maths.dynamics.fixed_points import KINDS, FixedFlat, FixedPoint, FixedPointSearch
from rnnviz.maths.dynamics.shadow import shadow
from rnnviz.texts import say
from rnnviz.views.charts.figure import Figure, axis, figure
from rnnviz.views.numbers import written
from rnnviz.views.palette import LINES, POSITIVE, translucent
from rnnviz.views.sentences.facts import elman_activation
from rnnviz.views.sentences.phase import eigenvalues

Array = NDArray[np.float64]
Part = dict[str, Any]

__all__ = ["Window", "phase_portrait", "window_of"]

_NATURAL = {"tanh": (-1.08, 1.08), "sigmoid": (-0.04, 1.04)}
"""All that these units can reach, with a margin."""

_SYMBOLS = {
    "attractor": "circle",
    "neutral": "diamond",
    "borderline": "diamond-open",
    "saddle": "x-thin-open",
    "repeller": "circle-open",
}
_FIXED, _CYCLE = LINES["second"], LINES["weight"]
_GRID = 13
_NUMBERED = 12
_CYCLES = 6
_ARROWS = 60
"""Up to so many steps the markers of the path point where it goes."""
_FAR = 1e300
"""States beyond it are drawn there, so that the range of the axes can be computed."""


class Window(NamedTuple):
    """The square of states that is shown first: two corners."""

    low: tuple[float, float]
    high: tuple[float, float]

    @property
    def side(self) -> float:
        """How wide and high it is."""
        return self.high[0] - self.low[0]

    def holds(self, state: Array) -> bool:
        """Whether a state of the two units lies in it."""
        return bool(((state >= self.low) & (state <= self.high)).all())


def window_of(trace: Trace, units: Sequence[int], search: FixedPointSearch) -> Window:
    """All that tanh or sigmoid units reach; else a square around the path, nought and the fixed points near them."""
    path = np.clip(trace.h[:, units], -_FAR, _FAR)
    natural = _NATURAL.get(elman_activation(trace))
    if natural and ((path >= natural[0]) & (path <= natural[1])).all():
        return Window((natural[0],) * 2, (natural[1],) * 2)
    known = np.concatenate([path, np.repeat([natural or (0.0, 0.0)], 2, axis=0).T])  # a start may lie anywhere
    low, high = known.min(axis=0), known.max(axis=0)
    reach = float((high - low).max()) or 1.0
    for point in search.points:
        h = point.h[list(units)]
        if ((h >= low - 2 * reach) & (h <= high + 2 * reach)).all():
            low, high = np.minimum(low, h), np.maximum(high, h)
    half = 0.58 * (float((high - low).max()) or 1.0)
    a, b = ((low + high) / 2).tolist()
    return Window((a - half, b - half), (a + half, b + half))


def phase_portrait(
    trace: Trace, unit_a: int, unit_b: int, search: FixedPointSearch, endings: Endings, u: Array, t: int
) -> Figure:
    """The path of two units with the fixed points of the network under a constant input.

    Parameters
    ----------
    trace : Trace
        Of an `ElmanCell` with at least two units.
    unit_a, unit_b : int
        The units to the right and upwards, zero-based.
    search : FixedPointSearch
        What was found under `u`.
    endings : Endings
        Where random starts end under `u`; its cycles are drawn.
    u : (D,) array
        The constant input, for the arrows; they are drawn for networks of two units alone.
    t : int
        The step that is marked, 0..T.
    """
    units = [unit_a, unit_b]
    window = window_of(trace, units, search)
    path = np.clip(trace.h[:, units], -_FAR, _FAR)
    parts = [_field(cast(ElmanCell, trace.cell), units, u, window)] if trace.cell.hidden_size == 2 else []
    parts += _flats(search.flats, units, window)
    parts += _cycles(endings, units)
    parts.append(_path(trace.h[:, units], path))
    parts += [_fixed(search, kind, units, window) for kind in reversed(KINDS)]
    parts += [_start(path), _now(trace.h[:, units], path, min(t, trace.steps))]  # a start may be a fixed point
    names = [say("phase.column.unit", unit=unit + 1) for unit in units]
    return figure(
        [part for part in parts if part["x"]],
        height=540,
        xaxis=axis(names[0], range=[window.low[0], window.high[0]], constrain="domain"),
        yaxis=axis(names[1], range=[window.low[1], window.high[1]], constrain="domain", scaleanchor="x"),
        legend={"itemsizing": "constant", "tracegroupgap": 0, "y": -0.3, "yanchor": "top"},
        margin={"l": 8, "r": 16, "t": 34, "b": 8},
        hovermode="closest",
    )


def _field(cell: ElmanCell, units: Sequence[int], u: Array, window: Window) -> Part:
    """Arrows along ``f(W h + c) - h``; lengths grow with the root of the step, so that short steps still show."""
    spacing = window.side / _GRID
    lines = (low + spacing * (np.arange(_GRID) + 0.5) for low in window.low)
    states = np.stack([grid.ravel() for grid in np.meshgrid(*lines)], axis=1)
    h = np.empty_like(states)
    h[:, units] = states
    with np.errstate(over="ignore", invalid="ignore"):
        sums = h @ cell.W_hh.T + (cell.W_ih @ u + cell.b_ih + cell.b_hh)
        move = (ACTIVATIONS[cell.activation](sums) - h)[:, units] / window.side
    move = np.clip(np.nan_to_num(move), -1e6, 1e6)
    far = np.hypot(*move.T)
    sizes = 0.9 * spacing * np.sqrt(far / max(float(far.max()), 1e-300))
    shown = (far > 1e-12) & (sizes > 0.04 * spacing)
    way = move[shown] / far[shown, None]
    side, sizes = np.stack([-way[:, 1], way[:, 0]], axis=1), sizes[shown, None]
    tail, tip = states[shown] - sizes / 2 * way, states[shown] + sizes / 2 * way
    barb = np.minimum(0.28 * spacing, 0.45 * sizes)
    left, right = tip - barb * (way - 0.6 * side), tip - barb * (way + 0.6 * side)
    return {
        **_broken(np.stack([tail, tip, left, tip, right], axis=1)), "mode": "lines", "hoverinfo": "skip",
        "line": {"color": translucent(LINES["neutral"], 0.5), "width": 1.1}, "showlegend": False,
    }  # fmt: skip


def _broken(strokes: Array) -> Part:
    """Strokes (N, K, 2) as one scatter trace with a gap after each."""
    gaps = [[[*stroke[:, place].tolist(), None] for stroke in strokes] for place in (0, 1)]
    return {"type": "scatter", "x": list(chain(*gaps[0])), "y": list(chain(*gaps[1]))}


def _flats(flats: Sequence[FixedFlat], units: Sequence[int], window: Window) -> list[Part]:
    """Lines as wide strokes, planes and more as shaded areas, as far as they lie in the picture."""
    parts: list[Part] = []
    for flat in flats:
        corners = shadow(flat, units, window.low, window.high)
        if not len(corners):
            continue
        closed = np.concatenate([corners, corners[:1]]) if len(corners) > 2 else corners
        a, b = (written(float(flat.h[unit])) for unit in units)
        said = say("phase.hover.flat", dimensions=flat.dimensions, a=a, b=b)
        look: Part = {"mode": "markers" if len(corners) == 1 else "lines"}
        if len(corners) > 2:
            look |= {"fill": "toself", "fillcolor": translucent(_FIXED, 0.18), "hoveron": "fills"}
        width = 1.5 if len(corners) > 2 else 7
        parts.append({
            "type": "scatter", "x": closed[:, 0].tolist(), "y": closed[:, 1].tolist(),
            "line": {"color": translucent(_FIXED, 0.55), "width": width}, "marker": {"color": _FIXED, "size": 12},
            "name": say("phase.kind.flat"), "legendgroup": "flat", "showlegend": not parts,
            "text": said, "hovertext": said, "hoverinfo": "text", **look,
        })  # fmt: skip
    return parts


def _cycles(endings: Endings, units: Sequence[int]) -> list[Part]:
    """The cycles that most random starts end in, each with its states joined in their order."""
    parts: list[Part] = []
    for ending in [one for one in endings.found if one.period > 1][:_CYCLES]:
        states = ending.states[:, list(units)]
        said = say("phase.hover.cycle", period=ending.period, count=ending.starts, starts=endings.starts)
        parts.append({
            **_places(np.concatenate([states, states[:1]])), "mode": "lines+markers", "name": say("phase.kind.cycle"),
            "line": {"color": _CYCLE, "width": 1.4, "dash": "dot"}, "legendgroup": "cycle", "showlegend": not parts,
            "marker": {"symbol": "triangle-up-open", "size": 20, "color": _CYCLE, "line": {"width": 2}},
            "cliponaxis": False,
            "hovertext": said, "hoverinfo": "text",
        })  # fmt: skip
    return parts


def _path(h: Array, path: Array) -> Part:
    """The states in their order: the later, the stronger."""
    steps = len(path) - 1
    few = steps <= _ARROWS
    return {
        **_places(path), "mode": "lines+markers", "name": say("phase.legend.path"),
        "line": {"color": translucent(POSITIVE, 0.6 if few else 0.3), "width": 1.6 if few else 0.8},
        "marker": {
            "symbol": "arrow" if few else "circle", "size": 10 if few else 4, "angleref": "previous" if few else "up",
            "color": list(range(steps + 1)), "cmin": 0, "cmax": max(1, steps),
            "colorscale": [[0.0, translucent(POSITIVE, 0.5)], [1.0, POSITIVE]],
            "colorbar": {
                "orientation": "h", "thickness": 8, "len": 0.7, "y": -0.12, "yanchor": "top", "outlinewidth": 0,
                "title": {"text": say("phase.legend.time"), "side": "top", "font": {"size": 12}},
                "tickformat": "d", **({"nticks": 6} if steps > 6 else {"dtick": 1}),
            },
        },
        "hovertext": [_state(t, state) for t, state in enumerate(h)], "hoverinfo": "text",
    }  # fmt: skip


def _start(path: Array) -> Part:
    return {
        **_places(path[:1]), "mode": "markers", "name": say("phase.legend.start"), "hoverinfo": "skip",
        "marker": {"symbol": "square", "size": 11, "color": POSITIVE},
    }  # fmt: skip


def _now(h: Array, path: Array, t: int) -> Part:
    """The step that the explorer shows."""
    return {
        **_places(path[t : t + 1]), "mode": "markers", "name": say("phase.legend.now", t=t),
        "marker": {"symbol": "circle-open", "size": 20, "color": POSITIVE, "line": {"width": 3}},
        "hovertext": [_state(t, h[t])], "hoverinfo": "text", "cliponaxis": False,
    }  # fmt: skip


def _fixed(search: FixedPointSearch, kind: str, units: Sequence[int], window: Window) -> Part:
    """The fixed points of one kind that lie in the picture."""
    numbered = [
        (number, point)
        for number, point in enumerate(search.points, start=1)
        if point.kind == kind and window.holds(point.h[list(units)])
    ]
    places = np.array([point.h[list(units)] for _, point in numbered]).reshape(-1, 2)
    labelled = 1 < len(search.points) + len(search.flats) <= _NUMBERED
    return {
        **_places(places), "mode": "markers+text" if labelled else "markers", "name": say(f"phase.kind.{kind}"),
        "marker": {"symbol": _SYMBOLS[kind], "size": 13, "color": _FIXED, "line": {"width": 3, "color": _FIXED}},
        "text": [str(number) for number, _ in numbered] if labelled else None, "textposition": "top right",
        "hovertext": [_point(number, point, units) for number, point in numbered], "hoverinfo": "text",
        "cliponaxis": False,
    }  # fmt: skip


def _places(states: Array) -> Part:
    return {"type": "scatter", "x": states[:, 0].tolist(), "y": states[:, 1].tolist()}


def _state(t: int, state: Array) -> str:
    a, b = (written(float(value)) for value in state)
    return say("phase.hover.state", t=t, a=a, b=b)


def _point(number: int, point: FixedPoint, units: Sequence[int]) -> str:
    a, b = (written(float(point.h[unit])) for unit in units)
    kind = say(f"phase.kind.{point.kind}")
    return say("phase.hover.point", number=number, kind=kind, a=a, b=b, values=eigenvalues(point))
