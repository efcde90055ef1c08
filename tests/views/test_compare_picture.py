"""Three cells beside each other: ranks against sorted lists, rows and sentences against the numbers they were given."""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotly.graph_objects import Figure

from rnnviz.texts import say
from rnnviz.views.charts.compare import loss_chart, reach_chart
from rnnviz.views.numbers import power, power_of_ten, thousands
from rnnviz.views.palette import CELL_COLOURS
from rnnviz.views.sentences.compare import (
    Costs,
    Decay,
    Learned,
    adjective_rows,
    band,
    cost_rows,
    gate_rows,
    learned_rows,
    loss_columns,
    loss_words,
    notice,
    outcome,
    reach_row,
    time_row,
    untrained_rows,
)
from rnnviz.views.tables import NOTHING, Row, html_table

KINDS = tuple(CELL_COLOURS)
COSTS = {
    "elman": Costs(32, 1185, 1088, 32, 3332, 1, 1),
    "lstm": Costs(32, 4641, 4352, 64, 9764, 4, 2),
    "gru": Costs(32, 3489, 3264, 32, 8132, 3, 1),
}
STEPS = 5


def decay(*rows: list[float], lost: int = 0, **gates: float) -> Decay:
    """Norms at the steps 0 to 5, in decades."""
    return Decay(np.array(rows, dtype=np.float64).reshape(len(rows), STEPS + 1), lost, gates)


BEFORE = {
    "elman": decay([-10, -8, -6, -4, -2, 0], [-5, -4, -2.5, -2, -1, 0]),
    "lstm": decay([-1, -1, -1, -1, -1, 0], [-3, -2, -2, -1, -1, 0], f=0.7, i=0.5, o=0.4),
    "gru": decay([-math.inf, -9, -3.5, -2, -1, 0], lost=1, r=0.5, z=0.55),
}
AFTER = {
    "elman": decay([-6, -5, -4, -3, -2, 0], [-6, -5, -4, -3, -2, 0]),
    "lstm": decay([0.5, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], f=0.99, i=0.3, o=0.6),
    "gru": decay(lost=2),
}
UPDATES = np.array([0, 10, 1000])


def learned(*losses: list[float], solved: tuple[int | None, ...], lost: int = 0) -> Learned:
    return Learned(UPDATES, np.array(losses), solved, lost)


LEARNED = {
    "elman": learned([1.0, 0.2, 0.17], [1.1, 0.2, 0.19], solved=(None, None)),
    "lstm": learned([1.0, 0.2, 0.002], [1.1, 0.2, 0.05], solved=(1000, None)),
    "gru": learned([1.0, 0.001, 0.0005], [1.1, 0.2, math.inf], solved=(10, None), lost=1),
}


# --- ranks ----------------------------------------------------------------------------------------------------------


@given(st.lists(st.floats(1e-9, 1e3) | st.just(math.inf), min_size=1, max_size=8))
def test_a_band_is_the_ranks_of_a_sorted_list(losses: list[float]) -> None:
    found, ranked = band(np.array(losses)[:, None]), sorted(losses)
    for share, values in zip((0.0, 0.25, 0.5, 0.75, 1.0), found, strict=True):
        place = share * (len(ranked) - 1)
        below, above = ranked[int(place)], ranked[math.ceil(place)]
        wanted = below if below == above else below + (place - int(place)) * (above - below)
        assert values[0] == pytest.approx(wanted)
    if all(map(math.isfinite, losses)):
        assert found.median[0] == pytest.approx(statistics.median(losses))


def test_reach_is_the_furthest_step_back_that_still_counts() -> None:
    assert BEFORE["elman"].reach == [1, 3]
    assert BEFORE["lstm"].reach == [5, 5]
    assert decay([0, -9, -9, -9, -1, 0]).reach == [5]  # a gradient may come back


# --- rows -----------------------------------------------------------------------------------------------------------


def cells(row: Row) -> list[str]:
    return [f"{main} {small}".strip() for main, small in row.cells]


