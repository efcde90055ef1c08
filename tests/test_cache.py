"""What is remembered for all sessions: its size, what goes first, and one computation for all who ask."""

from __future__ import annotations

import threading
import time
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from rnnviz import make_cell, run
from rnnviz.cache import BUDGET_MB, RESULTS, Cache, remembered, size_of


class Clock:
    """One that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def block(size: int) -> np.ndarray:
    return np.zeros(size, dtype=np.uint8)


def asked(cache: Cache, key: object, size: int = 1000) -> bool:
    """Whether a result had to be computed."""
    computed: list[bool] = []

    def compute() -> np.ndarray:
        computed.append(True)
        return block(size)

    cache.get(key, compute)  # type: ignore[arg-type]
    return bool(computed)


def test_the_size_of_a_run_is_that_of_its_arrays() -> None:
    """Counted by hand, a view once, and the rest of the objects beside them small."""
    trace = run(make_cell("lstm", 3, 5), np.zeros((40, 3)))
    arrays = [trace.x, trace.states, trace.from_x, trace.from_h, *trace.gates.values(), *trace.preacts.values()]
    arrays += [getattr(trace.cell, name) for name in ("W_ih", "W_hh", "b_ih", "b_hh")]
    owners: dict[int, int] = {}
    for array in arrays:
        while isinstance(array.base, np.ndarray):
            array = array.base
        owners[id(array)] = array.nbytes
    least = sum(owners.values())
    assert least <= size_of(trace) <= least + 10_000
    assert size_of((trace, trace, [trace])) - size_of(trace) < 500


@pytest.mark.parametrize(
    ("value", "least"),
    [
        ("x" * 1000, 1000),
        (["y" * 1000] * 5, 1000),
        ({"a": block(5000)}, 5000),
        (MappingProxyType({"a": block(5000), "b": block(7000)}), 12000),
        (block(9000)[:10], 9000),
        (frozenset({"z" * 800}), 800),
    ],
)
def test_the_size_of_other_things(value: object, least: int) -> None:
    assert least <= size_of(value) <= least + 1500


def test_what_is_asked_for_again_later_outlives_what_a_drag_passes_through() -> None:
    """A result asked for at rest is still there after any number of others; the first of those are gone."""
    clock = Clock()
    cache = Cache(40_000, clock)
    assert asked(cache, "at rest")
    clock.now = 3.0
    assert not asked(cache, "at rest")
    for value in range(100):
        clock.now += 0.1
        assert asked(cache, value)
        assert not asked(cache, value)  # the same run asks more than once
    assert not asked(cache, "at rest")
    assert asked(cache, 0)
    assert cache.size <= 40_000


def test_the_budget_holds_whatever_is_put_in() -> None:
    """The least recently used goes first; what is too large is handed out and not kept."""
    clock = Clock()
    cache = Cache(40_000, clock)
    random = np.random.default_rng(1)
    for _ in range(500):
        asked(cache, int(random.integers(60)), int(random.integers(1, 15_000)))
        clock.now += float(random.random())
        assert cache.size <= 40_000
    assert asked(cache, "large", 50_000)
    assert asked(cache, "large", 50_000)
    cache.clear()
    assert cache.size == 0


def test_sessions_that_ask_at_once_share_one_computation() -> None:
    cache, computed, started = Cache(10**6), [], threading.Event()

    def compute() -> np.ndarray:
        computed.append(1)
        started.wait(timeout=10)
        return block(10)

    results: list[Any] = []
    sessions = [threading.Thread(target=lambda: results.append(cache.get("one", compute))) for _ in range(8)]
    for one in sessions:
        one.start()
    while not computed:
        time.sleep(0.001)
    started.set()
    for one in sessions:
        one.join()
    assert len(computed) == 1
    assert len(results) == 8
    assert all(result is results[0] for result in results)


def test_an_error_reaches_all_who_ask_and_is_not_remembered() -> None:
    cache = Cache(10**6)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            cache.get("one", lambda: 1 // 0)
    assert cache.get("one", lambda: 5) == 5


def test_a_function_is_remembered_by_its_arguments() -> None:
    calls = []

    @remembered
    def squared(number: int, more: int = 0) -> int:
        calls.append(number)
        return number**2 + more

    RESULTS.clear()
    assert [squared(3), squared(3), squared(4), squared(3, more=1)] == [9, 9, 16, 10]
    assert calls == [3, 4, 3]


def test_the_budget_of_the_app() -> None:
    assert BUDGET_MB == 256.0
