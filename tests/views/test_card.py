"""The small pictures on Home: SVG strings, read back as XML."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from rnnviz.views.charts.card import bar_card, curve_card, strip_card
from rnnviz.views.palette import CELL_COLOURS

SVG = "{http://www.w3.org/2000/svg}"


def drawn(values: list[list[float]], description: str = "a strip") -> ElementTree.Element:
    return ElementTree.fromstring(strip_card(np.array(values), description, cell=(10.0, 20.0)))


def test_a_cell_for_each_number_time_to_the_right() -> None:
    svg = drawn([[1.0, -2.0], [0.5, 0.0], [-1.0, 2.0]])
    rects = svg.findall(f"{SVG}rect")
    assert [(rect.get("x"), rect.get("y")) for rect in rects] == [
        (x, y) for x in ("0", "10", "20") for y in ("0", "20")
    ]
    assert [float(rect.get("fill-opacity", "")) for rect in rects] == [0.5, 1.0, 0.25, 0.0, 0.5, 1.0]
    fills = [rect.get("fill") for rect in rects]
    assert fills[0] == fills[2] == fills[5] != fills[1] == fills[4]
    assert svg.get("viewBox") == "0 0 30 40"


def test_the_description_is_escaped() -> None:
    svg = drawn([[1.0]], 'a "strip" <b>& more')
    assert (svg.get("role"), svg.get("aria-label")) == ("img", 'a "strip" <b>& more')


@pytest.mark.parametrize("values", [[[0.0]], [[5e-324, 0.0]], [[1.7e308], [-1.7e308]]])
def test_any_size_of_numbers(values: list[list[float]]) -> None:
    rects = drawn(values).findall(f"{SVG}rect")
    assert all(0.0 <= float(rect.get("fill-opacity", "")) <= 1.0 for rect in rects)


def curves(*values: list[float]) -> tuple[ElementTree.Element, list[list[tuple[float, float]]]]:
    """Of the colours of the cells, with the points of each."""
    named = dict(zip(CELL_COLOURS.values(), map(np.array, values), strict=False))
    svg = ElementTree.fromstring(curve_card(named, 'curves "and" more', size=(100.0, 48.0)))
    lines = svg.findall(f"{SVG}polyline")
    assert [line.get("stroke") for line in lines] == list(named)
    points = [[pair.split(",") for pair in line.get("points", "").split()] for line in lines]
    return svg, [[(float(x), float(y)) for x, y in line] for line in points]


def test_curves_share_one_scale_from_the_least_to_the_most() -> None:
    svg, (first, second) = curves([0.0, -10.0, -20.0], [-5.0, -5.0])
    assert first == [(2.0, 4.0), (50.0, 24.0), (98.0, 44.0)]
    assert second == [(2.0, 14.0), (98.0, 14.0)]
    assert (svg.get("role"), svg.get("aria-label"), svg.get("viewBox")) == ("img", 'curves "and" more', "0 0 100 48")


@pytest.mark.parametrize("values", [[0.0, 0.0], [-300.0, 300.0], [5e-324, 0.0], [-1000.0, -1000.0]])
def test_curves_stay_on_their_card(values: list[float]) -> None:
    _, (points,) = curves(values)
    assert all(0 <= x <= 100 and 4 <= y <= 44 for x, y in points)


def test_bars_are_as_long_as_their_numbers() -> None:
    svg = ElementTree.fromstring(
        bar_card({"#111111": 1.0, "#222222": 4.0, "#333333": 0.0}, "a & b", size=(200.0, 60.0))
    )
    bars = svg.findall(f"{SVG}rect")
    assert [(bar.get("fill"), float(bar.get("width", ""))) for bar in bars] == [
        ("#111111", 50.0), ("#222222", 200.0), ("#333333", 0.0),
    ]  # fmt: skip
    assert [float(bar.get("y", "")) // 20 for bar in bars] == [0, 1, 2]
    assert svg.get("aria-label") == "a & b"
