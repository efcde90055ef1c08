"""Time from changing a control until the whole page shows it, against a minimal Streamlit page with one chart.

Run by hand: ``python -m tests.bench.page_control [rounds]``. The pages take turns in every round, so that a busy
machine slows all. The clock stands in the page: from the key press to the frame after the one that paints the
new numbers of the explorer, the new curves of Gradient flow, or the new heatmap of the minimal page.
"""

from __future__ import annotations

import math
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page

from tests.bench.explorer_step import chromium, clocked_page, p95, served
from tests.browser.conftest import ROOT, AppServer, visit

TARGET, FLOW_TARGET = 1.5, 2.0
REST = 300
"""Milliseconds between two changes, for a page to come to rest."""

FLOORS = {"slider": "minimal page, slider", "menu": "minimal page, menu"}
"""A menu takes longer to close than a slider to move, on any page."""

LARGE = {"hidden_size": 64, "layers": 3, "steps": 200, "layer": 2}

MINIMAL_PAGE = """
import numpy as np
import plotly.graph_objects as go
import streamlit as st

size = st.slider("Size", 1, 16, 3) + 16 * st.selectbox("Kind", [0, 1, 2])
st.plotly_chart(go.Figure(go.Heatmap(z=np.random.default_rng(size).standard_normal((16, 50)))))
"""

CLOCK = """
    // The states of unit 1 in the explorer (all numbers are drawn in one go), the curves, or the heatmap's picture.
    window.shown = () => {
        for (const root of roots()) {
            const wanted = "[data-var=h][data-index='0'], [data-curve], .js-plotly-plot .hm image";
            const found = root.querySelectorAll(wanted);
            const said = (one) => one.dataset.value ?? one.getAttribute("d") ?? one.getAttribute("href");
            if (found.length) return Array.from(found, said).join();
        }
        return "";
    };
    const shadows = () => Array.from(document.querySelectorAll("*"), (host) => host.shadowRoot);
    window.roots = () => [document, ...shadows()].filter(Boolean);
    // From the next key press until something else is shown and painted.
    window.timeChange = () => {
        window.took = null;
        const before = shown();
        let start = null;
        window.addEventListener("keydown", () => (start ??= performance.now()), { capture: true, once: true });
        const observer = new MutationObserver(() => {
            const now = shown();
            if (start === null || now === before || now === "") return;
            observer.disconnect();
            requestAnimationFrame(() => requestAnimationFrame(() => (window.took = performance.now() - start)));
        });
        const attributeFilter = ["data-value", "href"];
        const watched = { subtree: true, childList: true, attributes: true, attributeFilter };
        for (const root of roots()) observer.observe(root, watched);
    };
"""


@dataclass
class Contender:
    """A page with a control to change by keyboard, and the times that it took."""

    name: str
    page: Page
    begin_round: Callable[[int], Iterator[str]]
    """Brings the page to a beginning; gives the key of each change when the control is ready for it."""
    times: list[float]
    target: float = TARGET

    def run(self, number: int) -> None:
        """One round."""
        self.page.bring_to_front()
        for key in self.begin_round(number):
            self.page.wait_for_timeout(REST)
            self.page.evaluate("timeChange()")
            self.page.keyboard.press(key)
            self.page.wait_for_function("took !== null")
            self.times.append(self.page.evaluate("took"))


def slide(page: Page, url: Callable[[int], str], label: str) -> Callable[[int], Iterator[str]]:
    """Walks a slider up from 3 to 12; the address of each round differs, so that no result is known already."""

    def begin(number: int) -> Iterator[str]:
        visit(page, url(number))
        page.wait_for_function("shown() !== ''")
        page.get_by_role("slider", name=label).focus()
        yield from ["ArrowRight"] * 9

    return begin


def choose(page: Page, url: Callable[[int], str], label: str) -> Callable[[int], Iterator[str]]:
    """Goes down a menu, word by word."""

    def begin(number: int) -> Iterator[str]:
        visit(page, url(number))
        page.wait_for_function("shown() !== ''")
        menu = page.get_by_role("combobox", name=label, exact=True)
        for _ in range(2):
            menu.click()
            page.keyboard.press("ArrowDown")
            yield "Enter"

    return begin


def contenders(minimal: AppServer, app: AppServer, new_page: Callable[[], Page]) -> list[Contender]:
    """Each floor stands before those that are held against it."""

    def at(path: str = "hidden_state", **query: object) -> Callable[[int], str]:
        return lambda number: app.url(path, preset="random", seed=100 + number, **query)

    pages = [new_page() for _ in range(8)]
    flow = slide(pages[7], lambda number: app.url("gradient_flow", seed=100 + number), "Gain of W_hh")
    return [
        Contender(FLOORS["slider"], pages[0], slide(pages[0], lambda number: minimal.url(), "Size"), []),
        Contender("H by slider, T=8", pages[1], slide(pages[1], at(), "Hidden size H"), []),
        Contender("H by slider, T=50", pages[2], slide(pages[2], at(steps=50), "Hidden size H"), []),
        Contender("LSTM, H by slider, T=8", pages[6], slide(pages[6], at("lstm_gates"), "Hidden size H"), []),
        Contender("gradient flow, gain", pages[7], flow, [], FLOW_TARGET),
        Contender(FLOORS["menu"], pages[3], choose(pages[3], lambda number: minimal.url(), "Kind"), []),
        Contender("activation by menu", pages[4], choose(pages[4], at(), "Activation"), []),
        Contender("weights, 3 x 64 units", pages[5], choose(pages[5], at(**LARGE), "Weights"), []),
    ]


def main(rounds: int = 6) -> None:
    """Print the table."""
    script = Path(tempfile.mkdtemp()) / "minimal.py"
    script.write_text(MINIMAL_PAGE, encoding="utf-8")
    with served(script, ROOT / "app.py") as (minimal, app), chromium() as browser:
        runners = contenders(minimal, app, lambda: clocked_page(browser, CLOCK))
        for number in range(-1, rounds):
            for runner in runners:
                runner.run(number)
                if number < 0:  # the first round warms up
                    runner.times.clear()

    print(f"{'':24} {'median ms':>9} {'p95 ms':>7} {'changes':>8} {'ratio':>6} {'target':>7}")
    floor = math.nan
    for runner in runners:
        median = statistics.median(runner.times)
        is_floor = runner.name in FLOORS.values()
        floor = median if is_floor else floor
        verdict = "met" if median <= runner.target * floor else "MISSED"
        row = f"{runner.name:24} {median:9.1f} {p95(runner.times):7.1f} {len(runner.times):8} {median / floor:6.2f}"
        print(row if is_floor else f"{row} {runner.target:7.1f} {verdict}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
