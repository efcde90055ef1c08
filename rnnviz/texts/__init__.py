"""Every sentence on the screen, by key, with slots for computed numbers. A second language is a second file."""

import string

from rnnviz.texts.en import TEXTS


def say(key: str, /, **slots: object) -> str:
    """The text of a key with its slots filled; slots take Python's format specifications.

    Examples
    --------
    >>> say("explorer.step", t=1, steps=8)
    'Step t = 1 of 8'
    """
    return TEXTS[key].format(**slots)


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
