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
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.bench.explorer_step import p95, served
from tests.bench.tab import Tab, opened_tab
from tests.browser.conftest import ROOT, AppServer

TARGET, FLOW_TARGET = 1.5, 2.0
REST = 0.3
"""Seconds between two changes, for a page to come to rest."""

FLOORS = {"slider": "minimal page, slider", "menu": "minimal page, menu"}
"""A menu takes longer to close than a slider to move, on any page."""

LARGE = {"hidden_size": 64, "layers": 3, "steps": 200, "layer": 2}

MINIMAL_PAGE = """
import numpy as np
import plotly.graph_objects as go
import streamlit as st

size = st.slider("Size", 1, 16, 3) + 16 * st.selectbox("Kind", [0, 1, 2, 3])
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
    // Milliseconds from the next key press until something else is shown and painted.
    window.timeChange = () => new Promise((told) => {
        const before = shown();
        let start = null;
        window.addEventListener("keydown", () => (start ??= performance.now()), { capture: true, once: true });
        const observer = new MutationObserver(() => {
            const now = shown();
            if (start === null || now === before || now === "") return;
            observer.disconnect();
            requestAnimationFrame(() => requestAnimationFrame(() => told(performance.now() - start)));
        });
        const attributeFilter = ["data-value", "href"];
        const watched = { subtree: true, childList: true, attributes: true, attributeFilter };
        for (const root of roots()) observer.observe(root, watched);
    });
"""


@dataclass
class Contender:
    """A page with a control to change by keyboard, and the times that it took."""

    name: str
    begin_round: Callable[[Tab, int], Iterator[str]]
    """Brings the page to a beginning; gives the key of each change when the control is ready for it."""
    times: list[float]
    target: float = TARGET

    def run(self, tab: Tab, number: int) -> None:
        """One round."""
        for key in self.begin_round(tab, number):
            time.sleep(REST)
            tab.evaluate("void (window.change = timeChange())")
            tab.press(key)
            self.times.append(tab.evaluate("change"))


def slide(url: Callable[[int], str], label: str) -> Callable[[Tab, int], Iterator[str]]:
    """Walks a slider up from 3 to 12; the address of each round differs, so that no result is known already."""

    def begin(tab: Tab, number: int) -> Iterator[str]:
        tab.visit(url(number), "shown()")
        tab.focus(f"input[type=range][aria-label='{label}']")
        yield from ["ArrowRight"] * 9

    return begin


def choose(url: Callable[[int], str], label: str) -> Callable[[Tab, int], Iterator[str]]:
    """Goes down a menu by three words, one by one."""

    def begin(tab: Tab, number: int) -> Iterator[str]:
        tab.visit(url(number), "shown()")
        for _ in range(3):
            tab.click(f"input[aria-label='{label}']")
            tab.wait("document.querySelector('[role=option]')")
            tab.press("ArrowDown")
            yield "Enter"

    return begin


def contenders(minimal: AppServer, app: AppServer) -> list[Contender]:
    """Each floor stands before those that are held against it."""

    def at(path: str = "hidden_state", **query: object) -> Callable[[int], str]:
        return lambda number: app.url(path, preset="random", seed=100 + number, **query)

    def flow(number: int) -> str:
        return app.url("gradient_flow", seed=100 + number)

    def floor(number: int) -> str:
        return minimal.url()

    return [
        Contender(FLOORS["slider"], slide(floor, "Size"), []),
        Contender("H by slider, T=8", slide(at(), "Hidden size H"), []),
        Contender("H by slider, T=50", slide(at(steps=50), "Hidden size H"), []),
        Contender("LSTM, H by slider, T=8", slide(at("lstm_gates"), "Hidden size H"), []),
        Contender("gradient flow, gain", slide(flow, "Gain of W_hh"), [], FLOW_TARGET),
        Contender(FLOORS["menu"], choose(floor, "Kind"), []),
        Contender("activation by menu", choose(at(), "Activation"), []),
        Contender("weights, 3 x 64 units", choose(at(**LARGE), "Weights"), []),
    ]


def main(rounds: int = 6) -> None:
    """Print the table."""
    script = Path(tempfile.mkdtemp()) / "minimal.py"
    script.write_text(MINIMAL_PAGE, encoding="utf-8")
    with served(script, ROOT / "app.py") as (minimal, app), opened_tab(CLOCK) as tab:
        runners = contenders(minimal, app)
        for number in range(-1, rounds):
            for runner in runners:
                runner.run(tab, number)
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
