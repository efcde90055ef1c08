"""Other seeds and other initialisations of the same networks; run while the fold is open."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from rnnviz.maths.checks import Array
from rnnviz.network import kinds_drawn, of_cell, weights_are_hand_set
from rnnviz.network.network import STARTS
from rnnviz.settings import Settings, array_of, choices_of
from rnnviz.texts import say
from rnnviz.ui.gradient_flow.flows import flow_of, followed
from rnnviz.ui.gradient_flow.many import of_seeds, redrawn_as, seconds_of
from rnnviz.ui.panels import chart, fold, table, wanted
from rnnviz.ui.state import PageState
from rnnviz.views.charts.seeds import bands_chart, inits_chart
from rnnviz.views.numbers import written
from rnnviz.views.palette import colour_of
from rnnviz.views.sentences.seeds import (
    Quartiles,
    bands_columns,
    bands_words,
    inits_columns,
    inits_words,
    quartiles,
    zero_words,
)

SEEDS = 32
INIT_SEEDS = 8
"""Of each initialisation; all of them together are several times as many networks."""

_MOST_SECONDS = 4.0
"""What takes longer is drawn when asked for."""


def seeds_panel(page: str, state: PageState) -> None:
    """A fold: bands over many seeds of the cells shown, and the initialisations of the one in front."""
    fold(page, "seeds", say("seeds.title"), lambda: _seeds(page, state.settings))


def _seeds(page: str, settings: Settings) -> None:
    if weights_are_hand_set(settings):
        st.markdown(say("seeds.hand_set"))
        return
    kinds, front = kinds_drawn(settings), followed(settings)
    inits = [init for init in choices_of("init", settings.kind) if init != "zeros"]
    networks, count = (
        [followed(of_cell(settings, kind)) for kind in kinds],
        SEEDS * len(kinds) + INIT_SEEDS * len(inits),
    )
    seconds = SEEDS * sum(map(seconds_of, networks)) + INIT_SEEDS * len(inits) * seconds_of(front)
    why = say("seeds.long", count=count, seconds=written(seconds, 1))
    if not wanted(page, "seeds compute", (networks, inits), large=seconds > _MOST_SECONDS, why=why):
        return
    with st.spinner(say("seeds.working", count=count)):
        cells = {network: of_seeds(network, SEEDS) for network in networks}
        drawn = {init: of_seeds(redrawn_as(front, init=init), INIT_SEEDS) for init in inits}
    lost = count - sum(map(len, [*cells.values(), *drawn.values()]))
    if lost == count:
        st.markdown(say("seeds.none", count=lost))
        return
    named = {flow_of(network).name: network for network, norms in cells.items() if norms}
    bands = {name: quartiles(np.array(cells[network])) for name, network in named.items()}
    medians = {say(f"choice.init.{init}"): quartiles(np.array(norms)).median for init, norms in drawn.items() if norms}
    left, right = st.columns(2, gap="medium")
    with left:
        if bands:
            _bands(page, bands, {name: colour_of(network.network.base.kind) for name, network in named.items()})
    with right:
        if medians:
            first = next(init for init, norms in drawn.items() if norms)
            _inits(page, medians, flow_of(redrawn_as(front, init=first)).name)
    said = [say("seeds.method")]
    said += [say("seeds.short", count=lost)] if lost else []
    typed = any(array_of(entry.name) not in STARTS for entry, _ in settings.edits)
    said += [say("seeds.edited")] if typed else []
    st.caption(" ".join(said))
    fold(page, "seeds numbers", say("seeds.numbers"), lambda: _tables(page, bands, medians))


def _bands(page: str, bands: Mapping[str, Quartiles], colours: Mapping[str, str]) -> None:
    said = f"{bands_words(bands, SEEDS)} {zero_words(bands)}"
    st.markdown(said)
    chart(bands_chart(bands, colours, SEEDS), key=f"{page} seeds chart", said=said)


def _inits(page: str, medians: Mapping[str, Array], name: str) -> None:
    said = inits_words(medians, name, INIT_SEEDS)
    st.markdown(said)
    chart(inits_chart(medians, INIT_SEEDS), key=f"{page} inits chart", said=said)


def _tables(page: str, bands: Mapping[str, Quartiles], medians: Mapping[str, Array]) -> None:
    for name, columns in (("seeds", bands_columns(bands)), ("inits", inits_columns(medians))):
        if len(columns) > 1:
            table(columns, key=f"{page} {name} table")
