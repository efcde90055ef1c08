"""The gated recurrent unit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rnnviz.maths.activations import ONE, sigmoid, sigmoid_into
from rnnviz.maths.cells.factored import FactoredCell, add_use, multiply_into
from rnnviz.maths.cells.gates import gates_and_slopes, log_of_gate
from rnnviz.maths.cells.loops import Sums, clamp_into, states_after_one, with_bias
from rnnviz.maths.cells.steps_back import StepsBack
from rnnviz.maths.checks import Array, one_of
from rnnviz.maths.extended_range.arithmetic import FLOATS, Arithmetic, At, Factors, Numbers, scaled_rows

if TYPE_CHECKING:
    from rnnviz.maths.learning_rules.backward_trace import BackwardTrace
    from rnnviz.maths.trace import Trace

__all__ = ["GRUCell"]


@dataclass(frozen=True, eq=False)
class GRUCell(FactoredCell):
    """Gated recurrent unit (Cho et al. 2014); the defaults are the form of ``torch.nn.GRU``::

        r, z = sigmoid(W x_t + b_ih + W h_{t-1} + b_hh)       each with its own rows
        n = tanh(W_in x_t + b_in + r * (W_hn h_{t-1} + b_hn))     reset="after"
        n = tanh(W_in x_t + b_in + W_hn (r * h_{t-1}) + b_hn)     reset="before"
        h_t = (1 - z) * n + z * h_{t-1}                           update="keep"
        h_t = (1 - z) * h_{t-1} + z * n                           update="write"

    Parameters
    ----------
    W_ih : (3H, D) array-like
        Rows r, z, n, as in ``torch.nn.GRU``.
    W_hh : (3H, H) array-like
    b_ih, b_hh : (3H,) array-like
    reset : {"after", "before"}
        Whether the reset gate acts after the product with ``W_hn`` or before it.
    update : {"keep", "write"}
        What an open update gate does: keep the old state or write the candidate.

    Raises
    ------
    InputError
        If a shape does not fit, an entry is not a finite number or a form is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> GRUCell(np.zeros((6, 3)), np.zeros((6, 2)), np.zeros(6), np.zeros(6), reset="before").hidden_size
    2
    """

    reset: str = "after"
    update: str = "keep"

    kind: ClassVar[str] = "gru"
    title: ClassVar[str] = "a GRU"
    gate_names: ClassVar[tuple[str, ...]] = ("r", "z", "n")
    clampable: ClassVar[tuple[str, ...]] = ("r", "z")
    reach: ClassVar[int] = 125
    told_by: ClassVar[str] = "gates"
    keeping: ClassVar[str] = "z"
    reading_order: ClassVar[tuple[str, ...]] = ("r", "z", "n")

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("reset", self.reset, ("after", "before"))
        one_of("update", self.update, ("keep", "write"))

    def step(self, x: Array, h: Array) -> Array:
        (W_hr, W_hz, W_hn), (b_hr, b_hz, b_hn) = np.split(self.W_hh, 3), np.split(self.b_hh, 3)
        u_r, u_z, u_n = np.split(self.W_ih @ x + self.b_ih, 3)
        r = sigmoid(u_r + W_hr @ h + b_hr)
        z = sigmoid(u_z + W_hz @ h + b_hz)
        n = np.tanh(u_n + (r * (W_hn @ h + b_hn) if self.reset == "after" else W_hn @ (r * h) + b_hn))
        return (1 - z) * n + z * h if self.update == "keep" else (1 - z) * h + z * n

    def loop(self, x: Array, first: Array, sums: Sums) -> Array:
        b_W_hh, n_rows = with_bias(self), self.rows("n")
        b_W_hn = np.asfortranarray(b_W_hh[n_rows])
        before, keep = self.reset == "before", self.update == "keep"
        one_h = states_after_one(first, sums)
        one_part = np.ones(1 + self.hidden_size)
        part = one_part[1:]
        whole = sums.from_x, sums.from_h, sums.preacts
        of_n = (array[:, n_rows] for array in whole)
        gates = (sums.gates[:, self.rows(name)] for name in self.gate_names)
        rows = zip(*whole, *of_n, sums.gates, sums.clamped, *gates, one_h, one_h[:, 1:], one_h[1:, 1:], strict=False)
        for u, w, a, u_n, w_n, a_n, gate, clamped, r, z, n, one_h_prev, h_prev, h in rows:
            b_W_hh.dot(one_h_prev, w)
            np.add(u, w, a)
            sigmoid_into(a, gate)
            if clamped is not None:
                clamp_into(gate, clamped)
            if before:
                np.multiply(r, h_prev, part)
                b_W_hn.dot(one_part, w_n)
                np.add(u_n, w_n, a_n)  # a_n = W_in x + b_in + W_hn (r * h) + b_hn
            else:
                np.multiply(r, w_n, a_n)
                np.add(u_n, a_n, a_n)  # a_n = W_in x + b_in + r * (W_hn h + b_hn)
            np.tanh(a_n, n)
            shut, opened = (n, h_prev) if keep else (h_prev, n)
            np.subtract(ONE, z, part)
            np.multiply(part, shut, part)
            np.multiply(z, opened, h)
            np.add(part, h, h)  # h_t = (1 - z) * n + z * h_{t-1}, or with n and h_{t-1} exchanged
        return one_h[:, 1:].copy()

    # --- from state to state ----------------------------------------------------------------------------------------

    def factors(self, trace: Trace, at: At, numbers: Numbers) -> Factors:
        """``keep = z, z = (h_{t-1} - n) z', n = (1 - z) n', reset = r``, and r by the form::

            r = n (W_hn h_{t-1} + b_hn) r'    reset="after"
            r = h_{t-1} r'                    reset="before"

        With update="write" z and 1 - z are exchanged, and the sign of h_{t-1} - n is the other one.
        """
        gates, slopes, not_z = gates_and_slopes(trace, at, numbers)
        of, h_prev = numbers.of, trace.h[:-1][at]
        change = h_prev - trace.gates["n"][at]
        if self.update == "keep":
            keep, write, z = gates["z"], not_z, of(change) * slopes["z"]
        else:
            keep, write, z = not_z, gates["z"], of(-change) * slopes["z"]
        n = write * slopes["n"]
        r = of(h_prev) if self.reset == "before" else n * of(trace.from_h[at, self.rows("n")])
        return {"keep": keep, "z": z, "n": n, "reset": gates["r"], "r": r * slopes["r"]}

    def jacobians(self, factors: Factors, numbers: Arithmetic) -> Any:
        W = {name: numbers.of(self.W_hh[self.rows(name)]) for name in self.gate_names}
        unit = np.arange(self.hidden_size)
        if self.reset == "after":
            from_h_n = factors["n"] * factors["reset"]
            J = numbers.mixed([from_h_n, factors["r"], factors["z"]], [W["n"], W["r"], W["z"]])
        else:
            inner = scaled_rows(factors["r"], W["r"])
            inner[:, unit, unit] = inner[:, unit, unit] + factors["reset"]
            J = scaled_rows(factors["n"], W["n"] @ inner) + scaled_rows(factors["z"], W["z"])
        J[:, unit, unit] = J[:, unit, unit] + factors["keep"]
        return J

    # --- backward ---------------------------------------------------------------------------------------------------

    def operand_letters(self, gate: str) -> tuple[str, str]:
        if gate != "n":  # the reset gate scales one of the two
            return "δ", "h"
        return ("δ", "(r⊙h)") if self.reset == "before" else ("(r⊙δ)", "h")

    def operand(self, trace: Trace, gate: str) -> Array:
        resets = gate == "n" and self.reset == "before"
        return np.asarray(trace.gates["r"] * trace.h[:-1]) if resets else trace.h[:-1]

    def steps_back(self, trace: Trace) -> StepsBack:
        return _GRUStepsBack(trace, self)

    def at_gates(self, passed: BackwardTrace) -> dict[str, Array]:
        trace, dh, delta_n = passed.trace, passed.states[1:], passed.delta["n"]
        n_rows, h_prev = self.rows("n"), trace.h[:-1]
        before, keep = self.reset == "before", self.update == "keep"
        gates, _, not_z = gates_and_slopes(trace, slice(None), FLOATS)
        change = h_prev - gates["n"] if keep else gates["n"] - h_prev
        at_r = delta_n @ self.W_hh[n_rows] * h_prev if before else delta_n * trace.from_h[:, n_rows]
        return {"r": at_r, "z": dh * change, "n": dh * (not_z if keep else gates["z"])}

    def inputs(self, trace: Trace, gate: str) -> Array:
        inputs = super().inputs(trace, gate)
        if gate != "n" or self.reset == "before":
            return inputs
        reset = trace.gates["r"][:, :, None]
        inputs = np.repeat(inputs, self.hidden_size, axis=1)
        inputs[:, :, self.input_size : -2] *= reset
        inputs[:, :, -1:] = reset
        return inputs

    def carry_factors(self, factors: Factors, inputs: Mapping[str, Array], before: Array, after: Array) -> None:
        multiply_into(self.jacobians(factors, FLOATS)[0], before, after)
        for name in ("z", "n"):
            add_use(after, self.rows(name), factors[name][0], inputs[name])
        if self.reset == "after":
            add_use(after, self.rows("r"), factors["r"][0], inputs["r"])
        else:  # each reset gate reaches every unit, through W_hn
            through_W_hn = factors["n"][0][:, None] * self.W_hh[self.rows("n")] * factors["r"][0]
            after[:, self.rows("r")] += through_W_hn[:, :, None] * inputs["r"]

    # --- what is kept, drawn and paid -------------------------------------------------------------------------------

    @property
    def keeper(self) -> str:
        return self.keeping if self.update == "keep" else f"1 − {self.keeping}"

    def keep_and_write(self, trace: Trace) -> tuple[Array, Array]:
        # The very 1 - z of the forward pass. sigmoid(-a) has more digits, but would not add up to the trace's states.
        z, not_z, n = trace.gates["z"], 1.0 - trace.gates["z"], trace.gates["n"]
        return (z, not_z * n) if self.update == "keep" else (not_z, z * n)

    def log_keep(self, trace: Trace) -> Array:
        return log_of_gate(trace, "z", opposite=self.update == "write")

    def chrono_biases(self, keep: Array) -> Mapping[str, Array]:
        return {"z": keep if self.update == "keep" else -keep}

    def extra_costs(self) -> tuple[int, int]:
        # BPTT keeps W_hn h + b_hn too; RTRL multiplies by W_hn apart.
        return (self.hidden_size, 0) if self.reset == "after" else (0, self.hidden_size**3)


class _GRUStepsBack(StepsBack):
    def __init__(self, trace: Trace, cell: GRUCell) -> None:
        self._resets_before = cell.reset == "before"
        super().__init__(trace)

    def _slope(self, name: str) -> Array:
        after = name == "n" and not self._resets_before
        return self.factors["n"] * self.factors["reset"] if after else self.factors[name]

    def deltas(self, error: Array, steps: slice) -> Array:
        deltas = np.concatenate([error, error, error], axis=1)
        deltas *= self._slopes[steps]
        if self._resets_before:  # r is reached only through W_hn, which reads r_t * h_{t-1}
            r, n = self.cell.rows("r"), self.cell.rows("n")
            np.multiply(np.dot(deltas[:, n], self.cell.W_hh[n]), self.factors["r"][steps], out=deltas[:, r])
        return deltas

    def deltas_of_x(self, error: Array, deltas: Array, steps: slice) -> Array:
        deltas = deltas.copy()
        deltas[:, self.cell.rows("n")] = error * self.factors["n"][steps]
        return deltas

    def before(self, error: Array, steps: slice) -> Array:
        return np.asarray(sum(self.paths(error, steps).values()))

    def paths(self, error: Array, steps: slice) -> dict[str, Array]:
        paths = super().paths(error, steps) | {"keep": error * self.factors["keep"][steps]}
        if self._resets_before:
            paths["n"] *= self.factors["reset"][steps]
        return paths
