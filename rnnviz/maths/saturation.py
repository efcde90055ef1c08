"""How often each gate is nearly closed and nearly open."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from rnnviz.maths.checks import Array, Sealed
from rnnviz.maths.trace import Trace, require_gates

__all__ = ["Saturation", "gate_saturation"]

LEFT, RIGHT = 0.1, 0.9


@dataclass(frozen=True, eq=False)
class Saturation(Sealed):
    """How much of the time the units of one gate are saturated. The arrays are read-only.

    Attributes
    ----------
    left : (H,) array
        The fraction of the steps, 0..1, at which the gate is below 0.1: nearly closed.
    right : (H,) array
        The fraction of the steps, 0..1, at which it is above 0.9: nearly open.
    """

    left: Array
    right: Array

    def __post_init__(self) -> None:
        for array in (self.left, self.right):
            array.setflags(write=False)


def gate_saturation(trace: Trace) -> Mapping[str, Saturation]:
    """Return how much of the time each gate is nearly closed and nearly open.

    The two fractions are the coordinates of a unit in the saturation plots of Karpathy, Johnson & Li (2015),
    "Visualizing and understanding recurrent networks". A unit whose forget
    gate is open at nearly every step keeps its memory for long.

    Parameters
    ----------
    trace : Trace
        Of an LSTM or a GRU.

    Returns
    -------
    mapping of name to Saturation
        LSTM i, f, o; GRU r, z, as applied, so clamped where clamped. Candidates are no gates and are left out.

    Raises
    ------
    InputError
        If the cell has no gates or the trace has no steps.

    Examples
    --------
    >>> from rnnviz import Clamp, make_cell, run
    >>> clamps = [Clamp("f", 0.5), Clamp("f", 1.0, unit=1, from_step=2)]
    >>> found = gate_saturation(run(make_cell("lstm", 1, 2), [[0.0]] * 4, clamp=clamps))
    >>> list(found), found["f"].right.tolist()
    (['i', 'f', 'o'], [0.0, 0.75])
    """
    require_gates("gate_saturation", trace)
    gates = {name: trace.gates[name] for name in trace.cell.clampable}
    found = {name: Saturation((g < LEFT).mean(axis=0), (g > RIGHT).mean(axis=0)) for name, g in gates.items()}
    return MappingProxyType(found)
