"""The training page: recipes, the buttons of a run, and what a recipe is made of."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from rnnviz.presets.recipes import RECIPES, words_of
from rnnviz.settings.recipe import Recipe, is_whole
from rnnviz.texts import say
from rnnviz.ui.components.copy_link import copy_link
from rnnviz.ui.explorer_panel import unusable
from rnnviz.ui.form import choice, moved, number, refusal, slider, take
from rnnviz.ui.recipe_fields import how_they_begin, how_they_learn, more, recipe_pills, task_fields
from rnnviz.ui.shell import head
from rnnviz.ui.training.forensics import forensics_panel
from rnnviz.ui.training.state import RecipeState, recipe_state_of
from rnnviz.views.sentences.recipes import task_words


def sharing(page: str, state: RecipeState) -> None:
    """The button that copies the address, and what of an address could not be used."""
    del page
    beside, below = head()
    whole = is_whole(state.address, state.settings)
    with beside:
        copy_link(whole=whole)
    with below:
        if not whole:
            st.warning(say("training.too_long"))
        unusable(state)


def recipe_buttons(page: str, state: RecipeState) -> None:
    """A button for each recipe, with what it asks of a network."""
    recipe_pills(page, list(RECIPES), state.settings)
    st.markdown(task_words(state.settings.task))


def expectations(page: str, state: RecipeState) -> None:
    """What to watch, and what was measured: of the recipe as it stands, which another setting is not."""
    del page
    recipe = state.settings
    if replace(recipe, seed=RECIPES[recipe.preset].seed) == replace(RECIPES[recipe.preset], preset=recipe.preset):
        st.info(words_of(recipe.preset))


def run_bar(page: str, state: RecipeState) -> None:
    """Play, Pause, Stop, and which cells are trained."""
    run = state.run
    now = run.state if run else "idle"
    goes = now in ("running", "queued")
    with st.container(horizontal=True, vertical_alignment="center", key="run_bar"):
        st.button(
            say("training.play"), key=f"{page} play", type="primary", disabled=goes, on_click=_press,
            args=(page, "play"),
        )  # fmt: skip
        st.button(
            say("training.pause"), key=f"{page} pause", disabled=now != "running", on_click=_press, args=(page, "pause")
        )
        st.button(
            say("training.stop"), key=f"{page} stop", disabled=not (goes or now == "paused"), on_click=_press,
            args=(page, "stop"),
        )  # fmt: skip
        choice(page, state, "cells", in_bar=True)
    refusal(state, "play")


def recipe_controls(page: str, state: RecipeState) -> None:
    """What the recipe is made of; what is seldom changed in folds."""
    recipe = state.settings
    task_fields(page, state, recipe)
    slider(page, state, "hidden_size")
    number(page, state, "lr", step=0.001)
    number(page, state, "updates", step=100)
    more(page, "how", say("recipe.how"), lambda: how_they_learn(page, state))
    more(page, "weights", say("recipe.weights"), lambda: how_they_begin(page, state, recipe))


def _press(page: str, button: str) -> None:
    """A button of the run was pressed (a Streamlit callback)."""
    state = recipe_state_of(page)
    if state is None:
        return
    moved(page)
    run = state.run
    if button == "play":
        take(page, "play", lambda recipe: _played(state, recipe))
    elif run is not None:
        (run.pause if button == "pause" else run.stop)()


def _played(state: RecipeState, recipe: Recipe) -> Recipe:
    state.play()
    return recipe


def incidents_panel(page: str, state: RecipeState) -> None:
    """What happened where a gradient was clipped or a number overflowed; open where a number did."""
    run = state.run
    if run is None:
        return
    broken = any(lane.is_broken for lane in run.lanes)
    if run.is_over and (broken or any(lane.incidents for lane in run.lanes)):
        forensics_panel(page, run.lanes, opened=broken)
