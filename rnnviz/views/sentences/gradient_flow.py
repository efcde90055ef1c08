"""What to notice of a gradient on its way back through time, each sentence computed from the numbers on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import DecayCauses, Trace
from rnnviz.maths.gradient_flow.causes import DECADE, cause_of, gates_part, weights_share
from rnnviz.maths.gradient_flow.phases import Phase
from rnnviz.texts import say
from rnnviz.views.charts.gradient_flow import CellFlow
from rnnviz.views.numbers import power, power_of_ten, written
from rnnviz.views.sentences.facts import elman_activation, elman_slopes
from rnnviz.views.sentences.gate_facts import keep_factors, keeper, percent

Array = NDArray[np.float64]

SATURATED = 0.1
"""The derivative g'(a) below which a unit is called saturated: of a tanh unit, |h| above 0.949."""

_FEW_UNITS = 0.05
"""A share of saturated units below which it is not they that cost most."""

_TWICE = float(np.log10(2.0))
_ROUNDING = 1e-9


# --- how far it reaches ---------------------------------------------------------------------------------------------


def notice(flows: Sequence[CellFlow], threshold: int, reason: str = "", *, is_hand_set: bool = False) -> str:
    """What to notice of the cell in front: the point, the reason, the pace and how far back; then the other cells.

    Where the weights of the one in front are set by hand, it is said that those of the others are random.
    """
    front = flows[0]
    beside = _beside(flows[1:], is_hand_set=is_hand_set)
    return " ".join(filter(None, [point_words(front, threshold), reason, pace_words(front, threshold), beside]))


def _beside(flows: Sequence[CellFlow], *, is_hand_set: bool) -> str:
    """What arrives at step 0 in the other cells."""
    said = [say("reach.beside.one", name=flow.name, left=power_of_ten(float(flow.norms[0]))) for flow in flows]
    return say("reach.beside.random" if is_hand_set else "reach.beside", cells=", ".join(said)) if said else ""


def pace_words(flow: CellFlow, threshold: int) -> str:
    """At what pace the gradient fades or grows, and down to which step it counts."""
    said = [*_on_the_way(flow), *_paces(flow)]
    if flow.norms[0] < -threshold:
        said.append(_horizon(flow, threshold))
    return " ".join(said)


def point_words(flow: CellFlow, threshold: int) -> str:
    """The point first: what becomes of the gradient, with the number at step 0."""
    reach, steps, norms = flow.reach(threshold), flow.trace.steps, flow.norms
    if reach.zero is not None:
        key = "reach.zero" if reach.zero else "reach.zero_first"
        return say(key, name=flow.name, zero=reach.zero, back=steps - reach.zero)
    low, high, left = (power_of_ten(float(edge)) for edge in (norms.min(), norms.max(), norms[0]))
    slots = {"name": flow.name, "steps": steps, "left": left}
    if reach.verdict != "stable":
        return say(f"reach.{reach.verdict}", **slots)
    if low == high:
        return say("reach.constant", **slots)
    if abs(float(norms[0])) >= _TWICE:
        return say("reach.fading" if norms[0] < 0 else "reach.growing", **slots)
    over, under = norms.max() - max(norms[0], 0.0), min(norms[0], 0.0) - norms.min()
    return say("reach.swinging" if max(over, under) >= _TWICE else "reach.stable", low=low, high=high, **slots)


def _is_still(norms: Array) -> bool:
    """Whether the norm never leaves a factor of 2."""
    return float(np.ptp(norms)) < _TWICE


def _paces(flow: CellFlow) -> list[str]:
    """How fast it fades or grows with each step back: where it is exponential, else what there is to say."""
    norms = flow.norms[np.isfinite(flow.norms).argmax() :]  # what is exactly 0 before has no pace
    if _is_still(norms):
        return []
    drop = _one_drop(norms)
    if drop is not None:
        factor = power_of_ten(float(norms[drop - 1] - norms[drop]))
        back = len(norms) - 1 - drop
        return [say("reach.pace.drop", step=flow.trace.steps - back, back=back, factor=factor)]
    if flow.phases:
        return [_pace(phase) for phase in flow.phases]
    factor = power_of_ten(float(norms[0]))
    return [say("reach.pace.none", steps=len(norms) - 1, factor=factor)] if len(norms) > _FEW else []


_FEW = 4
"""Steps of which no line is fitted, nor missed."""


