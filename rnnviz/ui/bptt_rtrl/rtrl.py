"""RTRL beside BPTT, in a fold: computed while it is open, and where it takes long only when asked for."""

from __future__ import annotations

import streamlit as st

from rnnviz.maths import (
    InputError,
    OnlineRun,
    Trace,
    gradient_costs,
    influence,
)
from rnnviz.maths.checks import Array
from rnnviz.network import Objective, parts_of
from rnnviz.texts import later, plain, say, say_error
from rnnviz.ui import panels
from rnnviz.ui.bptt_rtrl.forward_mode import forward_gradient, online
from rnnviz.ui.bptt_rtrl.objectives import Task, gradients, objective, task_of
from rnnviz.ui.ranged import kept_number
from rnnviz.ui.state import PageState
from rnnviz.views.charts.rtrl import drift_figure, influence_figure
from rnnviz.views.numbers import power, thousands
from rnnviz.views.sentences.rtrl import (
    MOST_CELLS,
    cost_columns,
    drift_words,
    equality_words,
    influence_size,
    influence_words,
    letter_columns,
    matrix_words,
    state_names,
)

_MOST_WORK = 1e9
"""Multiply-adds of RTRL that take no more than about a second together with all else in the fold."""
_MOST_CALLS = 20_000
"""Of a cell's own step, which take about as long."""
_MOST_STEPS = 300
"""Steps over which learning at every step, whose time grows with their square, takes no more than that."""


def rtrl_panel(page: str, state: PageState) -> None:
    """A fold: both gradients compared, what they cost, what RTRL carries, and learning at every step."""
    panels.fold(page, "rtrl", say("rtrl.title"), lambda: _show(page, state))


def _show(page: str, state: PageState) -> None:
    task = task_of(state.settings)
    found = objective(task)
    work, large = _work(found.trace)
    try:
        if panels.wanted(page, "rtrl compute", task, large=large, why=say("rtrl.long", work=power(work))):
            _compare(page, state, task, found)
    except InputError as error:
        st.warning(plain(say_error(error), 400))
        return
    st.markdown(f"#### {say('rtrl.drift.title')}")
    try:
        _learn(page, state, task, found, large=large or found.trace.steps > _MOST_STEPS)
    except InputError as error:
        st.warning(plain(say_error(error), 400))


def _work(trace: Trace) -> tuple[int, bool]:
    """The multiply-adds of RTRL, and whether they take long. A cell that has only a step takes it once per weight."""
    cell, (rows, columns) = trace.cell, influence_size(trace)
    if cell.told_by == "step":
        return trace.steps * rows * rows * columns, trace.steps * columns > _MOST_CALLS
    work = gradient_costs(cell, trace.steps).rtrl.multiply_adds
    return work, work > _MOST_WORK


def _compare(page: str, state: PageState, task: Task, found: Objective) -> None:
    with st.spinner(say("rtrl.working")):
        forward, seconds, norms = forward_gradient(task)
    trace = found.trace
    st.markdown(f"**{equality_words(gradients(task), forward)}**")
    st.markdown(f"#### {say('rtrl.cost.heading')}")
    panels.table(cost_columns(trace, forward, seconds), key=f"{page} rtrl costs")
    if trace.cell.told_by == "step":
        st.caption(say("rtrl.cost.untold"))
    else:
        st.caption(say("rtrl.cost.words"))
        panels.fold(
            page, "rtrl letters", say("rtrl.cost.letters"),
            lambda: panels.table(letter_columns(trace), key=f"{page} rtrl letters table"),
        )  # fmt: skip
    st.markdown(f"#### {say('rtrl.influence.title')}")
    said, t, blocks, units = [influence_words(norms)], 1, {}, state_names(trace)
    rows, columns = influence_size(trace)
    if rows * columns > MOST_CELLS:
        said.append(say("rtrl.matrix.large", rows=rows, columns=thousands(columns), most=thousands(MOST_CELLS)))
    else:
        t = kept_number(page, state, later("rtrl.matrix.step"), 1, trace.steps, key=f"{page} influence step")
        blocks = dict(influence(trace, t))
        said.append(matrix_words(trace, t))
    st.markdown(" ".join(said))
    panels.chart(influence_figure(norms, blocks, units, t), key=f"{page} influence", said=" ".join(said))
    panels.fold(page, "influence numbers", say("rtrl.as_numbers"), lambda: _influence_table(page, norms))


def _influence_table(page: str, norms: Array) -> None:
    steps = list(range(1, len(norms) + 1))
    columns = {say("rtrl.column.step"): steps, say("rtrl.influence.axis"): norms.tolist()}
    panels.table(columns, key=f"{page} influence table")


def _learn(page: str, state: PageState, task: Task, found: Objective, *, large: bool) -> None:
    lr = parts_of(state.settings).learning.lr
    st.caption(say("rtrl.drift.about"))
    if found.trace.clamp:
        st.caption(say("rtrl.drift.clamped"))
    why = say("rtrl.drift.long", steps=found.trace.steps)
    if not panels.wanted(page, "rtrl learn", (task, lr), large=large, why=why):
        return
    with st.spinner(say("rtrl.working")):
        learned = online(task, lr)
    said = drift_words(learned, lr)
    st.markdown(said)
    if learned.norms[:-1].any():  # else there is no line to draw
        panels.chart(drift_figure(learned), key=f"{page} drift", said=said)
        panels.fold(page, "drift numbers", say("rtrl.as_numbers"), lambda: _drift_table(page, learned))


def _drift_table(page: str, learned: OnlineRun) -> None:
    columns = {
        say("rtrl.column.step"): list(range(1, len(learned.drift) + 1)),
        say("rtrl.drift.true"): learned.true_norms.tolist(),
        say("rtrl.drift.online"): learned.norms.tolist(),
        say("rtrl.drift.drift"): learned.drift.tolist(),
    }
    panels.table(columns, key=f"{page} drift table")
