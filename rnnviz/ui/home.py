"""What Home has beside the worked example: where to begin, and a card for each page."""

from __future__ import annotations

import math
from collections.abc import Callable
from difflib import get_close_matches
from urllib.parse import urlsplit

import numpy as np
import streamlit as st
from numpy.random import RandomState

from rnnviz.language_models.counts import recurrent_parameters, table_entries
from rnnviz.learning.examples import Adding
from rnnviz.maths import Trace
from rnnviz.maths.checks import Array
from rnnviz.maths.step_costs import parameter_count
from rnnviz.settings import Settings
from rnnviz.texts import plain, say
from rnnviz.ui.bptt_rtrl.objectives import gradients, task_of
from rnnviz.ui.gradient_flow.flows import flow_of, followed
from rnnviz.ui.panels import apart
from rnnviz.ui.results import trace_of
from rnnviz.ui.shell import page_link, page_names
from rnnviz.ui.state import PageState
from rnnviz.views.charts.card import bar_card, curve_card, strip_card
from rnnviz.views.numbers import power_of_ten, thousands, written
from rnnviz.views.palette import CELL_COLOURS, NEGATIVE, POSITIVE
from rnnviz.views.sentences.from_ngrams import ORDERS
from rnnviz.views.sentences.gate_facts import memory_of

_STEPS = 36
"""Of the runs on the cards."""

_HIDDEN = 32
"""Units of the cells whose parameters are counted on a card."""

_CHARACTERS, _ORDER = 27, 5
"""Of the n-gram table whose entries are counted on a card."""

_NEAR = 0.5
"""How much of its letters the address of a page has to share with what was typed: “lstm” means “lstm_gates”."""


def nearly_named(page: str, state: PageState) -> None:
    """Where an address names no page, but nearly one: the way there. Streamlit's own dialog only says the former."""
    del page, state
    asked, names = urlsplit(st.context.url or "").path.rpartition("/")[2], page_names()
    if asked not in names:
        for name in get_close_matches(asked, names, n=1, cutoff=_NEAR):
            with st.container(horizontal=True, vertical_alignment="center"):
                st.warning(say("home.no_page", asked=plain(asked, 80), page=say(f"page.{name}")))
                page_link(name)


def beginning(page: str, state: PageState) -> None:
    """One line: where a learner begins, with the way there."""
    del page, state
    with st.container(horizontal=True, vertical_alignment="center", key="beginning"):
        st.markdown(say("home.learner"), width="content")
        page_link("hidden_state", say("home.start"))


def cards(page: str, state: PageState) -> None:
    """A card for each page with a picture of real numbers, and one for lecturers."""
    del state
    st.header(say("home.pages"), anchor=False)
    with st.container(key="cards"):  # a grid: shell.css
        for name in page_names():
            apart(page, f"card {name}", lambda name=name: _card(name))  # type: ignore[misc]
        apart(page, "lecture", _lecture)


def _card(name: str) -> None:
    picture, caption = _PICTURES[name]()
    with st.container(border=True, key=f"card_{name}"):
        st.markdown(picture, unsafe_allow_html=True)
        st.caption(caption)
        st.markdown(f"**{say(f'page.{name}')}**  \n{say(f'home.card.{name}')}")
        page_link(name)


def _lecture() -> None:
    """Screens for a lecturer with two minutes."""
    with st.container(border=True, key="card_lecture"):
        st.markdown(f"**{say('home.lecture')}**  \n{say('home.lecturer')}")
        page_link("hidden_state", say("home.lecture.step"))
        page_link("lstm_gates", say("home.lecture.latch"), {"preset": "latch"})
        page_link("gradient_flow", say("home.lecture.vanishes"), {"preset": "vanishes"})
        page_link("training", say("home.lecture.learns"))


def _hidden_state() -> tuple[str, str]:
    h = trace_of(Settings("oscillator").choose(steps=_STEPS)).h
    return _strip("hidden_state", h), say("home.under.hidden_state", steps=len(h) - 1)


