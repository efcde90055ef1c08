"""The shipped weights do what the pages say of them, and the script that made them trains.

That the script makes these very files takes half a minute, and is what it prints itself: "the same as before".
"""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from rnnviz import GRUCell, LSTMCell, Readout, Trace, run
from rnnviz.learning import bits, brackets, depth, parity
from rnnviz.learning.shipped import (
    DECIMALS,
    FOLDER,
    FRESH_SEEDS,
    RECIPES,
    TRAINING_SEEDS,
    reached,
    text_of,
    train,
    upright,
)
from rnnviz.presets import TRAINED, trained

WEIGHTS = ("W_ih", "W_hh", "b_ih", "b_hh")
FRESH = range(200)  # as the pages draw them


def traces(name: str, xs: list[np.ndarray]) -> tuple[list[Trace], np.ndarray]:
    """The runs of a shipped network and what its readout says, all sequences behind one another."""
    weights, kind = trained(name), {"bracket_depth": LSTMCell, "parity": GRUCell}[name]
    readout = Readout(weights["W_ho"], weights["b_o"], "sigmoid" if name == "parity" else "identity")
    found = [run(kind(*(weights[array] for array in WEIGHTS)), x) for x in xs]
    return found, np.concatenate([readout(trace.h[1:])[:, 0] for trace in found])


def correlations(states: list[np.ndarray], targets: np.ndarray) -> np.ndarray:
    return np.corrcoef(np.concatenate(states).T, targets)[-1, :-1]


@pytest.mark.parametrize("steps", [40, 100])
def test_one_cell_counts_the_open_brackets(steps: int) -> None:
    xs = [brackets(steps, seed) for seed in FRESH]
    found, y = traces("bracket_depth", xs)
    targets = np.concatenate([depth(x) for x in xs])
    r = correlations([trace.c[1:] for trace in found], targets)
    assert r[1] > 0.995
    assert np.abs(np.delete(r, 1)).max() < 0.97
    np.testing.assert_array_equal(y.round(), targets)


def test_the_counting_cell_moves_as_much_at_every_bracket() -> None:
    """Up by 0.4 at an opening one, where g writes; down by as much at a closing one, where f keeps less."""
    xs = [brackets(100, seed) for seed in FRESH]
    found, _ = traces("bracket_depth", xs)
    opens = np.concatenate(xs)[:, 0] == 1
    moves = np.concatenate([np.diff(trace.c[:, 1]) for trace in found])
    f, g = (np.concatenate([trace.gates[gate][:, 1] for trace in found]) for gate in "fg")
    for which, sign in ((opens, 1), (~opens, -1)):
        assert sign * moves[which].mean() == pytest.approx(0.405, abs=0.01)
        assert moves[which].std() < 0.05
    assert g[opens].mean() > 0.5
    assert abs(g[~opens].mean()) < 0.2
    assert f[~opens].mean() < f[opens].mean() - 0.05


def test_parity_is_right_on_all_sequences_of_twelve_bits() -> None:
    xs = [np.array(word, dtype=np.float64)[:, None] for word in product((0, 1), repeat=12)]
    assert len(xs) == 4096
    _, y = traces("parity", xs)
    np.testing.assert_array_equal(y > 0.5, np.concatenate([parity(x) for x in xs]) == 1)


def test_one_unit_is_the_parity() -> None:
    xs = [bits(100, seed) for seed in FRESH]
    found, y = traces("parity", xs)
    targets = np.concatenate([parity(x) for x in xs])
    np.testing.assert_array_equal(y > 0.5, targets == 1)
    r = correlations([trace.h[1:] for trace in found], targets)
    assert r[0] > 0.99
    assert np.abs(np.delete(r, 0)).max() < 0.7
    unit = np.concatenate([trace.h[1:, 0] for trace in found])
    np.testing.assert_array_equal(unit > 0, targets == 1)


def test_the_update_gate_lets_go_at_a_one() -> None:
    """At a 1 the parity's unit writes the opposite; at a 0 it keeps an odd parity and writes an even one anew."""
    xs = [bits(100, seed) for seed in FRESH]
    found, _ = traces("parity", xs)
    bit = np.concatenate(xs)[:, 0] == 1
    z, n, before = (
        np.concatenate(parts)
        for parts in zip(*((t.gates["z"][:, 0], t.gates["n"][:, 0], t.h[:-1, 0]) for t in found), strict=True)
    )
    assert z[bit].max() < 0.3
    np.testing.assert_array_equal(n[bit] > 0, before[bit] <= 0)  # an h of 0 at the start is even, too
    assert z[~bit & (before > 0)].min() > 0.9
    assert n[~bit & (before <= 0)].max() < -0.9


