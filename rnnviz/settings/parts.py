"""What was chosen, taken apart by what depends on it, every value resolved: the keys of all that is remembered."""

from __future__ import annotations

from dataclasses import dataclass

from rnnviz.lazy import lazily
from rnnviz.maths import Clamp
from rnnviz.settings.chosen import Rows
from rnnviz.settings.entries import Entry

FORMS = ("activation", "reset", "update")
"""What a kind of cell can be told apart from its weights."""


@dataclass(frozen=True)
class BaseSettings:
    """All that the arrays of a network depend on before they are edited.

    Attributes
    ----------
    kind, preset, weights : str
        The cell, the named base, and the hash of stored weights or nothing.
    input_size, hidden_size, steps, layers, sequences, output_size : int
        D, H, T, L, N and O; stored or hand-set layers may differ in H.
    seed, init, gain : int, str, float
        How weights are drawn, where they are.
    stack : str
    form : tuple of (str, str)
        `FORMS` that the kind of cell has, with their words.
    gate_biases : tuple of (str, float)
        What is added to the bias of each gate.
    input, input_scale : str, float
        The rule that sequences are made by; "own" where they are the reader's.
    h0, c0 : tuple of float
        As typed; c0 is None where the kind of cell has none.
    batch : tuple of sequences
        The reader's own.
    text : str
        What the sequence spells, where it is a text.
    """

    kind: str
    preset: str
    weights: str
    input_size: int
    hidden_size: int
    steps: int
    layers: int
    sequences: int
    output_size: int
    seed: int
    init: str
    gain: float
    stack: str
    form: tuple[tuple[str, str], ...]
    gate_biases: tuple[tuple[str, float], ...]
    input: str
    input_scale: float
    h0: tuple[float, ...]
    c0: tuple[float, ...] | None
    batch: tuple[Rows, ...]
    text: str

    def __hash__(self) -> int:
        return self._hash

    @lazily
    def _hash(self) -> int:  # once: a batch may be half a million numbers
        return hash(tuple(vars(self).values()))  # the fields alone: nothing else is ever set before


@dataclass(frozen=True)
class NetworkSettings:
    """All that a network and its run depend on.

    Attributes
    ----------
    base : BaseSettings
    output_activation : str
    edits : tuple of (Entry, float)
    clamps : tuple of (layer, Clamp)
    """

    base: BaseSettings
    output_activation: str
    edits: tuple[tuple[Entry, float], ...] = ()
    clamps: tuple[tuple[int, Clamp], ...] = ()


@dataclass(frozen=True)
class ObjectiveSettings:
    """What is to be learned."""

    loss: str
    loss_at: str
    delay: int


@dataclass(frozen=True)
class LearningSettings:
    """How far a loss is backpropagated, and what becomes of its gradient; a truncation of 0 is none."""

    truncation: int
    scheme: str
    max_norm: float
    lr: float


@dataclass(frozen=True)
class ViewSettings:
    """What is shown of a network, and how; no number depends on it.

    Attributes
    ----------
    t, layer, sequence : int
        Counted from 1.
    order, notation : str
    together : str
        Whether "all" cells of a page are drawn, or "one".
    block : str
        Whose gradient is followed: "state", "h" or "c".
    threshold : int
        Decades.
    from_step, to_step, opened : int
        0 for none chosen.
    weight, row, column : str, int, int
        The gradient that is taken apart; 0 for all rows or columns.
    """

    t: int
    layer: int
    sequence: int
    notation: str
    together: str
    threshold: int
    from_step: int
    to_step: int
    opened: int
    weight: str
    row: int
    column: int
    order: str = "unit"
    block: str = "h"