def test_costs_stand_with_their_factors_and_units() -> None:
    rows = {row.title: cells(row) for row in cost_rows(COSTS, 50)}
    assert rows["Hidden size H"] == ["32", "32", "32"]
    assert rows["Parameters"] == ["1,185 × 1", "4,641 × 3.916", "3,489 × 2.944"]
    assert rows["Multiply-adds a step"] == ["1,088 × 1", "4,352 × 4", "3,264 × 3"]
    assert rows["State between steps"][:2] == ["256 bytes 32 numbers", "512 bytes 64 numbers"]
    assert rows["Kept for BPTT, T\u00a0=\u00a050"][0] == "26.03 KiB 3,332 numbers"


def test_time_is_a_factor_and_is_not_made_up() -> None:
    seconds = {"elman": 2e-6, "lstm": 7e-6, "gru": 6.5e-6}
    assert cells(time_row(KINDS, seconds)) == ["× 1 2 µs", "× 3.5 7 µs", "× 3.25 6.5 µs"]
    assert set(cells(time_row(KINDS, {}))) == {"press Measure time"}


def test_reach_is_a_median_with_its_range_and_what_was_lost() -> None:
    assert cells(reach_row(BEFORE, KINDS, is_trained=False)) == [
        "2 of 5 steps 1 to 3", "5 of 5 steps", "2 of 5 steps 1 overflowed",
    ]  # fmt: skip
    assert cells(reach_row(AFTER, KINDS, is_trained=True))[2] == f"{NOTHING} 2 overflowed"
    assert cells(reach_row(None, KINDS, is_trained=True)) == [NOTHING] * 3


def test_what_was_learned_is_counted_and_what_diverged_too() -> None:
    solved, loss = learned_rows(LEARNED, 0.01)
    assert "<\u00a00.01" in solved.title
    assert cells(solved) == ["0 of 2 seeds", "1 of 2 seeds median update 1,000", "1 of 2 seeds median update 10"]
    assert cells(loss) == ["0.18 0.17 to 0.19", "0.026 0.002 to 0.05", f"{NOTHING} 1 of 2 overflowed"]
    (only,) = learned_rows(LEARNED, 0.0)  # a task without a level
    assert only == loss


def test_the_headline_after_training() -> None:
    solved = "Seeds solved after 1,000 updates, of 2: Elman 0, LSTM 1, GRU 1."
    assert outcome(LEARNED, BEFORE, AFTER, STEPS, 0.01) == solved  # a GRU overflowed: its reach is unknown
    both, before, after = ({kind: of[kind] for kind in ("elman", "lstm")} for of in (LEARNED, BEFORE, AFTER))
    said = outcome(both, before, after, STEPS, 0.01)
    assert said.endswith(" Reach of the gradient before → after training, of 5 steps: Elman 2 → 2, LSTM 5 → 5.")
    assert outcome(both, None, None, STEPS, 0.0) == "Median test loss after 1,000 updates: Elman 0.18, LSTM 0.026."


def test_of_a_cell_that_overflowed_no_loss_is_told() -> None:
    """Not even where it is that of the last test before."""
    gone = {"gru": learned([1.0, 2.0, 3e200], [1.0, 2.0, 5.0], solved=(None, None), lost=2), "lstm": LEARNED["lstm"]}
    gone["gru"] = replace(gone["gru"], updates=np.array([0, 10, 40]))
    assert loss_words(gone, 0.0, 0.0) == "Median test loss after 1,000 updates: GRU: 2 of 2 overflowed, LSTM 0.026."
    assert outcome(gone, None, None, STEPS, 0.01) == "Seeds solved after 1,000 updates, of 2: GRU 0, LSTM 1."
    assert cells(learned_rows(gone, 0.0)[0])[0] == f"{NOTHING} 2 of 2 overflowed"


def test_before_training_no_number_stands_where_training_gives_one() -> None:
    rows = [*untrained_rows(KINDS, 0.01, running=False), *gate_rows(BEFORE, None)]
    filled = {row.title for row in (*learned_rows(LEARNED, 0.01), reach_row(AFTER, KINDS, is_trained=True))}
    assert {row.title for row in untrained_rows(KINDS, 0.01, running=False)} == filled
    assert {cell for row in untrained_rows(KINDS, 0.01, running=False) for cell in cells(row)} == {"press Train"}
    assert {cell for row in untrained_rows(KINDS, 0.01, running=True) for cell in cells(row)} == {"in training"}
    assert [cells(row)[-1] for row in rows][-5:] == ["press Train"] * 5
    for row in adjective_rows(COSTS, BEFORE, None, {}, on="parity, T = 5", updates=None):
        if row.title in (say("compare.feature.memory"), say("compare.feature.vanishing")):
            assert {main for main, _ in row.cells} == {"press Train"}
            assert "updates" not in row.note


