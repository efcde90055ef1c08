"""The phase portrait on its page: nothing is sought while it is closed, and what cannot be sought is said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rnnviz.cache import RESULTS
from rnnviz.maths import Cell
from rnnviz.maths.dynamics.fixed_points import search_fixed_points
from rnnviz.network import build, network_of, run_network
from rnnviz.settings import Settings
from rnnviz.texts import say
from rnnviz.ui.cell_pages import phase
from tests.pages.driven import App


def pictures(app: App) -> list[dict[str, Any]]:
    """The figures on the page."""
    return [json.loads(chart.proto.spec) for chart in app.test.get("plotly_chart")]


def open_(**query: str) -> App:
    app = App(query)
    return app.unfold("phase")


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every search for fixed points, with nothing remembered of earlier ones."""
    found: list[object] = []

    def searched(cell: Cell, *args: Any, **kwargs: Any) -> Any:
        found.append(cell)
        return search_fixed_points(cell, *args, **kwargs)

    monkeypatch.setattr(phase, "search_fixed_points", searched)
    RESULTS.clear()
    return found


def test_closed_it_seeks_nothing(searches: list[object]) -> None:
    assert pictures(App({"preset": "chaotic"})) == []
    assert not searches


@pytest.mark.parametrize(
    "query",
    [
        {"preset": "counter"},
        {"preset": "random", "activation": "relu", "init": "identity"},
        {"preset": "random", "activation": "identity", "init": "identity"},
        {"preset": "random", "activation": "identity", "init": "identity", "input": "silence"},
        {"preset": "random", "activation": "relu", "init": "identity", "hidden_size": "2", "input": "silence"},
        {"preset": "random", "activation": "relu", "init": "identity", "hidden_size": "16", "input": "silence"},
        {"preset": "random", "init": "identity"},
        {"preset": "echo", "steps": "1"},
        {"preset": "saturated", "layers": "2", "layer": "2"},
    ],
    ids=lambda query: "-".join(query.values()),
)
@pytest.mark.parametrize("held", ["zero", "mean", "step"])
def test_lines_and_planes_of_fixed_points_break_nothing(query: dict[str, str], held: str) -> None:
    """Nor does a network without any, under whatever constant input, with all tables open."""
    app = open_(**query)
    app.test.selectbox(key="hidden_state phase.constant").select(held)
    app.run()
    for table in ("phase points", "phase path"):
        app.unfold(table)
    assert len(pictures(app)) == 1
    assert say("panel.failed") not in app.words


def test_one_unit_has_no_portrait() -> None:
    app = open_(preset="random", hidden_size="1")
    assert pictures(app) == []
    assert say("phase.one_unit") in app.text


def test_open_it_seeks_once_for_all_steps(searches: list[object]) -> None:
    app = open_(preset="oscillator", gain="1", t="5")
    assert len(pictures(app)) == 1
    assert len(searches) == 1
    app.load({"preset": "oscillator", "t": "6"})
    assert "step 6" in [part.get("name") for part in pictures(app)[0]["data"]]
    assert len(searches) == 1


def test_a_constant_input_that_overflows_is_said() -> None:
    app = open_(preset="random", hidden_size="2", x="1.7e308,0;1.7e308,0", init="zeros")
    assert len(pictures(app)) == 1
    app.test.selectbox(key="hidden_state phase.constant").select("mean")
    app.run()
    assert pictures(app) == []
    assert any("cannot be used" in said for said in app.words)


def test_an_error_that_nobody_foresaw_stays_in_the_fold(monkeypatch: pytest.MonkeyPatch) -> None:
    app = open_(preset="oscillator")
    monkeypatch.setattr(phase, "phase_portrait", lambda *_: 1 / 0)
    app.run()
    assert say("panel.failed") in app.words
    assert app.seen.header["steps"] == 36


def test_it_is_that_of_the_layer_shown() -> None:
    """Two layers of one network come to rest at places of their own; the upper one reads no input."""
    first, second = (open_(preset="random", layers="2", layer=layer) for layer in ("1", "2"))
    assert pictures(first)[0]["data"] != pictures(second)[0]["data"]
    said = say("phase.layer", layer=2, below=1)
    assert said not in first.text
    assert said in second.text


def test_all_sequences_are_a_table() -> None:
    app = App({"preset": "random", "sequences": "3"}).unfold("batch")
    (frame,) = app.test.dataframe
    traces = [layers[0] for layers in run_network(build(network_of(Settings("random").choose(sequences=3)))).traces]
    assert frame.value.columns[0] == "sequence"
    assert frame.value.iloc[:, 1:].to_numpy().tolist() == [trace.h[-1].tolist() for trace in traces]
