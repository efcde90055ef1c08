"""GRU gates: keep or write, and what the candidate may see."""

import streamlit as st

from rnnviz.ui import controls, shell
from rnnviz.ui.cell_pages.batch import all_sequences
from rnnviz.ui.cell_pages.drawing_panel import drawing_panel
from rnnviz.ui.cell_pages.forms import forms_panel
from rnnviz.ui.cell_pages.gates import gate_controls
from rnnviz.ui.cell_pages.latch import latch_panel
from rnnviz.ui.cell_pages.ledger import ledger_panel
from rnnviz.ui.cell_pages.statistics import statistics_panel
from rnnviz.ui.exchange import settings_file
from rnnviz.ui.explorer_panel import explore
from rnnviz.ui.links import flow_link
from rnnviz.ui.panels import parts
from rnnviz.ui.remarks import remarks_panel
from rnnviz.ui.state import open_page

PAGE = "gru_gates"

shell.enter(PAGE)
state = open_page(PAGE, "gru")

parts(PAGE, state, controls.bar, explore)  # before the controls, since what is sent first is shown first

with st.sidebar:
    parts(PAGE, state, controls.sizes, controls.input_choice, controls.initial_states, controls.cell_form)
    parts(PAGE, state, gate_controls, controls.weights, settings_file)

parts(PAGE, state, controls.stack_in_words, flow_link)
parts(PAGE, state, ledger_panel, latch_panel, statistics_panel, forms_panel, drawing_panel, all_sequences)
remarks_panel(PAGE)
