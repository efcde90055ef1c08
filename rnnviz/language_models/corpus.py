"""A text as a language model reads it: its characters as codes, and the part that is held back for the test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import InputError
from rnnviz.sequences import alphabet

MOST_CHARACTERS = 100_000
"""In a text."""

HELD_BACK = 0.1
"""The share of a text, its end, that is kept for the test."""


@dataclass(frozen=True, eq=False)
class Corpus:
    """A text of at least two different characters.

    Attributes
    ----------
    characters : tuple of str
        The vocabulary, sorted by code point. A character is a code point: an emoji may be several.
    codes : (N,) array of int
        The place of each character of the text in the vocabulary.
    cut : int
        The first character of the part that is held back; at least one stands before it and one in it.
    """

    characters: tuple[str, ...]
    codes: NDArray[np.int64]
    cut: int

    @property
    def training(self) -> NDArray[np.int64]:
        """The codes that training sees."""
        return self.codes[: self.cut]

    @property
    def held_back(self) -> NDArray[np.int64]:
        """The codes of the test."""
        return self.codes[self.cut :]


def corpus_of(text: str) -> Corpus:
    """Read a text.

    Raises
    ------
    InputError
        If it is empty, a single character, the same character again and again, or too long.

    Examples
    --------
    >>> machine = corpus_of("machine")
    >>> machine.characters, machine.codes.tolist()
    (('a', 'c', 'e', 'h', 'i', 'm', 'n'), [5, 0, 1, 3, 4, 6, 2])
    """
    if not text:
        raise InputError("corpus.empty", "The text is empty. Type or paste a text of at least two characters.")
    if len(text) > MOST_CHARACTERS:
        raise InputError(
            "corpus.long", "The text has {count:,} characters; at most {most:,} are allowed. Use a part of it.",
            count=len(text), most=MOST_CHARACTERS,
        )  # fmt: skip
    if len(text) == 1:
        raise InputError(
            "corpus.short", "The text is a single character, so nothing follows that could be predicted. Type more."
        )
    characters = alphabet(text)
    if len(characters) == 1:
        raise InputError(
            "corpus.one_symbol",
            "The text repeats one character, “{character}”, so there is nothing to predict. Use at least two "
            "different characters.",
            character=characters[0],
        )
    places = {character: place for place, character in enumerate(characters)}
    codes = np.array([places[character] for character in text], dtype=np.int64)
    codes.flags.writeable = False
    return Corpus(characters, codes, len(codes) - max(1, round(HELD_BACK * len(codes))))
