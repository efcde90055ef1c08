"""Time of `rnnviz.log10_gradient_norms` against batched reverse-mode differentiation in torch.

Both answer: how strongly does h_T depend on every h_k, k = 0..T, in the spectral norm? Torch has the graph of its
forward pass already, built once outside the clock, and takes from it one batch of H vectors back through all steps
(``torch.autograd.grad`` with ``is_grads_batched=True``), then ``matrix_norm`` of the stacked gradients. The clock of
rnnviz runs from the trace to the logarithms.

Run by hand, one thread each: ``python -m tests.bench.gradient_norms [rounds]``. The two take turns in every round, so
that a busy machine slows both; the table has medians.
"""

import os

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import statistics
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import torch

from rnnviz import Trace, log10_gradient_norms, make_cell, run
from tests.maths.twins import tensor, torch_cell

TARGETS = {"elman": 1.5, "lstm": 8.0, "gru": None}
SIZES = ((200, 32), (1000, 64))
INPUT_SIZE = 8


def torch_states(trace: Trace) -> list[torch.Tensor]:
    """h_0..h_T, linked as torch links them."""
    twin = torch_cell(trace.cell)
    state: Any = tensor(trace.h[0]).requires_grad_()
    state = (state, tensor(trace.c[0])) if trace.c is not None else state
    states = [state]
    for x in tensor(trace.x):
        states.append(twin(x, states[-1]))
    return [state[0] if trace.c is not None else state for state in states]


def contenders(kind: str, steps: int, hidden_size: int) -> tuple[Callable[[], object], Callable[[], object]]:
    """The norms of one run, by rnnviz and by torch, after a check that they agree."""
    cell = make_cell(kind, INPUT_SIZE, hidden_size)
    trace = run(cell, np.random.RandomState(0).standard_normal((steps, INPUT_SIZE)))
    states, unit = torch_states(trace), torch.eye(hidden_size, dtype=torch.float64)

    def by_torch() -> Any:
        gradients = torch.autograd.grad(states[-1], states, unit, is_grads_batched=True, retain_graph=True)
        return torch.linalg.matrix_norm(torch.stack(gradients), ord=2)

    theirs = by_torch().detach().numpy()
    seen = theirs > 1e-150  # below that torch squares numbers away
    np.testing.assert_allclose(log10_gradient_norms(trace)[seen], np.log10(theirs[seen]), rtol=0, atol=1e-10)
    return lambda: log10_gradient_norms(trace), by_torch


def seconds(call: Callable[[], object]) -> float:
    """Time of one call."""
    start = perf_counter()
    call()
    return perf_counter() - start


def main(rounds: int = 30) -> None:
    """Print the table."""
    torch.set_num_threads(1)
    print(f"{'cell':6} {'T':>5} {'H':>4} {'rnnviz ms':>10} {'torch ms':>9} {'faster':>7} {'target':>7}")
    for kind, target in TARGETS.items():
        for steps, hidden_size in SIZES:
            pair = contenders(kind, steps, hidden_size)
            times = [[seconds(call) for call in pair] for _ in range(rounds)][2:]
            ours, theirs = (1e3 * statistics.median(column) for column in zip(*times, strict=True))
            faster = statistics.median(theirs / ours for ours, theirs in times)
            row = f"{kind:6} {steps:5} {hidden_size:4} {ours:10.2f} {theirs:9.2f} {faster:7.1f}"
            print(row if target is None else f"{row} {target:7.1f} {'met' if faster >= target else 'MISSED'}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
