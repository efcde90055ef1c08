"""What to notice on the way back, each sentence computed from the numbers on the screen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import BackwardTrace
from rnnviz.maths.factors import FLOATS, step_factors
from rnnviz.texts import say
from rnnviz.views.gate_facts import percent
from rnnviz.views.numbers import faded

Array = NDArray[np.float64]


def walk_fact(passed: BackwardTrace) -> str:
    """Where on its way the error at h is largest, and how large it still is at step 1."""
    sizes = _sizes(passed.h[1:])
    if not sizes.any():
        return say("backward.fact.none")
    if len(sizes) == 1:
        return say("backward.fact.one", first=faded(sizes[0]))
    if sizes.min() == sizes.max():
        return say("backward.fact.even", most=faded(sizes[0]))
    if sizes.argmax() == 0:
        return say("backward.fact.grows", most=faded(sizes[0]), last=len(sizes), begin=faded(sizes[-1]))
    return say("backward.fact", t=int(sizes.argmax()) + 1, most=faded(sizes.max()), first=faded(sizes[0]))


def walk_notices(passed: BackwardTrace) -> list[tuple[int, str]]:
    """For each step the zero-based unit with the largest error at its memory, and where errors come from and go."""
    lines = []
    for t in range(1, passed.trace.steps + 1):
        unit = int(np.abs(_memory(passed, t)).argmax())
        lines.append((unit, " ".join([_arriving(passed, t), _through(passed, t)]).strip()))
    return lines


def _sizes(errors: Array) -> Array:
    """The largest entry of each row."""
    return np.asarray(np.abs(errors).max(axis=1))


def _memory(passed: BackwardTrace, t: int) -> Array:
    """The error at c of an LSTM, at h of all others."""
    return np.asarray(passed.h[t] if passed.c is None else passed.c[t])


def _arriving(passed: BackwardTrace, t: int) -> str:
    """How much of the error at h comes from the future, by the sum of the sizes of its entries."""
    H = passed.trace.cell.hidden_size
    largest = max(float(np.abs(part).max()) for part in (passed.from_loss[t - 1], passed.from_future[t, :H])) or 1.0
    loss = float(np.abs(passed.from_loss[t - 1] / largest).sum())
    future = float(np.abs(passed.from_future[t, :H] / largest).sum())
    if t == passed.trace.steps:
        return say("backward.begins", t=t) if loss else say("backward.begins.none", t=t)
    if not future:
        return say("backward.loss_alone", t=t) if loss else say("backward.silent", t=t)
    if not loss:
        return say("backward.future_alone", t=t)
    return say("backward.share", t=t, future=percent(future / (future + loss)))


def _through(passed: BackwardTrace, t: int) -> str:
    """What becomes of it at this step: the slope of an Elman unit, or the gate that carries the memory's error on."""
    memory = _memory(passed, t)
    if not memory.any():
        return ""
    if passed.trace.cell.kind != "elman":
        return _carried(passed, t, memory)
    slopes = passed.slopes["a"][t - 1]
    if (slopes == 1.0).all():
        return say("backward.open", t=t)
    lost = np.abs(memory) * (1.0 - slopes)
    unit = int(lost.argmax())
    if not lost[unit]:
        return say("backward.lossless", t=t)
    given, left = memory[unit], passed.delta["a"][t - 1, unit]
    if not slopes[unit]:
        return say("backward.shut", unit=unit + 1, given=faded(given))
    said = {"unit": unit + 1, "slope": faded(slopes[unit])}
    return say("backward.narrow", given=faded(given), left=faded(left), **said)


def _carried(passed: BackwardTrace, t: int, memory: Array) -> str:
    unit = int(np.abs(memory).argmax())
    keep = step_factors(passed.trace, slice(t - 1, t), FLOATS)["keep"][0, unit]
    letter = "h" if passed.c is None else "c"
    key = "backward.keeps.start" if t == 1 else "backward.keeps"
    return say(key, unit=unit + 1, keep=percent(float(keep)), letter=letter, t=t, before=t - 1)
