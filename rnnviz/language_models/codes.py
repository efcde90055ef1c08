"""The characters of a text as integers, as all models here take them."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rnnviz.maths import InputError
from rnnviz.maths.checks import read_array
from rnnviz.wording import Message

Codes = NDArray[np.int64]

_CURE = Message("error.codes.cure", "Give the characters of a text as integers from 0 on, in one row.")


def read_codes(name: str, codes: ArrayLike, vocabulary: int, least: int = 0) -> Codes:
    """Return a text of at least so many characters as integers in 0..V-1.

    Raises
    ------
    InputError
        If it is no row, too short, or a code is not in 0..V-1; the first such is named.
    """
    numbers = read_array(name, codes, _CURE)
    if numbers.ndim != 1:
        raise InputError(
            "codes.row", "{name} must be a row of characters; got the shape {got}. {cure}",
            name=name, got=str(numbers.shape), cure=_CURE,
        )  # fmt: skip
    if len(numbers) < least:
        raise InputError(
            "codes.short",
            "{name} has {count} {count:character|characters}, but at least {least} are needed. Give a longer text.",
            name=name, count=len(numbers), least=least,
        )  # fmt: skip
    wrong = np.flatnonzero((numbers < 0) | (numbers >= vocabulary) | (numbers % 1 != 0))
    if wrong.size:
        raise InputError(
            "codes.code",
            "{name}[{place}] is {got:.15g}; the model knows the characters 0..{last}. Encode the text with its "
            "vocabulary.",
            name=name, place=int(wrong[0]), got=float(numbers[wrong[0]]), last=vocabulary - 1,
        )  # fmt: skip
    return numbers.astype(np.int64)
