"""What the page is asked: the recipe, how the cells are sized, and the seeds."""

from __future__ import annotations

from rnnviz.texts import say
from rnnviz.ui.compare_cells.state import PRESETS, ComparisonState
from rnnviz.ui.form import choice, number, slider
from rnnviz.ui.recipe_fields import how_they_begin, how_they_learn, more, recipe_pills, task_fields


def recipe_bar(page: str, state: ComparisonState) -> None:
    """Above the numbers: the recipes."""
    recipe_pills(page, list(PRESETS), state.settings.recipe)


def recipe_controls(page: str, state: ComparisonState) -> None:
    """In the sidebar: task, sizes and seeds; how the networks begin and how they learn in folds."""
    recipe = state.settings.recipe
    task_fields(page, state, recipe)
    choice(page, state, "sizing")
    slider(page, state, "hidden_size")
    slider(page, state, "seeds")
    number(page, state, "updates", step=100)
    number(page, state, "lr", step=0.001)
    more(page, "how", say("recipe.how"), lambda: how_they_learn(page, state))
    more(page, "weights", say("recipe.weights"), lambda: how_they_begin(page, state, recipe))
