"""The last fold of a page: facts that stand in no picture, each with its source."""

from __future__ import annotations

import streamlit as st

from rnnviz.texts import group, say
from rnnviz.ui.panels import fold


def remarks_panel(page: str) -> None:
    """A fold with the remarks of a page, the texts ``remark.<page>.*`` in their order."""
    remarks = group(f"remark.{page}").values()
    fold(page, "remarks", say("remarks.title"), lambda: _show(list(remarks)))


def _show(remarks: list[str]) -> None:
    st.markdown("\n".join(f"- {remark}" for remark in remarks))
