"""All sequences of a batch beside each other, at one step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rnnviz.texts import say
from rnnviz.views.numbers import written

Array = NDArray[np.float64]

_ORANGE, _BLUE = "217,95,14", "11,99,165"
_STRONGEST = 0.55
"""Share of the colour at the largest number: the theme's own ink stays at 4.5 to 1 and more on it, light or dark."""


def state_table(states: Array, shown: int) -> str:
    """States of all sequences as a table: a row for each sequence, a column for each unit.

    Parameters
    ----------
    states : (N, H) array
        One state of each sequence.
    shown : int
        The sequence that stands in the explorer, counted from 1; its row is marked.

    Returns
    -------
    str
        HTML; orange below zero, blue above, the stronger the larger, with the number in each cell.
    """
    limit = float(np.abs(states).max(initial=0.0)) or 1.0
    head = "".join(f"<th scope='col'>{say('batch.unit', unit=unit)}</th>" for unit in range(1, states.shape[1] + 1))
    rows = "".join(
        f"<tr{' class=shown' if number == shown else ''}><th scope='row'>{say('shown.sequence', number=number)}</th>"
        f"{''.join(_cell(float(value), limit) for value in state)}</tr>"
        for number, state in enumerate(states, start=1)
    )
    table = f"<table class='batch'><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f"<div class='batch-frame' tabindex='0' role='region' aria-label='{say('batch.table')}'>{table}</div>"


def _cell(value: float, limit: float) -> str:
    share = _STRONGEST * abs(value / limit)
    return f"<td style='background:rgba({_BLUE if value > 0 else _ORANGE},{share:.2f})'>{written(value)}</td>"
