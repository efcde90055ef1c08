"""Drawn text against runs over all that came before, logits scaled and sorted by hand, and counts of many draws."""

from __future__ import annotations

import math
from itertools import islice
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rnnviz import Cell, ElmanCell, InputError, Readout, make_cell, run_stack
from rnnviz.language_models.sampling import Drawn, sample
from rnnviz.maths.checks import Array
from tests.maths.refused import assert_refused

from .test_predictions import BY_KIND, Model, make_model, models, of_logits

TEMPERATURES = [0.0, 0.2, 1.0, 3.0]


def by_hand(logits: list[float], temperature: float, most: int) -> list[float]:
    """Sort, cut, divide, exponentiate, in plain Python."""
    order = sorted(range(len(logits)), key=lambda code: (-logits[code], code))
    kept = order[: 1 if temperature == 0 else most or len(order)]
    weights = {code: math.exp((logits[code] - logits[order[0]]) / (temperature or 1.0)) for code in kept}
    return [weights.get(code, 0.0) / sum(weights.values()) for code in range(len(logits))]


def logits_after(model: Model, codes: list[int]) -> list[float]:
    """By a run over the whole text."""
    V = len(model.readout.b)
    h = run_stack(model.cells, np.eye(V)[codes], model.h0s)[-1].h[-1]
    return (model.readout.W @ h + model.readout.b).tolist()


def drawn_by_hand(p: Array, random: np.random.RandomState) -> int:
    """The first character at which the sum of the probabilities passes a uniform number."""
    return int(np.argmax(np.cumsum(p) > random.random_sample() * p.sum()))


def codes_of(drawn: Any) -> list[int]:
    return [one.code for one in drawn]


