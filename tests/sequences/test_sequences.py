"""Sequences typed, pasted, uploaded and generated: the right numbers, or a refusal that names line and cure."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import settings as effort
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn
from numpy.typing import NDArray

from rnnviz import InputError
from rnnviz.sequences import (
    GENERATORS,
    impulse,
    noise,
    read_batch,
    read_batch_file,
    read_sequence,
    read_sequence_file,
    silence,
    sine,
    write_number,
    write_sequence,
    write_table,
)
from tests.settings.drawn import finite

PAIR = [[0.5, -0.3], [0.1, 0.2]]
FOUR = np.array([[1.5, -2.0], [3.0, 4e-7], [0.0, -0.25], [1e10, 7.0]])

# --- typed and pasted -----------------------------------------------------------------------------------------------

TYPED = {
    "one line is a number a step": ("1 2 3", [[1], [2], [3]]),
    "commas": ("0.5, -0.3, .25, 4.", [[0.5], [-0.3], [0.25], [4]]),
    "semicolons end steps": ("0.5, -0.3; 0.1, 0.2", PAIR),
    "lines end steps": ("0.5, -0.3\n0.1, 0.2", PAIR),
    "lines as Windows ends them": ("0.5, -0.3\r\n0.1, 0.2\r\n", PAIR),
    "lines as old Macs end them": ("0.5, -0.3\r0.1, 0.2\r", PAIR),
    "empty lines": ("\n\n0.5 -0.3\n\n0.1 0.2\n\n", PAIR),
    "a column": ("1\n2\n3", [[1], [2], [3]]),
    "one number": ("7", [[7]]),
    "one step of three": ("1,2,3;", [[1, 2, 3]]),
    "exponents and signs": ("+1e-4; -2E3; 1e+2", [[1e-4], [-2000], [100]]),
    "a true minus": ("−0.5, −1e−3", [[-0.5], [-0.001]]),
    "tabs, as from a spreadsheet": ("0.5\t-0.3\n0.1\t0.2\n", PAIR),
    "a heading": ("x1, x2\n0.5, -0.3\n0.1, 0.2", PAIR),
    "numpy's print": (str(np.array(PAIR)), PAIR),
    "numpy's print of a column": ("[[1.]\n [2.]]", [[1], [2]]),
    "numpy's print of one step": ("[[1. 2. 3.]]", [[1, 2, 3]]),
    "numpy's repr": (repr(np.array(PAIR)), PAIR),
    "numpy's print of a series": (str(np.array([1.0, 2.0, 3.0])), [[1], [2], [3]]),
    "a Python list": ("[1, 2, 3]", [[1], [2], [3]]),
    "a Python list of lists": (str(PAIR), PAIR),
    "a Python list of lists over lines": ("[\n  [0.5, -0.3],\n  [0.1, 0.2],\n]", PAIR),
    "tuples": ("((0.5, -0.3),\n (0.1, 0.2))", PAIR),
    "a name before numpy's repr": ("np.array([[0.5, -0.3], [0.1, 0.2]])", PAIR),
    "numpy's repr with its type": (repr(np.array(PAIR, dtype=np.float32)), PAIR),
    "PyTorch's print": ("tensor([[ 0.5000, -0.3000],\n        [ 0.1000,  0.2000]], dtype=torch.float64)", PAIR),
    "PyTorch's print with a gradient": ("tensor([[0.5, -0.3], [0.1, 0.2]], grad_fn=<AddBackward0>)", PAIR),
    "scientific notation": ("[[ 5.e-01 -3.e-01]\n [ 1.e-01  2.e-01]]", PAIR),
    "a spreadsheet's cells": ("a\tb\r\n0.5\t-0.3\r\n0.1\t0.2\r\n", PAIR),
}


@pytest.mark.parametrize(("text", "rows"), TYPED.values(), ids=list(TYPED))
def test_typed_and_pasted(text: str, rows: list[list[float]]) -> None:
    x = read_sequence(text)
    assert x.dtype == np.float64
    assert x.tolist() == rows


@pytest.mark.parametrize("size", [9, 12, 40])
def test_a_series_that_numpy_wraps_is_not_taken_for_a_table(size: int) -> None:
    """Print breaks lines at 75 characters: the rows that come of it are no steps. A refusal will do."""
    series = np.random.RandomState(0).uniform(-1, 1, size)
    try:
        x = read_sequence(str(series))
    except InputError:
        return
    np.testing.assert_allclose(x, series[:, None], atol=1e-8)


@pytest.mark.parametrize("write", [str, repr])
def test_a_table_that_numpy_wraps_is_a_table(write: Callable[[object], str]) -> None:
    """Rows wider than 75 characters go on in the next line; the brackets say where a step ends."""
    table = np.random.RandomState(0).uniform(-1e-5, 1, (4, 20))
    text = write(table)
    assert text.count("\n") > 4
    np.testing.assert_allclose(read_sequence(text), table, atol=1e-8)


REFUSED = {
    str(np.zeros((2000, 3))): ("“...”", "leaves numbers out", "set_printoptions"),
    repr(np.zeros((3, 2000))): ("“...”", "x.tolist()"),
    "1, 2, …, 9": ("“...”",),
    "": ("empty", "one step per line"),
    " \n ;; \n[]": ("empty", "one step per line"),
    " ;\n": ("is empty", "one step per line"),
    "x, y": ("contains no number", "one step per line"),
    "abc": ("contains no number", "one step per line"),
    '{"a":1}': ("contains no number", "one step per line"),
    "9" * 400: ("Line 1: 99999999999999999999… overflows",),
    "1, 2\n3": ("Line 2 has 1 number,", "line 1 has 2", "Fill the gap"),
    "1\n\n2, 3": ("Line 3 has 2 numbers", "line 1 has 1", "Fill the gap"),
    "1; 2, 3": ("Line 2", "Fill the gap"),
    "1\ntwo\n3": ("Line 2", "“two”", "Write numbers like"),
    "time, x\n0, 1\n1, high": ("Line 3", "“high”"),
    "1\n2\nnan": ("Line 3", "“nan”"),
    "NaN\n1": ("Line 1", "“NaN”"),
    "1\n-inf": ("Line 2", "“-inf”"),
    "Infinity; 1": ("Line 1", "“Infinity”"),
    "1\n2\n1e999": ("Line 3", "1e999", "1.8e308", "smaller number"),
    "-1e309;": ("Line 1", "-1e309"),
    "1\n1_000": ("Line 2", "“1_000”"),
    "1; 0x10": ("Line 2", "“0x10”"),
    "1 2 3 1e": ("Line 1", "“1e”"),
    "1\n" + "w" * 50: ("Line 2", "“" + "w" * 20 + "…”"),
}


@pytest.mark.parametrize(("text", "words"), REFUSED.items(), ids=lambda given: repr(given)[:30])
def test_a_refusal_names_line_and_cure(text: str, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as refusal:
        read_sequence(text)
    for word in words:
        assert word in str(refusal.value)


@pytest.mark.parametrize("word", ["1_000", "0x10", "1e", "0.5.3", "--1", "1.5V", "1-2", "½"])
def test_a_mistyped_first_number_is_no_heading(word: str) -> None:
    """Passed over, it would shift the whole sequence by a step without a word."""
    with pytest.raises(InputError, match="Line 1"):
        read_sequence(f"{word}\n2\n3")


@given(st.text() | st.text("0123456789.,;+-eE \t\r\n[]()naif−x"))
@example("٣.٥ 1")
@example("array([1.0,\n2])")
def test_any_text_is_a_finite_table_or_refused(text: str) -> None:
    try:
        x = read_sequence(text)
    except InputError:
        return
    assert x.ndim == 2
    assert x.size
    assert np.isfinite(x).all()


# --- files ----------------------------------------------------------------------------------------------------------

FILES = {
    "commas": (b"0.5,-0.3\n0.1,0.2\n", PAIR),
    "a heading": (b"x one,x two\n0.5,-0.3\n0.1,0.2\n", PAIR),
    "a heading with an empty name": (b",x\n0.5,-0.3\n0.1,0.2\n", PAIR),
    "separators at the ends": (b"a,b,\n0.5,-0.3,\n\n0.1,0.2,\n", PAIR),
    "separators at the ends of the numbers": (b"a,b\n0.5,-0.3,\n0.1,0.2,\n", PAIR),
    "a quoted heading": (b'"x, in V","y"\n0.5,-0.3\n0.1,0.2\n', PAIR),
    "semicolons and decimal commas": (b"a;b\n0,5;-0,3\n0,1;0,2\n", PAIR),
    "semicolons and decimal points": (b"0.5;-0.3\n0.1;0.2\n", PAIR),
    "tabs": (b"0.5\t-0.3\n0.1\t0.2\n", PAIR),
    "tabs and decimal commas": (b"0,5\t-0,3\n0,1\t0,2\n", PAIR),
    "spaces": (b"0.5 -0.3\n0.1 0.2\n", PAIR),
    "a byte order mark": (b"\xef\xbb\xbf0.5,-0.3\n0.1,0.2\n", PAIR),
    "a byte order mark and a heading": (b"\xef\xbb\xbfa,b\r\n0.5,-0.3\r\n0.1,0.2\r\n", PAIR),
    "old Mac's lines": (b"0.5,-0.3\r0.1,0.2\r", PAIR),
    "Latin-1": ("Größe,Maß\n0.5,-0.3\n0.1,0.2\n".encode("latin-1"), PAIR),
    "UTF-8": ("Größe,Maß\n0.5,-0.3\n0.1,0.2\n".encode(), PAIR),
    "quoted numbers": (b'"0.5","-0.3"\n"0.1","0.2"\n', PAIR),
    "no last line break": (b"0.5,-0.3\n0.1,0.2", PAIR),
    "empty lines": (b"\n0.5,-0.3\n\n0.1,0.2\n\n", PAIR),
    "one column": (b"x\n1\n2\n3\n", [[1], [2], [3]]),
    "one row is as the same line typed": (b"1,2,3\n", [[1], [2], [3]]),
    "one row with spaces": (b"1 2 3", [[1], [2], [3]]),
    "one row with a name for each number": (b"a,b,c\n1,2,3\n", [[1, 2, 3]]),
    "one row under a title": (b"input\n1,2,3\n", [[1], [2], [3]]),
    "one number": (b"7", [[7]]),
    "thousands in quotation marks": (b'"1,234","-12,345.5"\n5,"1,000,000"\n', [[1234, -12345.5], [5, 1e6]]),
    "thousands under a heading": (b'"a, in m",b\n"1,234",5\n', [[1234, 5]]),
    "decimal commas in quotation marks": (b'"1,234","0,5"\n"2,5","0,125"\n', [[1.234, 0.5], [2.5, 0.125]]),
    "decimal commas with three digits": (b'"0,125","0,250"\n', [[0.125], [0.25]]),
    "decimal commas with three digits after semicolons": (b"1,234;2,345\n", [[1.234], [2.345]]),
    "semicolons and spaces": (b" 0.5 ; -0.3 \n 0.1 ; 0.2 \n", PAIR),
}


@pytest.mark.parametrize(("content", "rows"), FILES.values(), ids=list(FILES))
def test_files(content: bytes, rows: list[list[float]]) -> None:
    assert read_sequence_file(content).tolist() == rows


REFUSED_FILES = {
    "nothing": (b"", ("is empty", "one row per step")),
    "a heading alone": (b"a,b\n", ("contains no number", "one row per step")),
    "words alone": (b"hello world", ("The file contains no number", "one row per step")),
    "an empty cell": (b"1,2\n3,\n", ("Line 2", "a field is empty")),
    "an empty cell between": (b"a,b,c\n1,2,3\n1,,3\n", ("Line 3", "a field is empty")),
    "a word": (b"a,b\n1,2\n3,n/a\n", ("Line 3", "“n/a”")),
    "a word after an empty line": (b"a,b\n\n1,2\n\n3,n/a\n", ("Line 5", "“n/a”")),
    "ragged": (b"1,2\n3,4\n5\n", ("Line 3 has 1", "line 1 has 2", "Fill the gap")),
    "NaN": (b"1,2\nnan,3\n", ("Line 2", "“nan”")),
    "inf": (b"1;2\n3;inf\n", ("Line 2", "“inf”")),
    "too large": (b"1\n1e999\n", ("Line 2", "1e999", "smaller number")),
    "two decimal commas": (b"1;2\n1.234,5;2\n", ("Line 2", "“1.234.5”")),
    "binary": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", ("not a text file", "CSV")),
    "UTF-16": ("1,2\n3,4\n".encode("utf-16"), ("not a text file", "CSV")),
    "words": (b"to be,or not\n1,to be\n", ("Line 2", "“to_be”")),
    "ragged with semicolons": (b"1;2\n3;4;5\n", ("Line 2 has 3", "line 1 has 2")),
    "a quote that is never closed": (b'1,2\n"' + b"3,4\n" * 35_000, ()),
}


@pytest.mark.parametrize(("content", "words"), REFUSED_FILES.values(), ids=list(REFUSED_FILES))
def test_a_refused_file_names_line_and_cure(content: bytes, words: tuple[str, ...]) -> None:
    with pytest.raises(InputError) as refusal:
        read_sequence_file(content)
    for word in words:
        assert word in str(refusal.value)


HUGE = {
    "10 MB of rows": b"0.25,0.5\n" * 1_200_000,
    "10 MB in one row": b"0.25," * 2_000_000,
    "7 MB of rows": b"0.25,0.5\n" * 780_000,
    "7 MB in one row": b"1 2 " * 1_750_000,
    "7 MB of words": b"to be or not to be\n" * 370_000,
}


@pytest.mark.parametrize("content", HUGE.values(), ids=list(HUGE))
def test_a_huge_file_is_refused_at_once(content: bytes) -> None:
    """Before its numbers are read: that would hold the page for half a minute."""
    begun = time.thread_time()
    for read in (read_sequence_file, read_batch_file):
        with pytest.raises(InputError, match=r"at most (8 MB is|(300,000|20,000) are) allowed\. Use a part"):
            read(content)
    assert time.thread_time() - begun < 2.0


def test_a_huge_text_is_refused_at_once() -> None:
    begun = time.thread_time()
    with pytest.raises(InputError, match="300,000"):
        read_batch("0.25 " * 2_000_000)
    assert time.thread_time() - begun < 1.0


def test_the_largest_batch_that_fits_is_no_huge_file() -> None:
    batch = np.random.RandomState(0).uniform(-1, 1, (8, 500, 64))
    back = read_batch_file(write_table(batch).encode())
    assert np.array(back).tobytes() == batch.tobytes()


def test_quoted_decimal_commas_make_no_columns() -> None:
    """As Google Sheets writes them in half of Europe; a refusal will do."""
    try:
        x = read_sequence_file(b'"0,5","-0,3"\n"0,1","0,2"\n')
    except InputError:
        return
    assert x.tolist() == PAIR


@given(st.binary(max_size=200) | st.text("0123456789.,;+-e \t\r\n\"'x").map(str.encode))
@example(b'"')
@example(b"1\x0c2\x1c3")
def test_any_file_is_a_finite_table_or_refused(content: bytes) -> None:
    try:
        x = read_sequence_file(content)
    except InputError:
        return
    assert x.ndim == 2
    assert x.size
    assert np.isfinite(x).all()


arrays = stn.arrays(np.float64, st.tuples(st.integers(1, 40), st.integers(1, 8)), elements=finite)


@given(arrays, st.sampled_from(",;\t"), st.booleans(), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_what_the_csv_module_writes_is_read_back(
    x: NDArray[np.float64], separator: str, heading: bool, line_end: str, decimal_comma: bool
) -> None:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=separator, lineterminator=line_end)
    if heading:
        writer.writerow([f"column {number + 1}" for number in range(x.shape[1])])
    comma = decimal_comma and separator != "," and x.shape[1] > 1
    writer.writerows([[repr(v).replace(".", ",") if comma else repr(v) for v in row] for row in x.tolist()])
    assert read_sequence_file(file.getvalue().encode("utf-8-sig")).tobytes() == x.tobytes()


# --- written --------------------------------------------------------------------------------------------------------


@given(arrays)
@example(np.array([[-0.0]]))
@example(np.array([[1.0, 2.0, 3.0]]))
def test_a_written_sequence_is_read_back_bit_for_bit(x: NDArray[np.float64]) -> None:
    back = read_sequence(write_sequence(x))
    assert back.shape == x.shape
    assert back.tobytes() == x.tobytes()


@given(finite)
def test_a_written_number_is_the_shortest_that_comes_back(value: float) -> None:
    text = write_number(value)
    assert float(text).hex() == value.hex()
    assert len(text) <= len(repr(value))
    assert not text.endswith(".0")


def test_written_as_a_person_would() -> None:
    assert write_sequence(np.array(PAIR)) == "0.5,-0.3;0.1,0.2"
    assert write_sequence(np.array([[1.0], [2.0]])) == "1;2"
    assert write_sequence(np.array([[1.0, -0.0]])) == "1,-0;"


# --- generated ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GENERATORS)
@effort(max_examples=30)
@given(st.integers(1, 200), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_generators_give_the_size_asked_for_and_always_the_same(name: str, steps: int, size: int, seed: int) -> None:
    x = GENERATORS[name](steps, size, seed)
    assert x.dtype == np.float64
    assert x.shape == (steps, size)
    assert np.abs(x).max() <= 1.0
    assert x.tobytes() == GENERATORS[name](steps, size, seed).tobytes()
    assert not np.signbit(x[x == 0.0]).any()


@given(st.integers(1, 200), st.integers(1, 200), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_longer_noise_begins_like_shorter_noise(steps: int, more: int, size: int, seed: int) -> None:
    np.testing.assert_array_equal(noise(steps + more, size, seed)[:steps], noise(steps, size, seed))


def test_the_noise_of_a_seed_never_changes() -> None:
    """Shared addresses rely on it."""
    assert noise(3, 2, 0).tolist() == [[0.1, 0.43], [0.21, 0.09], [-0.15, 0.29]]
    assert noise(3, 1, 2**32 - 1).tolist() == [[-0.8], [0.82], [0.58]]
    assert not np.array_equal(noise(8, 2, 0), noise(8, 2, 1))


def test_an_impulse_is_one_step_long() -> None:
    assert impulse(3, 2).tolist() == [[1, 1], [0, 0], [0, 0]]
    assert impulse(1, 1).tolist() == [[1]]


def test_a_sine_repeats_after_twelve_steps_a_quarter_apart() -> None:
    x = sine(24, 2)
    np.testing.assert_array_equal(x[12:], x[:12])
    np.testing.assert_array_equal(x[3:, 1], x[:-3, 0])
    assert x[:, 0].tolist()[:6] == [0.5, 0.87, 1.0, 0.87, 0.5, 0.0]
    assert x[:12].sum() == pytest.approx(0.0, abs=1e-12)


def test_silence_is_zero() -> None:
    assert not silence(5, 3).any()


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("0,5\t1,5\n2,5\t3,5", [[0.5, 1.5], [2.5, 3.5]]),
        ("a\tb\n-0,25\t1\n2\t3e-1", [[-0.25, 1.0], [2.0, 0.3]]),
        ("0.5,\t1\n2,\t3.25", [[0.5, 1.0], [2.0, 3.25]]),
        ("0,5\n1,5", [[0.0, 5.0], [1.0, 5.0]]),
    ],
    ids=["spreadsheet", "with a heading", "commas that separate", "without tabs"],
)
def test_a_comma_beside_tabs_is_a_decimal_mark(text: str, rows: list[list[float]]) -> None:
    assert read_sequence(text).tolist() == rows
