"""Strokes over a sequence: what a browser sends is checked, and what was drawn becomes the reader's own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import InputError
from rnnviz.network import build, draw, network_of, read_strokes, values_of
from rnnviz.settings import Edit, Entry, Settings, format_address, parse_address
from tests.settings.test_edits import json_values, messages

PRESETS = ("worked_example", "random")


def stroke(*items: object, seq: object = 1, **others: object) -> dict[str, object]:
    return {"seq": seq, "set": list(items), "settled": True, **others}


def drawn(settings: Settings, *items: object) -> Settings:
    return draw(settings, read_strokes([stroke(*items)]))


def test_strokes_as_the_pad_sends_them() -> None:
    first, second = read_strokes([stroke(["x", [0, 1], 0.25], ["x", [1, 1], 1]), stroke(["2.x", [4, 0], -1.5], seq=2)])
    assert first == Edit(1, {Entry("x", (0, 1)): 0.25, Entry("x", (1, 1)): 1.0})
    assert second == Edit(2, {Entry("2.x", (4, 0)): -1.5})
    assert read_strokes([]) == []


MALFORMED: dict[str, object] = {
    "nothing": None,
    "no list": {"seq": 1, "set": []},
    "a word": "x",
    "a number": 7,
    "a word in it": ["x"],
    "no set": [{"seq": 1}],
    "a word for a number": [stroke(["x", [0, 0], "1"])],
    "truth for a number": [stroke(["x", [0, 0], True])],
    "NaN": [stroke(["x", [0, 0], math.nan])],
    "infinity": [stroke(["x", [0, 0], -math.inf])],
    "an integer that no float holds": [stroke(["x", [0, 0], 10**400])],
    "back to the base": [stroke(["x", [0, 0], None])],
    "a weight": [stroke(["W_hh", [0, 0], 1.0])],
    "one index": [stroke(["x", [0], 1.0])],
    "a negative step": [stroke(["x", [-1, 0], 1.0])],
    "a fraction of a step": [stroke(["x", [0.5, 0], 1.0])],
    "more values than steps can be": [stroke(*([["x", [0, 0], 1.0]] * 1001))],
    "more strokes than a hand draws": [stroke()] * 10_001,
    "one wrong among good ones": [stroke(["x", [0, 0], 1.0]), stroke(["h0", [0], 1.0], seq=2)],
}


@pytest.mark.parametrize("message", MALFORMED.values(), ids=list(MALFORMED))
def test_wrong_messages_are_refused(message: object) -> None:
    with pytest.raises(InputError):
        read_strokes(message)


@given(st.lists(messages | json_values, max_size=4) | json_values)
def test_whatever_comes_it_is_strokes_or_refused(message: Any) -> None:
    try:
        strokes = read_strokes(message)
    except InputError:
        return
    for one in strokes:
        assert all(entry.name.endswith("x") and math.isfinite(value or 0.0) for entry, value in one.entries.items())


@pytest.mark.parametrize("preset", PRESETS)
def test_what_is_drawn_stands_on_what_was_there(preset: str) -> None:
    """The rest of the sequence and the weights stay; the address brings it back bit for bit."""
    before = build(network_of(Settings(preset)))
    settings = drawn(Settings(preset), ["x", [2, 1], 0.25], ["x", [7, 0], -1])
    wanted = before.x.copy()
    wanted[2, 1], wanted[7, 0] = 0.25, -1.0
    after = build(network_of(settings))
    np.testing.assert_array_equal(after.x, wanted)
    np.testing.assert_array_equal(after.cell.W_hh, before.cell.W_hh)
    assert settings.preset == preset
    assert set(format_address(settings, preset)) == {"x"}
    assert parse_address(format_address(settings, preset), PRESETS, preset) == (settings, ())


def test_a_later_stroke_lies_over_an_earlier_one() -> None:
    strokes = read_strokes([stroke(["x", [0, 0], 0.5], ["x", [1, 0], 0.5]), stroke(["x", [1, 0], 0.75], seq=2)])
    x = build(network_of(draw(Settings("random"), strokes))).x
    assert x[:2, 0].tolist() == [0.5, 0.75]


def test_hand_edited_numbers_are_drawn_over_and_kept() -> None:
    """Edits of x become part of the sequence, those of weights stay edits."""
    edits = {Entry("x", (3, 0)): 9.0, Entry("x", (0, 0)): 8.0, Entry("W_hh", (0, 0)): 2.0}
    settings = drawn(Settings("worked_example").edit(edits), ["x", [0, 0], 0.5])
    network = build(network_of(settings))
    assert (network.x[0, 0], network.x[3, 0], network.cell.W_hh[0, 0]) == (0.5, 9.0, 2.0)
    assert settings.edits == ((Entry("W_hh", (0, 0)), 2.0),)


def test_a_text_becomes_numbers_once_it_is_drawn_over() -> None:
    settings = Settings("random", text="abab").choose(input="text")
    network = build(network_of(drawn(settings, ["x", [1, 0], 0.5])))
    assert network.x.tolist() == [[1, 0], [0.5, 1], [1, 0], [0, 1]]


def test_one_sequence_of_a_batch_is_drawn_and_all_are_kept() -> None:
    settings = Settings("random", sequence=2).choose(sequences=3)
    before = build(network_of(settings)).xs
    after = drawn(settings, ["2.x", [4, 1], 0.25])
    wanted = [x.copy() for x in before]
    wanted[1][4, 1] = 0.25
    np.testing.assert_array_equal(build(network_of(after)).xs, wanted)
    assert (after.sequence, values_of(after)["sequences"]) == (2, 3)


@pytest.mark.parametrize(
    "item",
    [["x", [8, 0], 1.0], ["x", [0, 2], 1.0], ["2.x", [0, 0], 1.0], ["99.x", [0, 0], 1.0], ["x", [10**12, 0], 1.0]],
)
def test_a_stroke_outside_the_sequences_is_refused(item: list[object]) -> None:
    """As one that was drawn on another sequence would be."""
    with pytest.raises(InputError, match="so it has no step"):
        drawn(Settings("worked_example"), item)


def test_no_stroke_leaves_the_numbers_as_they_are() -> None:
    settings = Settings("worked_example")
    np.testing.assert_array_equal(build(network_of(draw(settings, []))).x, build(network_of(settings)).x)
