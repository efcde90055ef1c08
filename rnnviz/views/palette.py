"""The colours of the whole app: one file for Python and for the scripts in the browser.

``light`` and ``dark`` hold the families of cells, each from its negative to its positive end through the ground;
``lines`` holds the colours of curves, bars and marks, at least 3 to 1 against both grounds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PALETTE: Mapping[str, Any] = json.loads((Path(__file__).parent / "palette.json").read_text(encoding="utf-8"))

LINES: Mapping[str, str] = PALETTE["lines"]
NEGATIVE, POSITIVE = LINES["negative"], LINES["positive"]
CELL_COLOURS = {kind: LINES[kind] for kind in ("elman", "lstm", "gru")}


def colour_of(kind: str) -> str:
    """The colour of a kind of cell; those without one of their own share it."""
    return CELL_COLOURS.get(kind, LINES["second"])


def of_sign(value: float) -> str:
    """The colour of a signed number in a chart."""
    return NEGATIVE if value < 0 else POSITIVE


def translucent(colour: str, opacity: float) -> str:
    """A colour of the palette with an opacity, as CSS.

    Examples
    --------
    >>> translucent("#d9670e", 0.25)
    'rgba(217, 103, 14, 0.25)'
    """
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"
