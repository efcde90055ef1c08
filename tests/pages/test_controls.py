"""Move a control, read the result: what the explorer got, what the address says, and the same from that address."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rnnviz import make_cell
from rnnviz.presets import HIDDEN_STATE
from rnnviz.sequences import impulse, read_sequence, sine
from rnnviz.settings import FLOW_SETTINGS, OBJECTIVE_SETTINGS, settings_of
from rnnviz.texts import say
from tests.pages.driven import App
from tests.views.spoken import slots
from tests.views.unpacked import Unpacked


def same(one: Unpacked, other: Unpacked) -> bool:
    """Whether two payloads show the same numbers, bit for bit, and the same words."""
    parts = ("steps", "formulas", "fact", "notices", "alert", "edited")
    return [one.header[part] for part in parts] == [other.header[part] for part in parts] and {
        name: (array.shape, array.tobytes()) for name, array in one.arrays.items()
    } == {name: (array.shape, array.tobytes()) for name, array in other.arrays.items()}


def test_home_is_alive_and_links_to_every_page() -> None:
    app = App(page="home")
    assert slots("fact.worked_example", app.seen.header["fact"])["a"] == "[0.04, 0, 0.22]"
    assert say("home.title") in app.test.get("html")[0].value
    links = [link.proto.page for link in app.test.get("page_link")]
    start, cards, lectures = links[:1], links[1:9], links[9:]
    assert start == ["hidden_state"]
    assert cards == [
        "hidden_state",
        "lstm_gates",
        "gru_gates",
        "gradient_flow",
        "bptt_rtrl",
        "training",
        "compare_cells",
        "from_ngrams",
    ]
    assert lectures == ["hidden_state", "lstm_gates", "gradient_flow", "training"]


@pytest.mark.parametrize(("page", "kind"), [("hidden_state", "elman"), ("lstm_gates", "lstm"), ("gru_gates", "gru")])
def test_the_page_has_a_control_for_every_setting(page: str, kind: str) -> None:
    app = App(page=page)
    assert say(f"{page}.title") in app.test.get("html")[0].value
    assert app.words == []
    stack = App({"layers": "2"}, page)  # where there is something to choose between layers
    for name in {"preset", *settings_of(kind)} - {*FLOW_SETTINGS, *OBJECTIVE_SETTINGS}:
        assert stack.control(name).key == f"{page} {name}"


def test_the_explorer_gets_its_words() -> None:
    words = App().seen.header["words"]
    assert words["play"] == say("explorer.play")


W_HH = make_cell("elman", 2, 3).W_hh

MOVES: dict[str, tuple[dict[str, str], str, object, Callable[[Unpacked], bool]]] = {
    "input size": ({}, "input_size", 5, lambda got: got.arrays["W_ih"].shape == (3, 5)),
    "hidden size": ({}, "hidden_size", 5, lambda got: got.arrays["W_hh"].shape == (5, 5)),
    "hidden size 1": ({}, "hidden_size", 1, lambda got: got.arrays["h"].shape == (9, 1)),
    "hidden size 16": ({}, "hidden_size", 16, lambda got: got.arrays["h"].shape == (9, 16)),
    "steps": ({}, "steps", 20, lambda got: got.header["steps"] == 20 and got.arrays["x"].shape == (20, 2)),
    "one step": ({}, "steps", 1, lambda got: got.arrays["h"].shape == (2, 3)),
    "200 steps": ({}, "steps", 200, lambda got: len(got.header["notices"]) == 200),
    "relu": (
        {},
        "activation",
        "relu",
        lambda got: bool((got.arrays["h"][1:] == np.maximum(got.arrays["a"], 0)).all()),
    ),
    "sigmoid": ({}, "activation", "sigmoid", lambda got: got.header["formulas"]["h"]["fn"] == "sigmoid"),
    "impulse": ({}, "input", "impulse", lambda got: got.arrays["x"].tolist() == impulse(8, 2).tolist()),
    "sine": ({"preset": "counter"}, "input", "sine", lambda got: got.arrays["x"].tolist() == sine(16, 1).tolist()),
    "one number for h0": ({}, "h0", "0.5", lambda got: got.arrays["h"][0].tolist() == [0.5, 0.5, 0.5]),
    "h0": ({}, "h0", " 1, -2,3e-1 ", lambda got: got.arrays["h"][0].tolist() == [1.0, -2.0, 0.3]),
    "orthogonal": (
        {},
        "init",
        "orthogonal",
        lambda got: np.allclose(got.arrays["W_hh"] @ got.arrays["W_hh"].T, np.eye(3)),
    ),
    "zeros": ({"preset": "random"}, "init", "zeros", lambda got: not got.arrays["W_hh"].any()),
    "gain": ({"preset": "random"}, "gain", 2.5, lambda got: np.array_equal(got.arrays["W_hh"], 2.5 * W_HH)),
    "seed": (
        {"preset": "random"},
        "seed",
        2**32 - 1,
        lambda got: np.array_equal(got.arrays["W_hh"], make_cell("elman", 2, 3, seed=2**32 - 1).W_hh),
    ),
    "outputs": ({}, "output_size", 4, lambda got: got.arrays["y"].shape == (8, 4)),
    "no outputs": ({}, "output_size", 0, lambda got: "y" not in got.arrays),
    "softmax": (
        {"output_size": "3"},
        "output_activation",
        "softmax",
        lambda got: np.allclose(got.arrays["y"].sum(axis=1), 1) and bool((got.arrays["y"] > 0).all()),
    ),
    "preset": ({}, "preset", "echo", lambda got: got.arrays["y"][1:].tolist() == got.arrays["x"][:-1].tolist()),
}


@pytest.mark.parametrize(("query", "name", "value", "holds"), MOVES.values(), ids=list(MOVES))
def test_a_moved_control_shows_in_the_result(
    query: dict[str, str], name: str, value: object, holds: Callable[[Unpacked], bool]
) -> None:
    app = App(query)
    assert not holds(app.seen)
    app.set(name, value)
    assert holds(app.seen)
    assert app.words == []
    # The copied address shows the same screen to the next person.
    assert app.address
    assert same(App(app.address).seen, app.seen)


@pytest.mark.parametrize("preset", HIDDEN_STATE)
def test_each_preset_shows_its_own_fact(preset: str) -> None:
    app = App({"preset": "random" if preset == "worked_example" else "worked_example"}).set("preset", preset)
    assert app.control("preset").value == preset
    assert app.address == ({} if preset == "worked_example" else {"preset": preset})
    facts = (
        "worked_example echo.exact counter.exact oscillator.itself saturated.most chaotic.grows random.fades".split()
    )
    (key,) = [key for key in facts if key.startswith(preset)]
    slots(f"fact.{key}", app.seen.header["fact"])


def test_the_preset_in_force_cannot_be_taken_away() -> None:
    app = App({"preset": "echo"})
    before = app.seen
    app.set("preset", None)
    assert app.control("preset").value == "echo"
    assert same(app.seen, before)


def test_the_preset_in_force_can_be_taken_anew() -> None:
    """Choices and edits go; the address and the explorer agree on the step."""
    app = App({"preset": "echo", "t": "5", "activation": "relu", "W_hh.1.1": "3"})
    epoch = app.seen.header["epoch"]
    app.set("preset", None)
    assert app.seen.header["edited"] == []
    assert app.seen.header["formulas"]["h"]["fn"] == "identity"
    begun_anew = app.seen.header["epoch"] > epoch and app.seen.header["t"] == 1
    assert app.address == ({"preset": "echo"} if begun_anew else {"preset": "echo", "t": "5"})


def test_random_weights_take_the_place_of_a_presets_own() -> None:
    app = App({"W_hh.1.1": "5"})
    assert app.control("init").value == "preset"
    app.set("hidden_size", 4)
    assert app.control("preset").value == "random"
    assert app.control("init").value == "torch"
    assert app.seen.header["edited"] == []


@pytest.mark.parametrize(
    ("name", "value", "stays"),
    [
        ("activation", "relu", True),
        ("output_activation", "tanh", True),
        ("seed", 3, False),
        ("steps", 4, False),
        ("input", "sine", False),
        ("preset", "echo", False),
    ],
)
def test_edits_on_their_way_count_as_long_as_their_base_stays(name: str, value: object, stays: bool) -> None:
    app = App({"preset": "random"})
    epoch = app.seen.header["epoch"]
    app.set(name, value).send({"seq": 1, "set": [["W_hh", [0, 0], 5.0]]}, epoch=epoch)
    assert (app.address.get("W_hh.1.1") == "5") is stays


def test_a_reader_is_told_when_a_presets_weights_give_way() -> None:
    app = App({"preset": "counter"}).set("hidden_size", 4)
    (note,) = app.test.info
    assert slots("note.gave_way", note.value) == {"preset": say("choice.preset.counter")}
    assert not app.set("hidden_size", 5).test.info


def test_pytorchs_default_can_be_chosen_over_hand_set_weights() -> None:
    app = App().set("init", "torch")
    assert app.control("init").value == "torch"
    assert np.array_equal(app.seen.arrays["W_hh"], W_HH)


def test_a_control_leaves_edits_that_still_fit() -> None:
    app = App({"W_hh.1.1": "5", "x.2.1": "4"}).set("activation", "relu")
    assert {"W_hh.1.1", "x.2.1"} <= set(app.address)
    assert app.seen.arrays["W_hh"][0, 0] == 5.0


# --- numbers that are typed -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "field", "typed", "taken", "words"),
    [
        ("hidden_size", "hidden_size field", 3.7, 4, ("1 to 64", "3.7 was changed to 4")),
        ("hidden_size", "hidden_size field", -1.0, 1, ("1 to 64", "−1 was changed to 1")),
        ("steps", "steps field", 5000.0, 1000, ("1 to 1,000", "5,000 was changed to 1,000")),
        ("seed", "seed", 2.5, 3, ("a whole number from 0 to 4,294,967,295", "2.5 was changed to 3")),
        ("gain", "gain", 10.5, 10.0, ("a number from 0 to 10.", "10.5 was changed to 10")),
    ],
)
def test_a_number_that_cannot_be_is_taken_as_the_nearest_that_can(
    name: str, field: str, typed: float, taken: float, words: tuple[str, ...]
) -> None:
    """The field shows what stands, the page says what was done, until the next change."""
    app = App({"preset": "random"}).set(field, typed)
    assert app.control(field).value == taken
    assert app.address[name] == str(taken).removesuffix(".0")
    (warning,) = app.test.sidebar.warning
    assert warning.value.startswith(f"“{say(f'control.{name}')}” takes ")
    for word in words:
        assert word in warning.value
    app.set("activation", "relu")
    assert app.words == []
    assert app.control(field).value == taken


def test_a_number_taken_as_the_one_that_stands_changes_nothing() -> None:
    """Not even what a new size would drop."""
    app = App({"preset": "random", "W_hh.1.1": "5"}).set("hidden_size field", 3.2)
    assert app.control("hidden_size field").value == 3
    assert len(app.words) == 1
    assert app.address == {"preset": "random", "W_hh.1.1": "5"}
    assert app.seen.header["undoable"] == 0


def test_a_number_that_can_be_is_taken_without_a_word() -> None:
    app = App({"preset": "random"}).set("hidden_size field", 7.0).set("gain", 1.25)
    assert app.words == []
    assert app.address == {"preset": "random", "gain": "1.25", "hidden_size": "7"}
    assert app.control("hidden_size").value == 7


# --- h0 -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("typed", "needed"), [("a", "finite"), ("1, nan", "finite"), ("1, 2", "or 3")])
def test_an_h0_that_cannot_be_used_is_named_beside_its_field(typed: str, needed: str) -> None:
    app = App()
    before = app.seen
    app.set("h0", typed)
    (error,) = app.test.sidebar.error
    assert needed in error.value
    assert app.control("h0").value == typed
    assert same(app.seen, before)
    # The page lives on, and the next value mends it.
    app.set("h0", "1, 2, 3")
    assert app.words == []
    assert app.seen.arrays["h"][0].tolist() == [1, 2, 3]


def test_an_empty_h0_is_the_presets_own() -> None:
    app = App({"h0": "1,2,3"}).set("h0", "")
    assert app.words == []
    assert app.seen.arrays["h"][0].tolist() == [0.1, 0.2, -0.1]
    assert app.address == {}
    assert App({"preset": "random", "h0": "1"}).set("h0", " ").seen.arrays["h"][0].tolist() == [0, 0, 0]


# --- a sequence of the reader's own ---------------------------------------------------------------------------------


def test_a_typed_sequence_sets_D_and_T() -> None:
    app = App({"preset": "random"}).set("input", "own")
    app.set("own text", "0.5, -0.3\n0.1, 0.2\n1, 2\n")
    assert app.seen.arrays["x"].tolist() == [[0.5, -0.3], [0.1, 0.2], [1, 2]]
    app.set("own text", "1 2 3 4")
    assert app.seen.arrays["x"].tolist() == [[1], [2], [3], [4]]
    assert app.seen.arrays["W_ih"].shape == (3, 1)
    for name, value in {"input_size": 1, "steps": 4}.items():
        assert app.control(name).value == value
        assert app.control(name).proto.disabled
        assert app.control(name).help == say("control.locked")
    assert any("4" in caption.value and "1" in caption.value for caption in app.test.sidebar.caption)
    assert app.address == {"preset": "random", "x": "1;2;3;4"}
    assert same(App(app.address).seen, app.seen)


def test_a_sequence_that_cannot_be_read_is_named_beside_its_field() -> None:
    app = App({"preset": "random"}).set("input", "own")
    before = app.seen
    app.set("own text", "1, 2\n3, four")
    (error,) = app.test.sidebar.error
    assert "Line 2" in error.value
    assert "“four”" in error.value
    assert app.control("own text").value == "1, 2\n3, four"
    assert same(app.seen, before)
    app.set("own text", "1, 2\n3, 4")
    assert app.words == []
    assert app.seen.arrays["x"].tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(("text", "limit"), [("0\n" * 1001, "1,000"), ("0 " * 65 + ";", "64")])
def test_a_sequence_that_is_too_large_is_refused(text: str, limit: str) -> None:
    app = App({"preset": "random"}).set("input", "own").set("own text", text)
    (error,) = app.test.sidebar.error
    assert f"at most {limit}" in error.value.replace("\\", "")  # the marks that keep it from being Markdown


def test_an_uploaded_file() -> None:
    app = App({"preset": "random"}).set("input", "own")
    app.set("own file", ("pass.csv", b"time;x\r\n1;0,25\r\n2;0,75\r\n", "text/csv"))
    assert app.words == []
    assert app.seen.arrays["x"].tolist() == [[1, 0.25], [2, 0.75]]
    assert app.address == {"preset": "random", "x": "1,0.25;2,0.75"}


@pytest.mark.parametrize("content", [b"\x89PNG\0", b"", b"a,b\n1,2\n3\n", b'1,2\n"' + b"3,4\n" * 35_000])
def test_a_file_that_cannot_be_read_leaves_the_page_as_it_was(content: bytes) -> None:
    app = App({"preset": "random"}).set("input", "own")
    before = app.seen
    app.set("own file", ("picture.csv", content, "text/csv"))
    assert len(app.test.sidebar.error) == 1
    assert same(app.seen, before)


def test_back_to_a_generated_sequence() -> None:
    app = App({"preset": "random", "x": "1,2;3,4"})
    assert app.control("input").value == "own"
    app.set("input", "sine")
    assert app.control("input").value == "sine"
    assert app.seen.arrays["x"].shape == (8, 2)
    assert app.address == {"preset": "random", "input": "sine"}
    assert not app.control("steps").proto.disabled


@pytest.mark.parametrize("x", ["1;2;3", "1,2;3,4", "1,2,3;", "7;"])
def test_the_text_that_is_shown_reads_back_to_the_sequence(x: str) -> None:
    """Else the next key press in the field turns a step of three into three steps."""
    shown = App({"preset": "random", "x": x}).control("own text").value
    np.testing.assert_array_equal(read_sequence(shown), read_sequence(x))


# --- numbers that grow out of float64 -------------------------------------------------------------------------------


def test_a_walk_that_overflows_is_shown_up_to_there() -> None:
    app = App({"preset": "echo", "W_hh.1.1": "1e200", "t": "12"})
    assert "step 3" in app.seen.header["alert"]
    assert app.seen.header["steps"] == 2
    assert len(app.seen.header["notices"]) == 2


def test_a_control_is_refused_where_not_one_step_is_left() -> None:
    app = App({"preset": "random", "activation": "identity", "x": "1e308,1e308;1,1"})
    before = app.seen
    app.send({"seq": 1, "set": [["W_ih", [0, 0], 1e10]]})
    assert "step 1" in app.seen.header["alert"]
    assert app.seen.header["acknowledged"] == 1
    assert app.seen.arrays["W_ih"].tolist() == before.arrays["W_ih"].tolist()
    app.send({"seq": 2, "set": [["W_ih", [0, 0], 0.5]]})
    assert app.seen.header["alert"] == ""


@pytest.mark.parametrize(
    "query",
    [
        {"preset": "chaotic", "activation": "identity", "gain": "10", "steps": "200"},
        {"preset": "chaotic", "activation": "identity", "h0": "0", "W_hh.1.1": "1e9", "W_hh.2.1": "1e9"},
        {"preset": "counter", "W_ih.1.1": "0", "W_ih.2.1": "0", "x.1.1": "1e308", "x.2.1": "1e308"},
        {"preset": "echo", "W_hh.2.1": "-1", "x.1.1": "1.7e308"},
        {"W_hh.1.1": "1.7e308"},
        {"preset": "random", "W_ih.1.1": "5e-324", "init": "zeros", "input": "silence", "output_size": "0"},
    ],
)
def test_numbers_at_the_ends_of_float64_break_nothing(query: dict[str, str]) -> None:
    app = App(query)
    assert app.words == []
    assert app.seen.header["fact"]


def test_scripts_do_not_come_with_the_numbers() -> None:
    """Their message is the same at every run; a smaller one Streamlit would send whole each time."""
    explorer, flow = App().set("input", "own"), App(page="gradient_flow")
    for app, names in ((explorer, {"rnnviz_explorer", "rnnviz_pad"}), (flow, {"rnnviz_flow"})):
        before = messages(app)
        after = messages(app.set("hidden_size", 5))
        assert {one.component_name for one in after.values()} == {*names, "rnnviz_connection", "rnnviz_copy_link"}
        for name, one in after.items():
            if one.component_name == "rnnviz_connection":
                assert len(one.js_content) > 10_000
                assert one == before[name]
            else:
                assert len(one.js_content) < 2_000


def messages(app: App) -> dict[str, Any]:
    """What each component of the page got."""
    return {node.proto.id: node.proto for node in app.test.get("bidi_component")}
