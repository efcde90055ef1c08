"""The gated latch beside the tanh latch, as one figure: what is held, and what is left of the gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from rnnviz.maths import Trace, memory_paths
from rnnviz.texts import say
from rnnviz.views.charts.figure import Figure, axis, counting, curve, decades, figure, gaps, heading
from rnnviz.views.numbers import power_of_ten, written
from rnnviz.views.palette import LINES
from rnnviz.views.sentences.latch import log10_gradients


def latch_figure(trace: Trace, plain: Trace, symbol: str) -> Figure:
    """Memory of both over the steps, and the derivative of the last memory by that of each step in decades."""
    names = say("latch.curve.gated", symbol=symbol), say("latch.curve.plain")
    colours = LINES[trace.cell.kind], LINES["elman"]
    memories = (trace.h if trace.c is None else trace.c)[:, 0], plain.h[:, 0]
    gradients = memory_paths(trace, 0).log10, log10_gradients(plain)
    data: list[dict[str, Any]] = []
    for name, colour, memory, gradient in zip(names, colours, memories, gradients, strict=True):
        steps = list(range(len(memory)))
        held = [say("latch.hover.memory", step=k, value=written(float(value))) for k, value in enumerate(memory)]
        passed = [
            say("latch.hover.gradient", step=k, last=trace.steps, value=power_of_ten(float(value)))
            for k, value in enumerate(gradient)
        ]
        shown = gaps(gradient)
        data.append(curve(steps, memory.tolist(), name, colour, held, yaxis="y"))
        data.append(curve(steps, shown, name, colour, passed, xaxis="x2", yaxis="y2", showlegend=False))
    there = np.concatenate(gradients)
    there = there[np.isfinite(there)]
    low, high = float(there.min()), float(there.max())
    layout: dict[str, Any] = {
        "xaxis": counting("", 0, trace.steps, anchor="y", showticklabels=False, matches="x2"),
        "xaxis2": counting(say("latch.axis.step"), 0, trace.steps, anchor="y2"),
        "yaxis": axis(say("latch.axis.memory"), domain=(0.6, 1.0), nticks=5),
        "yaxis2": decades(say("latch.axis.gradient"), low, high, domain=(0.0, 0.46)),
        "annotations": [heading(say("latch.panel.memory")), heading(say("latch.panel.gradient"), "2")],
        "margin": {"l": 8, "r": 16, "t": 64, "b": 8},
        "legend": {"orientation": "h", "x": 0, "y": -0.19, "yanchor": "top"},
    }
    return figure(data, height=450, **layout)
