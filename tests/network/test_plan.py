"""What a recipe asks for: the right task, and networks that are drawn as those of the other pages."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rnnviz import InputError
from rnnviz.learning import Training
from rnnviz.network import build, network_of
from rnnviz.network.plan import plan_of, task_of
from rnnviz.settings import KINDS, Settings
from rnnviz.settings.recipe import RECIPE, TASKS, Recipe

SERIES = tuple((float(np.sin(t / 3)), float(np.cos(t / 5))) for t in range(120))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("layers", [1, 2])
def test_every_task_trains_every_kind(task: str, layers: int) -> None:
    recipe = Recipe(task=task, hidden_size=3, layers=layers, steps=6, gap=2, batch_size=4, series=SERIES)
    plan = plan_of(recipe)
    assert [learner.cells[0].kind for learner in plan.learners] == list(KINDS)
    for learner in plan.learners:
        assert [cell.hidden_size for cell in learner.cells] == [3] * layers
        training = Training(plan.task, learner.cells, learner.readout, seed=learner.seed, **plan.options)
        assert training.update().finite
        assert np.isfinite(training.checkpoint().test_loss)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("init", RECIPE["init"].choices)
def test_the_first_weights_are_those_of_the_other_pages(kind: str, init: str) -> None:
    """At the same sizes, seed and biases."""
    if kind == "elman" and init == "chrono":
        init = "torch"
    recipe = Recipe(cells=kind, hidden_size=5, layers=2, steps=12, seed=3, init=init, gain=1.2, bias_f=1.0, bias_z=2.0)
    chosen: dict[str, object] = {
        "hidden_size": 5, "layers": 2, "steps": 12, "seed": 3, "init": init, "gain": 1.2, "input_size": 2,
        "output_size": 1,
    }  # fmt: skip
    chosen |= {"lstm": {"bias_f": 1.0}, "gru": {"bias_z": 2.0}}.get(kind, {})
    settings = Settings("random", tuple(sorted(chosen.items())), kind=kind)  # type: ignore[arg-type]
    shown = build(network_of(settings))
    (learner,) = plan_of(recipe).learners
    for mine, theirs in zip(learner.cells, shown.cells, strict=True):
        for name in ("W_ih", "W_hh", "b_ih", "b_hh"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
    assert shown.readout
    np.testing.assert_array_equal(learner.readout.W, shown.readout.W)
    np.testing.assert_array_equal(learner.readout.b, shown.readout.b)


def test_options_are_those_of_the_recipe() -> None:
    plan = plan_of(Recipe(clip=0.0, truncation=0, start="learned", optimizer="sgd", lr=0.5, batch_size=7, seed=2))
    assert plan.options == {
        "optimizer": "sgd", "lr": 0.5, "clip": None, "truncation": None, "batch_size": 7, "learn_h0": True,
    }  # fmt: skip
    assert plan_of(Recipe(clip=2.0, truncation=5)).options["clip"] == 2.0
    assert plan_of(replace(Recipe(), truncation=5)).options["truncation"] == 5


@pytest.mark.parametrize(
    ("series", "message"),
    [
        ((), r"There is no series yet\. Type, paste or upload one"),
        (((1.0,),) * 8, "8 rows, but windows of 20 steps need at least 101"),
        (((1.0, 2.0),) * 200, "does not change in the rows that training sees"),
        (tuple((float(t), 2.0) for t in range(200)), "Column 2"),
    ],
)
def test_a_series_that_does_not_do_is_refused(series: tuple[tuple[float, ...], ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        task_of(Recipe(task="series", series=series))


def test_several_seeds_are_each_what_they_are_alone() -> None:
    recipe = Recipe(hidden_size=3, steps=6)
    learners = plan_of(recipe, seeds=(4, 7)).learners
    assert [(one.seed, one.cells[0].kind) for one in learners] == [(seed, kind) for seed in (4, 7) for kind in KINDS]
    alone = plan_of(replace(recipe, seed=7, cells="gru")).learners[0]
    np.testing.assert_array_equal(learners[-1].cells[0].W_hh, alone.cells[0].W_hh)
    np.testing.assert_array_equal(learners[-1].readout.W, alone.readout.W)


def test_large_networks_keep_fewer_checkpoints() -> None:
    small, large = (plan_of(Recipe(hidden_size=size, updates=1000)).moments for size in (8, 128))
    assert len(small) > 2 * len(large) > 10
    assert set(large) <= set(small)
    assert (large[0], large[-1]) == (0, 1000)


def test_what_no_worker_has_memory_for_is_refused_at_once() -> None:
    """With what to do about it; a truncated update keeps less."""
    large = Recipe(cells="lstm", hidden_size=128, layers=3, steps=500, batch_size=256)
    with pytest.raises(InputError, match=r"about 6\.9 GiB of memory; a run may take 4 GiB\. Lower the batch size"):
        plan_of(large)
    for smaller in ({"layers": 1}, {"batch_size": 64}, {"truncation": 20}, {"steps": 100}, {"cells": "elman"}):
        assert plan_of(replace(large, **smaller)).learners  # type: ignore[arg-type]
    assert plan_of(Recipe(task="next_number", cells="lstm", hidden_size=128, layers=3, steps=500, batch_size=256))


@pytest.mark.parametrize("kind", KINDS)
def test_what_an_update_takes_is_about_what_is_said(kind: str) -> None:
    """Of what torch keeps for the way back, as it counts it itself."""
    torch = pytest.importorskip("torch")
    recipe = Recipe(cells=kind, hidden_size=32, steps=40, batch_size=16)
    plan = plan_of(recipe)
    (learner,) = plan.learners
    training = Training(plan.task, learner.cells, learner.readout, seed=0, **plan.options)
    kept = dict[int, int]()

    def keep(tensor: object) -> object:
        storage = tensor.untyped_storage()  # type: ignore[attr-defined]
        kept[storage.data_ptr()] = storage.nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        training.update()
    blocks = {"elman": 1, "lstm": 4, "gru": 3}[kind]
    said = 30 * (blocks + 1) * 16 * 40 * 32
    assert said / 4 < sum(kept.values()) < 2 * said
