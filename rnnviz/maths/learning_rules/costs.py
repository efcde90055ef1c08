"""What BPTT and RTRL cost, by formula: the numbers to keep and the multiplications to make."""

from __future__ import annotations

from dataclasses import dataclass

from rnnviz.maths.cells import Cell
from rnnviz.maths.checks import read_integer
from rnnviz.maths.errors import InputError

__all__ = ["Cost", "GradientCosts", "gradient_costs"]


@dataclass(frozen=True)
class Cost:
    """What one way to the gradient takes, beside the forward pass.

    Attributes
    ----------
    numbers : int
        The numbers that have to be kept at the same time, 8 bytes each in float64.
    multiply_adds : int
        The multiplications in products with a matrix, each with its addition. Those of a unit's number with another
        are left out: they are fewer by a factor of about H.
    """

    numbers: int
    multiply_adds: int


@dataclass(frozen=True)
class GradientCosts:
    """What the same gradient costs either way.

    Attributes
    ----------
    bptt, rtrl : Cost
    """

    bptt: Cost
    rtrl: Cost


def gradient_costs(cell: Cell, steps: int) -> GradientCosts:
    """Count what the gradient over T steps takes by `bptt` and by `rtrl`.

    With ``P = G H (D + H + 2)`` weights::

        BPTT  keeps x_t, the state and the pre-activations of every step    T (D + S + G H) + S numbers
              takes each error back and adds up the outer products          T (G H H + G H (D + H)) multiply-adds
        RTRL  keeps the influence and the gradient, whatever T              S P + P numbers
              carries the influence on and reads each gradient off it       T (S H P + H P) multiply-adds

    The reset gate of a GRU multiplies more than once: with ``reset="after"`` BPTT keeps ``W_hn h + b_hn`` too, T H
    numbers; with ``reset="before"`` RTRL makes one more product of matrices, T H H H multiply-adds.

    Parameters
    ----------
    cell : ElmanCell, LSTMCell or GRUCell
        Only its kind, form and sizes count.
    steps : int
        T, at least 1.

    Returns
    -------
    GradientCosts

    Raises
    ------
    InputError
        If the cell is none or steps is not an integer of at least 1.

    Examples
    --------
    >>> from rnnviz import make_cell
    >>> costs = gradient_costs(make_cell("elman", 8, 32), steps=100)
    >>> costs.bptt.numbers, costs.rtrl.numbers
    (7232, 44352)
    >>> costs.rtrl.multiply_adds // costs.bptt.multiply_adds
    616
    """
    if not isinstance(cell, Cell):
        raise InputError(
            "costs", "gradient_costs needs a cell; got {got}. Make one with make_cell.", got=type(cell).__name__
        )
    T = read_integer("steps", steps, 1)
    D, H, S, rows = cell.input_size, cell.hidden_size, cell.state_size, len(cell.W_hh)
    P = rows * (D + H + 2)
    more_kept, more_rtrl = cell.extra_costs()
    return GradientCosts(
        bptt=Cost(T * (D + S + rows + more_kept) + S, T * rows * (H + D + H)),
        rtrl=Cost(S * P + P, T * (S * H * P + H * P + more_rtrl)),
    )
