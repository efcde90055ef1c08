"""BPTT and RTRL: where a weight's gradient comes from."""

import streamlit as st

from rnnviz.settings import KINDS
from rnnviz.ui import controls, shell
from rnnviz.ui.clipping import clipping_panel
from rnnviz.ui.explore import keep_address, problems
from rnnviz.ui.learning import lesson_bar, lesson_controls, lesson_or_reason
from rnnviz.ui.rtrl import rtrl_panel
from rnnviz.ui.state import open_page

PAGE = "bptt_rtrl"

shell.enter(PAGE)
state = open_page(PAGE, *KINDS, gallery="lessons")

with st.sidebar:
    controls.sizes(PAGE, state)
    lesson_controls(PAGE, state)
    controls.number(PAGE, state, "lr", step=0.001, form="%g")

lesson_bar(PAGE, state)
problems(PAGE, state)
if lesson_or_reason(state):
    rtrl_panel(PAGE, state)
    clipping_panel(PAGE, state)
keep_address(PAGE, state)
