"""All sequences of a batch below the explorer, at their last step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import streamlit as st

from rnnviz.texts import say
from rnnviz.ui.controls import moved
from rnnviz.ui.results import result_of
from rnnviz.ui.state import PageState
from rnnviz.views.batch import state_table


def all_sequences(page: str, state: PageState) -> None:
    """A fold with the last state of every sequence, where there are several; the layer is the one shown."""
    traces = [layers[state.settings.layer - 1] for layers in result_of(state.settings).walk.traces]
    if len(traces) == 1:
        return
    title = say("batch.fold", count=len(traces), t=traces[0].steps)
    fold = st.expander(title, key=f"{page} batch", on_change=moved, args=(page,))
    if fold.open:
        states = np.array([trace.h[-1] for trace in traces])
        fold.html(f"<style>{_STYLE}</style>{state_table(states, state.settings.sequence)}")


_STYLE = (Path(__file__).parent / "batch.css").read_text(encoding="utf-8")
