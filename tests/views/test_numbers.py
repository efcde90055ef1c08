"""How numbers are written on the screen, to the character."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rnnviz.views.numbers import equals, faded, power_of_ten, vector, written
from tests.views.spoken import number

CASES = json.loads((Path(__file__).parent / "numbers.json").read_text(encoding="utf-8"))
"""What is asked of both languages: a number as both read it, and its text. The scripts' own tests read them too."""
WRITERS = {
    "written": written,
    "written in 2 digits": lambda value: written(value, 2),
    "faded": faded,
    "equals": equals,
    "power of ten": power_of_ten,
}


@pytest.mark.parametrize(("writer", "value", "text"), [(name, *case) for name in CASES for case in CASES[name]])
def test_written(writer: str, value: str, text: str) -> None:
    assert WRITERS[writer](float(value)) == text
    assert WRITERS[writer](np.float64(value)) == text


@given(st.floats(-1.7e308, 1.7e308), st.integers(2, 6))
def test_what_is_written_is_near_the_number(value: float, digits: int) -> None:
    text = faded(value, digits)
    assert "-" not in text
    assert number(text) == pytest.approx(value, rel=0.5001 * 10.0 ** (1 - digits), abs=0)


@given(st.floats(-2, 2))
def test_only_one_is_written_as_one(value: float) -> None:
    if number(written(value)) in (-1.0, 1.0):
        assert abs(abs(value) - 1) <= 1e-12


@given(st.floats(allow_nan=False, allow_infinity=False) | st.floats(-2, 2).map(lambda value: round(value, 3)))
@example(12345678901.0)
@example(0.00125)
def test_an_equals_sign_stands_before_the_number_itself(value: float) -> None:
    if equals(value) == "=":
        assert number(written(value)) == pytest.approx(value, rel=1e-11, abs=1e-11)


def test_vectors() -> None:
    assert vector([0.04, -0.0, 0.22]) == "[0.04, 0, 0.22]"
    assert vector(np.array([-0.25, 1e-5])) == "[−0.25, 1e−5]"
    assert vector([]) == "[]"


@given(st.floats(-1e6, 1e6))
def test_a_power_is_written_to_four_digits(log10: float) -> None:
    mantissa, _, exponent = power_of_ten(log10).partition("e")
    assert math.log10(number(mantissa)) + number(exponent or "0") == pytest.approx(log10, abs=2.3e-4)
    assert not exponent or 1.0 <= number(mantissa) < 10.0
