"""Clips and overflows in words and pictures: every number against the incident itself."""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

import numpy as np
import plotly.graph_objects
import pytest

from rnnviz import ElmanCell, Readout, make_cell
from rnnviz.learning.examples import Adding, NextNumber, Parity, Task
from rnnviz.learning.forensics import Forensics, forensics_of
from rnnviz.learning.incident import Incident
from rnnviz.learning.plan import Learner, Plan
from rnnviz.learning.training import _OwnData
from rnnviz.learning.worker import follow
from rnnviz.maths import Cell
from rnnviz.maths.initialisation import drawn_readout
from rnnviz.texts import say
from rnnviz.texts.en import TEXTS
from rnnviz.views.charts.forensics import forensics_figure, peaks
from rnnviz.views.sentences.forensics import (
    forensics_words,
    lead_words,
    names_of,
    network_words,
    networks_columns,
    weights_columns,
)
from tests.views.spoken import number, the_one, whole
from tests.views.written import four_digits, four_digits_power, says_share

KEYS = [
    key for key in TEXTS
    if key.startswith("forensics.") and TEXTS[key].endswith(".") and key not in ("forensics.title", "forensics.none")
]  # fmt: skip


def incidents_of(task: Task, cells: tuple[Cell, ...], updates: int = 12, **options: Any) -> list[Incident]:
    readout = Readout(*drawn_readout(task.output_size, cells[-1].hidden_size, [0, 1]))
    found: list[Incident] = []
    plan = Plan(task, (Learner(cells, readout),), updates, {"lr": 0.1, "batch_size": 4, **options})
    follow(plan, lambda word: found.append(word) if isinstance(word, Incident) else None, lambda: True)
    assert found
    return found


def of_linear(W_hh: float, W_ho: float, x: list[float], batch: int = 1, **options: Any) -> Forensics:
    """What ended a linear network of one unit."""
    shape = (batch, len(x) // batch, 1)
    data = _OwnData(np.reshape(x, shape), np.zeros(shape))
    cell = ElmanCell([[1.0]], [[W_hh]], [0.0], [0.0], activation="identity")
    found: list[Incident] = []
    plan = Plan(data, (Learner((cell,), Readout([[W_ho]], [0.0])),), 50, {"optimizer": "sgd", "lr": 0.1, **options})
    follow(plan, lambda word: found.append(word) if isinstance(word, Incident) else None, lambda: True)
    return forensics_of(found[-1])


def many() -> dict[str, Forensics]:
    lstm, gru = make_cell("lstm", 1, 3, seed=1), make_cell("gru", 3, 3, seed=2)
    exploding = (make_cell("elman", 1, 4, activation="identity", gain=2.0),)
    clipped = incidents_of(Adding(8), (make_cell("elman", 2, 4),), clip=0.3)
    rising = incidents_of(NextNumber(), (make_cell("elman", 1, 4),), 60, optimizer="sgd", lr=2.0, clip=1.0)
    found = {
        "first": clipped[0],
        "largest": clipped[-1],
        "stack": incidents_of(Parity(7), (lstm, gru), clip=0.01, truncation=3)[0],
        "one step": incidents_of(Parity(7), (lstm,), clip=0.01, truncation=1)[-1],
        "last chunk": incidents_of(Parity(7), (lstm,), clip=0.001, truncation=6, updates=2)[-1],
        "explosion": incidents_of(NextNumber(10.0), exploding, 400, optimizer="sgd", lr=0.05, batch_size=1)[-1],
        "too long": incidents_of(NextNumber(), (make_cell("elman", 1, 4),), 60, optimizer="sgd", lr=9.0, clip=1.0)[-1],
        "rising": next(one for one in rising if one.this.loss_after > one.this.update.loss),
    }
    return {name: forensics_of(one) for name, one in found.items()} | {
        "state": of_linear(1e200, 1.0, [1.0, 0.0, 0.0]),
        "output": of_linear(1e100, 1e150, [1.0, 0.0, 0.0]),
        "loss": of_linear(1e80, 1.0, [1.0, 0.0, 0.0]),
        "losses": of_linear(1.0, 1e154, [1.2, 0.0]),
        "batch": of_linear(0.0, 1e154, [1.2, 1.1], batch=2),
        "norm": of_linear(1e40, 1e-10, [1.0, 0.0, 0.0, 0.0]),
        "survived": of_linear(1e40, 1e-10, [1.0, 0.0, 0.0, 0.0], clip=1.0),
        "gradient": of_linear(1e60, 1e100, [1e-200, 0.0, 0.0, 0.0]),
        "weight": of_linear(0.0, 1.0, [1.3e154]),
        "one of two": of_linear(1e80, 1.0, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0], batch=2),
        "beyond": of_linear(1.0, 1e60, [1.0]),
    }


