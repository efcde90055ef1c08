"""Gradients of the cells that a page shows, remembered for all sessions by the parts that they depend on."""

from __future__ import annotations

from dataclasses import dataclass

from rnnviz.cache import remembered
from rnnviz.maths import DecayCauses, Trace, decay_causes, log10_gradient_norm_grid, log10_gradient_norms
from rnnviz.maths.checks import Array
from rnnviz.network import build, kinds_drawn, of_cell, parts_of, run_to_the_end
from rnnviz.settings import NetworkSettings, Settings
from rnnviz.ui.results import run_of
from rnnviz.views.charts.gradient_flow import MOST_PAIRS, CellFlow


@dataclass(frozen=True)
class Followed:
    """Whose gradient is followed: all that it depends on.

    Attributes
    ----------
    network : NetworkSettings
    sequence, layer : int
        Counted from 1.
    block : str
        The block of the state: "state" is all of it, where an LSTM has h and c.
    """

    network: NetworkSettings
    sequence: int
    layer: int
    block: str

    @property
    def trace(self) -> Trace:
        """The run that it is followed through."""
        return run_of(self.network, self.sequence)[0].traces[self.layer - 1]


def followed(settings: Settings, block: str = "") -> Followed:
    """Whose gradient is followed of the cell in front; `block` stands for that of the settings."""
    parts = parts_of(settings)
    view = parts.view
    return Followed(parts.network, view.sequence, view.layer, block or view.block)


def flows_of(settings: Settings) -> list[CellFlow]:
    """The gradients of the cell in front and, where they are shown together, of those beside it."""
    return [flow_of(followed(of_cell(settings, kind))) for kind in kinds_drawn(settings)]


@remembered
def flow_of(of: Followed) -> CellFlow:
    """The gradient of a single cell."""
    trace = of.trace
    return CellFlow(trace, log10_gradient_norms(trace, block=of.block), of.block)


@remembered
def pairs_of(of: Followed) -> tuple[Array, int]:
    """Norms of all pairs of steps of a single cell, at most the last `MOST_PAIRS`; and the first step."""
    trace = of.trace
    first = max(0, trace.steps - MOST_PAIRS)
    return log10_gradient_norm_grid(trace.between(first, trace.steps), block=of.block, norm="fro"), first


@remembered
def causes_of(of: Followed) -> DecayCauses:
    """What the gradient of a single Elman network owes to its weights and to its slopes."""
    return decay_causes(of.trace)


def fresh_flow(of: Followed) -> CellFlow:
    """The gradient, run anew and not remembered: for the many that are looked at together."""
    ran, _ = run_to_the_end(build(of.network))
    trace = ran.traces[of.sequence - 1][of.layer - 1]
    return CellFlow(trace, log10_gradient_norms(trace, block=of.block), of.block)


def norms_between(flow: CellFlow, k: int, t: int) -> Array:
    """log10 ||d s_t / d s_j|| for j = k..t, of what is followed."""
    if t == flow.trace.steps:
        return flow.norms[k:]
    return log10_gradient_norms(flow.trace.between(k, t), block=flow.block)
