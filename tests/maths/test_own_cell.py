"""A cell of one's own: weights and a step, and all else follows; against differences and torch's autograd."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pytest
import torch

from rnnviz import (
    Cell,
    Clamp,
    StateOverflowError,
    bptt,
    gate_saturation,
    gradient_costs,
    influence,
    log10_gradient_norm_grid,
    log10_gradient_norms,
    log10_keep_products,
    log10_singular_values,
    lyapunov_exponents,
    memory_ledger,
    memory_paths,
    rtrl,
    rtrl_online,
    run,
    run_stack,
    step_jacobians,
)
from rnnviz.maths.cells.protocol import WEIGHTS

from .refused import assert_refused
from .twins import tensor


@dataclass(frozen=True, eq=False)
class LeakyCell(Cell):
    """``h' = (1 - alpha) h + alpha tanh(W_ih x + b_ih + W_hh h + b_hh)``."""

    alpha: float = 0.3

    kind: ClassVar[str] = "leaky"
    title: ClassVar[str] = "a leaky integrator"

    def step(self, x, h):
        return (1 - self.alpha) * h + self.alpha * np.tanh(self.W_ih @ x + self.b_ih + self.W_hh @ h + self.b_hh)


@dataclass(frozen=True, eq=False)
class TellingCell(LeakyCell):
    """One that says what it keeps."""

    def keep_and_write(self, trace):
        a = trace.from_x + trace.from_h
        return np.full_like(a, 1 - self.alpha), self.alpha * np.tanh(a)


@dataclass(frozen=True, eq=False)
class TwoStates(Cell):
    """A leaky sum c that a second state h reads."""

    kind: ClassVar[str] = "two"
    state_names: ClassVar[tuple[str, ...]] = ("h", "c")

    def step(self, x, h, c):
        c = 0.5 * c + self.W_ih @ x + self.b_ih
        return np.tanh(c + self.W_hh @ h + self.b_hh), c


@dataclass(frozen=True, eq=False)
class LinearCell(Cell):
    """A step without bounds."""

    kind: ClassVar[str] = "linear"

    def step(self, x, h):
        return self.W_ih @ x + self.W_hh @ h


D, H, T = 2, 3, 7


def drawn(kind: type[Cell] = LeakyCell, scale: float = 1.0, **form: Any) -> Any:
    random = np.random.default_rng(5)
    weights = random.standard_normal((H, D)), scale * random.standard_normal((H, H)), *random.standard_normal((2, H))
    return kind(*weights, **form)


def a_run(kind: type[Cell] = LeakyCell, steps: int = T) -> Any:
    random = np.random.default_rng(6)
    starts = random.standard_normal((len(kind.state_names), H))
    return run(drawn(kind), random.standard_normal((steps, D)), *starts)


def torch_states(trace: Any, weights: list[torch.Tensor], x: torch.Tensor, start: torch.Tensor) -> list[torch.Tensor]:
    """s_0..s_T with the gradient of everything, by the equations written again."""
    W_ih, W_hh, b_ih, b_hh = weights
    states = [start]
    for x_t in x:
        if isinstance(trace.cell, TwoStates):
            h, c = states[-1][:H], states[-1][H:]
            c = 0.5 * c + W_ih @ x_t + b_ih
            states.append(torch.cat([torch.tanh(c + W_hh @ h + b_hh), c]))
        else:
            h, alpha = states[-1], trace.cell.alpha
            states.append((1 - alpha) * h + alpha * torch.tanh(W_ih @ x_t + b_ih + W_hh @ h + b_hh))
    return states


def by_autograd(trace: Any, loss: Any) -> tuple[list[np.ndarray], np.ndarray, list[np.ndarray]]:
    """The gradients of a loss of the states: of the weights, of x, and of each state as it comes."""
    weights = [tensor(getattr(trace.cell, name)).requires_grad_() for name in WEIGHTS]
    x, start = tensor(trace.x).requires_grad_(), tensor(trace.states[0]).requires_grad_()
    states = torch_states(trace, weights, x, start)
    found = torch.autograd.grad(loss(states), [*weights, x, *states], allow_unused=True)
    made = [np.zeros(trace.cell.state_size) if one is None else one.numpy() for one in found]
    return made[:4], made[4], made[5:]


KINDS = pytest.mark.parametrize("kind", [LeakyCell, TwoStates])


