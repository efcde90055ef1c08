"""What a sentence on the screen says: its key and the numbers in its slots, whatever the words around them."""

from __future__ import annotations

import re
from string import Formatter

from rnnviz.texts.en import TEXTS


def slots(key: str, text: str) -> dict[str, str]:
    """The slots of a text that begins with a key's sentence; an AssertionError if it begins with another one."""
    pattern, seen = "", set()
    for literal, name, _, _ in Formatter().parse(TEXTS[key]):
        pattern += re.escape(literal)
        if name:
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>.+?)"
            seen.add(name)
    match = re.match(rf"{pattern}(?=\s|$)", text, re.DOTALL)
    assert match, f"not said with {key}: {text}"
    return match.groupdict()


def number(text: str) -> float:
    """A number as it is written on the screen."""
    return float(text.replace("−", "-").replace("∞", "inf"))


def vector(text: str) -> list[float]:
    return [number(part) for part in text.strip("[]").split(", ")]
