"""Recipes that are worth watching, by name, and what was measured of each.

The numbers of updates were found with ``python -m tests.bench.recipes``. Another machine rounds differently: there a
network may need some more or some fewer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from rnnviz.settings.expected import Expected
from rnnviz.settings.recipe import Recipe
from rnnviz.views.sentences.recipes import expected_words

_ADDING = Recipe(task="adding", hidden_size=32, steps=50, lr=0.01, batch_size=100, bias_f=1.0, updates=800)
_IRNN = Recipe(
    task="adding", cells="elman", hidden_size=32, steps=50, activation="relu", init="identity", lr=0.002, clip=10.0,
    batch_size=50, updates=1000,
)  # fmt: skip
_RECALL = Recipe(task="recall", steps=30, lr=0.01, bias_f=3.0, bias_z=3.0, updates=500)
_NEXT_NUMBER = Recipe(
    task="next_number", cells="elman", hidden_size=10, optimizer="sgd", lr=0.1, clip=0.0, truncation=1, batch_size=1,
    updates=9000,
)  # fmt: skip

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        "adding": _ADDING,
        "irnn": _IRNN,
        "recall": _RECALL,
        "gates_half_open": replace(_RECALL, bias_f=0.0, bias_z=0.0),
        "copy": Recipe(task="copy", hidden_size=32, init="orthogonal", lr=0.005, bias_f=1.0, updates=400),
        "parity": Recipe(task="parity", hidden_size=8, steps=16, lr=0.02, batch_size=64, bias_f=1.0, updates=400),
        "brackets": Recipe(task="brackets", hidden_size=8, steps=30, lr=0.01, clip=5.0, bias_f=1.0, updates=600),
        "sine": Recipe(task="sine", steps=40, lr=0.02, bias_f=1.0, updates=400),
        "by_heart": Recipe(task="classes", hidden_size=20, steps=8, init="xavier", lr=0.01, updates=200),
        "next_number": _NEXT_NUMBER,
        "explosion": replace(_NEXT_NUMBER, largest=10.0),
    }
)
"""In the order of their buttons; the first is the page's default."""

FIRST = next(iter(RECIPES))

EXPECTED: Mapping[str, Expected] = MappingProxyType(
    {name: Expected({}, {"explosion": "exploded", "by_heart": "by_heart"}.get(name, "solved")) for name in RECIPES}
)


def words_of(name: str) -> str:
    """What to watch in a recipe as it stands, and what was measured of it."""
    return expected_words(name, RECIPES[name].updates, EXPECTED[name])
