"""Which cells solve each recipe of the training page, at which seeds and after how many updates.

Run by hand, on one thread: ``python -m tests.bench.recipes [name ...]``. Every recipe is trained with all built-in
cells, also with those that its page leaves out, at the seeds of `EXPECTED`. What the page says of a recipe stands in
`rnnviz.presets.recipes.EXPECTED`; the last lines are that table as it was measured now. The seconds are this machine's.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from rnnviz.learning.comparison import solved_at
from rnnviz.learning.examples import best_constant
from rnnviz.learning.training import Checkpoint, Training, Update, examples_of_test
from rnnviz.network.plan import plan_of, task_of
from rnnviz.presets.recipes import EXPECTED, RECIPES
from rnnviz.settings import KINDS
from rnnviz.settings.expected import SEEDS
from rnnviz.settings.recipe import Recipe


@dataclass(frozen=True)
class Run:
    """One network of a recipe at one seed, trained to its end.

    Attributes
    ----------
    kept : tuple of Checkpoint
        As the page keeps them.
    last : Update
        The last one; of a run that exploded the one that did.
    solved, constant : float
        The test loss that solves the task, and that of the best constant answer.
    seconds : float
        Of the processor: others may be at work on this machine.
    """

    kept: tuple[Checkpoint, ...]
    last: Update
    solved: float
    constant: float
    seconds: float

    @property
    def exploded(self) -> int | None:
        """The update whose loss is no finite number."""
        return None if self.last.finite else self.last.number

    @property
    def solved_at(self) -> int | None:
        """The update from which on every kept test loss is below what solves the task."""
        updates = np.array([one.update for one in self.kept], dtype=np.int64)
        losses = np.array([one.test_loss for one in self.kept])
        return solved_at(updates, losses, self.solved) if self.last.finite else None

    @property
    def below_at(self) -> int | None:
        """The first one with such a loss."""
        return next((one.update for one in self.kept if one.test_loss < self.solved), None)

    @property
    def by_heart_at(self) -> int | None:
        """The first kept update with such a training loss, if the test loss ends no better than a constant's."""
        if self.final_loss < self.constant:
            return None
        return next((one.update for one in self.kept if one.train_loss < self.solved), None)

    @property
    def final_loss(self) -> float:
        """The last test loss."""
        return self.kept[-1].test_loss if self.last.finite else float("nan")


def trained(recipe: Recipe, kind: str, seed: int) -> Run:
    """Train one network of a recipe."""
    learner = plan_of(replace(recipe, cells=kind, seed=seed)).learners[0]
    task, wanted = task_of(recipe), set(plan_of(recipe).moments)
    training = Training(task, learner.cells, learner.readout, seed=seed, **plan_of(recipe).options)
    kept, began = [training.checkpoint()], time.process_time()
    for number in range(1, recipe.updates + 1):
        if not training.update().finite:
            break
        if number in wanted:
            kept.append(training.checkpoint())
    seconds = time.process_time() - began
    return Run(tuple(kept), training.last, task.solved, best_constant(examples_of_test(task, seed), task.loss), seconds)


def median(updates: Sequence[int | None]) -> str:
    """The median of those that there are."""
    there = [one for one in updates if one is not None]
    return f"{statistics.median(there):.0f}" if there else "-"


def row(name: str, kind: str, runs: Sequence[Run]) -> str:
    """A line of the table."""
    solved, exploded, by_heart = zip(*((one.solved_at, one.exploded, one.by_heart_at) for one in runs), strict=True)
    final = np.array([one.final_loss for one in runs])
    ends, ever = (sum(one is not None for one in of) for of in (solved, [one.below_at for one in runs]))
    ranked = np.sort(np.where(np.isnan(final), np.inf, final))
    constant, seconds = (statistics.median(getattr(one, name) for one in runs) for name in ("constant", "seconds"))
    return (
        f"{name:14} {kind:6} {ends:4}/{ever} {median(solved):>7} {np.median(ranked):10.3g} {ranked[-1]:10.3g} "
        f"{runs[0].solved:8.3g} {constant:8.3g} {sum(one is not None for one in exploded):6} {median(exploded):>6} "
        f"{sum(one is not None for one in by_heart):6} {median(by_heart):>6} {seconds:7.2f}"
    )


def main(*names: str) -> None:
    """Print the table of the recipes named, or of all."""
    torch.set_num_threads(1)
    print(
        f"{'recipe':14} {'cell':6} {'end/ever':>6} {'median':>5} {'final test':>10} {'worst':>10} {'solved<':>8} "
        f"{'constant':>8} {'NaN':>6} {'median':>6} {'heart':>6} {'median':>6} {'seconds':>7}"
    )
    reached = {}
    for name in names or RECIPES:
        recipe, total = RECIPES[name], 0.0
        for kind in KINDS:
            runs = [trained(recipe, kind, seed) for seed in SEEDS]
            print(row(name, kind, runs), flush=True)
            total += statistics.median(one.seconds for one in runs) * (kind in recipe.kinds)
            goal = EXPECTED[name].goal
            at = {"solved": "solved_at", "exploded": "exploded", "by_heart": "by_heart_at"}[goal]
            reached[name, kind] = tuple(getattr(one, at) for one in runs)
        print(f"{name:14} {'all':6} {total:7.1f} s with the cells of its page", flush=True)
    for (name, kind), updates in reached.items():
        print(f"{name}: {kind}={updates}, said {EXPECTED[name].at.get(kind)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
