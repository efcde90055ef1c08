"""The address that carries the chosen settings; reading and writing are inverse to each other, bit for bit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import groupby
from typing import Any

import numpy as np

from rnnviz.maths import InputError
from rnnviz.sequences import read_batch, write_batch, write_number
from rnnviz.settings.carried import in_parts
from rnnviz.settings.chosen import Settings, checked_batch, checked_text
from rnnviz.settings.clamps import read_clamps, write_clamps
from rnnviz.settings.entries import ENTRY_DIMENSIONS, Entry, array_of, read_name
from rnnviz.settings.table import KINDS, NOT_HERE, SETTINGS, choices_of, one_of_words, read_number, settings_of
from rnnviz.weights import HASH_LENGTH, is_name
from rnnviz.wording import Message

ADDRESS_LIMIT = 8000
"""Characters that an address may have; browsers, chats and mail programs carry that much."""

_MANY = 6  # edited entries of an array; below, each is named and so the easier to read


@dataclass(frozen=True)
class Problem:
    """An entry of an address that could not be read: what it was, and in a whole sentence what to use instead."""

    name: str
    given: str
    needed: Message


def parse_address(
    query: Mapping[str, str],
    presets: Iterable[str],
    default_preset: str,
    kind: str = "elman",
    beside: tuple[str, ...] = (),
) -> tuple[Settings, tuple[Problem, ...]]:
    """Read the settings that an address carries.

    Parameters
    ----------
    query : mapping of str to str
        The address's query, unquoted.
    presets : iterable of str
        The names of the page's presets.
    default_preset : str
        The one that an address without a preset means.
    kind : str
        The page's kind of cell: others have settings that it lacks.
    beside : tuple of str
        The kinds that it shows beside it.

    Returns
    -------
    Settings
        Unreadable entries are left out, so their defaults hold.
    tuple of Problem
        One for each entry that was left out.
    """
    settings = Settings(default_preset, kind=kind, beside=beside)
    problems: list[Problem] = []
    edits: dict[Entry, float | None] = {}
    names = tuple(presets)
    for name, text in query.items():
        try:
            if _is_setting(name, settings):
                settings = _read_setting(settings, name, text, names)
            elif meant := _meant_by(name, settings):
                raise InputError("setting.meant", "{not_here} Did you mean “{meant}”?", not_here=NOT_HERE, meant=meant)
            else:
                edits |= read_assignment(name, text)
        except InputError as error:
            problems.append(Problem(name, text, error.message))
    return settings.edit(edits), tuple(problems)


def without_hosting(query: Mapping[str, str]) -> dict[str, str]:
    """The query without what hosting and the counting of visitors add to it.

    Examples
    --------
    >>> without_hosting({"embed": "true", "utm_source": "mail", "steps": "9"})
    {'steps': '9'}
    """
    return {name: text for name, text in query.items() if not _OF_HOSTING.fullmatch(name)}


def format_address(settings: Settings, default_preset: str) -> dict[str, str]:
    """The query that `parse_address` reads back to the same settings, bit for bit; defaults stay out.

    Where many entries of an array are edited and it makes the address shorter, one parameter carries them all:
    ``W_hh=0.7,,0.3;;0.1``, rows by ``;``, an empty place where nothing is edited.
    """
    query = {} if settings.preset == default_preset else {"preset": settings.preset}
    query |= {name: SETTINGS[name].write(value) for name, value in settings.chosen}
    if settings.x is not None:
        query["x"] = write_batch([np.array(x) for x in settings.batch])
    if settings.text:
        query["text"] = settings.text
    if stored := settings.weights or settings.missing:
        query["weights"] = stored
        query |= {"recipe": settings.recipe} if settings.recipe else {}
    if settings.clamps:
        query["clamp"] = write_clamps(settings.clamps)
    query |= {name: str(getattr(settings, name)) for name in _SHOWN if getattr(settings, name) != 1}
    for name, edits in groupby(settings.edits, key=lambda edit: edit[0].name):
        query |= _write_array(name, list(edits))
    return query


def address_length(query: Mapping[str, str]) -> int:
    """Characters of a query in the address bar, with the percent signs that quoting adds."""
    from urllib.parse import urlencode

    return len(urlencode(query))


def read_assignment(name: str, text: str) -> dict[Entry, float | None]:
    """The edited entries of one assignment: ``W_hh.1.2=1.4``, or those of a whole array, ``W_hh=0.7,,0.3;;0.1``.

    Raises
    ------
    InputError
        If there is no such entry, or a number is none.
    """
    whole = whole_array(name)
    if whole is not None and name not in SETTINGS:  # c0 is a setting, though not of every kind of cell
        return _read_array(whole, text)
    match = _ENTRY.fullmatch(name)
    array = read_name(match[1]) if match else None
    if match is None or array is None:
        raise InputError.of(NOT_HERE)
    index = tuple(int(place) - 1 for place in match[2][1:].split("."))
    axes = ENTRY_DIMENSIONS[array_of(array)]
    if len(index) != axes or min(index) < 0:
        raise InputError(
            "entry.index",
            "An entry of {array} has {axes} {axes:index|indices}, counted from 1: write {example}.",
            array=array, axes=axes, example=Entry(array, (0,) * axes).address,
        )  # fmt: skip
    value = read_number(text)
    if value is None:
        raise InputError("entry.number", "Use a finite number.")
    return {Entry(array, index): value}


def whole_array(name: str) -> str | None:
    """The array whose edits a parameter of this name carries all together, or None.

    Examples
    --------
    >>> whole_array("2.W_hh"), whole_array("x.all"), whole_array("W_hh.1.1")
    ('2.W_hh', 'x', None)
    """
    return read_name(name.removesuffix(_ALL))


_ENTRY = re.compile(r"((?:\d{1,2}\.)?[A-Za-z]\w*)((?:\.\d{1,9})+)", re.ASCII)
_ALL = ".all"  # marks the edits of a whole array where its bare name is that of a setting
_SHOWN = {
    "t": Message("error.shown.step", "Use the number of a step, counted from 1."),
    "layer": Message("error.shown.layer", "Use the number of a layer, counted from 1."),
    "sequence": Message("error.shown.sequence", "Use the number of a sequence, counted from 1."),
}


_CONTENTS = ("preset", "x", "text", "weights", "recipe")
_SYMBOLS = {"T": "steps", "H": "hidden_size", "D": "input_size", "L": "layers"}  # as the controls call them
_OF_HOSTING = re.compile(r"embed|embed_options|utm_\w+|fbclid|gclid")


def _is_setting(name: str, settings: Settings) -> bool:
    if name == "clamp":
        return settings.kinds != KINDS[:1]  # beside others, it is the cell in front that has no gates
    return name in settings_of(*settings.kinds) or name in _SHOWN or name in _CONTENTS


def _meant_by(name: str, settings: Settings) -> str:
    """The setting that a name may have been meant for which no page knows; empty if none is near."""
    if name in SETTINGS or name == "clamp" or "." in name or whole_array(name):
        return ""
    known, given = [*settings_of(*settings.kinds), *_SHOWN, *_CONTENTS], name.lower()
    begins = [one for one in known if len(given) > 2 and one.startswith(given)]
    near = get_close_matches(given, known, n=1, cutoff=0.75) or (begins if len(begins) == 1 else [])
    return _SYMBOLS.get(name.upper()) or (near[0] if near else "")


def _read_setting(settings: Settings, name: str, text: str, presets: tuple[str, ...]) -> Settings:
    if name == "preset":
        if text not in presets:
            raise one_of_words(presets)
        return replace(settings, preset=text)
    if name == "x":
        x, *others = checked_batch(read_batch(text))
        return replace(settings, x=x, others=tuple(others))
    if name == "text":
        return replace(settings, text=checked_text(text))
    if name == "weights":
        if not is_name(text):
            raise InputError(
                "setting.hash", "Use the {count} characters (0 to 9, a to f) that name a stored network.",
                count=HASH_LENGTH,
            )  # fmt: skip
        return replace(settings, weights=text)
    if name == "recipe":
        in_parts(text)
        return replace(settings, recipe=text)
    if name == "clamp":
        return replace(settings, clamps=read_clamps(text))
    if name in _SHOWN:
        step = read_number(text)
        if step is None or not step.is_integer() or step < 1:
            raise InputError.of(_SHOWN[name])
        shown: dict[str, Any] = {name: int(step)}
        return replace(settings, **shown)
    value = SETTINGS[name].read(text)
    words = choices_of(name, *settings.kinds)
    if words and value not in words:
        raise one_of_words(words)
    return settings.choose(**{name: value})


def _write_array(name: str, edits: Sequence[tuple[Entry, float]]) -> dict[str, str]:
    """The edits of one array, each by its name or all in one parameter."""
    single = {entry.address: write_number(value) for entry, value in edits}
    if len(edits) < _MANY:
        return single
    rows: dict[int, dict[int, str]] = {}
    for entry, value in edits:
        row, column = (0, *entry.place)[-2:]
        rows.setdefault(row, {})[column] = write_number(value)
    places = max(rows) + sum(max(row) for row in rows.values())
    if places > address_length(single):  # mostly gaps: not even worth writing
        return single
    lines = [rows.get(number, {}) for number in range(max(rows) + 1)]
    text = ";".join(",".join(line.get(place, "") for place in range(max(line, default=-1) + 1)) for line in lines)
    whole = {name + _ALL if name in SETTINGS or name == "x" else name: text}
    return min(single, whole, key=address_length)


def _read_array(name: str, text: str) -> dict[Entry, float | None]:
    axes = ENTRY_DIMENSIONS[array_of(name)]
    entries: dict[Entry, float | None] = {}
    for row, line in enumerate(text.split(";")):
        for column, part in enumerate(line.split(",")):
            value = read_number(part)
            if value is not None and (row == 0 or axes == 2):
                entries[Entry(name, (row, column)[2 - axes :])] = value
            elif part.strip():
                if axes == 1:
                    raise InputError("array.row", "Use finite numbers separated by commas.")
                raise InputError(
                    "array.rows", "Use finite numbers separated by commas, and separate rows by semicolons."
                )
    if not entries:
        raise InputError("array.empty", "Use at least one number.")
    return entries
