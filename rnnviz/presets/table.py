"""The presets of each kind of cell, and which of them each page has buttons for."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rnnviz.maths import InputError
from rnnviz.presets.bptt_rtrl import BPTT_RTRL
from rnnviz.presets.gates import GRU_GATES, LSTM_GATES
from rnnviz.presets.gradient_flow import GRADIENT_FLOW, SPECTRA
from rnnviz.presets.hidden_state import HIDDEN_STATE
from rnnviz.presets.preset import Preset
from rnnviz.presets.stored import of_stored
from rnnviz.settings import KINDS, BaseSettings, Settings
from rnnviz.views.sentences.notices import fact_of
from rnnviz.weights import STORE

PRESETS: Mapping[str, Mapping[str, Preset]] = MappingProxyType(
    {"elman": HIDDEN_STATE, "lstm": LSTM_GATES, "gru": GRU_GATES}
)
"""The presets of the page of each cell, in the order of their buttons; the first is its page's default."""

_OF_A_STEP: Mapping[str, Preset] = MappingProxyType({"random": Preset({"input_size": 2, "hidden_size": 4}, fact_of)})
"""Of a cell of one's own, which no preset is made for."""


def presets_of(kind: str) -> Mapping[str, Preset]:
    """The presets of the page of a kind of cell."""
    return PRESETS.get(kind, _OF_A_STEP)


ALL_PRESETS: Mapping[str, Mapping[str, Preset]] = MappingProxyType(
    {
        kind: MappingProxyType(
            {**presets_of(kind), **GRADIENT_FLOW}
            | {name: one for name, one in {**SPECTRA, **BPTT_RTRL}.items() if one.cell == kind or not one.weights}
        )
        for kind in KINDS
    }
)
"""All that a network of a kind can stand on, by kind and name."""


GALLERIES: Mapping[str, Mapping[str, Preset]] = MappingProxyType({"bptt_rtrl": BPTT_RTRL})
"""Sets of presets that are of no one cell's page, by name."""


def preset_of(settings: Settings | BaseSettings) -> Preset:
    """The preset that settings stand on; of stored weights one that is made of them.

    Raises
    ------
    InputError
        If the stored weights are not at hand any longer.
    """
    if not settings.weights:
        return ALL_PRESETS[settings.kind][settings.preset]
    stored = STORE.get(settings.weights)
    if stored is None:
        raise InputError(
            "weights.gone",
            "The weights {name} are no longer on this server. Open the file that they were saved in.",
            name=settings.weights,
        )
    return of_stored(stored, presets_of(settings.kind)["random"])


def cell_of(preset: str) -> str:
    """The kind of cell that a preset puts in front where several are shown; empty where it leaves that as it is."""
    return next((presets[preset].cell for presets in ALL_PRESETS.values() if preset in presets), "")


def default_preset(kind: str, *beside: str, gallery: str = "") -> str:
    """The preset that an address without one means: the first of the page's that the kind in front has."""
    return next(name for name in buttons(kind, *beside, gallery=gallery) if name in ALL_PRESETS[kind])


def buttons(kind: str, *beside: str, gallery: str = "") -> tuple[str, ...]:
    """The presets that a page has buttons for, in their order."""
    return tuple(GALLERIES[gallery] if gallery else GRADIENT_FLOW if beside else presets_of(kind))
