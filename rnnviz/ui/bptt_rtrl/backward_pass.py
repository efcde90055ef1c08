"""The backward pass on a page: the explorer, from step T to step 1."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from rnnviz.cache import remembered
from rnnviz.network import characters_of, parts_of
from rnnviz.texts import group, language, say
from rnnviz.ui.bptt_rtrl.objectives import Task, cut_gradients, gradients, objective, task_of
from rnnviz.ui.explorer_panel import caption_of, mount
from rnnviz.ui.state import PageState, sync_of
from rnnviz.views.explorer.backward import backward_picture
from rnnviz.views.explorer.picture import pack
from rnnviz.views.sentences.backward_pass import pass_fact, pass_notices

_WORDS = (
    "explorer", "hint", "key_list", "first", "first_title", "previous", "previous_title", "play", "next", "next_title",
    "last", "last_title", "loop", "legend_signed", "legend_output", "legend_factor", "legend_state",
    "legend_sum",
)  # fmt: skip


def backward_pass(page: str, state: PageState) -> None:
    """Draw the backward pass of the whole gradient; truncation is shown elsewhere on the page.

    An address without a step begins at step T. Step 1, where the pass ends, is the step that addresses leave out, so a
    link to it opens at T too.
    """
    task, base = task_of(state.settings), parts_of(state.settings).base
    passed = gradients(task).backward
    picture = backward_picture(passed, base.layers, objective(task).path, characters_of(base))
    fact, notices = _words(task, language())
    words = group("explorer") | {name: say(f"pass.{name}") for name in _WORDS}
    if passed.trace.cell.told_by == "step":
        words["loop"] = say("pass.loop.step")
    sync = sync_of(state)
    begin = passed.trace.steps if sync.t == 1 else sync.t
    if cut_gradients(state.settings).backward.truncation is not None:
        st.caption(say("pass.whole"))
    caption = caption_of(state, words, fact=fact, notices=notices)
    mount(page, pack(picture, caption, replace(sync, t=begin)), f"{page} backward")


@remembered  # sentences of a thousand steps; none of the results holds any
def _words(task: Task, language: str) -> tuple[str, list[tuple[int, str]]]:
    """What the pass shows, and for each step the unit that stands out and a sentence on it."""
    del language  # `say` knows it; here it is part of the key
    passed, found = gradients(task).backward, objective(task)
    return pass_fact(passed), pass_notices(passed, found.path.has_loss, lacks_target=found.delay < 0)
