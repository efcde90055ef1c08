"""Gradient descent against torch.optim.SGD on the same numbers, and the presets that clipping saves and cannot."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from rnnviz import Cell, Clamp, InputError, Loss, bptt, make_cell, run, squared_error, step_jacobians
from rnnviz.learning.descent import Descent, descend
from rnnviz.presets import Lesson, build, lesson_of, values_of, walk
from rnnviz.sequences import noise
from rnnviz.settings import KINDS, Settings
from tests.maths.twins import tensor, torch_network

Array = NDArray[np.float64]

X, TARGET = noise(6, 2, 3), noise(6, 3, 4)
MAX_NORM = 0.2


def loss_of(h: Array) -> tuple[Loss, Array]:
    loss = squared_error(h, TARGET)
    return loss, loss.d_y


def by_torch(cell: Cell, x: Array, loss: Any, lr: float, updates: int, max_norm: float | None) -> list[float]:
    """The losses after 0, 1, ... updates, with whatever torch makes of them."""
    network, losses = torch_network([cell]), []
    optimizer = torch.optim.SGD(network.parameters(), lr=lr)
    for _ in range(updates + 1):
        optimizer.zero_grad()
        value = loss(network(tensor(x))[0])
        value.backward()
        losses.append(value.item())
        if max_norm is not None:
            torch.nn.utils.clip_grad_norm_(network.parameters(), max_norm)
        optimizer.step()
    return losses


@pytest.mark.parametrize("max_norm", [None, MAX_NORM])
@pytest.mark.parametrize("kind", KINDS)
def test_it_learns_as_torch_does(kind: str, max_norm: float | None) -> None:
    """Clipped too, but for the 1e-6 that torch adds to the norm."""
    cell = make_cell(kind, 2, 3, seed=5)
    found = descend(run(cell, X), loss_of, lr=0.05, updates=12, max_norm=max_norm)
    expected = by_torch(cell, X, lambda h: ((h - tensor(TARGET)) ** 2).sum(), 0.05, 12, max_norm)
    np.testing.assert_allclose(found.losses, expected, rtol=1e-12 if max_norm is None else 1e-6)
    assert found.left is None
    assert found.losses[-1] < 0.999 * found.losses[0]
    assert len(found.norms) == 12
    assert found.norms.min() > MAX_NORM  # every update was one to clip
    after = run(found.cell, X).h[1:]
    assert loss_of(after)[0].value == found.losses[-1]


def test_norms_are_those_before_clipping() -> None:
    trace = run(make_cell("gru", 2, 3), X)
    weights = bptt(trace, loss_of(trace.h[1:])[1]).weights
    whole = math.sqrt(math.fsum(value**2 for array in weights.values() for value in array.ravel().tolist()))
    assert descend(trace, loss_of, lr=0.1, updates=1, max_norm=1e-3).norms[0] == pytest.approx(whole, rel=1e-14)


def test_without_updates_or_with_a_rate_of_0_nothing_moves() -> None:
    trace = run(make_cell("lstm", 2, 3), X)
    first = loss_of(trace.h[1:])[0].value
    none = descend(trace, loss_of, lr=1.0, updates=0)
    assert (none.losses.tolist(), none.norms.tolist(), none.left) == ([first], [], None)
    assert none.cell is trace.cell
    assert descend(trace, loss_of, lr=0.0, updates=3).losses.tolist() == [first] * 4
    assert descend(trace, loss_of, lr=1.0, updates=3, max_norm=0.0).losses.tolist() == [first] * 4


def test_start_and_held_gates_stay() -> None:
    """One update by hand, from states of its own, with a gate held."""
    clamp = [Clamp("f", 0.5)]
    trace = run(make_cell("lstm", 2, 3), X, [0.1, 0.2, 0.3], [1.0, -1.0, 0.5], clamp=clamp)
    found = bptt(trace, loss_of(trace.h[1:])[1])
    moved = make_cell("lstm", 2, 3)
    moved = type(moved)(
        *(getattr(moved, name) - 0.1 * found.weights[name] for name in ("W_ih", "W_hh", "b_ih", "b_hh"))
    )
    again = run(moved, X, [0.1, 0.2, 0.3], [1.0, -1.0, 0.5], clamp=clamp)
    assert descend(trace, loss_of, lr=0.1, updates=1).losses[1] == loss_of(again.h[1:])[0].value


@pytest.mark.parametrize(
    ("wrong", "word"), [({"lr": -1.0}, "lr"), ({"updates": -1}, "updates"), ({"max_norm": math.nan}, "max_norm")]
)
def test_refusals(wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(InputError, match=word):
        descend(run(make_cell("elman", 2, 3), X), loss_of, **({"lr": 0.1, "updates": 2} | wrong))


def test_a_first_loss_that_is_refused_is_no_descent() -> None:
    def refused(h: Array) -> tuple[Loss, Array]:
        raise InputError("no loss.")

    with pytest.raises(InputError, match="no loss"):
        descend(run(make_cell("elman", 2, 3), X), refused, lr=0.1, updates=2)


# --- presets --------------------------------------------------------------------------------------------------------


def lesson(preset: str) -> tuple[Lesson, float, float]:
    """What is to be learned, the learning rate and the norm to clip to."""
    settings = Settings(preset, kind="elman")
    values = values_of(settings)
    found = lesson_of(walk(build(settings)), 1, values)
    return found, float(str(values["lr"])), float(str(values["max_norm"]))


def learned(preset: str) -> tuple[Descent, Descent]:
    found, lr, max_norm = lesson(preset)
    free = descend(found.trace, found.loss_of, lr=lr, updates=60)
    return free, descend(found.trace, found.loss_of, lr=lr, updates=60, max_norm=max_norm)


def test_clipping_saves_a_training_that_torch_loses_too() -> None:
    """A linear network, orthogonal times 1.05, over 40 steps: nan after 3 updates; clipped, a thousandth is left."""
    found, lr, max_norm = lesson("clip_saves")
    np.testing.assert_allclose(np.linalg.svd(found.trace.cell.W_hh, compute_uv=False), 1.05, rtol=1e-12)
    free, clipped = learned("clip_saves")
    readout = found.readouts[0]
    W, b, target = tensor(readout.W), tensor(readout.b), tensor(found.target[-1])
    # torch.nn.RNN has no identity, so the steps are written out
    for limit, ours in ((None, free), (max_norm, clipped)):
        weights = [tensor(getattr(found.trace.cell, name)) for name in ("W_ih", "W_hh", "b_ih", "b_hh")]
        leaves, losses = [torch.nn.Parameter(one) for one in weights], []
        optimizer = torch.optim.SGD(leaves, lr=lr)
        for _ in range(61):
            h = tensor(found.trace.h[0])
            for x in tensor(found.trace.x):
                h = leaves[0] @ x + leaves[2] + leaves[1] @ h + leaves[3]
            optimizer.zero_grad()
            value: Any = ((W @ h + b - target) ** 2).sum()
            value.backward()
            losses.append(value.item())
            if limit is not None:
                torch.nn.utils.clip_grad_norm_(leaves, limit)
            optimizer.step()
        finite = [math.isfinite(one) for one in losses]
        assert finite.index(False) == ours.left if ours.left is not None else all(finite)
        np.testing.assert_allclose(ours.losses[:3], losses[:3], rtol=1e-4)
    assert free.left == 3
    assert free.norms[0] > 100 * max_norm
    assert free.losses[-1] > 1e100
    assert clipped.left is None
    assert clipped.losses[-1] < 1e-3 * clipped.losses[0]


def test_clipping_cannot_bring_back_what_has_vanished() -> None:
    """0.3 to the power of 59 reaches step 1, before and after; the gradient is never long enough to be clipped."""
    found, _, max_norm = lesson("clip_cannot")
    trace = found.trace
    np.testing.assert_allclose(np.linalg.svd(trace.cell.W_hh, compute_uv=False), 0.3, rtol=1e-12)
    assert found.target[-1].tolist() == trace.x[0].tolist()
    free, clipped = learned("clip_cannot")
    assert free.norms.max() < max_norm
    assert clipped.losses.tobytes() == free.losses.tobytes()
    for cell in (trace.cell, clipped.cell):
        again = run(cell, trace.x)
        error = bptt(again, found.d_h).h
        by_hand = found.d_h[-1]
        for jacobian in step_jacobians(again)[:0:-1]:
            by_hand = jacobian.T @ by_hand
        np.testing.assert_allclose(error[1], by_hand, rtol=1e-10)
        assert 0 < np.linalg.norm(error[1]) < 1e-29
        # what it has learned is the number, not to remember: another first input makes no difference in any bit
        other = trace.x.copy()
        other[0] += 1.0
        np.testing.assert_array_equal(run(cell, other).h[-1], again.h[-1])
    assert clipped.losses[-1] < 1e-6 * clipped.losses[0]  # the last steps do that alone
