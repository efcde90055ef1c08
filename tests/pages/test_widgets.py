"""What widgets tell of which the browser does not know yet that they were set anew."""

from __future__ import annotations

import pytest
import streamlit as st

from rnnviz.ui.widgets import heard, set_widget, settle


class Told(dict[str, object]):
    """A session's state, and the callbacks that a message of the browser sets off."""

    taken: list[str]

    def message(self, **values: object) -> None:
        """Widgets that differ have their callbacks called, as Streamlit does it."""
        changed = [key for key, value in values.items() if self[key] != value]
        self.update(values)
        for key in changed:
            heard(key, self.taken.append, key)


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Told:
    state = Told()
    state.taken = []
    monkeypatch.setattr(st, "session_state", state)
    for key in ("slider", "field", "menu"):
        set_widget(key, 3)
    return state


def test_a_choice_is_taken(session: Told) -> None:
    session.message(slider=4, field=3, menu=3)
    settle(alone=False)
    assert session.taken == ["slider"]


def test_what_was_replaced_is_no_choice_beside_another(session: Told) -> None:
    """However many values were sent meanwhile; afterwards the widget holds the last one again."""
    set_widget("field", 4)
    set_widget("field", 5)
    session.message(slider=3, field=3, menu=7)
    settle(alone=False)
    assert session.taken == ["menu"]
    assert session["field"] == 5
    session.message(slider=3, field=4, menu=8)
    settle(alone=False)
    assert session.taken == ["menu", "menu"]
    assert session["field"] == 5


def test_two_that_tell_old_values_are_none(session: Told) -> None:
    set_widget("field", 4)
    set_widget("menu", 4)
    session.message(slider=3, field=3, menu=3)
    settle(alone=True)
    assert not session.taken
    assert (session["field"], session["menu"]) == (4, 4)


def test_alone_it_was_set_back_by_hand(session: Told) -> None:
    set_widget("field", 4)
    session.message(slider=3, field=3, menu=3)
    settle(alone=True)
    assert session.taken == ["field"]
    assert session["field"] == 3


def test_what_the_browser_was_sent_it_can_choose_again(session: Told) -> None:
    """Once a message told the last value, any other one is a choice."""
    set_widget("field", 4)
    session.message(slider=3, field=4, menu=7)
    settle(alone=False)
    session.message(slider=3, field=3, menu=8)
    settle(alone=False)
    assert session.taken == ["menu", "field", "menu"]


def test_a_value_that_was_never_sent_is_a_choice(session: Told) -> None:
    set_widget("field", 4)
    session.message(slider=5, field=9, menu=3)
    settle(alone=False)
    assert session.taken == ["slider", "field"]
