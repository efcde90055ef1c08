"""A class of fifty beside one visitor with a large network: ``python -m tests.load.neighbour [seconds]``.

The visitor is on the page about gradients with 64 units over 1,000 steps and moves a slider without a pause. The table
has what the class sees on its own pages, quiet and beside that visitor, in turns on one warm server.
"""

from __future__ import annotations

import random
import sys
import tempfile
import threading
from pathlib import Path

from tests.browser.conftest import ROOT, AppServer
from tests.load.classroom import row, taught
from tests.load.session import Session

PAGES = ("hidden_state", "lstm_gates")
LARGE = "preset=pytorch&cell=lstm&hidden_size=64&steps=1000"


def toil(port: int, done: threading.Event, times: list[float]) -> None:
    """Draw one large network after the other."""
    chance = random.Random(0)
    with Session(port) as session:
        session.open("gradient_flow", LARGE)
        while not done.is_set():
            times.append(session.slide("gradient_flow gain", chance.randrange(10, 40) / 20))


def main() -> None:
    """Print the table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    print("| page, neighbour | p50, s | p95, s | p95 / quiet | errors |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        server = AppServer(ROOT / "app.py", Path(folder) / "app.log")
        server.start()
        for page in PAGES:
            taught(server.port, page, seconds)  # warm
            quiet = taught(server.port, page, seconds)
            done, times = threading.Event(), list[float]()
            neighbour = threading.Thread(target=toil, args=(server.port, done, times), daemon=True)
            neighbour.start()
            beside = taught(server.port, page, seconds)
            done.set()
            neighbour.join()
            print(row(f"{page}, quiet", quiet), flush=True)
            print(row(f"{page}, beside {len(times)} large networks", beside, quiet), flush=True)
        server.kill()


if __name__ == "__main__":
    main()
