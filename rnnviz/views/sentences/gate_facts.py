"""What to notice of an LSTM or a GRU: sentences from the ledger of its memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Trace, memory_ledger, memory_paths, run
from rnnviz.maths.ledger import keep_and_write
from rnnviz.texts import say
from rnnviz.views.numbers import faded, power_of_ten, signed_power, written
from rnnviz.views.sentences.latch import log10_gradients, tanh_latch

Array = NDArray[np.float64]


class Subject(NamedTuple):
    """What a fact speaks of: a zero-based unit, and the step (0..T-1) whose memory it follows to the last step."""

    unit: int
    step: int


def memory_of(trace: Trace) -> Array:
    """The state that the gates keep, (T+1, H): c of an LSTM, h of a GRU."""
    return trace.h if trace.c is None else trace.c


def keep_factors(trace: Trace) -> Array:
    """The share of the memory that each step keeps, (T, H): f of an LSTM; z of a GRU, or 1 - z where z writes."""
    return keep_and_write(trace)[0]


# --- the facts of the presets ---------------------------------------------------------------------------------------


def latch(trace: Trace, y: Array | None) -> str:
    """What is left of the largest write into unit 1, and what a plain tanh unit that latches makes of its gradient."""
    del y
    writer, last, symbol = _writer(trace), trace.steps, memory_symbol(trace)
    write, after = written(float(keep_and_write(trace)[1][writer - 1, 0])), keep_factors(trace)[writer:, 0]
    if writer == last:
        total = written(float(memory_of(trace)[-1, 0]))
        return say("fact.latch.last", step=writer, symbol=symbol, write=write, total=total)
    said = say(
        "fact.latch", step=writer, last=last, symbol=symbol, gate=keeper(trace), write=write, count=last - writer,
        share=percent(float(memory_ledger(trace).survival[writer - 1, 0])), low=written(float(after.min())),
    )  # fmt: skip
    plain = tanh_latch(trace.x)
    left = power_of_ten(float(log10_gradients(plain)[writer]))
    return f"{said} {say('fact.latch.tanh', h=written(float(plain.h[-1, 0])), step=writer, left=left)}"


def copy_forever(trace: Trace, y: Array | None) -> str:
    """Whether the memory at the end is that of the start."""
    del y
    memory, symbol, steps = memory_of(trace), memory_symbol(trace), trace.steps
    keep, write = keep_and_write(trace)
    if (memory == memory[0]).all() and keep.min() == 1.0:  # an empty memory may stay empty otherwise
        key = "fact.copy.rounded" if write.any() else "fact.copy.exact"
        return say(key, symbol=symbol, steps=steps, gate=keeper(trace))
    off = float(np.abs(memory[-1] - memory[0]).max())
    least = float(keep.prod(axis=0).min())
    off_key = "fact.copy.off.only" if memory.shape[1] == 1 else "fact.copy.off"
    return say(off_key, symbol=symbol, steps=steps, error=faded(off), share=percent(least))


def forget_at_once(trace: Trace, y: Array | None) -> str:
    """The most that a single step keeps of the memory before it."""
    del y
    most = float(keep_factors(trace).max())
    key = "fact.forget.keeps" if most >= FORGOTTEN else "fact.forget.at_once" if most else "fact.forget.all"
    said = say(key, symbol=memory_symbol(trace), share=percent(most), gate=keeper(trace))
    if most >= FORGOTTEN:
        return said
    reads = "fact.forget.reads" if trace.cell.W_hh.any() else "fact.forget.alone"
    return f"{said} {say(reads)}"


FORGOTTEN = 0.01
"""The share from which on a step keeps some of the memory."""


def binary_counter(trace: Trace, y: Array | None) -> str:
    """Whether the signs of the first two units are the two bits of the number of pulses, and whether W_hh is needed."""
    if trace.x.shape[1] != 1 or not np.isin(trace.x, (0, 1)).all() or trace.cell.hidden_size < 2:
        return kept(trace, y)  # no pulses
    count = np.cumsum(trace.x[:, 0]) % 4
    starts = (trace.h[0],) if trace.c is None else (trace.h[0], trace.c[0])
    cell = replace(trace.cell, W_hh=np.zeros_like(trace.cell.W_hh))
    without = run(cell, trace.x, *starts, clamp=trace.clamp)
    right = _right(trace, count)
    said = say(
        "fact.counter4" if right == trace.steps else "fact.counter4.wrong", symbol=memory_symbol(trace), right=right,
        without=_right(without, count), steps=trace.steps, pulses=int(trace.x.sum()),
    )  # fmt: skip
    if y is None:
        return said
    return f"{said} {say('fact.counter4.output', error=written(float(np.abs(y[:, 0] - count).max())))}"


def _right(trace: Trace, count: Array) -> int:
    """At how many steps the signs of units 1 and 2 are the bits of a count."""
    return int(((memory_of(trace)[1:, :2] > 0) @ np.array([1, 2]) == count).sum())


def bracket_depth(trace: Trace, y: Array | None) -> str:
    """Which unit's memory follows the number of open brackets, and on which path it keeps it."""
    if not _are_brackets(trace.x):
        return kept(trace, y)
    unit, r, slope = _follower(memory_of(trace)[1:], depth(trace.x))
    symbol = memory_symbol(trace)
    if abs(r) < FOLLOWS:
        return say("fact.brackets.lost", symbol=symbol, unit=unit + 1, r=written(r))
    parts = [say("fact.brackets", symbol=symbol, unit=unit + 1, r=written(r), slope=written(slope))]
    if y is not None:
        parts.append(say("fact.brackets.output", error=written(float(np.abs(y[:, 0] - depth(trace.x)).max()))))
    paths, step = memory_paths(trace, unit), _middle(trace)
    parts.append(
        say(
            "fact.brackets.paths", unit=unit + 1, symbol=symbol, gate=keeper(trace), step=step, last=trace.steps,
            direct=power_of_ten(float(paths.log10_direct[step])),
            every=signed_power(paths.sign[step], paths.log10[step]),
        )
    )  # fmt: skip
    return " ".join(parts)


