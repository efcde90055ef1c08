"""What a preset is: a named base that settings and edits stand on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Trace
from rnnviz.settings import Value

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Preset:
    """A named base that settings and edits stand on.

    Attributes
    ----------
    values : mapping of str to value
        Settings that differ from the table's defaults.
    fact : callable
        ``fact(trace, y) -> str``: the sentence that this preset is there to show, with numbers from the trace.
    weights : mapping of str to array
        Hand-set arrays, ``W_ih W_hh b_ih b_hh`` and with a readout ``W_ho b_o``; empty where they are drawn.
    x : callable or None
        ``x(steps) -> (steps, D)``: the preset's own sequence.
    seeded : bool
        Whether it takes a seed too, ``x(steps, seed)``: each further sequence of a batch is another draw.
    any_input : bool
        Whether the weights are for inputs of any size: a component too many has no weight, one too few is left out.
    cell : str
        The kind of cell that it puts in front, where a page shows several.
    """

    values: Mapping[str, Value]
    fact: Callable[[Trace, Array | None], str]
    weights: Mapping[str, Array] = field(default_factory=dict)
    x: Callable[..., Array] | None = None
    seeded: bool = False
    any_input: bool = False
    cell: str = ""


def hand_set(**arrays: object) -> dict[str, Array]:
    """Arrays of a preset's own, by their names."""
    return {name: np.array(array, dtype=np.float64) for name, array in arrays.items()}