def _pace(phase: Phase) -> str:
    """The pace of a range over which the norm is exponential."""
    ends, rate = {"first": phase.first, "last": phase.last}, phase.decades_per_step
    if abs(phase.change) + 2 * phase.off < _TWICE:
        return say("reach.pace.keeps", **ends)
    if abs(rate) > _TWICE * (1 + _ROUNDING):  # a half-life of less than a step is no number of steps
        key = "reach.pace.divides" if rate < 0 else "reach.pace.multiplies"
        return say(key, factor=power_of_ten(abs(rate)), **ends)
    return say("reach.pace.halves" if rate < 0 else "reach.pace.doubles", steps=written(_TWICE / abs(rate)), **ends)


def _on_the_way(flow: CellFlow) -> list[str]:
    """Where the norm is farther from 1, in either direction, than at both of its ends."""
    norms, steps = flow.norms, flow.trace.steps
    if not np.isfinite(norms).all() or abs(float(norms[0])) < _TWICE:  # what is 0, or is told with its range
        return []
    peak, trough = int(norms.argmax()), int(norms.argmin())
    if norms[0] < 0 and norms[peak] >= _TWICE:
        return [say("reach.first_grows", peak=power_of_ten(float(norms[peak])), step=peak, back=steps - peak)]
    if norms[0] > 0 and norms[trough] <= -_TWICE:
        return [say("reach.first_shrinks", low=power_of_ten(float(norms[trough])), step=trough, back=steps - trough)]
    return []


def _one_drop(norms: Array) -> int | None:
    """The step that loses at least half of all decades that are lost, of four steps or more; None if none does."""
    if len(norms) <= _FEW or not np.isfinite(norms).all() or norms[0] >= norms[-1]:
        return None
    lost = np.diff(norms)
    return int(np.argmax(lost)) + 1 if lost.max() >= max(1.0, 0.5 * (norms[-1] - norms[0])) else None


def _horizon(flow: CellFlow, threshold: int) -> str:
    """The earliest step that still gets as much as the threshold."""
    back, share = flow.reach(threshold).horizon, power_of_ten(-float(threshold))
    if not back:
        return say("reach.horizon_none", share=share)
    return say("reach.horizon", k=flow.trace.steps - back, back=back, share=share)


def blocks_words(flow: CellFlow, ends: Mapping[str, float]) -> str:
    """What the other blocks of an LSTM pass on to step 0, where one differs by a factor of 10 or more; else empty.

    Parameters
    ----------
    flow : CellFlow
        Of an LSTM.
    ends : mapping of block to float
        log10 of the norm at step 0 by the block: h, c, state.
    """
    shown = ends[flow.block]
    differs = [end != shown and not abs(end - shown) < DECADE for end in ends.values()]
    others = {block: power_of_ten(end) for block, end in ends.items() if block != flow.block}
    return say(f"reach.blocks.{flow.block}", **others) if any(differs) else ""


def gradient_words(flows: Sequence[CellFlow]) -> str:
    """Of what and with respect to what the gradients shown are, and why they begin at 1."""
    block = next((flow.block for flow in flows if flow.trace.c is not None), "h")
    return say(f"reach.gradient.{block}" if block == "h" or len(flows) > 1 else f"reach.gradient.{block}_only")


def limits_words(flows: Sequence[CellFlow], layer: int, layers: int, wanted: int) -> str:
    """What the norms leave out: other layers, clamped gates, steps a network did not reach; empty where nothing."""
    said = [say("reach.layer", layer=layer)] if layers > 1 else []
    said += [say("reach.clamped")] if flows[0].trace.clamp else []
    early = [flow for flow in flows if flow.trace.steps < wanted]
    said += [say("reach.early", name=flow.name, steps=flow.trace.steps) for flow in early]
    return " ".join(said)


# --- why: an Elman network ------------------------------------------------------------------------------------------


def elman_cause(flow: CellFlow, causes: DecayCauses) -> str:
    """Whether the weights or the derivatives make the gradient fade or grow, and whether units are saturated."""
    weights, slopes = float(causes.weights_alone[0]), float(causes.slopes_alone[0])
    singular = not np.isfinite(causes.log_weights)  # then there is no one answer for the derivatives alone
    lead = cause_of(float(flow.norms[0]), weights, None if singular else slopes)
    shown = power_of_ten(weights)
    grown = int(weights > 0 and shown != "1")  # more than all of it cannot be left
    if singular:
        kind = "weights" if lead == "stretch" else lead
        said = say(f"cause.singular.{kind}", weights=shown, grown=grown)
    else:
        said = say(f"cause.elman.{lead}", weights=shown, slopes=power_of_ten(slopes), grown=grown)
    return f"{said} {saturation_words(flow.trace)}".strip() if lead in ("slopes", "both", "interplay") else said


