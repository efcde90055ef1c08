"""Causes of decay: against products in range, 60 digits out of range, and by what each curve must be in known cases."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import (
    Clamp,
    ElmanCell,
    GRUCell,
    InputError,
    LSTMCell,
    StateOverflowError,
    Trace,
    decay_causes,
    gradient_bounds,
    log10_keep_products,
    make_cell,
    run,
    step_jacobians,
)
from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.checks import Array

from . import digits
from .drawn import FORMS, Case, cases, clamps_for, make_case

SOURCE_000 = [[0.7, -0.2, 0.3], [0.4, 0.5, -0.6], [-0.1, 0.8, 0.9]]
NILPOTENT = 1.5 * np.array([[1.0, -1.0], [1.0, -1.0]])


def elman(W_hh: Any, activation: str = "tanh", W_ih: Any = None) -> ElmanCell:
    """A cell without biases; its inputs are its pre-activations but for the recurrence."""
    H = len(W_hh)
    return ElmanCell(np.eye(H) if W_ih is None else W_ih, W_hh, np.zeros(H), np.zeros(H), activation=activation)


def slopes_of(trace: Trace) -> Array:
    assert isinstance(trace.cell, ElmanCell)
    return ACTIVATIONS[trace.cell.activation].slope(trace.preacts["a"])


def closest_orthogonal(W: Array) -> Array:
    U, _, V = np.linalg.svd(W)
    return U @ V


def norms_back(matrices: Array) -> Array:
    """Spectral norms by plain float64 products, for what stays in range."""
    products = [np.eye(matrices.shape[-1])]
    for matrix in matrices[::-1]:
        products.append(products[-1] @ matrix)
    with np.errstate(divide="ignore"):
        return np.log10(np.linalg.norm(products[::-1], 2, axis=(1, 2)))


# --- causes ---------------------------------------------------------------------------------------------------------


@given(cases(FORMS["elman"], shifts=(0.0, 3.0)))
def test_either_cause_alone_is_a_product_with_the_other_left_out(case: Case) -> None:
    trace = run(*case[:3])
    causes, W, T = decay_causes(trace), trace.cell.W_hh, trace.steps
    np.testing.assert_allclose(causes.weights_alone, norms_back(np.array([W] * T)), rtol=0.0, atol=1e-11)
    turned = slopes_of(trace)[:, :, None] * closest_orthogonal(W)
    np.testing.assert_allclose(causes.slopes_alone, norms_back(turned), rtol=0.0, atol=1e-11)


@given(cases(FORMS["elman"], shifts=(0.0, 3.0, 30.0)))
def test_the_two_logarithms_add_up_to_the_determinant(case: Case) -> None:
    trace = run(*case[:3])
    causes = decay_causes(trace)
    expected = np.linalg.slogdet(step_jacobians(trace))[1]
    np.testing.assert_allclose(causes.log_slopes + causes.log_weights, expected, rtol=1e-12, atol=1e-9)


def test_with_slopes_of_1_the_weights_are_all_there_is() -> None:
    trace = run(make_cell("elman", 2, 5, gain=1.3, seed=3, activation="identity"), np.ones((40, 2)))
    causes = decay_causes(trace)
    np.testing.assert_allclose(causes.weights_alone, norms_back(step_jacobians(trace)), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(causes.slopes_alone, np.zeros(41), rtol=0.0, atol=1e-13)
    np.testing.assert_array_equal(causes.log_slopes, np.zeros(40))


def test_with_orthogonal_weights_the_slopes_are_all_there_is() -> None:
    trace = run(make_cell("elman", 2, 5, init="orthogonal", seed=3), np.ones((40, 2)))
    causes = decay_causes(trace)
    np.testing.assert_allclose(causes.slopes_alone, norms_back(step_jacobians(trace)), rtol=0.0, atol=1e-12)
    np.testing.assert_allclose(causes.weights_alone, np.zeros(41), rtol=0.0, atol=1e-13)
    assert causes.log_weights == pytest.approx(0.0, abs=1e-13)


def test_a_gain_does_not_count_as_a_slope() -> None:
    """The stand-in for W_hh keeps its turning and loses its stretching."""
    cell, x = make_cell("elman", 2, 6, init="orthogonal", seed=1), np.ones((30, 2))
    once = run(cell, x)
    turned = replace(once, cell=replace(cell, W_hh=0.01 * cell.W_hh))  # the same pre-activations
    assert decay_causes(turned).weights_alone[0] == pytest.approx(-60.0, abs=1e-10)
    np.testing.assert_allclose(decay_causes(turned).slopes_alone, decay_causes(once).slopes_alone, atol=1e-12)


@pytest.mark.parametrize(("gain", "beyond"), [(0.05, -1000.0), (30.0, 1000.0)])
def test_powers_of_the_weights_far_beyond_float64(gain: float, beyond: float) -> None:
    W = gain * np.array(SOURCE_000)
    causes = decay_causes(run(elman(W), np.zeros((900, 3))))
    assert abs(causes.weights_alone[0]) > abs(beyond)
    for n in (1, 2, 7, 300, 900):
        power = digits.exact((mpmath.matrix(digits.exact(W).tolist()) ** n).tolist())
        expected = digits.log10_norm(power, "spectral")
        assert causes.weights_alone[900 - n] == pytest.approx(expected, rel=1e-13, abs=1e-11)


def test_saturated_slopes_far_beyond_float64() -> None:
    """Slopes of 1e-8 to 1e-26 for 100 steps, turned through each other by W_hh."""
    x = np.random.default_rng(0).uniform(10.0, 30.0, (100, 3))
    trace = run(elman(SOURCE_000), x)
    causes = decay_causes(trace)
    assert causes.slopes_alone[0] < -1000.0
    Q = digits.exact(closest_orthogonal(np.array(SOURCE_000)))
    slopes = np.array([[mpmath.sech(a) ** 2 for a in row] for row in digits.exact(trace.preacts["a"])])
    products = [digits.exact(np.eye(3))]
    for slope in slopes[::-1]:
        products.append(products[-1] @ (slope[:, None] * Q))
    expected = [digits.log10_norm(product, "spectral") for product in products[::-1]]
    np.testing.assert_allclose(causes.slopes_alone, expected, rtol=1e-13, atol=1e-11)
    logs = [float(mpmath.fsum(map(mpmath.log, slope))) for slope in slopes]
    np.testing.assert_allclose(causes.log_slopes, logs, rtol=1e-14)


def test_slopes_below_float64() -> None:
    """A pre-activation of 1e4 has the slope 1e-8685."""
    causes = decay_causes(run(elman([[1.0]]), [[0.0], [1e4], [0.0]]))
    log_slope = np.log(4.0) - 2e4
    assert causes.log_slopes[1] == pytest.approx(log_slope, rel=1e-9)  # the state of step 1 is 0
    assert causes.slopes_alone[1] - causes.slopes_alone[2] == pytest.approx(log_slope / np.log(10.0), rel=1e-9)


def test_a_unit_masked_until_late_does_not_hide_the_weak_one() -> None:
    """Unit 1 has slope 1 but for one step at 1e-3474; unit 2 falls to 1e-376 meanwhile, and is all there is then."""
    x = np.zeros((1000, 2))
    x[:, 1] = 1.0
    x[9, 0] = 4000.0
    trace = run(elman(np.diag([1e-9, 1e-9])), x)  # so small that the pre-activations are the inputs
    causes, slopes = decay_causes(trace), slopes_of(trace)
    assert slopes[9, 0] == 0.0
    np.testing.assert_allclose(causes.slopes_alone[10:], 0.0, atol=1e-15)
    expected = np.cumsum(np.log10(slopes[::-1, 1]))[::-1][:10]
    np.testing.assert_allclose(causes.slopes_alone[:10], expected, rtol=1e-13)
    assert causes.slopes_alone[0] < -370.0


def test_exact_zeros_are_minus_infinity() -> None:
    nilpotent = decay_causes(run(elman(NILPOTENT), np.zeros((4, 2))))
    assert nilpotent.weights_alone.tolist() == [-np.inf, -np.inf, -np.inf, pytest.approx(np.log10(3.0)), 0.0]
    assert nilpotent.log_weights == -np.inf
    dead = decay_causes(run(elman(np.eye(2), "relu"), [[1.0, 1.0], [-9.0, -9.0], [1.0, 1.0]]))
    assert dead.slopes_alone.tolist() == [-np.inf, -np.inf, 0.0, 0.0]
    assert dead.log_slopes.tolist() == [0.0, -np.inf, 0.0]
    nothing = decay_causes(run(elman(np.zeros((2, 2))), np.zeros((2, 2))))
    assert nothing.weights_alone.tolist() == [-np.inf, -np.inf, 0.0]
    assert nothing.log_weights == -np.inf
    np.testing.assert_allclose(nothing.slopes_alone, 0.0, atol=1e-15)


@pytest.mark.parametrize("angle", [0.3, 1.0, 2.0])
def test_what_rounding_leaves_of_an_exact_zero_is_zero(angle: float) -> None:
    """A mirror undoes itself: unit 1 is off, then none of them for an odd number of steps, then unit 2."""
    mirror = np.array([[np.cos(angle), np.sin(angle)], [np.sin(angle), -np.cos(angle)]])
    for both_on, left in ((2, np.log10(abs(np.sin(angle)))), (3, -np.inf)):
        on = np.array([[0.0, 1.0], *[[1.0, 1.0]] * both_on, [1.0, 0.0]])
        x = np.zeros_like(on)
        cell = elman(mirror, "relu")
        h = np.zeros(2)
        for t, row in enumerate(on):  # an input that puts each unit on or off
            x[t] = np.where(row, 1.0, -1.0) - mirror @ h
            h = np.maximum(x[t] + mirror @ h, 0.0)
        trace = run(cell, x)
        np.testing.assert_array_equal(slopes_of(trace), on)
        assert decay_causes(trace).slopes_alone[0] == pytest.approx(left, abs=1e-12)


@pytest.mark.parametrize("size", [1e-310, 1e-200, 1e200, 1e308])
def test_a_determinant_beyond_float64(size: float) -> None:
    W = size * np.array([[1.0, 0.5], [-0.5, 1.0]])
    causes = decay_causes(run(elman(W), np.zeros((2, 2))))
    assert causes.log_weights == pytest.approx(float(mpmath.log(mpmath.det(mpmath.matrix(W.tolist())))), rel=1e-14)


def test_one_unit_and_one_step_by_hand() -> None:
    causes = decay_causes(run(elman([[-0.25]], "sigmoid"), [[0.0]]))
    assert causes.weights_alone.tolist() == pytest.approx([np.log10(0.25), 0.0])
    assert causes.slopes_alone.tolist() == pytest.approx([np.log10(0.25), 0.0])
    assert causes.log_slopes.tolist() == pytest.approx([np.log(0.25)])
    assert causes.log_weights == pytest.approx(np.log(0.25))


def test_causes_are_read_only_also_when_copied() -> None:
    causes = decay_causes(run(elman(SOURCE_000), np.ones((3, 3))))
    for duplicate in (causes, copy.deepcopy(causes), pickle.loads(pickle.dumps(causes))):
        for name, shape in {"weights_alone": (4,), "slopes_alone": (4,), "log_slopes": (3,)}.items():
            array = getattr(duplicate, name)
            assert (array.shape, array.dtype) == (shape, np.float64)
            assert not array.flags.writeable
            np.testing.assert_array_equal(array, getattr(causes, name))
        assert type(duplicate.log_weights) is float


# --- bounds ---------------------------------------------------------------------------------------------------------


def test_the_worked_matrix_of_source_000() -> None:
    bounds = gradient_bounds(elman(SOURCE_000))
    assert bounds.spectral_radius == pytest.approx(0.976, abs=5e-4)
    assert bounds.largest_singular_value == pytest.approx(1.227, abs=5e-4)
    assert bounds.log10_bound == pytest.approx(np.log10(1.2271257684973385), rel=1e-13)
    assert bounds.log10_reference == pytest.approx(np.log10(0.9759393251270292), rel=1e-12)


@pytest.mark.parametrize(("activation", "slope"), [("tanh", 1.0), ("sigmoid", 0.25), ("relu", 1.0), ("identity", 1.0)])
def test_the_largest_slope_is_reached_and_not_passed(activation: str, slope: float) -> None:
    bounds = gradient_bounds(elman([[2.0]], activation))
    assert bounds.largest_slope == slope
    assert bounds.log10_bound == pytest.approx(np.log10(2.0 * slope))
    taken = ACTIVATIONS[activation].slope(np.append(np.linspace(-50.0, 50.0, 100_001), 0.0))
    assert taken.max() == slope


@given(cases(FORMS["elman"], shifts=(0.0, 3.0)), st.sampled_from([0.3, 1.0, 3.0]))
def test_the_bound_bounds(case: Case, gain: float) -> None:
    trace = run(replace(case.cell, W_hh=gain * case.cell.W_hh), case.x, case.h0)
    assert isinstance(trace.cell, ElmanCell)
    lags = np.arange(trace.steps, -1.0, -1.0)
    assert np.all(norms_back(step_jacobians(trace)) <= lags * gradient_bounds(trace.cell).log10_bound + 1e-12)


def test_one_unit_reaches_the_bound() -> None:
    cell = elman([[0.7]])
    bound = gradient_bounds(cell).log10_bound
    assert norms_back(step_jacobians(run(cell, np.zeros((20, 1)))))[0] == pytest.approx(20.0 * bound, rel=1e-13)


def test_the_radius_is_no_bound() -> None:
    """A nilpotent matrix explodes where slopes differ; two eigenvalues of 0.8 first grow 8-fold."""
    cell = elman(NILPOTENT, "relu")
    masked = norms_back(step_jacobians(run(cell, np.tile([1.0, -1e30], (60, 1)))))
    assert masked[0] == pytest.approx(60.0 * np.log10(1.5) + 0.5 * np.log10(2.0))
    assert gradient_bounds(cell).log10_reference == -np.inf

    slow = elman([[0.8, 6.0], [0.0, 0.8]], "identity")
    norms = norms_back(step_jacobians(run(slow, np.zeros((30, 2)))))
    reference = gradient_bounds(slow).log10_reference * np.arange(30, -1, -1)
    assert reference.max() == 0.0
    assert norms.max() > np.log10(8.0)


@pytest.mark.parametrize("H", [2, 3, 5, 8, 16, 64])
def test_a_nilpotent_matrix_has_radius_0_from_any_side(H: int) -> None:
    """Its computed eigenvalues are 1e-9 (H = 2) to 0.08 (H = 64)."""
    random = np.random.default_rng(H)
    N = np.triu(random.standard_normal((H, H)), 1) / np.sqrt(H)
    Q = np.linalg.qr(random.standard_normal((H, H)))[0]
    for W in (N, N.T, N[::-1, ::-1], Q @ N @ Q.T, 1e-200 * Q @ N @ Q.T, 1e200 * Q @ N @ Q.T):
        assert gradient_bounds(elman(W)).spectral_radius == 0.0
    assert gradient_bounds(elman(NILPOTENT)).log10_reference == -np.inf
    assert gradient_bounds(elman([[0.6, -0.3], [1.2, -0.6]])).spectral_radius == 0.0
    assert gradient_bounds(elman(np.zeros((H, H)))).spectral_radius == 0.0


@pytest.mark.parametrize(
    ("W", "radius"),
    [
        ([[0.5, 1e20], [0.0, -0.25]], 0.5),
        ([[0.5, 0.0], [1e20, -0.25]], 0.5),
        ([[0.0, 1.0], [1e-10, 0.0]], 1e-5),
        ([[1e-12, 1.0], [0.0, 1e-12]], 1e-12),
        ([[0.0, -3.0], [3.0, 0.0]], 3.0),
        ([[-0.7]], 0.7),
        ([[1e-310]], 1e-310),
    ],
)
def test_a_small_radius_is_not_taken_for_0(W: Any, radius: float) -> None:
    assert gradient_bounds(elman(W)).spectral_radius == pytest.approx(radius, rel=1e-9)


@pytest.mark.parametrize("init", ["torch", "xavier", "orthogonal", "identity", "spectral"])
@pytest.mark.parametrize("H", [1, 2, 7, 64])
def test_the_radius_of_drawn_weights_is_that_of_their_eigenvalues(init: str, H: int) -> None:
    for gain in (1e-9, 0.9, 1e9):
        cell = make_cell("elman", 1, H, init=init, gain=gain, seed=H)
        assert isinstance(cell, ElmanCell)
        expected = np.abs(np.linalg.eigvals(cell.W_hh)).max()
        assert gradient_bounds(cell).spectral_radius == pytest.approx(expected, rel=1e-12, abs=0.0)


# --- the direct path ------------------------------------------------------------------------------------------------

GATED = [*FORMS["lstm"], *FORMS["gru"]]


def keeps(trace: Trace) -> Array:
    """The keep factors as applied, (T, H), with the digits that float64 leaves them."""
    cell = trace.cell
    if isinstance(cell, GRUCell):
        return trace.gates["z"] if cell.update == "keep" else 1.0 - trace.gates["z"]
    return trace.gates["f"]


@given(cases(GATED, shifts=(0.0, 3.0)), st.data())
def test_it_is_the_largest_product_of_the_keep_factors(case: Case, data) -> None:
    trace = run(*case, clamp=data.draw(st.lists(clamps_for(case), max_size=3)))
    found = log10_keep_products(trace)
    for k in range(trace.steps + 1):
        with np.errstate(divide="ignore"):
            expected = np.log10(keeps(trace)[k:]).sum(axis=0).max()
        assert found[k] == pytest.approx(expected, rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("form", GATED)
def test_where_nothing_sees_the_state_the_direct_path_is_the_gradient(form) -> None:
    case = make_case(form, 2, 4, 6, seed=9)
    trace = run(replace(case.cell, W_hh=np.zeros_like(case.cell.W_hh)), *case[1:])
    block = slice(4, 8) if isinstance(trace.cell, LSTMCell) else slice(0, 4)
    expected = norms_back(step_jacobians(trace)[:, block, block])
    np.testing.assert_allclose(log10_keep_products(trace), expected, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("form", GATED)
@pytest.mark.parametrize("a", [-900.0, -40.0, -2.0, 2.0, 40.0, 900.0])
def test_keep_products_far_beyond_float64(form, a: float) -> None:
    """Gates shut so far that a single one underflows, and open so far that 1 - z is lost in z."""
    cell = make_cell({LSTMCell: "lstm", GRUCell: "gru"}[form[0]], 1, 2, init="zeros", **form[1])
    b_ih = np.zeros(len(cell.W_hh))
    b_ih[cell.rows("z" if form[0] is GRUCell else "f")] = [a, a - 1.0]
    found = log10_keep_products(run(replace(cell, b_ih=b_ih), np.zeros((1000, 1))))
    towards = [mpmath.mpf(-v if form[1].get("update") == "write" else v) for v in (a, a - 1.0)]
    decades = max(float(-mpmath.log10(1 + mpmath.exp(-v))) for v in towards)
    np.testing.assert_allclose(found, decades * np.arange(1000.0, -1.0, -1.0), rtol=1e-12, atol=0.0)
    assert found[0] < 0.0 or decades == 0.0


@pytest.mark.parametrize(("kind", "gate", "shut"), [("lstm", "f", 0.0), ("gru", "z", 0.0)])
def test_a_gate_held_shut_cuts_off_what_lies_before(kind: str, gate: str, shut: float) -> None:
    cell = make_cell(kind, 1, 2, seed=2)
    clamps = [Clamp(gate, 1.0), Clamp(gate, shut, unit=0, from_step=3), Clamp(gate, shut, unit=1, from_step=5)]
    found = log10_keep_products(run(cell, np.ones((6, 1)), clamp=[*clamps, Clamp(gate, 0.5, from_step=6)]))
    half = np.log10(0.5)
    np.testing.assert_allclose(found, [-np.inf, -np.inf, -np.inf, -np.inf, -np.inf, half, 0.0])
    upto_4 = log10_keep_products(run(cell, np.ones((4, 1)), clamp=clamps[:2]))
    np.testing.assert_array_equal(upto_4, np.zeros(5))


# --- refusals -------------------------------------------------------------------------------------------------------

plain, lstm, gru = (run(make_cell(kind, 2, 3), np.ones((4, 2))) for kind in ("elman", "lstm", "gru"))
anything: Any = None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: decay_causes(lstm), ["decay_causes needs an Elman RNN", "got an LSTM", "log10_keep_products(trace)"]),
        (lambda: decay_causes(gru), ["decay_causes needs an Elman RNN", "got a GRU"]),
        (
            lambda: decay_causes(anything or plain.cell),
            ["decay_causes needs a Trace; got ElmanCell", "run returns"],
        ),
        (lambda: gradient_bounds(anything or lstm.cell), ["gradient_bounds needs an Elman RNN", "got an LSTM"]),
        (lambda: gradient_bounds(anything or plain), ["got Trace", "log10_gradient_norms(trace) measures it"]),
        (lambda: log10_keep_products(plain), ["log10_keep_products needs gates", "Run an LSTM or a GRU"]),
        (lambda: log10_keep_products(anything or [gru]), ["log10_keep_products needs a Trace; got list"]),
    ],
)
def test_refusals(call: Callable[[], Any], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_a_trace_without_steps_is_refused() -> None:
    with pytest.raises(StateOverflowError) as caught:
        run(elman([[1.0]], W_ih=[[1e200]]), [[1e200]])
    with pytest.raises(InputError, match=r"decay_causes needs a trace of at least one step; got none\. Lower the"):
        decay_causes(caught.value.trace)
    with pytest.raises(StateOverflowError) as caught:
        run(replace(lstm.cell, W_ih=np.full((12, 2), 1e200)), np.full((2, 2), 1e200))
    with pytest.raises(InputError, match="log10_keep_products needs a trace of at least one step"):
        log10_keep_products(caught.value.trace)
