"""The cell explorer as a Streamlit component: plain JavaScript and SVG, shipped in the package, no build step.

The script files are one module, joined in the order of `_SCRIPTS`; none of them needs anything from outside. Streamlit
sends a component's script with each of its messages, but a message that it has sent before only as a reference: so the
module is a component of its own, which never changes, and a changed number does not bring 150 kB along.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import streamlit as st

_FOLDER = Path(__file__).parent
_SCRIPTS = (
    "numbers",
    "colour",
    "message",
    "trace",
    "arithmetic",
    "layout",
    "scene",
    "heat",
    "bands",
    "timeline",
    "graph",
    "around",
    "queue",
    "editing",
    "explorer",
    "code",
)


def _read(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


_html = json.dumps(f"<style>{_read('explorer.css')}</style>{_read('explorer.html')}")
_code = st.components.v2.component(
    "rnnviz_cell_explorer_code",
    js="\n".join([f"const HTML = {_html};", *(_read(f"{name}.js") for name in _SCRIPTS)]),
)
_component = st.components.v2.component("rnnviz_cell_explorer", js=_read("mount.js"))


def mount_explorer(
    payload: bytes,
    *,
    key: str,
    on_edits: Callable[[], None],
    on_step: Callable[[], None],
    on_graph: Callable[[], None],
) -> None:
    """Show a packed picture; its events arrive in ``st.session_state[key]`` as ``edits``, ``t`` and ``graph``.

    ``graph`` is True once a graph that was left out of the picture is looked at.

    Parameters
    ----------
    payload : bytes
        From `rnnviz.views.picture.pack`.
    key : str
        The component's key; without one it would be mounted anew at every change.
    on_edits, on_step, on_graph : callable
        Called when edits arrive, 250 ms after scrubbing stopped, and when the graph is looked at.
    """
    with st.container(gap=None):
        _code(key=f"{key} code")
        _component(key=key, data=payload, on_edits_change=on_edits, on_t_change=on_step, on_graph_change=on_graph)
