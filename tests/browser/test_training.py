"""Training in a browser: the adding problem is learned, wound back, and the winner's gates are opened."""

from __future__ import annotations

import os
import re
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.conftest import AppServer, assert_accessible
from tests.browser.test_hooks import eventually
from tests.browser.test_looks import PHONE, WIDE, assert_no_sideways_scrolling

SMALL = {"cells": "gru", "steps": 12, "hidden_size": 16, "lr": 0.02, "batch_size": 50, "updates": 1200}
"""Solved in a few seconds."""
LONG = 120_000.0


def open_training(page: Page, server: AppServer, **query: object) -> Locator:
    page.goto(server.url("training", **query))
    run = page.get_by_test_id("training-run")
    expect(run).to_have_attribute("data-state", "idle")
    return run


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def curves(page: Page, key: str) -> list[dict[str, Any]]:
    """The traces of a chart, as Plotly has them, once it is drawn: the page may just be putting a new one there."""
    drawn = page.wait_for_function(
        """key => {
            const plot = document.querySelector(`[class*='st-key-training-${key}'] .moving`);
            plot?.scrollIntoView({block: "center"});  // what is out of sight is not drawn
            return plot?.data?.map(({name, x, y}) => ({name, x: Array.from(x ?? []), y: Array.from(y ?? [])}));
        }""",
        arg=key,
    )
    found: list[dict[str, Any]] = drawn.json_value()
    return found


def workers_of(server: AppServer) -> list[int]:
    """The processes in which a server trains."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == server.pid and b"rnnviz.learning.worker" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def rightness(answers: dict[str, Any]) -> float:
    """The correlation of answers and targets."""
    return float(np.corrcoef(answers["x"], answers["y"])[0, 1])


def test_a_person_trains_winds_back_and_opens_the_gates(server: AppServer, page: Page) -> None:
    run = open_training(page, server, **SMALL)
    press(page, "Play")
    expect(run).to_have_attribute("data-state", "running", timeout=LONG)
    drawn = set[int]()

    def moves() -> bool:
        drawn.add(len(curves(page, "course")[0]["x"]))
        return len(drawn) > 2

    eventually(page, moves, True)
    expect(run).to_have_attribute("data-state", "done", timeout=LONG)
    assert float(run.get_attribute("data-test-loss") or "nan") < 0.01
    expect(run).to_contain_text("solved from update")
    eventually(page, lambda: rightness(curves(page, "answers")[0]) > 0.97, True)
    slider = page.get_by_role("slider", name="Update shown")
    slider.press("Home")
    eventually(
        page,
        lambda: abs(np.corrcoef(curves(page, "answers")[0]["x"], curves(page, "answers")[0]["y"])[0, 1]) < 0.9,
        True,
    )
    reach = curves(page, "reach")
    assert reach[0]["y"] == reach[1]["y"]  # at the start, now is before training
    slider.press("End")
    eventually(page, lambda: rightness(curves(page, "answers")[0]) > 0.97, True)
    lifted = curves(page, "reach")
    assert lifted[1]["y"][0] > lifted[0]["y"][0]
    entries = page.evaluate("history.length")
    page.get_by_test_id("stMain").get_by_role("link", name="GRU gates").click()
    expect(page.get_by_test_id("cell-explorer")).to_have_attribute("data-steps", "12")
    assert re.search(r"weights=[0-9a-f]{20}", page.url)
    assert "recipe=" in page.url
    page.wait_for_timeout(500)
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    expect(run).to_have_attribute("data-state", "done")


def test_it_pauses_goes_on_and_stops(server: AppServer, page: Page) -> None:
    run = open_training(page, server, hidden_size=4, steps=6, updates=20000)
    press(page, "Play")
    expect(run).to_have_attribute("data-state", "running", timeout=LONG)
    press(page, "Pause")
    expect(run).to_have_attribute("data-state", "paused")
    page.wait_for_timeout(600)
    reached = run.get_attribute("data-update")
    page.wait_for_timeout(600)
    assert run.get_attribute("data-update") == reached
    press(page, "Play")
    expect(run).to_have_attribute("data-state", "running")
    eventually(page, lambda: run.get_attribute("data-update") != reached, True)
    press(page, "Stop")
    expect(run).to_have_attribute("data-state", "stopped")
    page.reload()  # a new session
    expect(run).to_have_attribute("data-state", "stopped")


def test_two_tabs_train_side_by_side_and_a_killed_one_is_left(server: AppServer, new_page: Any) -> None:
    one, other = new_page(), new_page()
    first = open_training(one, server, hidden_size=4, steps=6, updates=20000, seed=1)
    second = open_training(other, server, hidden_size=4, steps=6, updates=20000, seed=2)
    for page in (one, other):
        press(page, "Play")
    for run in (first, second):
        expect(run).to_have_attribute("data-state", "running", timeout=LONG)
    os.kill(workers_of(server)[0], signal.SIGKILL)

    def states() -> list[str]:
        for page in (one, other):
            page.wait_for_timeout(50)  # both have to hear of it
        return sorted(str(run.get_attribute("data-state")) for run in (first, second))

    eventually(one, states, ["failed", "running"])
    lost, lives = (first, second) if first.get_attribute("data-state") == "failed" else (second, first)
    expect(lost.page.get_by_text("The training process ended unexpectedly")).to_be_visible()
    before = lives.get_attribute("data-update")
    eventually(one, lambda: lives.get_attribute("data-update") != before, True)
    press(lives.page, "Stop")
    expect(lives).to_have_attribute("data-state", "stopped")


@pytest.mark.parametrize("color_scheme", ["light", "dark"])
def test_it_is_accessible(server: AppServer, page: Page, color_scheme: str) -> None:
    del color_scheme
    run = open_training(page, server, hidden_size=3, steps=5, updates=8)
    press(page, "Play")
    expect(run).to_have_attribute("data-state", "done", timeout=LONG)
    for key in ("course", "reach", "eigenvalues", "states", "answers"):
        assert curves(page, key)
    page.mouse.move(0, 0)
    assert_accessible(page)


@pytest.mark.parametrize("viewport", [PHONE, WIDE])
def test_nothing_is_too_wide(server: AppServer, page: Page, viewport: ViewportSize) -> None:
    del viewport
    run = open_training(page, server, hidden_size=3, steps=5, updates=8)
    press(page, "Play")
    expect(run).to_have_attribute("data-state", "done", timeout=LONG)
    for key in ("course", "reach", "eigenvalues", "states", "answers"):
        assert curves(page, key)
    assert_no_sideways_scrolling(page)
