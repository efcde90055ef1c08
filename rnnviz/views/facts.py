"""The sentences that say what to notice, each computed from the numbers on the screen."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import ElmanCell, StateOverflowError, Trace, run, step_jacobians
from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.texts import say
from rnnviz.views.numbers import equals, power_of_ten, vector, written

Array = NDArray[np.float64]


def worked_example(trace: Trace, y: Array | None) -> str:
    """The sums and the state of step 1, to hold against the textbook's page."""
    h = trace.h[1]
    sign = "=" if all(equals(value, 4) == "=" for value in h) else "≈"
    a = trace.preacts["a"][0]
    own = a.shape == TEXTBOOK_SUMS.shape and np.allclose(a, TEXTBOOK_SUMS, rtol=0, atol=1e-12)
    if own and np.allclose(h, np.tanh(TEXTBOOK_SUMS), rtol=0, atol=1e-12):
        own_step = say("fact.worked_example", a=vector(a), sign=sign, h=vector(h, 4))
        return own_step if y is None else f"{own_step} {say('fact.worked_example.readout')}"
    if own:
        return say("fact.worked_example.activation", a=vector(a), sign=sign, h=vector(h, 4))
    return say("fact.worked_example.changed", a=vector(a), own=vector(TEXTBOOK_SUMS), sign=sign, h=vector(h, 4))


TEXTBOOK_SUMS = np.array([0.04, 0.0, 0.22])
"""The sums a of the textbook's worked step, computed there by hand."""


@np.errstate(over="ignore")  # a difference of huge numbers reads ∞
def echo(trace: Trace, y: Array | None) -> str:
    """How far the output is from the input one step before."""
    steps = len(trace.x)
    if y is None or steps < 2:
        return say("fact.echo.none")
    error = float(np.max(np.abs(y[1:, 0] - trace.x[:-1, 0])))
    if error == 0.0:
        return say("fact.echo.exact", steps=steps - 1, x=written(trace.x[-2, 0]), y=written(y[-1, 0]))
    return say("fact.echo.off", error=written(error))


@np.errstate(over="ignore")  # a difference of huge numbers reads ∞
def counter(trace: Trace, y: Array | None) -> str:
    """The count in unit 1 beside the sum of the inputs."""
    del y
    count, total, steps = float(trace.h[-1, 0]), float(trace.x[:, 0].sum()), len(trace.x)
    if abs(count - total) >= 1e-9:
        return say("fact.counter.off", count=_counted(count), total=_counted(total), steps=steps)
    counts = say("fact.counter.exact", count=_counted(count), steps=steps)
    beyond = np.maximum(trace.h[1:, 0] - 2, 0)
    second = trace.h.shape[1] > 1 and np.allclose(trace.h[1:, 1], beyond, rtol=0, atol=1e-9)
    return f"{counts} {say('fact.counter.second')}" if second else counts


def oscillator(trace: Trace, y: Array | None) -> str:
    """The period of unit 1, from the rising passages through zero."""
    del y
    period = swing_period(trace.h[:, 0])
    if period is None:
        return say("fact.oscillator.none")
    cause = say("fact.oscillator.driven" if trace.x.any() else "fact.oscillator.itself")
    angle = float(np.abs(np.angle(np.linalg.eigvals(trace.cell.W_hh), deg=True)).max())
    size = written(float(np.abs(trace.h[:, 0]).max()))
    swings = say("fact.oscillator.period", cause=cause, period=written(period, 1), size=size)
    if not 0 < angle < 180:
        return swings
    return f"{swings} {say('fact.oscillator.turn', angle=written(angle, 1), steps=written(360 / angle, 1))}"


def saturated(trace: Trace, y: Array | None) -> str:
    """How many of the slopes are so small that hardly any change passes through them."""
    del y
    slopes = elman_slopes(trace)
    share = float((slopes < 0.01).mean())
    return say("fact.saturated", percent=round(100 * share), median=power_of_ten(_log10(float(np.median(slopes)))))


