"""A visitor of Hidden state beside two runs that are watched: ``python -m tests.load.training [seconds]``.

Two sessions train the adding problem and look as often as their pages do; a third changes the hidden size
on Hidden state. The table has its times quiet and beside the runs, in turns on one warm server, and what the server's
process takes in memory: torch is in the workers alone.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from tests.bench.explorer_step import p95
from tests.browser.conftest import ROOT, AppServer
from tests.load.memory import resident
from tests.load.session import Session

RUNS, TARGET = 2, 2.0


def train(port: int, seed: int, ready: threading.Barrier, done: threading.Event) -> None:
    """Press Play and watch until the others are done."""
    with Session(port) as session:
        session.open("training", f"updates=20000&seed={seed}")
        session.press("training play")
        ready.wait()
        session.watch(done.is_set)
        with suppress(KeyError):
            session.press("training stop")


def visit(port: int, seconds: float) -> list[float]:
    """The seconds of each change of a visitor who changes something every 0.3 s."""
    chance, times = random.Random(0), list[float]()
    with Session(port) as session:
        session.open("hidden_state")
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            times.append(session.slide("hidden_state hidden_size", chance.randrange(2, 17)))
            time.sleep(0.3)
    return times


def main() -> None:
    """Print the table."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 20.0
    print("| Hidden state | p50, ms | p95, ms | p95 / quiet | server, MB |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        server = AppServer(ROOT / "app.py", Path(folder) / "app.log")
        server.start()
        visit(server.port, 5.0)  # warm
        quiet = visit(server.port, seconds)
        before = resident(server)
        done, ready = threading.Event(), threading.Barrier(RUNS + 1)
        runs = [threading.Thread(target=train, args=(server.port, seed, ready, done)) for seed in range(RUNS)]
        for run in runs:
            run.start()
        ready.wait()
        time.sleep(6.0)  # both are at work
        beside = visit(server.port, seconds)
        after = resident(server)
        done.set()
        for run in runs:
            run.join()
        for name, times, memory in (("quiet", quiet, before), (f"beside {RUNS} runs", beside, after)):
            ratio = p95(times) / p95(quiet)
            print(f"| {name} | {1000 * statistics.median(times):.0f} | {1000 * p95(times):.0f} "
                  f"| {ratio:.2f} (at most {TARGET}) | {memory:.0f} |")  # fmt: skip
        server.stop()


if __name__ == "__main__":
    main()
