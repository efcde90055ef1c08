"""Clamped gates in an address: ``f:1;i.2:0@5`` clamps f at 1 for all units, and i of unit 2 at 0 from step 5 on."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rnnviz.maths import Clamp, InputError
from rnnviz.sequences import write_number
from rnnviz.settings.table import read_number

_CLAMP = re.compile(r"(?:([1-9]\d?)\.)?([A-Za-z]\w*)(?:\.(\d{1,9}))?:([^@]+)(?:@(\d{1,9}))?", re.ASCII)


def read_clamps(text: str) -> tuple[tuple[int, Clamp], ...]:
    """The clamped gates that a text stands for, each with its layer: ``[layer.]gate[.unit]:value[@step]``.

    Raises
    ------
    InputError
        If one is of another form, or its value is outside 0..1.

    Examples
    --------
    >>> read_clamps("2.f.1:1@5")
    ((2, Clamp(gate='f', value=1.0, unit=0, from_step=5)),)
    """
    return tuple(_read_one(part.strip()) for part in text.split(";"))


def write_clamps(clamps: Iterable[tuple[int, Clamp]]) -> str:
    """The text that `read_clamps` takes back to the same."""
    return ";".join(_write_one(layer, clamp) for layer, clamp in clamps)


def _read_one(text: str) -> tuple[int, Clamp]:
    match = _CLAMP.fullmatch(text)
    layer, unit, step = (int(match[group] or 1) for group in (1, 3, 5)) if match else (0, 0, 0)
    value = read_number(match[4]) if match else None
    if match is None or value is None or not 0.0 <= value <= 1.0 or not (unit and step):
        raise InputError(
            "clamps",
            "Write each clamp as gate.unit:value@step, separated by semicolons, for example f:1;i.2:0@5. The value is "
            "from 0 to 1; unit and step count from 1.",
        )
    return layer, Clamp(match[2], value, None if match[3] is None else unit - 1, step)


def _write_one(layer: int, clamp: Clamp) -> str:
    name = clamp.gate if layer == 1 else f"{layer}.{clamp.gate}"
    unit = "" if clamp.unit is None else f".{clamp.unit + 1}"
    step = "" if clamp.from_step == 1 else f"@{clamp.from_step}"
    return f"{name}{unit}:{write_number(clamp.value)}{step}"
