"""Fields of a recipe, on every page that trains: the task, how the networks begin and how they learn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import streamlit as st

from rnnviz.learning.examples import longest_window
from rnnviz.maths import InputError
from rnnviz.maths.cells.registry import cell_class
from rnnviz.maths.checks import Array
from rnnviz.presets.recipes import RECIPES
from rnnviz.sequences import read_sequence, read_sequence_file, write_sequence
from rnnviz.settings.recipe import RECIPE, Recipe, checked_series
from rnnviz.texts import later, say
from rnnviz.ui.form import FormState, choice, moved, number, real_slider, refusal, slider, state_of, take, take_field
from rnnviz.ui.widgets import heard, set_widget
from rnnviz.views.sentences.recipes import recipe_name, series_words

_FEWEST_STEPS = int(RECIPE["steps"].low)
_LENGTH = {"copy": "gap", "next_number": "largest"}
"""What says how long or how large a task is; of all others the number of steps."""


def recipe_pills(page: str, names: Sequence[str], shown: Recipe) -> None:
    """A button for each recipe; none is pressed where another task is learned."""
    key = f"{page} preset"
    set_widget(key, shown.preset if RECIPES[shown.preset].task == shown.task else None)
    st.pills(
        say("recipe.preset"), names, default=st.session_state.get(key), key=key,
        format_func=recipe_name, label_visibility="collapsed",
        on_change=heard, args=(key, take_field, page, "preset", key),
    )  # fmt: skip


def task_fields(page: str, state: FormState, recipe: Recipe) -> None:
    """What is learned, and how long it is."""
    choice(page, state, "task")
    if recipe.task == "series":
        _series(page, state, recipe)
    length = _LENGTH.get(recipe.task, "steps")
    if length == "largest":
        number(page, state, length, step=1)
    else:
        slider(page, state, length)


def more(page: str, name: str, title: str, body: Callable[[], None]) -> None:
    """A fold of fields; each field costs every change of the page some milliseconds."""
    fold = st.expander(title, key=f"{page} {name}", on_change=moved, args=(page,))
    if fold.open:
        with fold:
            body()


def how_they_learn(page: str, state: FormState) -> None:
    """What the updates are made of."""
    choice(page, state, "optimizer")
    number(page, state, "clip", step=0.5)
    number(page, state, "batch_size", step=1)
    number(page, state, "truncation", step=1)


def how_they_begin(page: str, state: FormState, recipe: Recipe) -> None:
    """The first weights and states, and what only some kinds of cell have."""
    slider(page, state, "layers")
    choice(page, state, "init")
    number(page, state, "gain", step=0.1)
    for kind in recipe.kinds:
        cell = cell_class(kind)
        if "activation" in cell.form_names():
            choice(page, state, "activation")
        if (bias := f"bias_{cell.keeping}") in RECIPE:
            real_slider(page, state, bias, step=0.5)
    choice(page, state, "start")
    number(page, state, "seed", step=1)


def _series(page: str, state: FormState, recipe: Recipe) -> None:
    """Places to type, paste or upload a series."""
    key, file = f"{page} series", f"{page} series file"
    if state.refused_by != "series" and recipe.series:
        set_widget(key, write_sequence(np.array(recipe.series)).replace(";", "\n"))
    st.text_area(
        say("recipe.series"), st.session_state.get(key, ""), key=key, height=110, placeholder="0.5\n0.1",
        on_change=heard, args=(key, _take_typed, page, key),
    )  # fmt: skip
    st.file_uploader(
        say("recipe.series.file"), ["csv", "txt", "tsv"], key=file, on_change=_take_file, args=(page, file)
    )
    refusal(state, "series")
    if recipe.series:
        st.caption(series_words(recipe.series))


def _take_typed(page: str, key: str) -> None:
    """A series was typed (a Streamlit callback)."""
    _take_series(page, lambda: read_sequence(_without_gaps(st.session_state[key])))


def _without_gaps(text: str) -> str:
    """A typed series, whose empty lines may stand for values that are missing.

    Raises
    ------
    InputError
        If a line between others is empty.
    """
    lines = [bool(line.strip()) for line in text.strip().split("\n")]
    if text.strip() and not all(lines):
        raise InputError(
            "series.gap", "Line {line} is empty. Type a number there, or delete the line.", line=lines.index(False) + 1
        )
    return text


def _take_file(page: str, key: str) -> None:
    """A file was chosen, or taken away (a Streamlit callback)."""
    given = st.session_state[key]
    if given is not None and state_of(page) is not None:
        _take_series(page, lambda: read_sequence_file(given.getvalue()))


def _take_series(page: str, read: Callable[[], Array]) -> None:
    """Take a series, with as many steps as it has room for; that they were lowered is said beside them."""
    state = state_of(page)
    assert state is not None
    before = state.value("steps")

    def changed(of: Any) -> Any:
        rows = checked_series(read())
        if longest_window(len(rows)) < _FEWEST_STEPS:
            raise InputError(
                "series.few", "The series has {count} {count:row|rows}; at least {least} are needed. Use more rows.",
                count=len(rows), least=5 * _FEWEST_STEPS + 1,
            )  # fmt: skip
        return of.choose("series", rows).choose("steps", min(int(of.value("steps")), longest_window(len(rows))))

    if take(page, "series", changed) and state.value("steps") != before:
        fitted = later("recipe.steps.fitted", given=before, taken=state.value("steps"))
        state.adjusted = {"steps": fitted}
