"""BPTT and RTRL: where a weight's gradient comes from."""

import streamlit as st

from rnnviz.settings import KINDS
from rnnviz.ui import controls, shell
from rnnviz.ui.bptt_rtrl.backward_pass import backward_pass
from rnnviz.ui.bptt_rtrl.clipping import clipping_panel
from rnnviz.ui.bptt_rtrl.page import loss_caption, objective_bar, objective_controls, objective_or_reason
from rnnviz.ui.bptt_rtrl.rtrl import rtrl_panel
from rnnviz.ui.bptt_rtrl.step_one import step_one_panel
from rnnviz.ui.bptt_rtrl.uses import facts_panel, uses_panel
from rnnviz.ui.exchange import settings_file
from rnnviz.ui.explorer_panel import keep_address, problems
from rnnviz.ui.form import number
from rnnviz.ui.links import cell_link, flow_link, taking_over
from rnnviz.ui.panels import apart, parts
from rnnviz.ui.remarks import remarks_panel
from rnnviz.ui.state import open_page

PAGE = "bptt_rtrl"

shell.enter(PAGE)
state = open_page(PAGE, *KINDS, gallery="bptt_rtrl")

parts(PAGE, state, objective_bar)
apart(PAGE, "problems", lambda: problems(PAGE, state, ["sequence"]))
has_gradient = apart(PAGE, "objective_or_reason", lambda: objective_or_reason(PAGE, state))
if has_gradient:
    parts(PAGE, state, backward_pass, loss_caption)  # before the controls, since what is sent first is shown first

with st.sidebar:
    parts(PAGE, state, controls.sizes, objective_controls)
    apart(PAGE, "lr", lambda: number(PAGE, state, "lr", step=0.001))
    parts(PAGE, state, taking_over, settings_file)

if has_gradient:
    parts(PAGE, state, facts_panel, step_one_panel, uses_panel, rtrl_panel, clipping_panel)
parts(PAGE, state, flow_link, cell_link)
keep_address(PAGE, state)
remarks_panel(PAGE)
