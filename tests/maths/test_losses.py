"""Losses and the way back through the readout, against torch; the ends of the range against 60 digits."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import InputError, Readout, cross_entropy, readout_gradients, squared_error
from rnnviz.maths.checks import Array

from .drawn import close
from .refused import assert_refused
from .twins import tensor

mpmath.mp.dps = 60
ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "identity": lambda a: a,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "softmax": lambda a: a.softmax(-1),
}

sizes = st.tuples(st.integers(1, 6), st.integers(1, 4), st.integers(0, 2**32 - 1))


def drawn(steps: int, outputs: int, seed: int) -> tuple[Array, np.random.Generator]:
    random = np.random.default_rng(seed)
    return random.uniform(-3.0, 3.0, (steps, outputs)), random


@given(sizes, st.sampled_from(["every", "last"]))
def test_squared_error_is_torchs(size: tuple[int, int, int], at: str) -> None:
    y, random = drawn(*size)
    target = random.uniform(-3.0, 3.0, y.shape)
    leaf = tensor(y).requires_grad_()
    steps = slice(None) if at == "every" else slice(-1, None)
    expected: Any = torch.nn.functional.mse_loss(leaf[steps], tensor(target[steps]), reduction="sum")
    expected.backward()
    loss = squared_error(y, target if at == "every" else target[-1], at=at)
    assert loss.value == pytest.approx(expected.item(), rel=1e-14)
    close(loss.d_y, leaf.grad.numpy())
    close(loss.by_step.sum(), loss.value)
    np.testing.assert_array_equal(loss.by_step[:-1] == 0.0, at == "last")


@given(sizes, st.sampled_from(["every", "last"]), st.booleans())
def test_cross_entropy_is_torchs(size: tuple[int, int, int], at: str, one_hot: bool) -> None:
    logits, random = drawn(*size)
    classes = random.integers(0, size[1], size[0])
    leaf = tensor(logits).requires_grad_()
    steps = slice(None) if at == "every" else slice(-1, None)
    each: Any = torch.nn.functional.cross_entropy(leaf, torch.tensor(classes), reduction="none")[steps]
    each.sum().backward()
    target: Any = np.eye(size[1])[classes] if one_hot else classes
    loss = cross_entropy(logits, target if at == "every" else target[-1], at=at)
    close(loss.by_step[steps], each.detach().numpy())
    assert loss.value == pytest.approx(each.sum().item(), rel=1e-13, abs=1e-15)
    close(loss.d_y, leaf.grad.numpy())
    np.testing.assert_array_equal(loss.by_step[:-1], loss.by_step[:-1] if at == "every" else 0.0)


@pytest.mark.parametrize("gap", [0.0, 1.0, 30.0, 40.0, 700.0, -40.0, -700.0])
def test_a_network_that_is_sure_keeps_its_loss_and_gradient(gap: float) -> None:
    """Three classes, the right one `gap` above the others: log(1 + 2 exp(-gap)), far below the rounding of 1."""
    for shift in (0.0, 1e6):
        loss = cross_entropy([[shift, shift + gap, shift]], [1])
        rest = 2 * mpmath.exp(-mpmath.mpf(gap))
        assert loss.value == pytest.approx(float(mpmath.log1p(rest)), rel=1e-14, abs=0.0)
        expected = [float(rest / 2 / (1 + rest)), float(-rest / (1 + rest)), float(rest / 2 / (1 + rest))]
        np.testing.assert_allclose(loss.d_y, [expected], rtol=1e-14)


def test_logits_at_the_ends_of_float64() -> None:
    sure = cross_entropy([[1e308, -1e308]], [0])
    assert (sure.value, sure.d_y.tolist()) == (0.0, [[0.0, 0.0]])
    with pytest.raises(InputError, match="The loss overflows float64"):
        cross_entropy([[1e308, -1e308]], [1])
    with pytest.raises(InputError, match=r"The loss overflows float64 .* Use smaller weights"):
        squared_error([[1e200]], [[0.0]])


@given(sizes, st.integers(1, 5), st.sampled_from(list(ACTIVATIONS)), st.booleans())
def test_the_way_back_through_a_readout_is_autograds(
    size: tuple[int, int, int], units: int, activation: str, preacts: bool
) -> None:
    d_y, random = drawn(*size)
    W, b, h = (random.uniform(-1.0, 1.0, shape) for shape in ((size[1], units), size[1], (size[0], units)))
    leaves = [tensor(array).requires_grad_() for array in (h, W, b)]
    a = leaves[0] @ leaves[1].T + leaves[2]
    ((a if preacts else ACTIVATIONS[activation](a)) * tensor(d_y)).sum().backward()
    readout = Readout(W, b, activation)
    found = readout_gradients(readout, h, d_y, of="preacts" if preacts else "outputs")
    for array, leaf, name in zip(found, leaves, ("h", "W", "b"), strict=True):
        close(array, leaf.grad.numpy(), name)
        assert not array.flags.writeable
    one = readout_gradients(readout, h[0], d_y[0], of="preacts" if preacts else "outputs")
    close(one.h, found.h[0])
    close(readout.preacts(h), a.detach().numpy())


def test_cross_entropy_through_a_softmax_readout_either_way() -> None:
    """From the logits, and from ``-1 / p`` at the probabilities."""
    random = np.random.default_rng(0)
    W, b, h = (random.uniform(-1.0, 1.0, shape) for shape in ((3, 2), 3, (4, 2)))
    readout = Readout(W, b, "softmax")
    classes = [0, 2, 1, 2]
    direct = readout_gradients(readout, h, cross_entropy(readout.preacts(h), classes).d_y, of="preacts")
    d_y = -np.eye(3)[classes] / readout(h)
    for one, other in zip(direct, readout_gradients(readout, h, d_y), strict=True):
        close(one, other)


@pytest.mark.parametrize("a", [20.0, -40.0, 300.0])
@pytest.mark.parametrize("activation", ["tanh", "sigmoid"])
def test_a_saturated_readout_keeps_its_slope(activation: str, a: float) -> None:
    s = 1 / (1 + mpmath.exp(-mpmath.mpf(a)))
    exact = {"tanh": mpmath.sech(a) ** 2, "sigmoid": s / (1 + mpmath.exp(mpmath.mpf(a)))}[activation]
    found = readout_gradients(Readout([[1.0]], [a], activation), [[0.0]], [[1.0]])
    assert found.b.item() == pytest.approx(float(exact), rel=1e-13, abs=0.0)


def test_losses_are_read_only_and_survive_a_copy() -> None:
    loss = copy.deepcopy(squared_error([[1.0], [3.0]], [[0.0], [1.0]]))
    assert (loss.value, loss.by_step.tolist(), loss.d_y.tolist()) == (5.0, [1.0, 4.0], [[2.0], [4.0]])
    assert not loss.by_step.flags.writeable
    assert not loss.d_y.flags.writeable


y = np.zeros((4, 2))
readout = Readout(np.zeros((2, 3)), np.zeros(2))
h = np.zeros((4, 3))
anything: Any = None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: squared_error(y, y[:3]),
            ["target must be (4, 2) for 4 steps of 2 outputs; got (3, 2)", "One row for each step"],
        ),
        (lambda: squared_error(y, y[:, 0]), ["target must be (4, 2)", "got (4,)"]),
        (lambda: squared_error(y, y, at="last"), ["target must be (2,) for the last step", "got (4, 2)", "target[-1]"]),
        (lambda: squared_error(y, y[0]), ["target must be (4, 2)", "got (2,)"]),
        (lambda: squared_error(y[0], y[0]), ["y must be (T, O)", "got (2,)"]),
        (lambda: squared_error(y[:0], y[:0]), ["y must be (T, O)", "got (0, 2)"]),
        (lambda: squared_error(y, y + np.nan), ["target row 1, column 1 (target[0, 0] in Python) is nan"]),
        (lambda: squared_error(y, y, at="first"), ["at 'first' is not known", "'every', 'last'"]),
        (
            lambda: cross_entropy(y, [0, 1]),
            ["target must be (4,) or (4, 2) for 4 steps of 2 classes; got (2,)", "zero-based class of each step"],
        ),
        (lambda: cross_entropy(y, [0, 1, 2, 0]), ["classes in 0..1", "got 2.0 for step 3"]),
        (lambda: cross_entropy(y, [0, 1, -1, 0]), ["got -1.0 for step 3"]),
        (lambda: cross_entropy(y, [0, 0.5, 1, 0]), ["got 0.5 for step 2"]),
        (lambda: cross_entropy(y, y), ["rows of zeros with a single 1", "got [0.0, 0.0] for step 1"]),
        (lambda: cross_entropy(y, y + 0.5), ["got [0.5, 0.5] for step 1"]),
        (lambda: cross_entropy(y, [[0, 1], [1, 0], [1, 1], [0, 1]]), ["got [1.0, 1.0] for step 3"]),
        (lambda: cross_entropy(y, [0, 1, 0, 1], at="last"), ["target must be one class or (2,); got (4,)"]),
        (lambda: cross_entropy(y, "abab"), ["target must hold real numbers; got str", "zero-based class"]),
        (lambda: cross_entropy(y, [0, np.nan, 0, 0]), ["target entry 2 (target[1] in Python) is nan"]),
        (lambda: cross_entropy(y, 2, at="last"), ["classes in 0..1", "got 2.0"]),
        (lambda: readout_gradients(readout, h, y[:3]), ["d_y must be (4, 2) for states (4, 3)", "got (3, 2)"]),
        (lambda: readout_gradients(readout, y, y), ["h must be (..., 3) for a readout from 3 units; got (4, 2)"]),
        (lambda: readout_gradients(readout, h, y, of="logits"), ["of 'logits' is not known", "'outputs', 'preacts'"]),
        (lambda: readout_gradients(readout, h, y * np.nan), ["d_y row 1, column 1", "is nan"]),
        (
            lambda: readout_gradients(Readout([[1e200]], [0.0]), [[0.0]], [[1e200]]),
            ["The gradient of the readout overflows float64", "Lower d_y, W or h"],
        ),
    ],
)
def test_refusals(call: Callable[[], Any], words: list[str]) -> None:
    assert_refused(call, words)