FOUND = many()


def said(found: Forensics) -> dict[str, dict[str, str]]:
    """The slots of all that is said, by key: nothing is said twice."""
    words = [lead_words(found), *chain.from_iterable(forensics_words(found).values())]
    pairs = [the_one(KEYS, one) for one in words]
    assert len({key for key, _ in pairs}) == len(pairs)
    return {key.removeprefix("forensics."): slots for key, slots in pairs}


@pytest.fixture(params=FOUND)
def found(request: pytest.FixtureRequest) -> Forensics:
    return FOUND[request.param]


def test_the_cases_are_what_they_are_called() -> None:
    leads = {name: next(iter(said(one))) for name, one in FOUND.items()}
    for name in ("state", "output", "loss", "losses", "batch", "gradient", "weight", "norm"):
        assert leads[name] == f"end.{name}"
    assert (leads["first"], leads["largest"]) == ("first", "largest")
    assert said(FOUND["loss"])["end.loss"]["step"] == "3"
    assert said(FOUND["gradient"])["end.gradient"]["step"] == "1"
    assert said(FOUND["weight"])["end.weight"]["weight"].startswith("W_ih[1, 1]")
    spoken = {key for one in FOUND.values() for key in said(one)}
    assert {
        "part",
        "part.one",
        "error.one",
        "contribution.none",
        "lost",
        "rose",
        "fell",
        "overshot",
        "growth",
    } <= spoken
    assert {"singular", "singular.same", "singular.only", "example", "example.beyond", "best"} <= spoken


def test_the_headline_has_the_numbers_of_the_update(found: Forensics) -> None:
    key, slots = next(iter(said(found).items()))
    update = found.incident.this.update
    assert slots["number"] == str(update.number)
    if key in ("first", "largest"):
        assert four_digits(slots["norm"], update.grad_norm)
        assert four_digits(slots["limit"], found.incident.limit or 0.0)
        assert four_digits(slots["factor"], (found.incident.limit or 0.0) / update.grad_norm)
    elif key == "end.norm":
        entries = [one.largest for one in found.incident.this.gradient]
        assert four_digits_power(slots["entry"].lstrip("−"), math.log10(max(map(abs, entries))))


def test_what_the_update_did_to_its_own_batch(found: Forensics) -> None:
    told, spoken = found.incident.told, said(found)
    before, after = told.update.loss, told.loss_after
    effect = [key for key in ("rose", "beyond", "fell", "same", "lost") if key in spoken]
    if math.isnan(after):
        assert effect == ["lost"]
    elif math.isfinite(before):
        expected = "beyond" if math.isinf(after) else "rose" if after > before else "fell" if after < before else "same"
        assert effect == [expected]
        for slot, value in (("before", before), ("after", after)):
            if slot in spoken[expected]:
                assert four_digits(spoken[expected][slot], value)
        assert ("overshot" in spoken) == (after > before and told.promised < 0.0)
        if "overshot" in spoken:
            assert four_digits(spoken["overshot"]["fall"], -told.promised)


