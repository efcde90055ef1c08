"""Time from a key press to the painted step in the explorer, against an empty component that changes one word.

Run by hand: ``python -m tests.bench.explorer_step [rounds]``. The two take turns in every round, so that a busy
machine slows both. Both clocks stand in the page and start when the key press arrives there.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.__main__ import chromium_on_path
from tests.browser.conftest import FLAGS, ROOT, AppServer, visit

SIZES = (("hidden_state", 200, 16), ("hidden_state", 500, 64), ("lstm_gates", 200, 16))
"""Pages with steps and hidden units; all are folded."""
PRESSES = 9
"""In each round."""
PAUSE, REST = 250, 600
"""Milliseconds without a key press until the step may be sent, and between two rounds."""
TARGET = 10.0
"""Milliseconds that the explorer may take longer."""

EMPTY_COMPONENT = '''
import streamlit as st

empty = st.components.v2.component("empty", html="<p tabindex='0'>0</p>\\n", js="""
    export default function ({ parentElement }) {
      const text = parentElement.querySelector("p");
      text.onkeydown = () => (text.textContent = Number(text.textContent) + 1);
    }
""")
empty(key="empty")
'''

CLOCKS = """
    window.painted = []; window.pressed = []; window.sent = [];
    const send = WebSocket.prototype.send;
    WebSocket.prototype.send = function (...args) {
        window.sent.push(performance.now());
        return send.apply(this, args);
    };
    window.addEventListener("keydown", () => {
        const start = performance.now();
        window.pressed.push(start);
        requestAnimationFrame(() => requestAnimationFrame(() => window.painted.push(performance.now() - start)));
    }, true);
"""
"""A key press counts from its arrival in the page until the frame after the one that paints what it changed."""


@contextmanager
def served(*scripts: Path) -> Iterator[list[AppServer]]:
    """A server for each script, with the project's own configuration."""
    with tempfile.TemporaryDirectory() as folder:
        servers = [AppServer(script, Path(folder) / f"{i}.log") for i, script in enumerate(scripts)]
        for server in servers:
            server.start()
        yield servers
        for server in servers:
            server.stop()


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser that the tests take."""
    with sync_playwright() as playwright:
        path = os.environ.get("RNNVIZ_CHROMIUM") or chromium_on_path()
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


def clocked_page(browser: Browser, script: str) -> Page:
    """A page that runs a script before anything else."""
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.add_init_script(script)
    return page


def p95(times: Sequence[float]) -> float:
    """The time that one in twenty exceeds."""
    return statistics.quantiles(times, n=20)[-1]


def step_round(page: Page) -> tuple[list[float], int]:
    """Times of some key presses in one go, and the number of messages that left the page before a pause."""
    page.bring_to_front()
    page.evaluate("painted.length = pressed.length = sent.length = 0")
    for _ in range(PRESSES):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(random.uniform(10, 50))  # so that presses fall anywhere between two frames
    page.wait_for_function(f"painted.length === {PRESSES}")
    page.wait_for_timeout(REST)
    times, sent, pressed = page.evaluate("[painted, sent, pressed]")
    return times, sum(any(0 <= moment - press < PAUSE for press in pressed) for moment in sent)


def main(rounds: int = 22) -> None:
    """Print the table."""
    fewest = min(steps for _, steps, _ in SIZES)
    if rounds * PRESSES >= fewest:
        sys.exit(f"At most {(fewest - 1) // PRESSES} rounds fit into {fewest} steps.")
    script = Path(tempfile.mkdtemp()) / "empty.py"
    script.write_text(EMPTY_COMPONENT, encoding="utf-8")
    with served(script, ROOT / "app.py") as (empty, app), chromium() as browser:
        pages = [clocked_page(browser, CLOCKS) for _ in range(1 + len(SIZES))]
        visit(pages[0], empty.url())
        pages[0].locator("p[tabindex]").focus()
        for page, (path, steps, size) in zip(pages[1:], SIZES, strict=True):
            visit(page, app.url(path, preset="random", hidden_size=size, steps=steps))
            page.locator('[data-var="h"][data-index="0"]:not([data-step])').focus()
        results = [[step_round(page) for page in pages] for _ in range(rounds)][rounds // 10 :]
        for page in pages[1:]:
            step = int(page.get_by_test_id("cell-explorer").get_attribute("data-t") or 0)
            assert step == 1 + rounds * PRESSES, f"the explorer stands at step {step}"
        assert pages[0].locator("p[tabindex]").text_content() == str(rounds * PRESSES)

    print(f"{'':28} {'median ms':>9} {'p95 ms':>7} {'presses':>8} {'messages':>9} {'longer':>7}  target {TARGET:.0f}")
    names = ["empty component", *(f"{path}, T={steps}, H={size}" for path, steps, size in SIZES)]
    least = 0.0
    for name, column in zip(names, zip(*results, strict=True), strict=True):
        times = [time for times, _ in column for time in times]
        median, messages = statistics.median(times), sum(count for _, count in column)
        least = least or median
        verdict = "" if name == names[0] else "met" if median - least <= TARGET else "MISSED"
        print(f"{name:28} {median:9.1f} {p95(times):7.1f} {len(times):8} {messages:9} {median - least:7.1f}  {verdict}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
