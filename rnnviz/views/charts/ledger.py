"""The memory ledger as one figure: contributions, what is left of a change by which paths, and the memory itself."""

from __future__ import annotations

from typing import Any

import numpy as np

from rnnviz.maths import Ledger, MemoryPaths, Trace
from rnnviz.maths.ledger import keep_and_write
from rnnviz.texts import say
from rnnviz.views.charts.figure import Figure, axis, bars, counting, curve, figure, gaps, heading, upright
from rnnviz.views.numbers import power_of_ten, signed_power, written
from rnnviz.views.palette import LINES
from rnnviz.views.sentences.gate_facts import keeper, memory_of, memory_symbol, percent

PANELS = ((0.74, 1.0), (0.39, 0.63), (0.0, 0.28))
"""From top to bottom: where each panel stands, as parts of the height."""


def ledger_figure(
    ledger: Ledger,
    paths: MemoryPaths,
    trace: Trace,
    unit: int,
    step: int,
    t: int,
    other: Trace | None = None,
    names: tuple[str, str] = ("", ""),
) -> Figure:
    """Three panels above each other over the same steps: bars, two curves, and the memory over time.

    Parameters
    ----------
    ledger, paths
        Of the trace, both at step t.
    trace : Trace
        Of an LSTM or a GRU.
    unit : int
        Zero-based.
    step : int
        0..t-1: the step of the change that the words speak of.
    t : int
        1..T.
    other : Trace, optional
        The same run with other clamps, for a second line of the memory.
    names : tuple of str
        How the two runs' gates are called, where there are two.
    """
    symbol, steps = memory_symbol(trace), list(range(t + 1))
    data = [_contributions(ledger, paths, trace, unit, t), *_curves(paths, trace, steps, t)]
    colour = LINES[trace.cell.kind]
    data.append(_memory(trace, unit, symbol, names[0], colour, showlegend=other is not None))
    if other is not None:
        line = {"dash": "dash"}
        data.append(_memory(other, unit, symbol, names[1], LINES["neutral"], showlegend=True, line=line))
    titles = ("contributions", "paths", "memory")
    texts = [say(f"ledger.panel.{name}", symbol=symbol, unit=unit + 1, t=t) for name in titles]
    high, low = np.nanmax(paths.every, initial=1.0), np.nanmin(paths.every, initial=0.0)
    reach = 0.06 * float(high - low) if np.isfinite(high - low) else 0.0
    layout: dict[str, Any] = {
        "xaxis": counting("", 0, trace.steps, anchor="y", showticklabels=False, matches="x3"),
        "xaxis2": counting("", 0, trace.steps, anchor="y2", showticklabels=False, matches="x3"),
        "xaxis3": counting(say("ledger.axis.step"), 0, trace.steps, anchor="y3"),
        "yaxis": axis(say("ledger.axis.contribution"), domain=PANELS[0], nticks=5),
        "yaxis2": axis(say("ledger.axis.derivative"), domain=PANELS[1], nticks=5),
        "yaxis3": axis(symbol, domain=PANELS[2], nticks=5),
        "annotations": [heading(text, panel) for text, panel in zip(texts, ("", "2", "3"), strict=True)],
        "shapes": [upright(at, panel, dash="dot") for at, panel in ((step, "2"), (t, "2"), (t, "3"))],
        "margin": {"l": 8, "r": 16, "t": 64, "b": 8},
        "legend": {"orientation": "h", "x": 0, "y": -0.13, "yanchor": "top"},
    }
    if reach:
        layout["yaxis2"]["range"] = [float(low) - reach, float(high) + reach]
    return figure(data, height=620, **layout)


def _contributions(ledger: Ledger, paths: MemoryPaths, trace: Trace, unit: int, t: int) -> dict[str, Any]:
    start = float(memory_of(trace)[0, unit])
    wrote = [start, *keep_and_write(trace)[1][:t, unit].tolist()]
    left = [float(ledger.kept[unit]) * start, *ledger.writes[:, unit].tolist()]
    hover = [
        say(
            "ledger.hover.write" if k else "ledger.hover.start", step=k, t=t, write=written(wrote[k]),
            share=percent(float(paths.direct[k])), left=written(left[k]),
        )
        for k in range(t + 1)
    ]  # fmt: skip
    return bars(list(range(t + 1)), left, hover, yaxis="y")


def _curves(paths: MemoryPaths, trace: Trace, steps: list[int], t: int) -> list[dict[str, Any]]:
    direct = [power_of_ten(float(value)) for value in paths.log10_direct]
    every = [signed_power(*values) for values in zip(paths.sign, paths.log10, strict=True)]
    return [
        curve(
            steps, paths.direct.tolist(), say("ledger.curve.direct", gate=keeper(trace)), LINES["gate"],
            [say("ledger.hover.direct", step=k, t=t, value=direct[k]) for k in steps], xaxis="x2", yaxis="y2",
        ),
        curve(
            steps, gaps(paths.every),
            say("ledger.curve.every"), LINES["second"],
            [say("ledger.hover.every", step=k, t=t, value=every[k]) for k in steps], xaxis="x2", yaxis="y2",
            line={"dash": "5px,3px"},
        ),
    ]  # fmt: skip


def _memory(
    trace: Trace,
    unit: int,
    symbol: str,
    gates: str,
    colour: str,
    *,
    showlegend: bool,
    line: dict[str, str] | None = None,
) -> dict[str, Any]:
    values = memory_of(trace)[:, unit].tolist()
    hover = [say("ledger.hover.memory", step=k, symbol=symbol, value=written(value)) for k, value in enumerate(values)]
    return curve(
        list(range(len(values))), values, say("ledger.curve.memory", symbol=symbol, gates=gates), colour, hover,
        xaxis="x3", yaxis="y3", showlegend=showlegend, line=line or {},
    )  # fmt: skip
