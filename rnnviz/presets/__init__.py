"""Named settings with the fact that each shows."""

from rnnviz.presets.bptt_rtrl import BPTT_RTRL
from rnnviz.presets.gates import GRU_GATES, LSTM_GATES
from rnnviz.presets.gradient_flow import GRADIENT_FLOW, SPECTRA
from rnnviz.presets.hidden_state import HIDDEN_STATE
from rnnviz.presets.preset import Preset
from rnnviz.presets.table import ALL_PRESETS, PRESETS, buttons, cell_of, default_preset, preset_of
from rnnviz.presets.trained import TRAINED, trained

__all__ = [
    "ALL_PRESETS",
    "BPTT_RTRL",
    "GRADIENT_FLOW",
    "GRU_GATES",
    "HIDDEN_STATE",
    "LSTM_GATES",
    "PRESETS",
    "SPECTRA",
    "TRAINED",
    "Preset",
    "buttons",
    "cell_of",
    "default_preset",
    "preset_of",
    "trained",
]
