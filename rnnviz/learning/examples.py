"""What a network learns from: batches of sequences with their targets, drawn fresh for each update and for the test."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray

from rnnviz.learning.tasks import depth, parity
from rnnviz.maths import InputError
from rnnviz.maths.checks import Array, read_array, read_integer

Loss = str
"""``"squared"``, the mean squared error; ``"cross_entropy"`` over classes; ``"binary"``, that of a sigmoid."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Sequences, and what a network has to say of them.

    Attributes
    ----------
    x : (B, T, D) array
    target : (B, T, O) array, or (B, T) array of int
        Numbers, or the zero-based class of each step.
    counted : (T,) array of bool
        The steps at which there is something to say.
    """

    x: Array
    target: NDArray[np.float64] | NDArray[np.int64]
    counted: NDArray[np.bool_]


class Task(ABC):
    """What is to be learned: how to draw examples of it, and when it counts as solved.

    Attributes
    ----------
    input_size, output_size, steps : int
        D, O and T.
    loss : {"squared", "cross_entropy", "binary"}
    solved : float
        The test loss below which the task counts as solved.
    generalises : bool
        Whether what is learned helps in the test.
    fresh : bool
        Whether examples are drawn anew for every batch; else training sees the first ones again and again.
    """

    input_size: int
    output_size: int
    steps: int
    loss: ClassVar[Loss] = "squared"
    solved: ClassVar[float]
    fresh: ClassVar[bool] = True
    generalises: ClassVar[bool] = True

    @property
    def level(self) -> float:
        """The test loss to reach; 0 where there is none, or where the test has nothing of what training shows."""
        return self.solved if self.generalises else 0.0

    @abstractmethod
    def draw(self, count: int, random: RandomState) -> Examples:
        """So many examples."""

    def held_back(self, count: int, random: RandomState) -> Examples:
        """So many examples for the test, which training never sees."""
        return self.draw(count, random)

    def marked(self, x: Array) -> tuple[int, ...]:
        """The steps of a sequence that are marked in its input, from 1 on."""
        del x
        return ()

    def telling(self, examples: Examples) -> int:
        """The place of the sequence that asks for most memory, where some ask for more than others."""
        del examples
        return 0


@dataclass(frozen=True)
class NextNumber(Task):
    """Say the next of ten equally spaced numbers; the test counts between those of the training.

    Attributes
    ----------
    largest : float
        The last of them: 1 for 0.1, 0.2, ..., 1, and 10 for 1, 2, ..., 10.
    """

    largest: float = 1.0
    input_size: int = field(default=1, init=False)
    output_size: int = field(default=1, init=False)
    steps: int = field(default=9, init=False)
    fresh: ClassVar[bool] = False

    @property
    def solved(self) -> float:  # type: ignore[override]
        """A root mean squared error below a third of the distance between two numbers, whatever their scale."""
        return 1e-3 * self.largest**2

    def draw(self, count: int, random: RandomState) -> Examples:
        del count, random  # there is one sequence
        return self._counting(np.arange(1.0, 11.0))

    def held_back(self, count: int, random: RandomState) -> Examples:
        del count, random
        return self._counting(np.arange(1.5, 10.0))

    def _counting(self, numbers: Array) -> Examples:
        values = (self.largest / 10.0 * numbers)[None, :, None]
        return Examples(values[:, :-1], values[:, 1:], np.ones(len(numbers) - 1, dtype=np.bool_))


@dataclass(frozen=True)
class Sine(Task):
    """Say the next value of a sine of unknown phase and period, 10 to 30 steps.

    Three values tell which sine it is. What is said before counts only where there is nothing after it: nobody can
    know it, and it alone would keep the loss above `solved`.
    """

    steps: int = 40
    input_size: int = field(default=1, init=False)
    output_size: int = field(default=1, init=False)
    solved: ClassVar[float] = 1e-3

    def draw(self, count: int, random: RandomState) -> Examples:
        period, phase = random.uniform(10.0, 30.0, (count, 1)), random.uniform(0.0, 1.0, (count, 1))
        values = np.sin(2.0 * np.pi * (np.arange(self.steps + 1) / period + phase))[..., None]
        return Examples(values[:, :-1], values[:, 1:], np.arange(self.steps) >= min(2, self.steps - 1))


@dataclass(frozen=True)
class RandomClasses(Task):
    """Say a class that was drawn at random for each step: what can be learned by heart, and nothing else."""

    steps: int = 20
    input_size: int = 10
    output_size: int = 5
    sequences: int = 4
    loss: ClassVar[Loss] = "cross_entropy"
    generalises: ClassVar[bool] = False
    solved: ClassVar[float] = 0.1
    fresh: ClassVar[bool] = False

    def draw(self, count: int, random: RandomState) -> Examples:
        del count  # always the same few
        return self._drawn(self.sequences, random)

    def held_back(self, count: int, random: RandomState) -> Examples:
        return self._drawn(count, random)

    def _drawn(self, count: int, random: RandomState) -> Examples:
        x = random.standard_normal((count, self.steps, self.input_size))
        classes = random.randint(0, self.output_size, (count, self.steps), dtype=np.int64)
        return Examples(x, classes, np.ones(self.steps, dtype=np.bool_))


@dataclass(frozen=True)
class Recall(Task):
    """Say at the last step what came in at the first; the rest is noise."""

    steps: int = 20
    input_size: int = field(default=1, init=False)
    output_size: int = field(default=1, init=False)
    solved: ClassVar[float] = 0.01

    def draw(self, count: int, random: RandomState) -> Examples:
        x = random.uniform(-1.0, 1.0, (count, self.steps, 1))
        return _at_the_end(x, x[:, 0])


@dataclass(frozen=True)
class Adding(Task):
    """Say at the last step the sum of the two numbers that were marked (Hochreiter & Schmidhuber 1997).

    Component 1 is a number in 0..1, component 2 marks one step of the first half and one of the second.
    """

    steps: int = 50
    input_size: int = field(default=2, init=False)
    output_size: int = field(default=1, init=False)
    solved: ClassVar[float] = 0.01

    def draw(self, count: int, random: RandomState) -> Examples:
        x, half, rows = np.zeros((count, self.steps, 2)), self.steps // 2, np.arange(count)
        x[:, :, 0] = random.uniform(0.0, 1.0, (count, self.steps))
        for low, high in ((0, half), (half, self.steps)):
            x[rows, random.randint(low, high, count), 1] = 1.0
        return _at_the_end(x, (x[:, :, 0] * x[:, :, 1]).sum(axis=1)[:, None])

    def marked(self, x: Array) -> tuple[int, ...]:
        return tuple((np.flatnonzero(x[:, 1]) + 1).tolist())

    def telling(self, examples: Examples) -> int:
        """The one whose marks lie furthest apart."""
        return int(np.argmax([np.ptp(self.marked(x)) for x in examples.x]))


@dataclass(frozen=True)
class Copy(Task):
    """Say a few symbols again after a gap, when a sign asks for them.

    Components 1 to `symbols` are the symbols, the next one is the blank and the last one the sign.

    Attributes
    ----------
    symbols, length, gap : int
        Of how many kinds, how many of them, and the blank steps between.
    """

    symbols: int = 4
    length: int = 3
    gap: int = 10
    loss: ClassVar[Loss] = "cross_entropy"
    solved: ClassVar[float] = 0.05

    @property
    def input_size(self) -> int:  # type: ignore[override]
        """A component for each symbol, the blank and the sign."""
        return self.symbols + 2

    @property
    def output_size(self) -> int:  # type: ignore[override]
        """A class for each symbol."""
        return self.symbols

    @property
    def steps(self) -> int:  # type: ignore[override]
        """What is shown, the gap, and what is asked for."""
        return 2 * self.length + self.gap

    def draw(self, count: int, random: RandomState) -> Examples:
        shown = random.randint(0, self.symbols, (count, self.length), dtype=np.int64)
        signs = np.full((count, self.steps), self.symbols, dtype=np.int64)
        signs[:, : self.length], signs[:, -self.length] = shown, self.symbols + 1
        target = np.zeros((count, self.steps), dtype=np.int64)
        target[:, -self.length :] = shown
        counted = np.arange(self.steps) >= self.steps - self.length
        return Examples(np.eye(self.input_size)[signs], target, counted)


@dataclass(frozen=True)
class Parity(Task):
    """Say after each bit whether the ones so far are odd in number."""

    steps: int = 16
    input_size: int = field(default=1, init=False)
    output_size: int = field(default=1, init=False)
    loss: ClassVar[Loss] = "binary"
    solved: ClassVar[float] = 0.05

    def draw(self, count: int, random: RandomState) -> Examples:
        x = random.randint(0, 2, (count, self.steps, 1), dtype=np.int64).astype(np.float64)
        return _at_each(x, parity)


@dataclass(frozen=True)
class BracketDepth(Task):
    """Say after each bracket how many are open."""

    steps: int = 40
    deepest: int = 8
    input_size: int = field(default=2, init=False)
    output_size: int = field(default=1, init=False)
    solved: ClassVar[float] = 0.05

    def draw(self, count: int, random: RandomState) -> Examples:
        coins, height = random.random_sample((count, self.steps)) < 0.5, np.zeros(count, dtype=np.int64)
        x = np.zeros((count, self.steps, 2))
        for t in range(self.steps):
            opens = (height == 0) | (coins[:, t] & (height < self.deepest))
            x[:, t, 0], x[:, t, 1] = opens, ~opens
            height += np.where(opens, 1, -1)
        return _at_each(x, depth)


def longest_window(rows: int) -> int:
    """The most steps T for which a series has a window of T + 1 rows in its last fifth.

    Examples
    --------
    >>> longest_window(100), longest_window(3)
    (19, 0)
    """
    return rows - rows * 4 // 5 - 1


@dataclass(frozen=True, eq=False)
class Series(Task):
    """Say the next value of a series of the reader's own, which is tested on its last fifth.

    Parameters
    ----------
    values : (N, D) array
        Each column is brought to a mean of 0 and a deviation of 1 by what the training sees of it.
    steps : int
        T, of the windows.

    Raises
    ------
    InputError
        If the series is too short for a window in each part, or a column never changes.
    """

    values: Array
    steps: int = 20
    solved: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        values, steps = read_array("values", self.values), read_integer("steps", self.steps, 1)
        cut = len(values) * 4 // 5
        if steps > longest_window(len(values)):
            raise InputError(
                "series.short",
                "The series has {count:,} {count:row|rows}, but windows of {steps:,} {steps:step|steps} need at least "
                "{least:,}: four fifths are for training, the rest for the test. Use more rows or fewer steps.",
                count=len(values), steps=steps, least=5 * steps + 1,
            )  # fmt: skip
        with np.errstate(all="ignore"):
            mean, deviation = values[:cut].mean(axis=0), values[:cut].std(axis=0)
            scaled = (values - mean) / deviation
        constant = np.ptp(values[:cut], axis=0) == 0.0
        if constant.all():
            raise InputError(
                "series.constant.all",
                "The series does not change in the rows that training sees, the first four fifths. Use one that does.",
            )
        if constant.any():
            raise InputError(
                "series.constant",
                "Column {column} of the series is the same number in all rows that training sees. Leave it out.",
                column=int(np.argmax(constant)) + 1,
            )  # fmt: skip
        if not (np.isfinite(deviation).all() and np.isfinite(scaled).all()):
            raise InputError(
                "series.range",
                "The numbers of the series are too large or too close together for float64. Use other units, or "
                "subtract what they have in common.",
            )
        object.__setattr__(self, "values", scaled)

    @property
    def input_size(self) -> int:  # type: ignore[override]
        """A component for each column."""
        return int(self.values.shape[1])

    @property
    def output_size(self) -> int:  # type: ignore[override]
        """The next value of each."""
        return self.input_size

    def draw(self, count: int, random: RandomState) -> Examples:
        return self._windows(0, self._cut, count, random)

    def held_back(self, count: int, random: RandomState) -> Examples:
        return self._windows(self._cut, len(self.values), count, random)

    @property
    def _cut(self) -> int:
        return len(self.values) * 4 // 5

    def _windows(self, first: int, end: int, count: int, random: RandomState) -> Examples:
        starts = random.randint(first, end - self.steps, count)
        windows = self.values[starts[:, None] + np.arange(self.steps + 1)]
        return Examples(windows[:, :-1], windows[:, 1:], np.ones(self.steps, dtype=np.bool_))


@dataclass(frozen=True, eq=False)
class Characters(Task):
    """Say the next character of a text, which is tested on its end.

    Parameters
    ----------
    codes : (N,) array of int
        The characters of the text by their place in the vocabulary.
    vocabulary : int
        V, the size of the vocabulary.
    cut : int
        The first character that is held back.
    steps : int
        T, of the windows; a window has T + 1 characters.

    Raises
    ------
    InputError
        If training would have no window.
    """

    codes: NDArray[np.int64]
    vocabulary: int
    cut: int
    steps: int = 50
    loss: ClassVar[Loss] = "cross_entropy"
    solved: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        if read_integer("steps", self.steps, 1) >= self.cut:
            raise InputError(
                "characters.short",
                "The text has {count:,} {count:character|characters} for training, but windows of {steps:,} "
                "{steps:step|steps} need at least {least:,}. Use a longer text or fewer steps.",
                count=self.cut, steps=self.steps, least=self.steps + 1,
            )  # fmt: skip

    @property
    def input_size(self) -> int:  # type: ignore[override]
        """A component for each character of the vocabulary."""
        return self.vocabulary

    @property
    def output_size(self) -> int:  # type: ignore[override]
        """A class for each."""
        return self.vocabulary

    @property
    def is_tested_apart(self) -> bool:
        """Whether the end that is held back has a window; else the test is on the whole text, training's part too."""
        return len(self.codes) - self.cut > self.steps

    def draw(self, count: int, random: RandomState) -> Examples:
        return self._windows(random.randint(0, self.cut - self.steps, count))

    def held_back(self, count: int, random: RandomState) -> Examples:
        """Evenly spaced windows of the end, at most as many as there are."""
        del random
        first, last = self.cut if self.is_tested_apart else 0, len(self.codes) - self.steps - 1
        return self._windows(np.unique(np.linspace(first, last, count).astype(np.int64)))

    def _windows(self, starts: NDArray[np.int64]) -> Examples:
        windows = self.codes[starts[:, None] + np.arange(self.steps + 1)]
        x = np.eye(self.vocabulary)[windows[:, :-1]]
        return Examples(x, windows[:, 1:], np.ones(self.steps, dtype=np.bool_))


