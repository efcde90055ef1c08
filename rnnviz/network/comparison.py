"""What a comparison asks for: how large each kind is, the networks of each seed, and runs to judge them by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rnnviz.learning.examples import Task, best_constant
from rnnviz.learning.plan import Plan
from rnnviz.learning.training import examples_of_test
from rnnviz.maths import Cell, Trace, run_stack
from rnnviz.maths.checks import Array
from rnnviz.maths.step_costs import nearest_hidden_size, parameter_count
from rnnviz.network.plan import plan_of, task_of
from rnnviz.settings.comparison import Comparison
from rnnviz.settings.recipe import RECIPE

_SEEDS = 2**32


def seeds_of(of: Comparison) -> tuple[int, ...]:
    """The seeds, from the recipe's own on."""
    return tuple((of.recipe.seed + further) % _SEEDS for further in range(of.seeds))


def sizes_of(of: Comparison, task: Task) -> Mapping[str, int]:
    """The hidden size of each kind: the recipe's, or the one with most nearly the parameters of the first kind."""
    recipe = of.recipe
    first, *others = recipe.kinds
    sizes = dict.fromkeys(recipe.kinds, recipe.hidden_size)
    if of.sizing == "parameters":
        learned, layers = recipe.start == "learned", recipe.layers
        wanted = parameter_count(
            first, task.input_size, recipe.hidden_size,
            layers=layers, output_size=task.output_size, learned_start=learned,
        )  # fmt: skip
        for kind in others:
            sizes[kind] = nearest_hidden_size(
                kind, wanted, task.input_size,
                most=int(RECIPE["hidden_size"].high), layers=layers, output_size=task.output_size,
                learned_start=learned,
            )  # fmt: skip
    return sizes


def comparison_plan(of: Comparison) -> Plan:
    """The networks: of each seed one of each kind, in this order.

    Raises
    ------
    InputError
        As `plan_of`.
    """
    return replace(plan_of(of.recipe, seeds_of(of), sizes_of(of, task_of(of.recipe))), watched=False)


def best_constants(of: Comparison, task: Task) -> tuple[float, ...]:
    """For the test of each seed, the loss of the best answer that does not look at the input."""
    return tuple(best_constant(examples_of_test(task, seed), task.loss) for seed in seeds_of(of))


def top_trace(cells: Sequence[Cell], x: Array, h0s: Sequence[Array] = ()) -> Trace:
    """The run of the top layer.

    Raises
    ------
    StateOverflowError
        If a number grows past float64.
    """
    return run_stack(cells, x, h0s or None)[-1]


def openness(trace: Trace) -> Mapping[str, float]:
    """The mean of each gate over all units and steps; empty for a cell without gates."""
    return {name: float(trace.gates[name].mean()) for name in trace.cell.clampable}
