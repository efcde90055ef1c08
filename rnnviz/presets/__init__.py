"""Named settings with the fact that each shows, and the network that settings stand for."""

from rnnviz.presets.choices import choose, follow, follow_text, settle, weights_are_hand_set
from rnnviz.presets.drawing import draw, read_strokes
from rnnviz.presets.hidden_state import HIDDEN_STATE, Preset
from rnnviz.presets.network import Network, base_arrays, build, parameter_counts, text_of, values_of
from rnnviz.presets.trained import TRAINED, trained
from rnnviz.presets.walk import Layer, Output, Walk, walk, walk_to_the_end

__all__ = [
    "HIDDEN_STATE",
    "TRAINED",
    "Layer",
    "Network",
    "Output",
    "Preset",
    "Walk",
    "base_arrays",
    "build",
    "choose",
    "draw",
    "follow",
    "follow_text",
    "parameter_counts",
    "read_strokes",
    "settle",
    "text_of",
    "trained",
    "values_of",
    "walk",
    "walk_to_the_end",
    "weights_are_hand_set",
]
