"""The phase portrait below the explorer: sought and drawn only while it is open."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np
import streamlit as st

from rnnviz.maths import InputError, Trace
from rnnviz.maths.checks import Array
from rnnviz.maths.fixed_points import FixedPointSearch, search_fixed_points
from rnnviz.settings import Settings
from rnnviz.texts import plain, say
from rnnviz.ui.controls import choose_unit, moved
from rnnviz.ui.results import result_of
from rnnviz.ui.state import PageState
from rnnviz.views.phase import phase_legend, phase_notes, phase_portrait
from rnnviz.views.phase_words import fixed_point_table, fixed_points_said, path_table

_HELD = ("zero", "mean", "step")
_NEAR = 8
"""States of the run from which the search sets out too."""


def phase_panel(page: str, state: PageState) -> None:
    """A fold with the phase portrait of two units; while it is closed it costs its title."""
    fold = st.expander(say("phase.title"), key=f"{page} phase", on_change=moved, args=(page,))
    if not fold.open:
        return
    with fold:
        st.html(f"<style>{_STYLE}</style>")
        trace = result_of(state.settings).trace
        if trace.cell.hidden_size == 1:
            st.markdown(say("phase.one_unit"))
        else:
            _portrait(page, state.settings, trace)


def _portrait(page: str, settings: Settings, trace: Trace) -> None:
    t, units = min(settings.t, trace.steps), range(trace.cell.hidden_size)
    picture, beside = st.columns([5, 6], gap="medium")
    with beside:
        if settings.layer > 1:
            st.caption(say("phase.layer", layer=settings.layer, below=settings.layer - 1))
        across, up, held_at = st.columns([1, 1, 1.4])
        with across:
            a = choose_unit(page, "phase.across", list(units), 0)
        with up:
            b = choose_unit(page, "phase.up", [unit for unit in units if unit != a], 1 if a != 1 else 0)
        with held_at:
            key = f"{page} phase.held"
            held = st.selectbox(
                say("phase.held"), _HELD, key=key, format_func=lambda one: say(f"phase.held.{one}", t=t),
                on_change=moved, args=(page,),
            )  # fmt: skip
        try:
            search, u = _search(replace(settings, t=t if held == "step" else 1), held)
        except InputError as error:  # the sums of the held input alone can overflow
            st.warning(say("phase.refused", reason=plain(str(error), 400)))
            return
        st.markdown(f"**{fixed_points_said(search, a, b)}**")
        st.html(fixed_point_table(search, a, b))
        numbers = st.expander(say("phase.path"), key=f"{page} phase path", on_change=moved, args=(page,))
        if numbers.open:
            numbers.html(path_table(trace, a, b))
        st.caption(phase_notes(trace, a, b, search, u))
    with picture:
        st.markdown(phase_portrait(trace, a, b, search, u, t) + phase_legend(search, t), unsafe_allow_html=True)


@lru_cache(maxsize=64)
def _search(settings: Settings, held: str) -> tuple[FixedPointSearch, Array]:
    """The fixed points under the held input, and that input; the search sets out from states of the run too."""
    trace = result_of(settings).trace
    with np.errstate(over="ignore"):
        mean = trace.x.mean(axis=0)
    u = {"zero": np.zeros(trace.x.shape[1]), "mean": mean, "step": trace.x[settings.t - 1]}[held]
    visited = trace.h[np.unique(np.linspace(0, trace.steps, _NEAR).astype(int))]
    return search_fixed_points(trace.cell, u, near=visited), u


_STYLE = (Path(__file__).parent / "phase.css").read_text(encoding="utf-8")