def test_the_names_are_those_of_the_files() -> None:
    assert set(TRAINED) == set(RECIPES) == {file.stem for file in FOLDER.glob("*.json")}


@pytest.mark.parametrize("name", TRAINED)
def test_a_file_holds_what_the_script_writes(name: str) -> None:
    """Its facts too are those of its weights, which are as short as promised."""
    weights = trained(name)
    assert (FOLDER / f"{name}.json").read_text(encoding="utf-8") == text_of(RECIPES[name], weights)
    for array in weights.values():
        np.testing.assert_array_equal(array, array.round(DECIMALS))
    content = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert set(content) == {"what", "made_by", "kind", "activation", "reached", *weights}


def test_training_saw_none_of_the_sequences_that_judge_it() -> None:
    for recipe in RECIPES.values():
        seen = range(TRAINING_SEEDS, TRAINING_SEEDS + recipe.sequences)
        assert FRESH.stop <= seen.start
        assert seen.stop <= FRESH_SEEDS


@pytest.mark.parametrize("name", TRAINED)
def test_training_lowers_the_loss_and_is_the_same_each_time(name: str) -> None:
    weights, losses = train(RECIPES[name], updates=25)
    assert len(losses) == 25
    assert losses[-1] < 0.97 * losses[0]
    again, as_before = train(RECIPES[name], updates=25)
    assert as_before == losses
    assert weights.keys() == again.keys() == trained(name).keys()
    for array, shipped in trained(name).items():
        np.testing.assert_array_equal(weights[array], again[array])
        assert weights[array].shape == shipped.shape
    _, others = train(replace(RECIPES[name], seed=77), updates=1)
    assert others[0] != losses[0]


@pytest.mark.parametrize("name", TRAINED)
def test_a_turned_unit_is_turned_back(name: str) -> None:
    """What is upright stays; a network whose target is negated rises against it, and only that unit's sign changes."""
    recipe, weights = RECIPES[name], trained(name)
    same = upright(recipe, weights)
    falling = replace(recipe, target=lambda x: -recipe.target(x))
    turned = upright(falling, weights)
    back = upright(recipe, turned)
    for array, shipped in weights.items():
        np.testing.assert_array_equal(same[array], shipped)
        np.testing.assert_array_equal(back[array], shipped)
    unit = 1 if name == "bracket_depth" else 0
    x, kind = recipe.draw(50, 3), LSTMCell if name == "bracket_depth" else GRUCell
    was, now = (run(kind(*(arrays[array] for array in WEIGHTS)), x) for arrays in (weights, turned))
    np.testing.assert_allclose(now.h[:, unit], -was.h[:, unit], rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.delete(now.h, unit, 1), np.delete(was.h, unit, 1), rtol=0, atol=1e-12)
    np.testing.assert_allclose(now.h @ turned["W_ho"].T, was.h @ weights["W_ho"].T, rtol=0, atol=1e-11)


def test_what_was_reached_is_what_it_says() -> None:
    """On a GRU without memory, h = tanh(W x): unit 3 is a straight line in the target, and y is off by a quarter."""
    recipe = replace(
        RECIPES["parity"],
        draw=lambda steps, seed: np.random.RandomState(seed).uniform(-1, 1, (steps, 2)),
        target=lambda x: 1 - 2 * np.tanh(x[:, 0]),
        activation="identity",
    )
    W_ih, b_ih = np.zeros((12, 2)), np.repeat([0.0, -800.0, 0.0], 4)  # z = 0: h is n
    W_ih[8:] = [0.0, 1.0], [0.1, 1.0], [1.0, 0.0], [0.5, 0.5]
    weights = {"W_ih": W_ih, "W_hh": np.zeros((12, 4)), "b_ih": b_ih, "b_hh": np.zeros(12)}
    weights |= {"W_ho": np.array([[0.0, 0.0, -2.0, 0.0]]), "b_o": np.array([1.25])}
    found = reached(recipe, weights, steps=200, sequences=5)
    assert found["unit"] == 3
    assert found["r"] == -1.0
    assert found["slope"] == -0.5
    assert found["largest_error"] == 0.25
    assert 0.6 < found["next_r"] < 0.8  # unit 4 hears both inputs alike: about 1 / sqrt(2)
