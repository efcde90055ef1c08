"""Numbers as tables: pandas data frames, their numbers written as everywhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rnnviz.views.numbers import faded
from rnnviz.views.palette import POSITIVE, translucent

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

NOTHING = "–"
"""What stands where a table has no number."""


def frame(columns: Mapping[str, Sequence[object]], *, marked: int | None = None) -> Styler:
    """A data frame of columns by their headings, one row of it marked.

    It sorts by its values and downloads them in full; what shows is their text. pandas is loaded only here, with the
    first table that is shown.
    """
    import pandas

    plain = pandas.DataFrame({name: list(values) for name, values in columns.items()})
    styled = plain.style.format(_shown, na_rep=NOTHING)
    if marked is None:
        return styled
    mark = f"background-color: {translucent(POSITIVE, 0.2)}"
    return styled.apply(lambda row: [mark if row.name == marked else ""] * len(row), axis=1)


def _shown(value: object) -> str:
    if isinstance(value, float):
        return faded(value)
    return str(value)
