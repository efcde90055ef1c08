"""Undo: every change of a page, whichever control made it, one by one; in step with the browser's Back."""

from __future__ import annotations

import pytest

from tests.pages.driven import App
from tests.pages.test_address_bar import edit
from tests.pages.test_controls import same


def undo(app: App, seq: int, **event: object) -> App:
    return app.send({"seq": seq, "set": [], "undo": True}, **event)


def undoable(app: App) -> int:
    return int(app.seen.header["undoable"])


@pytest.mark.parametrize(
    ("control", "value"),
    [("steps", 5), ("hidden_size", 4), ("activation", "relu"), ("h0", "0.5"), ("input", "sine"), ("preset", "echo")],
)
def test_an_edit_survives_another_control(control: str, value: object) -> None:
    app = App()
    fresh = app.seen
    app.send(edit(1, 0, 1.4))
    edited = app.seen
    app.set(control, value)
    other = app.address
    undo(app, 2)
    assert app.address == {"W_hh.1.1": "1.4"} != other
    assert same(app.seen, edited)
    undo(app, 3)
    assert (app.address, undoable(app)) == ({}, 0)
    assert same(app.seen, fresh)
    undo(app, 4)  # there is nothing left
    assert app.address == {}


def test_changes_are_undone_in_their_order_and_counted() -> None:
    app = App()
    addresses = [app.address]
    for name, value in {"hidden_size": 5, "activation": "relu", "seed": 3, "steps": 12}.items():
        app.set(name, value)
        addresses.append(app.address)
    assert undoable(app) == 4
    for number, address in enumerate(reversed(addresses[:-1]), start=1):
        undo(app, number)
        assert app.address == address


def test_several_undos_in_one_message() -> None:
    app = App()
    app.send(edit(1, 0, 1.0), edit(2, 0, 2.0), edit(3, 0, 3.0))
    undos: list[dict[str, object]] = [{"seq": number, "set": [], "undo": True} for number in (4, 5)]
    app.send(*undos)
    assert app.address == {"W_hh.1.1": "1"}
    app.send(*undos)  # sent again, since the answer was late
    assert app.address == {"W_hh.1.1": "1"}


def test_what_was_edited_on_a_base_that_is_gone_falls_away() -> None:
    app = App({"preset": "random"}).set("seed", 3)
    app.send({"seq": 1, "set": [], "undo": True}, edit(2, 0, 9.0))
    assert app.address == {"preset": "random"}
    assert app.seen.header["acknowledged"] == 2


def test_a_dragged_number_is_one_change() -> None:
    app = App()
    app.send(edit(1, 0, 1.0, settled=False)).send(edit(2, 0, 2.0, settled=False)).send(edit(3, 0, 3.0))
    assert undoable(app) == 1
    undo(app, 4)
    assert app.address == {}


def test_a_number_dragged_back_is_no_change() -> None:
    app = App()
    app.send(edit(1, 0, 1.0, settled=False)).send(edit(2, 0, 0.7))
    assert undoable(app) == 0


def test_a_step_is_no_change_and_stays() -> None:
    app = App().send(edit(1, 0, 1.4))
    app.send(t=5)
    assert undoable(app) == 1
    undo(app, 2)
    assert app.address == {"t": "5"}


def test_back_is_an_undo_and_forward_can_be_undone() -> None:
    app = App()
    app.set("hidden_size", 5)
    app.set("steps", 5)
    both = app.address
    app.load({key: text for key, text in both.items() if key != "steps"})  # Back
    assert undoable(app) == 1
    app.load(both)  # forward
    assert undoable(app) == 2
    undo(app, 1)
    assert "steps" not in app.address
    undo(app, 2)
    assert app.address == {}


def test_a_link_within_the_session_can_be_undone() -> None:
    app = App({"preset": "echo", "W_hh.1.1": "2"})
    assert undoable(app) == 0
    app.load({"preset": "counter"})
    undo(app, 1)
    assert app.address == {"preset": "echo", "W_hh.1.1": "2"}


def test_a_refused_change_is_none() -> None:
    app = App().set("h0", "1,2")
    assert undoable(app) == 0


def test_only_so_many_changes_are_kept() -> None:
    app = App()
    app.send(*(edit(number, 0, number / 100 + 1) for number in range(1, 80)))
    assert undoable(app) == 50


def test_a_drawn_stroke_is_undone() -> None:
    app = App().unfold("drawing")
    app.draw({"seq": 1, "set": [["x", [0, 0], 0.9]]})
    assert "x" in app.address
    undo(app, 1)
    assert app.address == {}
