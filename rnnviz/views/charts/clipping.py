"""Plotly figures of clipping: norms before and after, descents over a cliff, recall on fresh data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.texts import say
from rnnviz.views.charts.figure import (
    BELOW,
    BELOW_AXIS,
    MARGIN,
    Figure,
    Trace,
    axis,
    colour_bar,
    curve,
    decade_axis,
    decades,
    figure,
    level,
    log10,
    upright,
)
from rnnviz.views.numbers import power, written
from rnnviz.views.palette import LINES, translucent

Array = NDArray[np.float64]

WITHOUT, WITH = LINES["negative"], LINES["positive"]
_FLOOR = -4.0
"""log10 of the loss from which on the map has one colour."""


_MOST_DECADES = 8
"""Below the largest norm after clipping: one of rounding alone would push all others together."""
_BEYOND = {"circle": "triangle-left", "circle-open": "triangle-left-open"}


def norms_figure(norms: Mapping[str, tuple[float, float]], limit: float) -> Figure:
    """The norm of each weight's gradient before clipping and after, and the limit; what is 0 has no place.

    What is far below the others stands at the left edge, with a mark that points on.

    Parameters
    ----------
    norms : mapping of name to (before, after)
    limit : float
        The largest norm of all weights together.
    """
    names = list(norms)
    before, after = ([norms[name][place] for name in names] for place in (0, 1))
    (bound,) = log10(np.array([limit]))
    there = [one for one in log10(np.array(after)) if one is not None]
    edge = math.floor(max(there, default=0.0)) - _MOST_DECADES

    def placed(values: Sequence[float]) -> list[float | None]:
        return [one if one is None else max(one, edge) for one in log10(np.array(values))]

    traces = []
    for name in names:
        ends = placed(norms[name])
        if None not in ends:
            traces.append({
                "type": "scatter", "mode": "lines", "x": ends, "y": [name, name], "showlegend": False,
                "line": {"color": LINES["neutral"], "width": 2}, "hoverinfo": "skip",
            })  # fmt: skip
    for text, values, colour, symbol in (
        (say("clip.column.before"), before, WITHOUT, "circle-open"),
        (say("clip.column.after"), after, WITH, "circle"),
    ):
        traces.append({
            "type": "scatter", "mode": "markers", "x": placed(values), "y": names, "name": text,
            "marker": {
                "color": colour, "size": 11, "line": {"width": 2},
                "symbol": [_BEYOND[symbol] if one == edge else symbol for one in placed(values)],
            },
            "hoverinfo": "text",
            "hovertext": [say("clip.hover", name=name, kind=text, value=power(value))
                          for name, value in zip(names, values, strict=True)],
        })  # fmt: skip
    return figure(
        traces,
        height=306,
        margin=MARGIN,
        xaxis=decade_axis(say("clip.norm"), [placed([*before, *after]), [bound]]),
        yaxis={"type": "category", "autorange": "reversed"},
        legend=BELOW_AXIS,
        shapes=[upright(bound, dash="dash", width=1.5)],
        annotations=[_named("x", bound, say("clip.limit"))],
    )


def surface_figure(
    w: Array, b: Array, losses: Array, free: tuple[Array, Array], clipped: tuple[Array, Array]
) -> Figure:
    """The loss of a unit over its two weights, with the ways of two descents from one start.

    Parameters
    ----------
    w : (n,) array
    b : (m,) array
    losses : (m, n) array
    free, clipped : pair of (k+1, 2) and (k+1,) arrays
        w and b after 0, 1, ... updates, and the loss there.
    """
    heights = np.log10(losses)
    ground: Trace = {
        "type": "contour", "x": w.tolist(), "y": b.tolist(), "z": np.maximum(heights, _FLOOR).round(3).tolist(),
        "zmin": _FLOOR, "zmax": 0.0, "contours": {"start": _FLOOR, "end": 0.0, "size": 0.5, "coloring": "heatmap"},
        "line": {"width": 0.5, "color": translucent(LINES["neutral"], 0.5)},
        "colorscale": [[0, translucent(LINES["neutral"], 0.9)], [1, translucent(LINES["neutral"], 0.0)]],
        "colorbar": colour_bar(
            say("clip.cliff.loss"), y=-0.16, tickvals=[_FLOOR, -3, -2, -1, 0],
            ticktext=["≤ 1e−4", "0.001", "0.01", "0.1", "1"],
        ),
        "hovertemplate": say("clip.cliff.hover", w="%{x:.3f}", b="%{y:.3f}", z="%{z:.2f}") + "<extra></extra>",
    }  # fmt: skip
    ways = [
        _way(free, say("clip.without"), WITHOUT, "circle-open"),
        _way(clipped, say("clip.with"), WITH, "circle"),
    ]
    begin: Trace = {
        "type": "scatter", "mode": "markers", "x": [float(free[0][0, 0])], "y": [float(free[0][0, 1])],
        "name": say("clip.cliff.begin"), "hoverinfo": "name",
        "marker": {"size": 13, "symbol": "star", "color": LINES["weight"], "line": {"width": 1, "color": "white"}},
    }  # fmt: skip
    return figure(
        [ground, *ways, begin],
        height=540,
        margin={"l": 8, "r": 16, "t": 40, "b": BELOW},
        legend={"y": -0.34, "yanchor": "top"},  # below the colour bar: at the top a phone's buttons would cover it
        xaxis=axis("w", range=[float(w[0]), float(w[-1])], showgrid=False, zeroline=False),
        yaxis=axis("b", range=[float(b[0]), float(b[-1])], showgrid=False, zeroline=False),
    )


def _way(run: tuple[Array, Array], name: str, colour: str, symbol: str) -> Trace:
    """The way of a descent; its last point is marked."""
    path, losses = run
    hover = [
        say("clip.cliff.point", name=name, update=update, w=written(at[0]), b=written(at[1]), loss=power(loss))
        for update, (at, loss) in enumerate(zip(path.tolist(), losses.tolist(), strict=True))
    ]
    ends = [0] * (len(path) - 1) + [1]
    return curve(
        path[:, 0].tolist(), path[:, 1].tolist(), name, colour, hover, mode="lines+markers",
        line={"width": 1.5},
        marker={"size": [13 if end else 4 for end in ends], "symbol": [symbol if end else "circle" for end in ends],
                "line": {"width": 2 if symbol == "circle-open" else 0}},
    )  # fmt: skip


def descents_figure(
    losses: tuple[Array, Array], last: tuple[float, float], rates: Array, arrived: tuple[Array, Array], starts: int
) -> Figure:
    """The losses of both descents over the updates, and below the number of starts that arrive at each learning rate.

    Parameters
    ----------
    losses : pair of (k+1,) arrays
        Without clipping and with it.
    last : pair of float
        The last loss of each, a dotted line.
    rates : (R,) array
    arrived : pair of (R,) arrays
    starts : int
        How many there are.
    """
    ways = list(zip((say("clip.without"), say("clip.with")), (WITHOUT, WITH), strict=True))
    traces = []
    for (name, colour), values, end in zip(ways, losses, last, strict=True):
        hover = [say("clip.loss_at", name=name, update=k, loss=power(one)) for k, one in enumerate(values.tolist())]
        traces.append(curve(range(len(values)), log10(values), name, colour, hover, line={"width": 1.5}))
        level = log10(np.array([end]))[0]
        traces.append({
            "type": "scatter", "mode": "lines", "x": [0, len(values) - 1], "y": [level, level], "showlegend": False,
            "line": {"color": colour, "width": 1.2, "dash": "dot"}, "hoverinfo": "text",
            "hovertext": [say("clip.last_at", name=name, loss=power(end))] * 2,
        })  # fmt: skip
    curves = [one["y"] for one in traces]
    at = np.log10(rates)
    for (name, colour), counts in zip(ways, arrived, strict=True):
        hover = [
            say("clip.cliff.of_rate", name=name, rate=written(rate), count=int(count), starts=starts)
            for rate, count in zip(rates.tolist(), counts.tolist(), strict=True)
        ]
        traces.append(curve(
            at.tolist(), counts.tolist(), name, colour, hover, mode="lines+markers", showlegend=False, xaxis="x2",
            yaxis="y2",
        ))  # fmt: skip
    return figure(
        traces,
        height=540,
        legend={"y": -0.16, "yanchor": "top"},
        xaxis=axis(say("clip.updates"), anchor="y"),
        yaxis=decade_axis(say("clip.cliff.loss"), curves, domain=[0.6, 1]),
        xaxis2=decades(say("clip.cliff.rate"), float(at.min()), float(at.max()), anchor="y2"),
        yaxis2=axis(say("clip.cliff.arrived"), domain=[0, 0.36], range=[0, starts * 1.05]),
    )


def recall_figure(runs: Sequence[tuple[int, bool, Array]], every: int) -> Figure:
    """Losses on fresh data as shares of the target's variance, over the updates.

    Parameters
    ----------
    runs : sequence of (steps, clipped, shares)
        The steps back to the first input, whether its gradients were clipped, and the shares at every test.
    every : int
        Updates from one test to the next.
    """
    traces = []
    for steps, clipped, shares in runs:
        name = say("clip.recall.with" if clipped else "clip.recall.without", steps=steps)
        updates = [every * place for place in range(len(shares))]
        hover = [
            say("clip.recall.at", name=name, update=update, share=power(share))
            for update, share in zip(updates, shares.tolist(), strict=True)
        ]
        far = steps == max(one for one, _, _ in runs)
        traces.append(curve(
            updates, log10(shares), name, WITH if clipped else WITHOUT, hover, mode="lines+markers",
            line={"dash": "solid" if far else "dot"}, marker={"size": 5, "symbol": "circle" if far else "diamond"},
        ))  # fmt: skip
    return figure(
        traces,
        height=360,
        legend=BELOW_AXIS,
        xaxis=axis(say("clip.updates")),
        yaxis=decade_axis(say("clip.recall.axis"), [*(one["y"] for one in traces), [0.0, 0.3]]),
        shapes=[level(0.0)],
        annotations=[_named("y", 0.0, say("clip.recall.variance"))],
    )


def _named(along: str, at: float | None, text: str) -> dict[str, object]:
    """The name of a line at a place of one axis, at its end."""
    place = {"x": at, "y": 1, "yref": "paper", "yanchor": "bottom"} if along == "x" else {
        "y": at, "x": 1, "xref": "paper", "xanchor": "right", "yanchor": "bottom",
    }  # fmt: skip
    return {"text": text, "showarrow": False, "font": {"size": 12}, **place}
