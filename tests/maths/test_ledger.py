"""The ledger: adds up to the state, agrees with plain Python, and every entry is found once more by intervention."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import (
    Clamp,
    GRUCell,
    InputError,
    Ledger,
    LSTMCell,
    StateOverflowError,
    Trace,
    make_cell,
    memory_ledger,
    run,
    run_stack,
)
from rnnviz.maths.checks import Array

from .drawn import FORMS, Case, cases, clamps_for, make_case

GATED = [*FORMS["lstm"], *FORMS["gru"]]
EPS = np.finfo(float).eps


@st.composite
def traces(draw: st.DrawFn, max_steps: int = 12) -> Trace:
    """A gated cell of any form, run from drawn states with up to three clamps."""
    case: Case = draw(cases(GATED, shifts=(0.0, 3.0, 30.0, 800.0), max_steps=max_steps))
    cell, x, h0, c0 = case
    return run(cell, x, h0, c0, clamp=draw(st.lists(clamps_for(case), max_size=3)))


def memory(trace: Trace) -> Array:
    """The states that the ledger takes apart."""
    return trace.h if trace.c is None else trace.c


def kept_and_written(trace: Trace) -> tuple[list[list[float]], list[list[float]]]:
    """Keep factor and write of every step and unit, number by number."""
    gates = {name: gate.tolist() for name, gate in trace.gates.items()}
    keep, write = [], []
    for k in range(trace.steps):
        step = {name: gate[k] for name, gate in gates.items()}
        units = range(trace.cell.hidden_size)
        if isinstance(trace.cell, LSTMCell):
            keep.append(step["f"])
            write.append([step["i"][j] * step["g"][j] for j in units])
        elif isinstance(trace.cell, GRUCell) and trace.cell.update == "keep":
            keep.append(step["z"])
            write.append([(1.0 - step["z"][j]) * step["n"][j] for j in units])
        else:
            keep.append([1.0 - step["z"][j] for j in units])
            write.append([step["z"][j] * step["n"][j] for j in units])
    return keep, write


def replay(trace: Trace, t: int, start: list[float], without: int | None = None) -> list[float]:
    """The state at step t by hand, the gates held at their traced values and the write of one step left out."""
    keep, write = kept_and_written(trace)
    state = list(start)
    for k in range(t):
        for j in range(len(state)):
            state[j] = keep[k][j] * state[j] + (0.0 if k == without else write[k][j])
    return state


def assert_adds_up(trace: Trace, t: int, ledger: Ledger) -> None:
    """To the roundings of 2 t products and t sums, on either side."""
    first, state = memory(trace)[0], memory(trace)[t]
    scale = np.abs(ledger.kept * first) + np.abs(ledger.writes).sum(axis=0)
    error = np.abs(ledger.kept * first + ledger.writes.sum(axis=0) - state)
    assert np.all(error <= 4 * (t + 1) * EPS * scale + 1e-300)


@given(traces(), st.data())
def test_it_adds_up_to_the_state(trace: Trace, data) -> None:
    t = data.draw(st.integers(1, trace.steps))
    assert_adds_up(trace, t, memory_ledger(trace, t))


@given(traces(), st.data())
def test_every_entry_is_that_of_plain_python(trace: Trace, data) -> None:
    t = data.draw(st.integers(1, trace.steps))
    ledger = memory_ledger(trace, t)
    keep, write = kept_and_written(trace)
    for j in range(trace.cell.hidden_size):
        kept = 1.0
        for step in range(t):
            kept *= keep[step][j]
        assert ledger.kept[j] == pytest.approx(kept, rel=1e-14, abs=1e-300)
        for k in range(t):
            survival = 1.0
            for step in range(k + 1, t):
                survival *= keep[step][j]
            assert ledger.survival[k, j] == pytest.approx(survival, rel=1e-14, abs=1e-300)
            assert ledger.writes[k, j] == pytest.approx(survival * write[k][j], rel=1e-14, abs=1e-300)


@given(traces(), st.data())
def test_a_write_left_out_is_missed_by_as_much(trace: Trace, data) -> None:
    """With the gates held, for every write of every step up to t, and for a change of the initial state."""
    t = data.draw(st.integers(1, trace.steps))
    ledger, first, state = memory_ledger(trace, t), memory(trace)[0], memory(trace)[t]
    for k in range(t):
        without = replay(trace, t, first.tolist(), without=k)
        np.testing.assert_allclose(state - without, ledger.writes[k], rtol=0.0, atol=1e-14)
    moved = replay(trace, t, (first + 1.0).tolist())
    np.testing.assert_allclose(moved - state, ledger.kept, rtol=0.0, atol=1e-14)


two_inputs = st.builds(
    make_case, st.sampled_from(GATED), st.just(2), st.integers(1, 6), st.integers(1, 12), st.integers(0, 2**32 - 1)
)


@given(two_inputs, st.data())
def test_where_gates_do_not_see_the_state_the_run_itself_answers(case: Case, data) -> None:
    """Gates read input 2 alone and the candidate input 1, so that a 0 there takes one write out of the run."""
    cell, T, is_lstm = case.cell, len(case.x), isinstance(case.cell, LSTMCell)
    candidate = cell.rows("g" if is_lstm else "n")
    W_ih, b_ih, b_hh = cell.W_ih.copy(), cell.b_ih.copy(), cell.b_hh.copy()
    W_ih[:, 0], W_ih[candidate] = 0.0, [[1.5, 0.0]]
    b_ih[candidate] = b_hh[candidate] = 0.0
    cell = replace(cell, W_ih=W_ih, W_hh=np.zeros_like(cell.W_hh), b_ih=b_ih, b_hh=b_hh)

    def from_start(x: Array, start: Array) -> Trace:
        return run(cell, x, None, start) if is_lstm else run(cell, x, start)

    trace = from_start(case.x, case.h0)
    ledger, k = memory_ledger(trace), data.draw(st.integers(0, T - 1))
    x = case.x.copy()
    x[k, 0] = 0.0
    without, moved = from_start(x, case.h0), from_start(case.x, case.h0 + 1.0)
    state = memory(trace)[-1]
    np.testing.assert_allclose(state - memory(without)[-1], ledger.writes[k], rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(memory(moved)[-1] - state, ledger.kept, rtol=0.0, atol=1e-14)


@given(traces(), st.data())
def test_shapes_the_last_write_and_read_only(trace: Trace, data) -> None:
    t, H = data.draw(st.integers(1, trace.steps)), trace.cell.hidden_size
    ledger = memory_ledger(trace, t)
    for duplicate in (ledger, copy.deepcopy(ledger), pickle.loads(pickle.dumps(ledger))):
        assert duplicate.kept.shape == (H,)
        assert duplicate.writes.shape == duplicate.survival.shape == (t, H)
        for name in ("kept", "writes", "survival"):
            array = getattr(duplicate, name)
            np.testing.assert_array_equal(array, getattr(ledger, name))
            assert array.dtype == np.float64
            assert not array.flags.writeable
    with pytest.raises(AttributeError):
        setattr(ledger, "kept", ledger.survival[0])  # noqa: B010 - a plain assignment is refused by the type checker
    np.testing.assert_array_equal(ledger.survival[-1], np.ones(H))
    np.testing.assert_array_equal(ledger.writes[-1], kept_and_written(trace)[1][t - 1])


@pytest.mark.parametrize("form", GATED)
def test_without_t_it_is_the_last_step(form) -> None:
    case = make_case(form, 2, 3, 5, seed=1)
    trace = run(*case)
    last, named = memory_ledger(trace), memory_ledger(trace, np.int64(5))
    for name in ("kept", "writes", "survival"):
        np.testing.assert_array_equal(getattr(last, name), getattr(named, name))
    assert memory_ledger(trace, 4).writes.shape == (4, 3)


@pytest.mark.parametrize("form", GATED)
def test_the_first_step_is_one_share_and_one_write(form) -> None:
    trace = run(*make_case(form, 2, 3, 4, seed=2))
    keep, write = kept_and_written(trace)
    ledger = memory_ledger(trace, 1)
    np.testing.assert_array_equal(ledger.kept, keep[0])
    np.testing.assert_array_equal(ledger.writes, [write[0]])
    np.testing.assert_array_equal(ledger.survival, np.ones((1, 3)))


def test_a_latch_by_hand() -> None:
    """c = 4 is halved, wiped out at step 3 by f = 0, and written anew; what lies before the wipe is exactly 0."""
    cell = make_cell("lstm", 1, 1, seed=4)
    clamps = [Clamp("f", 0.5), Clamp("f", 0.0, from_step=3), Clamp("f", 0.25, from_step=4), Clamp("i", 1.0)]
    trace = run(cell, np.ones((5, 1)), None, [4.0], clamp=clamps)
    ledger, g = memory_ledger(trace), trace.gates["g"][:, 0]
    assert ledger.kept.tolist() == [0.0]
    assert ledger.survival[:, 0].tolist() == [0.0, 0.0, 0.0625, 0.25, 1.0]
    np.testing.assert_array_equal(ledger.writes[:, 0], [0.0, 0.0, 0.0625 * g[2], 0.25 * g[3], g[4]])
    before = memory_ledger(trace, 2)
    assert before.kept.tolist() == [0.25]
    assert before.survival[:, 0].tolist() == [0.5, 1.0]


@pytest.mark.parametrize("form", GATED)
@pytest.mark.parametrize("shift", [0.0, 3.0, 30.0])
def test_a_thousand_steps_add_up(form, shift: float) -> None:
    """Gates from half open to rounded ones; at every hundredth step, with 64 units."""
    trace = run(*make_case(form, 3, 64, 1000, seed=5, shift=shift))
    for t in range(100, 1001, 100):
        assert_adds_up(trace, t, memory_ledger(trace, t))


def test_shares_underflow_without_a_trace_in_the_sum() -> None:
    """0.3**1000 is 1e-523, which float64 does not hold: shares end in 0, and the rest is exact."""
    case = make_case((LSTMCell, {}), 2, 64, 1000, seed=6)
    trace = run(*case, clamp=[Clamp("f", 0.3)])
    ledger = memory_ledger(trace)
    np.testing.assert_array_equal(ledger.kept, np.zeros(64))
    np.testing.assert_array_equal(ledger.survival[0], np.zeros(64))
    ages = np.arange(580)
    np.testing.assert_allclose(ledger.survival[::-1][:580], np.tile(0.3**ages, (64, 1)).T, rtol=1e-12)
    assert np.isfinite(ledger.writes).all()
    assert_adds_up(trace, 1000, ledger)


def test_a_large_state_that_fades_is_carried() -> None:
    """A share of 2**-1000 of a state of 2**1000 is 1."""
    trace = run(make_cell("lstm", 1, 1), np.ones((1000, 1)), None, [2.0**1000], clamp=[Clamp("f", 0.5)])
    ledger = memory_ledger(trace)
    assert ledger.kept.item() * 2.0**1000 == 1.0
    assert_adds_up(trace, 1000, ledger)


lstm, gru, elman = (run(make_cell(kind, 2, 3), np.ones((4, 2))) for kind in ("lstm", "gru", "elman"))
anything: Any = None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: memory_ledger(elman), ["memory_ledger needs gates", "an Elman RNN has none", "Run an LSTM or a GRU"]),
        (lambda: memory_ledger(elman, 9), ["memory_ledger needs gates"]),
        (lambda: memory_ledger(lstm, 0), ["t must be an integer in 1..4; got 0", "Choose one in that range"]),
        (lambda: memory_ledger(gru, 5), ["t must be an integer in 1..4; got 5"]),
        (lambda: memory_ledger(gru, -1), ["t must be an integer in 1..4; got -1"]),
        (lambda: memory_ledger(lstm, anything or 2.0), ["t must be an integer in 1..4; got 2.0", "whole number"]),
        (lambda: memory_ledger(lstm, True), ["t must be an integer in 1..4; got True"]),
        (lambda: memory_ledger(lstm, anything or "2"), ["t must be an integer in 1..4; got '2'"]),
        (
            lambda: memory_ledger(anything or run_stack([lstm.cell], lstm.x)),
            ["memory_ledger needs a Trace; got tuple", "one layer of a run_stack"],
        ),
    ],
)
def test_refusals(call: Callable[[], Any], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        call()
    for word in words:
        assert word in str(caught.value)


def test_a_trace_without_steps_is_refused() -> None:
    huge = replace(lstm.cell, W_ih=np.full((12, 2), 1e200))
    with pytest.raises(StateOverflowError) as caught:
        run(huge, np.full((2, 2), 1e200))
    with pytest.raises(
        InputError, match=r"needs a trace of at least one step; got none\. Lower the weights or the input"
    ):
        memory_ledger(caught.value.trace)
