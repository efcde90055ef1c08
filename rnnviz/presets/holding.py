"""Gates held at a value, as the controls of a page set them: for the layer that is shown, one value for each gate."""

from __future__ import annotations

from dataclasses import replace

from rnnviz.maths import Clamp, InputError
from rnnviz.presets.choices import settle
from rnnviz.presets.network import values_of, whole_of
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
        If the value is outside 0..1, or the sequence has no such step.
    """
    others = tuple(one for one in settings.clamps if (one[0], one[1].gate) != (settings.layer, gate))
    new = () if value is None else ((settings.layer, Clamp(gate, value, unit, from_step)),)
    steps = whole_of(values_of(settings)["steps"])
    if from_step > steps:
        raise InputError(
            f"The sequence has {steps} steps, so no gate can be held from step {from_step}. Choose 1 to {steps}."
        )
    return settle(replace(settings, clamps=(*others, *new)))[0]


def held_twice(settings: Settings) -> tuple[str, ...]:
    """The gates of the layer shown that an address holds in several places; the controls show the last of them."""
    gates = [clamp.gate for layer, clamp in settings.clamps if layer == settings.layer]
    return tuple(dict.fromkeys(gate for gate in gates if gates.count(gate) > 1))


def hold_where(settings: Settings, unit: int | None, from_step: int) -> Settings:
    """The settings with the held gates of the layer shown held for this unit (None: all), from this step on.

    A gate that is held in several places stays as it is.

    Raises
    ------
    InputError
        If the sequence has no such step.
    """
    several = held_twice(settings)
    for layer, clamp in settings.clamps:
        if layer == settings.layer and clamp.gate not in several:
            settings = hold(settings, clamp.gate, clamp.value, unit, from_step)
    return settings
