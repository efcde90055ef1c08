"""Time of the gradient by `rnnviz.bptt` and `rnnviz.rtrl`, against torch's autograd.

Run by hand, one thread each: ``python -m tests.bench.bptt [rounds]``. The contenders take turns in every round, so that
a busy machine slows all; the tables have medians. Torch is given the plain torch.nn module, which keeps no numbers to
look at; its time and that of rnnviz are for the forward and the backward pass together.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import statistics
import sys
from collections.abc import Callable

import numpy as np
import torch

from rnnviz import bptt, gradient_costs, make_cell, rtrl, run
from tests.bench.forward import INPUT_SIZE, MODULES, SIZES, seconds

TARGET = 0.5
RTRL_SIZES = (10, 32, 64)
RTRL_STEPS = 10
TRUNCATION = 20


def contenders(kind: str, steps: int, hidden_size: int) -> list[Callable[[], object]]:
    """Torch, rnnviz forward and back, rnnviz back alone, whole and truncated, after a check that they agree."""
    cell = make_cell(kind, INPUT_SIZE, hidden_size)
    random = np.random.RandomState(0)
    x, d_h = random.standard_normal((steps, INPUT_SIZE)), random.standard_normal((steps, hidden_size))
    module = MODULES[kind](INPUT_SIZE, hidden_size).double()
    weights = (cell.W_ih, cell.W_hh, cell.b_ih, cell.b_hh)
    with torch.no_grad():
        for leaf, weight in zip(module.parameters(), weights, strict=True):
            leaf.copy_(torch.tensor(weight.copy()))
    tensor, direct, trace = torch.tensor(x), torch.tensor(d_h), run(cell, x)

    def by_torch() -> object:
        module.zero_grad()
        (module(tensor)[0] * direct).sum().backward()
        return module

    by_torch()
    for leaf, ours in zip(module.parameters(), bptt(trace, d_h).weights.values(), strict=True):
        np.testing.assert_allclose(ours, leaf.grad.numpy(), rtol=0, atol=1e-9 * np.abs(ours).max())
    return [
        by_torch,
        lambda: bptt(run(cell, x), d_h),
        lambda: bptt(trace, d_h),
        lambda: bptt(trace, d_h, truncation=TRUNCATION),
        lambda: bptt(trace, d_h, truncation=TRUNCATION, scheme="chunk"),
    ]


def medians(calls: list[Callable[[], object]], rounds: int) -> list[float]:
    """Milliseconds of each call, the calls taking turns; the first tenth of the rounds warms up."""
    times = [[seconds(call) for call in calls] for _ in range(rounds)][rounds // 10 :]
    return [1e3 * statistics.median(column) for column in zip(*times, strict=True)]


def forward_rtrl(kind: str, hidden_size: int) -> Callable[[], object]:
    """RTRL over some steps."""
    trace = run(make_cell(kind, INPUT_SIZE, hidden_size), np.ones((RTRL_STEPS, INPUT_SIZE)))
    return lambda: rtrl(trace, np.ones((RTRL_STEPS, hidden_size)))


def main(rounds: int = 30) -> None:
    """Print both tables."""
    torch.set_num_threads(1)
    parts = f"{'bptt':>8} {f'K={TRUNCATION}':>8} {'chunk':>8}"
    print(f"{'cell':6} {'T':>5} {'H':>4} {'torch ms':>9} {'rnnviz ms':>10} {'ratio':>6} {'target':>7}        {parts}")
    for kind in MODULES:
        for steps, hidden_size in SIZES:
            theirs, ours, *alone = medians(contenders(kind, steps, hidden_size), rounds)
            verdict = "met" if ours <= TARGET * theirs else "MISSED"
            row = f"{kind:6} {steps:5} {hidden_size:4} {theirs:9.2f} {ours:10.2f} {ours / theirs:6.2f} {TARGET:7.1f}"
            print(f"{row} {verdict:6}", " ".join(f"{time:8.2f}" for time in alone))
    print(f"\n{'RTRL':6} {'H':>4} {'ms a step':>10} {'MB kept':>8} {'times the multiply-adds of BPTT':>32}")
    for kind in MODULES:
        times = medians([forward_rtrl(kind, hidden_size) for hidden_size in RTRL_SIZES], max(5, rounds // 3))
        for hidden_size, time in zip(RTRL_SIZES, times, strict=True):
            costs = gradient_costs(make_cell(kind, INPUT_SIZE, hidden_size), RTRL_STEPS)
            more, kept = costs.rtrl.multiply_adds / costs.bptt.multiply_adds, 8e-6 * costs.rtrl.numbers
            print(f"{kind:6} {hidden_size:4} {time / RTRL_STEPS:10.3f} {kept:8.2f} {more:32.0f}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
