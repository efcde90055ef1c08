"""What to notice of an LSTM or a GRU: sentences from the ledger of its memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Trace, make_cell, memory_ledger, run
from rnnviz.maths.ledger import keep_and_write
from rnnviz.texts import say
from rnnviz.views.facts import nudge_left
from rnnviz.views.numbers import power_of_ten, written

Array = NDArray[np.float64]


def memory_of(trace: Trace) -> Array:
    """The state that the gates keep, (T+1, H): c of an LSTM, h of a GRU."""
    return trace.h if trace.c is None else trace.c


def keep_factors(trace: Trace) -> Array:
    """The share of the memory that each step keeps, (T, H): f of an LSTM; z of a GRU, or 1 - z where z writes."""
    return keep_and_write(trace)[0]


def latch(trace: Trace, y: Array | None) -> str:
    """What is left of the largest write to unit 1, and how a plain RNN would have forgotten it."""
    del y
    ledger, last = memory_ledger(trace), trace.steps
    written_then = keep_and_write(trace)[1][:, 0]
    writer = int(np.abs(written_then).argmax())
    said = say(
        "fact.latch", step=writer + 1, last=last, symbol=memory_symbol(trace), gate=keeper(trace),
        write=written(float(written_then[writer])), share=percent(float(ledger.survival[writer, 0])),
        left=written(float(ledger.writes[writer, 0])), total=written(float(memory_of(trace)[-1, 0])),
        count=last - writer - 1,
    )  # fmt: skip
    return f"{said} {plain_rnn(trace, writer + 1)}" if last - writer > 1 else said


def plain_rnn(trace: Trace, step: int) -> str:
    """What an Elman network of the same sizes, with PyTorch's initialisation, would still know of a step."""
    cell = make_cell("elman", trace.cell.input_size, trace.cell.hidden_size)
    left = nudge_left(run(cell, trace.x), step)
    return say("fact.plain_rnn", step=step, last=trace.steps, left=power_of_ten(left))


def copy_forever(trace: Trace, y: Array | None) -> str:
    """Whether the memory at the end is that of the start."""
    del y
    memory, symbol, steps = memory_of(trace), memory_symbol(trace), trace.steps
    off = float(np.abs(memory[-1] - memory[0]).max())
    if (memory == memory[0]).all() and keep_factors(trace).min() == 1.0:  # an empty memory may stay empty otherwise
        return say("fact.copy.exact", symbol=symbol, steps=steps, gate=keeper(trace))
    return say("fact.copy.off", symbol=symbol, steps=steps, error=written(off), share=percent(_least_kept(trace)))


def forget_at_once(trace: Trace, y: Array | None) -> str:
    """The most that a single step keeps of the memory before it."""
    del y
    most = float(keep_factors(trace).max())
    key = "fact.forget.at_once" if most < 0.01 else "fact.forget.keeps"
    said = say(key, symbol=memory_symbol(trace), share=percent(most))
    sees_itself = trace.cell.W_hh.any() or most >= 0.01
    return said if sees_itself else f"{said} {say('fact.forget.alone')}"


def bracket_depth(trace: Trace, y: Array | None) -> str:
    """Which unit's memory follows the number of open brackets, and how far the output is from it."""
    x = trace.x
    if x.shape[1] != 2 or not np.isin(x, (0, 1)).all() or (x.sum(axis=1) != 1).any() or depth(x).min() < 0:
        return kept(trace, y)  # no brackets
    unit, r, slope = _follower(memory_of(trace)[1:], depth(x))
    if abs(r) < FOLLOWS:
        return say("fact.brackets.lost", symbol=memory_symbol(trace), unit=unit + 1, r=written(r, 3))
    said = say(
        "fact.brackets", symbol=memory_symbol(trace), unit=unit + 1, r=written(r, 3), slope=written(slope),
        deepest=written(float(depth(x).max()), 0),
    )  # fmt: skip
    if y is None:
        return said
    return f"{said} {say('fact.brackets.output', error=written(float(np.abs(y[:, 0] - depth(x)).max())))}"


