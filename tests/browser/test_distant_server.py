"""Quick changes on a server whose answers take a while: a choice is not undone by what the browser did not know yet."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page

from rnnviz.texts import say
from tests.browser.conftest import ROOT, AppServer
from tests.browser.test_hooks import expect_query

_ONE_WAY = 0.2
"""Seconds that everything takes on its way, as from another continent."""


@pytest.fixture(scope="module")
def far(server: AppServer) -> Iterator[Callable[[str], str]]:
    """The address of a page on a server so far away."""
    command = [sys.executable, "-m", "tests.browser.relay", str(server.port), str(_ONE_WAY)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as relay:
        assert relay.stdout
        port = int(relay.stdout.readline())
        yield lambda path: f"http://127.0.0.1:{port}/{path}"
        relay.kill()


def open_far(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("slider", name=say("control.steps")).wait_for()
    page.wait_for_timeout(2 * 1000 * _ONE_WAY)  # what follows the controls


@pytest.mark.parametrize("pause", [100, 300, 500])
def test_two_sliders_one_after_the_other(far: Callable[[str], str], page: Page, pause: int) -> None:
    """The second does not bring back the number in the field of the first."""
    open_far(page, far("hidden_state?preset=random"))
    for name in ("hidden_size", "steps"):
        page.get_by_role("slider", name=say(f"control.{name}")).focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(pause)
    expect_query(page, {"preset": "random", "hidden_size": "4", "steps": "9"})
    page.wait_for_timeout(4 * 1000 * _ONE_WAY)
    expect_query(page, {"preset": "random", "hidden_size": "4", "steps": "9"})


@pytest.mark.parametrize("pause", [100, 300, 500])
def test_presets_one_after_the_other(far: Callable[[str], str], page: Page, pause: int) -> None:
    """The last is what one sees, with nothing of the others left in the controls."""
    open_far(page, far("hidden_state?preset=random"))
    for name in ("worked_example", "echo", "oscillator"):
        page.get_by_role("radio", name=say(f"choice.preset.{name}")).click()
        page.wait_for_timeout(pause)
    expect_query(page, {"preset": "oscillator"})
    page.wait_for_timeout(4 * 1000 * _ONE_WAY)
    expect_query(page, {"preset": "oscillator"})


def test_a_number_is_set_back_at_once(far: Callable[[str], str], page: Page) -> None:
    """By its field, before the page can have shown what the slider did."""
    open_far(page, far("hidden_state?preset=random"))
    page.get_by_role("slider", name=say("control.hidden_size")).focus()
    page.keyboard.press("ArrowRight")
    expect_query(page, {"preset": "random", "hidden_size": "4"})
    field = page.get_by_role("spinbutton", name=say("control.hidden_size"))
    field.fill("3")
    field.press("Enter")
    expect_query(page, {"preset": "random"})
