"""Three cells beside each other: how far back their gradients reach, and their test losses as they learn."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rnnviz.texts import say
from rnnviz.views.charts.figure import (
    BELOW_AXIS,
    MARGIN,
    Figure,
    Trace,
    axis,
    curve,
    decades,
    figure,
    heading,
    level,
    log10,
)
from rnnviz.views.charts.seeds import back, band_traces, ends, over_lags
from rnnviz.views.names import cell_name
from rnnviz.views.numbers import power, power_of_ten, thousands
from rnnviz.views.palette import CELL_COLOURS, LINES, translucent
from rnnviz.views.sentences.compare import THRESHOLD, Band, Decay, Learned, band

_DASHES = {"elman": "solid", "lstm": "dash", "gru": "dashdot"}
Array = NDArray[np.float64]

_HEIGHT = 320


def reach_chart(before: Mapping[str, Decay], after: Mapping[str, Decay] | None = None) -> Figure:
    """Medians and quartiles of the gradient norms against the steps back; after training, those of before as dots."""
    shown = {kind: one.quartiles for kind, one in (after or before).items() if len(one.norms)}
    behind = {kind: one.quartiles.median for kind, one in before.items() if after and len(one.norms)}
    low, high = ends([*(edge for found in shown.values() for edge in found), *behind.values(), np.array([THRESHOLD])])
    traces: list[Trace] = []
    for kind, median in behind.items():
        name = say("compare.before", name=cell_name(kind))
        lags = list(range(len(median)))
        hover = [
            say("inits.note", name=name, lag=lag, median=power_of_ten(float(median[len(median) - 1 - lag])))
            for lag in lags
        ]
        dots = {"dash": "dot", "width": 1.5}
        traces.append(
            curve(lags, back(median), name, CELL_COLOURS[kind], hover, line=dots, showlegend=False, opacity=0.75)
        )
    for kind, found in shown.items():
        dash = {"dash": _DASHES[kind]}
        traces += band_traces(cell_name(kind), found, CELL_COLOURS[kind], low, line=dash)
    title = say("compare.heading.after") if after else say("compare.heading.reach")
    return over_lags(traces, title, low, high, height=_HEIGHT, shapes=[level(THRESHOLD)])


def loss_chart(learned: Mapping[str, Learned], constant: float, solved: float, updates: int) -> Figure:
    """The median test loss of each cell with its quartiles and extremes, and what to hold it against.

    Parameters
    ----------
    constant : float
        The loss of the best answer that does not look at the input; not drawn where it is 0.
    solved : float
        The level below which the task counts as solved; 0 for none.
    updates : int
        As many as there are to be.
    """
    bands = {kind: band(one.losses) for kind, one in learned.items()}
    levels = {"compare.level.constant": constant, "compare.level.solved": solved}
    levels = {key: value for key, value in levels.items() if value}
    curves = [log10(edge) for found in bands.values() for edge in found]
    curves += [log10(np.array([value])) for value in levels.values()]
    there = [value for one in curves for value in one if value is not None]
    low, high = min(there, default=0.0), max(there, default=0.0)
    room = max(0.05 * (high - low), 0.1)
    ends_ = (low - room, high + room)
    traces = [trace for kind, one in learned.items() for trace in _loss_traces(kind, one, bands[kind], ends_)]
    for (key, value), dash in zip(levels.items(), ("dot", "longdash"), strict=False):
        name, at = say(key, loss=power(value)), [math.log10(value)] * 2
        line = {"dash": dash, "width": 1.5}
        traces.append(curve([0, updates], at, name, LINES["neutral"], [name] * 2, line=line))
    return figure(
        traces, height=_HEIGHT, annotations=[heading(say("compare.heading.loss"))], showlegend=True,
        legend=BELOW_AXIS, margin=MARGIN, xaxis=axis(say("compare.axis.update"), range=[0, updates], zeroline=False),
        yaxis=decades(say("compare.axis.loss"), *ends_, range=list(ends_)),
    )  # fmt: skip


def _loss_traces(kind: str, learned: Learned, found: Band, ends: tuple[float, float]) -> list[Trace]:
    """The extremes and the quartiles of one cell as bands, of several networks, and their median."""
    at, name, colour = [int(update) for update in learned.updates], cell_name(kind), CELL_COLOURS[kind]
    traces: list[Trace] = []
    edge: Trace = {
        "type": "scatter", "mode": "lines", "x": at, "hoverinfo": "skip", "showlegend": False, "legendgroup": name,
        "line": {"width": 0},
    }  # fmt: skip
    if len(learned.losses) > 1:
        for lower, upper, opacity in ((found.low, found.high, 0.1), (found.lower, found.upper, 0.22)):
            fill = {"fill": "tonexty", "fillcolor": translucent(colour, opacity)}
            traces += [{**edge, "y": _within(lower, ends)}, {**edge, "y": _within(upper, ends), **fill}]
    hover = []
    for place, update in enumerate(at):
        ranks = {side: power(float(values[place])) for side, values in found._asdict().items()}
        hover.append(say("compare.note", name=name, update=thousands(update), **ranks))
    line = {"dash": _DASHES[kind]}
    return [*traces, curve(at, log10(found.median), name, colour, hover, legendgroup=name, line=line)]


def _within(values: Array, ends: tuple[float, float]) -> list[float]:
    """Logarithms for an edge of a band, which ends where the picture does."""
    with np.errstate(divide="ignore"):
        return [float(value) for value in np.clip(np.log10(values), *ends)]
