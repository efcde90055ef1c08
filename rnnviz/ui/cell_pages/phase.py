"""The phase portrait below the explorer: computed and drawn only while it is open."""

from __future__ import annotations

import numpy as np
import streamlit as st

from rnnviz.cache import remembered
from rnnviz.maths import InputError, Trace
from rnnviz.maths.cells.elman import require_elman
from rnnviz.maths.checks import Array
from rnnviz.maths.dynamics.endings import Endings, find_endings
from rnnviz.maths.dynamics.fixed_points import FixedPointSearch, search_fixed_points
from rnnviz.network import parts_of
from rnnviz.settings import NetworkSettings, Settings
from rnnviz.texts import plain, say, say_error
from rnnviz.ui.controls import choose_unit
from rnnviz.ui.form import moved
from rnnviz.ui.panels import chart, fold, table
from rnnviz.ui.results import run_of, trace_of
from rnnviz.ui.state import PageState
from rnnviz.views.charts.phase import phase_portrait, window_of
from rnnviz.views.numbers import written
from rnnviz.views.sentences.phase import endings_said, fixed_points_said, path_columns, phase_notes, point_columns
from rnnviz.wording import Message

_INPUTS = ("zero", "mean", "step")
_NEAR = 8
"""States of the run from which the search sets out too."""


def phase_panel(page: str, state: PageState) -> None:
    """A fold with the phase portrait of two units; while it is closed it costs its title."""
    fold(page, "phase", say("phase.title"), lambda: _panel(page, state.settings))


def _panel(page: str, settings: Settings) -> None:
    trace = trace_of(settings)
    if trace.cell.hidden_size == 1:
        st.markdown(say("phase.one_unit"))
        return
    t, units = min(settings.t, trace.steps), list(range(trace.cell.hidden_size))
    if settings.layer > 1:
        st.caption(say("phase.layer", layer=settings.layer, below=settings.layer - 1))
    across, up, under = st.columns(3)
    with across:
        a = choose_unit(page, "phase.across", units, 0)
    with up:
        b = choose_unit(page, "phase.up", [unit for unit in units if unit != a], 1 if a != 1 else 0)
    with under:
        constant = st.selectbox(
            say("phase.constant"), _INPUTS, key=f"{page} phase.constant",
            format_func=lambda one: say(f"phase.constant.{one}", t=t), on_change=moved, args=(page,),
        )  # fmt: skip
    try:
        parts = parts_of(settings)
        search, endings, u = _search(
            parts.network, parts.view.sequence, parts.view.layer, constant, t if constant == "step" else 0
        )
    except InputError as error:  # the sums of the constant input alone can overflow
        st.warning(say("phase.refused", reason=plain(say_error(error), 400)))
        return
    _portrait(page, trace, (a, b), (search, endings, u), t)


def _portrait(
    page: str, trace: Trace, units: tuple[int, int], found: tuple[FixedPointSearch, Endings, Array], t: int
) -> None:
    (a, b), (search, endings, u) = units, found
    kinds, ways = fixed_points_said(search, a, b), endings_said(trace, search, endings)
    ends = [written(float(value)) for value in (*trace.h[0, [a, b]], *trace.h[-1, [a, b]])]
    twin = say(
        "phase.picture", a=a + 1, b=b + 1, steps=trace.steps, a0=ends[0], b0=ends[1], a1=ends[2], b1=ends[3],
        found=f"{kinds} {ways}",
    )  # fmt: skip
    picture, beside = st.columns([6, 5], gap="medium")
    with picture:
        chart(phase_portrait(trace, a, b, search, endings, u, t), key=f"{page} phase chart", said=twin)
    with beside:
        st.markdown(f"**{kinds}**\n\n{ways}")
        window = window_of(trace, units, search)
        st.caption(phase_notes(trace, search, endings, u, lambda point: window.holds(point.h[[a, b]])))
    if search.points:
        points, points_key = point_columns(search, endings), f"{page} phase points table"
        fold(page, "phase points", say("phase.table"), lambda: table(points, key=points_key))
    fold(page, "phase path", say("phase.path"), lambda: table(path_columns(trace), key=f"{page} phase path table"))


@remembered
def _search(
    network: NetworkSettings, sequence: int, layer: int, constant: str, t: int
) -> tuple[FixedPointSearch, Endings, Array]:
    """The fixed points under the constant input, where random starts end, and that input, which may be that of step t.

    The search sets out from states of the run and from the ends of the starts too.
    """
    trace = run_of(network, sequence)[0].traces[layer - 1]
    with np.errstate(over="ignore"):
        mean = trace.x.mean(axis=0)
    u = {"zero": np.zeros(trace.x.shape[1]), "mean": mean, "step": trace.x[t - 1]}[constant]
    needed = Message("error.phase.elman", "Phase portraits are for Elman RNNs")
    cell = require_elman(trace.cell, needed, Message("error.phase.choose", "Choose an Elman RNN."))
    endings = find_endings(cell, u)
    visited = trace.h[np.unique(np.linspace(0, trace.steps, _NEAR).astype(int))]
    rests = [ending.states for ending in endings.found if ending.period == 1]
    return search_fixed_points(cell, u, near=np.concatenate([visited, *rests])), endings, u
