"""The presets of each kind of cell."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rnnviz.presets.gates import GRU_GATES, LSTM_GATES
from rnnviz.presets.hidden_state import HIDDEN_STATE
from rnnviz.presets.preset import Preset
from rnnviz.settings import Settings

PRESETS: Mapping[str, Mapping[str, Preset]] = MappingProxyType(
    {"elman": HIDDEN_STATE, "lstm": LSTM_GATES, "gru": GRU_GATES}
)
"""Presets by kind and name, in the order of their buttons; the first is its page's default."""


def preset_of(settings: Settings) -> Preset:
    """The preset that settings stand on."""
    return PRESETS[settings.kind][settings.preset]


def default_preset(kind: str) -> str:
    """The preset that an address without one means."""
    return next(iter(PRESETS[kind]))
