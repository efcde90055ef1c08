"""The recipes do what is said of them: the very training, as far as it takes to see it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
import torch

from rnnviz.learning.examples import best_constant
from rnnviz.learning.training import Checkpoint, Training, examples_of_test
from rnnviz.network.plan import plan_of, task_of
from rnnviz.presets.recipes import EXPECTED, FIRST, RECIPES, words_of
from rnnviz.settings import KINDS
from rnnviz.settings.expected import GOALS, SEEDS, Expected
from rnnviz.settings.recipe import RECIPE, Recipe
from rnnviz.texts.en import TEXTS
from rnnviz.views.sentences.recipes import measured_words, recipe_name, task_words

examples_of_test.__test__ = False  # type: ignore[attr-defined]  # it is no test

SHORT = 250
"""Updates of a cell that does not reach the goal."""

TRAINED = [(name, kind) for name, recipe in RECIPES.items() for kind in recipe.kinds]


def kept(recipe: Recipe, kind: str, updates: int) -> tuple[list[Checkpoint], Training]:
    """The checkpoints of one network as its page keeps them, up to an update or to where it cannot go on."""
    torch.set_num_threads(1)
    plan = plan_of(recipe)
    learner = plan_of(recipe.choose("cells", kind)).learners[0]
    training = Training(plan.task, learner.cells, learner.readout, seed=learner.seed, **plan.options)
    found = [training.checkpoint()]
    while training.last.number < updates and training.update().finite:
        if training.last.number in plan.moments:
            found.append(training.checkpoint())
    return found, training


@pytest.mark.parametrize(("name", "kind"), TRAINED)
def test_a_recipe_does_at_its_seed_what_is_said_of_it(name: str, kind: str) -> None:
    """To the update on the machine that it was measured on; elsewhere up to one checkpoint earlier or later."""
    recipe, expected, task = RECIPES[name], EXPECTED[name], task_of(RECIPES[name])
    update, moments = expected.at[kind][recipe.seed], plan_of(recipe).moments
    if update is None:
        checkpoints, training = kept(recipe, kind, min(SHORT, recipe.updates))
        assert training.last.finite
        assert all(one.test_loss >= task.solved for one in checkpoints)
    elif expected.goal == "exploded":
        checkpoints, training = kept(recipe, kind, recipe.updates)
        assert not training.last.finite
        assert training.last.number == pytest.approx(update, rel=0.05)
    else:
        losses = {"solved": "test_loss", "by_heart": "train_loss"}[expected.goal]
        place = moments.index(update)
        checkpoints, _ = kept(recipe, kind, moments[min(place + 3, len(moments) - 1)])
        below = [getattr(one, losses) < task.solved for one in checkpoints]
        assert all(below[place + 1 :])  # the run's end is far: the table was measured to it
        assert below[place + 1 :] or below[place]
        assert not all(below[max(place - 2, 0) : place + 1])
        assert checkpoints[0].test_loss > task.solved


@pytest.mark.parametrize("kind", RECIPES["by_heart"].kinds)
def test_what_is_learned_by_heart_is_not_learned(kind: str) -> None:
    """The test loss gets worse while the training loss falls, and ends above that of the best constant answer."""
    recipe = RECIPES["by_heart"]
    checkpoints, _ = kept(recipe, kind, recipe.updates)
    constant = best_constant(examples_of_test(task_of(recipe), recipe.seed), "cross_entropy")
    assert checkpoints[-1].train_loss < 0.1 < checkpoints[0].test_loss
    assert checkpoints[-1].test_loss > 1.5 * constant
    assert abs(checkpoints[-1].accuracy - 0.2) < 0.1


def test_every_recipe_was_measured() -> None:
    assert list(EXPECTED) == list(RECIPES)
    assert RECIPES[FIRST].task == "adding"
    for name, expected in EXPECTED.items():
        assert expected.goal in GOALS
        assert set(expected.at) == set(RECIPES[name].kinds)
        assert list(expected.at) == [kind for kind in KINDS if kind in expected.at]
        moments = plan_of(RECIPES[name]).moments
        for updates in expected.at.values():
            assert len(updates) == len(SEEDS)
            assert {one for one in updates if one is not None} <= set(
                range(RECIPES[name].updates) if expected.goal == "exploded" else moments
            )


def test_recipes_can_be_chosen_on_the_page() -> None:
    """Each value is one that the page's control has."""
    for recipe in RECIPES.values():
        for name, setting in RECIPE.items():
            assert setting.read(setting.write(recipe.value(name))) == recipe.value(name)


