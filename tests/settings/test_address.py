"""The address carries every setting bit for bit, and never breaks a page."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rnnviz.network import canonicalise
from rnnviz.presets import default_preset
from rnnviz.settings import (
    ADDRESS_LIMIT,
    ENTRY_DIMENSIONS,
    KINDS,
    NOT_HERE,
    SETTINGS,
    Entry,
    Problem,
    Settings,
    address_length,
    format_address,
    parse_address,
    settings_of,
)
from tests.settings.drawn import DEFAULT, NAMES, PRESETS, all_settings, bits

Query = dict[str, str]

anything = all_settings(st.integers(0, 10**9 - 2))
likely = all_settings(st.integers(0, 3), most_steps=300)

ALL_OF_C0 = tuple((Entry("c0", (unit,)), float(unit)) for unit in range(6))


def read(query: Query, kind: str = "elman") -> tuple[Settings, tuple[Problem, ...]]:
    """As the page of a kind of cell does it."""
    return parse_address(query, NAMES[kind], default_preset(kind), kind)


def written(settings: Settings) -> Query:
    return format_address(settings, default_preset(settings.kind))


def through_the_browser(query: Query) -> Query:
    """As the address bar does it: percent signs, plus signs and back."""
    return dict(parse_qsl(urlencode(query), keep_blank_values=True, strict_parsing=bool(query)))


@given(settings=anything)
@example(settings=Settings(DEFAULT, x=((-0.0,),), edits=((Entry("x", (0, 0)), 5e-324),)))
@example(settings=Settings(PRESETS[1], (("seed", 2**32 - 1),), ((1e308,) * 8,), (), 200))
@example(settings=Settings(PRESETS[1], (), ((0.1,) * 64,) * 500, (), 500))
@example(settings=Settings(PRESETS[1], (), ((1.0, 2.0, 3.0),), (), 1, (((4.0, 5.0, 6.0),),) * 7, "a&b=c d|é;,", 4, 8))
@example(settings=Settings(DEFAULT, (), None, tuple((Entry("2.W_hh", (i, i)), -0.0) for i in range(9))))
@example(settings=Settings("latch", (("c0", (1.0,)),), edits=ALL_OF_C0, kind="lstm"))
def test_every_setting_comes_back_bit_for_bit(settings: Settings) -> None:
    query = written(settings)
    for carried in (query, through_the_browser(query)):
        back, problems = read(carried, settings.kind)
        assert problems == ()
        assert bits(back) == bits(settings)


@given(likely)
def test_settled_settings_stay_as_they_are(settings: Settings) -> None:
    settled, _ = canonicalise(settings)
    again, problems = canonicalise(settled)
    assert problems == ()
    assert bits(again) == bits(settled)


@given(likely)
def test_settled_settings_come_back_from_their_address(settings: Settings) -> None:
    """A copied address shows the same screen: nothing in it is named as unreadable, nothing is lost."""
    settled, _ = canonicalise(settings)
    back, unreadable = read(through_the_browser(written(settled)), settled.kind)
    again, outside = canonicalise(back)
    assert unreadable + outside == ()
    assert bits(again) == bits(settled)


def test_defaults_stay_out_of_the_address() -> None:
    assert format_address(Settings(DEFAULT), DEFAULT) == {}
    assert format_address(Settings("echo"), DEFAULT) == {"preset": "echo"}


@pytest.mark.parametrize("kind", KINDS)
def test_a_choice_equal_to_the_default_stays_out_too(kind: str) -> None:
    explicit = {name: row.default for name, row in settings_of(kind).items() if name not in ("h0", "c0")}
    assert written(canonicalise(Settings("random", kind=kind).choose(**explicit))[0]) == {"preset": "random"}


def test_an_address_reads_as_a_person_would_write_it() -> None:
    settings = Settings("random", (("gain", 0.5), ("hidden_size", 4)), ((0.5, -0.3), (1.0, 2.0)), t=2)
    settings = settings.edit({Entry("W_hh", (0, 1)): 1.4, Entry("b_ih", (3,)): -0.0})
    assert format_address(settings, DEFAULT) == {
        "preset": "random",
        "gain": "0.5",
        "hidden_size": "4",
        "x": "0.5,-0.3;1,2",
        "t": "2",
        "W_hh.1.2": "1.4",
        "b_ih.4": "-0",
    }


def test_the_length_counts_percent_signs() -> None:
    query = {"x": "0.5,-0.3;1,2", "gain": "1e+16"}
    assert address_length(query) == len("x=0.5%2C-0.3%3B1%2C2&gain=1e%2B16")


UNREADABLE = [
    ("preset", "nope", "echo"),
    ("hidden_size", "65", "from 1 to 64"),
    ("hidden_size", "0", "from 1 to 64"),
    ("hidden_size", "3.5", "whole"),
    ("hidden_size", "three", "whole"),
    ("hidden_size", "", "whole"),
    ("steps", "1001", "from 1 to 1,000."),
    ("steps", "1,000", "from 1 to 1,000, written without commas."),
    ("seed", "-1", "from 0"),
    ("seed", str(2**32), f"{2**32 - 1:,}."),
    ("seed", "1_000", "whole"),
    ("gain", "nan", "number"),
    ("gain", "infinity", "number"),
    ("gain", "-0.1", "from 0 to 10"),
    ("init", "Torch", "torch"),
    ("init", "preset", "torch"),
    ("input", "own", "noise"),
    ("activation", "swish", "sigmoid"),
    ("h0", "0.1,x", "finite"),
    ("h0", "1e999", "finite"),
    ("h0", "", "finite"),
    ("output_size", "65", "from 0 to 64"),
    ("t", "0", "counted from 1"),
    ("t", "1.5", "counted from 1"),
    ("t", "first", "counted from 1"),
    ("x", "", "empty"),
    ("x", "1;two", "“two”"),
    ("x", "1;2,3", "Line 2"),
    ("x", "1;nan", "nan"),
    ("x", "0;" * 1001, "at most 1,000"),
    ("x", "0," * 64 + "0;", "at most 64"),
    ("W_hh.1.1", "inf", "finite"),
    ("W_hh.1.1", "1e309", "finite"),
    ("W_hh.1.1", "", "finite"),
    ("W_hh.1", "1", "W_hh.1.1"),
    ("W_hh.0.1", "1", "counted from 1"),
    ("b_ih.1.1", "1", "b_ih.1"),
    ("h0.0", "1", "counted from 1"),
    ("W_xx.1.1", "1", "no such setting"),
    ("steps.1", "1", "no such setting"),
    ("colour", "red", "no such setting"),
    ("Seed", "1", "no such setting"),
    ("", "", "no such setting"),
]


@pytest.mark.parametrize(("name", "text", "needed"), UNREADABLE)
def test_an_unreadable_value_is_named_and_left_out(name: str, text: str, needed: str) -> None:
    """Its default holds, and what stands beside it still counts."""
    settings, (problem,) = read({name: text, "output_activation": "tanh", "b_hh.1": "2"})
    assert settings == Settings(DEFAULT, (("output_activation", "tanh"),), None, ((Entry("b_hh", (0,)), 2.0),))
    assert (problem.name, problem.given) == (name, text)
    assert needed in str(problem.needed)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("T", "steps"), ("H", "hidden_size"), ("D", "input_size"), ("h", "hidden_size"), ("Seed", "seed"),
        ("step", "steps"), ("hidden", "hidden_size"), ("Hidden_Size", "hidden_size"), ("inputsize", "input_size"),
        ("activations", "activation"), ("presets", "preset"),
    ],
)  # fmt: skip
def test_an_unknown_name_is_told_the_nearest_known_one(name: str, meant: str) -> None:
    _, (problem,) = read({name: "1"})
    assert str(problem.needed) == f"{NOT_HERE} Did you mean “{meant}”?"


@pytest.mark.parametrize("name", ["colour", "", "xyz", "W_xx.1.1", "steps.1", "reset", "c0", "clamp", "bias_f", "bias"])
def test_of_a_name_nothing_is_guessed_that_is_near_none_or_another_pages(name: str) -> None:
    _, (problem,) = read({name: "1"})
    assert problem.needed == NOT_HERE


OUTSIDE = [
    ({"preset": "random", "h0": "1,2"}, "h0", "all units, or 3 numbers, one for each unit."),
    ({"preset": "random", "W_hh.4.1": "1"}, "W_hh.4.1", "size 3 × 3"),
    ({"preset": "random", "W_ih.1.3": "1"}, "W_ih.1.3", "size 3 × 2"),
    ({"preset": "random", "steps": "5", "x.6.1": "1"}, "x.6.1", "size 5 × 2"),
    ({"preset": "random", "b_hh.4": "1"}, "b_hh.4", "b_hh has size 3"),
    ({"preset": "random", "output_size": "0", "W_ho.1.1": "1"}, "W_ho.1.1", "no W_ho"),
]


@pytest.mark.parametrize(("query", "name", "needed"), OUTSIDE)
def test_what_lies_outside_the_network_is_named_and_left_out(query: Query, name: str, needed: str) -> None:
    settings, unreadable = read(query)
    settled, (problem,) = canonicalise(settings)
    assert unreadable == ()
    assert problem.name == name
    assert needed in str(problem.needed)
    assert settled == canonicalise(read({key: text for key, text in query.items() if key != name})[0])[0]


def test_a_step_past_the_end_is_the_last_step() -> None:
    assert canonicalise(read({"t": "99"})[0])[0].t == 8
    assert canonicalise(read({"t": "99", "x": "1,2;3,4;5,6"})[0])[0].t == 3


names = st.sampled_from(
    [
        "preset",
        "x",
        "t",
        "layer",
        "sequence",
        "text",
        *SETTINGS,
        *(f"{name}.1.1" for name in ENTRY_DIMENSIONS),
        "b_ih.1",
        "c0.1",
        "2.c0.1",
        "clamp",
    ]
)
words = st.sampled_from([*PRESETS, *NAMES["lstm"], "tanh", "preset", "chrono", "row", "f:1", "z.2:0@5", "r:0;o.9:1@99"])
numbers = st.text("0123456789.,;+-eE_ \n\t[]naif", max_size=40)


@given(st.dictionaries(names | st.text(), numbers | words | st.text()), st.sampled_from(KINDS))
@example({"c0": "0.1,0.2", "c0.1": "1", "clamp": "f:1", "init": "chrono", "bias_f": "2"}, "elman")
@example({"c0": "0.1,0.2", "c0.1": "1", "clamp": "f:1", "activation": "relu", "bias_f": "2"}, "gru")
def test_no_address_breaks_the_page(query: Query, kind: str) -> None:
    settings, unreadable = read(query, kind)
    settled, outside = canonicalise(settings)
    named = [problem.name for problem in unreadable]
    assert sorted(named) == sorted(set(named) & set(query))
    assert all(problem.needed and problem.given == query[problem.name] for problem in unreadable)
    assert {problem.name for problem in outside} <= set(query)
    assert canonicalise(settled) == (settled, ())


# --- one parameter for many entries ---------------------------------------------------------------------------------


def all_of(name: str, rows: int, columns: int) -> Settings:
    edits = {Entry(name, (i, j)): 0.5 for i in range(rows) for j in range(columns)}
    return Settings(DEFAULT).edit(edits)


def test_many_edits_of_an_array_travel_in_one_parameter() -> None:
    assert format_address(all_of("W_hh", 3, 3), DEFAULT) == {"W_hh": "0.5,0.5,0.5;0.5,0.5,0.5;0.5,0.5,0.5"}
    assert format_address(all_of("2.W_ih", 4, 2), DEFAULT) == {"2.W_ih": "0.5,0.5;0.5,0.5;0.5,0.5;0.5,0.5"}


def test_where_a_setting_has_the_bare_name_the_parameter_says_all() -> None:
    assert format_address(all_of("x", 3, 2), DEFAULT) == {"x.all": "0.5,0.5;0.5,0.5;0.5,0.5"}
    edits = {Entry("h0", (unit,)): float(unit) for unit in range(6)}
    assert format_address(Settings(DEFAULT).edit(edits), DEFAULT) == {"h0.all": "0,1,2,3,4,5"}


def test_an_empty_place_is_an_entry_that_was_not_edited() -> None:
    settings = all_of("W_hh", 3, 3).edit({Entry("W_hh", (0, 1)): None, Entry("W_hh", (2, 2)): None})
    query = format_address(settings, DEFAULT)
    assert query == {"W_hh": "0.5,,0.5;0.5,0.5,0.5;0.5,0.5"}
    assert read(query) == (settings, ())
    assert read({"W_hh": " 1 , ; ,2 "})[0].edits == ((Entry("W_hh", (0, 0)), 1.0), (Entry("W_hh", (1, 1)), 2.0))


def test_few_or_scattered_edits_keep_their_names() -> None:
    assert set(format_address(all_of("W_hh", 1, 5), DEFAULT)) == {f"W_hh.1.{unit}" for unit in range(1, 6)}
    scattered = Settings(DEFAULT).edit({Entry("W_hh", (40 * unit, 50)): 1.0 for unit in range(8)})
    assert len(format_address(scattered, DEFAULT)) == 8


def test_a_whole_network_of_sixteen_units_travels() -> None:
    """Entry by entry it would not."""
    values = np.random.RandomState(0).uniform(-1, 1, (16, 16)).round(3)
    settings = Settings(DEFAULT).edit({Entry("W_hh", place): value for place, value in np.ndenumerate(values)})
    assert address_length(format_address(settings, DEFAULT)) < ADDRESS_LIMIT / 2
    assert address_length({entry.address: f"{value}" for entry, value in settings.edits}) > ADDRESS_LIMIT / 2


def test_a_number_before_the_name_is_a_layer_or_a_sequence() -> None:
    settings, problems = read({"1.W_hh.1.1": "2", "2.W_hh.1.1": "3", "3.x.4.1": "4", "2.h0": "5,6"})
    assert problems == ()
    assert dict(settings.edits) == {
        Entry("W_hh", (0, 0)): 2.0,
        Entry("2.W_hh", (0, 0)): 3.0,
        Entry("3.x", (3, 0)): 4.0,
        Entry("2.h0", (0,)): 5.0,
        Entry("2.h0", (1,)): 6.0,
    }


MORE_UNREADABLE = [
    ("W_hh", "", "at least one number"),
    ("W_hh", ";,;", "at least one number"),
    ("W_hh", "1,two", "rows by semicolons"),
    ("b_ih", "1;2", "separated by commas"),
    ("b_ih", "1,nan", "finite"),
    ("0.W_hh.1.1", "1", "no such setting"),
    ("2.W_xx.1.1", "1", "no such setting"),
    ("2.hidden_size", "1", "no such setting"),
    ("layer", "0", "counted from 1"),
    ("sequence", "1.5", "counted from 1"),
    ("layers", "5", "from 1 to 4"),
    ("stack", "concat", "hidden, readout"),
    ("x", "1;2|3", "Sequence 2 has 1 step of 1 component, but sequence 1 has 2 steps of 1 component"),
    ("x", "1|2|3|4|5|6|7|8|9", "at most 8"),
    ("x", "1;2|3;two", "Sequence 2: Line 2"),
    ("text", "", "empty"),
    ("text", "a" * 501, "at most 500"),
    ("text", "".join(map(chr, range(65, 130))), "at most 64"),
]


@pytest.mark.parametrize(("name", "text", "needed"), MORE_UNREADABLE)
def test_what_stacks_and_batches_cannot_read_is_named(name: str, text: str, needed: str) -> None:
    settings, (problem,) = read({name: text})
    assert settings == Settings(DEFAULT)
    assert (problem.name, problem.given) == (name, text)
    assert needed in str(problem.needed)


MORE_OUTSIDE = [
    ({"2.W_hh.1.1": "1"}, "2.W_hh.1.1", "no 2.W_hh"),
    ({"2.x.1.1": "1"}, "2.x.1.1", "no 2.x"),
    ({"layers": "2", "2.W_hh.4.1": "1"}, "2.W_hh.4.1", "size 3 × 3"),
    ({"layers": "2", "2.W_ho.1.1": "1"}, "2.W_ho.1.1", "no 2.W_ho"),
    ({"W_out.1.1": "1"}, "W_out.1.1", "no W_out"),
    ({"layers": "2", "h0": "1,2"}, "h0", "6"),
    ({"text": "abc"}, "text", "input=text"),
    ({"text": "abc", "input": "text", "x": "1,2"}, "text", "input=text"),
]


@pytest.mark.parametrize(("query", "name", "needed"), MORE_OUTSIDE)
def test_what_lies_outside_a_stack_or_a_batch_is_named(query: Query, name: str, needed: str) -> None:
    settings, unreadable = read({"preset": "random", **query})
    (problem,) = canonicalise(settings)[1]
    assert unreadable == ()
    assert problem.name == name
    assert needed in str(problem.needed)


def test_a_layer_past_the_top_is_the_top() -> None:
    settled = canonicalise(read({"layers": "2", "layer": "4", "sequences": "3", "sequence": "8"})[0])[0]
    assert (settled.layer, settled.sequence) == (2, 3)


# --- kinds of cells -------------------------------------------------------------------------------------------------

# What a page of a kind cannot read, and a word of what it says to it.
FOREIGN = [
    ("elman", "c0", "0.1", "no such setting"),
    ("elman", "clamp", "f:1", "no such setting"),
    ("elman", "bias_f", "1", "no such setting"),
    ("elman", "reset", "before", "no such setting"),
    ("elman", "init", "chrono", "torch, xavier, orthogonal, identity, spectral, zeros"),
    ("elman", "preset", "latch", "worked_example"),
    ("lstm", "activation", "relu", "no such setting"),
    ("lstm", "update", "write", "no such setting"),
    ("lstm", "bias_z", "1", "no such setting"),
    ("lstm", "notation", "row", "column, joined"),
    ("lstm", "preset", "echo", "latch"),
    ("gru", "c0", "0.1", "no such setting"),
    ("gru", "bias_f", "1", "no such setting"),
    ("gru", "notation", "letters", "column, joined"),
    ("gru", "bias_z", "20.5", "from −20 to 20"),
    ("gru", "clamp", "z:1.5", "from 0 to 1"),
    ("elman", "gain", "1e9", "from 0 to 10."),
]


@pytest.mark.parametrize(("kind", "name", "text", "needed"), FOREIGN)
def test_what_another_kind_has_is_named_and_left_out(kind: str, name: str, text: str, needed: str) -> None:
    settings, (problem,) = read({name: text, "b_hh.1": "2"}, kind)
    assert settings == Settings(default_preset(kind), edits=((Entry("b_hh", (0,)), 2.0),), kind=kind)
    assert (problem.name, problem.given) == (name, text)
    assert needed in str(problem.needed)


@pytest.mark.parametrize("kind", ["elman", "gru"])
def test_an_entry_of_c0_is_named_where_there_is_none(kind: str) -> None:
    settings, unreadable = read({"preset": "random", "c0.1": "1"}, kind)
    settled, (problem,) = canonicalise(settings)
    assert unreadable == ()
    assert (problem.name, str(problem.needed)) == ("c0.1", "This network has no c0.")
    assert settled == Settings("random", kind=kind)


def test_an_lstm_address_reads_as_a_person_would_write_it() -> None:
    query = {
        "preset": "random",
        "bias_f": "1.5",
        "c0": "0.5",
        "init": "chrono",
        "notation": "joined",
        "clamp": "f.2:1@5",
        "c0.1": "0.25",
    }
    settings, problems = read(query, "lstm")
    assert problems == ()
    assert canonicalise(settings) == (settings, ())
    assert list(written(settings).items()) == list(query.items())


def test_many_entries_of_c0_are_told_from_the_setting() -> None:
    """Else they would come back as a c0 of that length."""
    assert written(Settings("latch", edits=ALL_OF_C0, kind="lstm")) == {"c0.all": "0,1,2,3,4,5"}


@pytest.mark.parametrize("kind", KINDS)
def test_pages_share_what_all_cells_have(kind: str) -> None:
    query = {
        "preset": "random",
        "gain": "0.5",
        "hidden_size": "4",
        "layers": "2",
        "x": "1,2;3,4",
        "t": "2",
        "2.h0.1": "1",
    }
    settings, problems = read(query, kind)
    assert problems == ()
    assert canonicalise(settings) == (settings, ())
    assert written(settings) == query
