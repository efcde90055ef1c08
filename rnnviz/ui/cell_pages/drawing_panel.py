"""The fold below the explorer in which the reader draws the input sequence."""

from __future__ import annotations

from dataclasses import dataclass
from threading import get_ident

import streamlit as st

from rnnviz.maths import InputError
from rnnviz.network import build, draw, network_of, read_strokes
from rnnviz.settings import numbered
from rnnviz.texts import group, say
from rnnviz.ui.components.drawing import mount_pad
from rnnviz.ui.form import moved, refusal, take
from rnnviz.ui.state import PageState, page_state_of, session_token


@dataclass
class Pad:
    """What a session remembers of a page's pad.

    Each stroke makes another sequence the base of the edits, and so raises the page's epoch; a stroke drawn before
    the answer came is no less valid. The pad's own epoch changes only where something else came between.

    Attributes
    ----------
    first, last : int
        The page's epochs before and after the unbroken run of strokes up to now.
    acknowledged : int
        The highest sequence number of a stroke that was read.
    typing : bool
        Whether the places for a sequence of the reader's own were open when the page was last drawn.
    """

    first: int = 0
    last: int = 0
    acknowledged: int = 0
    typing: bool = False

    def epoch(self, state: PageState) -> int:
        """The epoch that a stroke must name to be taken."""
        return self.first if self.last == state.epoch else state.epoch


def drawing_panel(page: str, state: PageState) -> None:
    """A fold with a pad that shows the sequence in focus; choosing “your own” opens it."""
    key, pad = f"{page} drawing", _pad_of(page)
    if state.typing and not pad.typing:
        st.session_state[key] = True
    pad.typing = state.typing
    fold = st.expander(say("drawing.title"), key=key, on_change=moved, args=(page,))
    if not fold.open:
        return
    with fold:
        pad_key = f"{page} pad"
        with state.lock:  # strokes may come while this is drawn: what is said must belong together
            settings, epoch, acknowledged = state.settings, pad.epoch(state), pad.acknowledged
        mount_pad(
            {
                "name": numbered("x", settings.sequence),
                "x": build(network_of(settings)).xs[settings.sequence - 1].tolist(),
                "session": session_token(),
                "epoch": epoch,
                "acknowledged": acknowledged,
                "words": group("drawing"),
            },
            key=pad_key,
            on_strokes=lambda: take_strokes(page, pad_key),
        )
        refusal(state, "drawing")


def take_strokes(page: str, key: str) -> None:
    """Draw the strokes that the pad sent and that were not drawn yet (a Streamlit callback)."""
    state, message = page_state_of(page), st.session_state[key].get("edits")
    if state is None or not isinstance(message, dict):
        return
    with state.lock:
        state.movers.add(get_ident())
        pad = _pad_of(page)
        if message.get("session") != session_token() or message.get("epoch") != pad.epoch(state):
            return
        try:
            strokes = [stroke for stroke in read_strokes(message.get("list")) if stroke.sequence > pad.acknowledged]
        except InputError as error:
            state.refuse("drawing", error.message)
            return
        if strokes:
            epoch, before = pad.epoch(state), state.epoch
            take(page, "drawing", lambda settings: draw(settings, strokes))
            # Last, for a newer message may stop this run wherever it asks Streamlit for something.
            pad.acknowledged = max(stroke.sequence for stroke in strokes)
            if state.epoch != before:
                pad.first, pad.last = epoch, state.epoch


def _pad_of(page: str) -> Pad:
    pad: Pad = st.session_state.setdefault(f"{page} strokes", Pad())
    return pad
