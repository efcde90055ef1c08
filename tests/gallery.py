"""The pictures of the README, taken from the running app: ``python -m tests.gallery``, or some of them by name."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from rnnviz.texts import say
from tests.__main__ import chromium_on_path
from tests.browser.conftest import FLAGS, ROOT, AppServer, unfold

GALLERY = ROOT / ".github" / "gallery"


def point_at(variable: str, index: str) -> Callable[[Page], None]:
    """An action: the mouse on a number of the explorer's picture."""
    selector = f'[data-var="{variable}"][data-index="{index}"]:not([data-step])'
    return lambda page: page.hover(selector)


def open_graph(page: Page) -> None:
    """An action: the graph opened and in sight."""
    page.click('[data-part="graph"] summary')
    page.locator(".graph").scroll_into_view_if_needed()
    page.hover('.chip[data-weights="W_hh(2)"]')


def chart_in(fold: str, press: str = "", chart: int = 0) -> Callable[[Page], None]:
    """An action: a chart of a fold in sight, given by the key of the fold's title; `press` starts what it draws."""

    def act(page: Page) -> None:
        summary = page.locator("summary", has_text=say(fold))
        if summary.locator("..").get_attribute("open") is None:
            unfold(summary)
        if press:
            page.get_by_role("button", name=press).first.click()
        drawn = summary.locator("..").locator(".js-plotly-plot:has(.main-svg)").nth(chart)
        drawn.wait_for(timeout=60_000)
        page.wait_for_timeout(1500)
        drawn.evaluate("chart => chart.scrollIntoView({block: 'center'})")

    return act


def on_the_chart(page: Page) -> None:
    """An action: the mouse on the curves, somewhere in the middle."""
    page.locator(".chart").first.hover(position={"x": 240, "y": 120})


def train(page: Page) -> None:
    """An action: a run from Play to its end."""
    page.get_by_role("button", name=say("training.play"), exact=True).click()
    page.locator("[data-testid=training-run][data-state=done]").wait_for(timeout=300_000)
    page.locator("[class*=training-reach] .main-svg").first.wait_for()
    page.wait_for_timeout(1500)


PICTURES: dict[str, tuple[str, dict[str, object], tuple[int, int], str, Callable[[Page], None]]] = {
    "hidden_state": ("hidden_state", {}, (1280, 800), "light", point_at("h", "2")),
    "weight_is_shared": ("hidden_state", {"t": 3, "W_hh.1.1": 1.4}, (1280, 800), "dark", point_at("W_hh", "2,1")),
    "large": (
        "hidden_state",
        {"preset": "random", "hidden_size": 64, "steps": 300, "seed": 3, "t": 24},
        (1280, 1000),
        "light",
        point_at("h", "22"),
    ),
    "unrolled": (
        "hidden_state",
        {"preset": "random", "layers": 2, "hidden_size": 12, "steps": 24, "t": 9},
        (1280, 720),
        "light",
        open_graph,
    ),
    "lstm_gates": ("lstm_gates", {"preset": "random", "t": 4}, (1280, 800), "light", point_at("f", "1")),
    "ledger": ("lstm_gates", {}, (1280, 900), "light", chart_in("ledger.title")),
    "brackets": ("lstm_gates", {"preset": "bracket_depth", "t": 12}, (1280, 1240), "dark", point_at("c", "1")),
    "gradient_flow": ("gradient_flow", {}, (1280, 800), "light", on_the_chart),
    "steps_back": ("gradient_flow", {"preset": "saturates"}, (1280, 900), "dark", chart_in("chain.title")),
    "eigenvalues": (
        "gradient_flow",
        {"preset": "nilpotent"},
        (1280, 900),
        "light",
        chart_in("spectrum.title"),
    ),
    "backward_pass": ("bptt_rtrl", {"t": 5}, (1280, 800), "light", point_at("d_h", "1")),
    "uses": (
        "bptt_rtrl",
        {"preset": "first_step_lstm", "truncation": 5},
        (1280, 900),
        "dark",
        chart_in("use.title"),
    ),
    "clipping": (
        "bptt_rtrl",
        {"preset": "clip_saves"},
        (1280, 900),
        "light",
        chart_in("clip.title", press="Compute", chart=1),
    ),
    "training": ("training", {}, (1280, 1180), "light", train),
    "from_ngrams": ("from_ngrams", {}, (1280, 900), "light", lambda page: None),
    "phone": ("hidden_state", {"preset": "oscillator", "t": 5}, (360, 1180), "light", lambda page: None),
}
"""Name of the picture: page, address, size of the window, colour scheme, what the mouse does."""


def main() -> None:
    """Start a server, take every picture, write them to the gallery."""
    GALLERY.mkdir(parents=True, exist_ok=True)
    server = AppServer(ROOT / "app.py", Path(tempfile.mkdtemp()) / "server.log")
    server.start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_on_path(), args=list(FLAGS))
        for name in sys.argv[1:] or PICTURES:
            path, query, (width, height), scheme, act = PICTURES[name]
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)  # type: ignore[arg-type]
            page.goto(server.url(path, **query))
            page.wait_for_selector('[data-testid="cell-explorer"] .cell, .chart [data-curve], .run, table.read')
            page.wait_for_timeout(1500)  # until fonts and transitions are at rest
            act(page)
            page.wait_for_timeout(300)
            picture = Image.open(BytesIO(page.screenshot()))
            picture.quantize(192).save(GALLERY / f"{name}.png", optimize=True)
            page.close()
    server.stop()


if __name__ == "__main__":
    main()
