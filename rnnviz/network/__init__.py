"""Settings to a network and its run: what may follow from what, the arrays, the layers, every number."""

from rnnviz.network.canonical import (
    STORED,
    canonicalise,
    choose,
    follow,
    follow_text,
    in_front,
    lacks_of_clamp,
    of_cell,
    weights_are_hand_set,
)
from rnnviz.network.clamping import clamp_gate, clamp_of, clamp_where, clamped_twice
from rnnviz.network.drawing import draw, read_strokes
from rnnviz.network.network import (
    Network,
    base_arrays,
    build,
    characters_of,
    edited_arrays,
    hidden_sizes,
    parameter_counts,
    redrawn,
)
from rnnviz.network.objective import Objective, objective_of
from rnnviz.network.parts import Parts, kinds_drawn, network_of, parts_of, text_of, values_of
from rnnviz.network.run import Ends, Layer, NetworkRun, Output, SequenceRun, ends_of, run_network, run_to_the_end

__all__ = [
    "STORED",
    "Ends",
    "Layer",
    "Network",
    "NetworkRun",
    "Objective",
    "Output",
    "Parts",
    "SequenceRun",
    "base_arrays",
    "build",
    "canonicalise",
    "characters_of",
    "choose",
    "clamp_gate",
    "clamp_of",
    "clamp_where",
    "clamped_twice",
    "draw",
    "edited_arrays",
    "ends_of",
    "follow",
    "follow_text",
    "hidden_sizes",
    "in_front",
    "kinds_drawn",
    "lacks_of_clamp",
    "network_of",
    "objective_of",
    "of_cell",
    "parameter_counts",
    "parts_of",
    "read_strokes",
    "redrawn",
    "run_network",
    "run_to_the_end",
    "text_of",
    "values_of",
    "weights_are_hand_set",
]
