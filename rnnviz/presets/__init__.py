"""Named settings with the fact that each shows, and the network that settings stand for."""

from rnnviz.presets.choices import STORED, choose, follow, follow_text, in_front, of_cell, settle, weights_are_hand_set
from rnnviz.presets.clamping import clamp_gate, clamp_of, clamp_where, clamped_twice
from rnnviz.presets.drawing import draw, read_strokes
from rnnviz.presets.gates import GRU_GATES, LSTM_GATES
from rnnviz.presets.gradient_flow import GRADIENT_FLOW, SPECTRA
from rnnviz.presets.hidden_state import HIDDEN_STATE
from rnnviz.presets.lesson import Lesson, lesson_of
from rnnviz.presets.lessons import LESSONS
from rnnviz.presets.network import (
    Network,
    base_arrays,
    build,
    characters_of,
    hidden_sizes,
    of_network,
    parameter_counts,
    text_of,
    values_of,
)
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
    "STORED",
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
    "characters_of",
    "choose",
    "clamp_gate",
    "clamp_of",
    "clamp_where",
    "clamped_twice",
    "default_preset",
    "draw",
    "follow",
    "follow_text",
    "hidden_sizes",
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
