"""From what was chosen to its one canonical form: presets, choices and edits brought together."""

from __future__ import annotations

from dataclasses import replace

from rnnviz.maths import InputError
from rnnviz.presets.hidden_state import HIDDEN_STATE, Preset
from rnnviz.presets.network import base_arrays, values_of, vector_of, whole_of
from rnnviz.settings import SETTINGS, Problem, Settings, Value


def choose(settings: Settings, name: str, value: Value | None) -> Settings:
    """The settings after a control was moved; edits that no longer fit the arrays are dropped.

    New weights (another preset, size, seed, initialisation or gain) drop the edits of the old ones, and a new sequence
    those of the old one.

    Raises
    ------
    InputError
        If an ``h0`` has another length than the hidden state.
    """
    if name == "preset":
        return Settings(str(value))
    if name == "h0" and value is not None:
        size = whole_of(values_of(settings)["hidden_size"])
        if len(vector_of(value)) not in (0, 1, size):
            raise InputError(
                f"h0 has {len(vector_of(value))} numbers and the network {size} hidden units. "
                f"Give {size} numbers, or a single one for all."
            )
    chosen = settings.choose(**{name: value})
    if name in ("steps", "input_size", "input"):
        chosen = replace(chosen, x=None)
    gone: set[str] = set()
    if name in _DRAWN:
        gone |= {"W_ih", "W_hh", "b_ih", "b_hh", "W_ho", "b_o"}
    if name in ("input", "seed", "input_size"):
        gone.add("x")
    if name == "h0":
        gone.add("h0")
    chosen = replace(chosen, edits=tuple((entry, v) for entry, v in chosen.edits if entry.name not in gone))
    return settle(chosen)[0]


def follow(settings: Settings, x: tuple[tuple[float, ...], ...]) -> Settings:
    """The settings with the reader's own sequence, which sets D and T; edits of the old one are dropped."""
    kept = tuple((entry, value) for entry, value in settings.edits if entry.name != "x")
    followed = settle(replace(settings, x=x, edits=kept))[0]
    if values_of(followed)["input_size"] != values_of(settings)["input_size"]:  # so the weights are others
        followed = replace(followed, edits=tuple((entry, v) for entry, v in followed.edits if entry.name == "h0"))
    return followed


def settle(settings: Settings) -> tuple[Settings, tuple[Problem, ...]]:
    """Bring settings into their one canonical form.

    Hand-set weights exist at one size only, so asking for another size, seed, initialisation or gain is asking for
    random weights. Choices equal to the base are no choices; the step stays within the sequence.

    Returns
    -------
    Settings
    tuple of Problem
        Entries that lie outside the arrays, and an ``h0`` of the wrong length; they are left out.
    """
    preset = HIDDEN_STATE[settings.preset]
    drawn = "init" in dict(settings.chosen) or any(values_of(settings)[name] != _own(preset, name) for name in _DRAWN)
    if preset.weights and drawn:
        kept = {name: value for name, value in values_of(settings).items() if not (preset.x and value == "preset")}
        if settings.x is not None:
            kept = {name: value for name, value in kept.items() if name not in ("steps", "input_size")}
        if len(vector_of(kept["h0"])) not in (0, 1, kept.get("hidden_size")):
            kept.pop("h0")
        settings = replace(settings, preset="random", chosen=tuple(sorted(kept.items())))
    problems: list[Problem] = []
    if ("input", "preset") in settings.chosen and HIDDEN_STATE[settings.preset].x is None:
        problems.append(Problem("input", "preset", "this preset has no sequence of its own"))
    settings = _without_defaults(settings)
    values = values_of(settings)
    size = whole_of(values["hidden_size"])
    h0 = vector_of(values["h0"])
    if len(h0) not in (0, 1, size):
        given = SETTINGS["h0"].write(h0)
        problems.append(Problem("h0", given, f"needs {size} numbers, one for each unit, or a single one for all"))
        settings = settings.choose(h0=None)
    base = base_arrays(settings)
    for entry, value in settings.edits:
        shape = base[entry.name].shape if entry.name in base else ()
        if len(shape) != len(entry.place) or any(place >= end for place, end in zip(entry.place, shape, strict=True)):
            limits = " x ".join(str(end) for end in shape)
            needed = f"lies outside {entry.name}, which is {limits}" if shape else "is not part of this network"
            problems.append(Problem(entry.address, f"{value:g}", needed))
            settings = settings.edit({entry: None})
        elif value == base[entry.name][entry.place]:
            settings = settings.edit({entry: None})
    return replace(settings, t=min(settings.t, whole_of(values["steps"]))), tuple(problems)


def weights_are_hand_set(settings: Settings) -> bool:
    """Whether the preset brings its own weights, so that seed, initialisation and gain do not act."""
    return bool(HIDDEN_STATE[settings.preset].weights)


_DRAWN = ("input_size", "hidden_size", "seed", "init", "gain")


def _own(preset: Preset, name: str) -> Value:
    return preset.values.get(name, SETTINGS[name].default)


def _without_defaults(settings: Settings) -> Settings:
    preset = HIDDEN_STATE[settings.preset]
    kept = {name: value for name, value in settings.chosen if value != _own(preset, name)}
    if settings.x is not None:
        kept = {name: value for name, value in kept.items() if name not in ("steps", "input_size", "input")}
    if kept.get("input") == "preset" and preset.x is None:
        kept.pop("input")
    return replace(settings, chosen=tuple(sorted(kept.items())))
