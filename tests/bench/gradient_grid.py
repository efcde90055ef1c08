"""Time of `rnnviz.log10_gradient_norm_grid`, Frobenius norms of all pairs of steps, against stacked matrix products.

Run by hand, one thread each: ``python -m tests.bench.gradient_grid [rounds]``. The two take turns in every round; the
table has the best of each. The spectral norms, which need all products, stand below.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import sys
from collections.abc import Callable
from functools import partial
from time import perf_counter

import numpy as np

from rnnviz import Trace, log10_gradient_norm_grid, make_cell, run, step_jacobians
from rnnviz.maths.checks import Array

SPEED_UP = {(400, 64, "elman"): 3.0}
"""Steps, units and cell to how many times as fast as the products it has to be."""

MOST_MS = {(100, 32, "elman"): 15.0}
CASES = [(T, H, kind) for T, H in ((100, 32), (400, 64)) for kind in ("elman", "lstm", "gru")]
INPUT_SIZE = 8


def stacked_products(J: Array, H: int) -> Array:
    """The h blocks of all products ``J_t ... J_{k+1}``, one stack for each t, in plain float64 whatever its range."""
    T, S, _ = J.shape
    grid = np.full((T + 1, T + 1), -np.inf)
    products = np.zeros((T, S, H))
    for t in range(T):
        products[t] = np.eye(S, H)
        products[: t + 1] = J[t] @ products[: t + 1]
        blocks = products[: t + 1, :H]
        grid[t + 1, : t + 1] = 0.5 * np.log10(np.einsum("kij,kij->k", blocks, blocks))
    return grid


def contenders(trace: Trace) -> tuple[Callable[[], object], Callable[[], object]]:
    """The same grid in both ways, after a check that they agree."""
    H, below = trace.cell.hidden_size, np.tril_indices(trace.steps + 1, -1)
    ours = partial(log10_gradient_norm_grid, trace, norm="fro")
    np.testing.assert_allclose(ours()[below], stacked_products(step_jacobians(trace), H)[below], rtol=0, atol=1e-9)
    return ours, lambda: stacked_products(step_jacobians(trace), H)


def milliseconds(call: Callable[[], object]) -> float:
    """Time of one call."""
    start = perf_counter()
    call()
    return 1e3 * (perf_counter() - start)


def verdict(case: tuple[int, int, str], ours: float, theirs: float) -> str:
    """Whether a target is met, if there is one."""
    if case in SPEED_UP:
        return f"target {SPEED_UP[case]:g}x: {'met' if theirs >= SPEED_UP[case] * ours else 'MISSED'}"
    if case in MOST_MS:
        return f"target {MOST_MS[case]:g} ms: {'met' if ours <= MOST_MS[case] else 'MISSED'}"
    return ""


def drawn(kind: str, steps: int, hidden_size: int) -> Trace:
    """A run of a cell with PyTorch's initialisation."""
    x = np.random.default_rng(0).standard_normal((steps, INPUT_SIZE))
    return run(make_cell(kind, INPUT_SIZE, hidden_size), x)


def main(rounds: int = 5) -> None:
    """Print the tables."""
    print(f"{'cell':6} {'T':>4} {'H':>3} {'grid ms':>8} {'products ms':>12} {'speed-up':>9}")
    for steps, hidden_size, kind in CASES:
        pair = contenders(drawn(kind, steps, hidden_size))
        turns = rounds if steps > 100 else 8 * rounds
        times = [[milliseconds(call) for call in pair] for _ in range(turns)]
        ours, theirs = (min(column) for column in zip(*times, strict=True))
        row = f"{kind:6} {steps:4} {hidden_size:3} {ours:8.1f} {theirs:12.1f} {theirs / ours:8.1f}x"
        print(f"{row} {verdict((steps, hidden_size, kind), ours, theirs)}".rstrip(), flush=True)
    print("\nspectral norms")
    for kind in ("elman", "lstm", "gru"):
        spectral = partial(log10_gradient_norm_grid, drawn(kind, 100, 32))
        print(f"{kind:6} {100:4} {32:3} {min(milliseconds(spectral) for _ in range(rounds)):8.1f}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
