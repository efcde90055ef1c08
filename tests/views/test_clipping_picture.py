"""Clipping in numbers, sentences and a picture, held against other ways to the same numbers."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import clip_by_global_norm
from rnnviz.texts import say
from rnnviz.views.clipping import (
    clip_table,
    clip_words,
    cosine,
    learning_words,
    losses_picture,
    norm_of,
    vanished_words,
)
from tests.views.spoken import number, whole
from tests.views.test_rtrl_picture import cells_of
from tests.views.written import says_power

Array = NDArray[np.float64]
SVG = "{http://www.w3.org/2000/svg}"
NAMES = ("W_ih", "W_hh", "b_ih", "b_hh")


def gradient(seed: int, scale: float = 1.0) -> dict[str, Array]:
    random = np.random.default_rng(seed)
    shapes = ((3, 2), (3, 3), (3,), (3,))
    return {name: scale * random.standard_normal(shape) for name, shape in zip(NAMES, shapes, strict=True)}


def exact(arrays: dict[str, Array]) -> float:
    """log10 of the norm in 50 digits."""
    with mpmath.workdps(50):
        entries = [mpmath.mpf(value) for array in arrays.values() for value in array.ravel().tolist()]
        return float(mpmath.log10(mpmath.sqrt(mpmath.fsum(value**2 for value in entries))))


# --- one gradient ---------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(-280, 280), st.floats(1e-3, 0.9))
def test_a_clipped_gradient_in_words(seed: int, power: int, share: float) -> None:
    """Its norm, the limit, the factor, the norm after; and the direction, which is the same."""
    before = gradient(seed, 10.0**power)
    log_norm = exact(before)
    limit = 10**log_norm * share
    after = dict(clip_by_global_norm(before, limit)[0])
    said = whole("clip.clipped", clip_words(before, after, limit))
    assert says_power(said["norm"], log_norm)
    assert says_power(said["limit"], math.log10(limit))
    assert says_power(said["factor"], math.log10(limit) - log_norm)
    assert says_power(said["after"], exact(after))
    assert said["cosine"] == "1.000000"
    assert math.log10(norm_of(before)) == pytest.approx(log_norm, abs=1e-13)


def test_another_direction_would_be_seen() -> None:
    """The cosine is computed: entries clipped one by one turn the gradient."""
    before = gradient(0)
    one_by_one = {name: np.clip(array, -0.2, 0.2) for name, array in before.items()}
    flat, new = (np.concatenate([one.ravel() for one in found.values()]) for found in (before, one_by_one))
    expected = math.fsum((flat * new).tolist()) / math.hypot(*flat) / math.hypot(*new)
    assert cosine(before, one_by_one) == pytest.approx(expected, rel=1e-13)
    said = whole("clip.clipped", clip_words(before, one_by_one, 0.5))
    assert number(said["cosine"]) == pytest.approx(expected, abs=1e-6)
    assert number(said["cosine"]) < 0.95


def test_a_gradient_that_is_short_enough_and_one_that_is_none() -> None:
    before = gradient(1)
    said = whole("clip.kept", clip_words(before, before, 1e3))
    assert says_power(said["norm"], exact(before))
    assert said["limit"] == "1000"
    assert clip_words({name: 0 * array for name, array in before.items()}, before, 1.0) == say("clip.zero")


def test_the_table_has_every_weight_and_all_together() -> None:
    before = gradient(2)
    after = dict(clip_by_global_norm(before, 0.5)[0])
    _, *rows = cells_of(clip_table(before, after))
    assert [row[0] for row in rows] == [*NAMES, say("clip.column.all")]
    for name, entries, old, new in rows[:4]:
        assert int(entries) == before[name].size
        assert says_power(old, exact({name: before[name]}))
        assert says_power(new, exact({name: after[name]}))
    assert int(rows[4][1]) == 21
    assert says_power(rows[4][2], exact(before))
    assert rows[4][3] == "0.5"


# --- learning -------------------------------------------------------------------------------------------------------

GONE = np.array([2.0, 500.0, 8e141]), 3
LEARNED = 2.0 * 0.5 ** np.arange(11.0), None
FLAT = np.full(11, 2.0), None


def test_learning_in_words() -> None:
    said = whole("clip.both", learning_words(GONE, LEARNED, 0.1, 7))
    assert said["count"] == "7"
    free = whole("clip.outcome.left", said["free"])
    assert (free["first"], free["last"], free["before"], free["left"]) == ("2", "8e141", "2", "3")
    clipped = whole("clip.outcome.stays", said["clipped"])
    assert (clipped["first"], clipped["updates"]) == ("2", "10")
    assert says_power(clipped["last"], math.log10(2.0 / 1024))
    at_once = whole("clip.both", learning_words((GONE[0][:1], 1), LEARNED, 0.1, 7))
    assert whole("clip.outcome.at_once", at_once["free"]) == {"first": "2"}
    same = whole("clip.same", learning_words(LEARNED, LEARNED, 0.1, 0))
    assert whole("clip.outcome.stays", same["outcome"]) == clipped
    assert whole("clip.still", learning_words(FLAT, FLAT, 0.0, 3)) == {"loss": "2"}
    nearly = LEARNED[0].copy()
    nearly[-1] = np.nextafter(nearly[-1], 1.0)
    equal = learning_words(LEARNED, LEARNED, 0.1, 10)  # saturated units can bring the same losses by other ways
    assert whole("clip.both", equal)["count"] == "10"
    assert whole("clip.both", learning_words((nearly, None), LEARNED, 0.1, 7))  # one bit is a difference


def test_what_vanished_is_said_to_stay() -> None:
    said = whole("clip.vanished", vanished_words(-31.2, -31.9, 60, 40))
    assert says_power(said["before"], -31.2)
    assert says_power(said["after"], -31.9)
    assert (said["steps"], said["updates"]) == ("60", "40")
    assert whole("clip.regained", vanished_words(-31.2, -0.5, 60, 40))["updates"] == "40"
    assert whole("clip.vanished", vanished_words(-math.inf, -math.inf, 60, 40))["before"] == "0"
    assert vanished_words(-2.9, -31.0, 60, 40) == ""
    assert vanished_words(-math.inf, -math.inf, 1, 40) == ""


def drawn(free: tuple[Array, int | None], clipped: tuple[Array, int | None], updates: int = 10) -> ElementTree.Element:
    (svg,) = ElementTree.fromstring(losses_picture(free, clipped, updates, "said"))
    return svg


def points(line: ElementTree.Element) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in (point.split(",") for point in line.attrib["points"].split())]


def place(svg: ElementTree.Element, text: str) -> tuple[float, float]:
    (found,) = [one for one in svg.iter(f"{SVG}text") if one.text == text]
    return float(found.attrib["x"]), float(found.attrib["y"])


def test_the_losses_stand_at_their_decades_and_updates() -> None:
    """Read off with two numbers of either axis."""
    svg = drawn(GONE, LEARNED)
    curves = [line for line in map(points, svg.iter(f"{SVG}polyline")) if len(line) > 2]
    (_, low), (_, high) = place(svg, "0.01"), place(svg, "100")
    (zero, _), (ten, _) = place(svg, "0"), place(svg, "10")
    learned, gone = curves
    for update, (x, y) in enumerate(learned):
        assert (x - zero) / (ten - zero) * 10 == pytest.approx(update, abs=0.01)
        assert 4 * (low - y) / (low - high) - 2 == pytest.approx(math.log10(LEARNED[0][update]), abs=0.03)
    assert 4 * (low - gone[1][1]) / (low - high) - 2 == pytest.approx(math.log10(500), abs=0.03)
    assert gone[2][1] < place(svg, "1e4")[1]  # out of the picture, whose axis the other curve sets
    assert min(y for line in curves for _, y in line) >= 34


def test_the_place_of_the_nan_is_marked() -> None:
    svg = drawn(GONE, LEARNED)
    x, _ = place(svg, say("clip.nan", left=3))
    (zero, _), (ten, _) = place(svg, "0"), place(svg, "10")
    uprights = [path.attrib["d"] for path in svg.iter(f"{SVG}path") if "V" in path.attrib["d"]]
    (mark,) = [float(path[1:].split()[0]) for path in uprights]
    assert (mark - zero) / (ten - zero) * 10 == pytest.approx(3, abs=0.01)
    assert abs(x - mark) < 10
    calm = drawn(LEARNED, LEARNED)
    assert not [path for path in calm.iter(f"{SVG}path") if "V" in path.attrib["d"]]


@pytest.mark.parametrize("losses", [np.zeros(11), np.full(11, 1e-300), np.full(11, 1e300), np.ones(1)])
def test_any_loss_can_be_drawn(losses: Array) -> None:
    svg = drawn((losses, None), (losses, None), len(losses) - 1)
    for line in svg.iter(f"{SVG}polyline"):
        assert all(0 <= x <= 560 and 0 <= y <= 300 for x, y in points(line))
