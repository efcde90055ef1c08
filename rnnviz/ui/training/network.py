"""One network of a run at one moment: its eigenvalues, its states or gates, its predictions, and the way to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

import streamlit as st

from rnnviz.cache import remembered
from rnnviz.learning.jobs import Lane, Run
from rnnviz.learning.snapshot import Shown, Snapshot, shown_of, snapshot
from rnnviz.learning.training import Checkpoint, examples_of_test
from rnnviz.maths.cells.registry import cell_class
from rnnviz.settings.recipe import Recipe
from rnnviz.texts import say, speak
from rnnviz.ui.panels import apart, moving_chart
from rnnviz.ui.shell import page_link
from rnnviz.ui.training.links import links_of
from rnnviz.ui.training.state import RecipeState, recipe_state_of
from rnnviz.ui.widgets import set_widget
from rnnviz.views.charts.figure import Figure
from rnnviz.views.charts.training import (
    answers_chart,
    block_name,
    block_of,
    eigenvalue_chart,
    names_in,
    series_chart,
    states_chart,
    values_of,
)
from rnnviz.views.names import cell_name
from rnnviz.views.numbers import thousands

T = TypeVar("T")


def one_network(page: str, spoken: str, at: int | None, kind: str, name: str) -> None:
    """One network at one moment: eigenvalues, states or gates on a test sequence, answers; and the way to it."""
    speak(spoken)
    state = recipe_state_of(page)
    run = state.run if state else None
    if state is not None and run is not None and any(lane.checkpoints for lane in run.lanes):
        apart(page, "inside", lambda: _show(page, state, run, at, kind, name))


def _show(page: str, state: RecipeState, run: Run, at: int | None, kind: str, name: str) -> None:
    recipe, networks = state.settings, networks_of(state, run, at)
    place = recipe.kinds.index(kind)
    lane, one, shown = run.lanes[place], networks.get(place), example(run, recipe)
    if one is None:
        return
    seen = look(one, shown)
    if seen is None:
        st.warning(say("training.overflows"))
        return
    ends = [look(one, shown) for one in (lane.checkpoints[0], tested_at(lane, None))]
    others = [one for one in ends if one is not None]  # the axes are to stay while one winds back
    block = block_of(seen.eigenvalues, name)
    left, middle, right = st.columns(3)
    with left:
        dots = eigenvalue_chart(seen.eigenvalues, block, kind, [one.eigenvalues for one in others])
        run_chart(page, "eigenvalues", dots, say("training.said.eigenvalues", block=block_name(block)), run)
    with middle:
        figure = states_chart(values_of(seen, name), name, shown.marked)
        run_chart(page, "states", figure, say("training.said.states", name=name), run)
    with right:
        figure = _answers(run, recipe, kind, at, seen, others)
        run_chart(page, "answers", figure, say("training.said.answers"), run)
    if run.state not in ("running", "queued"):
        _open(page, recipe, kind, one, shown)


def _answers(run: Run, recipe: Recipe, kind: str, at: int | None, seen: Snapshot, others: Sequence[Snapshot]) -> Figure:
    """What is answered: over the steps of the sequence shown, or where each has one answer, over the sequences."""
    task, shown, lane = run.plan.task, example(run, recipe), run.lanes[recipe.kinds.index(kind)]
    if task.loss == "squared" and shown.counted.sum() > 1:
        return series_chart(shown, seen.said, kind, [one.said for one in others])
    test, said = examples_of_test(task, recipe.seed), tested_at(lane, at).said
    ends = [lane.checkpoints[0].said, tested_at(lane, None).said]
    return answers_chart(task, test.target[: len(said), test.counted], said, kind, ends)


def front_choice(page: str, state: RecipeState) -> str:
    key, kinds = f"{page} front", list(state.settings.kinds)
    if len(kinds) == 1:
        return kinds[0]
    return str(
        st.segmented_control(
            say("training.front"), kinds, default=kept_choice(state, key, kinds, "lstm"), key=key, required=True,
            format_func=cell_name, label_visibility="collapsed",
        )
    )  # fmt: skip


def value_choice(page: str, state: RecipeState, kind: str) -> str:
    key, names = f"{page} value {kind}", names_in(kind)
    if len(names) == 1:
        return names[0]
    return str(
        st.segmented_control(
            say("training.values"), names, default=kept_choice(state, key, names, cell_class(kind).keeping), key=key,
            required=True,
            format_func=lambda name: say("training.value", name=name), label_visibility="collapsed",
        )
    )  # fmt: skip


def _open(page: str, recipe: Recipe, kind: str, one: Checkpoint, shown: Shown) -> None:
    """Links to the pages that show this very network, number by number."""
    del page
    with st.container(horizontal=True, vertical_alignment="center"):
        name = say(f"training.cell.{kind}")
        at = (
            say("training.open", name=name, update=thousands(one.update))
            if one.update
            else say("training.open.first", name=name)
        )
        st.markdown(at, width="content")
        for there, query in links_of(recipe, kind, one, shown).items():
            page_link(there, say(f"page.{there}"), query)


def tested_at(lane: Lane, at: int | None) -> Checkpoint:
    """The last checkpoint that was tested, up to a moment."""
    return next(one for one in reversed(lane.checkpoints) if at is None or one.update <= at)


def kept_choice(state: RecipeState, key: str, options: Sequence[T], first: T) -> T:
    """Set a widget to what was chosen last, also before another page was open, for Streamlit forgets that."""
    kept = st.session_state.get(key, state.chosen.get(key))
    value: T = kept if kept in options else first
    set_widget(key, value)
    state.chosen[key] = value
    return value


def example(run: Run, recipe: Recipe) -> Shown:
    return _example_of(run.plan.task, recipe.seed)


_example_of = lru_cache(maxsize=16)(shown_of)


@remembered
def look(checkpoint: Checkpoint, shown: Shown) -> Snapshot | None:
    return snapshot(checkpoint, shown.x)


def run_chart(page: str, name: str, figure: Figure, said: str, run: Run) -> None:
    moving_chart(figure, key=f"{page} {name}", said=said, moves=run.state == "running")


def networks_of(state: RecipeState, run: Run, at: int | None) -> Mapping[int, Checkpoint]:
    """The networks of a run that are looked into: those of a moment, or of now."""
    if at is None:
        return state.look(run)
    return {place: tested_at(lane, at) for place, lane in enumerate(run.lanes)}
