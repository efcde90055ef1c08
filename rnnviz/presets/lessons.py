"""The presets of the page on backpropagation through time: networks with something to learn.

They are there for every kind of cell; those with weights of their own are Elman networks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from rnnviz.maths import Trace
from rnnviz.presets.hidden_state import HIDDEN_STATE
from rnnviz.presets.preset import Array, Preset
from rnnviz.settings import Value
from rnnviz.views import facts, gate_facts


def _fact(trace: Trace, y: Array | None) -> str:
    """What the pages of the cells say of such a network."""
    return facts.random(trace, y) if trace.cell.kind == "elman" else gate_facts.kept(trace, y)


def _lesson(cell: str, **values: Value) -> Preset:
    return Preset({"output_size": 1, **values}, _fact, cell=cell)


_FIRST_STEP: Mapping[str, Value] = {"input_size": 1, "hidden_size": 5, "steps": 20, "loss_at": "last", "delay": 19}


def _far_back(steps: int) -> dict[str, Value]:
    """The first input is to come out at the last step, through turns that scale every length alike."""
    sizes: dict[str, Value] = {"input_size": 1, "hidden_size": 8, "steps": steps, "init": "orthogonal"}
    return sizes | {"loss_at": "last", "delay": steps - 1}


LESSONS: Mapping[str, Preset] = MappingProxyType(
    {
        "lesson": replace(HIDDEN_STATE["worked_example"], cell="elman"),
        "first_step": _lesson("elman", **_FIRST_STEP),
        "first_step_lstm": _lesson("lstm", bias_f=3.0, **_FIRST_STEP),
        "clip_saves": _lesson("elman", activation="identity", gain=1.05, lr=0.003, seed=1, **_far_back(40)),
        "clip_cannot": _lesson("elman", gain=0.3, **_far_back(60)),
    }
)
"""In the order of the buttons; the first is the page's default."""
