"""Hidden state: the Elman step, number by number."""

import streamlit as st

from rnnviz.ui import controls, shell
from rnnviz.ui.batch import all_sequences
from rnnviz.ui.draw import drawing_panel
from rnnviz.ui.exchange import settings_file
from rnnviz.ui.explore import explore
from rnnviz.ui.links import flow_link
from rnnviz.ui.phase import phase_panel
from rnnviz.ui.state import open_page

PAGE = "hidden_state"

shell.enter(PAGE)
state = open_page(PAGE)

controls.bar(PAGE, state)
explore(PAGE, state)  # before the controls, since what is sent first is shown first

with st.sidebar:
    controls.sizes(PAGE, state)
    controls.choice(PAGE, state, "activation")
    controls.input_choice(PAGE, state)
    controls.initial_state(PAGE, state)
    controls.weights(PAGE, state)
    settings_file(PAGE, state)

controls.stack_in_words(state)
flow_link(state)
drawing_panel(PAGE, state)
all_sequences(PAGE, state)
phase_panel(PAGE, state)
