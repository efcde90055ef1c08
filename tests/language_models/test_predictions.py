"""What networks predict, against torch.nn and decimals of 50 digits."""

from __future__ import annotations

import copy
import math
import pickle
from decimal import Decimal, localcontext
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rnnviz import Cell, ElmanCell, Readout, StateOverflowError, cross_entropy, make_cell, run_stack
from rnnviz.language_models.predictions import log_softmax, predictions_of
from rnnviz.maths.checks import Array
from tests.maths.drawn import TORCH_FORMS, make_case
from tests.maths.refused import assert_refused
from tests.maths.twins import tensor, torch_network

BY_KIND = {"elman": TORCH_FORMS[0], "lstm": TORCH_FORMS[2], "gru": TORCH_FORMS[3]}


class Model(NamedTuple):
    cells: tuple[Cell, ...]
    readout: Readout
    codes: Array
    h0s: tuple[Array, ...]

    @property
    def x(self) -> Array:
        return np.eye(len(self.readout.b))[self.codes[:-1]]


def make_model(forms: Any, V: int, sizes: Any, N: int, seed: int, shift: float = 0.0, scale: float = 1.0) -> Model:
    """Layers of these forms and sizes, a readout of numbers up to `scale` and a text."""
    random = np.random.default_rng(seed)
    inputs = [V, *sizes]
    cases = [
        make_case(form, D, H, 1, seed + layer, shift)
        for layer, (form, D, H) in enumerate(zip(forms, inputs, sizes, strict=False))
    ]
    readout = Readout(random.uniform(-scale, scale, (V, sizes[-1])), random.uniform(-1.0, 1.0, V), "softmax")
    return Model(
        tuple(case.cell for case in cases), readout, random.integers(0, V, N), tuple(case.h0 for case in cases)
    )


def models(max_length: int = 12) -> st.SearchStrategy[Model]:
    """One or two layers, of one kind or mixed, with gates from free to saturated and logits from mild to huge."""
    return st.builds(
        make_model,
        st.lists(st.sampled_from(TORCH_FORMS), min_size=2, max_size=2),
        st.integers(1, 5),
        st.lists(st.integers(1, 6), min_size=1, max_size=2).map(tuple),
        st.integers(2, max_length),
        st.integers(0, 2**32 - 3),
        st.sampled_from([0.0, 30.0, 800.0]),
        st.sampled_from([1.0, 30.0, 1e6]),
    )


def torch_log_p(model: Model, x: torch.Tensor) -> torch.Tensor:
    """The same by torch.nn, layer on layer: (T, D) to (T, V)."""
    for cell, h0 in zip(model.cells, model.h0s, strict=True):
        start = tensor(h0)[None]
        network: Any = torch_network([cell])
        x = network(x, start if "c" not in cell.state_names else (start, torch.zeros_like(start)))[0]
    return torch.log_softmax(x @ tensor(model.readout.W).T + tensor(model.readout.b), dim=-1)


def close(found: Any, expected: Any, model: Model) -> None:
    """To rounding of what the logits are sums of: those of a million have no more digits."""
    h = run_stack(model.cells, model.x, model.h0s)[-1].h
    largest = max(1.0, (np.abs(h) @ np.abs(model.readout.W.T)).max(), np.abs(np.asarray(expected)).max())
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-12 * largest)


def of_logits(*logits: float) -> tuple[tuple[Cell, ...], Readout]:
    """A network that predicts these logits whatever it reads."""
    V = len(logits)
    return (make_cell("gru", V, 1),), Readout(np.zeros((V, 1)), logits, "softmax")


@given(models())
def test_predictions_are_torchs(model: Model) -> None:
    found = predictions_of(*model)
    expected = torch_log_p(model, tensor(model.x)).detach()
    close(found.log_probabilities, expected, model)
    close(found.probabilities, expected.exp(), model)
    losses = torch.nn.functional.nll_loss(expected, torch.tensor(model.codes[1:]), reduction="none")
    close(found.losses, losses, model)
    np.testing.assert_array_equal(found.targets, model.codes[1:])
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1.0, rtol=1e-12)


