"""The presets of the Hidden state page, each with the fact that it shows.

The fact is computed from the numbers on the screen, so it stays true after every edit.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from rnnviz.presets.preset import Array, Preset, hand_set
from rnnviz.sequences import noise
from rnnviz.settings import Value
from rnnviz.views.sentences import facts


def _worked_sequence(steps: int) -> Array:
    """The textbook gives one input; ours follow it."""
    x = noise(steps, 2, 14)
    x[0] = (0.5, -0.3)
    return x


def _pulses(steps: int) -> Array:
    return (noise(steps, 1, 5) > 0).astype(np.float64)


_TURN = 2 * np.pi / 12
_SELF_DRIVEN: dict[str, Value] = {"input_size": 1, "input": "silence"}

HIDDEN_STATE: Mapping[str, Preset] = MappingProxyType(
    {
        "worked_example": Preset(
            {"input": "preset", "h0": (0.1, 0.2, -0.1)},
            facts.worked_example,
            hand_set(
                W_ih=[[0.1, 0.2], [-0.3, 0.4], [0.5, 0.6]],
                W_hh=[[0.7, -0.2, 0.3], [0.4, 0.5, -0.6], [-0.1, 0.8, 0.9]],
                b_ih=[0.01, 0.02, 0.03],
                b_hh=[0.04, 0.05, 0.06],
                W_ho=[[0.6, -0.5, 0.8]],
                b_o=[0.1],
            ),
            _worked_sequence,
        ),
        "echo": Preset(
            {"input_size": 1, "steps": 12, "activation": "identity"},
            facts.echo,
            hand_set(
                W_ih=[[1], [0], [0]],
                W_hh=[[0, 0, 0], [1, 0, 0], [0, 1, 0]],
                b_ih=[0, 0, 0],
                b_hh=[0, 0, 0],
                W_ho=[[0, 1, 0]],
                b_o=[0],
            ),
        ),
        "counter": Preset(
            {"input_size": 1, "hidden_size": 2, "steps": 16, "activation": "relu", "input": "preset"},
            facts.counter,
            hand_set(
                W_ih=[[1], [1]],
                W_hh=[[1, 0], [1, 0]],
                b_ih=[0, -2],
                b_hh=[0, 0],
                W_ho=[[1, 0]],
                b_o=[0],
            ),
            _pulses,
        ),
        "oscillator": Preset(
            dict(_SELF_DRIVEN, hidden_size=2, steps=36, h0=(0.6, 0.0)),
            facts.oscillator,
            hand_set(
                W_ih=[[1], [0]],
                W_hh=1.2 * np.array([[np.cos(_TURN), -np.sin(_TURN)], [np.sin(_TURN), np.cos(_TURN)]]).round(4),
                b_ih=[0, 0],
                b_hh=[0, 0],
                W_ho=[[1, 0]],
                b_o=[0],
            ),
        ),
        "saturated": Preset(
            {"steps": 12},
            facts.saturated,
            hand_set(
                W_ih=[[4, -3], [-3, 5], [2, 4]],
                W_hh=[[5, -3, 2], [-4, 6, 3], [3, 2, -5]],
                b_ih=[1, -1, 0.5],
                b_hh=[0, 0, 0],
                W_ho=[[0.6, -0.5, 0.8]],
                b_o=[0.1],
            ),
        ),
        "chaotic": Preset(
            dict(_SELF_DRIVEN, hidden_size=5, steps=100, h0=(0.5,), init="spectral", gain=3.0, seed=56), facts.chaotic
        ),
        "random": Preset({}, facts.random),
    }
)
"""The presets of the Hidden state page, in the order of their buttons; the first is the page's default."""
