"""Sequences in: typed, pasted, from a CSV file, or generated. Every one is a ``(T, D)`` array, time first."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import InputError

Array = NDArray[np.float64]

_IS_TABLE = re.compile(r";|\[\s*\[")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def read_sequence(text: str) -> Array:
    """Read a typed or pasted sequence: one step a line (or ``;``), the components of a step beside each other.

    Commas, tabs and spaces separate components; the brackets that numpy and Python print around arrays are
    passed over, and so is one heading line of words. A single line without ``;`` is one number a step.

    Parameters
    ----------
    text : str
        What the reader typed, pasted or uploaded.

    Returns
    -------
    (T, D) array

    Raises
    ------
    InputError
        If there is no number, a word between numbers, a value that is not finite, or rows of unequal length.

    Examples
    --------
    >>> read_sequence("0.5, -0.3; 0.1, 0.2").tolist()
    [[0.5, -0.3], [0.1, 0.2]]
    >>> read_sequence("1 2 3").tolist()
    [[1.0], [2.0], [3.0]]
    """
    rows = _rows(text)
    if not rows:
        raise InputError(
            "The sequence is empty. Type numbers, one step a line, its components apart by commas: 0.5, -0.3"
        )
    width = len(rows[0][1])
    for line, row in rows:
        if len(row) != width:
            raise InputError(
                f"Line {line} has {_count(len(row))} and line {rows[0][0]} has {width}. "
                "Every step needs the same number of components: fill the gap, with 0 if nothing is known."
            )
    sequence = np.array([row for _, row in rows], dtype=np.float64)
    return sequence.T.copy() if len(sequence) == 1 and not _IS_TABLE.search(text) else sequence


def read_sequence_file(content: bytes) -> Array:
    """Read an uploaded CSV or text file as a sequence; commas, semicolons and tabs are told apart.

    Parameters
    ----------
    content : bytes
        The file as it was uploaded, UTF-8 or Latin-1, with or without a heading line. With semicolons or tabs as
        separators a comma in a number is read as the decimal mark.

    Returns
    -------
    (T, D) array

    Raises
    ------
    InputError
        If the file is not text, or for the reasons of `read_sequence`.
    """
    if b"\0" in content:
        raise InputError("The file is not text. Save the table as CSV, one row a step, and choose that file.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    last = next((line for line in reversed(lines) if line.strip()), "")
    separator = next((mark for mark in ";\t," if mark in last), None)
    if separator is None:  # one column, or columns apart by spaces; a heading may have spaces of its own
        words = lines[0].split()
        lines[0] = "" if words and _is_heading(words[:1]) else lines[0]
    else:
        try:
            rows = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=separator))
        except csv.Error as error:
            raise InputError(f"The file is no table ({error}). Close every quotation mark and save it anew.") from None
        lines = [" ".join(_field(field) for field in row) for row in rows]
    # In a file every row is a step, a single one too; the text keeps its line numbers for the messages.
    return read_sequence("\n".join(lines) + ";")


def write_sequence(x: Array) -> str:
    """Write a sequence as the text that `read_sequence` reads back bit for bit: steps by ``;``, components by ``,``.

    Examples
    --------
    >>> write_sequence(np.array([[0.5, -0.3], [1.0, 2.0]]))
    '0.5,-0.3;1,2'
    """
    rows = [",".join(write_number(value) for value in row) for row in x]
    return ";".join(rows) + (";" if len(rows) == 1 else "")


def write_number(value: float) -> str:
    """Shortest text that reads back to the same float64.

    Examples
    --------
    >>> write_number(1.0), write_number(-0.1), write_number(1e-7)
    ('1', '-0.1', '1e-07')
    """
    return repr(float(value)).removesuffix(".0")


def impulse(steps: int, size: int, seed: int = 0) -> Array:
    """One 1 in each component at the first step, then silence: what remains later is memory."""
    del seed
    x = np.zeros((steps, size))
    x[0] = 1.0
    return x


def sine(steps: int, size: int, seed: int = 0) -> Array:
    """Sine waves with a period of 12 steps, each component a quarter period behind the one before it."""
    del seed
    t = np.arange(1, steps + 1)[:, None]
    return np.asarray(np.sin(2 * np.pi * (t / 12 - np.arange(size) / 4)).round(2) + 0.0)


def noise(steps: int, size: int, seed: int = 0) -> Array:
    """Independent uniform numbers in -1..1, rounded to two decimals so that the screen shows them whole.

    The stream of `numpy.random.RandomState` never changes, so that a shared address shows the same numbers for
    ever; rows are drawn in order, so a longer sequence begins like a shorter one.
    """
    return np.round(np.random.RandomState(seed).uniform(-1.0, 1.0, (steps, size)), 2) + 0.0


def silence(steps: int, size: int, seed: int = 0) -> Array:
    """Zeros: the network is left to itself."""
    del seed
    return np.zeros((steps, size))


GENERATORS: dict[str, Callable[[int, int, int], Array]] = {
    "noise": noise,
    "impulse": impulse,
    "sine": sine,
    "silence": silence,
}
"""Every generated sequence by its name in the address: ``generator(steps, size, seed) -> (steps, size)``."""


def _rows(text: str) -> list[tuple[int, list[float]]]:
    """Numbers of each line that has any, with the line's number; ``;`` ends a line as a line break does."""
    rows: list[tuple[int, list[float]]] = []
    for number, line in enumerate(_lines(text), start=1):
        words = [word for word in re.split(r"[,\s]+", line.translate(_BRACKETS)) if word]
        if not words or (not rows and _is_heading(words)):
            continue
        rows.append((number, [_number(word, number) for word in words]))
    return rows


def _lines(text: str) -> list[str]:
    """The lines of a text; within brackets, as numpy and Python print arrays, each pair of brackets is one."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("array(", "").strip(" \n;")
    if plain.startswith("["):
        return plain.replace("\n", " ").split("]")
    return re.split(r"[;\n]", text.replace("\r\n", "\n").replace("\r", "\n"))


_BRACKETS = str.maketrans(dict.fromkeys("[](){}", " ") | {"−": "-"})


def _is_heading(words: list[str]) -> bool:
    """A line of names only; 'nan' and 'inf' are values, and refused as such, and so is a mistyped number."""
    return all(word.strip("\"'_")[:1].isalpha() and word.lower() not in _NO_NUMBERS for word in words)


_NO_NUMBERS = {"nan", "inf", "infinity"}


def _number(word: str, line: int) -> float:
    if _NUMBER.fullmatch(word):
        value = float(word)
        if np.isfinite(value):
            return value
        raise InputError(f"Line {line}: {word} is larger than a float64 can hold (about 1.8e308). Scale it down.")
    shown = word if len(word) <= 20 else word[:20] + "…"
    raise InputError(f"Line {line}: “{shown}” is not a number. Use digits with a decimal point, as in -0.3 or 1e-4.")


def _field(field: str) -> str:
    """One CSV field as a word for `read_sequence`; an empty one is named rather than closed up."""
    return field.strip().replace(" ", "_").replace(",", ".") or "(empty)"  # a comma within a field is a decimal mark


def _count(number: int) -> str:
    return f"{number} number{'' if number == 1 else 's'}"
