"""The factor of each step on the way back; one step opened into its units and its singular values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Trace as Run
from rnnviz.texts import say
from rnnviz.views.charts.figure import MARGIN, Figure, axis, bars, counting, figure, heading, level
from rnnviz.views.numbers import power, power_of_ten
from rnnviz.views.palette import LINES, POSITIVE, translucent
from rnnviz.views.sentences.gate_facts import keeper
from rnnviz.views.sentences.steps_back import has_factor, shares, singular_values, step_changes

Array = NDArray[np.float64]

_LEAST = 0.1
"""Decades to either side of 1 that the axis of factors holds at least."""
_TEXT = 0.3
"""Of the steps, as many as a text beside one stands over at most."""
_MOST_TICKS = 4
"""To either side of 1."""


def chain_chart(norms: Array, first: int, opened: int) -> Figure:
    """A bar for each step, up where it stretches, down where it shrinks, on a logarithmic axis centred on 1.

    A step whose factor is 0 reaches the lower edge and says so. A step beside which nothing arrives has no bar.

    Parameters
    ----------
    norms : (n+1,) array
        log10 ||d s_t / d s_k|| for k = first..t.
    first : int
        The step of entry 0.
    opened : int
        The step that is marked.
    """
    changes, there = step_changes(norms), has_factor(norms)
    finite = changes[np.isfinite(changes)]
    limit = 1.08 * max(float(np.abs(finite).max(initial=0.0)), _LEAST)
    steps = list(range(first + 1, first + len(norms)))
    hover = [
        say("chain.bar", step=step, factor=power_of_ten(change)) if has else say("chain.bar.gap", step=step)
        for step, change, has in zip(steps, changes.tolist(), there.tolist(), strict=True)
    ]
    drawn = np.maximum(changes, -limit)
    band = {
        "type": "rect", "yref": "y domain", "x0": opened - 0.5, "x1": opened + 0.5, "y0": 0, "y1": 1, "layer": "below",
        "fillcolor": translucent(LINES["neutral"], 0.3), "line": {"color": LINES["neutral"], "width": 1},
    }  # fmt: skip
    notes = [_beside(opened, say("chain.opened", step=opened), steps, _free_edge(opened, steps, drawn / limit))]
    notes += [
        _beside(step, "× 0", steps, "bottom") for step, change in zip(steps, changes.tolist(), strict=True)
        if change == -np.inf
    ]  # fmt: skip
    values = factor_ticks(limit)
    return figure(
        [bars(steps, drawn.tolist(), hover, width=1.0 if len(steps) > 60 else 0.82)],
        height=330, shapes=[band], annotations=[heading(say("chain.heading")), *notes], showlegend=False,
        margin=MARGIN, xaxis=counting(say("chain.axis"), first + 1, first + len(norms) - 1),
        yaxis={
            "range": [-limit, limit], "zeroline": True, "tickvals": values,
            "ticktext": [f"× {power_of_ten(value)}" for value in values],
        },
    )  # fmt: skip


def _is_left_of(step: int, steps: Sequence[int]) -> bool:
    """Whether a text beside a step stands to the left of it, where there is room."""
    return step > steps[0] + (1 - _TEXT) * len(steps)


def _free_edge(step: int, steps: Sequence[int], heights: Array) -> str:
    """The upper edge for a text beside a step; the lower one where bars reach up to it, and less far down."""
    place, reach = step - steps[0], math.ceil(_TEXT * len(steps))
    left, right = (place - reach, place) if _is_left_of(step, steps) else (place, place + reach)
    over = heights[max(0, left) : right + 1]
    return "bottom" if over.max() > max(0.5, -over.min()) else "top"


def _beside(step: int, text: str, steps: Sequence[int], edge: str) -> dict[str, object]:
    """A text at the upper or lower edge beside a step, on the side that has room."""
    right = _is_left_of(step, steps)
    return {
        "text": text, "x": step, "y": float(edge == "top"), "yref": "y domain", "yanchor": edge,
        "xanchor": "right" if right else "left", "xshift": -8 if right else 8, "showarrow": False,
    }  # fmt: skip


def factor_ticks(limit: float) -> list[float]:
    """Decades of round factors within a limit to either side of 1, and 1 itself.

    Examples
    --------
    >>> [round(10**tick, 6) for tick in factor_ticks(0.12)]
    [0.8, 0.9, 1.0, 1.1, 1.2, 1.3]
    """
    ticks = next(one for one in _rounds(limit) if len(one) <= 2 * _MOST_TICKS + 1)
    return sorted(ticks)


def _rounds(limit: float) -> Iterator[list[float]]:
    """Sets of round factors as logarithms, from the closest on."""
    for apart in (0.1, 0.2):
        count = int(2 * 10**limit / apart) if limit < 1 else 10**6
        if count < 60:
            factors = [1 + apart * place for place in range(-int(1 / apart) + 1, count)]
            yield [math.log10(factor) for factor in factors if abs(math.log10(factor)) <= limit]
    for every in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1,)):
        if limit < 6:
            powers = range(-math.ceil(limit) - 1, math.ceil(limit) + 1)
            found = [math.log10(number) + power for power in powers for number in every]
            yield [one for one in found if abs(one) <= limit + 1e-9]
    size = 1.0
    while True:
        for step in (size, 2 * size, 5 * size):
            count = int(limit / step)
            if count <= _MOST_TICKS:
                yield [step * place for place in range(-count, count + 1)]
        size *= 10


def opened_chart(trace: Run, t: int) -> Figure:
    """What a step does to each unit and to each direction.

    Above, what every unit lets through: the derivative of an Elman network, else the gate that keeps its memory. Below,
    the singular values of the whole step as bars, and as dots those of W_hh or, in a gated cell, the gates in their
    order: what the step would be without the rest. A cell that tells no more than its step has the bars alone.
    """
    told_by, gate = trace.cell.told_by, keeper(trace)
    whole, alone = singular_values(trace, t)
    lower = bars(
        _counted(whole), whole.tolist(), _hover("opened.direction", "place", whole), xaxis="x2", yaxis="y2",
        marker={"color": POSITIVE},
    )  # fmt: skip
    top = 1.08 * max(1.0, float(whole[0]), float(alone.max(initial=0.0)))
    places = counting(say("opened.axis.place"), 1, len(whole), anchor="y2")
    if told_by == "step":
        return figure(
            [lower], height=260, shapes=[level(1, "2")], showlegend=False, margin=MARGIN,
            annotations=[heading(say("opened.singular.step"), "2")], xaxis2=places,
            yaxis2=axis(say("opened.axis.singular"), range=[0, min(top, 1e307)]),
        )  # fmt: skip
    slopes, of_units = told_by == "slopes", shares(trace, t)
    upper = bars(
        _counted(of_units), of_units.tolist(), _hover("opened.unit", "unit", of_units),
        marker={"color": LINES["second"] if slopes else LINES["gate"]},
    )  # fmt: skip
    key = "opened.alone" if slopes else "opened.alone.gates"
    dots = {
        "type": "scatter", "mode": "markers", "x": _counted(alone), "y": alone.tolist(), "xaxis": "x2", "yaxis": "y2",
        "marker": {"color": LINES["weight"] if slopes else LINES["gate"], "size": 7, "line": {"width": 1}},
        "hovertext": [
            say(key, gate=gate, place=place, value=power(value)) for place, value in enumerate(alone.tolist(), 1)
        ],
        "hoverinfo": "text", "showlegend": False,
    }  # fmt: skip
    above = say("opened.slopes", t=t) if slopes else say("opened.gates", t=t, gate=gate)
    below = say("opened.singular") if slopes else say("opened.singular.gates", gate=gate)
    return figure(
        [upper, lower, dots], height=420, shapes=[level(1, "2")], showlegend=False,
        annotations=[heading(above), heading(below, "2")],
        margin=MARGIN, xaxis=counting(say("opened.axis.unit"), 1, len(of_units), anchor="y"),
        yaxis=axis(say("opened.axis.slope") if slopes else gate, domain=[0.62, 1], range=[0, 1.04]),
        xaxis2=places, yaxis2=axis(say("opened.axis.singular"), domain=[0, 0.38], range=[0, min(top, 1e307)]),
    )  # fmt: skip


def _counted(values: Array) -> list[int]:
    return list(range(1, len(values) + 1))


def _hover(key: str, counted: str, values: Array) -> Sequence[str]:
    return [say(key, **{counted: place, "value": power(value)}) for place, value in enumerate(values.tolist(), 1)]
