"""The sentences that say what to notice, each computed from the numbers on the screen."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import ElmanCell, StateOverflowError, Trace, run, step_jacobians
from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.extended_range.arithmetic import WIDES
from rnnviz.maths.extended_range.wide import Wide
from rnnviz.texts import say
from rnnviz.views.numbers import DIGITS, equals, faded, power_of_ten, thousands, vector, written

Array = NDArray[np.float64]


def worked_example(trace: Trace, y: Array | None) -> str:
    """The sums and the state of step 1, to compare with the textbook's page."""
    h = trace.h[1]
    sign = "=" if all(equals(value) == "=" for value in h) else "≈"
    a = trace.preacts["a"][0]
    own = a.shape == TEXTBOOK_SUMS.shape and np.allclose(a, TEXTBOOK_SUMS, rtol=0, atol=1e-12)
    if own and np.allclose(h, np.tanh(TEXTBOOK_SUMS), rtol=0, atol=1e-12):
        own_step = say("fact.worked_example", a=vector(a), sign=sign, h=vector(h))
        return own_step if y is None else f"{own_step} {say('fact.worked_example.readout')}"
    if own:
        return say("fact.worked_example.activation", a=vector(a), sign=sign, h=vector(h))
    digits = DIGITS if vector(a) != vector(TEXTBOOK_SUMS) else _ALL_DIGITS
    return say(
        "fact.worked_example.changed", a=vector(a, digits), own=vector(TEXTBOOK_SUMS, digits), sign=sign, h=vector(h)
    )


TEXTBOOK_SUMS = np.array([0.04, 0.0, 0.22])
"""The sums a of the textbook's worked step, computed there by hand."""


@np.errstate(over="ignore")  # a difference of huge numbers reads ∞
def echo(trace: Trace, y: Array | None) -> str:
    """How far the outputs are from the input one step before."""
    steps = len(trace.x) - 1
    if y is None or steps < 1:
        return say("fact.echo.none")
    error = float(np.abs(y[1:] - trace.x[:-1, :1]).max())
    if error == 0.0:
        return say("fact.echo.exact")
    return say("fact.echo.off", error=faded(error))


@np.errstate(over="ignore", invalid="ignore")  # sums of huge numbers read ∞
def counter(trace: Trace, y: Array | None) -> str:
    """The count in unit 1 beside the sum of the inputs, at every step."""
    del y
    counts, sums, steps = trace.h[1:, 0], np.cumsum(trace.x[:, 0]), len(trace.x)
    close = 1e-9 * np.maximum(1.0, np.abs(trace.x[:, 0]).cumsum())
    wrong = ~(np.abs(counts - sums) <= close)
    if wrong[-1]:
        count, total = _told_apart(counts[-1], sums[-1])
        return say("fact.counter.off", count=count, total=total, steps=steps)
    if wrong.any():
        at = int(np.argmax(np.where(wrong, np.abs(counts - sums), -1.0)))
        count, total = _told_apart(counts[at], sums[at])
        return say("fact.counter.between", total=written(sums[-1]), step=at + 1, count=count, sum=total)
    said = say("fact.counter.exact", count=written(counts[-1]), steps=steps)
    beyond = np.maximum(counts - 2, 0)
    second = trace.h.shape[1] > 1 and beyond.any() and np.allclose(trace.h[1:, 1], beyond, rtol=0, atol=1e-9)
    return f"{said} {say('fact.counter.second')}" if second else said


def oscillator(trace: Trace, y: Array | None) -> str:
    """The period of unit 1, from the rising passages through zero."""
    del y
    period = swing_period(trace.h[:, 0])
    if period is None:
        return say("fact.oscillator.none")
    angle = float(np.abs(np.angle(np.linalg.eigvals(trace.cell.W_hh), deg=True)).max())
    size = written(float(np.abs(trace.h[:, 0]).max()))
    key = "fact.oscillator.driven" if trace.x.any() else "fact.oscillator.itself"
    swings = say(key, period=written(period, _PERIOD_DIGITS), size=size)
    if not 0 < angle < 180:
        return swings
    return f"{swings} {say('fact.oscillator.turn', angle=written(angle), steps=written(360 / angle))}"


