"""Long short-term memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rnnviz.maths.activations import sigmoid, sigmoid_into
from rnnviz.maths.cells.factored import FactoredCell, add_use, multiply_into
from rnnviz.maths.cells.gates import gates_and_slopes, log_of_gate
from rnnviz.maths.cells.loops import Sums, clamp_into, states_after_one, with_bias
from rnnviz.maths.cells.steps_back import StepsBack
from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.arithmetic import FLOATS, Arithmetic, At, Factors, Numbers, scaled_rows
from rnnviz.maths.extended_range.half_steps import MILD, Part, relative

if TYPE_CHECKING:
    from rnnviz.maths.gradient_flow.products import Steps
    from rnnviz.maths.learning_rules.backward_trace import BackwardTrace
    from rnnviz.maths.trace import Trace

__all__ = ["LSTMCell"]


@dataclass(frozen=True, eq=False)
class LSTMCell(FactoredCell):
    """Long short-term memory (Hochreiter & Schmidhuber 1997) with the forget gate of Gers et al. (2000)::

        i, f, o = sigmoid(W x_t + b_ih + W h_{t-1} + b_hh)    each with its own rows
        g       = tanh   (W x_t + b_ih + W h_{t-1} + b_hh)
        c_t = f * c_{t-1} + i * g
        h_t = o * tanh(c_t)

    Parameters
    ----------
    W_ih : (4H, D) array-like
        Rows i, f, g, o, as in ``torch.nn.LSTM``.
    W_hh : (4H, H) array-like
    b_ih, b_hh : (4H,) array-like

    Raises
    ------
    InputError
        If a shape does not fit or an entry is not a finite number.

    Examples
    --------
    >>> import numpy as np
    >>> cell = LSTMCell(np.zeros((8, 3)), np.zeros((8, 2)), np.zeros(8), np.zeros(8))
    >>> cell.hidden_size, cell.state_size
    (2, 4)
    """

    kind: ClassVar[str] = "lstm"
    title: ClassVar[str] = "an LSTM"
    gate_names: ClassVar[tuple[str, ...]] = ("i", "f", "g", "o")
    clampable: ClassVar[tuple[str, ...]] = ("i", "f", "o")
    state_names: ClassVar[tuple[str, ...]] = ("h", "c")
    reach: ClassVar[int] = 200
    losses: ClassVar[tuple[tuple[str, tuple[str, ...]] | None, ...]] = (("", ("keep",)), ("o", ("o",)), ("", ()))
    bias_options: ClassVar[Mapping[str, str]] = MappingProxyType({"forget_bias": "f"})
    told_by: ClassVar[str] = "gates"
    keeping: ClassVar[str] = "f"
    reading_order: ClassVar[tuple[str, ...]] = ("f", "i", "g", "o")

    def step(self, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
        i, f, g, o = np.split(self.W_ih @ x + self.b_ih + self.W_hh @ h + self.b_hh, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c

    def loop(self, x: Array, first: Array, sums: Sums) -> Array:
        b_W_hh, H = with_bias(self), self.hidden_size
        one_h = states_after_one(first[:H], sums)
        g_c = np.empty((len(one_h), 2 * H))  # rows [g_t, c_{t-1}], beside which lie the gates i, f: one product for all
        g_c[0, H:] = first[H:]
        written_kept = np.empty(2 * H)
        written, kept = written_kept[:H], written_kept[H:]
        preacts, gates = sums.preacts, sums.gates
        parts = preacts[:, self.rows("g")], g_c[:, :H], gates[:, : 2 * H], g_c, g_c[1:, H:], gates[:, self.rows("o")]
        rows = zip(sums.from_x, sums.from_h, preacts, gates, sums.clamped, *parts, one_h, one_h[1:, 1:], strict=False)
        for u, w, a, gate, clamped, a_g, g, i_f, g_c_prev, c, o, one_h_prev, h in rows:
            b_W_hh.dot(one_h_prev, w)
            np.add(u, w, a)
            sigmoid_into(a, gate)
            if clamped is not None:
                clamp_into(gate, clamped)
            np.tanh(a_g, g)
            np.multiply(i_f, g_c_prev, written_kept)
            np.add(written, kept, c)  # c_t = i * g + f * c_{t-1}
            np.tanh(c, h)
            np.multiply(o, h, h)  # h_t = o * tanh(c_t)
        gates[:, self.rows("g")] = g_c[:-1, :H]
        return np.concatenate([one_h[:, 1:], g_c[:, H:]], axis=1)

    # --- from state to state ----------------------------------------------------------------------------------------

    def factors(self, trace: Trace, at: At, numbers: Numbers) -> Factors:
        """``i = g i', f = c_{t-1} f', g = i g', o = tanh(c) o', through = o tanh'(c), keep = f``."""
        gates, slopes, _ = gates_and_slopes(trace, at, numbers)
        H, of = self.hidden_size, numbers.of
        c_prev, c = trace.states[:-1, H:][at], trace.states[1:, H:][at]
        return {
            "i": gates["g"] * slopes["i"],
            "f": of(c_prev) * slopes["f"],
            "g": gates["i"] * slopes["g"],
            "o": of(np.tanh(c)) * slopes["o"],
            "through": gates["o"] * numbers.tanh_slope(c),
            "keep": gates["f"],
        }

    def jacobians(self, factors: Factors, numbers: Arithmetic) -> Any:
        H, keep = self.hidden_size, factors["keep"]
        unit = np.arange(H)
        dc_dh, W_ho = self._dc_dh(factors, numbers), numbers.of(self.W_hh[self.rows("o")])
        J = numbers.zeros((keep.shape[0], 2 * H, 2 * H))
        J[:, :H, :H] = scaled_rows(factors["o"], W_ho) + scaled_rows(factors["through"], dc_dh)
        J[:, unit, H + unit] = factors["through"] * keep
        J[:, H:, :H] = dc_dh
        J[:, H + unit, H + unit] = keep
        return J

    def _dc_dh(self, factors: Factors, numbers: Arithmetic) -> Any:
        scales = [factors[name] for name in "ifg"]
        return numbers.mixed(scales, [numbers.of(self.W_hh[self.rows(name)]) for name in "ifg"])

    def product_steps(self, most: int) -> Steps:
        """One product with the columns of J for h; those for c are diagonal, ``through keep`` above ``keep``."""
        H = self.hidden_size
        weights = np.stack([self.W_hh[self.rows(name)] for name in "ifgo"], axis=1)  # (H, 4, H)
        for_h = np.empty((most, 2 * H, H))

        def steps(factors: Factors, P: Array, out: Array) -> None:
            through, keep = factors["through"], factors["keep"]
            for_c = np.concatenate([through * keep, keep], axis=1)[:, :, None]
            scales = np.stack([factors[name] for name in "ifgo"], axis=2).transpose(1, 0, 2)  # (H, n, 4)
            of_h, of_c = for_h[: len(keep), :H].transpose(1, 0, 2), for_h[: len(keep), H:].transpose(1, 0, 2)
            # For all steps at once, one product for each unit.
            np.matmul(scales[:, :, :3], weights[:, :3], out=of_c)
            scales[:, :, :3] *= through.T[:, :, None]
            np.matmul(scales, weights, out=of_h)
            scaled = np.empty_like(P)
            from_h, from_c = scaled[:H], scaled[H:]
            for columns, diagonal, product, h, c in zip(
                for_h.transpose(0, 2, 1), for_c, out, out[:, :H], out[:, H:], strict=False
            ):
                np.dot(columns, P, h)
                np.multiply(diagonal, P, scaled)
                np.add(from_h, from_c, c)
                P = product

        return steps

    def column_powers(self, factors: Factors, numbers: Numbers) -> Array:
        e = numbers.mixed([factors["o"]], [numbers.of(self.W_hh[self.rows("o")])])
        powers = np.maximum(numbers.column_powers(self._dc_dh(factors, numbers)), numbers.column_powers(e))
        return np.concatenate([powers, np.zeros_like(powers)], axis=1)  # the columns for c are those of the identity

    def parts(self, factors: Factors, powers: Array, numbers: Arithmetic) -> list[list[Part]]:
        """But for the powers, with ``A = dc_t/dh_{t-1}``::

        [h; c] -> [h; keep c] -> [o W_ho h; A h + keep c] = [e; c_t] -> [e + through c_t; c_t]
        """
        A, W_ho = self._dc_dh(factors, numbers), numbers.of(self.W_hh[self.rows("o")])
        keep, o, through = (factors[name] for name in ("keep", "o", "through"))
        steps = enumerate(powers)
        return [_parts(numbers, *relative(row), keep[k], W_ho, o[k], A[k], through[k]) for k, row in steps]

    # --- backward ---------------------------------------------------------------------------------------------------

    def steps_back(self, trace: Trace) -> StepsBack:
        return _LSTMStepsBack(trace)

    def at_gates(self, passed: BackwardTrace) -> dict[str, Array]:
        gates, H = passed.trace.gates, self.hidden_size
        c, dh, dc = passed.trace.states[:, H:], passed.states[1:, :H], passed.states[1:, H:]
        return {"i": dc * gates["g"], "f": dc * c[:-1], "g": dc * gates["i"], "o": dh * np.tanh(c[1:])}

    def c_from_h(self, passed: BackwardTrace) -> Array:
        """``h_t = o * tanh(c_t)``, so it is ``dL/dh_t o tanh'(c_t)``."""
        trace, c = passed.trace, passed.trace.states[1:, self.hidden_size :]
        return np.asarray(passed.h[1:] * trace.gates["o"] * FLOATS.tanh_slope(c))

    def carry_factors(self, factors: Factors, inputs: Mapping[str, Array], before: Array, after: Array) -> None:
        H, W = self.hidden_size, {name: self.W_hh[self.rows(name)] for name in self.gate_names}
        factor = {name: rows[0] for name, rows in factors.items()}
        h, c = after[:H], after[H:]
        from_gates = self._dc_dh(factors, FLOATS)
        multiply_into(from_gates[0], before[:H], c)
        c += factor["keep"][:, None, None] * before[H:]
        for name in ("i", "f", "g"):
            add_use(c, self.rows(name), factor[name], inputs[name])
        multiply_into(factor["o"][:, None] * W["o"], before[:H], h)
        add_use(h, self.rows("o"), factor["o"], inputs["o"])
        h += factor["through"][:, None, None] * c

    # --- what is kept and drawn -------------------------------------------------------------------------------------

    def keep_and_write(self, trace: Trace) -> tuple[Array, Array]:
        gates = trace.gates
        return gates["f"], gates["i"] * gates["g"]

    def log_keep(self, trace: Trace) -> Array:
        return log_of_gate(trace, "f")

    def chrono_biases(self, keep: Array) -> Mapping[str, Array]:
        return {"f": keep, "i": -keep}


