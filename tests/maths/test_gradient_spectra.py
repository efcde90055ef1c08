"""Singular values and Lyapunov exponents by other routes: many digits, norms, determinants, plain products, by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from rnnviz import (
    Clamp,
    ElmanCell,
    GRUCell,
    InputError,
    LSTMCell,
    StateOverflowError,
    Trace,
    log10_gradient_norms,
    log10_singular_values,
    lyapunov_exponents,
    make_cell,
    run,
    step_jacobians,
)
from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.graded import wide_qr
from rnnviz.maths.extended_range.graded_svd import log10_graded_singular_values
from rnnviz.maths.extended_range.residues import Residues
from rnnviz.maths.extended_range.wide import Wide
from rnnviz.maths.gradient_flow.spectra import finite_time_exponents
from rnnviz.sequences import noise

from . import digits
from .drawn import ALL_FORMS, FORMS, make_case
from .test_gradient_norms import NILPOTENT, make_linear, masked, traces

DIGITS = 700


def by_digits(trace: Trace, k: int, t: int, count: int = DIGITS) -> Array:
    """Singular values of the product, multiplied out with so many digits that the smallest still has some."""
    with mpmath.workdps(count):
        product = digits.exact(np.eye(trace.cell.state_size))
        for step in range(k + 1, t + 1):
            product = digits.jacobian(trace, step) @ product
        sizes = mpmath.svd_r(mpmath.matrix(product.tolist()), compute_uv=False)
        floor = max(sizes) * mpmath.mpf(10) ** (50 - count)  # an exact zero comes out as a rounding
        return np.sort([float(mpmath.log10(s)) if s > floor else -np.inf for s in sizes])[::-1]


def assume_within_digits(trace: Trace) -> None:
    """Held at 1e-300 a gate would ask for thousands of digits."""
    assume(all(clamp.value == 0.0 or clamp.value > 1e-6 for clamp in trace.clamp))


@settings(max_examples=25)
@given(traces(shifts=(0.0, 3.0, 30.0), max_steps=7), st.data())
def test_seven_hundred_digits_agree(trace: Trace, data) -> None:
    """All forms with clamps, over any stretch."""
    assume_within_digits(trace)
    t = data.draw(st.integers(0, trace.steps))
    k = data.draw(st.integers(0, t))
    found = log10_singular_values(trace, k, t)
    assert found.shape == (trace.cell.state_size,)
    np.testing.assert_allclose(found, by_digits(trace, k, t), rtol=1e-10, atol=1e-7)


@pytest.mark.parametrize(("shift", "H", "T", "seed"), [(30.0, 3, 8, 3), (30.0, 3, 8, 5), (700.0, 2, 3, 5)])
@pytest.mark.parametrize("form", [*FORMS["elman"][:2], *FORMS["lstm"], *FORMS["gru"]])
def test_saturated_units_keep_their_digits(form, shift: float, H: int, T: int, seed: int) -> None:
    """Down to 1e-2000 of the largest."""
    trace = run(*make_case(form, 1, H, T, seed=seed, shift=shift))
    expected = by_digits(trace, 0, T, 6000 if shift > 100.0 else DIGITS)
    assert expected[-1] < -100.0
    np.testing.assert_allclose(log10_singular_values(trace), expected, rtol=1e-12, atol=1e-9)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_both_norms_are_made_of_them(form) -> None:
    """The largest is the spectral norm, the root of the sum of all squares the Frobenius norm."""
    trace = run(*make_case(form, 2, 6, 300, seed=9))
    spectral, frobenius = (log10_gradient_norms(trace, block="state", norm=norm) for norm in ("spectral", "fro"))
    for k in (0, 1, 150, 298, 299, 300):
        found = log10_singular_values(trace, k)
        assert found[0] == pytest.approx(spectral[k], rel=1e-12, abs=1e-12)
        if np.isfinite(found[0]):
            squares = np.log10(np.sum(10.0 ** (2.0 * (found - found[0])))) / 2.0 + found[0]
            assert squares == pytest.approx(frobenius[k], rel=1e-12, abs=1e-12)
        else:
            assert np.isneginf(frobenius[k])


def log_determinants(trace: Any) -> Array:
    """``log |det J_t|`` for every step, (T,)."""
    cell, a = trace.cell, trace.preacts
    if cell.kind == "gru":
        return np.linalg.slogdet(step_jacobians(trace))[1]
    if cell.kind == "elman":
        slopes = {"tanh": -2.0 * np.log(np.cosh(a["a"])), "identity": 0.0 * a["a"]}
        sigmoid = -np.logaddexp(0.0, a["a"]) - np.logaddexp(0.0, -a["a"])
        return np.linalg.slogdet(cell.W_hh)[1] + slopes.get(cell.activation, sigmoid).sum(axis=1)
    # With the rows of c, times o tanh'(c), taken from those of h: h' = diag(tanh(c) o') W_ho h and c' = f c + ...
    o = np.log(np.abs(np.tanh(trace.c[1:]))) - np.logaddexp(0.0, a["o"]) - np.logaddexp(0.0, -a["o"])
    factors = o - np.logaddexp(0.0, -a["f"])
    return np.asarray(factors.sum(axis=1) + np.linalg.slogdet(cell.W_hh[cell.rows("o")])[1])


@pytest.mark.parametrize("form", [form for form in ALL_FORMS if form[1].get("activation") != "relu"])
@pytest.mark.parametrize(("H", "T"), [(1, 1), (3, 40), (8, 400)])
def test_their_product_is_that_of_the_determinants(form, H: int, T: int) -> None:
    """So is the sum of the Lyapunov exponents the mean of the logarithms of the determinants."""
    trace = run(*make_case(form, 2, H, T, seed=1))
    expected = log_determinants(trace)
    found = log10_singular_values(trace) * np.log(10.0)
    assert found.sum() == pytest.approx(expected.sum(), rel=1e-10, abs=1e-9)
    assert lyapunov_exponents(trace).sum() == pytest.approx(expected.mean(), rel=1e-10, abs=1e-9)


@settings(max_examples=25)
@given(traces(shifts=(0.0, 3.0), max_steps=7))
def test_exponents_are_those_of_the_whole_product(trace: Trace) -> None:
    """Its columns made orthogonal in 700 digits: the mean of the logarithms of what is left of each."""
    assume_within_digits(trace)
    with mpmath.workdps(DIGITS):
        columns = list(digits.products(trace)[0].T)
        expected = []
        for i, column in enumerate(columns):
            left = column - sum(((column @ q) * q for q in columns[:i]), start=0 * column)
            length = mpmath.sqrt(left @ left)
            lost = length <= mpmath.mpf(10) ** (100 - DIGITS)
            expected.append(-np.inf if lost else float(mpmath.log(length)) / trace.steps)
            columns[i] = 0 * column if lost else left / length
    found = lyapunov_exponents(trace)
    np.testing.assert_allclose(found, np.sort(expected)[::-1], rtol=1e-9, atol=1e-7)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_exponents_agree_with_the_textbook_loop(form) -> None:
    trace = run(*make_case(form, 2, 5, 200, seed=3))
    Q, sums = np.eye(trace.cell.state_size), np.zeros(trace.cell.state_size)
    for J in step_jacobians(trace):
        Q, R = np.linalg.qr(J @ Q)
        sums += np.log(np.maximum(np.abs(np.diag(R)), 1e-300))
    found, expected = lyapunov_exponents(trace), np.sort(sums)[::-1] / 200
    alive = np.isfinite(found)
    if form[1].get("activation") == "relu":
        assert alive.sum() < 5
    else:
        np.testing.assert_allclose(found[alive], expected[alive], rtol=1e-6, atol=1e-9)


# --- exponents of this very run ---


@pytest.mark.parametrize("steps", [1, 2, 20, 100, 1000])
@pytest.mark.parametrize("kind", ["elman", "lstm", "gru"])
def test_the_largest_is_the_norm_of_the_whole_state(kind: str, steps: int) -> None:
    """sigma_1^(1/T) of 32 seeds against what the page's headline is made of, by another sweep."""
    for seed in range(32):
        x = np.random.default_rng(seed).standard_normal((steps, 2))
        trace = run(make_cell(kind, 2, 3, seed=seed, gain=(1.0, 3.0)[seed % 2]), x)
        norm = log10_gradient_norms(trace, block="state")[0]
        found = finite_time_exponents(trace)
        assert found[0] * steps / np.log(10.0) == pytest.approx(norm, rel=1e-11, abs=1e-11)
        assert np.exp(found[0]) == pytest.approx(10.0 ** (norm / steps), rel=1e-11)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_both_exponents_meet_as_a_run_grows_longer(form) -> None:
    """Their distance is a transient of the first basis: times T it stays bounded, and it is seen at T = 100."""
    apart = []
    for steps in (50, 100, 200, 400, 800):
        trace = run(*make_case(form, 2, 3, steps, seed=3))
        found, recursion = finite_time_exponents(trace), lyapunov_exponents(trace)
        assert np.isneginf(found).sum() == np.isneginf(recursion).sum()
        apart.append(steps * np.abs(found[0] - recursion[0]) if np.isfinite(found[0]) else 0.0)
    assert max(apart) < 5.0


