"""How a network is to be trained, as one frozen value; and the address that carries it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from rnnviz.maths import InputError
from rnnviz.sequences import read_sequence, write_sequence
from rnnviz.settings.address import ADDRESS_LIMIT, Problem, address_length
from rnnviz.settings.chosen import Rows
from rnnviz.settings.table import KINDS, MOST_BIAS, NOT_HERE, SETTINGS, Setting, Value, one_of_words
from rnnviz.weights import MOST_INPUTS

TASKS = ("adding", "recall", "copy", "parity", "brackets", "sine", "next_number", "classes", "series")
"""What can be learned, by its name in the address; "series" is a series of the reader's own."""

MOST_SERIES = 20_000
"""Numbers in a series of the reader's own."""

RECIPE: Mapping[str, Setting] = MappingProxyType(
    {
        setting.name: setting
        for setting in (
            Setting("task", TASKS[0], choices=TASKS),
            Setting("cells", "all", choices=("all", *KINDS)),
            Setting("hidden_size", 16, 1, 128),
            Setting("layers", 1, 1, 3),
            Setting("steps", 20, 2, 500),
            Setting("gap", 10, 0, 200),
            Setting("largest", 1.0, 0.1, 100.0),
            Setting("activation", "tanh", choices=SETTINGS["activation"].choices),
            Setting("init", "torch", choices=SETTINGS["init"].choices),
            Setting("gain", 1.0, 0.0, 10.0),
            Setting("bias_f", 0.0, -MOST_BIAS, MOST_BIAS),
            Setting("bias_z", 0.0, -MOST_BIAS, MOST_BIAS),
            Setting("optimizer", "adam", choices=("adam", "sgd")),
            Setting("lr", 0.01, 1e-6, 10.0),
            Setting("clip", 1.0, 0.0, 1e6),
            Setting("truncation", 0, 0, 500),
            Setting("batch_size", 32, 1, 256),
            Setting("updates", 1000, 1, 20_000),
            Setting("start", "zero", choices=("zero", "learned")),
            Setting("seed", 0, 0, 2**32 - 1),
        )
    }
)
"""Every setting of a recipe, by name, with the value it has when no preset says otherwise."""


@dataclass(frozen=True)
class Recipe:
    """How networks are to be trained.

    Attributes
    ----------
    preset : str
        The named recipe that it began as.
    task : str
        One of `TASKS`.
    cells : str
        "all", for one network of each built-in kind side by side, or one of the kinds.
    hidden_size, layers : int
        H, of each layer.
    steps, gap : int
        T of the sequences, and of the task "copy" the blank steps between the symbols and their copy.
    largest : float
        Of the task "next_number" the last number.
    activation, init, gain, bias_f, bias_z, seed : str, str, float, float, float, int
        How the first weights are drawn, as on the other pages.
    optimizer, lr, clip : str, float, float
        A clip of 0 is none.
    truncation : int
        Steps that a loss is backpropagated through at most; 0 for all.
    batch_size, updates : int
    start : {"zero", "learned"}
        The initial hidden state.
    series : tuple of rows
        Of the reader's own; empty without one.
    """

    preset: str = ""
    task: str = TASKS[0]
    cells: str = "all"
    hidden_size: int = 16
    layers: int = 1
    steps: int = 20
    gap: int = 10
    largest: float = 1.0
    activation: str = "tanh"
    init: str = "torch"
    gain: float = 1.0
    bias_f: float = 0.0
    bias_z: float = 0.0
    optimizer: str = "adam"
    lr: float = 0.01
    clip: float = 1.0
    truncation: int = 0
    batch_size: int = 32
    updates: int = 1000
    start: str = "zero"
    seed: int = 0
    series: Rows = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of cell that are trained side by side."""
        return KINDS if self.cells == "all" else (self.cells,)

    def value(self, name: str) -> Value:
        """The value of a setting of `RECIPE`."""
        value: Value = getattr(self, name)
        return value

    def choose(self, name: str, value: Value) -> Recipe:
        """The same with another value of one setting."""
        return replace(self, **{name: value})  # type: ignore[arg-type]


def read_recipe(
    query: Mapping[str, str], presets: Mapping[str, Recipe], first: str
) -> tuple[Recipe, tuple[Problem, ...]]:
    """Read the recipe that an address carries; what cannot be read is named and left out.

    Parameters
    ----------
    query : mapping of str to str
    presets : mapping of str to Recipe
    first : str
        The one that an address without a preset means.
    """
    problems, chosen = [], dict[str, Any]()
    preset = query.get("preset", first)
    if preset not in presets:
        problems.append(Problem("preset", preset, one_of_words(presets).message))
        preset = first
    for name, text in query.items():
        try:
            if name == "series":
                chosen["series"] = checked_series(read_sequence(text))
            elif name in RECIPE:
                chosen[name] = RECIPE[name].read(text)
            elif name != "preset":
                raise InputError.of(NOT_HERE)
        except InputError as error:
            problems.append(Problem(name, text, error.message))
    return replace(presets[preset], preset=preset, **chosen), tuple(problems)


def write_recipe(recipe: Recipe, presets: Mapping[str, Recipe], first: str) -> dict[str, str]:
    """The query that `read_recipe` reads back to the same recipe; what the preset says stays out."""
    base = presets[recipe.preset]
    query = {} if recipe.preset == first else {"preset": recipe.preset}
    query |= {
        name: setting.write(recipe.value(name))
        for name, setting in RECIPE.items()
        if recipe.value(name) != base.value(name)
    }
    if recipe.series and recipe.task == "series":
        query["series"] = write_sequence(np.array(recipe.series))
    return query


def without_long_series(query: Mapping[str, str]) -> dict[str, str]:
    """A query that fits into an address, without the series where it is too long for one."""
    return {name: text for name, text in query.items() if name != "series" or address_length(query) <= ADDRESS_LIMIT}


def is_whole(query: Mapping[str, str], recipe: Recipe) -> bool:
    """Whether an address has the series of a recipe that needs one."""
    return "series" in query or recipe.task != "series" or not recipe.series


def checked_series(rows: np.ndarray) -> Rows:
    """A series as a recipe holds it.

    Raises
    ------
    InputError
        If it has too many numbers.
    """
    if rows.shape[1] > MOST_INPUTS:
        raise InputError(
            "series.wide", "The series has {count:,} columns; at most {most} can be shown. Leave some out.",
            count=rows.shape[1], most=MOST_INPUTS,
        )  # fmt: skip
    if rows.size > MOST_SERIES:
        raise InputError(
            "series.long", "The series has {count:,} numbers; at most {most:,} are allowed. Use a part of it.",
            count=rows.size, most=MOST_SERIES,
        )  # fmt: skip
    return tuple(tuple(float(value) for value in row) for row in rows)
