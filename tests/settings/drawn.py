"""Settings for Hypothesis: of every kind every row of the table, every entry and held gate, floats of every size."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn

from rnnviz import presets
from rnnviz.maths import Clamp
from rnnviz.maths.cells.registry import CELLS
from rnnviz.settings import (
    ENTRY_DIMENSIONS,
    KINDS,
    Entry,
    Setting,
    Settings,
    Value,
    choices_of,
    numbered,
    settings_of,
)

GATED = ("lstm", "gru")
NAMES = {kind: tuple(named) for kind, named in presets.PRESETS.items()}
EVERY_PRESET = [(kind, name) for kind in KINDS for name in NAMES[kind]]
PRESETS = NAMES["elman"]
DEFAULT = PRESETS[0]

finite = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([-0.0, 5e-324, -1e308, 1.7e308, 0.1])


def bits(value: object) -> object:
    """The same value with every float in hexadecimal: equal only if equal bit for bit, and of equal types."""
    if isinstance(value, float):
        return value.hex()
    if is_dataclass(value):
        return (type(value).__name__, *(bits(getattr(value, field.name)) for field in fields(value)))
    if isinstance(value, tuple):
        return (type(value).__name__, *map(bits, value))
    return (type(value).__name__, value)


def allowed(setting: Setting, *kinds: str) -> st.SearchStrategy[Any]:
    """Every value that a row of the table admits for these kinds of cell."""
    if setting.choices:
        return st.sampled_from(choices_of(setting.name, *kinds))
    if isinstance(setting.default, tuple):
        return st.lists(finite, min_size=1, max_size=16).map(tuple)
    if isinstance(setting.default, int):
        return st.integers(int(setting.low), int(setting.high))
    return st.floats(setting.low, setting.high)


def chosen(*kinds: str) -> st.SearchStrategy[tuple[tuple[str, Value], ...]]:
    """Any part of the table that any of these kinds of cell has, sorted as `Settings` holds it."""
    rows = {name: allowed(setting, *kinds) for name, setting in settings_of(*kinds).items()}
    return st.fixed_dictionaries({}, optional=rows).map(lambda values: tuple(sorted(values.items())))


def entries(places: st.SearchStrategy[int]) -> st.SearchStrategy[Entry]:
    """An entry of any editable array of any layer or sequence."""
    numbers = st.integers(1, 3) | st.sampled_from([1, 8, 99])
    return st.sampled_from(sorted(ENTRY_DIMENSIONS)).flatmap(
        lambda array: st.builds(
            Entry, numbers.map(lambda number: numbered(array, number)), st.tuples(*[places] * ENTRY_DIMENSIONS[array])
        )
    )


def crowds(places: st.SearchStrategy[int]) -> st.SearchStrategy[dict[Entry, float]]:
    """Edits of many entries of one array, more or less of it."""
    names = st.tuples(st.sampled_from(sorted(ENTRY_DIMENSIONS)), st.integers(1, 3))
    near = st.integers(0, 5)
    return names.flatmap(
        lambda name: st.dictionaries(
            st.tuples(*[near if name[0] != "x" else near | places] * ENTRY_DIMENSIONS[name[0]]).map(
                lambda place: Entry(numbered(*name), place)
            ),
            finite,
            max_size=20,
        )
    )


def sequences() -> st.SearchStrategy[tuple[tuple[float, ...], ...]]:
    """A sequence of the reader's own, from one number to the largest that fits."""
    shapes = st.tuples(st.integers(1, 200), st.integers(1, 8)) | st.sampled_from([(1, 1), (1, 8), (200, 1), (200, 8)])
    arrays = stn.arrays(np.float64, shapes, elements=finite)
    return arrays.map(lambda array: tuple(tuple(row) for row in array.tolist()))


def batches() -> st.SearchStrategy[tuple[tuple[tuple[float, ...], ...], ...]]:
    """Sequences of one shape side by side."""
    shapes = st.tuples(st.integers(2, 8), st.integers(1, 6), st.integers(1, 3))
    arrays = shapes.flatmap(lambda shape: stn.arrays(np.float64, shape, elements=finite))
    return arrays.map(lambda array: tuple(tuple(tuple(row) for row in x) for x in array.tolist()))


def clamps(kind: str) -> st.SearchStrategy[tuple[tuple[int, Clamp], ...]]:
    """Held gates as an address can carry them: those of the kind, and some that no network has; none without gates."""
    if kind not in GATED:
        return st.just(())
    own = st.sampled_from(CELLS[kind].clampable)
    values = st.floats(0.0, 1.0) | st.sampled_from([0.0, -0.0, 1.0, 0.1])
    near = st.builds(Clamp, own, values, st.none() | st.integers(0, 3), st.integers(1, 9))
    names = st.sampled_from(["i", "f", "g", "o", "r", "z", "n", "c", "gate_1", "F"])
    far = st.builds(Clamp, own | names, values, st.none() | st.integers(0, 10**9 - 2), st.integers(1, 10**9 - 1))
    held = st.tuples(st.integers(1, 2), near) | st.tuples(st.integers(1, 99), far)
    return st.lists(held, max_size=3).map(tuple)


contents = st.just((None, ())) | sequences().map(lambda x: (x, ())) | batches().map(lambda batch: (batch[0], batch[1:]))
texts = st.just("") | st.text(st.characters(exclude_categories=["Cs"]), max_size=64)


def all_settings(
    places: st.SearchStrategy[int], most_steps: int = 10**9, kinds: tuple[str, ...] = KINDS
) -> st.SearchStrategy[Settings]:
    """Any settings of any kind, whether they fit together or not."""
    return st.sampled_from(kinds).flatmap(lambda kind: settings_for(kind, places, most_steps))


def settings_for(kind: str, places: st.SearchStrategy[int], most_steps: int) -> st.SearchStrategy[Settings]:
    """Any settings of one kind."""
    edits = st.builds(dict[Entry, float].__or__, st.dictionaries(entries(places), finite, max_size=8), crowds(places))
    return st.builds(
        lambda preset, chosen, content, edits, t, text, layer, sequence, held: Settings(
            preset, chosen, content[0], edits, t, content[1], text, layer, sequence, kind, held
        ),
        st.sampled_from(NAMES[kind]),
        chosen(kind),
        contents,
        edits.map(lambda found: tuple(sorted(found.items()))),
        st.integers(1, most_steps),
        texts,
        st.integers(1, 5),
        st.integers(1, 9),
        clamps(kind),
    )


def side_by_side(places: st.SearchStrategy[int], most_steps: int = 300) -> st.SearchStrategy[Settings]:
    """Any settings of a page that shows all kinds of cell, with any of them in front and any preset that it has."""
    return st.sampled_from(KINDS).flatmap(
        lambda kind: st.builds(
            lambda one, preset, values: replace(one, preset=preset, chosen=values, beside=others(kind)),
            settings_for(kind, places, most_steps),
            st.sampled_from(list(presets.ALL_PRESETS[kind])),
            chosen(*KINDS),
        )
    )


def others(kind: str) -> tuple[str, ...]:
    """The kinds beside one, in the order of the menu."""
    return tuple(other for other in KINDS if other != kind)
