"""Clipping against torch where torch is right, against 60 digits and exact scalings where it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from rnnviz import bptt, clip_by_global_norm, make_cell, run
from rnnviz.maths.checks import Array

from .refused import assert_refused
from .twins import tensor

mpmath.mp.dps = 60


def gradients(seed: int, scale: float = 1.0) -> dict[str, Array]:
    random = np.random.default_rng(seed)
    shapes = {"W_hh": (3, 4), "b": (5,), "one": ()}
    return {name: scale * random.uniform(-1.0, 1.0, shape) for name, shape in shapes.items()}


def exact_norm(arrays: dict[str, Array]) -> Any:
    return mpmath.sqrt(mpmath.fsum(mpmath.mpf(v) ** 2 for array in arrays.values() for v in np.ravel(array).tolist()))


@given(st.integers(0, 2**32 - 1), st.floats(0.01, 5.0))
def test_it_clips_as_torch_does(seed: int, max_norm: float) -> None:
    """But for the 1e-6 that torch adds to the norm."""
    arrays = gradients(seed)
    leaves = [tensor(array).requires_grad_() for array in arrays.values()]
    for leaf, array in zip(leaves, arrays.values(), strict=True):
        leaf.grad = tensor(array)
    expected = torch.nn.utils.clip_grad_norm_(leaves, max_norm)
    clipped, norm = clip_by_global_norm(arrays, max_norm)
    assert norm == pytest.approx(expected.item(), rel=1e-14)
    for array, leaf in zip(clipped.values(), leaves, strict=True):
        np.testing.assert_allclose(array, leaf.grad.numpy(), rtol=1e-4)


@given(st.integers(0, 2**32 - 1), st.integers(-1000, 1000), st.integers(-1000, 1000))
@example(0, 900, -300)  # the factor is far below float64, what comes of it is not
@example(0, 1000, 990)
def test_it_is_right_from_one_end_of_float64_to_the_other(seed: int, power: int, top: int) -> None:
    arrays, max_norm = gradients(seed, 2.0**power), 2.0**top
    clipped, norm = clip_by_global_norm(arrays, max_norm)
    before = exact_norm(arrays)
    assert norm == pytest.approx(float(before), rel=1e-14, abs=0.0)
    factor = min(mpmath.mpf(1), mpmath.mpf(max_norm) / before)
    for name, array in arrays.items():
        expected = [float(factor * mpmath.mpf(v)) for v in np.ravel(array).tolist()]
        np.testing.assert_allclose(np.ravel(clipped[name]), expected, rtol=1e-14, atol=1e-323)
        assert clipped[name].shape == array.shape
        assert not clipped[name].flags.writeable


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1.0, 1e200, 1e300])
def test_norms_by_hand(scale: float) -> None:
    clipped, norm = clip_by_global_norm({"a": [3 * scale], "b": [[-4 * scale]]}, 1.0)
    assert norm == pytest.approx(5 * scale, rel=1e-15 if scale > 1e-300 else 1e-3)
    if norm > 1.0:
        assert clipped["a"].tolist() == [pytest.approx(0.6)]
        assert clipped["b"].tolist() == [[pytest.approx(-0.8)]]


@given(st.integers(0, 2**32 - 1), st.floats(1e-3, 1e3))
def test_the_direction_stays_and_the_norm_is_the_least(seed: int, max_norm: float) -> None:
    arrays = gradients(seed, 10.0)
    clipped, norm = clip_by_global_norm(arrays, max_norm)
    _, after = clip_by_global_norm(clipped, max_norm)
    assert after == pytest.approx(min(norm, max_norm), rel=1e-14)
    flat, new = (np.concatenate([np.ravel(array) for array in one.values()]) for one in (arrays, clipped))
    np.testing.assert_allclose(new / after, flat / norm, rtol=1e-13)


def test_below_the_limit_nothing_changes() -> None:
    arrays = gradients(3)
    _, norm = clip_by_global_norm(arrays, 1e9)
    clipped, _ = clip_by_global_norm(arrays, norm)
    for name, array in arrays.items():
        np.testing.assert_array_equal(clipped[name], array)
        assert clipped[name] is not array
    assert list(clipped) == list(arrays)


def test_zeros_stay_zeros() -> None:
    clipped, norm = clip_by_global_norm({"W": np.zeros((2, 2))}, 0.0)
    assert (norm, clipped["W"].tolist()) == (0.0, [[0.0, 0.0], [0.0, 0.0]])
    clipped, norm = clip_by_global_norm({"W": [3.0, 4.0]}, 0.0)
    assert (norm, clipped["W"].tolist()) == (5.0, [0.0, 0.0])
    assert clip_by_global_norm({}, 1.0) == ({}, 0.0)
    assert clip_by_global_norm({"W": np.zeros((0, 2))}, 1.0)[1] == 0.0


def test_it_takes_the_gradients_of_bptt() -> None:
    found = bptt(run(make_cell("lstm", 2, 3), np.ones((5, 2))), np.ones((5, 3)))
    clipped, norm = clip_by_global_norm(found.weights, 0.1)
    assert norm > 0.1
    np.testing.assert_allclose(clipped["W_hh"], found.W_hh * 0.1 / norm, rtol=1e-14)


anything: Any = None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: clip_by_global_norm({"W": [np.nan]}, 1.0), ["W entry 1 (W[0] in Python) is nan"]),
        (lambda: clip_by_global_norm({"W": [1.0]}, -1.0), ["max_norm must be a finite number of at least 0; got -1"]),
        (lambda: clip_by_global_norm({"W": [1.0]}, np.inf), ["max_norm must be a finite number", "got inf"]),
        (
            lambda: clip_by_global_norm(anything or [[1.0]], 1.0),
            ["must be a mapping", "got list", 'Write {"W_hh": ...}'],
        ),
        (
            lambda: clip_by_global_norm({"W": [1.7e308] * 4}, 1.0),
            ["global norm overflows float64", "Scale the loss down"],
        ),
    ],
)
def test_refusals(call: Callable[[], Any], words: list[str]) -> None:
    assert_refused(call, words)
