"""Numbers as an HTML table that scrolls by itself and can be reached by the keyboard."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape


def table(name: str, caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; the first cell of each row is its heading.

    Parameters
    ----------
    name : str
        Its style: the class is ``<name>-table``.
    caption : str
        What it shows.
    head : sequence of str
        The columns' headings.
    rows : sequence of sequences of str
        Plain text.
    """
    columns = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    body = "".join(
        f'<tr><th scope="row">{escape(row[0])}</th>{"".join(f"<td>{escape(text)}</td>" for text in row[1:])}</tr>'
        for row in rows
    )
    title = escape(caption)
    return (
        f'<div class="{name}-table" role="region" aria-label="{title}" tabindex="0"><table><caption>{title}</caption>'
        f"<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table></div>"
    )
