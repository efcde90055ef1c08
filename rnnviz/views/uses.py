"""The gradient of a weight as the sum over its uses: a bar for each step, and what truncation throws away."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Cell, Gradients, GRUCell
from rnnviz.maths.factors import operand_of
from rnnviz.maths.lengths import angle, direction, lengths
from rnnviz.texts import say
from rnnviz.views.numbers import equals, faded, power
from rnnviz.views.plots import NEGATIVE, POSITIVE, Plot, column_bar, label, picture, step_numbers
from rnnviz.views.tables import table

Array = NDArray[np.float64]

_WIDTH, _LEFT, _TOP, _HEIGHT = 640.0, 66.0, 26.0, 150.0
MOST_CELLS = 1200
"""Entries of a gradient that are drawn one by one."""


@dataclass(frozen=True, eq=False)
class Uses:
    """What each use of a weight adds to its gradient.

    Attributes
    ----------
    name : str
        How the gradient is written: of one entry, or the length of that of the whole weight.
    entry : tuple of int or None
        Zero-based; None for the whole weight, where each use has its part along the gradient.
    whole, cut : (T,) arrays
        With all errors, and with those that the truncation lets go back.
    total, cut_total : float
        Their sums, as the gradient has them.
    cancels : bool
        Whether uses add something, and yet the gradient of the whole weight is 0.
    factors : pair of (T,) arrays, or None
        Of an entry of a matrix: the delta of its row and what its column multiplies, whose products the bars are.
    """

    name: str
    entry: tuple[int, ...] | None
    whole: Array
    cut: Array
    total: float
    cut_total: float
    cancels: bool
    factors: tuple[Array, Array] | None

    @property
    def is_cut(self) -> bool:
        """Whether the truncation throws anything away."""
        return not np.array_equal(self.whole, self.cut)


def uses_of(whole: Gradients, cut: Gradients, weight: str, entry: tuple[int, ...] | None) -> Uses:
    """Take a weight's gradient apart by its uses.

    Parameters
    ----------
    whole, cut : Gradients
        From `rnnviz.bptt`, without and with truncation.
    weight : {"W_hh", "W_ih", "b_hh", "b_ih"}
    entry : tuple of int or None
        Zero-based place in it; None for the length of the whole gradient.
    """
    gradient = whole.weights[weight]
    if entry is None:
        along, name = direction(gradient), say("use.length", weight=weight)
    else:
        along = np.zeros(gradient.shape)
        along[entry] = 1.0
        name = say("use.entry", weight=weight, place=", ".join(str(place + 1) for place in entry))
    total, cut_total = (float((found.weights[weight] * along).sum()) for found in (whole, cut))
    cancels = entry is None and not gradient.any() and bool(whole.use_norms(weight).any())
    bars = whole.along(weight, along), cut.along(weight, along)
    return Uses(name, entry, *bars, total, cut_total, cancels, _factors(whole, weight, entry))


def _factors(whole: Gradients, weight: str, entry: tuple[int, ...] | None) -> tuple[Array, Array] | None:
    """The two numbers of each step whose product an entry of a matrix is."""
    if entry is None or len(entry) == 1:
        return None
    row, column = entry
    trace, passed = whole.backward.trace, whole.backward
    if weight == "W_ih":
        return passed.deltas[:, row], trace.x[:, column]
    return passed.deltas_from_h[:, row], operand_of(trace, _gate_of(trace.cell, row))[:, column]


def _gate_of(cell: Cell, row: int) -> str:
    """The gate that a row of W_hh belongs to."""
    return cell.gate_names[row // cell.hidden_size]


def product_words(uses: Uses, weight: str, cell: Cell) -> str:
    """How the largest bar is made: of an entry the product of two numbers of its step, else what a bar is."""
    if uses.entry is None:
        return say("use.explain.whole")
    if uses.factors is None:
        return say("use.explain.bias")
    step = int(np.abs(uses.whole).argmax())
    delta, other = (float(part[step]) for part in uses.factors)
    slots = {"row": uses.entry[0] + 1, "column": uses.entry[1] + 1, "delta": faded(delta), "other": faded(other)}
    slots |= {"step": step + 1, "bar": faded(float(uses.whole[step]))}
    if weight == "W_ih":
        return say("use.explain.x", **slots)
    error, state = "δ", "h"
    if isinstance(cell, GRUCell) and _gate_of(cell, uses.entry[0]) == "n":  # the reset gate scales one of the two
        error, state = ("δ", "(r·h)") if cell.reset == "before" else ("(r·δ)", "h")
    return say("use.explain.h", before=step, error=error, state=state, **slots)


def uses_words(uses: Uses) -> str:
    """What the bars add up to, and which of them is the largest."""
    steps, step = len(uses.whole), int(np.abs(uses.whole).argmax())
    if uses.cancels:
        return say("use.cancels", name=uses.name)
    if not uses.whole.any():
        return say("use.nothing", name=uses.name)
    slots = {"name": uses.name, "sign": equals(uses.total, 4, floor=0.0), "total": faded(uses.total)}
    if steps == 1:
        return say("use.sum_of_one", **slots)
    return say("use.sum", step=step + 1, most=faded(float(uses.whole[step])), steps=steps, **slots)


def uses_error(uses: Uses) -> str:
    """How far the sum of the bars is from the gradient: rounding alone."""
    error = abs(float(uses.whole.sum()) - uses.total)
    return say("use.exact") if error == 0 else say("use.error", error=power(error))


def cut_words(uses: Uses, whole: Gradients, cut: Gradients) -> str:
    """What the truncation leaves of this gradient, and how far that of all weights turns; empty without one."""
    most, scheme = cut.backward.truncation, cut.backward.scheme
    if most is None:
        return ""
    said = say(f"use.cut_by.{scheme}" if most > 1 else "use.cut_by.detach", most=most)
    one, other = (np.concatenate([array.reshape(-1) for array in found.weights.values()]) for found in (whole, cut))
    if not one.any():
        return f"{said} {say('use.cut.none')}"
    if not other.any():
        return f"{said} {say('use.cut.gone')}"
    thrown = float(lengths(direction(one) - _in_units_of(one, other)))
    if thrown < _LITTLE:
        return f"{said} {say('use.cut.little', share=power(thrown))}"
    slots = {"name": uses.name, "left": faded(uses.cut_total), "whole": faded(uses.total)}
    left = say("use.cut.along", **slots) if uses.entry is None else say("use.cut.left", **slots)
    ratio = faded(float(lengths(_in_units_of(one, other))), 3)
    return f"{said} {left} {say('use.cut.angle', angle=faded(angle(one, other), 1), share=ratio)}"


_LITTLE = 1e-3
"""Below this share of the gradient, what is thrown away does not show in the digits of the others."""


def _in_units_of(one: Array, other: Array) -> Array:
    """The other vector in units of the length of the one, which may be near either end of float64."""
    power = -int(np.frexp(np.abs(one).max())[1])
    return np.asarray(np.ldexp(other, power) / lengths(np.ldexp(one, power)))


def uses_picture(uses: Uses) -> str:
    """A bar for each use of the weight; where it is truncated, what is left of it inside the outline of the whole."""
    steps = len(uses.whole)
    limit = max(float(np.abs(part).max(initial=0.0)) for part in (uses.whole, uses.cut)) or 1.0
    plot = Plot(_LEFT, _TOP, _WIDTH - _LEFT - 8, _HEIGHT, steps, limit)
    outlines, bars = [], []
    for column, (whole, cut) in enumerate(zip(uses.whole.tolist(), uses.cut.tolist(), strict=True)):
        slots = {"step": column + 1, "whole": faded(whole)}
        title = say("use.bar.cut", cut=faded(cut), **slots) if uses.is_cut else say("use.bar", **slots)
        if uses.is_cut:
            outlines.append(_outline(plot, column, whole))
        bars.append(column_bar(plot, column, cut, POSITIVE if cut > 0 else NEGATIVE, title))
    title = label(_LEFT, 10, say("use.axis", name=uses.name), "start")
    return picture(
        "uses", _WIDTH, _TOP + _HEIGHT + 24, uses_words(uses),
        [title, plot.axis(), *outlines, *bars, *step_numbers(plot, 0)],
    )  # fmt: skip


def _outline(plot: Plot, column: int, value: float) -> str:
    """The whole contribution of a step behind what is left of it."""
    wide, top = max(0.8, min(0.82 * plot.pitch, 26.0)), min(plot.y(value), plot.y(0))
    return (
        f'<rect class="whole" x="{plot.x(column) - wide / 2:.1f}" y="{top:.1f}" width="{wide:.2f}" '
        f'height="{abs(plot.y(value) - plot.y(0)):.2f}" fill="currentColor" fill-opacity="0.13" '
        'stroke="currentColor" stroke-opacity="0.55" stroke-dasharray="3 2"/>'
    )


def uses_table(uses: Uses) -> str:
    """Every bar as a number, and the sum."""
    columns = [uses.whole, uses.cut] if uses.is_cut else [uses.whole]
    rows = [
        [say("use.at", step=step + 1), *(faded(float(part[step]), 6) for part in columns)]
        for step in range(len(uses.whole))
    ]
    totals = [uses.total, uses.cut_total][: len(columns)]
    rows.append([say("use.together"), *(faded(total, 6) for total in totals)])
    head = [say("use.column.step"), say("use.column.whole"), *([say("use.column.cut")] if uses.is_cut else [])]
    return table("ledger", uses.name, head, rows)


def gradient_picture(gradient: Array, name: str, entry: tuple[int, ...] | None) -> str:
    """Every entry of a weight's gradient as a colour; empty where they are too many to be drawn."""
    if gradient.size > MOST_CELLS:
        return ""
    matrix = gradient.reshape(len(gradient), -1)
    rows, columns = matrix.shape
    side = max(6.0, min(34.0, 300.0 / columns, 190.0 / rows))
    limit = float(np.abs(matrix).max()) or 1.0
    cells = []
    for (row, column), value in np.ndenumerate(matrix):
        place = (row, column)[: gradient.ndim]
        said = say("use.entry", weight=name, place=", ".join(str(one + 1) for one in place))
        chosen = ' stroke="currentColor" stroke-width="2"' if place == entry else ""
        cells.append(
            f'<rect x="{_EDGE + column * side:.1f}" y="{_EDGE + row * side:.1f}" width="{side - 1.5:.1f}" '
            f'height="{side - 1.5:.1f}" rx="2" fill="{POSITIVE if value > 0 else NEGATIVE}" '
            f'fill-opacity="{0.06 + 0.94 * abs(float(value)) / limit:.2f}"{chosen}>'
            f"<title>{escape(f'{said} = {faded(float(value))}')}</title></rect>"
        )
    width = max(2 * _EDGE + columns * side, 120.0)
    return picture("gradient", width, 2 * _EDGE + rows * side, say("use.matrix", weight=name, rows=rows), cells)


_EDGE = 3.0
