"""What a worker is asked to do, and what it tells: values that go through a pipe. Torch is not needed to hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rnnviz.learning.examples import Task
from rnnviz.learning.incident import KINDS, Incident
from rnnviz.learning.training import Checkpoint, Update, moments
from rnnviz.maths import Cell, Readout
from rnnviz.maths.cells.protocol import WEIGHTS
from rnnviz.wording import Message


@dataclass(frozen=True, eq=False)
class Learner:
    """A network before its first update.

    Attributes
    ----------
    cells : tuple of Cell
    readout : Readout
    seed : int
        Of the examples that it sees.
    """

    cells: tuple[Cell, ...]
    readout: Readout
    seed: int = 0

    @property
    def nbytes(self) -> int:
        """The memory that its weights take."""
        arrays = [getattr(cell, name) for cell in self.cells for name in WEIGHTS] + [self.readout.W, self.readout.b]
        return sum(array.nbytes for array in arrays)


@dataclass(frozen=True, eq=False)
class Plan:
    """Networks that learn one task, side by side: an update of each in turn.

    Attributes
    ----------
    task : Task
    learners : tuple of Learner
    updates : int
        Of each network.
    options : mapping
        How they learn, as `Training` takes it.
    watched : bool
        Whether anybody looks into the networks while they learn: then they are told of between two tests, and what
        happens at a clip or an overflow is kept.
    """

    task: Task
    learners: tuple[Learner, ...]
    updates: int
    options: Mapping[str, Any] = field(default_factory=dict)
    watched: bool = True

    @property
    def moments(self) -> list[int]:
        """The updates after which a checkpoint of each network is kept: fewer where they are large, but at least 3."""
        return moments(self.updates, max(3, _MOST_KEPT // max(self.nbytes, 1)))

    @property
    def incidents(self) -> tuple[str, ...]:
        """The kinds of incidents that are kept of each network, fewer where the networks are large."""
        return KINDS[: _MOST_INCIDENTS // (3 * max(self.nbytes, 1))] if self.watched else ()

    @property
    def nbytes(self) -> int:
        """The memory that the weights of all networks take."""
        return sum(learner.nbytes for learner in self.learners)


MOST_MEMORY = 4 * 2**30
"""Bytes that the process of a run may take."""
_MOST_KEPT = 24 * 2**20
"""Bytes that the checkpoints of a run may take."""
_MOST_INCIDENTS = 64 * 2**20
"""Bytes that its incidents may take, with three networks each."""


@dataclass(frozen=True)
class Learned:
    """Updates that a network has had since the last such word, oldest first."""

    network: int
    updates: tuple[Update, ...]


@dataclass(frozen=True, eq=False)
class Reached:
    """A network at one moment; one that is not `kept` was not tested either."""

    network: int
    checkpoint: Checkpoint
    kept: bool = True


@dataclass(frozen=True)
class Ended:
    """The run is over: all updates were made, it was asked to stop, or why it could not go on."""

    how: str
    reason: Message | None = None


Told = Learned | Reached | Incident | Ended
