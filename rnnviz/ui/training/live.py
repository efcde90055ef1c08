"""What moves while networks are trained: where the run stands, its curves, and how far the gradients reach."""

from __future__ import annotations

import math
from functools import lru_cache
from html import escape
from pathlib import Path

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rnnviz.learning.examples import best_constant
from rnnviz.learning.jobs import Lane, Run
from rnnviz.learning.training import examples_of_test
from rnnviz.maths.checks import Array
from rnnviz.settings.recipe import Recipe
from rnnviz.texts import language, say, say_message, speak
from rnnviz.ui.form import moved, take
from rnnviz.ui.panels import apart, wanted
from rnnviz.ui.training.network import (
    example,
    front_choice,
    kept_choice,
    look,
    networks_of,
    one_network,
    run_chart,
    value_choice,
)
from rnnviz.ui.training.state import RecipeState, recipe_state_of
from rnnviz.views.charts.training import (
    Course,
    course_chart,
    reach_chart,
)
from rnnviz.views.names import cell_name
from rnnviz.views.numbers import power, thousands
from rnnviz.views.sentences.training import Standing, heart_words, progress_words, result_words, standings_html

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
        kind = front_choice(page, state)
        name = value_choice(page, state, kind)
    with inside:
        st.fragment(one_network, run_every=seldom)(page, spoken, at, kind, name)


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
    if run.is_over:
        task, reached, constant = run.plan.task, _standings(recipe, run), _constant(run, recipe)
        said = (
            result_words(reached, task.level, constant)
            if task.generalises
            else heart_words(reached, task.solved, constant)
        )
        if said:
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
    row = standings_html(_standings(recipe, run, at), run.plan.task.level) if run else ""
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


def _moment(page: str, state: RecipeState, run: Run) -> int | None:
    """The update that is looked at; None for the last one."""
    moments = sorted({one.update for lane in run.lanes for one in lane.checkpoints})
    if len(moments) < 2:
        return None
    label, slider = st.columns([1, 6], vertical_alignment="center")
    label.markdown(say("training.moment"))
    key = f"{page} moment {run.name} {moments[-1]}"
    chosen: int = slider.select_slider(
        say("training.moment"), moments, kept_choice(state, key, moments, moments[-1]), key=key,
        format_func=lambda update: thousands(update) if update else say("training.moment.first"),
        on_change=moved, args=(page,), label_visibility="collapsed",
    )  # fmt: skip
    return None if chosen == moments[-1] else chosen


def _course_chart(page: str, recipe: Recipe, run: Run, at: int | None) -> None:
    """The losses and the gradient norms."""
    figure = course_chart(
        [_course(kind, lane) for kind, lane in zip(recipe.kinds, run.lanes, strict=True)], recipe.updates,
        solved=run.plan.task.level, constant=_constant(run, recipe), clip=recipe.clip, at=at,
    )  # fmt: skip
    names = ", ".join(map(cell_name, recipe.kinds))
    run_chart(page, "course", figure, say("training.said.course", names=names, updates=recipe.updates), run)


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
    recipe, networks, shown = state.settings, networks_of(state, run, at), example(run, state.settings)
    now, first, last = dict[str, Array](), dict[str, Array](), list[Array]()
    for place, (kind, lane) in enumerate(zip(recipe.kinds, run.lanes, strict=True)):
        for found, one in ((first, next(iter(lane.checkpoints), None)), (now, networks.get(place))):
            seen = one and look(one, shown)
            if seen:
                found[kind] = seen.norms
        if at is not None and (seen := look(lane.checkpoints[-1], shown)):
            last.append(seen.norms)
    names = ", ".join(map(cell_name, recipe.kinds))
    run_chart(page, "reach", reach_chart(now, first, last), say("training.said.reach", names=names), run)


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


_STYLE = (Path(__file__).parent / "training.css").read_text(encoding="utf-8")
