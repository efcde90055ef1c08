"""What is remembered for all sessions: within one budget of bytes, and each result computed once.

A result that is asked for again after a while is kept as long as there is room; what a drag only passes through goes
first. Sessions that ask for the same at once wait for the one that computes it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import wraps
from threading import RLock
from time import monotonic
from typing import Any, ParamSpec, TypeVar

import numpy as np
from cachetools import LRUCache

P = ParamSpec("P")
R = TypeVar("R")

BUDGET_VARIABLE = "RNNVIZ_CACHE_MB"
"""The environment variable that sets the budget of the app's own cache, in megabytes of 2**20 bytes."""

BUDGET_MB = 256.0
_PASSING = 0.25
_RESTED = 2.0


@dataclass(frozen=True)
class _Entry:
    value: object
    size: int
    born: float


class Cache:
    """Results by their keys, those asked for longest ago going first.

    Parameters
    ----------
    budget : int
        Bytes of all results together, a quarter of them for results that were asked for once, or only in a hurry. One
        that is larger than this quarter is kept with the others, one that is larger than the rest not at all.
    clock : callable
        Seconds; for tests.
    """

    def __init__(self, budget: int, clock: Callable[[], float] = monotonic) -> None:
        passing = int(_PASSING * budget)
        self._passing: LRUCache[Hashable, _Entry] = LRUCache(passing, getsizeof=lambda entry: entry.size)
        self._kept: LRUCache[Hashable, _Entry] = LRUCache(budget - passing, getsizeof=lambda entry: entry.size)
        self._running: dict[Hashable, Future[object]] = {}
        self._lock, self._clock = RLock(), clock

    @property
    def size(self) -> int:
        """The bytes of all that is remembered."""
        return int(self._passing.currsize + self._kept.currsize)

    def clear(self) -> None:
        """Forget all."""
        with self._lock:
            self._passing.clear()
            self._kept.clear()

    def get(self, key: Hashable, compute: Callable[[], R]) -> R:
        """The result of a key, computed where it is not at hand; what `compute` raises is not remembered."""
        with self._lock:
            entry = self._found(key)
            if entry is not None:
                return entry.value  # type: ignore[return-value]
            running = self._running.get(key)
            if running is None:
                mine = self._running[key] = Future()
        if running is not None:
            return running.result()  # type: ignore[return-value]
        try:
            value = compute()
        except BaseException as error:
            self._end(key)
            mine.set_exception(error)
            raise
        self._end(key, _Entry(value, size_of(value), self._clock()))
        mine.set_result(value)
        return value

    def _found(self, key: Hashable) -> _Entry | None:
        entry: _Entry | None = self._kept.get(key)
        if entry is None:
            entry = self._passing.get(key)
            if entry is not None and self._clock() - entry.born > _RESTED and entry.size <= self._kept.maxsize:
                del self._passing[key]
                self._kept[key] = entry
        return entry

    def _end(self, key: Hashable, entry: _Entry | None = None) -> None:
        with self._lock:
            del self._running[key]
            if entry is not None and entry.size <= self._passing.maxsize:
                self._passing[key] = entry
            elif entry is not None and entry.size <= self._kept.maxsize:
                self._kept[key] = entry  # large: one page asks for it several times


RESULTS = Cache(int(float(os.environ.get(BUDGET_VARIABLE, BUDGET_MB)) * 2**20))
"""That of the app, which all sessions share."""


def remembered(function: Callable[P, R]) -> Callable[P, R]:
    """Remember the results of a function of hashable arguments; what it returns is shared, so it must not change."""
    name = f"{function.__module__}.{function.__qualname__}"

    @wraps(function)
    def asked(*args: P.args, **kwargs: P.kwargs) -> R:
        return RESULTS.get((name, args, tuple(sorted(kwargs.items()))), lambda: function(*args, **kwargs))

    return asked


def size_of(value: object) -> int:
    """The bytes of a value with all that it holds, each thing counted once; an array counts with what it views.

    Examples
    --------
    >>> whole = np.zeros(1000)
    >>> 8000 < size_of((whole, whole[:10], {"again": whole})) < 9000
    True
    """
    total, seen, waiting = 0, set[int](), [value]
    while waiting:
        one: Any = waiting.pop()
        if isinstance(one, np.ndarray):
            while isinstance(one.base, np.ndarray):
                one = one.base
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            total += one.nbytes
        total += sys.getsizeof(one, 0) if not isinstance(one, np.ndarray) else 0
        if isinstance(one, Mapping):
            waiting += one.keys()
            waiting += one.values()
        elif isinstance(one, list | tuple | set | frozenset):
            waiting += one
        elif hasattr(one, "__dict__") and not isinstance(one, type) and not callable(one):
            waiting += vars(one).values()
    return total
