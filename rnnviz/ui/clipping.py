"""Clipping, in a fold: the gradient in front before and after, and learning with it and without."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from rnnviz.learning.descent import Descent, descend
from rnnviz.maths import InputError, clip_by_global_norm, log10_gradient_norms, run
from rnnviz.presets import Lesson, values_of
from rnnviz.settings import Settings
from rnnviz.texts import plain, say
from rnnviz.ui.controls import moved, number
from rnnviz.ui.ledger import STYLE
from rnnviz.ui.lessons import followed, gradients, lesson
from rnnviz.ui.rtrl import wanted
from rnnviz.ui.state import PageState
from rnnviz.views.clipping import clip_table, clip_words, learning_words, losses_picture, vanished_words

UPDATES = 60
_MOST_STEPS = 400
"""Steps over which so many updates, twice, take about a second."""
_OF_CLIPPING = ("clip_saves", "clip_cannot")


def clipping_panel(page: str, state: PageState) -> None:
    """A fold: norm and direction before and after clipping, and the loss over some updates with it and without."""
    key, preset = f"{page} clipping", state.settings.preset
    if preset in _OF_CLIPPING and st.session_state.get(f"{key} of") != preset:
        st.session_state[key] = True  # these presets are about nothing else
    st.session_state[f"{key} of"] = preset
    fold = st.expander(say("clip.title"), key=key, on_change=moved, args=(page,))
    if not fold.open:
        return
    found, chosen, values = lesson(state.settings), followed(state.settings), values_of(state.settings)
    max_norm, lr = (float(str(values[name])) for name in ("max_norm", "lr"))
    with fold:
        with st.columns([2, 3])[0]:
            number(page, state, "max_norm", step=0.1, form="%g")
        try:
            before = gradients(chosen).weights
            after, _ = clip_by_global_norm(before, max_norm)
        except InputError as error:
            st.warning(plain(str(error), 400))
            return
        st.markdown(f"**{clip_words(before, after, max_norm)}**")
        st.html(f"<style>{STYLE}</style>{clip_table(before, after)}")
        st.markdown(f"#### {say('clip.learning', updates=UPDATES)}")
        _learn(page, chosen, found, lr, max_norm)


def _learn(page: str, chosen: Settings, found: Lesson, lr: float, max_norm: float) -> None:
    steps = found.trace.steps
    why = say("clip.long", updates=UPDATES, steps=steps)
    if not wanted(page, "clip learn", (chosen, lr, max_norm), large=steps > _MOST_STEPS, why=why):
        return
    with st.spinner(say("rtrl.working")):
        free, clipped = _descent(chosen, lr, None), _descent(chosen, lr, max_norm)
    pair = (free.losses, free.left), (clipped.losses, clipped.left)
    said = learning_words(*pair, lr, int((clipped.norms > max_norm).sum()))
    st.markdown(f"{_vanished(found, clipped)} {said}".strip())
    st.markdown(losses_picture(*pair, UPDATES, said), unsafe_allow_html=True)
    st.caption(say("clip.note"))


def _vanished(found: Lesson, clipped: Descent) -> str:
    """What clipping does for a step from which nothing arrives."""
    trace = found.trace
    c0 = None if trace.c is None else trace.c[0]
    learned = run(clipped.cell, trace.x, trace.h[0], c0, clamp=trace.clamp)
    before, after = (
        float(log10_gradient_norms(one.between(min(1, one.steps - 1), one.steps))[0]) for one in (trace, learned)
    )
    return vanished_words(before, after, trace.steps, len(clipped.losses) - 1)


@lru_cache(maxsize=16)
def _descent(settings: Settings, lr: float, max_norm: float | None) -> Descent:
    found = lesson(settings)
    return descend(found.trace, found.loss_of, lr=lr, updates=UPDATES, max_norm=max_norm)
