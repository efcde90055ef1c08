"""RTRL beside BPTT, in a fold: computed while it is open, and where it takes long only when asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from statistics import median
from time import perf_counter

import numpy as np
import streamlit as st

from rnnviz.maths import Gradients, InputError, OnlineRun, bptt, gradient_costs, influence_norms, rtrl, rtrl_online
from rnnviz.maths.checks import Array
from rnnviz.presets import Lesson, values_of
from rnnviz.settings import Settings
from rnnviz.texts import plain, say
from rnnviz.ui.controls import moved
from rnnviz.ui.flow import mount_chart
from rnnviz.ui.ledger import STYLE
from rnnviz.ui.lessons import followed, gradients, lesson
from rnnviz.ui.state import PageState
from rnnviz.views.decades import pack_chart
from rnnviz.views.numbers import power
from rnnviz.views.rtrl import (
    MOST_CELLS,
    Measured,
    cost_table,
    cost_words,
    drift_chart,
    drift_words,
    equality_words,
    influence_chart,
    influence_size,
    influence_words,
    matrix_picture,
    matrix_words,
)

_MOST_WORK = 1e9
"""Multiply-adds of RTRL that take no more than about a second together with all else in the fold."""
_MOST_STEPS = 300
"""Steps over which learning at every step, whose time grows with their square, takes no more than that."""


def rtrl_panel(page: str, state: PageState) -> None:
    """A fold: both gradients compared, what they cost, what RTRL carries, and learning at every step."""
    fold = st.expander(say("rtrl.title"), key=f"{page} rtrl", on_change=moved, args=(page,))
    if not fold.open:
        return
    found, chosen = lesson(state.settings), followed(state.settings)
    work = gradient_costs(found.trace.cell, found.trace.steps).rtrl.multiply_adds
    with fold:
        try:
            if wanted(page, "rtrl compute", chosen, large=work > _MOST_WORK, why=say("rtrl.long", work=power(work))):
                _compare(page, chosen, found)
        except InputError as error:
            st.warning(plain(str(error), 400))
            return
        st.markdown(f"#### {say('rtrl.drift.title')}")
        try:
            _learn(page, state, chosen, found, large=work > _MOST_WORK or found.trace.steps > _MOST_STEPS)
        except InputError as error:
            st.warning(plain(str(error), 400))


def wanted(page: str, name: str, of: object, *, large: bool, why: str) -> bool:
    """Whether something is to be computed: at once, or where it is large when its button was pressed for just this."""
    key = f"{page} {name}"
    if not large or st.session_state.get(f"{key} of") == of:
        return True
    st.caption(why)
    st.button(say("compute"), key=key, on_click=_ask, args=(page, key, of))
    return False


def _ask(page: str, key: str, of: object) -> None:
    """Something large is to be computed (a Streamlit callback)."""
    st.session_state[f"{key} of"] = of
    moved(page)


def _compare(page: str, chosen: Settings, found: Lesson) -> None:
    with st.spinner(say("rtrl.working")):
        forward, seconds, norms = _forward(chosen)
    trace = found.trace
    st.markdown(f"**{equality_words(gradients(chosen), forward)}**")
    st.markdown(f"#### {say('rtrl.cost.heading')}")
    st.html(f"<style>{STYLE}</style>{cost_table(trace, forward, seconds)}")
    st.caption(cost_words(trace))
    st.markdown(f"#### {say('rtrl.influence.title')}")
    st.markdown(influence_words(norms))
    if norms.any():
        mount_chart(pack_chart(influence_chart(norms)), key=f"{page} influence chart")
    rows, columns = influence_size(trace)
    if rows * columns > MOST_CELLS:
        st.caption(say("rtrl.matrix.large", rows=rows, columns=f"{columns:,}", most=f"{MOST_CELLS:,}"))
        return
    t = _step(page, trace.steps)
    st.markdown(matrix_words(trace, t))
    st.markdown(matrix_picture(trace, t), unsafe_allow_html=True)


def _step(page: str, steps: int) -> int:
    """The step whose influence is shown; the first where there is one only."""
    if steps == 1:
        return 1
    key = f"{page} influence step"
    st.session_state[key] = min(st.session_state.get(key, 1), steps)
    return st.slider(say("rtrl.matrix.step"), 1, steps, key=key, on_change=moved, args=(page,))


def _learn(page: str, state: PageState, chosen: Settings, found: Lesson, *, large: bool) -> None:
    lr = float(str(values_of(state.settings)["lr"]))
    if found.trace.clamp:
        st.caption(say("rtrl.drift.held"))
    why = say("rtrl.drift.long", steps=found.trace.steps)
    if not wanted(page, "rtrl learn", (chosen, lr), large=large, why=why):
        return
    with st.spinner(say("rtrl.working")):
        learned = _online(chosen, lr)
    st.markdown(drift_words(learned, lr))
    if learned.norms[:-1].any():  # else there is no line to draw
        mount_chart(pack_chart(drift_chart(learned)), key=f"{page} drift chart")


@lru_cache(maxsize=8)
def _forward(settings: Settings) -> tuple[Gradients, Measured, Array]:
    """The gradient by RTRL, what either way takes on this machine, and the norms of the influence."""
    found = lesson(settings)
    forward = rtrl(found.trace, found.d_h)
    seconds = Measured(
        bptt=_seconds(lambda: bptt(found.trace, found.d_h)), rtrl=_seconds(lambda: rtrl(found.trace, found.d_h))
    )
    return forward, seconds, influence_norms(found.trace)


def _seconds(call: Callable[[], object]) -> float:
    """The median of up to seven calls, of fewer where they take long."""
    times: list[float] = []
    while len(times) < 7 and sum(times) < 0.1:
        before = perf_counter()
        call()
        times.append(perf_counter() - before)
    return median(times)


@lru_cache(maxsize=8)
def _online(settings: Settings, lr: float) -> OnlineRun:
    """The run that learns at every step from the loss of that step."""
    found = lesson(settings)
    trace = found.trace

    def d_loss(t: int, h: Array) -> Array:
        states = np.zeros_like(trace.h[1:])
        states[t - 1] = h
        alone: Array = found.loss_of(states)[1][t - 1]
        return alone

    return rtrl_online(trace.cell, trace.x, d_loss, lr=lr, h0=trace.h[0], c0=None if trace.c is None else trace.c[0])
