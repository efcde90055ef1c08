"""Eigenvalues, singular values and exponents as dots, bars, sentences and columns, found by other routes."""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import ElmanCell, Trace, log10_gradient_norms, make_cell, run, step_jacobians
from rnnviz.maths.gradient_flow.decay import power_norms, spectral_radius
from rnnviz.maths.gradient_flow.spectra import finite_time_exponents
from rnnviz.network import build, network_of, run_network
from rnnviz.presets import SPECTRA
from rnnviz.settings import KINDS, Settings
from rnnviz.texts import say
from rnnviz.views.charts.figure import Figure, themed
from rnnviz.views.charts.gradient_flow import CellFlow
from rnnviz.views.charts.spectrum import bars_chart, bars_said, complex_text, plane_chart, plane_said
from rnnviz.views.numbers import power_of_ten
from rnnviz.views.sentences.counts import of_units
from rnnviz.views.sentences.spectrum import (
    headline_words,
    last_step,
    matrix_name,
    run_words,
    spectrum,
    spectrum_columns,
    step_name,
    step_words,
    weights_words,
)
from tests.maths.drawn import ALL_FORMS, cases, make_case
from tests.views.spoken import number, slots, somewhere, whole
from tests.views.written import four_digits, four_digits_power, index, says

Array = NDArray[np.float64]

TEXTBOOK = np.array([[0.7, -0.2, 0.3], [0.4, 0.5, -0.6], [-0.1, 0.8, 0.9]])
NILPOTENT = 1.5 * np.array([[1.0, -1.0], [1.0, -1.0]])
TRANSIENT = np.array([[0.8, 4.0], [0.0, 0.8]])


def turn(angle: float) -> Array:
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


@st.composite
def matrices(draw: st.DrawFn) -> Array:
    size, scale = draw(st.integers(1, 6)), draw(st.sampled_from([1e-3, 0.3, 1.0, 4.0]))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return scale * random.standard_normal((size, size))


exponents = st.lists(st.floats(-40.0, 3.0) | st.sampled_from([-math.inf, 0.0]), min_size=1, max_size=8).map(
    lambda values: np.array(sorted(values, reverse=True))
)


def eigenvalues(W: Array) -> list[complex]:
    """In 40 digits, from the largest down."""
    with mpmath.workdps(40):
        matrix = mpmath.matrix(W.tolist())
        found = [matrix[0, 0]] if len(W) == 1 else mpmath.eig(matrix, left=False, right=False)
        return sorted((complex(value) for value in found), key=lambda value: -abs(value))


def singular_values(W: Array) -> list[float]:
    with mpmath.workdps(40):
        return sorted(
            (float(value) for value in mpmath.svd_r(mpmath.matrix(W.tolist()), compute_uv=False)), reverse=True
        )


def words(W: Array, steps: int = 40, name: str = "W_hh") -> str:
    return weights_words(W, power_norms(W, steps), name)


def linear(W: Array, steps: int = 5) -> Trace:
    zeros = np.zeros(len(W))
    return run(ElmanCell(np.zeros((len(W), 1)), W, zeros, zeros, activation="identity"), np.zeros((steps, 1)))


# --- the weights in words -------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(matrices(), st.integers(1, 40))
def test_what_eigenvalues_promise_and_what_powers_do(W: Array, steps: int) -> None:
    """The powers one by one, the radius in 40 digits."""
    norms = [1.0, *(float(np.linalg.norm(np.linalg.matrix_power(W, n), 2)) for n in range(1, steps + 1))]
    text = words(W, steps)
    found = slots("spectrum.words", text)
    radius, peak = abs(eigenvalues(W)[0]), max(norms)
    assert four_digits(found["radius"], radius) or abs(number(found["radius"]) - radius) < 1e-6
    assert four_digits(found["sigma"], singular_values(W)[0])
    assert (found["matrix"], int(found["steps"])) == ("W_hh", steps)
    assert four_digits_power(found["left"], math.log10(norms[-1]))
    grown, still = somewhere("spectrum.transient", text), somewhere("spectrum.transient.still", text)
    if abs(radius - 1) < 1e-6 or abs(peak - 1) < 1e-6:
        return
    assert (grown is not None or still is not None) == (radius < 1 and peak > 1)
    if grown is not None:
        assert norms[int(grown["power"])] == pytest.approx(peak, rel=1e-9)
        assert four_digits(grown["peak"], peak)
        assert norms[-1] < peak
        assert int(grown["steps"]) == steps
    if still is not None:
        assert norms[-1] == pytest.approx(peak, rel=1e-9)


