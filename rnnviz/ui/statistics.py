"""Statistics of the gates below the explorer, built when they are opened."""

from __future__ import annotations

import streamlit as st

from rnnviz.maths import gate_saturation
from rnnviz.texts import say
from rnnviz.ui.controls import choice, moved
from rnnviz.ui.ledger import STYLE
from rnnviz.ui.results import trace_of
from rnnviz.ui.state import PageState
from rnnviz.views.saturation import saturation_picture, saturation_table, saturation_words


def statistics_panel(page: str, state: PageState) -> None:
    """A fold: how often each gate is shut or open, and the order of the units in the strips above."""
    fold = st.expander(say("saturation.title"), key=f"{page} saturation", on_change=moved, args=(page,))
    if not fold.open:
        return
    with fold:
        menu, _ = st.columns([2, 5])
        with menu:
            choice(page, state, "order")
        found = gate_saturation(trace_of(state.settings))
        st.markdown(f"**{saturation_words(found)}**")
        st.markdown(saturation_picture(found), unsafe_allow_html=True)
        st.html(f"<style>{STYLE}</style>{saturation_table(found)}")
