"""A slider with its field for a whole number that is no setting of the table, or whose range the run decides."""

from __future__ import annotations

import math
from collections.abc import Callable

import streamlit as st

from rnnviz.texts import later, say, say_message
from rnnviz.ui.controls import refusal, set_widget
from rnnviz.ui.state import PageState, state_of
from rnnviz.views.numbers import written
from rnnviz.wording import Message


def whole_slider(
    page: str, state: PageState, name: Message, low: int, high: int, value: int,
    *, key: str, taken: Callable[[int], object], help_text: str | None = None,
) -> None:  # fmt: skip
    """Label, field and slider as those of a setting look; nothing where there is no choice.

    Parameters
    ----------
    name : Message
        The label of both.
    value : int
        What both show.
    key : str
        Of the slider, whose number the session keeps; the field has one of its own.
    taken : callable
        What a new number does (within a Streamlit callback). The field takes the nearest one possible, and says so.
    """
    if low >= high:
        return
    field, label = f"{key} field", say_message(name)
    set_widget(key, value)
    set_widget(field, float(value))

    def take_from(source: str) -> None:
        given = float(st.session_state[source])
        number = min(high, max(low, math.floor(given + 0.5)))
        st.session_state[key] = number
        taken(number)
        now = state_of(page)
        if now is not None and number != given:
            words = {"low": low, "high": high, "given": written(given), "taken": number}
            now.adjusted = {key: later("problem.adjusted.whole", label=name, **words)}

    st.number_input(
        say("field.label", label=label), value=float(value), step=1.0, format="%g", key=field,
        label_visibility="collapsed", on_change=take_from, args=(field,),
    )  # fmt: skip
    st.slider(label, low, high, value, key=key, help=help_text, on_change=take_from, args=(key,))
    refusal(state, key)
