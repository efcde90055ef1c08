"""Gradient flow: how far back the error reaches, and why."""

import streamlit as st

from rnnviz.settings import KINDS
from rnnviz.ui import controls, shell
from rnnviz.ui.exchange import settings_file
from rnnviz.ui.explorer_panel import keep_address, problems
from rnnviz.ui.gradient_flow.flows import flows_of
from rnnviz.ui.gradient_flow.page import causes_panel, flow_bar, flow_controls, flow_panel
from rnnviz.ui.gradient_flow.seeds import seeds_panel
from rnnviz.ui.gradient_flow.spectrum import spectrum_panel
from rnnviz.ui.gradient_flow.steps_back import steps_panel
from rnnviz.ui.links import cell_link, taking_over
from rnnviz.ui.panels import apart, parts
from rnnviz.ui.remarks import remarks_panel
from rnnviz.ui.state import open_page

PAGE = "gradient_flow"

shell.enter(PAGE)
state = open_page(PAGE, *KINDS)

parts(PAGE, state, flow_bar, problems)
# Before the controls, since what is sent first is shown first.
flows = apart(PAGE, "flow_panel", lambda: flow_panel(PAGE, state))
if flows is None:  # the picture failed, which is no reason to keep the folds from anyone
    flows = apart(PAGE, "flows", lambda: flows_of(state.settings))

with st.sidebar:
    parts(PAGE, state, controls.sizes, flow_controls, taking_over, settings_file)

if flows:
    front = flows[0]
    apart(PAGE, "causes_panel", lambda: causes_panel(PAGE, state, front))
    apart(PAGE, "steps_panel", lambda: steps_panel(PAGE, state, front))
    apart(PAGE, "spectrum_panel", lambda: spectrum_panel(PAGE, state, front))
parts(PAGE, state, seeds_panel, cell_link)
remarks_panel(PAGE)
keep_address(PAGE, state)
