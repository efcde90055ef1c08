"""The gate pages driven without a browser: what acts on the gates, the ledger, the forms, files and addresses."""

from __future__ import annotations

import json
import math
import re
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest

from rnnviz import Clamp, make_cell, memory_ledger, memory_paths, run
from rnnviz.presets import PRESETS
from rnnviz.settings import Settings, from_json, to_json
from rnnviz.texts import say
from tests.pages.driven import App
from tests.pages.test_controls import same

LSTM, GRU = "lstm_gates", "gru_gates"


def markdown(app: App) -> str:
    """Everything that is said below the explorer."""
    return "\n".join(said.value for said in app.test.markdown)


def chart(app: App, name: str) -> dict[str, Any]:
    """The Plotly figure of a fold, by the fold's key."""
    found = [one.proto for one in app.test.get("plotly_chart") if one.proto.id.endswith(f"-{app.page} {name} chart")]
    (one,) = found
    figure: dict[str, Any] = json.loads(one.spec)
    return figure


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
    levels = dict.fromkeys(level["sup"] for level in stack.seen.header["graph"] or [])  # an LSTM has h and c
    assert list(levels)[:3] in ([], ["", "(1)", "(2)"])


def test_a_bias_slider_raises_its_gate_and_stands_in_the_address() -> None:
    app = App({"preset": "random"}, LSTM)
    before = app.seen.arrays["b_ih"]
    app.set("bias_f", 1.5)
    assert np.array_equal(app.seen.arrays["b_ih"], before + np.repeat([0, 1.5, 0, 0], 3))
    assert app.address == {"preset": "random", "bias_f": "1.5"}
    assert same(App(app.address, LSTM).seen, app.seen)


def test_a_gate_is_clamped_for_a_unit_from_a_step_on() -> None:
    app = App({"preset": "random"}, LSTM)
    app.unfold("ledger").set("clamp f", "closed").set("clamp unit", 1).set("clamp step", 3)
    assert app.address == {"preset": "random", "clamp": "f.2:0@3"}
    cell = make_cell("lstm", 2, 3)
    trace = run(cell, app.seen.arrays["x"], clamp=[Clamp("f", 0.0, 1, 3)])
    assert np.array_equal(app.seen.arrays["c"], trace.c)
    names = [line["name"] for line in chart(app, "ledger")["data"][1:]]
    assert say("ledger.curve.memory", symbol="c", gates=say("ledger.gates.free")) in names
    app.set("clamp i", "half")
    assert app.address["clamp"] == "f.2:0@3;i.2:0.5@3"
    app.set("clamp step field", 99)
    assert app.words == ["“Clamp from step” takes a whole number from 1 to 8. 99 was changed to 8."]
    assert app.address["clamp"] == "f.2:0@8;i.2:0.5@8"
    app.set("clamp step field", 3)
    assert app.words == []
    assert app.address["clamp"] == "f.2:0@3;i.2:0.5@3"
    app.set("clamp f", "computed").set("clamp i", "computed")
    assert app.address == {"preset": "random"}
    assert len(chart(app, "ledger")["data"]) == 4


@pytest.mark.parametrize(
    ("query", "control", "value", "notes"),
    [
        (
            {"clamp": "f.3:1"},
            "hidden_size",
            2,
            ["gate f in unit 3 was removed, because"],
        ),
        ({"clamp": "f:1@6;o.2:0@8;i:0"}, "steps", 5, ["gate f from step 6 on was removed", "gate o from step 8 on"]),
        ({"clamp": "2.f:1;f:1", "layers": "2"}, "layers", 1, ["gate f in layer 2 was removed"]),
        ({"clamp": "f:1"}, "hidden_size", 2, []),
    ],
)
def test_a_clamp_whose_place_is_gone_is_named(
    query: dict[str, str], control: str, value: int, notes: list[str]
) -> None:
    app = App({"preset": "random", **query}, LSTM).set(control, value)
    said = " ".join(note.value for note in app.test.info)
    assert said.count("The clamp of ") == len(notes)
    assert all(note in said for note in notes)


def test_the_change_that_the_ledger_follows_is_dragged_or_typed() -> None:
    app = App({"preset": "random"}, LSTM)
    for control, k in (("ledger.from", 5), ("ledger.from field", 2)):
        app.set(control, k)
        assert app.control("ledger.from").value == app.control("ledger.from field").value == k
        assert f"c at step 8 with respect to c at step {k} is" in app.text
    assert not App({"preset": "random", "steps": "1"}, LSTM).unfold("ledger")._controls("ledger.from")


