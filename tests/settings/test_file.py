"""The JSON file carries every setting bit for bit, and whatever else is opened is refused with a reason."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import Clamp, InputError
from rnnviz.network import build, edited_arrays, network_of
from rnnviz.settings import KINDS, Entry, Settings, from_json, numbered, to_json
from tests.settings.drawn import NAMES, all_settings, bits

anything = all_settings(st.integers(0, 10**9 - 2))


@given(anything)
def test_every_setting_comes_back_bit_for_bit(settings: Settings) -> None:
    written = to_json(settings)
    assert bits(from_json(written, NAMES, (settings.kind,))) == bits(settings)
    assert bits(from_json(written.encode(), NAMES, (settings.kind,))) == bits(settings)


def test_a_file_reads_as_a_person_would_write_it() -> None:
    settings = Settings("random", (("gain", 0.5), ("h0", (0.25,)), ("layers", 2)), ((0.5, -0.3), (1.0, 2.0)), t=2)
    settings = settings.edit({Entry("2.W_hh", (0, 1)): 1.4})
    assert json.loads(to_json(settings)) == {
        "rnnviz": "settings",
        "version": 1,
        "cell": "elman",
        "preset": "random",
        "step": 2,
        "layer": 1,
        "sequence": 1,
        "choices": {"gain": 0.5, "h0": [0.25], "layers": 2},
        "text": None,
        "sequences": [[[0.5, -0.3], [1.0, 2.0]]],
        "clamps": None,
        "edits": {"2.W_hh.1.2": 1.4},
    }
    assert to_json(settings).count("\n") == 14


def test_a_file_of_a_gated_cell_has_its_held_gates() -> None:
    held = ((1, Clamp("f", 1.0)), (2, Clamp("i", 0.0, 1, 5)))
    settings = Settings("random", (("bias_f", 1.5), ("c0", (0.5,)), ("layers", 2)), kind="lstm", clamps=held)
    content = json.loads(to_json(settings))
    assert (content["cell"], content["clamps"]) == ("lstm", "f:1;2.i.2:0@5")
    assert content["choices"] == {"bias_f": 1.5, "c0": [0.5], "layers": 2}
    assert from_json(to_json(settings), NAMES, ("lstm",)) == settings


LEAST: dict[str, Any] = {"rnnviz": "settings", "version": 1, "preset": "random"}


def test_the_arrays_stand_in_full_precision_and_change_nothing() -> None:
    """For other programs: every digit of what the network is made of, edits included; opening takes the recipe."""
    edited = {Entry("W_hh", (0, 1)): 0.1 + 0.2, Entry("2.b_ih", (2,)): 1 / 3}
    settings = Settings("random", (("layers", 2), ("sequences", 2))).edit(edited)
    content = json.loads(text := to_json(settings, edited_arrays(network_of(settings))))
    network = build(network_of(settings))
    for number, cell in enumerate(network.cells, start=1):
        for name in ("W_ih", "W_hh", "b_ih", "b_hh"):
            written = np.array(content["arrays"][numbered(name, number)])
            np.testing.assert_array_equal(written, getattr(cell, name))
    np.testing.assert_array_equal(np.array(content["arrays"]["2.x"]), network.xs[1])
    assert from_json(text, NAMES) == settings


def test_what_is_left_out_is_as_it_stands_there_first() -> None:
    assert from_json(json.dumps(LEAST), NAMES) == Settings("random")
    assert from_json(json.dumps(LEAST | {"clamps": None}), NAMES) == Settings("random")
    assert from_json("\ufeff".encode() + json.dumps(LEAST).encode(), NAMES) == Settings("random")


WRONG: dict[str, tuple[Any, tuple[str, ...]]] = {
    "a list": ([], ("must be an object", "got []")),
    "a number": (3, ("must be an object", "got 3")),
    "another file": ({"weights": []}, ("not a settings file",)),
    "no version": ({"rnnviz": "settings"}, ("version null", "version 1")),
    "another version": (LEAST | {"version": 2}, ("version 2", "version 1")),
    "an unknown part": (LEAST | {"colour": "red"}, ("“colour”", "choices")),
    "no preset": ({"rnnviz": "settings", "version": 1}, ("preset", "worked_example", "is null")),
    "an unknown preset": (LEAST | {"preset": ["random"]}, ("“preset” is", "one of these: worked_example")),
    "step 0": (LEAST | {"step": 0}, ("step", "counted from 1", "got 0")),
    "a step of True": (LEAST | {"step": True}, ("step", "got true")),
    "a layer in words": (LEAST | {"layer": "two"}, ("layer", 'got "two"')),
    "choices in a list": (LEAST | {"choices": []}, ("“choices” must be an object",)),
    "another kind of cell": (LEAST | {"cell": "lstm"}, ('"lstm"', 'shows "elman"', "page of its cell")),
    "no kind of cell": (LEAST | {"cell": ["elman"]}, ('["elman"]', 'shows "elman"')),
    "a choice of another kind": (LEAST | {"choices": {"c0": [1]}}, ("“c0”", "no setting")),
    "a word of another kind": (LEAST | {"choices": {"init": "chrono"}}, ("init", "one of these: torch", '"chrono"')),
    "held gates in a list": (LEAST | {"clamps": ["f:1"]}, ("“clamps” must be a string or null", "got")),
    "held gates of another form": (LEAST | {"clamps": "f=1"}, ("for example f:1", '“clamps” is "f=1"')),
    "a gate held beyond 1": (LEAST | {"clamps": "f:1.5"}, ("“clamps” is", "from 0 to 1")),
    "an unknown choice": (LEAST | {"choices": {"size": 3}}, ("“size”", "no setting")),
    "a size of 10**6": (LEAST | {"choices": {"hidden_size": 10**6}}, ("hidden_size", "from 1 to 64", "is 1000000")),
    "a size of 10**400": (LEAST | {"choices": {"hidden_size": 10**400}}, ("hidden_size", "finite", "…")),
    "half a size": (LEAST | {"choices": {"hidden_size": 2.5}}, ("hidden_size", "whole number")),
    "a size in words": (LEAST | {"choices": {"hidden_size": "3"}}, ("hidden_size", "a number")),
    "a size of True": (LEAST | {"choices": {"hidden_size": True}}, ("hidden_size", "a number")),
    "no size": (LEAST | {"choices": {"hidden_size": None}}, ("hidden_size", "got null")),
    "an unknown word": (LEAST | {"choices": {"init": "he"}}, ("init", "xavier", 'is "he"')),
    "a number for a word": (LEAST | {"choices": {"init": 3}}, ("init", "must be a word")),
    "an empty h0": (LEAST | {"choices": {"h0": []}}, ("h0", "finite numbers")),
    "words in h0": (LEAST | {"choices": {"h0": [1, "a"]}}, ("h0", "must be a number")),
    "a text that is none": (LEAST | {"text": 3}, ("“text” must be a string or null", "got 3")),
    "a text too long": (LEAST | {"text": "a" * 501}, ("501 characters", "at most 500")),
    "half a character": (LEAST | {"text": "\ud800"}, ("surrogate",)),
    "half a character for a part": (LEAST | {"\ud800": 1}, ("no “\\ud800”", "its parts are")),
    "half a character for a preset": (LEAST | {"preset": "\ud800"}, ("one of these", '"\\ud800"')),
    "half a character for a choice": (LEAST | {"choices": {"\ud800": 1}}, ("“\\ud800”", "no setting")),
    "half a character for a word": (LEAST | {"choices": {"init": "\ud800"}}, ("init", "xavier", '"\\ud800"')),
    "half a character for an entry": (LEAST | {"edits": {"\ud800": 1}}, ("“\\ud800”", "no such setting")),
    "sequences of none": (LEAST | {"sequences": []}, ("“sequences” must be a list",)),
    "a sequence of none": (LEAST | {"sequences": [[]]}, ("Sequence 1 must be a list of steps",)),
    "steps of none": (LEAST | {"sequences": [[[]]]}, ("Sequence 1 must be a list of steps",)),
    "numbers for steps": (LEAST | {"sequences": [[1, 2]]}, ("Sequence 1 must be a list of steps", "[1, 2]")),
    "ragged steps": (LEAST | {"sequences": [[[1], [2, 3]]]}, ("step 2 has 2 components, but step 1 has 1",)),
    "a word in a step": (LEAST | {"sequences": [[[1], ["a"]]]}, ("Sequence 1, step 2, component 1", '"a"')),
    "unequal sequences": (
        LEAST | {"sequences": [[[1]], [[1], [2]]]},
        ("Sequence 2 has 2 steps", "same number of steps", "correct this part"),
    ),
    "too many steps": (LEAST | {"sequences": [[[0]] * 1001]}, ("1,001 steps", "at most 1,000")),
    "edits in a list": (LEAST | {"edits": [["W_hh", 1]]}, ("“edits” must be an object",)),
    "an unknown entry": (LEAST | {"edits": {"W_xx.1.1": 1}}, ("“W_xx.1.1”", "no such setting")),
    "a whole array": (LEAST | {"edits": {"h0": 1}}, ("“h0”", "Name one entry by its indices")),
    "a whole input": (LEAST | {"edits": {"x.all": 1}}, ("“x.all”", "Name one entry by its indices")),
    "a whole array of layer 2": (LEAST | {"edits": {"2.W_hh": 1}}, ("“2.W_hh”", "Name one entry by its indices")),
    "an entry from 0": (LEAST | {"edits": {"W_hh.0.1": 1}}, ("“W_hh.0.1”", "counted from 1")),
    "an entry in words": (LEAST | {"edits": {"W_hh.1.1": "1"}}, ("“W_hh.1.1”", "must be a number")),
    "an entry of None": (LEAST | {"edits": {"W_hh.1.1": None}}, ("“W_hh.1.1”", "must be a number")),
}


@pytest.mark.parametrize(("content", "words"), WRONG.values(), ids=list(WRONG))
def test_a_wrong_file_is_refused_with_place_and_cure(content: object, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as refusal:
        from_json(json.dumps(content), NAMES)
    for word in words:
        assert word in str(refusal.value)
    assert len(str(refusal.value)) < 400
    assert str(refusal.value).encode()  # else the page that says it falls down


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("", "not valid JSON"),
        ("{", "line 1, column 2"),
        ("preset=random", "not valid JSON"),
        (b"\x89PNG\x00\xff", "not valid JSON"),
        ("[" * 100_000, "not valid JSON"),
        ('{"a": ' * 100_000, "not valid JSON"),
        ("1" * 10_000, "not valid JSON"),
        (json.dumps(LEAST | {"choices": {"gain": float("nan")}}), "NaN"),
        (json.dumps(LEAST | {"edits": {"W_hh.1.1": float("inf")}}), "Infinity"),
        (json.dumps(LEAST)[:-1] + ', "edits": {"W_hh.1.1": 1e999}}', "finite"),
        (json.dumps(LEAST)[:-1] + ', "sequences": [[[1e999]]]}', "finite"),
        (b" " * 100_000_001, "100 MB"),
    ],
)
def test_what_is_no_json_is_refused(content: str | bytes, word: str) -> None:
    with pytest.raises(InputError, match=word):
        from_json(content, NAMES)


values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
parts = dict.fromkeys(("step", "layer", "sequence", "choices", "text", "sequences", "clamps", "edits"), values)
choices = st.dictionaries(st.sampled_from(["gain", "h0", "init", "hidden_size", "sequences"]), values)


@given(st.fixed_dictionaries({}, optional=parts | {"choices": choices}) | values)
def test_whatever_is_opened_is_settings_or_refused(found: Any) -> None:
    content = LEAST | found if isinstance(found, dict) else found
    try:
        settings = from_json(json.dumps(content), NAMES)
    except InputError:
        return
    assert bits(from_json(to_json(settings), NAMES)) == bits(settings)


@pytest.mark.parametrize("kind", NAMES)
def test_a_file_is_opened_on_its_own_page_alone(kind: str) -> None:
    content = to_json(Settings("random", kind=kind))
    for page in NAMES:
        if page == kind:
            assert from_json(content, NAMES, (page,)) == Settings("random", kind=kind)
        else:
            with pytest.raises(InputError, match=f'"cell": "{kind}", and this page shows "{page}"'):
                from_json(content, NAMES, (page,))


@pytest.mark.parametrize("kind", KINDS)
def test_a_page_of_several_cells_opens_a_file_of_each(kind: str) -> None:
    beside = tuple(other for other in KINDS if other != kind)
    settings = Settings("random", kind=kind, beside=beside).choose(bias_f=1.5, activation="relu", reset="before")
    assert from_json(to_json(settings), NAMES, KINDS) == settings
    with pytest.raises(InputError, match='"cell": "gru", and this page shows "elman", "lstm"'):
        from_json(to_json(Settings("random", kind="gru")), NAMES, KINDS[:2])


@given(st.binary(max_size=200) | st.text(max_size=200))
def test_any_bytes_are_refused(content: bytes | str) -> None:
    with pytest.raises(InputError):
        from_json(content, NAMES)
