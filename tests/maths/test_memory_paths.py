"""The direct path and all paths of a memory, by Jacobians, by finite differences and by PyTorch."""

from __future__ import annotations

import math
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import Clamp, InputError, MemoryPaths, Trace, make_cell, memory_ledger, memory_paths, run, step_jacobians
from rnnviz.maths.checks import Array
from rnnviz.network import build, network_of, run_network
from rnnviz.settings import Settings

from .drawn import FORMS, Case, cases, clamps_for, make_case

GATED = [*FORMS["lstm"], *FORMS["gru"]]


@st.composite
def asked(draw: st.DrawFn) -> tuple[Trace, int, int]:
    """A run of any gated cell, with clamps or without, one of its units and one of its steps."""
    case: Case = draw(cases(GATED, shifts=(0.0, 3.0, 30.0), max_steps=12))
    trace = run(*case, clamp=draw(st.lists(clamps_for(case), max_size=3)))
    return trace, draw(st.integers(0, len(case.h0) - 1)), draw(st.integers(1, len(case.x)))


def moved(trace: Trace, unit: int, k: int, t: int, by: float) -> float:
    """The memory of a unit at step t if it is moved at step k and the run goes on from there, clamps and all."""
    part = trace.between(k, t)
    starts = [part.h[0].copy()] if part.c is None else [part.h[0].copy(), part.c[0].copy()]
    starts[-1][unit] += by
    again = run(part.cell, part.x, *starts, clamp=part.clamp)
    return float((again.h if again.c is None else again.c)[-1, unit])


@given(asked())
def test_all_paths_are_an_entry_of_the_product_of_jacobians(one: tuple[Trace, int, int]) -> None:
    trace, unit, t = one
    paths, row = memory_paths(trace, unit, t), trace.cell.state_size - trace.cell.hidden_size + unit
    jacobians, product, decades = step_jacobians(trace), np.eye(trace.cell.state_size)[row], 0.0
    for k in range(t, -1, -1):  # the row of the unit, scaled at every step: its entries may be far below float64
        entry = product[row]
        assert paths.every[k] == pytest.approx(entry * 10.0**decades, rel=1e-10, abs=1e-13)
        if abs(entry) > 1e-10:
            assert paths.sign[k] == np.sign(entry)
            assert paths.log10[k] == pytest.approx(math.log10(abs(entry)) + decades, abs=1e-4)
        product = product @ jacobians[k - 1]
        if size := float(np.abs(product).max()):
            product, decades = product / size, decades + math.log10(size)


@given(asked())
def test_the_direct_path_is_the_survival_of_the_ledger(one: tuple[Trace, int, int]) -> None:
    trace, unit, t = one
    direct, ledger = memory_paths(trace, unit, t).direct, memory_ledger(trace, t)
    np.testing.assert_array_equal(direct, [ledger.kept[unit], *ledger.survival[:, unit]])
    log10 = memory_paths(trace, unit, t).log10_direct
    assert (direct[np.isneginf(log10)] == 0.0).all()
    assert (log10[direct == 0.0] < math.log10(sys.float_info.min)).all()  # a product may be too small for float64
    np.testing.assert_allclose(10.0**log10, direct, rtol=1e-12, atol=1e-307)


@pytest.mark.parametrize("form", GATED)
@pytest.mark.parametrize("seed", range(8))
def test_a_run_that_is_moved_ends_as_much_elsewhere(form: Any, seed: int) -> None:
    """Central differences of whole runs, from every step to the last, with a gate clamped for one unit or not."""
    case = make_case(form, D=2, H=3, T=9, seed=seed)
    gate = case.cell.clampable[seed % len(case.cell.clampable)]
    trace = run(*case, clamp=[Clamp(gate, 0.7, unit=1, from_step=4)] if seed % 2 else [])
    for unit in range(3):
        every = memory_paths(trace, unit).every
        for k in range(9):
            step = 1e-5
            difference = (moved(trace, unit, k, 9, step) - moved(trace, unit, k, 9, -step)) / (2 * step)
            assert every[k] == pytest.approx(difference, rel=1e-6, abs=1e-8)


