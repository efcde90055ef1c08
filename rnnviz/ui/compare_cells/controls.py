"""What the page is asked: the recipe, how the cells are sized, the seeds, and a series of the reader's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import streamlit as st

from rnnviz.maths.checks import Array
from rnnviz.sequences import read_sequence, read_sequence_file, write_sequence
from rnnviz.settings.recipe import checked_series
from rnnviz.texts import say
from rnnviz.ui.compare_cells.state import PRESETS, ComparisonState
from rnnviz.ui.form import choice, moved, number, real_slider, refusal, slider, state_of, take, take_field
from rnnviz.ui.widgets import heard, set_widget

_LENGTH = {"copy": "gap", "next_number": "largest"}
"""What says how long a task is; of all others T."""


def recipe_bar(page: str, state: ComparisonState) -> None:
    """Above the numbers: the recipes."""
    key = f"{page} preset"
    set_widget(key, state.settings.recipe.preset)
    st.pills(
        say("recipe.preset"), list(PRESETS), default=st.session_state[key], key=key,
        format_func=lambda name: say(f"choice.recipe.{name}"), label_visibility="collapsed",
        on_change=heard, args=(key, take_field, page, "preset", key),
    )  # fmt: skip


def recipe_controls(page: str, state: ComparisonState) -> None:
    """In the sidebar: task, sizes and seeds; how the networks begin and how they learn in folds."""
    choice(page, state, "task")
    task = state.settings.recipe.task
    if task == "series":
        _series(page, state)
    length = _LENGTH.get(task, "steps")
    if length == "largest":
        number(page, state, length, step=1)
    else:
        slider(page, state, length)
    choice(page, state, "sizing")
    slider(page, state, "hidden_size")
    slider(page, state, "seeds")
    _more(page, "how", say("recipe.how"), lambda: _how(page, state))
    _more(page, "weights", say("recipe.weights"), lambda: _weights(page, state))


def _more(page: str, name: str, title: str, body: Callable[[], None]) -> None:
    fold = st.expander(title, key=f"{page} {name}", on_change=moved, args=(page,))
    if fold.open:  # each control costs every change of the page some milliseconds
        with fold:
            body()


def _how(page: str, state: ComparisonState) -> None:
    number(page, state, "updates", step=100)
    choice(page, state, "optimizer")
    number(page, state, "lr", step=0.001)
    number(page, state, "clip", step=0.5)
    number(page, state, "batch_size", step=1)
    number(page, state, "truncation", step=1)


def _weights(page: str, state: ComparisonState) -> None:
    slider(page, state, "layers")
    choice(page, state, "init")
    number(page, state, "gain", step=0.1)
    choice(page, state, "activation")
    real_slider(page, state, "bias_f", step=0.5)
    real_slider(page, state, "bias_z", step=0.5)
    choice(page, state, "start")
    number(page, state, "seed", step=1)


def _series(page: str, state: ComparisonState) -> None:
    """Places to type, paste or upload a series."""
    key, file = f"{page} series", f"{page} series file"
    rows = state.settings.recipe.series
    if state.refused_by != "series" and rows:
        set_widget(key, _lines(rows))
    st.text_area(
        say("recipe.series"), st.session_state.get(key, ""), key=key, height=110, placeholder="0.5\n0.1",
        on_change=heard, args=(key, _take_typed, page, key),
    )  # fmt: skip
    st.file_uploader(
        say("recipe.series.file"), ["csv", "txt", "tsv"], key=file, on_change=_take_file, args=(page, file)
    )
    refusal(state, "series")


def _lines(rows: Sequence[Sequence[float]]) -> str:
    return write_sequence(np.array(rows)).replace(";", "\n")


def _take_typed(page: str, key: str) -> None:
    """A series was typed (a Streamlit callback)."""
    _take_series(page, lambda: read_sequence(st.session_state[key]))


def _take_file(page: str, key: str) -> None:
    """A file was chosen, or taken away (a Streamlit callback)."""
    given = st.session_state[key]
    if given is not None and state_of(page) is not None:
        _take_series(page, lambda: read_sequence_file(given.getvalue()))


def _take_series(page: str, read: Callable[[], Array]) -> None:
    take(page, "series", lambda of: of.choose("series", checked_series(read())))
