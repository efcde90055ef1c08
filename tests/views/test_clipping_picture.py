"""Clipping in numbers, sentences and figures, held against other ways to the same numbers."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import clip_by_global_norm
from rnnviz.texts import say
from rnnviz.views.charts.clipping import WITH, WITHOUT, descents_figure, norms_figure, recall_figure, surface_figure
from rnnviz.views.sentences.clipping import (
    Descents,
    Way,
    cliff_columns,
    cliff_words,
    clip_words,
    control_words,
    cosine,
    norm_of,
    norms_columns,
    norms_of,
    recall_columns,
    recall_words,
    way_words,
)
from tests.views.spoken import number, slots, whole
from tests.views.written import says_power

Array = NDArray[np.float64]
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
    assert said["cosine"] == "1"
    assert math.log10(norm_of(before)) == pytest.approx(log_norm, abs=1e-13)


def test_another_direction_would_be_seen() -> None:
    """The cosine is computed: entries clipped one by one turn the gradient."""
    before = gradient(0)
    one_by_one = {name: np.clip(array, -0.2, 0.2) for name, array in before.items()}
    flat, new = (np.concatenate([one.ravel() for one in found.values()]) for found in (before, one_by_one))
    expected = math.fsum((flat * new).tolist()) / math.hypot(*flat) / math.hypot(*new)
    assert cosine(before, one_by_one) == pytest.approx(expected, rel=1e-13)
    said = whole("clip.clipped", clip_words(before, one_by_one, 0.5))
    assert number(said["cosine"]) == pytest.approx(expected, abs=1e-4)
    assert number(said["cosine"]) < 0.95


def test_a_gradient_that_is_short_enough_and_one_that_is_none() -> None:
    before = gradient(1)
    said = whole("clip.kept", clip_words(before, before, 1e3))
    assert says_power(said["norm"], exact(before))
    assert said["limit"] == "1000"
    assert clip_words({name: 0 * array for name, array in before.items()}, before, 1.0) == say("clip.zero")


def test_the_norms_of_every_weight_and_of_all_together() -> None:
    before = gradient(2)
    after = dict(clip_by_global_norm(before, 0.5)[0])
    norms = norms_of(before, after)
    assert list(norms) == [*NAMES, say("clip.column.all")]
    for name in NAMES:
        old, new = norms[name]
        assert math.log10(old) == pytest.approx(exact({name: before[name]}), abs=1e-13)
        assert math.log10(new) == pytest.approx(exact({name: after[name]}), abs=1e-13)
    np.testing.assert_allclose(norms[say("clip.column.all")], [10 ** exact(before), 0.5], rtol=1e-12)
    _, entries, old_norms, new_norms = norms_columns(before, after).values()
    assert entries == [6, 9, 3, 3, 21]
    assert list(zip(old_norms, new_norms, strict=True)) == list(norms.values())


def test_the_figure_of_the_norms() -> None:
    """Each weight's two norms in decades, a line between them; what is 0 has no place."""
    norms = {"W_ih": (100.0, 1.0), "W_hh": (0.0, 0.0), "all": (1e3, 10.0)}
    drawn = norms_figure(norms, 10.0)
    joined = [one for one in drawn["data"] if one["mode"] == "lines"]
    assert [(one["y"][0], one["x"]) for one in joined] == [("W_ih", [2, 0]), ("all", [3, 1])]
    old, new = [one for one in drawn["data"] if one["mode"] == "markers"]
    assert (old["x"], new["x"]) == ([2, None, 3], [0, None, 1])
    assert old["hovertext"][0] == say("clip.hover", name="W_ih", kind=say("clip.column.before"), value="100")
    (limit,) = drawn["layout"]["shapes"]
    assert limit["x0"] == limit["x1"] == 1
    assert drawn["layout"]["xaxis"]["range"] == [0, 3]
    assert drawn["layout"]["xaxis"]["ticktext"] == ["1", "10", "100", "1000"]


def test_a_norm_of_rounding_alone_does_not_push_the_others_together() -> None:
    drawn = norms_figure({"W_ih": (2e-51, 1e-52), "all": (1e3, 10.0)}, 10.0)
    assert drawn["layout"]["xaxis"]["range"] == [-7, 3]
    old, new = [one for one in drawn["data"] if one["mode"] == "markers"]
    assert (old["x"], new["x"]) == ([-7, 3], [-7, 1])
    assert (old["marker"]["symbol"], new["marker"]["symbol"]) == (
        ["triangle-left-open", "circle-open"], ["triangle-left", "circle"],
    )  # fmt: skip
    assert old["hovertext"][0] == say("clip.hover", name="W_ih", kind=say("clip.column.before"), value="2e−51")


