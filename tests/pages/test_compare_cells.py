"""The page that compares cells: numbers at once, its address, what it refuses, and a run from Train to its table."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.random import RandomState

from rnnviz import run as run_cell
from rnnviz import step_jacobians
from rnnviz.learning.examples import Parity
from rnnviz.learning.jobs import JOBS
from rnnviz.learning.training import TESTED
from rnnviz.maths import Cell
from rnnviz.maths.checks import Array
from rnnviz.maths.step_costs import parameter_count
from rnnviz.texts import say
from rnnviz.ui.compare_cells import numbers
from rnnviz.ui.compare_cells.state import ComparisonState
from rnnviz.views.numbers import thousands
from tests.pages.driven import App

PAGE = "compare_cells"
SMALL = {"task": "parity", "hidden_size": "4", "steps": "6", "updates": "30", "seeds": "2", "batch_size": "8"}
PATIENCE = 60.0


@pytest.fixture(autouse=True, scope="module")
def no_workers_left() -> Iterator[None]:
    yield
    JOBS.close()


def state_of(app: App) -> ComparisonState:
    state: ComparisonState = app.test.session_state[f"state of {PAGE}"]
    return state


def table(app: App) -> str:
    """The first of the page's tables, as it reads."""
    return app.text.split("A tutorial on Elman networks")[0]


def norms_one_by_one(cell: Cell, x: Array) -> list[float]:
    """||ds_T/ds_k|| for k = 0..T: the largest singular value of the product of the Jacobians, multiplied out."""
    jacobians = step_jacobians(run_cell(cell, x))
    product, norms = np.eye(cell.state_size), [1.0]
    for J in jacobians[::-1]:
        product = product @ J
        norms.append(float(np.linalg.svd(product, compute_uv=False)[0]))
    return norms[::-1]


def test_the_costs_stand_there_at_once() -> None:
    app = App(page=PAGE)
    for kind in ("elman", "lstm", "gru"):
        assert thousands(parameter_count(kind, 2, 32, output_size=1)) in table(app)
    assert "press Train" in table(app)
    assert "press Measure time" in table(app)
    (shown,) = [node for node in app.test.get("plotly_chart") if node.key == f"{PAGE} reach"]
    assert "LSTM" in shown.proto.spec
    assert app.address == {}


def test_equal_parameters_choose_sizes() -> None:
    app = App(page=PAGE).set("sizing", "parameters")
    assert app.address == {"sizing": "parameters"}
    assert "Elman 1,185 (H = 32), LSTM 1,156 (H = 15), GRU 1,207 (H = 18)" in app.text


@pytest.mark.parametrize(
    "query",
    [
        {"preset": "copy"}, {"preset": "parity", "seeds": "1", "sizing": "parameters"}, SMALL,
        {"task": "next_number", "largest": "10"}, {"layers": "3", "init": "chrono", "start": "learned"},
        {"task": "series", "steps": "3", "series": ";".join(str(t % 7) for t in range(40))},
    ],
)  # fmt: skip
def test_an_address_opens_what_it_says_and_stays(query: dict[str, str]) -> None:
    app = App(query, page=PAGE)
    assert app.words == []
    assert set(app.address) == set(query)
    again = App(app.address, page=PAGE)
    assert state_of(again).settings == state_of(app).settings
    assert again.address == app.address


def test_what_it_has_not_is_named() -> None:
    app = App({"cells": "lstm", "seeds": "9", "lr": "0"}, page=PAGE)
    said = " ".join(app.words)
    for part in ("cells = lstm", "seeds = 9", "lr = 0", "1 to 8"):
        assert part in said
    assert app.address == {}


def test_a_series_is_asked_for_typed_and_refused() -> None:
    app = App(page=PAGE).set("task", "series")
    assert say("compare.series") in [info.value for info in app.test.info]
    app.set("series", "1\n2\n3")
    assert "3 rows; at least 11 are needed" in " ".join(app.words)
    app.set("steps field", 3.0)
    app.set("series", "\n".join(str(t % 7) for t in range(40)))
    assert app.words == []
    assert state_of(app).settings.recipe.series[:2] == ((0.0,), (1.0,))
    assert "Solved" not in table(app)  # no level belongs to a series of one's own
    app.set("steps field", 30.0)
    assert "windows of 30 steps need at least 151" in " ".join(app.words)
    assert state_of(app).settings.recipe.steps == 3


