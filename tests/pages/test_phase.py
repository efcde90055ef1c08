"""The phase portrait on its page: nothing is sought while it is closed, and what cannot be sought is said."""

from __future__ import annotations

from typing import Any

import pytest
import streamlit as st

from rnnviz.texts import say
from rnnviz.ui import phase
from tests.pages.driven import App


class Opened:
    """A fold that the reader has opened, which `AppTest` cannot do."""

    open = True

    def __init__(self, fold: Any) -> None:
        self._fold = fold

    def __enter__(self) -> Any:
        return self._fold.__enter__()

    def __exit__(self, *error: Any) -> Any:
        return self._fold.__exit__(*error)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._fold, name)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> None:
    fold = st.expander
    monkeypatch.setattr(st, "expander", lambda *given, **named: Opened(fold(*given, **named)))


def pictures(app: App) -> list[str]:
    return [text.value for text in app.test.markdown if "<svg" in text.value]


def test_closed_it_seeks_nothing() -> None:
    before = phase._search.cache_info()
    assert pictures(App({"preset": "chaotic"})) == []
    assert phase._search.cache_info() == before


def test_open_it_seeks_once_for_all_steps(opened: None) -> None:
    app = App({"preset": "oscillator", "gain": "1", "t": "5"})
    assert len(pictures(app)) == 1
    before = phase._search.cache_info()
    app.load({"preset": "oscillator", "t": "6"})
    assert "t = 6" in pictures(app)[0]
    assert phase._search.cache_info().misses == before.misses


def test_a_held_input_that_overflows_is_said(opened: None) -> None:
    app = App({"preset": "random", "hidden_size": "2", "x": "1.7e308,0;1.7e308,0", "init": "zeros"})
    assert len(pictures(app)) == 1
    app.test.selectbox(key="hidden_state phase.held").select("mean")
    app.run()
    assert pictures(app) == []
    assert any("cannot be sought" in said for said in app.words)


def test_it_is_that_of_the_layer_shown(opened: None) -> None:
    """Two layers of one network come to rest at places of their own; the upper one reads no input."""
    first, second = (App({"preset": "random", "layers": "2", "layer": layer}) for layer in ("1", "2"))
    assert first.test.markdown[-1].value != second.test.markdown[-1].value
    said = say("phase.layer", layer=2, below=1)
    assert said not in first.text
    assert said in second.text
