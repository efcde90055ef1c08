"""The axis of decades and the message that carries a chart, read back as the browser reads it."""

from __future__ import annotations

import math
import re
import struct
from itertools import pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn
from numpy.typing import NDArray

from rnnviz.views.charts import figure
from rnnviz.views.charts.decades import (
    BEHIND,
    BOUND,
    FADE,
    FIT,
    FRONT,
    GROW,
    REFERENCE,
    Axis,
    Chart,
    Curve,
    PairMap,
    decade_axis,
    decade_text,
    pack_chart,
)
from tests.views.spoken import number
from tests.views.unpacked import unpack

Array = NDArray[np.float64]

sizes = st.floats(-12.0, 5.5).map(lambda power: 10.0**power)
decades = st.builds(lambda size, sign: sign * size, sizes, st.sampled_from([-1.0, 1.0])) | st.sampled_from(
    [-math.inf, 0.0, -0.0, -300.0, -1000.0, 300.0, -3.0, 308.25, -5e-324]
)
curves = st.lists(st.lists(decades, min_size=1, max_size=8).map(np.array), min_size=1, max_size=4)


def axis(*values: float, most: int = 6) -> Axis:
    return decade_axis([np.array(values)], most)


# --- the axis -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "texts"),
    [
        (-3.04, 0.0, ["0.001", "0.01", "0.1", "1"]),
        (-3.9, 0.0, ["1e−4", "1e−3", "1e−2", "1e−1", "1"]),
        (0.2, 1.9, ["10", "100"]),
    ],
)
def test_a_number_that_is_not_in_sight_does_not_change_how_the_others_are_written(
    low: float, high: float, texts: list[str]
) -> None:
    """Plotly leaves a few hundredths of the range around the curves."""
    assert figure.decades("norm", low, high)["ticktext"] == texts


@given(curves, st.integers(3, 10))
@example([np.array([-300.0])], 6)
@example([np.array([-637.4])], 7)
@example([np.array([-34.7, 54994.8])], 6)
@example([np.full(3, -np.inf)], 6)
@example([np.array([-2.0, 0.0])], 3)
def test_an_axis_holds_all_that_is_no_zero_and_names_few_whole_decades(values: list[Array], most: int) -> None:
    found = decade_axis(values, most)
    finite = [float(value) for value in np.concatenate(values) if value > -math.inf]
    assert found.low < min(finite, default=0.0)
    assert found.high > max(finite, default=0.0)
    assert found.low < 0 < found.high  # so that the level 1 is on it
    places = [place for place, _ in found.ticks]
    assert 2 <= len(places) <= most
    assert all(isinstance(place, int) for place in places)
    assert 0 in places
    gaps = {upper - lower for upper, lower in pairwise(places)}
    assert len(gaps) == 1  # equally far apart, from the top down
    assert re.fullmatch("[125]0*", str(gaps.pop()))
    room = 1e-6 * (found.high - found.low)
    assert found.low - room <= places[-1]
    assert places[0] <= found.high + room


@given(st.floats(-1e5, 1e5), st.floats(-1e5, 1e5))
def test_most_of_an_axis_is_used(first: float, second: float) -> None:
    """No more than a step of its numbers is empty at the lower end, next to nothing at the upper one."""
    found = axis(first, second)
    low, high = min(first, second, 0.0), max(first, second, 0.0)
    step = found.ticks[0][0] - found.ticks[1][0]
    tall = found.high - found.low
    if high - low < 2:  # a range so small that it is widened, lest rounding fills the picture
        assert 2 <= tall <= 2.2 + step
    else:
        assert found.high - high <= 0.05 * tall
        assert low - found.low <= step + 0.06 * tall
        assert high - low >= 0.6 * tall


@pytest.mark.parametrize(
    ("values", "names"),
    [
        ((-300.0,), "1 1e−100 1e−200 1e−300"),
        ((-1000.0,), "1 1e−200 1e−400 1e−600 1e−800 1e−1000"),
        ((300.0,), "1e300 1e200 1e100 1"),
        ((-20.0,), "1 1e−5 1e−10 1e−15 1e−20"),
        ((-3.0,), "1 0.1 0.01 0.001"),
        ((3.0,), "1000 100 10 1"),
        ((5.0, -5.0), "1e4 1e2 1 1e−2 1e−4 1e−6"),
        ((-101.0,), "1 1e−20 1e−40 1e−60 1e−80 1e−100"),
        ((0.0,), "1 0.1 0.01"),
        ((-1e-300,), "1 0.1 0.01"),
        ((1e-12,), "1 0.1 0.01"),
        ((1e-6,), "100 10 1"),
        ((-math.inf, -math.inf), "1 0.1 0.01"),
        ((-math.inf, -7.1, -math.inf), "1 1e−2 1e−4 1e−6 1e−8"),
        ((), "1 0.1 0.01"),
    ],
)
def test_axes_to_the_character(values: tuple[float, ...], names: str) -> None:
    assert [text for _, text in axis(*values).ticks] == names.split()


def test_no_curves_have_an_axis_too() -> None:
    assert decade_axis([]) == axis()


@given(st.integers(-400_000, 400_000))
@example(-2)
@example(3)
def test_a_decade_reads_as_that_power_of_ten(decade: int) -> None:
    for short in (True, False):
        assert_power(decade, decade_text(decade, short=short))


