"""The memory ledger below the explorer of a gated cell."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st

from rnnviz.maths import InputError, Trace, memory_ledger
from rnnviz.settings import Settings
from rnnviz.texts import say
from rnnviz.ui.controls import choose_unit, moved
from rnnviz.ui.results import trace_of
from rnnviz.ui.state import PageState
from rnnviz.views.ledger import ledger_error, ledger_picture, ledger_table, ledger_words


def ledger_panel(page: str, state: PageState) -> None:
    """A fold, open at first, with what a unit remembers at a step, write by write."""
    key = f"{page} ledger"
    if key not in st.session_state:
        st.session_state[key] = True
    fold = st.expander(say("ledger.title"), key=key, on_change=moved, args=(page,))
    if not fold.open:
        return
    with fold:
        trace, free = trace_of(state.settings), _free(state.settings)
        unit_menu, step_menu, gates_menu = st.columns([1, 2, 3])
        with unit_menu:
            unit = choose_unit(page, "ledger.unit", list(range(trace.cell.hidden_size)), 0)
        with step_menu:
            t = _step(page, state.settings, trace)
        if free is not None:
            with gates_menu:
                trace, free = _with_or_without(page, trace, free)
            t = min(t, trace.steps)
        ledger = memory_ledger(trace, t)
        st.markdown(f"**{ledger_words(ledger, trace, unit, t)}** {ledger_error(ledger, trace, t)}")
        st.markdown(ledger_picture(ledger, trace, unit, t, free), unsafe_allow_html=True)
        st.html(f"<style>{STYLE}</style>{ledger_table(ledger, trace, unit)}")


def _step(page: str, settings: Settings, trace: Trace) -> int:
    """The step whose memory is taken apart: the last, or the one that the explorer shows."""
    key, shown = f"{page} ledger.at", min(settings.t, trace.steps)
    steps = {"last": trace.steps, "shown": shown}
    choice = st.selectbox(
        say("ledger.at"), list(steps), key=key, format_func=lambda one: say(f"ledger.at.{one}"),
        on_change=moved, args=(page,),
    )  # fmt: skip
    return steps[choice]


def _with_or_without(page: str, held: Trace, free: Trace) -> tuple[Trace, Trace]:
    """The run whose ledger is shown, and the other one."""
    choice = st.selectbox(
        say("ledger.gates"),
        ["held", "free"],
        key=f"{page} ledger.gates",
        format_func=lambda one: say(f"ledger.gates.{one}"),
        on_change=moved,
        args=(page,),
    )
    return (held, free) if choice == "held" else (free, held)


def _free(settings: Settings) -> Trace | None:
    """The same run with no gate held, where any is and it stays within float64."""
    if not settings.clamps:
        return None
    try:
        return trace_of(replace(settings, clamps=()))
    except InputError:
        return None


STYLE = (Path(__file__).parent / "ledger.css").read_text(encoding="utf-8")
