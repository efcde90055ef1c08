"""Comparisons in an address: written and read back; what they do not have is named."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz.settings.comparison import COMPARISON, Comparison, read_comparison, write_comparison
from rnnviz.settings.recipe import Recipe
from tests.settings.test_recipe import PRESETS, recipes

comparisons = st.builds(
    Comparison,
    recipe=recipes.map(lambda recipe: replace(recipe, cells="all")),
    sizing=st.sampled_from(COMPARISON["sizing"].choices),
    seeds=st.integers(1, 8),
)


@given(comparisons)
def test_a_comparison_comes_back_bit_for_bit(of: Comparison) -> None:
    query = dict(parse_qsl(urlencode(write_comparison(of, PRESETS, "first")), keep_blank_values=True))
    assert read_comparison(query, PRESETS, "first") == (of, ())


def test_defaults_stay_out() -> None:
    first = Comparison(replace(PRESETS["first"], preset="first"))
    assert write_comparison(first, PRESETS, "first") == {}
    changed = first.choose("seeds", 2).choose("lr", 0.5)
    assert (changed.seeds, changed.recipe.lr, changed.value("seeds"), changed.value("lr")) == (2, 0.5, 2, 0.5)
    assert write_comparison(changed, PRESETS, "first") == {"lr": "0.5", "seeds": "2"}


def test_the_table_and_the_comparison_are_one() -> None:
    assert {name: Comparison(Recipe()).value(name) for name in COMPARISON} == {
        name: row.default for name, row in COMPARISON.items()
    }


@pytest.mark.parametrize(
    ("name", "text", "needed"),
    [
        ("seeds", "9", "1 to 8"), ("seeds", "0", "1 to 8"), ("sizing", "area", "hidden, parameters"),
        ("cells", "lstm", "no such setting"), ("lr", "0", "1e−6 to 10"), ("colour", "red", "no such setting"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named(name: str, text: str, needed: str) -> None:
    of, (problem,) = read_comparison({name: text, "hidden_size": "5"}, PRESETS, "first")
    assert (problem.name, problem.given) == (name, text)
    assert needed in str(problem.needed)
    assert of == Comparison(replace(PRESETS["first"], preset="first", hidden_size=5))
