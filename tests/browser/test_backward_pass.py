"""The backward pass in the explorer: from the last step to the first, each product to be pointed at."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from rnnviz import BackwardTrace, bptt
from rnnviz.maths.learning_rules.loss_pass import LossPass
from rnnviz.network import build, canonicalise, network_of, objective_of, parts_of, run_network
from rnnviz.settings import Entry, Settings
from rnnviz.views.numbers import written
from tests.browser.conftest import AppServer, assert_accessible, visit
from tests.browser.test_hooks import Explorer, expect_query, query_of

STEPS = 8


def open_walk(page: Page, server: AppServer, **query: object) -> Explorer:
    visit(page, server.url("bptt_rtrl", **query))
    explorer = Explorer(page)
    expect(explorer.cell("d_h", 0)).to_be_visible()
    return explorer


def passed_of(settings: Settings) -> BackwardTrace:
    """The pass of the worked example with a loss at every step, as the page begins."""
    settled, _ = canonicalise(settings)
    objective = objective_of(run_network(build(network_of(settled))).of(1), parts_of(settled).objective)
    return bptt(objective.trace, objective.d_h).backward


def lesson_path(settings: Settings) -> LossPass:
    settled, _ = canonicalise(settings)
    return objective_of(run_network(build(network_of(settled))).of(1), parts_of(settled).objective).path


LESSON = Settings("lesson", gallery="bptt_rtrl")


def expect_pass(explorer: Explorer, passed: BackwardTrace, settings: Settings = LESSON) -> None:
    """Wait until every number on the screen is the core's, at the step shown and over time."""
    t = explorer.read().t
    explorer.expect_value(float(passed.h[1, 0]), "d_h", 0, step=1)
    screen = explorer.read()
    loss = lesson_path(settings)
    wanted = {
        "y": loss.y[t - 1], "target": loss.target[t - 1], "error": loss.error[t - 1], "d_y": loss.loss.d_y[t - 1],
        "from_loss": passed.from_loss[t - 1], "from_future": passed.from_future[t], "d_h": passed.h[t],
        "slope_a": passed.slopes["a"][t - 1], "delta_a": passed.delta["a"][t - 1],
        "W_a_T": passed.trace.cell.W_hh.T,
    }  # fmt: skip
    for name, numbers in wanted.items():
        assert screen.array(name).tolist() == numbers.tolist(), name
    over_time = {"from_loss": passed.from_loss, "d_h": passed.h[1:], "delta_a": passed.delta["a"]}
    for name, numbers in over_time.items():
        assert screen.array(name, over_time=True).tolist() == numbers.tolist(), name


def test_a_person_walks_from_the_last_step_to_the_first(server: AppServer, page: Page) -> None:
    """The left arrow is the next step of the walk; every number is the core's; the ends hold."""
    explorer, passed = open_walk(page, server), passed_of(LESSON)
    explorer.expect_step(STEPS)
    assert not any(explorer.read().array("delta_a_next"))
    explorer.cell("d_h", 0).focus()
    page.keyboard.press("ArrowRight")
    for t in range(STEPS, 0, -1):
        explorer.expect_step(t)
        expect_pass(explorer, passed)
        page.keyboard.press("ArrowLeft")
    explorer.expect_step(1)
    for key, t in [("End", 8), ("ArrowLeft", 7), ("ArrowRight", 8), ("Home", 1)]:
        page.keyboard.press(key)
        explorer.expect_step(t)


def test_buttons_say_where_they_go(server: AppServer, page: Page) -> None:
    explorer = open_walk(page, server)
    for name, t in [("One step back in time", 7), ("First step", 1), ("One step later", 2), ("Last step", 8)]:
        explorer.button(name).click()
        explorer.expect_step(t)


def test_play_walks_back_and_begins_anew_at_the_last_step(server: AppServer, page: Page) -> None:
    explorer = open_walk(page, server, t=3)
    explorer.expect_step(3)
    play = explorer.button("Play back in time")
    explorer.button("1×").click()
    explorer.button("2×").click()
    play.click()
    expect(explorer.root).to_have_attribute("data-t", "2")
    explorer.expect_step(1)
    expect(play).to_have_attribute("aria-pressed", "false")
    play.click()
    expect(explorer.root).to_have_attribute("data-t", re.compile("[4-7]"))
    explorer.expect_step(1)
    expect(play).to_have_attribute("aria-pressed", "false")


def test_a_link_opens_at_its_step(server: AppServer, page: Page) -> None:
    """But for step 1, which an address leaves out: it means the step with which the walk begins."""
    explorer = open_walk(page, server, t=5)
    explorer.expect_step(5)
    explorer.cell("delta_a", 1, step=3).click()
    explorer.expect_step(3)
    expect_query(page, {"t": "3"})


def test_pointing_says_each_product(server: AppServer, page: Page) -> None:
    explorer, passed = open_walk(page, server, t=4), passed_of(LESSON)
    line = explorer.root.locator('[data-part="arithmetic"]')
    explorer.cell("from_future", 1).hover()
    weights, deltas = passed.trace.cell.W_hh[:, 1], passed.delta["a"][4]
    for weight, delta in zip(weights, deltas, strict=True):
        expect(line).to_contain_text(written(float(weight)))
        expect(line).to_contain_text(written(float(delta)))
    expect(line).to_contain_text(written(float(passed.from_future[4, 1])))
    lit = explorer.root.locator(".cell.lit")
    expect(lit).to_have_count(7)  # a row of the matrix, the deltas, and their product
    explorer.cell("delta_a", 2).hover()
    expect(line).to_contain_text(f"·{written(float(passed.slopes['a'][3, 2]))}")
    explorer.cell("W_a_T", 1, 0).hover()
    expect(line).to_contain_text("8 steps")
    expect(explorer.root.locator(".use-end")).to_have_count(STEPS - 1)  # step T has none after it


