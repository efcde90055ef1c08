"""Plotly figures of RTRL: what it carries from step to step, and how far off it is when the weights move meanwhile."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import OnlineRun
from rnnviz.texts import say
from rnnviz.views.charts.figure import (
    BELOW,
    BELOW_AXIS,
    FRAME,
    SIGNED,
    Figure,
    Trace,
    axis,
    colour_bar,
    curve,
    decade_axis,
    figure,
    log10,
    upright,
)
from rnnviz.views.numbers import faded, power
from rnnviz.views.palette import LINES
from rnnviz.views.sentences.rtrl import ROUNDING

Array = NDArray[np.float64]


def _steps(name: str, values: Array, colour: str, **options: object) -> Trace:
    """A curve over the steps 1..T."""
    steps = range(1, len(values) + 1)
    hover = [say("rtrl.hover", name=name, t=t, value=power(value)) for t, value in zip(steps, values, strict=True)]
    mode = "lines+markers" if len(values) < 40 else "lines"
    return curve(steps, log10(values), name, colour, hover, mode=mode, marker={"size": 5}, **options)


def influence_figure(norms: Array, blocks: Mapping[str, Array], units: Sequence[str], t: int) -> Figure:
    """The norm of the influence over the steps and, where there are blocks, the influence after step t below it.

    Parameters
    ----------
    norms : (T,) array
        From `influence_norms`.
    blocks : mapping of name to array
        From `influence`, (S, ...) for each weight; empty where they are too many to draw.
    units : sequence of str
        The S names of the rows.
    t : int
        The step that they belong to, marked in the curve.
    """
    line = _steps(say("rtrl.influence.name"), norms, LINES["lstm"], showlegend=False)
    layout: dict[str, object] = {
        "xaxis": axis(say("rtrl.axis"), range=[0.5, len(norms) + 0.5], **_whole(len(norms))),
        "yaxis": decade_axis(say("rtrl.influence.axis"), [line["y"]]),
    }
    if not blocks:
        return figure([line], height=260, **layout)
    tall = max(60, _ROW * min(len(units), 24))
    paper = _CURVE + _BETWEEN + tall
    layout["xaxis"] = {**layout["xaxis"], "anchor": "y"}  # type: ignore[dict-item]
    layout["yaxis"] = {**layout["yaxis"], "domain": [1 - _CURVE / paper, 1]}  # type: ignore[dict-item]
    edges = np.cumsum([0, *(block[0].size for block in blocks.values())]).tolist()
    layout |= {
        "xaxis2": axis(
            say("rtrl.matrix.columns"), anchor="y2", range=[-0.5, edges[-1] - 0.5], showgrid=False, zeroline=False,
            tickvals=[(one + other - 1) / 2 for one, other in itertools.pairwise(edges)],
            ticktext=_apart(blocks, edges), tickangle=0, **FRAME,
        ),
        "yaxis2": axis(
            say("rtrl.matrix.rows"), domain=[0, tall / paper], autorange="reversed", showgrid=False, zeroline=False,
            type="category", tickson="labels", ticks="", **FRAME,
        ),
        "shapes": [
            upright(t), *(upright(edge - 0.5, "2") for edge in edges),
        ],
        "margin": {"l": 8, "r": 16, "t": _TOP, "b": BELOW},
    }  # fmt: skip
    heat = _heat(blocks, units, t) | {"colorbar": colour_bar(say("rtrl.matrix.legend"), y=-56 / paper)}
    return figure([line, heat], height=_TOP + paper + BELOW, **layout)


def _apart(names: Iterable[str], edges: Sequence[int]) -> list[str]:
    """Names below columns; where those are narrow, a name stands lower than the one before."""
    texts = list[str]()
    for name, (one, other) in zip(names, itertools.pairwise(edges), strict=True):
        is_near = other - one < _NARROW * edges[-1] and bool(texts) and not texts[-1].startswith("<br>")
        texts.append(f"<br>{name}" if is_near else name)
    return texts


_NARROW = 0.12
"""Of the width: on a phone, columns of a weight that take less have no room for its name beside another."""

_TOP, _CURVE, _BETWEEN, _ROW = 40, 180, 70, 22
"""In pixels: above the curve, the curve, between it and the heat map, a row of that."""


def _heat(blocks: Mapping[str, Array], units: Sequence[str], t: int) -> Trace:
    """The influence as a heat map: a row for each number of the state, a column for each weight."""
    rows = len(units)
    flat = np.concatenate([block.reshape(rows, -1) for block in blocks.values()], axis=1)
    names = [
        f"{name}[{', '.join(str(one + 1) for one in place)}]"
        for name, block in blocks.items()
        for place in np.ndindex(block.shape[1:])
    ]
    most, gap = float(np.abs(flat).max()) or 1.0, 1 if flat.shape[1] <= 60 else 0
    hover = [
        [
            say("rtrl.matrix.hover", unit=unit, entry=entry, t=t, value=faded(value))
            for entry, value in zip(names, row, strict=True)
        ]
        for unit, row in zip(units, flat.tolist(), strict=True)
    ]
    return {
        "type": "heatmap", "z": flat.tolist(), "y": list(units), "xaxis": "x2", "yaxis": "y2", "zmin": -most,
        "zmax": most, "colorscale": SIGNED, "xgap": gap, "ygap": gap, "hovertext": hover, "hoverinfo": "text",
    }  # fmt: skip


def drift_figure(learned: OnlineRun) -> Figure:
    """The norms of the gradient that each step learned from, of the true one and of their difference.

    A difference that rounding alone can make is left out: on the axis it would leave no room for the others.
    """
    drift = np.where(learned.drift > ROUNDING * learned.true_norms, learned.drift, 0.0)
    found = (
        (say("rtrl.drift.true"), learned.true_norms, LINES["lstm"], "solid"),
        (say("rtrl.drift.online"), learned.norms, LINES["elman"], "dash"),
        (say("rtrl.drift.drift"), drift, LINES["second"], "solid"),
    )
    curves = [_steps(name, norms, colour, line={"dash": dash}) for name, norms, colour, dash in found if norms.any()]
    return figure(
        curves,
        height=340,
        legend=BELOW_AXIS,
        xaxis=axis(say("rtrl.axis"), range=[0.5, len(drift) + 0.5], **_whole(len(drift))),
        yaxis=decade_axis(say("rtrl.drift.axis"), [one["y"] for one in curves]),
    )


def _whole(steps: int) -> dict[str, object]:
    """Ticks at whole steps alone."""
    return {"dtick": 1} if steps <= 12 else {}
