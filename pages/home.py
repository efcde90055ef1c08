"""Home: what rnnviz is, the worked example alive, and a card for each page."""

import numpy as np
import streamlit as st

from rnnviz.settings import Settings
from rnnviz.texts import say
from rnnviz.ui import shell
from rnnviz.ui.explore import explore
from rnnviz.ui.flows import flow_of
from rnnviz.ui.lessons import gradients
from rnnviz.ui.results import result_of
from rnnviz.ui.state import open_page
from rnnviz.views.card import CELL_COLOURS, curve_card, strip_card
from rnnviz.views.gate_facts import memory_of

PAGE = "home"

shell.enter(PAGE)
explore(PAGE, open_page(PAGE))

st.header(say("home.pages"), anchor=False)
lstm, gru = (result_of(Settings("latch", kind=kind).choose(steps=36)).walk.trace for kind in ("lstm", "gru"))
strips = {
    "hidden_state": result_of(Settings("oscillator")).walk.trace.h,
    "lstm_gates": np.hstack([memory_of(lstm), lstm.h]),
    "gru_gates": np.hstack([gru.gates["n"], gru.h[1:]]),
}
pictures = {page: strip_card(values, say(f"home.picture.{page}")) for page, values in strips.items()}
decays = {colour: flow_of(Settings("forget_1", kind=kind)).norms for kind, colour in CELL_COLOURS.items()}
pictures["gradient_flow"] = curve_card(decays, say("home.picture.gradient_flow"))
errors = gradients(Settings("first_step").choose(loss_at="every", delay=1, steps=36, hidden_size=2)).h
pictures["bptt_rtrl"] = strip_card(errors, say("home.picture.bptt_rtrl"))
pages = shell.page_names()
for first in range(0, len(pages), 3):  # row by row: so they are read, and stand below each other on a phone
    for column, page in zip(st.columns(3), pages[first : first + 3], strict=False):
        with column.container(border=True):
            st.markdown(pictures[page], unsafe_allow_html=True)
            st.markdown(f"**{say(f'page.{page}')}**  \n{say(f'home.card.{page}')}")
            shell.page_link(page)
