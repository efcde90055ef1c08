"""Texts as codes: any Unicode comes back, and what is no text to learn from is refused with the reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import InputError
from rnnviz.language_models.corpus import MOST_CHARACTERS, corpus_of


@given(st.text(min_size=2, max_size=300).filter(lambda text: len(set(text)) > 1))
def test_a_text_comes_back_from_its_codes(text: str) -> None:
    corpus = corpus_of(text)
    assert "".join(corpus.characters[code] for code in corpus.codes) == text
    assert list(corpus.characters) == sorted(set(text))
    assert [*corpus.training, *corpus.held_back] == corpus.codes.tolist()
    assert len(corpus.training) >= 1
    assert len(corpus.held_back) == max(1, round(len(text) / 10))


@pytest.mark.parametrize("text", ["שלום עולם", "مرحبا", "👩‍👩‍👧 family 🙂", "ﬁne ﬂat\u0301", "a\n\tb\u0000<b>*x*</b>"])
def test_any_script_is_read_by_code_points(text: str) -> None:
    assert len(corpus_of(text).codes) == len(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "The text is empty"),
        ("x", "single character"),
        ("aaaa", "repeats one character, “a”"),
        ("ab" * (MOST_CHARACTERS // 2) + "a", "100,001 characters; at most 100,000"),
    ],
)
def test_what_nothing_can_be_learned_from_is_refused(text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        corpus_of(text)


def test_the_longest_text_is_read() -> None:
    assert len(corpus_of("ab" * (MOST_CHARACTERS // 2)).codes) == MOST_CHARACTERS
