"""Beside every slider stands a field in which its number can be typed."""

from __future__ import annotations

import pytest

from rnnviz.texts import say
from tests.pages.driven import App
from tests.pages.seen import open_folds

OPENED = [
    ("hidden_state", {"preset": "random", "layers": "2"}),
    ("lstm_gates", {"preset": "random", "clamp": "f:0.3@2", "bias_i": "1"}),
    ("gru_gates", {"preset": "random", "clamp": "z:0.3"}),
    ("gradient_flow", {"cell": "lstm"}),
    ("bptt_rtrl", {"preset": "random", "truncation": "3"}),
    ("compare_cells", {"task": "copy"}),
    ("from_ngrams", {"n": "3"}),
]


@pytest.mark.parametrize(("page", "query"), OPENED)
def test_every_slider_has_a_field(page: str, query: dict[str, str]) -> None:
    app = open_folds(App(query, page)).test
    fields = {field.label: field.value for field in app.number_input}
    sliders = {say("field.label", label=slider.label): slider.value for slider in app.slider}
    assert len(sliders) >= 2
    assert {label: fields.get(label) for label in sliders} == sliders
