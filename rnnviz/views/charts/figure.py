"""What all Plotly figures share: the template of each theme, axes, bars and curves.

A figure is a plain dict, ``{"data": [...], "layout": {...}}``, without colours of a theme: `themed` adds those. So it
can be tested against the arrays it was made from, without Plotly and without a browser.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rnnviz.views.charts.decades import decade_ticks
from rnnviz.views.palette import LINES, NEGATIVE, PALETTE, POSITIVE, of_sign, translucent

Array = NDArray[np.float64]
Figure = dict[str, Any]
Trace = dict[str, Any]

_FONT = "-apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', Arial, sans-serif"
_INK = {"light": ("#111827", "#4b5563", "#e5e7eb", "#9ca3af", "#ffffff"), "dark": (
    "#e6eaf0", "#b3bdca", "#2a3442", "#6b7788", "#18202b",
)}  # fmt: skip
"""By theme: text, labels of axes, grid, zero line, ground of a hover label."""

CONFIG = {
    "displaylogo": False,
    "modeBarButtonsToRemove": ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"],
    "toImageButtonOptions": {"format": "png", "scale": 2},
}
"""Of every chart on the page: hover, zoom, double-click to reset, an image to download."""


MARGIN = {"l": 8, "r": 16, "t": 56, "b": 8}
"""Around a figure whose upper panel has a heading: below the buttons, which a phone shows all the time."""

FRAME: dict[str, Any] = {"showline": True, "mirror": True}
"""Of both axes of a map of colours: numbers near 0 have the colour of the ground, so its end would not be seen."""

BELOW = 120
"""Pixels below a map of colours that take its axis and its `colour_bar`."""

SIGNED = [[0.0, NEGATIVE], [0.5, translucent(NEGATIVE, 0.0)], [0.5, translucent(POSITIVE, 0.0)], [1.0, POSITIVE]]
"""The colour scale of signed numbers; 0 is the ground of either theme."""


BELOW_AXIS = {"y": -0.3, "yanchor": "top"}
"""A legend under the name of the x axis, of a figure of one panel: a phone's buttons would cover it at the top."""


def figure(traces: Sequence[Trace], *, height: int = 300, **layout: object) -> Figure:
    """A figure of traces, `height` pixels high, with more of Plotly's layout by its own names."""
    return {"data": list(traces), "layout": {"height": height, **layout}}


def themed(figure: Figure, theme: str) -> Figure:
    """The figure in the colours of a theme, ``light`` or ``dark``."""
    return {**figure, "layout": {"template": template(theme), **figure["layout"]}}


def template(theme: str) -> dict[str, Any]:
    """Plotly's layout template for a theme."""
    text, labels, grid, zero, ground = _INK[theme]
    axis = {
        "gridcolor": grid, "zerolinecolor": zero, "zerolinewidth": 1, "linecolor": grid, "automargin": True,
        "tickfont": {"color": labels, "size": 12}, "title": {"font": {"color": labels, "size": 13}, "standoff": 8},
        "exponentformat": "e", "minexponent": 4,
    }  # fmt: skip
    layout = {
        "font": {"family": _FONT, "size": 13, "color": text},
        "title": {"font": {"size": 14, "color": text}, "x": 0, "xref": "container", "xanchor": "left", "pad": {"l": 8}},
        "paper_bgcolor": "rgba(0, 0, 0, 0)", "plot_bgcolor": "rgba(0, 0, 0, 0)",
        "xaxis": axis, "yaxis": axis,
        "annotationdefaults": {"font": {"color": text, "size": 13}, "arrowcolor": labels},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom", "font": {"size": 12}},
        "margin": {"l": 8, "r": 16, "t": 40, "b": 8}, "bargap": 0.18,
        "hoverlabel": {"bgcolor": ground, "bordercolor": zero, "font": {"color": text, "size": 13}},
        "modebar": {"bgcolor": "rgba(0, 0, 0, 0)", "color": labels, "activecolor": text},
        "dragmode": "zoom", "colorscale": {"diverging": diverging(theme)},
    }  # fmt: skip
    return {"layout": layout}


def diverging(theme: str) -> list[list[Any]]:
    """Plotly's colour scale of signed values in a theme: that of the explorer's states, the ground at 0."""
    colours = PALETTE[theme]
    return [[0.0, colours["signed"]["negative"]], [0.5, colours["ground"]], [1.0, colours["signed"]["positive"]]]


def axis(title: str, **options: object) -> dict[str, Any]:
    """An axis with its name and more of Plotly's options."""
    return {"title": {"text": title}, **options}


def counting(title: str, first: int, last: int, **options: object) -> dict[str, Any]:
    """An axis of things that are counted, from one to another: numbers stand at whole ones only."""
    every: dict[str, object] = {"dtick": 1} if last - first < 8 else {"nticks": 10}
    return axis(title, range=[first - 0.6, last + 0.6], zeroline=False, **every, **options)


