"""The page on backpropagation driven without a browser: the bars, the truncation, what is to be learned, addresses."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from numpy.typing import NDArray

from rnnviz import bptt, step_jacobians
from rnnviz.presets import LESSONS, Lesson, build, cell_of, lesson_of, of_cell, values_of, walk
from rnnviz.settings import KINDS, Entry, Settings, Value
from rnnviz.texts import say
from tests.pages.driven import App
from tests.views.spoken import somewhere
from tests.views.written import says, says_power

Array = NDArray[np.float64]

PAGE = "bptt_rtrl"


def opened(**query: object) -> App:
    return App({name: str(value) for name, value in query.items()}, PAGE)


def lesson(preset: str = "lesson", kind: str = "", **chosen: Value) -> Lesson:
    """What the page is to show, made without it."""
    front = cell_of(preset)
    page = Settings(preset, kind=front, beside=tuple(one for one in KINDS if one != front), gallery="lessons")
    settings = of_cell(page.choose(**chosen), kind or front)
    return lesson_of(walk(build(settings)), 1, values_of(settings))


def bars(app: App) -> list[float]:
    """The bars as the table has them, and their sum."""
    app.unfold("uses")
    (found,) = [one.value for one in app.test.get("html") if "ledger-table" in one.value and "<table" in one.value]
    rows = re.findall(r"<tr><th scope=\"row\">.*?</th><td>(.*?)</td>", found)
    return [float(text.replace("−", "-")) for text in rows]


def test_the_page_opens_with_the_worked_example() -> None:
    app = opened()
    assert app.words == []
    assert app.address == {}
    assert say("bptt_rtrl.title") in app.text
    gradient = bptt(lesson().trace, lesson().d_h)
    *parts, total = bars(app)
    np.testing.assert_allclose(total, np.linalg.norm(gradient.W_hh), atol=1e-6)
    np.testing.assert_allclose(sum(parts), total, atol=1e-5)


@pytest.mark.parametrize("preset", LESSONS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_preset_in_every_cell(preset: str, kind: str) -> None:
    app = opened(preset=preset)
    app.set("cell", kind)
    assert app.words == []
    gradient = bptt(lesson(preset, kind).trace, lesson(preset, kind).d_h)
    said = somewhere("use.sum", app.text)
    assert said is not None
    assert says(said["total"].split(" ")[-1], float(np.linalg.norm(gradient.W_hh)))


def test_an_entry_of_a_weight() -> None:
    app = opened(row=2, column=3)
    gradient = bptt(lesson().trace, lesson().d_h)
    *parts, total = bars(app)
    np.testing.assert_allclose(parts, gradient.by_use["W_hh"][:, 1, 2], atol=1e-6)
    np.testing.assert_allclose(total, gradient.W_hh[1, 2], atol=1e-6)
    app.set("weight", "b_ih")
    assert app.address == {"row": "2", "column": "3", "weight": "b_ih"}
    np.testing.assert_allclose(bars(app)[:-1], gradient.by_use["b_ih"][:, 1], atol=1e-6)


def test_a_row_brings_a_column_and_none_takes_both_back() -> None:
    app = opened()
    app.set("row of 3", 2)
    assert app.address == {"row": "2", "column": "1"}
    app.set("column of 3", 3)
    assert app.address == {"row": "2", "column": "3"}
    app.set("row of 3", 0)
    assert app.address == {}


def test_an_entry_outside_the_weight_is_named() -> None:
    app = opened(row=9, column=1)
    assert say("use.outside", weight="W_hh", shape="3 x 3") in app.text
    np.testing.assert_allclose(bars(app)[-1], np.linalg.norm(bptt(lesson().trace, lesson().d_h).W_hh), atol=1e-6)


@pytest.mark.parametrize("scheme", ["sliding", "chunk"])
def test_the_truncation(scheme: str) -> None:
    app = opened(scheme=scheme)
    app.set("truncation of 8", 3)
    assert app.address == {"truncation": "3"} | ({"scheme": scheme} if scheme != "sliding" else {})
    whole = bptt(lesson().trace, lesson().d_h)
    cut = bptt(lesson().trace, lesson().d_h, truncation=3, scheme=scheme)
    said = somewhere("use.cut.along", app.text)
    assert said is not None
    assert says(said["left"], float((cut.W_hh * whole.W_hh).sum() / np.linalg.norm(whole.W_hh)))
    app.set("truncation of 8", 1)
    assert somewhere("use.cut_by.detach", app.text) is not None
    app.set("truncation of 8", 8)
    assert "truncation" not in app.address
    assert somewhere("use.cut.along", app.text) is None


def test_a_truncation_beyond_the_sequence_cuts_nothing_and_says_so() -> None:
    app = opened(truncation=50)
    assert say("use.beyond", most=50, steps=8) in app.text
    assert somewhere("use.cut.along", app.text) is None
    assert opened(truncation=-1).words != []  # not a number of the table


def test_an_edit_is_in_the_bars() -> None:
    entry = Entry("W_hh", (1, 2))
    app = opened(**{entry.address: "0.9"})
    assert app.address == {entry.address: "0.9"}
    edited = Settings("lesson").edit({entry: 0.9})
    found = lesson_of(walk(build(edited)), 1, values_of(edited))
    gradient = bptt(found.trace, found.d_h)
    *parts, total = bars(app)
    np.testing.assert_allclose(total, np.linalg.norm(gradient.W_hh), atol=1e-6)
    np.testing.assert_allclose(sum(parts), total, atol=1e-5)
    assert total != bars(opened())[-1]


def test_a_loss_that_does_not_fit_is_a_sentence_and_the_page_lives() -> None:
    app = opened(loss="cross_entropy")
    (said,) = app.words
    assert "Choose at least 2 outputs" in said
    app.set("loss", "squared")
    assert app.words == []
    app = opened(loss="cross_entropy", output_size=3)
    assert app.words == []
    assert somewhere("loss.cross_entropy", app.text) is not None


def test_one_step_from_nothing_teaches_w_hh_nothing() -> None:
    app = opened(preset="first_step", steps=1)
    assert say("lesson.fact.one_step") in app.text
    assert somewhere("use.nothing", app.text) is not None
    assert bars(app) == [0.0, 0.0]


def test_of_a_stack_the_top_layer_is_shown() -> None:
    app = opened(preset="first_step", layers=2)
    assert say("stack.top_layer", layers=2) in app.text
    found = lesson("first_step", layers=2)
    np.testing.assert_allclose(bars(app)[-1], np.linalg.norm(bptt(found.trace, found.d_h).W_hh), atol=1e-6)
    assert [node for node in app.test.main if getattr(node, "key", None) == f"{PAGE} layer"] == []


@pytest.mark.parametrize(
    ("preset", "kind"), [("first_step", "elman"), ("first_step_lstm", "lstm"), ("first_step", "gru")]
)
def test_how_much_of_the_last_error_is_left_by_products_of_jacobians(preset: str, kind: str) -> None:
    app = opened(preset=preset, cell=kind, loss_at="every", delay=1)
    found = lesson(preset, kind, loss_at="every", delay=1)
    trace, d_h = found.trace, found.d_h
    H = trace.cell.hidden_size

    def length(handed: Array, step: int) -> float:
        """Of the error at a state, to which h of an LSTM adds its part at c."""
        whole = handed.copy()
        if kind == "lstm":
            whole[H:] += handed[:H] * trace.gates["o"][step - 1] * (1.0 - np.tanh(trace.states[step, H:]) ** 2)
        return float(np.linalg.norm(whole))

    last = np.zeros(trace.states.shape[1])
    last[:H] = d_h[-1]
    first = np.linalg.multi_dot([last, *step_jacobians(trace)[:0:-1]])
    said = [somewhere(f"lesson.error.{key}", app.text) for key in ("fades", "stays", "grows")]
    (share,) = [one["share"] for one in said if one is not None]
    assert says_power(share.split(" ")[0], math.log10(length(first, 1) / length(last, trace.steps)))


def test_a_run_that_ends_early_says_so() -> None:
    app = opened(preset="first_step", activation="identity", gain=10, steps=1000, output_activation="tanh")
    (said,) = app.words
    assert somewhere("lesson.ended", said) is not None
    assert "of 1000" in said


def test_one_sequence_of_a_batch() -> None:
    app = opened(preset="first_step", sequences=2, sequence=2)
    assert say("lesson_of.sequence", count=2, number=2) in app.text
    first = bars(opened(preset="first_step", sequences=2))
    assert bars(app) != first
    assert first == bars(opened(preset="first_step"))


def test_numbers_that_run_over_can_be_taken_back() -> None:
    app = opened(activation="relu", **{"W_hh.1.1": "1e200"})
    assert any("The loss overflows" in said for said in app.words)
    app.press("unedited")
    assert app.words == []
    assert app.address == {"activation": "relu"}


def test_a_network_comes_from_its_cells_page_and_goes_back() -> None:
    """With its edits, and without what only this page asks of it."""
    entry = Entry("W_hh", (1, 0))
    app = App({"preset": "oscillator", entry.address: "0.9"}, "hidden_state").go(PAGE)
    app.press("take elman")
    assert app.address == {"preset": "oscillator", entry.address: "0.9"}
    app.set("delay", 3)
    assert app.address == {"preset": "oscillator", "delay": "3", entry.address: "0.9"}
    assert app.link("hidden_state") == {"preset": "oscillator", entry.address: "0.9"}
    assert app.link("gradient_flow") == {"preset": "oscillator", entry.address: "0.9"}
    app.set("preset", "lesson")
    assert app.address == {}
