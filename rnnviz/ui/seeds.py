"""Other seeds and other initialisations of the same networks; run while the fold is open."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from rnnviz.presets import of_cell, values_of, weights_are_hand_set
from rnnviz.settings import Settings, choices_of
from rnnviz.texts import say
from rnnviz.ui.controls import moved
from rnnviz.ui.flow import mount_chart
from rnnviz.ui.flows import followed, fresh_flow
from rnnviz.ui.state import PageState
from rnnviz.views.decades import pack_chart
from rnnviz.views.flow import CellFlow
from rnnviz.views.seeds import bands_chart, bands_words, inits_chart, inits_words

SEEDS = 32


def seeds_panel(page: str, state: PageState) -> None:
    """A fold: bands over many seeds of the cells shown, and the initialisations of the one in front."""
    fold = st.expander(say("seeds.title"), key=f"{page} seeds", on_change=moved, args=(page,))
    if not fold.open:
        return
    with fold:
        settings = state.settings
        if weights_are_hand_set(settings):
            st.markdown(say("seeds.hand_set"))
            return
        kinds = settings.kinds if values_of(settings)["together"] == "all" else (settings.kind,)
        with st.spinner(say("seeds.working", count=SEEDS * len(kinds))):
            found = {kind: _of_seeds(followed(of_cell(settings, kind))) for kind in kinds}
        _bands(page, found)
        single = followed(of_cell(settings, settings.kind))
        by_init = _of_inits(single)
        st.markdown(inits_words(by_init, int(str(values_of(single)["seed"]))))
        mount_chart(pack_chart(inits_chart(by_init)), key=f"{page} inits chart")


def _bands(page: str, found: dict[str, tuple[CellFlow, ...]]) -> None:
    lost = sum(SEEDS - len(flows) for flows in found.values())
    there = {kind: flows for kind, flows in found.items() if flows}
    if not there:
        st.markdown(say("seeds.none", count=lost))
        return
    st.markdown(bands_words(there) + (f" {say('seeds.short', count=lost)}" if lost else ""))
    mount_chart(pack_chart(bands_chart(there)), key=f"{page} seeds chart")


@lru_cache(maxsize=16)
def _of_seeds(settings: Settings) -> tuple[CellFlow, ...]:
    """The same network with each seed from its own on; those that leave float64 before the end are left out."""
    first, steps = int(str(values_of(settings)["seed"])), values_of(settings)["steps"]
    flows = (fresh_flow(settings.choose(seed=(first + number) % 2**32)) for number in range(SEEDS))
    return tuple(flow for flow in flows if flow.trace.steps == steps)


@lru_cache(maxsize=16)
def _of_inits(settings: Settings) -> dict[str, CellFlow]:
    """The same network with each initialisation, but with all weights 0, by its name on the screen."""
    inits = [init for init in choices_of("init", settings.kind) if init != "zeros"]
    return {say(f"choice.init.{init}"): fresh_flow(settings.choose(init=init)) for init in inits}
