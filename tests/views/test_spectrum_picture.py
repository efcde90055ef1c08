"""Eigenvalues, singular values and Lyapunov exponents as dots, bars, sentences and a table, found by other routes."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz.maths.decay import power_norms, spectral_radius
from rnnviz.texts import say
from rnnviz.views.spectrum import (
    complex_text,
    lyapunov_words,
    spectrum,
    spectrum_picture,
    spectrum_said,
    spectrum_table,
    spectrum_words,
)
from tests.views.spoken import number, slots
from tests.views.written import says, says_power

Array = NDArray[np.float64]
SVG = "{http://www.w3.org/2000/svg}"

TEXTBOOK = np.array([[0.7, -0.2, 0.3], [0.4, 0.5, -0.6], [-0.1, 0.8, 0.9]])
NILPOTENT = 1.5 * np.array([[1.0, -1.0], [1.0, -1.0]])
TURN = np.array([[math.cos(0.5), -math.sin(0.5)], [math.sin(0.5), math.cos(0.5)]])
SIDE, TOP, LEFT, APART = 210.0, 24.0, 44.0, 294.0  # of the three plots, in pixels


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


def drawn(W: Array, found: Array) -> ElementTree.Element:
    (svg,) = ElementTree.fromstring(spectrum_picture(W, found, spectral_radius(W)))
    return svg


def titled(svg: ElementTree.Element, shape: str) -> list[tuple[str, dict[str, float]]]:
    """What can be pointed at, with its title and its place."""
    found = []
    for group in svg.iter(f"{SVG}g"):
        title, mark = group.find(f"{SVG}title"), group.find(f"{SVG}{shape}")
        if title is not None and mark is not None:
            places = {key: float(value) for key, value in mark.attrib.items() if key[0] not in "f"}
            found.append((title.text or "", places))
    return found


# --- sentences ------------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(matrices(), st.integers(1, 40))
def test_what_eigenvalues_promise_and_what_powers_do(W: Array, steps: int) -> None:
    """The powers one by one, the radius in 40 digits."""
    norms = [1.0, *(float(np.linalg.norm(np.linalg.matrix_power(W, n), 2)) for n in range(1, steps + 1))]
    said = spectrum_words(W, spectral_radius(W), power_norms(W, steps))
    found = slots("spectrum.words", said)
    radius, sigma = abs(eigenvalues(W)[0]), singular_values(W)[0]
    assert near(found["radius"], radius)
    assert near(found["sigma"], sigma)
    assert int(found["steps"]) == steps
    assert says_power(found["left"].rstrip("."), math.log10(norms[-1]))
    peak = max(norms)
    if abs(peak - 1.05) < 1e-9:
        return
    assert ("On the way" in said) == (peak > 1.05)
    if peak > 1.05:
        tail = slots("spectrum.peak", said[said.index("On the way") :])
        assert says_power(tail["peak"], math.log10(peak))
        assert norms[int(tail["power"].rstrip("."))] == pytest.approx(peak, rel=1e-9)
    warned = say("spectrum.shortcut") in said
    assert warned == (radius < 1 and peak > 1.05 and norms[-1] < peak * (1 - 1e-12)) or radius == pytest.approx(1)


def near(text: str, value: float) -> bool:
    """To the three decimals that are shown, or a rounding of eigenvalues that nearly coincide."""
    return says(text, value) or abs(number(text) - value) < 1e-6


def test_the_textbook_matrix_to_the_character() -> None:
    assert spectrum_words(TEXTBOOK, spectral_radius(TEXTBOOK), power_norms(TEXTBOOK, 40)) == (
        "Spectral radius ρ = 0.976, largest singular value σ = 1.227: W_hh to the power of 40 has the norm 0.443. On "
        "the way it reaches 1.34, at the power 2. All eigenvalues lie inside the unit circle, and still a change can "
        "grow first: only σ below 1 forbids that."
    )


def test_a_square_of_zero_and_a_rotation() -> None:
    said = spectrum_words(NILPOTENT, spectral_radius(NILPOTENT), power_norms(NILPOTENT, 40))
    assert said.startswith("Spectral radius ρ = 0.000, largest singular value σ = 3.000")
    assert "has the norm 0. On the way it reaches 3, at the power 1. All eigenvalues lie inside" in said
    turned = spectrum_words(TURN, spectral_radius(TURN), power_norms(TURN, 40))
    assert turned == (
        "Spectral radius ρ = 1.000, largest singular value σ = 1.000: W_hh to the power of 40 has the norm 1."
    )


@given(exponents)
def test_what_the_largest_exponent_says(found: Array) -> None:
    said, largest = lyapunov_words(found), float(found[0])
    if largest == -math.inf:
        assert slots("spectrum.exponents.none", said) == {}
    elif abs(largest) < 1e-10:
        assert slots("spectrum.exponents.keeps", said) == {}
    elif abs(largest) > 1e-8:
        grows = largest > 0
        named = slots("spectrum.exponents.grows" if grows else "spectrum.exponents.fades", said)
        assert says(named["largest"], largest)
        assert says(named["factor"], math.exp(largest))
        if grows and not any(0 < abs(value) < 1e-8 for value in found):
            assert int(named["count"]) == sum(value > 0 for value in found)
            assert int(named["all"]) == len(found)


def test_rounding_neither_grows_nor_fades() -> None:
    for pair in ([3.9e-17, -1.7e-17], [-1.7e-17, -3.9e-17], [0.0, 0.0], [-0.0, -1.0]):
        assert slots("spectrum.exponents.keeps", lyapunov_words(np.array(pair))) == {}
    assert slots("spectrum.exponents.grows", lyapunov_words(np.array([0.1, 3.9e-17, -1.0])))["count"] == "1"


# --- the picture ----------------------------------------------------------------------------------------------------


@settings(max_examples=40)
@given(matrices(), exponents)
def test_a_dot_for_each_eigenvalue_on_its_place_beside_the_unit_circle(W: Array, found: Array) -> None:
    svg, wanted = drawn(W, found), eigenvalues(W)
    reach = 1.15 * max(1.0, abs(wanted[0]))
    unit, x0, y0 = SIDE / 2 / reach, LEFT + SIDE / 2, TOP + SIDE / 2
    (circle,) = [one for one in svg.findall(f"{SVG}circle") if one.attrib["fill"] == "none"]
    assert (float(circle.attrib["cx"]), float(circle.attrib["cy"])) == (x0, y0)
    assert float(circle.attrib["r"]) == pytest.approx(unit, abs=0.06)
    dots = titled(svg, "circle")
    assert len(dots) == len(wanted)
    left = [(x0 + unit * value.real, y0 - unit * value.imag) for value in wanted]
    for title, mark in dots:  # matched one by one: sorting may swap what rounding moves
        distances = [math.hypot(x - mark["cx"], y - mark["cy"]) for x, y in left]
        assert min(distances) < 0.2
        left.pop(distances.index(min(distances)))
        said = slots("spectrum.dot", title)
        size = math.hypot(mark["cx"] - x0, mark["cy"] - y0) / unit
        assert number(said["size"]) == pytest.approx(size, abs=0.2 / unit)


@given(matrices(), exponents)
def test_a_bar_for_each_singular_value_and_exponent(W: Array, found: Array) -> None:
    """Singular values on a foot at 0 beside the level 1; exponents up and down from 0, what is lost right down."""
    bars = titled(drawn(W, found), "rect")
    singular, lyapunov = bars[: len(W)], bars[len(W) :]
    wanted = singular_values(W)
    limit = 1.15 * max(1.0, wanted[0])
    pitch = SIDE / len(W)
    for place, ((title, bar), value) in enumerate(zip(singular, wanted, strict=True)):
        said = slots("spectrum.bar", title)
        assert int(said["place"]) == place + 1
        assert near(said["value"], value)
        assert bar["y"] + max(bar["height"], SIDE * value / limit) == pytest.approx(TOP + SIDE, abs=0.9)
        assert bar["height"] == pytest.approx(max(SIDE * value / limit, 0.8), abs=0.11)
        assert bar["x"] == pytest.approx(LEFT + APART + (place + 0.1) * pitch, abs=0.06)
    finite = [value for value in found.tolist() if value > -math.inf]
    high, low = max(0.3, 1.1 * max([0.0, *finite])), min(-0.3, 1.1 * min([0.0, *finite]))
    scale = SIDE / (high - low)
    zero = TOP + high * scale
    for place, ((title, bar), value) in enumerate(zip(lyapunov, found.tolist(), strict=True)):
        said = slots("spectrum.exponent", title)
        assert int(said["place"]) == place + 1
        assert says(said["value"], value) if value > -math.inf else said["value"] == "−∞"
        tall = abs(max(value, low)) * scale
        assert bar["height"] == pytest.approx(max(tall, 0.8), abs=0.11)
        assert bar["y"] == pytest.approx(zero - tall if value > 0 else zero, abs=0.11)
        assert bar["y"] >= TOP - 0.1
        assert bar["y"] + bar["height"] <= TOP + SIDE + 0.9


@given(matrices(), exponents)
def test_the_levels_are_marked_and_numbered(W: Array, found: Array) -> None:
    """1 beside the singular values, 0 beside the exponents."""
    svg = drawn(W, found)
    lines = [line.attrib["d"] for line in svg.findall(f"{SVG}path") if "stroke-dasharray" in line.attrib]
    heights = [float(line.partition(" ")[2].partition("H")[0]) for line in lines]
    texts = [(float(t.attrib["x"]), float(t.attrib["y"]), t.text) for t in svg.iter(f"{SVG}text")]
    for place, (height, text) in enumerate(zip(heights, ("1.0", "0.0"), strict=True), start=1):
        beside = [said for x, y, said in texts if x == LEFT - 6 + place * APART and abs(y - height) < 0.06]
        assert beside == [text]
    assert {say("spectrum.plane"), say("spectrum.singular"), say("spectrum.lyapunov")} <= {said for *_, said in texts}


@settings(max_examples=40)
@given(matrices(), exponents)
def test_the_picture_in_a_sentence(W: Array, found: Array) -> None:
    svg = drawn(W, found)
    said = slots("spectrum.said", svg.attrib["aria-label"])
    values = singular_values(W)
    assert int(said["count"]) == len(W)
    assert near(said["radius"], abs(eigenvalues(W)[0]))
    assert near(said["sigma"], values[0])
    assert near(said["least"], values[-1])
    assert spectrum_said(*spectrum(W, spectral_radius(W))) == svg.attrib["aria-label"]


def test_a_nilpotent_matrix_has_its_dots_in_the_middle() -> None:
    """Computed as they come they would lie on a ring about 0."""
    chain = np.diag(np.ones(7), 1) + np.tril(np.full((8, 8), 0.0), -1)
    turned = TURN_8 @ chain @ TURN_8.T
    svg = drawn(turned, np.zeros(8))
    assert {(mark["cx"], mark["cy"]) for _, mark in titled(svg, "circle")} == {(LEFT + SIDE / 2, TOP + SIDE / 2)}
    assert np.abs(np.linalg.eigvals(turned)).max() > 1e-3  # the ring


TURN_8 = np.linalg.qr(np.random.default_rng(0).standard_normal((8, 8)))[0]


@pytest.mark.parametrize("W", [np.zeros((2, 2)), np.array([[5e-324]]), np.array([[1e300]]), np.eye(64)])
@pytest.mark.parametrize("found", [[-math.inf, -math.inf], [700.0, -700.0], [0.0]])
def test_any_size_of_numbers(W: Array, found: list[float]) -> None:
    svg = drawn(W, np.array(found))
    numbers = [float(value) for one in svg.iter() for key, value in one.attrib.items() if key in ("x", "y", "cx", "cy")]
    assert all(-1 <= value < 900 for value in numbers)
    assert len(titled(svg, "rect")) == len(W) + len(found)


# --- the numbers ----------------------------------------------------------------------------------------------------


@given(st.complex_numbers(max_magnitude=100.0, allow_nan=False) | st.floats(-100.0, 100.0).map(complex))
def test_an_eigenvalue_reads_as_a_complex_number(value: complex) -> None:
    text = complex_text(value)
    if value.imag == 0:
        assert says(text, value.real)
        return
    assert text.endswith("i")
    real, sign, imaginary = text.removesuffix("i").rsplit(" ", 2)
    assert says(real, value.real)
    assert says(imaginary, abs(value.imag))
    assert sign == ("−" if value.imag < 0 else "+")


@settings(max_examples=40)
@given(matrices(), st.booleans())
def test_the_table_has_all_of_them_in_the_order_of_size(W: Array, longer: bool) -> None:
    """An LSTM has twice as many exponents as a gate has singular values: their places stay empty."""
    found = -np.arange(2.0 * len(W) if longer else len(W))
    region = ElementTree.fromstring(spectrum_table(W, found, spectral_radius(W)))
    rows = [[cell.text or "" for cell in row] for row in region.findall("table/tbody/tr")]
    assert len(rows) == len(found)
    assert [row[0] for row in rows] == [str(place + 1) for place in range(len(found))]
    values, wanted = eigenvalues(W), singular_values(W)
    for place, (_, eigenvalue, size, singular, exponent) in enumerate(rows):
        assert says(exponent, found[place])
        if place >= len(W):
            assert eigenvalue == size == singular == ""
            continue
        assert near(size, abs(values[place]))
        assert near(singular, wanted[place])
        assert number(size) == pytest.approx(size_of(eigenvalue), abs=0.011)


def size_of(text: str) -> float:
    """Of a complex number as it is written."""
    if not text.endswith("i"):
        return abs(number(text))
    real, _, imaginary = text.removesuffix("i").rsplit(" ", 2)
    return math.hypot(number(real), number(imaginary))


@given(matrices())
def test_what_is_known_to_be_nilpotent_has_no_eigenvalue_but_0(W: Array) -> None:
    values, singular = spectrum(W, 0.0)
    assert values.tolist() == [0j] * len(W)
    np.testing.assert_allclose(singular, singular_values(W), rtol=1e-9, atol=1e-12)
