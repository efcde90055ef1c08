"""Influences against torch's autograd and against torch reading the whole text again without each character."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rnnviz import ElmanCell, Readout
from rnnviz.language_models.influences import influences_of
from rnnviz.maths.checks import Array
from tests.maths.refused import assert_refused
from tests.maths.twins import tensor

from .test_predictions import BY_KIND, Model, close, make_model, models, of_logits, torch_log_p


def torch_influences(model: Model, t: int) -> tuple[Array, Array]:
    """Autograd, and t runs from the first step on."""
    x, target = tensor(model.x[:t]).requires_grad_(), int(model.codes[t])
    log_p = torch_log_p(model, x)[-1, target]
    (d_x,) = torch.autograd.grad(log_p, x)
    left_out = np.empty(t)
    with torch.no_grad():
        for k in range(t):
            without = x.clone()
            without[k] = 0.0
            left_out[k] = log_p - torch_log_p(model, without)[-1, target]
    return (x * d_x).sum(dim=1).detach().numpy(), left_out


@given(models(8), st.data())
@settings(max_examples=40)
def test_both_are_torchs(model: Model, data: st.DataObject) -> None:
    t = data.draw(st.integers(1, len(model.codes) - 1))
    found = influences_of(model.cells, model.readout, model.codes, t, model.h0s)
    gradient, left_out = torch_influences(model, t)
    close(found.gradient_times_input, gradient, model)
    close(found.left_out, left_out, model)


@pytest.mark.parametrize("kind", BY_KIND)
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("t", [1, 30])
def test_each_kind_alone_and_stacked(kind: str, layers: int, t: int) -> None:
    """Also on a long text and on the shortest, with states that begin at zero."""
    model = make_model([BY_KIND[kind]] * layers, 4, (5,) * layers, 40, seed=2, scale=3.0)
    begun = model._replace(h0s=tuple(np.zeros(5) for _ in range(layers)))
    found = influences_of(model.cells, model.readout, model.codes, t)
    gradient, left_out = torch_influences(begun, t)
    assert found.left_out.shape == (t,)
    assert np.abs(gradient).max() > 1e-3
    np.testing.assert_allclose(found.gradient_times_input, gradient, rtol=1e-9, atol=1e-13)
    np.testing.assert_allclose(found.left_out, left_out, rtol=1e-9, atol=1e-13)


@given(models(8))
@settings(max_examples=40)
def test_to_first_order_in_the_input_both_are_the_same(model: Model) -> None:
    """With input weights of a millionth they differ by a millionth of their size."""
    first = replace(model.cells[0], W_ih=1e-6 * model.cells[0].W_ih)
    model = model._replace(
        cells=(first, *model.cells[1:]), readout=Readout(np.tanh(model.readout.W), model.readout.b, "softmax")
    )
    found = influences_of(model.cells, model.readout, model.codes, len(model.codes) - 1, model.h0s)
    assume(np.abs(found.gradient_times_input).max() < 1e-4)  # relu layers may blow the millionth up
    np.testing.assert_allclose(found.left_out, found.gradient_times_input, rtol=1e-3, atol=1e-9)


@given(models(8))
@settings(max_examples=40)
def test_what_comes_after_the_target_does_not_matter(model: Model) -> None:
    t, n = len(model.codes) // 2, len(model.codes)
    cut = influences_of(model.cells, model.readout, model.codes[: t + 1], t, model.h0s)
    whole = influences_of(model.cells, model.readout, np.append(model.codes, model.codes[: n - t]), t, model.h0s)
    np.testing.assert_array_equal(cut.gradient_times_input, whole.gradient_times_input)
    np.testing.assert_array_equal(cut.left_out, whole.left_out)


def test_a_network_that_is_sure_keeps_its_digits() -> None:
    """``h_t = 40 x_t``, log p = -log(1 + exp(-h)): where p rounds to 1, p - 1 would be 0."""
    counts = ElmanCell([[40.0, 0.0]], [[0.0]], [0.0], [0.0], activation="identity")
    found = influences_of((counts,), Readout([[1.0], [0.0]], np.zeros(2), "softmax"), [1, 0, 0], 2)
    np.testing.assert_allclose(found.gradient_times_input, [0.0, 40 * math.exp(-40)], rtol=1e-12)
    np.testing.assert_allclose(found.left_out, [0.0, math.log(2)], rtol=1e-12)


def test_a_saturated_unit_hides_from_the_gradient_only() -> None:
    shut = ElmanCell([[1000.0, 0.0]], [[0.0]], [0.0], [0.0])
    found = influences_of((shut,), Readout([[1.0], [0.0]], np.zeros(2), "softmax"), [0, 0], 1)
    assert found.gradient_times_input.tolist() == [0.0]
    np.testing.assert_allclose(found.left_out, [math.log(2) - math.log1p(math.exp(-1))])


@pytest.mark.parametrize("codes", [[0, 0], [0, 0, 0, 0]])
def test_one_character_owes_nothing(codes: list[int]) -> None:
    """A vocabulary of one is always certain; the zeros have no sign."""
    found = influences_of(*of_logits(3.0), codes, len(codes) - 1)
    for array in (found.gradient_times_input, found.left_out):
        assert array.tolist() == [0.0] * (len(codes) - 1)
        assert not np.signbit(array).any()


def test_what_is_kept_is_read_only_and_survives_a_pickle() -> None:
    model = make_model([BY_KIND["gru"]], 3, (2,), 5, seed=0)
    found = influences_of(model.cells, model.readout, model.codes, 3)
    for one in (found, copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        np.testing.assert_array_equal(one.left_out, found.left_out)
        for array in (one.gradient_times_input, one.left_out):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


CELLS, READOUT = of_logits(0.0, 0.0)


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"t": 0}, ["t must be an integer in 1..2; got 0"]),
        ({"t": 3}, ["t must be an integer in 1..2; got 3"]),
        ({"codes": [0]}, ["codes has 1 character, but at least 2 are needed"]),
        ({"codes": [0, 1, 5]}, ["codes[2] is 5"]),
        ({"readout": Readout(READOUT.W, READOUT.b)}, ["must be a softmax"]),
        ({"readout": Readout([[0.0], [0.0]], [1.7e308, -1.7e308], "softmax")}, ["The loss overflows"]),
        ({"h0s": ([0.0, 0.0],)}, ["Layer 1: h0 must be (1,)"]),
    ],
)
def test_what_does_not_fit_is_refused(given_: dict[str, Any], words: list[str]) -> None:
    assert_refused(
        lambda: influences_of(**{"cells": CELLS, "readout": READOUT, "codes": [0, 1, 1], "t": 1} | given_), words
    )


def test_an_overflow_without_a_character_names_it() -> None:
    """Character 3 takes back what character 2 wrote, after which the state stays at 0; else it grows."""
    cancels = ElmanCell([[1.0, -1e100, 0.0]], [[1e100]], [0.0], [0.0], activation="identity")
    readout = Readout(np.zeros((3, 1)), np.zeros(3), "softmax")
    assert_refused(
        lambda: influences_of((cancels,), readout, [2, 0, 1, 2, 2, 2, 2], 6),
        ["Without character 2, steps counted from there: Layer 1: ", "at step 5 of 5"],
    )
