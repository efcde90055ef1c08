"""Plotly charts that change in their place while something runs: their zoom and what is pointed at stay.

Streamlit's own element takes a chart whose data changed off the page and builds another one: several times a second
that flickers. Both draw with Plotly; here the library comes from its Python package, with one message for a page.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib.resources import files
from pathlib import Path

from rnnviz.ui.components.shared import Component

_FOLDER = Path(__file__).parent
LIBRARY = Component("library", "Library", _FOLDER / "library.js", isolated=False)
FIGURE = Component("moving", "Moving", _FOLDER / "moving.js", isolated=False)


def bring_plotly() -> None:
    """Hand the library to the page; once, outside of what is drawn again and again."""
    LIBRARY.mount(_library(), key="plotly")


def mount_moving(spec: str, *, key: str, said: str) -> None:
    """Show a figure.

    Parameters
    ----------
    spec : str
        The figure as JSON, in the colours of a theme.
    key : str
        The component's; under it the figure changes in its place.
    said : str
        Its text twin.
    """
    FIGURE.mount({"figure": spec, "said": said}, key=key)


@cache
def _library() -> bytes:
    return gzip.compress((files("plotly") / "package_data" / "plotly.min.js").read_bytes(), mtime=0)