def test_the_first_number_has_an_origin(server: AppServer, page: Page) -> None:
    """Error, factor and the transposed readout are in the line of arithmetic; an entry of it is edited in W_ho."""
    explorer, loss = open_walk(page, server, t=4), lesson_path(LESSON)
    line = explorer.root.locator('[data-part="arithmetic"]')
    y, target = float(loss.y[3, 0]), float(loss.target[3, 0])
    explorer.cell("error", 0).hover()
    expect(line).to_contain_text(f"{written(float(y))} − ")
    explorer.cell("d_y", 0).hover()
    expect(line).to_contain_text(written(float(2 * (y - target))))
    explorer.cell("from_loss", 2).hover()
    expect(line).to_contain_text(written(float(0.8 * 2 * (y - target))))
    explorer.type_into("0.5", "W_ho_T", 1, 0)
    expect_query(page, {"t": "4", "W_ho.1.2": "0.5"})


def test_a_negative_number_within_a_sum_stands_in_brackets(server: AppServer, page: Page) -> None:
    """Also where it begins a sum that is part of another: loss + (from r + ...) is one sum on the screen."""
    explorer = open_walk(page, server, preset="first_step", cell="gru", hidden_size=3, loss_at="every")
    line = explorer.root.locator('[data-part="arithmetic"]')
    for t in range(20, 0, -1):
        explorer.expect_step(t)
        for unit in range(3):
            explorer.cell("d_h", unit).hover()
            expect(line).to_contain_text(f"∂L/∂ht[{unit + 1}]")
            assert "+ −" not in line.inner_text()
        page.keyboard.press("ArrowLeft")


def test_an_entry_of_the_transposed_matrix_is_edited_where_it_stands_in_W_hh(server: AppServer, page: Page) -> None:
    """The address has the entry of W_hh itself; undo and reset bring it back."""
    explorer = open_walk(page, server, t=4)
    explorer.type_into("-0.45", "W_a_T", 0, 2)
    expect_query(page, {"t": "4", "W_hh.3.1": "-0.45"})
    settings = LESSON.edit({Entry("W_hh", (2, 0)): -0.45})
    edited = passed_of(settings)
    expect_pass(explorer, edited, settings)
    assert edited.trace.cell.W_hh[2, 0] == -0.45
    page.keyboard.press("Control+z")
    expect_query(page, {"t": "4"})
    expect_pass(explorer, passed_of(LESSON))
    explorer.type_into("0.25", "W_a_T", 1, 1)
    expect_query(page, {"t": "4", "W_hh.2.2": "0.25"})
    explorer.button("Reset 1").click()
    expect_query(page, {"t": "4"})
    expect_pass(explorer, passed_of(LESSON))


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_gated_cells_are_walked_too(server: AppServer, page: Page, cell: str) -> None:
    """Folded or not; an edit goes to the rows of its gate."""
    explorer = open_walk(page, server, preset="first_step", cell=cell, hidden_size=3, t=12)
    explorer.expect_step(12)
    before = explorer.read().array("d_h", over_time=True)
    explorer.type_into("0.5", "W_f_T" if cell == "lstm" else "W_n_T", 0, 2)
    row = {"lstm": 3 + 3, "gru": 6 + 3}[cell]
    expect(page).to_have_url(re.compile(rf"W_hh\.{row}\.1=0\.5"))
    page.wait_for_timeout(500)
    assert not np.array_equal(explorer.read().array("d_h", over_time=True), before)
    visit(page, server.url("bptt_rtrl", **query_of(page) | {"hidden_size": "20"}))
    expect(explorer.root.locator("canvas").first).to_be_visible()
    page.keyboard.press("ArrowLeft")
    explorer.expect_step(11)


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_the_walk_is_for_everybody(server: AppServer, page: Page, color_scheme: str) -> None:
    explorer = open_walk(page, server, t=4)
    expect(explorer.cell("delta_a", 0)).to_have_attribute("aria-label", re.compile(r"δ_t 1: "))
    expect(explorer.root.locator('[data-part="graph"]')).to_be_hidden()
    assert_accessible(page)


def test_the_names_of_the_rows_stay_in_sight_in_a_narrow_window(page: Page, server: AppServer) -> None:
    """The pass begins at the last step, to which the strip is scrolled."""
    page.set_viewport_size({"width": 360, "height": 2000})
    open_walk(page, server)
    strip, label = page.locator(".timeline"), page.locator(".timeline .row-label").first
    strip.scroll_into_view_if_needed()
    expect(label).to_be_in_viewport()
    scrolled = strip.evaluate("strip => strip.scrollLeft")
    assert scrolled > 40
    box, frame = label.bounding_box(), strip.bounding_box()
    assert box is not None
    assert frame is not None
    assert frame["x"] <= box["x"] <= box["x"] + box["width"] <= frame["x"] + 52
    strip.evaluate("strip => { strip.scrollLeft = 0; }")
    page.wait_for_timeout(200)
    assert label.bounding_box()["x"] == pytest.approx(box["x"], abs=1)  # type: ignore[index]
