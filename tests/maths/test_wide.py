"""Numbers with an exponent of their own against fractions of whole numbers, which have no exponent to run out."""

from __future__ import annotations

from fractions import Fraction
from typing import Any
from unittest.mock import patch

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz.maths.extended_range.wide import TERMS, Wide, wide_sigmoid, wide_sigmoid_slope, wide_tanh_slope

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


@pytest.mark.parametrize("terms", [0, TERMS], ids=["by_layers", "by_terms"])
@given(st.lists(numbers, min_size=6, max_size=6), st.lists(numbers, min_size=6, max_size=6))
def test_matrix_products(terms: int, first: Any, second: Any) -> None:
    A, B = Wide(*(x.reshape(2, 3) for x in vars(wide(first)).values())), wide(second)
    B = Wide(B.mantissa.reshape(3, 2), B.exponent.reshape(3, 2))
    a, b = fractions(A), fractions(B)
    sums = [[a[3 * i + k] * b[2 * k + j] for k in range(3)] for i in range(2) for j in range(2)]
    with patch("rnnviz.maths.extended_range.wide.TERMS", terms):
        product = A @ B
    assert_rounded(product, [sum(one, Fraction(0)) for one in sums], [sum(map(abs, one), Fraction(0)) for one in sums])


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


def three_ways(values: Any, exponent: float) -> dict[str, Wide]:
    """The same matrices with an exponent for each entry, each row and each of them."""
    entries = Wide.of(values, exponent)
    rows = Wide(values, np.full(values.shape[:-1], exponent))
    return {"entries": entries, "rows": rows, "matrices": Wide(values, np.full(values.shape[:-2], exponent))}


WAYS = ["entries", "rows", "matrices"]


@pytest.mark.parametrize("one", WAYS)
@pytest.mark.parametrize("two", WAYS)
def test_it_does_not_matter_what_shares_an_exponent(one: str, two: str) -> None:
    """Against float64 with the exponents taken out; three matrices of three rows, so that neither is the other."""
    random = np.random.default_rng(0)
    a, b = random.standard_normal((2, 3, 3, 3))
    A, B = three_ways(a, 5000.0)[one], three_ways(b, 5000.0)[two]
    np.testing.assert_array_equal((A + B).floats(5000.0), a + b)
    np.testing.assert_array_equal((A * B).floats(10000.0), a * b)
    np.testing.assert_allclose((A @ B).entries.floats(10000.0), a @ b, rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(A.log10, np.log10(np.abs(a)) + 5000.0 * np.log10(2.0), rtol=1e-15)
    assert A.top == np.frexp(np.abs(a).max())[1] + 5000.0
    assert A.spread == three_ways(a, 0.0)["entries"].spread
    np.testing.assert_array_equal(A.part(columns=slice(0, 2)).floats(5000.0), a[..., :2])
    assert A.narrowed().shared
    np.testing.assert_array_equal(A.narrowed().floats(5000.0), a)


def test_one_exponent_as_long_as_entries_lie_near_each_other() -> None:
    """Powers of diag(8, 1/8) leave the reach of one exponent after some 40 steps; nothing is lost before or after."""
    power = step = Wide.stack(np.diag([8.0, 0.125])[None])
    shared = [power.shared]
    for _ in range(399):
        power = (step @ power).narrowed()
        shared.append(power.shared)
    assert shared[:30] == [True] * 30
    assert not any(shared[60:])
    np.testing.assert_allclose(power.log10[0].diagonal(), np.array([1200.0, -1200.0]) * np.log10(2.0), rtol=1e-14)
    back = (Wide.stack(np.diag([1.0, 0.0])[None]) @ power).narrowed()  # with the small one cut off
    assert back.shared
    assert back.log10[0, 0, 0] == pytest.approx(1200.0 * np.log10(2.0), rel=1e-14)


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
