"""Numbers and sequences out, as texts that are read back bit for bit."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def write_sequence(x: Array) -> str:
    """Write a sequence as the text that `read_sequence` reads back bit for bit: steps by ``;``, components by ``,``.

    Examples
    --------
    >>> write_sequence(np.array([[0.5, -0.3], [1.0, 2.0]]))
    '0.5,-0.3;1,2'
    """
    rows = [",".join(write_number(value) for value in row) for row in x]
    return ";".join(rows) + (";" if len(rows) == 1 else "")


def write_batch(sequences: Iterable[Array]) -> str:
    """Write sequences as the text that `read_batch` reads back bit for bit: each by a ``|``.

    Examples
    --------
    >>> write_batch([np.array([[0.5], [-0.3]]), np.array([[1.0], [2.0]])])
    '0.5;-0.3|1;2'
    """
    return "|".join(write_sequence(x) for x in sequences)


def write_lines(sequences: Iterable[Array]) -> str:
    """The same over lines, as it is typed into a field: a step each, an empty one between sequences.

    Examples
    --------
    >>> write_lines([np.array([[0.5], [-0.3]]), np.array([[1.0], [2.0]])])
    '0.5\\n-0.3\\n\\n1\\n2'
    """
    texts = (write_sequence(x) for x in sequences)
    # The semicolon of a single step stays: without it a step of three reads as three steps.
    return "\n\n".join(text if text.endswith(";") else text.replace(";", "\n") for text in texts)


def write_table(sequences: Iterable[Array]) -> str:
    """The same as a CSV file, which `read_batch_file` reads back bit for bit.

    A single step has a heading: without one its numbers would be read as a step each.

    Examples
    --------
    >>> write_table([np.array([[1.0, 2.0]])]), write_table([np.array([[1.0], [2.0]])])
    ('x1,x2\\n1,2\\n', '1\\n2\\n')
    """
    return "\n\n".join(_heading(x) + write_sequence(x).removesuffix(";").replace(";", "\n") for x in sequences) + "\n"


def _heading(x: Array) -> str:
    return ",".join(f"x{component + 1}" for component in range(x.shape[1])) + "\n" if len(x) == 1 else ""


def write_number(value: float) -> str:
    """Shortest text that reads back to the same float64.

    Examples
    --------
    >>> write_number(1.0), write_number(-0.1), write_number(1e-7)
    ('1', '-0.1', '1e-07')
    """
    return repr(float(value)).removesuffix(".0")
