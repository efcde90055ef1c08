"""All pages on weights that no setting draws: torch's own modules, put into the store."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from rnnviz import make_cell
from rnnviz.network import build, edited_arrays, network_of, run_network, values_of
from rnnviz.settings import Settings, to_json
from rnnviz.ui.gradient_flow import page as gradient
from rnnviz.weights import STORE, StoredNetwork
from tests.pages.driven import App
from tests.weights.test_network import modules, of_modules, stored
from tests.weights.test_store import stacked

PAGES = {"elman": "hidden_state", "lstm": "lstm_gates", "gru": "gru_gates"}


@pytest.fixture
def settings() -> Settings:
    return stored(of_modules(*modules()))


def query_of(settings: Settings, **more: str) -> dict[str, str]:
    return {"weights": settings.weights, **more}


@pytest.mark.parametrize("layer", [1, 2])
def test_the_page_of_the_cell_shows_torchs_numbers(settings: Settings, layer: int) -> None:
    app = App(query_of(settings, layer=str(layer)), "lstm_gates")
    assert app.words == []
    trace = run_network(build(network_of(settings))).batch[0][layer - 1].trace
    shown = app.seen.arrays
    assert any(array.shape == trace.h.shape and np.array_equal(array, trace.h) for array in shown.values())
    assert app.address["weights"] == settings.weights
    assert app.control("hidden_size").value == trace.cell.hidden_size


@pytest.mark.parametrize("page", ["gradient_flow", "bptt_rtrl"])
def test_the_pages_of_several_cells_open_on_it(settings: Settings, page: str) -> None:
    app = App(query_of(settings, cell="lstm"), page)
    assert app.words == []
    assert app.address["weights"] == settings.weights
    if page == "gradient_flow":
        app.set("block", "c")
    else:
        app.set("delay", 0)
    assert app.address["weights"] == settings.weights


@pytest.mark.parametrize("kind", PAGES)
def test_layers_of_different_sizes_open_on_every_page(kind: str) -> None:
    settings = stored(stacked(kind, sizes=(3, 5, 2)))
    for page in (PAGES[kind], "gradient_flow", "bptt_rtrl"):
        cell = {"cell": kind} if page in ("gradient_flow", "bptt_rtrl") else {}
        for layer in "12":
            app = App(query_of(settings, layer=layer, **cell), page)
            assert app.words == []
            assert app.address["weights"] == settings.weights


def test_512_units_and_100_inputs_open() -> None:
    settings = stored(StoredNetwork((make_cell("elman", 100, 512),)), steps=4)
    app = App(query_of(settings, steps="4"), "hidden_state")
    assert app.words == []
    assert app.control("hidden_size").value == 512
    app.set("seed", 1)
    assert "weights" not in app.address
    assert app.control("hidden_size").value == 64


def test_gradients_of_many_units_wait_until_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = stored(StoredNetwork((make_cell("elman", 2, 512),)), steps=40)
    app = App(query_of(settings, steps="40"), "gradient_flow")
    assert app.words == []
    assert any("512 hidden units" in said.value for said in app.test.caption)
    small = App(query_of(stored(StoredNetwork((make_cell("elman", 2, 8),)))), "gradient_flow")
    monkeypatch.setattr(gradient, "_MOST_WORK", 0.0)
    small.run()
    small.press("flow compute")
    assert len(small.chart().header["curves"]) >= 3


def test_another_size_draws_weights_and_undo_brings_the_stored_ones_back(settings: Settings) -> None:
    app = App(query_of(settings), "lstm_gates").set("hidden_size", 4)
    assert "weights" not in app.address
    assert any("Undo brings them back" in note.value for note in app.test.info)
    app.send({"seq": 1, "set": [], "undo": True})
    assert app.address["weights"] == settings.weights


def test_missing_weights_are_said_until_their_file_is_opened(settings: Settings) -> None:
    edited = settings.edit({})
    file = to_json(edited, edited_arrays(network_of(edited)), STORE.get(settings.weights))
    STORE.clear()
    app = App(query_of(settings), "lstm_gates")
    (said,) = app.words
    assert settings.weights in said
    assert app.address["weights"] == settings.weights
    app.set("steps", 5)
    assert app.words == [said]
    app.upload(file.encode())
    assert app.words == []
    assert app.address["weights"] == settings.weights
    assert STORE.get(settings.weights) is not None


def test_weights_that_come_by_another_way_are_taken_at_the_next_run(settings: Settings) -> None:
    network = STORE.get(settings.weights)
    assert network is not None
    STORE.clear()
    app = App(query_of(settings, steps="5"), "lstm_gates")
    assert len(app.words) == 1
    STORE.put(network)
    app.run()
    assert app.words == []
    assert app.control("hidden_size").value == values_of(settings)["hidden_size"]
    STORE.clear()
    app.run()
    assert len(app.words) == 1


@pytest.mark.parametrize("change", ["weights", "network"])
def test_a_file_that_does_not_hold_what_it_names_is_refused(settings: Settings, change: str) -> None:
    content = json.loads(to_json(settings, None, STORE.get(settings.weights)))
    content[change] = "f" * 20 if change == "weights" else "nonsense!"
    app = App({}, "lstm_gates").upload(json.dumps(content).encode())
    (said,) = app.words
    assert "does not contain them" in said if change == "weights" else "“network” cannot be read" in said


def test_weights_of_another_cell_are_named(settings: Settings) -> None:
    app = App(query_of(replace(settings, kind="gru")), "gru_gates")
    (said,) = app.words
    assert "an LSTM" in said
