"""Plotly figures of the road from n-grams to hidden states."""

from __future__ import annotations

import math
from collections.abc import Callable

from rnnviz.language_models.counts import recurrent_parameters, table_entries, window_parameters
from rnnviz.language_models.histories import Known
from rnnviz.learning.echo import CHANCE, Echo
from rnnviz.texts import say
from rnnviz.views.charts.figure import (
    BELOW_AXIS,
    Figure,
    Trace,
    axis,
    counting,
    curve,
    decade_axis,
    figure,
    level,
    level_name,
    log10,
    upright,
)
from rnnviz.views.numbers import faded
from rnnviz.views.palette import CELL_COLOURS, LINES
from rnnviz.views.sentences.from_ngrams import ORDERS, count

_MARGIN = {"l": 8, "r": 16, "t": 30, "b": 8}


def count_figure(vocabulary: int, n: int, hidden_size: int) -> Figure:
    """How many parameters each model has, by n, on an axis of decades."""
    counts: tuple[tuple[str, str, str, Callable[[int], int]], ...] = (
        ("table", LINES["negative"], "solid", lambda order: table_entries(vocabulary, order)),
        ("window", LINES["neutral"], "dot", lambda order: window_parameters(vocabulary, order, hidden_size)),
        ("rnn", LINES["positive"], "solid", lambda order: recurrent_parameters(vocabulary, hidden_size)),
    )
    traces = list[Trace]()
    for key, colour, dash, counted in counts:
        name, numbers = say(f"ngrams.curve.{key}"), [counted(order) for order in ORDERS]
        hover = [
            say("ngrams.hover", name=name, n=order, count=count(number))
            for order, number in zip(ORDERS, numbers, strict=True)
        ]
        y = [math.log10(number) for number in numbers]  # of whole numbers of any size
        traces.append(
            curve(list(ORDERS), y, name, colour, hover, mode="lines+markers", line={"dash": dash, "width": 2.4})
        )
    return figure(
        traces, height=330, shapes=[upright(n, dash="dot")], legend=BELOW_AXIS | {"y": -0.2}, margin=_MARGIN,
        xaxis=counting(say("ngrams.axis.n"), ORDERS[0], ORDERS[-1], dtick=1),
        yaxis=decade_axis(say("ngrams.axis.parameters"), [one["y"] for one in traces]),
    )  # fmt: skip


def known_figure(names: tuple[str, str], known: tuple[Known, Known]) -> Figure:
    """The hidden states after two histories, unit by unit."""
    units = list(range(1, len(known[0].h) + 1))
    traces: list[Trace] = [
        {
            "type": "bar", "x": units, "y": one.h.tolist(), "name": name, "marker": {"color": colour},
            "hovertext": [
                say("ngrams.hover.unit", unit=unit, name=name, value=faded(value))
                for unit, value in zip(units, one.h.tolist(), strict=True)
            ],
            "hoverinfo": "text",
        }
        for name, one, colour in zip(names, known, (LINES["positive"], LINES["second"]), strict=True)
    ]  # fmt: skip
    return figure(
        traces, height=260, barmode="group", legend=BELOW_AXIS | {"y": -0.26}, margin=_MARGIN,
        xaxis=axis(say("ngrams.axis.unit"), dtick=1), yaxis=axis(say("ngrams.axis.h"), range=[-1, 1]),
    )  # fmt: skip


def learned_figure(found: Echo) -> Figure:
    """The cross-entropy of both networks on the test by updates, with that of a guess."""
    updates = found.updates.tolist()
    traces = []
    for key, losses, colour in (
        ("mlp", found.without, LINES["neutral"]), ("rnn", found.with_state, CELL_COLOURS["elman"]),
    ):  # fmt: skip
        name = say(f"ngrams.curve.{key}")
        hover = [
            say("ngrams.hover.loss", name=name, update=update, loss=faded(loss))
            for update, loss in zip(updates, losses.tolist(), strict=True)
        ]
        traces.append(curve(updates, log10(losses), name, colour, hover, line={"width": 2.4}))
    note = level_name(math.log10(CHANCE), say("ngrams.level.chance"), "y")
    return figure(
        traces, height=280, shapes=[level(math.log10(CHANCE))], annotations=[note], margin=_MARGIN,
        legend=BELOW_AXIS | {"y": -0.26}, xaxis=axis(say("ngrams.axis.update"), zeroline=False),
        yaxis=decade_axis(say("ngrams.axis.loss"), [one["y"] for one in traces]),
    )  # fmt: skip
