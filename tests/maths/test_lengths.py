"""Directions and angles from one end of float64 to the other, against plain trigonometry."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz.maths.extended_range.lengths import angle, direction


@given(
    st.floats(0.0, 180.0), st.sampled_from([1e-290, 1e-200, 1.0, 1e200, 1e290]), st.sampled_from([1e-290, 1.0, 1e290])
)
def test_the_angle_is_that_between_them(degrees: float, size: float, other: float) -> None:
    turn = math.radians(degrees)
    u, v = np.array([size, 0.0]), other * np.array([math.cos(turn), math.sin(turn)])
    assert angle(u, v) == pytest.approx(degrees, rel=1e-12, abs=1e-13)


def test_small_angles_keep_their_digits() -> None:
    """The arc cosine of the product of such vectors is 0."""
    u, v = np.array([1.0, 0.0]), np.array([1.0, 1e-12])
    assert math.acos(min(1.0, float(direction(u) @ direction(v)))) == 0.0
    assert math.radians(angle(u, v)) == pytest.approx(1e-12, rel=1e-9)


def test_nothing_has_no_direction() -> None:
    assert math.isnan(angle(np.zeros(2), np.ones(2)))
    assert direction(np.zeros((2, 2))).tolist() == [[0.0, 0.0], [0.0, 0.0]]


@pytest.mark.parametrize("size", [5e-324, 1e-310, 1e-160, 1.0, 1e160, 1e307])
def test_a_direction_has_length_1(size: float) -> None:
    found = direction(np.array([[0.0, -size], [0.0, 0.0]]))
    np.testing.assert_allclose(found, [[0.0, -1.0], [0.0, 0.0]], rtol=1e-14)


def test_a_length_beyond_float64_has_a_direction() -> None:
    u = np.full(4, 1.5e308)
    assert direction(u).tolist() == [0.5] * 4
    assert angle(u, np.array([1.0, 0.0, 0.0, 0.0])) == pytest.approx(60.0)
