"""Curves on an axis of decades and the map of all pairs of steps, as a Streamlit component: plain JavaScript, canvas
and SVG, shipped in the package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rnnviz.ui.components.shared import Component

CHART = Component("flow", "Flow", Path(__file__).parent / "flow.js")


def mount_chart(
    payload: bytes,
    *,
    key: str,
    on_cell: Callable[[], None] | None = None,
    on_edits: Callable[[], None] | None = None,
) -> None:
    """Show a packed chart; its events arrive in ``st.session_state[key]`` as ``cell`` and ``edits``.

    ``cell`` is a pair of steps that is opened on its map; among ``edits`` there is nothing but Undo.

    Parameters
    ----------
    payload : bytes
        From `rnnviz.views.charts.decades.pack_chart`.
    key : str
        The component's key.
    on_cell, on_edits : callable, optional
        Called when a pair is opened, and when Undo is pressed.
    """
    CHART.mount(payload, key=key, on_cell_change=on_cell or _nothing, on_edits_change=on_edits or _nothing)


def _nothing() -> None:
    """A chart without a map opens nothing, and one without Undo undoes nothing."""
