"""What the three built-in cells share: rows of sums with names, and derivatives made of factors for each unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rnnviz.maths.cells.gates import gates_and_slopes
from rnnviz.maths.cells.loops import Sums
from rnnviz.maths.cells.protocol import Cell
from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.arithmetic import FLOATS, Factors
from rnnviz.maths.extended_range.lengths import lengths
from rnnviz.wording import Message

if TYPE_CHECKING:
    from rnnviz.maths.learning_rules.backward_trace import BackwardTrace
    from rnnviz.maths.learning_rules.influence import Carry
    from rnnviz.maths.trace import Trace

__all__ = ["FactoredCell", "add_use", "multiply_into"]


@dataclass(frozen=True, eq=False)
class FactoredCell(Cell):
    """A cell that knows its pre-activations, and whose factors, (n, H) each, scale the rows of W_hh."""

    def overflow(self, sums: Sums, states: Array) -> tuple[int, Message] | None:
        # A partial sum or state that is not finite leaves no finite pre-activation in its step: these show them all.
        finite = np.isfinite(sums.preacts).all(axis=1)
        if finite.all():
            return None
        step = int(np.argmin(finite))
        row = int(np.argmin(np.isfinite(sums.preacts[step])))
        gate, unit = self.gate_names[row // self.hidden_size], row % self.hidden_size + 1
        name = gate if len(self.gate_names) == 1 else f"a_{gate}"  # as the explorer has it
        return step + 1, Message("error.overflow.preact", "pre-activation {gate} of unit {unit}", gate=name, unit=unit)

    def named(self, sums: Sums) -> tuple[dict[str, Array], dict[str, Array]]:
        gates = {name: sums.gates[:, self.rows(name)] for name in self.gate_names if self.clampable}
        return gates, {name: sums.preacts[:, self.rows(name)] for name in self.gate_names}

    def slopes(self, trace: Trace) -> dict[str, Array]:
        return gates_and_slopes(trace, slice(None), FLOATS)[1]

    def operand(self, trace: Trace, gate: str) -> Array:
        return trace.h[:-1]

    # --- gradients: the use of a weight is delta times what the weight multiplies -------------------------------------

    def input_gradient(self, passed: BackwardTrace) -> Array:
        return np.asarray(passed.deltas @ self.W_ih)

    def gradient(self, passed: BackwardTrace, name: str) -> Array:
        trace, deltas = passed.trace, _deltas(passed, name)
        if name.startswith("b"):
            return np.asarray(deltas.sum(axis=0))
        if name == "W_ih":
            return np.asarray(deltas.T @ trace.x)
        return np.concatenate([deltas[:, self.rows(gate)].T @ self.operand(trace, gate) for gate in self.gate_names])

    def uses(self, passed: BackwardTrace, name: str) -> Array:
        trace, deltas = passed.trace, _deltas(passed, name)
        if name.startswith("b"):
            return deltas
        if name == "W_ih":
            return _outer(deltas, trace.x)
        parts = [_outer(deltas[:, self.rows(gate)], self.operand(trace, gate)) for gate in self.gate_names]
        return np.concatenate(parts, axis=1)

    def use_norms(self, passed: BackwardTrace, name: str) -> Array:
        trace, deltas = passed.trace, _deltas(passed, name)
        if name == "W_hh":
            gates = self.gate_names
            parts = [lengths(deltas[:, self.rows(g)]) * lengths(self.operand(trace, g)) for g in gates]
            return lengths(np.stack(parts, axis=1))
        return lengths(deltas) * lengths(trace.x) if name == "W_ih" else lengths(deltas)

    def along(self, passed: BackwardTrace, name: str, direction: Array) -> Array:
        trace, deltas = passed.trace, _deltas(passed, name)
        if name.startswith("b"):
            return np.asarray(deltas @ direction)
        if name == "W_ih":
            return np.asarray(((deltas @ direction) * trace.x).sum(axis=1))
        rows = {gate: self.rows(gate) for gate in self.gate_names}
        parts = [(deltas[:, own] @ direction[own]) * self.operand(trace, gate) for gate, own in rows.items()]
        return np.asarray(np.sum(parts, axis=(0, 2)))

    # --- influence --------------------------------------------------------------------------------------------------

    def carry(self, trace: Trace) -> Carry:
        factors = self.factors(trace, slice(None), FLOATS)
        inputs = {name: self.inputs(trace, name) for name in self.gate_names}

        def carried(k: int, before: Array, after: Array) -> None:
            here = {name: factor[k : k + 1] for name, factor in factors.items()}
            self.carry_factors(here, {name: rows[k] for name, rows in inputs.items()}, before, after)

        return carried

    def carry_factors(self, factors: Factors, inputs: Mapping[str, Array], before: Array, after: Array) -> None:
        """Carry the influence over one step, given its factors and `inputs`; write it to `after`."""
        raise NotImplementedError

    def inputs(self, trace: Trace, gate: str) -> Array:
        """Return what each weight of a gate's rows is multiplied by: (T, 1, D+H+2), or (T, H, D+H+2) by rows."""
        one = np.ones((trace.steps, 1, 1))
        return np.concatenate([trace.x[:, None, :], self.operand(trace, gate)[:, None, :], one, one], axis=2)

    def extra_costs(self) -> tuple[int, int]:
        return 0, 0


def _deltas(passed: BackwardTrace, name: str) -> Array:
    return passed.deltas if name.endswith("ih") else passed.deltas_from_h


def _outer(deltas: Array, inputs: Array) -> Array:
    """Return the outer product at every step: (T, m) and (T, n) to (T, m, n)."""
    return deltas[:, :, None] * inputs[:, None, :]


def multiply_into(J: Array, before: Array, after: Array) -> None:
    """Write ``J before`` to `after`, both (H, G*H, D+H+2)."""
    np.dot(J, before.reshape(len(J), -1), out=after.reshape(len(J), -1))


def add_use(after: Array, rows: slice, factor: Array, inputs: Array) -> None:
    """Add what a gate's own rows do to its own units: row j to unit j, `factor` (H,) times `inputs`."""
    own = np.einsum("jjn->jn", after[:, rows])  # a view of the diagonal
    own += factor[:, None] * inputs
