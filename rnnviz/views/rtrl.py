"""RTRL beside BPTT: how equal, at what price, what it carries, and how far off it is when weights move meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Gradients, GRUCell, OnlineRun, Trace, gradient_costs, influence
from rnnviz.texts import group, say
from rnnviz.views.decades import BEHIND, FRONT, Chart, Curve
from rnnviz.views.numbers import MINUS, power, power_of_ten, written
from rnnviz.views.plots import NEGATIVE, POSITIVE, label, picture
from rnnviz.views.tables import table

Array = NDArray[np.float64]

MOST_CELLS = 8000
"""Entries of the influence that are drawn one by one."""

_HEIGHT = 240
_SHADES = 12
_LEFT, _TOP, _WIDTH, _GAP = 46.0, 26.0, 720.0, 8.0
_ROUNDING = 1e-12  # relative


@dataclass(frozen=True)
class Measured:
    """What either way to the gradient took.

    Attributes
    ----------
    bptt, rtrl : float
        Seconds.
    """

    bptt: float
    rtrl: float


def decades(values: Array) -> Array:
    """log10 of what is not negative; ``-inf`` for an exact 0."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log10(values), dtype=np.float64)


def step_chart(curves: list[Curve], said: str) -> Chart:
    """A chart over the steps 0..T from the left to the right; what is 0 at first goes without saying."""
    words = group("flow") | {"axis": say("rtrl.axis"), "at": say("rtrl.at", k="{k}"), "zero": "", "step": "t"}
    return Chart(curves, said, height=_HEIGHT, words=words)


# --- equal ----------------------------------------------------------------------------------------------------------


def largest_difference(backward: Gradients, forward: Gradients) -> tuple[float, float]:
    """The largest difference of any two entries of the four weights' gradients, and the largest entry."""
    ways = [np.concatenate([array.ravel() for array in found.weights.values()]) for found in (backward, forward)]
    return float(np.abs(ways[0] - ways[1]).max()), float(np.abs(ways[0]).max())


def equality_words(backward: Gradients, forward: Gradients) -> str:
    """How far apart the two gradients are."""
    difference, largest = largest_difference(backward, forward)
    count = sum(array.size for array in backward.weights.values())
    if largest == 0 and difference == 0:
        return say("rtrl.equal.zero", count=f"{count:,}")
    if difference == 0:
        return say("rtrl.equal.exact", count=f"{count:,}", largest=power(largest))
    relative = power_of_ten(float(decades(np.array(difference)) - decades(np.array(largest)))) if largest else "∞"
    return say("rtrl.equal", count=f"{count:,}", difference=power(difference), largest=power(largest), share=relative)


# --- the price ------------------------------------------------------------------------------------------------------


def counted(trace: Trace, forward: Gradients) -> tuple[int, int]:
    """The numbers in the arrays that BPTT reads, and in those that RTRL carries."""
    cell, kept = trace.cell, trace.x.size + trace.states.size + sum(array.size for array in trace.preacts.values())
    if isinstance(cell, GRUCell) and cell.reset == "after":
        kept += trace.from_h[:, cell.rows("n")].size  # what the reset gate scales
    carried = sum(array.size for array in influence(trace, 1).values())
    return kept, carried + sum(array.size for array in forward.weights.values())


def cost_table(trace: Trace, forward: Gradients, seconds: Measured) -> str:
    """Numbers to keep, multiplications and time of both, with their formulas."""
    cell, costs = trace.cell, gradient_costs(trace.cell, trace.steps)
    form = cell.reset if isinstance(cell, GRUCell) else "plain"
    kept, carried = counted(trace, forward)
    keep, work = [costs.bptt.numbers, costs.rtrl.numbers], [costs.bptt.multiply_adds, costs.rtrl.multiply_adds]
    rows = [
        [say("rtrl.cost.numbers"), *(f"{one:,}" for one in keep), _times(*keep)],
        [say("rtrl.cost.formula"), say(f"rtrl.formula.keep.{form}"), say("rtrl.formula.carry"), "∼ H² / T"],
        [say("rtrl.cost.counted"), f"{kept:,}", f"{carried:,}", _times(kept, carried)],
        [say("rtrl.cost.work"), *(f"{one:,}" for one in work), _times(*work)],
        [say("rtrl.cost.formula"), say("rtrl.formula.back"), say(f"rtrl.formula.forward.{form}"), "∼ H²"],
        [say("rtrl.cost.time"), _time(seconds.bptt), _time(seconds.rtrl), _times(seconds.bptt, seconds.rtrl)],
    ]
    head = ["", "BPTT", "RTRL", say("rtrl.cost.times")]
    return table("ledger", say("rtrl.cost.title"), head, rows)


