"""Every cell that PyTorch has is PyTorch's, to 1e-12 in float64."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import LSTMCell, run, run_stack

from .drawn import TORCH_FORMS, Case, cases, make_case, stack_above
from .twins import tensor, torch_cell, torch_network


def close(ours: np.ndarray, theirs: torch.Tensor) -> None:
    """To 1e-12 of the largest entry (of 1, if all are smaller): a ReLU net may grow."""
    expected = theirs.detach().numpy()
    np.testing.assert_allclose(ours, expected, rtol=0.0, atol=1e-12 * max(1.0, np.abs(expected).max()))


@given(cases(TORCH_FORMS))
def test_a_run_is_torchs(case: Case) -> None:
    cell, x, h0, c0 = case
    trace = run(cell, x, h0, c0)
    start = tensor(h0)[None] if c0 is None else (tensor(h0)[None], tensor(c0)[None])
    output, last = torch_network([cell])(tensor(x), start)
    close(trace.h[1:], output)
    if c0 is not None:
        assert trace.c is not None
        close(trace.c[-1:], last[1])


@given(cases(TORCH_FORMS, max_steps=6))
def test_each_step_is_a_torch_cells(case: Case) -> None:
    cell, x, h0, c0 = case
    trace, twin = run(cell, x, h0, c0), torch_cell(cell)
    for t in range(len(x)):
        if trace.c is None:
            close(trace.h[t + 1], twin(tensor(x[t]), tensor(trace.h[t])))
        else:
            h, c = twin(tensor(x[t]), (tensor(trace.h[t]), tensor(trace.c[t])))
            close(trace.h[t + 1], h)
            close(trace.c[t + 1], c)


@given(cases(TORCH_FORMS, shifts=(0.0, 30.0)), st.integers(2, 3), st.integers(0, 2**32 - 1))
def test_a_stack_is_torchs_layers(case: Case, layers: int, seed: int) -> None:
    cells, H = stack_above(case, layers), case.cell.hidden_size
    h0 = np.random.default_rng(seed).uniform(-1.0, 1.0, (layers, H))
    c0 = 2.0 * h0[::-1] if isinstance(case.cell, LSTMCell) else None
    traces = run_stack(cells, case.x, h0, c0)
    output, last = torch_network(cells)(tensor(case.x), tensor(h0) if c0 is None else (tensor(h0), tensor(c0)))
    assert len(traces) == layers
    close(traces[-1].h[1:], output)
    close(np.stack([trace.h[-1] for trace in traces]), last if c0 is None else last[0])
    if c0 is not None:
        close(np.stack([trace.states[-1, H:] for trace in traces]), last[1])


@pytest.mark.parametrize("form", TORCH_FORMS, ids=lambda form: "-".join([form[0].kind, *form[1].values()]))
@pytest.mark.parametrize("scale", [1e3, 1e6, 1e150])
def test_huge_inputs(form, scale: float) -> None:
    """Saturated to the last digit, without a warning on the way."""
    cell, x, h0, c0 = make_case(form, D=3, H=5, T=9, seed=4)
    trace = run(cell, scale * x, h0, c0)
    start = tensor(h0)[None] if c0 is None else (tensor(h0)[None], tensor(c0)[None])
    close(trace.h[1:], torch_network([cell])(tensor(scale * x), start)[0])


def test_initial_states_default_to_zero() -> None:
    for form in TORCH_FORMS:
        cell, x, _, _ = make_case(form, D=2, H=3, T=5, seed=11)
        close(run(cell, x).h[1:], torch_network([cell])(tensor(x))[0])
        stack = run_stack([cell, stack_above(Case(cell, x, x[0], None), 2)[1]], x)
        close(stack[1].h[1:], torch_network([trace.cell for trace in stack])(tensor(x))[0])
