"""Clamps: a held gate against a cell whose gate has no weights, and bit for bit where nothing may change."""

from __future__ import annotations

from dataclasses import astuple
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import Cell, Clamp, GRUCell, LSTMCell, Trace, make_cell, run
from rnnviz.maths.checks import Array

from .drawn import FORMS, Case, cases, clamps_for, make_case, with_rows

GATED = [*FORMS["lstm"], *FORMS["gru"]]
EVERY_GATE = [(form, gate) for form in GATED for gate in form[0].clampable]


class Held(NamedTuple):
    """A run with one clamp, and the same run without."""

    clamp: Clamp
    trace: Trace
    free: Trace


@st.composite
def held(draw: st.DrawFn) -> Held:
    """Any gate of any gated form at any value, one unit or all, from any step on."""
    case: Case = draw(cases(GATED, shifts=(0.0,)))
    cell, x, h0, c0 = case
    clamp = draw(clamps_for(case))
    return Held(clamp, run(cell, x, h0, c0, clamp=[clamp]), run(cell, x, h0, c0))


def bias_for(value: float) -> float:
    """The pre-activation whose sigmoid is the value."""
    return {0.0: -800.0, 1.0: 800.0}.get(value) or float(np.log(value) - np.log1p(-value))


def without_weights(cell: Cell, gate: str, value: float, unit: int | None = None) -> Cell:
    """The cell with a gate that comes out at the value whatever it reads, in one unit or in all."""
    rows = np.arange(len(cell.W_hh))[cell.rows(gate)].tolist()
    return with_rows(cell, rows if unit is None else [rows[unit]], bias_for(value))


def run_from(cell: Cell, x: Array, state: Array) -> Trace:
    H = cell.hidden_size
    return run(cell, x, state[:H], state[H:] if cell.kind == "lstm" else None)


@given(held())
def test_a_clamp_is_a_gate_with_no_weights(case: Held) -> None:
    """From its step on, the run is that of a cell whose gate rows are zero but for a bias that gives the value."""
    (gate, value, unit, from_step), trace = astuple(case.clamp), case.trace
    cell, before = trace.cell, from_step - 1
    rest = run_from(without_weights(cell, gate, value, unit), trace.x[before:], case.free.states[before])
    np.testing.assert_allclose(trace.states[before:], rest.states, rtol=0.0, atol=1e-13)
    for name, values in trace.gates.items():
        np.testing.assert_allclose(values[before:], rest.gates[name], rtol=0.0, atol=1e-13, err_msg=name)
    assert np.all(trace.gates[gate][before:, slice(None) if unit is None else unit] == value)
    # The pre-activation stays as the network computes it.
    from_h = trace.h[:-1] @ cell.W_hh[cell.rows(gate)].T + cell.b_hh[cell.rows(gate)]
    np.testing.assert_allclose(trace.preacts[gate], trace.from_x[:, cell.rows(gate)] + from_h, rtol=0.0, atol=1e-12)


@pytest.mark.parametrize(("form", "gate"), EVERY_GATE)
@pytest.mark.parametrize("value", [0.05, 0.3, 0.5, 0.95])
@pytest.mark.parametrize("unit", [None, 1])
def test_every_gate_of_every_form_from_the_first_step(form, gate: str, value: float, unit: int | None) -> None:
    """Against the cell without weights, and the clamp does change the run."""
    cell, x, h0, c0 = make_case(form, 2, 3, 20, seed=12)
    trace = run(cell, x, h0, c0, clamp=[Clamp(gate, value, unit)])
    twin = run(without_weights(cell, gate, value, unit), x, h0, c0)
    np.testing.assert_allclose(trace.states, twin.states, rtol=0.0, atol=1e-13)
    assert np.abs(trace.states - run(cell, x, h0, c0).states).max() > 1e-3


@given(held())
def test_nothing_changes_before_the_step_of_a_clamp(case: Held) -> None:
    """Bit for bit, and in the step itself nothing that doesn't depend on the held gate."""
    (gate, _, unit, from_step), trace, free = astuple(case.clamp), case.trace, case.free
    cell, before = trace.cell, from_step - 1
    np.testing.assert_array_equal(trace.states[:from_step], free.states[:from_step])
    np.testing.assert_array_equal(trace.from_x, free.from_x)
    np.testing.assert_array_equal(trace.from_h[:before], free.from_h[:before])
    for name in cell.gate_names:
        np.testing.assert_array_equal(trace.gates[name][:before], free.gates[name][:before])
        same = before if (gate, name) == ("r", "n") else from_step
        np.testing.assert_array_equal(trace.preacts[name][:same], free.preacts[name][:same])
    mixes_units = isinstance(cell, GRUCell) and cell.reset == "before" and gate == "r"
    if unit is not None and not mixes_units:
        units = np.arange(cell.state_size) % cell.hidden_size
        others = units != unit
        np.testing.assert_array_equal(trace.states[from_step, others], free.states[from_step, others])


