"""Layers, sequences, text and files on the page: what is chosen shows, the step stays, and nothing breaks it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from rnnviz.network import build, network_of, run_network
from rnnviz.sequences import one_hot
from rnnviz.settings import Settings, from_json, to_json
from rnnviz.texts import say
from tests.pages.driven import PAGE, App
from tests.pages.test_controls import same
from tests.settings.drawn import NAMES
from tests.views.spoken import slots

STACK = {"layers": "3", "sequences": "2"}
WALKED = run_network(build(network_of(Settings("worked_example").choose(layers=3, sequences=2))))


def keys(app: App) -> set[str]:
    return {node.key for node in (*app.test.main, *app.test.sidebar) if getattr(node, "key", None)}


def captions(app: App) -> list[str]:
    return [caption.value for caption in app.test.main.caption]


def test_one_layer_and_one_sequence_leave_nothing_to_choose() -> None:
    app = App()
    assert not {f"{PAGE} layer", f"{PAGE} sequence", f"{PAGE} stack"} & keys(app)
    assert captions(app) == []


def test_a_layer_and_a_sequence_are_chosen_above_the_explorer() -> None:
    app = App(STACK)
    for layer in (3, 2, 1):
        for sequence in (2, 1):
            app.set("layer", layer).set("sequence", sequence)
            trace = WALKED.traces[sequence - 1][layer - 1]
            for name, array in {"x": trace.x, "h": trace.h, "W_hh": trace.cell.W_hh}.items():
                np.testing.assert_array_equal(app.seen.arrays[name], array)
            assert ("y" in app.seen.arrays) is (layer == 3)
            assert slots("fact.layer", app.seen.header["fact"])["layer"] == str(layer)
    assert app.address == STACK


def test_the_step_and_the_edits_stay_when_another_layer_is_shown() -> None:
    app = App(STACK).send(t=5).send({"seq": 1, "set": [["W_hh", [0, 0], 5.0]]})
    epoch = app.seen.header["epoch"]
    app.set("layer", 2).set("sequence", 2)
    app.send({"seq": 2, "set": [["2.W_hh", [0, 1], 6.0], ["2.h0", [0], 0.5]]})
    assert app.seen.header["epoch"] == epoch
    assert app.seen.header["acknowledged"] == 2
    assert app.seen.arrays["W_hh"][0, 1] == 6.0
    edits = {"W_hh.1.1": "5", "2.W_hh.1.2": "6", "2.h0.1": "0.5"}
    assert app.address == {**STACK, "t": "5", "layer": "2", "sequence": "2", **edits}
    assert same(App(app.address).seen, app.seen)
    assert App(app.address).seen.header["t"] == 5


def test_an_input_of_a_further_sequence_is_edited() -> None:
    app = App({"sequences": "2", "sequence": "2"})
    app.send({"seq": 1, "set": [["2.x", [0, 1], 9.0]]})
    assert app.seen.arrays["x"][0, 1] == 9.0
    assert app.address["2.x.1.2"] == "9"
    assert app.set("sequence", 1).seen.arrays["x"][0, 1] != 9.0


@pytest.mark.parametrize("form", ["hidden", "readout"])
def test_the_page_says_which_stack_it_is_and_its_size(form: str) -> None:
    query = {"preset": "random", "input_size": "10", "hidden_size": "20", "output_size": "3", "layers": "3"}
    (said,) = captions(App(query).set("stack", form))
    assert slots(f"stack.{form}", said) == {"hidden": "2,383", "readout": "3,643"}


def test_a_readout_that_is_handed_on_is_drawn() -> None:
    app = App({"layers": "2", "stack": "readout"})
    assert app.seen.header["timeline"] == ["x", "h", "u"]
    app.set("layer", 2)
    assert app.seen.header["timeline"] == ["x", "h", "u", "y"]
    assert app.words == []


@pytest.mark.parametrize("page", ["home", PAGE])
def test_a_link_to_a_layer_opens_on_either_page(page: str) -> None:
    app = App({**STACK, "layer": "2", "sequence": "2"}, page)
    assert app.words == []
    np.testing.assert_array_equal(app.seen.arrays["h"], WALKED.traces[1][1].h)


def test_a_walk_that_overflows_above_is_shown_up_to_there() -> None:
    app = App({"preset": "random", "activation": "identity", "layers": "2", "2.W_hh.1.1": "1e200", "layer": "1"})
    assert "Layer 2" in app.seen.header["alert"]
    assert app.seen.header["steps"] == app.set("layer", 2).seen.header["steps"] < 8


# --- an own batch ---------------------------------------------------------------------------------------------------


def test_a_blank_line_begins_the_next_sequence() -> None:
    app = App({"preset": "random"}).set("input", "own").set("own text", "1, 2\n3, 4\n\n5, 6\n7, 8")
    assert app.words == []
    assert app.address == {"preset": "random", "x": "1,2;3,4|5,6;7,8"}
    assert app.control("sequences").value == 2
    assert app.control("sequences").proto.disabled
    assert app.set("sequence", 2).seen.arrays["x"].tolist() == [[5, 6], [7, 8]]
    assert app.control("own text").value == "1,2\n3,4\n\n5,6\n7,8"
    assert same(App(app.address).seen, app.seen)


def test_sequences_of_unequal_shape_are_refused_beside_the_field() -> None:
    app = App({"preset": "random"}).set("input", "own")
    before = app.seen
    app.set("own text", "1, 2\n3, 4\n\n5, 6")
    (error,) = app.test.sidebar.error
    assert "Sequence 2 has 1 step of 2" in error.value.replace("\\", "")
    assert same(app.seen, before)


def test_an_uploaded_batch() -> None:
    app = App({"preset": "random"}).set("input", "own")
    app.set("own file", ("pass.csv", b"a;b\n1;2\n\n3;4\n", "text/csv"))
    assert app.address["x"] == "1,2;|3,4;"


# --- text -----------------------------------------------------------------------------------------------------------


def test_a_text_is_read_character_by_character() -> None:
    app = App({"preset": "random"}).set("input", "text")
    assert app.words == []
    app.set("text", "a banana")
    np.testing.assert_array_equal(app.seen.arrays["x"], one_hot("a banana"))
    for name, value in {"steps": 8, "input_size": 4}.items():
        assert app.control(name).value == value
        assert app.control(name).proto.disabled
    (said,) = [caption.value.replace("\\", "") for caption in app.test.sidebar.caption]
    assert slots("control.text.taken", said) == {"steps": "8", "size": "4", "alphabet": "␣"}
    assert said.endswith(": ␣ a b n")
    assert app.address == {"preset": "random", "input": "text", "text": "a banana"}
    assert same(App(app.address).seen, app.seen)
    app.set("input", "noise")
    assert app.address == {"preset": "random"}


@pytest.mark.parametrize(("text", "word"), [("", "empty"), ("".join(map(chr, range(33, 99))), "at most 64")])
def test_a_text_that_cannot_be_used_is_named_beside_its_field(text: str, word: str) -> None:
    app = App({"preset": "random", "input": "text", "text": "abc"})
    before = app.seen
    app.set("text", text)
    (error,) = app.test.sidebar.error
    assert word in error.value
    assert same(app.seen, before)
    assert not app.set("text", "abd").test.sidebar.error


# --- files ----------------------------------------------------------------------------------------------------------


def opened(app: App) -> App:
    """With the fold for files open, as a click on its title does."""
    app.test.session_state[f"{PAGE} file"] = True
    return app.load(app.address)


def give(app: App, content: object) -> App:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return app.set("file open", ("mine.json", data, "application/json"))


SAVED = {"preset": "random", "layers": "2", "layer": "2", "t": "3", "x": "1,2;3,4;5,6|1,0;0,1;1,1", "2.W_hh.1.1": "5"}


def test_a_saved_file_opens_to_the_same_screen() -> None:
    saved = App(SAVED)
    settings: Settings = saved.test.session_state[f"state of {PAGE}"].settings
    assert from_json(to_json(settings), NAMES) == settings
    app = give(opened(App({"preset": "echo"})), to_json(settings).encode())
    assert app.words == []
    assert app.address == SAVED
    assert same(app.seen, saved.seen)
    assert app.seen.header["t"] == 3


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"\x00", "not valid JSON"),
        (b'{"rnnviz": "settings", "version": 1, "preset": "random", "choices": {"gain": NaN}}', "NaN"),
        ({"rnnviz": "settings", "version": 1, "preset": "none"}, "one of these: worked_example"),
        ({"rnnviz": "settings", "version": 1, "preset": "random", "\ud800": 1}, "no “ud800”"),
        ({"rnnviz": "settings", "version": 1, "preset": "random", "choices": {"steps": 10**9}}, "from 1 to 1,000"),
        ({"rnnviz": "settings", "version": 1, "preset": "random", "edits": {"W_hh.9.9": 1}}, "size 3 × 3"),
        ({"rnnviz": "settings", "version": 1, "preset": "random", "text": "![x](//e.example)"}, "input=text"),
    ],
)
def test_a_file_that_cannot_be_read_leaves_the_page_as_it_was(content: Any, word: str) -> None:
    app = opened(App({"preset": "echo", "t": "2"}))
    before = app.seen
    give(app, content)
    (error,) = app.test.sidebar.error
    assert word in error.value.replace("\\", "")
    assert same(app.seen, before)
    assert app.address == {"preset": "echo", "t": "2"}
    app.set("activation", "relu")
    assert app.seen.header["formulas"]["h"]["fn"] == "relu"


@pytest.mark.parametrize(("preset", "input_then"), [("none", "own"), ("echo", "noise")])
def test_the_places_for_an_own_sequence_close_once_a_file_is_read(preset: str, input_then: str) -> None:
    app = opened(App({"preset": "random"}).set("input", "own"))
    give(app, {"rnnviz": "settings", "version": 1, "preset": preset})
    assert app.control("input").value == input_then


def test_too_long_an_address_offers_the_file() -> None:
    x = ";".join(["0.123456789012345,-0.123456789012345"] * 200)
    app = App({"preset": "random"}).set("input", "own").set("own text", x.replace(";", "\n"))
    assert say("file.title") in app.words[0]
    (button,) = app.test.get("download_button")
    assert button.proto.label == say("file.download")


def test_a_closed_fold_writes_no_file() -> None:
    assert len(App().test.get("download_button")) == 0
    assert len(opened(App()).test.get("download_button")) == 2


def test_initial_states_are_shown_layer_by_layer() -> None:
    app = App({"preset": "random", "layers": "2", "h0": "1,2,3,4,5,6"})
    assert app.control("h0").value == "1, 2, 3; 4, 5, 6"
    app.set("h0", "1, 2, 3; 4, 5, 7").set("layer", 2)
    assert app.seen.arrays["h"][0].tolist() == [4, 5, 7]
    assert app.address["h0"] == "1,2,3,4,5,7"


def test_all_sequences_stand_side_by_side_when_asked_for() -> None:
    app = App(STACK)
    assert not app.test.dataframe
    app.test.session_state[f"{PAGE} batch"] = True
    app.load(app.address)
    (table,) = app.test.dataframe
    assert len(table.value) == int(app.address["sequences"])
    assert f"{PAGE} batch" not in App({"layers": "3"}).test.session_state


def test_the_explorer_knows_the_edits_of_what_it_does_not_show() -> None:
    """Or it could neither reset them all nor take that back."""
    header = App({**STACK, "2.W_hh.1.1": "5", "2.x.1.2": "6", "b_ih.1": "7"}).seen.header
    assert [name for name, _, _ in header["edited"]] == ["2.W_hh", "2.x", "b_ih"]
    assert header["typed"] == [5.0, 6.0, 7.0]
