"""What a gradient would do without one of its causes, on an axis of decades."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import DecayCauses
from rnnviz.texts import say
from rnnviz.views.charts.decades import BEHIND, FRONT, Chart, Curve
from rnnviz.views.charts.gradient_flow import CellFlow
from rnnviz.views.sentences.gate_facts import keeper

Array = NDArray[np.float64]

_HEIGHT = 230


def causes_chart(front: CellFlow, causes: DecayCauses) -> Chart:
    """The norm of an Elman network with its counterfactuals: the weights alone, and the slopes alone.

    A singular W_hh has more than one nearest orthogonal matrix, so it has no such curve of the slopes.
    """
    curves = [
        Curve(front.name, front.norms, "elman", FRONT, say("flows.note.norm", name=front.name)),
        Curve(say("cause.weights_alone"), causes.weights_alone, "alone", BEHIND, say("cause.note.weights")),
    ]
    if np.isfinite(causes.log_weights):
        note = say("cause.note.slopes")
        curves.append(Curve(say("cause.slopes_alone"), causes.slopes_alone, "other", BEHIND, note))
    return Chart(curves, say("cause.chart"), height=_HEIGHT)


def paths_chart(front: CellFlow, blocks: Mapping[str, Array], keep: Array) -> Chart:
    """The norms of a gated cell's blocks beside what its gates alone would keep.

    Parameters
    ----------
    front : CellFlow
    blocks : mapping of block to (T+1,) array
        log10 norms by the block: h, c, state.
    keep : (T+1,) array
        From `log10_keep_products`.
    """
    gate = keeper(front.trace)
    styles = {block: FRONT if block == front.block else BEHIND for block in blocks}
    colours = {"h": front.colour, "c": "other", "state": "gru" if front.trace.c is not None else front.colour}
    curves = [
        Curve(say(f"cause.block.{block}"), blocks[block], colours[block], style, _note(front, block))
        for block, style in sorted(styles.items(), key=lambda one: one[1] != FRONT)
    ]
    curves.append(Curve(say("cause.keep", gate=gate), keep, "alone", BEHIND, say("cause.keep.note", gate=gate)))
    return Chart(curves, say("cause.chart.gates", gate=gate), height=_HEIGHT)


def _note(front: CellFlow, block: str) -> str:
    """What a block is, in a sentence; a GRU has no long memory that could be held."""
    return say("cause.note.h_gru") if front.trace.c is None else say(f"cause.note.{block}")
