"""Named settings with the fact that each shows, and the network that settings stand for."""

from rnnviz.presets.choices import choose, follow, follow_text, in_front, of_cell, settle, weights_are_hand_set
from rnnviz.presets.drawing import draw, read_strokes
from rnnviz.presets.gates import GRU_GATES, LSTM_GATES
from rnnviz.presets.gradient_flow import GRADIENT_FLOW, SPECTRA
from rnnviz.presets.hidden_state import HIDDEN_STATE
from rnnviz.presets.holding import held, held_twice, hold, hold_where
from rnnviz.presets.lesson import Lesson, lesson_of
from rnnviz.presets.lessons import LESSONS
from rnnviz.presets.network import Network, base_arrays, build, of_network, parameter_counts, text_of, values_of
from rnnviz.presets.preset import Preset
from rnnviz.presets.table import ALL_PRESETS, PRESETS, buttons, cell_of, default_preset, preset_of
from rnnviz.presets.trained import TRAINED, trained
from rnnviz.presets.walk import Layer, Output, Walk, walk, walk_to_the_end

__all__ = [
    "ALL_PRESETS",
    "GRADIENT_FLOW",
    "GRU_GATES",
    "HIDDEN_STATE",
    "LESSONS",
    "LSTM_GATES",
    "PRESETS",
    "SPECTRA",
    "TRAINED",
    "Layer",
    "Lesson",
    "Network",
    "Output",
    "Preset",
    "Walk",
    "base_arrays",
    "build",
    "buttons",
    "cell_of",
    "choose",
    "default_preset",
    "draw",
    "follow",
    "follow_text",
    "held",
    "held_twice",
    "hold",
    "hold_where",
    "in_front",
    "lesson_of",
    "of_cell",
    "of_network",
    "parameter_counts",
    "preset_of",
    "read_strokes",
    "settle",
    "text_of",
    "trained",
    "values_of",
    "walk",
    "walk_to_the_end",
    "weights_are_hand_set",
]
