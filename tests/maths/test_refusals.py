"""What is refused, and that the message says what was given, what is needed and how to mend it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rnnviz import (
    Clamp,
    ElmanCell,
    GRUCell,
    InputError,
    LSTMCell,
    Readout,
    StateOverflowError,
    make_cell,
    run,
    run_stack,
    step_jacobians,
)
from rnnviz.maths.checks import read_array

Z = np.zeros
elman, lstm, gru = (make_cell(kind, 2, 3) for kind in ("elman", "lstm", "gru"))
x = np.ones((4, 2))


def changed(array: Any, index: Any, value: Any) -> Any:
    array = np.array(array)
    array[index] = value
    return array


def lstm_with(**arrays: Any) -> LSTMCell:
    given: Any = {"W_ih": Z((12, 2)), "W_hh": Z((12, 3)), "b_ih": Z(12), "b_hh": Z(12)} | arrays
    return LSTMCell(**given)


def elman_with(**arrays: Any) -> ElmanCell:
    given: Any = {"W_ih": Z((3, 2)), "W_hh": Z((3, 3)), "b_ih": Z(3), "b_hh": Z(3)} | arrays
    return ElmanCell(**given)


anything: Any = None  # for calls that the type checker rightly refuses too
REFUSALS: list[tuple[Callable[[], Any], list[str]]] = [
    # shapes of weights
    (
        lambda: lstm_with(W_hh=Z((9, 3))),
        ["W_hh must be (12, 3) for an LSTM with hidden size 3; got (9, 3). Stack the gates i, f, g, o."],
    ),
    (lambda: lstm_with(W_hh=Z((3, 12))), ["W_hh must be (48, 12)", "got (3, 12)", "transposed: pass W_hh.T"]),
    (lambda: lstm_with(W_hh=Z(12)), ["W_hh must be (4*H, H)", "got (12,)", "Stack the gates"]),
    (lambda: lstm_with(W_hh=Z((0, 0))), ["W_hh must be (4*H, H)", "got (0, 0)"]),
    (lambda: lstm_with(W_ih=Z((9, 2))), ["W_ih must be (12, D)", "hidden size 3; got (9, 2)", "Stack the gates"]),
    (lambda: lstm_with(W_ih=Z((2, 12))), ["W_ih must be (12, D)", "got (2, 12)", "transposed: pass W_ih.T"]),
    (lambda: lstm_with(W_ih=Z((12, 0))), ["W_ih must be (12, D)", "got (12, 0)"]),
    (lambda: lstm_with(b_ih=Z(3)), ["b_ih must be (12,)", "got (3,)", "One number for each row of W_hh"]),
    (lambda: lstm_with(b_hh=Z((12, 1))), ["b_hh must be (12,)", "got (12, 1)"]),
    (lambda: lstm_with(b_hh=None), ["b_hh must hold real numbers; got NoneType", "without biases takes zeros"]),
    (
        lambda: elman_with(W_hh=Z((3, 4))),
        ["W_hh must be (4, 4) for an Elman RNN", "got (3, 4)", "Stack one row for each unit"],
    ),
    (lambda: GRUCell(Z((6, 1)), Z((4, 2)), Z(6), Z(6)), ["(6, 2) for a GRU", "got (4, 2)", "Stack the gates r, z, n."]),
    # entries
    (
        lambda: elman_with(W_hh=changed(Z((3, 3)), (1, 0), np.nan)),
        ["W_hh row 2, column 1 (W_hh[1, 0] in Python) is nan", "must be a finite number", "Replace it"],
    ),
    (lambda: elman_with(b_ih=[0.0, 0.0, -np.inf]), ["b_ih entry 3 (b_ih[2] in Python) is -inf"]),
    (
        lambda: elman_with(W_ih=Z((3, 2), dtype=complex)),
        ["W_ih must hold real numbers; got complex128 entries", "Give"],
    ),
    (lambda: elman_with(b_hh=["0", "1", "2"]), ["b_hh must hold real numbers; got <U1 entries"]),
    (lambda: elman_with(b_hh=[True, False, True]), ["b_hh must hold real numbers; got bool entries"]),
    (lambda: elman_with(b_hh=[1.0, None, 2.0]), ["b_hh must hold real numbers; got object entries"]),
    (lambda: elman_with(b_hh="zeros"), ["b_hh must hold real numbers; got str"]),
    (lambda: elman_with(b_hh={"a": 1}), ["b_hh must hold real numbers; got dict"]),
    (lambda: elman_with(W_hh=[[1.0, 2.0], [3.0]]), ["W_hh cannot be read as an array", "rectangular"]),
    (lambda: elman_with(b_hh=[10**400, 0, 0]), ["b_hh holds an integer beyond float64", "Use smaller"]),
    (lambda: elman_with(b_hh=np.array([0, 0, "1e400"], dtype=np.longdouble)), ["b_hh entry 3", "is inf"]),
    (
        lambda: read_array("h", changed(Z((2, 2, 2)), (0, 1, 1), np.inf)),
        ["h entry 1, 2, 2 (h[0, 1, 1] in Python) is inf"],
    ),
    (lambda: read_array("v", np.nan), ["v is nan"]),
    # forms
    (
        lambda: elman_with(activation="gelu"),
        ["activation 'gelu' is not known", "'tanh', 'sigmoid', 'relu', 'identity'"],
    ),
    (lambda: elman_with(activation=None), ["activation None is not known"]),
    (lambda: make_cell("gru", 1, 1, reset="never"), ["reset 'never' is not known", "'after', 'before'"]),
    (lambda: make_cell("gru", 1, 1, update="hold"), ["update 'hold' is not known", "'keep', 'write'"]),
    # make_cell
    (lambda: make_cell("rnn", 1, 1), ["kind 'rnn' is not known", "'elman', 'lstm', 'gru'"]),
    (
        lambda: make_cell("gru", 1, 1, init="he"),
        ["init 'he' is not known", *("torch", "xavier", "orthogonal", "identity", "spectral", "zeros", "chrono")],
    ),
    (lambda: make_cell("gru", 0, 1), ["input_size must be an integer of at least 1; got 0"]),
    (
        lambda: make_cell("gru", 1, anything or 2.0),
        ["hidden_size must be an integer of at least 1; got 2.0", "whole number"],
    ),
    (lambda: make_cell("gru", 1, True), ["hidden_size must be an integer of at least 1; got True"]),
    (lambda: make_cell("gru", 1, 1, seed=-1), ["seed must be an integer in 0..4294967295; got -1", "Choose one in"]),
    (lambda: make_cell("gru", 1, 1, seed=2**32), ["seed must be", "got 4294967296"]),
    (lambda: make_cell("gru", 1, 1, seed=anything), ["seed must be an integer", "got None"]),
    (lambda: make_cell("gru", 1, 1, gain=-0.1), ["gain must be a finite number of at least 0; got -0.1"]),
    (lambda: make_cell("gru", 1, 1, gain=np.inf), ["gain must be a finite number", "got inf"]),
    (lambda: make_cell("gru", 1, 1, gain=np.nan), ["gain must be a finite number", "got nan"]),
    (lambda: make_cell("gru", 1, 1, gain=10**400), ["gain must be a finite number", "got inf"]),
    (lambda: make_cell("gru", 1, 1, gain=anything), ["gain must be a finite number", "got None", "Give a real number"]),
    (lambda: make_cell("gru", 1, 1, gain=1.7e308, init="xavier", seed=3), ["W_hh row", "inf"]),
    (
        lambda: make_cell("gru", 1, 1, forget_bias=1.0),
        ['kind "gru" with init "torch" has no option forget_bias', "from reset, update"],
    ),
    (lambda: make_cell("lstm", 1, 1, t_max=9), ['kind "lstm" with init "torch" has no option t_max', "forget_bias"]),
    (lambda: make_cell("elman", 1, 1, reset="after"), ["no option reset", "Choose from activation"]),
    (lambda: make_cell("elman", 1, 1, init="chrono", t_max=9), ["an Elman RNN has no gates", 'Choose "lstm" or "gru"']),
    (lambda: make_cell("lstm", 1, 1, init="chrono"), ["needs t_max", "got none", "Add t_max=100"]),
    (lambda: make_cell("lstm", 1, 1, init="chrono", t_max=2), ["t_max must be a finite number of at least 3; got 2"]),
    (lambda: make_cell("lstm", 1, 1, forget_bias=np.nan), ["forget_bias must be a finite number; got nan"]),
    # run
    (lambda: run(anything or "lstm", x), ["run needs an ElmanCell, LSTMCell or GRUCell; got str", "make_cell"]),
    (lambda: run(lstm, x[0]), ["x must be (T, 2) for an LSTM with input size 2; got (2,)", "One row for each step"]),
    (lambda: run(lstm, x[:, :1]), ["x must be (T, 2)", "got (4, 1)"]),
    (lambda: run(lstm, x[:0]), ["x must be (T, 2)", "got (0, 2)", "One row for each step"]),
    (lambda: run(lstm, changed(x, (3, 1), np.nan)), ["x row 4, column 2 (x[3, 1] in Python) is nan"]),
    (
        lambda: run(lstm, x, [0.0]),
        ["h0 must be (3,) for an LSTM with hidden size 3; got (1,)", "One number for each unit"],
    ),
    (lambda: run(lstm, x, None, Z(6)), ["c0 must be (3,)", "got (6,)"]),
    (lambda: run(lstm, x, [0.0, np.inf, 0.0]), ["h0 entry 2", "inf"]),
    (lambda: run(gru, x, None, Z(3)), ["c0 was given, but a GRU has no cell state", "Leave c0 out"]),
    # clamps
    (lambda: Clamp("f", 1.5), ["value of a Clamp must be a finite number in 0..1; got 1.5"]),
    (lambda: Clamp("f", np.nan), ["must be a finite number in 0..1; got nan"]),
    (lambda: Clamp("f", anything), ["must be a finite number in 0..1; got None"]),
    (lambda: Clamp("f", 1.0, unit=-1), ["unit of a Clamp must be an integer of at least 0; got -1"]),
    (lambda: Clamp("f", 1.0, from_step=0), ["from_step of a Clamp must be an integer of at least 1; got 0"]),
    (
        lambda: run(elman, x, clamp=[Clamp("f", 1.0)]),
        ["needs gates, but an Elman RNN has none", "Use an LSTM (i, f, o)"],
    ),
    (lambda: run(lstm, x, clamp=[Clamp("g", 1.0)]), ["'g' is a candidate in -1..1", "of an LSTM", "one of i, f, o"]),
    (lambda: run(gru, x, clamp=[Clamp("n", 1.0)]), ["'n' is a candidate in -1..1", "of a GRU", "one of r, z"]),
    (lambda: run(gru, x, clamp=[Clamp("f", 1.0)]), ["'f' is not a gate of a GRU", "Clamp one of r, z"]),
    (lambda: run(gru, x, clamp=[Clamp("z", 1.0, unit=3)]), ["unit of a Clamp (zero-based)", "in 0..2; got 3"]),
    (lambda: run(gru, x, clamp=[Clamp("z", 1.0, from_step=5)]), ["from_step of a Clamp", "in 1..4; got 5"]),
    (
        lambda: run(gru, x, clamp=anything or Clamp("z", 1.0)),
        ["must be a sequence of Clamp", "Write clamp=[Clamp(...)]"],
    ),
    (
        lambda: run(gru, x, clamp=anything or [("z", 1.0)]),
        ["must contain Clamp objects; got ('z', 1.0)", "Write clamp="],
    ),
    # stacks
    (lambda: run_stack([], x), ["needs a sequence of cells; got none", "List the layers"]),
    (lambda: run_stack(anything or lstm, x), ["needs a sequence of cells; got a single one"]),
    (lambda: run_stack(anything or [lstm, "gru"], x), ["run_stack needs an ElmanCell", "got str"]),
    (lambda: run_stack([lstm, gru], x), ["Layer 2 must have input size 3, the hidden size of layer 1; got 2", "order"]),
    (lambda: run_stack([lstm], x, [Z(3), Z(3)]), ["h0 must hold 1 vectors", "got 2", "Use None for zeros"]),
    (lambda: run_stack([lstm], x, None, anything or 0.5), ["c0 must hold 1 vectors", "got a single value"]),
    (lambda: run_stack([lstm, make_cell("gru", 3, 2)], x, [None, Z(3)]), ["Layer 2: h0 must be (2,)", "got (3,)"]),
    (lambda: run_stack([lstm], x[:, :1]), ["Layer 1: x must be (T, 2)"]),
    # readout
    (lambda: Readout(Z(3), Z(3)), ["W must be (O, H) for a readout", "got (3,)", "Stack one row for each output"]),
    (lambda: Readout(Z((2, 3)), Z(3)), ["b must be (2,) for a readout of 2 outputs; got (3,)", "each row of W"]),
    (lambda: Readout(Z((2, 3)), Z(2), "relu"), ["activation 'relu' is not known", "'identity', 'softmax', 'sigmoid'"]),
    (
        lambda: Readout(Z((2, 3)), Z(2))(Z((3, 2))),
        ["h must be (..., 3) for a readout from 3 units; got (3, 2)", "last axis"],
    ),
    (lambda: Readout(Z((2, 3)), Z(2))(0.0), ["h must be (..., 3)", "got ()"]),
]


@pytest.mark.parametrize(
    ("call", "words"), REFUSALS, ids=lambda value: value[0][:40] if isinstance(value, list) else ""
)
def test_refusals(call: Callable[[], Any], words: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        call()
    message = str(caught.value)
    for word in words:
        assert word in message
    assert message.endswith(".")
    assert not message.endswith("..")


def test_real_numbers_of_other_kinds_are_read() -> None:
    np.testing.assert_array_equal(read_array("v", [Fraction(1, 2), 2, np.float32(0.25)]), [0.5, 2.0, 0.25])
    with pytest.raises(InputError):
        read_array("v", [Decimal("0.5")])


@pytest.mark.parametrize("activation", ["relu", "identity"])
def test_an_exploding_run_carries_its_finite_part(activation: str) -> None:
    cell = ElmanCell(np.ones((2, 1)), 1e100 * np.eye(2), Z(2), Z(2), activation=activation)
    with pytest.raises(StateOverflowError) as caught:
        run(cell, [[1.0], [0.0], [0.0], [0.0], [0.0], [0.0]])
    problem = caught.value
    for word in ("pre-activation a of unit 1", "at step 5 of 6", "Lower the weights", "end the sequence after step 4"):
        assert word in str(problem)
    assert problem.step == 5
    np.testing.assert_allclose(problem.trace.h[:, 0], [0.0, 1.0, 1e100, 1e200, 1e300])
    assert problem.trace.steps == len(problem.trace.x) == len(problem.trace.preacts["a"]) == 4
    assert not problem.trace.h.flags.writeable
    assert step_jacobians(problem.trace).shape == (4, 2, 2)


def test_another_activation_is_advised_only_where_it_would_help() -> None:
    """Where the states grew; a gated cell has none to choose, and one that is bounded need not be another."""
    advice = "choose tanh or sigmoid as the activation"
    for activation, x, helps in (("identity", [[1.0]] * 9, True), ("tanh", [[1.0], [1e200]], False)):
        cell = ElmanCell([[1e120]], [[1e120]], Z(1), Z(1), activation=activation)
        with pytest.raises(StateOverflowError) as caught:
            run(cell, x)
        assert (advice in str(caught.value)) is helps
        assert "Lower the weights, the gain or the inputs" in str(caught.value)
        assert f"end the sequence after step {caught.value.step - 1}." in str(caught.value)
    lstm = make_cell("lstm", 1, 1, init="zeros")
    with pytest.raises(StateOverflowError) as caught:
        run(type(lstm)(lstm.W_ih + 1e200, lstm.W_hh, lstm.b_ih, lstm.b_hh), [[1.0], [1e200]])
    assert advice not in str(caught.value)


def test_an_overflow_at_the_first_step_leaves_no_steps() -> None:
    for kind, name in (("elman", "a"), ("lstm", "a_i"), ("gru", "a_r")):
        cell = make_cell(kind, 1, 2)
        huge = type(cell)(np.full_like(cell.W_ih, 1e200), cell.W_hh, cell.b_ih, cell.b_hh)
        with pytest.raises(StateOverflowError, match=f"pre-activation {name} of unit 1 .* at step 1 of 3") as caught:
            run(huge, [[1e200], [1.0], [1.0]], [0.5, 0.25])
        assert "end the sequence" not in str(caught.value)
        assert (caught.value.step, caught.value.trace.steps) == (1, 0)
        np.testing.assert_array_equal(caught.value.trace.h, [[0.5, 0.25]])
        assert caught.value.trace.from_x.shape == (0, len(cell.W_hh))
        assert step_jacobians(caught.value.trace).shape == (0, cell.state_size, cell.state_size)


@pytest.mark.parametrize("reset", ["after", "before"])
def test_a_candidate_that_overflows_is_seen_behind_a_shut_gate(reset: str) -> None:
    """0 * inf is nan, never a quiet 0."""
    W_hh = np.array([[0.0], [0.0], [1e200]])
    cell = GRUCell(Z((3, 1)), W_hh, Z(3), Z(3), reset=reset)
    clamp = [Clamp("r", 0.0 if reset == "after" else 1.0)]
    with pytest.raises(StateOverflowError, match="pre-activation a_n of unit 1"):
        run(cell, [[0.0]], [1e200], clamp=clamp)


def test_a_stack_names_the_layer_that_overflows() -> None:
    calm = ElmanCell(np.ones((1, 1)), Z((1, 1)), Z(1), Z(1), activation="identity")
    wild = ElmanCell(np.full((1, 1), 1e200), np.full((1, 1), 1e200), Z(1), Z(1), activation="identity")
    with pytest.raises(StateOverflowError, match=r"^Layer 2: .* at step 2 of 3") as caught:
        run_stack([calm, wild], np.ones((3, 1)))
    assert caught.value.step == 2
    assert caught.value.trace.cell is wild
    assert caught.value.trace.h.tolist() == [[0.0], [1e200]]
