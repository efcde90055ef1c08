"""The page From n-grams without a browser."""

from __future__ import annotations

import pytest

from rnnviz.settings.from_ngrams import FIRST, FROM_NGRAMS
from rnnviz.texts import say
from rnnviz.ui.from_ngrams.state import FromNgramsState
from rnnviz.views.numbers import written
from tests.pages.driven import App

PAGE = "from_ngrams"


def state_of(app: App) -> FromNgramsState:
    state = app.test.session_state["state of from_ngrams"]
    assert isinstance(state, FromNgramsState)
    return state


def test_the_first_screen() -> None:
    app = App(page=PAGE)
    assert app.words == []
    assert app.address == {}
    assert "14,348,907" in app.text
    assert "“chin”" in app.text
    assert "Steps 1 and 3 have the same input" in app.text


def test_everything_comes_back_from_the_address() -> None:
    app = App(page=PAGE)
    app.set("n", 3).set("vocabulary", 128.0).set("hidden_size", 7.0).set("delay", 4).set("seed", 9.0)
    app.set("first", "größer 🙂").set("second", "a;b,c|d & <b>&amp;</b>").set("activation", "relu")
    app.set("x", "1 0\n0 1\n1 1").set("b_h", "0.1 0.2 0.3")
    assert app.words == []
    address = app.address
    assert set(address) == {
        "n", "vocabulary", "hidden_size", "delay", "seed", "first", "second", "activation", "x", "b_h",
    }  # fmt: skip
    again = App(address, PAGE)
    assert again.words == []
    assert state_of(again).settings == state_of(app).settings
    assert again.address == address
    assert state_of(again).settings.b_h == ((0.1, 0.2, 0.3),)


def test_html_and_markdown_in_a_history_are_text() -> None:
    app = App({"first": "<b>x</b> **in**", "second": "<i>y</i> **in**", "n": "4"}, PAGE)
    said = next(one.value for one in app.test.markdown if "4-gram" in one.value)
    assert "<b>" not in said
    assert "**in**" not in said.strip("*")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("x", "1 0\n0", "same number"),
        ("x", "", "empty"),
        ("x", "one two", "no number"),
        ("W_hh", "1 2 3 4 5 6 7", "at most 12 rows and 6 columns"),
        ("x", "\n".join(["1 0"] * 13), "at most 12 rows"),
        ("first", "a" * 201, "at most 200"),
    ],
)
def test_what_cannot_be_read_is_refused_beside_its_field(name: str, text: str, words: str) -> None:
    app = App(page=PAGE).set(name, text)
    assert len(app.words) == 1
    assert words in app.words[0]
    assert state_of(app).settings == FIRST
    assert app.control(name).value == text  # to be mended
    again = App({name: text}, PAGE)
    assert len(again.words) == 1
    assert words in again.words[0]


def test_shapes_that_do_not_fit_are_named_and_the_rest_stays() -> None:
    app = App(page=PAGE).set("x", "1 0 1\n0 1 1")
    assert app.words == ["W_xh is 2 × 3, but it must be 3 × 3 to fit the columns of x."]
    assert "14,348,907" in app.text
    app.set("W_xh", "1 0 0\n0 1 0\n0 0 1")
    assert app.words == []


def test_numbers_out_of_range_are_named() -> None:
    app = App({"n": "11", "vocabulary": "0", "delay": "6", "W_ih.1.1": "3"}, PAGE)
    said = " ".join(app.words)
    for part in ("n = 11", "vocabulary = 0", "delay = 6", "W_ih.1.1 = 3"):
        assert part in said
    assert state_of(app).settings == FIRST


def test_both_networks_are_trained_when_it_is_asked() -> None:
    app = App(page=PAGE)
    assert "cross-entropy" not in app.text
    app.press("learn compute")
    assert "After 400 updates the cross-entropy of the RNN is" in app.text
    app.set("delay", 0)
    assert "After 400 updates" not in app.text  # asked for anew
    app.press("learn compute")
    assert "both learn it" in app.text


def test_the_network_opens_on_the_page_that_shows_its_every_number() -> None:
    app = App({"activation": "sigmoid", "x": "0.25,-1;3,0.125"}, PAGE)
    there = App(app.link("hidden_state"), "hidden_state")
    assert there.words == []
    rows = next(one for one in app.test.get("html") if "<table" in one.proto.body).proto.body
    for t in (1, 2):
        assert all(written(value) in rows for value in there.seen.vector("h", t))


def test_all_settings_have_a_label() -> None:
    for name in FROM_NGRAMS:
        assert say(f"ngrams.label.{name}")
