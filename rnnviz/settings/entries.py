"""Editable numbers: their names, and the edits that the explorer sends."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from rnnviz.maths import InputError
from rnnviz.wording import Message

if TYPE_CHECKING:
    from rnnviz.settings.chosen import Settings


class Entry(NamedTuple):
    """One editable number: the array's name and its zero-based place in it, as ``Entry("W_hh", (0, 0))``.

    The arrays of an upper layer, and the input of a further sequence, have its number before their name, counted
    from 1: ``Entry("2.W_hh", (0, 0))``. Layer 1 and sequence 1 have none.
    """

    name: str
    place: tuple[int, ...]

    @property
    def address(self) -> str:
        """Its name in the address, counted from 1: ``W_hh.1.1``."""
        return ".".join([self.name, *(str(axis + 1) for axis in self.place)])


ENTRY_DIMENSIONS: Mapping[str, int] = MappingProxyType(
    {"W_ih": 2, "W_hh": 2, "b_ih": 1, "b_hh": 1, "W_ho": 2, "b_o": 1, "W_out": 2, "b_out": 1, "h0": 1, "c0": 1, "x": 2}
)
"""The arrays whose entries can be edited, with their number of axes."""


def numbered(array: str, number: int) -> str:
    """The name of an array of a layer, or of a sequence's input.

    Examples
    --------
    >>> numbered("W_hh", 1), numbered("W_hh", 2)
    ('W_hh', '2.W_hh')
    """
    return array if number == 1 else f"{number}.{array}"


def array_of(name: str) -> str:
    """The array's own name, without the number of its layer or sequence.

    Examples
    --------
    >>> array_of("W_hh"), array_of("2.W_hh")
    ('W_hh', 'W_hh')
    """
    return name.rpartition(".")[2]


_NAME = re.compile(r"(?:([1-9]\d?)\.)?([A-Za-z]\w*)", re.ASCII)


def read_name(name: str) -> str | None:
    """The name of an editable array as settings hold it, ``1.W_hh`` as ``W_hh``; None where there is none.

    Examples
    --------
    >>> read_name("1.W_hh"), read_name("2.x"), read_name("W_xx")
    ('W_hh', '2.x', None)
    """
    match = _NAME.fullmatch(name)
    return numbered(match[2], int(match[1] or 1)) if match and match[2] in ENTRY_DIMENSIONS else None


@dataclass(frozen=True)
class Edit:
    """One edit of the explorer: entries set to numbers, or back to the base where the number is None.

    ``settled`` is False while a number is being dragged: the picture follows, the address waits. With ``undo`` the last
    change of the page is to be undone, whatever control made it; it stands in the same order as the edits.
    """

    sequence: int
    entries: Mapping[Entry, float | None] = field(default_factory=dict)
    settled: bool = True
    undo: bool = False


def read_edit(message: object) -> Edit:
    """Check an edit as the browser sends it: ``{"seq": 3, "set": [["W_hh", [0, 0], 1.4]], "settled": true}``.

    An undo is ``{"seq": 4, "set": [], "undo": true}``.

    Raises
    ------
    InputError
        If anything in it is of the wrong form; nothing that a browser sends is trusted.
    """
    if not isinstance(message, dict) or not isinstance(message.get("set"), list):
        raise InputError("edit.object", "An edit must be an object with a list named “set”.")
    number = message.get("seq")
    if not isinstance(number, int) or isinstance(number, bool):
        raise InputError("edit.number", "The “seq” of an edit must be a whole number; got {got}.", got=as_json(number))
    entries = dict(_read_item(item) for item in message["set"])
    return Edit(number, entries, message.get("settled") is not False, message.get("undo") is True)


def _read_item(item: object) -> tuple[Entry, float | None]:
    if not isinstance(item, list) or len(item) != 3:
        raise InputError("edit.item", "An edited entry must be [name, index, value]; got {got}.", got=as_json(item))
    given, index, value = item
    name = read_name(given) if isinstance(given, str) else None
    if name is None or not isinstance(index, list) or len(index) != ENTRY_DIMENSIONS[array_of(name)]:
        raise InputError(
            "edit.name",
            "{name} with index {index} cannot be edited. Choose a weight, bias, input or initial state.",
            name=as_json(given), index=as_json(index),
        )  # fmt: skip
    if not all(isinstance(place, int) and not isinstance(place, bool) and place >= 0 for place in index):
        raise InputError("edit.index", "An index must be whole numbers from 0 on; got {got}.", got=as_json(index))
    entry = Entry(name, tuple(index))
    return entry, None if value is None else finite_number(entry.address, value)


def finite_number(name: str | Message, value: object) -> float:
    """A number from outside as a float.

    Raises
    ------
    InputError
        If it is none, or not finite; the message begins with the name.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError("number", "{name} must be a number; got {got}.", name=name, got=as_json(value))
    if not -sys.float_info.max <= value <= sys.float_info.max:  # a huge int is no float
        raise InputError("number.finite", "{name} must be a finite number; got {got}.", name=name, got=as_json(value))
    return float(value)


def as_json(value: object) -> str:
    """A value from outside for a message: as it stood there, cut short."""
    return cut_short(json.dumps(value, ensure_ascii=False, default=repr))


def cut_short(text: str) -> str:
    """A text from outside for a message: at most 40 characters, half of one (a lone surrogate) by its code.

    Examples
    --------
    >>> cut_short("W_hh" * 20), cut_short("\\ud800")
    ('W_hhW_hhW_hhW_hhW_hhW_hhW_hhW_hhW_hhW_h…', '\\\\ud800')
    """
    text = text.encode("utf-8", "backslashreplace").decode()  # no page can show half a character
    return text if len(text) <= 40 else text[:39] + "…"


def apply_edit(settings: Settings, edit: Edit) -> Settings:
    """The settings after an edit: the reducer behind the explorer's in-place editing."""
    return settings.edit(edit.entries)
