"""What a recipe asks for: its task, and the networks that learn it with the weights that they begin with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from rnnviz.learning.examples import (
    Adding,
    BracketDepth,
    Copy,
    NextNumber,
    Parity,
    RandomClasses,
    Recall,
    Series,
    Sine,
    Task,
)
from rnnviz.learning.plan import MOST_MEMORY, Learner, Plan
from rnnviz.maths import Cell, InputError, Readout, make_cell
from rnnviz.maths.cells.registry import cell_class
from rnnviz.maths.initialisation import drawn_readout
from rnnviz.network.network import raised
from rnnviz.sequences import derived_seed
from rnnviz.settings.recipe import Recipe

_LENGTH = 3
"""Symbols that the task "copy" shows."""

_KEPT = 30
"""Bytes that an update keeps of each sequence, step and unit, for each block of weights and one more; as measured."""

_TASKS: Mapping[str, Callable[[Recipe], Task]] = MappingProxyType(
    {
        "adding": lambda recipe: Adding(recipe.steps),
        "recall": lambda recipe: Recall(recipe.steps),
        "copy": lambda recipe: Copy(length=_LENGTH, gap=recipe.gap),
        "parity": lambda recipe: Parity(recipe.steps),
        "brackets": lambda recipe: BracketDepth(recipe.steps),
        "sine": lambda recipe: Sine(recipe.steps),
        "next_number": lambda recipe: NextNumber(recipe.largest),
        "classes": lambda recipe: RandomClasses(recipe.steps),
        "series": lambda recipe: _series(recipe),
    }
)


def plan_of(recipe: Recipe, seeds: Sequence[int] = (), sizes: Mapping[str, int] | None = None) -> Plan:
    """What a worker is asked for a recipe: a network of each kind, or one of each kind for each of several seeds.

    Parameters
    ----------
    recipe : Recipe
    seeds : sequence of int
        In place of the recipe's own.
    sizes : mapping of str to int
        The hidden size of each kind, in place of the recipe's.

    Raises
    ------
    InputError
        If the task needs a series that is not there or too short, an initialisation is none of a cell's, or an update
        would take more memory than a run may.
    """
    task = task_of(recipe)
    options = {
        "optimizer": recipe.optimizer, "lr": recipe.lr, "clip": recipe.clip or None, "batch_size": recipe.batch_size,
        "truncation": recipe.truncation or None, "learn_h0": recipe.start == "learned",
    }  # fmt: skip
    _refuse_masses(recipe, task.steps)
    learners = tuple(
        _learner(replace(recipe, seed=seed, hidden_size=(sizes or {}).get(kind, recipe.hidden_size)), task, kind)
        for seed in seeds or (recipe.seed,)
        for kind in recipe.kinds
    )
    return Plan(task, learners, recipe.updates, options)


def _refuse_masses(recipe: Recipe, length: int) -> None:
    """Refuse what a worker would refuse after a minute of work."""
    blocks = max(len(cell_class(kind).gate_names) for kind in recipe.kinds)
    steps = min(recipe.truncation or length, length)
    units = recipe.batch_size * steps * recipe.hidden_size * recipe.layers
    if (size := _KEPT * (blocks + 1) * units) > MOST_MEMORY:
        raise InputError(
            "recipe.memory",
            "An update would take about {size:.1f} GiB of memory; a run may take {most:.0f} GiB. Lower the batch size, "
            "T, H or the layers.",
            size=size / 2**30, most=MOST_MEMORY / 2**30,
        )  # fmt: skip


def task_of(recipe: Recipe) -> Task:
    """The task of a recipe; as `plan_of`."""
    return _TASKS[recipe.task](recipe)


def _series(recipe: Recipe) -> Task:
    if not recipe.series:
        raise InputError("recipe.series", "There is no series yet. Type, paste or upload one, one step per line.")
    return Series(np.array(recipe.series), recipe.steps)


def _learner(recipe: Recipe, task: Task, kind: str) -> Learner:
    return Learner(_layers(recipe, task, kind), _readout(recipe, task), recipe.seed)


def _layers(recipe: Recipe, task: Task, kind: str) -> tuple[Cell, ...]:
    """The layers of one network, drawn as the other pages draw them."""
    cell, inputs, layers = cell_class(kind), task.input_size, list[Cell]()
    options: dict[str, Any] = {"init": recipe.init, "gain": recipe.gain}
    if "activation" in cell.form_names():
        options["activation"] = recipe.activation
    if recipe.init == "chrono":
        options |= {"t_max": max(task.steps, 3)} if cell.gate_names[1:] else {"init": "torch"}
    biases = {"f": recipe.bias_f, "z": recipe.bias_z}
    for number in range(1, recipe.layers + 1):
        made = make_cell(kind, inputs, recipe.hidden_size, seed=derived_seed(recipe.seed, number), **options)
        arrays = {name: getattr(made, name) for name in ("W_ih", "W_hh", "b_hh")}
        form = {name: getattr(made, name) for name in made.form_names()}
        layers.append(cell(**arrays, b_ih=raised(made.b_ih, biases, cell.gate_names), **form))
        inputs = recipe.hidden_size
    return tuple(layers)


def _readout(recipe: Recipe, task: Task) -> Readout:
    return Readout(*drawn_readout(task.output_size, recipe.hidden_size, [recipe.seed, 1]))
