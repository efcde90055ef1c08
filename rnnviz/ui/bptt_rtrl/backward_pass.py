"""The backward pass on a page: the explorer, from step T to step 1."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from rnnviz.cache import remembered
from rnnviz.maths import BackwardTrace
from rnnviz.network import Objective, characters_of
from rnnviz.texts import group, say
from rnnviz.ui.bptt_rtrl.objectives import cut_gradients, gradients, objective
from rnnviz.ui.explorer_panel import caption_of, mount
from rnnviz.ui.gradient_flow.flows import single
from rnnviz.ui.results import run_of
from rnnviz.ui.state import PageState, sync_of
from rnnviz.views.explorer.backward import backward_picture
from rnnviz.views.explorer.picture import Picture, pack
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
    passed = gradients(state.settings).backward
    layers = len(run_of(single(state.settings))[0].network.cells)
    picture, fact, notices = _drawn(passed, layers, objective(state.settings), characters_of(state.settings))
    words = group("explorer") | {name: say(f"pass.{name}") for name in _WORDS}
    if passed.trace.cell.told_by == "step":
        words["loop"] = say("pass.loop.step")
    sync = sync_of(state)
    begin = passed.trace.steps if sync.t == 1 else sync.t
    if cut_gradients(state.settings).backward.truncation is not None:
        st.caption(say("pass.whole"))
    caption = caption_of(state, words, fact=fact, notices=notices)
    mount(page, pack(picture, caption, replace(sync, t=begin)), f"{page} backward")


@remembered
def _drawn(
    passed: BackwardTrace, layer: int, found: Objective, characters: tuple[str, ...]
) -> tuple[Picture, str, list[tuple[int, str]]]:
    """Gradients are cached, so the same pass is the same object."""
    notices = pass_notices(passed, found.path.has_loss, lacks_target=found.delay < 0)
    return backward_picture(passed, layer, found.path, characters), pass_fact(passed), notices
