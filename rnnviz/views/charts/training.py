"""Plotly figures of networks that are being trained: how the loss falls, and what they are at one moment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rnnviz.learning.examples import Task
from rnnviz.learning.snapshot import Shown, Snapshot
from rnnviz.maths.cells.registry import cell_class
from rnnviz.maths.checks import Array
from rnnviz.texts import say
from rnnviz.views.charts.figure import (
    BELOW_AXIS,
    FRAME,
    SIGNED,
    Figure,
    Trace,
    axis,
    counting,
    curve,
    decade_axis,
    figure,
    gaps,
    heading,
    level,
    level_name,
    log10,
    upright,
)
from rnnviz.views.names import cell_name
from rnnviz.views.numbers import power_of_ten, written
from rnnviz.views.palette import CELL_COLOURS, LINES, translucent

Targets = NDArray[np.float64] | NDArray[np.int64]

_POINTS = 150
"""Of a curve over the updates; more are not seen, and cost the browser time at each of its pictures."""
_TALL, _LOW = 290, 270
_MARGIN = {"l": 8, "r": 12, "t": 30, "b": 8}
STATES = ("h", "c")
_SIGNED = (*STATES, "g", "n")
"""What is drawn in the colours of signs; all else is a share, from 0 to 1."""


@dataclass(frozen=True, eq=False)
class Course:
    """How the training of a network went so far.

    Attributes
    ----------
    kind : str
    losses, grad_norms : (N,) array
        Of each update.
    tested : (M,) array of int
        The updates after which it was tested.
    test_losses : (M,) array
    """

    kind: str
    losses: Array
    grad_norms: Array
    tested: NDArray[np.int64]
    test_losses: Array


def course_chart(
    courses: Sequence[Course], updates: int, *, solved: float, constant: float, clip: float, at: int | None
) -> Figure:
    """Losses above, gradient norms below, over the updates.

    Parameters
    ----------
    courses : sequence of Course
    updates : int
        Of the whole run.
    solved, constant : float
        The test loss below which the task counts as solved, 0 for none; and that of the best constant answer.
    clip : float
        The largest gradient norm; 0 for none.
    at : int or None
        The update that is looked at, where it is not the last one.
    """
    above, below = list[Trace](), list[Trace]()
    for course in courses:
        colour, name = CELL_COLOURS[course.kind], cell_name(course.kind)
        numbers, losses = binned(course.losses)
        above += [
            _over_updates(numbers, losses, say("training.train", name=name), translucent(colour, 0.45), width=1.2),
            _over_updates(course.tested.tolist(), course.test_losses, name, colour, width=2.4, marked=True),
        ]
        numbers, norms = binned(course.grad_norms)
        below.append(_over_updates(numbers, norms, name, colour, width=1.5) | {"xaxis": "x", "yaxis": "y2"})
    levels = [np.log10(one) for one in (solved, constant) if one > 0]
    shapes, notes = [], [heading(say("training.heading.loss")), heading(say("training.heading.norm"), "2")]
    notes[1]["xref"] = "x domain"
    for value, key in ((solved, "training.level.solved"), (constant, "training.level.constant")):
        if value > 0:
            shapes.append(level(float(np.log10(value))))
            anchor = "top" if key == "training.level.solved" else "bottom"
            notes.append(level_name(float(np.log10(value)), say(key), "y", anchor))
    if clip > 0:
        shapes.append(level(float(np.log10(clip)), "2") | {"xref": "x domain"})
        notes.append(level_name(float(np.log10(clip)), say("training.level.clip"), "y2"))
    if at is not None:
        shapes += [upright(at), upright(at) | {"yref": "y2 domain"}]
    return figure(
        [*above, *below], height=_TALL, shapes=shapes, annotations=notes, margin=_MARGIN, showlegend=False,
        xaxis=axis(say("training.axis.update"), range=[0, updates], zeroline=False, anchor="y2"),
        yaxis=decade_axis("", [*(one["y"] for one in above), levels], domain=[0.45, 1.0]),
        yaxis2=decade_axis(
            "", [*(one["y"] for one in below), *([[float(np.log10(clip))]] if clip > 0 else [])], domain=[0.0, 0.27],
            anchor="x", most=3,
        ),
    )  # fmt: skip


def binned(values: Array) -> tuple[list[float], Array]:
    """A long curve in at most 150 points, counted from 1: the mean of each bin's finite values at its last update."""
    size = -(-len(values) // _POINTS) if len(values) else 1
    starts = np.arange(0, len(values), size)
    if not len(values):
        return [], values
    ends, finite = np.minimum(starts + size, len(values)), np.isfinite(values)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.add.reduceat(np.where(finite, values, 0.0), starts)
        return ends.tolist(), sums / np.add.reduceat(finite.astype(int), starts)


def _over_updates(
    numbers: Sequence[float], values: Array, name: str, colour: str, *, width: float, marked: bool = False
) -> Trace:
    """A curve whose hover text the browser writes: a text for each point takes it longer than the curve."""
    hover = say("training.hover.update", name=name, update="%{x:,}", value="%{customdata:.4g}")
    return {
        "type": "scatter", "mode": "lines+markers" if marked else "lines", "x": list(numbers), "y": log10(values),
        "customdata": gaps(values), "name": name,
        "line": {"color": colour, "width": width}, "marker": {"size": 4.5}, "showlegend": False,
        "hovertemplate": f"{hover}<extra></extra>",
    }  # fmt: skip


def reach_chart(now: Mapping[str, Array], first: Mapping[str, Array], others: Sequence[Array] = ()) -> Figure:
    """How much of a change of each step's state is left at the last step, now and before the training.

    Parameters
    ----------
    now, first : mapping of kind to (T+1,) array
        log10 of the norms, as `Snapshot.norms`.
    others : sequence of (T+1,) arrays
        Norms of other moments, which the axis has room for too: it stays while one winds back.
    """
    traces, steps = list[Trace](), 0
    for norms, dash in ((first, "dot"), (now, "solid")):
        for kind, curve_of in norms.items():
            steps = len(curve_of) - 1
            name, colour = cell_name(kind), CELL_COLOURS[kind]
            hover = [
                say(f"training.hover.reach.{dash}", name=name, step=step, norm=power_of_ten(float(norm)))
                for step, norm in enumerate(curve_of)
            ]
            traces.append(
                curve(
                    list(range(steps + 1)), gaps(curve_of), name,
                    colour if dash == "solid" else translucent(colour, 0.6), hover, showlegend=dash == "solid",
                    line={"dash": dash, "width": 2.4 if dash == "solid" else 1.4},
                )
            )  # fmt: skip
    return figure(
        traces, height=_TALL, shapes=[level(0.0)], annotations=[heading(say("training.heading.reach"))], margin=_MARGIN,
        showlegend=False, xaxis=counting(say("training.axis.k"), 0, max(steps, 1)),
        yaxis=decade_axis("", [*(one["y"] for one in traces), *map(gaps, others), [0.0]]),
    )  # fmt: skip


def block_of(blocks: Mapping[str, object], name: str) -> str:
    """The block of W_hh that has to do with a value: a gate's own, for a state that of what is written into it."""
    return name if name in blocks else next((gate for gate in blocks if gate in _SIGNED), next(iter(blocks)))


def block_name(block: str) -> str:
    """What a block of W_hh is called."""
    return block if block == "W_hh" else say("training.block", gate=block)


def eigenvalue_chart(
    blocks: Mapping[str, NDArray[np.complex128]], block: str, kind: str, others: Sequence[Mapping[str, Any]] = ()
) -> Figure:
    """The eigenvalues of W_hh, or of one of its blocks, in the complex plane with the unit circle.

    Parameters
    ----------
    blocks : mapping of str to (H,) array of complex
        As `Snapshot.eigenvalues`.
    block : str
    kind : str
        The cell, for its colour.
    others : sequence of mappings
        Those of other moments, which the axes have room for too.
    """
    name, values = block_name(block), blocks[block]
    hover = [
        say("training.hover.eigenvalue", block=name, real=written(one.real), imag=written(one.imag),
            size=written(abs(one)))
        for one in values.tolist()
    ]  # fmt: skip
    dots: Trace = {
        "type": "scatter", "mode": "markers", "x": values.real.tolist(), "y": values.imag.tolist(), "name": name,
        "marker": {"color": CELL_COLOURS[kind], "size": 6, "opacity": 0.8}, "hovertext": hover, "hoverinfo": "text",
    }  # fmt: skip
    edge = 1.08 * max(1.1, *(float(np.abs(one[block]).max(initial=0.0)) for one in (blocks, *others)))
    circle = {
        "type": "circle", "x0": -1, "x1": 1, "y0": -1, "y1": 1, "xref": "x", "yref": "y",
        "line": {"color": LINES["neutral"], "width": 1.5, "dash": "dash"},
    }  # fmt: skip
    return figure(
        [dots], height=_LOW, shapes=[circle], margin=_MARGIN, showlegend=False,
        annotations=[heading(say("training.heading.eigenvalues", block=name))],
        xaxis=axis("", range=[-edge, edge], constrain="domain"),
        yaxis=axis("", range=[-edge, edge], scaleanchor="x", constrain="domain"),
    )  # fmt: skip


def values_of(trace_of: Snapshot, name: str) -> Array:
    """What a picture shows over the steps 1..T, (T, H): the state, or a gate."""
    trace = trace_of.trace
    if name == "h":
        return trace.h[1:]
    if name == "c":
        assert trace.c is not None
        return trace.c[1:]
    return trace.gates[name]


def names_in(kind: str) -> list[str]:
    """What can be shown of a kind of cell: its states, then its gates."""
    cell = cell_class(kind)
    return [*cell.state_names, *cell.reading_order]


def states_chart(values: Array, name: str, marked: Sequence[int]) -> Figure:
    """A map of one value of all units over the steps, with a line at each step that is marked."""
    is_share = name not in _SIGNED
    most = 1.0 if is_share else max(float(np.abs(values).max()), 1e-12)
    steps, units = values.shape
    scale = [[0.0, translucent(LINES["gate"], 0.0)], [1.0, LINES["gate"]]] if is_share else SIGNED
    heat: Trace = {
        "type": "heatmap", "z": values.T.tolist(), "x": list(range(1, steps + 1)), "y": list(range(1, units + 1)),
        "colorscale": scale, "zmin": 0.0 if is_share else -most, "zmax": most, "showscale": False,
        "hovertemplate": say("training.hover.state", name=name, unit="%{y}", step="%{x}", value="%{z:.4g}")
        + "<extra></extra>",
    }  # fmt: skip
    return figure(
        [heat], height=_LOW, margin=_MARGIN, shapes=[upright(step) for step in marked],
        annotations=[heading(say("training.heading.marked" if marked else "training.heading.states", name=name))],
        xaxis=axis(say("training.axis.step"), **FRAME) | {"zeroline": False, "showgrid": False},
        yaxis=axis(say("training.axis.unit"), autorange="reversed", nticks=5, **FRAME)
        | {"zeroline": False, "showgrid": False},
    )  # fmt: skip


def answers_chart(task: Task, targets: Targets, said: Array, kind: str, others: Sequence[Array] = ()) -> Figure:
    """What the network says in the test against what is right.

    Parameters
    ----------
    task : Task
    targets : (N, C, O) array of float, or (N, C) array of int
        Of the sequences that were kept, at the steps that count.
    said : (N, C, O) array
    kind : str
        The cell, for its colour.
    others : sequence of (N, C, O) arrays
        Answers at other moments, which the axis has room for too.
    """
    if task.loss == "squared":
        right = np.asarray(targets[..., :1], dtype=np.float64).ravel()
        return _scatter(right, said[..., :1].ravel(), kind, [one[..., 0].ravel() for one in others])
    return _shares(task, targets, said, kind)


def _scatter(right: Array, said: Array, kind: str, others: Sequence[Array]) -> Figure:
    there = np.isfinite(said)
    right, said = right[there], said[there]
    hover = [
        say("training.hover.answer", target=written(one), said=written(other))
        for one, other in zip(right.tolist(), said.tolist(), strict=True)
    ]
    dots: Trace = {
        "type": "scatter", "mode": "markers", "x": right.tolist(), "y": said.tolist(), "hovertext": hover,
        "hoverinfo": "text", "marker": {"color": CELL_COLOURS[kind], "size": 5, "opacity": 0.6},
    }  # fmt: skip
    first, last = (float(right.min()), float(right.max())) if len(right) else (0.0, 1.0)
    line = {
        "type": "line", "x0": first, "x1": last, "y0": first, "y1": last, "xref": "x",
        "yref": "y", "line": {"color": LINES["neutral"], "width": 1.5, "dash": "dash"},
    }  # fmt: skip
    return figure(
        [dots], height=_LOW, margin=_MARGIN, shapes=[line], showlegend=False,
        annotations=[heading(say("training.heading.answers"))],
        xaxis=axis(say("training.axis.target"), zeroline=False),
        yaxis=axis("", range=_around([np.array([first, last]), said, *others]), zeroline=False),
    )  # fmt: skip


def _around(shown: Sequence[Array]) -> list[float]:
    """A range with a little room beyond the finite numbers of all arrays."""
    low = min(float(one.min(where=np.isfinite(one), initial=np.inf)) for one in shown)
    high = max(float(one.max(where=np.isfinite(one), initial=-np.inf)) for one in shown)
    room = 0.06 * max(high - low, 1e-9)
    return [low - room, high + room]


def right_shares(task: Task, targets: Targets, said: Array) -> Array:
    """The probability that a network gives to the right answer, (N, C)."""
    if task.loss == "binary":
        right = targets[..., 0]
        return np.asarray(np.where(right > 0.5, said[..., 0], 1.0 - said[..., 0]))
    return np.asarray(np.take_along_axis(said, targets[..., None].astype(np.int64), axis=-1)[..., 0])


def _shares(task: Task, targets: Targets, said: Array, kind: str) -> Figure:
    shares = right_shares(task, targets, said)
    edges = np.linspace(0.0, 1.0, 21)
    counts = np.histogram(shares, edges)[0] / shares.size
    hover = [
        say("training.hover.share", low=written(low), high=written(high), share=f"{100 * count:.0f}")
        for low, high, count in zip(edges[:-1].tolist(), edges[1:].tolist(), counts.tolist(), strict=True)
    ]
    columns: Trace = {
        "type": "bar", "x": ((edges[:-1] + edges[1:]) / 2).tolist(), "y": (100 * counts).tolist(), "width": 0.048,
        "marker": {"color": CELL_COLOURS[kind]}, "hovertext": hover, "hoverinfo": "text",
    }  # fmt: skip
    chance = 0.5 if task.loss == "binary" else 1.0 / task.output_size
    return figure(
        [columns], height=_LOW, margin=_MARGIN, showlegend=False, shapes=[upright(chance, dash="dash", width=1.5)],
        annotations=[heading(say("training.heading.shares"))],
        xaxis=axis(say("training.axis.share"), range=[0, 1]), yaxis=axis("", ticksuffix=" %", range=[0, 100]),
    )  # fmt: skip


def series_chart(shown: Shown, said: Array, kind: str, others: Sequence[Array] = ()) -> Figure:
    """What is asked and what is answered over the steps of the sequence shown; of several outputs the first.

    The axis has room for the answers of `others` too, (T, O) each.
    """
    target = shown.target[:, 0] if shown.target.ndim == 2 else shown.target
    steps = np.arange(1, len(target) + 1)[shown.counted]
    right, answers = np.asarray(target, dtype=np.float64)[shown.counted], said[shown.counted, 0]
    names = say("training.name.target"), say("training.name.said")
    many = len(steps) > 1
    traces = [
        curve(
            steps.tolist(), gaps(values), name, colour,
            [
                say("training.hover.over", name=name, step=t, value=written(one))
                for t, one in zip(steps.tolist(), values.tolist(), strict=True)
            ],
            mode="lines+markers" if many else "markers", marker={"size": 5, "symbol": symbol}, line=line,
        )
        for values, name, colour, symbol, line in (
            (right, names[0], LINES["neutral"], "circle-open", {"width": 1.5, "dash": "dash"}),
            (answers, names[1], CELL_COLOURS[kind], "circle", {"width": 2}),
        )
    ]  # fmt: skip
    return figure(
        traces, height=_LOW, margin=_MARGIN, annotations=[heading(say("training.heading.series"))], showlegend=True,
        legend=BELOW_AXIS | {"y": -0.24}, xaxis=axis(say("training.axis.step"), zeroline=False),
        yaxis=axis(
            "", range=_around([right, answers, *(one[shown.counted, 0] for one in others)]), zeroline=False
        ),
    )  # fmt: skip