def test_the_recursion_keeps_a_transient_that_the_run_has_not() -> None:
    """Chrono at T = 100: 0.94 a step from the identity, 0.99 and more by the singular values (32 units, 4 inputs)."""
    x = noise(100, 4, 0)
    trace = run(make_cell("lstm", 4, 32, init="chrono", t_max=100), x)
    assert np.exp(lyapunov_exponents(trace)[0]) < 0.96 < 0.98 < np.exp(finite_time_exponents(trace)[0])


# --- exact zeros ----------------------------------------------------------------------------------------------------


def assert_values(trace: Trace, expected: list[float]) -> None:
    """The singular values are these, and as many Lyapunov exponents are -inf."""
    np.testing.assert_allclose(log10_singular_values(trace), expected, rtol=1e-12, atol=1e-12)
    assert np.isneginf(lyapunov_exponents(trace)).sum() == np.isneginf(expected).sum()


def test_a_nilpotent_matrix() -> None:
    """Its second power is 0; with unequal slopes one direction lives on and explodes."""
    assert_values(run(make_linear(NILPOTENT), np.zeros((1, 1))), [np.log10(3.0), -np.inf])
    assert_values(run(make_linear(NILPOTENT), np.zeros((2, 1))), [-np.inf, -np.inf])
    exploding = masked(NILPOTENT, 2000, {step: [1] for step in range(1, 2001)})
    assert_values(exploding, [2000.0 * np.log10(1.5) + np.log10(2.0) / 2.0, -np.inf])


