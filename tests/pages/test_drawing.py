"""Drawing on the page: strokes arrive once, in order, and only on the sequence that they were drawn on."""

from __future__ import annotations

import numpy as np
import pytest

from rnnviz.sequences import sine
from tests.pages.driven import App


def stroke(seq: int, value: object, step: int = 0, component: int = 0, name: str = "x") -> dict[str, object]:
    return {"seq": seq, "set": [[name, [step, component], value]], "settled": True}


def opened(query: dict[str, str] | None = None) -> App:
    """The page with “your own” chosen, which opens the pad."""
    return App(query).set("input", "own")


def x_of(app: App) -> list[list[float]]:
    """The sequence that the explorer walks over; the pad shows the same."""
    x: list[list[float]] = app.seen.arrays["x"].tolist()
    assert app.pad["x"] == x
    return x


def test_choosing_your_own_opens_the_pad_with_what_is_there() -> None:
    """It begins with the sequence of the generator; closed, it costs its title."""
    app = App({"preset": "random", "input": "sine"})
    assert [node.proto.component_name for node in app.test.get("bidi_component")].count("rnnviz_pad") == 0
    app.set("input", "own")
    assert x_of(app) == sine(8, 2).tolist()
    assert app.pad["name"] == "x"
    assert app.address == {"preset": "random", "input": "sine"}


def test_a_stroke_makes_the_sequence_the_readers_own() -> None:
    app = opened({"preset": "random", "input": "silence", "steps": "3"})
    app.draw({"seq": 1, "set": [["x", [0, 1], 0.25], ["x", [2, 0], -1]], "settled": True})
    assert x_of(app) == [[0, 0.25], [0, 0], [-1, 0]]
    assert app.address == {"preset": "random", "x": "0,0.25;0,0;-1,0"}
    assert app.control("own text").value == "0,0.25\n0,0\n-1,0"
    assert app.words == []
    assert App(app.address).seen.arrays["x"].tolist() == x_of(app)


def test_strokes_that_came_before_the_answer_are_kept() -> None:
    """Each raises the page's epoch, as another sequence is a new base; the pad's own stays."""
    app = opened()
    first = app.pad
    app.draw(stroke(1, 0.5))
    app.draw(stroke(1, 0.5), stroke(2, 0.75, step=1), epoch=first["epoch"])
    app.draw(stroke(2, 9), stroke(3, -0.25, step=2), epoch=first["epoch"])
    assert [row[0] for row in x_of(app)[:3]] == [0.5, 0.75, -0.25]
    assert (app.pad["epoch"], app.pad["acknowledged"]) == (first["epoch"], 3)


def test_a_stroke_on_what_is_gone_falls_away() -> None:
    """Another preset, a typed sequence, Back: the pad tells its strokes apart by its epoch."""
    app = opened({"preset": "random"})
    app.draw(stroke(1, 0.5))
    before = app.address
    old = app.pad["epoch"]
    app.set("own text", "1, 2\n3, 4")
    assert app.pad["epoch"] != old
    app.draw(stroke(2, 9), epoch=old)
    assert x_of(app) == [[1, 2], [3, 4]]
    app.draw(stroke(2, 9))
    assert x_of(app) == [[9, 2], [3, 4]]
    late = app.pad["epoch"]
    app.load(before)
    app.draw(stroke(3, 7), epoch=late)
    assert app.address == before
    app.draw(stroke(3, 7), session="another server's")
    assert app.address == before


def test_an_edit_in_the_explorer_does_not_part_the_pad_from_its_strokes() -> None:
    app = opened({"preset": "random", "input": "silence"})
    epoch = app.pad["epoch"]
    app.send({"seq": 1, "set": [["x", [1, 0], 0.5]], "settled": True})
    app.draw(stroke(1, 0.25), epoch=epoch)
    assert [row[0] for row in x_of(app)[:2]] == [0.25, 0.5]
    assert [name for name in app.address if name.startswith("x")] == ["x"]


@pytest.mark.parametrize(
    "strokes",
    [
        pytest.param({"list": "all"}, id="no list"),
        pytest.param({"list": [stroke(1, "high")]}, id="a word"),
        pytest.param({"list": [stroke(1, 10**400)]}, id="a number that no float holds"),
        pytest.param({"list": [stroke(1, 1.0, name="W_hh")]}, id="a weight"),
        pytest.param({"list": [stroke(1, 1.0, step=500)]}, id="outside"),
    ],
)
def test_what_is_no_stroke_is_refused_and_said(strokes: dict[str, object]) -> None:
    app = opened()
    before = app.address
    app.draw(**strokes)
    assert app.address == before
    assert any("Nothing was changed" in said for said in app.words)
    app.draw(stroke(2, 0.5))
    assert app.words == []
    assert x_of(app)[0][0] == 0.5


def test_a_stroke_that_the_network_cannot_run_is_refused() -> None:
    app = opened({"activation": "identity", "W_ih.1.1": "1e308"})
    app.draw(stroke(1, 1e308))
    assert any("Nothing was changed" in said for said in app.words)
    assert "x" not in app.address
    assert app.pad["acknowledged"] == 1


def test_of_a_batch_the_sequence_in_focus_is_drawn() -> None:
    app = opened({"preset": "random", "sequences": "3", "sequence": "2", "steps": "4"})
    assert app.pad["name"] == "2.x"
    before = np.array(app.pad["x"])
    app.draw(stroke(1, 0.5, step=3, component=1, name="2.x"))
    before[3, 1] = 0.5
    np.testing.assert_array_equal(x_of(app), before)
    assert app.address["x"].count("|") == 2
    assert app.address["sequence"] == "2"
