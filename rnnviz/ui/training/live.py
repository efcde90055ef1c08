"""What moves while networks are trained: where the run stands, its curves, and each network at the moment shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import TypeVar

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rnnviz.cache import remembered
from rnnviz.learning.examples import best_constant
from rnnviz.learning.jobs import Lane, Run
from rnnviz.learning.snapshot import Shown, Snapshot, shown_of, snapshot
from rnnviz.learning.training import Checkpoint, examples_of_test
from rnnviz.maths.cells.registry import cell_class
from rnnviz.maths.checks import Array
from rnnviz.settings.recipe import Recipe
from rnnviz.texts import language, say, say_message, speak
from rnnviz.ui.form import moved, take
from rnnviz.ui.panels import apart, moving_chart, wanted
from rnnviz.ui.shell import page_link
from rnnviz.ui.training.links import links_of
from rnnviz.ui.training.state import RecipeState, recipe_state_of
from rnnviz.ui.widgets import set_widget
from rnnviz.views.charts.figure import Figure
from rnnviz.views.charts.training import (
    Course,
    answers_chart,
    block_name,
    block_of,
    course_chart,
    eigenvalue_chart,
    names_in,
    reach_chart,
    series_chart,
    states_chart,
    values_of,
)
from rnnviz.views.names import cell_name
from rnnviz.views.numbers import power, thousands
from rnnviz.views.sentences.training import Standing, progress_words, result_words, standings_html

T = TypeVar("T")

_EVERY = {"running": 0.245, "queued": 0.5, "paused": 2.0}
"""Seconds between two looks at a run."""
_SELDOM = 1.3
"""Seconds between two looks into its networks, which take longer."""
_MOST_WORK = 4e7
"""Steps times the cube of the state's size, of all cells: the gradient of more is shown when the run rests."""


def live(page: str, state: RecipeState) -> None:
    """Where the run stands, its curves and its networks; while it goes on, these draw themselves again."""
    run = state.run
    st.html(f"<style>{_STYLE}</style>")
    state.drawn = run.state if run else "idle"
    running = state.drawn == "running"
    resting = run is not None and not running and state.drawn != "queued"
    # Every place is there whatever stands in it: what is still on its way must find the page that it was made for.
    # One that is drawn from elsewhere has a place of its own: what is taken away there would shift all that follow.
    standing, outcome, moment = st.container().empty(), st.container(), st.container()
    left, right = st.columns([3, 2])
    notes, bar, inside = st.container(), st.container(horizontal=True, vertical_alignment="center"), st.container()
    with outcome:
        apart(page, "outcome", lambda: _outcome(page, state, run))
    with moment:
        at = _moment(page, state, run) if run and resting else None
    spoken, seldom = language(), _SELDOM if running else None
    with left:
        st.fragment(_watch, run_every=_EVERY.get(state.drawn))(page, spoken, standing, at)
    with right:
        st.fragment(_reach, run_every=seldom)(page, spoken, at)
    if run is None:
        return
    with notes:
        if state.settings.layers > 1:
            st.caption(say("training.top", layers=state.settings.layers))
        if resting and (said := _clipped_words(state.settings, run)):
            st.caption(said)
    with bar:
        kind = _front(page, state)
        name = _value(page, state, kind)
    with inside:
        st.fragment(_inside, run_every=seldom)(page, spoken, at, kind, name)


def _watch(page: str, spoken: str, standing: DeltaGenerator, at: int | None) -> None:
    """What changes several times a second."""
    speak(spoken)  # what runs by itself does not come through the shell
    state = recipe_state_of(page)
    if state is None:
        return
    run = state.run
    if run is not None:
        run.seen()
    apart(page, "standing", lambda: standing.html(_standing(state.settings, run, at)))
    if run is not None and any(lane.checkpoints for lane in run.lanes):
        apart(page, "course", lambda: _course_chart(page, state.settings, run, at))
    if (run.state if run else "idle") != state.drawn:
        st.rerun()  # its buttons, and how often this part is drawn; last, for what was not drawn would be taken away