TASKS: Mapping[str, Callable[..., Task]] = MappingProxyType(
    {
        "next_number": NextNumber, "sine": Sine, "classes": RandomClasses, "recall": Recall, "adding": Adding,
        "copy": Copy, "parity": Parity, "brackets": BracketDepth,
    }
)  # fmt: skip
"""Those that need no data of the reader's own, by their names in an address."""


def _at_the_end(x: Array, said: Array) -> Examples:
    target = np.zeros((*x.shape[:2], said.shape[1]))
    target[:, -1] = said
    return Examples(x, target, np.arange(x.shape[1]) == x.shape[1] - 1)


def _at_each(x: Array, rule: Callable[[Array], Array]) -> Examples:
    target = np.stack([rule(one) for one in x])[..., None]
    return Examples(x, target, np.ones(x.shape[1], dtype=np.bool_))


def best_constant(examples: Examples, loss: Loss) -> float:
    """The loss of the best prediction that looks neither at the input nor at the step: one for each output.

    Examples
    --------
    >>> best_constant(Adding(10).draw(20000, RandomState(0)), "squared").__round__(2)
    0.17
    """
    target = examples.target[:, examples.counted]
    if loss == "squared":
        return float(np.var(target, axis=(0, 1)).mean())
    if loss == "cross_entropy":
        shares = np.stack([np.asarray((target == one).mean()) for one in np.unique(target)])
    else:
        ones = target.mean(axis=(0, 1))
        shares = np.stack([1.0 - ones, ones])
    return float(-np.where(shares > 0.0, shares * np.log(np.where(shares > 0.0, shares, 1.0)), 0.0).sum(axis=0).mean())
