"""What a recipe is there to show, and what was measured of it."""

from __future__ import annotations

from rnnviz.settings.chosen import Rows
from rnnviz.settings.expected import SEEDS, Expected
from rnnviz.texts import say
from rnnviz.views.names import cell_name


def recipe_name(name: str) -> str:
    """A recipe on its button."""
    return say(f"recipe.preset.{name}")


def task_words(task: str) -> str:
    """What a network reads in a task, and what it has to say."""
    return say(f"task.{task}")


def series_words(rows: Rows) -> str:
    """How a series was read; two columns of whole numbers may be one with decimal commas."""
    like_commas = len(rows[0]) == 2 and all(a.is_integer() and b.is_integer() and b >= 0 for a, b in rows)
    key = "recipe.series.commas" if like_commas else "recipe.series.read"
    return say(key, rows=len(rows), columns=len(rows[0]))


def expected_words(name: str, updates: int, expected: Expected) -> str:
    """What to watch in a recipe, and which cells reach its goal within its updates, at which seeds and how soon."""
    return f"{say(f'recipe.watch.{name}')} {measured_words(updates, expected)}"


def measured_words(updates: int, expected: Expected) -> str:
    """Which cells reach the goal of a recipe as it stands, at which seeds and how soon."""
    cells = "; ".join(_cell(kind, expected) for kind in expected.at)
    return say(f"expected.{expected.goal}", updates=f"{updates:,}", first=SEEDS[0], last=SEEDS[-1], cells=cells)


def _cell(kind: str, expected: Expected) -> str:
    """Of one cell: the rarer seeds are named."""
    missed, median = expected.missed(kind), expected.median(kind)
    slots = {"name": cell_name(kind), "count": len(SEEDS)}
    if median is None:
        return say("expected.cell.none", **slots)
    slots["median"] = f"{median:,}"
    if not missed:
        return say("expected.cell.all", **slots)
    there = [seed for seed in SEEDS if seed not in missed]
    key, named = ("most", missed) if len(missed) < len(there) else ("few", there)
    seeds = ", ".join(map(str, named))
    if len(there) == 1:
        return say("expected.cell.one", name=slots["name"], median=slots["median"], seeds=seeds)
    return say(f"expected.cell.{key}", there=len(there), named=len(named), seeds=seeds, **slots)
