"""What is compared: a recipe for all kinds of cell, how large each is, and over how many seeds; and its address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from rnnviz.maths import InputError
from rnnviz.settings.address import Problem
from rnnviz.settings.recipe import Recipe, read_recipe, write_recipe
from rnnviz.settings.table import NOT_HERE, Setting, Value

COMPARISON: Mapping[str, Setting] = MappingProxyType(
    {
        setting.name: setting
        for setting in (
            Setting("sizing", "hidden", choices=("hidden", "parameters")),
            Setting("seeds", 4, 1, 8),
        )
    }
)
"""The settings that a comparison has beside those of its recipe."""


@dataclass(frozen=True)
class Comparison:
    """Networks of every kind that learn one task.

    Attributes
    ----------
    recipe : Recipe
        For "all" cells. Its seed is the first one.
    sizing : {"hidden", "parameters"}
        Whether all have the same hidden size, or as nearly as possible as many parameters as the first kind.
    seeds : int
        How many networks of each kind, from the recipe's seed on.
    """

    recipe: Recipe
    sizing: str = "hidden"
    seeds: int = 4

    def value(self, name: str) -> Value:
        """The value of a setting, of a comparison or of its recipe."""
        value: Value = getattr(self, name) if name in COMPARISON else self.recipe.value(name)
        return value

    def choose(self, name: str, value: Value) -> Comparison:
        """The same with another value of one setting."""
        if name in COMPARISON:
            return replace(self, **{name: value})  # type: ignore[arg-type]
        return replace(self, recipe=self.recipe.choose(name, value))


def read_comparison(
    query: Mapping[str, str], presets: Mapping[str, Recipe], first: str
) -> tuple[Comparison, tuple[Problem, ...]]:
    """Read the comparison that an address carries, as `read_recipe`; `presets` are for all cells."""
    problems, chosen = [], dict[str, Value]()
    for name, text in query.items():
        try:
            if name == "cells":
                raise InputError.of(NOT_HERE)
            if name in COMPARISON:
                chosen[name] = COMPARISON[name].read(text)
        except InputError as error:
            problems.append(Problem(name, text, error.message))
    rest = {name: text for name, text in query.items() if name not in COMPARISON and name != "cells"}
    recipe, others = read_recipe(rest, presets, first)
    return Comparison(recipe, **chosen), (*problems, *others)  # type: ignore[arg-type]


def write_comparison(of: Comparison, presets: Mapping[str, Recipe], first: str) -> dict[str, str]:
    """The query that `read_comparison` reads back to the same comparison."""
    query = write_recipe(of.recipe, presets, first)
    chosen = {name: row for name, row in COMPARISON.items() if of.value(name) != row.default}
    return query | {name: row.write(of.value(name)) for name, row in chosen.items()}
