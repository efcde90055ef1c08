"""Norms over time by other routes: autograd, 60 digits, products of step Jacobians, differences of the run."""

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
    log10_gradient_norms,
    make_cell,
    run,
    step_jacobians,
)
from rnnviz.maths.checks import Array

from . import digits
from .drawn import ALL_FORMS, FORMS, Case, cases, clamps_for, make_case
from .twins import differentiable_states

NORMS = ("spectral", "fro")
LOG10_2 = np.log10(2.0)


def blocks(cell: Cell) -> dict[str, slice]:
    """The rows and columns of each block in the state."""
    H = cell.hidden_size
    return {"h": slice(0, H), "state": slice(None)} | ({"c": slice(H, 2 * H)} if cell.kind == "lstm" else {})


def assert_logarithms(found: Array, expected: Any, atol: float = 1e-11) -> None:
    """To 1e-11 decades and as many digits."""
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=atol)


@st.composite
def traces(draw: st.DrawFn, shifts: tuple[float, ...] = (0.0, 3.0), max_steps: int = 12) -> Trace:
    """A cell of any form, run from drawn states with up to two clamps."""
    case: Case = draw(cases(shifts=shifts, max_steps=max_steps))
    clamps = draw(st.lists(clamps_for(case), max_size=2)) if case.cell.clampable else []
    return run(*case, clamp=clamps)


@settings(max_examples=60)
@given(traces())
def test_autograd_agrees(trace: Trace) -> None:
    """All forms, blocks and norms, with and without clamps."""
    states = differentiable_states(trace)
    np.testing.assert_allclose([s.detach().numpy() for s in states], trace.states, atol=1e-12)
    rows = [torch.autograd.grad(entry, states, retain_graph=True, materialize_grads=True) for entry in states[-1]]
    products = np.array([[gradient.numpy() for gradient in row] for row in rows]).transpose(1, 0, 2)
    for block, part in blocks(trace.cell).items():
        for norm, kind in zip(NORMS, (2, "fro"), strict=True):
            expected = np.linalg.norm(products[:, part, part], kind, axis=(1, 2))
            found = 10.0 ** log10_gradient_norms(trace, block=block, norm=norm)
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-14)


@settings(max_examples=40)
@given(traces(shifts=(0.0, 3.0, 40.0, 700.0, 1e6), max_steps=6))
def test_sixty_digits_agree(trace: Trace) -> None:
    """All forms, blocks and norms, with saturated units: there autograd has no digits left."""
    products = digits.products(trace)
    for block, part in blocks(trace.cell).items():
        for norm in NORMS:
            expected = [digits.log10_norm(product[part, part], norm) for product in products]
            assert_logarithms(log10_gradient_norms(trace, block=block, norm=norm), expected)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_products_of_step_jacobians_agree(form) -> None:
    """With more units, where all of it stays in float64."""
    trace = run(*make_case(form, 3, 24, 60, seed=7))
    products = [np.eye(trace.cell.state_size)]
    for J in step_jacobians(trace)[::-1]:
        products.append(products[-1] @ J)
    for block, part in blocks(trace.cell).items():
        for norm, kind in zip(NORMS, (2, "fro"), strict=True):
            expected = np.log10(np.linalg.norm(np.array(products)[::-1, part, part], kind, axis=(1, 2)))
            assert_logarithms(log10_gradient_norms(trace, block=block, norm=norm), expected)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_differences_of_the_run_agree(form) -> None:
    """A column of dh_T/dh_k or dc_T/dc_k for each unit that is moved, the other half of the state held."""
    cell, x, h0, c0 = make_case(form, 2, 3, 6, seed=11)
    trace, step = run(cell, x, h0, c0), 1e-6
    for block, part in blocks(cell).items():
        expected = []
        for k in range(len(x)):
            columns = []
            for entry in range(cell.state_size)[part]:
                ends = []
                for move in (-step, step):
                    state = trace.states[k].copy()
                    state[entry] += move
                    start = (state[:3], state[3:] if cell.kind == "lstm" else None)
                    ends.append(run(cell, x[k:], *start).states[-1][part])
                columns.append((ends[1] - ends[0]) / (2 * step))
            expected.append(np.linalg.norm(np.array(columns), 2))
        found = log10_gradient_norms(trace, block=block)
        np.testing.assert_allclose(10.0 ** found[:-1], expected, rtol=0.0, atol=1e-8)