def test_a_value_between_from_an_address_is_shown_and_kept() -> None:
    app = App({"preset": "random", "clamp": "o:0.25"}, LSTM)
    assert app.words == []
    assert app.control("clamp o").value == "value"
    app.set("clamp i", "open")
    assert app.address["clamp"] == "o:0.25;i:1"
    app.set("clamp o to", 0.5)
    assert app.address["clamp"] == "i:1;o:0.5"


def test_the_run_with_clamps_and_the_one_without_are_each_taken_apart() -> None:
    app = App({"preset": "random", "clamp": "f:0.5@2"}, LSTM)
    x = app.seen.arrays["x"]
    for choice, clamps in (("clamped", [Clamp("f", 0.5, None, 2)]), ("free", [])):
        app.set("ledger.gates", choice)
        trace = run(make_cell("lstm", 2, 3), x, clamp=clamps)
        unit = app.control("ledger.unit").value
        assert chart(app, "ledger")["data"][0]["y"][1:] == memory_ledger(trace).writes[:, unit].tolist()
        assert chart(app, "ledger")["data"][2]["y"] == memory_paths(trace, unit).every.tolist()


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


@pytest.mark.parametrize(
    ("page", "preset", "unit", "step"),
    [
        (LSTM, "latch", 0, 3), (GRU, "latch", 0, 3), (LSTM, "copy_forever", 0, 0), (LSTM, "bracket_depth", 1, 20),
        (GRU, "parity", 0, 8), (LSTM, "binary_counter", 0, 12), (LSTM, "random", 2, 0), (GRU, "random", 1, 0),
    ],
)  # fmt: skip
def test_the_ledger_opens_with_what_the_fact_speaks_of(page: str, preset: str, unit: int, step: int) -> None:
    app = App({"preset": preset}, page)
    assert (app.control("ledger.unit").value, app.control("ledger.from").value) == (unit, step)


def test_the_ledger_follows_the_fact_and_else_keeps_what_was_chosen() -> None:
    app = App({}, LSTM)
    app.set("ledger.unit", 1).set("ledger.from", 40)
    app.set("bias_i", 0.5)  # the fact still speaks of unit 1 and step 3
    assert (app.control("ledger.unit").value, app.control("ledger.from").value) == (1, 40)
    app.send({"seq": 1, "set": [["x", [2, 1], 0.0], ["x", [59, 1], 1.0]]})  # another step is marked
    assert "Step 60" in app.seen.header["fact"]
    assert (app.control("ledger.unit").value, app.control("ledger.from").value) == (0, 60)
    app.set("steps", 20)
    assert app.control("ledger.from").value < 20


def test_the_ledger_of_the_bracket_counter_shows_both_paths() -> None:
    app = App({"preset": "bracket_depth"}, LSTM).unfold("ledger")
    assert "is 0.7093 over all paths" in markdown(app)
    assert "product of f, contributes 0.02198" in markdown(app)
    _, direct, every, _ = chart(app, "ledger")["data"]
    assert direct["y"][20] == pytest.approx(0.021980, abs=5e-7)
    assert every["y"][20] == pytest.approx(0.709348, abs=5e-7)


def test_the_ledger_is_that_of_the_step_and_unit_chosen() -> None:
    app = App({"preset": "random", "t": "4"}, LSTM).unfold("ledger")
    trace = run(make_cell("lstm", 2, 3), app.seen.arrays["x"])
    assert trace.c is not None
    assert "At step 8, c of unit 3" in markdown(app)
    app.set("ledger.unit", 1).set("ledger.at", "shown")
    assert "At step 4, c of unit 2" in markdown(app)
    ledger = memory_ledger(trace, 4)
    step = int(np.abs(ledger.writes[:, 1]).argmax()) + 1
    assert f"step {step} contributes most:" in markdown(app)
    app.set("ledger.from", 2)
    assert "with respect to c at step 2" in markdown(app)
    app.set("hidden_size", 1)  # unit 2 is gone
    assert "At step 4, c of unit 1" in markdown(app)


def test_the_numbers_of_the_ledger_stand_in_a_table_that_is_made_when_asked() -> None:
    app = App({"preset": "random"}, LSTM)
    assert app.test.get("plotly_chart") == []  # Plotly is not loaded with the page
    app.unfold("ledger")
    assert len(app.test.dataframe) == 0
    app.unfold("ledger numbers")
    (table,) = app.test.dataframe
    trace = run(make_cell("lstm", 2, 3), app.seen.arrays["x"])
    np.testing.assert_array_equal(table.value["contribution at t"][1:], memory_ledger(trace).writes[:, 2])


def test_each_table_is_within_its_panel() -> None:
    app = App({"preset": "random"}, GRU)
    for fold in ("ledger", "saturation", "forms", "saturation numbers", "forms numbers", "ledger numbers"):
        app.unfold(fold)
    assert [len(table.value) for table in app.test.dataframe] == [9, 3, 9]


