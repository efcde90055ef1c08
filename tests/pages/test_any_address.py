"""Addresses of every kind: each opens its page, with what was not used named, and no control gets a value it lacks."""

from __future__ import annotations

import random

import pytest

from rnnviz.network import canonicalise, values_of
from rnnviz.presets import ALL_PRESETS
from rnnviz.settings import KINDS, SETTINGS, Settings, choices_of
from rnnviz.ui.state import PageState, address_of, adopted
from tests.pages.driven import App

PAGES: dict[str, tuple[tuple[str, ...], str]] = {
    "hidden_state": (("elman",), ""),
    "lstm_gates": (("lstm",), ""),
    "gru_gates": (("gru",), ""),
    "gradient_flow": (KINDS, ""),
    "bptt_rtrl": (KINDS, "bptt_rtrl"),
}
EVERY_PRESET = sorted({name for presets in ALL_PRESETS.values() for name in presets})
EVERY_WORD = sorted({(name, word) for name, setting in SETTINGS.items() for word in setting.choices})


def state_at(page: str, query: dict[str, str]) -> PageState:
    """What a page makes of an address."""
    kinds, gallery = PAGES[page]
    return adopted(kinds, gallery, query)


def assert_can_be_shown(settings: Settings) -> None:
    """Every menu has the value that it is given, every number lies in its range, and the address comes back."""
    for name, value in values_of(settings).items():
        if name not in SETTINGS:
            continue
        setting, words = SETTINGS[name], choices_of(name, *settings.kinds)
        if setting.choices and words:
            assert value in words, f"{name} = {value}"
        elif isinstance(value, int | float):
            assert setting.low <= value <= setting.high, f"{name} = {value}"
    assert canonicalise(settings)[0] == settings
    kinds = settings.kinds
    again = adopted(tuple(kind for kind in KINDS if kind in kinds), settings.gallery, address_of(settings))
    assert (again.settings, again.problems) == (settings, ())


@pytest.mark.parametrize("page", PAGES)
def test_every_preset_opens_on_every_page(page: str) -> None:
    for preset in EVERY_PRESET:
        for cell in ({}, *({"cell": kind} for kind in KINDS)) if len(PAGES[page][0]) > 1 else ({},):
            assert_can_be_shown(state_at(page, {"preset": preset, **cell}).settings)


@pytest.mark.parametrize("page", PAGES)
def test_every_word_of_every_menu_opens_on_every_page(page: str) -> None:
    for name, word in EVERY_WORD:
        for preset in ("random", "latch", "chrono", "worked_example"):
            state = state_at(page, {"preset": preset, name: word})
            assert_can_be_shown(state.settings)
            taken = values_of(state.settings).get(name) == word
            assert taken or name in {problem.name for problem in state.problems}


def test_random_addresses_can_be_shown() -> None:
    """Any values of any settings, right and wrong ones, together."""
    draw = random.Random(14)
    for _ in range(400):
        page = draw.choice(list(PAGES))
        assert_can_be_shown(state_at(page, a_query(draw)).settings)


def a_query(draw: random.Random) -> dict[str, str]:
    """Some settings with values of every sort."""
    names = draw.sample([*SETTINGS, *_OTHERS], draw.randint(1, 7))
    query = {name: draw.choice(_OTHERS[name]) if name in _OTHERS else _a_value(draw, name) for name in names}
    return query | ({"preset": draw.choice(EVERY_PRESET)} if draw.random() < 0.7 else {})


def _a_value(draw: random.Random, name: str) -> str:
    setting = SETTINGS[name]
    if setting.choices:
        return draw.choice([*setting.choices, "other", ""])
    if isinstance(setting.default, tuple):
        return draw.choice(["0.1", "1,2", "0.1,0.2,-0.1", "1;2;3;4", "nan", "x", "1e308"])
    high = min(setting.high, 20.0)
    near = draw.uniform(setting.low, high)
    whole = str(int(near)) if isinstance(setting.default, int) else f"{near:.3g}"
    return draw.choice([whole] * 6 + [f"{setting.low:g}", "-1", "2.5", "1e9", "nan", "", "one"])


_OTHERS = {
    "t": ["1", "7", "999999", "0", "x"],
    "layer": ["1", "2", "9"],
    "sequence": ["1", "2", "9"],
    "cell": ["elman", "lstm", "gru", "rnn"],
    "x": ["1,2;3,4", "1;2|3;4", "1,2;3", "", "1e308;1e308"],
    "text": ["hello", "a", "<b>*x*", ""],
    "clamp": ["f:1", "z:0.5@3", "2.i.2:0", "g:1", "f"],
    "W_hh": ["1,2;3,4", "0.5", ",,;1", "a"],
    "W_hh.1.1": ["1e308", "0", "nan"],
    "2.b_ih.1": ["3"],
    "x.2.1": ["-5"],
    "unknown": ["1"],
}


def test_a_word_that_the_page_lacks_is_named_and_replaced() -> None:
    """The preset's initialisation needs gates, and this page has none."""
    app = App({"preset": "chrono"})
    assert app.control("init").value == "torch"
    assert any("init = chrono" in said for said in app.words)
    assert app.address == {"preset": "chrono", "init": "torch"}


@pytest.mark.parametrize("page", PAGES)
def test_the_whole_page_shows_at_random_addresses(page: str) -> None:
    """Through Streamlit: every control is made, and no error stands on the page but refusals."""
    draw = random.Random(page)
    app = App(page=page)
    for _ in range(6):
        app.load(a_query(draw))
        assert "could not be drawn" not in " ".join(app.words)
