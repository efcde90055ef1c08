"""A hidden layer and a hidden state on the same input: an MLP and an Elman RNN with the same weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rnnviz.maths import ElmanCell, InputError, run
from rnnviz.maths.checks import Array


@dataclass(frozen=True, eq=False)
class Hidden:
    """What both make of each row of the input.

    Attributes
    ----------
    cell : ElmanCell
        The recurrent network.
    x : (T, D) array
    layer : (T, H) array
        ``H = φ(X W_xh + b_h)``, a row for each row of x, whatever the others are.
    state : (T, H) array
        ``H_t = φ(X_t W_xh + H_{t-1} W_hh + b_h)`` with ``H_0 = 0``.
    """

    cell: ElmanCell
    x: Array
    layer: Array
    state: Array

    @property
    def equal_inputs(self) -> tuple[int, int] | None:
        """The first two steps with the same input, from 1 on: of all such pairs the one whose states differ most."""
        steps = range(len(self.x))
        pairs = [(a, b) for a in steps for b in steps if a < b and (self.x[a] == self.x[b]).all()]
        if not pairs:
            return None
        first, second = max(pairs, key=lambda pair: self.apart(pair[0] + 1, pair[1] + 1))
        return first + 1, second + 1

    def apart(self, first: int, second: int) -> float:
        """The largest difference between the hidden states of two steps."""
        return float(np.abs(self.state[first - 1] - self.state[second - 1]).max())


def hidden_of(x: Array, W_xh: Array, W_hh: Array, b_h: Array, activation: str) -> Hidden:
    """Run both; weights in the row convention, x W, the bias as a row.

    Raises
    ------
    InputError
        If the shapes do not fit together, or a number overflows float64.
    """
    D, H = x.shape[1], W_xh.shape[1]
    for name, array, needed, why in (
        ("W_xh", W_xh, (D, H), "x"), ("W_hh", W_hh, (H, H), "W_xh"), ("b_h", b_h, (1, H), "W_xh"),
    ):  # fmt: skip
        if array.shape != needed:
            raise InputError(
                "hidden.shape",
                "{name} is {rows} × {columns}, but it must be {needed_rows} × {needed_columns} to fit the columns of "
                "{why}.",
                name=name, rows=array.shape[0], columns=array.shape[1], needed_rows=needed[0],
                needed_columns=needed[1], why=why,
            )  # fmt: skip
    nothing = np.zeros(H)
    cell = ElmanCell(W_xh.T, W_hh.T, b_h[0], nothing, activation=activation)
    alone = ElmanCell(W_xh.T, np.zeros((H, H)), b_h[0], nothing, activation=activation)
    return Hidden(cell, x, run(alone, x).h[1:], run(cell, x).h[1:])
