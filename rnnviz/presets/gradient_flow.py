"""The presets of the Gradient flow page: cells of the same sizes over the same sequence, one of them in front.

They are there for every kind of cell, so that a network that is found here can be opened on the page of its cell;
those with weights of their own are Elman networks. What each shows is said by `rnnviz.views.sentences.gradient_flow`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from rnnviz.presets.hidden_state import HIDDEN_STATE
from rnnviz.presets.preset import Array, Preset, hand_set
from rnnviz.settings import Value
from rnnviz.views.sentences.notices import fact_of


def _preset(cell: str, **values: Value) -> Preset:
    return Preset({"input_size": 4, "hidden_size": 32, "steps": 100, **values}, fact_of, cell=cell)


def _hand_set(x: Callable[[int], Array], W_ih: object, W_hh: object, **values: Value) -> Preset:
    weights = hand_set(W_ih=W_ih, W_hh=W_hh)
    size, inputs = weights["W_ih"].shape
    weights |= {name: np.zeros(size) for name in ("b_ih", "b_hh")}
    sizes: dict[str, Value] = {"input_size": inputs, "hidden_size": size, "input": "preset", "output_size": 0}
    return Preset(sizes | values, fact_of, weights, x, cell="elman")


def _one_saturated_one_held(steps: int) -> Array:
    """What saturates unit 1 and holds unit 2 of the nilpotent network at 0, where its slope is 1."""
    x, h = np.full((steps, 2), 4.0), 0.0
    for t in range(steps):
        x[t, 1] = -_NILPOTENT[0][0] * h
        h = np.tanh(_NILPOTENT[0][0] * h + 4.0)
    return x


_NILPOTENT = [[1.5, -1.5], [1.5, -1.5]]


def _nothing(steps: int) -> Array:
    return np.zeros((steps, 1))


_TEXTBOOK = HIDDEN_STATE["worked_example"].weights["W_hh"]
_TURN = 2 * np.pi / 12

GRADIENT_FLOW: Mapping[str, Preset] = MappingProxyType(
    {
        "pytorch": _preset("elman"),
        "vanishes": _preset("elman", init="orthogonal", gain=0.6, input_scale=0.5),
        "saturates": _preset("elman", init="orthogonal", input_scale=4.0),
        "explodes": _preset("elman", init="spectral", gain=3.0, input_scale=0.1),
        "edge_of_chaos": _preset("elman", init="spectral", gain=1.25, input_scale=0.3),
        "identity_rnn": _preset("elman", init="identity", activation="relu", input_scale=0.05, h0=(1.0,)),
        "lstm_pytorch": _preset("lstm"),
        "forget_1": _preset("lstm", bias_f=1.0),
        "forget_5": _preset("lstm", bias_f=5.0),
        "chrono": _preset("lstm", init="chrono"),
    }
)
"""What initialisation does, in the order of the buttons; the first is the page's default."""

SPECTRA: Mapping[str, Preset] = MappingProxyType(
    {
        "textbook_matrix": _hand_set(_nothing, [[0.0]] * 3, _TEXTBOOK, activation="identity", steps=40),
        "transient": _hand_set(_nothing, [[0.0]] * 2, [[0.8, 4.0], [0.0, 0.8]], activation="identity", steps=40),
        "nilpotent": _hand_set(_one_saturated_one_held, np.eye(2), _NILPOTENT, steps=40),
        "rotation": _hand_set(
            _nothing,
            [[0.0]] * 2,
            [[np.cos(_TURN), -np.sin(_TURN)], [np.sin(_TURN), np.cos(_TURN)]],
            activation="identity",
            steps=40,
        ),
    }
)
"""Weights whose eigenvalues and singular values tell different stories, and a rotation where both are 1."""
