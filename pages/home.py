"""Home: what rnnviz is, the worked example alive, and a card for each page."""

import numpy as np
import streamlit as st

from rnnviz.settings import Settings
from rnnviz.texts import say
from rnnviz.ui import shell
from rnnviz.ui.explore import explore
from rnnviz.ui.results import result_of
from rnnviz.ui.state import open_page
from rnnviz.views.card import strip_card
from rnnviz.views.gate_facts import memory_of

PAGE = "home"

shell.enter(PAGE)
explore(PAGE, open_page(PAGE))

st.header(say("home.pages"), anchor=False)
lstm, gru = (result_of(Settings("latch", kind=kind).choose(steps=36)).walk.trace for kind in ("lstm", "gru"))
pictures = {
    "hidden_state": result_of(Settings("oscillator")).walk.trace.h,
    "lstm_gates": np.hstack([memory_of(lstm), lstm.h]),
    "gru_gates": np.hstack([gru.gates["n"], gru.h[1:]]),
}
columns = st.columns(3)
for place, page in enumerate(shell.page_names()):
    with columns[place % 3].container(border=True):
        st.markdown(strip_card(pictures[page], say(f"home.picture.{page}")), unsafe_allow_html=True)
        st.markdown(f"**{say(f'page.{page}')}**  \n{say(f'home.card.{page}')}")
        shell.page_link(page)