def parity_bit(trace: Trace, y: Array | None) -> str:
    """Which unit's state is the parity of the bits so far, and how often the output is right."""
    if not _are_bits(trace.x):
        return kept(trace, y)
    odd = parity(trace.x)
    unit, r, _ = _follower(trace.h[1:], odd)
    key = "fact.parity" if abs(r) >= FOLLOWS else "fact.parity.lost"
    said = say(key, symbol=memory_symbol(trace), unit=unit + 1, r=written(r))
    if y is None:
        return said
    right = int(((y[:, 0] > 0.5) == (odd > 0.5)).sum())
    return f"{said} {say('fact.parity.output', right=right, steps=trace.steps)}"


def kept(trace: Trace, y: Array | None) -> str:
    """In how many steps the direct path halves a write, in the unit that keeps longest."""
    del y
    logs = _log_keeps(trace)
    unit = int(logs.argmax())
    slots = {"unit": unit + 1, "gate": keeper(trace), "symbol": memory_symbol(trace)}
    if logs[unit] == 0 or np.isneginf(logs[unit]):
        key = "fact.kept.all" if logs[unit] == 0 else "fact.kept.none"
        return say(key, **slots)
    half = float(np.log(0.5) / logs[unit])
    alike = bool((logs == logs[unit]).all())  # then none keeps longest; so it is of a single unit
    if half < 1:  # no number of steps, but a share of each
        share = power_of_ten(float(logs[unit] / np.log(10)) + 2)
        return say("fact.kept.little.only" if alike else "fact.kept.little", share=share, **slots)
    return say("fact.kept.only" if alike else "fact.kept", steps=written(half), **slots)


# --- what they speak of ---------------------------------------------------------------------------------------------


def subject_of(fact: Callable[[Trace, Array | None], str], trace: Trace) -> Subject:
    """What a preset's fact speaks of on this run; of any other fact the unit that keeps longest, from the start."""
    return _SUBJECTS.get(fact, _longest)(trace)


def _longest(trace: Trace) -> Subject:
    return Subject(int(_log_keeps(trace).argmax()), 0)


def _least(trace: Trace) -> Subject:
    return Subject(int(_log_keeps(trace).argmin()), 0)


def _largest_share(trace: Trace) -> Subject:
    keep = keep_factors(trace)
    step, unit = divmod(int(keep.argmax()), keep.shape[1])
    return Subject(unit, step)


def _latched(trace: Trace) -> Subject:
    return Subject(0, min(_writer(trace), trace.steps - 1))


def _counted(trace: Trace) -> Subject:
    return Subject(0, _middle(trace))