def assert_power(decade: int, written: str) -> None:
    text = written.replace("−", "-")
    assert "-" not in written
    mantissa, e, exponent = text.partition("e")
    assert mpmath.mpf(mantissa) * mpmath.mpf(10) ** int(exponent or 0) == pytest.approx(mpmath.mpf(10) ** decade)
    assert not e or mantissa == "1"
    assert len(text) <= 9


# --- the message ----------------------------------------------------------------------------------------------------

STYLES = (FRONT, BEHIND, FIT, BOUND, REFERENCE, FADE, GROW)
norms = stn.arrays(np.float64, st.integers(2, 7), elements=decades)


@st.composite
def drawn_curves(draw: st.DrawFn) -> Curve:
    values = draw(norms)
    return Curve(
        draw(st.text(max_size=5)), values, draw(st.sampled_from(["elman", "alone"])), draw(st.sampled_from(STYLES)),
        draw(st.text(max_size=9)), draw(st.sampled_from(["", "bound"])),
    )  # fmt: skip


@st.composite
def charts(draw: st.DrawFn) -> Chart:
    size, first = draw(st.integers(2, 5)), draw(st.integers(0, 900))
    grid = draw(stn.arrays(np.float64, (size, size), elements=decades))
    pairs = PairMap(grid, first, (first, first + size - 1), draw(st.text(max_size=9)))
    return Chart(
        draw(st.lists(drawn_curves(), min_size=1, max_size=4)), draw(st.text(max_size=9)),
        draw(st.none() | st.tuples(st.integers(-300, -1).map(float), st.text(max_size=5))),
        draw(st.none() | st.just(pairs)), draw(st.integers(100, 400)),
    )  # fmt: skip


def same(got: Array, wanted: Array) -> bool:
    return got.shape == wanted.shape and got.tobytes() == np.ascontiguousarray(wanted).tobytes()


@given(charts())
def test_a_chart_arrives_bit_for_bit(chart: Chart) -> None:
    """Exact zeros among the numbers of the arrays; the header is strict JSON, which has none."""
    message = unpack(pack_chart(chart))
    header, arrays = message.header, message.arrays
    for sent, got in zip(chart.curves, header["curves"], strict=True):
        assert (got["name"], got["colour"], got["style"], got["note"]) == (
            sent.name,
            sent.colour,
            sent.style,
            sent.note,
        )
        assert got["key"] == (sent.key or sent.name)
        assert got["shown"] == (sent.style in (FRONT, BEHIND, FIT))
        assert same(arrays[got["array"]], sent.values)
    assert (header["said"], header["height"]) == (chart.said, chart.height)
    assert header["steps"] == max(len(curve.values) for curve in chart.curves) - 1
    if chart.threshold is None:
        assert header["threshold"] is None
    else:
        assert header["threshold"] == {"value": chart.threshold[0], "label": chart.threshold[1]}
    if chart.pairs is None:
        assert header["map"] is None
    else:
        pairs = header["map"]
        assert same(arrays[pairs["array"]], chart.pairs.norms)
        assert (pairs["first"], pairs["size"]) == (chart.pairs.first, len(chart.pairs.norms))
        assert pairs["said"] == chart.pairs.said
        assert header["chosen"] == list(chart.pairs.chosen)
        assert pairs["left_out"] == chart.pairs.left_out
        assert [decade for decade, _ in pairs["ticks"]] == [300, 100, 30, 10, 3, 0, -3, -10, -30, -100, -300]
        assert [text for _, text in pairs["ticks"]] == [
            "1e300", "1e100", "1e30", "1e10", "1e3", "1", "1e−3", "1e−10", "1e−30", "1e−100", "1e−300",
        ]  # fmt: skip
    shown = [curve for curve in chart.curves if curve.style in (FRONT, BEHIND)]
    level = [] if chart.threshold is None else [np.array([chart.threshold[0]])]
    assert_axis(header, [*(curve.values for curve in shown), *level], 6)


def assert_axis(header: dict[str, Any], values: list[Array], most: int) -> None:
    """The range and its numbers; a bound or a story may leave it, the norms may not."""
    finite = [0.0, *(float(value) for array in values for value in array.flat if value > -math.inf)]
    assert header["low"] < min(finite)
    assert header["high"] > max(finite)
    assert header["high"] - header["low"] <= 2 * max(max(finite) - min(finite), 2.0)
    assert 2 <= len(header["ticks"]) <= most
    with_exponents = any("e" in decade_text(place) for place, _ in header["ticks"])
    for place, text in header["ticks"]:
        assert text == ("1" if place == 0 else decade_text(place, short=not with_exponents))
        assert place > 308 or place < -307 or number(text) == 10.0**place


def test_arrays_begin_where_a_browser_can_read_them_in_place() -> None:
    """On multiples of 8 bytes, whatever the length of the words before them."""
    for length in range(20):
        message = pack_chart(Chart([Curve("a" * length, np.array([-np.inf, 0.0]), "elman")], "é" * length))
        assert (4 + struct.unpack_from("<I", message)[0]) % 8 == 0
        assert unpack(message).arrays["curve 0"].tolist() == [-math.inf, 0.0]


def test_a_network_that_ends_early_ends_its_curve() -> None:
    chart = Chart([Curve("long", np.zeros(9), "elman"), Curve("short", np.zeros(4), "lstm", BEHIND)], "")
    message = unpack(pack_chart(chart))
    assert message.header["steps"] == 8
    assert [len(message.arrays[f"curve {number}"]) for number in range(2)] == [9, 4]
