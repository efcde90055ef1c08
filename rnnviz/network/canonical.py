"""From what was chosen to its one canonical form: presets, choices and edits brought together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rnnviz.maths import Clamp, InputError
from rnnviz.maths.cells.protocol import WEIGHTS
from rnnviz.maths.cells.registry import cell_class
from rnnviz.network.network import READOUTS, STARTS, Array, base_arrays, hidden_sizes, start_lengths
from rnnviz.network.parts import FIRST_TEXT, parts_of, values_of
from rnnviz.presets.preset import Preset
from rnnviz.presets.table import ALL_PRESETS, cell_of, preset_of
from rnnviz.settings import (
    KINDS,
    NOT_HERE,
    SETTINGS,
    Entry,
    Problem,
    Rows,
    Settings,
    Value,
    array_of,
    choices_of,
    numbered,
    one_of_words,
    settings_of,
    write_clamps,
)
from rnnviz.weights import STORE
from rnnviz.wording import Message


def choose(settings: Settings, name: str, value: Value | None) -> Settings:
    """The settings after a control was moved; edits that no longer fit the arrays are dropped.

    New weights (another preset, size, seed, initialisation or gain) drop the edits of the old ones, a new sequence
    those of the old one, and another form of stack those of the readouts. A bias that was raised, or drawn for another
    number of steps, drops the edits of the entries that it moved.

    Raises
    ------
    InputError
        If an ``h0`` has another length than the hidden state.
    """
    if name == "preset":  # another network, shown as the last one was
        if settings.beside:
            settings = in_front(settings, cell_of(str(value)) or settings.kind)
        kept = {
            setting: dict(settings.chosen).get(setting) for setting in ("notation", "together", "block", "threshold")
        }
        fresh = Settings(str(value), kind=settings.kind, beside=settings.beside, gallery=settings.gallery)
        if value == STORED:
            fresh = replace(fresh, preset="random", weights=settings.weights)
        return fresh.choose(**kept)
    if name in STARTS and value is not None:
        _require_start(name, hidden_sizes(parts_of(settings).base), _vector(value))
    chosen = settings.choose(**{name: value})
    if name in _SIZES_OF_X or name in ("input", "sequences"):
        chosen = replace(chosen, x=None, others=())
    if name in _SIZES_OF_X and values_of(chosen)["input"] == "text":
        chosen = chosen.choose(input=None)
    gone: set[str] = set()
    if name in _DRAWN:
        gone |= {*WEIGHTS, *READOUTS}
    if name == "stack":
        gone |= {*READOUTS}
    if name in ("input", "seed", "input_size"):
        gone.add("x")
    if name in STARTS:
        gone.add(name)
    return _of_the_same_weights(canonicalise(_without(chosen, gone))[0], settings)


def in_front(settings: Settings, kind: str) -> Settings:
    """The same settings with another of the cells shown beside each other in front.

    The sequence stays. Weights, edits and clamped gates of one kind of cell mean nothing to another: where it has no
    preset of the name, its weights are drawn for the same sizes.
    """
    if kind == settings.kind:
        return settings
    beside = tuple(other for other in KINDS if other in settings.kinds and other != kind)
    edits = tuple((entry, value) for entry, value in settings.edits if array_of(entry.name) == "x")
    other = replace(settings, kind=kind, beside=beside, edits=edits, clamps=(), weights="", missing="", recipe="")
    if settings.preset in ALL_PRESETS[kind] and ALL_PRESETS[kind][settings.preset] is preset_of(settings):
        return canonicalise(other)[0]
    values = {name: _in_range(name, value) for name, value in values_of(settings).items() if name not in STARTS}
    if values["input"] == "preset" and settings.x is None:  # sequences that this kind's presets lack
        base = parts_of(settings).base
        arrays, count = base_arrays(base), base.sequences
        x, *others = (tuple(map(tuple, arrays[numbered("x", number)].tolist())) for number in range(1, count + 1))
        other = replace(other, x=x, others=tuple(others))
    chosen = tuple(sorted((name, value) for name, value in values.items() if value != SETTINGS[name].default))
    return canonicalise(replace(other, preset="random", chosen=chosen))[0]


def _in_range(name: str, value: Value) -> Value:
    """The value that a control can have next to it: stored weights may be larger than any that are drawn."""
    most = SETTINGS[name].high
    return int(most) if isinstance(value, int) and value > most else value


def of_cell(settings: Settings, kind: str) -> Settings:
    """The settings of one of the cells shown beside each other, by itself."""
    return canonicalise(replace(in_front(settings, kind), beside=()))[0]


def follow(settings: Settings, x: Rows, others: tuple[Rows, ...] = ()) -> Settings:
    """The settings with the reader's own sequence, which sets D and T; edits of the old one are dropped."""
    return _after_content(settings, replace(settings, x=x, others=others))


