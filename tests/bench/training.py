"""Updates a second of the training page, its curves moving in a browser, against a plain loop of torch.

Run by hand: ``python -m tests.bench.training [seconds]``; a run tests most in its first seconds. Both
train the same networks on the same task in batches of the same size, in turns: the loop in a process of its own on one
thread, the page in a worker of the app's server. The table also has what the charts showed: how many pictures a second.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from rnnviz.settings import KINDS
from tests.__main__ import chromium_on_path
from tests.browser.conftest import FLAGS, ROOT, AppServer
from tests.load.session import Session

TARGET = 0.8

LOOP = """
import sys, time, numpy as np, torch
from torch import nn
torch.set_num_threads(1)
torch.manual_seed(0)
B, T, H = 50, 50, 32
rng = np.random.default_rng(0)
kinds = sys.argv[1].split(",")
def batch():
    x = np.zeros((B, T, 2))
    x[:, :, 0] = rng.uniform(size=(B, T))
    rows = np.arange(B)
    for low in (0, T // 2):
        x[rows, rng.integers(low, low + T // 2, B), 1] = 1
    return torch.tensor(x), torch.tensor((x[:, :, 0] * x[:, :, 1]).sum(1)[:, None])
learners = []
for kind in kinds:
    net = {"elman": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}[kind](2, H, batch_first=True).double()
    out = nn.Linear(H, 1).double()
    every = [*net.parameters(), *out.parameters()]
    learners.append((net, out, every, torch.optim.Adam(every, lr=0.005)))
def update():
    for net, out, every, adam in learners:
        x, y = batch()
        adam.zero_grad()
        nn.functional.mse_loss(out(net(x)[0][:, -1]), y).backward()
        nn.utils.clip_grad_norm_(every, 1.0)
        adam.step()
for _ in range(10):
    update()
count, start = 0, time.perf_counter()
while time.perf_counter() - start < float(sys.argv[2]):
    update()
    count += 1
print(count / (time.perf_counter() - start))
"""


def plain(kinds: str, seconds: float) -> float:
    """Updates a second of a loop that does nothing else."""
    done = subprocess.run([sys.executable, "-c", LOOP, kinds, str(seconds)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def on_the_page(page: Page, server: AppServer, cells: str, seconds: float) -> tuple[float, float]:
    """Updates and pictures a second while the page is watched."""
    page.goto(server.url("training", cells=cells, batch_size=50, lr=0.005, updates=20000))
    run = page.get_by_test_id("training-run")
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_function("document.querySelector('[data-testid=training-run]')?.dataset.update > 20", timeout=60_000)
    page.locator("[class*=training-course] .scatterlayer .js-line").first.wait_for(state="attached")
    page.evaluate(
        """() => {
            window.pictures = 0;
            const line = document.querySelector("[class*=training-course] .scatterlayer .js-line");
            const plot = line.closest(".js-plotly-plot");
            plot.on("plotly_afterplot", () => window.pictures++);
        }"""
    )
    first, start = int(run.get_attribute("data-update") or 0), time.perf_counter()
    page.wait_for_timeout(1000 * seconds)
    last, took = int(run.get_attribute("data-update") or 0), time.perf_counter() - start
    pictures = float(page.evaluate("window.pictures"))
    page.get_by_role("button", name="Stop", exact=True).click()
    page.locator("[data-state=stopped]").wait_for()
    return (last - first) / took, pictures / took


def watched_elsewhere(server: AppServer, cells: str, seconds: float) -> float:
    """Updates a second while a page without a browser is sent all that it shows, as from another machine."""
    with Session(server.port) as session:
        session.open("training", f"cells={cells}&batch_size=50&lr=0.005&updates=20000")
        session.press("training play")
        session.watch(lambda: session.update > 20)
        first, start = session.update, time.perf_counter()
        session.watch(lambda: time.perf_counter() - start > seconds)
        last, took = session.update, time.perf_counter() - start
        session.press("training stop")
    return (last - first) / took


def main() -> None:
    """Print the table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    print(
        "| adding problem, H = 32, T = 50, batch 50 | plain loop, updates/s | page, updates/s | ratio | pictures/s "
        "| watched from another machine | ratio |"
    )
    print("|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = AppServer(ROOT / "app.py", Path(folder) / "app.log")
        server.start()
        browser = playwright.chromium.launch(executable_path=chromium_on_path(), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 720})
        for cells, kinds in (("all", ",".join(KINDS)), *((kind, kind) for kind in KINDS)):
            loop, (updates, pictures) = plain(kinds, seconds), on_the_page(page, server, cells, seconds)
            elsewhere = watched_elsewhere(server, cells, seconds)
            loop = (loop + plain(kinds, seconds)) / 2
            here, there = (f"{one / loop:.2f} (at least {TARGET})" for one in (updates, elsewhere))
            print(
                f"| {cells} | {loop:.1f} | {updates:.1f} | {here} | {pictures:.1f} | {elsewhere:.1f} | {there} |",
                flush=True,
            )
        browser.close()
        server.stop()


if __name__ == "__main__":
    main()
