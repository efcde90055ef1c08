"""From n-grams: why a model of text needs a hidden state."""

import streamlit as st

from rnnviz.ui import shell
from rnnviz.ui.form import write_address
from rnnviz.ui.from_ngrams.page import controls, counts, hidden, histories, learning, sharing
from rnnviz.ui.from_ngrams.state import open_from_ngrams
from rnnviz.ui.panels import parts
from rnnviz.ui.remarks import remarks_panel

PAGE = "from_ngrams"

shell.enter(PAGE)
state = open_from_ngrams(PAGE)

parts(PAGE, state, sharing, counts)

with st.sidebar:
    parts(PAGE, state, controls)

parts(PAGE, state, histories, hidden, learning)
remarks_panel(PAGE)
write_address(state)
