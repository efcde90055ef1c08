"""Recipes that are worth watching, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rnnviz.settings.recipe import Recipe

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        "adding": Recipe(
            task="adding", hidden_size=32, steps=50, lr=0.005, clip=1.0, batch_size=50, bias_f=1.0, updates=1000,
        ),
        "next_number": Recipe(
            task="next_number", cells="elman", hidden_size=10, optimizer="sgd", lr=0.05, clip=0.0, truncation=1,
            batch_size=1, updates=9000, steps=9,
        ),
        "explosion": Recipe(
            task="next_number", cells="elman", hidden_size=10, optimizer="sgd", lr=0.1, clip=0.0, truncation=1,
            batch_size=1, updates=3000, steps=9, largest=10.0,
        ),
        "sine": Recipe(task="sine", hidden_size=16, steps=40, lr=0.01, updates=800, bias_f=1.0),
        "parity": Recipe(task="parity", hidden_size=8, steps=16, lr=0.02, batch_size=64, updates=600, bias_f=1.0),
        "copy": Recipe(task="copy", hidden_size=32, gap=10, lr=0.01, batch_size=32, updates=800, bias_f=1.0),
        "brackets": Recipe(task="brackets", hidden_size=4, steps=40, lr=0.02, updates=800, bias_f=1.0),
        "by_heart": Recipe(task="classes", hidden_size=32, steps=20, lr=0.01, updates=300, bias_f=1.0),
    }
)  # fmt: skip
"""In the order of their buttons; the first is the page's default."""

FIRST = next(iter(RECIPES))