def cost_words(trace: Trace) -> str:
    """What the letters of the formulas stand for here, and how both prices grow."""
    cell = trace.cell
    gates, P = len(cell.W_hh) // cell.hidden_size, len(cell.W_hh) * (cell.input_size + cell.hidden_size + 2)
    sizes = {"T": trace.steps, "H": cell.hidden_size, "D": cell.input_size}
    return say("rtrl.cost.words", G=gates, S=cell.state_size, P=f"{P:,}", **sizes)


def _times(one: float, other: float) -> str:
    return f"× {power(other / one)}" if one > 0 else "–"


def _time(seconds: float) -> str:
    return f"{written(1000 * seconds)} ms"


# --- the influence --------------------------------------------------------------------------------------------------


def influence_chart(norms: Array) -> Chart:
    """The norm of the influence after every step.

    Parameters
    ----------
    norms : (T,) array
        From `influence_norms`.
    """
    values = np.concatenate([[-np.inf], decades(norms)])
    curve = Curve(say("rtrl.influence.name"), values, "lstm", FRONT, say("rtrl.influence.note"), key="influence")
    return step_chart([curve], say("rtrl.influence.chart"))


def influence_words(norms: Array) -> str:
    """Where the influence begins and ends, and where it is largest."""
    first, last, most = float(norms[0]), float(norms[-1]), int(np.argmax(norms))
    if len(norms) == 1:
        return say("rtrl.influence.one", first=power(first))
    ends = {"first": power(first), "last": power(last), "steps": len(norms)}
    if most in (0, len(norms) - 1):
        return say("rtrl.influence.ends", **ends)
    return say("rtrl.influence.peak", step=most + 1, peak=power(float(norms[most])), **ends)


def influence_size(trace: Trace) -> tuple[int, int]:
    """Rows and columns of the influence: what the state holds, and how many weights there are."""
    cell = trace.cell
    return cell.state_size, len(cell.W_hh) * (cell.input_size + cell.hidden_size + 2)


def matrix_words(trace: Trace, t: int) -> str:
    """How much of the influence at a step is not 0, and which entry is largest."""
    blocks = influence(trace, t)
    there = sum(int(np.count_nonzero(block)) for block in blocks.values())
    rows, columns = influence_size(trace)
    name = max(blocks, key=lambda one: float(np.abs(blocks[one]).max()))
    largest = float(np.abs(blocks[name]).max())
    if largest == 0:
        return say("rtrl.matrix.zero", t=t, rows=rows, columns=f"{columns:,}")
    unit, *place = (int(one) for one in np.unravel_index(np.abs(blocks[name]).argmax(), blocks[name].shape))
    entry = f"{name}[{', '.join(str(one + 1) for one in place)}]"
    value = float(blocks[name][unit, *place])
    return say(
        "rtrl.matrix.words", t=t, rows=rows, columns=f"{columns:,}", there=f"{there:,}", all=f"{rows * columns:,}",
        unit=_state_name(trace, unit), entry=entry, value=(MINUS if value < 0 else "") + power(largest),
    )  # fmt: skip


