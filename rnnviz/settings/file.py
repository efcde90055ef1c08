"""The settings as a JSON file, for what is too long for an address: written, and read with no trust in it.

::

    {
      "rnnviz": "settings",              what the file is
      "version": 1,
      "cell": "elman",                   its kind; left out, it is this one
      "preset": "random",
      "step": 3, "layer": 1, "sequence": 1,          what is shown, counted from 1
      "choices": {"hidden_size": 4, "gain": 0.5, "h0": [0.1, 0.2]},      by their names in the address
      "text": "hello",                   the reader's own text, or null
      "sequences": [[[0.5, -0.3], [1.0, 2.0]]],      the reader's own: sequences of steps of components, or null
      "clamps": "f:1;i.2:0@5",           clamped gates as in the address, or null
      "edits": {"W_hh.1.2": 1.4, "2.h0.1": 0.5},     by their names in the address, counted from 1
      "weights": "0123456789abcdef0123", "network": "UEsDB...",      stored weights: their hash, and themselves
      "arrays": {"W_ih": [[0.1, 0.2]], "2.W_hh": [[0.3]]}       what these make, in full precision, for other programs
    }

The arrays are not read back: the parts above make the same ones, bit for bit.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping
from typing import NoReturn

import numpy as np

from rnnviz.maths import Clamp, InputError
from rnnviz.sequences import Array, write_number
from rnnviz.settings.address import read_assignment, whole_array
from rnnviz.settings.chosen import Rows, Settings, checked_batch, checked_text
from rnnviz.settings.clamps import read_clamps, write_clamps
from rnnviz.settings.entries import Entry, as_json, cut_short, finite_number
from rnnviz.settings.table import KINDS, Setting, Value, choices_of, one_of_words, settings_of
from rnnviz.weights import HASH_LENGTH, StoredNetwork, from_bytes, is_name, to_bytes
from rnnviz.wording import Message

VERSION = 1

_MOST_BYTES = 100_000_000
_CURE = Message("error.file.cure", "Choose a file that was downloaded here, or correct this part of it.")


def to_json(settings: Settings, arrays: Mapping[str, Array] | None = None, network: StoredNetwork | None = None) -> str:
    """The settings as a file that `from_json` reads back to the same, bit for bit.

    Parameters
    ----------
    settings : Settings
    arrays : mapping of str to array, or None
        What the settings make, by the names in the address: weights, biases, initial states, sequences.
    network : StoredNetwork or None
        The stored weights that the settings stand on, which come along.

    Returns
    -------
    str

    Examples
    --------
    >>> from_json(to_json(Settings("echo", t=3)), {"elman": ["echo"]}) == Settings("echo", t=3)
    True
    """
    content: dict[str, object] = {
        "rnnviz": "settings",
        "version": VERSION,
        "cell": settings.kind,
        "preset": settings.preset,
        "step": settings.t,
        "layer": settings.layer,
        "sequence": settings.sequence,
        "choices": dict(settings.chosen),
        "text": settings.text or None,
        "sequences": settings.batch or None,
        "clamps": write_clamps(settings.clamps) or None,
        "edits": {entry.address: value for entry, value in settings.edits},
    }
    if network is not None:
        content |= {"weights": network.hash, "network": b64encode(to_bytes(network)).decode()}
    if arrays is not None:
        content["arrays"] = {name: array.tolist() for name, array in arrays.items()}
    lines = [f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}" for key, value in content.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def from_json(
    content: str | bytes, presets: Mapping[str, Iterable[str]], kinds: tuple[str, ...] = KINDS[:1]
) -> Settings:
    """Read the settings of a file.

    Parameters
    ----------
    content : str or bytes
        The file as it was uploaded.
    presets : mapping of str to iterable of str
        The names of the presets of each kind of cell.
    kinds : tuple of str
        The kinds of cell that the page takes.

    Returns
    -------
    Settings

    Raises
    ------
    InputError
        If anything in it is not as `to_json` writes it; the message names the place and what is needed there.
    """
    found = _object(_FILE, _load(content))
    if found.get("rnnviz") != "settings":
        raise InputError(
            "file.other", 'This is not a settings file: it has no "rnnviz": "settings". {cure}', cure=_CURE
        )
    if found.get("version") != VERSION:
        raise InputError(
            "file.version", "The file has version {given}; this page reads version {version}. {cure}",
            given=as_json(found.get("version")), version=VERSION, cure=_CURE,
        )  # fmt: skip
    unknown = sorted(set(found) - _KEYS)
    if unknown:
        raise InputError(
            "file.part", "A settings file has no “{name}”; its parts are {parts}. {cure}",
            name=cut_short(unknown[0]), parts=", ".join(sorted(_KEYS)), cure=_CURE,
        )  # fmt: skip
    kind = found.get("cell", KINDS[0])
    if not isinstance(kind, str) or kind not in kinds:
        raise InputError(
            "file.cell",
            'The file holds a network with "cell": {given}, and this page shows {shown}. Open the file on the page of '
            "its cell.",
            given=as_json(kind), shown=", ".join(f'"{one}"' for one in kinds),
        )  # fmt: skip
    names = tuple(presets[kind])
    if found.get("preset") not in names:
        raise _no_value("preset", found.get("preset"), one_of_words(names))
    batch = _sequences(found.get("sequences"))
    settings = Settings(
        str(found["preset"]),
        x=batch[0] if batch else None,
        others=batch[1:],
        text=_text(found.get("text")),
        t=_count("step", found),
        layer=_count("layer", found),
        sequence=_count("sequence", found),
        kind=kind,
        clamps=_clamps(found.get("clamps")),
        weights=_stored(found.get("weights")),
        beside=tuple(other for other in KINDS if other in kinds and other != kind),
    )
    chosen = _object(_part("choices"), found.get("choices", {}))
    choices = {name: _choice(name, value, settings.kinds) for name, value in chosen.items()}
    edits: dict[Entry, float | None] = {}
    for name, value in _object(_part("edits"), found.get("edits", {})).items():
        edits |= _edit(name, value)
    return settings.choose(**choices).edit(edits)


def network_in(content: str | bytes) -> StoredNetwork | None:
    """The stored weights that a settings file brings along; None where it has none.

    Raises
    ------
    InputError
        If they cannot be read.
    """
    given = _object(_FILE, _load(content)).get("network")
    if given is None:
        return None
    try:
        return from_bytes(b64decode(str(given), validate=True))
    except ValueError as error:  # an InputError too
        why = error.message if isinstance(error, InputError) else _CURE
        raise InputError("file.network", "“network” cannot be read. {why}", why=why) from None


def _stored(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str) or not is_name(value):
        raise InputError(
            "file.weights", "“weights” must be the {count} characters of a hash; got {got}. {cure}",
            count=HASH_LENGTH, got=as_json(value), cure=_CURE,
        )  # fmt: skip
    return value


_PLACES = {"preset", "step", "layer", "sequence"}
_KEYS = {"rnnviz", "version", "cell", *_PLACES, "choices", "text", "sequences", "clamps", "edits", "arrays"}
_KEYS |= {"weights", "network"}


def _load(content: str | bytes) -> object:
    if len(content) > _MOST_BYTES:
        raise InputError(
            "file.size", "The file is {size:.0f} MB; a settings file is at most {most} MB. {cure}",
            size=len(content) / 1e6, most=_MOST_BYTES // 10**6, cure=_CURE,
        )  # fmt: skip
    try:
        return json.loads(content, parse_constant=_no_constant)
    except InputError:
        raise
    except json.JSONDecodeError as error:
        raise InputError(
            "file.json.at", "The file is not valid JSON ({reason} at line {line}, column {column}). {cure}",
            reason=error.msg, line=error.lineno, column=error.colno, cure=_CURE,
        ) from None  # fmt: skip
    except (ValueError, RecursionError):  # no text, a number of thousands of digits, brackets without end
        raise InputError("file.json", "The file is not valid JSON. {cure}", cure=_CURE) from None


def _no_constant(word: str) -> NoReturn:
    raise InputError(
        "file.finite", "The file contains {word}; every number must be finite. {cure}", word=word, cure=_CURE
    )


_FILE = Message("error.file", "The file")


def _part(name: str) -> Message:
    return Message("error.file.named", "“{name}”", name=cut_short(name))


def _object(name: Message, value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise InputError(
            "file.object", "{name} must be an object in braces; got {got}. {cure}",
            name=name, got=as_json(value), cure=_CURE,
        )  # fmt: skip
    return value


def _count(name: str, found: dict[str, object]) -> int:
    value = found.get(name, 1)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InputError(
            "file.count", "“{name}” must be a whole number, counted from 1; got {got}. {cure}",
            name=name, got=as_json(value), cure=_CURE,
        )  # fmt: skip
    return value


def _text(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _no_string("text", value)
    return checked_text(value)


def _clamps(value: object) -> tuple[tuple[int, Clamp], ...]:
    if value is None:
        return ()
    if not isinstance(value, str):
        raise _no_string("clamps", value)
    try:
        return read_clamps(value)
    except InputError as error:
        raise _no_value("clamps", value, error) from None


def _no_string(name: str, value: object) -> InputError:
    return InputError(
        "file.string", "“{name}” must be a string or null; got {got}. {cure}",
        name=name, got=as_json(value), cure=_CURE,
    )  # fmt: skip


def _no_value(name: str, value: object, error: InputError) -> InputError:
    return error.within("file.value", "“{name}” is {got}. {problem} {cure}", name=name, got=as_json(value), cure=_CURE)


def _choice(name: str, value: object, kinds: tuple[str, ...]) -> Value:
    setting = settings_of(*kinds).get(name)
    if setting is None:
        raise InputError("file.setting", "This page has no setting “{name}”. {cure}", name=cut_short(name), cure=_CURE)
    text = value if isinstance(value, str) else _written(name, setting, value)
    try:
        if isinstance(value, str) and not setting.choices:
            raise InputError("file.no_number", "Use a number.")
        words = choices_of(name, *kinds)
        if words and text not in words:
            raise one_of_words(words)
        return setting.read(text)
    except InputError as error:
        raise _no_value(name, value, error) from None


def _written(name: str, setting: Setting, value: object) -> str:
    """A number or a list of numbers as it stands in an address, where the table's own checks read it."""
    if setting.choices:
        raise InputError(
            "file.word", "“{name}” must be a word; got {got}. {cure}", name=name, got=as_json(value), cure=_CURE
        )
    if isinstance(setting.default, tuple) and isinstance(value, list):
        entry = Message("error.file.each", "Every entry of “{name}”", name=name)
        return setting.write(tuple(_number(entry, number) for number in value))
    return setting.write(_number(_part(name), value))