def test_a_chain_loses_one_direction_a_step() -> None:
    trace = run(make_linear(np.eye(4, k=1)), np.zeros((5, 1)))
    for t in range(6):
        np.testing.assert_allclose(
            log10_singular_values(trace, 0, t), [0.0] * (4 - t) + [-np.inf] * min(t, 4), atol=1e-15
        )


def test_a_strong_direction_that_is_masked_late() -> None:
    trace = masked(np.diag([2.0, 0.5]), 1000, {10: [0]})
    assert_values(trace, [-1000.0 * np.log10(2.0), -np.inf])
    np.testing.assert_allclose(log10_singular_values(trace, 10), np.array([990.0, -990.0]) * np.log10(2.0), rtol=1e-13)


@settings(max_examples=60)
@example(2, 2, 93262988)  # where a column that should be 0 comes out as a rounding
@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_the_rank_is_that_of_fractions(H: int, T: int, seed: int) -> None:
    """Small whole weights times 0.1, singular more often than not, and masks: Gauss with fractions finds the rank."""
    random = np.random.default_rng(seed)
    W = 0.1 * random.integers(-1, 2, (H, H))
    masks = {step: np.flatnonzero(random.random(H) < 0.2).tolist() for step in range(1, T + 1)}
    trace = masked(W, T, masks)
    product = np.array([[Fraction(int(i == j)) for j in range(H)] for i in range(H)], dtype=object)
    exact = np.array([[Fraction(float(w)) for w in row] for row in W], dtype=object)
    for step in range(1, T + 1):
        product = exact @ product
        product[masks[step]] = Fraction(0)
    rank = rank_of(product)
    for found in (log10_singular_values(trace), lyapunov_exponents(trace)):
        assert np.isfinite(found).sum() == rank
        assert not np.isnan(found).any()


def rank_of(matrix: Any) -> int:
    """Gauss, row by row."""
    rows, rank = [list(row) for row in matrix], 0
    for column in range(len(rows)):
        pivot = next((row for row in range(rank, len(rows)) if rows[row][column]), None)
        if pivot is not None:
            rows[rank], rows[pivot] = rows[pivot], rows[rank]
            for row in range(rank + 1, len(rows)):
                share = rows[row][column] / rows[rank][column]
                rows[row] = [one - share * other for one, other in zip(rows[row], rows[rank], strict=True)]
            rank += 1
    return rank