def test_time_is_measured_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    app = App(SMALL, page=PAGE)
    app.press("measure")
    seconds = state_of(app).seconds
    assert min(seconds.values()) > 0
    assert "press Measure time" not in table(app)
    assert app.text.count("× 1 ") >= 2
    app.set("hidden_size", 5)  # of other networks it says nothing
    assert "press Measure time" in table(app)


def test_large_networks_are_followed_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    work = numbers.facts_of(state_of(App(SMALL, page=PAGE)).settings).work
    monkeypatch.setattr("rnnviz.ui.compare_cells.page.MOST_WORK", work / 2)
    app = App(SMALL, page=PAGE)
    assert app.test.get("plotly_chart") == []
    app.press("reach compute")
    assert len(app.test.get("plotly_chart")) == 1


def test_a_run_from_train_to_its_table() -> None:
    app = App(SMALL, page=PAGE)
    app.press("train")
    run, settings = state_of(app).run, state_of(app).settings
    assert run is not None
    assert len(run.lanes) == 6
    assert app.control("train").disabled
    end = time.monotonic() + PATIENCE
    while not run.is_over:
        assert time.monotonic() < end
        app.load(app.address)
        time.sleep(0.1)
    app.load(app.address)
    assert (run.state, run.reason) == ("done", None)
    assert [bar.proto.text for bar in app.test.get("progress")] == ["6 networks. 30 of 30 updates done."]
    assert "press Train" not in app.text
    assert "after 30 updates" in app.text
    results = state_of(app).results
    assert results is not None
    assert results.decays is not None
    for kind, one in results.learned.items():
        assert one.losses.shape[0] == 2
        assert one.updates[-1] == 30
        assert len(results.decays[kind].norms) == 2
    for place, learner in enumerate(run.plan.learners):
        kind, last = learner.cells[0].kind, run.lanes[place].checkpoints[-1]
        assert last.update == 30
        x = Parity(6).draw(TESTED, RandomState([learner.seed, 3])).x[0]
        for cell, decays in ((last.cells[0], results.decays), (learner.cells[0], numbers.decays_of(settings))):
            norms = norms_one_by_one(cell, x)
            np.testing.assert_allclose(10.0 ** decays[kind].norms[place // 3], norms, rtol=1e-9)
            furthest = max(back for back, norm in enumerate(norms[::-1]) if norm >= 1e-3)
            assert decays[kind].reach[place // 3] == furthest
    keys = {node.key for node in app.test.get("plotly_chart")}
    assert {f"{PAGE} reach", f"{PAGE} loss chart"} <= keys
    for fold in ("gates", "losses", "counted"):
        app.unfold(fold)
    assert app.words == []
    again = App(app.address, page=PAGE)  # as after a reload
    assert state_of(again).run is run
    assert "press Train" not in table(again)
    app.unfold("how")
    app.set("lr", 0.5)  # the results belong to other settings
    assert "press Train" in table(app)
    assert say("compare.changed") in [info.value for info in app.test.info]
    app.set("lr", settings.recipe.lr)
    assert "press Train" not in table(app)


def test_a_run_pauses_goes_on_and_stops() -> None:
    app = App({**SMALL, "updates": "20000"}, page=PAGE)
    app.press("train")
    run = state_of(app).run
    assert run is not None
    end = time.monotonic() + PATIENCE
    while run.state != "running" or not all(lane.updates for lane in run.lanes):
        assert time.monotonic() < end
        app.load(app.address)
        time.sleep(0.1)
    app.load(app.address)
    guest = App(app.address, page=PAGE)  # who only watches a run does not end it
    assert state_of(guest).run is run
    guest.set("lr", 0.5)
    time.sleep(0.5)
    assert run.state == "running"
    app.press("pause")
    assert run.state == "paused"
    app.press("play")
    assert run.state == "running"
    app.press("stop")
    while not run.is_over:
        assert time.monotonic() < end
        time.sleep(0.05)
    app.load(app.address)
    assert run.state == "stopped"
    assert not app.control("train").disabled
    results = state_of(app).results
    assert results is not None
    assert {int(one.updates[-1]) for one in results.learned.values()} == {results.updates}


def test_an_error_in_one_part_leaves_the_rest_and_a_way_on(monkeypatch: pytest.MonkeyPatch) -> None:
    app = App({"preset": "parity", "seeds": "1"}, page=PAGE)
    with monkeypatch.context() as patch:
        patch.setattr("rnnviz.ui.compare_cells.page.notice", None)
        app.load(app.address)
        assert app.words == [say("panel.failed")]
        assert "tutorial" in app.text
        app.press("numbers reset")
    app.load(app.address)
    assert app.address == {}
    assert app.words == []
