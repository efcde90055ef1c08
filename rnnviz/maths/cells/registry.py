"""The cells by their kinds: the only place that lists them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rnnviz.maths.cells.elman import ElmanCell
from rnnviz.maths.cells.gru import GRUCell
from rnnviz.maths.cells.lstm import LSTMCell
from rnnviz.maths.cells.protocol import Cell
from rnnviz.maths.checks import one_of

__all__ = ["CELLS", "cell_class"]

CELLS: Mapping[str, type[Cell]] = MappingProxyType({one.kind: one for one in (ElmanCell, LSTMCell, GRUCell)})


def cell_class(kind: object) -> type[Cell]:
    """Return the class of a kind; an unknown one is an InputError.

    >>> cell_class("gru").__name__
    'GRUCell'
    """
    return CELLS[one_of("kind", kind, tuple(CELLS))]
