"""Home: what rnnviz is, the worked example alive, and a card for each page."""

import streamlit as st

from rnnviz.settings import Settings
from rnnviz.texts import say
from rnnviz.ui import shell
from rnnviz.ui.explore import explore
from rnnviz.ui.results import result_of
from rnnviz.ui.state import open_page
from rnnviz.views.card import strip_card

PAGE = "home"

shell.enter(PAGE)
explore(PAGE, open_page(PAGE))

st.header(say("home.pages"), anchor=False)
pictures = {
    "hidden_state": result_of(Settings("oscillator")).walk.trace.h,
    "lstm_gates": result_of(Settings("latch", kind="lstm").choose(steps=36)).walk.trace.h,
    "gru_gates": result_of(Settings("latch", kind="gru").choose(steps=36)).walk.trace.h,
}
columns = st.columns(3)
for place, page in enumerate(shell.page_names()):
    with columns[place % 3].container(border=True):
        st.markdown(strip_card(pictures[page], say(f"home.picture.{page}")), unsafe_allow_html=True)
        st.markdown(f"**{say(f'page.{page}')}**  \n{say(f'home.card.{page}')}")
        shell.page_link(page)
