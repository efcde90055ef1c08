"""Clamped gates, as the controls of a page set them: in the layer that is shown, one value for each gate."""

from __future__ import annotations

from dataclasses import replace

from rnnviz.maths import Clamp, InputError
from rnnviz.network.canonical import canonicalise
from rnnviz.network.parts import parts_of
from rnnviz.settings import Settings


def clamp_of(settings: Settings, gate: str) -> Clamp | None:
    """The clamp of a gate of the layer shown; the last, where an address has several, for that one counts."""
    own = [clamp for layer, clamp in settings.clamps if (layer, clamp.gate) == (settings.layer, gate)]
    return own[-1] if own else None


def clamp_gate(
    settings: Settings, gate: str, value: float | None, unit: int | None = None, from_step: int = 1
) -> Settings:
    """The settings with a gate of the layer shown clamped to a value; None takes the clamp away.

    Raises
    ------
    InputError
        If the value is outside 0..1, or the sequence has no such step.
    """
    others = tuple(one for one in settings.clamps if (one[0], one[1].gate) != (settings.layer, gate))
    new = () if value is None else ((settings.layer, Clamp(gate, value, unit, from_step)),)
    steps = parts_of(settings).base.steps
    if from_step > steps:
        raise InputError(
            "clamp.step",
            "A gate cannot be clamped from step {from_step}: the sequence has {steps:,} {steps:step|steps}. Choose a "
            "step from 1 to {steps}.",
            from_step=from_step, steps=steps,
        )  # fmt: skip
    return canonicalise(replace(settings, clamps=(*others, *new)))[0]


def clamped_twice(settings: Settings) -> tuple[str, ...]:
    """The gates of the layer shown that an address clamps in several places; the controls show the last of them."""
    gates = [clamp.gate for layer, clamp in settings.clamps if layer == settings.layer]
    return tuple(dict.fromkeys(gate for gate in gates if gates.count(gate) > 1))


def clamp_where(settings: Settings, unit: int | None, from_step: int) -> Settings:
    """The settings with the clamps of the layer shown moved to this unit (None: all) and this first step.

    A gate that is clamped in several places stays as it is.

    Raises
    ------
    InputError
        If the sequence has no such step.
    """
    several = clamped_twice(settings)
    for layer, clamp in settings.clamps:
        if layer == settings.layer and clamp.gate not in several:
            settings = clamp_gate(settings, clamp.gate, clamp.value, unit, from_step)
    return settings
