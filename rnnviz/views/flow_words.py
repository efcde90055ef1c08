"""What to notice of a gradient's way back through time, each sentence computed from the numbers on the screen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import DecayCauses, Reach, Trace
from rnnviz.maths.ledger import keep_and_write
from rnnviz.texts import say
from rnnviz.views.flow import CellFlow
from rnnviz.views.gate_facts import keeper
from rnnviz.views.numbers import power_of_ten, written

Array = NDArray[np.float64]


def reach_words(flow: CellFlow, threshold: int) -> str:
    """How far back the error of the last step reaches in one cell, in a sentence."""
    reach, steps = flow.reach(threshold), flow.trace.steps
    share, left = power_of_ten(-float(threshold)), power_of_ten(float(flow.norms[0]))
    slots = {"name": flow.name, "pace": _pace(flow.norms, reach), "steps": steps, "share": share, "left": left}
    if reach.zero is not None:
        return say("reach.zero", zero=reach.zero, **slots)
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
    if np.isneginf(reach.decades_per_step):
        return say("reach.pace.none")
    norms = norms[0 if reach.zero is None else reach.zero + 1 :]
    if _is_still(norms):
        return say("reach.pace.still")
    if abs(float(norms[0])) < _FACTOR:  # its ends say nothing of the way between them
        low, high = (power_of_ten(float(edge)) for edge in (norms.min(), norms.max()))
        return say("reach.pace.swings", low=low, high=high)
    if reach.decades_per_step < 0:
        return say("reach.pace.halves", steps=written(reach.half_life, 1))
    return say("reach.pace.doubles", steps=written(reach.doubling, 1))


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


def limits_words(trace: Trace, layer: int, layers: int, wanted: int) -> str:
    """What the norms leave out: other layers, held gates, steps that the network did not reach; empty where nothing."""
    said = [say("reach.layer", layer=layer)] if layers > 1 else []
    said += [say("reach.held")] if trace.clamp else []
    said += [say("reach.early", steps=trace.steps)] if trace.steps < wanted else []
    return " ".join(said)


def elman_cause(flow: CellFlow, causes: DecayCauses, threshold: int) -> str:
    """Whether the weights or the slopes make it vanish or explode."""
    weights, slopes = float(causes.weights_alone[0]), float(causes.slopes_alone[0])
    verdict = flow.reach(threshold).verdict
    if verdict == "vanishing":
        alone = (weights < -threshold, slopes < -threshold)
        lead = {(True, True): "both", (True, False): "weights", (False, True): "slopes", (False, False): "together"}[
            alone
        ]
    elif verdict == "exploding":
        lead = "stretch" if weights > threshold else "interplay"
    elif weights < -threshold:
        lead = "interplay"
    else:
        lead = "balance" if weights > threshold or slopes < -threshold else "still"
    return say(f"cause.elman.{lead}", weights=power_of_ten(weights), slopes=power_of_ten(slopes))


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
    factors, gate = keep_and_write(trace)[0], keeper(trace)
    verdict, kept = flow.reach(threshold).verdict, float(keep[0])
    if verdict == "vanishing":
        lead = "shut" if kept < -threshold else "lost"
    elif verdict == "exploding":
        lead = "around"
    else:
        lead = "open" if kept >= -threshold else "others"
    gates = say(f"cause.gates.name.{flow.kind}")
    return say(
        f"cause.gates.{lead}", gates=gates, gate=gate, kept=power_of_ten(kept), mean=written(float(factors.mean())),
        least=written(float(factors.min())), most=written(float(factors.max())),
    )  # fmt: skip
