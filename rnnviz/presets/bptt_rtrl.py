"""The presets of the page on backpropagation through time: networks with something to learn.

They are there for every kind of cell; those with weights of their own are Elman networks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from rnnviz.presets.hidden_state import HIDDEN_STATE
from rnnviz.presets.preset import Array, Preset, hand_set
from rnnviz.settings import Value
from rnnviz.views.sentences.notices import fact_of


def _objective(cell: str, **values: Value) -> Preset:
    return Preset({"output_size": 1, **values}, fact_of, cell=cell)


_FIRST_STEP: Mapping[str, Value] = {"input_size": 1, "hidden_size": 5, "steps": 20, "loss_at": "last", "delay": 19}


_STEPS = 50
"""Of both presets on clipping."""


def _bit(steps: int) -> Array:
    """The target of a kept 0 at step 1, where the loss of the last step takes it from; no weight reads it."""
    x = np.zeros((steps, 1))
    x[0] = 0.1
    return x


_CLIFF: Mapping[str, Value] = {
    "input_size": 1, "hidden_size": 1, "steps": _STEPS, "activation": "sigmoid", "input": "preset", "h0": (0.2,),
    "loss_at": "last", "delay": _STEPS - 1, "max_norm": 0.1,
}  # fmt: skip
"""A unit that is to keep a bit, close to where its low fixed point disappears: `rnnviz.learning.cliff`."""

_VANISHED: Mapping[str, Value] = {
    "input_size": 1, "hidden_size": 8, "steps": _STEPS, "loss_at": "last", "delay": _STEPS - 1,
}  # fmt: skip


BPTT_RTRL: Mapping[str, Preset] = MappingProxyType(
    {
        "lesson": replace(HIDDEN_STATE["worked_example"], cell="elman"),
        "first_step": _objective("elman", **_FIRST_STEP),
        "first_step_lstm": _objective("lstm", bias_f=3.0, **_FIRST_STEP),
        "clip_saves": replace(
            _objective("elman", **_CLIFF),
            weights=hand_set(W_ih=[[0]], W_hh=[[5]], b_ih=[0], b_hh=[-2.33], W_ho=[[1]], b_o=[0]),
            x=_bit,
        ),
        "clip_cannot": _objective("elman", **_VANISHED),
    }
)
"""In the order of the buttons; the first is the page's default."""
