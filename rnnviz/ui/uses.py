"""The gradient of a weight, use by use, with what truncation throws away."""

from __future__ import annotations

import streamlit as st

from rnnviz.maths import Gradients
from rnnviz.presets import choose, values_of
from rnnviz.settings import Settings
from rnnviz.texts import say
from rnnviz.ui.controls import choice, moved, set_widget, take
from rnnviz.ui.ledger import STYLE
from rnnviz.ui.lessons import cut_gradients, errors_of_last, gradients
from rnnviz.ui.state import PageState
from rnnviz.views.lesson_words import gradient_facts
from rnnviz.views.uses import (
    cut_words,
    gradient_picture,
    product_words,
    uses_error,
    uses_of,
    uses_picture,
    uses_table,
    uses_words,
)


def uses_panel(page: str, state: PageState) -> None:
    """The bars of a weight's gradient, what stands around them, and all of it as a table in a fold."""
    st.subheader(say("use.title"), anchor=False)
    st.html(f"<style>{STYLE}</style>")
    whole, cut = gradients(state.settings), cut_gradients(state.settings)
    weight = str(values_of(state.settings)["weight"])
    with st.container(horizontal=True, vertical_alignment="bottom"):
        choice(page, state, "weight")
        entry = _entry(page, state, whole, weight)
        _truncation(page, state, whole.backward.trace.steps)
        choice(page, state, "scheme")
    uses = uses_of(whole, cut, weight, entry)
    error = uses_error(uses) if uses.whole.any() else ""
    st.markdown(f"**{uses_words(uses)}** {error} {cut_words(uses, whole, cut)}")
    bars, matrix = st.columns([5, 2], gap="medium")
    with bars:
        st.markdown(uses_picture(uses), unsafe_allow_html=True)
        legend = say("use.legend") if uses.is_cut else ""
        st.caption(f"{product_words(uses, weight, whole.backward.trace.cell)} {legend}")
    with matrix:
        drawn = gradient_picture(whole.weights[weight], weight, entry)
        if drawn:
            st.markdown(drawn, unsafe_allow_html=True)
        else:
            st.caption(say("use.large", weight=weight, count=f"{whole.weights[weight].size:,}"))
    st.space("small")
    fold = st.expander(say("use.numbers"), key=f"{page} uses", on_change=moved, args=(page,))
    if fold.open:
        fold.html(uses_table(uses))


def facts_panel(state: PageState) -> None:
    """What is true of every such gradient, with this network's numbers."""
    facts = gradient_facts(gradients(state.settings), errors_of_last(state.settings))
    st.markdown("\n".join(f"- {fact}" for fact in facts))


def _entry(page: str, state: PageState, whole: Gradients, weight: str) -> tuple[int, ...] | None:
    """The entry of the weight that is shown, zero-based; None for the weight as a whole."""
    shape = whole.weights[weight].shape
    names = ("row", "column")[: len(shape)]
    values = values_of(state.settings)
    asked = [int(str(values[name])) for name in names]
    inside = all(0 < number <= size for number, size in zip(asked, shape, strict=True))
    chosen = asked if inside else [0] * len(shape)
    for name, number, size in zip(names, chosen, shape, strict=True):
        key = f"{page} {name} of {size}"  # another size is another menu
        set_widget(key, number)
        st.selectbox(
            say(f"control.{name}"), range(size + 1), key=key, width=110,
            format_func=lambda one: str(one) if one else say("use.all"),
            on_change=_take_entry, args=(page, name, key, len(names)),
        )  # fmt: skip
    if asked != chosen and all(asked):
        st.caption(say("use.outside", weight=weight, shape=" x ".join(map(str, shape))))
    return tuple(number - 1 for number in chosen) if inside else None


def _truncation(page: str, state: PageState, steps: int) -> None:
    """How many steps an error goes back at most; the last place is all of them."""
    key, asked = f"{page} truncation of {steps}", int(str(values_of(state.settings)["truncation"]))
    if asked > steps:
        st.caption(say("use.beyond", most=asked, steps=steps))
    if steps == 1:
        return
    set_widget(key, asked if 0 < asked < steps else steps)
    st.slider(
        say("control.truncation"), 1, steps, key=key, width=260, help=say("help.truncation"),
        on_change=_take_truncation, args=(page, key, steps),
    )  # fmt: skip


def _take_entry(page: str, name: str, key: str, axes: int) -> None:
    """Another entry is wanted (a Streamlit callback); that of a matrix needs a row and a column."""
    number = st.session_state[key]
    other = "column" if name == "row" else "row"

    def change(settings: Settings) -> Settings:
        chosen = choose(settings, name, number)
        if axes == 1:
            return chosen
        if not number:
            return choose(chosen, other, 0)
        return choose(chosen, other, 1) if not values_of(chosen)[other] else chosen

    take(page, name, change)


def _take_truncation(page: str, key: str, steps: int) -> None:
    """Errors are to go back another number of steps (a Streamlit callback)."""
    most = st.session_state[key]
    take(page, "truncation", lambda settings: choose(settings, "truncation", most if most < steps else None))