def test_the_weights_that_are_named_are_those_of_the_networks(found: Forensics) -> None:
    spoken, told = said(found), found.incident.told
    key = "weight" if "weight" in spoken else "weight.lost"
    if key in spoken:
        slots = spoken[key]
        move = found.largest
        name, place = slots["weight"].split("]")[0].split("[")
        assert name == move.part.name
        assert tuple(int(one) - 1 for one in place.split(", ")) == move.part.place
        assert all(abs(one.part.largest) <= abs(move.part.largest) for one in found.moves)
        layer = told.network.cells[move.part.layer - 1] if move.part.layer else None
        array = getattr(layer, name) if layer else {"W_ho": told.network.readout.W, "b_o": told.network.readout.b}[name]
        assert four_digits(slots["before"], float(array[move.part.place]))
        assert ("readout" in slots["weight"]) == (move.part.layer == 0)
        assert ("layer" in slots["weight"]) == (move.part.layer > 0 and len(told.network.cells) > 1)
        assert four_digits(slots["gradient"], move.part.largest)
    if "share" in spoken:
        assert says_share(spoken["share"]["share"], max(one.share for one in found.moves))


def test_the_singular_value_is_that_of_the_named_block(found: Forensics) -> None:
    spoken = said(found)
    (key,) = [one for one in ("singular", "singular.same", "singular.only") if one in spoken]
    slots = spoken[key]
    name = slots["matrix"]
    (before, after), *others = [
        pair for pair in found.blocks
        if (not pair[0].gate or f"block {pair[0].gate}" in name)
        and (len(found.incident.this.network.cells) == 1 or name.endswith(f"layer {pair[0].layer}"))
    ]  # fmt: skip
    assert not others
    assert four_digits(slots["before"], before.sigma)
    assert four_digits(slots["radius"], before.radius)
    assert (after is None) == (key == "singular.only")
    if key == "singular" and after is not None:
        assert four_digits(slots["after"], after.sigma)
        assert four_digits(slots["radius_after"], after.radius)


def test_the_step_that_is_named_is_the_largest(found: Forensics) -> None:
    spoken, seen = said(found), found.seen
    if seen is None:
        assert not {"error", "error.one", "contribution", "contribution.one", "stretch"} & set(spoken)
        return
    here, steps = seen.layers[found.layer], found.steps
    key = "error.one" if len(steps) == 1 else "error"
    if key in spoken:
        place = steps.index(int(spoken[key]["step"]))
        assert here.errors[place] == here.errors.max()
        assert four_digits_power(spoken[key]["error"].rstrip("."), float(here.errors.max()))
        assert spoken[key]["network"] == network_words(seen.updates)
    if "contribution" in spoken:
        slots = spoken["contribution"]
        place = steps.index(int(slots["step"]))
        assert here.contributions[place] == here.contributions.max()
        assert four_digits_power(slots["part"], float(here.contributions.max()))
        assert four_digits_power(slots["total"], here.total)
        assert slots["steps"] == str(len(steps))
    if "stretch" in spoken:
        assert four_digits_power(spoken["stretch"]["most"], float(here.stretches.max()))
        assert four_digits_power(spoken["stretch"]["product"], here.product)
    example = found.incident.example
    assert ("part" in spoken or "part.one" in spoken) == (len(steps) < example.of)
    assert ("example" in spoken or "example.beyond" in spoken) == (found.incident.batch > 1)


def test_growth_and_best_are_those_of_the_run() -> None:
    found = FOUND["explosion"]
    spoken, finite = said(found), [one for one in found.incident.history if one.finite]
    slots = spoken["growth"]
    assert (int(slots["first"]), int(slots["last"])) == (finite[0].number, finite[-1].number)
    ratio = (finite[-1].grad_norm / finite[0].grad_norm) ** (1.0 / int(slots["count"]))
    assert four_digits(slots["ratio"], ratio)
    assert int(spoken["best"]["number"]) < found.incident.this.update.number
    assert "growth" not in said(FOUND["state"])


