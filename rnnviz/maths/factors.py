"""What a step's Jacobian is made of: factors, one for each unit, that scale rows of the weights.

The same equations run on all kinds of numbers: on float64 arrays, where those underflow on `Wide` ones, and to tell
exact zeros on `Residues`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.activations import ACTIVATIONS, sigmoid, sigmoid_slope, tanh_slope
from rnnviz.maths.cells import Cell, ElmanCell, GRUCell, LSTMCell
from rnnviz.maths.checks import Array
from rnnviz.maths.residues import Residues
from rnnviz.maths.trace import Trace, clamped_gates
from rnnviz.maths.wide import Wide, wide_sigmoid, wide_sigmoid_slope, wide_tanh_slope

__all__ = [
    "FLOATS",
    "RESIDUES",
    "WIDES",
    "ZEROS",
    "Factors",
    "Numbers",
    "gates_and_slopes",
    "jacobians_of",
    "operand_of",
    "step_factors",
]

Factors: TypeAlias = dict[str, Any]
"""Name of a factor to (n, H) numbers, one row for each of n steps."""


At: TypeAlias = slice | NDArray[np.int_]
"""Which steps, out of 0..T-1."""


@dataclass(frozen=True)
class Arithmetic:
    """One kind of numbers: how to make them, sums of scaled rows, and rows times powers of 2.

    ``mixed(scales, weights)`` is the sum of ``diag(scale_t) W`` over the pairs: (n, H) and (H, J) each to (n, H, J).
    """

    of: Callable[[Array], Any]
    zeros: Callable[[tuple[int, ...]], Any]
    mixed: Callable[[Sequence[Any], Sequence[Any]], Any]
    shifted: Callable[[Any, Array], Any]


@dataclass(frozen=True)
class Numbers(Arithmetic):
    """One that has the sigmoid and the slopes too.

    `gate` takes the pre-activation and the value in float64. ``column_powers`` of (n, m, J) numbers are the exponents
    of the largest in each column, (n, J), 0 where there is none.
    """

    column_powers: Callable[[Any], Array]
    gate: Callable[[Array, Array], Any]
    sigmoid: Callable[[Array], Any]
    sigmoid_slope: Callable[[Array], Any]
    tanh_slope: Callable[[Array], Any]

    def slope(self, activation: str, a: Array) -> Any:
        """Return the slope of an Elman cell's activation."""
        curved = {"tanh": self.tanh_slope, "sigmoid": self.sigmoid_slope}
        return curved[activation](a) if activation in curved else self.of(ACTIVATIONS[activation].slope(a))


def _rows(scale: Any, W: Any) -> Any:
    """Return ``diag(scale_t) W`` for every step: (n, H) and (H, J) or (n, H, J) to (n, H, J)."""
    return scale[:, :, None] * W


def _mixed_floats(scales: Sequence[Array], weights: Sequence[Array]) -> Array:
    """For each row of the weights a product of all steps with them: one pass instead of one for each sum."""
    mixed = np.empty((*scales[0].shape, weights[0].shape[1]))
    np.matmul(np.stack(scales, axis=2).transpose(1, 0, 2), np.stack(weights, axis=1), out=mixed.transpose(1, 0, 2))
    return mixed


def _mixed_in_turn(scales: Sequence[Any], weights: Sequence[Any]) -> Any:
    mixed = _rows(scales[0], weights[0])
    for scale, W in zip(scales[1:], weights[1:], strict=True):
        mixed = mixed + _rows(scale, W)
    return mixed


def _float_powers(M: Array) -> Array:
    return np.asarray(np.frexp(np.abs(M).max(axis=1))[1].astype(float))


def _wide_powers(M: Wide) -> Array:
    powers: Array = M.exponent.max(axis=1)
    return np.where(np.isfinite(powers), powers, 0.0)


def _shifted_floats(X: Array, powers: Array) -> Array:
    return np.asarray(np.ldexp(X, powers.astype(int)[:, None]))


FLOATS = Numbers(
    of=np.asarray,
    zeros=np.zeros,
    mixed=_mixed_floats,
    column_powers=_float_powers,
    shifted=_shifted_floats,
    gate=lambda a, value: value,
    sigmoid=sigmoid,
    sigmoid_slope=sigmoid_slope,
    tanh_slope=tanh_slope,
)
WIDES = Numbers(
    of=Wide.of,
    zeros=Wide.zeros,
    mixed=_mixed_in_turn,
    column_powers=_wide_powers,
    shifted=lambda X, powers: Wide(X.mantissa, X.exponent + powers[:, None]),
    gate=lambda a, value: wide_sigmoid(a),
    sigmoid=wide_sigmoid,
    sigmoid_slope=wide_sigmoid_slope,
    tanh_slope=wide_tanh_slope,
)
ZEROS = Numbers(  # 0 for an exact zero, 1 for all else: what float64 would give if nothing underflowed
    of=lambda values: (values != 0.0).astype(float),
    zeros=np.zeros,
    mixed=_mixed_floats,
    column_powers=_float_powers,
    shifted=_shifted_floats,
    gate=lambda a, value: np.ones_like(a),
    sigmoid=np.ones_like,
    sigmoid_slope=np.ones_like,
    tanh_slope=np.ones_like,
)
RESIDUES = Arithmetic(
    of=Residues.of,
    zeros=Residues.zeros,
    mixed=_mixed_in_turn,
    shifted=lambda X, powers: X.copy(),
)


