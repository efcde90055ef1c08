"""Drawing the input: by mouse, finger and keys; the explorer follows along the stroke, and the address."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import AppServer, assert_accessible, unfold
from tests.browser.test_controls import choose
from tests.browser.test_hooks import Explorer, eventually, expect_query, open_explorer, query_of
from tests.browser.test_looks import LOOKS, PHONE, assert_in_view, assert_no_sideways_scrolling

QUIET = {"preset": "random", "input": "silence"}


class Pad:
    """The pad on the page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.root = page.get_by_test_id("drawing-pad")
        self.slider = self.root.get_by_role("slider")

    def open(self) -> Pad:
        """Unfold it, and bring it to rest in the window."""
        unfold(self.page.locator("summary", has_text="Draw the input"))
        return self.rest()

    def rest(self) -> Pad:
        expect(self.root.locator("svg")).to_be_visible()
        eventually(self.page, self._rests, True)
        return self

    def _rests(self) -> bool:
        """Bring it to the middle of the window, and see whether what comes late moved it away."""
        middle = "pad => { const box = pad.getBoundingClientRect(); return (box.top + box.bottom) / 2 / innerHeight; }"
        self.root.evaluate("pad => pad.scrollIntoView({ block: 'center', behavior: 'instant' })")
        before = self.root.evaluate(middle)
        self.page.wait_for_timeout(300)
        return bool(self.root.evaluate(middle) == before and 0.25 < before < 0.75)

    def place(self, step: float, value: float) -> tuple[float, float]:
        """Where a value of a step stands in the window; halves of a step are between the middles of two."""
        frames = self.root.locator(".bar-of .body")
        first, last = frames.first.bounding_box(), frames.last.bounding_box()
        lines = self.root.locator(".line:not(.zero)")
        top, bottom = lines.first.bounding_box(), lines.last.bounding_box()
        assert first
        assert last
        assert top
        assert bottom
        count = frames.count()
        pitch = (last["x"] - first["x"]) / max(1, count - 1)
        middle, reach = (top["y"] + bottom["y"]) / 2, (bottom["y"] - top["y"]) / 2
        return first["x"] + first["width"] / 2 + (step - 1) * pitch, middle - value * reach

    def draw(self, *places: tuple[float, float], samples: int = 1, release: bool = True) -> None:
        """A stroke of the mouse through places, each a step and a value; few samples are a fast hand."""
        mouse = self.page.mouse
        mouse.move(*self.place(*places[0]))
        mouse.down()
        for place in places[1:]:
            mouse.move(*self.place(*place), steps=samples)
        if release:
            mouse.up()

    @property
    def values(self) -> list[float]:
        """The values that it shows."""
        return [
            float(value) for value in self.root.locator(".bar-of").evaluate_all("all => all.map(b => b.dataset.value)")
        ]


def x_of(explorer: Explorer, component: int = 0) -> list[float]:
    """One component of the input over time, as the explorer shows it."""
    shown: list[float] = explorer.read().array("x", over_time=True)[:, component].tolist()
    return shown


def written(page: Page) -> list[list[float]]:
    """The sequence in the address."""
    return [[float(number) for number in row.split(",")] for row in query_of(page).get("x", "0").split(";")]


def test_a_person_draws_a_stroke(server: AppServer, page: Page) -> None:
    """While it is drawn the pad alone follows; the explorer and the address take it when it ends, and Back undoes."""
    explorer = open_explorer(page, server, **QUIET, steps=12)
    pad = Pad(page).open()
    entries = page.evaluate("history.length")
    pad.draw((2, 0.8), (7, -0.7), (11, 0.6), samples=30, release=False)
    drawn = pad.values
    np.testing.assert_allclose(drawn[1:11], np.interp(range(2, 12), [2, 7, 11], [0.8, -0.7, 0.6]), atol=0.17)
    assert drawn[0] == drawn[11] == 0.0
    page.wait_for_timeout(400)
    assert not explorer.read().array("x", over_time=True).any()
    assert query_of(page) == {key: str(value) for key, value in QUIET.items()} | {"steps": "12"}
    page.mouse.up()
    eventually(page, lambda: x_of(explorer), drawn)
    assert not any(x_of(explorer, 1))
    assert all(value == round(value, 2) for value in drawn)
    eventually(page, lambda: [row[0] for row in written(page)], drawn)
    assert explorer.read().differences() == []
    assert page.evaluate("history.length") == entries + 1

    page.reload()
    eventually(page, lambda: x_of(explorer), drawn)
    expect(pad.root).to_have_count(0)
    page.go_back()
    eventually(page, lambda: any(x_of(explorer)), False)
    assert "x" not in query_of(page)


