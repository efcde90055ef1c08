"""Heavy work in processes of its own, so that it does not hold Python's lock for a server's other visitors."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

WORKERS_VARIABLE = "RNNVIZ_WORKERS"
"""The environment variable that sets how many processes there are at most; with 0 all work is done where it is asked.

Without it there is one, or on a larger computer one for every second core.
"""

_IDLE = 60.0
"""Seconds after which a process that has nothing to do ends."""
_MANNERS = 5
"""How much other work comes first, on systems that know it: answers to all who move a slider."""
_SINGLE = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")


def elsewhere(function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> R:
    """What a function returns, called in another process; its arguments and its result travel there and back.

    For what takes longer than the travel, about a tenth of a second. What it raises is raised here.
    """
    most = int(os.environ.get(WORKERS_VARIABLE, max(1, (os.cpu_count() or 1) // 2)))
    if not most:
        return function(*args, **kwargs)
    from loky import get_reusable_executor  # takes a while, and small networks never need it

    pool = get_reusable_executor(max_workers=most, timeout=_IDLE, initializer=_step_back, env=_SINGLE)
    result: R = pool.submit(function, *args, **kwargs).result()
    return result


def _step_back() -> None:
    if hasattr(os, "nice"):
        os.nice(_MANNERS)
