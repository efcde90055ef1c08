"""Gradients of the cells that a page shows, cached for all sessions."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from rnnviz.maths import Trace, log10_gradient_norms
from rnnviz.maths.gradient_grid import log10_gradient_norm_grid
from rnnviz.maths.checks import Array
from rnnviz.presets import build, of_cell, of_network, values_of, walk_to_the_end
from rnnviz.settings import Settings
from rnnviz.ui.results import trace_of
from rnnviz.views.flow import MOST_PAIRS, CellFlow


def flows_of(settings: Settings) -> list[CellFlow]:
    """The gradients of the cell in front and, where they are shown together, of those beside it."""
    kinds = settings.kinds if values_of(settings)["together"] == "all" else (settings.kind,)
    return [flow_of(of_cell(settings, kind)) for kind in kinds]


def flow_of(settings: Settings) -> CellFlow:
    """The gradient of a single cell's settings."""
    return _flow(of_network(settings))


def pairs_of(settings: Settings) -> tuple[Array, int]:
    """Norms of all pairs of steps of a single cell's settings, at most the last `MOST_PAIRS`; and the first step."""
    return _pairs(of_network(settings))


def fresh_flow(settings: Settings) -> CellFlow:
    """The same, run anew and not remembered: for the many that are looked at together."""
    walked, _ = walk_to_the_end(build(settings))
    trace = walked.traces[settings.sequence - 1][settings.layer - 1]
    return CellFlow(trace, log10_gradient_norms(trace))


@lru_cache(maxsize=64)
def _flow(settings: Settings) -> CellFlow:
    trace = trace_of(settings)
    return CellFlow(trace, log10_gradient_norms(trace))


@lru_cache(maxsize=16)
def _pairs(settings: Settings) -> tuple[Array, int]:
    trace = trace_of(settings)
    first = max(0, trace.steps - MOST_PAIRS)
    return log10_gradient_norm_grid(trace.between(first, trace.steps), norm="fro"), first


def norms_between(trace: Trace, k: int, t: int) -> Array:
    """log10 ||d h_t / d h_j|| for j = k..t."""
    return log10_gradient_norms(trace.between(k, t))


def single(settings: Settings) -> Settings:
    """The settings of the cell in front by itself."""
    return of_cell(replace(settings, t=1), settings.kind)
