"""The fold on clips and overflows, driven without a browser."""

from __future__ import annotations

from functools import cache

import pytest
from streamlit.testing.v1 import AppTest

from rnnviz import Readout, make_cell
from rnnviz.learning.examples import Adding
from rnnviz.learning.jobs import Jobs, Lane, Run
from rnnviz.learning.plan import Learner, Plan
from rnnviz.learning.worker import follow
from rnnviz.maths.initialisation import drawn_readout
from rnnviz.texts import say
from rnnviz.views.sentences.forensics import names_of


@cache
def lanes() -> tuple[Lane, ...]:
    """An Elman RNN and an LSTM whose updates were clipped."""
    learners = tuple(
        Learner((make_cell(kind, 2, 4, seed=3),), Readout(*drawn_readout(1, 4, [0, 1]))) for kind in ("elman", "lstm")
    )
    run = Run(Plan(Adding(8), learners, 40, {"lr": 0.05, "clip": 0.5, "batch_size": 4}), Jobs())
    follow(run.plan, run.take, lambda: True)
    return run.lanes


def _page(count: int) -> None:
    from dataclasses import replace

    from rnnviz.ui.training.forensics import forensics_panel
    from tests.pages.test_forensics_panel import lanes

    forensics_panel("training", [replace(one, incidents=one.incidents[:count]) for one in lanes()])


def opened(count: int) -> AppTest:
    test = AppTest.from_function(_page, args=(count,), default_timeout=30)
    test.session_state["training forensics"] = True
    test.run()
    assert [error.message for error in test.exception] == []
    assert [error.value for error in test.error] == []
    return test


def test_a_closed_fold_computes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rnnviz.ui.training.forensics.forensics_of", None)
    test = AppTest.from_function(_page, args=(1,), default_timeout=30).run()
    assert [error.message for error in test.exception] == []
    assert not test.markdown
    assert test.expander[0].label == say("forensics.title")


def test_without_an_incident_it_says_what_is_recorded() -> None:
    test = opened(0)
    assert [one.value for one in test.markdown] == [say("forensics.none")]
    assert not test.selectbox


def test_an_incident_is_chosen_and_stays_chosen() -> None:
    test, found = opened(1), [one.incidents[0] for one in lanes()]
    (choice,) = test.selectbox
    assert choice.options == names_of(found)
    assert f"Update {found[0].this.update.number} " in test.markdown[0].value
    choice.set_value(choice.proto.options and "1 first").run()
    assert test.selectbox[0].value == "1 first"
    assert f"Update {found[1].this.update.number} " in test.markdown[0].value
    test.session_state["training forensics numbers"] = True
    test.run()
    assert test.selectbox[0].value == "1 first"
    assert len(test.dataframe) == 2
    assert len(test.get("plotly_chart")) == 1


def test_what_was_found_is_kept_for_the_incident_that_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    test = opened(1)
    monkeypatch.setattr("rnnviz.ui.training.forensics.forensics_of", None)
    test.run()
    assert [error.message for error in test.exception] == []
    assert not test.error
