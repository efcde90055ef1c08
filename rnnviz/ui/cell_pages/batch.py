"""All sequences of a batch below the explorer, at their last step."""

from __future__ import annotations

import numpy as np
import streamlit as st

from rnnviz.maths.checks import Array
from rnnviz.network import parts_of
from rnnviz.texts import say
from rnnviz.ui.panels import fold, table
from rnnviz.ui.results import ends_shown
from rnnviz.ui.state import PageState
from rnnviz.views.explorer.batch import state_columns


def all_sequences(page: str, state: PageState) -> None:
    """A fold with the last state of every sequence, where there are several; the layer is the one shown."""
    parts = parts_of(state.settings)
    if parts.base.sequences == 1:
        return
    ends = ends_shown(parts.network)
    states = np.array([layers[parts.view.layer - 1] for layers in ends.states])
    title = say("batch.fold", count=len(states), t=ends.steps)
    fold(page, "batch", title, lambda: _states(page, states, parts.view.sequence))


def _states(page: str, states: Array, shown: int) -> None:
    st.caption(say("batch.note", shown=shown))
    table(state_columns(states), key=f"{page} batch table", marked=shown - 1)
