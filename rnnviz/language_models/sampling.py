"""Text that a recurrent network writes: each character is drawn from what it predicts, and read in turn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rnnviz.language_models.codes import read_codes
from rnnviz.language_models.predictions import require_model
from rnnviz.maths import Cell, InputError, Readout, run_stack
from rnnviz.maths.checks import Array, Sealed, read_integer, read_number
from rnnviz.maths.readout import softmax

__all__ = ["Drawn", "sample"]


@dataclass(frozen=True, eq=False)
class Drawn(Sealed):
    """A character that was drawn.

    Attributes
    ----------
    code : int
    probabilities : (V,) array
        From which it was drawn: after temperature and top-k. Read-only.
    """

    code: int
    probabilities: Array

    def __post_init__(self) -> None:
        self.probabilities.setflags(write=False)


def sample(
    cells: tuple[Cell, ...],
    readout: Readout,
    prefix: ArrayLike,
    count: int,
    *,
    temperature: float = 1.0,
    most: int = 0,
    seed: int = 0,
    h0s: Sequence[ArrayLike | None] | None = None,
) -> Iterator[Drawn]:
    """Let a network go on with a text, one character at a time::

        p(v) = exp(a_v / temperature) / sum_w exp(a_w / temperature)        a = W h + b

    where w are the `most` characters with the largest logits, among equals those with the smallest codes; the others
    have p = 0. A temperature of 0 is the limit, always the likeliest character.

    Ackley, Hinton & Sejnowski (1985), "A learning algorithm for Boltzmann machines" (temperature); Fan, Lewis & Dauphin
    (2018), "Hierarchical neural story generation" (top-k).

    Parameters
    ----------
    cells : tuple of Cell
        The layers from the input up; the first reads characters one-hot.
    readout : Readout
        A softmax of V outputs.
    prefix : (N,) array-like of int
        The characters to go on from, read at once. If there are none, nothing is predicted yet: the first character is
        drawn uniformly, whatever the temperature and `most`.
    count : int
        How many characters to draw.
    temperature : float
        At least 0.
    most : int
        In 0..V; 0 for all.
    seed : int
        0 to 2**32 - 1.
    h0s : sequence of (H,) array-like, optional
        The initial hidden state of each layer; zeros if left out, as the cell states of an LSTM always are.

    Returns
    -------
    iterator of Drawn
        Each is made when it is asked for, at the same cost.

    Raises
    ------
    InputError
        If the readout does not fit, a code is not in 0..V-1, the temperature is negative or not finite, the count, most
        or seed out of range; while drawing, if a number overflows float64.

    Examples
    --------
    >>> from rnnviz import ElmanCell
    >>> copies = ElmanCell(np.eye(3), np.zeros((3, 3)), np.zeros(3), np.zeros(3), activation="identity")
    >>> after = Readout(np.roll(np.eye(3), 1, axis=0), np.zeros(3), "softmax")  # 0, 1, 2, 0, 1, 2
    >>> [drawn.code for drawn in sample((copies,), after, [0], 5, temperature=0)]
    [1, 2, 0, 1, 2]
    """
    V = require_model(cells, readout)
    read = read_codes("prefix", prefix, V)
    count = read_integer("count", count, 0)
    temperature = read_number("temperature", temperature, 0.0)
    most = read_integer("most", most, 0, V)
    random = np.random.RandomState(read_integer("seed", seed, 0, 2**32 - 1))
    one_hot = np.eye(V)
    # Without a prefix there is still a step, for the checks of the cells and their initial states.
    traces = run_stack(cells, one_hot[read] if len(read) else np.zeros((1, V)), h0s)
    start = [trace.states[len(read)] for trace in traces]

    def predicted(states: list[Array]) -> Array:
        return _tempered(readout.preacts(states[-1][: cells[-1].hidden_size]), temperature, most)

    def drawn() -> Iterator[Drawn]:
        states, p = start, predicted(start) if len(read) else np.full(V, 1 / V)
        for number in range(1, count + 1):
            code = int(random.choice(V, p=p))
            yield Drawn(code, p)
            if number < count:
                states = _stepped(cells, states, one_hot[code], number)
                p = predicted(states)

    return drawn()


def _tempered(a: Array, temperature: float, most: int) -> Array:
    """The distribution (V,) that the logits make with this temperature and top-k."""
    kept = np.argsort(-a, kind="stable")[: 1 if temperature == 0.0 else most or len(a)]
    halves = a[kept] / 2  # the difference of which does not overflow, so that a high temperature can still lower it
    with np.errstate(over="ignore"):  # to -inf, whose exp is the right limit 0
        below = (halves - halves[0]) / (temperature or 1.0) * 2
    p = np.zeros(len(a))
    p[kept] = softmax(below)
    return p


def _stepped(cells: tuple[Cell, ...], states: list[Array], x: Array, number: int) -> list[Array]:
    """The states of the layers after one more character, the one of this number."""
    after = []
    with np.errstate(over="ignore", invalid="ignore"):  # looked for below
        for layer, (cell, state) in enumerate(zip(cells, states, strict=True), start=1):
            after.append(np.ravel(cell.step(x, *cell.blocks(state))))  # h, or h and c
            x = after[-1][: cell.hidden_size]
            if not np.isfinite(after[-1]).all():
                raise InputError(
                    "sampling.overflow",
                    "The state of layer {layer} overflows float64 (about 1.8e308) after {number} drawn "
                    "{number:character|characters}. Lower the weights, or draw fewer.",
                    layer=layer, number=number,
                )  # fmt: skip
    return after
