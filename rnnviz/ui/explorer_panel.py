"""The cell explorer on a page, with what stands around it: refusals, and the address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import streamlit as st

from rnnviz.network import base_arrays, parts_of
from rnnviz.settings import ADDRESS_LIMIT, Problem, address_length
from rnnviz.settings.carried import in_parts
from rnnviz.texts import group, plain, say, say_message
from rnnviz.ui.components.copy_link import copy_link
from rnnviz.ui.components.explorer import mount_explorer
from rnnviz.ui.controls import SHOWN, layer_and_sequence
from rnnviz.ui.exchange import download_settings
from rnnviz.ui.form import FormState, moved, write_address
from rnnviz.ui.panels import apart
from rnnviz.ui.results import picture_of, remark_of, run_shown, trace_of, words_of
from rnnviz.ui.shell import head, page_link
from rnnviz.ui.state import PageState, address_of, sync_of, take_edits, take_step
from rnnviz.views.explorer.picture import Caption, pack, without_graph
from rnnviz.views.numbers import thousands


def explore(page: str, state: PageState) -> None:
    """Draw the explorer for a page's settings and write the address.

    It is not a fragment: after a lost connection a fragment no longer exists, and its edits would be dropped.
    """
    apart(page, "problems", lambda: problems(page, state))
    apart(page, "explorer", lambda: _explorer(page, state))
    keep_address(page, state)


def _explorer(page: str, state: PageState) -> None:
    settings, key, early = state.settings, f"{page} explorer", run_shown(state.settings)[1]
    picture, words = picture_of(settings), words_of(settings)
    looked_at = st.session_state.get(key, {}).get("graph")
    caption = caption_of(
        state,
        group("explorer"),
        fact=words.fact,
        remark=remark_of(parts_of(settings), trace_of(settings), picture),
        notices=words.notices,
        alert=say_message(early) if early else "",
    )
    mount(page, pack(picture if looked_at else without_graph(picture), caption, sync_of(state)), key)


def caption_of(
    state: PageState,
    words: Mapping[str, str],
    *,
    fact: str,
    notices: Sequence[tuple[int, str]],
    remark: str = "",
    alert: str = "",
) -> Caption:
    """What stands around a picture of the page's network: a refused edit comes before any other alert."""
    base = base_arrays(parts_of(state.settings).base)
    return Caption(
        words=words,
        fact=fact,
        remark=remark,
        notices=notices,
        alert=_refused(state) or alert,
        edited=[(entry.name, entry.place, float(base[entry.name][entry.place])) for entry, _ in state.settings.edits],
        typed=[value for _, value in state.settings.edits],
    )


def _refused(state: PageState) -> str:
    """Why the last edit was not taken, or nothing."""
    if state.refused is None or state.refused_by != "explorer":
        return ""
    return say("problem.refused", reason=state.refused)


def mount(page: str, payload: bytes, key: str) -> None:
    """Show a packed picture; its edits and its step are the page's."""
    mount_explorer(
        payload,
        key=key,
        on_edits=lambda: take_edits(page, key),
        on_step=lambda: take_step(page, key),
        on_graph=lambda: moved(page),
    )


def problems(page: str, state: PageState, shown: Sequence[str] = SHOWN) -> None:
    """What an address had that cannot be used, what the last choice changed, and which layer and sequence is shown."""
    share(page, state)
    unusable(state)
    if name := state.settings.missing:
        st.warning(say("weights.missing", name=name, fold=say("file.title")))
        if state.settings.recipe:
            page_link("training", say("weights.again"), in_parts(state.settings.recipe))
    if state.notes:
        st.info(" ".join(map(say_message, state.notes)))
    layer_and_sequence(page, state, shown)


def unusable(state: FormState) -> None:
    """What an address had that cannot be used."""
    nothing = say("problem.nothing")
    for needed, same in groupby(sorted(state.problems, key=_needed), _needed):
        entries = [f"{plain(one.name, 80) or nothing} = {plain(one.given, 80) or nothing}" for one in same]
        st.warning(say("problem.address", entries=", ".join(entries), count=len(entries), needed=plain(needed, 300)))


def _needed(problem: Problem) -> str:
    return say_message(problem.needed)


def share(page: str, state: PageState) -> None:
    """Beside the title the button that copies the address; below it, where the address is too long, a file instead."""
    length = address_length(address_of(state.settings))
    beside, below = head()
    with beside:
        copy_link(whole=length <= ADDRESS_LIMIT)
    if length > ADDRESS_LIMIT:
        with below.container(horizontal=True, vertical_alignment="center"):
            sizes = {"length": thousands(length), "limit": thousands(ADDRESS_LIMIT)}
            st.warning(say("problem.too_long", fold=say("file.title"), **sizes))
            download_settings(page, state)


def keep_address(page: str, state: FormState) -> None:
    """Write the address, after all that it stands for has been drawn."""
    del page
    write_address(state)
