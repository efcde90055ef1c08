"""How numbers are written on the screen, to the character."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rnnviz.views.numbers import equals, power_of_ten, vector, written
from tests.views.spoken import number

WRITTEN = [
    (0.0, 2, "0.00"),
    (-0.0, 2, "0.00"),
    (1e-13, 2, "0.00"),
    (-1e-13, 4, "0.0000"),
    (1.0, 2, "1.00"),
    (-0.3, 2, "−0.30"),
    (0.216518, 4, "0.2165"),
    (0.216518, 2, "0.22"),
    (0.01, 2, "0.01"),
    (0.0099, 2, "0.01"),
    (0.0012, 2, "0.001"),
    (0.0004, 2, "4e−4"),
    (-0.00004, 2, "−4e−5"),
    (0.00004, 4, "0.00004"),
    (1e-11, 2, "1e−11"),
    (9999.0, 2, "9999.00"),
    (10000.0, 2, "1e4"),
    (-123456.0, 2, "−1.2e5"),
    (1.7e308, 2, "1.7e308"),
    (7.0, 0, "7"),
    (math.inf, 2, "∞"),
    (-math.inf, 2, "−∞"),
]


@pytest.mark.parametrize(("value", "decimals", "text"), WRITTEN)
def test_written(value: float, decimals: int, text: str) -> None:
    assert written(value, decimals) == text
    assert written(np.float64(value), decimals) == text


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.floats(-1.7e308, 1.7e308), st.integers(1, 4))
def test_what_is_written_is_near_the_number(value: float, decimals: int) -> None:
    text = written(value, decimals)
    assert len(text) <= 10
    assert "-" not in text
    rounding = 0.05 * 10.0 ** int(number(text.partition("e")[2])) if "e" in text else 0.5 * 10.0**-decimals
    assert number(text) == pytest.approx(value, rel=1e-9, abs=rounding * (1 + 1e-9))  # a half rounds either way


@given(finite | st.floats(-2, 2).map(lambda value: round(value, 3)), st.integers(1, 4))
@example(12345678901.0, 2)
@example(0.00125, 2)
def test_an_equals_sign_stands_before_the_number_itself(value: float, decimals: int) -> None:
    if equals(value, decimals) == "=":
        assert number(written(value, decimals)) == pytest.approx(value, rel=1e-11, abs=1e-11)


def test_the_sign_before_a_rounded_number() -> None:
    assert [equals(value) for value in (0.22, 0.1 + 0.2, 1e-13, 0.0)] == ["="] * 4
    assert [equals(value) for value in (0.2165, 1 / 3, -0.0123)] == ["≈"] * 3
    assert equals(0.2165, 4) == "="
    assert equals(1.7e308) in "=≈"


def test_vectors() -> None:
    assert vector([0.04, -0.0, 0.22]) == "[0.04, 0.00, 0.22]"
    assert vector(np.array([-0.25, 1e-5]), 4) == "[−0.2500, 0.00001]"
    assert vector([]) == "[]"


POWERS = [
    (0.0, "1"),
    (-1.0, "0.1"),
    (-2.0, "0.01"),
    (-3.0, "0.001"),
    (-4.0, "0.0001"),
    (-9.0, "1e−9"),
    (3.5, "3162"),
    (4.0, "1e4"),
    (-321.3, "5e−322"),
    (-4000.5, "3.2e−4001"),
    (617.25, "1.8e617"),
    (-math.inf, "0"),
    (math.inf, "∞"),
    (5.999, "1e6"),
    (-6.0001, "1e−6"),
    (-400.00001, "1e−400"),
]


@pytest.mark.parametrize(("log10", "text"), POWERS)
def test_powers_of_ten(log10: float, text: str) -> None:
    assert power_of_ten(log10) == text


@given(st.floats(-1e6, 1e6))
def test_a_power_is_written_with_one_digit_before_the_point(log10: float) -> None:
    mantissa, _, exponent = power_of_ten(log10).partition("e")
    assert math.log10(number(mantissa)) + number(exponent or "0") == pytest.approx(
        log10, abs=0.022 if exponent else 0.18
    )
    assert not exponent or 1.0 <= number(mantissa) < 10.0
