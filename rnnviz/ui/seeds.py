"""Other seeds and other initialisations of the same networks; run while the fold is open."""

from __future__ import annotations

from functools import lru_cache

import streamlit as st

from rnnviz.maths import InputError
from rnnviz.presets import choose, of_cell, values_of, weights_are_hand_set
from rnnviz.settings import Settings, Value, choices_of
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
        if by_init:
            st.markdown(inits_words(by_init, int(str(values_of(single)["seed"]))))
            mount_chart(pack_chart(inits_chart(by_init)), key=f"{page} inits chart")
        lost = len(choices_of("init", single.kind)) - 1 - len(by_init)
        said = [say("inits.short", count=lost)] if lost else []
        said += [say("seeds.edited")] if settings.edits else []
        if said:
            st.caption(" ".join(said))


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
    first = int(str(values_of(settings)["seed"]))
    drawn = (_drawn(settings, "seed", (first + number) % 2**32) for number in range(SEEDS))
    return tuple(flow for flow in drawn if flow)


@lru_cache(maxsize=16)
def _of_inits(settings: Settings) -> dict[str, CellFlow]:
    """The same with each initialisation but zeros, by its name on the screen, where it stays within float64."""
    inits = [init for init in choices_of("init", settings.kind) if init != "zeros"]
    drawn = {say(f"choice.init.{init}"): _drawn(settings, "init", init) for init in inits}
    return {name: flow for name, flow in drawn.items() if flow}


def _drawn(settings: Settings, name: str, value: Value) -> CellFlow | None:
    """The network with a choice of how its weights are drawn, none typed; None where it leaves float64 too early."""
    try:
        flow = fresh_flow(choose(settings, name, value))
    except InputError:
        return None
    return flow if flow.trace.steps == values_of(settings)["steps"] else None
