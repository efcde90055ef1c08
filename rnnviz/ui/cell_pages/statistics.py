"""Statistics of the gates below the explorer, built when they are opened."""

from __future__ import annotations

import streamlit as st

from rnnviz.maths import gate_saturation
from rnnviz.texts import say
from rnnviz.ui.form import choice
from rnnviz.ui.panels import chart, fold, table
from rnnviz.ui.results import trace_of
from rnnviz.ui.state import PageState
from rnnviz.views.charts.saturation import saturation_figure
from rnnviz.views.sentences.saturation import saturation_columns, saturation_words


def statistics_panel(page: str, state: PageState) -> None:
    """A fold: how often each gate is closed or open, and the order of the units in the strips above."""
    fold(page, "saturation", say("saturation.title"), lambda: _statistics(page, state))


def _statistics(page: str, state: PageState) -> None:
    menu, _ = st.columns([2, 5])
    with menu:
        choice(page, state, "order")
    found = gate_saturation(trace_of(state.settings))
    words = saturation_words(found)
    st.markdown("\n".join(f"- {said}" for said in words))
    chart(saturation_figure(found), key=f"{page} saturation chart", said=" ".join(words))
    st.caption(say("saturation.note"))
    fold(
        page, "saturation numbers", say("gates.numbers"),
        lambda: table(saturation_columns(found), key=f"{page} saturation table"),
    )  # fmt: skip
