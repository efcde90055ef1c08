"""The address follows the page and the page follows the address: Back, links, the menu, quick edits, restarts."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import settings as effort
from hypothesis import strategies as st

from rnnviz import InputError
from rnnviz.network import canonicalise
from rnnviz.presets import HIDDEN_STATE
from rnnviz.settings import ADDRESS_LIMIT, Settings, address_length
from rnnviz.ui.form import adopts
from rnnviz.ui.results import picture_of, trace_of, words_of
from rnnviz.views.explorer.picture import Caption, Sync, pack
from tests.pages.driven import App
from tests.pages.test_controls import same
from tests.settings.drawn import all_settings

A, B, C = {"preset": "echo"}, {"preset": "random"}, {"hidden_size": "4"}
NONE: dict[str, str] = {}
TOO_LONG = ";".join(["0.123456789012345,-0.123456789012345"] * 200)


def edit(seq: int, column: int, value: float | None, **others: object) -> dict[str, object]:
    return {"seq": seq, "set": [["W_hh", [0, column], value]], **others}


# --- echo or wish ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "written", "seen", "entered", "moved", "wish"),
    [
        pytest.param(B, B, A, False, False, False, id="a rerun shows what was written"),
        pytest.param(B, B, A, False, True, False, id="a control was moved"),
        pytest.param(NONE, NONE, NONE, False, True, False, id="all is default"),
        pytest.param(A, B, A, False, False, True, id="Back"),
        pytest.param(NONE, B, NONE, False, False, True, id="Back to the first screen"),
        pytest.param(C, B, A, False, False, True, id="Back by two, or typed"),
        pytest.param(A, B, A, False, True, False, id="a quick second edit, from before our address arrived"),
        pytest.param(NONE, B, A, True, False, False, id="the menu drops the address"),
        pytest.param(C, B, A, True, False, True, id="a link from another page"),
        pytest.param(B, B, A, True, False, False, id="a link to what is there"),
        pytest.param(A, None, NONE, True, False, True, id="nothing was written yet"),
    ],
)
def test_an_address_is_an_echo_or_a_wish(
    query: dict[str, str],
    written: dict[str, str] | None,
    seen: dict[str, str],
    entered: bool,
    moved: bool,
    wish: bool,
) -> None:
    assert adopts(query, written, [seen], entered=entered, moved=moved) is wish


@pytest.mark.parametrize("shown", [A, B, NONE])
def test_of_many_addresses_each_may_still_be_shown(shown: dict[str, str]) -> None:
    """After a quick change that is an echo; without one it is Back by as many steps."""
    assert not adopts(shown, C, [NONE, A, B, C], entered=False, moved=True)
    assert adopts(shown, C, [NONE, A, B, C], entered=False, moved=False)


def test_back_after_quick_changes_is_taken() -> None:
    app = App()
    for size in (4, 5, 6):
        app.set("hidden_size", size, shown={})
    app.load({"preset": "random", "hidden_size": "4"})
    assert app.seen.arrays["W_hh"].shape == (4, 4)
    app.set("hidden_size", 7)
    assert app.seen.arrays["W_hh"].shape == (7, 7)


def test_what_hosting_adds_is_no_part_of_the_page() -> None:
    """Nothing is said of it; of another unknown name once, with the one that is meant."""
    app = App({"embed": "true", "embed_options": "dark_theme", "utm_source": "mail", "gclid": "x", "preset": "echo"})
    assert app.words == []
    assert app.address["preset"] == "echo"
    (said,) = App({"T": "50", "utm_source": "mail"}).words
    assert "T = 50" in said
    assert "Did you mean “steps”?" in said


def test_back_undoes_and_forward_does_again() -> None:
    app = App()
    screens = [(app.address, app.seen)]
    for name, value in {"hidden_size": 5, "activation": "relu", "h0": "0.25"}.items():
        app.set(name, value)
        screens.append((app.address, app.seen))
    assert len({str(address) for address, _ in screens}) == 4
    for address, seen in [*reversed(screens), *screens]:
        app.load(address)
        assert app.address == address
        assert same(app.seen, seen)


def test_back_makes_edits_on_their_way_stale() -> None:
    app = App().send(edit(1, 0, 5.0))
    stale = {"epoch": app.seen.header["epoch"]}
    app.load({})
    assert app.seen.header["epoch"] > stale["epoch"]
    app.send(edit(2, 1, 7.0), **stale)
    assert app.address == {}
    assert app.seen.header["edited"] == []


# --- edits of the explorer ------------------------------------------------------------------------------------------


def test_an_edit_shows_in_every_number_and_in_the_address() -> None:
    app = App()
    app.send(edit(1, 0, 1.4), edit(2, 1, 0.1 + 0.2))
    got = app.seen
    assert got.arrays["W_hh"][0].tolist() == [1.4, 0.1 + 0.2, 0.3]
    assert got.arrays["from_h"][0, 0] == pytest.approx(0.1 * 1.4 + 0.2 * 0.3 - 0.1 * 0.3 + 0.04)
    assert got.header["acknowledged"] == 2
    assert got.header["edited"] == [["W_hh", [0, 0], 0.7], ["W_hh", [0, 1], -0.2]]
    assert app.address == {"W_hh.1.1": "1.4", "W_hh.1.2": "0.30000000000000004"}
    assert same(App(app.address).seen, got)


def test_an_edit_counts_once_however_often_it_is_sent() -> None:
    app = App().send(edit(1, 0, 1.0)).send(edit(1, 0, 2.0), edit(2, 1, 3.0))
    assert app.address == {"W_hh.1.1": "1", "W_hh.1.2": "3"}
    app.send(edit(3, 0, None))
    assert app.address == {"W_hh.1.2": "3"}
    app.send(edit(4, 1, -0.2))
    assert app.address == {}


def test_an_edit_of_another_session_or_epoch_falls_away() -> None:
    app = App()
    app.send(edit(1, 0, 5.0), session="another")
    assert (app.address, app.seen.header["acknowledged"]) == ({}, 0)
    app.send(edit(1, 0, 5.0), epoch=app.seen.header["epoch"] - 1)
    assert (app.address, app.seen.header["acknowledged"]) == ({}, 0)


def test_while_a_number_is_dragged_the_address_waits() -> None:
    app = App()
    app.send(edit(1, 0, 1.0, settled=False)).send(edit(2, 0, 2.0, settled=False))
    assert app.seen.arrays["W_hh"][0, 0] == 2.0
    assert app.address == {}
    app.send(edit(3, 0, 3.0))
    assert app.address == {"W_hh.1.1": "3"}


def test_the_step_is_carried_and_stays_within_the_sequence() -> None:
    app = App().send(t=5)
    assert app.address == {"t": "5"}
    assert App(app.address).seen.header["t"] == 5
    app.set("steps", 3)
    assert app.address == {"steps": "3", "t": "3"}
    app.send(t=99)
    assert app.address == {"steps": "3", "t": "3"}


@pytest.mark.parametrize(
    "edits",
    [
        [{"seq": 1}],
        [None],
        [edit(1, 0, 1.0), {"seq": 2, "set": [["W_hh", [0, 99], 1.0]]}],
        [{"seq": 1, "set": [[["W_hh"], [0, 0], 1.0]]}],
        [{"seq": 1, "set": [["W_hh", [0, 0], 10**400]]}],
    ],
)
def test_a_malformed_edit_breaks_nothing(edits: list[dict[str, object]]) -> None:
    app = App().send(*edits)
    app.send(edit(5, 1, 0.5))
    assert app.address["W_hh.1.2"] == "0.5"


@pytest.mark.parametrize("event", [{"list": 5}, {"list": None}, {"list": {}}, {"t": "3"}, {"t": None}, {"t": -1}])
def test_a_malformed_event_breaks_nothing(event: dict[str, object]) -> None:
    app = App().send(**event)
    assert app.address == {}


@pytest.mark.parametrize("shown", [1, 2], ids=["the first address", "the one before the last"])
def test_quick_changes_all_arrive(shown: int) -> None:
    """The browser may be behind by more than one of our addresses: a held arrow key is a change every 33 ms."""
    app = App()
    addresses = [app.address]
    for size in (4, 5):
        app.set("hidden_size", size, shown=addresses[0])
        addresses.append(app.address)
    app.set("hidden_size", 6, shown=addresses[shown - 1])
    assert app.address["hidden_size"] == "6"
    assert app.seen.arrays["W_hh"].shape == (6, 6)


@pytest.mark.parametrize("shown", [0, 1])
def test_quick_edits_all_arrive(shown: int) -> None:
    app = App()
    addresses = [app.address]
    for column in range(2):
        app.test.query_params = dict(addresses[0])
        app.send(edit(column + 1, column, 5.0))
        addresses.append(app.address)
    app.test.query_params = dict(addresses[shown])
    app.send(edit(3, 2, 5.0))
    assert app.address == {"W_hh.1.1": "5", "W_hh.1.2": "5", "W_hh.1.3": "5"}


# --- from page to page ----------------------------------------------------------------------------------------------


def test_leaving_and_coming_back_loses_nothing() -> None:
    app = App({"preset": "random", "x": "0.5,-0.3;0.1,0.2;1,2", "W_hh.1.1": "0.1", "h0": "0.5"})
    app.set("activation", "relu").send(t=2).send(edit(1, 1, 5.0))
    before, address = app.seen, app.address
    assert len(address) == 7
    app.go("home")
    assert app.address == {}
    assert app.seen.header["edited"] == []
    app.go("hidden_state")
    assert app.address == address
    assert same(app.seen, before)
    assert app.seen.header["t"] == 2
    assert app.control("own text").value == "0.5,-0.3\n0.1,0.2\n1,2"


def test_each_page_has_settings_of_its_own() -> None:
    app = App({"preset": "echo"}).go("home", {"preset": "counter"}).go("hidden_state")
    assert app.address == {"preset": "echo"}
    app.go("home")
    assert app.address == {"preset": "counter"}


def test_a_link_to_a_page_that_was_there_is_taken() -> None:
    app = App({"preset": "echo"}).go("home").go("hidden_state", {"preset": "counter"})
    assert app.control("preset").value == "counter"


@pytest.mark.parametrize("page", ["home", "hidden_state"])
@pytest.mark.parametrize("preset", HIDDEN_STATE)
def test_reloading_gives_the_same_screen(page: str, preset: str) -> None:
    query = {"preset": preset, "t": "3", "W_hh.1.1": "0.30000000000000004", "x.2.1": "1e-300", "b_o.1": "-7"}
    app = App(query, page)
    assert app.words == []
    again = App(app.address, page)
    assert same(again.seen, app.seen)
    assert again.seen.header["t"] == 3
    assert [app.seen.arrays[name].flat[0] for name in ("W_hh", "b_o")] == [0.1 + 0.2, -7.0]


# --- what cannot be read --------------------------------------------------------------------------------------------


def test_what_cannot_be_read_is_named_and_the_page_works() -> None:
    bad = {"hidden_size": "99", "gain": "nan", "colour": "red", "W_hh.9.9": "1", "x": "1;two"}
    app = App({"preset": "random", "seed": "7", **bad})
    assert len(app.words) == len(bad)
    for name, text in bad.items():
        assert any(name in said and text in said for said in app.words)
    assert app.address == {"preset": "random", "seed": "7"}
    assert app.control("seed").value == 7
    app.set("hidden_size", 4)
    assert app.words == []
    assert app.seen.arrays["W_hh"].shape == (4, 4)


def test_a_network_that_cannot_take_one_step_is_named() -> None:
    app = App({"preset": "echo", "h0": "1e308", "W_hh.1.1": "1e308"})
    assert app.words
    assert all("overflows float64" in said for said in app.words)
    assert app.control("preset").value == "echo"
    assert app.address == {"preset": "echo"}


def test_all_that_such_a_network_loses_is_named() -> None:
    """What does not stand in the address any more, and is not named either, is lost without a word."""
    query = {"preset": "random", "activation": "relu", "seed": "7", "x": "1e308,1e308;1,1", "W_ih.1.1": "10"}
    app = App(query)
    lost = query.keys() - app.address.keys()
    assert [name for name in sorted(lost) if not any(name in said for said in app.words)] == []


def test_a_readout_that_overflows_is_named() -> None:
    app = App({"preset": "random", "activation": "identity", "x": "1e10,1;1,1", "W_ho.1.1": "1e308"})
    assert app.words
    assert all("overflows float64" in said for said in app.words)
    assert app.address == {"preset": "random"}


@pytest.mark.parametrize(
    "given", ["![x](https://e.example/a.png)", "`![x](https://e.example/a.png)", "[a](//e.example)"]
)
def test_an_address_puts_no_picture_or_link_on_the_page(given: str) -> None:
    """A warning is Markdown, and addresses come from strangers: nothing may be fetched from another machine."""
    for query in ({"seed": given}, {given: "1"}):
        (said,) = App(query).test.warning
        text = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", said.value)
        assert not re.search(r"(?<!\\)\]\((?:https:)?//", text)


# --- too long -------------------------------------------------------------------------------------------------------


def test_an_address_that_would_be_too_long_is_not_written() -> None:
    app = App({"preset": "random"}).set("input", "own").set("own text", TOO_LONG.replace(";", "\n"))
    (said,) = app.words
    assert f"{ADDRESS_LIMIT:,}" in said
    assert app.address == {"preset": "random"}
    assert app.seen.header["steps"] == 200
    assert len(app.test.get("download_button")) == 1
    # The page goes on, and a shorter one is written again.
    app.set("activation", "relu")
    assert app.seen.header["formulas"]["h"]["fn"] == "relu"
    app.set("own text", "1,2")
    assert app.words == []
    assert app.address == {"preset": "random", "activation": "relu", "x": "1;2"}


def test_a_page_that_came_by_too_long_an_address_can_be_changed() -> None:
    app = App({"preset": "random", "x": TOO_LONG})
    assert address_length(app.address) > ADDRESS_LIMIT
    assert len(app.words) == 1
    app.set("activation", "relu")
    assert app.seen.header["formulas"]["h"]["fn"] == "relu"
    app.send(edit(1, 0, 5.0))
    assert app.seen.arrays["W_hh"][0, 0] == 5.0


# --- whatever is chosen ---------------------------------------------------------------------------------------------


@effort(max_examples=60)
@given(all_settings(st.integers(0, 2), most_steps=250))
@example(Settings("copy_forever", (("c0", (0.0, 0.0, 3.5e306)), ("order", "swing")), kind="lstm"))
@example(Settings("random", (("c0", (0.0, 1.2e154, -1.2e154)), ("order", "swing")), kind="lstm"))
def test_any_settings_make_a_page_or_a_refusal(settings: Settings) -> None:
    settled, _ = canonicalise(settings)
    refused: InputError | None = None
    try:
        words = words_of(settled)
    except InputError as error:
        refused = error
    if refused is not None:
        assert "overflow" in str(refused)
        assert getattr(refused, "step", 1) == 1
        return
    assert words.fact
    assert len(words.notices) == len(trace_of(settled).x)
    assert pack(picture_of(settled), Caption({}, words.fact, words.notices), Sync("", 1, 0, settled.t))