@settings(max_examples=100)
@given(matrices())
def test_only_a_norm_up_to_1_rules_out_growth(W: Array) -> None:
    """What the sentence of transient growth claims: powers of such a matrix never exceed 1, those of another do."""
    sigma = singular_values(W)[0]
    peak = max(float(np.linalg.norm(np.linalg.matrix_power(W, n), 2)) for n in range(1, 20))
    assert (peak > 1 + 1e-9) == (sigma > 1 + 1e-9)


def test_the_textbook_matrix_to_the_character() -> None:
    assert words(TEXTBOOK) == (
        "The spectral radius of W_hh (its largest absolute eigenvalue) is ρ = 0.9759. Its largest singular value is "
        "σ₁ = 1.227. At n = 40, the power W_hhⁿ has norm 0.4429. "
        "Transient growth: all eigenvalues lie inside the unit circle, yet the norm ‖W_hhⁿ‖ rises above 1. Up to "
        "n = 40 it is largest at n = 2: 1.337. Only σ₁ ≤ 1 rules this out."
    )


def test_eigenvalues_of_08_grow_eightfold() -> None:
    """n 0.8^(n-1) 4 beside 0.8^n: largest at n = 4."""
    found = somewhere("spectrum.transient", words(TRANSIENT))
    assert found is not None
    assert found["power"] == "4"
    by_hand = [np.linalg.norm([[0.8**n, 4 * n * 0.8 ** (n - 1)], [0, 0.8**n]], 2) for n in range(1, 41)]
    assert max(by_hand) == by_hand[3]
    assert 8 < by_hand[3] < 8.3
    assert four_digits(found["peak"], float(by_hand[3]))
    assert by_hand[-1] < 0.03  # and is gone in the end
    assert slots("spectrum.words", words(TRANSIENT))["radius"] == "0.8"
    assert somewhere("spectrum.transient.still", words(TRANSIENT, 3)) == {"matrix": "W_hh", "power": "3"}


def test_a_square_of_zero() -> None:
    text = words(NILPOTENT)
    found = slots("spectrum.words", text)
    assert (found["radius"], found["sigma"], found["left"]) == ("0", "3", "0")
    grown = somewhere("spectrum.transient", text)
    assert grown is not None
    assert (grown["peak"], grown["power"]) == ("3", "1")


@pytest.mark.parametrize(
    ("degrees", "period"), [(30, 12), (-45, 8), (90, 4), (180, 2), (120, 3), (1, 360), (0.7, None)]
)
def test_a_rotation_says_its_angle_and_when_it_is_back(degrees: float, period: int | None) -> None:
    W = turn(math.radians(degrees))
    text = words(W)
    found = slots("spectrum.words", text)
    assert (found["radius"], found["sigma"], found["left"]) == ("1", "1", "1")
    assert say("spectrum.orthogonal", matrix="W_hh") in text
    assert "Transient" not in text
    turned = somewhere("spectrum.turn.back", text)
    assert (turned is None) == (period is None)
    if turned is None:
        turned = somewhere("spectrum.turn", text)
    assert turned is not None
    assert says(turned["angle"], degrees)
    if period is not None:
        assert int(turned["period"]) == period
        back = [np.allclose(np.linalg.matrix_power(W, n), np.eye(2), atol=1e-9) for n in range(1, period + 1)]
        assert back == [False] * (period - 1) + [True]


@given(st.integers(1, 6), st.sampled_from([1.0, 0.6, 2.0, 1e-3]), st.integers(0, 1000))
def test_orthogonal_matrices_and_multiples_of_them(size: int, scale: float, seed: int) -> None:
    Q = np.linalg.qr(np.random.default_rng(seed).standard_normal((size, size)))[0]
    text = words(scale * Q)
    plain, scaled = somewhere("spectrum.orthogonal", text), somewhere("spectrum.orthogonal.scaled", text)
    assert (plain is not None) == (size > 1 and scale == 1.0)
    assert (scaled is not None) == (size > 1 and scale != 1.0)
    if scaled is not None:
        assert four_digits(scaled["sigma"], scale)
    turned = "It turns the plane" in text
    assert turned == (size == 2 and scale == 1.0 and np.linalg.det(Q) > 0)
    assert "Transient" not in text