# --- a cliff --------------------------------------------------------------------------------------------------------


def descents(arrived: int, rate: float, low: float, median: float, high: float) -> Descents:
    return Descents(arrived, 32, rate, np.array([low, median, high]))


@pytest.mark.parametrize(("clipped", "verdict"), [(30, "helps"), (20, "same"), (19, "harms")])
def test_whether_clipping_helps_is_said_by_the_count(clipped: int, verdict: str) -> None:
    free = descents(20, 0.1778, 2e-6, 0.003, 0.16)
    text = cliff_words(free, descents(clipped, 3.162, 1e-9, 4e-7, 2e-5))
    first = say(f"clip.cliff.{verdict}", starts=32, free=20, clipped=clipped)
    assert text.startswith(first + " ")
    said = whole("clip.cliff.spread", text.removeprefix(first + " "))
    assert [said[key] for key in ("free", "free_low", "free_high", "free_rate")] == ["0.003", "2e−6", "0.16", "0.1778"]
    assert [said[key] for key in ("clipped", "clipped_low", "clipped_high", "clipped_rate")] == [
        "4e−7", "1e−9", "2e−5", "3.162",
    ]  # fmt: skip


INSIDE = ((0.0, 10.0), (-10.0, 0.0))
FREE = Way(np.array([[5.0, -2.0], [5.0, -3.0], [8.0, -7.0], [11.0, -7.0]]), 0.4)
CLIPPED = Way(np.array([[5.0, -2.0], [5.0, -2.5], [5.3, -2.9], [5.3, -3.0]]), 1e-6)


def test_a_start_in_words() -> None:
    said = slots("clip.cliff.way", way_words(3, FREE, CLIPPED, INSIDE))
    assert said == {"start": "3", "free": "0.4", "clipped": "1e−6", "far": "5", "when": "2", "near": "0.5"}
    assert way_words(3, FREE, CLIPPED, INSIDE).endswith(say("clip.cliff.leaves", name=say("clip.without"), update=3))
    assert "leaves" not in way_words(3, CLIPPED, CLIPPED, INSIDE)
    assert "leaves" not in way_words(3, Way(FREE.path[:3], 0.4), CLIPPED, INSIDE)
    assert whole("clip.cliff.same_way", way_words(1, FREE, FREE, INSIDE)) == {"start": "1", "last": "0.4"}


def test_every_rate_stands_in_the_table() -> None:
    rates, quartiles = np.array([0.1, 1.0]), np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    columns = cliff_columns(rates, (np.array([7.0, 8.0]), quartiles), (np.array([9.0, 10.0]), 10 * quartiles))
    assert list(columns.values()) == [
        [0.1, 1.0], [7, 8], [1, 4], [2, 5], [3, 6], [9, 10], [10, 40], [20, 50], [30, 60],
    ]  # fmt: skip
    assert len(columns) == 9


def test_the_surface_and_the_ways_on_it() -> None:
    w, b = np.array([3.0, 4.0, 5.0]), np.array([-2.0, -1.0])
    losses = np.array([[0.1, 1e-9, 1e-2], [0.3, 0.2, 1e-3]])
    places = [(one.path, np.array([0.3, 0.2, 0.1, 1e-5])) for one in (FREE, CLIPPED)]
    figure = surface_figure(w, b, losses, places[0], places[1])
    ground, free, clipped, begin = figure["data"]
    bar, legend = ground["colorbar"], figure["layout"]["legend"]
    assert legend["y"] < bar["y"] < 0  # below the axis and each other: at the top a phone's buttons cover it
    assert legend["yanchor"] == bar["yanchor"] == "top"
    assert (ground["x"], ground["y"]) == (w.tolist(), b.tolist())
    np.testing.assert_allclose(ground["z"], [[-1, -4, -2], [-0.523, -0.699, -3]], atol=1e-3)  # no darker than 1e-4
    for drawn, way in ((free, FREE), (clipped, CLIPPED)):
        assert list(zip(drawn["x"], drawn["y"], strict=True)) == [tuple(one) for one in way.path.tolist()]
    assert free["line"]["color"] == WITHOUT
    assert clipped["line"]["color"] == WITH
    assert clipped["hovertext"][3] == say(
        "clip.cliff.point", name=say("clip.with"), update=3, w="5.3", b="−3", loss="1e−5"
    )
    assert (begin["x"], begin["y"]) == ([5.0], [-2.0])


