"""What a comparison asks for: networks of the sizes that it says, and the runs that they are judged by."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.random import RandomState

from rnnviz import log10_gradient_norms, run_stack
from rnnviz.learning.examples import Adding, best_constant
from rnnviz.learning.snapshot import shown_of
from rnnviz.learning.training import TESTED, Training
from rnnviz.maths.cells.protocol import WEIGHTS
from rnnviz.network.comparison import (
    best_constants,
    comparison_plan,
    openness,
    seeds_of,
    sizes_of,
    top_trace,
)
from rnnviz.network.plan import plan_of, task_of
from rnnviz.settings import KINDS
from rnnviz.settings.comparison import Comparison
from rnnviz.settings.recipe import TASKS, Recipe
from tests.network.test_plan import SERIES


def parameters(learner: object) -> int:
    """Counted in the arrays themselves."""
    cells, readout = learner.cells, learner.readout  # type: ignore[attr-defined]
    return sum(getattr(cell, name).size for cell in cells for name in WEIGHTS) + readout.W.size + readout.b.size


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("layers", [1, 2])
def test_equal_parameters_are_as_equal_as_units_allow(task: str, layers: int) -> None:
    """One unit more or less in any of the others is no nearer to the Elman network."""
    recipe = Recipe(task=task, hidden_size=24, layers=layers, steps=6, gap=2, series=SERIES)
    of = Comparison(recipe, "parameters", seeds=1)
    wanted, *others = map(parameters, comparison_plan(of).learners)
    sizes = sizes_of(of, task_of(recipe))
    assert sizes["elman"] == 24
    for kind, found in zip(KINDS[1:], others, strict=True):
        assert sizes[kind] < 24
        for size in (sizes[kind] - 1, sizes[kind] + 1):
            (other,) = plan_of(recipe.choose("cells", kind), sizes={kind: size}).learners
            assert abs(parameters(other) - wanted) >= abs(found - wanted)


def test_a_size_for_each_kind_is_what_it_is_alone() -> None:
    """Each network is drawn as one of that hidden size, and the worker takes it."""
    of = Comparison(Recipe(hidden_size=12, steps=6, batch_size=4, seed=3), "parameters", seeds=2)
    plan = comparison_plan(of)
    assert [learner.seed for learner in plan.learners] == [3, 3, 3, 4, 4, 4]
    for learner in plan.learners:
        cell = learner.cells[0]
        (alone,) = plan_of(Recipe(hidden_size=cell.hidden_size, steps=6, seed=learner.seed, cells=cell.kind)).learners
        np.testing.assert_array_equal(cell.W_hh, alone.cells[0].W_hh)
        np.testing.assert_array_equal(learner.readout.W, alone.readout.W)
        training = Training(plan.task, learner.cells, learner.readout, seed=learner.seed, **plan.options)
        assert training.update().finite


def test_seeds_follow_each_other_around_the_end() -> None:
    assert seeds_of(Comparison(Recipe(seed=5), seeds=3)) == (5, 6, 7)
    assert seeds_of(Comparison(Recipe(seed=2**32 - 1), seeds=2)) == (2**32 - 1, 0)


def test_networks_are_looked_at_on_the_test_of_their_seed() -> None:
    """The stream of the test is that of `Training`, and the top layer reads the one below."""
    of = Comparison(Recipe(hidden_size=4, layers=2, steps=8, start="learned"), seeds=2)
    task = Adding(8)
    for learner in comparison_plan(of).learners:
        x = shown_of(task, learner.seed).x
        assert any((x == one).all() for one in task.draw(TESTED, RandomState([learner.seed, 3])).x)
        h0s = [np.full(4, 0.5), np.full(4, -0.5)]
        trace = top_trace(learner.cells, x, h0s)
        below, above = run_stack(learner.cells, x, h0s)
        np.testing.assert_array_equal(trace.x, below.h[1:])
        np.testing.assert_array_equal(trace.h, above.h)
        assert trace.h[0, 0] == -0.5
        np.testing.assert_array_equal(log10_gradient_norms(trace), log10_gradient_norms(above))


def test_gates_are_means_over_units_and_steps() -> None:
    of = Comparison(Recipe(hidden_size=3, steps=5), seeds=1)
    for learner in comparison_plan(of).learners:
        trace = top_trace(learner.cells, shown_of(Adding(5), 0).x)
        found = openness(trace)
        assert list(found) == {"elman": [], "lstm": ["i", "f", "o"], "gru": ["r", "z"]}[trace.cell.kind]
        for name, mean in found.items():
            values = trace.gates[name]
            one_by_one = [values[t, unit] for t in range(5) for unit in range(3)]
            assert mean == pytest.approx(sum(one_by_one) / 15)


def test_the_best_constant_is_that_of_each_test() -> None:
    task = Adding(8)
    found = best_constants(Comparison(Recipe(steps=8, seed=1), seeds=2), task)
    assert found == tuple(best_constant(task.draw(TESTED, RandomState([seed, 3])), "squared") for seed in (1, 2))