def test_the_identity_and_no_weights() -> None:
    assert words(np.eye(3)).endswith(say("spectrum.identity", matrix="W_hh"))
    assert words(np.zeros((3, 3))) == say("spectrum.words", matrix="W_hh", radius="0", sigma="0", steps=40, left="0")
    assert "turns" not in words(np.diag([1.0, -1.0]))  # a mirror


@pytest.mark.parametrize("seed", range(32))
def test_random_weights_are_called_neither(seed: int) -> None:
    for H in (2, 5):
        text = words(make_cell("elman", 1, H, seed=seed).W_hh)
        assert "orthogonal" not in text
        assert "identity" not in text


# --- which matrix a step is -----------------------------------------------------------------------------------------


def of_preset(name: str, kind: str = "elman") -> Trace:
    return run_network(build(network_of(Settings(name, kind=kind)))).trace


def test_why_the_nilpotent_matrix_explodes() -> None:
    """By hand: the last row alone is left, (1.5, -1.5) times a derivative of 1, with the eigenvalue -1.5."""
    trace = of_preset("nilpotent")
    said = whole("spectrum.step.explodes", step_words(trace, finite_time_exponents(trace)))
    slopes = 1 / np.cosh(trace.preacts["a"][-1]) ** 2
    radius = abs(1.5 * slopes[0] - 1.5 * slopes[1])  # the trace of a singular 2 x 2 matrix is its other eigenvalue
    assert four_digits(said["step"], radius)
    assert radius > 1
    assert (said["low"], said["t"]) == ("1 of 2 units", "40")
    assert slopes[0] < 0.1 < slopes[1]


def test_a_step_explodes_without_a_saturated_unit_too() -> None:
    """What makes it is that derivatives differ: with one of them for all units the radius is that times ρ, below 1."""
    W = np.array([[3.0, -3.0], [3.0, -3.0]])
    cell = ElmanCell(np.eye(2), W, np.zeros(2), np.zeros(2))

    def always(sums: Array) -> Trace:
        """Every step has these sums."""
        return run(cell, [sums, *[sums - W @ np.tanh(sums)] * 2])

    unequal, equal = always(np.array([0.0, 1.2])), always(np.array([0.7, 0.7]))
    text = step_words(unequal, finite_time_exponents(unequal))
    said = whole("spectrum.step.explodes", text)
    slopes = 1 / np.cosh(unequal.preacts["a"][-1]) ** 2
    assert "differs between units" in text
    assert (said["low"], float(np.ptp(slopes)) > 0.1) == (of_units(int((slopes < 0.1).sum()), 2), True)
    assert four_digits(said["step"], abs(3 * slopes[0] - 3 * slopes[1]))
    assert whole("spectrum.step", step_words(equal, finite_time_exponents(equal)))["low"] == "no unit"


@settings(max_examples=40)
@given(cases(max_steps=6))
def test_what_a_step_multiplies_by(case: Any) -> None:
    trace = run(*case)
    found, cell = finite_time_exponents(trace), trace.cell
    said = step_words(trace, found)
    radius = max(map(abs, np.linalg.eigvals(step_jacobians(trace)[-1])))
    if not isinstance(cell, ElmanCell):
        spoken = somewhere("spectrum.step.gated", said)
        assert said.startswith(say("spectrum.gated", matrix="W_hh", count=len(cell.gate_names)))
    elif cell.activation == "identity":
        assert said == ""
        assert step_name(trace) == ""
        return
    else:
        spoken = somewhere("spectrum.step.explodes", said)
        explodes = spoken is not None
        spoken = spoken or whole("spectrum.step", said)
        grows = log10_gradient_norms(trace)[0] > 0
        rho = max(map(abs, np.linalg.eigvals(cell.W_hh)))
        if min(abs(rho - 1), abs(radius - 1)) > 1e-6:
            assert explodes == (rho < 1 < radius and grows)
        slopes = np.abs(np.diagonal(step_jacobians(trace)[-1] @ np.linalg.inv(cell.W_hh)))
        assert spoken["low"] == of_units(int((slopes < 0.1).sum()), cell.hidden_size)
    assert spoken is not None
    assert int(spoken["t"]) == trace.steps
    assert str(trace.steps) in step_name(trace)
    assert four_digits(spoken["step"], radius) or abs(number(spoken["step"]) - radius) < 1e-7
    np.testing.assert_allclose(last_step(trace), step_jacobians(trace)[-1], rtol=1e-13, atol=1e-300)


