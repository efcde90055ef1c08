"""All pages with a cell that nobody has seen."""

from __future__ import annotations

import subprocess
import sys


def test_a_cell_of_ones_own_is_shown_on_every_page_that_takes_its_kind() -> None:
    """In a process of its own, for the pages read the registry of cells once; `own_cell` has what is asserted."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.pages.own_cell"], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["hidden_state", "gradient_flow", "bptt_rtrl"]
