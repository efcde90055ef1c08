"""What holds for every test."""

from __future__ import annotations

import os

# One thread each: timings and last digits then don't depend on the number of cores. Counts only before numpy loads.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from hypothesis import settings

# No deadline: the first call of anything is slow on a busy machine. In CI always the same examples, elsewhere new ones.
settings.register_profile("rnnviz", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("rnnviz")
