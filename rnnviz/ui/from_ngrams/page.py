"""The page From n-grams: counts, two histories, a hidden layer beside a hidden state, and a task that needs one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from rnnviz.cache import remembered
from rnnviz.language_models.hidden import Hidden, hidden_of
from rnnviz.language_models.histories import UNITS, known_of
from rnnviz.learning.echo import Echo, echo
from rnnviz.maths import InputError
from rnnviz.maths.cells.protocol import WEIGHTS
from rnnviz.sequences import write_number, write_sequence
from rnnviz.settings.from_ngrams import HISTORIES, MATRICES, checked_history, read_matrix
from rnnviz.texts import plain, say, say_error
from rnnviz.ui.components.copy_link import copy_link
from rnnviz.ui.explorer_panel import unusable
from rnnviz.ui.form import choice, number, refusal, slider, take
from rnnviz.ui.from_ngrams.state import FromNgramsState
from rnnviz.ui.panels import chart, fold, table, wanted
from rnnviz.ui.shell import head, page_link
from rnnviz.ui.widgets import heard, set_widget
from rnnviz.views.charts.from_ngrams import count_figure, known_figure, learned_figure
from rnnviz.views.sentences.from_ngrams import (
    count_columns,
    count_words,
    hidden_rows,
    hidden_words,
    known_words,
    learned_columns,
    learned_words,
)
from rnnviz.views.tables import vector_table


def sharing(page: str, state: FromNgramsState) -> None:
    """The button that copies the address, and what of an address could not be used."""
    del page
    beside, _ = head()
    with beside:
        copy_link(whole=True)
    unusable(state)


def controls(page: str, state: FromNgramsState) -> None:
    """In the sidebar: the sizes, which the counts and the histories share."""
    slider(page, state, "n")
    number(page, state, "vocabulary", step=1)
    number(page, state, "hidden_size", step=1)
    choice(page, state, "activation")
    number(page, state, "seed", step=1)


def counts(page: str, state: FromNgramsState) -> None:
    """How many parameters each model has."""
    of = state.settings
    st.markdown(count_words(of.vocabulary, of.n, of.hidden_size))
    chart(count_figure(of.vocabulary, of.n, of.hidden_size), key=f"{page} counts", said=say("ngrams.chart.said"))
    fold(page, "exact", say("ngrams.exact"), lambda: _exact(page, state))


def _exact(page: str, state: FromNgramsState) -> None:
    table(count_columns(state.settings.vocabulary, state.settings.hidden_size), key=f"{page} exact table")
    formulas = (say("ngrams.formula.table"), say("ngrams.formula.window"), say("ngrams.formula.rnn"))
    st.markdown("\n".join(f"- {one}" for one in formulas))


def histories(page: str, state: FromNgramsState) -> None:
    """Two histories, and what each model has left of them."""
    st.header(say("ngrams.known"), anchor=False)
    st.markdown(say("ngrams.known.about"))
    for place, name in zip(st.columns(2), HISTORIES, strict=True):
        with place:
            _text(page, state, name)
    of = state.settings
    texts = (of.first, of.second)
    known = known_of(texts, of.n, of.seed)
    st.markdown(f"**{plain(known_words(texts, of.n, known), 800)}**")
    if any(texts):
        names = (say("ngrams.label.first"), say("ngrams.label.second"))
        chart(known_figure(names, known), key=f"{page} known", said=say("ngrams.known.chart"))
        st.caption(say("ngrams.known.caption", units=UNITS, count=len(set("".join(texts)))))


def hidden(page: str, state: FromNgramsState) -> None:
    """A hidden layer beside a hidden state, on the same input with the same weights."""
    st.header(say("ngrams.hidden"), anchor=False)
    st.markdown(say("ngrams.hidden.about"))
    for place, name in zip(st.columns(4), MATRICES, strict=True):
        with place:
            _matrix(page, state, name)
    of = state.settings
    try:
        found = hidden_of(np.array(of.x), np.array(of.W_xh), np.array(of.W_hh), np.array(of.b_h), of.activation)
    except InputError as error:
        st.warning(plain(say_error(error), 400))
        return
    st.markdown(f"**{hidden_words(found)}**")
    st.html(vector_table(say("ngrams.hidden.table"), *hidden_rows(found)))
    st.caption(say("ngrams.hidden.rows"))
    page_link("hidden_state", say("ngrams.hidden.open"), _on_hidden_state(found))


def _on_hidden_state(found: Hidden) -> dict[str, str]:
    """The address of the same network on the page that shows its every number."""
    cell = found.cell
    entries = {
        ".".join((name, *(str(place + 1) for place in entry))): write_number(float(value))
        for name in WEIGHTS
        for entry, value in np.ndenumerate(getattr(cell, name))
    }
    sizes = {
        "preset": "random",
        "hidden_size": str(cell.hidden_size),
        "output_size": "0",
        "activation": cell.activation,
    }
    return sizes | {"x": write_sequence(found.x)} | entries


def learning(page: str, state: FromNgramsState) -> None:
    """A task that a network can do with a state only; both learn it here, in about a second."""
    st.header(say("ngrams.learn"), anchor=False)
    delay, seed = state.settings.delay, state.settings.seed
    slider(page, state, "delay")
    st.markdown(say("ngrams.learn.about", delay=delay) if delay else say("ngrams.learn.now"))
    if not wanted(page, "learn compute", (delay, seed), large=True, label=say("ngrams.learn.press")):
        return
    found = _learned(delay, seed)
    said = learned_words(found, delay)
    st.markdown(f"**{said}**")
    chart(learned_figure(found), key=f"{page} learned", said=say("ngrams.learn.chart"))
    fold(
        page, "learned numbers", say("ngrams.learn.numbers"),
        lambda: table(learned_columns(found, delay), key=f"{page} learned table"),
    )  # fmt: skip


@remembered
def _learned(delay: int, seed: int) -> Echo:
    return echo(delay, seed)


def _text(page: str, state: FromNgramsState, name: str) -> None:
    key = _shown(page, state, name, state.settings.value(name))
    st.text_input(
        say(f"ngrams.label.{name}"), st.session_state[key], key=key,
        on_change=heard, args=(key, _take, page, name, key, checked_history),
    )  # fmt: skip
    refusal(state, name)


def _matrix(page: str, state: FromNgramsState, name: str) -> None:
    key = _shown(page, state, name, write_sequence(np.array(state.settings.value(name))).rstrip(";").replace(";", "\n"))
    st.text_area(
        say(f"ngrams.label.{name}"), st.session_state[key], key=key, height=130,
        on_change=heard, args=(key, _take, page, name, key, read_matrix),
    )  # fmt: skip
    refusal(state, name)


def _shown(page: str, state: FromNgramsState, name: str, text: str) -> str:
    """The key of a field; what was refused stays in it."""
    key = f"{page} {name}"
    if state.refused_by != name:
        set_widget(key, text)
    return key


def _take(page: str, name: str, key: str, read: Callable[[str], object]) -> None:
    """A text was typed (a Streamlit callback)."""
    take(page, name, lambda of: of.choose(name, read(st.session_state[key])))
