"""Settings for Hypothesis: every row of the table, every entry, sequences of every size, floats of every size."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn

from rnnviz.presets import HIDDEN_STATE
from rnnviz.settings import ENTRY_DIMENSIONS, SETTINGS, Entry, Setting, Settings, Value

PRESETS = tuple(HIDDEN_STATE)
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


def allowed(setting: Setting) -> st.SearchStrategy[Any]:
    """Every value that a row of the table admits."""
    if setting.choices:
        return st.sampled_from(setting.choices)
    if isinstance(setting.default, tuple):
        return st.lists(finite, min_size=1, max_size=16).map(tuple)
    if isinstance(setting.default, int):
        return st.integers(int(setting.low), int(setting.high))
    return st.floats(setting.low, setting.high)


def chosen() -> st.SearchStrategy[tuple[tuple[str, Value], ...]]:
    """Any part of the table, sorted as `Settings` holds it."""
    rows = {name: allowed(setting) for name, setting in SETTINGS.items()}
    return st.fixed_dictionaries({}, optional=rows).map(lambda values: tuple(sorted(values.items())))


def entries(places: st.SearchStrategy[int]) -> st.SearchStrategy[Entry]:
    """An entry of any editable array."""
    return st.sampled_from(sorted(ENTRY_DIMENSIONS)).flatmap(
        lambda name: st.tuples(*[places] * ENTRY_DIMENSIONS[name]).map(lambda place: Entry(name, place))
    )


def sequences() -> st.SearchStrategy[tuple[tuple[float, ...], ...]]:
    """A sequence of the reader's own, from one number to the largest that fits."""
    shapes = st.tuples(st.integers(1, 200), st.integers(1, 8)) | st.sampled_from([(1, 1), (1, 8), (200, 1), (200, 8)])
    arrays = stn.arrays(np.float64, shapes, elements=finite)
    return arrays.map(lambda array: tuple(tuple(row) for row in array.tolist()))


def all_settings(places: st.SearchStrategy[int], most_steps: int = 10**9) -> st.SearchStrategy[Settings]:
    """Any settings, whether they fit together or not."""
    return st.builds(
        Settings,
        st.sampled_from(PRESETS),
        chosen(),
        st.none() | sequences(),
        st.dictionaries(entries(places), finite, max_size=8).map(lambda edits: tuple(sorted(edits.items()))),
        st.integers(1, most_steps),
    )