def test_a_fast_stroke_leaves_no_gap(server: AppServer, page: Page) -> None:
    """Two places of the pointer alone: all steps between them stand on the line."""
    explorer = open_explorer(page, server, **QUIET, steps=60)
    pad = Pad(page).open()
    pad.draw((1, -1), (60, 1))
    eventually(page, lambda: x_of(explorer)[-1], 1.0)
    np.testing.assert_allclose(x_of(explorer), np.linspace(-1, 1, 60), atol=0.021)
    pad.draw((60, 1.2), (30, 4), (1, 1.2))  # beyond the edge is the edge
    eventually(page, lambda: x_of(explorer), [1.0] * 60)


def test_strokes_in_quick_succession_all_count(server: AppServer, page: Page) -> None:
    """Also those that begin before the answer to the last."""
    explorer = open_explorer(page, server, **QUIET, steps=16)
    pad = Pad(page).open()
    for step in range(1, 17):
        pad.draw((step, 0.5), (step, step / 20))
    drawn = pad.values
    np.testing.assert_allclose(drawn, np.arange(1, 17) / 20, atol=0.02)
    eventually(page, lambda: x_of(explorer), drawn)
    eventually(page, lambda: [row[0] for row in written(page)], drawn)
    assert pad.values == drawn


def test_a_person_draws_with_keys(server: AppServer, page: Page) -> None:
    """Arrows, Home and End; what was typed is sent after a pause, once."""
    explorer = open_explorer(page, server, **QUIET)
    pad = Pad(page).open()
    pad.slider.focus()
    entries = page.evaluate("history.length")
    for key in ("ArrowRight", "ArrowRight", "ArrowUp", "Shift+ArrowUp", "End", "ArrowDown", "Home", "Shift+ArrowDown"):
        pad.slider.press(key)
    expect(pad.slider).to_have_attribute("aria-valuetext", re.compile(r"step 1: .0\.25"))
    wanted = [-0.25, 0, 0.3, 0, 0, 0, 0, -0.05]
    eventually(page, lambda: x_of(explorer), wanted)
    assert page.evaluate("history.length") == entries + 1
    explorer.expect_step(1)
    for _ in range(5):
        pad.slider.press("Shift+ArrowDown")
    eventually(page, lambda: x_of(explorer)[0], -1.5)
    expect(pad.slider).to_have_attribute("aria-valuemin", "-2")  # the scale makes room
    assert pad.values[0] == -1.5
    expect(pad.slider).to_be_focused()


def test_another_component_is_chosen_and_zeroed(server: AppServer, page: Page) -> None:
    """The others stand behind it, and stay as they are."""
    explorer = open_explorer(page, server)
    first = x_of(explorer)
    pad = Pad(page).open()
    assert pad.values == first
    pad.root.get_by_text("x₂", exact=True).click()
    eventually(page, lambda: pad.values, x_of(explorer, 1))
    pad.draw((3, 0), (5, 0))
    eventually(page, lambda: x_of(explorer, 1)[2:5], [0.0, 0.0, 0.0])
    assert x_of(explorer) == first
    pad.root.get_by_role("button", name="Set x").click()
    eventually(page, lambda: any(x_of(explorer, 1)), False)
    assert x_of(explorer) == first
    pad.root.get_by_role("radio").last.press("ArrowLeft")
    eventually(page, lambda: pad.values, first)


