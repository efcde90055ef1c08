"""What a sentence on the screen says: its key and the numbers in its slots, whatever the words around them."""

from __future__ import annotations

import re
from contextlib import suppress
from string import Formatter

from rnnviz.texts.en import TEXTS


def slots(key: str, text: str, *, whole: bool = False) -> dict[str, str]:
    """The slots of a text that begins with a key's sentence, or is it; an AssertionError if it is another one."""
    pattern, seen = "", set()
    for literal, name, _, _ in Formatter().parse(TEXTS[key]):
        pattern += re.escape(literal)
        if name:
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>.+?)"
            seen.add(name)
    match = re.match(rf"{pattern}$" if whole else rf"{pattern}(?=\s|$)", text, re.DOTALL)
    assert match, f"not said with {key}: {text}"
    return match.groupdict()


def the_one(keys: list[str], text: str) -> tuple[str, dict[str, str]]:
    """The one of these sentences that a text is, with its slots: what another's slots swallow of its words is none."""
    found = {}
    for key in keys:
        with suppress(AssertionError):
            found[key] = slots(key, text, whole=True)
    assert found, f"said with none of them: {text}"
    return min(found.items(), key=lambda one: sum(map(len, one[1].values())))


def number(text: str) -> float:
    """A number as it is written on the screen."""
    return float(text.replace("−", "-").replace("∞", "inf"))


def vector(text: str) -> list[float]:
    return [number(part) for part in text.strip("[]").split(", ")]
