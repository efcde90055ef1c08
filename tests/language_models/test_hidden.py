"""Hidden layers, hidden states and histories against the textbook's formulas, row by row."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import InputError, make_cell
from rnnviz.language_models.hidden import hidden_of
from rnnviz.language_models.histories import UNITS, known_of
from rnnviz.maths.checks import Array

seeds = st.integers(0, 2**32 - 1)


def drawn(seed: int, T: int = 5, D: int = 2, H: int = 3) -> tuple[Array, Array, Array, Array]:
    random = np.random.default_rng(seed)
    x = random.integers(0, 2, (T, D)).astype(float)
    return x, random.normal(size=(D, H)), random.normal(size=(H, H)), random.normal(size=(1, H))


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu", "identity"])
@given(seeds)
def test_both_are_those_of_the_row_convention(activation: str, seed: int) -> None:
    """X W_xh + H W_hh + b, and the same as one product of [X, H] with the stacked weights."""
    x, W_xh, W_hh, b_h = drawn(seed)
    found = hidden_of(x, W_xh, W_hh, b_h, activation)
    X, phi = torch.tensor(x), {"identity": lambda a: a}.get(activation) or getattr(torch, activation)
    weights = [torch.tensor(one) for one in (W_xh, W_hh, b_h)]
    np.testing.assert_allclose(found.layer, phi(X @ weights[0] + weights[2]), rtol=1e-12, atol=1e-12)
    H, stacked = torch.zeros(1, 3, dtype=torch.float64), torch.cat(weights[:2])
    for t in range(len(x)):
        H = phi(torch.cat([X[t : t + 1], H], dim=1) @ stacked + weights[2])
        np.testing.assert_allclose(found.state[t], H[0], rtol=1e-10, atol=1e-10)


@given(seeds)
def test_equal_inputs_have_equal_layers_and_the_pair_that_differs_most_is_named(seed: int) -> None:
    found = hidden_of(*drawn(seed, T=6), "tanh")
    pair = found.equal_inputs
    equal = [(a, b) for a in range(1, 7) for b in range(a + 1, 7) if (found.x[a - 1] == found.x[b - 1]).all()]
    assert (pair is None) == (not equal)
    for a, b in equal:
        np.testing.assert_array_equal(found.layer[a - 1], found.layer[b - 1])
    if pair:
        assert pair in equal
        assert found.apart(*pair) == max(np.abs(found.state[a - 1] - found.state[b - 1]).max() for a, b in equal)


def test_without_W_hh_the_states_are_the_layers() -> None:
    x, W_xh, W_hh, b_h = drawn(3)
    found = hidden_of(x, W_xh, 0 * W_hh, b_h, "tanh")
    np.testing.assert_array_equal(found.layer, found.state)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        ({"W_xh": np.zeros((3, 3))}, "W_xh is 3 × 3, but it must be 2 × 3 to fit the columns of x"),
        ({"W_hh": np.zeros((3, 2))}, "W_hh is 3 × 2, but it must be 3 × 3 to fit the columns of W_xh"),
        ({"b_h": np.zeros((1, 2))}, "b_h is 1 × 2, but it must be 1 × 3"),
    ],
)
def test_shapes_that_do_not_fit_are_named(broken: dict[str, Array], words: str) -> None:
    arrays = dict(zip(("x", "W_xh", "W_hh", "b_h"), drawn(0), strict=True)) | broken
    with pytest.raises(InputError, match=words):
        hidden_of(**arrays, activation="tanh")


def test_a_history_is_read_letter_by_letter() -> None:
    """By the network of torch with the same weights; the context is the last n - 1 characters."""
    texts, characters = ("the machin", "a big machin"), " abceghimnt"
    for n in (1, 2, 5, 10):
        known = known_of(texts, n, seed=4)
        cell = make_cell("elman", len(characters), UNITS, init="orthogonal", seed=4)
        rnn = torch.nn.RNN(len(characters), UNITS).double()
        for name in ("W_ih", "W_hh", "b_ih", "b_hh"):
            getattr(rnn, f"{name.replace('W', 'weight').replace('b_', 'bias_')}_l0").data = torch.tensor(
                getattr(cell, name).copy()
            )
        for text, one in zip(texts, known, strict=True):
            assert one.context == (text[-(n - 1) :] if n > 1 else "")
            np.testing.assert_allclose(
                one.h,
                rnn(torch.eye(len(characters)).double()[[characters.index(sign) for sign in text]])[0][-1].detach(),
                atol=1e-12,
            )


@given(st.text(max_size=30), st.text(max_size=30), st.integers(1, 10))
def test_any_two_texts_can_be_read(first: str, second: str, n: int) -> None:
    known = known_of((first, second), n, 0)
    assert [one.context for one in known] == [text[max(0, len(text) - n + 1) :] for text in (first, second)]
    assert all(np.isfinite(one.h).all() for one in known)
    if first == second:
        np.testing.assert_array_equal(known[0].h, known[1].h)