def _standings(recipe: Recipe, run: Run, at: int | None = None) -> list[Standing]:
    return [_standing_of(kind, one, at) for kind, one in zip(recipe.kinds, run.lanes, strict=True)]


def _outcome(page: str, state: RecipeState, run: Run | None) -> None:
    """What became of a run that rests, in words."""
    if run is None and state.settings in state.runs:
        st.info(say("training.gone"))
    elif run is None and state.last_run:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(say("training.changed"), width="content")
            st.button(say("training.back"), key=f"{page} back", on_click=_back, args=(page, state.last_run.of))
    if run is None:
        return
    if run.reason is not None:
        (st.error if run.state == "failed" else st.info)(say_message(run.reason))
    recipe = state.settings
    if run.is_over and (said := result_words(_standings(recipe, run), run.plan.task.solved, _constant(run, recipe))):
        st.markdown(said)


def _back(page: str, recipe: object) -> None:
    """The last run is to be shown again (a Streamlit callback)."""
    moved(page)
    take(page, "play", lambda _: recipe)


def _standing(recipe: Recipe, run: Run | None, at: int | None) -> str:
    """Where the run stands, in one line of words and one of networks; with the hooks that others hold on to."""
    state = run.state if run else "idle"
    lane = next((one for one in run.lanes if not one.is_broken), run.lanes[0]) if run else Lane()
    done = run.update if run else 0
    last, tested = (lane.updates[-1] if lane.updates else None), list(lane.checkpoints)
    hooks = {
        "testid": "training-run", "state": state, "update": done, "train-loss": _as_script(last.loss) if last else "",
        "test-loss": _as_script(tested[-1].test_loss) if tested else "",
    }  # fmt: skip
    attributes = " ".join(f'data-{name}="{value}"' for name, value in hooks.items())
    ahead = (run.seconds_left, run.place, run.minutes_allowed) if run else (None, 0, None)
    words = progress_words(state, done, recipe.updates, *ahead)
    share = 100 * done / recipe.updates
    row = standings_html(_standings(recipe, run, at), run.plan.task.solved) if run else ""
    return (
        f"<div class='run' {attributes}><p><b>{words}</b></p>"
        f"<div class='progress' role='progressbar' aria-valuemin='0' aria-valuemax='{recipe.updates}' "
        f"aria-valuenow='{done}' aria-label='{escape(words)}'><div style='width:{share:.1f}%'></div></div>{row}</div>"
    )


def _as_script(number: float) -> str:
    """A number in full precision, as JavaScript reads it."""
    return (
        repr(number) if math.isfinite(number) else {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}[str(number)]
    )


def _standing_of(kind: str, lane: Lane, at: int | None) -> Standing:
    last, tested = lane.updates[-1] if lane.updates else None, list(lane.checkpoints)
    if at is not None:
        return Standing(kind, at, [one for one in tested if one.update <= at], is_past=True)
    return Standing(kind, last.number if last else 0, tested, lane.is_broken)


def _chosen(state: RecipeState, key: str, options: Sequence[T], first: T) -> T:
    """Set a widget to what was chosen last, also before another page was open, for Streamlit forgets that."""
    kept = st.session_state.get(key, state.chosen.get(key))
    value: T = kept if kept in options else first
    set_widget(key, value)
    state.chosen[key] = value
    return value


def _moment(page: str, state: RecipeState, run: Run) -> int | None:
    """The update that is looked at; None for the last one."""
    moments = sorted({one.update for lane in run.lanes for one in lane.checkpoints})
    if len(moments) < 2:
        return None
    label, slider = st.columns([1, 6], vertical_alignment="center")
    label.markdown(say("training.moment"))
    key = f"{page} moment {run.name} {moments[-1]}"
    chosen: int = slider.select_slider(
        say("training.moment"), moments, _chosen(state, key, moments, moments[-1]), key=key,
        format_func=lambda update: thousands(update) if update else say("training.moment.first"),
        on_change=moved, args=(page,), label_visibility="collapsed",
    )  # fmt: skip
    return None if chosen == moments[-1] else chosen


