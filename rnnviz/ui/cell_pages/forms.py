"""Another form of the GRU with the same weights, below the explorer; computed while it is open."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from rnnviz.maths import InputError, Trace
from rnnviz.network import build, network_of, parts_of, run_to_the_end
from rnnviz.settings import Settings
from rnnviz.texts import plain, say, say_error
from rnnviz.ui.controls import choose_unit
from rnnviz.ui.form import moved
from rnnviz.ui.panels import chart, fold, table
from rnnviz.ui.results import trace_of
from rnnviz.ui.state import PageState
from rnnviz.views.charts.forms import forms_figure
from rnnviz.views.sentences.forms import FORMS, form_words, forms_apart, forms_columns


def forms_panel(page: str, state: PageState) -> None:
    """A fold with the states in this form and in another, side by side."""
    fold(page, "forms", say("forms.title"), lambda: _forms(page, state.settings))


def _forms(page: str, settings: Settings) -> None:
    words = dict(parts_of(settings).base.form)
    here = (words["reset"], words["update"])
    others, key = [form for form in FORMS if form != here], f"{page} forms other"
    if st.session_state.get(key) not in others:
        st.session_state[key] = others[0]
    menu, unit_menu = st.columns([4, 1])
    with menu:
        form = st.selectbox(say("forms.other"), others, key=key, format_func=form_words, on_change=moved, args=(page,))
    trace = trace_of(settings)
    with unit_menu:
        unit = choose_unit(page, "forms.unit", list(range(trace.cell.hidden_size)), 0)
    try:
        other = _in_form(settings, form)
    except InputError as error:
        st.warning(say("problem.refused", reason=plain(say_error(error), 400)))
        return
    t = min(settings.t, trace.steps)
    said = forms_apart(trace, other, unit, t)
    st.markdown(f"**{said}**")
    st.caption(f"{say('forms.here', form=form_words(here))}  \n{say('forms.there', form=form_words(form))}")
    chart(forms_figure(trace, other, unit, t), key=f"{page} forms chart", said=said)
    fold(
        page, "forms numbers", say("gates.numbers"),
        lambda: table(forms_columns(trace, other), key=f"{page} forms table"),
    )  # fmt: skip


def _in_form(settings: Settings, form: tuple[str, str]) -> Trace:
    """The run of the layer and sequence shown in another form, with the very same weights in all layers."""
    network = build(network_of(settings))
    cells = tuple(replace(cell, reset=form[0], update=form[1]) for cell in network.cells)  # type: ignore[call-arg]
    ran, _ = run_to_the_end(replace(network, cells=cells))
    return ran.traces[settings.sequence - 1][settings.layer - 1]