@given(models(6), st.sampled_from(TEMPERATURES), st.integers(0, 5), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_each_character_is_drawn_after_all_before_it(
    model: Model, temperature: float, most: int, empty: bool, seed: int
) -> None:
    """The distribution is that of a run over everything so far; the draw takes one uniform number."""
    V = len(model.readout.b)
    model, most = model._replace(readout=Readout(np.tanh(model.readout.W), model.readout.b, "softmax")), min(most, V)
    text: list[int] = [] if empty else model.codes.tolist()
    random = np.random.RandomState(seed)
    found = sample(
        model.cells, model.readout, list(text), 6, temperature=temperature, most=most, seed=seed, h0s=model.h0s
    )
    for drawn in found:
        expected = by_hand(logits_after(model, text), temperature, most) if text else [1 / V] * V
        np.testing.assert_allclose(drawn.probabilities, expected, rtol=1e-9, atol=1e-12)
        assert drawn.code == drawn_by_hand(drawn.probabilities, random)
        assert drawn.probabilities[drawn.code] > 0
        text.append(drawn.code)
    assert len(text) == 6 + (0 if empty else len(model.codes))


@pytest.mark.parametrize("kind", BY_KIND)
@pytest.mark.parametrize("layers", [1, 2])
def test_a_long_text_of_each_kind_is_still_that_of_a_run(kind: str, layers: int) -> None:
    """Nothing is lost from step to step; a prefix of a single character."""
    model = make_model([BY_KIND[kind]] * layers, 5, (6,) * layers, 2, seed=8, scale=3.0)
    found = list(sample(model.cells, model.readout, [2], 120, seed=1, h0s=model.h0s))
    text = [2, *codes_of(found)]
    h = run_stack(model.cells, np.eye(5)[text], model.h0s)[-1].h[1:-1]
    np.testing.assert_allclose([one.probabilities for one in found], model.readout(h), rtol=1e-9)


@pytest.mark.parametrize(("temperature", "most"), [(1.0, 0), (0.7, 3), (2.5, 0), (1.0, 2)])
def test_frequencies_are_the_probabilities(temperature: float, most: int) -> None:
    """Pairs of characters against the logits of the one before, chi-square within five standard deviations."""
    V, count = 4, 5_000
    logits = np.random.default_rng(5).normal(size=(V, V))  # row v: after v
    copies = ElmanCell(np.eye(V), np.zeros((V, V)), np.zeros(V), np.zeros(V), activation="identity")
    readout = Readout(logits.T, np.zeros(V), "softmax")
    text = [0, *codes_of(sample((copies,), readout, [0], count, temperature=temperature, most=most, seed=3))]
    counts = np.zeros((V, V))
    np.add.at(counts, (text[:-1], text[1:]), 1)
    expected = np.array([by_hand(row, temperature, most) for row in logits.tolist()])
    assert (counts[expected == 0] == 0).all()
    drawn = counts.sum(axis=1, keepdims=True) * expected
    chi_square = ((counts - drawn)[expected > 0] ** 2 / drawn[expected > 0]).sum()
    freedom = (expected > 0).sum() - V
    assert chi_square < freedom + 5 * math.sqrt(2 * freedom)


def test_without_a_prefix_the_first_character_is_uniform() -> None:
    """Whatever the network would say, and with any temperature and top-k."""
    cells, readout = of_logits(9.0, 0.0, 0.0, 0.0)
    for options in ({}, {"temperature": 0.0}, {"most": 1}):
        first = [next(sample(cells, readout, [], 1, seed=seed, **options)) for seed in range(400)]
        assert all(one.probabilities.tolist() == [0.25] * 4 for one in first)
        counts = np.bincount(codes_of(first), minlength=4)
        assert ((counts - 100) ** 2 / 100).sum() < 3 + 5 * math.sqrt(6)


@pytest.mark.parametrize("temperature", [1e-3, 1e-300, 5e-324])
def test_low_temperatures_come_near_the_limit(temperature: float) -> None:
    """Equals share what is left; at 0 the smallest code has it all."""
    cells, readout = of_logits(0.0, 2.0, -1e300, 2.0)
    (low,) = sample(cells, readout, [0], 1, temperature=temperature)
    (zero,) = sample(cells, readout, [0], 1, temperature=0.0)
    assert low.probabilities.tolist() == [0.0, 0.5, 0.0, 0.5]
    assert (zero.code, zero.probabilities.tolist()) == (1, [0.0, 1.0, 0.0, 0.0])


def test_among_equals_the_smallest_codes_are_kept() -> None:
    cells, readout = of_logits(*[0.0, 1.0] * 50)
    (found,) = sample(cells, readout, [0], 1, most=60)
    assert np.flatnonzero(found.probabilities).tolist() == [*range(20), *range(21, 100, 2)]


@pytest.mark.parametrize(
    ("logits", "temperature", "ratio"),
    [
        ((1.7e308, -1.7e308), 1.0, 0.0),
        ((1.7e308, -1.7e308), 1e308, math.exp(-3.4)),
        ((1.7e308, 1.6e308), 1e307, math.exp(-1.0)),
        ((1.0, -1.0), 1e308, 1.0),
        ((-1000.0, -1001.0), 1.0, math.exp(-1.0)),
    ],
)
def test_huge_logits_and_temperatures(logits: tuple[float, float], temperature: float, ratio: float) -> None:
    (found,) = sample(*of_logits(*logits), [0], 1, temperature=temperature)
    p = found.probabilities
    np.testing.assert_allclose([p.sum(), p[1] / p[0]], [1.0, ratio], rtol=1e-12)


@given(models(6))
@settings(max_examples=30)
def test_the_likeliest_alone_is_temperature_zero(model: Model) -> None:
    """And greedy text goes on as it would have if its beginning had been the prefix."""
    cells, readout, codes, h0s = model
    greedy = codes_of(sample(cells, readout, codes, 6, temperature=0.0, h0s=h0s))
    assert greedy == codes_of(sample(cells, readout, codes, 6, most=1, seed=9, h0s=h0s))
    continued = [*codes.tolist(), *greedy[:2]]
    assert greedy[2:] == codes_of(sample(cells, readout, continued, 4, temperature=0.0, h0s=h0s))


def test_the_same_seed_draws_the_same_text() -> None:
    """Whatever else draws meanwhile."""
    model = make_model([BY_KIND["lstm"]], 5, (4,), 6, seed=0)

    def text(seed: int) -> Any:
        return sample(model.cells, model.readout, model.codes, 30, seed=seed)

    first, second = text(1), text(1)
    together = [(one.code, np.random.random(), other.code)[::2] for one, other in zip(first, second, strict=True)]
    assert all(one == other for one, other in together)
    assert codes_of(text(1)) != codes_of(text(2))


def test_characters_are_made_when_asked_for() -> None:
    cells, readout = of_logits(0.0, 0.0)
    assert len(list(islice(sample(cells, readout, [], 10**15), 3))) == 3
    assert list(sample(cells, readout, [0, 1], 0)) == []


def test_what_is_drawn_is_read_only() -> None:
    drawn: Drawn
    for drawn in sample(*of_logits(0.0, 1.0), [], 2):
        with pytest.raises(ValueError, match="read-only"):
            drawn.probabilities[0] = 1.0


CELLS: tuple[Cell, ...] = (make_cell("lstm", 2, 3),)
READOUT = Readout(np.zeros((2, 3)), np.zeros(2), "softmax")


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"temperature": -0.1}, ["temperature must be a finite number of at least 0; got -0.1"]),
        ({"temperature": math.inf}, ["temperature", "got inf"]),
        ({"temperature": math.nan}, ["temperature", "got nan"]),
        ({"most": 3}, ["most must be an integer in 0..2; got 3"]),
        ({"most": -1}, ["most must be an integer in 0..2; got -1"]),
        ({"count": -1}, ["count must be an integer of at least 0; got -1"]),
        ({"prefix": [0, 2]}, ["prefix[1] is 2; the model knows the characters 0..1."]),
        ({"prefix": 1}, ["prefix must be a row of characters; got the shape ()."]),
        ({"seed": -1}, ["seed must be an integer"]),
        ({"readout": Readout(READOUT.W, READOUT.b)}, ["must be a softmax"]),
        ({"h0s": ([0.0],), "prefix": []}, ["Layer 1: h0 must be (3,)"]),
    ],
)
def test_what_does_not_fit_is_refused_at_once(given_: dict[str, Any], words: list[str]) -> None:
    """At the call, before the first character is asked for."""
    assert_refused(lambda: sample(**{"cells": CELLS, "readout": READOUT, "prefix": [0], "count": 1} | given_), words)


def test_an_overflow_while_drawing_names_layer_and_character() -> None:
    calm, grows = (
        ElmanCell(np.ones((1, size)), [[weight]], [0.0], [0.0], activation="identity")
        for size, weight in ((2, 0.0), (1, 1e200))
    )
    readout = Readout([[0.0], [0.0]], np.zeros(2), "softmax")
    assert len(list(sample((calm, grows), readout, [0], 2))) == 2  # the last one is not read
    drawing = sample((calm, grows), readout, [0], 9)
    assert len(list(islice(drawing, 2))) == 2
    with pytest.raises(InputError, match=r"The state of layer 2 overflows float64 .* after 2 drawn characters"):
        next(drawing)