def test_a_later_clamp_wins() -> None:
    cell = make_cell("lstm", 1, 2)
    trace = run(cell, np.ones((3, 1)), clamp=(Clamp("f", 0.0), Clamp("f", 1.0, unit=1, from_step=2)))
    assert trace.gates["f"].tolist() == [[0.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    assert trace.clamp == (Clamp("f", 0.0), Clamp("f", 1.0, unit=1, from_step=2))


@pytest.mark.parametrize(("update", "value"), [("keep", 1.0), ("write", 0.0)])
def test_a_shut_gru_copies_every_bit(update: str, value: float) -> None:
    cell = make_cell("gru", 2, 4, seed=3, update=update)
    h0 = np.array([1e300, -1e-300, 0.1, 5e-324])
    trace = run(cell, np.ones((6, 2)), h0, clamp=[Clamp("z", value)])
    np.testing.assert_array_equal(trace.h, np.tile(h0, (7, 1)))


def test_an_open_lstm_keeps_every_bit() -> None:
    c0 = np.array([1e300, -1e-300, 0.1])
    trace = run(make_cell("lstm", 2, 3), np.ones((5, 2)), None, c0, clamp=[Clamp("f", 1.0), Clamp("i", 0.0)])
    np.testing.assert_array_equal(trace.c, np.tile(c0, (6, 1)))


def lstm_parts(gate: str, value: float) -> tuple[Trace, dict[str, Array], Array, Array]:
    """A run with one gate held: the trace, its gates, and c before and after every step."""
    trace = run(*make_case((LSTMCell, {}), 2, 3, 9, seed=13), clamp=[Clamp(gate, value)])
    c: Any = trace.c
    return trace, dict(trace.gates), c[:-1], c[1:]


def test_shut_and_open_lstm_gates_are_exact() -> None:
    """f = 0 forgets all and i = 0 writes nothing, f = 1 and i = 1 let pass all; o alone decides what is shown."""
    _, gates, _, c = lstm_parts("f", 0.0)
    np.testing.assert_array_equal(c, gates["i"] * gates["g"])
    _, gates, c_prev, c = lstm_parts("f", 1.0)
    np.testing.assert_array_equal(c, c_prev + gates["i"] * gates["g"])
    _, gates, c_prev, c = lstm_parts("i", 0.0)
    np.testing.assert_array_equal(c, gates["f"] * c_prev)
    _, gates, c_prev, c = lstm_parts("i", 1.0)
    np.testing.assert_array_equal(c, gates["f"] * c_prev + gates["g"])
    trace, *_ = lstm_parts("o", 0.0)
    np.testing.assert_array_equal(trace.h[1:], np.zeros((9, 3)))
    trace, _, _, c = lstm_parts("o", 1.0)
    np.testing.assert_allclose(trace.h[1:], np.tanh(c), rtol=1e-15)


@pytest.mark.parametrize("reset", ["after", "before"])
@pytest.mark.parametrize(("update", "value"), [("keep", 0.0), ("write", 1.0)])
def test_a_gru_that_keeps_nothing_is_its_candidate(reset: str, update: str, value: float) -> None:
    form = (GRUCell, {"reset": reset, "update": update})
    trace = run(*make_case(form, 2, 3, 9, seed=14), clamp=[Clamp("z", value)])
    np.testing.assert_array_equal(trace.h[1:], trace.gates["n"])


@pytest.mark.parametrize("update", ["keep", "write"])
def test_a_shut_reset_gate_hides_the_state_from_the_candidate(update: str) -> None:
    """Only b_hn is left of what comes from h, and only where the reset acts before the product."""
    for reset in ("after", "before"):
        cell, x, h0, _ = make_case((GRUCell, {"reset": reset, "update": update}), 2, 3, 9, seed=15)
        trace = run(cell, x, h0, clamp=[Clamp("r", 0.0)])
        n = cell.rows("n")
        left = cell.b_hh[n] if reset == "before" else 0.0
        np.testing.assert_array_equal(trace.preacts["n"], trace.from_x[:, n] + left)


@pytest.mark.parametrize("update", ["keep", "write"])
def test_with_the_reset_gate_open_both_forms_are_one(update: str) -> None:
    after, before = (
        run(*make_case((GRUCell, {"reset": reset, "update": update}), 2, 3, 9, seed=16), clamp=[Clamp("r", 1.0)])
        for reset in ("after", "before")
    )
    np.testing.assert_allclose(after.h, before.h, rtol=0.0, atol=1e-14)
