"""BPTT and RTRL: where a weight's gradient comes from."""

import streamlit as st

from rnnviz.settings import KINDS
from rnnviz.ui import controls, shell
from rnnviz.ui.clipping import clipping_panel
from rnnviz.ui.explore import keep_address, problems
from rnnviz.ui.learning import lesson_bar, lesson_controls, lesson_or_reason
from rnnviz.ui.links import cell_link, flow_link, taking_over
from rnnviz.ui.rtrl import rtrl_panel
from rnnviz.ui.state import open_page
from rnnviz.ui.uses import facts_panel, uses_panel
from rnnviz.ui.walk_back import walk_back

PAGE = "bptt_rtrl"

shell.enter(PAGE)
state = open_page(PAGE, *KINDS, gallery="lessons")

lesson_bar(PAGE, state)
problems(PAGE, state, ["sequence"])
has_gradient = lesson_or_reason(PAGE, state)
if has_gradient:
    walk_back(PAGE, state)  # before the controls, since what is sent first is shown first

with st.sidebar:
    controls.sizes(PAGE, state)
    lesson_controls(PAGE, state)
    controls.number(PAGE, state, "lr", step=0.001, form="%g")
    taking_over(PAGE)

if has_gradient:
    uses_panel(PAGE, state)
    facts_panel(state)
    rtrl_panel(PAGE, state)
    clipping_panel(PAGE, state)
flow_link(state)
cell_link(state.settings)
keep_address(PAGE, state)