def _course_chart(page: str, recipe: Recipe, run: Run, at: int | None) -> None:
    """The losses and the gradient norms."""
    figure = course_chart(
        [_course(kind, lane) for kind, lane in zip(recipe.kinds, run.lanes, strict=True)], recipe.updates,
        solved=run.plan.task.solved, constant=_constant(run, recipe), clip=recipe.clip, at=at,
    )  # fmt: skip
    names = ", ".join(map(cell_name, recipe.kinds))
    _chart(page, "course", figure, say("training.said.course", names=names, updates=recipe.updates), run)


def _chart(page: str, name: str, figure: Figure, said: str, run: Run) -> None:
    moving_chart(figure, key=f"{page} {name}", said=said, moves=run.state == "running")


def _reach(page: str, spoken: str, at: int | None) -> None:
    """How far the gradient reaches, now and before the training."""
    speak(spoken)
    state = recipe_state_of(page)
    run = state.run if state else None
    if state is not None and run is not None and any(lane.checkpoints for lane in run.lanes):
        apart(page, "reach", lambda: _reach_chart(page, state, run, at))


def _reach_chart(page: str, state: RecipeState, run: Run, at: int | None) -> None:
    large = _work(run) > _MOST_WORK
    if large and run.state == "running":
        st.caption(say("training.large"))
        return
    if not wanted(page, "reach compute", (run.name, at), large=large, why=say("training.large.why")):
        return
    recipe, networks, shown = state.settings, _networks(state, run, at), _example(run, state.settings)
    now, first, last = dict[str, Array](), dict[str, Array](), list[Array]()
    for place, (kind, lane) in enumerate(zip(recipe.kinds, run.lanes, strict=True)):
        for found, one in ((first, next(iter(lane.checkpoints), None)), (now, networks.get(place))):
            seen = one and _look(one, shown)
            if seen:
                found[kind] = seen.norms
        if at is not None and (seen := _look(lane.checkpoints[-1], shown)):
            last.append(seen.norms)
    names = ", ".join(map(cell_name, recipe.kinds))
    _chart(page, "reach", reach_chart(now, first, last), say("training.said.reach", names=names), run)


def _networks(state: RecipeState, run: Run, at: int | None) -> Mapping[int, Checkpoint]:
    """The networks of a run that are looked into: those of a moment, or of now."""
    if at is None:
        return state.look(run)
    return {place: _tested_at(lane, at) for place, lane in enumerate(run.lanes)}


def _work(run: Run) -> float:
    return sum(run.plan.task.steps * learner.cells[-1].state_size ** 3 for learner in run.plan.learners)


def _course(kind: str, lane: Lane) -> Course:
    updates, tested = list(lane.updates), list(lane.checkpoints)
    return Course(
        kind,
        np.array([one.loss for one in updates]),
        np.array([one.grad_norm for one in updates]),
        np.array([one.update for one in tested], dtype=np.int64),
        np.array([one.test_loss for one in tested]),
    )


def _inside(page: str, spoken: str, at: int | None, kind: str, name: str) -> None:
    """One network at one moment: eigenvalues, states or gates on a test sequence, answers; and the way to it."""
    speak(spoken)
    state = recipe_state_of(page)
    run = state.run if state else None
    if state is not None and run is not None and any(lane.checkpoints for lane in run.lanes):
        apart(page, "inside", lambda: _one_network(page, state, run, at, kind, name))


