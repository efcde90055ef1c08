"""Two forms of the GRU as one figure: the whole h of both on one scale, their difference, and a unit as lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Trace
from rnnviz.texts import say
from rnnviz.views.charts.figure import FRAME, Figure, axis, counting, curve, figure, heading, upright
from rnnviz.views.numbers import faded, written
from rnnviz.views.palette import LINES

Array = NDArray[np.float64]

HEAD, FOOT, LEGEND, GAP, LINE_PANEL = 64, 52, 44, 34, 130  # pixels
ROW, LEAST, MOST = 22, 60, 220


def forms_figure(here: Trace, other: Trace, unit: int, t: int) -> Figure:
    """Heat maps of both forms' h and of the difference, units from top to bottom, and the lines of one unit.

    Parameters
    ----------
    here, other : Trace
        Of the same weights and sequence; one may end earlier.
    unit : int
        Zero-based.
    t : int
        The step that is marked.
    """
    steps, H = min(here.steps, other.steps), here.cell.hidden_size
    maps = [here.h[: steps + 1], other.h[: steps + 1]]
    with np.errstate(over="ignore"):
        maps.append(maps[1] - maps[0])
    heights = [max(LEAST, min(MOST, ROW * H))] * 3 + [LINE_PANEL]
    domains, whole = _domains(heights), sum(heights) + 3 * GAP
    limit = max(1.0, *(float(np.abs(one).max()) for one in maps[:2]))
    apart = float(np.abs(maps[2]).max()) or 1.0
    hover = _hover(*maps)
    data = [_heat(one, hover, str(panel) if panel > 1 else "", panel) for panel, one in enumerate(maps, start=1)]
    for name, trace, colour, dash in (("here", here, "gru", "solid"), ("there", other, "second", "5px,3px")):
        values = trace.h[: steps + 1, unit].tolist()
        said = [say("ledger.hover.memory", step=k, symbol="h", value=written(value)) for k, value in enumerate(values)]
        data.append(
            curve(
                list(range(steps + 1)), values, say(f"forms.curve.{name}"), LINES[colour], said, xaxis="x4", yaxis="y4",
                line={"dash": dash},
            )
        )  # fmt: skip
    layout: dict[str, Any] = {
        "coloraxis": _scale(limit, domains[1][0], domains[0][1]),
        "coloraxis2": _scale(apart, *domains[2]),
        "legend": {"orientation": "h", "x": 0, "y": -FOOT / whole, "yanchor": "top"},
        "shapes": [upright(min(t, steps), "4", dash="dot")],
        "margin": {"l": 8, "r": 8, "t": HEAD, "b": 8},
    }
    for panel, domain in enumerate(domains, start=1):
        name, last = str(panel) if panel > 1 else "", panel == 4
        shared = {} if last else {"matches": "x4", "showticklabels": False}
        layout[f"xaxis{name}"] = counting(
            say("forms.axis.step") if last else "", 0, steps, anchor=f"y{name}", showgrid=False, **shared
        ) | ({} if last else FRAME)
        rows = counting(say("forms.axis.unit"), 1, H, domain=domain)
        rows |= {"range": [H + 0.5, 0.5], "showgrid": False, **FRAME}
        layout[f"yaxis{name}"] = axis("h", domain=domain, nticks=5) if last else rows
    titles = [say(f"forms.panel.{name}") for name in ("here", "there", "difference")]
    titles.append(say("forms.lines", unit=unit + 1))
    layout["annotations"] = [heading(text, name) for text, name in zip(titles, ("", "2", "3", "4"), strict=True)]
    return figure(data, height=HEAD + whole + FOOT + LEGEND, **layout)


def _domains(heights: list[int]) -> list[tuple[float, float]]:
    """Where panels of these heights stand, from the top down, as parts of the height of them all."""
    whole, top, found = sum(heights) + GAP * (len(heights) - 1), 0, []
    for height in heights:
        found.append((max(0.0, 1 - (top + height) / whole), 1 - top / whole))
        top += height + GAP
    return found


def _hover(here: Array, other: Array, difference: Array) -> list[list[str]]:
    """What every cell of the three maps says, units by steps."""
    return [
        [
            say(
                "forms.hover", unit=unit + 1, step=k, here=written(float(here[k, unit])),
                other=written(float(other[k, unit])), difference=faded(float(difference[k, unit])),
            )
            for k in range(len(here))
        ]
        for unit in range(here.shape[1])
    ]  # fmt: skip


def _heat(values: Array, hover: list[list[str]], panel: str, number: int) -> dict[str, Any]:
    return {
        "type": "heatmap", "z": values.T.tolist(), "x": list(range(len(values))),
        "y": list(range(1, values.shape[1] + 1)), "hovertext": hover, "hoverinfo": "text",
        "coloraxis": "coloraxis2" if number == 3 else "coloraxis", "xaxis": f"x{panel}", "yaxis": f"y{panel}",
        "xgap": 1 if len(values) <= 60 else 0, "ygap": 1 if values.shape[1] <= 30 else 0,
    }  # fmt: skip


def _scale(limit: float, low: float, high: float) -> dict[str, Any]:
    """Signed colours from -limit to limit, with their legend beside the panels between two heights."""
    bar = {
        "thickness": 10, "x": 1.01, "y": (low + high) / 2, "len": high - low, "tickvals": [-limit, 0.0, limit],
        "ticktext": [written(-limit), "0", written(limit)], "outlinewidth": 0,
    }  # fmt: skip
    return {"cmin": -limit, "cmax": limit, "autocolorscale": True, "colorbar": bar}
