"""The training page: recipes, the buttons of a run, and what a recipe is made of."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from rnnviz.maths.cells.registry import cell_class
from rnnviz.presets.recipes import RECIPES
from rnnviz.sequences import read_sequence, read_sequence_file
from rnnviz.settings import ADDRESS_LIMIT, address_length
from rnnviz.settings.recipe import RECIPE, Recipe, checked_series
from rnnviz.texts import say
from rnnviz.ui.components.copy_link import copy_link
from rnnviz.ui.explorer_panel import unusable
from rnnviz.ui.form import choice, moved, number, refusal, slider, take
from rnnviz.ui.shell import head
from rnnviz.ui.training.state import RecipeState, recipe_state_of, take_recipe
from rnnviz.ui.widgets import heard, set_widget

_OF_TASK = {"copy": "gap", "next_number": "largest"}
"""What of a task can be set, where it is not the number of steps."""


def sharing(page: str, state: RecipeState) -> None:
    """The button that copies the address, and what of an address could not be used."""
    del page
    beside, below = head()
    whole = address_length(state.address) <= ADDRESS_LIMIT
    with beside:
        copy_link(whole=whole)
    with below:
        if not whole:
            st.warning(say("training.too_long"))
        unusable(state)


def recipe_buttons(page: str, state: RecipeState) -> None:
    """A button for each recipe, with what it asks of a network."""
    key = f"{page} preset"
    set_widget(key, state.settings.preset)
    st.pills(
        say("control.preset"), list(RECIPES), default=st.session_state[key], key=key,
        format_func=lambda name: say(f"recipe.preset.{name}"), label_visibility="collapsed",
        on_change=heard, args=(key, _take_preset, page, key),
    )  # fmt: skip
    st.markdown(say(f"task.{state.settings.task}"))


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
    """What the recipe is made of; what is seldom changed in a fold."""
    recipe = state.settings
    choice(page, state, "task")
    if recipe.task == "series":
        _series(page, state)
    name = _OF_TASK.get(recipe.task, "steps")
    if name == "largest":
        number(page, state, name, step=1)
    else:
        slider(page, state, name)
    slider(page, state, "hidden_size")
    choice(page, state, "optimizer")
    number(page, state, "lr", step=0.001)
    number(page, state, "clip", step=0.5)
    number(page, state, "updates", step=100)
    fold = st.expander(say("training.more"), key=f"{page} more", on_change=moved, args=(page,))
    if fold.open:
        with fold:
            slider(page, state, "layers")
            slider(page, state, "batch_size")
            number(page, state, "truncation", step=1)
            choice(page, state, "start")
            choice(page, state, "init")
            number(page, state, "gain", step=0.1)
            number(page, state, "seed", step=1)
            _of_cells(page, state, recipe)


def _series(page: str, state: RecipeState) -> None:
    """Fields for a series of the reader's own."""
    text_key, file_key = f"{page} series", f"{page} series file"
    st.text_area(
        say("training.series"), st.session_state.get(text_key, ""), key=text_key, height=110,
        placeholder="0.1\n0.4\n0.3", on_change=heard, args=(text_key, _take_series, page, text_key),
    )  # fmt: skip
    refusal(state, text_key)
    st.file_uploader(
        say("training.series.file"), ["csv", "txt", "tsv"], key=file_key, on_change=_take_file, args=(page, file_key)
    )
    refusal(state, file_key)
    if rows := state.settings.series:
        st.caption(say("training.series.taken", rows=len(rows), columns=len(rows[0])))


def _take_series(page: str, key: str) -> None:
    """A series was typed (a Streamlit callback)."""
    text = st.session_state[key]
    take(page, key, lambda recipe: replace(recipe, series=checked_series(read_sequence(text)) if text.strip() else ()))


def _take_file(page: str, key: str) -> None:
    """A series was uploaded (a Streamlit callback)."""
    file = st.session_state[key]
    if file is not None:
        take(page, key, lambda recipe: replace(recipe, series=checked_series(read_sequence_file(file.getvalue()))))


def _of_cells(page: str, state: RecipeState, recipe: Recipe) -> None:
    """What only some kinds of cell have."""
    for kind in recipe.kinds:
        cell = cell_class(kind)
        if "activation" in cell.form_names():
            choice(page, state, "activation")
        if (bias := f"bias_{cell.keeping}") in RECIPE:
            number(page, state, bias, step=0.5)


def _take_preset(page: str, key: str) -> None:
    """A button for a recipe was pressed (a Streamlit callback); pressed again it says nothing."""
    name = st.session_state[key]
    if name:
        take(page, "preset", lambda recipe: take_recipe(recipe, name), asked=True)


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
