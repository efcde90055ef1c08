"""From a network on one page to the same network on another."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from rnnviz.network import in_front, of_cell
from rnnviz.settings import ADDRESS_LIMIT, FLOW_SETTINGS, KINDS, OBJECTIVE_SETTINGS, Settings, address_length
from rnnviz.texts import say
from rnnviz.ui.form import state_of, take
from rnnviz.ui.shell import page_link
from rnnviz.ui.state import PageState, address_of
from rnnviz.views.names import cell_name

FLOW_PAGE = "gradient_flow"
CELL_PAGES = {"elman": "hidden_state", "lstm": "lstm_gates", "gru": "gru_gates"}
"""The page that shows a kind of cell number by number; a cell of one's own is on the first."""


def flow_link(page: str, state: PageState) -> None:
    """A link to the gradient of the network that a page shows."""
    del page
    query = address_of(_without_lesson(beside_others(of_cell(state.settings, state.settings.kind))))
    if address_length(query) > ADDRESS_LIMIT:
        st.caption(say("link.flow.long", page=say(f"page.{FLOW_PAGE}"), fold=say("link.take")))
    else:
        page_link(FLOW_PAGE, say("link.flow"), query)


def cell_link(page: str, state: PageState) -> None:
    """A link to the page that shows the cell in front, with the same network."""
    del page
    settings = state.settings
    alone = of_cell(settings, settings.kind).choose(**dict.fromkeys(set(FLOW_SETTINGS) - {"input_scale"}))
    there, query = CELL_PAGES.get(settings.kind, CELL_PAGES[KINDS[0]]), address_of(_without_lesson(alone))
    if address_length(query) <= ADDRESS_LIMIT:
        page_link(there, say("link.cell", page=say(f"page.{there}")), query)


def _without_lesson(settings: Settings) -> Settings:
    """The settings as a page takes them that teaches nothing to the network."""
    return replace(settings, gallery="").choose(**dict.fromkeys(OBJECTIVE_SETTINGS))


def taking_over(page: str, state: PageState) -> None:
    """A button for each page of a cell that was open: its network, edits and all, comes here."""
    there = [kind for kind, name in CELL_PAGES.items() if state_of(name)]
    if not there:
        return
    st.caption(say("link.take"))
    with st.container(horizontal=True):
        for kind in there:
            st.button(cell_name(kind), key=f"{page} take {kind}", on_click=_take_over, args=(page, kind))


def beside_others(settings: Settings) -> Settings:
    """The settings of one cell as a page with all kinds takes them."""
    return replace(settings, t=1, beside=tuple(kind for kind in KINDS if kind != settings.kind))


def _take_over(page: str, kind: str) -> None:
    """The network of another page is wanted here (a Streamlit callback)."""
    other = state_of(CELL_PAGES[kind])
    if other is not None:
        take(page, "take", lambda here: _as_on(here, other.settings), asked=True)


def _as_on(here: Settings, there: Settings) -> Settings:
    """A network of another page's as this page holds it."""
    return in_front(replace(beside_others(there), gallery=here.gallery), there.kind)
