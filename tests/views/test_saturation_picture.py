"""How often gates are shut and open: the sentence, the dots and the table, against plain counts."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from rnnviz import gate_saturation, make_cell, run
from rnnviz.texts import say
from rnnviz.views.saturation import saturation_picture, saturation_table, saturation_words

SVG = "{http://www.w3.org/2000/svg}"
TRACE = run(
    make_cell("lstm", 2, 6, seed=1, init="spectral", gain=8.0), np.random.default_rng(0).standard_normal((40, 2))
)
FOUND = gate_saturation(TRACE)


def counted(gate: str, unit: int) -> tuple[float, float]:
    """The shares of steps at which a gate is under 0.1 and over 0.9, counted one by one."""
    values = TRACE.gates[gate][:, unit].tolist()
    return sum(value < 0.1 for value in values) / 40, sum(value > 0.9 for value in values) / 40


def test_the_sentence_counts_units() -> None:
    for gate in ("i", "f", "o"):
        shares = [counted(gate, unit) for unit in range(6)]
        opened, shut = sum(share[1] > 0.5 for share in shares), sum(share[0] > 0.5 for share in shares)
        assert say("saturation.words", gate=gate, units=6, open=opened, shut=shut) in saturation_words(FOUND)


def test_every_unit_is_in_a_dot_at_its_place() -> None:
    (svg,) = ElementTree.fromstring(saturation_picture(FOUND))
    titles = [title.text for title in svg.iter(f"{SVG}title")]
    circles = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in svg.iter(f"{SVG}circle")]
    places: dict[tuple[str, float, float], list[int]] = {}
    for gate in ("i", "f", "o"):
        for unit in range(6):
            places.setdefault((gate, *counted(gate, unit)), []).append(unit + 1)
    assert len(circles) == len(titles) == len(places)
    for (gate, shut, opened), units in places.items():
        names = ", ".join(map(str, units))
        title = say("saturation.dot", gate=gate, units=names, shut=round(100 * shut), open=round(100 * opened))
        x, y = circles[titles.index(title)]
        left = 46 + "ifo".index(gate) * 256
        assert (x, y) == pytest.approx((left + 170 * shut, 26 + 170 * (1 - opened)), abs=0.06)


def test_the_table_has_every_share() -> None:
    region = ElementTree.fromstring(saturation_table(FOUND))
    rows = region.findall("table/tbody/tr")
    assert len(rows) == 6
    for unit, row in enumerate(rows):
        shares = [f"{100 * share:.0f} %" for gate in ("i", "f", "o") for share in counted(gate, unit)]
        assert [cell.text for cell in row.findall("td")] == shares