def test_gates_stand_before_and_after() -> None:
    rows = {row.title: cells(row) for row in gate_rows(BEFORE, AFTER)}
    assert rows["LSTM: forget gate f, keeps c"] == ["0.7", "0.99"]
    assert rows["GRU: update gate z, keeps h"] == ["0.55", NOTHING]  # all of these networks overflowed
    assert len(rows) == 5


def test_adjectives_stand_beside_the_numbers_of_these_networks() -> None:
    seconds = {"elman": 2e-6, "lstm": 7e-6, "gru": 6e-6}
    rows = {
        row.title: (cells(row), row.note)
        for row in adjective_rows(COSTS, BEFORE, AFTER, seconds, on="parity, T = 5", updates=1000)
    }
    assert rows["Memory capacity"][0] == ["2 of 5 steps “limited”", "5 of 5 steps “strong”", f"{NOTHING} “strong”"]
    assert "1,000 updates" in rows["Memory capacity"][1]
    assert "parity, T = 5" in rows["Memory capacity"][1]
    assert rows["Parameter count"][0] == ["1,185 “low”", "4,641 “high”", "3,489 “medium”"]
    assert rows["Vanishing gradient"][0][:2] == ["1e−6 “vulnerable”", f"{power_of_ten(0.25)} “resistant”"]
    assert rows["… before training"][0] == [power_of_ten(-7.5), power_of_ten(-2.0), "0"]
    assert rows["Computational efficiency"][0] == ["× 1 “high”", "× 4 “low”", "× 3 “medium”"]
    assert rows["… measured here"][0] == ["× 1 2 µs", "× 3.5 7 µs", "× 3 6 µs"]
    assert rows["Implementation complexity"][0][1] == "4 weight blocks, 2 state vectors “high”"
    assert all(note for _, note in rows.values())


# --- sentences ------------------------------------------------------------------------------------------------------


def test_the_notice_says_factors_or_sizes() -> None:
    said = notice(COSTS, BEFORE, STEPS, is_sized=False)
    assert "H = 32, parameters relative to the Elman RNN: LSTM × 3.916, GRU × 2.944." in said
    assert "the gradient norm is still 0.001 or more this many of 5 steps back: Elman 2, LSTM 5, GRU 2 (med" in said
    sized = notice(COSTS, None, STEPS, is_sized=True)
    assert "Elman 1,185 (H = 32), LSTM 4,641 (H = 32)" in sized
    assert "gradient" not in sized
    one = {kind: decay([-9, -9, -9, -1, -1, 0]) for kind in KINDS}
    assert "(one seed)" in notice(COSTS, one, STEPS, is_sized=True)
    assert "gradient" not in notice(COSTS, AFTER, STEPS, is_sized=False)  # none of one cell ran to the end


def test_the_losses_in_words() -> None:
    said = loss_words(LEARNED, 0.167, 0.01)
    assert said.startswith("Median test loss after 1,000 updates: Elman 0.18, LSTM 0.026, GRU: 1 of 2 overflowed.")
    assert "below 0.01" in said
    assert "0.167" in said
    assert "solved" not in loss_words(LEARNED, 0.167, 0.0)
    assert "ignores" not in loss_words(LEARNED, 0.0, 0.01)  # one sequence alone: an answer by heart


def test_all_tests_stand_in_a_table() -> None:
    columns = loss_columns(LEARNED)
    assert columns["update"] == [0.0, 10.0, 1000.0]
    assert columns["LSTM: median"] == pytest.approx([1.05, 0.2, 0.026])
    assert columns["GRU: largest"][-1] == math.inf
    assert len(columns) == 1 + 5 * 3


# --- pictures -------------------------------------------------------------------------------------------------------