def by_torch(trace: Trace, unit: int, k: int, t: int) -> float:
    """The derivative that PyTorch's autograd finds, its own cell run from step k to step t."""
    cell, lstm = trace.cell, trace.c is not None
    twin: Any = (torch.nn.LSTMCell if lstm else torch.nn.GRUCell)(cell.input_size, cell.hidden_size).double()
    with torch.no_grad():
        for theirs, ours in (
            (twin.weight_ih, cell.W_ih), (twin.weight_hh, cell.W_hh),
            (twin.bias_ih, cell.b_ih), (twin.bias_hh, cell.b_hh),
        ):  # fmt: skip
            theirs.copy_(torch.tensor(np.array(ours)))
    h, memory = torch.tensor(np.array(trace.h[k])), torch.tensor(np.array((trace.h if trace.c is None else trace.c)[k]))
    memory.requires_grad_()
    state: Any = (h, memory) if lstm else memory
    for x in trace.x[k:t]:
        state = twin(torch.tensor(np.array(x)), state)
    (gradient,) = torch.autograd.grad((state[1] if lstm else state)[unit], memory)
    return float(gradient[unit])


@pytest.mark.parametrize("seed", range(32))
@pytest.mark.parametrize("kind", ["lstm", "gru"])
def test_autograd_agrees(kind: str, seed: int) -> None:
    cell = make_cell(kind, 2, 4, seed=seed, init="spectral", gain=1.0 + seed / 8)
    trace = run(cell, np.random.default_rng(seed).standard_normal((12, 2)))
    every = memory_paths(trace, seed % 4, 11).every
    for k in (0, 3, 10):
        assert every[k] == pytest.approx(by_torch(trace, seed % 4, k, 11), rel=1e-9, abs=1e-14)


def test_the_bracket_counter_keeps_its_count_on_the_other_paths() -> None:
    """Unit 2 from step 20 to step 40: the direct path keeps 2 %, all paths together 71 %."""
    trace = run_network(build(network_of(Settings("bracket_depth", kind="lstm")))).trace
    paths = memory_paths(trace, 1, 40)
    assert paths.direct[20] == pytest.approx(0.021980, abs=5e-7)
    assert paths.every[20] == pytest.approx(0.709348, abs=5e-7)
    assert paths.every[20] == pytest.approx(by_torch(trace, 1, 20, 40), rel=1e-9)
    difference = (moved(trace, 1, 20, 40, 1e-5) - moved(trace, 1, 20, 40, -1e-5)) / 2e-5
    assert paths.every[20] == pytest.approx(difference, rel=1e-6)


@pytest.mark.parametrize("form", GATED)
def test_without_recurrent_weights_the_direct_path_is_all_there_is(form: Any) -> None:
    case = make_case(form, D=2, H=3, T=20, seed=3)
    trace = run(replace(case.cell, W_hh=np.zeros_like(case.cell.W_hh)), *case[1:])
    paths = memory_paths(trace, 2)
    np.testing.assert_allclose(paths.every, paths.direct, rtol=1e-12)


def test_beyond_float64_the_logarithm_goes_on() -> None:
    """f = 1/1000 at each of 500 steps, and an unstable way through h."""
    cell = make_cell("lstm", 1, 1, init="zeros")
    paths = memory_paths(run(cell, np.ones((500, 1)), clamp=[Clamp("f", 0.001)]), 0)
    assert paths.log10[0] == pytest.approx(-1500, rel=1e-12)
    assert paths.log10_direct[0] == pytest.approx(-1500, rel=1e-12)
    assert paths.every[0] == paths.direct[0] == 0.0
    assert paths.sign[0] == 1.0


@given(asked())
def test_shapes_and_what_is_read_only(one: tuple[Trace, int, int]) -> None:
    paths: MemoryPaths = memory_paths(*one)
    arrays: list[Array] = [paths.direct, paths.log10_direct, paths.sign, paths.log10, paths.every]
    assert [array.shape for array in arrays] == [(one[2] + 1,)] * 5
    assert not any(array.flags.writeable for array in arrays[:4])
    assert paths.every[-1] == paths.direct[-1] == 1.0


def test_the_last_step_is_meant_if_none_is_named() -> None:
    trace = run(make_cell("gru", 1, 2), np.ones((4, 1)))
    np.testing.assert_array_equal(memory_paths(trace, 1).log10, memory_paths(trace, 1, 4).log10)
    assert math.isclose(memory_paths(trace, 1).every[4], 1.0)


@pytest.mark.parametrize(
    ("kind", "unit", "t", "words"),
    [
        ("elman", 0, 4, "memory_paths needs gates"),
        ("lstm", 2, 4, r"unit must be an integer in 0\.\.1; got 2"),
        ("lstm", -1, 4, r"unit must be an integer in 0\.\.1; got -1"),
        ("gru", 0, 5, r"t must be an integer in 1\.\.4; got 5"),
        ("gru", 0, 0, r"t must be an integer in 1\.\.4; got 0"),
    ],
)
def test_refusals(kind: str, unit: int, t: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        memory_paths(run(make_cell(kind, 1, 2), np.ones((4, 1))), unit, t)
