"""Stepping through time by keys, buttons, the timeline and play, with nothing sent to the server meanwhile."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import AppServer
from tests.browser.test_hooks import expect_query, open_explorer

REPORT_AFTER = 250
"""Milliseconds after scrubbing stopped until the server hears of the step."""

_WATCH_CLOCKS = """
    window.sent = []; window.pressed = [];
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (...args) {
        window.sent.push(performance.now());
        return send.apply(this, args);
    };
    window.addEventListener("keydown", () => window.pressed.push(performance.now()), true);
"""


def test_a_person_walks_the_whole_sequence_by_arrow_keys(server: AppServer, page: Page) -> None:
    """Every number of every step is the core's; the ends of the sequence hold."""
    explorer = open_explorer(page, server)
    explorer.cell("h", 0).focus()
    page.keyboard.press("ArrowLeft")
    for t in range(1, 9):
        explorer.expect_step(t)
        screen = explorer.read()
        assert screen.steps == 8
        assert screen.differences() == []
        page.keyboard.press("ArrowRight")
    explorer.expect_step(8)


@pytest.mark.parametrize("focused", [True, False], ids=["a_cell_focused", "nothing_focused"])
def test_a_person_steps_by_keys_with(server: AppServer, page: Page, focused: bool) -> None:
    """Arrows go one step, Home and End to the ends."""
    explorer = open_explorer(page, server)
    if focused:
        explorer.cell("W_hh", 1, 1).focus()
    for key, t in [("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", 8), ("Home", 1)]:
        page.keyboard.press(key)
        explorer.expect_step(t)


def test_a_person_steps_by_buttons_and_by_the_timeline(server: AppServer, page: Page) -> None:
    """First, Previous, Next and Last by name; a press and a drag on the timeline."""
    explorer = open_explorer(page, server)
    for name, t in [("Next", 2), ("Last", 8), ("Previous", 7), ("First", 1)]:
        explorer.button(name).click()
        explorer.expect_step(t)
    explorer.cell("h", 1, step=5).click()
    explorer.expect_step(5)
    explorer.cell("x", 0, step=2).hover()
    page.mouse.down()
    explorer.expect_step(2)
    explorer.cell("y", 0, step=7).hover()
    page.mouse.up()
    explorer.expect_step(7)
    assert explorer.read().differences() == []


def test_space_plays_and_pauses_and_presses_a_focused_button(server: AppServer, page: Page) -> None:
    """Play goes by itself, stops at the end, and begins anew from there."""
    explorer = open_explorer(page, server)
    play = explorer.button("Play")
    explorer.button("Next").focus()
    page.keyboard.press("Space")
    explorer.expect_step(2)
    expect(play).to_have_attribute("aria-pressed", "false")

    explorer.cell("h", 0).focus()
    page.keyboard.press("Space")
    expect(play).to_have_attribute("aria-pressed", "true")
    expect(explorer.root).to_have_attribute("data-t", re.compile("[4-7]"))
    page.keyboard.press("Space")
    expect(play).to_have_attribute("aria-pressed", "false")

    page.keyboard.press("End")
    play.focus()
    page.keyboard.press("Space")
    expect(play).to_have_attribute("aria-pressed", "true")
    expect(explorer.root).to_have_attribute("data-t", re.compile("[2-7]"))
    explorer.button("1×").click()
    explorer.expect_step(8)
    expect(play).to_have_attribute("aria-pressed", "false")
    expect_query(page, {"t": "8"})


@pytest.mark.own_page
def test_nothing_is_sent_until_scrubbing_stops_and_then_one_message(server: AppServer, page: Page) -> None:
    """The clocks of the page itself: key presses, and messages on the websocket."""
    page.add_init_script(_WATCH_CLOCKS)
    explorer = open_explorer(page, server)
    explorer.cell("h", 0).focus()
    page.evaluate("sent.length = pressed.length = 0")
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    explorer.expect_step(7)
    expect_query(page, {"t": "7"})
    page.wait_for_timeout(3 * REPORT_AFTER)
    sent, pressed = page.evaluate("[sent, pressed]")
    assert len(pressed) == 6
    # A machine may be so busy that it pauses between two presses; then a message may leave there too.
    pauses = [b - a for a, b in zip(pressed, [*pressed[1:], float("inf")], strict=True)]
    assert 1 <= len(sent) <= sum(pause >= REPORT_AFTER for pause in pauses)
    for moment in sent:
        assert moment - max(press for press in pressed if press < moment) >= REPORT_AFTER - 1
