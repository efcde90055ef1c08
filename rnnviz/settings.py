"""One table of every setting, and the address that carries the chosen ones.

A `Settings` value says what a person has chosen: a preset, the settings that differ from it, a sequence of their
own, and hand-edited entries. It is a plain frozen value; `parse_address` and `format_address` are inverse to each
other, and `apply_edit` is the only way in which an edit of the explorer changes it.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from rnnviz.maths import InputError
from rnnviz.sequences import read_sequence, write_number, write_sequence

Value = int | float | str | tuple[float, ...]

ADDRESS_LIMIT = 8000
"""Characters that an address may have; browsers, chats and mail programs carry that much."""


@dataclass(frozen=True)
class Setting:
    """One row of the table: what a setting may be. Labels and help stand in `rnnviz.texts` under its name.

    Attributes
    ----------
    name : str
        Its name in the address.
    default : int, float, str or tuple of float
        The value without a preset; its type is the setting's type.
    low, high : float
        The smallest and largest value of a number.
    choices : tuple of str
        The values of a word.
    """

    name: str
    default: Value
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()

    def read(self, text: str) -> Value:
        """The value that a text in the address stands for.

        Raises
        ------
        InputError
            If the text is of the wrong type or the value out of range; the message says what is needed.
        """
        if self.choices:
            if text not in self.choices:
                raise InputError(f"needs one of {', '.join(self.choices)}")
            return text
        if isinstance(self.default, tuple):
            return _read_vector(text)
        whole = isinstance(self.default, int)
        value = _read_number(text)
        if value is None or not self.low <= value <= self.high or (whole and not value.is_integer()):
            kind = "a whole number" if whole else "a number"
            raise InputError(f"needs {kind} from {write_number(self.low)} to {write_number(self.high)}")
        return int(value) if whole else value

    def write(self, value: Value) -> str:
        """The text that `read` takes back to the same value."""
        if isinstance(value, tuple):
            return ",".join(write_number(number) for number in value)
        return value if isinstance(value, str) else write_number(value)


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        setting.name: setting
        for setting in (
            Setting("input_size", 2, 1, 8),
            Setting("hidden_size", 3, 1, 16),
            Setting("steps", 8, 1, 200),
            Setting("seed", 0, 0, 2**32 - 1),
            Setting("init", "torch", choices=("torch", "xavier", "orthogonal", "identity", "spectral", "zeros")),
            Setting("gain", 1.0, 0.0, 10.0),
            Setting("activation", "tanh", choices=("tanh", "sigmoid", "relu", "identity")),
            Setting("input", "noise", choices=("preset", "noise", "impulse", "sine", "silence")),
            Setting("h0", ()),
            Setting("output_size", 1, 0, 8),
            Setting("output_activation", "identity", choices=("identity", "softmax", "sigmoid", "tanh")),
        )
    }
)
"""Every setting that a page may show, by name, with the value it has when no preset says otherwise."""


class Entry(NamedTuple):
    """One editable number: the array's name and its zero-based place in it, as ``Entry("W_hh", (0, 0))``."""

    name: str
    place: tuple[int, ...]

    @property
    def address(self) -> str:
        """Its name in the address, counted from 1: ``W_hh.1.1``."""
        return ".".join([self.name, *(str(axis + 1) for axis in self.place)])


ENTRY_DIMENSIONS: Mapping[str, int] = MappingProxyType(
    {"W_ih": 2, "W_hh": 2, "b_ih": 1, "b_hh": 1, "W_ho": 2, "b_o": 1, "h0": 1, "x": 2}
)
"""The arrays whose entries can be edited, with their number of axes."""


@dataclass(frozen=True)
class Settings:
    """What a person has chosen on a page; hashable, so that results are cached on it.

    Attributes
    ----------
    preset : str
        The named base that all else stands on.
    chosen : tuple of (str, value)
        The settings that were chosen, sorted by name.
    x : tuple of rows, or None
        The reader's own sequence, ``(T, D)``.
    edits : tuple of (Entry, float)
        Hand-edited entries on top of the base, sorted.
    t : int
        The step shown, 1..T.
    """

    preset: str
    chosen: tuple[tuple[str, Value], ...] = ()
    x: tuple[tuple[float, ...], ...] | None = None
    edits: tuple[tuple[Entry, float], ...] = ()
    t: int = 1

    def choose(self, **values: Value | None) -> Settings:
        """The same with settings chosen; None takes a choice back."""
        merged: dict[str, Value | None] = {**dict(self.chosen), **values}
        return replace(self, chosen=tuple(sorted((k, v) for k, v in merged.items() if v is not None)))

    def edit(self, entries: Mapping[Entry, float | None]) -> Settings:
        """The same with entries set; None takes an entry back to the base."""
        merged: dict[Entry, float | None] = {**dict(self.edits), **entries}
        return replace(self, edits=tuple(sorted((k, v) for k, v in merged.items() if v is not None)))


@dataclass(frozen=True)
class Problem:
    """An entry of an address that could not be read: what it was, and what it needs."""

    name: str
    given: str
    needed: str


