"""A slider with its field for a number that is no setting of the table, or whose range the run decides."""

from __future__ import annotations

import math
from collections.abc import Callable

import streamlit as st

from rnnviz.texts import later, say, say_message
from rnnviz.ui.form import moved, refusal, state_of
from rnnviz.ui.state import PageState
from rnnviz.ui.widgets import heard, set_widget
from rnnviz.views.numbers import written
from rnnviz.wording import Message


def slider_with_field(
    page: str, state: PageState, name: Message, low: float, high: float, value: float,
    *, step: float = 1, key: str, taken: Callable[[float], object], help_text: str | None = None,
) -> None:  # fmt: skip
    """Label, field and slider as those of a setting look; nothing where there is no choice.

    Parameters
    ----------
    name : Message
        The label of both.
    value : float
        What both show.
    step : float
        The slider's, whole with all the other numbers or with none; the field takes any number between the ends.
    key : str
        Of the slider, whose number the session keeps; the field has one of its own.
    taken : callable
        What a new number does (within a Streamlit callback). The field takes the nearest one possible, and says so.
    """
    if low >= high:
        return
    field, label, whole = f"{key} field", say_message(name), isinstance(step, int)
    set_widget(key, value)
    set_widget(field, float(value))

    def take_from(source: str) -> None:
        given = float(st.session_state[source])
        number = min(high, max(low, math.floor(given + 0.5) if whole else given))
        set_widget(key, number)
        taken(number)
        now = state_of(page)
        if now is not None and number != given:
            words = {"low": written(low), "high": written(high), "given": written(given), "taken": written(number)}
            now.adjusted = {key: later(f"problem.adjusted.{'whole' if whole else 'real'}", label=name, **words)}

    st.number_input(
        say("field.label", label=label), value=float(value), step=float(step), format="%g", key=field,
        label_visibility="collapsed", on_change=heard, args=(field, take_from, field),
    )  # fmt: skip
    st.slider(label, low, high, value, step, key=key, help=help_text, on_change=heard, args=(key, take_from, key))
    refusal(state, key)


def kept_number(page: str, state: PageState, name: Message, low: int, high: int, *, key: str) -> int:
    """A whole number that no setting holds, with slider and field: at first the lowest, in a new range the nearest."""
    number: int = min(high, max(low, st.session_state.get(key, low)))
    slider_with_field(page, state, name, low, high, number, key=key, taken=lambda _: moved(page))
    return number
