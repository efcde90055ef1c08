"""Recipes that are worth watching, by name, and what was measured of each.

The numbers of updates were found with ``python -m tests.bench.recipes``. Another machine rounds differently: there a
network may need some more or some fewer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from rnnviz.settings.expected import SEEDS, Expected
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

_NONE = (None,) * len(SEEDS)

EXPECTED: Mapping[str, Expected] = MappingProxyType(
    {
        "adding": Expected(
            {
                "elman": _NONE,
                "lstm": (550, 450, 425, 675, 550, 450, 425, 350),
                "gru": (200, 200, 200, 200, 200, 175, 200, 200),
            },
        ),
        "irnn": Expected(
            {
                "elman": (844, 688, 631, 719, 469, 875, 406, 594),
            },
        ),
        "recall": Expected(
            {
                "elman": _NONE,
                "lstm": (234, 328, 266, 250, 250, 219, 316, 203),
                "gru": (234, 200, 219, 172, 219, 200, 200, 234),
            },
        ),
        "gates_half_open": Expected(
            {
                "elman": _NONE,
                "lstm": _NONE,
                "gru": _NONE,
            },
        ),
        "copy": Expected(
            {
                "elman": (100, 88, 112, 100, 125, 88, 79, 100),
                "lstm": _NONE,
                "gru": _NONE,
            },
        ),
        "parity": Expected(
            {
                "elman": (None, 262, 275, 300, 225, 275, 288, None),
                "lstm": (100, 162, 138, 162, 125, 112, 125, 138),
                "gru": (100, 150, 112, 125, 112, 100, 112, 100),
            },
        ),
        "brackets": Expected(
            {
                "elman": (None, None, None, None, None, 600, None, None),
                "lstm": (488, 525, 501, None, 501, 488, 506, 581),
                "gru": (356, 244, 338, 338, 300, 319, 356, 300),
            },
        ),
        "sine": Expected(
            {
                "elman": (275, 162, 212, 238, 225, 225, 251, 200),
                "lstm": (212, 112, 150, 138, 158, 175, 158, 138),
                "gru": (150, 126, 126, 212, 138, 225, 158, 112),
            },
        ),
        "by_heart": Expected(
            {
                "elman": (40, 38, 38, 38, 44, 38, 38, 38),
                "lstm": (50, 50, 50, 50, 50, 50, 56, 50),
                "gru": (44, 40, 50, 44, 50, 50, 44, 50),
            },
            goal="by_heart",
        ),
        "next_number": Expected(
            {
                "elman": (501, 281, 5625, 844, 316, 316, 158, 100),
            },
        ),
        "explosion": Expected(
            {
                "elman": (2020, 2014, 2044, 2035, 2012, 1996, 2719, 2049),
            },
            goal="exploded",
        ),
    }
)
"""What becomes of each as it stands, by the kind of cell and for each of `SEEDS`."""


def words_of(name: str) -> str:
    """What to watch in a recipe as it stands, and what was measured of it."""
    return expected_words(name, RECIPES[name].updates, EXPECTED[name])
