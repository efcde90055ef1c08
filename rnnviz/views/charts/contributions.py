"""What each step contributes to the gradient of a weight, and the gradient of all its entries, as Plotly figures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rnnviz.texts import say
from rnnviz.views.charts.figure import FRAME, SIGNED, Figure, axis, bars, counting, figure
from rnnviz.views.numbers import faded
from rnnviz.views.palette import LINES, translucent
from rnnviz.views.sentences.uses import Uses, row_names

MOST_HOVERS = 2048
"""Entries that have a text of their own when they are pointed at; beyond, the browser writes it."""
_MOST_ROWS, _FEW_ROWS = 24, 12
"""Rows that are all named beside the map, and about how many are named of more than those."""
_ROW, _AROUND = 15, 100
"""Pixels of a row with its name, and of what stands above and below the map."""


def contributions_figure(uses: Uses) -> Figure:
    """A bar for each step; with a truncation what is left of it, filled, before the outline of the whole."""
    steps = range(1, len(uses.whole) + 1)
    layout: dict[str, Any] = {
        "xaxis": counting(say("use.axis.step"), 1, len(steps)),
        "yaxis": axis(say("use.axis", name=uses.name)),
        "showlegend": uses.is_cut,
        "barmode": "overlay",
    }  # fmt: skip
    whole, cut = uses.whole.tolist(), uses.cut.tolist()
    if not uses.is_cut:
        hover = [say("use.bar", step=step, whole=faded(one)) for step, one in zip(steps, whole, strict=True)]
        return figure([bars(steps, whole, hover)], **layout)
    hover = [
        say("use.bar.cut", step=step, whole=faded(one), cut=faded(other))
        for step, one, other in zip(steps, whole, cut, strict=True)
    ]
    outline = {"color": translucent(LINES["neutral"], 0.12), "line": {"color": LINES["neutral"], "width": 1.5}}
    return figure(
        [
            bars(steps, whole, hover, marker=outline, name=say("use.column.whole"), showlegend=True),
            bars(steps, cut, hover, name=say("use.column.cut"), showlegend=True, width=0.5),
        ],
        **layout,
    )


def gradient_figure(uses: Uses, gates: Sequence[str]) -> Figure:
    """The gradient of every entry as a colour, the scale centred on 0; the chosen entry is framed.

    Parameters
    ----------
    uses : Uses
    gates : sequence of str
        The blocks of rows that the weight is stacked of; one name or none where it is no stack.
    """
    matrix = uses.gradient.reshape(len(uses.gradient), -1)
    rows, columns = matrix.shape
    limit = float(np.abs(matrix).max()) or 1.0
    names = row_names(rows, gates)
    title = {"text": f"dL/d{uses.weight}", "side": "right", "font": {"size": 13}}
    heat: dict[str, Any] = {
        "type": "heatmap", "z": matrix.tolist(), "x": list(range(1, columns + 1)), "y": list(range(1, rows + 1)),
        "zmin": -limit, "zmax": limit, "colorscale": SIGNED, "xgap": 1 if columns <= 16 else 0,
        "ygap": 1 if rows <= 32 else 0,
        "colorbar": {"thickness": 12, "outlinewidth": 0, "title": title},
    }  # fmt: skip
    if matrix.size <= MOST_HOVERS:
        heat["hoverinfo"] = "text"
        heat["hovertext"] = [
            [_said(names[i], j, uses.gradient.ndim, float(matrix[i, j])) for j in range(columns)] for i in range(rows)
        ]
    else:
        heat["hovertemplate"] = say("use.heat", row="%{y}", column="%{x}", value="%{z:.4~g}") + "<extra></extra>"
    shown = range(0, rows, 1 if rows <= _MOST_ROWS else -(-rows // _FEW_ROWS))
    y = axis(
        say("use.axis.row"), autorange="reversed", tickvals=[row + 1 for row in shown],
        ticktext=[names[row] for row in shown], showgrid=False, zeroline=False, **FRAME,
    )  # fmt: skip
    x = axis(say("use.axis.column"), showgrid=False, zeroline=False, **FRAME, **({"dtick": 1} if columns <= 16 else {}))
    if uses.gradient.ndim == 1:
        x |= {"showticklabels": False, "title": {"text": ""}}
    units = rows // max(1, len(gates))
    lines = [_line(columns, block * units) for block in range(1, len(gates))]
    if uses.entry is not None:
        lines.append(_frame(uses.entry))
    return figure([heat], height=max(300, _AROUND + _ROW * len(shown)), xaxis=x, yaxis=y, shapes=lines)


def _said(row: str, column: int, axes: int, value: float) -> str:
    if axes == 1:
        return say("use.heat.bias", row=row, value=faded(value))
    return say("use.heat", row=row, column=column + 1, value=faded(value))


def _line(columns: int, row: int) -> dict[str, Any]:
    """Between the rows of two gates."""
    ends = {"x0": 0.5, "x1": columns + 0.5, "y0": row + 0.5, "y1": row + 0.5}
    return {"type": "line", **ends, "line": {"color": LINES["neutral"], "width": 1.5}}


def _frame(entry: Sequence[int]) -> dict[str, Any]:
    row, column = (*entry, 0)[:2]
    ends = {"x0": column + 0.5, "x1": column + 1.5, "y0": row + 0.5, "y1": row + 1.5}
    return {"type": "rect", **ends, "line": {"color": LINES["second"], "width": 3}}
