"""Clipping: the gradient before and after, and what learning makes of a loss with it and without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.lengths import direction, lengths
from rnnviz.texts import say
from rnnviz.views.decades import decade_axis
from rnnviz.views.numbers import power, power_of_ten, written
from rnnviz.views.plots import label, picture
from rnnviz.views.rtrl import decades
from rnnviz.views.tables import table

Array = NDArray[np.float64]

_WITH, _WITHOUT = "#2b7fc3", "#e0762f"
_WIDTH, _LEFT, _RIGHT, _TOP, _HEIGHT = 560.0, 56.0, 18.0, 34.0, 200.0
_ABOVE = 4.0
"""Decades above the first loss that the axis follows a loss that grows: beyond, the other curve would be flat."""
_VANISHED = -3.0
"""log10 of the share of a change below which it counts as gone, as on the page of the gradient flow."""


def norm_of(arrays: Mapping[str, Array]) -> float:
    """The norm of all entries together, right over the whole range of float64."""
    return float(lengths(_flat(arrays)))


def cosine(before: Mapping[str, Array], after: Mapping[str, Array]) -> float:
    """Of the angle between two gradients, neither of them 0."""
    return float(direction(_flat(before)) @ direction(_flat(after)))


def _flat(arrays: Mapping[str, Array]) -> Array:
    return np.concatenate([array.ravel() for array in arrays.values()])


def clip_words(before: Mapping[str, Array], after: Mapping[str, Array], max_norm: float) -> str:
    """The norm before and after, and that the direction is the same."""
    norm, limit = norm_of(before), power(max_norm)
    if norm == 0:
        return say("clip.zero")
    if norm <= max_norm:
        return say("clip.kept", norm=power(norm), limit=limit)
    return say(
        "clip.clipped", norm=power(norm), limit=limit, factor=power_of_ten(float(np.log10(max_norm) - np.log10(norm))),
        after=power(norm_of(after)), cosine=written(cosine(before, after), 6),
    )  # fmt: skip


def clip_table(before: Mapping[str, Array], after: Mapping[str, Array]) -> str:
    """The norms of the four weights' gradients and of all together, before and after."""
    parts = [(name, {name: before[name]}, {name: after[name]}) for name in before]
    parts.append((say("clip.column.all"), dict(before), dict(after)))
    rows = [
        [name, f"{sum(array.size for array in old.values()):,}", power(norm_of(old)), power(norm_of(new))]
        for name, old, new in parts
    ]
    head = [say(f"clip.column.{name}") for name in ("weight", "entries", "before", "after")]
    return table("ledger", say("clip.table"), head, rows)


def outcome(losses: Array, left: int | None) -> str:
    """What became of a loss."""
    first, last, updates = float(losses[0]), float(losses[-1]), len(losses) - 1
    if left == 1:
        return say("clip.outcome.at_once", first=power(first))
    if left is not None:
        return say("clip.outcome.left", first=power(first), last=power(last), left=left, before=updates)
    return say("clip.outcome.stays", first=power(first), last=power(last), updates=updates)


def learning_words(free: tuple[Array, int | None], clipped: tuple[Array, int | None], lr: float, shortened: int) -> str:
    """What learning makes of the loss without clipping and with it.

    Parameters
    ----------
    free, clipped : pair of array and int or None
        The losses after 0, 1, ... updates, and after how many they were no longer finite numbers.
    lr : float
    shortened : int
        How many updates were clipped.
    """
    if lr == 0:
        return say("clip.still", loss=power(float(clipped[0][0])))
    if not shortened:
        return say("clip.same", outcome=outcome(*free))
    return say("clip.both", free=outcome(*free), clipped=outcome(*clipped), count=shortened)


def vanished_words(before: float, after: float, steps: int, updates: int) -> str:
    """That clipping brings nothing back.

    Parameters
    ----------
    before, after : float
        log10 of the share of a change at step 1 that reaches the last step: at first, and after learning with clipping.
    steps, updates : int

    Returns
    -------
    str
        Empty where it has not vanished.
    """
    if steps < 2 or before >= _VANISHED:
        return ""
    slots = {"steps": steps, "before": power_of_ten(before), "after": power_of_ten(after), "updates": updates}
    return say("clip.vanished" if after < _VANISHED else "clip.regained", **slots)


def losses_picture(free: tuple[Array, int | None], clipped: tuple[Array, int | None], updates: int, said: str) -> str:
    """Both losses over the updates on an axis of decades, with the place from which one is no number any more."""
    logs = [decades(free[0]), decades(clipped[0])]
    top = max(float(logs[1].max()), float(logs[0][0]) + _ABOVE)
    shown = [np.minimum(one, top) for one in logs]
    axis = decade_axis(shown)
    right, bottom = _WIDTH - _RIGHT, _TOP + _HEIGHT

    def x(update: float) -> float:
        return _LEFT + (right - _LEFT) * update / max(1, updates)

    def y(value: float) -> float:
        return _TOP + _HEIGHT * (axis.high - max(min(value, axis.high), axis.low)) / (axis.high - axis.low)

    parts = [
        f'<path d="M{_LEFT:g} {y(value):.1f}H{right:g}" stroke="currentColor" stroke-opacity="0.15"/>'
        + label(_LEFT - 8, y(value), text, "end")
        for value, text in axis.ticks
    ]
    every = next(count for count in (1, 2, 5, 10, 20, 50, 100, 1000) if updates / count <= 12)
    parts += [label(x(update), bottom + 15, str(update)) for update in range(0, updates + 1, every)]
    parts.append(label((_LEFT + right) / 2, bottom + 34, say("clip.axis")))
    names = ((_WITH, say("clip.with"), clipped[1], logs[1]), (_WITHOUT, say("clip.without"), free[1], logs[0]))
    for place, (colour, name, left, values) in enumerate(names):
        parts.append(_legend(_LEFT + 180 * place, colour, name, dashed=place == 1))
        points = [(x(update), y(float(value))) for update, value in enumerate(values)]
        parts.append(_curve(points, colour, dashed=place == 1))
        if left is not None:
            parts.append(_mark(x(left), place, colour, left, points[-1]))
    return picture("losses", _WIDTH, bottom + 46, said, parts)


def _legend(x: float, colour: str, name: str, *, dashed: bool) -> str:
    return _curve([(x, 12.0), (x + 26, 12.0)], colour, dashed=dashed) + label(x + 33, 12, name, "start")


def _curve(points: Sequence[tuple[float, float]], colour: str, *, dashed: bool) -> str:
    """A line; the one in front of another is dashed, so that both are seen where they are the same."""
    dash = ' stroke-dasharray="6 4"' if dashed else ""
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2.4"{dash}/>'


def _mark(x: float, place: int, colour: str, left: int, last: tuple[float, float]) -> str:
    """An upright line where a loss is no number any more, and the way there out of the picture."""
    y = _TOP + 12 + 18 * place
    anchor, side = ("end", -7) if x > _WIDTH / 2 else ("start", 7)
    return (
        f'<path d="M{last[0]:.1f} {last[1]:.1f}L{x:.1f} {_TOP:g}" stroke="{colour}" stroke-width="1.4" '
        'stroke-dasharray="2 3"/>'
        f'<path d="M{x:.1f} {_TOP:g}V{_TOP + _HEIGHT:g}" stroke="{colour}" stroke-width="1.4"/>'
        + label(x + side, y, say("clip.nan", left=left), anchor, colour, 13)
    )
