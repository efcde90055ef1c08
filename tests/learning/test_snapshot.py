"""What a network in training is seen to do: against a run of its own, autograd and numpy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rnnviz import log10_gradient_norms, run, run_stack
from rnnviz.learning.examples import Adding, Recall
from rnnviz.learning.snapshot import shown_of, snapshot
from rnnviz.learning.training import Training, examples_of_test
from rnnviz.network.plan import plan_of
from rnnviz.settings import KINDS
from rnnviz.settings.recipe import Recipe

STEPS = 7


def trained(kind: str, layers: int = 1, **chosen: object) -> tuple[Training, Recipe]:
    recipe = Recipe(cells=kind, hidden_size=3, layers=layers, steps=STEPS, batch_size=4, start="learned", **chosen)  # type: ignore[arg-type]
    plan = plan_of(recipe)
    (learner,) = plan.learners
    training = Training(plan.task, learner.cells, learner.readout, seed=learner.seed, **plan.options)
    for _ in range(3):
        training.update()
    return training, recipe


def test_of_the_adding_problem_the_marks_lie_far_apart() -> None:
    shown = shown_of(Adding(50), 0)
    first, last = (int(step) + 1 for step in np.flatnonzero(shown.x[:, 1]))
    assert shown.marked == (first, last)
    distances = [int(np.ptp(np.flatnonzero(x[:, 1]))) for x in examples_of_test(Adding(50), 0).x]
    assert last - first == max(distances) > 35
    assert shown_of(Recall(8), 0).marked == ()


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_network_on_a_sequence_of_the_test(kind: str, layers: int) -> None:
    training, recipe = trained(kind, layers)
    one = training.checkpoint()
    shown = shown_of(training.task, recipe.seed)
    examples = examples_of_test(training.task, recipe.seed)
    place = training.task.telling(examples)
    np.testing.assert_array_equal(shown.x, examples.x[place])
    np.testing.assert_array_equal(shown.target, examples.target[place])
    seen = snapshot(one, shown.x)
    assert seen is not None
    top = run_stack(one.cells, shown.x, one.h0s)[-1]
    np.testing.assert_array_equal(seen.trace.h, top.h)
    np.testing.assert_array_equal(seen.norms, log10_gradient_norms(top, block="state"))
    np.testing.assert_array_equal(seen.said, one.readout(top.h[1:]))
    assert any(h0.any() for h0 in one.h0s)


@pytest.mark.parametrize("kind", KINDS)
def test_its_eigenvalues_are_those_of_each_block(kind: str) -> None:
    """Of each the product is the determinant and the sum the trace, which torch computes another way."""
    training, recipe = trained(kind)
    seen = snapshot(training.checkpoint(), shown_of(training.task, recipe.seed).x)
    assert seen is not None
    W_hh = torch.tensor(training.checkpoint().cells[0].W_hh)
    assert len(seen.eigenvalues) == len(W_hh) // 3
    for values, block in zip(seen.eigenvalues.values(), W_hh.reshape(-1, 3, 3), strict=True):
        assert np.prod(values) == pytest.approx(torch.linalg.det(block).item())
        assert np.sum(values) == pytest.approx(torch.trace(block).item())


def test_its_answers_are_what_the_test_was_scored_by() -> None:
    """The mean squared error of what a checkpoint keeps is its test loss, and a run of our own says the same."""
    training, recipe = trained("gru", task="sine")
    one, test = training.checkpoint(), examples_of_test(training.task, recipe.seed)
    assert one.said.shape == (len(test.x), test.counted.sum(), 1)
    assert np.mean((one.said - test.target[:, test.counted]) ** 2) == pytest.approx(one.test_loss)
    for x, said in zip(test.x[:4], one.said, strict=False):
        answers = one.readout(run(one.cells[0], x, one.h0s[0]).h[1:])
        np.testing.assert_allclose(answers[test.counted], said, atol=1e-12)


@pytest.mark.parametrize(("task", "loss"), [("parity", "binary"), ("copy", "cross_entropy")])
def test_answers_of_classes_are_probabilities(task: str, loss: str) -> None:
    training, recipe = trained("lstm", task=task, gap=2)
    one, test = training.checkpoint(), examples_of_test(training.task, recipe.seed)
    assert training.task.loss == loss
    targets = test.target[:, test.counted]
    if loss == "binary":
        right = np.where(targets > 0.5, one.said, 1.0 - one.said)
    else:
        np.testing.assert_allclose(one.said.sum(axis=-1), 1.0)
        right = np.take_along_axis(one.said, targets[..., None], axis=-1)
    assert -np.log(right).mean() == pytest.approx(one.test_loss)


def test_a_network_that_overflows_shows_nothing() -> None:
    recipe = Recipe(cells="elman", activation="identity", init="spectral", gain=10.0, hidden_size=3, steps=500)
    plan = plan_of(recipe)
    (learner,) = plan.learners
    training = Training(plan.task, learner.cells, learner.readout, seed=0, **plan.options)
    assert snapshot(training.checkpoint(), shown_of(plan.task, 0).x) is None