def test_the_figure_of_the_descents() -> None:
    """Losses and last losses in decades; below, how many arrive at each rate."""
    losses = np.array([1.0, 0.1, 0.01]), np.array([1.0, 0.0, 1e-6])
    rates, arrived = np.array([0.01, 0.1, 10.0]), (np.array([1.0, 2, 0]), np.array([3.0, 4, 1]))
    drawn = descents_figure(losses, (0.1, 1e-3), rates, arrived, 5)
    free, free_last, clipped, clipped_last, free_counts, clipped_counts = drawn["data"]
    assert (free["y"], clipped["y"]) == ([0, -1, -2], [0, None, -6])
    assert free_last["y"] == [-1, -1]
    assert clipped_last["y"] == [-3, -3]
    assert (free_counts["x"], free_counts["y"]) == ([-2, -1, 1], [1, 2, 0])
    assert clipped_counts["y"] == [3, 4, 1]
    assert drawn["layout"]["yaxis"]["range"] == [-6, 0]
    assert drawn["layout"]["legend"]["y"] < 0
    assert clipped_counts["hovertext"][1] == say(
        "clip.cliff.of_rate", name=say("clip.with"), rate="0.1", count=4, starts=5
    )


# --- a vanished gradient --------------------------------------------------------------------------------------------


def test_what_was_learned_of_step_1_in_words() -> None:
    def first(share: float, count: int = 7) -> tuple[str, dict[str, str]]:
        text = recall_words(50, share, (1e-16, 3e-15), count, 200)
        key = "clip.recall.nothing" if "nothing" in text else "clip.recall.learned" if "learns" in text else "part"
        return text, slots(key if "." in key else "clip.recall.part", text)

    for share, word in ((1.02, "nothing"), (0.96, "nothing"), (0.94, "ends"), (0.11, "ends"), (0.09, "learns")):
        text, said = first(share)
        assert word in text
        assert (said["steps"], said["share"]) == ("50", power_of(share))
        assert say("clip.recall.reach", before="1e−16", after="3e−15") in text
        assert say("clip.recall.acted", count=7, updates=200) in text
    assert say("clip.recall.idle", updates=200) in first(1.0, 0)[0]
    assert "−0" not in recall_words(50, 1.0, (0.0, 0.0), 0, 200)


def power_of(share: float) -> str:
    return f"{share:g}"


def test_the_control_in_words() -> None:
    assert whole("clip.control.learned", control_words(3, 0.004)) == {"steps": "3", "share": "0.004"}
    assert whole("clip.control.not", control_words(3, 0.3)) == {"steps": "3", "share": "0.3"}


def test_the_figure_of_the_recall() -> None:
    runs = [(50, False, np.array([1.0, np.inf, 0.1])), (50, True, np.array([1.0, 1.0, 1.0])),
            (3, True, np.array([1.0, 0.1, 0.001]))]  # fmt: skip
    drawn = recall_figure(runs, 10)
    assert [one["x"] for one in drawn["data"]] == [[0, 10, 20]] * 3
    assert [one["y"] for one in drawn["data"]] == [[0, None, -1], [0, 0, 0], [0, -1, -3]]
    assert [one["line"]["color"] for one in drawn["data"]] == [WITHOUT, WITH, WITH]
    assert [one["line"]["dash"] for one in drawn["data"]] == ["solid", "solid", "dot"]
    assert drawn["data"][2]["name"] == say("clip.recall.with", steps=3)
    assert drawn["layout"]["shapes"][0]["y0"] == 0  # the variance is 1
    assert drawn["layout"]["yaxis"]["range"] == [-3, 1]


def test_the_table_of_the_recall() -> None:
    columns = recall_columns(np.array([0.1, 1.0]), {"one": np.array([0.5, np.inf])})
    assert columns == {say("clip.cliff.rate"): [0.1, 1.0], "one": [0.5, np.inf]}
