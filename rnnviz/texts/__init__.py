"""Every sentence on the screen, by key, with slots for computed numbers. A second language is a second folder."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any

from rnnviz.texts.en import TEXTS


def language() -> str:
    """The language that the session speaks."""
    return "en"


def say(key: str, /, **slots: object) -> str:
    """The text of a key with its slots filled; slots take Python's format specifications.

    ``{count:step|steps}`` is the first word where `count` is 1, else the second.

    Examples
    --------
    >>> say("explorer.step", t=1, steps=8)
    'Step t = 1 of 8'
    """
    return filled(TEXTS[key], slots)


def filled(text: str, slots: Mapping[str, object]) -> str:
    """A text with its slots filled.

    Examples
    --------
    >>> filled("{count} {count:number|numbers}", {"count": 1}), filled("{n} {n:is|are} edited", {"n": "1,200"})
    ('1 number', '1,200 are edited')
    """
    return _WITH_FORMS.vformat(text, (), slots) if "|" in text else text.format_map(slots)


class _WithForms(string.Formatter):
    """Python's own formatting, with the two forms of a word as a specification."""

    def format_field(self, value: Any, format_spec: str) -> str:
        one, bar, other = format_spec.partition("|")
        if not bar:
            return str(super().format_field(value, format_spec))
        return one if str(value) == "1" else other


_WITH_FORMS = _WithForms()


def unbroken(text: str) -> str:
    """A sentence whose g′(a) stays on one line: a browser may break it before the bracket."""
    return text.replace("′(", "′\u2060(")


def plain(text: str, most: int = 60) -> str:
    """A reader's own words inside a text that is shown as Markdown: cut short, every sign as it is written.

    Examples
    --------
    >>> plain("![x](https://a.b)")
    '\\\\!\\\\[x\\\\]\\\\(https\\\\:\\\\/\\\\/a\\\\.b\\\\)'
    """
    short = " ".join(text.split())
    short = short if len(short) <= most else short[: most - 1] + "…"
    return "".join("\\" + sign if sign in string.punctuation else sign for sign in short)


def group(prefix: str) -> dict[str, str]:
    """All texts under a prefix, unfilled, by the rest of their key: the words that go to the browser in one piece."""
    return {key.removeprefix(prefix + "."): text for key, text in TEXTS.items() if key.startswith(prefix + ".")}
