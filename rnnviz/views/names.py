"""How kinds of cells are called."""

from __future__ import annotations

from rnnviz.maths.cells import cell_class
from rnnviz.texts import say


def cell_name(kind: str) -> str:
    """A kind of cell in a menu or a heading: one of one's own by its title, without the article."""
    cell = cell_class(kind)
    return without_article(cell.title) if cell.told_by == "step" else say(f"flows.cell.{kind}")


def without_article(title: str) -> str:
    """A title as it stands alone.

    Examples
    --------
    >>> without_article("a leaky integrator")
    'Leaky integrator'
    """
    name = title.split(" ", 1)[1]
    return name[0].upper() + name[1:]
