"""LSTM gates: who decides what is kept, let in and shown."""

import streamlit as st

from rnnviz.ui import controls, shell
from rnnviz.ui.batch import all_sequences
from rnnviz.ui.draw import drawing_panel
from rnnviz.ui.exchange import settings_file
from rnnviz.ui.explore import explore
from rnnviz.ui.gates import gate_controls
from rnnviz.ui.ledger import ledger_panel
from rnnviz.ui.state import open_page
from rnnviz.ui.statistics import statistics_panel

PAGE = "lstm_gates"

shell.enter(PAGE)
state = open_page(PAGE, "lstm")
fixed = controls.sets_its_sizes(state.settings)

with st.sidebar:
    controls.slider(PAGE, state, "input_size", locked=fixed)
    controls.slider(PAGE, state, "hidden_size")
    controls.slider(PAGE, state, "steps", locked=fixed)
    controls.input_choice(PAGE, state)
    controls.initial_state(PAGE, state)
    controls.initial_state(PAGE, state, "c0")
    gate_controls(PAGE, state)
    controls.choice(PAGE, state, "init")
    controls.number(PAGE, state, "gain", step=0.1)
    controls.number(PAGE, state, "seed", step=1)
    controls.readout_layers_batch(PAGE, state)
    settings_file(PAGE, state)

with st.container(horizontal=True, vertical_alignment="center"):
    controls.preset_buttons(PAGE, state)
    controls.choice(PAGE, state, "notation", in_bar=True)
explore(PAGE, state)
controls.stack_in_words(state)
ledger_panel(PAGE, state)
statistics_panel(PAGE, state)
drawing_panel(PAGE, state)
all_sequences(PAGE, state)
