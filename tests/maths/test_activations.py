"""Values and slopes, in the saturated range against 60-digit arithmetic."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz.maths.activations import ACTIVATIONS

mpmath.mp.dps = 60
SATURATED = [0.0, 1e-9, 0.3, 1.0, 5.0, 20.0, 40.0, 300.0]


def exact_sigmoid(a: float) -> mpmath.mpf:
    return 1 / (1 + mpmath.exp(-mpmath.mpf(a)))


EXACT_SLOPES = {
    "tanh": lambda a: mpmath.sech(mpmath.mpf(a)) ** 2,
    "sigmoid": lambda a: exact_sigmoid(a) * exact_sigmoid(-a),
}


@pytest.mark.parametrize("name", EXACT_SLOPES)
@pytest.mark.parametrize("a", [*SATURATED, *(-a for a in SATURATED)])
def test_slopes_keep_their_digits(name: str, a: float) -> None:
    """1 - tanh**2 is 0 from 19 on, s (1 - s) from 37; the slopes are not."""
    slope = ACTIVATIONS[name].slope(np.array([a])).item()
    assert slope == pytest.approx(float(EXACT_SLOPES[name](a)), rel=1e-14, abs=0.0)
    assert slope > 0.0


@pytest.mark.parametrize("a", SATURATED)
def test_small_sigmoids_keep_their_digits(a: float) -> None:
    value = ACTIVATIONS["sigmoid"](np.array([a, -a]))
    expected = [float(exact_sigmoid(a)), float(exact_sigmoid(-a))]
    np.testing.assert_allclose(value, expected, rtol=1e-14)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_the_ends_of_the_range(name: str) -> None:
    """No warning, no nan, at the largest floats."""
    a = np.array([-1.7e308, -800.0, 800.0, 1.7e308])
    limits = {
        "tanh": ([-1, -1, 1, 1], [0, 0, 0, 0]),
        "sigmoid": ([0, 0, 1, 1], [0, 0, 0, 0]),
        "relu": ([0, 0, 800, 1.7e308], [0, 0, 1, 1]),
        "identity": (a, [1, 1, 1, 1]),
    }
    value, slope = limits[name]
    np.testing.assert_array_equal(ACTIVATIONS[name](a), value)
    np.testing.assert_allclose(ACTIVATIONS[name].slope(a), slope, rtol=0.0, atol=1e-300)


def test_values() -> None:
    a = np.array([[-1.5, 0.0, 0.25]])
    np.testing.assert_allclose(ACTIVATIONS["tanh"](a), [[math.tanh(v) for v in a[0]]], rtol=1e-15)
    np.testing.assert_array_equal(ACTIVATIONS["relu"](a), [[0.0, 0.0, 0.25]])
    np.testing.assert_array_equal(ACTIVATIONS["identity"](a), a)
    np.testing.assert_array_equal(a, [[-1.5, 0.0, 0.25]])


def test_relu_is_flat_at_zero_as_in_torch() -> None:
    torch = pytest.importorskip("torch")
    a = torch.tensor([-1.0, 0.0, 1.0], requires_grad=True)
    torch.relu(a).sum().backward()
    np.testing.assert_array_equal(ACTIVATIONS["relu"].slope(np.array([-1.0, 0.0, 1.0])), a.grad.numpy())


@given(st.sampled_from(list(ACTIVATIONS)), st.floats(-8.0, 8.0).filter(lambda a: abs(a) > 1e-3))
def test_a_slope_is_the_limit_of_differences(name: str, a: float) -> None:
    step = 1e-5
    low, high = ACTIVATIONS[name](np.array([a - step, a + step]))
    assert ACTIVATIONS[name].slope(np.array(a)) == pytest.approx((high - low) / (2 * step), abs=1e-9)