def test_a_recipe_and_its_counterpart_differ_in_one_thing() -> None:
    """What is compared on the screen is compared fairly."""
    assert replace(RECIPES["gates_half_open"], bias_f=3.0, bias_z=3.0) == RECIPES["recall"]
    assert replace(RECIPES["explosion"], largest=1.0) == RECIPES["next_number"]


# --- sentences ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RECIPES)
def test_the_sentences_name_every_cell_with_its_counts(name: str) -> None:
    expected, words = EXPECTED[name], words_of(name)
    assert words.startswith(TEXTS[f"recipe.watch.{name}"] + " ")
    assert f" within {RECIPES[name].updates:,} updates at seeds 0 to 7: " in words
    assert recipe_name(name) == TEXTS[f"recipe.preset.{name}"]
    said = dict(re.findall(r"(Elman|LSTM|GRU) (.*?)(?=; |\.$)", words.split(": ")[-1]))
    assert list(said) == [{"elman": "Elman", "lstm": "LSTM", "gru": "GRU"}[kind] for kind in expected.at]
    for kind, one in zip(expected.at, said.values(), strict=True):
        missed, median = expected.missed(kind), expected.median(kind)
        if median is None:
            assert one == "at no seed"
            continue
        there = len(SEEDS) - len(missed)
        assert (f"(median update {median:,})" if there > 1 else f"(update {median:,})") in one
        seeds = {int(digit) for digit in re.sub(r".*seeds? ", "", re.sub(r" \(.*?\)", "", one)).split(", ") if missed}
        if not missed:
            assert one.startswith("at all 8 ")
        else:
            assert seeds == set(missed if " not at " in one else set(SEEDS) - set(missed))


@pytest.mark.parametrize(
    ("at", "said"),
    [
        ((10,) * 8, "GRU at all 8 (median update 10)"),
        ((None,) * 8, "GRU at no seed"),
        ((10,) * 3 + (None,) + (10,) * 4, "GRU at 7 of 8 (median update 10), not at seed 3"),
        ((None,) * 3 + (2000,) * 5, "GRU at 5 of 8 (median update 2,000), not at seeds 0, 1, 2"),
        ((10, 13) + (None,) * 6, "GRU only at seeds 0, 1 (median update 12)"),
        ((None,) * 7 + (1000,), "GRU only at seed 7 (update 1,000)"),
        ((10, None) * 4, "GRU only at seeds 0, 2, 4, 6 (median update 10)"),
    ],
)
def test_the_rarer_seeds_are_named(at: tuple[int | None, ...], said: str) -> None:
    assert measured_words(800, Expected({"gru": at})) == f"Solved within 800 updates at seeds 0 to 7: {said}."
    both = measured_words(2000, Expected({"gru": at, "lstm": (None,) * 8}, "exploded"))
    assert both == f"Exploded within 2,000 updates at seeds 0 to 7: {said}; LSTM at no seed."


def test_all_that_a_recipe_has_has_words() -> None:
    wanted = [f"recipe.{name}" for name in RECIPE]
    wanted += [f"choice.{row.name}.{choice}" for row in RECIPE.values() for choice in row.choices]
    wanted += [f"{part}.{name}" for part in ("recipe.preset", "recipe.watch") for name in RECIPES]
    assert [key for key in wanted if not TEXTS.get(key)] == []
    assert [key for key in TEXTS if key.startswith(("recipe.watch.", "recipe.preset.")) and key not in wanted] == []
    for task in RECIPE["task"].choices:
        assert len(task_words(task)) > 40


def test_medians_are_of_the_seeds_that_reach_it() -> None:
    expected = Expected({"lstm": (None, 30, None, 10, 20, None, None, None), "elman": (None,) * 8})
    assert (expected.median("lstm"), expected.missed("lstm")) == (20, (0, 2, 5, 6, 7))
    assert (expected.median("elman"), len(expected.missed("elman"))) == (None, 8)
