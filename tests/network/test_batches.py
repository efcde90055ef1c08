"""Sequences side by side: generated, the reader's own, or the characters of a text."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import settings as effort
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import InputError, run
from rnnviz.network import build, canonicalise, choose, follow, follow_text, network_of, run_network, values_of
from rnnviz.sequences import (
    GENERATORS,
    alphabet,
    derived_seed,
    generate,
    noise,
    one_hot,
    read_batch,
    read_batch_file,
    write_batch,
    write_lines,
    write_table,
)
from rnnviz.settings import SETTINGS, Entry, Settings, checked_batch
from tests.settings.drawn import EVERY_PRESET, batches, sequences

Array = NDArray[np.float64]

# --- read -----------------------------------------------------------------------------------------------------------

TWO = [[[0.5, -0.3], [0.1, 0.2]], [[1.0, 2.0], [3.0, 4.0]]]
CUBE = np.array(TWO)

TYPED = {
    "a blank line": "0.5, -0.3\n0.1, 0.2\n\n1, 2\n3, 4",
    "blank lines before, between and behind": "\n\n0.5 -0.3\n0.1 0.2\n \n\t\n1 2\n3 4\n\n",
    "a bar, as in the address": "0.5,-0.3;0.1,0.2|1,2;3,4",
    "bars and lines": "0.5,-0.3\n0.1,0.2\n|\n1,2\n3,4",
    "lines as Windows ends them": "0.5,-0.3\r\n0.1,0.2\r\n\r\n1,2\r\n3,4\r\n",
    "a heading of its own each": "a, b\n0.5, -0.3\n0.1, 0.2\n\na, b\n1, 2\n3, 4",
    "a heading apart": "a, b\n\n0.5, -0.3\n0.1, 0.2\n\n1, 2\n3, 4",
    "numpy's print of three axes": str(CUBE),
    "numpy's repr of three axes": repr(CUBE),
    "Python's list of three axes": str(TWO),
    "Python's list of three axes by its name": f"np.array({TWO})",
    "JSON over lines": json.dumps(TWO, indent=2),
    "JSON without spaces": json.dumps(TWO, separators=(",", ":")),
}


@pytest.mark.parametrize("text", TYPED.values(), ids=list(TYPED))
def test_sequences_typed_and_pasted(text: str) -> None:
    assert [x.tolist() for x in read_batch(text)] == TWO


@pytest.mark.parametrize("shape", [(1, 1, 1), (1, 3, 2), (3, 1, 2), (3, 2, 1), (2, 1, 1)])
@pytest.mark.parametrize("write", [lambda cube: str(cube.tolist()), str, repr])
def test_three_axes_of_any_shape(shape: tuple[int, ...], write: Callable[[Array], str]) -> None:
    cube = np.arange(float(np.prod(shape))).reshape(shape)
    assert np.array(read_batch(write(cube))).tolist() == cube.tolist()


def test_one_sequence_is_a_batch_of_one() -> None:
    assert [x.tolist() for x in read_batch("1 2 3")] == [[[1], [2], [3]]]
    assert [x.tolist() for x in read_batch("1 2 3\n\n4 5 6")] == [[[1], [2], [3]], [[4], [5], [6]]]
    assert [x.tolist() for x in read_batch("[1 2\n 3]\n\n[4 5\n 6]")] == [[[1], [2], [3]], [[4], [5], [6]]]


def test_a_line_beside_a_table_is_one_step() -> None:
    """Else what is missing from the second sequence could not be said in its own terms."""
    assert [x.tolist() for x in read_batch("1, 2\n3, 4\n\n5, 6")] == [[[1, 2], [3, 4]], [[5, 6]]]


FILES = {
    "blank lines": b"0.5,-0.3\n0.1,0.2\n\n1,2\n3,4\n",
    "rows of separators alone, as spreadsheets write them": b"a;b\n0,5;-0,3\n0,1;0,2\n;\n1;2\n3;4\n",
    "a heading apart": b"a,b\n\n0.5,-0.3\n0.1,0.2\n\n1,2\n3,4\n",
    "Python's list of three axes": str(TWO).encode(),
    "JSON over lines": json.dumps(TWO, indent=2).encode(),
    "numpy's print of three axes": str(CUBE).encode(),
}


@pytest.mark.parametrize("content", FILES.values(), ids=list(FILES))
def test_sequences_of_a_file(content: bytes) -> None:
    assert [x.tolist() for x in read_batch_file(content)] == TWO


def test_a_file_is_read_as_the_same_lines_typed() -> None:
    """A row alone is a number per step, as a line alone is; a heading with a name for each number makes it a step."""
    for rows in ("1,2\n\n3,4\n", "1,2\n\n3,4\n5,6\n", "a,b\n1,2\n\na,b\n3,4\n", "1,2\n"):
        typed, filed = read_batch(rows), read_batch_file(rows.encode())
        assert [x.tolist() for x in filed] == [x.tolist() for x in typed]
    assert [x.tolist() for x in read_batch_file(b"1,2\n\n3,4\n")] == [[[1], [2]], [[3], [4]]]
    assert [x.tolist() for x in read_batch_file(b"a,b\n1,2\n\na,b\n3,4\n")] == [[[1, 2]], [[3, 4]]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ("empty",)),
        ("a, b\n\nc, d", ("contains no number",)),
        ("1, 2\n\n3, four", ("Sequence 2: ", "Line 3", "“four”")),
        ("1\n2\n\n3\nnan", ("Sequence 2: ", "Line 5", "“nan”")),
        ("1, 2\n3, 4\n\n5, 6\n7", ("Sequence 2: ", "Line 5 has 1 number")),
    ],
)
@pytest.mark.parametrize("in_a_file", [False, True])
def test_a_refusal_names_sequence_and_line(text: str, words: tuple[str, ...], in_a_file: bool) -> None:
    with pytest.raises(InputError) as refusal:
        read_batch_file(text.encode()) if in_a_file else read_batch(text)
    for word in words:
        assert word in str(refusal.value)


@pytest.mark.parametrize(
    ("shapes", "words"),
    [
        (
            [(2, 2), (3, 2)],
            (
                "Sequence 2 has 3 steps of 2",
                "sequence 1 has 2 steps of 2",
                "same number of steps and of components",
                "blank line or | between",
            ),
        ),
        ([(2, 2), (2, 2), (2, 1)], ("Sequence 3 has 2 steps of 1 component",)),
        ([(1, 1)] * 9, ("9 sequences", "at most 8", "Use fewer", "blank line or | between")),
        ([(1001, 1)] * 2, ("1,001 steps", "at most 1,000")),
        ([(1, 65)], ("65 components", "at most 64")),
    ],
)
def test_a_batch_that_does_not_fit_says_what_was_given_and_needed(
    shapes: list[tuple[int, int]], words: tuple[str, ...]
) -> None:
    with pytest.raises(InputError) as refusal:
        checked_batch([np.zeros(shape) for shape in shapes])
    for word in words:
        assert word in str(refusal.value)


@given(batches())
def test_a_written_batch_is_read_back_bit_for_bit(batch: tuple[tuple[tuple[float, ...], ...], ...]) -> None:
    cube = np.array(batch)
    for text in (write_batch(cube), write_lines(cube)):
        assert np.array(read_batch(text)).tobytes() == cube.tobytes()


@given(batches() | sequences().map(lambda x: (x,)))
@example((((1.0, 2.0),),))
@example((((1.0,),),))
@example((((1.0, 2.0),), ((3.0, 4.0),)))
def test_a_saved_table_is_read_back_bit_for_bit(batch: tuple[tuple[tuple[float, ...], ...], ...]) -> None:
    """A single step, too, which a typed text ends with a semicolon."""
    saved = write_table(np.array(batch)).encode()
    assert np.array(read_batch_file(saved)).tobytes() == np.array(batch).tobytes()


# --- generated ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", GENERATORS)
@effort(max_examples=20)
@given(st.integers(1, 60), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_the_first_sequence_is_the_one_there_always_was(kind: str, steps: int, size: int, seed: int) -> None:
    first = generate(kind, steps, size, seed, 1)
    assert first.tobytes() == GENERATORS[kind](steps, size, seed).tobytes()
    assert {generate(kind, steps, size, seed, number).shape for number in range(1, 9)} == {(steps, size)}


@pytest.mark.parametrize("kind", ["noise", "impulse", "sine", "preset"])
def test_the_sequences_of_a_batch_differ(kind: str) -> None:
    xs = build(network_of(Settings("worked_example").choose(input=kind, sequences=8, steps=8))).xs
    assert len({x.tobytes() for x in xs}) == 8


def test_further_noise_is_drawn_from_seeds_of_its_own() -> None:
    xs = build(network_of(Settings("random").choose(sequences=3, seed=4))).xs
    for number, x in enumerate(xs, start=1):
        np.testing.assert_array_equal(x, noise(8, 2, derived_seed(4, number)))


def test_an_impulse_comes_a_step_later_in_each() -> None:
    xs = build(network_of(Settings("random").choose(sequences=4, input="impulse"))).xs
    assert [int(np.argmax(x[:, 0])) for x in xs] == [0, 1, 2, 3]


# --- run ------------------------------------------------------------------------------------------------------------


def test_every_sequence_runs_from_the_same_state_through_the_same_weights() -> None:
    network = build(network_of(Settings("worked_example").choose(sequences=3)))
    ran = run_network(network)
    assert len(ran.traces) == len(ran.outputs) == 3
    for x, (trace,), output in zip(network.xs, ran.traces, ran.outputs, strict=True):
        np.testing.assert_array_equal(trace.h, run(network.cell, x, network.h0).h)
        assert network.readout is not None
        np.testing.assert_array_equal(output.y, network.readout(trace.h[1:]))
    np.testing.assert_array_equal(ran.trace.h, run_network(build(network_of(Settings("worked_example")))).trace.h)


@pytest.mark.parametrize(("kind", "preset"), EVERY_PRESET)
def test_more_sequences_leave_a_preset_what_it_is(kind: str, preset: str) -> None:
    more = choose(Settings(preset, kind=kind), "sequences", 4)
    assert more == Settings(preset, (("sequences", 4),), kind=kind)
    assert len(build(network_of(more)).xs) == 4


def test_an_entry_of_a_further_sequence() -> None:
    settings = canonicalise(Settings("random").choose(sequences=2).edit({Entry("2.x", (2, 0)): 7.0}))[0]
    plain, network = build(network_of(Settings("random").choose(sequences=2))), build(network_of(settings))
    assert network.xs[1][2, 0] == 7.0
    np.testing.assert_array_equal(network.xs[0], plain.xs[0])
    assert choose(settings, "sequences", 1).edits == ()
    assert choose(settings, "input", "sine").edits == ()


# --- the reader's own -----------------------------------------------------------------------------------------------

OWN = (((1.0, 2.0), (3.0, 4.0)), ((5.0, 6.0), (7.0, 8.0)))


def test_an_own_batch_sets_all_its_sizes() -> None:
    settings = follow(Settings("worked_example"), OWN[0], OWN[1:])
    values = values_of(settings)
    assert [values[name] for name in ("sequences", "steps", "input_size")] == [2, 2, 2]
    assert settings.chosen == ()
    assert [x.tolist() for x in build(network_of(settings)).xs] == [[list(row) for row in x] for x in OWN]


@pytest.mark.parametrize("name", ["input", "sequences", "steps", "input_size"])
def test_generating_again_drops_the_whole_batch(name: str) -> None:
    value = "sine" if name == "input" else 2
    after = choose(follow(Settings("random"), OWN[0], OWN[1:]), name, value)
    assert (after.x, after.others) == (None, ())


def test_the_sequence_shown_stays_within_the_batch() -> None:
    settings = canonicalise(Settings("random", (("sequences", 5),), sequence=5))[0]
    assert follow(settings, OWN[0], OWN[1:]).sequence == 2


# --- text -----------------------------------------------------------------------------------------------------------


@given(st.text(min_size=1, max_size=64))
def test_one_hot_says_the_text(text: str) -> None:
    x, signs = one_hot(text), alphabet(text)
    assert list(signs) == sorted(set(text))
    assert x.shape == (len(text), len(signs))
    assert (x.sum(axis=1) == 1).all()
    assert "".join(signs[place] for place in x.argmax(axis=1)) == text


def test_a_text_sets_D_and_T() -> None:
    settings = follow_text(Settings("random"), "abracadabra")
    values = values_of(settings)
    assert (values["steps"], values["input_size"], values["input"]) == (11, 5, "text")
    assert settings.chosen == (("input", "text"),)
    network = build(network_of(settings))
    np.testing.assert_array_equal(network.x, one_hot("abracadabra"))
    assert network.cell.input_size == 5


def test_a_text_is_there_before_one_is_typed() -> None:
    settings = choose(Settings("random"), "input", "text")
    assert settings == Settings("random", (("input", "text"),))
    assert len(build(network_of(settings)).x) == values_of(settings)["steps"]
    assert follow_text(settings, "hello world").text == ""


@pytest.mark.parametrize(("name", "value"), [("steps", 5), ("input_size", 3), ("input", "silence")])
def test_another_input_drops_the_text(name: str, value: object) -> None:
    after = choose(follow_text(Settings("random"), "abc"), name, value)
    assert after.text == ""
    assert values_of(after)[name] == value


def test_edits_of_a_text_work_and_go_with_it() -> None:
    typed = follow_text(Settings("random"), "abc")
    edits = {Entry("x", (0, 1)): 0.5, Entry("W_hh", (0, 0)): 2.0}
    settings, problems = canonicalise(typed.edit(edits))
    assert problems == ()
    assert build(network_of(settings)).x[0].tolist() == [1.0, 0.5, 0.0]
    assert dict(follow_text(settings, "bca").edits) == {Entry("W_hh", (0, 0)): 2.0}
    assert follow_text(settings, "abcd").edits == ()


def test_a_text_of_many_sequences_begins_later_in_each() -> None:
    xs = build(network_of(follow_text(Settings("random"), "abc").choose(sequences=3))).xs
    assert ["".join("abc"[place] for place in x.argmax(axis=1)) for x in xs] == ["abc", "bca", "cab"]


def test_the_largest_sizes_run() -> None:
    text = "".join(map(chr, range(33, 97))) * 7 + "!" * 52
    settings = follow_text(Settings("random").choose(hidden_size=64, layers=4, sequences=8, output_size=64), text)
    ran = run_network(build(network_of(settings)))
    assert {trace.h.shape for layers in ran.traces for trace in layers} == {(501, 64)}
    assert (SETTINGS["steps"].high, SETTINGS["hidden_size"].high) == (1000, 64)
