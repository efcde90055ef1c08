"""Curves on an axis of decades and the map of all pairs of steps, as a Streamlit component: plain JavaScript, canvas
and SVG, shipped in the package.

Its script is one module, joined in the order of `_SCRIPTS`; numbers, colours and messages are the explorer's own.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

_FOLDER = Path(__file__).parent
_EXPLORER = _FOLDER.parent / "explorer"
_SCRIPTS = (
    *(_EXPLORER / f"{name}.js" for name in ("numbers", "colour", "message")),
    *(_FOLDER / f"{name}.js" for name in ("scale", "map", "flow")),
)

_component = st.components.v2.component(
    "rnnviz_gradient_flow",
    html=(_FOLDER / "flow.html").read_text(encoding="utf-8"),
    css=(_FOLDER / "flow.css").read_text(encoding="utf-8"),
    js="\n".join(file.read_text(encoding="utf-8") for file in _SCRIPTS),
)


def mount_chart(payload: bytes, *, key: str, on_cell: Callable[[], None] | None = None) -> None:
    """Show a packed chart; a pair of steps that is opened on its map arrives in ``st.session_state[key]`` as ``cell``.

    Parameters
    ----------
    payload : bytes
        From `rnnviz.views.decades.pack_chart`.
    key : str
        The component's key.
    on_cell : callable, optional
        Called when a pair is opened.
    """
    _component(key=key, data=payload, on_cell_change=on_cell or _nothing)


def _nothing() -> None:
    """A chart without a map opens nothing."""
