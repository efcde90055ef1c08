"""Editing numbers in place: what is typed, pasted or dragged, the whole trace follows, and the address."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from rnnviz import ElmanCell, run
from tests.browser.conftest import AppServer
from tests.browser.test_hooks import (
    Explorer,
    Screen,
    eventually,
    expect_query,
    open_explorer,
    query_of,
)

EDITED = re.compile(r"\bedited\b")
_PASTE = """(element, text) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const options = { clipboardData, bubbles: true, composed: true, cancelable: true };
    element.dispatchEvent(new ClipboardEvent("paste", options));
}"""


def field_of(explorer: Explorer) -> Locator:
    """The field in which a number is typed."""
    return explorer.root.get_by_role("textbox")


def note_of(explorer: Explorer) -> Locator:
    """What the field says about a number that it refuses."""
    return explorer.root.locator(".field").get_by_role("alert")


def assert_unchanged(explorer: Explorer, before: Screen) -> None:
    """The screen and the address stay as they were."""
    assert explorer.read() == before
    assert query_of(explorer.page) == {}


def test_a_person_types_a_weight_and_the_whole_trace_follows(server: AppServer, page: Page) -> None:
    """Every state over time is that of the core's own run with the textbook's weights and this one changed."""
    explorer = open_explorer(page, server)
    x = explorer.read().array("x", over_time=True)
    explorer.type_into("1.4", "W_hh", 0, 0)
    explorer.expect_value(1.4, "W_hh", 0, 0)
    W_hh = np.array([[1.4, -0.2, 0.3], [0.4, 0.5, -0.6], [-0.1, 0.8, 0.9]])
    W_ih = np.array([[0.1, 0.2], [-0.3, 0.4], [0.5, 0.6]])
    cell = ElmanCell(W_ih, W_hh, np.array([0.01, 0.02, 0.03]), np.array([0.04, 0.05, 0.06]))
    expected = run(cell, x, np.array([0.1, 0.2, -0.1]))
    screen = explorer.read()
    assert np.array_equal(screen.array("h", over_time=True), expected.h[1:])
    assert screen.differences() == []
    expect(explorer.cell("W_hh", 0, 0)).to_have_class(EDITED)
    expect(explorer.root.locator(".edited")).to_have_count(1)
    expect(explorer.cell("W_hh", 0, 0)).to_be_focused()
    expect_query(page, {"W_hh.1.1": "1.4"})


def test_a_person_edits_every_kind_of_number(server: AppServer, page: Page) -> None:
    """An input at its step, both biases, the initial state, the readout: each is marked and stands in the address."""
    explorer = open_explorer(page, server, t=3)
    wanted = {"t": "3"}
    for number, var, index, entry in [
        ("-0.5", "x", (1,), "x.3.2"),
        ("1e-3", "b_ih", (0,), "b_ih.1"),
        ("−2", "b_hh", (2,), "b_hh.3"),
        (".25", "W_ho", (0, 1), "W_ho.1.2"),
        ("7", "b_o", (0,), "b_o.1"),
        ("0.30000000000000004", "W_ih", (2, 0), "W_ih.3.1"),
    ]:
        value = float(number.replace("−", "-"))
        explorer.type_into(number, var, *index)
        explorer.expect_value(value, var, *index)
        expect(explorer.cell(var, *index)).to_have_class(EDITED)
        wanted[entry] = repr(value).removesuffix(".0")
        expect_query(page, wanted)
    explorer.root.press("Home")
    explorer.expect_step(1)
    expect(explorer.cell("x", 1)).not_to_have_class(EDITED)
    explorer.type_into("0.9", "h_prev", 0)
    explorer.expect_value(0.9, "h0", 0, step=0)
    assert explorer.read().differences() == []
    del wanted["t"]
    expect_query(page, wanted | {"h0.1": "0.9"})


def test_the_memory_can_be_edited_at_the_first_step_alone(server: AppServer, page: Page) -> None:
    """Later it is a result: a click pins it, as everywhere."""
    explorer = open_explorer(page, server, t=3)
    memory = explorer.cell("h_prev", 0)
    expect(memory).not_to_have_class(re.compile(r"\beditable\b"))
    before = explorer.read()
    memory.click()
    page.keyboard.press("Enter")
    expect(field_of(explorer)).to_be_hidden()
    assert explorer.read() == before


@pytest.mark.parametrize("leave_by", ["Tab", "a click elsewhere"])
def test_leaving_the_field_takes_the_number_by(server: AppServer, page: Page, leave_by: str) -> None:
    """As in any form."""
    explorer = open_explorer(page, server)
    explorer.cell("b_ih", 1).click()
    page.keyboard.type("0.75")
    if leave_by == "Tab":
        while explorer.root.locator(".field").is_visible():
            page.keyboard.press("Tab")
    else:
        explorer.root.locator(".notice").click()
    expect(field_of(explorer)).to_be_hidden()
    explorer.expect_value(0.75, "b_ih", 1)
    expect_query(page, {"b_ih.2": "0.75"})


def test_escape_discards_and_what_is_no_number_is_refused(server: AppServer, page: Page) -> None:
    """A note beside the field says so, and nothing changes."""
    explorer = open_explorer(page, server)
    before = explorer.read()
    explorer.cell("W_hh", 1, 1).click()
    page.keyboard.type("3.14")
    page.keyboard.press("Escape")
    expect(field_of(explorer)).to_be_hidden()
    assert_unchanged(explorer, before)
    for refused in ("one", "", "nan", "1 2", "0x10"):
        explorer.cell("W_hh", 1, 1).click()
        field_of(explorer).fill(refused)
        page.keyboard.press("Enter")
        expect(field_of(explorer)).to_be_visible()
        expect(note_of(explorer)).to_contain_text("not a number")
        expect(note_of(explorer)).to_contain_text(refused or "…")
        page.keyboard.press("Escape")
    explorer.cell("W_hh", 1, 1).click()
    field_of(explorer).fill("1e999")
    page.keyboard.press("Enter")
    expect(note_of(explorer)).to_contain_text("1e999 overflows float64")
    page.keyboard.press("Escape")
    explorer.cell("W_hh", 1, 1).click()
    field_of(explorer).fill("two")
    explorer.root.locator(".notice").click()
    expect(field_of(explorer)).to_be_hidden()
    assert_unchanged(explorer, before)
    explorer.type_into("2", "W_hh", 1, 1)
    explorer.expect_value(2.0, "W_hh", 1, 1)


def test_undo_takes_edits_back_one_by_one_and_reset_all(server: AppServer, page: Page) -> None:
    """By button and by Ctrl+Z."""
    explorer = open_explorer(page, server)
    before = explorer.read()
    undo, reset = explorer.button("Undo"), explorer.button("Reset")
    expect(undo).to_be_hidden()
    expect(reset).to_be_hidden()
    for number in ("0.1", "0.2", "0.3"):
        explorer.type_into(number, "W_hh", 0, 0)
        explorer.expect_value(float(number), "W_hh", 0, 0)
    undo.click()
    explorer.expect_value(0.2, "W_hh", 0, 0)
    explorer.cell("W_hh", 0, 0).focus()
    page.keyboard.press("Control+z")
    explorer.expect_value(0.1, "W_hh", 0, 0)
    page.keyboard.press("Control+z")
    explorer.expect_value(0.7, "W_hh", 0, 0)
    expect(undo).to_be_hidden()
    expect_query(page, {})
    assert explorer.read() == before

    explorer.type_into("5", "b_hh", 0)
    explorer.expect_value(5.0, "b_hh", 0)
    explorer.type_into("6", "x", 0)
    explorer.expect_value(6.0, "x", 0)
    reset.click()
    explorer.expect_value(0.5, "x", 0)
    assert_unchanged(explorer, before)
    expect(reset).to_be_hidden()
    undo.click()
    explorer.expect_value(6.0, "x", 0)
    explorer.expect_value(5.0, "b_hh", 0)
    expect_query(page, {"b_hh.1": "5", "x.1.1": "6"})


def test_a_whole_block_is_zeroed_and_reset(server: AppServer, page: Page) -> None:
    """One press each, and one undo takes it back."""
    explorer = open_explorer(page, server)
    before = explorer.read()
    explorer.cell("W_hh", 0, 0).click()
    explorer.button("Zero W_hh").click()
    explorer.expect_value(0.0, "W_hh", 2, 2)
    screen = explorer.read()
    assert not screen.array("W_hh").any()
    assert screen.differences() == []
    expect(explorer.root.locator(".edited")).to_have_count(9)
    explorer.button("Undo").click()
    explorer.expect_value(0.9, "W_hh", 2, 2)
    assert_unchanged(explorer, before)

    explorer.type_into("9", "W_hh", 1, 0)
    explorer.expect_value(9.0, "W_hh", 1, 0)
    explorer.type_into("9", "b_ih", 0)
    explorer.expect_value(9.0, "b_ih", 0)
    explorer.cell("W_hh", 0, 0).click()
    explorer.button("Reset W_hh").click()
    explorer.expect_value(0.4, "W_hh", 1, 0)
    expect_query(page, {"b_ih.1": "9"})


def test_a_matrix_is_pasted_from_a_spreadsheet(server: AppServer, page: Page) -> None:
    """Tabs and line ends, into the open field or onto a focused number; a wrong count is refused."""
    explorer = open_explorer(page, server)
    before = explorer.read()
    explorer.cell("W_ih", 0, 0).click()
    field_of(explorer).evaluate(_PASTE, "1\t2\n3\t4")
    expect(note_of(explorer)).to_contain_text("6")
    expect(note_of(explorer)).to_contain_text("4")
    field_of(explorer).evaluate(_PASTE, "1\t2\n3\tfour\n5\t6")
    expect(note_of(explorer)).to_contain_text("“four” is not a number. W_ih needs 6 numbers")
    field_of(explorer).evaluate(_PASTE, "1e400 2\n3 4")
    expect(note_of(explorer)).to_contain_text("1e400 overflows float64")
    field_of(explorer).evaluate(_PASTE, "nan nan nan")
    expect(note_of(explorer)).to_contain_text("“nan” is not a number")
    page.keyboard.press("Escape")
    assert_unchanged(explorer, before)

    explorer.cell("W_ih", 0, 0).click()
    field_of(explorer).evaluate(_PASTE, "1\t2\r\n3\t−4\r\n5e-1\t6\r\n")
    explorer.expect_value(6.0, "W_ih", 2, 1)
    screen = explorer.read()
    assert screen.array("W_ih").tolist() == [[1, 2], [3, -4], [0.5, 6]]
    assert screen.differences() == []

    explorer.cell("b_hh", 2).focus()
    explorer.cell("b_hh", 2).evaluate(_PASTE, "0,1\t0,2\t0,3")
    explorer.expect_value(0.3, "b_hh", 2)
    screen = explorer.read()
    assert screen.array("b_hh").tolist() == [0.1, 0.2, 0.3]
    for _ in range(2):
        explorer.button("Undo").click()
    eventually(page, explorer.read, before)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0,25\r\n-0,5\r\n,75\r\n", [0.25, -0.5, 0.75]),
        ("0.25, -0.5, 0.75", [0.25, -0.5, 0.75]),
        ("array([0.25, -0.5, 0.75], dtype=float32)", [0.25, -0.5, 0.75]),
        ("Parameter containing:\ntensor([ 0.2500, -0.5000,  0.7500], requires_grad=True)", [0.25, -0.5, 0.75]),
    ],
    ids=["decimal commas", "commas", "numpy", "torch"],
)
def test_a_vector_is_pasted(server: AppServer, page: Page, text: str, numbers: list[float]) -> None:
    explorer = open_explorer(page, server)
    explorer.cell("b_ih", 1).focus()
    explorer.cell("b_ih", 1).evaluate(_PASTE, text)
    explorer.expect_value(numbers[2], "b_ih", 2)
    assert explorer.read().array("b_ih").tolist() == numbers


@pytest.mark.parametrize(
    "text",
    [
        "tensor([[1., 2.],\n        [3., 4.],\n        [5., 6.]], device='cuda:0', dtype=torch.float64)",
        "Parameter containing:\ntensor([[1., 2.], [3., 4.], [5., 6.]], grad_fn=<MmBackward0>)",
        "np.array([[1, 2], [3, 4], [5, 6]], dtype=float32)",
        "array([[1., 2.],\n       [3., 4.],\n       [5., 6.]], shape=(3, 2))",
    ],
    ids=["torch", "parameter", "code", "numpy"],
)
def test_a_print_of_a_matrix_is_pasted(server: AppServer, page: Page, text: str) -> None:
    explorer = open_explorer(page, server)
    explorer.cell("W_ih", 0, 0).focus()
    explorer.cell("W_ih", 0, 0).evaluate(_PASTE, text)
    explorer.expect_value(6.0, "W_ih", 2, 1)
    assert explorer.read().array("W_ih").tolist() == [[1, 2], [3, 4], [5, 6]]


def test_commas_within_a_block_of_two_columns(server: AppServer, page: Page) -> None:
    """Whole numbers apart by commas are its rows; a single number with a comma is a half wherever it is pasted."""
    explorer = open_explorer(page, server)
    explorer.cell("W_ih", 0, 0).focus()
    explorer.cell("W_ih", 0, 0).evaluate(_PASTE, "1,0\n0,1\n2,3")
    explorer.expect_value(3.0, "W_ih", 2, 1)
    assert explorer.read().array("W_ih").tolist() == [[1, 0], [0, 1], [2, 3]]
    explorer.cell("b_ih", 1).focus()
    explorer.cell("b_ih", 1).evaluate(_PASTE, "0,75\r\n")
    field_of(explorer).press("Enter")
    explorer.expect_value(0.75, "b_ih", 1)
    assert explorer.read().array("b_ih").tolist() == [0.01, 0.75, 0.03]


def test_the_field_says_whose_number_is_typed(server: AppServer, page: Page) -> None:
    """As the picture writes it, with its layer."""
    explorer = open_explorer(page, server, preset="random", layers=2, layer=2)
    explorer.cell("W_hh", 1, 2).click()
    expect(explorer.root.locator(".field-title")).to_have_text("W(2)hh[2,3]")
    expect(explorer.button("Zero W(2)_hh")).to_be_visible()


def test_dragging_a_number_changes_it_with_one_entry_in_the_history(server: AppServer, page: Page) -> None:
    """The trace follows the hand; one undo brings the old number back."""
    explorer = open_explorer(page, server)
    entries = page.evaluate("history.length")
    box = explorer.cell("W_ih", 0, 0).bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    for distance in range(0, 61, 5):
        page.mouse.move(x + distance, y)
        page.wait_for_timeout(30)  # a hand takes its time
    followed = explorer.cell("h", 0)
    eventually(page, lambda: followed.get_attribute("data-value") != str(np.tanh(0.04)), True)
    assert query_of(page) == {}
    page.mouse.up()
    eventually(page, lambda: "W_ih.1.1" in query_of(page), True)
    dragged = float(query_of(page)["W_ih.1.1"])
    assert dragged > 0.1
    explorer.expect_value(dragged, "W_ih", 0, 0)
    assert explorer.read().differences() == []
    assert page.evaluate("history.length") == entries + 1
    expect(field_of(explorer)).to_be_hidden()
    explorer.button("Undo").click()
    explorer.expect_value(0.1, "W_ih", 0, 0)
    expect_query(page, {})
