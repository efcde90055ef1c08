"""Gradient flow: how far back the error reaches, and why."""

import streamlit as st

from rnnviz.settings import KINDS
from rnnviz.ui import controls, shell
from rnnviz.ui.explore import keep_address, problems
from rnnviz.ui.gradient import causes_panel, flow_bar, flow_controls, flow_panel, steps_panel
from rnnviz.ui.links import cell_link, taking_over
from rnnviz.ui.seeds import seeds_panel
from rnnviz.ui.spectrum import spectrum_panel
from rnnviz.ui.state import open_page

PAGE = "gradient_flow"

shell.enter(PAGE)
state = open_page(PAGE, *KINDS)

flow_bar(PAGE, state)
problems(PAGE, state)
flows = flow_panel(PAGE, state)  # before the controls, since what is sent first is shown first

with st.sidebar:
    controls.sizes(PAGE, state)
    flow_controls(PAGE, state)
    taking_over(PAGE)

causes_panel(PAGE, state, flows[0])
steps_panel(PAGE, state, flows[0])
spectrum_panel(PAGE, state, flows[0].trace)
seeds_panel(PAGE, state)
cell_link(state.settings)
keep_address(PAGE, state)
