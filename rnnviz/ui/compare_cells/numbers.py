"""The numbers of the page: what networks cost, how far back they reach, how long a step takes, what they learned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter

import numpy as np

from rnnviz.cache import remembered
from rnnviz.learning.comparison import losses_of, solved_at
from rnnviz.learning.jobs import Run
from rnnviz.learning.plan import Plan
from rnnviz.learning.snapshot import shown_of
from rnnviz.learning.training import examples_of_test
from rnnviz.maths import Cell, InputError, gradient_costs, log10_gradient_norms, run_stack
from rnnviz.maths.checks import Array
from rnnviz.maths.step_costs import parameter_count, step_costs
from rnnviz.network.comparison import (
    best_constants,
    comparison_plan,
    openness,
    sizes_of,
    top_trace,
)
from rnnviz.network.plan import task_of
from rnnviz.settings.comparison import Comparison
from rnnviz.settings.recipe import Recipe
from rnnviz.views.sentences.compare import Costs, Decay, Learned

TIMED = 200
"""Steps of a run that is timed, at least: a shorter sequence is repeated."""
REPEATS = 41
"""Runs of each network that are timed."""

MOST_WORK = 6e9
"""Steps times the cube of the state's size, over all networks, that are followed without being asked."""


@dataclass(frozen=True)
class Facts:
    """What is known of a comparison before anything is run.

    Attributes
    ----------
    costs : mapping of str to Costs
        By kind.
    steps : int
        T of the task.
    followed : int
        T of the test's sequences, through which gradients are followed.
    constant : float
        The median over the seeds of the loss of the best answer that does not look at the input.
    solved : float
        The test loss below which the task counts as solved; 0 for none.
    tested : int
        Sequences of the test of a seed.
    work : float
        Of following the gradients of all networks, as `MOST_WORK` counts it.
    """

    costs: Mapping[str, Costs]
    steps: int
    followed: int
    constant: float
    solved: float
    tested: int
    work: float


def facts_of(of: Comparison) -> Facts:
    """What is known of a comparison before anything is run; an InputError where no plan can be made of it."""
    return _facts(_of_weights(of))


@remembered
def _facts(of: Comparison) -> Facts:
    task, recipe = task_of(of.recipe), of.recipe
    sizes, plan = sizes_of(of, task), comparison_plan(of)
    costs = {}
    for kind, learner in zip(recipe.kinds, plan.learners, strict=False):
        cells, step = learner.cells, step_costs(learner.cells)
        costs[kind] = Costs(
            hidden_size=sizes[kind],
            parameters=parameter_count(
                kind, task.input_size, sizes[kind],
                layers=recipe.layers, output_size=task.output_size, learned_start=recipe.start == "learned",
            ),
            multiply_adds=step.multiply_adds,
            state=step.numbers,
            kept=sum(gradient_costs(cell, task.steps).bptt.numbers for cell in cells),
            blocks=len(cells[0].gate_names),
            states=len(cells[0].state_names),
        )  # fmt: skip
    work = sum(float(task.steps) * learner.cells[-1].state_size ** 3 for learner in plan.learners)
    tests, followed, _ = examples_of_test(task, recipe.seed).x.shape
    return Facts(costs, task.steps, followed, median(best_constants(of, task)), task.level, tests, work)


def decays_of(of: Comparison) -> Mapping[str, Decay]:
    """How the gradients of the networks decay at initialisation, by kind."""
    return _decays(_of_weights(of))


@remembered
def _decays(of: Comparison) -> Mapping[str, Decay]:
    plan = comparison_plan(of)
    return _followed(plan, [(learner.cells, ()) for learner in plan.learners])


def trained_decays(run: Run) -> Mapping[str, Decay]:
    """The same with the last weights that a run has reached."""
    reached = [None if lane.is_broken else lane.checkpoints[-1] for lane in run.lanes]
    return _followed(run.plan, [None if one is None else (one.cells, one.h0s) for one in reached])