def test_the_radius_of_a_step_far_below_float64_is_no_zero() -> None:
    """One unit: the radius is sech(a)² |w|, in 50 digits."""
    cell = make_cell("elman", 1, 1)
    trace = run(cell, [[1000.0 / float(cell.W_ih[0, 0])]])
    said = whole("spectrum.step", step_words(trace, finite_time_exponents(trace)))
    with mpmath.workdps(50):
        a, w = (mpmath.mpf(float(one)) for one in (trace.preacts["a"][0, 0], cell.W_hh[0, 0]))
        radius = float(mpmath.log10(mpmath.sech(a) ** 2 * abs(w)))
    assert radius < -860
    assert four_digits_power(said["step"], radius)


@given(st.integers(1, 4), st.integers(0, 99), st.sampled_from([1.0, 1e-5, 1e-14, 1e-200, 0.0]))
def test_a_spectral_radius_of_0_is_said_of_nilpotent_matrices_alone(H: int, seed: int, scale: float) -> None:
    """Those whose power n = H is 0 to within rounding: by integers, exactly; any other has a number, however small."""
    upper = np.triu(np.random.default_rng(seed).integers(-3, 4, (H, H)), 1)
    change = np.eye(H, dtype=int) + np.eye(H, k=1, dtype=int)
    back = np.rint(np.linalg.inv(change)).astype(int)
    for core, nilpotent in ((upper, True), (upper + 2 * np.eye(H, dtype=int), False)):
        W = change @ core @ back
        assert (not np.linalg.matrix_power(W, H).any()) == nilpotent
        said = slots("spectrum.words", words(scale * W, 3))
        assert (said["radius"] == "0") == (nilpotent or scale == 0.0)


def test_a_block_of_a_gated_cell_is_called_one() -> None:
    for kind, gates in (("lstm", "ifgo"), ("gru", "rzn")):
        cell = make_cell(kind, 1, 2)
        assert [matrix_name(cell, gate) for gate in gates] == [f"W_h{gate}" for gate in gates]
        said = step_words(run(cell, [[1.0]]), np.zeros(4), "W_hn")
        assert f"one of {len(gates)} blocks" in said
        assert said.startswith("W_hn")
    assert matrix_name(make_cell("elman", 1, 2), "") == "W_hh"


# --- the run in words -----------------------------------------------------------------------------------------------

LENGTHS = (1, 2, 20, 100, 1000)
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "elman": [{}, {"gain": 3.0}, {"init": "identity", "activation": "relu"}, {"init": "orthogonal"}],
    "lstm": [{}, {"forget_bias": 5.0}, {"init": "chrono", "t_max": 100}],
    "gru": [{}, {"init": "chrono", "t_max": 100}],
}


