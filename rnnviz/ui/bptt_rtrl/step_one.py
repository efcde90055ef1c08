"""What of the last loss's gradient reaches step 1: the three cells beside each other, in a fold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from rnnviz.cache import remembered
from rnnviz.maths import InputError
from rnnviz.network import of_cell, redrawn, weights_are_hand_set
from rnnviz.presets import PRESETS, preset_of
from rnnviz.texts import plain, say, say_error
from rnnviz.ui.bptt_rtrl.objectives import Task, gradients_of_last, objective, task_of
from rnnviz.ui.panels import chart, fold, opened_by, table
from rnnviz.ui.state import PageState
from rnnviz.views.charts.step_one import step_one_figure
from rnnviz.views.sentences.step_one import StepOne, is_followed, step_one_columns, step_one_of, step_one_words

SEEDS = 9
_MOST_WORK = 2e7
"""T H^2 over all seeds and cells, up to which these take no more than about a second."""
_OF_STEP_ONE = ("first_step", "first_step_lstm")


def step_one_panel(page: str, state: PageState) -> None:
    """A fold with the gradient at every step for the three cells; the presets about it open it."""
    opened_by(page, "step one", state.settings.preset, _OF_STEP_ONE)
    fold(page, "step one", say("step_one.title"), lambda: _compare(page, state))


def _compare(page: str, state: PageState) -> None:
    tasks = {kind: task_of(of_cell(state.settings, kind)) for kind in PRESETS}
    try:
        cells = {kind: _of(task) for kind, task in tasks.items()}
    except InputError as error:
        st.warning(plain(say_error(error), 400))
        return
    said = step_one_words(cells, _over_seeds(tuple(tasks.items())))
    st.markdown(" ".join(f"**{one}**" for one in said[:1]) + " " + " ".join(said[1:]))
    if is_followed(cells):
        chart(step_one_figure(cells), key=f"{page} step one chart", said=said[0])
        note = say("step_one.note")
        if weights_are_hand_set(state.settings):
            note = say("step_one.note.hand_set", cell=say(f"step_one.cell.{state.settings.kind}"))
        st.caption(f"{say('step_one.state')} {note}")
        fold(
            page, "step one numbers", say("use.numbers"),
            lambda: table(step_one_columns(cells), key=f"{page} step one table"),
        )  # fmt: skip


def _of(task: Task) -> StepOne:
    return step_one_of(gradients_of_last(task), objective(task).path.last)


@remembered
def _over_seeds(tasks: tuple[tuple[str, Task], ...]) -> dict[str, list[float]]:
    """log10 of the shares of each kind with several seeds; empty where weights are no seed's, or all takes long."""
    work = 0.0
    for _, task in tasks:
        base = task.network.base
        if preset_of(base).weights or task.network.edits:
            return {}
        work += SEEDS * float(base.steps) * base.hidden_size**2
    if work > _MOST_WORK:
        return {}
    try:
        return {kind: _shares(task) for kind, task in tasks}
    except InputError:
        return {}


def _shares(task: Task) -> list[float]:
    """log10 of the share with each seed from its own on; a loss without a gradient sends a share of 0."""
    seeds = ((task.network.base.seed + further) % 2**32 for further in range(SEEDS))
    drawn = (_of(replace(task, network=redrawn(task.network, seed=seed))).share for seed in seeds)
    return [-np.inf if np.isnan(share) else share for share in drawn]