def follow_text(settings: Settings, text: str) -> Settings:
    """The settings with the reader's own text, which sets D and T; edits of the old sequence are dropped."""
    return _after_content(settings, replace(settings, x=None, others=(), text=text).choose(input="text"))


def _after_content(settings: Settings, new: Settings) -> Settings:
    followed = canonicalise(_without(new, {"x"}))[0]
    if values_of(followed)["input_size"] != values_of(settings)["input_size"]:  # so the weights are others
        followed = _without(followed, {*WEIGHTS, *READOUTS})
    return _of_the_same_weights(followed, settings)


def _of_the_same_weights(settings: Settings, before: Settings) -> Settings:
    """The settings without edits of weights and biases that are other ones now."""
    old, new = base_arrays(parts_of(before).base), base_arrays(parts_of(settings).base)

    def stays(entry: Entry) -> bool:
        name, place = entry
        if array_of(name) not in WEIGHTS:
            return True
        return name in old and old[name].shape == new[name].shape and bool(old[name][place] == new[name][place])

    return replace(settings, edits=tuple((entry, value) for entry, value in settings.edits if stays(entry)))


def canonicalise(settings: Settings) -> tuple[Settings, tuple[Problem, ...]]:
    """Bring settings into their one canonical form.

    Hand-set weights exist at one size only, so asking for another size, seed, initialisation or gain is asking for
    random weights. Choices equal to the base are no choices; step, layer and sequence stay within what there is.

    Returns
    -------
    Settings
    tuple of Problem
        Entries that lie outside the arrays, an ``h0`` of the wrong length, a text that is not asked for, what the kind
        of cell lacks; they are left out.
    """
    settings, absent = _with_weights_at_hand(settings)
    settings, problems = _of_its_kind(settings)
    problems = [*absent, *problems]
    preset = preset_of(settings)
    if preset.any_input and values_of(settings)["input_size"] != _own(preset, "input_size"):
        settings = _without_preset_input(settings)
    drawing = [name for name in _DRAWN if not (preset.any_input and name == "input_size")]
    drawn = "init" in dict(settings.chosen) or any(values_of(settings)[name] != _own(preset, name) for name in drawing)
    if preset.weights and drawn:
        kept = {
            name: _in_range(name, value) for name, value in values_of(settings).items()
            if not (preset.x and value == "preset")
        }  # fmt: skip
        if settings.x is not None or kept.get("input") == "text":
            kept = {name: value for name, value in kept.items() if name not in _SIZES_OF_X}
        for name in STARTS:
            sizes = (_whole(kept["hidden_size"]),) * _whole(kept["layers"])
            if name in kept and len(_vector(kept[name])) not in start_lengths(sizes):
                kept.pop(name)
        settings = replace(settings, preset="random", weights="", chosen=tuple(sorted(kept.items())))
    if ("input", "preset") in settings.chosen and preset_of(settings).x is None:
        needed = Message("error.preset.no_sequence", "This preset has no sequence of its own. Choose another input.")
        problems.append(Problem("input", "preset", needed))
    settings = _without_defaults(settings)
    values = values_of(settings)
    if settings.text and (settings.x is not None or values["input"] != "text"):
        needed = Message(
            "error.text.input",
            "A text is used only with input=text and without another sequence. Change these, or leave out the text.",
        )
        problems.append(Problem("text", settings.text, needed))
    if settings.text == FIRST_TEXT or (problems and problems[-1].name == "text"):
        settings = replace(settings, text="")
    for name in STARTS:
        try:
            _require_start(name, hidden_sizes(parts_of(settings).base), _vector(values.get(name, ())))
        except InputError as error:
            problems.append(Problem(name, SETTINGS[name].write(values[name]), error.message))
            settings = settings.choose(**{name: None})
    settings, beyond = _possible_clamps(settings)
    problems += beyond
    settings, outside = _within(settings, base_arrays(parts_of(settings).base))
    base = parts_of(settings).base
    shown = {name: min(getattr(settings, name), getattr(base, size)) for name, size in _SHOWN.items()}
    recipe = settings.recipe if settings.weights or settings.missing else ""
    return replace(settings, recipe=recipe, **shown), (*problems, *outside)


