"""A pad on which a sequence is drawn, as a Streamlit component: plain JavaScript and SVG, shipped in the package.

Numbers, colours and the queue of edits on their way are the explorer's own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from rnnviz.ui.components.shared import Component

_FOLDER = Path(__file__).parent
_EXPLORER = _FOLDER.parent / "explorer"
_SCRIPTS = (
    *(_EXPLORER / f"{name}.js" for name in ("numbers", "colour", "queue")),
    *(_FOLDER / f"{name}.js" for name in ("stroke", "pad")),
)

PAD = Component("pad", "Pad", _FOLDER, _SCRIPTS)


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
