"""RTRL beside BPTT: how equal, at what price, what it carries, and how far off it is when weights move meanwhile."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Gradients, OnlineRun, Trace, gradient_costs, influence
from rnnviz.texts import say
from rnnviz.views.numbers import faded, power, power_of_ten, subscript, thousands, written

Array = NDArray[np.float64]

MOST_CELLS = 8000
"""Entries of the influence that are drawn one by one."""

ROUNDING = 1e-12
"""Relative: a smaller drift is rounding."""
_AGREE = 1e-9
"""Relative to the largest entry: a smaller difference is called rounding."""
_BYTES = 8
"""Of a number in float64."""


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
        return say("rtrl.equal.zero", count=thousands(count))
    if difference == 0:
        return say("rtrl.equal.exact", count=thousands(count), largest=power(largest))
    if not difference < _AGREE * largest:
        return say("rtrl.differ", count=thousands(count), difference=power(difference), largest=power(largest))
    share = power_of_ten(float(np.log10(difference) - np.log10(largest)))
    return say("rtrl.equal", count=thousands(count), difference=power(difference), largest=power(largest), share=share)


# --- the price ------------------------------------------------------------------------------------------------------


def counted(trace: Trace, forward: Gradients) -> tuple[int, int]:
    """The numbers in the arrays that BPTT reads, and in those that RTRL carries."""
    cell, kept = trace.cell, trace.x.size + trace.states.size + sum(array.size for array in trace.preacts.values())
    if getattr(cell, "reset", "") == "after":
        kept += trace.from_h[:, cell.rows("n")].size  # what the reset gate scales
    carried = sum(array.size for array in influence(trace, 1).values())
    return kept, carried + sum(array.size for array in forward.weights.values())


def cost_columns(trace: Trace, forward: Gradients, seconds: Measured) -> dict[str, list[str]]:
    """Numbers to keep, multiplications and time of both, with their formulas, as columns of a table.

    Of a cell that tells no more than its step the time alone is known.
    """
    head = (say("rtrl.cost.what"), "BPTT", "RTRL", say("rtrl.cost.times"))
    time = (say("rtrl.cost.time"), _time(seconds.bptt), _time(seconds.rtrl), _times(seconds.bptt, seconds.rtrl))
    if trace.cell.told_by == "step":
        return {name: [said] for name, said in zip(head, time, strict=True)}
    cell, costs = trace.cell, gradient_costs(trace.cell, trace.steps)
    form = getattr(cell, "reset", "plain")
    kept, carried = counted(trace, forward)
    keep, work = (costs.bptt.numbers, costs.rtrl.numbers), (costs.bptt.multiply_adds, costs.rtrl.multiply_adds)
    rows = [
        (say("rtrl.cost.numbers"), *map(_kept, keep), _times(*keep)),
        (say("rtrl.cost.formula"), say(f"rtrl.formula.keep.{form}"), say("rtrl.formula.carry"), "∼ H² / T"),
        (say("rtrl.cost.counted"), _kept(kept), _kept(carried), _times(kept, carried)),
        (say("rtrl.cost.work"), *(thousands(one) for one in work), _times(*work)),
        (say("rtrl.cost.formula"), say("rtrl.formula.back"), say(f"rtrl.formula.forward.{form}"), "∼ H²"),
        time,
    ]
    return {name: list(column) for name, column in zip(head, zip(*rows, strict=True), strict=True)}


def letter_columns(trace: Trace) -> dict[str, list[str]]:
    """What the letters of the formulas count, and how many there are here, as columns of a table."""
    cell, rows = trace.cell, len(trace.cell.W_hh)
    sizes = {
        "T": trace.steps, "H": cell.hidden_size, "D": cell.input_size, "G": rows // cell.hidden_size,
        "S": cell.state_size, "P": rows * (cell.input_size + cell.hidden_size + 2),
    }  # fmt: skip
    return {
        say("rtrl.cost.letter"): list(sizes),
        say("rtrl.cost.meaning"): [say(f"rtrl.cost.{letter}") for letter in sizes],
        say("rtrl.cost.here"): [thousands(size) for size in sizes.values()],
    }


def _kept(numbers: int) -> str:
    """So many numbers of float64, with the memory that they take."""
    unit, size = unit_and_size(numbers)
    return say(f"rtrl.kept.{unit}", numbers=thousands(numbers), size=size)


def unit_and_size(numbers: int) -> tuple[str, str]:
    """The largest unit of memory that so many numbers fill, by its name in the texts, and how often they do."""
    size = numbers * _BYTES
    unit, divisor = next(one for one in _UNITS if size >= one[1])
    return unit, written(size / divisor)


_UNITS = (("gib", 2**30), ("mib", 2**20), ("kib", 2**10), ("bytes", 1))


def _times(one: float, other: float) -> str:
    return f"× {power(other / one)}" if one > 0 else "–"


def _time(seconds: float) -> str:
    return f"{written(1000 * seconds, 2)} ms"


# --- the influence --------------------------------------------------------------------------------------------------


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
        return say("rtrl.matrix.zero", t=t, rows=rows, columns=thousands(columns))
    unit, *place = (int(one) for one in np.unravel_index(np.abs(blocks[name]).argmax(), blocks[name].shape))
    entry = f"{name}[{', '.join(str(one + 1) for one in place)}]"
    value = float(blocks[name][unit, *place])
    return say(
        "rtrl.matrix.words", t=t, rows=rows, columns=thousands(columns), there=thousands(there),
        all=thousands(rows * columns), unit=_state_name(trace, unit), entry=entry, value=faded(value),
    )  # fmt: skip


def state_names(trace: Trace) -> list[str]:
    """What the rows of the influence are: hidden units, of an LSTM also its cell states."""
    return [_state_name(trace, row) for row in range(trace.cell.state_size)]


def _state_name(trace: Trace, row: int) -> str:
    units = trace.cell.hidden_size
    return "h" + subscript(row + 1) if row < units else "c" + subscript(row - units + 1)


# --- learning at every step -----------------------------------------------------------------------------------------


def drift_words(learned: OnlineRun, lr: float) -> str:
    """How far off the gradient is that learning at every step follows."""
    true, drift = learned.true_norms, learned.drift
    steps, rate = len(drift), written(lr)
    if not true.any() and not learned.norms.any():
        return say("rtrl.drift.nothing")
    shares = np.full(steps, -np.inf)  # log10, for one of the two may be near an end of float64
    there = (true > 0) & (drift > 0)
    shares[there] = np.log10(drift[there]) - np.log10(true[there])
    worst = int(np.argmax(shares))
    share = power_of_ten(float(shares[worst]))
    if lr == 0 or not learned.norms[:-1].any():
        key = "rtrl.drift.still" if lr == 0 else "rtrl.drift.one" if steps == 1 else "rtrl.drift.last"
        still = say(key, steps=steps)
        return f"{still} {say('rtrl.drift.rounding', share=share)}" if there.any() else still
    from_zero = (true == 0) & (drift > 0)
    if from_zero.any():
        step = int(from_zero.argmax())
        return say("rtrl.drift.from_zero", rate=rate, step=step + 1, norm=power(float(drift[step])))
    if shares[worst] < np.log10(ROUNDING):
        return say("rtrl.drift.none", rate=rate, share=share)
    if worst == steps - 1:
        return say("rtrl.drift.at_the_end", rate=rate, share=share, steps=steps)
    last = power_of_ten(float(shares[-1]))
    return say("rtrl.drift.words", rate=rate, share=share, step=worst + 1, last=last, steps=steps)
