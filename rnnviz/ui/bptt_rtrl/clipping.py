"""Clipping, in a fold: the gradient in front before and after, a cliff that it mends, recall that it cannot mend."""

from __future__ import annotations

from typing import cast

import numpy as np
import streamlit as st

from rnnviz.cache import remembered
from rnnviz.learning import cliff
from rnnviz.learning.recall import EVERY, UPDATES, Recalled, recall
from rnnviz.learning.recall import RATES as RECALL_RATES
from rnnviz.maths import ElmanCell, InputError, Readout, clip_by_global_norm
from rnnviz.maths.checks import Array
from rnnviz.network import build, network_of, parts_of
from rnnviz.settings import Settings
from rnnviz.texts import later, plain, say, say_error
from rnnviz.ui import panels
from rnnviz.ui.bptt_rtrl.objectives import gradients, task_of
from rnnviz.ui.form import number
from rnnviz.ui.ranged import kept_number
from rnnviz.ui.state import PageState
from rnnviz.views.charts.clipping import descents_figure, norms_figure, recall_figure, surface_figure
from rnnviz.views.numbers import written
from rnnviz.views.sentences.clipping import (
    Descents,
    Way,
    cliff_columns,
    cliff_words,
    clip_words,
    control_words,
    norms_columns,
    norms_of,
    recall_columns,
    recall_words,
    way_words,
)

_OF_CLIPPING = ("clip_saves", "clip_cannot")
_FAR, _NEAR = 50, 3
"""Steps back to the first input, of the recall and of its control."""


def clipping_panel(page: str, state: PageState) -> None:
    """A fold: one gradient before and after clipping, what clipping mends, and what it cannot."""
    panels.opened_by(page, "clipping", state.settings.preset, _OF_CLIPPING)
    panels.fold(page, "clipping", say("clip.title"), lambda: _show(page, state))


def _show(page: str, state: PageState) -> None:
    max_norm = parts_of(state.settings).learning.max_norm
    with st.columns([2, 3])[0]:
        number(page, state, "max_norm", step=0.1)
    try:
        before = gradients(task_of(state.settings)).weights
        after, _ = clip_by_global_norm(before, max_norm)
    except InputError as error:
        st.warning(plain(say_error(error), 400))
    else:
        said = clip_words(before, after, max_norm)
        st.markdown(f"**{said}**")
        norms = norms_of(before, after)
        if any(one for one, _ in norms.values()):
            panels.chart(norms_figure(norms, max_norm), key=f"{page} norms", said=said)
        panels.fold(
            page, "norm numbers", say("rtrl.as_numbers"),
            lambda: panels.table(norms_columns(before, after), key=f"{page} norm table"),
        )  # fmt: skip
    panels.apart(page, "cliff", lambda: _cliff(page, state, max_norm))
    panels.apart(page, "recall", lambda: _recall(page, max_norm))


# --- a cliff --------------------------------------------------------------------------------------------------------


def _cliff(page: str, state: PageState, max_norm: float) -> None:
    st.markdown(f"#### {say('clip.cliff.title')}")
    st.caption(say("clip.cliff.about", steps=cliff.STEPS))
    starts = len(cliff.starts())
    how = say(
        "clip.cliff.how", updates=cliff.UPDATES, starts=starts, rates=len(cliff.RATES), low=written(cliff.RATES[0]),
        high=written(cliff.RATES[-1]), last=cliff.LAST, arrived=written(cliff.ARRIVED),
    )  # fmt: skip
    if not panels.wanted(page, "cliff compute", max_norm, large=True, why=how):
        return
    st.caption(how)
    with st.spinner(say("rtrl.working")):
        free, clipped = _sweep(None), _sweep(max_norm)
    st.markdown(cliff_words(*(_descents(one) for one in (free, clipped))))
    start = kept_number(page, state, later("clip.cliff.start"), 1, starts, key=f"{page} cliff start")
    ways = [Way(one.path[:, start - 1], float(one.last[one.best, start - 1])) for one in (free, clipped)]
    said = way_words(start, ways[0], ways[1], cliff.MAP)
    st.markdown(said)
    places = [(one.path[:, start - 1], one.losses[:, start - 1]) for one in (free, clipped)]
    map_, curves = st.columns([3, 2])
    with map_:
        panels.chart(surface_figure(*_surface(), places[0], places[1]), key=f"{page} surface", said=said)
    with curves:
        losses, last = (places[0][1], places[1][1]), (ways[0].last, ways[1].last)
        figure = descents_figure(losses, last, cliff.RATES, (free.arrived, clipped.arrived), starts)
        panels.chart(figure, key=f"{page} descents", said=said)
    panels.fold(page, "cliff numbers", say("rtrl.as_numbers"), lambda: _cliff_table(page, free, clipped))


def _cliff_table(page: str, free: cliff.Sweep, clipped: cliff.Sweep) -> None:
    ways = [(one.arrived, one.quartiles) for one in (free, clipped)]
    panels.table(cliff_columns(cliff.RATES, ways[0], ways[1]), key=f"{page} cliff table")


def _descents(found: cliff.Sweep) -> Descents:
    arrived = int(found.arrived[found.best])
    return Descents(arrived, found.last.shape[1], found.rate, found.quartiles[found.best])


@remembered
def _sweep(max_norm: float | None) -> cliff.Sweep:
    return cliff.sweep(max_norm)


@remembered
def _surface() -> tuple[Array, Array, Array]:
    return cliff.surface()


# --- a vanished gradient --------------------------------------------------------------------------------------------


def _recall(page: str, max_norm: float) -> None:
    cell, _ = _network()
    st.markdown(f"#### {say('clip.recall.title')}")
    how = say(
        "clip.recall.about", units=cell.hidden_size, steps=_FAR, updates=UPDATES, rates=len(RECALL_RATES),
        low=written(RECALL_RATES[0]), high=written(RECALL_RATES[-1]),
    )  # fmt: skip
    if not panels.wanted(page, "recall compute", max_norm, large=True, why=how):
        return
    st.caption(how)
    with st.spinner(say("rtrl.working")):
        far, near = _recalled(_FAR, max_norm), _recalled(_NEAR, max_norm)
    clipped = far[1]
    said = recall_words(_FAR, clipped.last / clipped.variance, clipped.reach, clipped.clipped, UPDATES)
    said = f"{said} {control_words(_NEAR, near[1].last / near[1].variance)}"
    st.markdown(said)
    runs = [
        (steps, place == 1, one.tests / one.variance)
        for steps, found in ((_FAR, far), (_NEAR, near))
        for place, one in enumerate(found)
    ]
    panels.chart(recall_figure(runs, EVERY), key=f"{page} recall", said=said)
    panels.fold(page, "recall numbers", say("rtrl.as_numbers"), lambda: _recall_table(page, far, near))


def _recall_table(page: str, far: tuple[Recalled, Recalled], near: tuple[Recalled, Recalled]) -> None:
    swept = {
        say("clip.recall.with" if clipped else "clip.recall.without", steps=steps): np.asarray(one.swept / one.variance)
        for steps, found in ((_FAR, far), (_NEAR, near))
        for clipped, one in enumerate(found)
    }
    panels.table(recall_columns(RECALL_RATES, swept), key=f"{page} recall table")


@remembered
def _network() -> tuple[ElmanCell, Readout]:
    """The network of the preset on the vanished gradient."""
    network = build(network_of(Settings("clip_cannot")))
    return cast(ElmanCell, network.cells[0]), cast(Readout, network.readout)


@remembered
def _recalled(steps: int, max_norm: float) -> tuple[Recalled, Recalled]:
    return recall(*_network(), steps, max_norm)
