"""GRU gates: keep or write, and what the candidate may see."""

import streamlit as st

from rnnviz.ui import controls, shell
from rnnviz.ui.batch import all_sequences
from rnnviz.ui.draw import drawing_panel
from rnnviz.ui.exchange import settings_file
from rnnviz.ui.explore import explore
from rnnviz.ui.forms import forms_panel
from rnnviz.ui.gates import gate_controls
from rnnviz.ui.ledger import ledger_panel
from rnnviz.ui.links import flow_link
from rnnviz.ui.state import open_page
from rnnviz.ui.statistics import statistics_panel

PAGE = "gru_gates"

shell.enter(PAGE)
state = open_page(PAGE, "gru")

controls.bar(PAGE, state)
explore(PAGE, state)  # before the controls, since what is sent first is shown first

with st.sidebar:
    controls.sizes(PAGE, state)
    controls.input_choice(PAGE, state)
    controls.initial_state(PAGE, state)
    controls.choice(PAGE, state, "reset")
    controls.choice(PAGE, state, "update")
    gate_controls(PAGE, state)
    controls.weights(PAGE, state)
    settings_file(PAGE, state)

controls.stack_in_words(state)
flow_link(state)
ledger_panel(PAGE, state)
statistics_panel(PAGE, state)
forms_panel(PAGE, state)
drawing_panel(PAGE, state)
all_sequences(PAGE, state)
