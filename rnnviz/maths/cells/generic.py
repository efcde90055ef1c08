"""Everything that a cell's step alone can tell: the run, and the derivatives by the complex step.

An analytic function of real numbers has its derivative in the imaginary part, with nothing subtracted, so that it is
right to rounding (Squire & Trapp 1998, "Using complex variables to estimate derivatives of real functions")::

    f'(x) = Im f(x + i e) / e        e = 2**-300

The step must be made of what takes complex numbers to complex numbers as its derivative does: sums, products, powers,
``np.exp``, ``np.tanh``, and all of `ACTIVATIONS`, whose relu goes by the sign of the real part. ``np.abs``, ``.real``
and ``np.maximum`` are not among them. Each derivative takes one step for each number that is changed, which is slow
for many units; a cell that has its derivatives by hand is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from rnnviz.maths.cells.steps_back import StepsBack
from rnnviz.maths.checks import Array
from rnnviz.maths.errors import InputError
from rnnviz.maths.extended_range.arithmetic import FLOATS, At
from rnnviz.maths.extended_range.lengths import lengths
from rnnviz.wording import Message

if TYPE_CHECKING:
    from rnnviz.maths.cells.loops import Sums
    from rnnviz.maths.cells.protocol import Cell
    from rnnviz.maths.extended_range.arithmetic import Factors
    from rnnviz.maths.gradient_flow.products import Steps
    from rnnviz.maths.learning_rules.backward_trace import BackwardTrace
    from rnnviz.maths.learning_rules.influence import Carry
    from rnnviz.maths.trace import Trace

__all__ = ["GenericStepsBack", "input_jacobian", "state_jacobian", "state_jacobians", "weight_jacobian"]

_TINY = 2.0**-300  # its square is nothing beside a number of float64's size, and to divide by it rounds nothing


# --- forward --------------------------------------------------------------------------------------------------------


def loop(cell: Cell, x: Array, first: Array, sums: Sums) -> Array:
    """Run all steps; the sums that the step makes inside stay unknown, but for those by the weights."""
    states = np.empty((len(x) + 1, len(first)))
    states[0] = first
    for k, clamped in zip(range(len(x)), sums.clamped, strict=False):
        if clamped is not None:
            raise InputError(
                "step.clamp", "{cell} has a step only, which clamps no gate. Define its loop too, or clamp none.",
                cell=cell.in_words(),
            )  # fmt: skip
        states[k + 1] = _stepped(cell, x[k], states[k])
    np.dot(states[:-1, : cell.hidden_size], cell.W_hh.T, out=sums.from_h)
    np.add(sums.from_h, cell.b_hh, out=sums.from_h)
    return states


def overflow(cell: Cell, states: Array) -> tuple[int, Message] | None:
    """Return the first step with a state that is not finite and which that is, or None."""
    finite = np.isfinite(states).all(axis=1)
    if finite.all():
        return None
    step = int(np.argmin(finite))
    row = int(np.argmin(np.isfinite(states[step])))
    state, unit = cell.state_names[row // cell.hidden_size], row % cell.hidden_size + 1
    return step, Message("error.overflow.state", "state {state} of unit {unit}", state=state, unit=unit)


def _stepped(cell: Cell, x: Any, state: Any) -> Any:
    """Return the state (S,) after one step, checked."""
    made = cell.step(x, *cell.blocks(state))
    blocks = made if isinstance(made, tuple) else (made,)
    got, need = [np.shape(block) for block in blocks], [(cell.hidden_size,)] * len(cell.state_names)
    if got != need:
        raise InputError(
            "step.shapes",
            "The step of {cell} must return {states}, shapes {need}; got {got}. Return one number for each unit.",
            cell=cell.in_words(), states=_listed(cell.state_names), need=str(need), got=str(got),
        )  # fmt: skip
    after = np.concatenate(blocks)
    if np.iscomplexobj(after) and not np.iscomplexobj(state):
        raise InputError(
            "step.complex", "The step of {cell} makes complex numbers of real ones. Return real states.",
            cell=cell.in_words(),
        )  # fmt: skip
    return after


def _listed(names: tuple[str, ...]) -> Message | str:
    if len(names) == 1:
        return names[0]
    return Message("error.step.states", "{states} and {last}", states=", ".join(names[:-1]), last=names[-1])


# --- derivatives ----------------------------------------------------------------------------------------------------


def state_jacobian(cell: Cell, x: Array, state: Array) -> Array:
    """Return ``d s_t / d s_{t-1}`` of one step, (S, S).

    >>> from rnnviz import ElmanCell
    >>> state_jacobian(ElmanCell([[1.0]], [[0.5]], [0.0], [0.0], activation="identity"), np.ones(1), np.ones(1))
    array([[0.5]])
    """
    return _derivatives(cell, state, lambda moved: _stepped(cell, x + 0j, moved))


def input_jacobian(cell: Cell, x: Array, state: Array) -> Array:
    """Return ``d s_t / d x_t`` of one step, (S, D)."""
    return _derivatives(cell, x, lambda moved: _stepped(cell, moved, state + 0j))


def weight_jacobian(cell: Cell, x: Array, state: Array, name: str) -> Array:
    """Return ``d s_t / d W`` of one step, (S, *shape), for one of the four weights, with the state before held."""

    def stepped(moved: Any) -> Any:
        return _stepped(_with_weight(cell, name, moved), x + 0j, state + 0j)

    return _derivatives(cell, getattr(cell, name), stepped)


def _derivatives(cell: Cell, values: Array, stepped: Callable[[Any], Any]) -> Array:
    """Return the derivatives of the new state with respect to each of the values, (S, *shape)."""
    found = np.empty((cell.state_size, values.size))
    moved = values.astype(np.complex128)
    flat = moved.reshape(-1)  # a view
    for entry in range(values.size):
        flat[entry] += 1j * _TINY
        after = stepped(moved)
        flat[entry] = flat[entry].real
        if not np.iscomplexobj(after):
            raise InputError(
                "step.imaginary",
                "The step of {cell} drops imaginary parts, which carry its derivative. Use functions that take complex "
                "numbers: np.tanh, np.exp, or those in ACTIVATIONS.",
                cell=cell.in_words(),
            )
        found[:, entry] = after.imag / _TINY
    return found.reshape(cell.state_size, *values.shape)


def _with_weight(cell: Cell, name: str, weight: Any) -> Cell:
    """Return the cell with other, complex, numbers for one weight, past the checks, which want real ones."""
    other = object.__new__(type(cell))
    for field in fields(cell):
        object.__setattr__(other, field.name, weight if field.name == name else getattr(cell, field.name))
    return other


def state_jacobians(trace: Trace, at: At) -> Array:
    """Return the Jacobians of some steps of a run, (n, S, S)."""
    cell, S = trace.cell, trace.cell.state_size
    rows = np.arange(trace.steps)[at]
    found = [state_jacobian(cell, trace.x[k], trace.states[k]) for k in rows]
    return np.array(found).reshape(len(rows), S, S)


def product_steps(cell: Cell) -> Steps:
    """Return what multiplies by ``J^T`` over and over, with the Jacobians made in full."""

    def steps(factors: Factors, P: Array, out: Array) -> None:
        for J, product in zip(cell.jacobians(factors, FLOATS), out, strict=False):
            P = np.dot(J.T, P, out=product)

    return steps


# --- gradients ------------------------------------------------------------------------------------------------------


class GenericStepsBack(StepsBack):
    """Steps back by the Jacobians; the deltas are the gradients with respect to the biases."""

    def __init__(self, trace: Trace) -> None:
        self.trace, self.cell = trace, trace.cell
        self.factors = trace.cell.factors(trace, slice(None), FLOATS)

    def deltas(self, error: Array, steps: slice) -> Array:
        return self._by_bias(error, steps, "b_hh")

    def deltas_of_x(self, error: Array, deltas: Array, steps: slice) -> Array:
        return self._by_bias(error, steps, "b_ih")

    def before(self, error: Array, steps: slice) -> Array:
        return np.asarray(np.einsum("ns,nsj->nj", error, self.cell.jacobians(self.factors, FLOATS)[steps]))

    def paths(self, error: Array, steps: slice) -> dict[str, Array]:
        raise InputError(
            "step.paths", "paths needs the gates, and {cell} has a step only. Use from_future, their sum.",
            cell=self.cell.in_words(),
        )  # fmt: skip

    def _by_bias(self, error: Array, steps: slice, name: str) -> Array:
        rows = range(self.trace.steps)[steps]
        found = [
            row @ weight_jacobian(self.cell, self.trace.x[k], self.trace.states[k], name)
            for row, k in zip(error, rows, strict=True)
        ]
        return np.array(found).reshape(len(error), len(self.cell.W_hh))


def uses(passed: BackwardTrace, name: str) -> Array:
    """Return what the use of a weight at each step contributes, (T, *shape)."""
    trace = passed.trace
    steps = zip(passed.states[1:], trace.x, trace.states[:-1], strict=True)
    return np.array([np.tensordot(error, weight_jacobian(trace.cell, x, s, name), 1) for error, x, s in steps])


def use_norms(parts: Array) -> Array:
    """Return the Frobenius norms of n arrays, (n,)."""
    return lengths(parts.reshape(len(parts), -1))


def input_gradient(passed: BackwardTrace) -> Array:
    """Return the gradient with respect to each input, (T, D)."""
    trace = passed.trace
    steps = zip(passed.states[1:], trace.x, trace.states[:-1], strict=True)
    return np.array([error @ input_jacobian(trace.cell, x, state) for error, x, state in steps])


def carry(trace: Trace) -> Carry:
    """Return what carries the influence of the weights over step k."""
    cell = trace.cell
    weights = [(name, getattr(cell, name).ndim) for name in ("W_ih", "W_hh", "b_ih", "b_hh")]

    def carried(k: int, before: Array, after: Array) -> None:
        x, state = trace.x[k], trace.states[k]
        own = [weight_jacobian(cell, x, state, name) for name, _ in weights]
        columns = [part if ndim == 2 else part[:, :, None] for part, (_, ndim) in zip(own, weights, strict=True)]
        J = cell.jacobians(cell.factors(trace, slice(k, k + 1), FLOATS), FLOATS)[0]
        after[:] = np.tensordot(J, before, 1) + np.concatenate(columns, axis=2)

    return carried
