"""What to notice in the backward pass, each sentence computed from the numbers on the screen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import BackwardTrace
from rnnviz.maths.extended_range.arithmetic import FLOATS
from rnnviz.texts import say
from rnnviz.views.numbers import faded
from rnnviz.views.sentences.gate_facts import percent

Array = NDArray[np.float64]


def pass_fact(passed: BackwardTrace) -> str:
    """The step at which dL/dh is largest, and how large it is at step 1."""
    sizes = _sizes(passed.h[1:])
    if not sizes.any():
        return say("backward.fact.none")
    if len(sizes) == 1:
        return say("backward.fact.one", first=faded(sizes[0]))
    if sizes.min() == sizes.max():
        return say("backward.fact.even", most=faded(sizes[0]))
    if sizes.argmax() == 0:
        return say("backward.fact.first", most=faded(sizes[0]), last=len(sizes), begin=faded(sizes[-1]))
    t, most = int(sizes.argmax()) + 1, faded(sizes.max())
    if not sizes[0]:
        return say("backward.fact.gone", t=t, most=most)
    return say("backward.fact", t=t, most=most, first=faded(sizes[0]))


def pass_notices(
    passed: BackwardTrace, has_loss: NDArray[np.bool_] | None = None, *, lacks_target: bool = False
) -> list[tuple[int, str]]:
    """For each step the zero-based unit to look at first, and where dL/dh comes from and what becomes of it.

    Parameters
    ----------
    passed : BackwardTrace
    has_loss : (T,) array of bool, optional
        The steps with a loss; if left out, those whose loss has a gradient.
    lacks_target : bool
        Whether the last step has none for want of a target.
    """
    with_loss = np.asarray(passed.from_loss.any(axis=1) if has_loss is None else has_loss)
    lines: list[tuple[int, str]] = []
    for t in range(1, passed.trace.steps + 1):
        unit = int(np.abs(_memory(passed, t)).argmax())
        lines.append((unit, f"{_arriving(passed, t, bool(with_loss[t - 1]))} {_through(passed, t)}".strip()))
    if lacks_target:
        lines[-1] = lines[-1][0], say("backward.begins.no_target")
    return lines


def _sizes(gradients: Array) -> Array:
    """The largest entry of each row."""
    return np.asarray(np.abs(gradients).max(axis=1))


def _memory(passed: BackwardTrace, t: int) -> Array:
    """The gradient at c of an LSTM, at h of all others."""
    return np.asarray(passed.h[t] if passed.c is None else passed.c[t])


def _arriving(passed: BackwardTrace, t: int, has_loss: bool) -> str:
    """How much of dL/dh arrives from the step after, by the absolute values of its entries."""
    H, after = passed.trace.cell.hidden_size, t + 1
    largest = max(float(np.abs(part).max()) for part in (passed.from_loss[t - 1], passed.from_future[t, :H])) or 1.0
    loss = float(np.abs(passed.from_loss[t - 1] / largest).sum())
    future = float(np.abs(passed.from_future[t, :H] / largest).sum())
    nothing = "zero" if has_loss else "none"  # a loss whose gradient is 0, or no loss at all
    if t == passed.trace.steps:
        return say("backward.begins") if loss else say(f"backward.begins.{nothing}")
    if not future:
        return say("backward.loss_alone", after=after) if loss else say(f"backward.silent.{nothing}", after=after)
    if not loss:
        return say(f"backward.future_alone.{nothing}", after=after)
    return say("backward.share", future=percent(future / (future + loss)), after=after)


def _through(passed: BackwardTrace, t: int) -> str:
    """What this step makes of it: the derivative of an Elman unit, or the gate on the memory's direct path."""
    memory = _memory(passed, t)
    if not memory.any():
        return ""
    told_by = passed.trace.cell.told_by
    if told_by != "slopes":
        return _carried(passed, t, memory) if told_by == "gates" else ""
    slopes = passed.slopes["a"][t - 1]
    if (slopes == 1.0).all():
        return say("backward.open")
    if not (memory[slopes < 1.0]).any():
        return say("backward.lossless")
    lost = np.abs(memory) / np.abs(memory).max() * (1.0 - slopes)
    unit = int(lost.argmax())
    given, left = memory[unit], passed.delta["a"][t - 1, unit]
    if not slopes[unit]:
        return say("backward.shut", unit=unit + 1, given=faded(given))
    said = {"unit": unit + 1, "slope": faded(slopes[unit])}
    key = "backward.narrow.only" if len(slopes) == 1 else "backward.narrow"
    return say(key, given=faded(given), left=faded(left), **said)


def _carried(passed: BackwardTrace, t: int, memory: Array) -> str:
    unit = int(np.abs(memory).argmax())
    share = percent(float(passed.trace.cell.factors(passed.trace, slice(t - 1, t), FLOATS)["keep"][0, unit]))
    letter = "h" if passed.c is None else "c"
    if t == 1:
        return say(f"backward.keeps.{letter}.start", unit=unit + 1, keep=share)
    return say(f"backward.keeps.{letter}", unit=unit + 1, keep=share, before=t - 1)