def _lstm_gates() -> tuple[str, str]:
    trace = trace_of(Settings("latch", kind="lstm").choose(steps=_STEPS))
    assert trace.c is not None
    return _strip("lstm_gates", np.hstack([trace.c, trace.h])), say("home.under.lstm_gates", **_kept(trace))


def _gru_gates() -> tuple[str, str]:
    trace = trace_of(Settings("latch", kind="gru").choose(steps=_STEPS))
    values = np.hstack([trace.gates["n"], trace.h[1:]])
    return _strip("gru_gates", values), say("home.under.gru_gates", **_kept(trace))


def _kept(trace: Trace) -> dict[str, object]:
    """The largest write to unit 1, and what stands there at the end."""
    memory = memory_of(trace)[:, 0]
    step = int(np.abs(np.diff(memory)).argmax()) + 1
    return {"step": step, "first": written(memory[step]), "steps": trace.steps, "last": written(memory[-1])}


def _gradient_flow() -> tuple[str, str]:
    norms = {kind: flow_of(followed(Settings("pytorch", kind=kind))).norms for kind in CELL_COLOURS}
    picture = curve_card({CELL_COLOURS[kind]: curve for kind, curve in norms.items()}, _description("gradient_flow"))
    first = {kind: power_of_ten(float(curve[0])) for kind, curve in norms.items()}
    return picture, say("home.under.gradient_flow", steps=len(norms["lstm"]) - 1, **first)


def _bptt_rtrl() -> tuple[str, str]:
    settings = Settings("first_step").choose(loss_at="every", delay=1, steps=_STEPS, hidden_size=2)
    d_h = gradients(task_of(settings)).h
    return _strip("bptt_rtrl", d_h), say("home.under.bptt_rtrl", steps=len(d_h) - 1)


def _training() -> tuple[str, str]:
    example = Adding(_STEPS).draw(1, RandomState(0))
    answer = written(float(example.target[0, -1, 0]))
    return _strip("training", example.x[0]), say("home.under.training", answer=answer)


def _compare_cells() -> tuple[str, str]:
    counts = {kind: parameter_count(kind, 2, _HIDDEN, output_size=1) for kind in CELL_COLOURS}
    picture = bar_card({CELL_COLOURS[kind]: count for kind, count in counts.items()}, _description("compare_cells"))
    said = {kind: thousands(count) for kind, count in counts.items()}
    return picture, say("home.under.compare_cells", hidden=_HIDDEN, **said)


def _from_ngrams() -> tuple[str, str]:
    curves = {
        NEGATIVE: np.array([math.log10(table_entries(_CHARACTERS, n)) for n in ORDERS]),
        POSITIVE: np.full(len(ORDERS), math.log10(recurrent_parameters(_CHARACTERS, _HIDDEN))),
    }
    entries = thousands(table_entries(_CHARACTERS, _ORDER))
    parameters = thousands(recurrent_parameters(_CHARACTERS, _HIDDEN))
    said = say(
        "home.under.from_ngrams", n=_ORDER, vocabulary=_CHARACTERS, entries=entries, hidden=_HIDDEN,
        parameters=parameters,
    )  # fmt: skip
    return curve_card(curves, _description("from_ngrams")), said


def _strip(name: str, values: Array) -> str:
    return strip_card(values, _description(name))


def _description(name: str) -> str:
    return say(f"home.picture.{name}")


_PICTURES: dict[str, Callable[[], tuple[str, str]]] = {
    "hidden_state": _hidden_state,
    "lstm_gates": _lstm_gates,
    "gru_gates": _gru_gates,
    "gradient_flow": _gradient_flow,
    "bptt_rtrl": _bptt_rtrl,
    "training": _training,
    "compare_cells": _compare_cells,
    "from_ngrams": _from_ngrams,
}
