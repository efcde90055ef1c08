"""BPTT and RTRL: where a weight's gradient comes from."""

import streamlit as st

from rnnviz.settings import KINDS
from rnnviz.ui import controls, shell
from rnnviz.ui.explore import keep_address, problems
from rnnviz.ui.learning import lesson_bar, lesson_controls, lesson_or_reason
from rnnviz.ui.state import open_page
from rnnviz.ui.walk_back import walk_back

PAGE = "bptt_rtrl"

shell.enter(PAGE)
state = open_page(PAGE, *KINDS, gallery="lessons")

with st.sidebar:
    controls.sizes(PAGE, state)
    lesson_controls(PAGE, state)

lesson_bar(PAGE, state)
problems(PAGE, state)
if lesson_or_reason(state):
    walk_back(PAGE, state)
keep_address(PAGE, state)