@pytest.mark.parametrize("steps", LENGTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_sentence_of_a_run_cannot_disagree_with_the_headline(kind: str, steps: int) -> None:
    """The page's own norm at step 0 of the whole state, over 32 seeds: its size, its root, and which way it goes."""
    for seed in range(32):
        options = OPTIONS[kind][seed % len(OPTIONS[kind])]
        trace = run(
            make_cell(kind, 2, 3, seed=seed, **options), np.random.default_rng(seed).standard_normal((steps, 2))
        )
        flow = CellFlow(trace, log10_gradient_norms(trace, block="state"), "state")
        norm, text = float(flow.norms[0]), run_words(finite_time_exponents(trace), trace)
        if norm == -math.inf:
            assert somewhere("spectrum.run.none", text) is not None
            continue
        key = "fades" if norm < -1e-9 else "grows" if norm > 1e-9 else "keeps"
        found = somewhere(f"spectrum.run.{key}", text)
        assert found is not None, (text, norm)
        assert index(found["to"]) == steps
        assert found["s"] == ("s" if kind == "lstm" else "h")
        if key != "keeps":
            assert found["left"] == power_of_ten(norm)  # as the headline writes it
            assert four_digits_power(found["factor"], norm / steps)
            assert four_digits(found["largest"], norm * math.log(10) / steps)
        assert headline_words(trace, flow.block).endswith(say("spectrum.run.same"))


@settings(max_examples=80)
@given(cases(max_steps=8))
def test_how_many_directions_a_run_stretches_keeps_and_loses(case: Any) -> None:
    """By the singular values of the plain product of the steps."""
    trace = run(*case)
    product = np.eye(trace.cell.state_size)
    for J in step_jacobians(trace):
        product = J @ product
    sizes = np.linalg.svd(product, compute_uv=False)
    found = finite_time_exponents(trace)
    text = run_words(found, trace)
    lost = somewhere("spectrum.run.lost", text.rsplit(". ", 1)[-1])
    assert (lost is not None) == (0 < np.isneginf(found).sum() < len(sizes))
    if lost is not None:
        assert (int(lost["lost"]), int(lost["all"])) == (np.isneginf(found).sum(), len(sizes))
        assert (sizes < 1e-9 * max(1.0, sizes[0])).sum() >= int(lost["lost"])
    if np.abs(np.log(sizes[sizes > 0])).min(initial=1.0) < 1e-6:
        return
    if len(sizes) == 1:
        only = somewhere("spectrum.run.only", text)
        assert (only is None) == (found[0] == -math.inf)
        assert only is None or sizes[0] < 1e-300 or four_digits_power(only["left"], math.log10(sizes[0]))
        return
    grows = somewhere("spectrum.run.grows", text)
    assert (grows is not None) == (sizes[0] > 1)
    if grows is not None:
        assert (int(grows["count"]), int(grows["all"])) == ((sizes > 1).sum(), len(sizes))
    else:
        assert somewhere("spectrum.run.fades", text) is not None or somewhere("spectrum.run.none", text) is not None


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        ([0.0, -1.0], "This run stretches no direction, and 1 of 2 directions keeps its length."),
        ([1e-17, -1e-17], "This run stretches no direction, and 2 of 2 directions keep their length."),
        (
            [0.0],
            "In absolute value, ∂h₄/∂h₀ is 1: a factor of 1 a step. The natural logarithm of this factor is the "
            "finite-time Lyapunov exponent, 0.",
        ),
        ([0.1, 1e-17, -1.0], "This run stretches 1 of 3 directions."),
        ([-0.5, -1.0], "This run shrinks every direction."),
        (
            [-math.inf, -math.inf],
            "This run loses every direction: ∂h₄/∂h₀ is exactly 0, and all finite-time Lyapunov exponents are −∞.",
        ),
        ([-0.5, -math.inf], "1 of 2 directions is lost exactly: its exponent is −∞."),
        ([-0.5, -math.inf, -math.inf], "2 of 3 directions are lost exactly: their exponents are −∞."),
    ],
)
def test_the_run_by_hand(found: list[float], sentence: str) -> None:
    assert sentence in run_words(np.array(found), linear(np.eye(2), 4))


def test_an_lstm_followed_by_a_block_says_what_the_exponents_are_of() -> None:
    lstm, gru = (run(make_cell(kind, 1, 2), [[1.0]]) for kind in ("lstm", "gru"))
    assert headline_words(gru, "h") == say("spectrum.run.same")
    for block, beside in (("state", say("spectrum.run.same")), ("h", say("spectrum.run.block", block="h"))):
        assert headline_words(lstm, block) == f"{say('spectrum.run.state')} {beside}"


def test_a_rotation_keeps_both_directions() -> None:
    trace = of_preset("rotation")
    said = whole("spectrum.run.keeps", run_words(finite_time_exponents(trace), trace))
    assert (said["count"], said["all"], index(said["to"])) == ("2", "2", 40)


def test_chrono_is_told_by_its_own_run() -> None:
    """At T = 100 the recursion from the identity still carries its start: 0.942 a step, where the run has 0.99."""
    trace = of_preset("chrono", "lstm")
    said = run_words(finite_time_exponents(trace), trace)
    norm = float(log10_gradient_norms(trace, block="state")[0])
    found = somewhere("spectrum.run.fades" if norm < 0 else "spectrum.run.grows", said)
    assert found is not None
    assert four_digits_power(found["factor"], norm / 100)
    assert 0.98 < number(found["factor"]) < 1.01


# --- the charts -----------------------------------------------------------------------------------------------------


