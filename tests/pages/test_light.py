"""What the pages load before a fold is opened."""

from __future__ import annotations

import subprocess
import sys

_OPEN_ALL = """
import sys
from tests.pages.driven import App
app = App()
for page in ("hidden_state", "lstm_gates", "gru_gates", "bptt_rtrl"):
    app.go(page)
print(*sorted({"pandas", "plotly", "pyarrow", "torch"} & set(sys.modules)))
"""


def test_no_page_loads_pandas_plotly_or_torch_until_a_fold_needs_them() -> None:
    """They take a second to load and more memory than all else. Streamlit loads plotly's name alone by itself."""
    done = subprocess.run([sys.executable, "-c", _OPEN_ALL], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() in ([], ["plotly"])
