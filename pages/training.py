"""Training: networks learn a task side by side, and every moment of it can be looked at."""

import streamlit as st

from rnnviz.ui import shell
from rnnviz.ui.components.plotly import bring_plotly
from rnnviz.ui.explorer_panel import keep_address
from rnnviz.ui.panels import parts
from rnnviz.ui.remarks import remarks_panel
from rnnviz.ui.training.live import live
from rnnviz.ui.training.page import expectations, incidents_panel, recipe_buttons, recipe_controls, run_bar, sharing
from rnnviz.ui.training.state import open_training

PAGE = "training"

shell.enter(PAGE)
state = open_training(PAGE)

parts(PAGE, state, sharing, recipe_buttons, run_bar, live)
bring_plotly()

with st.sidebar:
    parts(PAGE, state, recipe_controls)

parts(PAGE, state, expectations, incidents_panel)
remarks_panel(PAGE)
keep_address(PAGE, state)