def _with_weights_at_hand(settings: Settings) -> tuple[Settings, list[Problem]]:
    """The settings without stored weights that are of another kind of cell, or missing: these keep their name."""
    if not settings.weights:
        return settings, []
    stored = STORE.get(settings.weights)
    if stored is None:
        return replace(settings, preset="random", weights="", missing=settings.weights), []
    if stored.kind != settings.kind:
        whose = stored.cells[0].in_words()
        needed = Message(
            "error.weights.other_cell", "These are the weights of {cell}. Open the page of that cell.", cell=whose
        )
        return replace(settings, weights=""), [Problem("weights", settings.weights, needed)]
    return replace(settings, preset="random", missing=""), []


def _without_preset_input(settings: Settings) -> Settings:
    """The settings with noise where the preset's own sequence has another size than is asked for."""
    asked = settings.x is None and values_of(settings)["input"] == "preset"
    return settings.choose(input="noise") if asked else settings


def _of_its_kind(settings: Settings) -> tuple[Settings, list[Problem]]:
    """The settings without choices that their kind of cell lacks, the preset's own words too; those are named."""
    problems: list[Problem] = []
    for name, value in settings.chosen:
        if name not in settings_of(*settings.kinds):
            problems.append(Problem(name, SETTINGS[name].write(value), NOT_HERE))
        elif not _has_word(settings, name, value):
            problems.append(_missing_word(settings, name, value))
        else:
            continue
        settings = settings.choose(**{name: None})
    for name, value in values_of(settings).items():
        if name in settings_of(*settings.kinds) and not _has_word(settings, name, value):
            asked = _missing_word(settings, name, value)
            needed = Message(
                "error.preset.word", "The preset {preset} asks for this. {needed}",
                preset=settings.preset, needed=asked.needed,
            )  # fmt: skip
            problems.append(replace(asked, needed=needed))
            settings = settings.choose(**{name: SETTINGS[name].default})
    return settings, problems


def _has_word(settings: Settings, name: str, value: Value) -> bool:
    """Whether a setting's menu has the value, where it has a menu: no control is ever given another one."""
    return not SETTINGS[name].choices or value in choices_of(name, *settings.kinds)


def _missing_word(settings: Settings, name: str, value: Value) -> Problem:
    return Problem(name, SETTINGS[name].write(value), one_of_words(choices_of(name, *settings.kinds)).message)


def _within(settings: Settings, base: Mapping[str, Array]) -> tuple[Settings, tuple[Problem, ...]]:
    """The settings without edits that lie outside the arrays, which are named, or that change nothing."""
    problems: list[Problem] = []
    kept: list[tuple[Entry, float]] = []
    for entry, value in settings.edits:
        shape = base[entry.name].shape if entry.name in base else ()
        if len(shape) != len(entry.place) or any(place >= end for place, end in zip(entry.place, shape, strict=True)):
            problems.append(Problem(entry.address, f"{value:g}", _size_of(entry.name, shape)))
        elif value != base[entry.name][entry.place]:
            kept.append((entry, value))
    return replace(settings, edits=tuple(kept)), tuple(problems)


def _size_of(name: str, shape: tuple[int, ...]) -> Message:
    if not shape:
        return Message("error.entry.none", "This network has no {name}.", name=name)
    limits = " × ".join(str(end) for end in shape)
    return Message("error.entry.size", "{name} has size {size} here; indices count from 1.", name=name, size=limits)


def weights_are_hand_set(settings: Settings) -> bool:
    """Whether the preset brings its own weights, so that seed, initialisation and gain do not act."""
    return bool(preset_of(settings).weights)


STORED = "stored"
"""In menus: the stored weights that settings stand on."""

_DRAWN = ("input_size", "hidden_size", "seed", "init", "gain")
_SIZES_OF_X = ("steps", "input_size")  # what a sequence or a text of the reader's own sets
_SHOWN = {"t": "steps", "layer": "layers", "sequence": "sequences"}


def _possible_clamps(settings: Settings) -> tuple[Settings, list[Problem]]:
    """The settings without clamped gates that the network lacks, which are named."""
    problems: list[Problem] = []
    kept = []
    for layer, clamp in settings.clamps:
        lacks = lacks_of_clamp(settings, layer, clamp)
        if lacks:
            problems.append(
                Problem("clamp", write_clamps([(layer, clamp)]), _why_no_clamp(settings, layer, clamp, lacks))
            )
        else:
            kept.append((layer, clamp))
    return replace(settings, clamps=tuple(kept)), problems


