"""Compare cells: three cells learn one task: what they cost, how far back they reach, what they learn."""

from functools import partial

import streamlit as st

from rnnviz.ui import shell
from rnnviz.ui.compare_cells.controls import recipe_controls
from rnnviz.ui.compare_cells.page import folds, look, numbers, top
from rnnviz.ui.compare_cells.state import open_comparison
from rnnviz.ui.form import write_address
from rnnviz.ui.panels import apart

PAGE = "compare_cells"

shell.enter(PAGE)
state = open_comparison(PAGE)

apart(PAGE, "top", lambda: top(PAGE, state))
# Before the controls, since what is sent first is shown first.
known = apart(PAGE, "look", lambda: look(PAGE, state))
if known:
    apart(PAGE, "numbers", partial(numbers, PAGE, state, known))

with st.sidebar:
    apart(PAGE, "controls", lambda: recipe_controls(PAGE, state))

if known:
    apart(PAGE, "folds", partial(folds, PAGE, state, known))
write_address(state)
