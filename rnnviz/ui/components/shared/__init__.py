"""Components of the browser in plain JavaScript, without a build step, whose scripts do not come with every message."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from rnnviz.ui.components.shared.modules import in_order, joined, name_of

_FOLDER = Path(__file__).parent


class Component:
    """A class of JavaScript on the page, made of an element and its first message ``(host, data, setStateValue)``.

    All later messages go to its ``receive(data, setStateValue)``; at the end comes ``close()``.

    Streamlit sends a component's script along with each of its messages, but of a large message that the browser still
    knows only a reference. So the scripts ride with a message that is always the same (see the `connection` component),
    and a changed number of the cell explorer does not bring 150 kB along.

    Parameters
    ----------
    name : str
        Of the component, and of the files ``name.html`` and ``name.css`` in its folder.
    view : str
        The JavaScript class; the element that it is made with holds the HTML.
    module : Path
        The module that exports it.
    isolated : bool
        Whether the page's styles stay away from it, and its own from the page.

    Attributes
    ----------
    module : Path
        The same.
    start : str
        The end of its scripts: what to run once, after its module in the joined script.
    """

    def __init__(self, name: str, view: str, module: Path, *, isolated: bool = True) -> None:
        style, html = (_text(module.parent / f"{name}.{kind}") for kind in ("css", "html"))
        end = f"const VIEW = {name_of(module)}.{view};\nconst HTML = {json.dumps(f'<style>{style}</style>{html}')};\n"
        end += _text(_FOLDER / "scripts.js")
        own = "".join([*map(_text, in_order([module])), end])
        digest = hashlib.sha256(own.encode()).hexdigest()[:12]  # a page may outlive the scripts of an older server
        named = f"const NAME = {json.dumps(f'rnnviz {name} {digest}')};\n"
        self.module = module
        self.start = f"{{\n{named}{end}}}\n"
        script = named + _text(_FOLDER / "mount.js")
        self._mounted = st.components.v2.component(f"rnnviz_{name}", js=script, isolate_styles=isolated)

    def mount(self, data: object, *, key: str, **events: Callable[[], None]) -> None:
        """Show the component with its data; `events`, ``on_<name>_change``, tell of ``session_state[key][name]``."""
        # In a dict Streamlit looks for data frames, and loads pandas and pyarrow to do so: 90 MB that no page needs.
        sent = [data] if isinstance(data, dict) else data
        options: dict[str, Any] = {"key": key, "data": sent, **events}
        self._mounted(**options)


def scripts_of(components: Sequence[Component]) -> str:
    """What has to be sent once for all of these components, in a block of its own."""
    modules = joined([one.module for one in components])
    return f"{{\n{modules}{''.join(one.start for one in components)}}}\n"


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")