def test_nearly_singular_is_not_singular() -> None:
    """0.1 * 0.9 and 0.3 * 0.3 differ in their last digit, 1e-17: no exact zero, and no more digits than that."""
    found = log10_singular_values(run(make_linear(np.array([[0.1, 0.3], [0.3, 0.9]])), np.zeros((1, 1))))
    assert -18.0 < found[1] < -15.0


@pytest.mark.parametrize(
    ("clamps", "lost"),
    [
        ([Clamp("o", 0.5)], 3),  # h_t is a function of c_t alone
        ([Clamp("o", 0.5, unit=1)], 1),
        ([Clamp("o", 0.5, unit=1, from_step=7)], 1),
        ([Clamp("f", 0.0)], 3),
        ([Clamp("f", 0.0, unit=2), Clamp("i", 0.5)], 1),
        ([Clamp("o", 0.0), Clamp("i", 0.0), Clamp("f", 1.0)], 3),
        ([Clamp("o", 0.0), Clamp("f", 0.0)], 6),
        ([Clamp("i", 0.5)], 0),
    ],
)
def test_held_gates_of_an_lstm_lose_directions(clamps: list[Clamp], lost: int) -> None:
    cell, x, h0, c0 = make_case((LSTMCell, {}), 2, 3, 7, seed=2)
    trace = run(cell, x, h0, c0, clamp=clamps)
    for found in (log10_singular_values(trace), lyapunov_exponents(trace)):
        assert np.isneginf(found).sum() == lost


def test_zero_weights() -> None:
    """Only the halved cell state passes; a GRU halves its state."""
    x, gone = np.ones((2000, 1)), -np.inf
    assert_values(run(make_cell("elman", 1, 2, init="zeros"), x), [gone, gone])
    halves = -2000.0 * np.log10(2.0)
    lstm_values = log10_singular_values(run(make_cell("lstm", 1, 2, init="zeros"), x))
    assert np.isneginf(lstm_values[2:]).all()
    assert lstm_values[:2] == pytest.approx(halves + log_reads(), rel=1e-12)
    assert_values(run(make_cell("gru", 1, 2, init="zeros"), x), [halves, halves])


def log_reads() -> float:
    """h_T = c_T / 2 near 0 stands beside c_T: the length of (1/2, 1), where c_T is 0."""
    return float(np.log10(np.hypot(0.5, 1.0)))


def test_exponents_of_a_diagonal_network() -> None:
    np.testing.assert_allclose(
        lyapunov_exponents(run(make_linear(np.diag([0.5, 3.0, 0.0])), np.zeros((50, 1)))),
        [np.log(3.0), np.log(0.5), -np.inf],
    )


# --- the door -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ALL_FORMS)
def test_stretches_of_a_run(form) -> None:
    """None at all, a single step, and the last step when t is left out."""
    trace = run(*make_case(form, 1, 3, 5, seed=4))
    np.testing.assert_array_equal(log10_singular_values(trace, 2, 2), np.zeros(trace.cell.state_size))
    np.testing.assert_array_equal(log10_singular_values(trace, 2), log10_singular_values(trace, 2, 5))
    expected = np.linalg.svd(step_jacobians(trace)[2], compute_uv=False)
    np.testing.assert_allclose(10.0 ** log10_singular_values(trace, 2, 3), expected, rtol=1e-7, atol=1e-15)


