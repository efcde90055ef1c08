"""The gate pages driven without a browser: what acts on the gates, the ledger, the forms, files and addresses."""

from __future__ import annotations

import numpy as np
import pytest

from rnnviz import Clamp, make_cell, memory_ledger, run
from rnnviz.presets import PRESETS
from rnnviz.settings import Settings, from_json, to_json
from rnnviz.texts import say
from tests.pages.driven import App
from tests.pages.test_controls import same

LSTM, GRU = "lstm_gates", "gru_gates"


def markdown(app: App) -> str:
    """Everything that is said below the explorer."""
    return "\n".join(said.value for said in app.test.markdown)


@pytest.mark.parametrize(
    ("page", "preset"), [(page, name) for page, kind in ((LSTM, "lstm"), (GRU, "gru")) for name in PRESETS[kind]]
)
def test_every_preset_opens_by_its_name_and_shows_its_fact(page: str, preset: str) -> None:
    app = App({"preset": preset}, page)
    assert app.words == []
    assert app.control("preset").value == preset
    assert app.seen.header["fact"]
    assert "No unit" not in app.seen.header["fact"]
    first = next(iter(PRESETS[app.seen.header["kind"]]))
    assert app.address == ({} if preset == first else {"preset": preset})


@pytest.mark.parametrize("preset", PRESETS["lstm"])
def test_own_sequences_and_text_run_on_every_preset(preset: str) -> None:
    """The weights give way where their sizes do not fit, and the page says so."""
    app = App({"preset": preset, "input": "text", "text": "abcab"}, LSTM)
    assert app.seen.header["steps"] == 5
    assert app.seen.arrays["x"].shape == (5, 3)
    own = App({"preset": preset, "x": "0.5,1;0.25,0;0,0"}, LSTM)
    assert own.seen.arrays["x"].tolist() == [[0.5, 1.0], [0.25, 0.0], [0.0, 0.0]]
    stack = App({"preset": preset, "layers": "2", "layer": "2"}, LSTM)
    assert stack.words == []
    assert [level["sup"] for level in stack.seen.header["graph"] or []][:3] in ([], ["", "(1)", "(2)"])


def test_a_bias_slider_raises_its_gate_and_stands_in_the_address() -> None:
    app = App({"preset": "random"}, LSTM)
    before = app.seen.arrays["b_ih"]
    app.set("bias_f", 1.5)
    assert np.array_equal(app.seen.arrays["b_ih"], before + np.repeat([0, 1.5, 0, 0], 3))
    assert app.address == {"preset": "random", "bias_f": "1.5"}
    assert same(App(app.address, LSTM).seen, app.seen)


def test_a_gate_is_held_for_a_unit_from_a_step_on() -> None:
    app = App({"preset": "random"}, LSTM)
    app.set("hold f", "shut").set("hold unit", 1).set("hold step", 3)
    assert app.address == {"preset": "random", "clamp": "f.2:0@3"}
    cell = make_cell("lstm", 2, 3)
    trace = run(cell, app.seen.arrays["x"], clamp=[Clamp("f", 0.0, 1, 3)])
    assert np.array_equal(app.seen.arrays["c"], trace.c)
    assert say("ledger.memory.free", symbol="c", unit=1) in markdown(app)
    app.set("hold i", "half")
    assert app.address["clamp"] == "f.2:0@3;i.2:0.5@3"
    app.set("hold f", "computed").set("hold i", "computed")
    assert app.address == {"preset": "random"}


def test_a_value_between_from_an_address_is_shown_and_kept() -> None:
    app = App({"preset": "random", "clamp": "o:0.25"}, LSTM)
    assert app.words == []
    assert app.control("hold o").value == "value"
    app.set("hold i", "open")
    assert app.address["clamp"] == "o:0.25;i:1"


@pytest.mark.parametrize(
    ("page", "query", "lost"),
    [
        (LSTM, {"clamp": "q:1"}, "clamp"),
        (LSTM, {"clamp": "f:2"}, "clamp"),
        (LSTM, {"clamp": "f.9:1"}, "clamp"),
        (LSTM, {"reset": "before"}, "reset"),
        (LSTM, {"activation": "relu"}, "activation"),
        (LSTM, {"notation": "row"}, "notation"),
        (LSTM, {"preset": "echo"}, "preset"),
        (LSTM, {"bias_f": "99"}, "bias_f"),
        (LSTM, {"c0": "1,2"}, "c0"),
        (GRU, {"c0": "1"}, "c0"),
        (GRU, {"bias_f": "1"}, "bias_f"),
        ("hidden_state", {"clamp": "f:1"}, "clamp"),
        ("hidden_state", {"init": "chrono"}, "init"),
    ],
)
def test_what_a_page_lacks_is_named_and_left_out(page: str, query: dict[str, str], lost: str) -> None:
    app = App({"preset": "random"} | query, page) if "preset" not in query else App(query, page)
    assert any(lost in said for said in app.words)
    assert lost not in app.address


def test_the_ledger_is_that_of_the_step_and_unit_chosen() -> None:
    app = App({"preset": "random", "t": "4"}, LSTM)
    trace = run(make_cell("lstm", 2, 3), app.seen.arrays["x"])
    assert trace.c is not None
    assert "c of unit 1 at step 8" in markdown(app)
    app.set("ledger.unit", 2).set("ledger.at", "shown")
    assert "c of unit 3 at step 4" in markdown(app)
    ledger = memory_ledger(trace, 4)
    step = int(np.abs(ledger.writes[:, 2]).argmax()) + 1
    assert f"of the write of step {step}" in markdown(app)
    app.set("hidden_size", 2)  # unit 3 is gone
    assert "c of unit 1 at step 4" in markdown(app)


def test_another_form_is_computed_with_the_same_weights() -> None:
    app = App({"preset": "random"}, GRU)
    app.control("forms other")
    assert say("forms.form", reset=say("forms.reset.after"), update=say("forms.update.keep")) in markdown(app)
    app.set("reset", "before").set("update", "write")
    assert app.address == {"preset": "random", "reset": "before", "update": "write"}
    cell = make_cell("gru", 2, 3, reset="before", update="write")
    assert np.array_equal(app.seen.arrays["h"], run(cell, app.seen.arrays["x"]).h)


def test_an_edit_of_c0_comes_from_the_explorer() -> None:
    app = App({"preset": "random"}, LSTM)
    app.send({"seq": 1, "set": [["c0", [1], 0.75]]})
    assert app.address == {"preset": "random", "c0.2": "0.75"}
    assert app.seen.arrays["c"][0].tolist() == [0.0, 0.75, 0.0]


def test_a_file_opens_on_the_page_of_its_kind() -> None:
    settings = Settings("random", kind="lstm", clamps=((1, Clamp("f", 1.0, 0, 2)),)).choose(bias_i=2.0)
    assert from_json(to_json(settings), PRESETS["lstm"], "lstm") == settings
    with pytest.raises(ValueError, match="kind"):
        from_json(to_json(settings), PRESETS["gru"], "gru")


def test_each_page_keeps_its_own_network() -> None:
    app = App({"preset": "random", "hidden_size": "5"}, LSTM)
    app.go(GRU)
    assert app.seen.header["kind"] == "gru"
    assert app.seen.arrays["h"].shape[1] != 5
    app.go(LSTM)
    assert app.seen.arrays["W_hh"].shape == (20, 5)
