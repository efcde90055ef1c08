"""Eigenvalues on the complex plane; singular values of the weights above the exponents of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.texts import say
from rnnviz.views.charts.figure import MARGIN, Figure, Trace, axis, bars, counting, figure, heading, level
from rnnviz.views.numbers import MINUS, power, power_of_ten, written
from rnnviz.views.palette import LINES

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

_LEAST = 1.2
"""How far the plane and the axis of singular values reach at least, so that the unit circle is whole."""
_MOST = 1e307
_ROOM = 0.14
"""Of the axis of exponents, for the marks of directions that are lost."""


def plane_chart(eigenvalues: Complex, name: str, step: Complex | None = None, step_name: str = "") -> Figure:
    """The unit circle and a dot for each eigenvalue, with equal scales on both axes.

    Parameters
    ----------
    eigenvalues : (H,) complex array
        Of the weights.
    name : str
        How they are called.
    step : (S,) complex array, or None
        Those of a step's Jacobian, drawn as rings.
    step_name : str
        What it is called.
    """
    sizes = np.abs(eigenvalues if step is None else np.concatenate([eigenvalues, step]))
    reach = min(max(_LEAST, 1.1 * min(float(sizes.max()), _MOST)), _MOST)
    traces = [_dots(eigenvalues, name, {"color": LINES["weight"], "size": 9, "opacity": 0.85})]
    if step is not None:
        ring = {"color": LINES["second"], "size": 11, "symbol": "circle-open", "line": {"width": 1.8}}
        traces.append(_dots(step, step_name, ring))
    circle = {
        "type": "circle", "x0": -1, "x1": 1, "y0": -1, "y1": 1, "layer": "between",
        "line": {"color": LINES["neutral"], "width": 1.5, "dash": "dash"},
    }  # fmt: skip
    ends = {"range": [-reach, reach], "constrain": "domain", "zeroline": True}
    return figure(
        traces, height=430, shapes=[circle], annotations=[heading(say("spectrum.plane"))], showlegend=True,
        margin=MARGIN, xaxis=axis(say("spectrum.plane.real"), **ends),
        yaxis=axis(say("spectrum.plane.imaginary"), scaleanchor="x", **ends),
        legend={"y": -0.16, "yanchor": "top"},
    )  # fmt: skip


def complex_text(value: complex) -> str:
    """An eigenvalue as it is written.

    Examples
    --------
    >>> complex_text(0.5 - 0.25j), complex_text(-1 + 0j)
    ('0.5 − 0.25i', '−1')
    """
    if value.imag == 0:
        return written(value.real)
    return f"{written(value.real)} {MINUS if value.imag < 0 else '+'} {written(abs(value.imag))}i"


def _dots(values: Complex, name: str, marker: dict[str, object]) -> Trace:
    hover = [
        say("spectrum.dot", name=name, value=complex_text(value), size=power(float(abs(value))))
        for value in values.tolist()
    ]
    return {
        "type": "scatter", "mode": "markers", "x": values.real.tolist(), "y": values.imag.tolist(), "name": name,
        "marker": marker, "hovertext": hover, "hoverinfo": "text",
    }  # fmt: skip


def bars_chart(singular: Array, exponents: Array, name: str) -> Figure:
    """A bar for each singular value beside the level 1; below, one for each exponent, up where a direction grows.

    What is lost has no bar: a mark at the lower edge says −∞.

    Parameters
    ----------
    singular : (H,) array
        Of the weights, descending.
    exponents : (S,) array
        Nats a step, descending; ``-inf`` where a direction is lost.
    name : str
        How the weights are called.
    """
    places = range(1, len(singular) + 1)
    hover = [say("spectrum.bar", place=place, value=power(float(singular[place - 1]))) for place in places]
    upper = bars(places, singular.tolist(), hover, marker={"color": LINES["weight"]})
    there = np.isfinite(exponents)
    finite = exponents[there]
    low, high = min(-0.3, 1.08 * float(finite.min(initial=0.0))), max(0.3, 1.08 * float(finite.max(initial=0.0)))
    lost = np.flatnonzero(~there) + 1
    low -= _ROOM * (high - low) if len(lost) else 0.0
    lower = bars(
        (np.flatnonzero(there) + 1).tolist(), finite.tolist(),
        [_exponent_text(place, float(exponents[place - 1])) for place in (np.flatnonzero(there) + 1).tolist()],
        xaxis="x2", yaxis="y2",
    )  # fmt: skip
    marks = [_lost(lost.tolist(), low + 0.5 * _ROOM * (high - low))] if len(lost) else []
    last = max(len(singular), len(exponents))
    return figure(
        [upper, lower, *marks], height=430, shapes=[level(1)], showlegend=False,
        annotations=[
            heading(say("spectrum.singular", matrix=name)), heading(say("spectrum.exponents"), "2"),
        ],
        margin=MARGIN, xaxis=counting("", 1, last, anchor="y"),
        yaxis=axis(
            say("spectrum.singular.axis"), domain=[0.6, 1],
            range=[0, max(_LEAST, 1.08 * min(float(singular[0]), _MOST))],
        ),
        xaxis2=counting(say("spectrum.place"), 1, last, anchor="y2"),
        yaxis2=axis(say("spectrum.exponents.axis"), domain=[0, 0.42], range=[low, high], zeroline=True),
    )  # fmt: skip


def _exponent_text(place: int, value: float) -> str:
    return say("spectrum.exponent", place=place, value=written(value), factor=power_of_ten(value / np.log(10.0)))


def _lost(places: Sequence[int], height: float) -> Trace:
    """A mark for each direction that is lost, named where there is room."""
    middle = places[len(places) // 2]
    return {
        "type": "scatter", "mode": "markers+text", "x": list(places), "y": [height] * len(places),
        "marker": {"symbol": "triangle-down", "size": 9, "color": LINES["negative"]},
        "text": [MINUS + "∞" if len(places) <= 6 or place == middle else "" for place in places],
        "textposition": "top center", "hovertext": [say("spectrum.exponent.lost", place=place) for place in places],
        "hoverinfo": "text", "xaxis": "x2", "yaxis": "y2", "showlegend": False, "cliponaxis": False,
    }  # fmt: skip


def bars_said(singular: Array, exponents: Array, name: str) -> str:
    """The chart in a sentence."""
    return say(
        "spectrum.bars.said", count=len(singular), matrix=name, sigmas=_range(singular, power), all=len(exponents),
        exponents=_range(exponents, written),
    )  # fmt: skip


def _range(values: Array, write: Callable[[float], str]) -> str:
    """The largest and the smallest of descending values; of a single one itself."""
    high, low = (write(float(values[place])) for place in (0, -1))
    return say("spectrum.bars.range", high=high, low=low) if len(values) > 1 else high


def plane_said(name: str, step_name: str = "") -> str:
    """The plane in a sentence."""
    if not step_name:
        return say("spectrum.plane.said.alone", matrix=name)
    return say("spectrum.plane.said", matrix=name, step=step_name)
