"""The forward pass: by hand, against plain Python, and bit for bit where the equations say so."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import Clamp, ElmanCell, GRUCell, InputError, LSTMCell, Trace, make_cell, run, run_stack
from rnnviz.maths.checks import Array

from . import reference
from .drawn import FORMS, Case, cases, make_case


def arrays_of(trace: Trace) -> Iterator[Array]:
    yield from (trace.x, trace.states, trace.h, trace.from_x, trace.from_h)
    yield from (*trace.gates.values(), *trace.preacts.values())
    yield from (trace.cell.W_ih, trace.cell.W_hh, trace.cell.b_ih, trace.cell.b_hh)
    if trace.c is not None:
        yield trace.c


def test_the_worked_example() -> None:
    """A textbook step, by hand: a = [0.04, 0, 0.22], h = tanh(a) = [0.0400, 0, 0.2165]."""
    cell = ElmanCell(
        np.array([[0.1, 0.2], [-0.3, 0.4], [0.5, 0.6]]),
        np.array([[0.7, -0.2, 0.3], [0.4, 0.5, -0.6], [-0.1, 0.8, 0.9]]),
        np.array([0.01, 0.02, 0.03]),
        np.array([0.04, 0.05, 0.06]),
    )
    trace = run(cell, [[0.5, -0.3]], [0.1, 0.2, -0.1])
    np.testing.assert_allclose(trace.from_x, [[0.0, -0.25, 0.1]], rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(trace.from_h, [[0.04, 0.25, 0.12]], rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(trace.preacts["a"], [[0.04, 0.0, 0.22]], rtol=0.0, atol=1e-15)
    np.testing.assert_allclose(trace.h[1], [0.03997868, 0.0, 0.21651806], rtol=0.0, atol=5e-9)
    np.testing.assert_array_equal(trace.h[0], [0.1, 0.2, -0.1])


@given(cases())
def test_every_number_is_that_of_plain_python(case: Case) -> None:
    cell, x, h0, c0 = case
    trace = run(cell, x, h0, c0)
    second = () if c0 is None else (c0,)
    expected = getattr(reference, cell.kind)(cell, x, h0, *second)
    numbers = {"from_x": trace.from_x, "from_h": trace.from_h, "h": trace.h, **trace.gates}
    numbers |= {f"a_{name}": preact for name, preact in trace.preacts.items()}
    if trace.c is not None:
        numbers["c"] = trace.c
    assert numbers.keys() == expected.keys()
    for name, ours in numbers.items():
        theirs = np.array(expected[name])
        scale = max(1.0, np.abs(theirs).max())
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=1e-12 * scale, err_msg=name)


@given(cases())
def test_the_shown_sums_add_up_exactly(case: Case) -> None:
    cell, x, h0, c0 = case
    trace = run(cell, x, h0, c0)
    a = np.concatenate([trace.preacts[name] for name in cell.gate_names], axis=1)
    from_h = trace.from_h.copy()
    if isinstance(cell, GRUCell) and cell.reset == "after":
        from_h[:, cell.rows("n")] *= trace.gates["r"]
    np.testing.assert_array_equal(a, trace.from_x + from_h)
    h_prev, h = trace.h[:-1], trace.h[1:]
    if isinstance(cell, LSTMCell):
        i, f, g, o = trace.gates.values()
        assert trace.c is not None
        np.testing.assert_array_equal(trace.c[1:], f * trace.c[:-1] + i * g)
        np.testing.assert_allclose(h, o * np.tanh(trace.c[1:]), rtol=1e-15)
        np.testing.assert_array_equal(trace.states, np.hstack([trace.h, trace.c]))
    elif isinstance(cell, GRUCell):
        _, z, n = trace.gates.values()
        shut, opened = (n, h_prev) if cell.update == "keep" else (h_prev, n)
        np.testing.assert_array_equal(h, (1.0 - z) * shut + z * opened)
    else:
        np.testing.assert_array_equal(trace.states, trace.h)


@given(cases())
def test_shapes_and_names(case: Case) -> None:
    cell, x, h0, c0 = case
    trace = run(cell, x, h0, c0)
    (T, D), H, G = x.shape, len(h0), len(cell.gate_names)
    assert (cell.input_size, cell.hidden_size, cell.state_size) == (D, H, trace.states.shape[1])
    assert trace.cell is cell
    assert trace.steps == T
    assert trace.x.shape == (T, D)
    assert trace.h.shape == (T + 1, H)
    assert (trace.c is None) == (cell.kind != "lstm")
    assert trace.states.shape == (T + 1, 2 * H if cell.kind == "lstm" else H)
    assert trace.from_x.shape == trace.from_h.shape == (T, G * H)
    assert tuple(trace.gates) == (() if cell.kind == "elman" else cell.gate_names)
    assert tuple(trace.preacts) == cell.gate_names
    assert {array.shape for array in (*trace.gates.values(), *trace.preacts.values())} == {(T, H)}
    assert trace.clamp == ()


@given(cases(), st.sampled_from([copy.deepcopy, lambda trace: pickle.loads(pickle.dumps(trace))]))
def test_everything_is_read_only_and_stays_so(case: Case, duplicate) -> None:
    cell, x, h0, c0 = case
    trace = run(cell, x, h0, c0, clamp=[Clamp(gate, 0.5) for gate in cell.clampable])
    twin: Any = duplicate(trace)
    assert twin.clamp == trace.clamp
    for one, other in zip(arrays_of(trace), arrays_of(twin), strict=True):
        np.testing.assert_array_equal(one, other)
        assert not one.flags.writeable
        assert not other.flags.writeable
    mappings: list[Any] = [trace.gates, trace.preacts, twin.gates, twin.preacts]
    for mapping in mappings:
        with pytest.raises(TypeError):
            mapping["a"] = x
    with pytest.raises(AttributeError):
        twin.states = x
    with pytest.raises(ValueError, match="WRITEABLE"):
        trace.h.setflags(write=True)


def test_inputs_are_copied() -> None:
    W_ih, W_hh, b_ih, b_hh = np.ones((1, 1)), np.ones((1, 1)), np.ones(1), np.ones(1)
    cell = ElmanCell(W_ih, W_hh, b_ih, b_hh)
    x, h0 = np.ones((2, 1)), np.ones(1)
    trace = run(cell, x, h0)
    before = [array.copy() for array in arrays_of(trace)]
    for array in (W_ih, W_hh, b_ih, b_hh, x, h0):
        array += 1.0
    for array, kept in zip(arrays_of(trace), before, strict=True):
        np.testing.assert_array_equal(array, kept)


def test_small_gates_keep_their_digits() -> None:
    """A gate of e**-700 is not 0, or a latch would show a clean cut where there is none."""
    cell = LSTMCell(np.zeros((4, 1)), np.zeros((4, 1)), np.array([-700.0, -40.0, 0.0, 0.0]), np.zeros(4))
    gates = run(cell, [[0.0]]).gates
    np.testing.assert_allclose([gates["i"].item(), gates["f"].item()], np.exp([-700.0, -40.0]), rtol=1e-14)


def test_a_stack_hands_up_the_hidden_states() -> None:
    bottom, top = make_cell("lstm", 2, 3), make_cell("gru", 3, 4, seed=1)
    x = np.linspace(-1.0, 1.0, 10).reshape(5, 2)
    low, high = run_stack([bottom, top], x, [None, [0.1] * 4], [[0.2] * 3, None])
    np.testing.assert_array_equal(low.states, run(bottom, x, None, [0.2] * 3).states)
    np.testing.assert_array_equal(high.states, run(top, low.h[1:], [0.1] * 4).states)
    np.testing.assert_array_equal(high.x, low.h[1:])


def test_torch_tensors_and_whole_numbers_will_do() -> None:
    torch = pytest.importorskip("torch")
    weights: Any = (torch.eye(2), [[1, 0], [0, 1]], (0, 0), np.zeros(2, dtype=np.float32))
    cell = ElmanCell(*weights)
    assert run(cell, torch.ones(1, 2)).h.dtype == np.float64
    with pytest.raises(InputError, match="requires grad"):
        run(cell, torch.ones(1, 2, requires_grad=True))


def test_one_case_of_each_form_differs_from_the_others() -> None:
    """The forms are not each other under another name."""
    finals = [run(*make_case(form, D=2, H=3, T=4, seed=8)[:3]).h[-1] for form in FORMS["gru"] + FORMS["elman"]]
    assert len({final.tobytes() for final in finals}) == 8
