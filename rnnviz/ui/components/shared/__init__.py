"""Components of the browser in plain JavaScript, without a build step, whose scripts do not come with every message."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from rnnviz.views.palette import PALETTE

_FOLDER = Path(__file__).parent

DOWNLOAD = _FOLDER / "download.js"
"""``downloadPicture(elements, name, kind)``, for components whose pictures can be saved."""


class Component:
    """A class of JavaScript on the page, with ``receive(data, setStateValue)`` and ``close()``.

    Streamlit sends a component's script along with each of its messages, but of a large message that the browser still
    knows only a reference. So the scripts ride with a message that is always the same (see the `connection` component),
    and a changed number of the cell explorer does not bring 150 kB along.

    Parameters
    ----------
    name : str
        Of the component, and of the files ``name.html`` and ``name.css`` in its folder.
    view : str
        The JavaScript class, made with the element that holds the HTML.
    folder : Path
        Where the files are.
    scripts : sequence of Path
        Joined in this order; none of them needs anything from outside.

    Attributes
    ----------
    scripts : str
        What has to be sent once, in a block of its own, so that no name meets another component's.
    """

    def __init__(self, name: str, view: str, folder: Path, scripts: Sequence[Path]) -> None:
        style, html = (_text(folder / f"{name}.{kind}") for kind in ("css", "html"))
        end = f"const VIEW = {view};\nconst HTML = {json.dumps(f'<style>{style}</style>{html}')};\n"
        palette = f"const PALETTE = {json.dumps(PALETTE)};\n"
        own = "\n".join([palette, *map(_text, scripts), end, _text(_FOLDER / "scripts.js")])
        digest = hashlib.sha256(own.encode()).hexdigest()[:12]  # a page may outlive the scripts of an older server
        named = f"const NAME = {json.dumps(f'rnnviz {name} {digest}')};\n"
        self.scripts = f"{{\n{named}{own}}}\n"
        self._mounted = st.components.v2.component(f"rnnviz_{name}", js=named + _text(_FOLDER / "mount.js"))

    def mount(self, data: object, *, key: str, **events: Callable[[], None]) -> None:
        """Show the component with its data; `events`, ``on_<name>_change``, tell of ``session_state[key][name]``."""
        # In a dict Streamlit looks for data frames, and loads pandas and pyarrow to do so: 90 MB that no page needs.
        sent = [data] if isinstance(data, dict) else data
        options: dict[str, Any] = {"key": key, "data": sent, **events}
        self._mounted(**options)


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
