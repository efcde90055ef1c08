"""All pages in a toy language: whatever of English is left on one was not said in the session's language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import pytest

from rnnviz.cache import RESULTS
from rnnviz.presets import ALL_PRESETS, buttons
from rnnviz.settings import KINDS, SETTINGS
from rnnviz.texts import ENGLISH, LANGUAGES, say_message, speak
from rnnviz.ui.state import PageState
from tests.pages.driven import App
from tests.pages.seen import open_folds, texts
from tests.views.toy import TOY, toy

IN_TURN = ("en", "toy")
"""The languages of the sessions that open a page, one after the other; the last one's page is looked at."""

NAMES = set(
    "W_ih W_hh b_ih b_hh W_ho b_o W_out b_out W_hi W_hf W_hg W_hr W_hz W_hn W_xh W_hq b_h "
    "ih hh ho out xh hq h_prev dL dW_hh "
    "tanh sigmoid relu softmax BPTT RTRL ms".split()
)
"""Names of arrays, functions, methods and units, the same in any language, as each single letter is."""


@pytest.fixture(autouse=True)
def toy_language(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The toy language beside English, and nothing that is remembered from before or stays remembered."""
    monkeypatch.setitem(LANGUAGES, "toy", TOY)
    RESULTS.clear()
    yield
    RESULTS.clear()
    speak(ENGLISH)


def opened(page: str, query: Mapping[str, str] | None = None) -> App:
    """A page with all of its folds, as the last of the sessions sees it."""
    for language in IN_TURN:
        speak(language)  # the widgets that a test holds in hand say their options themselves
        app = open_folds(App(query, page, language=language))
    return app


def english(app: App) -> list[tuple[str, str]]:
    """Where a page says something in English, and what."""
    return [(place, text) for place, text in texts(app) if _words(text) - NAMES]


def _of_addresses() -> set[str]:
    """Words of the address, which is the same in any language too."""
    presets = (name for presets in ALL_PRESETS.values() for name in presets)
    choices = (word for row in SETTINGS.values() for word in row.choices)
    return set().union(*map(_words, (*SETTINGS, *presets, *choices, *KINDS)))


_NUMBER, _SLOT = re.compile(r"\d[\d.,]*(e[+−-]?\d+)?"), re.compile(r"\{\w+(?=[:}])")


def _words(text: str) -> set[str]:
    found = re.findall(r"[A-Za-z][A-Za-z_]*", _SLOT.sub("", _NUMBER.sub("", text)))
    return {word for word in found if len(word.strip("_")) > 1}


def is_toy(text: str) -> bool:
    return any(ord(sign) - 0xFEE0 in range(ord("A"), ord("z") + 1) for sign in text)


PAGES = (
    "home",
    "hidden_state",
    "lstm_gates",
    "gru_gates",
    "gradient_flow",
    "bptt_rtrl",
    "compare_cells",
    "from_ngrams",
)


OWN_TEXTS = {"from_ngrams": {"first": "12", "second": "32"}}
"""In place of the English texts that a page begins with, for a reader types her own."""


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_all_of_it_in_the_language_of_the_session(page: str) -> None:
    app = opened(page, OWN_TEXTS.get(page))
    assert english(app) == []
    assert sum(is_toy(text) for _, text in texts(app)) > 50


@pytest.mark.parametrize("preset", buttons("elman"))
def test_so_does_each_preset(preset: str) -> None:
    assert (
        english(opened("hidden_state", {"preset": preset, "layers": "2", "sequences": "2", "output_size": "2"})) == []
    )


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("hidden_state", {"notation": "row", "sequences": "2"}),
        ("hidden_state", {"notation": "joined"}),
        ("hidden_state", {"notation": "letters", "input": "text"}),
        ("hidden_state", {"x": "1,2;3,4"}),
        ("lstm_gates", {"notation": "joined", "clamp": "f:0.75@2", "layers": "2", "hidden_size": "3"}),
        ("gru_gates", {"notation": "joined", "reset": "before", "layers": "2"}),
        ("gradient_flow", {"cell": "lstm", "block": "c", "opened": "3"}),
        ("gradient_flow", {"preset": "transient", "together": "one"}),
        ("bptt_rtrl", {"cell": "lstm", "truncation": "3"}),
        ("bptt_rtrl", {"cell": "gru", "reset": "before", "layers": "2"}),
        ("bptt_rtrl", {"loss": "cross_entropy", "output_size": "3", "input": "text", "hidden_size": "2"}),
        ("compare_cells", {"sizing": "parameters", "layers": "2", "start": "learned", "task": "copy"}),
        ("compare_cells", {"task": "series"}),
    ],
)
def test_so_does_each_form_of_it(page: str, query: dict[str, str]) -> None:
    assert english(opened(page, query)) == []


WRONG = {
    "steps": "0", "gain": "x", "activation": "swish", "h0": "a", "h0.9": "1", "W_hh.9.9": "1", "W_hh.1": "1",
    "W_hh": "?", "t": "a", "layer": "0", "x": "1;2,3", "stepps": "3", "weights": "short", "preset": "nothing",
    "nonsense": "1", "c0.1": "1",
}  # fmt: skip


@pytest.mark.parametrize(
    ("page", "query"),
    [
        *(("hidden_state", {name: given}) for name, given in WRONG.items()),
        ("hidden_state", {"text": "hello"}),
        ("hidden_state", {"preset": "random", "input": "preset"}),
        ("hidden_state", {"weights": "0123456789abcdef0123"}),
        ("lstm_gates", {"clamp": "g:1"}),
        ("lstm_gates", {"clamp": "f"}),
        ("lstm_gates", {"notation": "row"}),
        ("gru_gates", {"clamp": "r.9:1@99"}),
        ("gru_gates", {"h0": "1,2,3,4,5,6,7"}),
        ("gru_gates", {"layers": "2", "h0": "1,2,3"}),
        ("gradient_flow", {"cell": "vanilla"}),
        ("gradient_flow", {"W_hh.1.1": "1e308", "W_ih.1.1": "1e308", "input_scale": "100"}),
        ("bptt_rtrl", {"loss": "cross_entropy", "output_size": "1"}),
        ("bptt_rtrl", {"loss": "cross_entropy", "output_size": "3", "input_size": "1"}),
        ("bptt_rtrl", {"steps": "1", "delay": "-1"}),
        ("compare_cells", {"cells": "gru", "seeds": "9"}),
        ("compare_cells", {"task": "series", "series": "1;2;3"}),
    ],
)
def test_what_of_an_address_cannot_be_used_is_said_so_too(page: str, query: dict[str, str]) -> None:
    """What was given stands there as it was."""
    speak("toy")
    app = App(query, page, language="toy")
    assert app.words
    assert all(map(is_toy, app.words))
    given = set().union(*(_words(f"{name} {text}") for name, text in query.items())) | _of_addresses()
    assert [said for said in app.words if _words(said) - NAMES - given] == []


def refused_and_said(app: App) -> str:
    """What a page says of what it did not take, or took otherwise."""
    (said,) = app.words
    assert is_toy(said)
    assert _words(said) - NAMES == set()
    return said


@pytest.mark.parametrize(
    ("name", "given"),
    [("h0", "1, 2"), ("h0", "?"), ("hidden_size field", 999.0), ("gain", 1e9), ("seed", 0.5)],
)
def test_what_a_control_does_not_take_is_said_so_too(name: str, given: object) -> None:
    app = toy_page()
    app.control(name).set_value(given)
    refused_and_said(app.load(app.address))


@pytest.mark.parametrize("typed", ["1, 2\n3", "0.5 % 1", "", "1,\n" * 1001, "1\n2 | 3", "1e999", "1 ... 2"])
def test_so_is_a_sequence_that_cannot_be_read(typed: str) -> None:
    app = toy_page({"x": "1;2"})
    app.control("own text").set_value(typed)
    refused_and_said(app.load(app.address))


@pytest.mark.parametrize(
    "content",
    [b"{", b"[]", b'{"rnnviz": "settings", "version": 9}', b'{"rnnviz": "settings", "version": 1, "cell": "gru"}'],
)
def test_so_is_a_file(content: bytes) -> None:
    """What a library says of it stays as it is."""
    (said,) = toy_page().upload(content).words
    assert is_toy(said)
    assert not re.search(r"\b(The|This|Choose|file|page)\b", said)


def test_so_are_an_edit_and_a_stroke() -> None:
    app = toy_page()
    app.send({"seq": 1, "set": [["W_hh", [0, 0], "1"]]})
    assert is_toy(app.seen.header["alert"])
    assert english(app) == []
    app.unfold("drawing").draw({"seq": 1, "set": [["x", [99, 0], 1.0]]})
    refused_and_said(app)


def test_so_is_why_a_run_ends_early() -> None:
    query = {"preset": "random", "activation": "identity", "gain": "10", "steps": "500", "layers": "2"}
    app = toy_page(query)
    assert is_toy(app.seen.header["alert"])
    assert english(app) == []
    words = toy_page(query, "bptt_rtrl").words
    assert words
    assert all(map(is_toy, words))


def test_so_is_what_a_choice_changed_beside() -> None:
    (note,) = toy_page().set("hidden_size", 5).test.info
    assert is_toy(note.value)
    assert _words(note.value) - NAMES == set()


def test_what_a_session_keeps_is_said_in_the_language_of_now() -> None:
    """A note of before is said anew."""
    app = toy_page().set("hidden_size", 5)
    state: PageState = app.test.session_state["state of hidden_state"]
    toys = [*map(say_message, state.notes)]
    speak(ENGLISH)
    assert [toy(say_message(note)) for note in state.notes] == toys
    assert not any(map(is_toy, map(say_message, state.notes)))


def toy_page(query: Mapping[str, str] | None = None, page: str = "hidden_state") -> App:
    speak("toy")
    return App(query, page, language="toy")