@given(models())
def test_losses_are_those_of_the_maths_core(model: Model) -> None:
    """In every digit, however sure the network is; and the traces are those of the run."""
    found = predictions_of(*model)
    traces = run_stack(model.cells, model.x, model.h0s)
    for one, other in zip(found.traces, traces, strict=True):
        np.testing.assert_array_equal(one.states, other.states)
    expected = cross_entropy(model.readout.preacts(traces[-1].h[1:]), model.codes[1:]).by_step
    np.testing.assert_allclose(found.losses, expected, rtol=1e-13, atol=0.0)
    assert not np.signbit(found.losses).any()


@pytest.mark.parametrize("kind", BY_KIND)
@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("N", [2, 300])
def test_each_kind_alone_and_stacked(kind: str, layers: int, N: int) -> None:
    """Also on a long text and on the shortest, with states that begin at zero."""
    model = make_model([BY_KIND[kind]] * layers, 7, (5,) * layers, N, seed=3, scale=3.0)
    begun = model._replace(h0s=tuple(np.zeros(5) for _ in range(layers)))
    found = predictions_of(model.cells, model.readout, model.codes)
    assert found.log_probabilities.shape == (N - 1, 7)
    close(found.log_probabilities, torch_log_p(begun, tensor(model.x)).detach(), begun)


@given(st.lists(st.floats(-1e300, 1e300) | st.floats(-50.0, 50.0), min_size=1, max_size=6))
@settings(max_examples=50)
def test_the_log_softmax_keeps_all_digits(logits: list[float]) -> None:
    found = log_softmax(np.array([logits, [0.0] * len(logits)]))[0]
    with localcontext(prec=120):
        largest = max(map(Decimal, logits))
        below = [Decimal(a) - largest for a in logits]
        rest = sum((d.exp() for d in below if d > -200), Decimal(0)).ln()  # further down the digits of 1 + exp end
        expected = [float(d - rest) for d in below]
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-85)


def test_a_loss_far_below_the_rounding_of_one() -> None:
    """The logarithm of the rounded probability would be 0."""
    found = predictions_of(*of_logits(100.0, 0.0), [0, 0, 1])
    assert found.probabilities[0, 0] == 1.0
    np.testing.assert_allclose(found.losses, [math.exp(-100.0), 100.0], rtol=1e-14)


def test_huge_logits() -> None:
    found = predictions_of(*of_logits(1e308, 0.0, -7e307), [0, 0, 1, 2])
    assert found.log_probabilities[0].tolist() == [0.0, -1e308, -1.7e308]
    assert found.losses[:2].tolist() == [0.0, 1e308]
    assert found.perplexity == math.inf


def test_logits_further_apart_than_float64_reaches() -> None:
    found = predictions_of(*of_logits(1.7e308, -1.7e308), [0, 1, 0])
    assert found.log_probabilities[0].tolist() == [0.0, -math.inf]
    assert [found.total, found.mean, found.perplexity] == [math.inf] * 3
    assert found.likeliest(1) == [(0, 1.0), (1, 0.0)]


@given(models())
def test_the_summary_is_that_of_the_probabilities(model: Model) -> None:
    """The perplexity is the inverse geometric mean of the probabilities of what came."""
    model = model._replace(readout=Readout(np.tanh(model.readout.W), model.readout.b, "softmax"))
    found = predictions_of(*model)
    p = [float(row[code]) for row, code in zip(found.probabilities, found.targets, strict=True)]
    assume(min(p) > 1e-20)  # for the product
    np.testing.assert_allclose(found.total, -sum(map(math.log, p)), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.mean, found.total / len(p))
    np.testing.assert_allclose(found.perplexity, math.prod(p) ** (-1 / len(p)), rtol=1e-9)