lstm, gru, elman = (run(make_cell(kind, 2, 3), np.ones((4, 2))) for kind in ("lstm", "gru", "elman"))
anything: Any = None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: log10_singular_values(anything), ["log10_singular_values needs a Trace; got NoneType"]),
        (lambda: finite_time_exponents(anything), ["finite_time_exponents needs a Trace; got NoneType"]),
        (lambda: lyapunov_exponents(anything or (gru,)), ["lyapunov_exponents needs a Trace; got tuple", "run_stack"]),
        (
            lambda: log10_singular_values(lstm, 0, 5),
            ["t must be an integer in 0..4; got 5", "Choose one in that range"],
        ),
        (lambda: log10_singular_values(lstm, 3, 2), ["k must be an integer in 0..2; got 3"]),
        (lambda: log10_singular_values(lstm, -1), ["k must be an integer in 0..4; got -1"]),
        (
            lambda: log10_singular_values(lstm, anything or 1.0),
            ["k must be an integer in 0..4; got 1.0", "whole number"],
        ),
        (lambda: log10_singular_values(elman, True), ["got True"]),
    ],
)
def test_refusals(call: Callable[[], Any], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("ask", [log10_singular_values, lyapunov_exponents, finite_time_exponents])
def test_a_trace_without_steps_is_refused(ask: Callable[[Trace], Array]) -> None:
    huge = replace(elman.cell, W_ih=np.full((3, 2), 1e200))
    with pytest.raises(StateOverflowError) as caught:
        run(huge, np.full((2, 2), 1e200))
    with pytest.raises(
        InputError, match=r"needs a trace of at least one step; got none\. Lower the weights or the input"
    ):
        ask(caught.value.trace)


# --- the tools ------------------------------------------------------------------------------------------------------


def test_graded_singular_values() -> None:
    """Rows and columns of all sizes, out to 1e-500, against 60 digits and more."""
    random = np.random.default_rng(0)
    for _ in range(5):
        rows, columns = random.uniform(-800.0, 800.0, (2, 4)).round()
        A = Wide.of(random.standard_normal((4, 4)), rows[:, None] + columns)
        with mpmath.workdps(1500):
            exact = digits.exact(A.mantissa) * np.array([[mpmath.mpf(2) ** int(e) for e in row] for row in A.exponent])
            sizes = mpmath.svd_r(mpmath.matrix(exact.tolist()), compute_uv=False)
            expected = np.sort([float(mpmath.log10(size)) for size in sizes])[::-1]
        np.testing.assert_allclose(log10_graded_singular_values(A), expected, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("pivot", [False, True])
def test_wide_qr(pivot: bool) -> None:
    """Orthonormal columns times a triangle, right to the rounding of each row."""
    random = np.random.default_rng(1)
    A = Wide.of(random.standard_normal((6, 4)), -300.0 * np.arange(6)[:, None])
    Q, R = wide_qr(A, pivot=pivot)
    np.testing.assert_allclose((Q.T @ Q).floats(), np.eye(4), atol=1e-14)
    assert not np.tril(R.mantissa, -1).any()
    if not pivot:
        difference = (Q @ R) + Wide(-A.mantissa, A.exponent)
        assert (difference.exponent.max(axis=1) < A.exponent.max(axis=1) - 40.0).all()


def test_residues() -> None:
    """0.1 + 0.2 - 0.3 is 2**-55 in float64's numbers, and no zero; far exponents have residues too."""
    tenths = Residues.of(np.array([0.1, 0.2, -0.3]))
    total = tenths[0] + tenths[1] + tenths[2]
    assert total.values.all()
    assert not (total + Residues.of(np.array(-(2.0**-55)))).values.any()
    tiny = Residues.of(Wide.of(np.array([1.0, -1.0]), -1e6))
    assert tiny.values.all()
    assert not (tiny[0] + tiny[1]).values.any()


def test_products_of_residues() -> None:
    """One matrix with each of a stack, as whole numbers have it: of one stacked matrix too, prime by prime."""
    random = np.random.default_rng(0)
    one, others = random.integers(-99, 99, (3, 3)), random.integers(-99, 99, (2, 3, 3))
    for many in (others, others[:1]):
        found = Residues.of(one.astype(float)) @ Residues.of(many.astype(float))
        np.testing.assert_array_equal(found.values, Residues.of((one @ many).astype(float)).values)


def test_a_gru_that_resets_first_loses_what_its_weights_lose() -> None:
    """With z clamped to 0 the state passes through W_hn alone, here of rank 2 of 3."""
    cell, x, h0, _ = make_case(FORMS["gru"][2], 2, 3, 4, seed=1)
    assert isinstance(cell, GRUCell)
    assert (cell.reset, cell.update) == ("before", "keep")
    W = cell.W_hh.copy()
    W[6:] = np.round(W[6:] * 64.0) / 64.0
    W[8] = W[6] + W[7]
    trace = run(replace(cell, W_hh=W), x, h0, clamp=[Clamp("z", 0.0)])
    for found in (log10_singular_values(trace), lyapunov_exponents(trace)):
        assert np.isneginf(found).tolist() == [False, False, True]


def test_a_direction_too_small_for_any_exponent_is_no_exact_zero() -> None:
    """A tanh unit at a = 1e308 has a slope of exp(-2e308): less than any number here, and no 0."""
    cell = ElmanCell(np.zeros((2, 1)), np.diag([1.7e308, 0.5]), np.zeros(2), np.zeros(2))
    exponents = finite_time_exponents(run(cell, np.zeros((12, 1)), h0=[0.9, 0.1]))
    assert exponents[0] == pytest.approx(np.log(0.5), abs=1e-2)
    assert np.isfinite(exponents).all()
    assert exponents[1] < -1e297
