"""What a session remembers of the training page: the recipe that its controls hold, and the run that it watches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import streamlit as st

from rnnviz.learning.jobs import JOBS, Run
from rnnviz.network.plan import plan_of
from rnnviz.presets.recipes import FIRST, RECIPES
from rnnviz.settings import Setting, Value, without_hosting
from rnnviz.settings.recipe import RECIPE, Recipe, read_recipe, write_recipe
from rnnviz.ui.form import FormState, keep, open_form, state_of


@dataclass
class RecipeState(FormState):
    """What a session remembers of the training page.

    Attributes
    ----------
    settings : Recipe
    run : Run or None
        The last one that was started.
    of : Recipe or None
        What it was started for.
    """

    settings: Recipe
    run: Run | None = None
    of: Recipe | None = None

    words = "recipe"
    help_of = MappingProxyType(
        {
            "steps": "help.recipe.steps",
            "gap": "help.recipe.gap",
            "largest": "help.recipe.largest",
            "clip": "help.recipe.clip",
            "truncation": "help.recipe.truncation",
            "batch_size": "help.recipe.batch_size",
            "updates": "help.recipe.updates",
            "start": "help.recipe.start",
        }
    )

    def row(self, name: str) -> Setting:
        return RECIPE[name]

    def value(self, name: str) -> Value:
        return self.settings.value(name)

    def options(self, name: str) -> Sequence[str]:
        return RECIPE[name].choices

    def changed(self, name: str, value: Value | None) -> Recipe:
        if name == "preset":
            name = str(value or self.settings.preset)
            return replace(RECIPES[name], preset=name, seed=self.settings.seed, series=self.settings.series)
        assert value is not None  # its menus always have a word
        return self.settings.choose(name, value)

    def accept(self, settings: Recipe, *, asked: bool = False) -> None:
        """Take a recipe that a plan can be made of."""
        del asked
        if settings.task != "series" or settings.series:
            plan_of(settings)
        self.settings, self.problems = settings, ()
        self.fall_silent()

    def adopt(self, query: Mapping[str, str]) -> None:
        self.settings, self.problems = read_recipe(without_hosting(query), RECIPES, FIRST)
        self.fall_silent()

    @property
    def address(self) -> dict[str, str]:
        return write_recipe(self.settings, RECIPES, FIRST)


def open_training(page: str) -> RecipeState:
    """The state of the page at the beginning of a run, with the address that the browser shows taken in."""
    known = recipe_state_of(page)
    if known is None:
        known = RecipeState(replace(RECIPES[FIRST], preset=FIRST))
        keep(page, known)
        known.adopt(st.query_params.to_dict())
    JOBS.warm()
    state, _ = open_form(page, known)
    return state


def recipe_state_of(page: str) -> RecipeState | None:
    """The state that this session has of the training page, if it was there."""
    state = state_of(page)
    return state if isinstance(state, RecipeState) else None
