"""The controls around the explorer: sequences of one's own, presets, sizes."""

from __future__ import annotations

import re
from contextlib import suppress

import numpy as np
import pytest
from playwright.sync_api import FilePayload, Locator, Page, TimeoutError, expect

from rnnviz import Readout
from rnnviz.presets import HIDDEN_STATE
from rnnviz.texts import unbroken
from rnnviz.views.numbers import MINUS
from tests.browser.conftest import AppServer, settle
from tests.browser.test_hooks import Explorer, eventually, expect_query, open_explorer, query_of

PRESETS = {
    "Echo": "echo", "Counter": "counter", "Oscillator": "oscillator", "Saturated": "saturated", "Chaotic": "chaotic",
    "Random": "random", "Worked example": "worked_example",
}  # fmt: skip


def menu(page: Page, label: str) -> Locator:
    """A menu of the sidebar by its label."""
    return page.get_by_role("combobox", name=label, exact=True)


def choose(page: Page, label: str, word: str) -> None:
    """Open a menu and take a word."""
    found, option = menu(page, label), page.get_by_role("option", name=word, exact=True)
    for _ in range(4):  # a menu is shut when what it stands in scrolls, as it may by the click, or is drawn anew
        found.click()
        with suppress(TimeoutError):
            option.click(timeout=2500)
            return
    option.click()


def slider(page: Page, label: str) -> Locator:
    """A slider of the sidebar by its label."""
    return page.get_by_role("slider", name=label)


def expect_sequence(explorer: Explorer, rows: list[list[float]]) -> None:
    """Wait until the explorer walks over a sequence; the controls for its sizes are locked then."""
    page = explorer.page
    expect(explorer.root).to_have_attribute("data-steps", str(len(rows)))
    eventually(page, lambda: explorer.read().array("x", over_time=True).tolist(), rows)
    assert explorer.read().differences() == []
    for label, size in (("Input size D", len(rows[0])), ("Steps T", len(rows))):
        expect(slider(page, label)).to_be_disabled()
        expect(slider(page, label)).to_have_value(str(size))


def test_a_person_types_a_sequence_and_takes_it_back(server: AppServer, page: Page) -> None:
    """It sets D and T, whose sliders lock; a word in it is named beside the field and changes nothing."""
    explorer = open_explorer(page, server)
    choose(page, "Input sequence", "your own")
    field = page.get_by_role("textbox", name="Type or paste")
    field.fill("0.5, -0.3\n0.1, 0.2\n1e-3, 7")
    field.press("Control+Enter")
    rows = [[0.5, -0.3], [0.1, 0.2], [1e-3, 7.0]]
    expect_sequence(explorer, rows)
    expect_query(page, {"x": "0.5,-0.3;0.1,0.2;0.001,7"})

    field.fill("0.5, -0.3\n0.1, two")
    field.press("Control+Enter")
    expect(page.get_by_test_id("stSidebar").get_by_test_id("stAlert")).to_contain_text("two")
    expect_sequence(explorer, rows)

    choose(page, "Input sequence", "zeros")
    eventually(page, lambda: not explorer.read().array("x").any(), True)
    expect(slider(page, "Steps T")).to_be_enabled()
    assert "x" not in query_of(page)


def test_a_person_uploads_a_table(server: AppServer, page: Page) -> None:
    """A CSV sets D and T; a wrong one is named beside the control and the page lives on."""
    explorer = open_explorer(page, server, input_size=2)
    choose(page, "Input sequence", "your own")

    def upload(name: str, text: str) -> None:
        file: FilePayload = {"name": name, "mimeType": "text/csv", "buffer": text.encode()}
        page.get_by_test_id("stFileUploader").locator("input[type=file]").set_input_files(file)

    upload("pass.csv", "left,right\n0.25,-1\n0.5,-2\n0.75,-3\n1,-4\n")
    rows = [[0.25, -1.0], [0.5, -2.0], [0.75, -3.0], [1.0, -4.0]]
    expect_sequence(explorer, rows)

    upload("wrong.csv", "0.25,-1\n0.5\n")
    expect(page.get_by_test_id("stSidebar").get_by_test_id("stAlert")).to_contain_text("Line 2")
    expect_sequence(explorer, rows)
    explorer.button("Last").click()
    explorer.expect_step(4)
    explorer.type_into("2", "W_hh", 0, 0)
    explorer.expect_value(2.0, "W_hh", 0, 0)
    expect_query(page, {"x": "0.25,-1;0.5,-2;0.75,-3;1,-4", "t": "4", "W_hh.1.1": "2"})


def test_each_preset_shows_its_fact(server: AppServer, page: Page) -> None:
    """Computed from the numbers on the screen; the address carries the preset, and an edit does not outlive it."""
    explorer = open_explorer(page, server)
    explorer.type_into("2", "W_hh", 0, 0)
    explorer.expect_value(2.0, "W_hh", 0, 0)
    fact = explorer.root.locator(".notice")
    for label, name in PRESETS.items():
        preset = HIDDEN_STATE[name]
        activation = str(preset.values.get("activation", "tanh"))
        page.get_by_role("radio", name=label, exact=True).or_(
            page.get_by_role("button", name=label, exact=True)
        ).click()
        expect_query(page, {} if name == "worked_example" else {"preset": name})
        expect(explorer.root).to_have_attribute("data-steps", str(preset.values.get("steps", 8)))
        screen = explorer.read()
        assert screen.differences(activation) == []
        for array, values in preset.weights.items():
            assert np.array_equal(screen.array(array), values)
        trace = screen.trace(activation)
        said = preset.fact(trace, Readout(screen.array("W_ho"), screen.array("b_o"))(trace.h[1:]))
        expect(fact).to_contain_text(unbroken(said))
        expect(explorer.root.locator(".edited")).to_have_count(0)