def saturation_words(trace: Trace) -> str:
    """How many of the derivatives of an Elman network are small because its units are saturated or off."""
    activation, slopes = elman_activation(trace), elman_slopes(trace)
    if activation == "sigmoid":
        return say("cause.saturated.sigmoid")
    if activation == "relu":
        off = float((slopes == 0).mean())
        return say("cause.saturated.relu", share=percent(off)) if off else say("cause.saturated.relu_none")
    if activation != "tanh":
        return ""
    share = float((slopes < SATURATED).mean())
    if not share:
        return say("cause.saturated.none", least=power(float(slopes.min())))
    if share < _FEW_UNITS:
        return say("cause.saturated.few", share=percent(share), mean=power(float(slopes.mean())))
    return say("cause.saturated.tanh", share=percent(share))


def shares_words(flow: CellFlow, causes: DecayCauses) -> str:
    """Which part of the decades is due to the weights, which to the derivatives; empty where they are not both lost."""
    ends = float(causes.weights_alone[0]), float(causes.slopes_alone[0])
    weights, slopes = (0.0 if abs(end) < _ROUNDING else end for end in ends)  # rounding costs no decade
    if not np.isfinite(causes.log_weights) or weights > _ROUNDING or flow.norms[0] >= -DECADE:
        return ""
    share = weights_share(weights, slopes)
    if share is None:
        return ""
    if share == 1.0 and (elman_slopes(flow.trace) != 1.0).any():  # the derivatives cost something, below rounding
        return say("cause.share.weights")
    return say("cause.share", weights=percent(share), slopes=percent(1.0 - share))


def split_words(flow: CellFlow, causes: DecayCauses) -> str:
    """The mean of log |det| of the steps as the sum of its parts, told as factors of a step; and the norm's own."""
    size, steps = flow.trace.cell.hidden_size, flow.trace.steps
    slopes, weights = float(causes.log_slopes.mean()) / size, causes.log_weights / size
    norm, step = float(flow.norms[0]) / steps, (slopes + weights) / np.log(10)
    follows = say("cause.split.norm", norm=power_of_ten(norm)) if np.isfinite(norm) else ""  # 0 follows nothing
    if not np.isfinite(weights):
        return f"{say('cause.split.singular')} {follows}".strip()
    if not np.isfinite(slopes):
        return f"{say('cause.split.dead')} {follows}".strip()
    parts = {name: power_of_ten(log / np.log(10)) for name, log in (("slopes", slopes), ("weights", weights))}
    alike = norm - step < _ROUNDING * max(1.0, abs(step))
    if alike and {power_of_ten(step), *parts.values()} == {"1"}:
        return say("cause.split.keeps")
    if size == 1:
        return say("cause.split.only", step=power_of_ten(step), **parts)
    return f"{say('cause.split', step=power_of_ten(step), **parts)} {say('cause.split.alike') if alike else follows}"


# --- why: a gated cell ----------------------------------------------------------------------------------------------


def gated_cause(flow: CellFlow, keep: Array) -> str:
    """Whether the gates that keep the state make the gradient fade, and what the other paths add."""
    factors, kept = keep_factors(flow.trace), float(keep[0])
    lead = gates_part(float(flow.norms[0]), kept)
    around = flow.trace.c is not None and flow.block == "h"  # in which f has a part only between the ends
    if around and lead == "lost":
        lead = "lost_h"
    elif around and flow.trace.steps == 1:
        lead = "beside"
    return say(
        f"cause.gates.{lead}", gates=say(f"cause.gates.name.{flow.kind}"), gate=keeper(flow.trace),
        others=say(f"cause.gates.others.{flow.kind}"),
        kept=power_of_ten(kept), mean=power(float(factors.mean())), least=power(float(factors.min())),
        most=power(float(factors.max())),
    )  # fmt: skip


def keep_words(trace: Trace, keep: Array) -> str:
    """What the product of the gates is beside the whole derivative."""
    others = say(f"cause.gates.others.{trace.cell.kind}")
    return say("cause.gates.fold", gate=keeper(trace), kept=power_of_ten(float(keep[0])), others=others)