def test_the_reach_before_training() -> None:
    figure = reach_chart(BEFORE)
    Figure(figure)
    lines = {one["name"]: one for one in figure["data"] if "name" in one}
    assert set(lines) == {"Elman", "LSTM", "GRU"}
    for kind, one in BEFORE.items():
        values = [None if math.isinf(value) else value for value in one.quartiles.median[::-1]]
        line = lines[say(f"flows.cell.{kind}")]
        assert line["y"] == values
        assert line["line"]["color"] == CELL_COLOURS[kind]
    assert len({line["line"]["dash"] for line in lines.values()}) == 3  # told apart without colours
    (threshold,) = figure["layout"]["shapes"]
    assert threshold["y0"] == threshold["y1"] == -3.0
    low, high = figure["layout"]["yaxis"]["range"]
    assert low < -9.0 < -3.0 < high


def test_the_reach_after_training_has_that_of_before_behind() -> None:
    figure = reach_chart(BEFORE, AFTER)
    Figure(figure)
    lines = {one["name"]: one for one in figure["data"] if "name" in one}
    assert lines["LSTM"]["y"][-1] == pytest.approx(0.25)
    assert lines["LSTM before training"]["y"][-1] == -2.0
    assert lines["LSTM before training"]["line"]["dash"] == "dot"
    assert "GRU" not in lines  # all of them overflowed
    assert lines["GRU before training"]["y"][-2:] == [-9.0, None]


@pytest.mark.parametrize("solved", [0.01, 0.0])
def test_the_losses_with_bands_and_levels(solved: float) -> None:
    figure = loss_chart(LEARNED, 0.167, solved, 2000)
    Figure(figure)
    lines = {one["name"]: one for one in figure["data"] if "name" in one}
    assert lines["LSTM"]["y"] == pytest.approx([math.log10(value) for value in (1.05, 0.2, 0.026)])
    assert lines["GRU"]["y"][-1] is None  # between a number and infinity
    assert lines["Elman"]["x"] == [0, 10, 1000]
    assert lines["best constant prediction, 0.167"]["y"] == [math.log10(0.167)] * 2
    assert ("solved below 0.01" in lines) == bool(solved)
    assert figure["layout"]["xaxis"]["range"] == [0, 2000]
    low, high = figure["layout"]["yaxis"]["range"]
    bands = [one for one in figure["data"] if "name" not in one]
    assert len(bands) == 4 * 3
    of_gru = [one["y"] for one in bands if one["legendgroup"] == "GRU"]
    for values, wanted in zip(of_gru, (0.0005, math.inf, math.inf, math.inf), strict=True):
        assert values[-1] == pytest.approx(min(high, math.log10(wanted)))
        assert all(low <= value <= high for value in values)
    assert f"median {power(0.026)}" in lines["LSTM"]["hovertext"][-1]
    assert f"update {thousands(1000)}" in lines["LSTM"]["hovertext"][-1]


def test_a_level_of_nothing_is_not_drawn() -> None:
    names = {one.get("name") for one in loss_chart(LEARNED, 0.0, 0.0, 10)["data"]} - {None}
    assert names == {"Elman", "LSTM", "GRU"}


def test_one_seed_has_no_band() -> None:
    one = {kind: Learned(UPDATES, of.losses[:1], of.solved[:1]) for kind, of in LEARNED.items()}
    assert [found["name"] for found in loss_chart(one, 0.1, 0.0, 10)["data"]][:3] == ["Elman", "LSTM", "GRU"]


def test_a_table_is_read_by_its_rows_and_nothing_in_it_is_markup() -> None:
    rows = [Row("a < b", [("1", ""), ("<b>2</b>", "& more")], "how 'so'"), Row("c", [("3", ""), ("", "small")])]
    table = ElementTree.fromstring(html_table("what", ["", "one", "two"], rows))
    assert table.get("aria-label") == "what"
    assert [head.text for head in table.findall("thead/tr/th")] == [None, "one", "two"]
    first, note, second = table.findall("tbody/tr")
    head = first.find("th")
    assert head is not None
    assert (head.text, head.get("scope")) == ("a < b", "row")
    assert ["".join(cell.itertext()).strip() for cell in first.findall("td")] == ["1", "<b>2</b> & more"]
    assert (note.findall("td")[0].text, note.findall("td")[0].get("colspan")) == ("how 'so'", "3")
    assert ["".join(cell.itertext()).strip() for cell in second.findall("td")] == ["3", "small"]
