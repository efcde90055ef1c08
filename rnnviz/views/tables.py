"""Numbers as tables: pandas data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame


def frame(columns: Mapping[str, Sequence[object]]) -> DataFrame:
    """A data frame of columns by their headings; pandas is loaded only here, with the first table that is shown."""
    import pandas

    return pandas.DataFrame({name: list(values) for name, values in columns.items()})
