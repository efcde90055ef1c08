"""How numbers are written on the screen, to the character."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rnnviz.views.numbers import equals, faded, power_of_ten, vector, written
from tests.views.spoken import number

WRITTEN = [
    (0.0, "0"),
    (-0.0, "0"),
    (1e-13, "0"),
    (-1e-13, "0"),
    (1.0, "1"),
    (1.0 - 1e-13, "1"),
    (-0.3, "−0.3"),
    (0.1 + 0.2, "0.3"),
    (0.216518, "0.2165"),
    (0.0399787, "0.03998"),
    (0.01, "0.01"),
    (0.0012, "0.0012"),
    (0.001, "0.001"),
    (0.0009, "9e−4"),
    (0.00001, "1e−5"),
    (9e-6, "9e−6"),
    (-0.00004, "−4e−5"),
    (1e-11, "1e−11"),
    (0.99995, "0.99995"),
    (-0.9999546, "−0.999955"),
    (1.0004, "1.0004"),
    (9.99996, "10"),
    (9999.0, "9999"),
    (12345.6, "12346"),
    (99996.0, "1e5"),
    (-123456.0, "−1.235e5"),
    (1.7e308, "1.7e308"),
    (math.inf, "∞"),
    (-math.inf, "−∞"),
]


@pytest.mark.parametrize(("value", "text"), WRITTEN)
def test_written(value: float, text: str) -> None:
    assert written(value) == text
    assert written(np.float64(value)) == text


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


def test_the_sign_before_a_rounded_number() -> None:
    assert [equals(value) for value in (0.22, 0.1 + 0.2, 1e-13, 0.0, 0.2165)] == ["="] * 5
    assert [equals(value) for value in (0.216518, 1 / 3, -0.012345678)] == ["≈"] * 3
    assert equals(1.7e308) in "=≈"


def test_vectors() -> None:
    assert vector([0.04, -0.0, 0.22]) == "[0.04, 0, 0.22]"
    assert vector(np.array([-0.25, 1e-5])) == "[−0.25, 1e−5]"
    assert vector([]) == "[]"


POWERS = [
    (0.0, "1"),
    (-1.0, "0.1"),
    (-3.0, "0.001"),
    (-4.0, "1e−4"),
    (-9.0, "1e−9"),
    (3.5, "3162"),
    (5.0, "1e5"),
    (-321.3, "5.012e−322"),
    (-4000.5, "3.162e−4001"),
    (617.25, "1.778e617"),
    (-math.inf, "0"),
    (math.inf, "∞"),
    (5.99999, "1e6"),
    (-6.0000001, "1e−6"),
    (-400.0000001, "1e−400"),
    (-2.5e40, "10^−2.5e40"),
]


@pytest.mark.parametrize(("log10", "text"), POWERS)
def test_powers_of_ten(log10: float, text: str) -> None:
    assert power_of_ten(log10) == text


@given(st.floats(-1e6, 1e6))
def test_a_power_is_written_to_four_digits(log10: float) -> None:
    mantissa, _, exponent = power_of_ten(log10).partition("e")
    assert math.log10(number(mantissa)) + number(exponent or "0") == pytest.approx(log10, abs=2.3e-4)
    assert not exponent or 1.0 <= number(mantissa) < 10.0
