"""Sequences in: typed, pasted, or from a CSV file. Every one is a ``(T, D)`` array, time first."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import InputError

Array = NDArray[np.float64]

_IS_TABLE = re.compile(r";|\[\s*\[")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


def read_sequence(text: str) -> Array:
    """Read a typed or pasted sequence: one step per line (or ``;``), the components of a step beside each other.

    Commas, tabs and spaces separate components; what numpy, PyTorch and Python print around arrays is passed over,
    and so is one heading line of words. A single line without ``;`` is one number per step, unless a heading names
    each of its numbers: then it is one step.

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
    >>> read_sequence("price, volume\\n1, 2").tolist()
    [[1.0, 2.0]]
    """
    _refuse_a_cut_print(text)
    rows = _rows(text)
    if not rows:
        if any(map(_words, _lines(text))):
            raise InputError(
                "sequence.no_number",
                "The sequence contains no number. Type one step per line, components separated by commas, for example "
                "0.5, -0.3.",
            )
        raise InputError(
            "sequence.empty",
            "The sequence is empty. Type one step per line, components separated by commas, for example 0.5, -0.3.",
        )
    width = len(rows[0][1])
    for line, row in rows:
        if len(row) != width:
            raise InputError(
                "sequence.ragged",
                "Line {line} has {count} {count:number|numbers}, but line {first} has {width} {width:number|numbers}. "
                "Every step must have the same number of components. Fill the gap, with 0 if the value is unknown.",
                line=line, count=len(row), first=rows[0][0], width=width,
            )  # fmt: skip
    sequence = np.array([row for _, row in rows], dtype=np.float64)
    is_table = _IS_TABLE.search(text) or _names(text) == width
    return sequence.T.copy() if len(sequence) == 1 and not is_table else sequence


def _names(text: str) -> int:
    """How many columns a heading names; 0 without one."""
    first = next((words for line in _lines(text) if (words := _words(line))), [])
    return len(first) if _is_heading(first) else 0


def read_batch(text: str) -> tuple[Array, ...]:
    """Read a batch of sequences: each as `read_sequence` reads one, with a blank line or a ``|`` between them.

    A list of lists of lists, ``[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]``, is a batch, too. Where one sequence has more
    lines than one, the single line of another is one step.

    Parameters
    ----------
    text : str
        What the reader typed or pasted.

    Returns
    -------
    tuple of (T, D) arrays
        At least one; whether their shapes agree is not checked here.

    Raises
    ------
    InputError
        For the reasons of `read_sequence`, with the number of the sequence, or if the text is far too large.

    Examples
    --------
    >>> [x.tolist() for x in read_batch("1 2 | 3 4")]
    [[[1.0], [2.0]], [[3.0], [4.0]]]
    """
    _refuse_masses(text)
    return _each([part for piece in text.split("|") for part in _parts(_as_lines(piece))])


def read_sequence_file(content: bytes) -> Array:
    """Read an uploaded CSV or text file as one sequence, as the same lines are read when typed.

    Commas, semicolons and tabs are told apart.

    Parameters
    ----------
    content : bytes
        The file as it was uploaded, UTF-8 or Latin-1, with or without a heading line. With semicolons or tabs as
        separators a comma in a number is read as the decimal mark; with commas, quoted fields like ``"1,234"`` are
        thousands, as long as all quoted ones can be.

    Returns
    -------
    (T, D) array

    Raises
    ------
    InputError
        If the file is not text, is far too large, or for the reasons of `read_sequence`.
    """
    return read_sequence("\n".join(_filled_table(content)))


def read_batch_file(content: bytes) -> tuple[Array, ...]:
    """Read an uploaded file as a batch, with blank lines between sequences, as `read_batch` reads the same lines.

    Parameters
    ----------
    content : bytes
        The file as it was uploaded.

    Returns
    -------
    tuple of (T, D) arrays

    Raises
    ------
    InputError
        For the reasons of `read_sequence_file`, with the number of the sequence.
    """
    return _each(_parts(_filled_table(content)))


def _has_lines(text: str) -> bool:
    return sum(bool(line.strip(" \t,()[]")) for line in _lines(text)) > 1


def _read_rows(text: str) -> Array:
    """Every row is a step, a single one too."""
    return read_sequence(text + ";")


def _each(parts: Sequence[str]) -> tuple[Array, ...]:
    """Every part read as a sequence; one of headings alone belongs to what follows it."""
    read = _read_rows if len(parts) > 1 and any(map(_has_lines, parts)) else read_sequence
    kept = [part for part in parts if not _is_heading(_words(_without_names(part)))]
    if len(kept) < 2:
        return (read((kept or parts or [""])[-1]),)
    found = []
    for number, part in enumerate(kept, start=1):
        try:
            found.append(read(part))
        except InputError as error:
            raise error.within("sequence", "Sequence {number}: {problem}", number=number) from None
    return tuple(found)


def _parts(lines: Sequence[str]) -> list[str]:
    """The runs of lines between blank ones, each with empty lines before it, so that messages name the right line."""
    parts: list[str] = []
    inside = False
    for number, line in enumerate(_three_axes_apart(lines)):
        blank = not line.strip()
        if inside and not blank:
            parts[-1] += "\n" + line
        elif not blank:
            parts.append("\n" * number + line)
        inside = not blank
    return parts


def _three_axes_apart(lines: Sequence[str]) -> Sequence[str]:
    """A list of lists of lists with a blank line between the sequences, where numpy's print of it has one, too."""
    text = "\n".join(lines)
    if not _THREE_AXES.match(_without_names(text)):
        return lines
    return _BETWEEN_TABLES.sub("]]\n\n", text).split("\n")


