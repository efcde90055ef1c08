"""Small pictures for the cards of Home, drawn from real traces."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np
from numpy.typing import NDArray

from rnnviz.views.palette import of_sign

Array = NDArray[np.float64]


def strip_card(values: Array, description: str, *, cell: tuple[float, float] = (9.0, 18.0)) -> str:
    """Signed values over time as an SVG strip: orange below zero, blue above, the stronger the larger.

    Parameters
    ----------
    values : (T, N) array
        A row of the strip for each component.
    description : str
        What a screen reader says.
    cell : (width, height)
        Size of a cell in pixels.

    Returns
    -------
    str
        One SVG element; its colours stand on a light and on a dark ground.
    """
    width, height = cell
    limit = float(np.abs(values).max(initial=0.0)) or 1.0
    rects = [
        f'<rect x="{t * width:g}" y="{row * height:g}" width="{width - 1:g}" height="{height - 1:g}" rx="2" '
        f'fill="{of_sign(value)}" fill-opacity="{abs(value) / limit:.2f}"/>'
        for t, step in enumerate(values)
        for row, value in enumerate(step)
    ]
    steps, rows = values.shape
    head = (
        f'viewBox="0 0 {steps * width:g} {rows * height:g}" width="100%" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(description)}"'
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" {head}>{"".join(rects)}</svg>'


def bar_card(values: Mapping[str, float], description: str, *, size: tuple[float, float] = (324.0, 72.0)) -> str:
    """Bars, one below the other from the left, as an SVG of the size of a strip.

    Parameters
    ----------
    values : mapping of colour to float
        At least 0.
    description : str
        What a screen reader says.
    """
    width, height = size
    high, room = max(values.values()) or 1.0, height / len(values)
    bars = "".join(
        f'<rect x="0" y="{place * room + 3:g}" width="{width * value / high:.1f}" height="{room - 6:g}" rx="2" '
        f'fill="{colour}"/>'
        for place, (colour, value) in enumerate(values.items())
    )
    head = (
        f'viewBox="0 0 {width:g} {height:g}" width="100%" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(description)}"'
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg" {head}>{bars}</svg>'


def curve_card(curves: Mapping[str, Array], description: str, *, size: tuple[float, float] = (324.0, 72.0)) -> str:
    """Curves over time, one below the other by their values, as an SVG of the size of a strip.

    Parameters
    ----------
    curves : mapping of colour to (T,) array
        Finite values.
    description : str
        What a screen reader says.
    """
    width, height = size
    low = min(float(values.min()) for values in curves.values())
    high = max(float(values.max()) for values in curves.values())
    lines = []
    for colour, values in curves.items():
        places = zip(np.linspace(2, width - 2, len(values)), values, strict=True)
        points = " ".join(
            f"{x:.1f},{4 + (height - 8) * (high - value) / ((high - low) or 1):.1f}" for x, value in places
        )
        lines.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="3"/>')
    head = f'viewBox="0 0 {width:g} {height:g}" width="100%" role="img" aria-label="{escape(description)}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {head}>{"".join(lines)}</svg>'
