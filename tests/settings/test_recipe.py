"""Recipes in an address: written and read back, unreadable ones named."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz.settings.recipe import RECIPE, TASKS, Recipe, read_recipe, write_recipe

PRESETS = {"first": Recipe(), "second": Recipe(task="copy", hidden_size=64, lr=0.003, clip=0.0, bias_f=1.0)}


def values(name: str) -> st.SearchStrategy[Any]:
    setting = RECIPE[name]
    if setting.choices:
        return st.sampled_from(setting.choices)
    if isinstance(setting.default, int):
        return st.integers(int(setting.low), int(setting.high))
    return st.floats(setting.low, setting.high)


recipes = st.builds(
    Recipe,
    preset=st.sampled_from(sorted(PRESETS)),
    series=st.lists(st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9)), max_size=4).map(tuple),
    **{name: values(name) for name in RECIPE},
).map(lambda recipe: recipe if recipe.task == "series" else replace(recipe, series=()))


@given(recipes)
def test_a_recipe_comes_back_bit_for_bit(recipe: Recipe) -> None:
    query = dict(parse_qsl(urlencode(write_recipe(recipe, PRESETS, "first")), keep_blank_values=True))
    assert read_recipe(query, PRESETS, "first") == (recipe, ())


def test_a_series_goes_only_with_its_task() -> None:
    recipe = replace(PRESETS["first"], preset="first", series=((1.0, 2.0), (3.0, 4.0)))
    assert write_recipe(recipe, PRESETS, "first") == write_recipe(replace(recipe, series=()), PRESETS, "first")
    assert write_recipe(recipe.choose("task", "series"), PRESETS, "first")["series"] == "1,2;3,4"


def test_what_a_preset_says_stays_out() -> None:
    second = replace(PRESETS["second"], preset="second")
    assert write_recipe(second, PRESETS, "first") == {"preset": "second"}
    assert write_recipe(second.choose("seed", 3), PRESETS, "first") == {"preset": "second", "seed": "3"}
    assert read_recipe({}, PRESETS, "first")[0] == replace(Recipe(), preset="first")


def test_the_table_and_the_recipe_are_one() -> None:
    assert {one.name for one in fields(Recipe)} == {"preset", "series", *RECIPE}
    assert Recipe().value("lr") == RECIPE["lr"].default
    assert all(Recipe().value(name) == setting.default for name, setting in RECIPE.items())
    assert RECIPE["task"].choices == TASKS


@pytest.mark.parametrize(
    ("name", "text", "needed"),
    [
        ("hidden_size", "200", "1 to 128"), ("steps", "501", "2 to 500"), ("lr", "0", "1e−6 to 10"),
        ("lr", "1e9", "1e−6 to 10"), ("task", "chess", "adding, recall"), ("preset", "nothing", "first, second"),
        ("optimizer", "rmsprop", "adam, sgd"), ("series", "a,b", "number"), ("colour", "red", "no such setting"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(name: str, text: str, needed: str) -> None:
    recipe, (problem,) = read_recipe({name: text, "seed": "4"}, PRESETS, "first")
    assert (problem.name, problem.given) == (name, text)
    assert needed in str(problem.needed)
    assert recipe == replace(PRESETS["first"], preset="first", seed=4)


def test_a_series_is_not_too_long() -> None:
    _, (problem,) = read_recipe({"series": ";".join(["1,2"] * 10_001)}, PRESETS, "first")
    assert "20,002 numbers; at most 20,000" in str(problem.needed)