def step_factors(trace: Trace, at: At, numbers: Numbers) -> Factors:
    """Return the factors of the steps that `at` selects from 0..T-1; a clamped gate is a constant, so its slope is 0.

    ======  =======================================================================================
    Elman   a = g'(a)
    LSTM    i = g i', f = c_{t-1} f', g = i g', o = tanh(c) o', through = o tanh'(c), keep = f
    GRU     keep = z, z = (h_{t-1} - n) z', n = (1 - z) n', reset = r, and either r = n (W_hn h_{t-1} + b_hn) r'
            (reset="after") or r = h_{t-1} r' (reset="before"); with update="write" z and 1 - z are exchanged, and
            the sign of h_{t-1} - n is the other one
    ======  =======================================================================================
    """
    return _FACTORS[trace.cell.kind](trace, trace.cell, at, numbers)


def jacobians_of(cell: Cell, factors: Factors, numbers: Arithmetic) -> Any:
    """Return the Jacobians of n steps from their factors, (n, S, S); `step_jacobians` has the equations."""
    W = {name: numbers.of(cell.W_hh[cell.rows(name)]) for name in cell.gate_names}
    if cell.kind == "elman":
        return _rows(factors["a"], W["a"])
    H, keep = cell.hidden_size, factors["keep"]
    unit = np.arange(H)
    if isinstance(cell, GRUCell):
        if cell.reset == "after":
            from_h_n = factors["n"] * factors["reset"]
            J = numbers.mixed([from_h_n, factors["r"], factors["z"]], [W["n"], W["r"], W["z"]])
        else:
            inner = _rows(factors["r"], W["r"])
            inner[:, unit, unit] = inner[:, unit, unit] + factors["reset"]
            J = _rows(factors["n"], W["n"] @ inner) + _rows(factors["z"], W["z"])
        J[:, unit, unit] = J[:, unit, unit] + keep
        return J
    dc_dh = numbers.mixed([factors[name] for name in "ifg"], [W[name] for name in "ifg"])
    J = numbers.zeros((keep.shape[0], 2 * H, 2 * H))
    J[:, :H, :H] = _rows(factors["o"], W["o"]) + _rows(factors["through"], dc_dh)
    J[:, unit, H + unit] = factors["through"] * keep
    J[:, H:, :H] = dc_dh
    J[:, H + unit, H + unit] = keep
    return J


def operand_of(trace: Trace, gate: str) -> Array:
    """Return what the rows of one gate in W_hh are multiplied by at every step, (T, H)."""
    h_prev = trace.h[:-1]
    resets = gate == "n" and isinstance(trace.cell, GRUCell) and trace.cell.reset == "before"
    return trace.gates["r"] * h_prev if resets else h_prev


def _elman(trace: Trace, cell: ElmanCell, at: At, numbers: Numbers) -> Factors:
    return {"a": numbers.slope(cell.activation, trace.preacts["a"][at])}


def _lstm(trace: Trace, cell: LSTMCell, at: At, numbers: Numbers) -> Factors:
    gates, slopes, _ = gates_and_slopes(trace, at, numbers)
    H, of = cell.hidden_size, numbers.of
    c_prev, c = trace.states[:-1, H:][at], trace.states[1:, H:][at]
    return {
        "i": gates["g"] * slopes["i"],
        "f": of(c_prev) * slopes["f"],
        "g": gates["i"] * slopes["g"],
        "o": of(np.tanh(c)) * slopes["o"],
        "through": gates["o"] * numbers.tanh_slope(c),
        "keep": gates["f"],
    }


def _gru(trace: Trace, cell: GRUCell, at: At, numbers: Numbers) -> Factors:
    gates, slopes, not_z = gates_and_slopes(trace, at, numbers)
    of, h_prev = numbers.of, trace.h[:-1][at]
    change = h_prev - trace.gates["n"][at]
    if cell.update == "keep":
        keep, write, z = gates["z"], not_z, of(change) * slopes["z"]
    else:
        keep, write, z = not_z, gates["z"], of(-change) * slopes["z"]
    n = write * slopes["n"]
    r = of(h_prev) if cell.reset == "before" else n * of(trace.from_h[at, cell.rows("n")])
    return {"keep": keep, "z": z, "n": n, "reset": gates["r"], "r": r * slopes["r"]}


_FACTORS: Mapping[str, Callable[..., Factors]] = {"elman": _elman, "lstm": _lstm, "gru": _gru}


def gates_and_slopes(trace: Trace, at: At, numbers: Numbers) -> tuple[Factors, Factors, Any]:
    """Return the gates and candidates as applied, their slopes, and what z leaves over (None without a z)."""
    cell, not_z = trace.cell, None
    clamped = clamped_gates(trace.clamp, cell, trace.steps)[at] if trace.clamp else None
    gates, slopes = {}, {}
    for name, preacts in trace.preacts.items():
        a, applied = preacts[at], trace.gates[name][at]
        value = None if clamped is None else clamped[:, cell.rows(name)]
        if name in cell.clampable:
            gates[name] = _clamped(numbers.gate(a, applied), value, numbers)
            slopes[name] = _clamped(numbers.sigmoid_slope(a), None if value is None else 0.0 * value, numbers)
        else:
            gates[name], slopes[name] = numbers.of(applied), numbers.tanh_slope(a)
        if name == "z":  # 1 - sigmoid(a) = sigmoid(-a), which keeps its digits where z has rounded to 1
            not_z = _clamped(numbers.sigmoid(-a), None if value is None else 1.0 - value, numbers)
    return gates, slopes, not_z


def _clamped(computed: Any, value: Array | None, numbers: Numbers) -> Any:
    """Return `computed` where `value` is nan, else `value`."""
    if value is None:
        return computed
    return computed * numbers.of(np.isnan(value).astype(float)) + numbers.of(np.nan_to_num(value))
