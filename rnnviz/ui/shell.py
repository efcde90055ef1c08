"""The frame around every page: menu, title, theme, the sign for a lost connection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage

from rnnviz.texts import ENGLISH, language, say, speak
from rnnviz.ui.components.connection import watch_connection

_PAGES: dict[str, Sequence[str]] = {
    "": ("home",),
    "section.forward": ("hidden_state", "lstm_gates", "gru_gates"),
    "section.backward": ("gradient_flow", "bptt_rtrl"),
    "section.learning": ("training", "compare_cells"),
    "section.text": ("from_ngrams",),
}
"""Pages by section of the menu; file stem, address and key of a page are the same word."""

_FOLDER = Path(__file__).parents[2] / "pages"
_FRAMED = "page entered through the shell"
_HEAD = "head of the page"
_MADE = "pages of the menu"


def run_app() -> None:
    """Show the page that the address names (the whole of ``app.py``)."""
    page = _navigation()
    st.session_state[_FRAMED] = True
    page.run()


def enter(page: str) -> None:
    """Begin a page: its frame, its title and its question. Every page calls this first.

    On a server that was just started, a deep link takes Streamlit's older router, because a folder ``pages`` exists,
    and runs the bare page without ``app.py``. Then the menu is declared here and the run is begun again.
    """
    if not st.session_state.pop(_FRAMED, False):
        _navigation()
        st.rerun()
    title, question = escape(say(f"{page}.title")), escape(say(f"{page}.subtitle"))
    with st.container(horizontal=True, vertical_alignment="center", key="head"):
        st.html(f"<style>{_STYLE}</style><div class='page-head'><h1>{title}</h1><p>{question}</p></div>")
        beside = st.container(width="content", key="beside_title")
    st.session_state[_HEAD] = (beside, st.container())
    watch_connection()


def head() -> tuple[DeltaGenerator, DeltaGenerator]:
    """The places in the head of the page that is drawn: beside its title, and below it."""
    places: tuple[DeltaGenerator, DeltaGenerator] = st.session_state[_HEAD]
    return places


def page_names() -> list[str]:
    """Every page of the menu but Home, in its order."""
    return [page for pages in _PAGES.values() for page in pages if page != "home"]


def page_link(page: str, label: str = "", query: Mapping[str, str] | None = None) -> None:
    """A link to a page by its name, with the query of its address."""
    label = label or say("home.open", page=say(f"page.{page}"))
    st.page_link(_pages()[page], label=label, query_params=dict(query or {}))


def _navigation() -> StreamlitPage:
    speak(_language())
    st.set_page_config(layout="wide")
    pages = _pages()
    sections = {say(title) if title else "": [pages[name] for name in names] for title, names in _PAGES.items()}
    return st.navigation(sections, expanded=True)


def _pages() -> dict[str, StreamlitPage]:
    """The pages by name: each looks its file up when it is made, so a session keeps them, in the language it speaks."""
    key = f"{_MADE} {language()}"
    if key not in st.session_state:
        st.session_state[key] = {name: _page(name) for names in _PAGES.values() for name in names}
    made: dict[str, StreamlitPage] = st.session_state[key]
    return made


def _language() -> str:
    """In which language this session's pages speak: English, as long as nothing offers another one."""
    return str(st.session_state.get("language", ENGLISH))


def _page(name: str) -> StreamlitPage:
    home = name == "home"
    return st.Page(_FOLDER / f"{name}.py", title=say(f"page.{name}"), url_path=None if home else name, default=home)


_STYLE = (Path(__file__).parent / "shell.css").read_text(encoding="utf-8")
