"""From the loss through the readouts to the hidden states, against torch's own loss and against finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import InputError, Readout
from rnnviz.maths.checks import Array
from rnnviz.maths.learning_rules.loss_pass import LossPass, take_loss_back

from .drawn import close
from .test_losses import ACTIVATIONS
from .twins import tensor


@st.composite
def asked(draw: st.DrawFn) -> tuple[Array, tuple[Readout, ...], Array, str, Any]:
    """Hidden states, up to two readouts, targets, a loss, and the steps that have one."""
    steps, hidden, outputs = draw(st.integers(1, 5)), draw(st.integers(2, 4)), draw(st.integers(2, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    layers = draw(st.integers(0, 2))
    head = Readout(
        random.normal(size=(outputs, hidden)), random.normal(size=outputs), draw(st.sampled_from([*ACTIVATIONS]))
    )
    first = Readout(random.normal(size=(hidden, hidden)), random.normal(size=hidden))
    readouts = ((), (head,), (first, head))[layers]
    size = outputs if readouts else hidden
    kind = draw(st.sampled_from(["squared", "cross_entropy"]))
    classes = np.eye(size)[random.integers(0, size, steps)]
    target = classes if kind == "cross_entropy" else random.normal(size=(steps, size))
    has_loss = np.array(draw(st.lists(st.booleans(), min_size=steps, max_size=steps).filter(any)))
    return random.normal(size=(steps, hidden)), readouts, target, kind, has_loss


def by_torch(h: Any, weights: list[Any], readouts: tuple[Readout, ...], target: Array, kind: str, has_loss: Any) -> Any:
    """The loss, in torch's own words."""
    y = logits = h
    for place, readout in enumerate(readouts):
        logits = y @ weights[2 * place].T + weights[2 * place + 1]
        y = ACTIVATIONS[readout.activation](logits)
    at, wanted = torch.tensor(has_loss), tensor(target)
    if kind == "squared":
        return torch.nn.functional.mse_loss(y[at], wanted[at], reduction="sum")
    return torch.nn.functional.cross_entropy(logits[at], wanted[at].argmax(dim=1), reduction="sum")


@given(asked())
def test_the_loss_and_all_gradients_are_torchs(one: tuple[Array, tuple[Readout, ...], Array, str, Any]) -> None:
    h, readouts, target, kind, has_loss = one
    found = take_loss_back(*one)
    leaf = tensor(h).requires_grad_()
    weights = [tensor(array).requires_grad_() for readout in readouts for array in (readout.W, readout.b)]
    loss = by_torch(leaf, weights, readouts, target, kind, has_loss)
    loss.backward()
    assert found.loss.value == pytest.approx(loss.item(), rel=1e-12)
    close(found.d_h, leaf.grad.numpy())
    for place, passed in enumerate(found.readouts):
        close(passed.W, weights[2 * place].grad.numpy())
        close(passed.b, weights[2 * place + 1].grad.numpy())


@given(asked())
def test_the_readouts_gradients_are_finite_differences(one: tuple[Array, tuple[Readout, ...], Array, str, Any]) -> None:
    h, readouts, target, kind, has_loss = one
    found, step = take_loss_back(*one), 1e-6
    for place, readout in enumerate(readouts):
        for name in ("W", "b"):
            index = tuple(size - 1 for size in getattr(readout, name).shape)
            values = []
            for sign in (1, -1):
                moved = {"W": readout.W.copy(), "b": readout.b.copy()}
                moved[name][index] += sign * step
                others = [*readouts]
                others[place] = Readout(moved["W"], moved["b"], readout.activation)
                values.append(take_loss_back(h, tuple(others), target, kind, has_loss).loss.value)
            gradient = getattr(found.readouts[place], name)[index]
            assert gradient == pytest.approx((values[0] - values[1]) / (2 * step), rel=1e-5, abs=1e-7)


@given(asked())
def test_each_number_follows_from_those_before_it(one: tuple[Array, tuple[Readout, ...], Array, str, Any]) -> None:
    found: LossPass = take_loss_back(*one)
    close(found.error, found.y - found.target)
    close(found.loss.d_y, found.factor[:, None] * found.error)
    assert (found.factor == 0).tolist() == (~found.has_loss).tolist()
    assert not found.d_h[~found.has_loss].any()
    arriving = found.loss.d_y
    for passed in reversed(found.readouts):
        close(passed.d_y, arriving)
        arriving = passed.d_a @ passed.readout.W
        close(passed.W, np.einsum("to,th->oh", passed.d_a, passed.read))
        along = np.random.default_rng(0).normal(size=passed.W.shape)
        contributions = np.einsum("to,th->toh", passed.d_a, passed.read)
        close(passed.along(along), (contributions * along).sum(axis=(1, 2)))
    close(found.d_h, arriving)


def test_an_almost_sure_class_keeps_the_digits_of_its_error() -> None:
    """softmax = 1 - 1e-20 rounds to 1, and its error is not 0."""
    found = take_loss_back(np.array([[46.0, 0.0]]), (), np.array([[1.0, 0.0]]), "cross_entropy", np.array([True]))
    assert found.error[0, 0] == pytest.approx(-np.exp(-46.0), rel=1e-12)


def test_no_step_with_a_loss_is_refused() -> None:
    with pytest.raises(InputError, match="No step has a target"):
        take_loss_back(np.ones((2, 2)), (), np.ones((2, 2)), "squared", np.zeros(2, dtype=bool))
