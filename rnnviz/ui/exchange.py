"""Settings out and in as a file, for what no address can carry."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from rnnviz.maths import InputError
from rnnviz.network import build, canonicalise, edited_arrays, network_of
from rnnviz.presets import ALL_PRESETS
from rnnviz.sequences import write_table
from rnnviz.settings import Settings, from_json, network_in, to_json
from rnnviz.texts import say
from rnnviz.ui.form import moved, refusal, take
from rnnviz.ui.state import PageState, page_state_of
from rnnviz.weights import STORE


def settings_file(page: str, state: PageState) -> None:
    """A fold to save all settings, and to open them again; while it is closed nothing is written."""
    fold = st.expander(say("file.title"), key=f"{page} file", on_change=moved, args=(page,))
    if not fold.open:
        return
    with fold:
        download_settings(f"{page} file", state)
        st.download_button(
            say("file.download_csv"),
            lambda: write_table(build(network_of(state.settings)).xs),
            f"{page}.csv",
            "text/csv",
            on_click="ignore",
        )
        key = f"{page} file open"
        st.file_uploader(say("file.open"), ["json"], key=key, on_change=_take_settings, args=(page, key))
        refusal(state, "file")


def download_settings(name: str, state: PageState) -> None:
    """A button that saves all settings as JSON; they are written when it is pressed."""
    settings = state.settings
    st.download_button(
        say("file.download"),
        lambda: to_json(settings, edited_arrays(network_of(settings)), STORE.get(settings.weights)),
        "rnnviz.json",
        "application/json",
        key=f"{name} json",
        on_click="ignore",
    )


def _take_settings(page: str, key: str) -> None:
    """A file was chosen or taken away (a Streamlit callback)."""
    file, state = st.session_state[key], page_state_of(page)
    if state is None:
        return
    with state.lock:
        taken = take(page, "file", lambda settings: _read(file.getvalue(), settings) if file else settings, asked=True)
        if taken and file:
            state.typing = False


def _read(content: bytes, here: Settings) -> Settings:
    """The settings of a file, as the page takes them that has these.

    Raises
    ------
    InputError
        If it cannot be read, or parts of it lie outside its own network.
    """
    network = network_in(content)
    if network is not None:
        STORE.put(network)
    settings, problems = canonicalise(replace(from_json(content, ALL_PRESETS, here.kinds), gallery=here.gallery))
    if settings.missing:
        raise InputError(
            "file.no_weights",
            "The file names the stored weights {name} but does not contain them. Choose the file that they were "
            "saved in.",
            name=settings.missing,
        )  # fmt: skip
    for problem in problems:
        raise InputError(
            "file.entry.outside",
            "{name} = {given}: {needed} Choose a file that was downloaded here, or remove this entry from it.",
            name=problem.name, given=problem.given, needed=problem.needed,
        )  # fmt: skip
    return settings
