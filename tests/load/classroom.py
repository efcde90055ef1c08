"""A class of fifty on one server: ``python -m tests.load.classroom [seconds]``.

Each session changes the hidden size every 4 s on average, at a moment of its own, on the same page. The table has the
time from a change until the page is all there, on a server that was started a second ago and on one that is warm, with
the ratio to a minimal page under the same load in the same run.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.explorer_step import p95
from tests.browser.conftest import ROOT, AppServer
from tests.load.session import Session

VISITORS, EVERY = 50, 4.0
SIZES = range(2, 33)
PAGES = ("hidden_state", "lstm_gates", "gru_gates", "gradient_flow", "bptt_rtrl")
TARGET = 0.5

MINIMAL_PAGE = """
import numpy as np
import plotly.graph_objects as go
import streamlit as st

size = st.slider("Size", 2, 32, 3, key="minimal hidden_size")
st.plotly_chart(go.Figure(go.Heatmap(z=np.random.default_rng(size).standard_normal((size, 50)))))
"""


@dataclass
class Class:
    """What fifty visitors of a page saw.

    Attributes
    ----------
    times : list of float
        Seconds of each change.
    errors : list of str
    """

    times: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def taught(port: int, page: str, seconds: float) -> Class:
    """Open the page fifty times, then change it for so long; opening is not counted."""
    found, start = Class(), threading.Event()
    ready = threading.Barrier(VISITORS + 1)

    def visit(number: int) -> None:
        chance = random.Random(number)
        try:
            with Session(port) as session:
                session.open("" if page == "minimal" else page)
                ready.wait()
                start.wait()
                end = time.monotonic() + seconds
                time.sleep(chance.uniform(0, EVERY))
                while time.monotonic() < end:
                    found.times.append(session.slide(f"{page} hidden_size", chance.choice(SIZES)))
                    time.sleep(chance.uniform(0.5, 1.5) * EVERY)
        except Exception as error:  # counted, whatever it is
            found.errors.append(f"{type(error).__name__}: {error}")
            ready.abort()

    visitors = [threading.Thread(target=visit, args=(number,), daemon=True) for number in range(VISITORS)]
    for one in visitors:
        one.start()
    ready.wait(timeout=180)
    start.set()
    for one in visitors:
        one.join()
    return found


def row(name: str, found: Class, floor: Class | None = None) -> str:
    """A line of the table: median, 95th percentile, ratio to the minimal page."""
    if not found.times:
        return f"| {name} | no change came through | | | {len(found.errors)} |"
    middle, slow = statistics.median(found.times), p95(found.times)
    ratio = f"{slow / p95(floor.times):.1f}" if floor else ""
    return f"| {name} | {middle:.3f} | {slow:.3f} | {ratio} | {len(found.errors)} |"


def main() -> None:
    """Print the table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    print("| page, server | p50, s | p95, s | p95 / minimal page's | errors |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "minimal.py"
        script.write_text(MINIMAL_PAGE, encoding="utf-8")
        server = AppServer(script, Path(folder) / "minimal.log")
        server.start()
        floor = taught(server.port, "minimal", seconds)
        server.kill()
        print(row("minimal page", floor), flush=True)
        for page in PAGES:
            server = AppServer(ROOT / "app.py", Path(folder) / "app.log")
            server.start()
            for state in ("cold", "warm"):
                found = taught(server.port, page, seconds)
                print(row(f"{page}, {state}", found, floor), *found.errors[:1], flush=True)
            server.kill()


if __name__ == "__main__":
    main()
