"""Settings to a network and its run: what may follow from what, the arrays, the layers, every number."""

from rnnviz.network.canonical import STORED, choose, follow, follow_text, in_front, of_cell, settle, weights_are_hand_set
from rnnviz.network.clamping import clamp_gate, clamp_of, clamp_where, clamped_twice
from rnnviz.network.drawing import draw, read_strokes
from rnnviz.network.objective import Lesson, lesson_of
from rnnviz.network.network import Network, base_arrays, build, characters_of, hidden_sizes, of_network, parameter_counts, text_of, values_of
from rnnviz.network.run import Layer, Output, Walk, walk, walk_to_the_end

__all__ = [
    "Layer",
    "Lesson",
    "Network",
    "Output",
    "STORED",
    "Walk",
    "base_arrays",
    "build",
    "characters_of",
    "choose",
    "clamp_gate",
    "clamp_of",
    "clamp_where",
    "clamped_twice",
    "draw",
    "follow",
    "follow_text",
    "hidden_sizes",
    "in_front",
    "lesson_of",
    "of_cell",
    "of_network",
    "parameter_counts",
    "read_strokes",
    "settle",
    "text_of",
    "values_of",
    "walk",
    "walk_to_the_end",
    "weights_are_hand_set",
]
