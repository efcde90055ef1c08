"""Numbers and sentences as the scripts write them: the same as Python does, for numbers of every kind."""

from __future__ import annotations

import json
import math
import random
import struct
from typing import Any

import pytest

from rnnviz.texts import filled
from rnnviz.views.numbers import equals, faded, power_of_ten, written
from tests.javascript.node import evaluated
from tests.views.spoken import number
from tests.views.test_numbers import CASES

MODULES = {
    "shared/numbers.js": "writeNumber, writeFaded, equalsSign, powerOfTen",
    "shared/short.js": "writeShort, textWidth, SMALLEST",
    "shared/sentences.js": "fill",
}
TIES = [0.125, 2.5, 1234.5, 1235.5, 12345.5, 106250.0, 106350.0, 0.00048828125, 1.0625e-7]
EDGES = [0.00099949999, 0.00099951, 0.0009995, 99994.9, 99995.0, 99999.5, 0.9994, 0.9995, 1.0005, 5e-324, 1.7e308]
CELL = 31
"""Pixels for a number in a narrow cell."""


def numbers() -> list[float]:
    """The cases of Python's own test, and numbers of every kind."""
    draw = random.Random(0)
    found = [float(value) for value, _ in CASES["written"]] + TIES + EDGES
    for _ in range(1500):
        found.append(draw.choice([-1, 1]) * 10 ** draw.uniform(-15, 9))
        found.append(round(draw.uniform(-3, 3), draw.randint(0, 6)))
        found.append(draw.randint(-400_000, 400_000) / 2 ** draw.randint(0, 5))
        found.append(1 + draw.choice([-1, 1]) * 10 ** draw.uniform(-14, -2))
        found.append(struct.unpack("<d", struct.pack("<Q", draw.getrandbits(64)))[0])
    return [value for value in found if not math.isnan(value)]


def in_node(expression: str, values: list[float]) -> Any:
    """What an expression of `value` gives for each."""
    return evaluated(MODULES, expression, values)


def test_python_and_the_scripts_write_the_same() -> None:
    values = numbers()
    shown = in_node("[writeNumber(value), writeFaded(value), equalsSign(value), writeNumber(value, 2)]", values)
    for value, found in zip(values, shown, strict=True):
        assert found == [written(value), faded(value), equals(value), written(value, 2)], value


def test_a_cell_leaves_out_digits_and_nothing_else() -> None:
    """The sign, and an exponent where the whole number has one; not 1 for what is not 1; still near the number.

    Whatever is written has room. Where not even one digit has, it is said what the number is close to.
    """
    values = [value for value in numbers() if abs(value) < 1e308]  # rounded, larger ones overflow
    short = f"writeShort(value, 0, 2, (text) => textWidth(text, SMALLEST), {CELL})"
    expression = f"{{ text: {short}, width: textWidth({short}, SMALLEST) }}"
    for value, shown in zip(values, in_node(f"({expression})", values), strict=True):
        text, whole = shown["text"], faded(value)
        assert shown["width"] <= CELL, value
        if text == "…":
            assert abs(value) >= 1e4
            continue
        if text.startswith("≈"):
            assert text in ("≈0", "≈1", "≈−1")
            assert number(text[1:]) == pytest.approx(value, abs=0.011)
            continue
        assert ("e" in text) == ("e" in whole), value
        assert text.startswith("−") == whole.startswith("−"), value
        assert len(text) <= len(whole)
        if text.endswith("…"):
            assert abs(abs(value) - 1) < 0.01
            continue
        assert number(text) not in (-1.0, 1.0) or abs(abs(value) - 1) <= 1e-12, value
        assert number(text) == pytest.approx(value, rel=0.51), value


def test_short_numbers_fit_into_narrow_cells() -> None:
    values = [0.216518, -0.216518, 0.00001, 9e-6, -0.0412, 12.345, -99.5, 0.5, 1.0, -20.0]
    expression = f"[writeShort(value, 0, 2, (text) => textWidth(text, SMALLEST), {CELL}), textWidth('−0.22', 11)]"
    shown = in_node(expression, values)
    assert [text for text, _ in shown] == "0.22 −0.22 1e−5 9e−6 −0.04 12 −100 0.5 1 −20".split()
    assert shown[0][1] < CELL


def test_a_number_next_to_1_is_cut_where_its_cell_ends() -> None:
    """As many digits as there is room for, the same of either sign."""
    values = [1 - 5e-10, -1 + 5e-10, 1 + 5e-10, 1 - 1e-4]
    for room, texts in [
        (62, ["0.99999…", "−0.99999…", "1.00000…", "0.9999"]),
        (44, ["0.99…", "−0.99…", "1.00…", "0.9999"]),
        (CELL, ["≈1", "≈−1", "≈1", "≈1"]),
    ]:
        expression = f"writeShort(value, 0, 4, (text) => textWidth(text, SMALLEST), {room})"
        assert in_node(expression, values) == texts


def test_powers_of_ten_read_as_in_python() -> None:
    """Given by their logarithms, also far outside float64's range."""
    draw = random.Random(1)
    values = [draw.uniform(-1, 1) * 10 ** draw.uniform(-3, 8) for _ in range(1500)]
    for value, found in zip(values, in_node("powerOfTen(value)", values), strict=True):
        assert found == power_of_ten(value), value


@pytest.mark.parametrize("count", [0, 1, 2, 11, "1,200"])
def test_plural_forms_are_those_of_the_sentences(count: object) -> None:
    text = "Reset {count} {count:edit|edits} of {name}"
    slots = {"count": count, "name": "{W} $& b"}
    assert in_node(f"fill({json.dumps(text)}, {json.dumps(slots)})", [0.0]) == [filled(text, slots)]
