"""What to notice of a gradient's way back through time, each sentence computed from the numbers on the screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import DecayCauses, Reach, Trace
from rnnviz.texts import say
from rnnviz.views.flow import CellFlow
from rnnviz.views.gate_facts import keep_factors, keeper
from rnnviz.views.numbers import power_of_ten, written

Array = NDArray[np.float64]


def reach_words(flow: CellFlow, threshold: int) -> str:
    """How far back the error of the last step reaches in one cell, in a sentence."""
    reach, steps = flow.reach(threshold), flow.trace.steps
    share, left = power_of_ten(-float(threshold)), power_of_ten(float(flow.norms[0]))
    slots = {"name": flow.name, "pace": _pace(flow.norms, reach), "steps": steps, "share": share, "left": left}
    if reach.zero is not None:
        return say("reach.zero" if reach.zero < steps - 1 else "reach.zero_at_once", zero=reach.zero, **slots)
    if reach.verdict == "vanishing":
        return say("reach.vanishing", horizon=reach.horizon, **slots)
    if reach.verdict == "exploding" or _is_still(flow.norms):
        return say(f"reach.{reach.verdict}", **slots)
    if abs(float(flow.norms[0])) < _FACTOR:
        return say("reach.swinging", **slots)
    return say("reach.fading" if reach.decades_per_step < 0 else "reach.growing", **slots)


_FACTOR = float(np.log10(2.0))


def _is_still(norms: Array) -> bool:
    """Whether the norm never leaves a factor of 2."""
    return float(np.ptp(norms)) < _FACTOR


def _pace(norms: Array, reach: Reach) -> str:
    """How fast it fades or grows for each step back, as far back as it is not exactly 0."""
    norms = norms[0 if reach.zero is None else reach.zero + 1 :]
    if _is_still(norms):
        return say("reach.pace.still")
    if abs(float(norms[0])) < _FACTOR:  # its ends say nothing of the way between them
        low, high = (power_of_ten(float(edge)) for edge in (norms.min(), norms.max()))
        return say("reach.pace.swings", low=low, high=high)
    drop = _one_drop(norms) if reach.decades_per_step < 0 else None
    if drop is not None:
        step = drop + (0 if reach.zero is None else reach.zero + 1)
        return say("reach.pace.drop", step=step, factor=power_of_ten(float(norms[drop - 1] - norms[drop])))
    if reach.decades_per_step < 0:
        return say("reach.pace.halves", steps=written(reach.half_life, 1))
    return say("reach.pace.doubles", steps=written(reach.doubling, 1))


def _one_drop(norms: Array) -> int | None:
    """The step that loses at least half of all decades that are lost, of four steps or more; None if none does."""
    if len(norms) < 5 or not np.isfinite(norms).all():
        return None
    lost = np.diff(norms)
    return int(np.argmax(lost)) + 1 if lost.max() >= max(1.0, 0.5 * (norms[-1] - norms[0])) else None


def notice(flows: Sequence[CellFlow], threshold: int) -> str:
    """What to notice: how far back the error reaches in the cell in front, and what arrives in those beside it."""
    said = reach_words(flows[0], threshold)
    beside = [say("reach.beside.one", name=flow.name, left=power_of_ten(float(flow.norms[0]))) for flow in flows[1:]]
    return say("reach.beside", said=said, cells=", ".join(beside)) if beside else say("reach.alone", said=said)


def memory_words(flow: CellFlow, memory: Array) -> str:
    """What the long memory passes on, where that is at least a hundred times as much; else empty.

    Parameters
    ----------
    flow : CellFlow
        Of an LSTM.
    memory : (T+1,) array
        log10 ||dc_T/dc_k||.
    """
    if np.isneginf(memory[0]) or memory[0] < flow.norms[0] + 2:
        return ""
    return say("reach.long_memory", left=power_of_ten(float(memory[0])))


def limits_words(flows: Sequence[CellFlow], layer: int, layers: int, wanted: int) -> str:
    """What the norms leave out: other layers, held gates, steps that a network did not reach; empty where nothing."""
    said = [say("reach.layer", layer=layer)] if layers > 1 else []
    said += [say("reach.held")] if flows[0].trace.clamp else []
    early = [flow for flow in flows if flow.trace.steps < wanted]
    said += [say("reach.early", name=flow.name, steps=flow.trace.steps) for flow in early]
    return " ".join(said)


def elman_cause(flow: CellFlow, causes: DecayCauses, threshold: int) -> str:
    """Whether the weights or the slopes make it vanish or explode."""
    weights, slopes = float(causes.weights_alone[0]), float(causes.slopes_alone[0])
    verdict, left = flow.reach(threshold).verdict, float(flow.norms[0])
    if not np.isfinite(causes.log_weights):  # then there is no one answer for the slopes alone
        if verdict == "exploding" and weights <= threshold:
            return say("cause.elman.singular_grows", weights=power_of_ten(weights))
        return say("cause.elman.singular", weights=power_of_ten(weights))
    if verdict == "vanishing":
        lead = _who_shrinks(weights, slopes, left, threshold)
    elif verdict == "exploding":
        lead = "stretch" if weights > threshold else "interplay"
    else:
        lead = "balance" if weights > threshold or slopes < -threshold else "still"
    if lead == "slopes":
        lead = f"slopes_{getattr(flow.trace.cell, 'activation', 'tanh')}"
    return say(f"cause.elman.{lead}", weights=power_of_ten(weights), slopes=power_of_ten(slopes))


_MOST = 0.6


def _who_shrinks(weights: float, slopes: float, left: float, threshold: int) -> str:
    """Who makes a norm vanish: one cause where it would do so alone and makes for most of the decades."""
    if weights < -threshold and slopes < -threshold:
        return "both"
    if weights < -threshold and weights <= _MOST * left:
        return "weights"
    return "slopes" if slopes < -threshold and slopes <= _MOST * left else "together"


def split_words(causes: DecayCauses, trace: Trace) -> str:
    """The mean of log |det| of the steps as the sum of its parts, told as factors of a step."""
    size = trace.cell.hidden_size
    slopes, weights = float(causes.log_slopes.mean()) / size, causes.log_weights / size
    if not np.isfinite(weights):
        return say("cause.split.singular")
    if not np.isfinite(slopes):
        return say("cause.split.dead")
    step, of_slopes, of_weights = (power_of_ten(log / np.log(10)) for log in (slopes + weights, slopes, weights))
    return say("cause.split", step=step, slopes=of_slopes, weights=of_weights)


def gated_cause(flow: CellFlow, keep: Array, threshold: int) -> str:
    """Whether the gates that keep the memory make it vanish, and what the other ways add."""
    trace = flow.trace
    factors, gate = keep_factors(trace), keeper(trace)
    verdict, kept, left = flow.reach(threshold).verdict, float(keep[0]), float(flow.norms[0])
    if verdict == "vanishing":
        lead = "lost" if kept >= -threshold else "shut_rest" if left > kept + 1 else "shut"
    elif verdict == "exploding":
        lead = "around"
    elif left > kept + 1:
        lead = "others"
    else:
        by_gates = trace.steps > 1 or flow.kind == "gru" or flow.block != "h"  # one step from h to h passes no f
        lead = "open" if left >= kept - 1 and by_gates else "lost"
    gates = say(f"cause.gates.name.{flow.kind}")
    return say(
        f"cause.gates.{lead}", gates=gates, gate=gate, kept=power_of_ten(kept), mean=written(float(factors.mean())),
        least=written(float(factors.min())), most=written(float(factors.max())),
    )  # fmt: skip


def keep_words(trace: Trace, keep: Array) -> str:
    """What the product of the gates is beside the whole derivative."""
    return say("cause.gates.fold", gate=keeper(trace), kept=power_of_ten(float(keep[0])))
