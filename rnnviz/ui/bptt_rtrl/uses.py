"""The gradient of a weight, step by step, with what truncation throws away."""

from __future__ import annotations

import streamlit as st

from rnnviz.maths.learning_rules.gradients import WEIGHTS
from rnnviz.network import choose, parts_of, values_of
from rnnviz.settings import Settings
from rnnviz.texts import later, say
from rnnviz.ui.bptt_rtrl.objectives import cut_gradients, gradients, norms_of_last, objective, task_of
from rnnviz.ui.form import choice, take
from rnnviz.ui.panels import chart, fold, table
from rnnviz.ui.ranged import slider_with_field
from rnnviz.ui.state import PageState
from rnnviz.ui.widgets import heard, set_widget
from rnnviz.views.charts.contributions import contributions_figure, gradient_figure
from rnnviz.views.sentences.objective import gradient_facts
from rnnviz.views.sentences.uses import (
    Uses,
    cut_words,
    gradient_columns,
    gradient_words,
    product_words,
    rounding_words,
    uses_columns,
    uses_of,
    uses_words,
    weight_names,
)

_SHOWN_HERE = ("weight", "row", "column", "truncation", "scheme")


def uses_panel(page: str, state: PageState) -> None:
    """A fold with the contributions of all steps to a weight's gradient; open where an address asks for one of them."""
    asked = not {name for name, _ in state.settings.chosen}.isdisjoint(_SHOWN_HERE)
    fold(page, "uses", say("use.title"), lambda: _contributions(page, state), opened=asked)


def facts_panel(page: str, state: PageState) -> None:
    """What is true of every such gradient, with this network's numbers."""
    task = task_of(state.settings)
    facts = gradient_facts(gradients(task), norms_of_last(task), objective(task).path.last)
    st.markdown("\n".join(f"- {fact}" for fact in facts))


def _contributions(page: str, state: PageState) -> None:
    task = task_of(state.settings)
    whole, cut, loss = gradients(task), cut_gradients(state.settings), objective(task).path
    with st.container(horizontal=True, vertical_alignment="bottom"):
        weight = _weight(page, state, weight_names(loss))
        uses = uses_of(whole, cut, weight, None, loss)
        entry = _entry(page, state, uses.gradient.shape, weight)
        _truncation(page, state, whole.backward.trace.steps)
        choice(page, state, "scheme")
    uses = uses if entry is None else uses_of(whole, cut, weight, entry, loss)
    gates = whole.backward.trace.cell.gate_names if weight in WEIGHTS else ()
    said = uses_words(uses)
    st.markdown(f"**{said}**")
    truncated = cut_words(uses, whole, cut)
    if truncated:
        st.markdown("\n".join(f"- {one}" for one in truncated))
    left, right = st.columns([5, 3], gap="medium")
    with left:
        chart(contributions_figure(uses), key=f"{page} contributions", said=said)
        st.caption(product_words(uses))
        if uses.is_cut:
            st.caption(say("use.legend"))
    with right:
        drawn = gradient_words(uses)
        chart(gradient_figure(uses, gates), key=f"{page} gradient", said=drawn)
        st.caption(drawn)
    fold(page, "uses numbers", say("use.numbers"), lambda: _numbers(page, uses, gates))


def _numbers(page: str, uses: Uses, gates: tuple[str, ...]) -> None:
    table(uses_columns(uses), key=f"{page} contributions table")
    st.caption(rounding_words(uses))
    st.markdown(say("use.table", weight=uses.weight))
    table(gradient_columns(uses, gates), key=f"{page} gradient table")


def _weight(page: str, state: PageState, names: tuple[str, ...]) -> str:
    """The weight that is shown: W_hh where the network lacks the one that was asked for."""
    asked, key = parts_of(state.settings).view.weight, f"{page} weight"
    weight = asked if asked in names else names[0]
    set_widget(key, weight)
    st.selectbox(
        say("control.weight"), names, key=key, width=110, format_func=lambda name: say(f"choice.weight.{name}"),
        on_change=heard, args=(key, _take_weight, page, key),
    )  # fmt: skip
    if asked != weight:
        st.caption(say("use.no_weight", asked=asked, weight=weight))
    return weight


def _entry(page: str, state: PageState, shape: tuple[int, ...], weight: str) -> tuple[int, ...] | None:
    """The entry of the weight that is shown, zero-based; None for the weight as a whole."""
    names = ("row", "column")[: len(shape)]
    view = parts_of(state.settings).view
    asked = [view.row, view.column][: len(shape)]
    inside = all(0 < number <= size for number, size in zip(asked, shape, strict=True))
    chosen = asked if inside else [0] * len(shape)
    for name, number, size in zip(names, chosen, shape, strict=True):
        key = f"{page} {name} of {size}"  # another size is another menu
        set_widget(key, number)
        st.selectbox(
            say("control.row" if name == "row" else "control.column"), range(size + 1), key=key, width=90,
            format_func=lambda one: str(one) if one else say("use.all"),
            on_change=heard, args=(key, _take_entry, page, name, key, len(names)),
        )  # fmt: skip
    if asked != chosen and all(asked):
        st.caption(say("use.outside", weight=weight, shape=" × ".join(map(str, shape))))
    return tuple(number - 1 for number in chosen) if inside else None


def _truncation(page: str, state: PageState, steps: int) -> None:
    """Through how many steps a loss is backpropagated at most; the last place is all of them."""
    key, asked = f"{page} truncation of {steps}", parts_of(state.settings).learning.truncation
    if asked > steps:
        st.caption(say("use.beyond", most=asked, steps=steps))
    if steps == 1:
        return
    with st.container(width=300):
        slider_with_field(
            page, state, later("control.truncation"), 1, steps, asked if 0 < asked < steps else steps,
            key=key, taken=lambda most: _take_truncation(page, int(most), steps), help_text=say("help.truncation"),
        )  # fmt: skip


def _take_weight(page: str, key: str) -> None:
    """Another weight is wanted (a Streamlit callback)."""
    name = st.session_state[key]
    take(page, "weight", lambda settings: choose(settings, "weight", name))


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


def _take_truncation(page: str, most: int, steps: int) -> None:
    """Losses are to be backpropagated through another number of steps (a Streamlit callback)."""
    take(page, "truncation", lambda settings: choose(settings, "truncation", most if most < steps else None))
