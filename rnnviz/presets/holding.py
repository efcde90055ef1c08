"""Gates held at a value, as the controls of a page set them: for the layer that is shown, one value for each gate."""

from __future__ import annotations

from dataclasses import replace

from rnnviz.maths import Clamp
from rnnviz.presets.choices import settle
from rnnviz.settings import Settings


def held(settings: Settings, gate: str) -> Clamp | None:
    """What holds a gate of the layer shown; the last, where an address has several, for that one counts."""
    own = [clamp for layer, clamp in settings.clamps if (layer, clamp.gate) == (settings.layer, gate)]
    return own[-1] if own else None


def hold(settings: Settings, gate: str, value: float | None, unit: int | None = None, from_step: int = 1) -> Settings:
    """The settings with a gate of the layer shown held at a value; None lets it go.

    Raises
    ------
    InputError
        If the value is outside 0..1.
    """
    others = tuple(one for one in settings.clamps if (one[0], one[1].gate) != (settings.layer, gate))
    new = () if value is None else ((settings.layer, Clamp(gate, value, unit, from_step)),)
    return settle(replace(settings, clamps=(*others, *new)))[0]


def hold_where(settings: Settings, unit: int | None, from_step: int) -> Settings:
    """The settings with all held gates of the layer shown held for this unit (None: all), from this step on."""
    own = {clamp.gate: clamp.value for layer, clamp in settings.clamps if layer == settings.layer}
    for gate, value in own.items():
        settings = hold(settings, gate, value, unit, from_step)
    return settings
