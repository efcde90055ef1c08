"""What the fast loops over the steps share.

All inputs have been multiplied before; a step multiplies the state and applies its gates. A step of this size costs
calls more than arithmetic, so each line is one call that writes to the row that keeps its result.

In the loops u, w and a are the rows of from_x, from_h and preacts. Each result goes straight to the array named last.
The previous state is [1, h], so that one product with [b_hh, W_hh] gives W_hh h + b_hh.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rnnviz.maths.checks import Array

if TYPE_CHECKING:
    from rnnviz.maths.cells.protocol import Cell

__all__ = ["Sums", "clamp_into", "states_after_one", "with_bias"]


class Sums(NamedTuple):
    """The arrays that a loop fills, (T, G*H) each; `from_x` is given."""

    from_x: Array
    from_h: Array
    preacts: Array
    gates: Array
    clamped: Iterable[Array | None]  # what the gates are clamped to, nan where free


def with_bias(cell: Cell) -> Array:
    """Return ``[b_hh, W_hh]``, column by column in memory, which makes the product with a vector faster."""
    return np.asfortranarray(np.column_stack([cell.b_hh, cell.W_hh]))


def states_after_one(first: Array, sums: Sums) -> Array:
    """Return rows ``[1, h_t]`` for t = 0..T, of which only the first is filled in."""
    one_h = np.empty((len(sums.from_x) + 1, 1 + len(first)))
    one_h[:, 0] = 1.0
    one_h[0, 1:] = first
    return one_h


def clamp_into(gate: Array, clamped: Array) -> None:
    """Write the clamped values over those of the gates."""
    np.copyto(gate, clamped, where=~np.isnan(clamped))
