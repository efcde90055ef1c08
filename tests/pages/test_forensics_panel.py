"""The fold on clips and overflows, driven without a browser."""

from __future__ import annotations

from functools import cache

import pytest
from streamlit.testing.v1 import AppTest

from rnnviz import Readout, make_cell
from rnnviz.learning.examples import Adding
from rnnviz.learning.incident import Incident
from rnnviz.learning.plan import Learner, Plan
from rnnviz.learning.worker import follow
from rnnviz.maths.initialisation import drawn_readout
from rnnviz.texts import say
from rnnviz.views.sentences.forensics import names_of


@cache
def incidents() -> tuple[Incident, ...]:
    task, found = Adding(8), list[Incident]()
    learners = tuple(
        Learner((make_cell(kind, 2, 4, seed=3),), Readout(*drawn_readout(1, 4, [0, 1]))) for kind in ("elman", "lstm")
    )
    plan = Plan(task, learners, 40, {"lr": 0.05, "clip": 0.5, "batch_size": 4})
    follow(plan, lambda word: found.append(word) if isinstance(word, Incident) else None, lambda: True)
    return tuple(found)


def _page(count: int) -> None:
    from rnnviz.ui.training.forensics import forensics_panel
    from tests.pages.test_forensics_panel import incidents

    forensics_panel("training", incidents()[:count])


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
    test, found = opened(2), incidents()
    (choice,) = test.selectbox
    assert choice.options == names_of(found[:2])
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
