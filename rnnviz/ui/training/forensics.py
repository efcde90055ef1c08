"""Updates that were clipped or that ended a run, looked into one at a time, in a fold."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from rnnviz.learning.forensics import Forensics, forensics_of
from rnnviz.learning.incident import Incident
from rnnviz.learning.jobs import Lane
from rnnviz.texts import say
from rnnviz.ui.form import moved
from rnnviz.ui.panels import chart, fold, table
from rnnviz.views.charts.forensics import forensics_figure
from rnnviz.views.numbers import thousands
from rnnviz.views.sentences.forensics import (
    forensics_words,
    lead_words,
    names_of,
    networks_columns,
    rounded_words,
    weights_columns,
)


def forensics_panel(page: str, lanes: Sequence[Lane], *, opened: bool = False) -> None:
    """A fold: what happened at one of the incidents of a run, the reader's choice; at first the first of them."""
    fold(page, "forensics", say("forensics.title"), lambda: _show(page, lanes), opened=opened)


def _show(page: str, lanes: Sequence[Lane]) -> None:
    incidents = [incident for lane in lanes for incident in lane.incidents]
    if not incidents:
        st.markdown(say("forensics.none"))
        return
    found = _looked_into(page, _chosen(page, incidents))
    headline = lead_words(found)
    st.markdown(f"**{headline}**")
    left, right = st.columns([3, 2], gap="medium")
    with left:
        norms = np.array([one.grad_norm for one in lanes[found.incident.learner].updates])
        chart(forensics_figure(found, norms), key=f"{page} forensics chart", said=headline)
    with right:
        for question, said in forensics_words(found).items():
            st.markdown(f"**{question}**\n" + "\n".join(f"- {one}" for one in said))
    fold(page, "forensics numbers", say("forensics.numbers"), lambda: _numbers(page, found))


def _chosen(page: str, incidents: Sequence[Incident]) -> Incident:
    """The incident to look into: a choice stays while others come, also where a larger clip takes its place."""
    places = {f"{one.learner} {one.kind}": place for place, one in enumerate(incidents)}
    key, names = f"{page} forensics incident", names_of(incidents)
    if st.session_state.get(key) not in places:
        st.session_state[key] = next(iter(places))
    choice = st.selectbox(
        say("forensics.choice"), list(places), key=key, format_func=lambda one: names[places[one]], width=360,
        on_change=moved, args=(page,),
    )  # fmt: skip
    return incidents[places[choice]]


def _numbers(page: str, found: Forensics) -> None:
    st.markdown(say("forensics.table.weights", number=thousands(found.incident.told.update.number)))
    table(weights_columns(found), key=f"{page} forensics weights")
    st.markdown(say("forensics.table.networks"))
    table(networks_columns(found), key=f"{page} forensics networks")
    if said := rounded_words(found):
        st.caption(said)


def _looked_into(page: str, incident: Incident) -> Forensics:
    """What a session looked into last is at hand while its page is run again."""
    key = f"{page} forensics found"
    found: Forensics | None = st.session_state.get(key)
    if found is None or found.incident is not incident:
        found = st.session_state[key] = forensics_of(incident)
    return found
