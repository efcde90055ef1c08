"""The training run of the page: it is started, watched while it lasts, and read when it is over."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from rnnviz.learning.jobs import JOBS, Run
from rnnviz.network.comparison import comparison_plan
from rnnviz.texts import language, plain, say, say_message, speak
from rnnviz.ui.compare_cells.numbers import Facts, Results, learned_of, trained_decays
from rnnviz.ui.compare_cells.state import ComparisonState, comparison_of
from rnnviz.ui.form import moved
from rnnviz.ui.panels import apart, chart
from rnnviz.views.charts.compare import loss_chart
from rnnviz.views.sentences.compare import loss_words
from rnnviz.views.sentences.training import progress_words

_EVERY = 0.5
"""Seconds between two looks at a run."""


def start_button(page: str, state: ComparisonState) -> None:
    """The button that trains."""
    count = state.settings.seeds * len(state.settings.recipe.kinds)
    running = state.run is not None and not state.run.is_over
    st.button(
        say("compare.train", count=count), key=f"{page} train", type="primary", disabled=running,
        on_click=_start, args=(page,),
    )  # fmt: skip


def _start(page: str) -> None:
    """The networks are to be trained (a Streamlit callback)."""
    state = comparison_of(page)
    if state is None:
        return
    moved(page)
    state.end()
    run = JOBS.start(comparison_plan(state.settings), of=state.settings)
    state.run_name, state.is_own, state.run_of, state.results = run.name, True, state.settings, None


def results_of(state: ComparisonState, of: Facts, *, followed: bool) -> Results | None:
    """What the run for these settings has reached, if it is over; with its gradients where they are `followed`."""
    run = state.run
    if run is None or not run.is_over or not run.update:
        return None
    if state.results is None:
        learned = learned_of(run, of.solved)
        if not learned:
            return None
        state.results = Results(run.update, learned)
    if followed and state.results.decays is None:
        state.results = replace(state.results, decays=trained_decays(run))
    return state.results


def run_panel(page: str, state: ComparisonState, of: Facts) -> None:
    """How the networks learn: live while they do, then as it ended."""
    run = state.run
    if run is None and state.run_name:
        st.info(say("compare.changed" if state.run_of != state.settings else "training.gone"))
    elif run is not None and run.is_over:
        _show(page, run, of)
    elif run is not None:
        _live(page, of, language())


@st.fragment(run_every=_EVERY)
def _live(page: str, of: Facts, spoken: str) -> None:
    """The run as it is now; when it is over the whole page is drawn anew."""
    speak(spoken)  # a fragment that runs by itself does not come through the shell
    state = comparison_of(page)
    run = state.run if state else None
    if run is None or run.is_over:
        st.rerun()
    run.seen()
    apart(page, "run", lambda: _show(page, run, of))


def _show(page: str, run: Run, of: Facts) -> None:
    every, count = run.plan.updates, len(run.lanes)
    done = sum(every if lane.is_broken else len(lane.updates) for lane in run.lanes) / (every * count)
    st.html(
        f"<div data-testid='comparison-run' data-state='{run.state}' data-update='{run.update}' "
        f"data-networks='{count}'></div>"
    )
    words = progress_words(run.state, run.update, every, run.seconds_left, run.place, run.minutes_allowed)
    st.progress(done, say("compare.run", count=count, words=words))
    _buttons(page, run)
    if run.reason is not None:
        st.warning(plain(say_message(run.reason), 400))
    learned = learned_of(run, of.solved)
    if not learned:
        return
    words = loss_words(learned, of.constant, of.solved)
    chart(loss_chart(learned, of.constant, of.solved, every), key=f"{page} loss chart", said=words)
    st.caption(words)


def _buttons(page: str, run: Run) -> None:
    """Play or Pause, and Stop."""
    if run.is_over:
        return
    with st.container(horizontal=True):
        if run.state == "paused":
            st.button(say("compare.play"), key=f"{page} play", on_click=run.go_on)
        else:
            st.button(say("compare.pause"), key=f"{page} pause", on_click=run.pause, disabled=run.state != "running")
        st.button(say("compare.stop"), key=f"{page} stop", on_click=run.stop)
