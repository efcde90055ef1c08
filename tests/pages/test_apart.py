"""An error that nobody foresaw stays in its part of the page: the rest of the page is there, with a way on."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rnnviz.texts import say
from rnnviz.ui import exchange, home, panels, state
from rnnviz.ui import explorer_panel as explore
from tests.pages.driven import App

ON_THE_PAGE = panels._unchecked

PAGES = ("home", "hidden_state", "lstm_gates", "gru_gates", "gradient_flow", "bptt_rtrl")
FOLDS = ("drawing", "phase", "batch", "more", "file", "ledger", "saturation", "forms", "gates")
FULL = {"layers": "2", "sequences": "2", "steps": "6"}
Body = Callable[[], Any]


@contextmanager
def planted(breaks: Callable[[str], bool]) -> Iterator[list[tuple[str, ...]]]:
    """Every part whose name `breaks` takes fails as soon as it is built; gives all parts as they come.

    A part is its name behind the names of those that it stands in.
    """
    names: list[tuple[str, ...]] = []
    around: list[str] = []
    whole = panels.apart

    def planting(page: str, name: str, body: Body) -> Any:
        around.append(name)
        names.append(tuple(around))

        def broken() -> None:
            raise ZeroDivisionError("planted")

        try:
            return whole(page, name, broken if breaks(name) else body)
        finally:
            around.pop()

    with pytest.MonkeyPatch.context() as patch:
        for module in (panels, explore, home):
            patch.setattr(module, "apart", planting)
        yield names


def opened(page: str) -> App:
    """The page with two layers, two sequences, and all its folds open."""
    app = App(FULL if page != "home" else {}, page=page)
    return unfolded(app)


def unfolded(app: App) -> App:
    """All its folds open: Streamlit forgets those of a part that was not built in the last run."""
    for fold in FOLDS:
        app.test.session_state[f"{app.page} {fold}"] = True
    return app


def failures(app: App) -> int:
    return [error.value for error in app.test.error].count(say("panel.failed"))


def kinds_shown(app: App) -> list[str]:
    return [node.type for node in (*app.test.main, *app.test.sidebar)]


@pytest.mark.parametrize("page", PAGES)
def test_an_error_in_one_part_leaves_the_rest(page: str) -> None:
    """Part by part: one box, and every part after it is still built."""
    app = opened(page).run()
    assert failures(app) == 0
    with planted(lambda name: False) as parts:
        unfolded(app).run()
        every = list(parts)
    assert len(every) >= 4
    for broken in dict.fromkeys(name for *_, name in every):
        with planted(lambda name, broken=broken: name == broken) as parts:  # type: ignore[misc]
            unfolded(app).run()
        assert failures(app) >= 1, broken
        missing = [part for part in every if part not in parts and broken not in part]
        assert missing == [] or (broken == "objective_or_reason" and {part[0] for part in missing} == AFTER_OBJECTIVE)
        assert say("panel.reset") in [button.label for button in app.test.button]
    app.run()
    assert failures(app) == 0


AFTER_OBJECTIVE = {
    "loss_caption",
    "backward_pass",
    "facts_panel",
    "step_one_panel",
    "uses_panel",
    "rtrl_panel",
    "clipping_panel",
}
"""Parts of a page on gradients that are left out where there is no gradient."""


@pytest.mark.parametrize("page", PAGES)
def test_nothing_of_a_page_stands_outside_its_parts(page: str) -> None:
    """With every part broken the head is all that is left: no part is built where an error of it takes the page."""
    app = opened(page)
    with planted(lambda name: True):
        app.run()
    shown = set(kinds_shown(app)) - _FRAME
    assert shown == set()


_FRAME = {"main", "sidebar", "html", "bidi_component", "error", "button", "expander", "expandable", "flex_container"}
"""What the head of a page, a failed part and a fold around one are made of."""


def test_the_way_on_loads_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    app = App({"preset": "echo", "W_hh.1.1": "2"})
    with planted(lambda name: name == "explorer"):
        app.run()
        app.press("explorer reset")
    app.run()
    assert app.address == {}
    assert app.seen.header["steps"] == 8


def test_an_error_while_a_choice_is_taken_leaves_the_page_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    app = App()
    with monkeypatch.context() as patch:
        patch.setattr(state, "require_to_run", broken)
        app.set("hidden_size", 7)
    assert say("problem.unforeseen") in " ".join(app.words)
    assert app.address == {}
    assert app.control("hidden_size").value == 3


def test_an_error_while_an_edit_is_taken_leaves_the_page_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    app = App()
    with monkeypatch.context() as patch:
        patch.setattr(state, "apply_edit", broken)
        app.send({"seq": 1, "set": [["W_hh", [0, 0], 5.0]]})
    assert say("problem.unforeseen") in app.seen.header["alert"]
    assert (app.address, app.seen.header["acknowledged"]) == ({}, 1)


def test_an_error_while_an_address_is_read_opens_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    app = App()
    with monkeypatch.context() as patch:
        patch.setattr(state, "parse_address", broken)
        app.load({"preset": "echo"})
    assert any("preset = echo" in said for said in app.words)
    assert app.control("hidden_size").value == 3


def test_an_error_while_a_file_is_read_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    app = App()
    monkeypatch.setattr(exchange, "from_json", broken)
    app.upload(b"{}")
    assert say("problem.unforeseen") in " ".join(app.words)
    assert app.address == {}


def broken(*given: object, **named: object) -> None:
    del given, named
    raise ZeroDivisionError("planted")


def test_a_chart_is_sent_as_it_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the page Plotly's check is left out; with it, the same arrives."""
    checked = App(page="gradient_flow").unfold("seeds").test.get("plotly_chart")
    monkeypatch.setattr(panels, "_unchecked", ON_THE_PAGE)
    plain = App(page="gradient_flow").unfold("seeds").test.get("plotly_chart")
    assert checked
    for one, other in zip(checked, plain, strict=True):
        assert json.loads(one.proto.spec) == json.loads(other.proto.spec)
