"""Numbers with an exponent of their own against fractions of whole numbers, which have no exponent to run out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz.maths.extended_range.wide import Wide, wide_sigmoid, wide_sigmoid_slope, wide_tanh_slope

numbers = st.tuples(st.floats(-1.0, 1.0).map(lambda x: 0.0 if abs(x) < 1e-3 else x), st.integers(-3000, 3000))


def wide(pairs: Any) -> Wide:
    return Wide.of(np.array([x for x, _ in pairs]), np.array([float(e) for _, e in pairs]))


def fractions(of: Wide) -> list[Fraction]:
    """The very numbers; a zero has no exponent."""
    assert np.isneginf(of.exponent[of.mantissa == 0.0]).all()
    exponents = np.where(of.mantissa == 0.0, 0.0, of.exponent)
    pairs = zip(of.mantissa.ravel().tolist(), exponents.ravel().tolist(), strict=True)
    return [Fraction(x) * Fraction(2) ** int(e) for x, e in pairs]


def assert_rounded(found: Wide, exact: list[Fraction], sizes: list[Fraction]) -> None:
    """To a few roundings of what was added up."""
    for one, expected, size in zip(fractions(found), exact, sizes, strict=True):
        assert abs(one - expected) <= size * Fraction(1, 2**51)


@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6))
def test_sums_and_products(pairs: Any) -> None:
    one, other = (wide([pair[place] for pair in pairs]) for place in (0, 1))
    exact = list(zip(fractions(one), fractions(other), strict=True))
    assert_rounded(one * other, [a * b for a, b in exact], [abs(a * b) for a, b in exact])
    assert_rounded(one + other, [a + b for a, b in exact], [abs(a) + abs(b) for a, b in exact])


@given(st.lists(numbers, min_size=6, max_size=6), st.lists(numbers, min_size=6, max_size=6))
def test_matrix_products(first: Any, second: Any) -> None:
    A, B = Wide(*(x.reshape(2, 3) for x in vars(wide(first)).values())), wide(second)
    B = Wide(B.mantissa.reshape(3, 2), B.exponent.reshape(3, 2))
    a, b = fractions(A), fractions(B)
    terms = [[a[3 * i + k] * b[2 * k + j] for k in range(3)] for i in range(2) for j in range(2)]
    assert_rounded(A @ B, [sum(one, Fraction(0)) for one in terms], [sum(map(abs, one), Fraction(0)) for one in terms])


def test_what_cancels_is_a_zero() -> None:
    found = Wide.of([1.5, 2.0], -5000.0) + Wide.of([-1.5, 1.0], -5000.0)
    assert np.isneginf(found.exponent).tolist() == [True, False]
    assert (found * found).spread == 0.0
    assert Wide.zeros((2, 2)).scaled()[0].tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_scaled_and_floats() -> None:
    found = Wide.of([[1.0, -3.0]], 4000.0)
    floats, exponent = found.scaled()
    assert (floats.tolist(), exponent) == ([[0.25, -0.75]], 4002.0)
    assert found.spread == 1.0
    assert found.floats().tolist() == [[np.inf, -np.inf]]
    assert Wide.of(1.0, -4000.0).floats() == 0.0


@pytest.mark.parametrize("a", [0.0, 0.3, -2.0, 30.0, -400.0, 1e5, -3e9])
def test_slopes(a: float) -> None:

    with mpmath.workdps(60):
        s = 1 / (1 + mpmath.exp(-mpmath.mpf(a)))
        rest = 1 / (1 + mpmath.exp(mpmath.mpf(a)))
        pairs = {
            wide_sigmoid: s,
            wide_sigmoid_slope: s * rest,
            wide_tanh_slope: mpmath.sech(mpmath.mpf(a)) ** 2,
        }
        for slope, expected in pairs.items():
            found = slope(np.array(a))
            exact = mpmath.mpf(float(found.mantissa)) * mpmath.mpf(2) ** int(found.exponent)
            assert abs(exact / expected - 1) < 1e-15 + abs(a) * 1e-16