def lacks_of_clamp(settings: Settings, layer: int, clamp: Clamp) -> str:
    """What the network lacks of what is to be clamped: its "gate", "layer", "unit" or "step", or nothing."""
    base = parts_of(settings).base
    sizes = hidden_sizes(base)
    if clamp.gate not in cell_class(base.kind).clampable:
        return "gate"
    if layer > len(sizes):
        return "layer"
    if (clamp.unit or 0) >= sizes[layer - 1]:
        return "unit"
    return "step" if clamp.from_step > base.steps else ""


def _why_no_clamp(settings: Settings, layer: int, clamp: Clamp, lacks: str) -> Message:
    base = parts_of(settings).base
    sizes, gates = hidden_sizes(base), cell_class(base.kind).clampable
    if lacks == "gate" and not gates:
        return Message("error.clamp.elman", "This network has no gates to clamp.")
    if lacks == "gate":
        return Message("error.clamp.gates", "The gates that can be clamped are {gates}.", gates=", ".join(gates))
    if lacks == "layer":
        return Message(
            "error.clamp.layer", "There is no layer {layer}: the network has {layers} {layers:layer|layers}.",
            layer=layer, layers=len(sizes),
        )  # fmt: skip
    if lacks == "unit":
        return Message(
            "error.clamp.units", "There is no unit {unit}: layer {layer} has {units:,} {units:unit|units}.",
            unit=(clamp.unit or 0) + 1, layer=layer, units=sizes[layer - 1],
        )  # fmt: skip
    return Message(
        "error.clamp.steps", "There is no step {step}: the sequence has {steps:,} {steps:step|steps}.",
        step=clamp.from_step, steps=base.steps,
    )  # fmt: skip


def _require_start(name: str, sizes: Sequence[int], start: tuple[float, ...]) -> None:
    if len(start) not in start_lengths(sizes):
        label = name.replace("0", "₀")
        slots = {"name": label, "count": len(start), "size": sizes[0], "whole": sum(sizes), "layers": len(sizes)}
        if sum(sizes) == 1:
            raise InputError(
                "start.unit",
                "{name} has {count:,} numbers, but the network has 1 hidden unit. Type one number.",
                **slots,
            )
        if len(sizes) == 1:
            raise InputError(
                "start.units",
                "{name} has {count:,} {count:number|numbers}, but the network has {size:,} hidden units. Type one "
                "number for all units, or {size:,} numbers, one for each unit.",
                **slots,
            )
        if sizes[0] > 1 and len(set(sizes)) == 1:
            raise InputError(
                "start.layers",
                "{name} has {count:,} {count:number|numbers}, but each of the {layers} layers has {size} hidden units. "
                "Type one number for all units, {size} numbers that every layer takes, or {whole:,} numbers, one for "
                "each unit.",
                **slots,
            )
        raise InputError(
            "start.sizes",
            "{name} has {count:,} {count:number|numbers}, but the hidden sizes of the layers are {sizes}. Type one "
            "number for all units, or {whole:,} numbers, one for each unit.",
            sizes=", ".join(map(str, sizes)), **slots,
        )  # fmt: skip


def _own(preset: Preset, name: str) -> Value:
    return preset.values.get(name, SETTINGS[name].default)


def _without(settings: Settings, gone: set[str]) -> Settings:
    """The settings without the edits of these arrays, in whatever layer or sequence."""
    return replace(settings, edits=tuple((entry, v) for entry, v in settings.edits if array_of(entry.name) not in gone))


def _without_defaults(settings: Settings) -> Settings:
    preset = preset_of(settings)
    kept = {name: value for name, value in settings.chosen if value != _own(preset, name)}
    if settings.x is not None:
        kept = {name: value for name, value in kept.items() if name not in (*_SIZES_OF_X, "input", "sequences")}
    if kept.get("input") == "preset" and preset.x is None:
        kept.pop("input")
    if kept.get("input") == "text":
        kept = {name: value for name, value in kept.items() if name not in _SIZES_OF_X}
    return replace(settings, chosen=tuple(sorted(kept.items())))


def _whole(value: Value) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _vector(value: Value) -> tuple[float, ...]:
    return value if isinstance(value, tuple) else ()
