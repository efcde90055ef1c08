"""The saturation plot as one figure: a square for each gate, a dot for each place that units share."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rnnviz.maths import Saturation
from rnnviz.texts import say
from rnnviz.views.charts.figure import Figure, axis, figure, heading
from rnnviz.views.palette import LINES
from rnnviz.views.sentences.gate_facts import percent
from rnnviz.views.sentences.saturation import places_of

APART = 0.06
MOST_NAMED = 12
_MOST_TITLES = 2
"""On a phone so many squares have room for the name of their axis; of more, the one in the middle has it for all."""
SHARES = {0.0: "0", 0.5: "", 1.0: "1"}


def saturation_figure(found: Mapping[str, Saturation]) -> Figure:
    """To the right the share of steps at which a gate is closed (under 0.1), upwards at which it is open (over 0.9).

    Parameters
    ----------
    found : mapping of gate to Saturation
        From `rnnviz.gate_saturation`.
    """
    data, layout = [], dict[str, Any]()
    shapes, headings = [], []
    wide = (1.0 - APART * (len(found) - 1)) / len(found)
    ticks = {"range": [-0.12, 1.12], "tickvals": list(SHARES), "ticktext": list(SHARES.values()), "zeroline": False}
    for number, (gate, one) in enumerate(found.items()):
        panel, left = str(number + 1) if number else "", number * (wide + APART)
        domain = (left, min(left + wide, 1.0))
        is_named = len(found) <= _MOST_TITLES or number == len(found) // 2
        layout[f"xaxis{panel}"] = axis(
            say("saturation.closed") if is_named else "", domain=domain, anchor=f"y{panel}", tickangle=0, **ticks
        )
        layout[f"yaxis{panel}"] = axis(
            "" if number else say("saturation.open"), anchor=f"x{panel}", showticklabels=not number, **ticks
        )
        data.append(_dots(gate, one, panel))
        shapes.append(_diagonal(panel))
        headings.append(heading(say("saturation.gate", gate=gate), panel))
    margin = {"l": 8, "r": 16, "t": 64, "b": 8}
    return figure(data, height=340, margin=margin, showlegend=False, shapes=shapes, annotations=headings, **layout)


def _dots(gate: str, one: Saturation, panel: str) -> dict[str, Any]:
    places = places_of(one)
    hover = [_hover(gate, units, closed, opened) for (closed, opened), units in places.items()]
    counts = [len(units) for units in places.values()]
    marker = {
        "color": LINES["gate"], "opacity": 0.85, "size": [min(34.0, 12.0 + 4.0 * math.sqrt(n - 1)) for n in counts],
    }  # fmt: skip
    return {
        "type": "scatter", "mode": "markers+text", "x": [closed for closed, _ in places],
        "y": [opened for _, opened in places], "marker": marker, "hovertext": hover, "hoverinfo": "text",
        "text": [str(n) if n > 1 else "" for n in counts], "textfont": {"color": "#ffffff", "size": 11},
        "cliponaxis": False, "xaxis": f"x{panel}", "yaxis": f"y{panel}",
    }  # fmt: skip


def _hover(gate: str, units: list[int], closed: float, opened: float) -> str:
    names = ", ".join(map(str, units[:MOST_NAMED])) + (", …" if len(units) > MOST_NAMED else "")
    return say("saturation.dot", gate=gate, units=names, count=len(units), closed=percent(closed), open=percent(opened))


def _diagonal(panel: str) -> dict[str, Any]:
    """Where both shares make up all steps; nothing lies above it."""
    line = {"color": LINES["neutral"], "width": 1, "dash": "dot"}
    place = {"x0": 0, "x1": 1, "y0": 1, "y1": 0, "xref": f"x{panel}", "yref": f"y{panel}"}
    return {"type": "line", "line": line, "layer": "below", **place}
