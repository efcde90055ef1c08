"""One switch for the notation: the picture changes, the numbers, the step and the edits stay."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from rnnviz.texts import say
from tests.browser.conftest import AppServer, assert_accessible
from tests.browser.test_hooks import Explorer, Place, eventually, open_explorer


def write_as(explorer: Explorer, notation: str) -> None:
    """Choose a notation in the menu."""
    explorer.page.get_by_role("combobox", name=say("control.notation")).click()
    explorer.page.get_by_role("option", name=say(f"choice.notation.{notation}")).click()


def shape_on_screen(explorer: Explorer, var: str) -> tuple[int, int]:
    """Rows and columns of a block, by where its cells stand."""
    boxes = [cell.bounding_box() for cell in explorer.root.locator(f'g.block:not(.strip) [data-var="{var}"]').all()]
    places = [(round(box["y"]), round(box["x"])) for box in boxes if box]
    return len({y for y, _ in places}), len({x for _, x in places})


def test_the_numbers_the_step_and_the_edits_stay(server: AppServer, page: Page) -> None:
    explorer = open_explorer(page, server)
    explorer.type_into("1.25", "W_hh", 0, 1)
    page.keyboard.press("End")
    explorer.expect_step(8)
    explorer.expect_value(1.25, "W_hh", 0, 1)
    usual = explorer.read()
    upright, turned = [(3, 1), (3, 2)], [(1, 3), (2, 3)]
    shapes = {"column": upright, "row": turned, "joined": turned, "letters": upright}
    for notation in ("row", "joined", "letters", "column"):
        write_as(explorer, notation)
        expect(page).to_have_url(re.compile(f"notation={notation}" if notation != "column" else r"^((?!notation).)*$"))
        eventually(page, lambda: [shape_on_screen(explorer, var) for var in ("h", "W_ih")], shapes[notation])
        letter = {"row": "H", "joined": "H", "letters": "h(t)", "column": "ht"}[notation]
        label = explorer.root.locator('g.block[data-block="h"]:not(.strip) .label')
        expect(label).to_contain_text(re.compile(re.escape(letter)))
        screen = explorer.read()
        assert screen.t == 8
        missing = {"from_x", "from_h"} if notation == "joined" else set()
        wanted = {place: value for place, value in usual.numbers.items() if place.var not in missing}
        assert dict(screen.numbers) == wanted
        assert screen.numbers[Place("W_hh", (0, 1))] == 1.25


@pytest.mark.parametrize("notation", ["row", "joined", "letters"])
@pytest.mark.parametrize("width", [360, 1280])
def test_each_notation_is_accessible(server: AppServer, page: Page, notation: str, width: int) -> None:
    """axe-core finds nothing, and the page does not scroll sideways."""
    page.set_viewport_size({"width": width, "height": 720})
    open_explorer(page, server, notation=notation)
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_keyboard_goes_where_the_eye_goes(server: AppServer, page: Page) -> None:
    """In rows the next unit stands at the right, and Alt with the arrow right goes there."""
    explorer = open_explorer(page, server, notation="row")
    explorer.cell("h", 0).focus()
    page.keyboard.press("Alt+ArrowRight")
    expect(explorer.cell("h", 1)).to_be_focused()
    explorer.cell("W_ih", 0, 0).focus()
    page.keyboard.press("Alt+ArrowDown")
    expect(explorer.cell("W_ih", 0, 1)).to_be_focused()


def test_what_is_pasted_stands_as_it_was_pasted(server: AppServer, page: Page) -> None:
    """In rows the matrix on the screen is the transposed one; a text of the other shape is named, not reshaped."""
    explorer = open_explorer(page, server, notation="row")

    def paste(text: str) -> None:
        explorer.cell("W_ih", 0, 0).click()
        explorer.root.locator(".field input").evaluate(
            """(field, text) => {
                const data = new DataTransfer();
                data.setData("text", text);
                field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true }));
            }""",
            text,
        )

    paste("1\t2\t3\n4\t5\t6")
    explorer.expect_value(2.0, "W_ih", 1, 0)
    explorer.expect_value(4.0, "W_ih", 0, 1)
    paste("1\t2\n3\t4\n5\t6")
    expect(explorer.root.locator(".field-note")).to_contain_text("The pasted table is 3 × 2, but W_ih is 2 × 3 here")
    page.keyboard.press("Escape")
    explorer.expect_value(2.0, "W_ih", 1, 0)
    explorer.cell("W_ih", 2, 0).hover()
    expect(explorer.root.locator(".arithmetic")).to_contain_text("Wxh[1,3]")