def _number(name: Message, value: object) -> float:
    try:
        return finite_number(name, value)
    except InputError as error:
        raise error.within("file.number", "{problem} {cure}", cure=_CURE) from None


def _edit(name: str, value: object) -> dict[Entry, float | None]:
    shown = Message("error.file.edit", "The edit “{name}”", name=cut_short(name))
    number = _number(shown, value)
    try:
        if whole_array(name) is not None:
            raise InputError("file.entry", "Name one entry by its indices, counted from 1, for example W_hh.1.1.")
        return read_assignment(name, write_number(number))
    except InputError as error:
        raise error.within(
            "file.unreadable", "{edit} cannot be read. {problem} {cure}", edit=shown, cure=_CURE
        ) from None


def _sequences(value: object) -> tuple[Rows, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or not value:
        raise InputError(
            "file.sequences", "“sequences” must be a list of sequences or null; got {got}. {cure}",
            got=as_json(value), cure=_CURE,
        )  # fmt: skip
    return checked_batch([_sequence(number, rows) for number, rows in enumerate(value, start=1)], _CURE)


def _sequence(number: int, rows: object) -> Array:
    if not isinstance(rows, list) or not rows or not all(isinstance(row, list) and row for row in rows):
        raise InputError(
            "file.steps", "Sequence {number} must be a list of steps, each a list of numbers; got {got}. {cure}",
            number=number, got=as_json(rows), cure=_CURE,
        )  # fmt: skip
    for step, row in enumerate(rows, start=1):
        if len(row) != len(rows[0]):
            raise InputError(
                "file.ragged",
                "Sequence {number}: step {step} has {size} {size:component|components}, but step 1 has {first}. Every "
                "step must have the same number of components. {cure}",
                number=number, step=step, size=len(row), first=len(rows[0]), cure=_CURE,
            )  # fmt: skip
        for component, value in enumerate(row, start=1):
            place = Message(
                "error.file.component", "Sequence {number}, step {step}, component {component}",
                number=number, step=step, component=component,
            )  # fmt: skip
            _number(place, value)
    return np.array(rows, dtype=np.float64)
