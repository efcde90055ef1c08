"""The memory ledger below the explorer of a gated cell."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from rnnviz.maths import InputError, Trace, memory_ledger, memory_paths
from rnnviz.presets import preset_of
from rnnviz.settings import Settings
from rnnviz.texts import later, say
from rnnviz.ui.controls import choose_unit
from rnnviz.ui.form import moved
from rnnviz.ui.panels import chart, fold, table
from rnnviz.ui.ranged import kept_number
from rnnviz.ui.results import trace_of
from rnnviz.ui.state import PageState
from rnnviz.views.charts.ledger import ledger_figure
from rnnviz.views.sentences import gate_facts
from rnnviz.views.sentences.ledger import ledger_columns, ledger_error, ledger_words, paths_words


def ledger_panel(page: str, state: PageState) -> None:
    """A fold with what a unit remembers at a step, write by write and path by path."""
    fold(page, "ledger", say("ledger.title"), lambda: _ledger(page, state))


def _ledger(page: str, state: PageState) -> None:
    settings = state.settings
    trace, free = trace_of(settings), _free(settings)
    _follow_the_fact(page, settings, trace)
    unit_menu, from_menu, at_menu, gates_menu = st.columns([2, 3, 4, 3])
    with unit_menu:
        unit = choose_unit(page, "ledger.unit", list(range(trace.cell.hidden_size)), 0)
    with at_menu:
        t = _step(page, settings, trace)
    with from_menu:
        step = _changed(page, state, t)
    clamped = True
    if free is not None:
        with gates_menu:
            clamped = _clamped(page)
    shown, other = (trace, free) if clamped or free is None else (free, trace)
    ledger, paths = memory_ledger(shown, t), memory_paths(shown, unit, t)
    words = ledger_words(ledger, shown, unit, t), paths_words(paths, shown, step, t)
    st.markdown(f"**{words[0]}** {ledger_error(ledger, shown, t)}")
    st.markdown(f"**{words[1]}**")
    names = [say("ledger.gates.clamped"), say("ledger.gates.free")]
    first, second = names if clamped else names[::-1]
    figure = ledger_figure(ledger, paths, shown, unit, step, t, other, (first, second))
    chart(figure, key=f"{page} ledger chart", said=" ".join(words))
    st.caption(say(f"paths.note.{settings.kind}"))
    fold(
        page, "ledger numbers", say("gates.numbers"),
        lambda: table(ledger_columns(ledger, paths, shown, unit), key=f"{page} ledger table"),
    )  # fmt: skip


def _follow_the_fact(page: str, settings: Settings, trace: Trace) -> None:
    """Let the menus begin with what the explorer's fact speaks of, and follow where it comes to speak of another."""
    fact = preset_of(settings).fact if settings.layer == 1 else gate_facts.kept
    subject = gate_facts.subject_of(fact, trace)
    key, spoken_of = f"{page} ledger subject", (settings.preset, settings.layer, *subject)
    if st.session_state.get(key) != spoken_of:
        st.session_state[key] = spoken_of
        st.session_state[f"{page} ledger.unit"], st.session_state[f"{page} ledger.from"] = subject


def _step(page: str, settings: Settings, trace: Trace) -> int:
    """The step whose memory is taken apart: the last, or the one that the explorer shows."""
    key, shown = f"{page} ledger.at", min(settings.t, trace.steps)
    steps = {"last": trace.steps, "shown": shown}
    choice = st.selectbox(
        say("ledger.at"), list(steps), key=key, format_func=lambda one: say(f"ledger.at.{one}"),
        on_change=moved, args=(page,),
    )  # fmt: skip
    return steps[choice]


def _changed(page: str, state: PageState, t: int) -> int:
    """The step of the change that is followed to step t."""
    return kept_number(page, state, later("ledger.from"), 0, t - 1, key=f"{page} ledger.from")


def _clamped(page: str) -> bool:
    """Whether the run with the clamps is taken apart, not the one without."""
    choice: str = st.selectbox(
        say("ledger.gates"),
        ["clamped", "free"],
        key=f"{page} ledger.gates",
        format_func=lambda one: say(f"ledger.gates.{one}"),
        on_change=moved,
        args=(page,),
    )
    return choice == "clamped"


def _free(settings: Settings) -> Trace | None:
    """The same run without clamps, where there are any and it goes as far."""
    if not settings.clamps:
        return None
    try:
        free = trace_of(replace(settings, clamps=()))
    except InputError:
        return None
    return free if free.steps == trace_of(settings).steps else None
