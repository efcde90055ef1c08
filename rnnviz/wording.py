"""Sentences with slots: what fills them, and a sentence that waits until it is known in which language it is said."""

from __future__ import annotations

import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Message", "filled"]


@dataclass(frozen=True, init=False)
class Message:
    """A sentence, or a part of one, that is said later and in any language; ``str`` of it is the English one.

    Parameters
    ----------
    key : str
        Under which another language has its own template.
    template : str
        In English, with slots as `filled` takes them.
    **slots : object
        Numbers, names and what a reader typed; a `Message` where a slot has words.

    Examples
    --------
    >>> str(Message("error.layer", "Layer {number}: {problem}", number=2, problem=Message("error.none", "No step.")))
    'Layer 2: No step.'
    """

    key: str
    template: str
    slots: Mapping[str, object] = field(hash=False)

    def __init__(self, key: str, template: str, /, **slots: object) -> None:
        object.__setattr__(self, "key", key)
        object.__setattr__(self, "template", template)
        object.__setattr__(self, "slots", slots)

    def __str__(self) -> str:
        return filled(self.template, self.slots)


def filled(text: str, slots: Mapping[str, object]) -> str:
    """A text with its slots filled.

    Slots take Python's format specifications; ``{count:step|steps}`` is the first word where `count` is 1, else the
    second.

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