def _one_network(page: str, state: RecipeState, run: Run, at: int | None, kind: str, name: str) -> None:
    recipe, networks = state.settings, _networks(state, run, at)
    place = recipe.kinds.index(kind)
    lane, one, shown = run.lanes[place], networks.get(place), _example(run, recipe)
    if one is None:
        return
    seen = _look(one, shown)
    if seen is None:
        st.warning(say("training.overflows"))
        return
    ends = [_look(one, shown) for one in (lane.checkpoints[0], _tested_at(lane, None))]
    others = [one for one in ends if one is not None]  # the axes are to stay while one winds back
    block = block_of(seen.eigenvalues, name)
    left, middle, right = st.columns(3)
    with left:
        dots = eigenvalue_chart(seen.eigenvalues, block, kind, [one.eigenvalues for one in others])
        _chart(page, "eigenvalues", dots, say("training.said.eigenvalues", block=block_name(block)), run)
    with middle:
        figure = states_chart(values_of(seen, name), name, shown.marked)
        _chart(page, "states", figure, say("training.said.states", name=name), run)
    with right:
        figure = _answers(run, recipe, kind, at, seen, others)
        _chart(page, "answers", figure, say("training.said.answers"), run)
    if run.state not in ("running", "queued"):
        _open(page, recipe, kind, one, shown)


def _answers(run: Run, recipe: Recipe, kind: str, at: int | None, seen: Snapshot, others: Sequence[Snapshot]) -> Figure:
    """What is answered: over the steps of the sequence shown, or where each has one answer, over the sequences."""
    task, shown, lane = run.plan.task, _example(run, recipe), run.lanes[recipe.kinds.index(kind)]
    if task.loss == "squared" and shown.counted.sum() > 1:
        return series_chart(shown, seen.said, kind, [one.said for one in others])
    test, said = examples_of_test(task, recipe.seed), _tested_at(lane, at).said
    ends = [lane.checkpoints[0].said, _tested_at(lane, None).said]
    return answers_chart(task, test.target[: len(said), test.counted], said, kind, ends)


def _front(page: str, state: RecipeState) -> str:
    key, kinds = f"{page} front", list(state.settings.kinds)
    if len(kinds) == 1:
        return kinds[0]
    return str(
        st.segmented_control(
            say("training.front"), kinds, default=_chosen(state, key, kinds, "lstm"), key=key, required=True,
            format_func=cell_name, label_visibility="collapsed",
        )
    )  # fmt: skip


def _value(page: str, state: RecipeState, kind: str) -> str:
    key, names = f"{page} value {kind}", names_in(kind)
    if len(names) == 1:
        return names[0]
    return str(
        st.segmented_control(
            say("training.values"), names, default=_chosen(state, key, names, cell_class(kind).keeping), key=key,
            required=True,
            format_func=lambda name: say("training.value", name=name), label_visibility="collapsed",
        )
    )  # fmt: skip


def _open(page: str, recipe: Recipe, kind: str, one: Checkpoint, shown: Shown) -> None:
    """Links to the pages that show this very network, number by number."""
    del page
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say("training.open", name=cell_name(kind), update=thousands(one.update)), width="content")
        for name, query in links_of(recipe, kind, one, shown).items():
            page_link(name, say(f"page.{name}"), query)


def _tested_at(lane: Lane, at: int | None) -> Checkpoint:
    """The last checkpoint that was tested, up to a moment."""
    return next(one for one in reversed(lane.checkpoints) if at is None or one.update <= at)


def _clipped_words(recipe: Recipe, run: Run) -> str:
    """How often each network's gradient was clipped."""
    said = []
    for kind, lane in zip(recipe.kinds, run.lanes, strict=True):
        count = sum(one.clipped for one in list(lane.updates))
        said.append(
            say("training.clipped", name=cell_name(kind), count=count, all=len(lane.updates), clip=power(recipe.clip))
        )
    return " ".join(said) if recipe.clip else ""


def _constant(run: Run, recipe: Recipe) -> float:
    return _constant_of(run.plan.task, recipe.seed)


@lru_cache(maxsize=16)
def _constant_of(task: object, seed: int) -> float:
    return best_constant(examples_of_test(task, seed), task.loss)  # type: ignore[arg-type, attr-defined]


def _example(run: Run, recipe: Recipe) -> Shown:
    return _example_of(run.plan.task, recipe.seed)


_example_of = lru_cache(maxsize=16)(shown_of)


@remembered
def _look(checkpoint: Checkpoint, shown: Shown) -> Snapshot | None:
    return snapshot(checkpoint, shown.x)


_STYLE = (Path(__file__).parent / "training.css").read_text(encoding="utf-8")