def _followed(plan: Plan, networks: Sequence[tuple[Sequence[Cell], Sequence[Array]] | None]) -> Mapping[str, Decay]:
    """The decays of the networks of a plan, None of one that overflowed, over the sequence shown of its seed."""
    sequences = {seed: shown_of(plan.task, seed).x for seed in {learner.seed for learner in plan.learners}}
    followed = len(next(iter(sequences.values())))
    norms: dict[str, list[Array]] = {}
    gates: dict[str, list[Mapping[str, float]]] = {}
    lost: dict[str, int] = {}
    for learner, network in zip(plan.learners, networks, strict=True):
        kind = learner.cells[-1].kind
        for found in (norms, gates):
            found.setdefault(kind, [])
        lost.setdefault(kind, 0)
        if network is None:
            lost[kind] += 1
            continue
        try:
            trace = top_trace(network[0], sequences[learner.seed], network[1])
        except InputError:  # it overflows float64
            lost[kind] += 1
            continue
        norms[kind].append(log10_gradient_norms(trace, block="state"))
        gates[kind].append(openness(trace))
    return {
        kind: Decay(np.array(found).reshape(len(found), followed + 1), lost[kind], _means(gates[kind]))
        for kind, found in norms.items()
    }


def _means(gates: Iterable[Mapping[str, float]]) -> Mapping[str, float]:
    found: dict[str, list[float]] = {}
    for one in gates:
        for name, value in one.items():
            found.setdefault(name, []).append(value)
    return {name: float(np.mean(values)) for name, values in found.items()}


def seconds_a_step(of: Comparison) -> Mapping[str, float]:
    """How long a forward step of each kind takes here: the median of several runs of one network, in turn.

    Raises
    ------
    InputError
        If a network overflows float64.
    """
    plan = comparison_plan(of)
    x = shown_of(plan.task, plan.learners[0].seed).x
    x = np.tile(x, (-(-TIMED // len(x)), 1))
    networks = {learner.cells[0].kind: learner.cells for learner in plan.learners[: len(of.recipe.kinds)]}
    found: dict[str, list[float]] = {kind: [] for kind in networks}
    for turn in range(REPEATS):  # each of them first in turn: what else the machine does meets all of them
        for place in range(len(networks)):
            kind, cells = list(networks.items())[(turn + place) % len(networks)]
            start = perf_counter()
            run_stack(cells, x)
            found[kind].append((perf_counter() - start) / len(x))
    return {kind: median(seconds) for kind, seconds in found.items()}


def learned_of(run: Run, solved: float) -> Mapping[str, Learned]:
    """What the networks of each kind have learned so far; empty before all of them were tested."""
    by_kind: dict[str, list[int]] = {}
    for place, learner in enumerate(run.plan.learners):
        by_kind.setdefault(learner.cells[0].kind, []).append(place)
    found = {}
    for kind, places in by_kind.items():
        updates, losses = losses_of([run.lanes[place] for place in places])
        if not len(updates):
            return {}
        broken = [run.lanes[place].is_broken for place in places]
        at = [None if lost else solved_at(updates, one, solved) for one, lost in zip(losses, broken, strict=True)]
        found[kind] = Learned(updates, losses, tuple(at), sum(broken))
    return found


@dataclass(frozen=True, eq=False)
class Results:
    """What a run that is over has reached.

    Attributes
    ----------
    updates : int
    learned : mapping of str to Learned
        By kind.
    decays : mapping of str to Decay, or None
        None where they were not followed.
    """

    updates: int
    learned: Mapping[str, Learned]
    decays: Mapping[str, Decay] | None = None


_FREE = ("optimizer", "lr", "clip", "truncation", "batch_size", "updates")
"""Settings of a recipe that its first weights do not depend on."""


def _of_weights(of: Comparison) -> Comparison:
    """The same for all that have the same first weights: what is remembered of one is known of the others."""
    plain = Recipe()
    kept = replace(of.recipe, preset="", **{name: plain.value(name) for name in _FREE})  # type: ignore[arg-type]
    return replace(of, recipe=kept)
