"""A pad on which a sequence is drawn, as a Streamlit component: plain JavaScript and SVG, shipped in the package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from rnnviz.ui.components.shared import Component

PAD = Component("pad", "Pad", Path(__file__).parent / "pad.js")


def mount_pad(data: Mapping[str, object], *, key: str, on_strokes: Callable[[], None]) -> None:
    """Show a sequence to be drawn over; strokes arrive in ``st.session_state[key]`` as ``edits``.

    Parameters
    ----------
    data : mapping
        ``x``, the ``(T, D)`` rows shown; ``name``, that of the sequence in an address; ``words``; and ``session``,
        ``epoch`` and ``acknowledged``, which keep the strokes on their way in step.
    key : str
        The component's key.
    on_strokes : callable
        Called when a stroke has ended, and 250 ms after the last key.
    """
    PAD.mount(dict(data), key=key, on_edits_change=on_strokes)
