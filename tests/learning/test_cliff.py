"""The cliff against torch: the loss and its gradient, every descent at the best rates, and that clipping mends it."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import ElmanCell, InputError, bptt, run
from rnnviz.learning import cliff
from rnnviz.learning.cliff import ARRIVED, RATES, Sweep, loss_and_gradient, starts, surface, sweep
from rnnviz.network import build, objective_of, parts_of, run_network
from rnnviz.settings import Settings
from tests.maths.twins import tensor

Array = NDArray[np.float64]
LIMIT = 0.1


@lru_cache
def swept(max_norm: float | None) -> Sweep:
    return sweep(max_norm)


def loss_by_torch(w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    total: Any = 0.0
    for begin, target in ((0.2, 0.1), (0.8, 0.9)):
        h: Any = begin
        for _ in range(50):
            h = torch.sigmoid(w * h + b)
        total = total + (h - target) ** 2
    return total / 2


def descend_by_torch(rate: float, max_norm: float | None) -> tuple[Array, Array]:
    """The losses of all starts, (501, S), and where they end, (S, 2); each start is a descent of its own."""
    w, b = (tensor(one).requires_grad_() for one in starts().T)
    losses = []
    for update in range(501):
        loss = loss_by_torch(w, b)
        losses.append(loss.detach().numpy())
        if update == 500:
            break
        gradients = torch.stack(torch.autograd.grad(loss.sum(), [w, b]))
        if max_norm is not None:
            norms = gradients.norm(dim=0)
            gradients = torch.where(norms > max_norm, gradients * max_norm / norms, gradients)
        with torch.no_grad():
            w -= rate * gradients[0]
            b -= rate * gradients[1]
    return np.array(losses), np.stack([w.detach().numpy(), b.detach().numpy()], axis=1)


@given(st.floats(-9, 9), st.floats(-9, 9))
def test_the_loss_and_its_gradient_are_torchs(w: float, b: float) -> None:
    leaves = [torch.tensor(one, dtype=torch.float64, requires_grad=True) for one in (w, b)]
    loss = loss_by_torch(*leaves)
    d_w, d_b = torch.autograd.grad(loss, leaves)
    found = loss_and_gradient(np.array(w), np.array(b))
    np.testing.assert_allclose(found, [loss.item(), d_w.item(), d_b.item()], rtol=1e-7, atol=1e-11)


@pytest.mark.parametrize("max_norm", [None, LIMIT])
def test_torch_descends_to_the_same_ends(max_norm: float | None) -> None:
    """All 32 starts, at the best rate; without clipping a jump makes a rounding error 1e7 times as large."""
    found = swept(max_norm)
    losses, ends = descend_by_torch(found.rate, max_norm)
    there, ours = np.median(losses[-20:], axis=0) < 1e-3, found.last[found.best] < ARRIVED
    np.testing.assert_allclose(found.losses[:15], losses[:15], rtol=1e-4)
    assert (there != ours).sum() <= (2 if max_norm is None else 0)
    both = there & ours
    np.testing.assert_allclose(found.path[-1, both], ends[both], atol=0.02)
    np.testing.assert_array_equal(np.median(found.losses[-20:], axis=0), found.last[found.best])


@pytest.mark.parametrize("max_norm", [None, LIMIT, 1e-6])
def test_the_rate_is_the_best_of_all(max_norm: float | None) -> None:
    found = swept(max_norm)
    counts = [int((row < 1e-3).sum()) for row in found.last]
    assert found.arrived.tolist() == counts
    assert counts[found.best] == max(counts)
    medians = [float(np.median(row)) for row, count in zip(found.last, counts, strict=True) if count == max(counts)]
    assert found.quartiles[found.best, 1] == min(medians)
    assert found.rate == RATES[found.best]
    for row, quartiles in zip(found.last, found.quartiles, strict=True):
        assert quartiles.tolist() == np.percentile(row, [25, 50, 75]).tolist()
    assert found.arrived[-1] < max(counts) or max_norm == 1e-6  # the best rate is no end of the grid
    assert found.arrived[0] < max(counts)


def test_another_rate_of_the_sweep_is_torchs_too() -> None:
    losses, _ = descend_by_torch(float(RATES[8]), LIMIT)
    last = np.median(losses[-20:], axis=0)
    np.testing.assert_array_equal(last < ARRIVED, swept(LIMIT).last[8] < ARRIVED)


def test_clipping_mends_the_cliff() -> None:
    free, clipped = swept(None), swept(LIMIT)
    assert clipped.arrived[clipped.best] == 32
    assert free.arrived[free.best] <= 24
    assert free.quartiles[free.best, 2] > 0.1
    assert clipped.quartiles[clipped.best, 2] < 1e-4
    far, near = (np.hypot(*np.diff(one.path, axis=0).T).max() for one in (free, clipped))
    assert far > 5
    assert near <= LIMIT * clipped.rate * (1 + 1e-12)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_so_it_does_from_other_starts(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    low, high = np.array(cliff.BOX).T
    drawn = np.random.default_rng(seed).uniform(low, high, (32, 2))
    monkeypatch.setattr(cliff, "starts", lambda: drawn)
    free, clipped = sweep(None), sweep(LIMIT)
    assert clipped.arrived.max() == 32
    assert 16 <= free.arrived.max() <= 30


@pytest.mark.parametrize("max_norm", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_no_limit_overflows(max_norm: float) -> None:
    found = sweep(max_norm)
    for array in (found.last, found.losses, found.path, found.norms):
        assert np.isfinite(array).all()


def test_a_limit_that_no_gradient_reaches_changes_nothing() -> None:
    free, clipped = swept(None), sweep(1e300)
    assert clipped.path.tobytes() == free.path.tobytes()


def test_norms_are_those_before_clipping() -> None:
    found = swept(LIMIT)
    _, d_w, d_b = loss_and_gradient(*found.path[7].T)
    np.testing.assert_allclose(found.norms[7], [math.hypot(*one) for one in zip(d_w, d_b, strict=True)], rtol=1e-14)
    assert found.norms.max() > 10 * LIMIT


@pytest.mark.parametrize("max_norm", [0.0, -1.0, math.inf, math.nan])
def test_a_limit_has_to_be_a_number_above_0(max_norm: float) -> None:
    with pytest.raises(InputError, match="max_norm"):
        sweep(max_norm)


def test_the_map_is_the_loss_of_a_cell_of_ours() -> None:
    w, b, losses = surface()
    for column, row in ((0, 0), (110, 80), (180, 100), (220, 220)):
        cell = ElmanCell([[0.0]], [[w[column]]], [0.0], [b[row]], activation="sigmoid")
        ends = [run(cell, np.zeros((50, 1)), [begin]).h[-1, 0] for begin in (0.2, 0.8)]
        expected = ((ends[0] - 0.1) ** 2 + (ends[1] - 0.9) ** 2) / 2
        assert losses[row, column] == pytest.approx(expected, rel=1e-9)
    kept = losses[np.abs(b - -2.75).argmin(), np.abs(w - 5.5).argmin()]
    assert kept < 1e-4 < losses[-1, 0]


def test_the_preset_stands_at_the_first_start() -> None:
    """Its loss is that of the bit 0 alone, and its gradient is far above the limit."""
    settings = Settings("clip_saves")
    parts = parts_of(settings)
    found = objective_of(run_network(build(parts.network)).of(1), parts.objective)
    trace = found.trace
    assert (trace.cell.W_hh.item(), (trace.cell.b_ih + trace.cell.b_hh).item()) == tuple(starts()[0])
    w, b = (torch.tensor(one, dtype=torch.float64, requires_grad=True) for one in starts()[0])
    h: Any = 0.2
    for _ in range(50):
        h = torch.sigmoid(w * h + b)
    loss = (h - 0.1) ** 2
    d_w, d_b = torch.autograd.grad(loss, [w, b])
    gradient = bptt(trace, found.d_h)
    assert found.loss.value == pytest.approx(loss.item(), rel=1e-10)
    assert gradient.W_hh.item() == pytest.approx(d_w.item(), rel=1e-8)
    assert gradient.b_hh.item() == pytest.approx(d_b.item(), rel=1e-8)
    assert parts.learning.max_norm == LIMIT
    assert math.hypot(d_w.item(), d_b.item()) > 500 * LIMIT