def parse_address(
    query: Mapping[str, str], presets: Iterable[str], default_preset: str
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

    Returns
    -------
    Settings
        Unreadable entries are left out, so their defaults hold.
    tuple of Problem
        One for each entry that was left out.
    """
    settings = Settings(default_preset)
    problems: list[Problem] = []
    names = tuple(presets)
    for name, text in query.items():
        try:
            settings = _read_entry(settings, name, text, names)
        except InputError as error:
            problems.append(Problem(name, text, str(error)))
    return settings, tuple(problems)


def format_address(settings: Settings, default_preset: str) -> dict[str, str]:
    """The query that `parse_address` reads back to the same settings, bit for bit; defaults stay out."""
    query = {} if settings.preset == default_preset else {"preset": settings.preset}
    query |= {name: SETTINGS[name].write(value) for name, value in settings.chosen}
    if settings.x is not None:
        query["x"] = write_sequence(np.array(settings.x))
    if settings.t != 1:
        query["t"] = str(settings.t)
    return query | {entry.address: write_number(value) for entry, value in settings.edits}


def address_length(query: Mapping[str, str]) -> int:
    """Characters of a query in the address bar, with the percent signs that quoting adds."""
    from urllib.parse import urlencode

    return len(urlencode(query))


@dataclass(frozen=True)
class Edit:
    """One edit of the explorer: entries set to numbers, or back to the base where the number is None.

    ``settled`` is False while a number is being dragged: the picture follows, the address waits.
    """

    sequence: int
    entries: Mapping[Entry, float | None] = field(default_factory=dict)
    settled: bool = True


def read_edit(message: object) -> Edit:
    """Check an edit as the browser sends it: ``{"seq": 3, "set": [["W_hh", [0, 0], 1.4]], "settled": true}``.

    Raises
    ------
    InputError
        If anything in it is of the wrong form; nothing that a browser sends is trusted.
    """
    if not isinstance(message, dict) or not isinstance(message.get("set"), list):
        raise InputError("An edit must be an object with a list named set.")
    number = message.get("seq")
    if not isinstance(number, int) or isinstance(number, bool):
        raise InputError(f"An edit's seq must be a whole number; got {number!r}.")
    entries: dict[Entry, float | None] = {}
    for item in message["set"]:
        if not isinstance(item, list) or len(item) != 3:
            raise InputError(f"An edited entry must be [name, index, value]; got {item!r}.")
        name, index, value = item
        if (
            not isinstance(name, str)
            or name not in ENTRY_DIMENSIONS
            or not isinstance(index, list)
            or len(index) != ENTRY_DIMENSIONS[name]
        ):
            raise InputError(f"{name!r} with index {index!r} is not an entry that can be edited.")
        if not all(isinstance(place, int) and not isinstance(place, bool) and place >= 0 for place in index):
            raise InputError(f"An index counts from 0 in whole numbers; got {index!r}.")
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise InputError(f"{Entry(name, tuple(index)).address} needs a number; got {value!r}.")
        if value is not None and not -sys.float_info.max <= value <= sys.float_info.max:  # a huge int is no float
            raise InputError(f"{Entry(name, tuple(index)).address} needs a finite number; got {value!r}.")
        entries[Entry(name, tuple(index))] = None if value is None else float(value)
    return Edit(number, entries, message.get("settled") is not False)


def apply_edit(settings: Settings, edit: Edit) -> Settings:
    """The settings after an edit: the reducer behind the explorer's in-place editing."""
    return settings.edit(edit.entries)


_ENTRY = re.compile(r"([A-Za-z]\w*)((?:\.\d{1,9})+)")


def _read_entry(settings: Settings, name: str, text: str, presets: tuple[str, ...]) -> Settings:
    if name == "preset":
        if text not in presets:
            raise InputError(f"needs one of {', '.join(presets)}")
        return replace(settings, preset=text)
    if name == "x":
        return replace(settings, x=checked_sequence(read_sequence(text).tolist()))
    if name == "t":
        value = _read_number(text)
        if value is None or not value.is_integer() or value < 1:
            raise InputError("needs a step, counted from 1")
        return replace(settings, t=int(value))
    if name in SETTINGS:
        return settings.choose(**{name: SETTINGS[name].read(text)})
    match = _ENTRY.fullmatch(name)
    if match and match[1] in ENTRY_DIMENSIONS:
        index = tuple(int(place) - 1 for place in match[2][1:].split("."))
        if len(index) != ENTRY_DIMENSIONS[match[1]] or min(index) < 0:
            raise InputError(f"needs {ENTRY_DIMENSIONS[match[1]]} places counted from 1, as in {_EXAMPLES[match[1]]}")
        value = _read_number(text)
        if value is None:
            raise InputError("needs a finite number")
        return settings.edit({Entry(match[1], index): value})
    raise InputError("is not a setting of this page")


_EXAMPLES = {name: Entry(name, (0,) * axes).address for name, axes in ENTRY_DIMENSIONS.items()}


def checked_sequence(rows: Iterable[Iterable[float]]) -> tuple[tuple[float, ...], ...]:
    """A sequence as settings hold it, within the sizes that the pages can show.

    Raises
    ------
    InputError
        If it has more steps or more components than `SETTINGS` allows.
    """
    x = tuple(tuple(float(value) for value in row) for row in rows)
    most_steps, most_inputs = SETTINGS["steps"].high, SETTINGS["input_size"].high
    if len(x) > most_steps:
        raise InputError(f"The sequence has {len(x)} steps; at most {most_steps} fit on the page. Take a part of it.")
    if len(x[0]) > most_inputs:
        raise InputError(
            f"The sequence has {len(x[0])} components a step; at most {most_inputs} fit. "
            "Leave columns out, or swap rows and columns if time runs along the columns."
        )
    return x


def _read_number(text: str) -> float | None:
    """A finite float, or None; underscores, 'nan' and 'infinity' are no numbers here, though Python takes them."""
    if not re.fullmatch(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def _read_vector(text: str) -> tuple[float, ...]:
    values = [_read_number(part) for part in re.split(r"[,;\s]+", text.strip()) if part]
    if not values or None in values:
        raise InputError("needs finite numbers with commas between them, as in 0.1,0.2,-0.1")
    return tuple(value for value in values if value is not None)
