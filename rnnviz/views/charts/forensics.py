"""The updates up to a clip or an overflow, and each step's part in it, as one Plotly figure."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rnnviz.learning.forensics import Forensics, Reading
from rnnviz.maths.checks import Array
from rnnviz.texts import say
from rnnviz.views.charts.figure import (
    MARGIN,
    Figure,
    Trace,
    counting,
    curve,
    decade_axis,
    figure,
    gaps,
    heading,
    level,
    log10,
    upright,
)
from rnnviz.views.numbers import faded, power_of_ten
from rnnviz.views.palette import LINES
from rnnviz.views.sentences.forensics import layered, network_words

_BEFORE, _AT, _AFTER = (
    {"colour": LINES["neutral"], "dash": "dot", "symbol": "circle-open"},
    {"colour": LINES["second"], "dash": "solid", "symbol": "circle"},
    {"colour": LINES["weight"], "dash": "dash", "symbol": "diamond"},
)
"""The network an update earlier, the one that the update began with, and the one after it."""
_STRETCHES = 400
"""Of a curve over the updates."""
_MOST_MARKED = 40
"""Points of a curve that are marked one by one."""
_PANEL, _BETWEEN, _BELOW = 180, 76, 110
"""Pixels of a panel, between two of them, and of the legend."""


def forensics_figure(found: Forensics, norms: Array) -> Figure:
    """The gradient norm by updates, and below it errors and contributions by steps, of each network.

    Where the update learned from a single step, these stand against the networks instead.

    Parameters
    ----------
    found : Forensics
    norms : (N,) array
        The gradient norm of each update of the run, from 1 on; what came after the incident is left out.
    """
    alone, given = len(found.steps) == 1, found.incident.limit
    limit = None if given is None else math.log10(given)
    panels = [_history(found, norms), *([_of_one_step(found)] if alone else _of_steps(found))]
    height, places = _stacked(len(panels))
    layout: dict[str, Any] = {"annotations": [], "shapes": []}
    traces: list[Trace] = []
    for place, (number, panel) in zip(places, enumerate(panels, 1), strict=True):
        axes = "" if number == 1 else str(number)
        lines, title, x, y_title = panel
        shown = [line["y"] for line in lines]
        if number == 1 and limit is not None:
            shown.append([limit])
        layout |= {
            f"xaxis{axes}": {**x, "anchor": f"y{axes}"},
            f"yaxis{axes}": decade_axis(y_title, shown, domain=place),
        }
        layout["annotations"].append(heading(title, axes))
        traces += [{**line, "xaxis": f"x{axes}", "yaxis": f"y{axes}", "cliponaxis": False} for line in lines]
    layout["shapes"].append(upright(found.incident.this.update.number, dash="dot"))
    if found.incident.kind == "end" and (turn := found.incident.best.number) > 0:
        layout["shapes"].append(upright(turn, dash="dot"))
        layout["annotations"].append(_named(turn, say("forensics.level.best")))
    if limit is not None:
        layout["shapes"].append(level(limit))
    legend = {"y": -(_BELOW - 50) / (height - _BELOW - MARGIN["t"]), "yanchor": "top"}
    return figure(traces, height=height, showlegend=True, legend=legend, margin={**MARGIN, "b": _BELOW}, **layout)


def _stacked(count: int) -> tuple[int, list[list[float]]]:
    """The height of a figure of panels one below the other, and the part of it that each takes, from the top."""
    whole = count * _PANEL + (count - 1) * _BETWEEN
    tops = [1.0 - number * (_PANEL + _BETWEEN) / whole for number in range(count)]
    return whole + MARGIN["t"] + _BELOW, [[max(0.0, top - _PANEL / whole), top] for top in tops]


_Panel = tuple[list[Trace], str, dict[str, Any], str]
"""Curves, what they show, the horizontal axis, and the name of the other."""


def _named(at: int, text: str) -> dict[str, Any]:
    """The name of an upright line of the uppermost panel, beside it."""
    return {
        "text": text, "x": at, "xref": "x", "xanchor": "left", "xshift": 3, "y": 1, "yref": "y domain",
        "yanchor": "top", "showarrow": False, "font": {"size": 11, "color": LINES["neutral"]},
    }  # fmt: skip


def _history(found: Forensics, norms: Array) -> _Panel:
    """From the first update on: what led to an overflow may have begun long before."""
    last = found.incident.this.update.number
    numbers, norms = peaks(norms[:last])
    hover = [
        say("forensics.hover.update", number=number, value=faded(norm))
        for number, norm in zip(numbers, norms.tolist(), strict=True)
    ]
    line = curve(
        numbers,
        log10(norms),
        say("forensics.norm"),
        LINES["positive"],
        hover,
        showlegend=False,
        mode="lines+markers" if last <= _MOST_MARKED else "lines",
    )
    title = say("forensics.heading.history") if found.incident.limit is None else say("forensics.heading.limit")
    return [line], title, counting(say("forensics.axis.update"), 1, last), say("forensics.axis.norm")


def peaks(values: Array) -> tuple[list[int], Array]:
    """The largest value of each of at most 400 stretches of equal length, at its place, counted from 1."""
    size = max(1, -(-len(values) // _STRETCHES))
    at = [start + int(np.argmax(values[start : start + size])) for start in range(0, len(values), size)]
    return [place + 1 for place in at], values[at]


def _of_steps(found: Forensics) -> list[_Panel]:
    layer, steps = found.layer, found.steps
    matrix = layered(found, "W_hh", layer + 1)
    panels = []
    for name, title in (
        ("errors", layered(found, say("forensics.heading.errors"), layer + 1)),
        ("contributions", say("forensics.heading.contributions", matrix=matrix)),
    ):
        lines = [
            _by_step(reading, getattr(reading.layers[layer], name), steps, style, named=name == "errors")
            for reading, style in zip(found.readings, _styles(found), strict=True)
            if reading.layers
        ]
        x = counting(say("forensics.axis.step"), steps[0], steps[-1])
        panels.append((lines, title, x, say("forensics.axis.norm")))
    return panels


def _by_step(reading: Reading, values: Any, steps: range, style: dict[str, str], *, named: bool) -> Trace:
    network = network_words(reading.updates)
    hover = [
        say("forensics.hover.step", network=network, step=step, value=power_of_ten(float(value)))
        for step, value in zip(steps, values, strict=True)
    ]
    return curve(
        steps, gaps(values), network, style["colour"], hover, line={"dash": style["dash"]}, showlegend=named,
        legendgroup=network, mode="lines+markers" if len(steps) <= _MOST_MARKED else "lines",
        marker={"symbol": style["symbol"], "size": 6},
    )  # fmt: skip


def _of_one_step(found: Forensics) -> _Panel:
    layer, readings = found.layer, [one for one in found.readings if one.layers]
    matrix = layered(found, "W_hh", layer + 1)
    updates, lines = [one.updates for one in found.readings], []
    for name, values, style in (
        (
            layered(found, say("forensics.error.name"), layer + 1),
            [one.layers[layer].errors[0] for one in readings],
            _AT,
        ),
        (say("forensics.gradient.name", matrix=matrix), [one.layers[layer].total for one in readings], _AFTER),
    ):
        hover = [
            say("forensics.hover.network", name=name, network=network_words(one.updates), value=power_of_ten(value))
            for one, value in zip(readings, values, strict=True)
        ]
        lines.append(
            curve(
                [one.updates for one in readings], gaps(values), name, style["colour"], hover, mode="lines+markers",
                line={"dash": style["dash"]}, marker={"symbol": style["symbol"], "size": 8},
            )
        )  # fmt: skip
    title = say("forensics.heading.one", step=found.steps[0])
    x = counting(say("forensics.axis.updates"), updates[0], updates[-1])
    return lines, title, x, say("forensics.axis.norm")


def _styles(found: Forensics) -> list[dict[str, str]]:
    first = 1 - found.at
    return [_BEFORE, _AT, _AFTER][first : first + len(found.readings)]
