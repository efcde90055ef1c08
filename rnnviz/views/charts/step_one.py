"""What of the last loss's gradient reaches each step, as a Plotly figure."""

from __future__ import annotations

from collections.abc import Mapping

from rnnviz.texts import say
from rnnviz.views.charts.figure import BELOW_AXIS, Figure, counting, curve, decades, figure, gaps
from rnnviz.views.numbers import power_of_ten
from rnnviz.views.palette import CELL_COLOURS
from rnnviz.views.sentences.step_one import StepOne


def step_one_figure(cells: Mapping[str, StepOne]) -> Figure:
    """The norm at every step over that at the step of the loss, a curve for each cell, on an axis of decades."""
    curves, finite = [], [0.0]
    last = len(next(iter(cells.values())).norms)
    steps = range(1, last + 1)
    for kind, one in cells.items():
        values = gaps(one.shares)
        finite += [value for value in values if value is not None]
        name = say(f"step_one.cell.{kind}")
        hover = [
            "" if value is None else say("step_one.point", cell=name, step=step, share=power_of_ten(value))
            for step, value in zip(steps, values, strict=True)
        ]
        curves.append(
            curve(steps, values, name, CELL_COLOURS[kind], hover, mode="lines+markers" if last < 40 else "lines")
        )
    return figure(
        curves,
        xaxis=counting(say("use.axis.step"), 1, last),
        yaxis=decades(say("step_one.chart", t=last), min(finite), max(finite)),
        showlegend=True,
        legend=BELOW_AXIS,
        height=330,
    )
