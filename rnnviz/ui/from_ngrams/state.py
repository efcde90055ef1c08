"""What a session remembers of the page From n-grams."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from rnnviz.settings import Setting, without_hosting
from rnnviz.settings.from_ngrams import FIRST, FROM_NGRAMS, FromNgrams, read_from_ngrams, write_from_ngrams
from rnnviz.texts import later
from rnnviz.ui.form import FormState, keep, open_form, state_of
from rnnviz.wording import Message

_WITH_HELP = ("vocabulary", "n", "seed")


@dataclass
class FromNgramsState(FormState):
    """What a session remembers of the page.

    Attributes
    ----------
    settings : FromNgrams
    """

    settings: FromNgrams

    def row(self, name: str) -> Setting:
        return FROM_NGRAMS[name]

    def label(self, name: str) -> Message:
        return later(f"ngrams.label.{name}")

    def help(self, name: str) -> Message | None:
        return later(f"help.ngrams.{name}") if name in _WITH_HELP else None

    def value(self, name: str) -> Any:
        return self.settings.value(name)

    def options(self, name: str) -> Sequence[str]:
        return self.row(name).choices

    def changed(self, name: str, value: object) -> FromNgrams:
        return self.settings.choose(name, value)

    def accept(self, settings: FromNgrams, *, asked: bool = False) -> None:
        del asked
        self.settings, self.problems = settings, ()
        self.fall_silent()

    def adopt(self, query: Mapping[str, str]) -> None:
        self.settings, self.problems = read_from_ngrams(without_hosting(query))
        self.fall_silent()

    @property
    def address(self) -> dict[str, str]:
        return write_from_ngrams(self.settings)

    @property
    def first(self) -> FromNgrams:
        return FIRST


def open_from_ngrams(page: str) -> FromNgramsState:
    """The state of the page at the beginning of a run, with the address that the browser shows taken in."""
    known = state_of(page)
    if not isinstance(known, FromNgramsState):
        known = FromNgramsState(FIRST)
        keep(page, known)
        known.adopt(st.query_params.to_dict())
    state, _ = open_form(page, known)
    return state