def traces(figure: Figure, axis: str = "x") -> list[dict[str, Any]]:
    assert themed(figure, "dark")["data"] is figure["data"]
    return [trace for trace in figure["data"] if trace.get("xaxis", "x") == axis]


@settings(max_examples=40)
@given(matrices(), matrices())
def test_a_dot_for_each_eigenvalue_on_a_plane_with_equal_scales(W: Array, J: Array) -> None:
    figure = plane_chart(spectrum(W)[0], "W_hh", spectrum(J)[0], "the step")
    dots, rings = traces(figure)
    for trace, matrix, name in ((dots, W, "W_hh"), (rings, J, "the step")):
        assert trace["name"] == name
        left = eigenvalues(matrix)
        assert len(trace["x"]) == len(left)
        for x, y, hover in zip(trace["x"], trace["y"], trace["hovertext"], strict=True):
            nearest = min(left, key=lambda value, at=complex(x, y): abs(value - at))  # type: ignore[misc]
            left.remove(nearest)
            assert abs(nearest - complex(x, y)) < 1e-6 * max(1.0, abs(nearest))
            assert four_digits(slots("spectrum.dot", hover)["size"], math.hypot(x, y))
    layout = figure["layout"]
    assert layout["yaxis"]["scaleanchor"] == "x"
    low, high = layout["xaxis"]["range"]
    assert layout["yaxis"]["range"] == [low, high]
    reach = max(abs(eigenvalues(W)[0]), abs(eigenvalues(J)[0]))
    assert high == -low == pytest.approx(max(1.2, 1.1 * reach))
    (circle,) = layout["shapes"]
    assert (circle["type"], circle["x0"], circle["x1"], circle["y0"], circle["y1"]) == ("circle", -1, 1, -1, 1)
    assert plane_said("W_hh", "the step") == say("spectrum.plane.said", matrix="W_hh", step="the step")


def test_a_linear_network_has_no_second_matrix() -> None:
    (dots,) = traces(plane_chart(spectrum(TEXTBOOK)[0], "W_hh"))
    assert len(dots["x"]) == 3
    assert plane_said("W_hh") == say("spectrum.plane.said.alone", matrix="W_hh")


@given(matrices(), exponents)
def test_a_bar_for_each_singular_value_and_exponent(W: Array, found: Array) -> None:
    """What is lost has no bar but a mark that says −∞."""
    figure = bars_chart(spectrum(W)[1], found, "W_hh")
    (upper,), (bars, *marks) = traces(figure), traces(figure, "x2")
    wanted = singular_values(W)
    assert upper["y"] == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    assert list(upper["x"]) == list(range(1, len(W) + 1))
    for place, hover in enumerate(upper["hovertext"]):
        said = slots("spectrum.bar", hover)
        assert int(said["place"]) == place + 1
        assert four_digits(said["value"], wanted[place])
    there = [(place, value) for place, value in enumerate(found.tolist(), 1) if value > -math.inf]
    assert list(zip(bars["x"], bars["y"], strict=True)) == there
    for (place, value), hover in zip(there, bars["hovertext"], strict=True):
        said = slots("spectrum.exponent", hover)
        assert int(said["place"]) == place
        assert four_digits(said["value"], value)
        assert four_digits_power(said["factor"], value / math.log(10))
    lost = [place for place, value in enumerate(found.tolist(), 1) if value == -math.inf]
    assert [place for mark in marks for place in mark["x"]] == lost
    low, high = figure["layout"]["yaxis2"]["range"]
    assert low < min([0.0, *(value for _, value in there)])
    assert high > max([0.0, *(value for _, value in there)])
    for mark in marks:
        assert "−∞" in mark["text"]
        assert all(low < y < min([0.0, *(value for _, value in there)]) for y in mark["y"])
        assert mark["hovertext"] == [say("spectrum.exponent.lost", place=place) for place in lost]
    said_in_all = slots("spectrum.bars.said", bars_said(spectrum(W)[1], found, "W_hh"))
    assert (int(said_in_all["count"]), int(said_in_all["all"])) == (len(W), len(found))
    exponents = said_in_all["exponents"].removesuffix(".")
    ends = slots("spectrum.bars.range", exponents) if len(found) > 1 else {"high": exponents, "low": exponents}
    assert four_digits(ends["high"], float(found[0]))
    assert four_digits(ends["low"], float(found[-1]))


