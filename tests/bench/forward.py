"""Time of `rnnviz.run`, which keeps every intermediate, against the plain torch.nn forward, which shows none.

Run by hand, one thread each: ``python -m tests.bench.forward [rounds]``. The two take turns in every round, so that a
busy machine slows both; the table has medians.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import statistics
import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np
import torch

from rnnviz import make_cell, run

TARGETS = {"elman": 0.6, "lstm": 0.6, "gru": 0.8}
MODULES = {"elman": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru": torch.nn.GRU}
SIZES = ((200, 32), (1000, 64))
INPUT_SIZE = 8


def contenders(kind: str, steps: int, hidden_size: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """The same cell over the same sequence, by rnnviz and by torch, after a check that they agree."""
    cell = make_cell(kind, INPUT_SIZE, hidden_size)
    x = np.random.RandomState(0).standard_normal((steps, INPUT_SIZE))
    module = MODULES[kind](INPUT_SIZE, hidden_size).double()
    for name, weight in zip(
        ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"),
        (cell.W_ih, cell.W_hh, cell.b_ih, cell.b_hh),
        strict=True,
    ):
        getattr(module, name).copy_(torch.tensor(weight.copy()))
    tensor = torch.tensor(x)
    np.testing.assert_allclose(run(cell, x).h[1:], module(tensor)[0].numpy(), rtol=0, atol=1e-12)
    return lambda: run(cell, x), lambda: module(tensor)


def seconds(call: Callable[[], object]) -> float:
    """Time of one call."""
    start = perf_counter()
    call()
    return perf_counter() - start


def main(rounds: int = 60) -> None:
    """Print the table."""
    torch.set_num_threads(1)
    print(f"{'cell':6} {'T':>5} {'H':>4} {'rnnviz ms':>10} {'torch ms':>9} {'ratio':>6} {'target':>7}")
    with torch.no_grad():
        for kind, target in TARGETS.items():
            for steps, hidden_size in SIZES:
                pair = contenders(kind, steps, hidden_size)
                times = [[seconds(call) for call in pair] for _ in range(rounds)][rounds // 10 :]
                ours, theirs = (1e3 * statistics.median(column) for column in zip(*times, strict=True))
                verdict = "met" if ours <= target * theirs else "MISSED"
                row = f"{kind:6} {steps:5} {hidden_size:4} {ours:10.3f} {theirs:9.3f}"
                print(f"{row} {ours / theirs:6.2f} {target:7.1f} {verdict}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
