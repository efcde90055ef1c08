"""The reducer behind the explorer's in-place editing, and its check of what a browser sends."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import InputError
from rnnviz.settings import ENTRY_DIMENSIONS, Edit, Entry, Settings, apply_edit, read_edit
from tests.settings.drawn import all_settings, bits, entries, finite

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
names = st.sampled_from([*ENTRY_DIMENSIONS, "W_xx", ""])
indices = st.lists(st.integers(-2, 10**12), max_size=3)
items = st.tuples(names | json_values, indices | json_values, finite | json_values).map(list)
messages = st.fixed_dictionaries(
    {"seq": st.integers() | json_values, "set": st.lists(items | json_values, max_size=4) | json_values},
    optional={"settled": json_values},
)


def message(*items: object, **others: object) -> dict[str, object]:
    return {"seq": 3, "set": list(items), **others}


def test_an_edit_as_the_browser_sends_it() -> None:
    edit = read_edit(message(["W_hh", [0, 1], 1.4], ["b_ih", [2], 1], ["x", [5, 0], None], settled=True))
    wanted = {Entry("W_hh", (0, 1)): 1.4, Entry("b_ih", (2,)): 1.0, Entry("x", (5, 0)): None}
    assert edit == Edit(3, wanted, settled=True)
    assert type(edit.entries[Entry("b_ih", (2,))]) is float
    assert not read_edit(message(settled=False)).settled
    assert read_edit(message()).settled


MALFORMED: list[object] = [
    None,
    [],
    "edit",
    {},
    {"seq": 1},
    {"set": []},
    {"seq": 1, "set": {}},
    {"seq": 1.0, "set": []},
    {"seq": True, "set": []},
    {"seq": "1", "set": []},
    message(None),
    message({}),
    message(["W_hh", [0, 0]]),
    message(["W_hh", [0, 0], 1.0, 2.0]),
    message(["W_xx", [0, 0], 1.0]),
    message(["h", [0], 1.0]),
    message(["W_hh", [0], 1.0]),
    message(["W_hh", 0, 1.0]),
    message(["W_hh", [0, 0, 0], 1.0]),
    message(["b_ih", [0, 0], 1.0]),
    message(["W_hh", [0, -1], 1.0]),
    message(["W_hh", [0, 1.0], 1.0]),
    message(["W_hh", [0, False], 1.0]),
    message(["W_hh", [0, 0], "1"]),
    message(["W_hh", [0, 0], True]),
    message(["W_hh", [0, 0], [1.0]]),
    message(["W_hh", [0, 0], math.nan]),
    message(["W_hh", [0, 0], math.inf]),
    message(["W_hh", [0, 0], -math.inf]),
    message(["W_hh", [0, 0], 1.0], ["W_hh", [0, 0], math.nan]),
    message([["W_hh"], [0, 0], 1.0]),
    message([{}, [0, 0], 1.0]),
    message(["W_hh", [0, 0], 10**400]),
]


@pytest.mark.parametrize("malformed", MALFORMED, ids=lambda given: repr(given)[:60])
def test_a_malformed_edit_is_refused(malformed: object) -> None:
    with pytest.raises(InputError):
        read_edit(malformed)


@given(messages | json_values)
def test_whatever_arrives_is_an_edit_or_refused(given: object) -> None:
    try:
        edit = read_edit(given)
    except InputError:
        return
    assert type(edit.sequence) is int
    for entry, value in edit.entries.items():
        assert len(entry.place) == ENTRY_DIMENSIONS[entry.name]
        assert all(type(place) is int and place >= 0 for place in entry.place)
        assert value is None or (type(value) is float and math.isfinite(value))


@given(
    all_settings(st.integers(0, 3)),
    st.lists(st.dictionaries(entries(st.integers(0, 2)), st.none() | finite, max_size=4), max_size=4),
)
def test_edits_set_and_reset_entries(settings: Settings, edits: list[dict[Entry, float | None]]) -> None:
    """Against a plain dictionary; nothing but the edits changes, and their order is that of the entries."""
    wanted: dict[Entry, float | None] = dict(settings.edits)
    after = settings
    for sequence, edit in enumerate(edits):
        after = apply_edit(after, Edit(sequence, edit))
        wanted |= edit
    left = sorted((entry, value) for entry, value in wanted.items() if value is not None)
    assert bits(after.edits) == bits(tuple(left))
    assert (after.preset, after.chosen, after.x, after.t) == (settings.preset, settings.chosen, settings.x, settings.t)


def test_an_edit_leaves_the_settings_it_was_given() -> None:
    before = Settings("random", edits=((Entry("b_ih", (0,)), 1.0),))
    after = apply_edit(before, Edit(1, {Entry("b_ih", (0,)): 2.0}))
    assert before.edits == ((Entry("b_ih", (0,)), 1.0),)
    assert after.edits == ((Entry("b_ih", (0,)), 2.0),)
    assert apply_edit(after, Edit(2, {Entry("b_ih", (0,)): None})).edits == ()


def test_an_entry_counts_from_1_in_the_address() -> None:
    assert Entry("W_hh", (0, 11)).address == "W_hh.1.12"
    assert Entry("h0", (2,)).address == "h0.3"