_THREE_AXES = re.compile(r"\s*\[\s*\[\s*\[")
_BETWEEN_TABLES = re.compile(r"\]\s*\](?:\s*,)?\s*(?=\[)")


def _filled_table(content: bytes) -> list[str]:
    """The rows of a file, which must hold more than a heading."""
    lines = _table(content)
    if all(_is_heading(_words(line)) for line in lines):
        if content.strip():
            raise InputError(
                "csv.no_number",
                "The file contains no number. It needs one row per step, with the components separated by commas, "
                "semicolons, tabs or spaces. One heading line at the top is allowed.",
            )
        raise InputError(
            "csv.empty",
            "The file is empty. It needs one row per step, with the components separated by commas, semicolons, tabs "
            "or spaces. One heading line at the top is allowed.",
        )
    return lines


def _table(content: bytes) -> list[str]:
    """The rows of a file as lines with spaces between the fields; a row keeps its line number."""
    if len(content) > _MOST_BYTES:
        size, most = len(content) / 1e6, _MOST_BYTES / 1e6
        raise InputError(
            "csv.size", "The file is {size:.1f} MB; at most {most:.0f} MB is allowed. Use a part of it.",
            size=size, most=most,
        )  # fmt: skip
    if b"\0" in content:
        raise InputError(
            "csv.no_text",
            "The file is not a text file. Save the table as CSV, one row per step, and choose that file.",
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    _refuse_masses(text)
    lines = _as_lines(text)
    last = next((line for line in reversed(lines) if line.strip()), "")
    separator = next((mark for mark in ";\t," if mark in last), None)
    if separator is None:  # one column, or columns apart by spaces; a heading may have spaces of its own
        words = lines[0].split()
        lines[0] = "" if words and _is_heading(words[:1]) else lines[0]
        return lines
    try:
        rows = list(csv.reader(io.StringIO("\n".join(lines)), delimiter=separator))
    except csv.Error as error:
        raise InputError(
            "csv.invalid",
            "The file is not a valid CSV table ({reason}). Close every quotation mark and save the file again.",
            reason=str(error),
        ) from None
    rows = _without_ends(rows)
    with_commas = [field.strip() for row in rows for field in row if "," in field and _COMMA_NUMBER.fullmatch(field)]
    thousands = separator == "," and all(_THOUSANDS.fullmatch(field) for field in with_commas)
    return [" ".join(_field(field, thousands) for field in row) if any(map(str.strip, row)) else "" for row in rows]


def _without_ends(rows: list[list[str]]) -> list[list[str]]:
    """The rows of a table without the last field, where a separator ends all lines of numbers."""
    filled = [row for row in rows if any(map(str.strip, row))]
    numbers = filled[1:] if filled and _is_heading([field for field in filled[0] if field]) else filled
    if not all(len(row) > 1 and not row[-1].strip() for row in numbers):
        return rows
    return [row[:-1] if row and not row[-1].strip() else row for row in rows]


def _as_lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


_MOST_BYTES = 8_000_000
_MOST_NUMBERS = 300_000
_MOST_LINES = 20_000
_COMMA_NUMBER = re.compile(r"\s*[+-]?\d[\d,.]*\s*")
_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")


def _refuse_masses(text: str) -> None:
    """Masses of lines and numbers are counted before they are read: reading ten million takes a minute."""
    lines = max(text.count("\n"), text.count("\r"))
    if lines > _MOST_LINES:
        raise InputError(
            "sequence.lines", "There are {count:,} lines; at most {most:,} are allowed. Use a part of them.",
            count=lines, most=_MOST_LINES,
        )  # fmt: skip
    if len(text) > 2 * _MOST_NUMBERS:
        count = len(text.translate(_SEPARATORS).split())
        if count > _MOST_NUMBERS or len(text) > _MOST_BYTES:
            raise InputError(
                "sequence.numbers", "There are {count:,} numbers; at most {most:,} are allowed. Use a part of them.",
                count=count, most=_MOST_NUMBERS,
            )  # fmt: skip


_SEPARATORS = str.maketrans(",;|", "   ")


def _refuse_a_cut_print(text: str) -> None:
    if "..." in text or "…" in text:
        raise InputError(
            "sequence.cut",
            "The text contains “...”, where a printed array leaves numbers out. Print all of them, with x.tolist() or "
            "numpy.set_printoptions(threshold=10**6), and paste that.",
        )


def _rows(text: str) -> list[tuple[int, list[float]]]:
    """Numbers of each line that has any, with the line's number; ``;`` ends a line as a line break does."""
    rows: list[tuple[int, list[float]]] = []
    for number, line in enumerate(_lines(text), start=1):
        words = _words(line)
        if not words or (not rows and _is_heading(words)):
            continue
        rows.append((number, [_number(word, number) for word in words]))
    return rows


def _words(line: str) -> list[str]:
    return [word for word in re.split(r"[,\s]+", line.translate(_BRACKETS)) if word]


def _lines(text: str) -> list[str]:
    """The lines of a text; within brackets, as numpy and Python print arrays, each pair of brackets is one."""
    plain = _without_names(text).strip(" \t\r\n;")
    if plain.startswith("["):
        return plain.replace("\r", " ").replace("\n", " ").split("]")
    if _HAS_DECIMAL_COMMAS.search(text) and not re.search(r"\d\.\d", text):
        text = text.replace(",", ".")
    return re.split(r"[;\n]", "\n".join(_as_lines(text)))


_HAS_DECIMAL_COMMAS = re.compile(r"\d,\d[^\n]*\t|\t[^\n]*\d,\d")
"""Cells of a spreadsheet stand apart by tabs, so a comma between digits is their decimal mark."""


def _without_names(text: str) -> str:
    """The text without the words that numpy and PyTorch print around the brackets of an array."""
    return _AROUND_ARRAYS.sub("", text) if "(" in text else text


_AROUND_ARRAYS = re.compile(
    r"(?:\b(?:np|numpy|torch)\.)?\b(?:array|tensor)\("  # the name before the brackets
    r"|,\s*(?:dtype|shape|device|requires_grad|grad_fn)=(?:'[^']*'|<[^>]*>|\([^)]*\)|[\w.]+)"  # the words behind them
)
_BRACKETS = str.maketrans(dict.fromkeys("[](){}", " ") | {"−": "-"})


def _is_heading(words: list[str]) -> bool:
    """A line of names, or empty ones; 'nan' and 'inf' are values, and refused as such, and so is a mistyped number."""
    names = [word for word in words if word != _EMPTY]
    return all(word.strip("\"'_")[:1].isalpha() and word.lower() not in _NO_NUMBERS for word in names)


_NO_NUMBERS = {"nan", "inf", "infinity"}


def _number(word: str, line: int) -> float:
    if _NUMBER.fullmatch(word):
        value = float(word)
        if math.isfinite(value):
            return value
        raise InputError(
            "line.huge", "Line {line}: {word} overflows float64 (about 1.8e308). Use a smaller number.",
            line=line, word=_short(word),
        )  # fmt: skip
    if word == _EMPTY:
        raise InputError(
            "line.empty", "Line {line}: a field is empty. Type a number there, or delete its separator.", line=line
        )
    raise InputError(
        "line.no_number", "Line {line}: “{word}” is not a number. Write numbers like -0.3 or 1e-4.",
        line=line, word=_short(word),
    )  # fmt: skip


def _short(word: str) -> str:
    """A word for a message."""
    return word if len(word) <= 20 else word[:20] + "…"


_EMPTY = "\ue000"
"""Stands for an empty field of a file: a character that no text uses."""


def _field(field: str, thousands: bool) -> str:
    """One CSV field as a word for `read_sequence`; an empty one is named rather than closed up."""
    word = field.strip().replace(" ", "_")
    return word.replace(",", "" if thousands else ".") or _EMPTY  # else a comma is a decimal mark
