"""The way from step t back to step k on the Gradient flow page: the factor of each step, and one step opened."""

from __future__ import annotations

import streamlit as st

from rnnviz.maths.checks import Array
from rnnviz.network import canonicalise, parts_of
from rnnviz.settings import Settings
from rnnviz.texts import later, say, unbroken
from rnnviz.ui.form import moved, take
from rnnviz.ui.gradient_flow.flows import norms_between
from rnnviz.ui.panels import chart, fold, table
from rnnviz.ui.ranged import slider_with_field
from rnnviz.ui.state import PageState
from rnnviz.views.charts.gradient_flow import CellFlow
from rnnviz.views.charts.steps_back import chain_chart, opened_chart
from rnnviz.views.sentences.steps_back import (
    chain_columns,
    chain_note,
    chain_words,
    opened_columns,
    opened_formula,
    opened_words,
    symbol_of,
    worst_step,
)

STEPS = "step by step"
"""The fold's name; a click on the map opens it."""


def steps_panel(page: str, state: PageState, front: CellFlow) -> None:
    """A fold: the way from t back to k, step by step, and one step opened; open where an address asks for any of it."""
    asked = bool({"from_step", "to_step", "opened"} & {name for name, _ in state.settings.chosen})
    fold(page, STEPS, say("chain.title"), lambda: _steps(page, state, front), opened=asked)


def pair_of(settings: Settings, front: CellFlow) -> tuple[int, int]:
    """The pair of steps that is shown step by step: by default the whole way."""
    view, last = parts_of(settings).view, front.trace.steps
    t = min(view.to_step or last, last)
    return min(view.from_step, t - 1), t


def _steps(page: str, state: PageState, front: CellFlow) -> None:
    settings = state.settings
    (k, t), view, steps = pair_of(settings, front), parts_of(settings).view, front.trace.steps
    asked = view.from_step, view.to_step or steps
    if asked != (k, t):
        st.caption(say("chain.clipped", k=asked[0], t=asked[1], steps=steps))
    norms = norms_between(front, k, t)
    opened = view.opened if k < view.opened <= t else worst_step(norms, k)
    chain, step = st.columns(2, gap="medium")
    with chain:
        symbol = symbol_of(front.trace, front.block)
        st.markdown(f"**{chain_words(norms, k, symbol)}**")
        chart(chain_chart(norms, k, opened), key=f"{page} chain chart", said=say("chain.said", opened=opened))
        _choose_step(page, state, k, t, opened)
        if t - k > 1:
            st.caption(chain_note(norms, k, symbol))
    with step:
        st.html(f"<p class='step-formula'>{opened_formula(front.trace, opened)}</p>")
        said = opened_words(front.trace, opened)
        st.markdown(unbroken(said))
        chart(opened_chart(front.trace, opened), key=f"{page} opened chart", said=said)
    fold(page, "steps numbers", say("chain.numbers"), lambda: _tables(page, norms, k, front, opened))


def _tables(page: str, norms: Array, k: int, front: CellFlow, opened: int) -> None:
    of_units, of_places = opened_columns(front.trace, opened)
    for name, columns in (("steps", chain_columns(norms, k)), ("units", of_units), ("singular", of_places)):
        table(columns, key=f"{page} {name} table")


def _choose_step(page: str, state: PageState, k: int, t: int, shown: int) -> None:
    """Which step is opened."""
    slider_with_field(
        page, state, later("control.opened"), k + 1, t, shown,
        key=f"{page} opened", taken=lambda step: _take_opened(page, int(step), shown),
        help_text=say("chain.choose", first=k + 1, last=t),
    )  # fmt: skip


def _take_opened(page: str, step: int, shown: int) -> None:
    """Another step is to be opened (a Streamlit callback); what a run chose can come back as if a reader had."""
    if step == shown:
        moved(page)
    else:
        take(page, "opened", lambda settings: canonicalise(settings.choose(opened=step))[0])
