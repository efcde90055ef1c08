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
    return match.groupdict("1")


def whole(key: str, text: str) -> dict[str, str]:
    """The slots of a text that is a key's sentence and no more, whatever its last slot holds."""
    match = re.fullmatch(_pattern(key), text, re.DOTALL)
    assert match, f"not said with {key}: {text}"
    return match.groupdict("1")


def the_one(keys: list[str], text: str) -> tuple[str, dict[str, str]]:
    """The one of these sentences that a text is, with its slots: what another's slots swallow of its words is none."""
    found = {}
    for key in keys:
        with suppress(AssertionError):
            found[key] = whole(key, text)
    assert found, f"said with none of them: {text}"
    return min(found.items(), key=lambda one: sum(map(len, one[1].values())))


def sentences(keys: list[str], text: str) -> list[tuple[str, dict[str, str]]]:
    """A text cut into these sentences, one behind the other, each with its slots; an AssertionError at what is none."""
    if not text:
        return []
    matches = [(key, re.match(rf"{_pattern(key)}(?=\s|$)", text, re.DOTALL)) for key in keys]
    begin = [(key, match) for key, match in matches if match]
    for key, match in sorted(begin, key=lambda one: (sum(map(len, one[1].groups(""))), -one[1].end())):
        with suppress(AssertionError):  # what is left may be none: then it was another's beginning
            return [(key, match.groupdict("1")), *sentences(keys, text[match.end() :].lstrip())]
    raise AssertionError(f"said with none of them: {text}")


def somewhere(key: str, text: str) -> dict[str, str] | None:
    """The slots of a key's sentence within a line of a longer text without marks, or None if it is not said there."""
    match = re.search(rf"{_pattern(key, marked=False)}(?=[\s.,;()]|$)", text)
    return match.groupdict("1") if match else None


def _pattern(key: str, *, marked: bool = True) -> str:
    """A regular expression for a key's sentence with a group for each slot, 1 where a form of a word leaves it out."""
    text = TEXTS[key] if marked else re.sub(r"<[^>]*>|\*\*", "", TEXTS[key])
    return _pattern_of(text, set())


def _pattern_of(text: str, seen: set[str]) -> str:
    pattern = ""
    for literal, name, spec, _ in Formatter().parse(text):
        pattern += re.escape(literal)
        if spec and "|" in spec:  # the two forms of a word, which may hold the number itself
            pattern += f"(?:{'|'.join(_pattern_of(form, seen) for form in spec.split('|'))})"
        elif name:
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>.+?)"
            seen.add(name)
    return pattern


def number(text: str) -> float:
    """A number as it is written on the screen."""
    return float(text.replace("−", "-").replace("∞", "inf"))


def vector(text: str) -> list[float]:
    return [number(part) for part in text.strip("[]").split(", ")]
