"""What a network takes before it learns anything: its parameters, and the work and memory of a step forward."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rnnviz.maths.cells import Cell, cell_class

__all__ = ["StepCosts", "nearest_hidden_size", "parameter_count", "step_costs"]


@dataclass(frozen=True)
class StepCosts:
    """What the layers of a network take for one step forward.

    Attributes
    ----------
    multiply_adds : int
        The multiplications in products with a matrix, each with its addition, as `Cost` counts them.
    numbers : int
        What passes from step to step: the states of all layers.
    """

    multiply_adds: int
    numbers: int


def step_costs(cells: Sequence[Cell]) -> StepCosts:
    """Count what a step of stacked layers takes, without a readout.

    A layer makes one product of ``W_ih (G H, D)`` and one of ``W_hh (G H, H)`` with a vector, and carries S numbers::

        G H (D + H) multiply-adds

    Parameters
    ----------
    cells : sequence of Cell
        The layers, each with a step that uses every weight once, as the built-in ones.

    Returns
    -------
    StepCosts

    Examples
    --------
    >>> from rnnviz import make_cell
    >>> step_costs([make_cell("lstm", 2, 32)])
    StepCosts(multiply_adds=4352, numbers=64)
    """
    work = sum(len(cell.W_hh) * (cell.input_size + cell.hidden_size) for cell in cells)
    return StepCosts(work, sum(cell.state_size for cell in cells))


def parameter_count(
    kind: str, input_size: int, hidden_size: int, *, layers: int = 1, output_size: int = 0, learned_start: bool = False
) -> int:
    """Count the weights and biases of a network: L layers of one kind and a readout of their top one.

    With G blocks of rows in a layer, each with both of its biases::

        G H (D + H + 2)  +  (L - 1) G H (H + H + 2)  +  O (H + 1)

    and L H more where the initial hidden states are learned.

    Examples
    --------
    >>> [parameter_count(kind, 2, 32, output_size=1) for kind in ("elman", "lstm", "gru")]
    [1185, 4641, 3489]
    """
    rows = len(cell_class(kind).gate_names) * hidden_size
    first, further = rows * (input_size + hidden_size + 2), rows * (2 * hidden_size + 2)
    starts = layers * hidden_size if learned_start else 0
    return first + (layers - 1) * further + output_size * (hidden_size + 1) + starts


def nearest_hidden_size(
    kind: str, parameters: int, input_size: int, *, most: int, layers: int = 1, output_size: int = 0,
    learned_start: bool = False,
) -> int:  # fmt: skip
    """Return the hidden size, 1 to `most`, whose `parameter_count` is nearest to a number; of two, the smaller.

    Examples
    --------
    >>> nearest_hidden_size("lstm", 1185, 2, most=128, output_size=1)
    15
    """

    def off(size: int) -> int:
        count = parameter_count(
            kind, input_size, size, layers=layers, output_size=output_size, learned_start=learned_start
        )
        return abs(count - parameters)

    return min(range(1, most + 1), key=off)
