"""Many seeds and several initialisations on one axis: quartiles against sorted lists, sentences against both."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rnnviz.settings import KINDS, choices_of
from rnnviz.texts import say
from rnnviz.views.charts.figure import Figure
from rnnviz.views.charts.seeds import bands_chart, inits_chart
from rnnviz.views.palette import CELL_COLOURS
from rnnviz.views.sentences.seeds import (
    Quartiles,
    bands_columns,
    bands_words,
    ended,
    inits_columns,
    inits_words,
    quartiles,
    zero_words,
)
from tests.views.spoken import whole
from tests.views.written import four_digits_power

NAMES = {"elman": "Elman (tanh)", "lstm": "LSTM", "gru": "GRU"}
COLOURS = {NAMES[kind]: colour for kind, colour in CELL_COLOURS.items()}

decades = st.floats(-400.0, 400.0) | st.sampled_from([-math.inf, 0.0, -1000.0])


@st.composite
def many(draw: st.DrawFn, most: int = 9, steps: int | None = None) -> list[list[float]]:
    """Norms of networks of one length."""
    steps = steps or draw(st.integers(1, 5))
    count = draw(st.integers(1, most))
    return [[*draw(st.lists(decades, min_size=steps, max_size=steps)), 0.0] for _ in range(count)]


def by_rank(values: list[float], share: float) -> float:
    """The value at a share of the way through a sorted list, between two of them in proportion."""
    ranked, place = sorted(values), share * (len(values) - 1)
    below, above = ranked[int(place)], ranked[min(int(place) + 1, len(values) - 1)]
    if place == int(place):
        return below
    return -math.inf if below == -math.inf else below + (above - below) * (place - int(place))


# --- quartiles ------------------------------------------------------------------------------------------------------


@given(many(32))
@example([[-math.inf, 0.0], [-math.inf, 0.0], [-3.0, 0.0], [0.0, 0.0]])
@example([[-math.inf, 0.0]] * 5)
def test_quartiles_are_those_of_sorted_lists(norms: list[list[float]]) -> None:
    for share, edge in zip((0.25, 0.5, 0.75), quartiles(np.array(norms)), strict=True):
        wanted = [by_rank([one[step] for one in norms], share) for step in range(len(norms[0]))]
        assert edge.tolist() == pytest.approx(wanted, rel=1e-12, abs=1e-9)


@given(st.lists(st.floats(-400.0, 400.0), min_size=2, max_size=33))
def test_they_are_those_of_the_standard_library(values: list[float]) -> None:
    found = [float(edge[0]) for edge in quartiles(np.array(values)[:, None])]
    assert found == pytest.approx(statistics.quantiles(values, n=4, method="inclusive"), rel=1e-12, abs=1e-9)
    assert found[1] == pytest.approx(statistics.median(values), rel=1e-12, abs=1e-9)


def test_the_median_of_32_is_the_mean_of_the_two_in_the_middle() -> None:
    """As many as the page runs: of 1..32 the quartiles are 8.75, 16.5 and 24.25."""
    norms = np.random.default_rng(0).permutation(np.arange(1.0, 33.0))[:, None]
    assert [float(edge[0]) for edge in quartiles(norms)] == [8.75, 16.5, 24.25]


# --- seeds ----------------------------------------------------------------------------------------------------------


@st.composite
def seeds(draw: st.DrawFn) -> dict[str, list[list[float]]]:
    """Of cells of one length by their names."""
    kinds, steps = draw(st.permutations(KINDS))[: draw(st.integers(1, 3))], draw(st.integers(1, 5))
    return {NAMES[kind]: draw(many(steps=steps)) for kind in kinds}


def bands_of(norms: dict[str, list[list[float]]]) -> dict[str, Quartiles]:
    return {name: quartiles(np.array(each)) for name, each in norms.items()}


def named(figure: Figure) -> dict[str, dict[str, Any]]:
    return {trace["name"]: trace for trace in figure["data"] if "name" in trace}


@given(seeds())
def test_a_band_for_each_cell_around_its_median(norms: dict[str, list[list[float]]]) -> None:
    """From the last step on; an exact 0 is a gap of the line, and the band goes down to the edge there."""
    figure = bands_chart(bands_of(norms), COLOURS, 32)
    floor = figure["layout"]["yaxis"]["range"][0]
    assert list(named(figure)) == list(norms)
    lags = list(range(len(next(iter(norms.values()))[0])))
    for name, line in named(figure).items():
        place = figure["data"].index(line)
        lower, upper = figure["data"][place - 2], figure["data"][place - 1]
        assert (lower["x"], upper["x"], line["x"]) == (lags, lags, lags)
        assert upper["fill"] == "tonexty"
        assert line["line"]["color"] == COLOURS[name]
        for lag in lags:
            values = [one[::-1][lag] for one in norms[name]]
            low, middle, high = (by_rank(values, share) for share in (0.25, 0.5, 0.75))
            assert (line["y"][lag] is None) == (middle == -math.inf)
            if middle > -math.inf:
                assert line["y"][lag] == pytest.approx(middle, rel=1e-9, abs=1e-9)
            assert lower["y"][lag] == pytest.approx(max(low, floor), rel=1e-9, abs=1e-9)
            assert upper["y"][lag] == pytest.approx(max(high, floor), rel=1e-9, abs=1e-9)
            said = whole("seeds.note", line["hovertext"][lag])
            assert (said["name"], int(said["lag"])) == (name, lag)
            for text, value in ((said["lower"], low), (said["median"], middle), (said["upper"], high)):
                assert four_digits_power(text, value)
        assert lower["y"][0] == upper["y"][0] == line["y"][0] == 0.0  # the identity
    low_end, high_end = figure["layout"]["yaxis"]["range"]
    drawn = [value for trace in figure["data"] for value in trace["y"] if value is not None]
    assert low_end <= min(drawn)
    assert max(drawn) <= high_end


@given(seeds())
def test_the_bands_in_words(norms: dict[str, list[list[float]]]) -> None:
    """Between which norms at step 0 the middle half lies, and which medians end in an exact 0."""
    bands = bands_of(norms)
    said = whole("seeds.bands", bands_words(bands, 32))
    assert said["count"] == "32"
    for name, cell in zip(norms, said["cells"].split("; "), strict=True):
        values = [one[0] for one in norms[name]]
        assert cell.startswith(name)
        key = "seeds.cell.same" if cell.endswith("throughout") else "seeds.cell"
        rest = whole(key, cell.replace(name, "X", 1))
        if key == "seeds.cell.same":
            rest |= dict.fromkeys(("lower", "upper"), rest["median"])
        for edge, share in (("lower", 0.25), ("median", 0.5), ("upper", 0.75)):
            assert four_digits_power(rest[edge], by_rank(values, share))
    zeros = []
    for name, found in norms.items():
        medians = [by_rank([one[step] for one in found], 0.5) for step in range(len(found[0]))][::-1]
        if -math.inf in medians:
            zeros.append(say("seeds.zero", name=name, lag=medians.index(-math.inf)))
    assert zero_words(bands) == " ".join(zeros)


@given(seeds())
def test_the_table_of_seeds(norms: dict[str, list[list[float]]]) -> None:
    bands = bands_of(norms)
    columns = bands_columns(bands)
    lags = columns.pop(say("seeds.column.lag"))
    assert lags == list(range(len(next(iter(norms.values()))[0])))
    assert len(columns) == 3 * len(norms)
    for name, found in bands.items():
        assert columns[say("seeds.column.median", name=name)] == found.median[::-1].tolist()
        assert columns[say("seeds.column.lower", name=name)] == found.lower[::-1].tolist()
        assert columns[say("seeds.column.upper", name=name)] == found.upper[::-1].tolist()


def test_where_a_line_ends() -> None:
    assert ended(np.array([-1.0, 0.0])) is None
    assert ended(np.array([-math.inf, -math.inf, -1.0, 0.0])) == 2
    assert bands_columns({}) == {say("seeds.column.lag"): []}


# --- initialisations ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_every_initialisation_has_a_line_of_its_own(kind: str) -> None:
    """But that with all weights 0, of which there is nothing to see. Colours and dashes both differ."""
    inits = [init for init in choices_of("init", kind) if init != "zeros"]
    medians = {init: np.array([-float(place), 0.0]) for place, init in enumerate(inits)}
    lines = named(inits_chart(medians, 8))
    assert list(lines) == inits
    assert len({line["line"]["color"] for line in lines.values()}) == len(inits)
    assert len({line["line"]["dash"] for line in lines.values()}) == len(inits)
    for place, (init, line) in enumerate(lines.items()):
        assert line["y"] == [0.0, -float(place)]
        said = whole("inits.note", line["hovertext"][1])
        assert (said["name"], said["lag"]) == (init, "1")
        assert four_digits_power(said["median"], -place)
    columns = inits_columns(medians)
    assert next(iter(columns)) == say("seeds.column.lag")
    assert list(columns.values())[1:] == [[0.0, -float(place)] for place in range(len(inits))]


@given(st.lists(decades, min_size=1, max_size=6), st.sampled_from(KINDS))
def test_initialisations_in_words(ends: list[float], kind: str) -> None:
    medians = {f"init {place}": np.array([end, 0.0]) for place, end in enumerate(ends)}
    said = whole("inits.words", inits_words(medians, NAMES[kind], 8))
    assert (said["name"], said["count"]) == (NAMES[kind], "8")
    for name, end, cell in zip(medians, ends, said["cells"].split("; "), strict=True):
        init, left = cell.rsplit(" ", 1)
        assert init == name
        assert four_digits_power(left, end)
