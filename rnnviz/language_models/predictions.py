"""What a recurrent network predicts at each character of a text, and what the characters that came cost it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rnnviz.language_models.codes import Codes, read_codes
from rnnviz.maths import Cell, InputError, Readout, Trace, run_stack
from rnnviz.maths.checks import Array, Sealed, read_integer

__all__ = ["Predictions", "log_softmax", "predictions_of", "require_model"]


@dataclass(frozen=True, eq=False)
class Predictions(Sealed):
    """A text of N characters as a network reads it: step t = 1..N-1 reads character t and predicts character t + 1.

    Row t - 1 of each array is step t. All arrays are read-only.

    Attributes
    ----------
    traces : tuple of Trace
        One for each layer, of N - 1 steps.
    targets : (N-1,) array of int
        The character that came.
    log_probabilities : (N-1, V) array
        ``log p_t``, in nats; -inf where the logits are further apart than float64 reaches.
    losses : (N-1,) array
        ``-log p_t(target_t)``, in nats.
    """

    traces: tuple[Trace, ...]
    targets: Codes
    log_probabilities: Array
    losses: Array

    def __post_init__(self) -> None:
        for array in (self.targets, self.log_probabilities, self.losses):
            array.setflags(write=False)

    @property
    def probabilities(self) -> Array:
        """The distribution of the next character at each step, (N-1, V)."""
        return np.exp(self.log_probabilities)

    @property
    def total(self) -> float:
        """The sum of the losses, in nats."""
        return float(self.losses.sum())

    @property
    def mean(self) -> float:
        """The cross-entropy, in nats per character."""
        return float(self.losses.mean())

    @property
    def perplexity(self) -> float:
        """``exp(mean)``: among how many equally likely characters the network might as well choose.

        Infinite where it overflows float64. Jelinek et al. (1977), "Perplexity: a measure of the difficulty of speech
        recognition tasks".
        """
        with np.errstate(over="ignore"):
            return float(np.exp(self.mean))

    def likeliest(self, t: int, count: int = 5) -> list[tuple[int, float]]:
        """Return the characters that step t holds for likeliest, with their probabilities.

        Parameters
        ----------
        t : int
            In 1..N-1.
        count : int
            At least 1; all V characters if it is larger than V.

        Returns
        -------
        list of (code, probability)
            The largest first; among equals the smallest code.

        Raises
        ------
        InputError
            If t or the count is out of range.
        """
        log_p = self.log_probabilities[read_integer("t", t, 1, len(self.targets)) - 1]
        # By the logarithm, which still tells apart what is 0 as a probability.
        first = np.argsort(-log_p, kind="stable")[: read_integer("count", count, 1)]
        return [(int(code), float(np.exp(log_p[code]))) for code in first]


def predictions_of(
    cells: tuple[Cell, ...], readout: Readout, codes: ArrayLike, h0s: Sequence[ArrayLike | None] | None = None
) -> Predictions:
    """Read a text with a network and keep what it predicts::

        log p_t = log softmax(W h_t + b)        loss_t = -log p_t(codes[t])        t = 1..N-1

    Parameters
    ----------
    cells : tuple of Cell
        The layers from the input up; the first reads characters one-hot, so that its input size is V.
    readout : Readout
        A softmax of V outputs.
    codes : (N,) array-like of int
        At least two characters, as integers in 0..V-1.
    h0s : sequence of (H,) array-like, optional
        The initial hidden state of each layer; zeros if left out, as the cell states of an LSTM always are.

    Returns
    -------
    Predictions

    Raises
    ------
    InputError
        If the readout does not fit, the text is too short, a code is not in 0..V-1 or a number overflows float64.

    Examples
    --------
    >>> from rnnviz import make_cell
    >>> undecided = Readout(np.zeros((4, 8)), np.zeros(4), "softmax")
    >>> predictions = predictions_of((make_cell("gru", 4, 8),), undecided, [0, 3, 1])
    >>> predictions.targets.tolist(), round(predictions.perplexity, 9)
    ([3, 1], 4.0)
    """
    V = require_model(cells, readout)
    text = read_codes("codes", codes, V, least=2)
    targets = text[1:]
    traces = run_stack(cells, np.eye(V)[text[:-1]], h0s)
    log_p = log_softmax(readout.preacts(traces[-1].h[1:]))
    losses = 0.0 - log_p[np.arange(len(targets)), targets]  # not -0.0 where all is certain
    return Predictions(traces, targets, log_p, losses)


def log_softmax(a: Array) -> Array:
    """``a - log(sum(exp(a)))`` over the last axis, right to rounding however large the logits are.

    The largest logit stands outside the sum, whose logarithm then keeps its digits far below the rounding of 1.

    >>> log_softmax(np.array([1000.0, 0.0, 900.0]))
    array([-3.72007598e-44, -1.00000000e+03, -1.00000000e+02])
    """
    with np.errstate(over="ignore"):  # a difference past float64 is -inf, whose exp is the right limit 0
        below = a - a.max(axis=-1, keepdims=True)
    others = np.exp(below)
    np.put_along_axis(others, below.argmax(axis=-1, keepdims=True), 0.0, axis=-1)
    return np.asarray(below - np.log1p(others.sum(axis=-1, keepdims=True)))


def require_model(cells: tuple[Cell, ...], readout: Readout) -> int:
    """Return V, the size of the vocabulary of a character model.

    Raises
    ------
    InputError
        If the readout is no softmax, or not of as many outputs as the first layer has inputs.
    """
    if readout.activation != "softmax":
        raise InputError(
            "character_model.softmax",
            "The readout of a character model must be a softmax; got {got}. Make a Readout with activation softmax.",
            got=readout.activation,
        )
    needed = cells[0].input_size, cells[-1].hidden_size
    if readout.W.shape != needed:
        raise InputError(
            "character_model.readout",
            "W of the readout must be {needed}, a row for each character that the first layer reads and a column for "
            "each unit of the last; got {got}. Use the readout that was trained with these layers.",
            needed=str(needed), got=str(readout.W.shape),
        )  # fmt: skip
    return needed[0]
