"""The cell explorer as a Streamlit component: plain JavaScript and SVG, shipped in the package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rnnviz.ui.components.shared import Component

EXPLORER = Component("explorer", "Explorer", Path(__file__).parent / "explorer.js")


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
        From `rnnviz.views.explorer.picture.pack`.
    key : str
        The component's key; without one it would be mounted anew at every change.
    on_edits, on_step, on_graph : callable
        Called when edits arrive, 250 ms after scrubbing stopped, and when the graph is looked at.
    """
    EXPLORER.mount(payload, key=key, on_edits_change=on_edits, on_t_change=on_step, on_graph_change=on_graph)