def test_the_figure_shows_the_readings(found: Forensics) -> None:
    norms = course(found)
    drawn = forensics_figure(found, np.append(norms, 1e9))
    plotly.graph_objects.Figure(drawn)
    history, *lines = drawn["data"]
    for value, norm in zip(history["y"], norms, strict=True):
        assert (value is None) == (not 0 < norm < math.inf)
        assert value is None or value == pytest.approx(math.log10(norm))
    turns = found.incident.kind == "end" and found.incident.best.number > 0
    assert len(drawn["layout"]["shapes"]) == 1 + (found.incident.limit is not None) + turns
    readings = [one for one in found.readings if one.layers]
    if len(found.steps) == 1:
        error, gradient = lines
        assert error["x"] == gradient["x"] == [one.updates for one in readings]
        _same(error["y"], [one.layers[found.layer].errors[0] for one in readings])
        _same(gradient["y"], [one.layers[found.layer].total for one in readings])
        return
    assert len(lines) == 2 * len(readings)
    assert [line["name"] for line in lines] == 2 * [network_words(one.updates) for one in readings]
    for line, (values, axes) in zip(
        lines,
        [(one.layers[found.layer].errors, "x2") for one in readings]
        + [(one.layers[found.layer].contributions, "x3") for one in readings],
        strict=True,
    ):
        assert (line["x"], line["xaxis"]) == (list(found.steps), axes)
        _same(line["y"], values)
    assert len({line["line"]["dash"] for line in lines}) == len(readings)


def course(found: Forensics) -> np.ndarray:
    """A gradient norm for each update up to an incident, its last ones as they were."""
    norms = np.ones(found.incident.this.update.number)
    for one in found.incident.history:
        norms[one.number - 1] = one.grad_norm
    return norms


def test_a_long_course_keeps_its_peaks() -> None:
    """Also where it has more updates than pixels; what has overflowed is a gap at its place."""
    values = np.random.default_rng(0).uniform(size=9000)
    values[4321], values[-1] = 50.0, np.nan
    at, shown = peaks(values)
    assert len(at) <= 400
    assert values.max(where=np.isfinite(values), initial=0) == shown[at.index(4322)]
    assert at[-1] == 9000
    assert np.isnan(shown[-1])
    np.testing.assert_array_equal(shown, values[np.array(at) - 1])
    assert peaks(values[:1]) == ([1], values[:1])


def _same(drawn: list[float | None], values: Any) -> None:
    np.testing.assert_array_equal([-math.inf if one is None else one for one in drawn], np.asarray(values))


def test_the_tables_have_a_row_for_each_array_and_a_column_for_each_network(found: Forensics) -> None:
    weights = weights_columns(found)
    assert {len(column) for column in weights.values()} == {len(found.moves)}
    for text, move in zip(weights[say("forensics.column.before")], found.moves, strict=True):
        assert four_digits(str(text), move.before)
    networks = networks_columns(found)
    assert {len(column) for column in networks.values()} == {len(networks[say("forensics.column.quantity")])}
    assert list(networks)[1:] == [network_words(one.updates) for one in found.readings]
    rows = list(networks[say("forensics.column.quantity")])
    for reading in found.readings:
        column = networks[network_words(reading.updates)]
        for block in reading.blocks:
            gate, layer = f"block {block.gate}", f"layer {block.layer}"
            (row,) = [
                place for place, row in enumerate(rows)
                if str(row).startswith("largest singular value of W_hh") and (not block.gate or gate in str(row))
                and (len(found.incident.this.network.cells) == 1 or layer in str(row))
            ]  # fmt: skip
            assert four_digits(str(column[row]), block.sigma)


def test_each_incident_has_a_name_of_its_own() -> None:
    one, other = FOUND["first"].incident, FOUND["largest"].incident
    names = names_of([one, other])
    assert [
        whole(f"forensics.kind.{kind}", name)["name"] for kind, name in zip(("first", "largest"), names, strict=True)
    ] == [say("step_one.cell.elman")] * 2
    two = [one, type(one)(**{**vars(other), "learner": 4})]
    assert names_of(two)[1].startswith(f"{say('step_one.cell.elman')} 5:")
    assert names_of([]) == []


def test_numbers_on_the_screen_are_numbers(found: Forensics) -> None:
    for key, slots in said(found).items():
        for slot, text in slots.items():
            if slot in ("norm", "limit", "before", "after", "loss", "error", "part", "total", "radius"):
                assert not math.isnan(number(text.rstrip("."))), (key, slot)
