"""What a worker is asked to do, and what it tells: values that go through a pipe. Torch is not needed to hold them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rnnviz.learning.examples import Task
from rnnviz.learning.training import Checkpoint, Update
from rnnviz.maths import Cell, Readout
from rnnviz.wording import Message


@dataclass(frozen=True, eq=False)
class Plan:
    """Networks that learn one task, side by side: an update of each in turn.

    Attributes
    ----------
    task : Task
    networks : tuple of (cells, readout)
        Each with its first weights.
    updates : int
        Of each network.
    options : mapping
        How they learn, as `Training` takes it.
    """

    task: Task
    networks: tuple[tuple[tuple[Cell, ...], Readout], ...]
    updates: int
    options: Mapping[str, Any] = field(default_factory=dict)


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


Told = Learned | Reached | Ended
