"""Hidden state: the Elman step, number by number."""

import streamlit as st

from rnnviz.ui import controls, shell
from rnnviz.ui.cell_pages.batch import all_sequences
from rnnviz.ui.cell_pages.drawing_panel import drawing_panel
from rnnviz.ui.cell_pages.phase import phase_panel
from rnnviz.ui.exchange import settings_file
from rnnviz.ui.explorer_panel import explore
from rnnviz.ui.links import flow_link
from rnnviz.ui.panels import parts
from rnnviz.ui.remarks import remarks_panel
from rnnviz.ui.state import open_page

PAGE = "hidden_state"

shell.enter(PAGE)
state = open_page(PAGE)

parts(PAGE, state, controls.bar, explore)  # before the controls, since what is sent first is shown first

with st.sidebar:
    parts(PAGE, state, controls.sizes, controls.cell_form, controls.input_choice, controls.initial_states)
    parts(PAGE, state, controls.weights, settings_file)

parts(PAGE, state, controls.stack_in_words, flow_link)
parts(PAGE, state, drawing_panel, all_sequences, phase_panel)
remarks_panel(PAGE)
