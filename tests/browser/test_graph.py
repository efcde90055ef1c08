"""The network as a graph: live numbers, shared weights, and a way to any step."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from rnnviz.network import build, network_of, run_network
from rnnviz.settings import Settings
from rnnviz.texts import say
from tests.browser.conftest import AppServer, assert_accessible, unfold
from tests.browser.test_hooks import Explorer, eventually, open_explorer


def open_graph(page: Page, server: AppServer, **query: object) -> Explorer:
    """Visit the page and open the fold."""
    explorer = open_explorer(page, server, **query)
    unfold(explorer.root.locator('[data-part="graph"] summary'))
    expect(explorer.root.locator(".graph")).to_be_visible()
    return explorer


def unrolled(explorer: Explorer) -> dict[tuple[str, int, int], float]:
    """The numbers of the unrolled graph, by letter, unit and step."""
    found = explorer.root.locator(".graph .node text").evaluate_all(
        "all => all.map(({dataset: d}) => [d.var.replace('graph.', ''), +d.index, +d.step, +d.value])"
    )
    return {(var, index, step): value for var, index, step, value in found}


def test_the_unrolled_graph_holds_the_numbers_of_the_core(server: AppServer, page: Page) -> None:
    """At each step that it shows, and after stepping on."""
    explorer = open_graph(page, server, t=2)
    ran = run_network(build(network_of(Settings("worked_example"))))
    assert ran.y is not None
    for t in (2, 7):
        if t == 7:
            for _ in range(5):
                page.keyboard.press("ArrowRight")
            explorer.expect_step(7)
        shown = unrolled(explorer)
        assert t in {step for _, _, step in shown}
        for (var, index, step), value in shown.items():
            wanted = {"x": ran.trace.x[step - 1], "h": ran.trace.h[step], "y": ran.y[step - 1]}
            assert value == wanted[var][index]


def test_the_units_hold_the_numbers_of_the_step(server: AppServer, page: Page) -> None:
    explorer = open_graph(page, server, t=3)
    trace = run_network(build(network_of(Settings("worked_example")))).trace
    for var, vector in {"x": trace.x[2], "h_prev": trace.h[2], "h": trace.h[3]}.items():
        for index, value in enumerate(vector):
            unit = explorer.root.locator(f'.unit text[data-var="graph.{var}"][data-index="{index}"]')
            assert float(unit.get_attribute("data-value") or "nan") == value
    expect(explorer.root.locator(".connection")).to_have_count(2 * 3 + 3 * 3 + 3)


def test_dots_tell_of_more_steps_at_either_side(server: AppServer, page: Page) -> None:
    explorer = open_graph(page, server)
    labels = explorer.root.locator(".graph .column-label")
    assert labels.all_text_contents()[-2:] == ["start", "…"]
    explorer.button("Last").click()
    explorer.expect_step(8)
    assert labels.all_text_contents()[-2:] == ["…", ""]


def test_a_press_on_a_step_shows_it(server: AppServer, page: Page) -> None:
    explorer = open_graph(page, server)
    explorer.root.locator('.graph-step [data-var="graph.y"][data-step="3"]').click()
    explorer.expect_step(3)
    expect(page).to_have_url(re.compile("t=3"))


def test_pointing_at_a_weight_shows_all_its_uses(server: AppServer, page: Page) -> None:
    """The same picture at each arrow, and the sentence that says so."""
    explorer = open_graph(page, server)
    chips = explorer.root.locator('.chip[data-weights="W_hh"]')
    chips.first.hover()
    expect(explorer.root.locator(".chip.lit")).to_have_count(chips.count())
    expect(explorer.root.locator(".graph-note")).to_have_text("W_hh: the same 9 numbers at each of the 8 steps.")


def test_its_sentence_has_commas_between_thousands(server: AppServer, page: Page) -> None:
    explorer = open_graph(page, server, preset="random", hidden_size=40, steps=1000)
    explorer.root.locator('.chip[data-weights="W_hh"]').first.hover()
    note = explorer.root.locator(".graph-note")
    expect(note).to_have_text("W_hh: the same 1,600 numbers at each of the 1,000 steps.")


def test_it_follows_an_edit(server: AppServer, page: Page) -> None:
    explorer = open_graph(page, server)
    before = unrolled(explorer)
    explorer.type_into("2.5", "W_ih", 0, 0)
    eventually(page, lambda: unrolled(explorer) != before, True)
    shown, h = unrolled(explorer), explorer.read().array("h", over_time=True)
    for (var, index, step), value in shown.items():
        if var == "h":
            assert value == h[step - 1, index]


def test_a_stack_has_a_level_for_each_layer(server: AppServer, page: Page) -> None:
    """Of a stack that hands on its readouts, those too; larger vectors are read by pointing."""
    explorer = open_graph(page, server, preset="random", layers=3, stack="readout", hidden_size=12, t=4)
    labels = explorer.root.locator(".graph .label")
    expect(labels).to_have_text(["y", "u(3)", "h(3)", "u(2)", "h(2)", "u(1)", "h(1)", "x"])
    ran = run_network(build(network_of(Settings("random").choose(layers=3, stack="readout", hidden_size=12))))
    page.locator(".graph").scroll_into_view_if_needed()
    node = explorer.root.locator(".graph-step").nth(1).locator(".node").nth(2)
    box = node.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 4.5 / 12, box["y"] + box["height"] / 2)
    title = explorer.root.locator(".graph-step").nth(1).locator(".column-label").text_content()
    step = int(str(title).removeprefix("t = "))
    value = ran.batch[0][2].trace.h[step, 4]
    said = explorer.root.locator(".graph-note").inner_text()
    assert said.startswith(f"h(3), step {step}, unit 5: ")
    assert float(said.split(": ")[1].replace("−", "-")) == pytest.approx(value, abs=6e-5)


def test_it_follows_another_number_of_layers(server: AppServer, page: Page) -> None:
    """With the same layer shown above; stepping goes on."""
    explorer = open_graph(page, server, preset="random", layers=3)
    labels = explorer.root.locator(".graph .label")
    expect(labels).to_have_text(["y", "h(3)", "h(2)", "h(1)", "x"])
    page.get_by_role("slider", name=say("control.layers")).focus()
    page.keyboard.press("ArrowLeft")
    expect(labels).to_have_text(["y", "h(2)", "h(1)", "x"])
    explorer.cell("h", 0).focus()
    page.keyboard.press("End")
    explorer.expect_step(8)
    expect(page).to_have_url(re.compile("t=8"))


def test_the_keyboard_goes_to_a_step_and_reads_the_weights(server: AppServer, page: Page) -> None:
    explorer = open_graph(page, server)
    explorer.root.locator(".graph-step").nth(2).focus()
    page.keyboard.press("Enter")
    explorer.expect_step(3)
    explorer.root.locator('.chip[data-weights="W_hh"][tabindex]').focus()
    expect(explorer.root.locator(".graph-note")).to_have_text("W_hh: the same 9 numbers at each of the 8 steps.")


@pytest.mark.parametrize("width", [360, 1280])
def test_the_open_graph_is_accessible(server: AppServer, page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 720})
    open_graph(page, server)
    assert_accessible(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_large_graph_is_sent_when_it_is_looked_at(server: AppServer, page: Page) -> None:
    """Until then it would make every message heavier; afterwards it follows every change."""
    explorer = open_graph(page, server, preset="random", hidden_size=24, layers=3, steps=120, t=60)
    levels = explorer.root.locator(".graph .node").count()
    assert levels > 0
    page.get_by_role("spinbutton", name="Seed", exact=True).fill("5")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"seed=5"))
    expect(explorer.root.locator(".graph .node")).to_have_count(levels)