@pytest.mark.parametrize("by", ["keys", "field"])
def test_a_person_changes_sizes_and_activation(server: AppServer, page: Page, by: str) -> None:
    """Sliders by key, menus and fields: the network on the screen follows, and the address."""
    explorer = open_explorer(page, server, preset="random")
    if by == "keys":
        slider(page, "Hidden size H").press("ArrowRight")
        expect(explorer.cell("W_hh", 3, 3)).to_be_visible()
        slider(page, "Input size D").press("ArrowLeft")
        expect(explorer.cell("W_ih", 0, 1)).to_have_count(0)
        slider(page, "Steps T").press("ArrowRight")
        expect(explorer.root).to_have_attribute("data-steps", "9")
        expect_query(page, {"preset": "random", "hidden_size": "4", "input_size": "1", "steps": "9"})
        assert explorer.read().differences() == []
    else:
        choose(page, "Activation", "relu")
        expect_query(page, {"preset": "random", "activation": "relu"})
        eventually(page, lambda: explorer.read().differences("relu"), [])
        start = page.get_by_role("textbox", name=re.compile("^Initial state"))
        start.fill("0.5, -1, 2")
        start.press("Enter")
        explorer.expect_value(-1.0, "h0", 1, step=0)
        start.fill("0.5, soon")
        start.press("Enter")
        expect(page.get_by_test_id("stSidebar").get_by_test_id("stAlert")).to_be_visible()
        seed = page.get_by_role("spinbutton", name="Seed")
        seed.fill("12")
        seed.press("Enter")
        expect_query(page, {"preset": "random", "activation": "relu", "h0": "0.5,-1,2", "seed": "12"})
        assert explorer.read().differences("relu") == []


@pytest.mark.own_page
def test_a_changed_number_does_not_bring_the_scripts_along(server: AppServer, page: Page) -> None:
    """They come with the page, once: hosted far away, 150 kB for every press would be felt."""
    received: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    explorer = open_explorer(page, server, preset="random")
    assert sum(received) > 150_000
    for size in (4, 5):
        settle(page)
        received.clear()
        slider(page, "Hidden size H").press("ArrowRight")
        eventually(page, lambda: len(explorer.read().array("h")), size)
        settle(page)
        assert sum(received) < 40_000


def field(page: Page, label: str) -> Locator:
    """The field of a slider by the slider's label."""
    return page.get_by_role("spinbutton", name=f"{label}, as a number", exact=True)


def test_a_number_is_typed_instead_of_fifty_key_presses(server: AppServer, page: Page) -> None:
    """Field and slider show one value, whichever was used; a lock locks both."""
    explorer = open_explorer(page, server, steps=100)
    expect(field(page, "Steps T")).to_have_value("100")
    field(page, "Steps T").fill("50")
    field(page, "Steps T").press("Enter")
    expect(explorer.root).to_have_attribute("data-steps", "50")
    expect(slider(page, "Steps T")).to_have_value("50")
    expect_query(page, {"steps": "50"})
    slider(page, "Steps T").focus()
    page.keyboard.press("ArrowLeft")
    expect(field(page, "Steps T")).to_have_value("49")
    expect_query(page, {"steps": "49"})
    choose(page, "Input sequence", "text, one-hot")
    for label in ("Steps T", "Input size D"):
        expect(field(page, label)).to_be_disabled()
        expect(slider(page, label)).to_be_disabled()
    expect(field(page, "Steps T")).to_have_value("11")


def test_a_number_that_cannot_be_does_not_stay_in_its_field(server: AppServer, page: Page) -> None:
    """The nearest one does, said below the control; what is no number at all gives way to what stood there."""
    open_explorer(page, server, preset="random")
    said = page.get_by_test_id("stSidebar").get_by_test_id("stAlert")

    def enter(label: str, text: str) -> None:
        field(page, label).click()
        page.keyboard.press("Control+a")
        page.keyboard.type(text)
        page.keyboard.press("Enter")

    for text, taken in (("3.7", "4"), ("3.7", "4"), ("-1", "1"), ("900", "64"), ("1e1", "10")):
        enter("Hidden size H", text)
        expect(field(page, "Hidden size H")).to_have_value(taken)
        expect(slider(page, "Hidden size H")).to_have_value(taken)
        if text == "1e1":
            expect(said).to_have_count(0)
        else:
            shown = text.replace("-", MINUS)
            expect(said).to_contain_text(f"a whole number from 1 to 64. {shown} was changed to {taken}.")
        expect_query(page, {"preset": "random", "hidden_size": taken})
    for text in ("abc", "-", "e"):
        enter("Hidden size H", text)
        expect(field(page, "Hidden size H")).to_have_value("10")

    enter("Steps T", "5000")
    expect(said).to_contain_text("5,000 was changed to 1,000")
    expect(field(page, "Steps T")).to_have_value("1000")
    enter("Steps T", "12")
    expect(said).to_have_count(0)
