"""How often gates are closed and open: sentences, dots and table, against plain counts."""

from __future__ import annotations

import numpy as np
import pytest

from rnnviz import Clamp, Trace, gate_saturation, make_cell, run
from rnnviz.texts import say
from rnnviz.views.charts.saturation import saturation_figure
from rnnviz.views.sentences.gate_facts import percent
from rnnviz.views.sentences.saturation import saturation_columns, saturation_words
from tests.views.spoken import whole

X = np.random.default_rng(0).standard_normal((40, 2))
TRACE = run(make_cell("lstm", 2, 6, seed=1, init="spectral", gain=8.0), X)
FOUND = gate_saturation(TRACE)


def counted(trace: Trace, gate: str, unit: int) -> tuple[float, float]:
    """The shares of steps at which a gate is under 0.1 and over 0.9, counted one by one."""
    values = trace.gates[gate][:, unit].tolist()
    return sum(value < 0.1 for value in values) / len(values), sum(value > 0.9 for value in values) / len(values)


@pytest.mark.parametrize("kind", ["lstm", "gru"])
@pytest.mark.parametrize("seed", range(16))
def test_a_sentence_for_each_gate_counts_units(kind: str, seed: int) -> None:
    units = 1 + seed % 5
    trace = run(make_cell(kind, 2, units, seed=seed, init="spectral", gain=8.0), X)
    gates = trace.cell.clampable
    for gate, sentence in zip(gates, saturation_words(gate_saturation(trace)), strict=True):
        said = whole("saturation.words", sentence)
        shares = [counted(trace, gate, unit) for unit in range(units)]
        assert said["gate"] == gate
        for side, word in enumerate(("closed", "open")):
            count = sum(share[side] > 0.5 for share in shares)
            several = f"{count} of {units} units"
            wanted = "no unit" if not count else "the only unit" if units == 1 else several
            assert said[word].rstrip(".") == wanted


def test_every_unit_is_in_a_dot_at_its_place() -> None:
    figure = saturation_figure(FOUND)
    for number, (gate, dots) in enumerate(zip("ifo", figure["data"], strict=True)):
        places: dict[tuple[float, float], list[int]] = {}
        for unit in range(6):
            places.setdefault(counted(TRACE, gate, unit), []).append(unit + 1)
        assert list(zip(dots["x"], dots["y"], strict=True)) == list(places)
        assert dots["xaxis"] == ("x" if not number else f"x{number + 1}")
        for (closed, opened), units, hover, count in zip(
            places, places.values(), dots["hovertext"], dots["text"], strict=True
        ):
            words = {"gate": gate, "units": ", ".join(map(str, units)), "count": len(units)}
            assert hover == say("saturation.dot", **words, closed=percent(closed), open=percent(opened))
            assert count == ("" if len(units) == 1 else str(len(units)))


def test_the_names_of_the_axes_have_room_on_a_phone() -> None:
    """Two stand side by side; three squares share one, in the middle."""
    of_gru = gate_saturation(run(make_cell("gru", 1, 2), [[0.0]] * 3))
    for found, wanted in ((FOUND, [False, True, False]), (of_gru, [True, True])):
        layout = saturation_figure(found)["layout"]
        axes = [layout[f"xaxis{number or ''}"] for number in [0, *range(2, len(found) + 1)]]
        assert [bool(axis["title"]["text"]) for axis in axes] == wanted


def test_many_units_in_one_place_are_counted_and_not_all_named() -> None:
    trace = run(make_cell("gru", 1, 30), [[0.0]] * 3, clamp=[Clamp("z", 1.0)])
    dots = saturation_figure(gate_saturation(trace))["data"][1]
    assert dots["text"] == ["30"]
    assert "1, 2, 3" in dots["hovertext"][0]
    assert "12, …" in dots["hovertext"][0]
    assert "13" not in dots["hovertext"][0]


@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_both_shares_have_the_same_whole_range_in_every_panel(kind: str) -> None:
    layout = saturation_figure(gate_saturation(run(make_cell(kind, 2, 3), X)))["layout"]
    for number in range(len(make_cell(kind, 2, 3).clampable)):
        for letter in "xy":
            low, high = layout[f"{letter}axis{number + 1 if number else ''}"]["range"]
            assert low < 0 < 1 < high


def test_the_table_has_every_share() -> None:
    columns = saturation_columns(FOUND)
    assert next(iter(columns)) == say("saturation.column.unit")
    assert next(iter(columns.values())) == list(range(1, 7))
    for place, gate in enumerate("ifo"):
        shares = list(columns.values())[1 + 2 * place : 3 + 2 * place]
        assert list(zip(*shares, strict=True)) == [counted(TRACE, gate, unit) for unit in range(6)]