def _followed(trace: Trace) -> Subject:
    if _are_brackets(trace.x):
        return Subject(_follower(memory_of(trace)[1:], depth(trace.x))[0], _middle(trace))
    if _are_bits(trace.x):
        return Subject(_follower(trace.h[1:], parity(trace.x))[0], _middle(trace))
    return _longest(trace)


_SUBJECTS: Mapping[Callable[[Trace, Array | None], str], Callable[[Trace], Subject]] = {
    latch: _latched, copy_forever: _least, forget_at_once: _largest_share, binary_counter: _counted,
    bracket_depth: _followed, parity_bit: _followed,
}  # fmt: skip


# --- parts of them --------------------------------------------------------------------------------------------------


def depth(x: Array) -> Array:
    """How many brackets are open after each step of ``(T, 2)`` opening and closing ones."""
    return np.cumsum(x[:, 0] - x[:, 1])


def parity(x: Array) -> Array:
    """1 after each step of ``(T, 1)`` bits up to which the ones are odd in number, else 0."""
    return np.cumsum(x[:, 0]) % 2


FOLLOWS = 0.99
"""The correlation from which on a unit counts as following something."""


def _are_brackets(x: Array) -> bool:
    """Whether they are, none closes what was not opened, and there is something to follow."""
    brackets = x.shape[1] == 2 and np.isin(x, (0, 1)).all() and (x.sum(axis=1) == 1).all() and depth(x).min() >= 0
    return bool(brackets and np.ptp(depth(x)) > 0)


def _are_bits(x: Array) -> bool:
    """Whether they are, and their parity changes."""
    return bool(x.shape[1] == 1 and np.isin(x, (0, 1)).all() and np.ptp(parity(x)) > 0)


def _writer(trace: Trace) -> int:
    """The step (1..T) of the largest write into unit 1."""
    return int(np.abs(keep_and_write(trace)[1][:, 0]).argmax()) + 1


def _middle(trace: Trace) -> int:
    return trace.steps // 2


def _log_keeps(trace: Trace) -> Array:
    """The mean natural logarithm of what each unit's steps keep, (H,)."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(keep_factors(trace)).mean(axis=0))


def _follower(states: Array, target: Array) -> tuple[int, float, float]:
    """The unit whose states (T, H) follow a target (T,) most: its number, Pearson's r, and its change for each 1."""
    moves, wanted = states - states.mean(axis=0), target - target.mean()
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        r = np.nan_to_num(wanted @ moves / np.sqrt((moves**2).sum(axis=0) * (wanted**2).sum()))
        slope = np.nan_to_num(wanted @ moves / (wanted**2).sum())
    unit = int(np.abs(r).argmax())
    return unit, float(r[unit]), float(slope[unit])


# --- at each step ---------------------------------------------------------------------------------------------------


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
    if before == after:  # of the unit that moves most, so of all
        still = bool((factors[t] * memory[t] == memory[t]).all())
        return say("notice.memory.still" if still else "notice.memory.balance", symbol=memory_symbol(trace))
    moves = np.stack([memory[t], memory[t + 1], factors[t]])
    several = bool((moves != moves[:, :1]).any())  # none moves most where all move alike
    slots = {"unit": unit + 1, "symbol": memory_symbol(trace), "after": written(after)}
    if not before:  # a share of nothing
        return say("notice.memory.from_zero" if several else "notice.memory.from_zero.only", **slots)
    return say(
        "notice.memory" if several else "notice.memory.only", before=written(before), share=percent(factor),
        kept=written(carried), new=written(after - carried), **slots,
    )  # fmt: skip


# --- letters and shares ---------------------------------------------------------------------------------------------


def memory_symbol(trace: Trace) -> str:
    """The letter of the state that the gates keep."""
    return "h" if trace.c is None else "c"


def keeper(trace: Trace) -> str:
    """The letter of what keeps the memory."""
    return trace.cell.keeper


def percent(share: float) -> str:
    """A share of 0..1 in percent, with the digits that tell it from 0 and from 100 %."""
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    if share > 0.999999:
        return "more than 99.9999 %"
    if share < 1e-6:
        return f"{power_of_ten(float(np.log10(share)) + 2)} %"
    if share > 0.9999:  # 99.995, not 100
        return f"{100 * share:.4f}".rstrip("0") + " %"
    return f"{written(100 * share)} %"
