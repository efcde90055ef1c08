"""Pointing at a number, by mouse, finger and keyboard: what it is made of stays bright, the arithmetic stands below."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from rnnviz.views.numbers import written
from tests.browser.conftest import AppServer, PageMaker
from tests.browser.test_hooks import Explorer, open_explorer

_LIT = "root => [...root.querySelectorAll('.scene .lit')].map(({dataset: d}) => `${d.var} ${d.index}`).sort()"
_BLOCK_IN_FOCUS = """() => {
    let element = document.activeElement;
    while (element.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element.closest("[data-block]")?.dataset.block ?? null;
}"""


def lit(explorer: Explorer) -> set[str]:
    """The numbers of the scene that stay bright, as ``"W_hh 2,0"``."""
    return set(explorer.root.evaluate(_LIT))


def opacity(explorer: Explorer, var: str, *index: int) -> float:
    """How strongly a number is drawn."""
    return float(explorer.cell(var, *index).evaluate("cell => getComputedStyle(cell).opacity"))


def leave(explorer: Explorer) -> None:
    """Move the mouse out of the explorer."""
    explorer.page.get_by_test_id("stSidebarNav").hover()


def arithmetic(explorer: Explorer) -> str:
    """The line below the scene, without its thin spaces and with plain minus signs."""
    text = explorer.root.locator(".arithmetic").inner_text()
    return re.sub(r"\s+", "", text).replace("−", "-")


def test_hovering_a_result_shows_what_made_it(server: AppServer, page: Page) -> None:
    """Its row of both matrices and both vectors stay bright, all else dims, and each product stands in the line."""
    explorer = open_explorer(page, server)
    explorer.cell("h", 2).hover()
    row = {f"{matrix} 2,{j}" for matrix, columns in (("W_ih", 2), ("W_hh", 3)) for j in range(columns)}
    units = {f"{name} 2" for name in ("h", "a", "from_x", "from_h", "b_ih", "b_hh")}
    vectors = {"x 0", "x 1", "h_prev 0", "h_prev 1", "h_prev 2"}
    assert lit(explorer) == row | units | vectors
    assert opacity(explorer, "W_hh", 2, 1) == 1
    assert opacity(explorer, "W_hh", 0, 1) < 0.5
    line = arithmetic(explorer)
    for term in ("0.5·0.5", "0.6·(-0.3)", "+0.03", "(-0.1)·0.1", "0.8·0.2", "0.9·(-0.1)", "+0.06", "tanh("):
        assert term in line
    assert line.endswith("≈0.2165")

    explorer.cell("from_x", 1).hover()
    assert lit(explorer) == {"from_x 1", "W_ih 1,0", "W_ih 1,1", "x 0", "x 1", "b_ih 1"}
    line = arithmetic(explorer)
    for term in ("(-0.3)·0.5", "0.4·(-0.3)", "+0.02"):
        assert term in line
    assert line.endswith("=-0.25")

    leave(explorer)
    assert opacity(explorer, "W_hh", 0, 1) == 1


def test_the_arithmetic_follows_the_step(server: AppServer, page: Page) -> None:
    """A pinned number keeps its line while a person steps; its value is the one in the cell."""
    explorer = open_explorer(page, server)
    explorer.cell("y", 0).click()
    for t in (2, 3):
        page.keyboard.press("ArrowRight")
        explorer.expect_step(t)
        shown = explorer.cell("y", 0).text_content() or ""
        assert arithmetic(explorer).endswith(shown.replace("−", "-"))
        state = written(explorer.read().array("h")[0]).replace("−", "-")
        assert f"0.6·{state}" in arithmetic(explorer)


def test_the_identity_says_its_value_once(server: AppServer, page: Page) -> None:
    """h is its own sum a, which needs no segment of its own."""
    explorer = open_explorer(page, server, preset="echo")
    explorer.cell("h", 0).hover()
    assert arithmetic(explorer).endswith("=0.1+0=0.1")


def test_the_largest_product_is_marked_and_said(server: AppServer, page: Page) -> None:
    """Of the products of an input or a state with its weight; the worked example's are known."""
    explorer = open_explorer(page, server)
    explorer.cell("h", 1).hover()
    marked = explorer.root.locator(".arithmetic .largest")
    expect(marked).to_have_count(1)
    expect(marked).to_have_css("text-decoration-line", "underline")
    expect(marked).to_have_text("(−0.3)·0.5 (largest product)")
    screen = explorer.read()
    products = [*screen.array("W_ih")[1] * screen.array("x"), *screen.array("W_hh")[1] * screen.array("h_prev")]
    assert max(abs(product) for product in products) == abs(-0.3 * 0.5)


def test_a_phone_keeps_the_arithmetic_of_a_tapped_number_in_sight(server: AppServer, new_page: PageMaker) -> None:
    """At the bottom edge, wherever the number stands, in the picture or in the strip."""
    page = new_page(has_touch=True, viewport={"width": 360, "height": 740})
    for path, var in (("hidden_state", "a"), ("lstm_gates", "c")):
        explorer = open_explorer(page, server, path)
        for cell in (explorer.cell(var, 1), explorer.cell("b_ih", 0)):
            cell.scroll_into_view_if_needed()
            cell.tap()
            page.keyboard.press("Escape")
            line = explorer.root.locator(".arithmetic").bounding_box()
            assert line is not None
            assert line["y"] + line["height"] <= 740
            assert line["y"] >= 740 - 320


def test_a_click_pins_a_result_and_escape_frees_it(server: AppServer, page: Page) -> None:
    """A pinned result stays bright while the mouse wanders."""
    explorer = open_explorer(page, server)
    a = explorer.cell("a", 1)
    a.click()
    expect(a).to_have_class(re.compile(r"\bpinned\b"))
    explorer.cell("h", 0).hover()
    assert "a 1" in lit(explorer)
    assert "h 0" not in lit(explorer)
    leave(explorer)
    assert opacity(explorer, "W_hh", 0, 1) < 0.5
    page.keyboard.press("Escape")
    expect(a).not_to_have_class(re.compile(r"\bpinned\b"))
    explorer.cell("h", 0).hover()
    assert "h 0" in lit(explorer)


def test_a_finger_taps_a_result_and_a_weight(server: AppServer, new_page: PageMaker) -> None:
    """On a touch screen a tap pins a result, a second tap frees it, and a tap on a weight opens its field."""
    explorer = open_explorer(new_page(has_touch=True), server)
    h = explorer.cell("h", 2)
    h.tap()
    expect(h).to_have_class(re.compile(r"\bpinned\b"))
    assert "W_hh 2,1" in lit(explorer)
    h.tap()
    expect(h).not_to_have_class(re.compile(r"\bpinned\b"))
    explorer.cell("W_hh", 0, 0).tap()
    expect(explorer.root.get_by_role("textbox")).to_be_focused()


def test_hovering_a_weight_marks_all_its_uses_over_time(server: AppServer, page: Page) -> None:
    """A weight is shared: a mark at each of the T steps, and the line says where it goes."""
    explorer = open_explorer(page, server)
    marks = explorer.root.locator(".timeline rect.use")
    expect(marks).to_have_count(0)
    explorer.cell("W_hh", 2, 1).hover()
    expect(marks).to_have_count(8)
    boxes = [mark.bounding_box() for mark in marks.all()]
    states = [explorer.cell("h", 2, step=t).locator("rect").first.bounding_box() for t in range(1, 9)]
    for mark, state in zip(boxes, states, strict=True):
        assert mark is not None
        assert state is not None
        assert mark["x"] == pytest.approx(state["x"], abs=2)
        assert mark["y"] == pytest.approx(state["y"], abs=2)
    assert lit(explorer) == {"W_hh 2,1", "h_prev 1", "from_h 2"}
    assert "0.8·0.2=0.16" in arithmetic(explorer)
    leave(explorer)
    expect(marks).to_have_count(0)


def test_focus_does_what_hovering_does(server: AppServer, page: Page) -> None:
    """Tab goes from block to block in the order of the computation, Alt with arrows among the cells of one."""
    explorer = open_explorer(page, server)
    explorer.cell("W_ih", 0, 0).focus()
    blocks = []
    for _ in range(16):
        blocks.append(page.evaluate(_BLOCK_IN_FOCUS))
        page.keyboard.press("Tab")
    scene = ["W_ih", "x", "b_ih", "from_x", "W_hh", "h_prev", "b_hh", "from_h", "a", "h", "W_ho", "b_o", "y"]
    assert blocks == [*scene, "x", "h", "y"]

    explorer.cell("W_hh", 0, 0).focus()
    for key, place in [("ArrowDown", (1, 0)), ("ArrowRight", (1, 1)), ("ArrowUp", (0, 1)), ("ArrowLeft", (0, 0))]:
        page.keyboard.press(f"Alt+{key}")
        expect(explorer.cell("W_hh", *place)).to_be_focused()
    page.keyboard.press("Alt+ArrowLeft")
    expect(explorer.cell("W_hh", 0, 0)).to_be_focused()
    assert lit(explorer) == {"W_hh 0,0", "h_prev 0", "from_h 0"}
    explorer.expect_step(1)


def test_enter_opens_a_field_on_an_editable_number_and_pins_a_result(server: AppServer, page: Page) -> None:
    """And Escape leaves either, with the focus back on the number."""
    explorer = open_explorer(page, server)
    field = explorer.root.get_by_role("textbox")
    weight, result = explorer.cell("b_hh", 1), explorer.cell("from_h", 1)
    weight.focus()
    page.keyboard.press("Enter")
    expect(field).to_be_focused()
    expect(field).to_have_value("0.05")
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    expect(weight).to_be_focused()

    result.focus()
    page.keyboard.press("Enter")
    expect(field).to_be_hidden()
    expect(result).to_have_class(re.compile(r"\bpinned\b"))
    assert "W_hh 1,2" in lit(explorer)
    page.keyboard.press("Escape")
    expect(result).not_to_have_class(re.compile(r"\bpinned\b"))