@np.errstate(over="ignore")  # a difference of huge numbers reads ∞
def chaotic(trace: Trace, y: Array | None) -> str:
    """How far two starts that differ by a billionth are apart at the end."""
    del y
    start = trace.h[0].copy()
    start[0] += NUDGE
    try:
        nudged = run(trace.cell, trace.x, start)
    except StateOverflowError as error:
        nudged = error.trace
    steps = len(nudged.x)
    apart = float(np.abs(nudged.h[-1] - trace.h[steps]).max())
    key = "fact.chaotic.grows" if apart > NUDGE else "fact.chaotic.shrinks"
    return say(key, apart=power_of_ten(_log10(apart)), steps=steps)


NUDGE = 1e-9
"""The difference between the two starts of `chaotic`."""


def random(trace: Trace, y: Array | None) -> str:
    """How much of a nudge to h at step 1 is left at the last step (spectral norm)."""
    del y
    if len(trace.x) < 2:
        return say("fact.random.short")
    left = nudge_left(trace, 1)
    verdict = "fades" if left < -1 else "grows" if left > 1 else "stays"
    return say(f"fact.random.{verdict}", left=power_of_ten(left), steps=len(trace.x))


def nudge_left(trace: Trace, step: int) -> float:
    """log10 of the largest share of a nudge to the state of a step (1..T) that reaches the last (spectral norm)."""
    product, left = np.eye(trace.cell.state_size), 0.0
    for jacobian in step_jacobians(trace)[step:]:
        scale = float(np.abs(jacobian).max()) or 1.0
        product = (jacobian / scale) @ product
        size = float(np.abs(product).max()) or 1.0
        product, left = product / size, left + np.log10(scale) + np.log10(size)  # sizes apart, or it would overflow
    return left + _log10(float(np.linalg.norm(product, 2)))


def steps(trace: Trace, layer: int = 1) -> list[tuple[int, str]]:
    """For each step of an Elman trace: the zero-based unit that moves most, and a sentence on what moved it.

    Of a layer above the first, counted from 1, what it reads is no input but comes from the layer below.
    """
    with np.errstate(over="ignore"):
        units = np.argmax(np.abs(np.diff(trace.h, axis=0)), axis=1)
    at = np.arange(trace.steps), units
    parts = (trace.h[:-1], trace.h[1:], trace.from_x, trace.from_h, trace.preacts["a"], elman_slopes(trace))
    moved = zip(units.tolist(), *(part[at].tolist() for part in parts), strict=True)
    key = "notice.moves" if layer == 1 else "notice.moves_above"
    return [(unit, _movement(key, unit, *numbers)) for unit, *numbers in moved]


def _movement(key: str, unit: int, before: float, after: float, *made_of: float) -> str:
    """From one number to another, made of what came from the input and from the memory, their sum and the slope."""
    if before == after:
        return say("notice.still")
    from_x, from_h, total, slope = map(written, made_of)
    return say(
        key, unit=unit + 1, before=written(before), after=written(after), from_x=from_x, from_h=from_h, sum=total,
        slope=slope,
    )  # fmt: skip


def swing_period(signal: Array) -> float | None:
    """Mean distance in steps between rising passages through zero, by linear interpolation; None below two of them."""
    before, after = signal[:-1], signal[1:]
    rising = np.flatnonzero((before < 0) & (after >= 0))
    passages = rising + before[rising] / (before[rising] - after[rising])
    return float(np.diff(passages).mean()) if len(passages) > 1 else None


def elman_slopes(trace: Trace) -> Array:
    """The activation's slope at every step and unit of an Elman trace, ``(T, H)``."""
    cell = cast(ElmanCell, trace.cell)
    return ACTIVATIONS[cell.activation].slope(trace.preacts["a"])


def _counted(value: float) -> str:
    """A count without decimals, as long as it is whole."""
    return written(value, 0 if value.is_integer() else 2)


def _log10(value: float) -> float:
    return float(np.log10(value)) if value > 0 else -np.inf
