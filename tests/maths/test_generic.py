"""The complex step against derivatives by hand, and the textbook step against the fast loop: two routes to each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rnnviz import Cell, ElmanCell, InputError, bptt, influence, make_cell, run, step_jacobians
from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.cells.generic import input_jacobian, state_jacobian, weight_jacobian
from rnnviz.maths.cells.protocol import WEIGHTS

from .drawn import ALL_FORMS, Case, cases, make_case


def at_no_kink(trace) -> bool:
    """Whether no relu unit stands so near its kink that the two routes may round to either side of it."""
    cell = trace.cell
    return not (isinstance(cell, ElmanCell) and cell.activation == "relu" and np.abs(trace.preacts["a"]).min() < 1e-9)


@given(cases(shifts=(0.0, 3.0, 30.0)))
def test_the_textbook_step_is_a_step_of_the_run(case: Case) -> None:
    trace = run(*case)
    for k, x in enumerate(trace.x):
        made = case.cell.step(x, *case.cell.blocks(trace.states[k]))
        np.testing.assert_allclose(np.hstack(made), trace.states[k + 1], rtol=1e-13, atol=1e-14)


@given(cases(shifts=(0.0, 3.0, 30.0), max_steps=4))
def test_the_complex_step_finds_the_jacobians(case: Case) -> None:
    """Saturated units too: the imaginary part has its own digits."""
    trace = run(*case)
    assume(at_no_kink(trace))
    for k, J in enumerate(step_jacobians(trace)):
        np.testing.assert_allclose(state_jacobian(case.cell, trace.x[k], trace.states[k]), J, rtol=1e-12, atol=1e-12)


@given(cases(shifts=(0.0, 3.0), max_steps=4), st.integers(0, 99))
def test_the_complex_step_finds_the_gradients(case: Case, seed: int) -> None:
    """The error goes back by Jacobians and meets each weight's own: no delta, no operand."""
    trace = run(*case)
    assume(at_no_kink(trace))
    cell, H = case.cell, case.cell.hidden_size
    d_h = np.random.default_rng(seed).standard_normal(trace.h[1:].shape)
    found, error = bptt(trace, d_h), np.zeros(cell.state_size)
    expected = {name: np.zeros_like(getattr(cell, name)) for name in WEIGHTS}
    for k in reversed(range(trace.steps)):
        x, state = trace.x[k], trace.states[k]
        error[:H] += d_h[k]
        for name in WEIGHTS:
            expected[name] += np.tensordot(error, weight_jacobian(cell, x, state, name), 1)
        np.testing.assert_allclose(found.x[k], error @ input_jacobian(cell, x, state), rtol=1e-10, atol=1e-12)
        error = error @ state_jacobian(cell, x, state)
    for name in WEIGHTS:
        np.testing.assert_allclose(found.weights[name], expected[name], rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("form", ALL_FORMS)
def test_the_complex_step_finds_the_influence(form) -> None:
    """From zero, the influence after one step is what the weights do in it."""
    case = make_case(form, 2, 3, 1, seed=4)
    found = influence(run(*case), 1)
    state = np.concatenate([case.h0] if case.c0 is None else [case.h0, case.c0])
    for name in WEIGHTS:
        own = weight_jacobian(case.cell, case.x[0], state, name)
        np.testing.assert_allclose(found[name], own, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("a", [-800.0, -40.0, -1.0, 0.0, 2.0, 40.0, 800.0])
@pytest.mark.parametrize("name", list(ACTIVATIONS))
def test_activations_take_complex_numbers(name: str, a: float) -> None:
    """Value and derivative in every digit, in the flat parts too; relu by the sign of the real part."""
    activation, tiny = ACTIVATIONS[name], 2.0**-300
    real, found = np.array([a]), activation(np.array([a + 1j * tiny]))  # type: ignore[arg-type]
    np.testing.assert_allclose(found.real, activation(real), rtol=1e-15)
    slope = found.imag / tiny
    if abs(a) == 800.0 and name in ("tanh", "sigmoid"):
        assert slope.item() == 0.0  # times 2**-300 it underflows
    else:
        np.testing.assert_allclose(slope, activation.slope(real), rtol=1e-12)
    if name == "sigmoid":
        assert found.real.item() == pytest.approx(float(1 / (1 + mpmath.exp(-mpmath.mpf(a)))), rel=1e-14, abs=0.0)


@dataclass(frozen=True, eq=False)
class Faulty(Cell):
    """One whose step does what it should not."""

    fault: str = "none"

    kind: ClassVar[str] = "faulty"
    title: ClassVar[str] = "a faulty cell"

    def step(self, x, h):
        a = self.W_ih @ x + self.W_hh @ h
        faults: dict[str, Any] = {
            "real": lambda: np.abs(a),
            "shape": lambda: a[:1],
            "pair": lambda: (a, a),
            "complex": lambda: a + 1j,
        }
        return faults[self.fault]()


def faulty(fault: str) -> Faulty:
    return Faulty(np.ones((2, 1)), np.eye(2), np.zeros(2), np.zeros(2), fault)


@pytest.mark.parametrize(
    ("fault", "word"), [("shape", "must return h"), ("pair", "must return h"), ("complex", "makes complex numbers")]
)
def test_a_step_that_returns_no_state_is_refused(fault: str, word: str) -> None:
    with pytest.raises(InputError, match=word):
        run(faulty(fault), [[1.0]])


def test_a_step_that_drops_its_derivative_is_refused() -> None:
    """The modulus of a complex number is real: without a word the derivative would be 0."""
    with pytest.raises(InputError, match=r"a faulty cell drops imaginary parts.*np\.tanh"):
        step_jacobians(run(faulty("real"), [[1.0]]))


def test_a_cell_without_a_step_is_refused() -> None:
    with pytest.raises(InputError, match="no step"):
        run(Cell(np.ones((2, 1)), np.eye(2), np.zeros(2), np.zeros(2)), [[1.0]])


def test_the_registry_names_what_it_has() -> None:
    with pytest.raises(InputError, match=r"'rnn' is not known.*'elman', 'lstm', 'gru'"):
        make_cell("rnn", 1, 1)