def parity_bit(trace: Trace, y: Array | None) -> str:
    """Which unit's state is the parity of the bits so far, and how often the output is right."""
    if trace.x.shape[1] != 1 or not np.isin(trace.x, (0, 1)).all():
        return kept(trace, y)  # no bits
    odd = parity(trace.x)
    if np.ptp(odd) == 0:
        return kept(trace, y)  # nothing to follow
    unit, r, _ = _follower(trace.h[1:], odd)
    key = "fact.parity" if abs(r) >= FOLLOWS else "fact.parity.lost"
    said = say(key, symbol=memory_symbol(trace), unit=unit + 1, r=written(r, 3))
    if y is None:
        return said
    right = int(((y[:, 0] > 0.5) == (odd > 0.5)).sum())
    return f"{said} {say('fact.parity.output', right=right, steps=trace.steps)}"


def depth(x: Array) -> Array:
    """How many brackets are open after each step of ``(T, 2)`` opening and closing ones."""
    return np.cumsum(x[:, 0] - x[:, 1])


def parity(x: Array) -> Array:
    """1 after each step of ``(T, 1)`` bits up to which the ones are odd in number, else 0."""
    return np.cumsum(x[:, 0]) % 2


FOLLOWS = 0.99
"""The correlation from which on a unit counts as following something."""


def _follower(states: Array, target: Array) -> tuple[int, float, float]:
    """The unit whose states (T, H) follow a target (T,) most: its number, Pearson's r, and its change for each 1."""
    moves, wanted = states - states.mean(axis=0), target - target.mean()
    with np.errstate(invalid="ignore", divide="ignore"):
        r = np.nan_to_num(wanted @ moves / np.sqrt((moves**2).sum(axis=0) * (wanted**2).sum()))
        slope = np.nan_to_num(wanted @ moves / (wanted**2).sum())
    unit = int(np.abs(r).argmax())
    return unit, float(r[unit]), float(slope[unit])


def kept(trace: Trace, y: Array | None) -> str:
    """How many steps a write lives on, by the unit that keeps longest: what survives is a product of shares."""
    del y
    with np.errstate(divide="ignore"):
        logs = np.log(keep_factors(trace)).mean(axis=0)
    unit = int(logs.argmax())
    if logs[unit] == 0 or np.isneginf(logs[unit]):
        key = "fact.kept.all" if logs[unit] == 0 else "fact.kept.none"
        return say(key, unit=unit + 1, gate=keeper(trace))
    half = float(np.log(0.5) / logs[unit])
    return say("fact.kept", unit=unit + 1, gate=keeper(trace), steps=written(half, 1))


def steps(trace: Trace, layer: int = 1) -> list[tuple[int, str]]:
    """For each step the zero-based unit whose memory moves most, and a sentence on who moved it."""
    del layer
    memory, factors = memory_of(trace), keep_factors(trace)
    with np.errstate(over="ignore"):
        units = np.argmax(np.abs(np.diff(memory, axis=0)), axis=1)
    return [(int(unit), _movement(trace, memory, factors, t, int(unit))) for t, unit in enumerate(units)]


def _movement(trace: Trace, memory: Array, factors: Array, t: int, unit: int) -> str:
    before, after, factor = memory[t, unit], memory[t + 1, unit], float(factors[t, unit])
    carried = factor * before
    if before == after == carried:  # else as much was written as was forgotten
        return say("notice.memory.still", symbol=memory_symbol(trace))
    return say(
        "notice.memory", unit=unit + 1, symbol=memory_symbol(trace), before=written(before), after=written(after),
        share=percent(factor), kept=written(carried), new=written(after - carried),
    )  # fmt: skip


def memory_symbol(trace: Trace) -> str:
    """The letter of the state that the gates keep."""
    return "h" if trace.c is None else "c"


def keeper(trace: Trace) -> str:
    """The letter of what keeps the memory."""
    if trace.c is not None:
        return "f"
    return "z" if getattr(trace.cell, "update", "keep") == "keep" else "1 − z"


def _least_kept(trace: Trace) -> float:
    return float(keep_factors(trace).prod(axis=0).min())


def percent(share: float) -> str:
    """A share of 0..1 in percent, with the digits that tell it from 0 and from 100 %."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    if share > 0.999999:
        return "more than 99.9999 %"
    if share < 1e-6:
        return f"{power_of_ten(float(np.log10(share)) + 2)} %"
    digits = 0
    while digits < 4 and not 0 < round(100 * share, digits) < 100:
        digits += 1
    return f"{100 * share:.{max(digits, 1 if 0.01 < share < 0.99 else 2)}f} %"
