"""How often each gate is shut or open: the plot of Karpathy, Johnson & Li (2015), with its numbers."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Saturation
from rnnviz.texts import say
from rnnviz.views.plots import label, picture
from rnnviz.views.tables import table

Array = NDArray[np.float64]

_SIDE, _LEFT, _TOP, _APART = 170.0, 46.0, 26.0, 40.0
_DOT = "#7c4dbd"


def saturation_words(found: Mapping[str, Saturation]) -> str:
    """Which gates are mostly open, mostly shut, or neither."""
    said = [
        say(
            "saturation.words",
            gate=gate,
            units=len(one.left),
            open=int((one.right > 0.5).sum()),
            shut=int((one.left > 0.5).sum()),
        )
        for gate, one in found.items()
    ]
    return " ".join(said)


def saturation_picture(found: Mapping[str, Saturation]) -> str:
    """A square for each gate, a dot for each unit: to the right the share of steps at which it is shut (under 0.1),
    upwards the share at which it is open (over 0.9).

    Parameters
    ----------
    found : mapping of gate to Saturation
        From `rnnviz.gate_saturation`.

    Returns
    -------
    str
        One SVG element that takes the text's colour; what is pointed at says its numbers.
    """
    parts = []
    for number, (gate, one) in enumerate(found.items()):
        left = _LEFT + number * (_SIDE + _LEFT + _APART)
        parts.append(_square(left, gate))
        parts += [_dots(left, gate, units, shut, opened) for (shut, opened), units in _places(one).items()]
    width, height = len(found) * (_SIDE + _LEFT + _APART), _TOP + _SIDE + 42
    return picture("saturation", width, height, saturation_words(found), parts)


def saturation_table(found: Mapping[str, Saturation]) -> str:
    """The same numbers as an HTML table, a row for each unit."""
    gates, units = list(found), len(next(iter(found.values())).left)
    columns = [(gate, side) for gate in gates for side in _SIDES]
    head = [say("ledger.unit"), *(say(f"saturation.column.{side}", gate=gate) for gate, side in columns)]
    rows = [
        [
            say("which.unit", unit=unit + 1),
            *(f"{100 * getattr(found[gate], side)[unit]:.0f} %" for gate, side in columns),
        ]
        for unit in range(units)
    ]
    return table("ledger", say("saturation.table"), head, rows)


_SIDES = ("left", "right")


def _places(one: Saturation) -> dict[tuple[float, float], list[int]]:
    """The units, counted from 1, by where their dot is: many share a corner."""
    places: dict[tuple[float, float], list[int]] = {}
    for unit, place in enumerate(zip(one.left.tolist(), one.right.tolist(), strict=True), start=1):
        places.setdefault(place, []).append(unit)
    return places


def _square(left: float, gate: str) -> str:
    """The frame with both axes; shares above the diagonal cannot occur."""
    bottom, right = _TOP + _SIDE, left + _SIDE
    frame = (
        f'<path d="M{left:g} {_TOP:g}V{bottom:g}H{right:g}" fill="none" stroke="currentColor" stroke-opacity="0.45"/>'
        f'<path d="M{left:g} {_TOP:g}L{right:g} {bottom:g}" stroke="currentColor" stroke-opacity="0.2" '
        'stroke-dasharray="3 4"/>'
    )
    texts = [
        label(left + _SIDE / 2, 10, say("saturation.gate", gate=gate), size=13),
        label(left + _SIDE / 2, bottom + 30, say("saturation.shut")),
    ]
    for share in (0, 50, 100):
        texts.append(label(left + _SIDE * share / 100, bottom + 13, f"{share} %"))
        texts.append(label(left - 6, bottom - _SIDE * share / 100, f"{share} %", "end"))
    upright = f'<g transform="translate({left - 40:g} {_TOP + _SIDE / 2:g}) rotate(-90)">'
    return f"{frame}{''.join(texts)}{upright}{label(0, 0, say('saturation.open'))}</g>"


def _dots(left: float, gate: str, units: list[int], shut: float, opened: float) -> str:
    x, y = left + shut * _SIDE, _TOP + (1 - opened) * _SIDE
    radius = min(16.0, 5.0 + 1.6 * float(np.sqrt(len(units) - 1)))
    names = ", ".join(map(str, units[:12])) + (" …" if len(units) > 12 else "")
    title = say("saturation.dot", gate=gate, units=names, shut=round(100 * shut), open=round(100 * opened))
    many = label(x, y, str(len(units)), fill="#fff", size=11) if len(units) > 1 else ""
    return (
        f'<g><title>{escape(title)}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{_DOT}" '
        f'fill-opacity="0.85"/>{many}</g>'
    )
