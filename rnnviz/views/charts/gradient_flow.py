"""The main picture of the Gradient flow page: norms over time with their bounds, and the map of all pairs of steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.lazy import lazily
from rnnviz.maths import GradientBounds, Reach, Trace, gradient_bounds, gradient_reach
from rnnviz.maths.gradient_flow.phases import Phase, decay_phases
from rnnviz.texts import say
from rnnviz.views.charts.decades import BEHIND, BOUND, FADE, FIT, FRONT, GROW, REFERENCE, Chart, Curve, PairMap
from rnnviz.views.names import without_article
from rnnviz.views.numbers import power, power_of_ten, written
from rnnviz.views.palette import CELL_COLOURS

Array = NDArray[np.float64]

MOST_PAIRS = 400
"""Steps that the map of all pairs shows: the last of them."""


@dataclass(frozen=True, eq=False)
class CellFlow:
    """What a page knows of one cell's gradient.

    Attributes
    ----------
    trace : Trace
    norms : (T+1,) array
        log10 of the spectral norm of ``d s_T / d s_k``.
    block : str
        What s is: "h"; of an LSTM also "c" or "state", as `rnnviz.log10_gradient_norms` takes it.
    """

    trace: Trace
    norms: Array
    block: str = "h"

    @property
    def kind(self) -> str:
        """The kind of cell."""
        return self.trace.cell.kind

    @property
    def name(self) -> str:
        """How the cell is called on the screen."""
        cell = self.trace.cell
        if cell.told_by == "step":
            return without_article(cell.title)
        if self.is_irnn:
            return say("flows.name.irnn")
        if self.trace.c is not None:
            return say(f"flows.name.{cell.kind}.{self.block}")
        activation = getattr(cell, "activation", "")
        return say(f"flows.name.{cell.kind}", activation=activation and say(f"choice.activation.{activation}"))

    @lazily
    def is_irnn(self) -> bool:
        """Whether it is relu with the identity and no bias (Le, Jaitly & Hinton 2015), which alone has the name."""
        cell = self.trace.cell
        plain = np.array_equal(cell.W_hh, np.eye(cell.hidden_size)) and not cell.b_ih.any() and not cell.b_hh.any()
        return getattr(cell, "activation", "") == "relu" and plain

    @property
    def colour(self) -> str:
        """The name of its lines' colour."""
        return self.kind if self.kind in CELL_COLOURS else "other"

    def reach(self, threshold: int) -> Reach:
        """How far back it reaches, down to ten to the minus `threshold`."""
        return gradient_reach(self.norms, -float(threshold))

    @lazily
    def bounds(self) -> GradientBounds:
        """How fast it can grow at most; of an Elman network."""
        return gradient_bounds(self.trace.cell)

    @lazily
    def phases(self) -> tuple[Phase, ...]:
        """Where its norm is exponential."""
        return decay_phases(self.norms)


def flow_chart(flows: Sequence[CellFlow], threshold: int, said: str, pairs: PairMap | None) -> Chart:
    """The norms of the cells, the first in front, with the lines to compare them with.

    The one in front has the lines fitted to it. Shown when asked for: the bound and the line of the spectral radius of
    an Elman network in front, and 0.9^n and 1.1^n.
    """
    steps = max(flow.trace.steps for flow in flows)
    curves = [
        Curve(
            flow.name,
            flow.norms,
            flow.colour,
            BEHIND if place else FRONT,
            say("flows.note.norm", name=flow.name),
            key=flow.kind,
        )
        for place, flow in enumerate(flows)
    ]
    curves += _fits(flows[0])
    if flows[0].trace.cell.told_by == "slopes":
        curves += _lines(flows[0])
    lags = steps - np.arange(steps + 1)
    for base, style in ((0.9, FADE), (1.1, GROW)):
        curves.append(Curve(f"{base}ⁿ", lags * np.log10(base), "muted", style, say("flows.note.story", base=base)))
    level = (-float(threshold), say("flows.threshold", share=power_of_ten(-float(threshold))))
    return Chart(curves, said, level, pairs)


def _fits(flow: CellFlow) -> list[Curve]:
    """The lines fitted to a norm, each over its range alone."""
    curves, steps = [], flow.trace.steps
    for number, phase in enumerate(flow.phases):
        values = np.full(steps + 1, -np.inf)
        lags = np.arange(phase.first, phase.last + 1)
        values[steps - lags] = phase.start + phase.decades_per_step * (lags - phase.first)
        note = say("flows.note.fit", first=phase.first, last=phase.last, off=power_of_ten(phase.off))
        curves.append(Curve(say("flows.fit"), values, "text", FIT, note, key=f"fit {number}"))
    return curves


def _lines(flow: CellFlow) -> list[Curve]:
    """The bound of an Elman network, and its spectral radius to the power of the steps."""
    found, lags = flow.bounds, np.arange(flow.trace.steps, -1.0, -1.0)
    bound = written(found.largest_singular_value * found.largest_slope)
    radius = power(found.spectral_radius)
    return [
        Curve(
            say("flows.bound", bound=bound),
            _powers(found.log10_bound, lags),
            "elman",
            BOUND,
            say("flows.note.bound", sigma=written(found.largest_singular_value), slope=written(found.largest_slope)),
            key="bound",
        ),
        Curve(
            say("flows.radius", radius=radius),
            _powers(found.log10_reference, lags),
            "elman",
            REFERENCE,
            say("flows.note.radius", radius=radius),
            key="radius",
        ),
    ]


def _powers(log10: float, lags: Array) -> Array:
    """log10 of a number to the power of each lag; 0 to the power of 0 is 1."""
    powers = np.full(len(lags), -np.inf) if np.isneginf(log10) else lags * log10
    return np.asarray(np.where(lags == 0, 0.0, powers))


def pair_map(grid: Array, first: int, chosen: tuple[int, int], name: str) -> PairMap:
    """The map of all pairs, as the root mean square over all directions: the Frobenius norm over the root of the size.

    Parameters
    ----------
    grid : (n, n) array
        From `rnnviz.log10_gradient_norm_grid`, "fro".
    first : int
        The step of its row and column 0.
    chosen : (k, t)
        The pair that is shown step by step.
    name : str
        Of the cell.
    """
    said = [say("flows.map", name=name, first=first, last=first + len(grid) - 1)]
    left_out = say("flows.map.left_out", first=first) if first else ""
    shown = grid - grid[0, 0]  # the diagonal is the identity
    return PairMap(shown, first, chosen, " ".join([*said, left_out]).strip(), left_out)
