"""The grid of norms by other routes: autograd, 60 digits, plain products, the sweep from the last step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from rnnviz import (
    Cell,
    Clamp,
    ElmanCell,
    InputError,
    LSTMCell,
    StateOverflowError,
    Trace,
    gradient_bounds,
    log10_gradient_norm_grid,
    log10_gradient_norms,
    make_cell,
    run,
    step_jacobians,
)
from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.wide import Wide
from rnnviz.maths.gradient_flow import grid as gradient_grid

from . import digits
from .drawn import ALL_FORMS, FORMS, Case, cases, clamps_for, make_case
from .twins import differentiable_states

NORMS = ("spectral", "fro")


def blocks(cell: Cell) -> dict[str, slice]:
    """The rows and columns of each block in the state."""
    H = cell.hidden_size
    return {"h": slice(0, H), "state": slice(None)} | ({"c": slice(H, 2 * H)} if cell.kind == "lstm" else {})


@st.composite
def traces(draw: st.DrawFn, shifts: tuple[float, ...] = (0.0, 3.0), max_steps: int = 12) -> Trace:
    """A cell of any form, run from drawn states with up to two clamps."""
    case: Case = draw(cases(shifts=shifts, max_steps=max_steps))
    clamps = draw(st.lists(clamps_for(case), max_size=2)) if case.cell.clampable else []
    return run(*case, clamp=clamps)


def linear(W_hh: Any, T: int) -> Trace:
    """A run with slopes of 1 and states of 0."""
    H = len(W_hh)
    return run(ElmanCell(np.zeros((H, 1)), W_hh, np.zeros(H), np.zeros(H), activation="identity"), np.zeros((T, 1)))


def masked(W_hh: Any, off: dict[int, list[int]], T: int) -> Trace:
    """ReLU units with slope 1 but for the units (zero-based) that are off at some steps (1..T), with slope 0."""
    H = len(W_hh)
    x = np.full((T, H), 1e-9)
    for step, units in off.items():
        x[step - 1, units] = -1e306
    trace = run(ElmanCell(np.eye(H), W_hh, np.zeros(H), np.zeros(H), activation="relu"), x)
    on = np.ones((T, H))
    for step, units in off.items():
        on[step - 1, units] = 0.0
    np.testing.assert_array_equal(trace.preacts["a"] > 0.0, on)
    return trace


def multiplied(J: Array, part: slice, norm: str) -> Array:
    """The grid from products in plain float64, for what stays in range."""
    T, S, _ = J.shape
    grid = np.full((T + 1, T + 1), -np.inf)
    for k in range(T + 1):
        product = np.eye(S)
        for t in range(k, T + 1):
            product = product if t == k else J[t - 1] @ product
            with np.errstate(divide="ignore"):
                grid[t, k] = np.log10(np.linalg.norm(product[part, part], 2 if norm == "spectral" else "fro"))
    return grid


def assert_logarithms(found: Any, expected: Any, atol: float = 1e-9) -> None:
    """A tenth of a billionth: what the scalar products leave in their worst case."""
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=atol)


# --- by other routes ------------------------------------------------------------------------------------------------


@settings(max_examples=25)
@given(traces(max_steps=18), st.data())
def test_autograd_agrees(trace: Trace, data) -> None:
    """A row of the grid: all forms, blocks and norms, with and without clamps."""
    t = data.draw(st.integers(1, trace.steps))
    states = differentiable_states(trace)[: t + 1]
    rows = [torch.autograd.grad(entry, states, retain_graph=True, materialize_grads=True) for entry in states[-1]]
    products = np.array([[gradient.numpy() for gradient in row] for row in rows]).transpose(1, 0, 2)
    for block, part in blocks(trace.cell).items():
        for norm, kind in zip(NORMS, (2, "fro"), strict=True):
            expected = np.linalg.norm(products[:, part, part], kind, axis=(1, 2))
            found = 10.0 ** log10_gradient_norm_grid(trace, block=block, norm=norm)[t]
            np.testing.assert_allclose(found[: t + 1], expected, rtol=1e-8, atol=1e-14)
            np.testing.assert_array_equal(found[t + 1 :], 0.0)


@settings(max_examples=40)
@given(traces(shifts=(0.0, 3.0, 40.0, 700.0, 1e6), max_steps=4))
def test_sixty_digits_agree(trace: Trace) -> None:
    """All forms, blocks and norms, with slopes far below float64, and with every halving that there can be."""
    J = [digits.jacobian(trace, t) for t in range(1, trace.steps + 1)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gradient_grid, "LEAF", 1)
        found = {
            (block, norm): log10_gradient_norm_grid(trace, block=block, norm=norm)
            for block in blocks(trace.cell)
            for norm in NORMS
        }
    for k in range(trace.steps):
        product = digits.exact(np.eye(trace.cell.state_size))
        for t in range(k + 1, trace.steps + 1):
            product = J[t - 1] @ product
            for block, part in blocks(trace.cell).items():
                for norm in NORMS:
                    assert_logarithms(found[block, norm][t, k], digits.log10_norm(product[part, part], norm))


@pytest.mark.parametrize("form", ALL_FORMS)
def test_plain_products_agree(form) -> None:
    """With more units and steps, where all of it stays in float64."""
    trace = run(*make_case(form, 3, 12, 40, seed=7))
    J = step_jacobians(trace)
    for block, part in blocks(trace.cell).items():
        for norm in NORMS:
            found = log10_gradient_norm_grid(trace, block=block, norm=norm)
            assert_logarithms(found, multiplied(J, part, norm))


@settings(max_examples=40)
@given(traces(shifts=(0.0, 3.0, 40.0, 1e6), max_steps=60))
def test_the_last_row_is_the_sweep_from_the_last_step(trace: Trace) -> None:
    for block in blocks(trace.cell):
        for norm in NORMS:
            found = log10_gradient_norm_grid(trace, block=block, norm=norm)
            assert_logarithms(found[-1], log10_gradient_norms(trace, block=block, norm=norm))
            assert found.shape == (trace.steps + 1, trace.steps + 1)
            assert not np.isnan(found).any()
            np.testing.assert_array_equal(found[np.triu_indices(trace.steps + 1, 1)], -np.inf)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_a_row_is_the_last_row_of_a_shorter_run(form) -> None:
    cell, x, h0, c0 = make_case(form, 2, 6, 50, seed=3)
    for norm in NORMS:
        grid = log10_gradient_norm_grid(run(cell, x, h0, c0), norm=norm)
        for t in (1, 2, 13, 37, 50):
            shorter = log10_gradient_norms(run(cell, x[:t], h0, c0), norm=norm)
            assert_logarithms(grid[t, : t + 1], shorter)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_where_it_is_halved_does_not_matter(form, monkeypatch) -> None:
    trace = run(*make_case(form, 3, 10, 45, seed=1, shift=3.0))
    for block in blocks(trace.cell):
        monkeypatch.setattr(gradient_grid, "LEAF", 45)
        whole = log10_gradient_norm_grid(trace, block=block, norm="fro")
        for leaf in (1, 2, 7, 44):
            monkeypatch.setattr(gradient_grid, "LEAF", leaf)
            assert_logarithms(log10_gradient_norm_grid(trace, block=block, norm="fro"), whole)


# --- far out, hidden, cancelled -------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("gain", [1e-30, 1e-6, 1e6, 1e30])
def test_far_below_and_above_float64(gain: float, norm: str) -> None:
    """Down to 1e-6000, up to 1e+6000, against 60 digits."""
    W = gain * np.array([[0.7, -0.2, 0.3], [0.4, 0.5, -0.6], [-0.1, 0.8, 0.9]])
    grid = log10_gradient_norm_grid(linear(W, 200), norm=norm)
    power, powers = digits.exact(np.eye(3)), []
    for _ in range(201):
        powers.append(digits.log10_norm(power, norm))
        power = power @ digits.exact(W)
    lag = np.subtract.outer(np.arange(201), np.arange(201))
    assert abs(powers[-1]) > 1000.0
    assert_logarithms(grid[lag >= 0], np.array(powers)[lag[lag >= 0]])


@pytest.mark.parametrize(("norm", "step"), [("spectral", 10), ("fro", 1), ("fro", 10), ("fro", 990), ("fro", 1000)])
def test_a_strong_direction_that_is_cut_off_does_not_hide_the_weak_one(norm: str, step: int) -> None:
    """``diag(2, 0.5)`` with unit 1 off at one step: across it only 0.5 to the number of steps is left."""
    grid = log10_gradient_norm_grid(masked(np.diag([2.0, 0.5]), {step: [0]}, 1000), norm=norm)
    t, k = np.tril_indices(1001)
    lags, across = (t - k).astype(float), (k < step) & (step <= t)
    expected = np.where(across, -lags, lags) * np.log10(2.0)
    if norm == "fro":
        expected += np.where(across, 0.0, 0.5 * np.log10(1.0 + 16.0**-lags))
    np.testing.assert_allclose(grid[t, k], expected, rtol=1e-13, atol=1e-11)


@pytest.mark.parametrize("norm", NORMS)
def test_a_weak_direction_beside_a_strong_one_in_the_same_row(norm: str) -> None:
    """Unit 3 reads both others and is all that is left at the end; unit 1 is off at an early step.

    Neither the rows nor the columns of the product can be told apart by their size: each has the strong direction in
    it until the last factor.
    """
    W = [[2.0, 0.0, 0.0], [0.0, 0.5, 0.0], [1.0, 1.0, 0.0]]
    trace = masked(W, {10: [0, 2], 900: [0, 1]}, 900)
    grid = log10_gradient_norm_grid(trace, norm=norm)
    weak = np.arange(899.0, 889.0, -1.0) * np.log10(0.5)  # through unit 2 from step k + 1 to 899, then unit 3
    np.testing.assert_allclose(grid[900, :10], weak, rtol=1e-13)
    np.testing.assert_allclose(grid[900, :10], log10_gradient_norms(trace, norm=norm)[:10], rtol=1e-13)
    assert grid[899, 10] == pytest.approx(np.log10(2.0) * 889.0 + 0.5 * np.log10(1.25), rel=1e-12)


@pytest.mark.parametrize("norm", NORMS)
def test_a_nilpotent_matrix_with_unequal_slopes_explodes(norm: str) -> None:
    """The radius is 0, so that its line is crossed at once; the largest singular value bounds it all the same."""
    W = 1.5 * np.array([[1.0, -1.0], [1.0, -1.0]])
    grid = log10_gradient_norm_grid(masked(W, {step: [1] for step in range(1, 601)}, 600), norm=norm)
    t, k = np.tril_indices(601, -1)
    np.testing.assert_allclose(grid[t, k], (t - k) * np.log10(1.5) + 0.5 * np.log10(2.0), rtol=1e-13)
    bounds = gradient_bounds(ElmanCell(np.eye(2), W, np.zeros(2), np.zeros(2)))
    assert bounds.log10_reference == -np.inf
    assert np.all(grid[t, k] <= (t - k) * bounds.log10_bound + 1e-12)
    equal = log10_gradient_norm_grid(linear(W, 30), norm=norm)
    np.testing.assert_array_equal(np.isfinite(equal), np.eye(31) + np.eye(31, k=-1) > 0)


@pytest.mark.parametrize("norm", NORMS)
def test_what_is_left_where_the_strong_direction_cancels_exactly(norm: str) -> None:
    """Units 1 and 2 grow 2-fold while one of them is off, and cancel where neither is; unit 3 falls to a quarter."""
    W = np.zeros((3, 3))
    W[:2, :2], W[2, 2] = [[2.0, -2.0], [2.0, -2.0]], 0.25
    trace = masked(W, {step: [1] for step in range(1, 701) if step != 350}, 700)
    grid = log10_gradient_norm_grid(trace, norm=norm)
    t, k = np.tril_indices(701)
    across = (k < 350) & (t > 350)  # two factors W meet with slopes of 1 between them
    expected = (t - k)[across] * np.log10(0.25)
    assert expected.min() < -420.0  # and what cancels there is of 1e+210
    np.testing.assert_allclose(grid[t, k][across], expected, rtol=1e-12)


def test_pairs_whose_scalar_product_cancels_are_multiplied_out(monkeypatch) -> None:
    """Both units hear unit 1 less unit 2, which is off but at step 15: there all but 1e-9 cancels.

    Squared, as in the scalar product, that is 1e-18 and lost in the rounding.
    """
    b = 1e-9 - 1.0
    trace = masked([[1.0, b], [1.0, b]], {step: [1] for step in range(1, 31) if step != 15}, 30)
    t, k = np.tril_indices(31, -1)
    expected = np.where((k < 15) & (t > 15), np.log10(1.0 + b), 0.0) + 0.5 * np.log10(np.where(t == 15, 2.0, 1.0))
    expected += 0.5 * np.log10(1.0 + b**2)

    made: list[int] = []
    multiply = Wide.__matmul__

    def counting(self: Wide, other: Wide) -> Wide:
        if len(self.mantissa) == len(other.mantissa) > 1:  # stacks pair by pair
            made.append(len(self.mantissa))
        return multiply(self, other)

    monkeypatch.setattr(Wide, "__matmul__", counting)
    np.testing.assert_allclose(log10_gradient_norm_grid(trace, norm="fro")[t, k], expected, rtol=1e-13, atol=1e-13)
    assert sum(made) == 225  # all pairs across step 15
    monkeypatch.setattr(gradient_grid, "BUFFER", 40)  # ten at a time
    np.testing.assert_allclose(log10_gradient_norm_grid(trace, norm="fro")[t, k], expected, rtol=1e-13, atol=1e-13)
    assert made[1:] == [10] * 22 + [5]
    made.clear()
    monkeypatch.setattr(gradient_grid, "CANCELLED", 0.0)
    without = log10_gradient_norm_grid(trace, norm="fro")[t, k]
    assert not np.nanmax(np.abs(without - expected)) < 0.01  # so it is the multiplying out that makes it right


def test_multiplying_all_out_changes_nothing(monkeypatch) -> None:
    trace = run(*make_case(FORMS["elman"][0], 3, 10, 60, seed=4))
    quick = log10_gradient_norm_grid(trace, norm="fro")
    monkeypatch.setattr(gradient_grid, "CANCELLED", np.inf)
    assert_logarithms(log10_gradient_norm_grid(trace, norm="fro"), quick)


# --- by hand --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", NORMS)
def test_one_unit_and_one_step(norm: str) -> None:
    trace = run(ElmanCell([[1.0]], [[-0.5]], [0.0], [0.0], activation="sigmoid"), [[0.0]])
    grid = log10_gradient_norm_grid(trace, norm=norm)
    np.testing.assert_allclose(grid, [[0.0, -np.inf], [np.log10(0.125), 0.0]])


@pytest.mark.parametrize("form", ALL_FORMS)
def test_zero_weights(form) -> None:
    """Only a gate on the direct path carries anything on."""
    kind, options = form
    H, name = 3, {"ElmanCell": "elman", "LSTMCell": "lstm", "GRUCell": "gru"}[kind.__name__]
    trace = run(make_cell(name, 1, H, init="zeros", **options), np.zeros((20, 1)))
    t, k = np.tril_indices(21)
    nothing = np.where(t == k, 0.0, -np.inf)
    halved = (t - k) * np.log10(0.5)
    for norm, identity in zip(NORMS, (0.0, 0.5 * np.log10(H)), strict=True):
        h = log10_gradient_norm_grid(trace, norm=norm)[t, k]
        np.testing.assert_allclose(h, (halved if name == "gru" else nothing) + identity, atol=1e-13)
        if name == "lstm":
            c = log10_gradient_norm_grid(trace, block="c", norm=norm)[t, k]
            np.testing.assert_allclose(c, halved + identity, rtol=1e-13, atol=1e-13)
            state = log10_gradient_norm_grid(trace, block="state", norm=norm)
            assert state[0, 0] == pytest.approx(0.0 if norm == "spectral" else 0.5 * np.log10(2 * H), abs=1e-15)
            assert state[1, 0] == pytest.approx(np.log10(0.5) + 0.5 * np.log10(1.25) + identity)


def test_a_gate_held_shut_cuts_off_exactly() -> None:
    cell = make_cell("lstm", 1, 4, init="zeros")
    trace = run(
        cell, np.zeros((40, 1)), clamp=[Clamp("f", 0.9), Clamp("f", 0.0, from_step=20), Clamp("f", 1.0, None, 21)]
    )
    t, k = np.tril_indices(41)
    kept = np.array([0.9] * 19 + [0.0] + [1.0] * 20)
    with np.errstate(divide="ignore"):
        expected = [np.log10(kept[j:i]).sum() for i, j in zip(t, k, strict=True)]
    for norm, identity in zip(NORMS, (0.0, np.log10(2.0)), strict=True):
        grid = log10_gradient_norm_grid(trace, block="c", norm=norm)
        np.testing.assert_allclose(grid[t, k], np.array(expected) + identity, atol=1e-12)


def test_block_h_holds_c() -> None:
    """From h to h and from c to c are other numbers than the whole."""
    trace = run(*make_case((LSTMCell, {}), 2, 5, 30, seed=2))
    h, c, state = (log10_gradient_norm_grid(trace, block=name) for name in ("h", "c", "state"))
    t, k = np.tril_indices(31, -1)
    assert np.all(np.maximum(h, c)[t, k] < state[t, k])
    assert np.abs(h[t, k] - c[t, k]).min() > 1e-6


# --- refusals -------------------------------------------------------------------------------------------------------

elman, lstm, gru = (run(make_cell(kind, 2, 3), np.ones((4, 2))) for kind in ("elman", "lstm", "gru"))
anything: Any = None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: log10_gradient_norm_grid(elman, block="c"), ['block "c" needs a cell state', "an Elman RNN", '"h"']),
        (lambda: log10_gradient_norm_grid(gru, block="c"), ["a GRU has none", "run an LSTM"]),
        (lambda: log10_gradient_norm_grid(lstm, block="s"), ["block 's' is not known", "'h', 'c', 'state'"]),
        (lambda: log10_gradient_norm_grid(lstm, norm="nuc"), ["norm 'nuc' is not known", "'spectral', 'fro'"]),
        (lambda: log10_gradient_norm_grid(anything or [gru]), ["log10_gradient_norm_grid needs a Trace; got list"]),
    ],
)
def test_refusals(call: Callable[[], Any], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_a_trace_without_steps_is_refused() -> None:
    huge = replace(elman.cell, W_ih=np.full((3, 2), 1e200))
    with pytest.raises(StateOverflowError) as caught:
        run(huge, np.full((2, 2), 1e200))
    with pytest.raises(InputError, match="log10_gradient_norm_grid needs a trace of at least one step; got none"):
        log10_gradient_norm_grid(caught.value.trace)
