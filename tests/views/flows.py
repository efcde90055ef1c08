"""Gradients for tests of pictures and words: real ones, their norms by plain products, and made-up ones."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import Trace, log10_gradient_norms, make_cell, run, step_jacobians
from rnnviz.views.charts.gradient_flow import CellFlow
from tests.maths.drawn import ALL_FORMS, Case, cases

Array = NDArray[np.float64]


def norms_back(trace: Trace, block: str = "h") -> list[float]:
    """log10 ||ds_T/ds_k|| for k = 0..T: plain products of the steps, scaled to order 1, and singular values."""
    rows = slice(0, trace.cell.hidden_size) if block == "h" else slice(None)
    product, decades = np.eye(trace.cell.state_size), 0.0
    found = [0.0]
    for jacobian in step_jacobians(trace)[::-1]:
        product = product @ jacobian
        size = float(np.abs(product).max()) or 1.0
        product, decades = product / size, decades + math.log10(size)
        largest = float(np.linalg.svd(product[rows, rows], compute_uv=False)[0])
        found.append(math.log10(largest) + decades if largest > 0 else -math.inf)
    return found[::-1]


def flow(case: Case, **options: object) -> CellFlow:
    """A run with its norms, as the page has them."""
    trace = run(*case, **options)  # type: ignore[arg-type]
    return CellFlow(trace, log10_gradient_norms(trace))


def flows(
    forms: list[tuple[type, dict[str, str]]] = ALL_FORMS, shifts: tuple[float, ...] = (0.0, 2.0), max_steps: int = 12
) -> st.SearchStrategy[CellFlow]:
    """Any cell of these forms over any short sequence."""
    return cases(forms, shifts, max_steps).map(flow)


def with_norms(norms: list[float], kind: str = "elman") -> CellFlow:
    """A run that is given other norms than its own: what is said of them is said of any."""
    return CellFlow(_silent(kind, len(norms) - 1), np.array(norms))


@cache
def _silent(kind: str, steps: int) -> Trace:
    return run(make_cell(kind, 1, 2), np.zeros((steps, 1)))