def at_rest(form: Any, gain: float, T: int) -> Trace:
    """A run whose state stays where it is (relu: grows from 1e-300), so that nothing saturates however steep it is."""
    cell, H = make_case(form, 1, 2, 1, seed=3).cell, 2
    W_hh = np.round(8.0 * gain * cell.W_hh) / 8.0  # sums of these are exact: the state does not drift
    activation = getattr(cell, "activation", "")
    W_hh = np.abs(W_hh) if activation == "relu" else W_hh
    h0 = np.full(H, {"relu": 1e-300, "sigmoid": 0.5}.get(activation, 0.0))
    b_hh = -W_hh @ h0 if activation == "sigmoid" else np.zeros(len(W_hh))
    if cell.kind != "elman" and gain < 0.5:  # forget quickly
        b_hh[cell.rows({"lstm": "f", "gru": "z"}[cell.kind])] = 6.0 if getattr(cell, "update", "") == "write" else -6.0
    cell = replace(cell, W_ih=np.zeros_like(cell.W_ih), W_hh=W_hh, b_ih=np.zeros_like(b_hh), b_hh=b_hh)
    return run(cell, np.zeros((T, 1)), h0)


@pytest.mark.parametrize(("gain", "T"), [(0.25, 1500), (1.5, 500), (100.0, 350)], ids=["vanishes", "lasts", "explodes"])
@pytest.mark.parametrize("form", ALL_FORMS)
def test_far_beyond_float64(form, gain: float, T: int) -> None:
    """Below 1e-1000 and above 1e300."""
    trace = at_rest(form, gain, T)
    products = digits.products(trace)
    shown = [0, 1, T // 10, T // 2, T - 50, T - 2, T]
    for block, part in blocks(trace.cell).items():
        for norm in NORMS:
            found = log10_gradient_norms(trace, block=block, norm=norm)
            assert_logarithms(found[shown], [digits.log10_norm(products[k][part, part], norm) for k in shown])
            assert found[0] < -1000.0 or found[0] > 300.0 or gain == 1.5


@pytest.mark.parametrize("form", ALL_FORMS)
def test_both_kinds_of_arithmetic_agree(form, monkeypatch) -> None:
    """What float64 carries, wide numbers carry too, to the rounding of sums in another order."""
    trace = run(*make_case(form, 2, 6, 80, seed=8))
    for block in blocks(trace.cell):
        plain = log10_gradient_norms(trace, block=block)
        with monkeypatch.context() as patch:
            patch.setattr(type(trace.cell), "reach", -1)
            assert_logarithms(log10_gradient_norms(trace, block=block), plain, atol=1e-12)


# --- adversaries ----------------------------------------------------------------------------------------------------


def masked(W_hh: Any, T: int, masks: dict[int, list[int]]) -> Trace:
    """A relu network that is linear, but for the units (zero-based) that are off at the steps (1..T) of `masks`."""
    W_hh = np.array(W_hh, dtype=float)
    H = len(W_hh)
    h = np.ones((T + 1, H))
    for step, units in masks.items():
        h[step, units] = 0.0
    a = np.where(h[1:] > 0.0, 1.0, -1.0)
    cell = ElmanCell(np.eye(H), W_hh, np.zeros(H), np.zeros(H), activation="relu")
    trace = run(cell, a - h[:-1] @ W_hh.T, h[0])
    np.testing.assert_allclose(trace.h, h, rtol=1e-14)
    return trace


@pytest.mark.parametrize("norm", NORMS)
def test_a_strong_direction_that_is_masked_late(norm: str) -> None:
    """The weak one is left, 10**602 below: with one exponent for the whole product it would be 0."""
    found = log10_gradient_norms(masked(np.diag([2.0, 0.5]), 1000, {10: [0]}), norm=norm)
    lag = 1000.0 - np.arange(1001)
    assert_logarithms(found[:10], -lag[:10] * LOG10_2)
    assert_logarithms(found[10:900], lag[10:900] * LOG10_2)


def assert_as_with_sixty_digits(trace: Trace) -> None:
    """Every entry of every block, in both norms."""
    products = digits.products(trace)
    for block, part in blocks(trace.cell).items():
        for norm in NORMS:
            expected = [digits.log10_norm(product[part, part], norm) for product in products]
            assert_logarithms(log10_gradient_norms(trace, block=block, norm=norm), expected)


def test_a_weak_direction_in_the_rows_of_a_strong_one() -> None:
    """Unit 1 writes into 2, whose row is then as large as that of 1: an exponent for each row would not do."""
    trace = masked([[2.0, 0.0], [1.0, 0.5]], 1000, {10: [0]})
    assert log10_gradient_norms(trace)[0] < -290.0
    assert_as_with_sixty_digits(trace)


def test_a_weak_direction_in_the_columns_of_a_strong_one() -> None:
    """Units 3 and 4 write into 1 (strong) and cancel there, and into 2 (weak): one for each column would not do."""
    W_hh = np.zeros((5, 5))
    W_hh[0, [0, 2, 3]], W_hh[1, 1:4], W_hh[2:4, 4] = [2.0, 1.0, -1.0], [0.5, 1.0, 1.0], 1.0
    trace = masked(W_hh, 1000, {10: [0, 1, 4]})
    assert log10_gradient_norms(trace)[9] == pytest.approx(-988.0 * LOG10_2, rel=1e-13)
    assert_as_with_sixty_digits(trace)


def two_chains(cell: Cell, strong: dict[str, float], weak: dict[str, float], off: dict[str, float]) -> Trace:
    """Two units at rest that don't see each other, held by clamps; the strong one is off at step 10 of 1000 alone."""
    steps = [(1, 0, strong), (10, 0, off), (11, 0, strong), (1, 1, weak)]
    clamps = [Clamp(gate, value, unit, step) for step, unit, gates in steps for gate, value in gates.items()]
    return run(cell, np.zeros((1000, cell.input_size)), clamp=clamps)


def test_an_lstm_unit_that_is_masked_late() -> None:
    """At rest dc_t/dc_{t-1} = f + i W_g: 2 and 1/2, and 0 where the strong one is off."""
    W_hh = np.zeros((8, 2))
    W_hh[4:6] = np.eye(2)
    cell, on = LSTMCell(np.zeros((8, 1)), W_hh, np.zeros(8), np.zeros(8)), {"i": 1.0, "f": 1.0, "o": 1.0}
    trace = two_chains(cell, on, {"i": 0.25, "f": 0.25, "o": 1.0}, {"i": 0.0, "f": 0.0, "o": 1.0})
    for block, lag in {"h": 1001, "c": 1001, "state": 1000}.items():
        found = log10_gradient_norms(trace, block=block)
        assert_logarithms(found[:10], -(lag - np.arange(10)) * LOG10_2)
        assert found[10] > 290.0


@pytest.mark.parametrize("form", FORMS["gru"])
def test_a_gru_unit_that_is_masked_late(form) -> None:
    """At rest dh_t/dh_{t-1} = (1 - z) r W_n + z: 2 and 1/2, and 0 where the strong one is off."""
    kind, options = form
    W_hh, shut = np.zeros((6, 2)), float(options["update"] == "write")
    W_hh[4, 0] = 3.0
    cell = kind(np.zeros((6, 1)), W_hh, np.zeros(6), np.zeros(6), **options)
    trace = two_chains(cell, {"r": 1.0, "z": 0.5}, {"r": 1.0, "z": 0.5}, {"r": 0.0, "z": shut})
    found = log10_gradient_norms(trace)
    assert_logarithms(found[:10], -(1000.0 - np.arange(10)) * LOG10_2)
    assert_logarithms(found[10:], (1000.0 - np.arange(10, 1001)) * LOG10_2)


def test_what_float64_cannot_hold_between_two_steps() -> None:
    """One step out of ten saturates so far that its slope is 1e-4343, and recovers."""
    W_hh, T = np.array([[0.5, 0.3], [-0.4, 0.6]]), 100
    x = np.random.default_rng(0).uniform(-1.0, 1.0, (T, 2))
    x[::10, 0] = 5000.0
    trace = run(ElmanCell(np.eye(2), W_hh, np.zeros(2), np.zeros(2)), x)
    assert_as_with_sixty_digits(trace)


def test_steps_that_nearly_cut_off_the_strong_directions() -> None:
    """Every ninth step 9 of 12 units saturate to slopes between 1e-1 and 1e-16, and other directions lead."""
    cell, x, h0, _ = make_case(FORMS["elman"][0], 2, 12, 70, seed=12)
    W_ih = np.hstack([cell.W_ih, 2.0 * np.eye(12, 9)])
    x = np.hstack([x, np.zeros((70, 9))])
    x[8::9, 2:] = np.linspace(1.0, 9.0, 9)
    assert_as_with_sixty_digits(run(replace(cell, W_ih=W_ih), x, h0))


@pytest.mark.parametrize("form", ALL_FORMS)
@pytest.mark.parametrize("scale", [1e-250, 1e250])
def test_weights_at_the_ends_of_float64(form, scale: float) -> None:
    cell, x, h0, c0 = make_case(form, 2, 2, 2, seed=4)
    trace = run(replace(cell, W_hh=scale * cell.W_hh), x, 1e-250 * h0, c0)
    assert_as_with_sixty_digits(trace)


def test_a_step_that_float64_cannot_hold() -> None:
    """The Jacobian overflows, the norms of the products don't."""
    W_hh = np.array([[0.0], [1e300], [0.0], [0.0]])
    trace = run(LSTMCell(np.zeros((4, 1)), W_hh, np.zeros(4), np.zeros(4)), [[0.0], [0.0]], [0.0], [1e300])
    with pytest.raises(InputError):
        step_jacobians(trace)
    assert_as_with_sixty_digits(trace)


@pytest.mark.parametrize("a", [-700.0, -40.0, 40.0, 700.0])
def test_saturated_units(a: float) -> None:
    """A slope of 4 exp(-2 |a|), which is 10**-607 at 700."""
    found = log10_gradient_norms(run(ElmanCell([[1.0]], [[0.0625]], [0.0], [0.0]), np.full((50, 1), a), [0.0]))
    last = np.log10(0.0625) + np.log10(4.0) - 2.0 * (abs(a) + 0.0625) / np.log(10.0)
    assert found[49] == pytest.approx(last, rel=1e-14)
    assert found[1] == pytest.approx(49 * last, rel=1e-13)


# --- what is known by hand ------------------------------------------------------------------------------------------

NILPOTENT = 1.5 * np.array([[1.0, -1.0], [1.0, -1.0]])


def test_a_nilpotent_matrix_dies_in_a_linear_network() -> None:
    found = log10_gradient_norms(run(make_linear(NILPOTENT), np.zeros((30, 1))))
    np.testing.assert_array_equal(found[:29], -np.inf)
    assert_logarithms(found[29:], [np.log10(3.0), 0.0])


def test_a_nilpotent_matrix_explodes_with_unequal_slopes() -> None:
    """Spectral radius 0, yet with unit 2 off each step multiplies by 1.5: the radius is no bound."""
    found = log10_gradient_norms(masked(NILPOTENT, 2000, {step: [1] for step in range(1, 2001)}))
    assert_logarithms(found[:2000], (2000.0 - np.arange(2000)) * np.log10(1.5) + LOG10_2 / 2.0)
    assert found[0] > 350.0


def test_a_chain_that_hands_on_and_forgets() -> None:
    found = log10_gradient_norms(run(make_linear(np.eye(4, k=1)), np.zeros((9, 1))))
    assert found.tolist() == [-np.inf] * 6 + [0.0] * 4


def make_linear(W_hh: Array) -> ElmanCell:
    H = len(W_hh)
    return ElmanCell(np.zeros((H, 1)), W_hh, np.zeros(H), np.zeros(H), activation="identity")


@pytest.mark.parametrize("kind", ["elman", "lstm", "gru"])
def test_zero_weights(kind: str) -> None:
    """Nothing passes through h; the cell state of an LSTM halves, and so does the state of a GRU."""
    trace = run(make_cell(kind, 1, 3, init="zeros"), np.ones((2000, 1)))
    halves = (np.arange(2001) - 2000.0) * LOG10_2
    for norm, identity in (("spectral", 0.0), ("fro", np.log10(3.0) / 2.0)):
        found = log10_gradient_norms(trace, norm=norm)
        if kind == "gru":
            assert_logarithms(found, halves + identity)
        else:
            np.testing.assert_array_equal(found[:-1], -np.inf)
            assert_logarithms(found[-1], identity)
    if kind == "lstm":
        assert_logarithms(log10_gradient_norms(trace, block="c"), halves)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_the_last_entry_is_the_identity_and_one_step_its_jacobian(form) -> None:
    trace = run(*make_case(form, 1, 1, 1, seed=2))
    for block, part in blocks(trace.cell).items():
        found = log10_gradient_norms(trace, block=block)
        assert found.shape == (2,)
        assert found[1] == 0.0
        assert found[0] == pytest.approx(np.log10(np.linalg.norm(step_jacobians(trace)[0, part, part], 2)), rel=1e-13)
        size = len(range(trace.cell.state_size)[part])
        assert log10_gradient_norms(trace, block=block, norm="fro")[1] == pytest.approx(np.log10(size) / 2.0)


@pytest.mark.parametrize("form", [*FORMS["elman"], *FORMS["gru"]])
def test_without_a_cell_state_the_state_is_h(form) -> None:
    trace = run(*make_case(form, 1, 4, 9, seed=6))
    np.testing.assert_array_equal(log10_gradient_norms(trace, block="state"), log10_gradient_norms(trace))


@pytest.mark.parametrize(
    "sigma", [[1.0, 1.0, 1.0], [1.0, 1.0 - 1e-9, 0.0], [1.0, 0.999, 0.5], [1.0, 0.3, 0.0], [1.0, 0.0, 0.0]]
)
def test_the_largest_of_close_singular_values(sigma: list[float]) -> None:
    """Found by power iterations or from all eigenvalues; with any gap below it, from every row to start from."""
    random = np.random.default_rng(1)
    for _ in range(20):
        U, V = (np.linalg.qr(random.standard_normal((3, 3)))[0] for _ in range(2))
        W_hh = U * sigma @ V
        found = log10_gradient_norms(run(make_linear(W_hh), np.zeros((1, 1))))
        assert found[0] == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize("period", [2, 3, 4, 5, 7, 12, 360])
def test_a_rotation_keeps_every_length(period: int) -> None:
    """Two equal singular values: no power iteration tells them apart, and none goes on without end."""
    turn = 2.0 * np.pi / period
    W_hh = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    found = log10_gradient_norms(run(make_linear(W_hh), np.zeros((60, 1))))
    np.testing.assert_allclose(found, 0.0, rtol=0.0, atol=1e-14)


lstm, gru, elman = (run(make_cell(kind, 2, 3), np.ones((4, 2))) for kind in ("lstm", "gru", "elman"))
anything: Any = None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: log10_gradient_norms(anything),
            ["log10_gradient_norms needs a Trace; got NoneType", "what run returns"],
        ),
        (lambda: log10_gradient_norms(anything or (lstm,)), ["needs a Trace; got tuple", "one layer of a run_stack"]),
        (lambda: log10_gradient_norms(lstm, block="x"), ["block 'x' is not known", "'h', 'c', 'state'"]),
        (lambda: log10_gradient_norms(lstm, norm="nuclear"), ["norm 'nuclear' is not known", "'spectral', 'fro'"]),
        (lambda: log10_gradient_norms(lstm, norm=anything or 2), ["norm 2 is not known"]),
        (lambda: log10_gradient_norms(gru, block="c"), ['block "c" needs a cell state, but a GRU has none', 'Use "h"']),
        (lambda: log10_gradient_norms(elman, block="c"), ["an Elman RNN has none", "run an LSTM"]),
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
    with pytest.raises(
        InputError, match=r"needs a trace of at least one step; got none\. Lower the weights or the input"
    ):
        log10_gradient_norms(caught.value.trace)