def matrix_picture(trace: Trace, t: int) -> str:
    """The influence at a step: a row for each number of the state, a column for each weight, shaded by size.

    Colours are those of signed numbers everywhere; the largest entry is the darkest.
    """
    blocks = influence(trace, t)
    rows, columns = influence_size(trace)
    largest = max(float(np.abs(block).max()) for block in blocks.values())
    wide = (_WIDTH - _LEFT - 8 - _GAP * (len(blocks) - 1)) / columns
    tall = min(max(wide, 9.0), 20.0)
    parts, left = [], _LEFT
    for name, block in blocks.items():
        flat = block.reshape(rows, -1)
        width = wide * flat.shape[1]
        parts.append(label(left + width / 2, 12, name, size=12))
        parts.append(
            f'<rect x="{left:.1f}" y="{_TOP:g}" width="{width:.1f}" height="{rows * tall:.1f}" fill="none" '
            'stroke="currentColor" stroke-opacity="0.3"/>'
        )
        parts += _shaded(flat, largest, left, wide, tall)
        left += width + _GAP
    every = next(count for count in (1, 2, 4, 8, 16, 32, 64, 128) if count * tall >= 13)
    parts += [
        label(_LEFT - 8, _TOP + (row + 0.5) * tall, _state_name(trace, row), "end") for row in range(0, rows, every)
    ]
    return picture("influence", _WIDTH, _TOP + rows * tall + 16, matrix_words(trace, t), parts)


def _shaded(flat: Array, largest: float, left: float, wide: float, tall: float) -> list[str]:
    """The entries of a block, those of one colour and shade as one path; an exact 0 is left blank."""
    shades = np.ceil(_SHADES * np.abs(flat) / largest) if largest else np.zeros_like(flat)
    parts = []
    for sign, colour in ((1, POSITIVE), (-1, NEGATIVE)):
        for shade in range(1, _SHADES + 1):
            cells = np.argwhere((np.sign(flat) == sign) & (shades == shade))
            if len(cells):
                path = "".join(
                    f"M{left + column * wide:.1f} {_TOP + row * tall:.1f}h{wide:.2f}v{tall:.1f}h{-wide:.2f}z"
                    for row, column in cells.tolist()
                )
                parts.append(f'<path d="{path}" fill="{colour}" fill-opacity="{0.08 + 0.92 * shade / _SHADES:.2f}"/>')
    return parts


def _state_name(trace: Trace, row: int) -> str:
    """What a row of the influence is: a hidden unit, of an LSTM also a number of its long memory."""
    units = trace.cell.hidden_size
    return f"h {row + 1}" if row < units else f"c {row - units + 1}"


# --- learning at every step -----------------------------------------------------------------------------------------


def drift_chart(learned: OnlineRun) -> Chart:
    """The gradient that each step learned from, the true one of the weights by then, and their difference.

    A difference that rounding alone can make counts as 0: on the axis it would leave no room for the others.
    """
    drift = np.where(learned.drift > _ROUNDING * learned.true_norms, learned.drift, 0.0)
    found = (
        (say("rtrl.drift.true"), learned.true_norms, "lstm", BEHIND, say("rtrl.drift.true.note"), "true"),
        (say("rtrl.drift.online"), learned.norms, "elman", FRONT, say("rtrl.drift.online.note"), "online"),
        (say("rtrl.drift.drift"), drift, "other", BEHIND, say("rtrl.drift.drift.note"), "drift"),
    )
    curves = [
        Curve(name, np.concatenate([[-np.inf], decades(norms)]), colour, style, note, key=key)
        for name, norms, colour, style, note, key in found
        if norms.any()  # all of it 0, a curve has no place on an axis of decades
    ]
    return step_chart(sorted(curves, key=lambda curve: curve.style != FRONT), say("rtrl.drift.chart"))


def drift_words(learned: OnlineRun, lr: float) -> str:
    """How far off the gradient is that learning at every step follows."""
    true, drift = learned.true_norms, learned.drift
    steps, rate = len(drift), written(lr, 3)
    if not true.any() and not learned.norms.any():
        return say("rtrl.drift.nothing")
    if lr == 0:
        return say("rtrl.drift.still", most=power(float(drift.max())))
    there = true > 0
    shares = np.where(drift > 0, np.inf, -np.inf)  # log10, for one of the two may be near an end of float64
    shares[there] = decades(drift[there]) - decades(true[there])
    worst = int(np.argmax(shares))
    if not learned.norms[:-1].any():
        return say("rtrl.drift.last", steps=steps, most=power(float(drift.max())))
    if shares[worst] < np.log10(_ROUNDING):
        return say("rtrl.drift.none", rate=rate, most=power(float(drift.max())))
    share, last = power_of_ten(float(shares[worst])), power_of_ten(float(shares[-1]))
    return say("rtrl.drift.words", rate=rate, share=share, step=worst + 1, last=last, steps=steps)
