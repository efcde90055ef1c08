"""Named settings with the fact that each shows, and the network that settings stand for."""

from rnnviz.presets.choices import choose, follow, settle, weights_are_hand_set
from rnnviz.presets.hidden_state import HIDDEN_STATE, Preset
from rnnviz.presets.network import Network, Walk, base_arrays, build, read_out, values_of, walk

__all__ = [
    "HIDDEN_STATE",
    "Network",
    "Preset",
    "Walk",
    "base_arrays",
    "build",
    "choose",
    "follow",
    "read_out",
    "settle",
    "values_of",
    "walk",
    "weights_are_hand_set",
]
