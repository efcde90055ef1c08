"""The updates up to a clip or an overflow, and each step's part in it, as one Plotly figure."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from rnnviz.learning.forensics import Forensics, Reading
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
_MOST_MARKED = 40
"""Points of a curve that are marked one by one."""
_PANEL, _BETWEEN, _BELOW = 180, 76, 110
"""Pixels of a panel, between two of them, and of the legend."""


def forensics_figure(found: Forensics) -> Figure:
    """Loss and gradient norm by updates, and below it errors and contributions by steps, of each network.

    Where the update learned from a single step, these stand against the networks instead.
    """
    alone, given = len(found.steps) == 1, found.incident.limit
    limit = None if given is None else math.log10(given)
    panels = [_history(found), *([_of_one_step(found)] if alone else _of_steps(found))]
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


def _history(found: Forensics) -> _Panel:
    updates = found.incident.history
    x, name = [one.number for one in updates], say("forensics.norm")
    hover = [say("forensics.hover.update", number=one.number, value=faded(one.grad_norm)) for one in updates]
    line = curve(
        x, log10(np.array([one.grad_norm for one in updates])), name, LINES["positive"], hover, mode="lines+markers",
        marker={"size": 4}, showlegend=False,
    )  # fmt: skip
    title = say("forensics.heading.history") if found.incident.limit is None else say("forensics.heading.limit")
    return [line], title, counting(say("forensics.axis.update"), x[0], x[-1]), say("forensics.axis.norm")


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
