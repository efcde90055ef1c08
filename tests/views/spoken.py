"""What a sentence on the screen says: its key and the numbers in its slots, whatever the words around them."""

from __future__ import annotations

import re
from contextlib import suppress
from string import Formatter

from rnnviz.texts.en import TEXTS


def slots(key: str, text: str) -> dict[str, str]:
    """The slots of a text that begins with a key's sentence; an AssertionError if it begins with another one."""
    match = re.match(rf"{_pattern(key)}(?=\s|$)", text, re.DOTALL)
    assert match, f"not said with {key}: {text}"
    return match.groupdict()


def whole(key: str, text: str) -> dict[str, str]:
    """The slots of a text that is a key's sentence and no more, whatever its last slot holds."""
    match = re.fullmatch(_pattern(key), text, re.DOTALL)
    assert match, f"not said with {key}: {text}"
    return match.groupdict()


def the_one(keys: list[str], text: str) -> tuple[str, dict[str, str]]:
    """The one of these sentences that a text is, with its slots: what another's slots swallow of its words is none."""
    found = {}
    for key in keys:
        with suppress(AssertionError):
            found[key] = whole(key, text)
    assert found, f"said with none of them: {text}"
    return min(found.items(), key=lambda one: sum(map(len, one[1].values())))


def somewhere(key: str, text: str) -> dict[str, str] | None:
    """The slots of a key's sentence within a line of a longer text without marks, or None if it is not said there."""
    match = re.search(rf"{_pattern(key, marked=False)}(?=[\s.,;()]|$)", text)
    return match.groupdict() if match else None


def _pattern(key: str, *, marked: bool = True) -> str:
    """A regular expression for a key's sentence with a group for each slot."""
    pattern, seen = "", set()
    for literal, name, _, _ in Formatter().parse(TEXTS[key] if marked else re.sub(r"<[^>]*>|\*\*", "", TEXTS[key])):
        pattern += re.escape(literal)
        if name:
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>.+?)"
            seen.add(name)
    return pattern


def number(text: str) -> float:
    """A number as it is written on the screen."""
    return float(text.replace("−", "-").replace("∞", "inf"))


def vector(text: str) -> list[float]:
    return [number(part) for part in text.strip("[]").split(", ")]
