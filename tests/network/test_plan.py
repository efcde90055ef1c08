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
    assert [cells[0].kind for cells, _ in plan.networks] == list(KINDS)
    for cells, readout in plan.networks:
        assert [cell.hidden_size for cell in cells] == [3] * layers
        training = Training(plan.task, cells, readout, **plan.options)
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
    ((cells, readout),) = plan_of(recipe).networks
    for mine, theirs in zip(cells, shown.cells, strict=True):
        for name in ("W_ih", "W_hh", "b_ih", "b_hh"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
    assert shown.readout
    np.testing.assert_array_equal(readout.W, shown.readout.W)
    np.testing.assert_array_equal(readout.b, shown.readout.b)


def test_options_are_those_of_the_recipe() -> None:
    plan = plan_of(Recipe(clip=0.0, truncation=0, start="learned", optimizer="sgd", lr=0.5, batch_size=7, seed=2))
    assert plan.options == {
        "optimizer": "sgd", "lr": 0.5, "clip": None, "truncation": None, "batch_size": 7, "seed": 2, "learn_h0": True,
    }  # fmt: skip
    assert plan_of(Recipe(clip=2.0, truncation=5)).options["clip"] == 2.0
    assert plan_of(replace(Recipe(), truncation=5)).options["truncation"] == 5


@pytest.mark.parametrize(
    ("series", "message"),
    [
        ((), "Type, paste or upload a series"),
        (((1.0,),) * 8, "8 rows, but windows of 20 steps need at least 105"),
        (((1.0, 2.0),) * 200, "Column 1 of the series is the same number"),
        (tuple((float(t), 2.0) for t in range(200)), "Column 2"),
    ],
)
def test_a_series_that_does_not_do_is_refused(series: tuple[tuple[float, ...], ...], message: str) -> None:
    with pytest.raises(InputError, match=message):
        task_of(Recipe(task="series", series=series))
