"""Gradients of the cells that a page shows, cached for all sessions."""

from __future__ import annotations

from dataclasses import replace

from rnnviz.cache import remembered
from rnnviz.maths import DecayCauses, decay_causes, log10_gradient_norm_grid, log10_gradient_norms
from rnnviz.maths.checks import Array
from rnnviz.network import build, of_cell, of_network, run_to_the_end, values_of
from rnnviz.settings import Settings
from rnnviz.ui.results import trace_of
from rnnviz.views.charts.gradient_flow import MOST_PAIRS, CellFlow


def flows_of(settings: Settings) -> list[CellFlow]:
    """The gradients of the cell in front and, where they are shown together, of those beside it."""
    kinds = settings.kinds if values_of(settings)["together"] == "all" else (settings.kind,)
    return [flow_of(of_cell(settings, kind)) for kind in kinds]


def flow_of(settings: Settings) -> CellFlow:
    """The gradient of a single cell's settings."""
    return _flow(of_network(settings), block_of(settings))


def pairs_of(settings: Settings) -> tuple[Array, int]:
    """Norms of all pairs of steps of a single cell's settings, at most the last `MOST_PAIRS`; and the first step."""
    return _pairs(of_network(settings), block_of(settings))


def followed(settings: Settings) -> Settings:
    """The settings of a network's gradient alone, without what else is chosen of the picture."""
    return of_network(settings).choose(block=dict(settings.chosen).get("block"))


def block_of(settings: Settings) -> str:
    """The block of the state whose gradient is shown: all of it, unless h or c of an LSTM is chosen."""
    return str(values_of(settings).get("block", "h"))


def fresh_flow(settings: Settings) -> CellFlow:
    """The same, run anew and not remembered: for the many that are looked at together."""
    ran, _ = run_to_the_end(build(settings))
    trace = ran.traces[settings.sequence - 1][settings.layer - 1]
    block = block_of(settings)
    return CellFlow(trace, log10_gradient_norms(trace, block=block), block)


@remembered
def _flow(settings: Settings, block: str) -> CellFlow:
    trace = trace_of(settings)
    return CellFlow(trace, log10_gradient_norms(trace, block=block), block)


@remembered
def _pairs(settings: Settings, block: str) -> tuple[Array, int]:
    trace = trace_of(settings)
    first = max(0, trace.steps - MOST_PAIRS)
    return log10_gradient_norm_grid(trace.between(first, trace.steps), block=block, norm="fro"), first


def causes_of(settings: Settings) -> DecayCauses:
    """What the gradient of a single Elman network owes to its weights and to its slopes."""
    return _causes(of_network(settings))


@remembered
def _causes(settings: Settings) -> DecayCauses:
    return decay_causes(trace_of(settings))


def norms_between(flow: CellFlow, k: int, t: int) -> Array:
    """log10 ||d s_t / d s_j|| for j = k..t, of what is followed."""
    if t == flow.trace.steps:
        return flow.norms[k:]
    return log10_gradient_norms(flow.trace.between(k, t), block=flow.block)


def single(settings: Settings) -> Settings:
    """The settings of the cell in front by itself."""
    return of_cell(replace(settings, t=1), settings.kind)
