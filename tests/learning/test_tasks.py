"""The tasks: what they draw is what they promise, and the targets are those of a plain count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import InputError
from rnnviz.language_models.corpus import corpus_of
from rnnviz.learning import bits, brackets, depth, parity
from rnnviz.learning.examples import Characters, Series

seeds = st.integers(0, 2**32 - 1)
lengths = st.integers(1, 80)


def text_of(x: np.ndarray) -> str:
    """The brackets as they are written; anything but a single 1 in a step is refused."""
    return "".join({(1.0, 0.0): "(", (0.0, 1.0): ")"}[tuple(step)] for step in x.tolist())


def depths(text: str) -> list[int]:
    """The number of open brackets after each sign, by taking off what a closing one closes."""
    stack: list[str] = []
    found = []
    for sign in text:
        if sign == "(":
            stack.append(sign)
        else:
            stack.pop()  # nothing there to close is an IndexError
        found.append(len(stack))
    return found


def test_a_seed_stands_for_the_same_sequence_for_ever() -> None:
    assert text_of(brackets(24, seed=7)) == "()()()(((())((()(()())()"
    assert "".join(str(int(bit)) for bit in bits(24, seed=7)[:, 0]) == "101011110101010000100011"


@given(lengths, seeds, st.integers(1, 10))
def test_no_bracket_closes_what_was_not_opened(steps: int, seed: int, deepest: int) -> None:
    x = brackets(steps, seed, deepest)
    assert x.shape == (steps, 2)
    assert x.dtype == np.float64
    assert max(depths(text_of(x))) <= deepest


def test_brackets_go_to_the_deepest_and_back_by_even_odds() -> None:
    x = brackets(4000, seed=1)
    found = np.array(depths(text_of(x)))
    assert set(found) == set(range(9))
    inside = (found[:-1] > 0) & (found[:-1] < 8)  # where both may come next
    assert abs(x[1:][inside, 0].mean() - 0.5) < 0.03


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_depth_is_what_stays_open(coins: list[bool]) -> None:
    text = ""
    for opens in coins:
        text += "(" if opens or text.count("(") == text.count(")") else ")"
    x = np.array([[sign == "(", sign == ")"] for sign in text], dtype=np.float64)
    assert depth(x).tolist() == depths(text)


@given(lengths, seeds)
def test_bits_are_zeros_and_ones(steps: int, seed: int) -> None:
    x = bits(steps, seed)
    assert x.shape == (steps, 1)
    assert x.dtype == np.float64
    assert set(x[:, 0]) <= {0.0, 1.0}


def test_bits_have_even_odds() -> None:
    assert abs(bits(4000, seed=1).mean() - 0.5) < 0.03


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_parity_is_odd_or_even(ones: list[bool]) -> None:
    odd = False
    for one, found in zip(ones, parity(np.array(ones, dtype=np.float64)[:, None]), strict=True):
        odd = odd != one
        assert found == odd


@given(lengths, lengths, seeds)
def test_a_longer_sequence_begins_like_a_shorter_one(few: int, more: int, seed: int) -> None:
    for draw in (brackets, bits):
        np.testing.assert_array_equal(draw(few + more, seed)[:few], draw(few, seed))


@pytest.mark.parametrize(
    "values",
    [
        np.arange(60) % 2 * 1.7e308,
        np.arange(60) % 7 * 5e-324,
        np.arange(60) % 2 * 1e-170,
        [[1e300 * (-1) ** t] for t in range(60)],
    ],
)
def test_a_series_without_a_scale_in_float64_is_refused(values: np.ndarray) -> None:
    with pytest.raises(InputError, match="too large or too close together"):
        Series(np.reshape(values, (-1, 1)), 3)


@given(st.integers(-140, 140), seeds)
def test_a_series_of_any_units_has_mean_0_and_deviation_1_where_it_is_learned(power: int, seed: int) -> None:
    values = np.random.default_rng(seed).normal(size=(60, 2)) * 10.0**power
    learned = Series(values, 3).values[:48]
    np.testing.assert_allclose(learned.mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(learned.std(axis=0), 1.0, rtol=1e-12)


def test_windows_of_a_text_are_shifted_by_one_and_the_end_is_held_back() -> None:
    text = "the quick brown fox jumps over the lazy dog. " * 4
    corpus = corpus_of(text)
    task = Characters(corpus.codes, len(corpus.characters), corpus.cut, steps=7)
    random = np.random.RandomState(0)
    drawn, tested = task.draw(200, random), task.held_back(5, random)
    assert task.is_tested_apart
    for examples, part in ((drawn, text[: corpus.cut]), (tested, text[corpus.cut :])):
        for x, target in zip(examples.x, examples.target, strict=True):
            read = "".join(corpus.characters[code] for code in x.argmax(axis=1))
            asked = "".join(corpus.characters[code] for code in target)
            assert read[1:] == asked[:-1]
            assert read + asked[-1] in part
            assert (x.sum(axis=1) == 1.0).all()
        assert examples.counted.all()
    assert len(tested.x) == 5
    starts = {"".join(corpus.characters[code] for code in x.argmax(axis=1)) for x in task.draw(999, random).x}
    assert len(starts) == len({text[at : at + 7] for at in range(corpus.cut - 7)})  # every window is drawn
    assert len(task.held_back(10_000, random).x) == len(text) - corpus.cut - 7


def test_a_text_too_short_to_hold_anything_back_is_tested_on_itself() -> None:
    corpus = corpus_of("machine")
    task = Characters(corpus.codes, 7, corpus.cut, steps=5)
    assert not task.is_tested_apart
    assert len(task.held_back(9, np.random.RandomState(0)).x) == 2
    with pytest.raises(InputError, match="6 characters for training, but windows of 6 steps need at least 7"):
        Characters(corpus.codes, 7, corpus.cut, steps=6)
