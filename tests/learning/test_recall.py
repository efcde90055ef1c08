"""Recall on fresh data against torch: the tests, the chosen rates, what arrives, and that clipping teaches nothing."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, cast

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from rnnviz import ElmanCell, InputError, Readout, make_cell
from rnnviz.learning.recall import RATES, Recalled, recall
from rnnviz.network import build, network_of
from rnnviz.settings import Settings
from tests.maths.twins import tensor, torch_network

Array = NDArray[np.float64]
NETWORK = build(network_of(Settings("clip_cannot")))
CELL, READOUT = cast(ElmanCell, NETWORK.cells[0]), cast(Readout, NETWORK.readout)
LIMIT = 0.1


@lru_cache
def found(steps: int, max_norm: float = LIMIT) -> tuple[Recalled, Recalled]:
    return recall(CELL, READOUT, steps, max_norm)


class Twin:
    """The network in torch, learning from the same data."""

    def __init__(self, cell: ElmanCell, readout: Readout) -> None:
        self.rnn = torch_network([cell])
        self.leaves = [tensor(readout.W).requires_grad_(), tensor(readout.b).requires_grad_()]

    def answers(self, x: torch.Tensor) -> torch.Tensor:
        h: Any = self.rnn(x.T[:, :, None])[0][-1]
        return (h @ self.leaves[0].T + self.leaves[1])[:, 0]

    def loss(self, x: torch.Tensor) -> Any:
        return torch.nn.functional.mse_loss(self.answers(x), x[:, 0])

    def learn(self, rate: float, max_norm: float | None, steps: int, test: torch.Tensor) -> tuple[Array, Array]:
        """The losses on the test and those on the batches."""
        weights = [*self.rnn.parameters(), *self.leaves]
        optimizer = torch.optim.SGD(weights, lr=rate)
        fresh, tests, batches = np.random.RandomState(0), [], []
        for update in range(201):
            if update % 10 == 0:
                tests.append(self.loss(test).item())
            if update == 200:
                break
            optimizer.zero_grad()
            loss = self.loss(tensor(fresh.uniform(-1.0, 1.0, (16, steps))))
            loss.backward()
            batches.append(loss.item())
            if max_norm is not None:
                norm = math.hypot(*(one.grad.norm().item() for one in weights))
                for one in weights:
                    one.grad *= min(1.0, max_norm / norm)
            optimizer.step()
        return np.array(tests), np.array(batches)

    def reach(self, x: torch.Tensor) -> float:
        """The largest absolute derivative of an answer with respect to the first input."""
        x = x.clone().requires_grad_()
        (gradient,) = torch.autograd.grad(self.answers(x).sum(), x)
        return float(gradient[:, 0].abs().max())


def sequences(steps: int) -> torch.Tensor:
    return tensor(np.random.RandomState(1).uniform(-1.0, 1.0, (256, steps)))


@pytest.mark.parametrize("clipped", [False, True])
def test_torch_learns_the_same(clipped: bool) -> None:
    """Over 3 steps: the losses on the test, the variance, and the derivative before and after."""
    ours, test = found(3)[clipped], sequences(3)
    twin = Twin(CELL, READOUT)
    assert ours.reach[0] == pytest.approx(twin.reach(test), rel=1e-10)
    tests, _ = twin.learn(ours.rate, LIMIT if clipped else None, 3, test)
    np.testing.assert_allclose(ours.tests, tests, rtol=1e-6)
    assert ours.last == pytest.approx(np.median(tests[-5:]), rel=1e-6)
    assert ours.variance == pytest.approx(float(test[:, 0].var(correction=0)), rel=1e-12)
    assert ours.reach[1] == pytest.approx(twin.reach(test), rel=1e-5)
    assert (ours.clipped > 0) == clipped


def test_the_rate_is_chosen_by_the_batches() -> None:
    """The median of the last 50 batches, each before it is learned from; the test plays no part."""
    test, medians, last = sequences(2), [], []
    for rate in RATES.tolist():
        tests, batches = Twin(CELL, READOUT).learn(rate, LIMIT, 2, test)
        medians.append(float(np.median(batches[-50:])))
        last.append(float(np.median(tests[-5:])))
    ours = found(2)[1]
    assert ours.rate == RATES[int(np.argmin(medians))]
    steady = [place for place, value in enumerate(last) if value < 0.3]  # beyond, rounding grows to anything
    assert len(steady) > 3
    np.testing.assert_allclose(ours.swept[steady], np.array(last)[steady], rtol=1e-4)


def test_over_50_steps_torch_is_no_better() -> None:
    ours, test = found(50)[1], sequences(50)
    twin = Twin(CELL, READOUT)
    tests, _ = twin.learn(ours.rate, LIMIT, 50, test)
    np.testing.assert_allclose(ours.tests, tests, rtol=1e-6)
    assert ours.reach[1] == pytest.approx(twin.reach(test), rel=1e-3)


@pytest.mark.parametrize("max_norm", [LIMIT, 1.0])
@pytest.mark.parametrize("seed", range(4))
def test_clipping_brings_no_vanished_gradient_back(seed: int, max_norm: float) -> None:
    """Networks drawn from other seeds: over 50 steps nothing is learned at any rate, over 3 steps it is."""
    cell = cast(ElmanCell, make_cell("elman", 1, 8, seed=seed))
    readout = Readout(np.random.RandomState(seed).uniform(-0.35, 0.35, (1, 8)), [0.0], "identity")
    far, near = (recall(cell, readout, steps, max_norm, seed)[1] for steps in (50, 3))
    assert far.last > 0.95 * far.variance
    assert far.swept.min() > 0.95 * far.variance
    assert max(far.reach) < 1e-9
    assert near.last < 0.1 * near.variance
    assert near.reach[1] > 0.5


def test_rates_that_overflow_are_the_worst() -> None:
    free, clipped = found(3)
    assert np.isinf(free.swept[-1])
    assert np.isfinite(clipped.swept).all()
    assert np.isfinite(free.tests).all()


def test_a_limit_above_all_gradients_changes_nothing() -> None:
    free, clipped = recall(CELL, READOUT, 2, 1e300)
    assert (clipped.rate, clipped.clipped) == (free.rate, 0)
    assert clipped.tests.tobytes() == free.tests.tobytes()


def test_one_step_is_enough() -> None:
    assert recall(CELL, READOUT, 1, 1.0)[1].last < 0.05


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"steps": 0}, "steps"),
        ({"max_norm": 0.0}, "max_norm"),
        ({"cell": make_cell("elman", 2, 3)}, "one input"),
        ({"cell": make_cell("elman", 1, 3, activation="relu")}, "tanh"),
        ({"readout": Readout(np.ones((2, 8)), [0.0, 0.0])}, "one output"),
        ({"readout": Readout(np.ones((1, 8)), [0.0], "tanh")}, "identity"),
    ],
)
def test_refusals(wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        recall(**({"cell": CELL, "readout": READOUT, "steps": 3, "max_norm": 1.0} | wrong))