@KINDS
def test_it_runs(kind) -> None:
    """Torch writes the same states; the trace has no gates and no names for sums that it can't know."""
    trace = a_run(kind)
    weights = [tensor(getattr(trace.cell, name)) for name in WEIGHTS]
    expected = torch.stack(torch_states(trace, weights, tensor(trace.x), tensor(trace.states[0])))
    np.testing.assert_allclose(trace.states, expected.numpy(), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(trace.from_h, trace.h[:-1] @ trace.cell.W_hh.T + trace.cell.b_hh, rtol=1e-14)
    assert (dict(trace.gates), dict(trace.preacts)) == ({}, {})
    assert (trace.c is None) == (kind is LeakyCell)


@KINDS
def test_jacobians(kind) -> None:
    """Central differences of the run, and autograd."""
    trace = a_run(kind)
    J, size = step_jacobians(trace), trace.cell.state_size
    for t in range(T):
        for j in range(size):
            ends = []
            for step in (-1e-5, 1e-5):
                state = trace.states[t].copy()
                state[j] += step
                ends.append(run(trace.cell, trace.x[t : t + 1], *trace.cell.blocks(state)).states[1])
            np.testing.assert_allclose(J[t][:, j], (ends[1] - ends[0]) / 2e-5, atol=1e-9)
    weights = [tensor(getattr(trace.cell, name)) for name in WEIGHTS]
    for t in range(T):
        expected = torch.autograd.functional.jacobian(  # type: ignore[no-untyped-call]
            lambda s, t=t: torch_states(trace, weights, tensor(trace.x[t : t + 1]), s)[1], tensor(trace.states[t])
        )
        np.testing.assert_allclose(J[t], expected.numpy(), rtol=1e-12, atol=1e-14)


@KINDS
@pytest.mark.parametrize("norm", ["spectral", "fro"])
def test_gradient_norms(kind, norm: str) -> None:
    """The curve and the map against plain products of autograd's Jacobians, block by block."""
    trace = a_run(kind)
    weights = [tensor(getattr(trace.cell, name)) for name in WEIGHTS]
    blocks = {"h": slice(0, H), "state": slice(None)} | ({"c": slice(H, None)} if kind is TwoStates else {})
    for block, part in blocks.items():
        grid = log10_gradient_norm_grid(trace, block=block, norm=norm)
        np.testing.assert_allclose(log10_gradient_norms(trace, block=block, norm=norm), grid[-1], atol=1e-12)
        for k in range(T + 1):
            x = tensor(trace.x[k:])
            states = [
                torch.autograd.functional.jacobian(  # type: ignore[no-untyped-call]
                    lambda s, t=t, x=x: torch_states(trace, weights, x, s)[t], tensor(trace.states[k])
                ).numpy()[part, part]
                for t in range(T + 1 - k)
            ]
            expected = [np.log10(np.linalg.norm(M, 2 if norm == "spectral" else "fro")) for M in states]
            np.testing.assert_allclose(grid[k:, k], expected, atol=1e-11)


def test_norms_go_on_where_float64_ends() -> None:
    """A weak leak forgets: (1 - alpha)^T is 1e-1000 after 1000 steps at alpha = 0.9, with weights of 0."""
    cell = drawn(LeakyCell, 0.0, alpha=0.9)
    trace = run(cell, np.zeros((1000, D)))
    assert log10_gradient_norms(trace)[0] == pytest.approx(-1000.0, abs=1e-9)
    assert log10_gradient_norm_grid(trace.between(0, 400))[-1, 0] == pytest.approx(-400.0, abs=1e-9)
    np.testing.assert_allclose(log10_singular_values(trace), [-1000.0] * H, atol=1e-9)


def test_all_directions() -> None:
    """Singular values and exponents against numpy's of the product."""
    trace = a_run()
    product = np.linalg.multi_dot(step_jacobians(trace)[::-1])
    values = np.log10(np.linalg.svd(product, compute_uv=False))
    np.testing.assert_allclose(log10_singular_values(trace), values, atol=1e-10)
    total = lyapunov_exponents(trace).sum() * T
    assert total == pytest.approx(np.linalg.slogdet(product)[1], rel=1e-10)


@KINDS
def test_gradients(kind) -> None:
    """BPTT and RTRL, by use and by loss, against autograd; truncated too, against differences by hand."""
    trace = a_run(kind)
    d_h = np.random.default_rng(7).standard_normal((T, H))
    weights, d_x, d_states = by_autograd(
        trace, lambda states: sum((tensor(row) * s[:H]).sum() for row, s in zip(d_h, states[1:], strict=True))
    )
    for found in (bptt(trace, d_h), rtrl(trace, d_h)):
        for name, expected in zip(WEIGHTS, weights, strict=True):
            np.testing.assert_allclose(found.weights[name], expected, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(found.x, d_x, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(found.backward.states, d_states, rtol=1e-11, atol=1e-12)
        for name in WEIGHTS:
            np.testing.assert_allclose(found.by_use[name].sum(axis=0), found.weights[name], rtol=1e-11, atol=1e-12)
            np.testing.assert_allclose(found.by_loss[name].sum(axis=0), found.weights[name], rtol=1e-11, atol=1e-12)
            norms = [np.linalg.norm(part) for part in found.by_use[name]]
            np.testing.assert_allclose(found.use_norms(name), norms, rtol=1e-12)
            np.testing.assert_allclose(
                found.along(name, found.weights[name]).sum(), (found.weights[name] ** 2).sum(), rtol=1e-11
            )


def test_a_truncated_gradient() -> None:
    """Each step's loss over its last two steps alone, as a run of its own."""
    trace, d_h = a_run(), np.random.default_rng(8).standard_normal((T, H))
    expected = np.zeros((H, H))
    for t in range(1, T + 1):
        part = trace.between(max(0, t - 2), t)
        alone = np.zeros((part.steps, H))
        alone[-1] = d_h[t - 1]
        expected += bptt(part, alone).W_hh
    np.testing.assert_allclose(bptt(trace, d_h, truncation=2).W_hh, expected, rtol=1e-11, atol=1e-13)


@KINDS
def test_influence(kind) -> None:
    """Every unit's gradient at the last step is autograd's."""
    trace = a_run(kind)
    found = influence(trace, T)
    for unit in range(trace.cell.state_size):
        weights, _, _ = by_autograd(trace, lambda states, unit=unit: states[-1][unit])
        for name, expected in zip(WEIGHTS, weights, strict=True):
            np.testing.assert_allclose(found[name][unit], expected, rtol=1e-11, atol=1e-13)


def test_it_learns_online_and_stacks() -> None:
    """At a rate of 0 nothing drifts; a second layer reads the first."""
    trace = a_run()
    learned = rtrl_online(trace.cell, trace.x, lambda t, h: h - 0.5, lr=0.0, h0=trace.h[0])
    np.testing.assert_allclose(learned.h, trace.h, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(learned.drift, 0.0, atol=1e-13)
    second = LeakyCell(np.eye(H), np.eye(H), np.zeros(H), np.zeros(H))
    below, above = run_stack([trace.cell, second], trace.x)
    np.testing.assert_array_equal(above.x, below.h[1:])


def test_its_ledger_if_it_says_what_it_keeps() -> None:
    """Adds up to the state; the direct path is (1 - alpha)^(T-k)."""
    trace = a_run(TellingCell)
    ledger = memory_ledger(trace)
    np.testing.assert_allclose(ledger.kept * trace.h[0] + ledger.writes.sum(axis=0), trace.h[-1], rtol=1e-12)
    np.testing.assert_allclose(ledger.kept, 0.7**T, rtol=1e-12)
    np.testing.assert_allclose(log10_keep_products(trace), np.log10(0.7) * np.arange(T, -1, -1), atol=1e-12)
    product = np.linalg.multi_dot(step_jacobians(trace)[::-1])
    assert memory_paths(trace, 1).every[0] == pytest.approx(product[1, 1], rel=1e-10)


def test_what_a_step_cannot_tell_is_refused() -> None:
    trace = a_run()
    passed = bptt(trace, np.ones((T, H))).backward
    needs: list[Any] = [memory_ledger, log10_keep_products, gate_saturation, lambda one: memory_paths(one, 0)]
    for call in needs:
        assert_refused(partial(call, trace), ["needs gates", "a leaky integrator"])
    assert_refused(lambda: run(trace.cell, trace.x, clamp=[Clamp("a", 0.5)]), ["a leaky integrator"])
    assert_refused(lambda: run(trace.cell, trace.x, c0=np.zeros(H)), ["c0", "a leaky integrator"])
    for name in ("slopes", "at_gates", "paths"):
        assert_refused(partial(getattr, passed, name), [name, "a leaky integrator"])
    assert_refused(lambda: gradient_costs(trace.cell, 5), ["gradient_costs", "a leaky integrator"])
    assert_refused(lambda: log10_gradient_norms(trace, block="c"), ["cell state", "a leaky integrator"])


def test_a_gate_that_nothing_clamps_is_refused() -> None:
    """A step alone can't be clamped, whatever the class says."""

    @dataclass(frozen=True, eq=False)
    class Pretending(LeakyCell):
        clampable: ClassVar[tuple[str, ...]] = ("a",)

    assert_refused(lambda: run(drawn(Pretending), np.ones((T, D)), clamp=[Clamp("a", 0.5)]), ["step only", "clamp"])
    assert_refused(lambda: gate_saturation(run(drawn(Pretending), np.ones((T, D)))), ["needs gates"])


def test_an_overflow_names_its_step() -> None:
    cell = LinearCell(np.zeros((2, 1)), np.diag([1.0, 1e200]), np.zeros(2), np.zeros(2))
    with pytest.raises(StateOverflowError, match=r"state h of unit 2 overflows.*step 2 of 4") as caught:
        run(cell, np.zeros((4, 1)), [1.0, 1.0])
    assert caught.value.trace.steps == 1
