"""Numbers as tables: pandas data frames, their numbers written as everywhere else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from rnnviz.views.numbers import faded
from rnnviz.views.palette import POSITIVE, of_sign, translucent

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

_GROUND = 0.4
"""The opacity behind the largest number of a column: text is legible on it in both themes."""

NOTHING = "–"
"""What stands where a table has no number."""


class Row(NamedTuple):
    """A row of a table that is read, not sorted.

    Attributes
    ----------
    title : str
    cells : sequence of (str, str)
        What stands in each column, and what stands below it in small print.
    note : str
        What stands below the whole row.
    """

    title: str
    cells: Sequence[tuple[str, str]]
    note: str = ""


def html_table(caption: str, head: Sequence[str], rows: Sequence[Row]) -> str:
    """A table whose words may wrap, as HTML; the first column has the titles of the rows.

    Parameters
    ----------
    caption : str
        What a screen reader says first; it is not shown.
    """
    titles = "".join(f"<th scope='col'>{escape(one)}</th>" for one in head)
    body = "".join(_html_row(row) for row in rows)
    named = f"<table class='read' aria-label='{escape(caption)}'>"
    return f"{named}<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>"


def vector_table(caption: str, head: Sequence[str], rows: Sequence[tuple[str, Sequence[Sequence[float]]]]) -> str:
    """A table of vectors as HTML: each number on a ground of its sign, the stronger the larger within its column.

    Parameters
    ----------
    rows : sequence of (str, sequence of vectors)
        The title of each row, and a vector for each column after the first.
    """
    most = [
        max((abs(value) for vector in column for value in vector), default=0.0) or 1.0
        for column in zip(*(vectors for _, vectors in rows), strict=True)
    ]
    titles = "".join(f"<th scope='col'>{escape(one)}</th>" for one in head)
    body = "".join(
        f"<tr><th scope='row'>{escape(title)}</th>"
        + "".join(f"<td>{_vector(vector, top)}</td>" for vector, top in zip(vectors, most, strict=True))
        + "</tr>"
        for title, vectors in rows
    )
    named = f"<div style='overflow-x: auto'><table class='read' aria-label='{escape(caption)}'>"
    return f"{named}<thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table></div>"


def _vector(values: Sequence[float], most: float) -> str:
    return "".join(
        f"<span class='v' style='background: {translucent(of_sign(value), _GROUND * abs(value) / most)}'>"
        f"{escape(faded(value))}</span>"
        for value in values
    )


def _html_row(row: Row) -> str:
    cells = "".join(
        f"<td>{escape(main)} {f'<small>{escape(small)}</small>' if small else ''}</td>" for main, small in row.cells
    )
    noted = f"<tr class='note'><td colspan='{len(row.cells) + 1}'>{escape(row.note)}</td></tr>" if row.note else ""
    return f"<tr><th scope='row'>{escape(row.title)}</th>{cells}</tr>{noted}"


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