def test_a_network_that_knows_nothing_has_the_perplexity_of_its_vocabulary() -> None:
    found = predictions_of(*of_logits(*[5.0] * 9), [0, 8, 3])
    np.testing.assert_allclose([found.perplexity, found.mean], [9.0, math.log(9.0)], rtol=1e-15)


@given(models(), st.data())
def test_the_likeliest_are_the_first_of_all_sorted(model: Model, data: st.DataObject) -> None:
    found = predictions_of(*model)
    t, count = data.draw(st.integers(1, len(found.targets))), data.draw(st.integers(1, 8))
    log_p = found.log_probabilities[t - 1]
    order = sorted(range(len(log_p)), key=lambda code: (-log_p[code], code))
    expected = [(code, found.probabilities[t - 1, code]) for code in order[:count]]
    assert found.likeliest(t, count) == expected
    assert {type(one) for pair in found.likeliest(t, count) for one in pair} == {int, float}


def test_ties_go_by_code() -> None:
    found = predictions_of(*of_logits(0.0, 1.0, 0.0, 1.0, -2000.0, -1000.0), [0, 1])
    assert [code for code, _ in found.likeliest(1, 6)] == [1, 3, 0, 2, 5, 4]
    found = predictions_of(*of_logits(*[0.0, 1.0] * 50), [0, 1])
    assert [code for code, _ in found.likeliest(1, 100)] == [*range(1, 100, 2), *range(0, 100, 2)]


def test_what_is_kept_is_read_only_and_survives_a_pickle() -> None:
    found = predictions_of(*of_logits(0.5, 0.0), [0, 1, 1])
    for one in (found, copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        np.testing.assert_array_equal(one.losses, found.losses)
        for array in (one.targets, one.log_probabilities, one.losses):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 0


CELLS, READOUT = of_logits(0.0, 0.0)


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"codes": [1]}, ["codes has 1 character, but at least 2 are needed."]),
        ({"codes": []}, ["codes has 0 characters"]),
        ({"codes": [[0, 1]]}, ["codes must be a row of characters; got the shape (1, 2)."]),
        ({"codes": [0, 1, 2]}, ["codes[2] is 2; the model knows the characters 0..1."]),
        ({"codes": [0, -1]}, ["codes[1] is -1"]),
        ({"codes": [0.5, 1]}, ["codes[0] is 0.5"]),
        ({"codes": ["a", "b"]}, ["real numbers"]),
        ({"readout": Readout(READOUT.W, READOUT.b)}, ["must be a softmax; got identity"]),
        ({"readout": Readout(np.zeros((3, 1)), np.zeros(3), "softmax")}, ["must be (2, 1)", "got (3, 1)"]),
        ({"readout": Readout(np.zeros((2, 4)), np.zeros(2), "softmax")}, ["must be (2, 1)", "got (2, 4)"]),
        ({"readout": Readout([[1e308], [0.0]], [1e308, 0.0], "softmax"), "h0s": ([9.0],)}, ["readout overflows"]),
        ({"h0s": ([0.0, 0.0],)}, ["Layer 1: h0 must be (1,)"]),
        ({"h0s": ([0.0], [0.0])}, ["h0 must hold 1 vectors"]),
    ],
)
def test_what_does_not_fit_is_refused(given_: dict[str, Any], words: list[str]) -> None:
    assert_refused(lambda: predictions_of(**{"cells": CELLS, "readout": READOUT, "codes": [0, 1]} | given_), words)


@pytest.mark.parametrize(("t", "count"), [(0, 1), (3, 1), (1, 0)])
def test_steps_and_counts_out_of_range_are_refused(t: int, count: int) -> None:
    found = predictions_of(CELLS, READOUT, [0, 1, 0])
    assert_refused(lambda: found.likeliest(t, count), ["must be an integer"])


def test_an_overflow_names_the_step() -> None:
    grows = ElmanCell([[1.0, 1.0]], [[1e200]], [0.0], [0.0], activation="identity")
    with pytest.raises(StateOverflowError, match="at step 3"):
        predictions_of((grows,), READOUT, [0, 1, 0, 1])