@pytest.mark.parametrize("page", [LSTM, GRU])
def test_the_tanh_latch_stands_below_the_latch_alone(page: str) -> None:
    app = App({}, page).unfold("latch")
    assert "in the gated unit and 9.582e−148 in the tanh unit" in markdown(app)
    assert "over 32 seeds" in markdown(app)
    assert chart(app, "latch")["data"][2]["name"] == say("latch.curve.plain")
    opened = App(app.link("hidden_state"), "hidden_state")
    assert opened.words == []
    assert [opened.seen.arrays[name].item() for name in ("W_ih", "W_hh", "b_ih", "b_hh")] == [5.0, 3.0, 0.0, 0.0]
    assert opened.seen.arrays["h"][1:].min() > 0.99
    app.set("preset", "random")
    assert "tanh unit" not in markdown(app)


@pytest.mark.parametrize("page", [LSTM, GRU])
@pytest.mark.parametrize("query", [{}, {"steps": "10"}, {"input": "noise", "W_hh.1.1": "2"}], ids=str)
def test_the_latchs_link_opens_what_it_names(page: str, query: dict[str, str]) -> None:
    """The page that its words name; there the network of the panel's equation, marked once, that then stays latched."""
    app = App(query, page).unfold("latch")
    (link,) = [one.proto for one in app.test.get("page_link") if "tanh latch" in one.proto.label]
    opened = App(dict(parse_qsl(link.query_string)), link.page)
    (title,) = [found for one in opened.test.get("html") if (found := re.search(r"<h1>(.*?)</h1>", one.value))]
    assert f"page {title[1].split(',')[0]} →" in link.label
    u, h = opened.seen.arrays["x"], [0.0]
    assert u.shape == (100, 1)
    assert u[0, 0] == 1.0
    assert not u[1:].any()
    for (one,) in u.tolist():
        h.append(math.tanh(3 * h[-1] + 5 * one))
    np.testing.assert_allclose(opened.seen.arrays["h"][:, 0], h, rtol=1e-14)
    assert min(h[1:]) > 0.99
    assert "h = tanh(3 h + 5 u)" in say("latch.curve.plain")


def test_another_form_is_computed_with_the_same_weights() -> None:
    app = App({"preset": "random"}, GRU)
    app.control("forms other")
    said = "\n".join(one.value for one in app.test.main.caption)
    assert say("forms.form", reset=say("forms.reset.after"), update=say("forms.update.keep")) in said
    first, second, *_ = chart(app, "forms")["data"]
    x = app.seen.arrays["x"]
    np.testing.assert_array_equal(first["z"], run(make_cell("gru", 2, 3), x).h.T)
    np.testing.assert_array_equal(second["z"], run(make_cell("gru", 2, 3, reset="before"), x).h.T)
    app.set("reset", "before").set("update", "write")
    assert app.address == {"preset": "random", "reset": "before", "update": "write"}
    cell = make_cell("gru", 2, 3, reset="before", update="write")
    assert np.array_equal(app.seen.arrays["h"], run(cell, x).h)


@pytest.mark.parametrize("page", [LSTM, GRU])
def test_remarks_stand_last_each_with_its_source(page: str) -> None:
    app = App({}, page).unfold("remarks")
    last = app.test.markdown[-1].value
    assert len(last.splitlines()) >= 5
    assert "Weiss, Goldberg & Yahav" in last


def test_an_edit_of_c0_comes_from_the_explorer() -> None:
    app = App({"preset": "random"}, LSTM)
    app.send({"seq": 1, "set": [["c0", [1], 0.75]]})
    assert app.address == {"preset": "random", "c0.2": "0.75"}
    assert app.seen.arrays["c"][0].tolist() == [0.0, 0.75, 0.0]


def test_a_file_opens_on_the_page_of_its_kind() -> None:
    settings = Settings("random", kind="lstm", clamps=((1, Clamp("f", 1.0, 0, 2)),)).choose(bias_i=2.0)
    assert from_json(to_json(settings), PRESETS, ("lstm",)) == settings
    with pytest.raises(ValueError, match="cell"):
        from_json(to_json(settings), PRESETS, ("gru",))


def test_each_page_keeps_its_own_network() -> None:
    app = App({"preset": "random", "hidden_size": "5"}, LSTM)
    app.go(GRU)
    assert app.seen.header["kind"] == "gru"
    assert app.seen.arrays["h"].shape[1] != 5
    app.go(LSTM)
    assert app.seen.arrays["W_hh"].shape == (20, 5)
