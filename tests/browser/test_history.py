"""Nothing gets lost: quick edits, Back and forward, reload, copied addresses, other pages, a killed server."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import AppServer, PageMaker
from tests.browser.test_hooks import Explorer, eventually, expect_query, open_explorer

EDITS = {"W_hh.1.1": "1.4", "W_hh.2.2": "-0.25", "W_hh.3.3": "0.001"}


def type_quickly(explorer: Explorer) -> None:
    """Three edits by keyboard, as fast as the browser takes the keys."""
    for place, number in enumerate(EDITS.values()):
        explorer.cell("W_hh", place, place).focus()
        explorer.page.keyboard.press("Enter")
        explorer.page.keyboard.type(number)
        explorer.page.keyboard.press("Enter")


def expect_diagonal(explorer: Explorer, *numbers: float) -> None:
    """Wait until the diagonal of W_hh has these numbers and every other number follows."""
    for place, number in enumerate(numbers):
        explorer.expect_value(number, "W_hh", place, place)
    assert explorer.read().differences() == []


def test_three_quick_edits_all_arrive_and_back_takes_back_the_last(server: AppServer, page: Page) -> None:
    """Back undoes, forward does again, each with the whole trace."""
    explorer = open_explorer(page, server)
    explorer.type_into("1.4", "W_hh", 0, 0)
    expect_query(page, {"W_hh.1.1": "1.4"})
    explorer.type_into("-0.25", "W_hh", 1, 1)
    expect_query(page, {"W_hh.1.1": "1.4", "W_hh.2.2": "-0.25"})
    explorer.type_into("0.001", "W_hh", 2, 2)
    expect_query(page, EDITS)
    expect_diagonal(explorer, 1.4, -0.25, 0.001)

    page.go_back()
    expect_diagonal(explorer, 1.4, -0.25, 0.9)
    page.go_back()
    expect_diagonal(explorer, 1.4, 0.5, 0.9)
    expect_query(page, {"W_hh.1.1": "1.4"})
    page.go_forward()
    expect_diagonal(explorer, 1.4, -0.25, 0.9)
    page.go_forward()
    expect_diagonal(explorer, 1.4, -0.25, 0.001)
    expect_query(page, EDITS)
    for _ in range(3):
        page.go_back()
    expect_diagonal(explorer, 0.7, 0.5, 0.9)
    expect_query(page, {})


def test_three_edits_typed_at_once_all_arrive(server: AppServer, page: Page) -> None:
    """None waits for the one before it."""
    explorer = open_explorer(page, server)
    type_quickly(explorer)
    expect_diagonal(explorer, 1.4, -0.25, 0.001)
    expect_query(page, EDITS)


def test_three_edits_typed_at_a_busy_server_all_arrive(make_server: Callable[[], AppServer], page: Page) -> None:
    """The server hears them together, some of them twice, and takes each once."""
    app = make_server()
    explorer = open_explorer(page, app)
    assert app._process is not None
    os.kill(app._process.pid, signal.SIGSTOP)
    type_quickly(explorer)
    expect(explorer.root).to_contain_text("Waiting for the server")
    shown = explorer.cell("W_hh", 2, 2).text_content() or ""
    assert float(shown.replace("−", "-")) == 0.001
    os.kill(app._process.pid, signal.SIGCONT)
    expect_diagonal(explorer, 1.4, -0.25, 0.001)
    expect_query(page, EDITS)
    for _ in range(3):
        explorer.button("Undo").click()
    expect_diagonal(explorer, 0.7, 0.5, 0.9)
    expect_query(page, {})


def test_reload_and_a_copied_address_give_the_same_screen(server: AppServer, page: Page, new_page: PageMaker) -> None:
    """All numbers and the step, for the same person and for the next one."""
    explorer = open_explorer(page, server, preset="random", hidden_size=4, steps=12, seed=7, activation="sigmoid")
    explorer.type_into("0.30000000000000004", "W_hh", 3, 0)
    explorer.expect_value(0.30000000000000004, "W_hh", 3, 0)
    explorer.cell("x", 0, step=5).click()
    explorer.type_into("-1e-7", "x", 1)
    explorer.expect_value(-1e-7, "x", 1)
    explorer.button("Next").click()
    eventually(page, lambda: "t=6" in page.url, True)
    before = explorer.read()
    assert (before.t, before.steps, before.differences("sigmoid")) == (6, 12, [])

    page.reload()
    eventually(page, lambda: explorer.cell("h", 0).count(), 1)
    assert explorer.read() == before

    other = Explorer(new_page())
    other.page.goto(page.url)
    expect(other.cell("h", 0)).to_be_visible()
    assert other.read() == before
    assert other.page.url == page.url


@pytest.mark.allow_console_errors(
    "ERR_CONNECTION_REFUSED", "not responding", "No response received", "when disconnected from server"
)
def test_a_killed_server_is_named_and_nothing_is_lost(make_server: Callable[[], AppServer], page: Page) -> None:
    """Stepping goes on without it; an edit made meanwhile arrives at the one that takes its place."""
    app = make_server()
    explorer = open_explorer(page, app)
    explorer.type_into("1.4", "W_hh", 0, 0)
    expect_query(page, {"W_hh.1.1": "1.4"})
    page.keyboard.press("ArrowRight")
    expect_query(page, {"W_hh.1.1": "1.4", "t": "2"})

    app.kill()
    sign = page.get_by_text("The server does not answer")
    expect(sign).to_be_visible()
    dialog = page.get_by_role("dialog")
    if dialog.is_visible():  # Streamlit's own, over everything
        dialog.get_by_role("button", name="Close").click()
    explorer.cell("h", 0).focus()
    page.keyboard.press("ArrowRight")
    explorer.expect_step(3)
    explorer.button("Last").click()
    explorer.expect_step(8)
    assert explorer.read().differences() == []
    explorer.type_into("-0.25", "W_hh", 1, 1)
    explorer.type_into("0.001", "W_hh", 2, 2)

    app.start()
    expect(sign).to_be_hidden(timeout=60_000)
    expect_diagonal(explorer, 1.4, -0.25, 0.001)
    explorer.expect_step(8)
    expect_query(page, EDITS | {"t": "8"})
    assert len(explorer.root.locator(".scene .edited").all()) == 3
    explorer.type_into("2", "b_ih", 0)
    explorer.expect_value(2.0, "b_ih", 0)
    expect_query(page, EDITS | {"t": "8", "b_ih.1": "2"})


def test_leaving_for_home_and_coming_back_loses_nothing(server: AppServer, page: Page) -> None:
    """Edits and the step; Home has settings of its own."""
    explorer = open_explorer(page, server, preset="random", seed=3)
    menu = page.get_by_test_id("stSidebarNav")
    explorer.type_into("1.4", "W_hh", 0, 0)
    explorer.expect_value(1.4, "W_hh", 0, 0)
    explorer.button("Next").click()
    wanted = {"preset": "random", "seed": "3", "W_hh.1.1": "1.4", "t": "2"}
    expect_query(page, wanted)
    before = explorer.read()

    menu.get_by_role("link", name="Home").click()
    explorer.expect_value(0.7, "W_hh", 0, 0)
    explorer.expect_step(1)
    explorer.type_into("5", "b_hh", 0)
    explorer.expect_value(5.0, "b_hh", 0)
    expect_query(page, {"b_hh.1": "5"})

    menu.get_by_role("link", name="Hidden state").click()
    explorer.expect_value(1.4, "W_hh", 0, 0)
    explorer.expect_step(2)
    assert explorer.read() == before
    expect_query(page, wanted)
    menu.get_by_role("link", name="Home").click()
    explorer.expect_value(5.0, "b_hh", 0)


def test_an_edit_can_be_undone_after_another_control(server: AppServer, page: Page) -> None:
    """The edit and the slider one by one, by button and by Ctrl+Z, wherever the focus is; Back agrees."""
    explorer = open_explorer(page, server)
    undo = explorer.button("Undo")
    explorer.type_into("1.4", "W_hh", 0, 0)
    expect_query(page, {"W_hh.1.1": "1.4"})
    steps = page.get_by_role("slider", name="Steps T")
    steps.focus()
    page.keyboard.press("ArrowRight")
    expect_query(page, {"W_hh.1.1": "1.4", "steps": "9"})
    expect(explorer.root).to_have_attribute("data-steps", "9")

    page.keyboard.press("Control+z")  # the focus is on the slider
    expect_query(page, {"W_hh.1.1": "1.4"})
    expect(explorer.root).to_have_attribute("data-steps", "8")
    expect(steps).to_have_value("8")
    undo.click()
    expect_query(page, {})
    explorer.expect_value(0.7, "W_hh", 0, 0)
    expect(undo).to_be_hidden()

    page.go_back()  # before the second undo
    expect_query(page, {"W_hh.1.1": "1.4"})
    explorer.expect_value(1.4, "W_hh", 0, 0)
    expect(undo).to_be_visible()
    undo.click()
    expect_query(page, {})


def test_a_preset_is_undone_with_all_that_was_edited(server: AppServer, page: Page) -> None:
    explorer = open_explorer(page, server)
    explorer.type_into("-2", "W_hh", 1, 1)
    explorer.expect_value(-2.0, "W_hh", 1, 1)
    page.get_by_role("radio", name="Echo").click()
    expect_query(page, {"preset": "echo"})
    explorer.button("Undo").click()
    expect_query(page, {"W_hh.2.2": "-2"})
    explorer.expect_value(-2.0, "W_hh", 1, 1)


def test_ctrl_z_in_a_field_of_text_is_the_fields_own(server: AppServer, page: Page) -> None:
    explorer = open_explorer(page, server)
    explorer.type_into("1.4", "W_hh", 0, 0)
    expect_query(page, {"W_hh.1.1": "1.4"})
    field = page.get_by_role("textbox", name="Initial state h₀")
    field.focus()
    page.keyboard.press("Control+z")
    page.wait_for_timeout(400)
    expect_query(page, {"W_hh.1.1": "1.4"})


def test_the_gradients_page_undoes_its_levers(server: AppServer, page: Page) -> None:
    """By the button above the picture and by Ctrl+Z; two presses at once are two changes."""
    page.goto(server.url("gradient_flow"))
    picture = page.get_by_test_id("gradient-flow").first
    expect(picture.locator("[data-curve]").first).to_be_attached()
    undo = picture.get_by_role("button", name="Undo", exact=True)
    expect(undo).to_have_count(0)
    for text in ("50", "60", "70"):
        field = page.get_by_role("spinbutton", name="Steps T, as a number")
        field.fill(text)
        field.press("Enter")
        expect_query(page, {"steps": text})
    expect(undo).to_be_visible()
    page.get_by_role("slider", name="Steps T").focus()
    page.keyboard.press("Control+z")
    expect_query(page, {"steps": "60"})
    undo.dblclick()
    expect_query(page, {})
    expect(undo).to_have_count(0)
    page.go_back()
    expect_query(page, {"steps": "60"})
