"""What a server's memory grows to: ``python -m tests.load.memory``.

One visitor opens the default pages, then the sixty largest addresses, one after another.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.browser.conftest import ROOT, AppServer
from tests.load.session import Session

PAGES = ("", "hidden_state", "lstm_gates", "gru_gates", "gradient_flow", "bptt_rtrl")
DEFAULT_MB, LARGEST_MB = 150, 700
COUNT = 60


def largest() -> Iterator[tuple[str, str]]:
    """Pages with addresses that hold as many numbers as a legal one can, each a network of its own."""
    sizes = "preset=random&hidden_size=64&steps=1000&input_size=40&layers=3"
    for seed in range(COUNT // 5 + 1):
        yield "lstm_gates", f"{sizes}&sequences=8&seed={seed}"
        yield "gru_gates", f"{sizes}&sequences=8&seed={seed}"
        yield "hidden_state", f"{sizes}&sequences=8&seed={seed}"
        yield "bptt_rtrl", f"preset=first_step&cell=lstm&hidden_size=64&steps=1000&input_size=40&seed={seed}"
        yield "gradient_flow", f"hidden_size=64&steps=1000&input_size=40&layers=3&seed={seed}"


def resident(server: AppServer) -> float:
    """Megabytes that the server's process holds in memory."""
    status = Path(f"/proc/{server.pid}/status").read_text(encoding="utf-8")
    (line,) = (line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def main() -> None:
    """Print the memory after the default pages and after each ten addresses."""
    with tempfile.TemporaryDirectory() as folder:
        server = AppServer(ROOT / "app.py", Path(folder) / "app.log")
        server.start()
        print(f"started {resident(server):.0f} MB", flush=True)
        with Session(server.port) as visitor:
            for page in PAGES:
                visitor.open(page)
            print(f"default pages {resident(server):.0f} MB (at most {DEFAULT_MB})", flush=True)
            for number, (page, query) in enumerate(largest(), start=1):
                seconds = visitor.open(page, query)
                if number % 5 == 0 or "-v" in sys.argv:
                    print(f"{number} largest {resident(server):.0f} MB, {page} {seconds:.1f} s", flush=True)
                if number == COUNT:
                    break
        print(f"in the end {resident(server):.0f} MB (at most {LARGEST_MB})")
        server.kill()


if __name__ == "__main__":
    main()