def test_a_nilpotent_matrix_has_its_dots_in_the_middle() -> None:
    """Computed as they come they would lie on a ring about 0."""
    chain, Q = np.diag(np.ones(7), 1), np.linalg.qr(np.random.default_rng(0).standard_normal((8, 8)))[0]
    turned = Q @ chain @ Q.T
    (dots,) = traces(plane_chart(spectrum(turned)[0], "W_hh"))
    assert (set(dots["x"]), set(dots["y"])) == ({0.0}, {0.0})
    assert np.abs(np.linalg.eigvals(turned)).max() > 1e-3  # the ring


@pytest.mark.parametrize("W", [np.zeros((2, 2)), np.array([[5e-324]]), 1.7e308 * np.eye(2), np.eye(64)])
@pytest.mark.parametrize("found", [[-math.inf, -math.inf], [700.0, -700.0], [0.0]])
def test_any_size_of_numbers(W: Array, found: list[float]) -> None:
    values, singular = spectrum(W)
    figures = plane_chart(values, "W_hh", values, "step"), bars_chart(singular, np.array(found), "W_hh")
    for figure in figures:
        ends = [end for name, axis in figure["layout"].items() if "axis" in name for end in axis["range"]]
        assert np.isfinite(ends).all()
    assert words(W)
    assert spectrum_columns(W, np.array([*found, *[-math.inf] * len(W)]))


# --- the numbers ----------------------------------------------------------------------------------------------------


@given(st.complex_numbers(max_magnitude=100.0, allow_nan=False) | st.floats(-100.0, 100.0).map(complex))
@example(0.5j)
def test_an_eigenvalue_reads_as_a_complex_number(value: complex) -> None:
    text = complex_text(value)
    if value.imag == 0:
        assert four_digits(text, value.real)
        return
    assert text.endswith("i")
    real, sign, imaginary = text.removesuffix("i").rsplit(" ", 2)
    assert four_digits(real, value.real)
    assert four_digits(imaginary, abs(value.imag))
    assert sign == ("−" if value.imag < 0 else "+")


@settings(max_examples=40)
@given(matrices(), st.booleans())
def test_the_table_has_all_of_them_in_the_order_of_size(W: Array, longer: bool) -> None:
    """An LSTM has twice as many exponents as a block has singular values: their places stay empty."""
    found = -np.arange(2.0 * len(W) if longer else len(W))
    columns = spectrum_columns(W, found)
    place, real, imaginary, size, singular, rates, factors = columns.values()
    assert list(columns) == [
        say(f"spectrum.column.{name}")
        for name in ("place", "real", "imaginary", "size", "singular", "exponent", "factor")
    ]
    rest = [None] * (len(found) - len(W))
    assert place == list(range(1, len(found) + 1))
    assert singular[: len(W)] == pytest.approx(singular_values(W), rel=1e-9, abs=1e-12)
    assert singular[len(W) :] == real[len(W) :] == imaginary[len(W) :] == size[len(W) :] == rest
    for x, y, absolute in zip(real[: len(W)], imaginary[: len(W)], size[: len(W)], strict=True):
        assert x is not None
        assert y is not None
        assert absolute == pytest.approx(math.hypot(x, y))
    assert rates == found.tolist()
    assert factors == pytest.approx([math.exp(value) for value in found.tolist()])


@pytest.mark.parametrize("form", ALL_FORMS)
def test_the_radius_of_the_table_is_that_of_the_weights(form: tuple[type, dict[str, str]]) -> None:
    cell, *_ = make_case(form, 1, 4, 2, seed=1)
    size = spectrum_columns(cell.W_hh[:4], np.zeros(4))[say("spectrum.column.size")]
    assert size[0] == pytest.approx(spectral_radius(cell.W_hh[:4]))


@pytest.mark.parametrize("preset", SPECTRA)
def test_every_matrix_to_try_has_something_to_show(preset: str) -> None:
    """Eigenvalues that tell another story than the singular values, or a rotation, where both are 1."""
    W = SPECTRA[preset].weights["W_hh"]
    rho, sigma = max(map(abs, np.linalg.eigvals(W))), float(np.linalg.norm(W, 2))
    assert rho < 1 < sigma or (preset == "rotation" and rho == pytest.approx(1) and sigma == pytest.approx(1))
