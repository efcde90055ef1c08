"""Tables: numbers in the one format, values in full precision, nothing where there is none, and the marked row."""

from __future__ import annotations

import math
from typing import Any

from rnnviz.views.numbers import faded
from rnnviz.views.tables import frame

COLUMNS: dict[str, list[Any]] = {
    "step": [1, 2, 21000],
    "h": [0.99995, -0.123456789, 3.2e-43],
    "left": [None, math.inf, 123456.0],
    "kind": ["attractor", "saddle", "saddle"],
}


def shown(**options: int) -> list[list[str]]:
    """The table as its cells read."""
    text = str(frame(COLUMNS, **options).hide(axis="index").to_string(delimiter="|"))
    return [line.split("|") for line in text.strip().splitlines()]


def test_numbers_are_written_as_everywhere_else() -> None:
    heads, *rows = shown()
    assert heads == list(COLUMNS)
    assert [row[0] for row in rows] == ["1", "2", "21000"]
    assert [row[1] for row in rows] == ["0.99995", "−0.1235", "3.2e−43"] == [faded(one) for one in COLUMNS["h"]]
    assert [row[2] for row in rows] == ["–", "∞", "1.235e5"]
    assert [row[3] for row in rows] == COLUMNS["kind"]


def test_values_stay_in_full_precision_for_sorting_and_for_downloads() -> None:
    styled: Any = frame(COLUMNS)
    assert styled.data["h"].tolist() == COLUMNS["h"]
    assert styled.data["step"].tolist() == COLUMNS["step"]


def test_one_row_is_marked() -> None:
    html = frame(COLUMNS, marked=1).to_html()
    marked = html[html.index("<style") : html.index("</style>")]
    assert [f"row{row}_col" in marked for row in range(3)] == [False, True, False]
    assert "background-color" not in frame(COLUMNS).to_html()
