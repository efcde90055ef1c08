"""All sequences of a batch below the explorer, at their last step."""

from __future__ import annotations

import numpy as np
import streamlit as st

from rnnviz.maths import Trace
from rnnviz.texts import say
from rnnviz.ui.panels import fold, table
from rnnviz.ui.results import result_of
from rnnviz.ui.state import PageState
from rnnviz.views.explorer.batch import state_columns


def all_sequences(page: str, state: PageState) -> None:
    """A fold with the last state of every sequence, where there are several; the layer is the one shown."""
    traces = [layers[state.settings.layer - 1] for layers in result_of(state.settings).run.traces]
    if len(traces) > 1:
        title = say("batch.fold", count=len(traces), t=traces[0].steps)
        fold(page, "batch", title, lambda: _states(page, traces, state.settings.sequence))


def _states(page: str, traces: list[Trace], shown: int) -> None:
    st.caption(say("batch.note", shown=shown))
    states = np.array([trace.h[-1] for trace in traces])
    table(state_columns(states), key=f"{page} batch table", marked=shown - 1)
