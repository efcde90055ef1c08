"""An update that was clipped, or that ended its run: what it was made of and what it did. Torch is not needed here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.learning.training import Network, Update
from rnnviz.maths.checks import Array

KINDS = ("end", "largest", "first")
"""The update at which numbers overflow, the clipped one with the largest gradient norm and the first clipped one;
where not all can be kept, in this order."""


@dataclass(frozen=True, eq=False)
class Example:
    """The example of a batch that had the largest loss, or the part of it that the update learned from.

    Attributes
    ----------
    x : (T, D) array
    target : (T, O) array, or (T,) array of int
        As `Examples` has it.
    counted : (T,) array of bool
    starts : tuple of tuple of (H,) arrays, or None
        The state that each layer begins in; None for the network's own initial state.
    before : int
        Steps of the sequence that came before.
    of : int
        All steps of the sequence.
    loss : float
        Its own.
    recurrent : tuple of float
        The norm of the gradient of its own loss with respect to W_hh of each layer, as training computes it.
    """

    x: Array
    target: NDArray[np.float64] | NDArray[np.int64]
    counted: NDArray[np.bool_]
    starts: tuple[tuple[Array, ...], ...] | None
    before: int
    of: int
    loss: float
    recurrent: tuple[float, ...]


@dataclass(frozen=True)
class Part:
    """The gradient of one array of weights, before clipping.

    Attributes
    ----------
    layer : int
        Counted from 1; 0 for the readout.
    name : str
        "W_ih", "W_hh", "b_ih", "b_hh", "W_ho", "b_o" or "h0".
    norm : float
        Infinite above float64, NaN where an entry is none.
    place : tuple of int
        Of its entry that is largest in absolute value, the first that is not finite where there is one; zero-based.
    largest : float
        That entry.
    """

    layer: int
    name: str
    norm: float
    place: tuple[int, ...]
    largest: float


@dataclass(frozen=True, eq=False)
class Made:
    """An update that was made.

    Attributes
    ----------
    update : Update
    network : Network
        Before it.
    gradient : tuple of Part
        Of the whole batch.
    loss_after : float
        Of the same batch after the update; NaN where the weights are no finite numbers then.
    promised : float
        By how much the loss should have changed had the gradient stayed the same on the way.
    """

    update: Update
    network: Network
    gradient: tuple[Part, ...]
    loss_after: float
    promised: float


@dataclass(frozen=True, eq=False)
class Incident:
    """An update worth a look, between the one before and what came of it.

    Attributes
    ----------
    learner : int
        The network that it happened to, by its place in the plan.
    kind : str
        One of `KINDS`.
    loss : {"squared", "cross_entropy", "binary"}
        What the task has.
    limit : float or None
        The largest norm of the whole gradient.
    batch : int
        Examples in the batch.
    example : Example
        Of this update's batch.
    earlier : Made or None
        The update before; None for the first.
    this : Made
    after : Network or None
        After this update; None where the weights are no finite numbers.
    history : tuple of Update
        The last updates up to this one.
    best : Update
        The one with the smallest loss up to this one, of number 0 where none is a number.
    """

    learner: int
    kind: str
    loss: str
    limit: float | None
    batch: int
    example: Example
    earlier: Made | None
    this: Made
    after: Network | None
    history: tuple[Update, ...]
    best: Update

    @property
    def told(self) -> Made:
        """The update to tell of: where the run ended, the last one after which all weights were numbers."""
        return self.earlier if self.earlier is not None and self.kind == "end" else self.this

    @property
    def led_to(self) -> Network | None:
        """What the update to tell of made of the network."""
        return self.this.network if self.told is self.earlier else self.after