def saturated(trace: Trace, y: Array | None) -> str:
    """How many of the derivatives are so small that hardly any change passes through them."""
    del y
    slopes = elman_slopes(trace)
    small, median = int((slopes < SMALL_SLOPE).sum()), power_of_ten(_log10_median(log10_slopes(trace)))
    every = thousands(slopes.size)
    if elman_activation(trace) == "relu":
        return say("fact.saturated.relu", count=thousands(small), all=every)
    if not small:
        return say("fact.saturated.none", all=every, median=median)
    key = "fact.saturated.most" if 2 * small >= slopes.size else "fact.saturated.some"
    return say(key, count=thousands(small), all=every, median=median)


def _log10_median(logs: Array) -> float:
    """log10 of the median of numbers given by their logarithms, with two in the middle log10 of their mean."""
    ordered = np.sort(logs, axis=None)
    low, high = float(ordered[(logs.size - 1) // 2]), float(ordered[logs.size // 2])
    return low if low == high else high + float(np.log10((1.0 + 10.0 ** (low - high)) / 2.0))


SMALL_SLOPE = 0.01
"""Below this derivative a unit counts as saturated."""


@np.errstate(over="ignore")  # a difference of huge numbers reads ∞
def chaotic(trace: Trace, y: Array | None) -> str:
    """How far two starts that differ by a billionth are apart at the end."""
    del y
    start = trace.h[0].copy()
    start[0] += NUDGE * max(1.0, abs(start[0]))
    before = float(start[0] - trace.h[0, 0])
    try:
        nudged = run(trace.cell, trace.x, start)
    except StateOverflowError as error:
        nudged = error.trace
    steps = len(nudged.x)
    apart = float(np.abs(nudged.h[-1] - trace.h[steps]).max())
    if not apart:
        return say("fact.chaotic.gone", start=written(before), steps=steps)
    change = _log10(apart) - _log10(before)
    if abs(change) < 1e-4:
        return say("fact.chaotic.stays", start=written(before), steps=steps, apart=faded(apart))
    key = "fact.chaotic.grows" if change > 0 else "fact.chaotic.shrinks"
    return say(key, start=written(before), steps=steps, apart=faded(apart), factor=power_of_ten(change))


NUDGE = 1e-9
"""The difference between the two starts of `chaotic`, beside a start above 1 its share."""


def random(trace: Trace, y: Array | None) -> str:
    """How much of a small change to h at step 1 is left at the last step (spectral norm)."""
    del y
    steps = len(trace.x)
    if steps < 2:
        return say("fact.random.short")
    left = nudge_left(trace, 1)
    if left == -np.inf:
        return say("fact.random.gone", steps=steps)
    fades = "fades" if trace.cell.hidden_size > 1 else "fades_only"
    verdict = fades if left < -1 else "grows" if left > 1 else "stays"
    return say(f"fact.random.{verdict}", left=power_of_ten(left), steps=steps)


def nudge_left(trace: Trace, step: int) -> float:
    """log10 of the largest share of a small change to the state of a step (1..T) that reaches the last (spectral norm).

    Each direction of the change has a scale of its own: a common one would lose those that are weak at first.
    """
    product, left = np.eye(trace.cell.state_size), np.zeros(trace.cell.state_size)
    for jacobian in step_jacobians(trace)[step:]:
        scale = float(np.abs(jacobian).max()) or 1.0
        product = (jacobian / scale) @ product
        sizes = np.abs(product).max(axis=0)
        sizes[sizes == 0] = 1.0
        product, left = product / sizes, left + np.log10(scale) + np.log10(sizes)
    alive = product.any(axis=0)
    if not alive.any():
        return -np.inf
    most = float(left[alive].max())
    return most + _log10(float(np.linalg.norm(product * 10.0 ** np.minimum(left - most, 0.0), 2)))


def steps(trace: Trace, layer: int = 1) -> list[tuple[int, str]]:
    """For each step of an Elman trace: the zero-based unit that moves most, and a sentence on what moved it.

    Of a layer above the first, thousands from 1, what it reads is no input but comes from the layer below.
    """
    with np.errstate(over="ignore"):
        units = np.argmax(np.abs(np.diff(trace.h, axis=0)), axis=1)
    at = np.arange(trace.steps), units
    parts = (trace.h[:-1], trace.h[1:], trace.from_x, trace.from_h, trace.preacts["a"], log10_slopes(trace))
    moved = zip(units.tolist(), *(part[at].tolist() for part in parts), strict=True)
    several = np.any([(part != part[:, :1]).any(axis=1) for part in parts], axis=0)  # else none of them moves most
    most, only = ("notice.moves", "notice.moves.only")
    if layer > 1:
        most, only = ("notice.moves_above", "notice.moves_above.only")
    keys = [most if one else only for one in several]
    return [(unit, _movement(key, unit, *numbers)) for key, (unit, *numbers) in zip(keys, moved, strict=True)]


def moves(trace: Trace, layer: int = 1) -> list[tuple[int, str]]:
    """For each step of any run the zero-based unit that moves most, and from where to where."""
    del layer
    with np.errstate(over="ignore"):
        units = np.argmax(np.abs(np.diff(trace.h, axis=0)), axis=1).tolist()
    return [(unit, _moved(trace, t, unit)) for t, unit in enumerate(units)]


def _moved(trace: Trace, t: int, unit: int) -> str:
    before, after = trace.h[t : t + 2, unit].tolist()
    if before == after:
        return say("notice.still")
    return say("notice.moved", unit=unit + 1, before=written(before), after=written(after))


def _movement(key: str, unit: int, before: float, after: float, *made_of: float) -> str:
    """From one number to another, by what came from the input and from the memory, their sum and log10 of the slope."""
    if before == after:
        return say("notice.still")
    from_x, from_h, total, slope = made_of
    return say(
        key, unit=unit + 1, before=written(before), after=written(after), from_x=written(from_x),
        from_h=written(from_h), sum=written(total), slope=power_of_ten(slope),
    )  # fmt: skip


_PERIOD_DIGITS = 3
"""The passages through zero lie between steps, where a straight line places them: more digits would be its own."""


def swing_period(signal: Array) -> float | None:
    """Mean distance in steps between rising passages through zero, by linear interpolation; None below two of them."""
    before, after = signal[:-1], signal[1:]
    rising = np.flatnonzero((before < 0) & (after >= 0))
    passages = rising + before[rising] / (before[rising] - after[rising])
    return float(np.diff(passages).mean()) if len(passages) > 1 else None


def elman_activation(trace: Trace) -> str:
    """The activation of an Elman trace."""
    return cast(ElmanCell, trace.cell).activation


def elman_slopes(trace: Trace) -> Array:
    """The activation's slope at every step and unit of an Elman trace, ``(T, H)``."""
    return ACTIVATIONS[elman_activation(trace)].slope(trace.preacts["a"])


def log10_slopes(trace: Trace) -> Array:
    """log10 of `elman_slopes`, also where those underflow."""
    slopes: Wide = WIDES.slope(elman_activation(trace), trace.preacts["a"])
    return slopes.log10


def _told_apart(one: float, other: float) -> tuple[str, str]:
    """Two different numbers with so many digits that they read differently."""
    digits = DIGITS if written(one) != written(other) else _ALL_DIGITS
    return written(one, digits), written(other, digits)


_ALL_DIGITS = 17
"""Enough to tell any two numbers of float64 apart."""


def _log10(value: float) -> float:
    return float(np.log10(value)) if value > 0 else -np.inf
