"""The sentences and figures of the road from n-grams to hidden states, each against numbers made another way."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotly.graph_objects import Figure

from rnnviz.language_models.hidden import hidden_of
from rnnviz.language_models.histories import known_of
from rnnviz.learning.echo import CHANCE, Echo
from rnnviz.views.charts.from_ngrams import count_figure, known_figure, learned_figure
from rnnviz.views.sentences.from_ngrams import (
    count,
    count_columns,
    count_words,
    hidden_rows,
    hidden_words,
    known_words,
    learned_columns,
    learned_words,
)
from tests.views.spoken import number, whole
from tests.views.written import four_digits


def test_the_count_of_the_first_screen() -> None:
    assert count_words(27, 5, 64) == (
        "A table of 5-grams over 27 characters has 14,348,907 entries. The RNN with 64 units has 7,643 parameters, "
        "however long the text. From n = 3 on the table is the larger one."
    )
    assert count_words(1, 5, 1).endswith(
        "With a single character there is nothing to predict: every table has one entry."
    )
    assert "1 unit has 5 parameters" in count_words(1, 5, 1)


@given(st.integers(1, 10**6), st.integers(1, 10))
def test_a_count_has_all_digits_or_four(vocabulary: int, n: int) -> None:
    entries, said = vocabulary**n, count(vocabulary**n)
    if entries < 10**15:
        assert int(said.replace(",", "")) == entries
    else:
        assert abs(Fraction(float(number(said))) / entries - 1) < Fraction(6, 10000)


def test_the_table_and_the_figure_have_the_same_counts() -> None:
    columns = list(count_columns(1_000_000, 4096).values())
    drawn = count_figure(1_000_000, 4, 4096)
    Figure(drawn)
    for trace, column in zip(drawn["data"], columns[1:], strict=True):
        exact = [int(str(text).replace(",", "")) for text in column]
        np.testing.assert_allclose(trace["y"], [math.log10(one) for one in exact])
        assert trace["x"] == columns[0]
    assert str(columns[1][-1]).replace(",", "") == str(10**60)
    low, high = drawn["layout"]["yaxis"]["range"]
    assert low <= min(min(trace["y"]) for trace in drawn["data"]) <= 60 <= high
    assert [shape["x0"] for shape in drawn["layout"]["shapes"]] == [4]


@pytest.mark.parametrize(
    ("first", "second", "n", "key"),
    [
        ("the machin", "a big machin", 5, "blind"),
        ("the machin", "a big machin", 1, "blind.none"),
        ("machin", "begin", 4, "sees"),
        ("machin", "machin", 3, "same"),
        ("", "", 3, "empty"),
        ("", "a", 1, "blind.none"),
        ("a" + "b" * 150, "c" + "b" * 150, 3, "blind"),
    ],
)
def test_what_is_left_of_two_histories(first: str, second: str, n: int, key: str) -> None:
    known = known_of((first, second), n, 0)
    slots = whole(f"ngrams.known.{key}", known_words((first, second), n, known))
    if "distance" in slots:
        assert four_digits(slots["distance"], math.dist(known[0].h, known[1].h))
    if "context" in slots:
        assert slots["context"] == first[-(n - 1) :] == second[-(n - 1) :]
    if key == "sees":
        assert (slots["first"], slots["second"]) == (first[-(n - 1) :], second[-(n - 1) :])


def test_a_network_can_forget_too() -> None:
    known = known_of(("ab", "bb"), 2, 0)
    forgot = (known[0], type(known[0])(known[1].context, known[0].h))
    assert whole("ngrams.known.blind.forgot", known_words(("ab", "bb"), 2, forgot))["context"] == "b"
    other = (known[0], type(known[0])("a", known[0].h))
    assert whole("ngrams.known.sees.equal", known_words(("ab", "ba"), 2, other)) == {
        "n": "2", "first": "b", "second": "a",
    }  # fmt: skip


def test_the_hidden_states_are_drawn_unit_by_unit() -> None:
    known = known_of(("the machin", "a big machin"), 3, 1)
    drawn = known_figure(("First", "Second"), known)
    Figure(drawn)
    for trace, one in zip(drawn["data"], known, strict=True):
        np.testing.assert_array_equal(trace["y"], one.h)


def test_what_is_said_of_equal_inputs() -> None:
    W_xh, W_hh, b = np.array([[0.8], [-0.4]]), np.array([[0.5]]), np.zeros((1, 1))
    x = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    found = hidden_of(x, W_xh, W_hh, b, "tanh")
    slots = whole("ngrams.hidden.pair", hidden_words(found))
    h1 = math.tanh(0.8)
    h3 = math.tanh(0.8 + 0.5 * math.tanh(-0.4 + 0.5 * h1))
    assert (slots["first"], slots["second"]) == ("1", "3")
    assert four_digits(slots["apart"], abs(h3 - h1))
    assert whole("ngrams.hidden.no_state", hidden_words(hidden_of(x, W_xh, 0 * W_hh, b, "tanh"))) == {}
    assert whole("ngrams.hidden.no_pair", hidden_words(hidden_of(x[:2], W_xh, W_hh, b, "tanh"))) == {}
    dead = hidden_of(x, -W_xh, W_hh, b - 9.0, "relu")
    assert whole("ngrams.hidden.pair.equal", hidden_words(dead)) == {"first": "1", "second": "3"}
    head, rows = hidden_rows(found)
    assert len(head) == 1 + len(rows[0][1])
    for t, (title, (x_t, layer, carried, state)) in enumerate(rows):
        assert title == str(t + 1)
        np.testing.assert_allclose(np.tanh(x_t @ W_xh), layer)
        np.testing.assert_allclose(np.tanh(x_t @ W_xh + carried), state)


def test_what_was_learned_is_said_and_drawn() -> None:
    losses = np.array([0.7, 0.01, 2e-4])
    bits = np.array([1.0, 0.0, 1.0])
    found = Echo(np.array([0, 10, 20]), losses + 0.4, losses, bits, np.array([[0.5, 0.4, 0.5], [0.1, 0.9, 0.2]]))
    slots = whole("ngrams.learn.failed", learned_words(found, 1))
    assert slots["updates"] == "20"
    assert four_digits(slots["rnn"], 2e-4)
    assert four_digits(slots["mlp"], 0.4002)
    assert whole("ngrams.learn.both", learned_words(found, 0))["updates"] == "20"
    drawn = learned_figure(found)
    Figure(drawn)
    np.testing.assert_allclose(10.0 ** np.array(drawn["data"][1]["y"]), losses)
    assert drawn["layout"]["shapes"][0]["y0"] == math.log10(CHANCE)
    columns = list(learned_columns(found, 2).values())
    assert columns[2] == [None, None, 1]
    assert columns[3] == [0.5, 0.4, 0.5]
