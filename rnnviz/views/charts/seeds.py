"""Medians and quartiles of gradient norms over seeds, and of initialisations, against the steps back."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rnnviz.texts import say
from rnnviz.views.charts.figure import MARGIN, Figure, Trace, axis, curve, decades, figure, heading
from rnnviz.views.numbers import power_of_ten
from rnnviz.views.palette import LINES, translucent
from rnnviz.views.sentences.seeds import Quartiles

Array = NDArray[np.float64]

_HEIGHT = 360
_STYLES = (
    (LINES["elman"], "solid"), (LINES["lstm"], "dash"), (LINES["gru"], "dot"), (LINES["weight"], "dashdot"),
    (LINES["second"], "longdash"), (LINES["neutral"], "longdashdot"),
)  # fmt: skip


def bands_chart(bands: Mapping[str, Quartiles], colours: Mapping[str, str], count: int) -> Figure:
    """The median of each cell's norms with its quartiles as a band.

    Parameters
    ----------
    bands : mapping of a cell's name to its quartiles
    colours : mapping of a cell's name to its colour
    count : int
        How many seeds were run.
    """
    low, high = ends([edge for found in bands.values() for edge in found])
    traces = [trace for name, found in bands.items() for trace in band_traces(name, found, colours[name], low)]
    return over_lags(traces, say("seeds.heading", count=count), low, high)


def band_traces(name: str, found: Quartiles, colour: str, low: float, **options: object) -> list[Trace]:
    """The two edges of a band, filled between, and its median; `low` is where an exact 0 is drawn."""
    lower, median, upper = (back(edge) for edge in found)
    lags = list(range(len(median)))
    edge: Trace = {
        "type": "scatter", "mode": "lines", "x": lags, "hoverinfo": "skip", "showlegend": False,
        "legendgroup": name, "line": {"width": 0},
    }  # fmt: skip
    fill = {"fill": "tonexty", "fillcolor": translucent(colour, 0.2)}
    hover = [
        say("seeds.note", name=name, lag=lag, **{side: _text(edge, lag) for side, edge in found._asdict().items()})
        for lag in lags
    ]
    return [
        {**edge, "y": [low if value is None else value for value in lower]},
        {**edge, "y": [low if value is None else value for value in upper], **fill},
        curve(lags, median, name, colour, hover, legendgroup=name, **options),
    ]


def inits_chart(medians: Mapping[str, Array], count: int) -> Figure:
    """A curve for each initialisation of a cell, by its name on the screen, of so many seeds."""
    traces = []
    for (init, median), (colour, dash) in zip(medians.items(), _STYLES, strict=False):
        values = back(median)
        hover = [say("inits.note", name=init, lag=lag, median=_text(median, lag)) for lag in range(len(values))]
        traces.append(curve(list(range(len(values))), values, init, colour, hover, line={"dash": dash}))
    low, high = ends(list(medians.values()))
    return over_lags(traces, say("inits.heading", count=count), low, high)


def over_lags(
    traces: list[Trace], title: str, low: float, high: float, *, height: int = _HEIGHT, **layout: object
) -> Figure:
    """Curves against the steps back on an axis of decades."""
    return figure(
        traces, height=height, annotations=[heading(title)], showlegend=True, legend={"y": -0.22, "yanchor": "top"},
        margin=MARGIN, xaxis=axis(say("seeds.axis.lag"), rangemode="tozero", zeroline=False),
        yaxis=decades(say("seeds.axis.norm"), low, high, range=[low, high]), **layout,
    )  # fmt: skip


def back(norms: Array) -> list[float | None]:
    """Norms from the last step on, a gap where they are exactly 0."""
    return [None if np.isneginf(norm) else float(norm) for norm in norms[::-1]]


def _text(norms: Array, lag: int) -> str:
    return power_of_ten(float(norms[len(norms) - 1 - lag]))


def ends(norms: list[Array]) -> tuple[float, float]:
    """A range that holds all norms and 1."""
    finite = np.concatenate([np.zeros(1), *(one[np.isfinite(one)] for one in norms)])
    low, high = float(finite.min()), float(finite.max())
    room = max(0.04 * (high - low), 0.15)
    return low - room, high + room
