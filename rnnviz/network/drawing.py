"""Sequences drawn by hand: strokes over what stands there, which becomes the reader's own."""

from __future__ import annotations

from collections.abc import Iterable

from rnnviz.maths import InputError
from rnnviz.network.canonical import follow
from rnnviz.network.network import build
from rnnviz.network.parts import network_of
from rnnviz.settings import SETTINGS, Edit, Settings, array_of, checked_batch, numbered, read_edit

_MOST_STROKES = 10_000  # that can wait in a browser while the server is away


def read_strokes(message: object) -> list[Edit]:
    """Check strokes as the browser sends them: a list of edits of x, ``{"seq": 3, "set": [["x", [0, 1], 0.25]]}``.

    Raises
    ------
    InputError
        If anything in it is of the wrong form, too long, not a finite number, or no part of a sequence.
    """
    if not isinstance(message, list):
        raise InputError("strokes", "Strokes must be a list.")
    if len(message) > _MOST_STROKES:
        raise InputError(
            "strokes.count", "There are {count:,} strokes; at most {most} are allowed at once.",
            count=len(message), most=_MOST_STROKES,
        )  # fmt: skip
    return [_read_stroke(item) for item in message]


def _read_stroke(item: object) -> Edit:
    given, most = item.get("set") if isinstance(item, dict) else None, SETTINGS["steps"].high
    if isinstance(given, list) and len(given) > most:
        raise InputError(
            "stroke.values", "A stroke has {count:,} values; at most {most:,} are allowed, one for each step.",
            count=len(given), most=most,
        )  # fmt: skip
    stroke = read_edit(item)
    for entry, value in stroke.entries.items():
        if array_of(entry.name) != "x" or value is None:
            raise InputError(
                "stroke.x", "A stroke sets numbers of x; got {name} = {value}.", name=entry.address, value=str(value)
            )
    return stroke


def draw(settings: Settings, strokes: Iterable[Edit]) -> Settings:
    """The settings with strokes drawn over the sequences that stand there, all of which become the reader's own.

    Edits of the sequences are kept: they are part of what was drawn over.

    Raises
    ------
    InputError
        If a stroke leaves the sequences, or they cannot be the reader's own.
    """
    xs = {numbered("x", number): x.copy() for number, x in enumerate(build(network_of(settings)).xs, start=1)}
    for stroke in strokes:
        for (name, (step, component)), value in stroke.entries.items():
            steps, size = xs[name].shape if name in xs else (0, 0)
            if step >= steps or component >= size:
                raise InputError(
                    "stroke.place",
                    "{name} has {steps:,} {steps:step|steps} of {size} {size:component|components}, so it has no step "
                    "{step}, component {component}. Draw on the sequence that is shown.",
                    name=name, steps=steps, size=size, step=step + 1, component=component + 1,
                )  # fmt: skip
            xs[name][step, component] = value
    x, *others = checked_batch(list(xs.values()))
    return follow(settings, x, tuple(others))
