"""The sign that the server is not reachable: a page keeps drawing without it, so the reader must be told.

It stands on every page and never changes, so the scripts of all other components come with it.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from rnnviz.texts import say
from rnnviz.ui.components.copy_link import LINK
from rnnviz.ui.components.drawing import PAD
from rnnviz.ui.components.explorer import EXPLORER
from rnnviz.ui.components.gradient_chart import CHART
from rnnviz.ui.components.plotly import FIGURE, LIBRARY
from rnnviz.ui.components.shared import scripts_of

_FOLDER = Path(__file__).parent
_ALL = (EXPLORER, CHART, PAD, LINK, LIBRARY, FIGURE)

_component = st.components.v2.component(
    "rnnviz_connection",
    html='<div class="sign" role="status" hidden></div>\n',
    css=(_FOLDER / "connection.css").read_text(encoding="utf-8"),
    js=(_FOLDER / "connection.js").read_text(encoding="utf-8") + scripts_of(_ALL),
)


def watch_connection() -> None:
    """Mount the watch once on a page, outside the sidebar, which moves out of the window.

    It asks the server's health address and stays invisible while that answers.
    """
    _component(key="connection", data={"lost": say("connection.lost")})
