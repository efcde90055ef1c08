"""The page on backpropagation: what stands above and beside the pictures."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from rnnviz.maths import InputError
from rnnviz.network import characters_of, parts_of
from rnnviz.settings import Settings, array_of, settings_of
from rnnviz.texts import plain, say, say_error, say_message
from rnnviz.ui.bptt_rtrl.objectives import cut_gradients, gradients, gradients_of_last, objective, task_of
from rnnviz.ui.controls import input_choice, preset_buttons
from rnnviz.ui.form import choice, moved, number, real_slider, take
from rnnviz.ui.gradient_flow.page import biases_of, cell_choice
from rnnviz.ui.results import run_shown
from rnnviz.ui.state import PageState
from rnnviz.views.sentences.objective import Target, loss_words


def objective_bar(page: str, state: PageState) -> None:
    """Above the pictures: the presets, and the cell in front."""
    preset_buttons(page, state)
    with st.container(horizontal=True, vertical_alignment="center"):
        cell_choice(page, state)
        choice(page, state, "loss", in_bar=True)
        choice(page, state, "loss_at", in_bar=True)


def objective_controls(page: str, state: PageState) -> None:
    """What is to be learned, and the network that is to learn it."""
    number(page, state, "delay", step=1)
    own = settings_of(state.settings.kind)
    if "activation" in own:
        choice(page, state, "activation")
    else:
        real_slider(page, state, biases_of(state.settings.kind)[0], step=0.5)
    input_choice(page, state)
    choice(page, state, "init")
    number(page, state, "gain", step=0.1)
    number(page, state, "output_size", step=1)
    fold = st.expander(say("control.objective.more"), key=f"{page} more", on_change=moved, args=(page,))
    if fold.open:
        with fold:
            number(page, state, "seed", step=1)
            choice(page, state, "output_activation")
            for name in ("reset", "update"):
                if name in own:
                    choice(page, state, name)


def objective_or_reason(page: str, state: PageState) -> bool:
    """Whether there is a gradient; where there is none, why stands in its place."""
    settings, task = state.settings, task_of(state.settings)
    ended = run_shown(settings)[1]
    if ended:
        st.warning(say("objective.ended", reason=plain(say_message(ended), 300)))
    try:
        gradients(task)
        cut_gradients(settings)
        gradients_of_last(task)
    except InputError as error:
        st.warning(plain(say_error(error), 400))
        if settings.edits:  # the picture in which they could be mended is gone
            st.button(say("objective.unedited"), key=f"{page} unedited", on_click=_undo_edits, args=(page,))
        return False
    return True


def loss_caption(page: str, state: PageState) -> None:
    """Below the picture, which has to stand in the window: what the loss is, and what it is compared with."""
    settings, base = state.settings, parts_of(state.settings).base
    said = [*loss_words(objective(task_of(settings)).path, _target(settings)), say("backward.letters")]
    if base.layers != 1:
        said.append(say("stack.top_layer", layers=base.layers))
    if base.sequences != 1:
        said.append(say("objective.sequence", number=settings.sequence, count=base.sequences))
    st.caption(" ".join(said))


def _target(settings: Settings) -> Target:
    parts = parts_of(settings)
    edited = any(array_of(entry.name) == "x" for entry, _ in settings.edits)
    characters = characters_of(parts.base) if settings.sequence == 1 and not edited else ()
    text = parts.base.text if characters else ""
    return Target(parts.objective.delay, parts.base.input_size, text, "".join(characters))


def _undo_edits(page: str) -> None:
    """All numbers typed by hand are to go (a Streamlit callback)."""
    take(page, "edits", lambda settings: replace(settings, edits=()))
