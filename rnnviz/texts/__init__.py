"""Every sentence on the screen, by key, with slots for computed numbers.

Each module or package in here with a mapping ``TEXTS`` is a language, under its own name. A second one has every key of
the English texts, and ``error.<code>`` for each refusal, whose English sentence stands where it is raised.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from contextvars import ContextVar
from importlib import import_module
from pkgutil import iter_modules

from rnnviz.maths.errors import InputError
from rnnviz.texts.en import TEXTS
from rnnviz.wording import Message, filled

__all__ = [
    "ENGLISH",
    "LANGUAGES",
    "filled",
    "group",
    "language",
    "later",
    "plain",
    "say",
    "say_error",
    "say_message",
    "speak",
    "unbroken",
]

ENGLISH = "en"
LANGUAGES: dict[str, Mapping[str, str]] = {
    module.name: import_module(f"{__name__}.{module.name}").TEXTS for module in iter_modules(__path__)
}
"""The texts of each language by its name."""

_spoken: ContextVar[str] = ContextVar("language", default=ENGLISH)


def speak(language: str) -> None:
    """Say everything in this language from here on, in this run of a page."""
    _spoken.set(language)


def language() -> str:
    """The language that is spoken: part of the key of whatever remembers sentences."""
    return _spoken.get()


def say(key: str, /, **slots: object) -> str:
    """The text of a key with its slots filled; slots take Python's format specifications.

    ``{count:step|steps}`` is the first word where `count` is 1, else the second.

    Examples
    --------
    >>> say("explorer.step", t=1, steps=8)
    'Step t = 1 of 8'
    """
    return _said(key, TEXTS[key], slots)


def later(key: str, /, **slots: object) -> Message:
    """What `say` says, to be said when it is shown: what a session keeps knows no language.

    Examples
    --------
    >>> say_message(later("explorer.step", t=1, steps=8))
    'Step t = 1 of 8'
    """
    return Message(key, TEXTS[key], **slots)


def say_message(message: Message) -> str:
    """A message, and those in its slots, in the language that is spoken; in English where it lacks one."""
    return _said(message.key, message.template, message.slots)


def say_error(error: InputError) -> str:
    """Why something was refused."""
    return say_message(error.message)


def _said(key: str, english: str, slots: Mapping[str, object]) -> str:
    if Message in map(type, slots.values()):
        slots = {name: say_message(slot) if isinstance(slot, Message) else slot for name, slot in slots.items()}
    return filled(LANGUAGES[_spoken.get()].get(key, english), slots)


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
    spoken = LANGUAGES[language()]
    return {
        key.removeprefix(prefix + "."): spoken.get(key, text)
        for key, text in TEXTS.items()
        if key.startswith(prefix + ".")
    }
