"""Jacobians by two other routes: differences of the run, and torch's autograd; saturated ones against 60 digits."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from rnnviz import Clamp, ElmanCell, GRUCell, InputError, LSTMCell, make_cell, run, step_jacobians
from rnnviz.maths.checks import Array

from .drawn import TORCH_FORMS, Case, cases, clamps_for
from .twins import tensor, torch_cell

mpmath.mp.dps = 60
jacobian: Any = torch.autograd.functional.jacobian


def by_differences(trace, t: int, clamps: list[Clamp]) -> Array:
    """Central differences of one step of the run."""
    cell, H, size = trace.cell, trace.cell.hidden_size, trace.cell.state_size
    J = np.empty((size, size))
    for j in range(size):
        ends = []
        for step in (-1e-5, 1e-5):
            state = trace.states[t].copy()
            state[j] += step
            c0 = state[H:] if cell.kind == "lstm" else None
            ends.append(run(cell, trace.x[t : t + 1], state[:H], c0, clamp=clamps).states[1])
        J[:, j] = (ends[1] - ends[0]) / 2e-5
    return J


@given(cases(shifts=(0.0, 3.0), max_steps=4), st.data())
def test_differences_of_the_run_agree(case: Case, data) -> None:
    """All forms, with and without clamps."""
    cell, x, h0, c0 = case
    T = len(x)
    clamps = data.draw(st.lists(clamps_for(case), max_size=2)) if cell.clampable else []
    trace = run(cell, x, h0, c0, clamp=clamps)
    if isinstance(cell, ElmanCell) and cell.activation == "relu":
        assume(np.abs(trace.preacts["a"]).min() > 1e-3)
    J = step_jacobians(trace)
    assert J.shape == (T, cell.state_size, cell.state_size)
    for t in range(T):
        active = [Clamp(one.gate, one.value, one.unit) for one in clamps if one.from_step <= t + 1]
        np.testing.assert_allclose(J[t], by_differences(trace, t, active), rtol=0.0, atol=1e-8)


@given(cases(TORCH_FORMS, shifts=(0.0, 3.0), max_steps=4))
def test_autograd_agrees(case):
    cell, x, h0, c0 = case
    trace, twin, H = run(cell, x, h0, c0), torch_cell(cell), len(h0)
    J = step_jacobians(trace)

    def step(x_t, state):
        return torch.cat(twin(x_t, (state[:H], state[H:]))) if cell.kind == "lstm" else twin(x_t, state)

    for t in range(len(x)):
        _, expected = jacobian(step, (tensor(x[t]), tensor(trace.states[t])))
        np.testing.assert_allclose(J[t], expected.numpy(), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("a", [20.0, -40.0, 300.0])
def test_a_saturated_elman_unit_keeps_its_slope(a: float) -> None:
    cell = ElmanCell(np.zeros((1, 1)), np.array([[0.5]]), np.array([a]), np.zeros(1))
    J = step_jacobians(run(cell, [[0.0]]))
    assert J.item() == pytest.approx(float(mpmath.mpf("0.5") * mpmath.sech(a) ** 2), rel=1e-13, abs=0.0)


@pytest.mark.parametrize("a", [20.0, 40.0, 300.0])
def test_saturated_lstm_gates_keep_their_slopes(a: float) -> None:
    """All gates at sigmoid(+-a), so that each entry is one small number or a sum of them."""
    b_ih, W_hh = np.array([-a, -a, a, -a]), np.array([[0.5], [0.25], [2.0], [0.75]])
    cell = LSTMCell(np.zeros((4, 1)), W_hh, b_ih, np.zeros(4))
    (J,) = step_jacobians(run(cell, [[0.0]], [0.0], [0.5]))
    s = 1 / (1 + mpmath.exp(mpmath.mpf(a)))
    slope, g = s * (1 - s), mpmath.tanh(mpmath.mpf(a))
    c = s * mpmath.mpf("0.5") + s * g
    dc_dh = mpmath.mpf("0.5") * slope * mpmath.mpf("0.25") + g * slope * mpmath.mpf("0.5")
    dc_dh += s * mpmath.sech(mpmath.mpf(a)) ** 2 * 2
    through_c = s * mpmath.sech(c) ** 2
    dh_dh = mpmath.tanh(c) * slope * mpmath.mpf("0.75") + through_c * dc_dh
    expected = [[float(dh_dh), float(through_c * s)], [float(dc_dh), float(s)]]
    np.testing.assert_allclose(J, expected, rtol=1e-13)


@pytest.mark.parametrize("a", [20.0, 40.0, 300.0])
@pytest.mark.parametrize("reset", ["after", "before"])
@pytest.mark.parametrize("update", ["keep", "write"])
def test_a_saturated_gru_keeps_its_digits(update: str, reset: str, a: float) -> None:
    """z rounds to 1, yet what 1 - z lets pass is not 0."""
    W_hh = np.array([[0.0], [0.0], [2.0]])
    cell = GRUCell(np.zeros((3, 1)), W_hh, np.array([0.0, a, 0.0]), np.zeros(3), reset=reset, update=update)
    (J,) = step_jacobians(run(cell, [[0.0]], [0.5]))
    not_z = 1 / (1 + mpmath.exp(mpmath.mpf(a)))
    dn_dh = mpmath.sech(mpmath.mpf("0.5")) ** 2  # n = tanh(r * 2 h) = tanh(h), as r = 1/2
    keep = not_z * dn_dh + (1 - not_z)
    write = (1 - not_z) * dn_dh + not_z
    assert J.item() == pytest.approx(float(keep if update == "keep" else write), rel=1e-13, abs=0.0)


def test_what_a_rounded_gate_lets_pass() -> None:
    """Off the diagonal 1 - sigmoid(40) = 4.2e-18 stands alone: it would be 0 if it came from z."""
    W_hh = np.zeros((6, 2))
    W_hh[4, 1] = 2.0
    b_ih = np.array([800.0, 800.0, 40.0, 40.0, 0.0, 0.0])
    keep = GRUCell(np.zeros((6, 1)), W_hh, b_ih, np.zeros(6))
    assert step_jacobians(run(keep, [[0.0]]))[0, 0, 1] == pytest.approx(2.0 / (1.0 + np.exp(40.0)), rel=1e-13, abs=0.0)
    write = GRUCell(np.zeros((6, 1)), np.zeros((6, 2)), b_ih, np.zeros(6), update="write")
    assert step_jacobians(run(write, [[0.0]]))[0, 0, 0] == pytest.approx(1.0 / (1.0 + np.exp(40.0)), rel=1e-13, abs=0.0)


def test_clamped_gates_are_constants() -> None:
    """With every gate held, only the candidate and the cell itself carry the gradient."""
    cell = make_cell("lstm", 1, 2, seed=5)
    clamps = [Clamp("i", 0.0), Clamp("f", 1.0), Clamp("o", 0.0)]
    (J,) = step_jacobians(run(cell, [[1.0]], [0.3, 0.4], [0.5, 0.6], clamp=clamps))
    np.testing.assert_array_equal(J, np.diag([0.0, 0.0, 1.0, 1.0]))


def test_an_overflowing_jacobian_names_its_step() -> None:
    W_hh = np.array([[0.0], [1e300], [0.0], [0.0]])
    cell = LSTMCell(np.zeros((4, 1)), W_hh, np.zeros(4), np.zeros(4))
    trace = run(cell, [[0.0], [0.0]], [0.0], [1e300])
    with pytest.raises(InputError, match=r"Jacobian of step 1 overflows.*Lower"):
        step_jacobians(trace)
