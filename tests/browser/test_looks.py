"""Seen by everyone: axe-core, contrast, light and dark, a phone, and what stands above the fold."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.conftest import AppServer, assert_accessible, settle, unfold, visit
from tests.browser.test_hooks import expect_query, open_explorer

WIDE, PHONE = {"width": 1280, "height": 720}, {"width": 360, "height": 740}
LOOKS = pytest.mark.parametrize(
    ("viewport", "color_scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide-light", "phone-dark"]
)
"""Both windows and both themes: what a theme does wrong it does in either window."""
AA = 4.5
PATHS = ["hidden_state", ""]

# The smallest contrast of a number with its cell, by WCAG 2.
_LEAST_CONTRAST = """root => {
    const luminance = (colour) => {
        const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map((part) => {
            const share = part / 255;
            return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (cell) => {
        const [ink, ground] = ["text", "rect"].map((tag) => luminance(getComputedStyle(cell.querySelector(tag)).fill));
        return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    };
    const cells = [...root.querySelectorAll("[data-var]")].filter((cell) => cell.querySelector("text"));
    return [cells.length, Math.min(...cells.map(contrast))];
}"""


def assert_in_view(page: Page, element: Locator) -> None:
    """It lies in the window without scrolling."""
    box, window = element.bounding_box(), page.viewport_size
    assert box is not None
    assert window is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= window["width"]
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= window["height"]


def assert_no_sideways_scrolling(page: Page) -> None:
    """The page is as wide as its window."""
    assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth")
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")


@LOOKS
def test_axe_finds_nothing(server: AppServer, page: Page, color_scheme: str) -> None:
    """On both pages, with a pinned result, an edited number and its ghost, an open field, the table of numbers."""
    explorer = open_explorer(page, server)
    assert explorer.root.get_attribute("data-theme") == color_scheme
    for summary in explorer.root.locator("summary").all():
        unfold(summary)
    expect(explorer.root.locator("table")).to_be_visible()
    explorer.cell("h", 2).click()
    explorer.type_into("-1.4", "W_hh", 0, 0)
    explorer.expect_value(-1.4, "W_hh", 0, 0)
    explorer.cell("b_ih", 1).click()
    page.keyboard.type("one")
    page.keyboard.press("Enter")
    expect(explorer.root.locator(".field").get_by_role("alert")).to_contain_text("one")
    assert_accessible(page)

    page.goto(server.url())
    settle(page)
    expect(explorer.cell("h", 0)).to_be_visible()
    assert_accessible(page)


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_every_number_is_readable(server: AppServer, page: Page, color_scheme: str) -> None:
    """Contrast AA with its cell, however strong the colours."""
    explorer = open_explorer(page, server)
    for preset in ("Worked example", "Saturated", "Chaotic"):
        page.get_by_text(preset, exact=True).click()
        expect_query(page, {} if preset == "Worked example" else {"preset": preset.lower()})
        assert explorer.root.get_attribute("data-theme") == color_scheme
        count, least = explorer.root.evaluate(_LEAST_CONTRAST)
        assert count > 50
        assert least >= AA


@pytest.mark.parametrize("path", PATHS, ids=["hidden_state", "home"])
def test_the_main_picture_stands_above_the_fold(server: AppServer, page: Page, path: str) -> None:
    """The step, its arithmetic and what to notice, at 1280 x 720, without scrolling."""
    explorer = open_explorer(page, server, path)
    for part in (".bar", ".scene svg", ".arithmetic", ".notice"):
        assert_in_view(page, explorer.root.locator(part))
    for part in (".scene", ".timeline"):
        assert explorer.root.locator(part).evaluate("part => part.scrollWidth <= part.clientWidth")
    assert_no_sideways_scrolling(page)
    page.set_viewport_size({"width": 640, "height": 360})  # the same window at 200 %
    expect(explorer.cell("h", 0)).to_be_visible()
    assert_no_sideways_scrolling(page)


@pytest.mark.parametrize("viewport", [PHONE], ids=["phone"])
def test_a_phone_reaches_everything(server: AppServer, page: Page) -> None:
    """Nothing is wider than the window; buttons, numbers, the field and the sidebar can be pressed."""
    explorer = open_explorer(page, server)
    assert_no_sideways_scrolling(page)
    for name in ("First", "Previous", "Play", "Next", "Last", "1×"):
        button = explorer.button(name)
        button.scroll_into_view_if_needed()
        assert_in_view(page, button)
    explorer.button("Next").click()
    explorer.expect_step(2)
    for name in ("Worked example", "Echo", "Counter", "Oscillator", "Saturated", "Chaotic", "Random"):
        preset = page.get_by_text(name, exact=True)
        preset.scroll_into_view_if_needed()
        assert_in_view(page, preset)
    for cell in explorer.root.locator(".scene [data-var]").all():
        cell.scroll_into_view_if_needed()
        assert_in_view(page, cell)
    explorer.cell("W_ho", 0, 2).click()
    assert_in_view(page, explorer.root.locator(".field"))
    assert_no_sideways_scrolling(page)
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    explorer.expect_value(0.5, "W_ho", 0, 2)

    page.get_by_test_id("stExpandSidebarButton").click()
    for control in page.get_by_test_id("stSidebar").get_by_role("slider").all():
        control.scroll_into_view_if_needed()  # waits until the sidebar rests; one that peeps in it leaves there
        control.evaluate("control => control.scrollIntoView({block: 'center'})")
        assert_in_view(page, control)


# The smallest font size of all texts, and the texts of the picture that lie on one another.
_FONTS_AND_OVERLAPS = """root => {
    const shown = (element) => { const { width, height } = element.getBoundingClientRect(); return width && height; };
    const drawn = [...root.querySelectorAll("svg text, svg tspan")].filter((text) => text.textContent && shown(text));
    const sizes = drawn.map((text) => parseFloat(getComputedStyle(text).fontSize));
    const kinds = ["label", "sign", "loop-label", "plot-name", "plot-slope", "tick", "band-title", "lane"];
    const boxes = [...root.querySelectorAll(kinds.map((kind) => `.scene text.${kind}`).join())].filter(shown);
    const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1.5
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
    const places = boxes.map((text) => [text.textContent, text.getBoundingClientRect()]);
    const met = ([a, one], later) => later.filter(([, other]) => meet(one, other)).map(([b]) => `${a} on ${b}`);
    const over = places.flatMap((place, i) => met(place, places.slice(i + 1)));
    return [Math.min(...sizes), over];
}"""

PICTURES: list[tuple[str, dict[str, object]]] = [
    ("hidden_state", {}),
    ("hidden_state", {"hidden_size": 64, "input_size": 40}),
    ("hidden_state", {"input": "text"}),
    ("lstm_gates", {}),
    ("lstm_gates", {"preset": "random"}),
    ("lstm_gates", {"preset": "random", "hidden_size": 64, "input_size": 40}),
    ("gru_gates", {"preset": "random", "reset": "before"}),
]


@pytest.mark.parametrize(("path", "query"), PICTURES, ids=[f"{path} {query}" for path, query in PICTURES])
def test_texts_are_legible_and_the_strip_stays_on_screen(
    server: AppServer, page: Page, path: str, query: dict[str, object]
) -> None:
    """At 1280 x 720: nothing under 11 px, no text on another, and stepping moves the frame of a strip in sight."""
    explorer = open_explorer(page, server, path, **query)
    smallest, over = explorer.root.evaluate(_FONTS_AND_OVERLAPS)
    assert smallest >= 11
    assert over == []
    strip, frame = explorer.root.locator(".timeline"), explorer.root.locator(".timeline .frame")
    assert_in_view(page, strip)
    assert_in_view(page, explorer.root.locator(".arithmetic"))
    before = frame.bounding_box()
    page.keyboard.press("ArrowRight")
    explorer.expect_step(2)
    after = frame.bounding_box()
    assert before is not None
    assert after is not None
    assert after["x"] > before["x"]


# Numbers whose text is wider than its cell or squeezed, of the picture and of the strip.
_CRAMPED = """root => [...root.querySelectorAll(".cell")].filter((cell) => {
    const [text, face] = ["text", ".face"].map((part) => cell.querySelector(part));
    return text && (text.hasAttribute("textLength") || text.getComputedTextLength() > face.getBBox().width);
}).map((cell) => `${cell.getAttribute("data-var")} ${cell.querySelector("text").textContent}`)"""

CRAMPED: list[tuple[str, dict[str, object]]] = [
    ("hidden_state", {"preset": "saturated"}),
    ("hidden_state", {"preset": "saturated", "steps": 30}),
    ("lstm_gates", {"preset": "bracket_depth"}),
    ("lstm_gates", {}),
    ("bptt_rtrl", {"preset": "first_step_lstm"}),
    ("bptt_rtrl", {"preset": "first_step_lstm", "cell": "gru", "t": 3}),
]


@pytest.mark.parametrize("viewport", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize(("path", "query"), CRAMPED, ids=[f"{path} {query}" for path, query in CRAMPED])
def test_no_number_is_squeezed_or_wider_than_its_cell(
    server: AppServer, page: Page, path: str, query: dict[str, object]
) -> None:
    visit(page, server.url(path, **query))
    root = page.get_by_test_id("cell-explorer")
    expect(root.locator(".scene .cell").first).to_be_visible()
    assert root.evaluate(_CRAMPED) == []


# Lines in the colour of a number before its edit that touch the digits of the new one, or lie in a cell without digits.
_OVER_DIGITS = """root => [...root.querySelectorAll(".ghost")].filter((ghost) => {
    const text = ghost.parentElement.querySelector("text");
    const feet = text && Number(text.getAttribute("y")) + 0.38 * Number(text.getAttribute("font-size"));
    return !text || Number(ghost.getAttribute("y")) < feet;
}).map((ghost) => ghost.parentElement.getAttribute("data-var"))"""


@pytest.mark.parametrize("steps", [8, 60])
@pytest.mark.parametrize("path", ["hidden_state", "lstm_gates"])
def test_the_colour_before_an_edit_leaves_the_number_readable(
    server: AppServer, page: Page, path: str, steps: int
) -> None:
    """It is a line below the digits, however low the row; where colours alone are shown there is none."""
    explorer = open_explorer(page, server, path, preset="random", steps=steps)
    explorer.type_into("-1.25", "W_ih", 0, 1)
    expect(explorer.root.locator(".ghost").first).to_be_attached()
    assert explorer.root.evaluate(_OVER_DIGITS) == []


# How far the lowest number and the lowest line of the picture reach below what stays at the lower edge of the window.
_COVERED = """root => {
    const drawn = [...root.querySelectorAll(".scene .cell, .scene .arrows path")];
    const lowest = Math.max(...drawn.map((element) => element.getBoundingClientRect().bottom));
    return Math.max(0, lowest - root.querySelector(".arithmetic").getBoundingClientRect().top);
}"""

WHOLE: list[tuple[str, dict[str, object], int]] = [
    ("bptt_rtrl", {}, 0),
    ("bptt_rtrl", {"preset": "first_step"}, 0),
    ("hidden_state", {}, 0),
    ("lstm_gates", {}, 0),
    ("gru_gates", {}, 0),
    ("gru_gates", {"preset": "random", "hidden_size": 64}, 0),
    ("lstm_gates", {"preset": "bracket_depth"}, 0),
    ("lstm_gates", {"preset": "random", "hidden_size": 64}, 0),
    ("lstm_gates", {"preset": "random", "hidden_size": 5}, 0),
    ("lstm_gates", {"preset": "binary_counter"}, 0),
    ("hidden_state", {"preset": "chaotic"}, 0),
]
"""Pictures, and how much of their lowest line may wait for scrolling at 1280 x 720."""


@pytest.mark.parametrize(("path", "query", "most"), WHOLE, ids=[f"{path} {query}" for path, query, _ in WHOLE])
def test_the_strip_gives_way_to_the_picture(
    server: AppServer, page: Page, path: str, query: dict[str, object], most: int
) -> None:
    """Nothing of a picture hides below the arithmetic and the strip where it has room in the window."""
    visit(page, server.url(path, **query))
    root = page.get_by_test_id("cell-explorer")
    expect(root.locator(".scene .cell").first).to_be_visible()
    assert_in_view(page, root.locator(".timeline"))
    assert root.evaluate(_COVERED) <= most
    expect(root.locator(".more-hint")).to_be_hidden()  # nor does any of it lie at the right of the window
    assert root.locator(".timeline").evaluate("strip => strip.scrollWidth <= strip.clientWidth")


@pytest.mark.parametrize("path", ["lstm_gates", "gru_gates"])
@pytest.mark.parametrize("units", [3, 4])
def test_a_gated_cell_of_few_units_shows_every_weight(server: AppServer, page: Page, path: str, units: int) -> None:
    """At 1280 x 720, as numbers."""
    explorer = open_explorer(page, server, path, preset="random", hidden_size=units)
    assert explorer.root.locator(".scene .heat-area").count() == 0
    assert (
        explorer.root.locator('.scene [data-var="W_hh"] text').count() == (4 if path == "lstm_gates" else 3) * units**2
    )


@pytest.mark.parametrize("notation", ["row", "joined"])
def test_a_name_at_the_left_edge_is_whole(server: AppServer, page: Page, notation: str) -> None:
    explorer = open_explorer(page, server, notation=notation)
    edge = explorer.root.locator(".scene").bounding_box()
    assert edge is not None
    for label in explorer.root.locator(".scene text.label").all():
        box = label.bounding_box()
        assert box is not None
        assert box["x"] >= edge["x"]


SENTENCES: list[tuple[str, dict[str, object], bool]] = [
    ("bptt_rtrl", {}, True),
    ("bptt_rtrl", {"preset": "clip_cannot"}, False),
    ("hidden_state", {"preset": "chaotic"}, True),
    ("hidden_state", {"preset": "random", "hidden_size": 6}, True),
    ("lstm_gates", {"preset": "binary_counter"}, True),
    ("lstm_gates", {"preset": "copy_forever"}, False),
    ("lstm_gates", {"preset": "random", "hidden_size": 64}, False),
    ("gru_gates", {"preset": "parity"}, True),
]
"""Pictures, and whether there is room for their sentences above the arithmetic at 1280 x 720."""


@pytest.mark.parametrize(("path", "query", "above"), SENTENCES, ids=[f"{path} {query}" for path, query, _ in SENTENCES])
def test_no_sentence_is_cut_off_by_the_arithmetic(
    server: AppServer, page: Page, path: str, query: dict[str, object], above: bool
) -> None:
    """At each step they stand whole above it, or below the strip."""
    visit(page, server.url(path, **query))
    root = page.get_by_test_id("cell-explorer")
    expect(root.locator(".scene .cell").first).to_be_visible()
    for step in range(8):
        page.keyboard.press("ArrowLeft" if path == "bptt_rtrl" else "ArrowRight")
        notice, line, strip = (root.locator(part).bounding_box() for part in (".notice", ".arithmetic", ".timeline"))
        assert notice is not None
        assert line is not None
        assert strip is not None
        if above:
            assert notice["y"] + notice["height"] <= line["y"], step
        else:
            assert notice["y"] >= strip["y"] + strip["height"], step


@pytest.mark.parametrize("viewport", [WIDE, {"width": 1440, "height": 900}], ids=["720", "900"])
@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_time_stays_in_the_window_beside_a_tall_picture(
    server: AppServer, page: Page, cell: str, viewport: ViewportSize
) -> None:
    """A step shows in the strip, which never leaves the window; all of the picture can be scrolled clear of it."""
    visit(page, server.url("bptt_rtrl", preset="first_step", cell=cell))
    root = page.get_by_test_id("cell-explorer")
    expect(root.locator(".scene .cell").first).to_be_visible()
    line, strip, frame = root.locator(".arithmetic"), root.locator(".timeline"), root.locator(".timeline .frame")
    assert_in_view(page, line)
    assert_in_view(page, strip)
    assert root.evaluate(_COVERED) > 0  # else this picture is not tall
    before = frame.bounding_box()
    page.keyboard.press("ArrowLeft")
    expect(root).to_have_attribute("data-t", "19")
    after = frame.bounding_box()
    assert before is not None
    assert after is not None
    assert after["x"] < before["x"]
    page.mouse.move(viewport["width"] / 2, viewport["height"] / 2)
    page.mouse.wheel(0, root.evaluate(_COVERED))
    uncovered = "([root, covered]) => eval(`(${covered})`)(root) === 0"
    page.wait_for_function(uncovered, arg=[root.element_handle(), _COVERED])
    assert_in_view(page, strip)


@pytest.mark.parametrize("viewport", [PHONE, {"width": 320, "height": 568}], ids=["phone", "small"])
@pytest.mark.parametrize("name", ["h", "y"])
def test_a_phone_shows_what_a_long_sum_comes_to(server: AppServer, page: Page, name: str) -> None:
    """The line of arithmetic scrolls; its result stands within the part that shows."""
    visit(page, server.url("hidden_state", preset="chaotic"))
    root = page.get_by_test_id("cell-explorer")
    cell = root.locator(f'.scene [data-var="{name}"]').last
    cell.scroll_into_view_if_needed()
    cell.click()
    line, result = root.locator(".arithmetic"), root.locator(".arithmetic > .result")
    expect(result).to_contain_text("≈")
    frame, shown = line.bounding_box(), result.bounding_box()
    assert frame is not None
    assert shown is not None
    assert frame["y"] <= shown["y"]
    assert shown["y"] + shown["height"] <= frame["y"] + frame["height"]


@pytest.mark.parametrize("viewport", [PHONE], ids=["phone"])
def test_a_phone_shows_the_picture_before_its_controls_fill_it(server: AppServer, page: Page) -> None:
    """Presets are a line that begins at the one in force; menus share a line."""
    visit(page, server.url("bptt_rtrl", preset="clip_cannot"))
    root = page.get_by_test_id("cell-explorer")
    expect(root.locator(".scene .cell").first).to_be_visible()
    preset = page.get_by_role("radio", name="Clipping a vanished gradient")
    expect(preset).to_be_checked()
    assert_in_view(page, preset)
    box = root.locator(".bar").bounding_box()
    assert box is not None
    assert box["y"] < 270
    assert_no_sideways_scrolling(page)


_PHONE_PICTURES: list[tuple[str, dict[str, object]]] = [
    ("hidden_state", {}),
    ("", {}),
    ("hidden_state", {"preset": "random", "hidden_size": 4}),
    ("bptt_rtrl", {}),
]


@pytest.mark.parametrize("viewport", [PHONE], ids=["phone"])
@pytest.mark.parametrize(("path", "query"), _PHONE_PICTURES, ids=[f"{path} {query}" for path, query in _PHONE_PICTURES])
def test_a_phone_shows_an_elman_picture_whole(
    server: AppServer, page: Page, path: str, query: dict[str, object]
) -> None:
    """With the arrow that brings the new state back, which runs at its right edge."""
    visit(page, server.url(path, **query))
    root = page.get_by_test_id("cell-explorer")
    expect(root.locator(".scene .cell").first).to_be_visible()
    assert root.locator(".scene").evaluate("scene => scene.scrollWidth <= scene.clientWidth")
    expect(root.locator(".more-hint")).to_be_hidden()
    _, over = root.evaluate(_FONTS_AND_OVERLAPS)
    assert over == []


@pytest.mark.parametrize("viewport", [PHONE], ids=["phone"])
def test_names_on_a_phone_leave_each_other_room(server: AppServer, page: Page) -> None:
    """The widest names of all, of an LSTM's backward pass, in a picture that goes on sideways."""
    visit(page, server.url("bptt_rtrl", preset="first_step_lstm"))
    root = page.get_by_test_id("cell-explorer")
    expect(root.locator(".scene .cell").first).to_be_visible()
    _, over = root.evaluate(_FONTS_AND_OVERLAPS)
    assert over == []
    expect(root.locator(".more-hint")).to_be_visible()


@pytest.mark.parametrize("path", ["lstm_gates", "gru_gates"])
def test_the_readout_of_64_units_ends_within_the_picture(server: AppServer, page: Page, path: str) -> None:
    explorer = open_explorer(page, server, path, preset="random", hidden_size=64)
    assert_in_view(page, explorer.cell("y", 0))


@pytest.mark.parametrize("viewport", [PHONE], ids=["phone"])
@pytest.mark.parametrize("path", ["lstm_gates", "gru_gates"])
def test_narrow_steps_of_the_strip_touch_each_other(server: AppServer, page: Page, path: str) -> None:
    """Lines between them would look like stripes of the numbers."""
    explorer = open_explorer(page, server, path)
    expect(explorer.root.locator(".timeline canvas").first).to_be_attached()
    assert explorer.root.locator(".timeline").evaluate("strip => strip.scrollWidth <= strip.clientWidth")


@pytest.mark.parametrize("viewport", [PHONE], ids=["phone"])
def test_a_sign_and_its_bracket_share_a_line(server: AppServer, page: Page) -> None:
    """However narrow the sentence: g′(a) is one word."""
    explorer = open_explorer(page, server)
    notice = explorer.root.locator('[data-part="notice"]')
    expect(notice).to_contain_text("g′")
    broken = notice.evaluate("""async (notice) => {
        const [text, ranges] = [notice.firstChild, []];
        const at = text.data.indexOf("g′");
        for (let width = 120; width < 330; width += 1) {
            notice.parentElement.style.width = `${width}px`;
            const range = document.createRange();
            range.setStart(text, at);
            range.setEnd(text, text.data.indexOf(")", at) + 1);
            if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) ranges.push(width);
        }
        return ranges;
    }""")
    assert broken == []


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_picture_is_saved(server: AppServer, page: Page, kind: str) -> None:
    """With its numbers and the shown step; an SVG stands alone, without the page's styles."""
    explorer = open_explorer(page, server, t=3)
    with page.expect_download() as saved:
        explorer.button(kind.upper()).click()
    assert saved.value.suggested_filename == f"rnnviz elman step 3.{kind}"
    content = saved.value.path().read_bytes()
    if kind == "png":
        assert content.startswith(b"\x89PNG")
        return
    drawing = content.decode("utf-8")
    assert "var(--" not in drawing
    assert "−0.577" in drawing  # h of unit 2 at step 2, in the strip
    assert drawing.count("<svg") >= 3  # the picture and the strip within one


@pytest.mark.parametrize("path", ["hidden_state", "lstm_gates"])
def test_a_text_shows_its_letters(server: AppServer, page: Page, path: str) -> None:
    """Above each step of the strip, and beside x, as one steps."""
    explorer = open_explorer(page, server, path, preset="random", input="text", text="hello")
    letters = explorer.root.locator(".timeline .letter")
    expect(letters).to_have_text(list("hello"))
    expect(explorer.root.locator(".scene .letter")).to_have_text("“h”")
    page.keyboard.press("ArrowRight")
    expect(explorer.root.locator(".scene .letter")).to_have_text("“e”")