def heading(text: str, panel: str = "") -> dict[str, Any]:
    """What a panel shows, above its upper left corner; `panel` is the number of its axes, as in ``x2``."""
    return {
        "text": text, "xref": f"x{panel} domain", "yref": f"y{panel} domain", "x": 0, "y": 1, "xanchor": "left",
        "yanchor": "bottom", "showarrow": False, "yshift": 4,
    }  # fmt: skip


def decades(title: str, low: float, high: float, *, most: int = 8, **options: object) -> dict[str, Any]:
    """An axis for base-10 logarithms, labelled with the numbers themselves, also far outside float64's range.

    It has at most so many labels and two more.
    """
    span = max(1, math.ceil(high) - math.floor(low))
    every = next(step * 10**power for power in range(309) for step in (1, 2, 5) if span <= most * step * 10**power)
    margin = 0.1 * (high - low)  # what Plotly leaves around the curves is less
    first, last = math.ceil((low - margin) / every), math.floor((high + margin) / every)
    ticks = [every * place for place in range(first, last + 1)]
    return axis(title, tickvals=ticks, ticktext=[text for _, text in decade_ticks(ticks)], zeroline=False, **options)


def log10(values: Array) -> list[float | None]:
    """Base-10 logarithms for a curve; an exact 0 and what has overflowed are gaps."""
    return [math.log10(value) if 0 < value < math.inf else None for value in values.tolist()]


def gaps(values: Iterable[float]) -> list[float | None]:
    """Numbers for a curve; what is none, or infinite, is a gap."""
    return [float(value) if math.isfinite(value) else None for value in values]


def decade_axis(
    title: str, curves: Sequence[Sequence[float | None]], *, most: int = 8, **options: object
) -> dict[str, object]:
    """An axis of whole decades around all the logarithms of some curves; as `decades`."""
    there = [value for values in curves for value in values if value is not None]
    low, high = math.floor(min(there, default=0.0)), math.ceil(max(there, default=0.0))
    high = max(high, low + 1)
    return decades(title, low, high, most=most, range=[low, high], **options)


def colour_bar(title: str, **options: object) -> dict[str, object]:
    """The legend of a heat map, below it: beside it, it would take half of a phone."""
    place = {"orientation": "h", "x": 0.5, "xanchor": "center", "yanchor": "top", "len": 0.8}
    text = {"text": title, "side": "top", "font": {"size": 12}}
    return {"title": text, "thickness": 10, "outlinewidth": 0, "exponentformat": "e", **place, **options}


def upright(at: float | None, panel: str = "", *, dash: str = "solid", width: float = 1) -> dict[str, Any]:
    """A line at a place of the horizontal axis, as high as its panel; `panel` is the number of its axes."""
    line = {"color": LINES["neutral"], "width": width, "dash": dash}
    place = {"x0": at, "x1": at, "y0": 0, "y1": 1, "xref": f"x{panel}", "yref": f"y{panel} domain"}
    return {"type": "line", "line": line, **place}


def level(at: float, panel: str = "") -> dict[str, Any]:
    """A dashed line at a height, as wide as its panel."""
    line = {"color": LINES["neutral"], "width": 1.5, "dash": "dash"}
    place = {"x0": 0, "x1": 1, "y0": at, "y1": at, "xref": f"x{panel} domain", "yref": f"y{panel}"}
    return {"type": "line", "line": line, **place}


def level_name(at: float, text: str, yref: str, anchor: str = "bottom") -> dict[str, Any]:
    """The name of a level at its right end, on it or below: two levels may be close to each other."""
    return {
        "text": text, "x": 1, "xref": "x domain", "xanchor": "right", "y": at, "yref": yref, "yanchor": anchor,
        "showarrow": False, "font": {"size": 11, "color": LINES["neutral"]},
    }  # fmt: skip


def bars(x: Sequence[object], values: Sequence[float], hover: Sequence[str], **options: object) -> Trace:
    """Bars in the colours of their signs; `hover` is what each says when it is pointed at."""
    colours = [of_sign(value) for value in values]
    return {
        "type": "bar", "x": list(x), "y": [float(value) for value in values], "marker": {"color": colours},
        "hovertext": list(hover), "hoverinfo": "text", "showlegend": False, **options,
    }  # fmt: skip


def curve(
    x: Sequence[float], values: Sequence[float | None], name: str, colour: str, hover: Sequence[str], **options: object
) -> Trace:
    """A line; where a value is None it has a gap. Plotly's ``line`` options may be given as `line`."""
    line: Mapping[str, object] = options.pop("line", {})  # type: ignore[assignment]
    return {
        "type": "scatter", "mode": "lines", "x": list(x), "y": list(values), "name": name,
        "line": {"color": colour, "width": 2, **line}, "hovertext": list(hover), "hoverinfo": "text", **options,
    }  # fmt: skip
