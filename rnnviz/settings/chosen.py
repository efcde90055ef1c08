"""What a person has chosen, as one frozen value, and the contents that it may hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rnnviz.lazy import lazily
from rnnviz.maths import Clamp, InputError
from rnnviz.sequences import Array
from rnnviz.settings.entries import Entry
from rnnviz.settings.table import SETTINGS, Value
from rnnviz.wording import Message

Rows = tuple[tuple[float, ...], ...]

TEXT_LIMIT = 500
"""Characters that a text may have: a step for each."""


@dataclass(frozen=True)
class Settings:
    """What a person has chosen on a page; hashable, so that results are cached on it.

    Attributes
    ----------
    preset : str
        The named base that all else stands on.
    chosen : tuple of (str, value)
        The settings that were chosen, sorted by name.
    x : tuple of rows, or None
        The reader's own sequence, ``(T, D)``.
    edits : tuple of (Entry, float)
        Hand-edited entries on top of the base, sorted.
    t : int
        The step shown, 1..T.
    others : tuple of sequences
        The further sequences of the reader's own batch, each of the shape of `x`.
    text : str
        The reader's own text where the input is one; empty for the one that stands there first.
    layer : int
        The layer shown, counted from 1.
    sequence : int
        The sequence of the batch shown, counted from 1.
    kind : str
        The kind of cell, which the page decides.
    clamps : tuple of (layer, Clamp)
        The gates that are clamped, by the layer, counted from 1.
    beside : tuple of str
        Further kinds of cell that the page shows beside it, whose settings are kept with its own.
    gallery : str
        Which set of presets the page has buttons for; empty for that of its cells.
    weights : str
        The hash of the stored network whose weights these are; empty where they are drawn or a preset's.
    missing : str
        The hash of one that was asked for and is not at hand.
    recipe : str
        How either can be trained again, as `rnnviz.settings.recipe.in_one` writes it.
    """

    preset: str
    chosen: tuple[tuple[str, Value], ...] = ()
    x: Rows | None = None
    edits: tuple[tuple[Entry, float], ...] = ()
    t: int = 1
    others: tuple[Rows, ...] = ()
    text: str = ""
    layer: int = 1
    sequence: int = 1
    kind: str = "elman"
    clamps: tuple[tuple[int, Clamp], ...] = ()
    beside: tuple[str, ...] = ()
    gallery: str = ""
    weights: str = ""
    missing: str = ""
    recipe: str = ""

    def __hash__(self) -> int:
        return self._hash

    @lazily
    def _hash(self) -> int:  # once: a batch may be half a million numbers
        return hash(tuple(vars(self).values()))  # the fields alone: nothing else is ever set before

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kind of cell, and those beside it."""
        return (self.kind, *self.beside)

    def choose(self, **values: Value | None) -> Settings:
        """The same with settings chosen; None takes a choice back."""
        merged: dict[str, Value | None] = {**dict(self.chosen), **values}
        return replace(self, chosen=tuple(sorted((k, v) for k, v in merged.items() if v is not None)))

    def edit(self, entries: Mapping[Entry, float | None]) -> Settings:
        """The same with entries set; None takes an entry back to the base."""
        merged: dict[Entry, float | None] = {**dict(self.edits), **entries}
        return replace(self, edits=tuple(sorted((k, v) for k, v in merged.items() if v is not None)))

    @property
    def batch(self) -> tuple[Rows, ...]:
        """All sequences of the reader's own; none where the sequence is a generated one."""
        return () if self.x is None else (self.x, *self.others)


def checked_sequence(rows: Iterable[Iterable[float]]) -> Rows:
    """A sequence as settings hold it, within the sizes that the pages can show.

    Raises
    ------
    InputError
        If it has more steps or more components than `SETTINGS` allows.
    """
    x = tuple(tuple(float(value) for value in row) for row in rows)
    most_steps, most_inputs = SETTINGS["steps"].high, SETTINGS["input_size"].high
    if len(x) > most_steps:
        raise InputError(
            "sequence.steps",
            "The sequence has {count:,} steps; at most {most:,} are allowed. Use a shorter part of it.",
            count=len(x), most=most_steps,
        )  # fmt: skip
    if len(x[0]) > most_inputs:
        raise InputError(
            "sequence.components",
            "Each step has {count:,} components; at most {most} are allowed. Use fewer columns, or swap rows and "
            "columns if time runs along the columns.",
            count=len(x[0]), most=most_inputs,
        )  # fmt: skip
    return x


_OF_TEXT = Message("error.batch.cure", "If they are parts of one sequence, delete the blank line or | between them.")


def checked_batch(sequences: Sequence[Array], cure: Message = _OF_TEXT) -> tuple[Rows, ...]:
    """A batch of sequences as settings hold it.

    Parameters
    ----------
    sequences : sequence of (T, D) arrays
    cure : Message
        What to do where there are too many or their shapes differ: as typed, they may be lines of one.

    Raises
    ------
    InputError
        If one is too large, there are too many, or their shapes differ.
    """
    most = SETTINGS["sequences"].high
    if len(sequences) > most:
        raise InputError(
            "batch.count",
            "There are {count:,} sequences; at most {most} are allowed. Use fewer. {cure}",
            count=len(sequences), most=most, cure=cure,
        )  # fmt: skip
    for number, x in enumerate(sequences[1:], start=2):
        if x.shape != sequences[0].shape:
            raise InputError(
                "batch.shape",
                "Sequence {number} has {shape}, but sequence 1 has {first}. All sequences of a batch must have the "
                "same number of steps and of components. {cure}",
                number=number, shape=_shape(x), first=_shape(sequences[0]), cure=cure,
            )  # fmt: skip
    return tuple(checked_sequence(x.tolist()) for x in sequences)


def checked_text(text: str) -> str:
    """A text as settings hold it: a step for each character, a component for each different one.

    Raises
    ------
    InputError
        If it is empty, too long, or has too many different characters.
    """
    most = SETTINGS["input_size"].high
    if not text:
        raise InputError("text.empty", "The text is empty. Type at least one character; each character is one step.")
    if len(text) > TEXT_LIMIT:
        raise InputError(
            "text.long", "The text has {count:,} characters; at most {most} are allowed. Use a shorter part of it.",
            count=len(text), most=TEXT_LIMIT,
        )  # fmt: skip
    if len(set(text)) > most:
        raise InputError(
            "text.alphabet",
            "The text has {count:,} different characters; at most {most} are allowed, because each one is a component "
            "of the input. Use a shorter part, or write it in lower case.",
            count=len(set(text)), most=most,
        )  # fmt: skip
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        raise InputError(
            "text.half_character",
            "The text contains half a character (a lone surrogate), which no address can carry. Delete it.",
        )
    return text


def _shape(x: Array) -> Message:
    return Message(
        "error.batch.size", "{steps:,} {steps:step|steps} of {size} {size:component|components}",
        steps=x.shape[0], size=x.shape[1],
    )  # fmt: skip
