"""The presets of the LSTM and the GRU page, each with the fact that it shows.

A gate is opened and closed by large numbers: sigma(10) = 0.99995, and sigma(40) is 1 in float64.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from rnnviz.learning import bits, brackets
from rnnviz.presets.preset import Array, Preset, hand_set
from rnnviz.presets.trained import trained
from rnnviz.sequences import noise
from rnnviz.settings import Value
from rnnviz.views.sentences import gate_facts

MARKED = 3
"""The step of the marked value."""


def _marked(steps: int) -> Array:
    """A value and a mark at each step; one value is marked."""
    mark = np.zeros(steps)
    mark[min(MARKED, steps) - 1] = 1.0
    return np.column_stack([noise(steps, 1, 3)[:, 0], mark])


def _pulses(steps: int, seed: int = 0) -> Array:
    """Zeros and ones with even odds, from seeds of their own."""
    return bits(steps, seed + 100)


_OPEN, _WIDE = 10.0, 40.0  # in float64 the first leaks a little at each step, the second nothing
_LATCH: dict[str, Value] = {"hidden_size": 2, "steps": 100, "input": "preset"}
_COPY: dict[str, Value] = {"input_size": 1, "steps": 50}
_COUNT: dict[str, Value] = {"input_size": 1, "hidden_size": 2, "steps": 24, "input": "preset"}
_SHOW = {"W_ho": [[1, 0]], "b_o": [0]}  # unit 1 alone
_CARRY = 13.0  # times h = 0.76 it moves a gate by 10
_SHOW_OF_3 = {"W_ho": [[1, 0, 0]], "b_o": [0]}

LSTM_GATES: Mapping[str, Preset] = MappingProxyType(
    {
        "latch": Preset(
            _LATCH,
            gate_facts.latch,
            hand_set(
                W_ih=[[0, 2 * _OPEN], [0, 0], [0, -2 * _OPEN], [0, 0], [2, 0], [2, 0], [0, 0], [0, 0]],
                W_hh=np.zeros((8, 2)),
                b_ih=[-_OPEN, 2, _OPEN, 0, 0, 0, _OPEN, _OPEN],
                b_hh=np.zeros(8),
                **_SHOW,
            ),
            _marked,
            any_input=True,
        ),
        "copy_forever": Preset(
            dict(_COPY, c0=(0.9, -0.5, 0.2)),
            gate_facts.copy_forever,
            hand_set(
                W_ih=[[0]] * 6 + [[1], [-1], [2]] + [[0]] * 3,
                W_hh=np.zeros((12, 3)),
                b_ih=[-_WIDE] * 3 + [_WIDE] * 3 + [0] * 3 + [_OPEN] * 3,
                b_hh=np.zeros(12),
                **_SHOW_OF_3,
            ),
            any_input=True,
        ),
        "forget_at_once": Preset(
            {"steps": 12},
            gate_facts.forget_at_once,
            hand_set(
                W_ih=[[0, 0]] * 6 + [[1.5, -0.5], [-1, 1], [0.5, 2]] + [[0, 0]] * 3,
                W_hh=np.zeros((12, 3)),
                b_ih=[_OPEN] * 3 + [-_OPEN] * 3 + [0] * 3 + [_OPEN] * 3,
                b_hh=np.zeros(12),
                **_SHOW_OF_3,
            ),
            any_input=True,
        ),
        "binary_counter": Preset(
            dict(_COUNT, h0=(-0.7616, -0.7616), c0=(-1.0, -1.0)),  # h = tanh(c): a pulse may come at once
            gate_facts.binary_counter,
            hand_set(
                # A pulse closes f and opens i, so that g = tanh(-5 h) turns the sign over; unit 2 waits for the carry.
                W_ih=[[2 * _OPEN], [2 * _OPEN], [-2 * _OPEN], [-2 * _OPEN], [0], [0], [0], [0]],
                W_hh=[[0, 0], [_CARRY, 0], [0, 0], [-_CARRY, 0], [-5, 0], [0, -5], [0, 0], [0, 0]],
                b_ih=[-_OPEN, -2 * _OPEN, _OPEN, 2 * _OPEN, 0, 0, _OPEN, _OPEN],
                b_hh=np.zeros(8),
                W_ho=[[0.6565, 1.313]],  # h is tanh(1) = 0.7616 for a 1, and -0.7616 for a 0
                b_o=[1.5],
            ),
            _pulses,
            seeded=True,
            any_input=True,
        ),
        "bracket_depth": Preset(
            {"hidden_size": 4, "steps": 40, "input": "preset"},
            gate_facts.bracket_depth,
            trained("bracket_depth"),
            brackets,
            seeded=True,
            any_input=True,
        ),
        "random": Preset({}, gate_facts.kept),
    }
)
"""The presets of the LSTM page, in the order of their buttons; the first is the page's default."""

GRU_GATES: Mapping[str, Preset] = MappingProxyType(
    {
        "latch": Preset(
            _LATCH,
            gate_facts.latch,
            hand_set(
                W_ih=[[0, 0], [0, 0], [0, -2 * _OPEN], [0, 0], [2, 0], [2, 0]],
                W_hh=np.zeros((6, 2)),
                b_ih=[_OPEN, _OPEN, _OPEN, 0, 0, 0],
                b_hh=np.zeros(6),
                **_SHOW,
            ),
            _marked,
            any_input=True,
        ),
        "copy_forever": Preset(
            dict(_COPY, h0=(0.9, -0.5, 0.2)),
            gate_facts.copy_forever,
            hand_set(
                W_ih=[[0]] * 6 + [[1], [-1], [2]],
                W_hh=np.zeros((9, 3)),
                b_ih=[0] * 3 + [_WIDE] * 3 + [0] * 3,
                b_hh=np.zeros(9),
                **_SHOW_OF_3,
            ),
            any_input=True,
        ),
        "forget_at_once": Preset(
            {"steps": 12},
            gate_facts.forget_at_once,
            hand_set(
                W_ih=[[0, 0]] * 6 + [[1.5, -0.5], [-1, 1], [0.5, 2]],
                W_hh=np.zeros((9, 3)),
                b_ih=[-_OPEN] * 6 + [0] * 3,
                b_hh=np.zeros(9),
                **_SHOW_OF_3,
            ),
            any_input=True,
        ),
        "binary_counter": Preset(
            dict(_COUNT, h0=(-1.0, -1.0)),
            gate_facts.binary_counter,
            hand_set(
                # A pulse closes z, so that n = tanh(-5 h) turns the sign over; unit 2 waits for the carry.
                W_ih=[[0], [0], [-2 * _OPEN], [-2 * _OPEN], [0], [0]],
                W_hh=[[0, 0], [0, 0], [0, 0], [-_OPEN, 0], [-5, 0], [0, -5]],
                b_ih=[_OPEN, _OPEN, _OPEN, 2 * _OPEN, 0, 0],
                b_hh=np.zeros(6),
                W_ho=[[0.5, 1]],
                b_o=[1.5],
            ),
            _pulses,
            seeded=True,
            any_input=True,
        ),
        "parity": Preset(
            {"input_size": 1, "hidden_size": 4, "steps": 16, "input": "preset", "output_activation": "sigmoid"},
            gate_facts.parity_bit,
            trained("parity"),
            bits,
            seeded=True,
            any_input=True,
        ),
        "random": Preset({}, gate_facts.kept),
    }
)
"""The presets of the GRU page, in the order of their buttons; the first is the page's default."""
