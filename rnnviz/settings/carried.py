"""The recipe of stored weights as one parameter of an address: ``recipe=cells~lstm,updates~480``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rnnviz.maths import InputError

_LONGEST = 600
_PART = re.compile(r"[a-z]\w*~[\w.+-]+")


def in_one(query: Mapping[str, str]) -> str:
    """The parameters of a recipe in one; empty where they do not fit.

    Examples
    --------
    >>> in_one({"cells": "lstm", "updates": "480"})
    'cells~lstm,updates~480'
    >>> in_one({"series": "1;2;3"})
    ''
    """
    parts = [f"{name}~{text}" for name, text in query.items()]
    whole = ",".join(parts)
    return whole if len(whole) <= _LONGEST and all(_PART.fullmatch(part) for part in parts) else ""


def in_parts(text: str) -> dict[str, str]:
    """The parameters of a recipe.

    Raises
    ------
    InputError
        If they are not written as `in_one` writes them.

    Examples
    --------
    >>> in_parts("cells~lstm,updates~480")
    {'cells': 'lstm', 'updates': '480'}
    """
    parts = text.split(",") if text else []
    if len(text) > _LONGEST or not all(_PART.fullmatch(part) for part in parts):
        raise InputError("setting.recipe", "Copy the whole link of the trained network.")
    return dict(part.split("~", 1) for part in parts)