class _LSTMStepsBack(StepsBack):
    def complete(self, error: Array, steps: slice) -> None:
        H = self.cell.hidden_size
        error[:, H:] += error[:, :H] * self.factors["through"][steps]

    def deltas(self, error: Array, steps: slice) -> Array:
        H = self.cell.hidden_size
        dh, dc = error[:, :H], error[:, H:]
        deltas = np.concatenate([dc, dc, dc, dh], axis=1)
        deltas *= self._slopes[steps]
        return deltas

    def before(self, error: Array, steps: slice) -> Array:
        return np.concatenate([super().before(error, steps), self._kept(error, steps)], axis=1)

    def paths(self, error: Array, steps: slice) -> dict[str, Array]:
        return super().paths(error, steps) | {"keep": self._kept(error, steps)}

    def _kept(self, error: Array, steps: slice) -> Array:
        return error[:, self.cell.hidden_size :] * self.factors["keep"][steps]


def _parts(
    numbers: Arithmetic, power: Array, top: float, keep: Any, W_ho: Any, o: Any, A: Any, through: Any
) -> list[Part]:
    H = len(power) // 2

    def forget(X: Any) -> Any:
        Y = numbers.shifted(X, power)
        Y[H:] = keep[:, None] * Y[H:]
        return Y

    def write(X: Any) -> Any:
        Y = numbers.shifted(X, -power)
        h = Y[:H].copy()
        Y[:H] = o[:, None] * (W_ho @ h)
        Y[H:] = A @ h + Y[H:]
        return Y

    def read(X: Any) -> Any:
        Y = X.copy()
        Y[:H] = X[:H] + through[:, None] * X[H:]
        return Y

    mild = power.min() >= -MILD and isinstance(keep, np.ndarray) and keep.min() >= 2.0**-MILD
    return [Part(forget, 0.0, waits=bool(mild)), Part(write, top), Part(read, 0.0, waits=True)]