def test_your_own_begins_with_what_is_there_and_takes_it_back(server: AppServer, page: Page) -> None:
    """It opens the pad with the preset's sequence; typing and drawing go hand in hand."""
    explorer = open_explorer(page, server)
    x = x_of(explorer)
    choose(page, "Input sequence", "your own")
    pad = Pad(page).rest()
    assert pad.values == x
    pad.draw((1, 1), (1, 1))
    field = page.get_by_role("textbox", name="Type or paste")
    expect(field).to_have_value(re.compile(r"1,-0\.3\n"))
    field.fill("0.5, 0.25\n3, 0.125")
    field.press("Control+Enter")
    eventually(page, lambda: pad.values, [0.5, 3.0])
    expect_query(page, {"x": "0.5,0.25;3,0.125"})
    choose(page, "Input sequence", "zeros")
    eventually(page, lambda: any(pad.values), False)
    expect(pad.slider).to_have_attribute("aria-valuemax", "1")


@pytest.mark.allow_console_errors(
    "ERR_CONNECTION_REFUSED", "not responding", "No response received", "when disconnected from server"
)
def test_a_stroke_survives_a_restarted_server(make_server: Callable[..., AppServer], page: Page) -> None:
    """What was drawn while it was away is sent again to the new one."""
    server = make_server()
    explorer = open_explorer(page, server, **QUIET)
    pad = Pad(page).open()
    server.kill()
    pad.draw((2, 0.5), (4, 0.5))
    drawn = pad.values
    expect(pad.root.get_by_role("status")).to_be_visible()
    server.start()
    eventually(page, lambda: x_of(explorer), drawn)
    expect(pad.root.get_by_role("status")).to_be_hidden()


@pytest.mark.own_page
@pytest.mark.parametrize("viewport", [PHONE], ids=["phone"])
def test_a_finger_draws_and_does_not_scroll(server: AppServer, new_page: Callable[..., Page]) -> None:
    page = new_page(has_touch=True)
    explorer = open_explorer(page, server, **QUIET, input_size=1)
    pad = Pad(page).open()
    main = page.get_by_test_id("stMain")
    before = main.evaluate("main => main.scrollTop")
    fingers = page.context.new_cdp_session(page)

    def touch(kind: str, *places: tuple[float, float]) -> None:
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in places]})

    touch("touchStart", pad.place(2, 0.9))
    for share in np.linspace(0, 1, 12):
        touch("touchMove", pad.place(2 + 4 * share, 0.9 - 1.8 * share))
        page.wait_for_timeout(16)
    touch("touchEnd")
    eventually(page, lambda: any(x_of(explorer)), True)
    np.testing.assert_allclose(x_of(explorer)[1:6], np.linspace(0.9, -0.9, 5), atol=0.25)
    assert main.evaluate("main => main.scrollTop") == before


@LOOKS
def test_axe_finds_nothing_in_the_pad(server: AppServer, page: Page) -> None:
    """Open, with the keys on it, and with a menu of many components; nothing is wider than the window."""
    open_explorer(page, server)
    pad = Pad(page).open()
    pad.slider.focus()
    assert_accessible(page)
    assert_no_sideways_scrolling(page)
    for part in ("svg", "button"):
        pad.root.locator(part).scroll_into_view_if_needed()
        assert_in_view(page, pad.root.locator(part))
    open_explorer(page, server, **QUIET, input_size=12, steps=60)
    pad.open()
    pad.root.get_by_role("combobox", name="Component").select_option("x₁₂")
    expect(pad.slider).to_have_attribute("aria-label", re.compile("x 12 of 12"))
    assert_accessible(page)
    assert_no_sideways_scrolling(page)


def test_the_pad_stands_in_line_with_the_timeline(server: AppServer, page: Page) -> None:
    """A step is a column from the inputs down to the pad."""
    explorer = open_explorer(page, server)
    pad = Pad(page).open()

    def edges(element: Locator) -> tuple[float, float]:
        box = element.bounding_box()
        assert box
        return box["x"], box["x"] + box["width"]

    for t in (1, 8):
        above = edges(explorer.cell("x", 0, step=t).locator("rect").first)
        below = edges(pad.root.locator(f'.bar-of[data-step="{t}"] .body'))
        np.testing.assert_allclose(below, above, atol=2)
