"""What a step's Jacobian is made of: factors, one for each unit, that scale rows of the weights.

The same equations run on two kinds of numbers: on float64 arrays and, where those underflow, on `Wide` ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.activations import ACTIVATIONS, sigmoid, sigmoid_slope, tanh_slope
from rnnviz.maths.cells import Cell, ElmanCell, GRUCell, LSTMCell
from rnnviz.maths.checks import Array
from rnnviz.maths.trace import Trace, held_gates
from rnnviz.maths.wide import Wide, wide_sigmoid, wide_sigmoid_slope, wide_tanh_slope

__all__ = ["FLOATS", "WIDES", "Factors", "Numbers", "dc_dh_of", "jacobians_of", "step_factors"]

Factors: TypeAlias = dict[str, Any]
"""Name of a factor to (n, H) numbers, one row for each of n steps."""


At: TypeAlias = slice | NDArray[np.int_]
"""Which steps, out of 0..T-1."""


@dataclass(frozen=True)
class Numbers:
    """One kind of numbers: how to make them, and the slopes and the sigmoid at a pre-activation."""

    of: Callable[[Array], Any]
    zeros: Callable[[tuple[int, ...]], Any]
    sigmoid: Callable[[Array], Any]
    sigmoid_slope: Callable[[Array], Any]
    tanh_slope: Callable[[Array], Any]

    def slope(self, activation: str, a: Array) -> Any:
        """Return the slope of an Elman cell's activation."""
        curved = {"tanh": self.tanh_slope, "sigmoid": self.sigmoid_slope}
        return curved[activation](a) if activation in curved else self.of(ACTIVATIONS[activation].slope(a))


FLOATS = Numbers(np.asarray, np.zeros, sigmoid, sigmoid_slope, tanh_slope)
WIDES = Numbers(Wide.of, Wide.zeros, wide_sigmoid, wide_sigmoid_slope, wide_tanh_slope)


def step_factors(trace: Trace, at: At, numbers: Numbers) -> Factors:
    """Return the factors of the steps that `at` selects from 0..T-1; a clamped gate is a constant, so its slope is 0.

    ======  =======================================================================================
    Elman   a = g'(a)
    LSTM    i = g i', f = c_{t-1} f', g = i g', o = tanh(c) o', through = o tanh'(c), keep = f
    GRU     keep = z, z = (h_{t-1} - n) z', and with p = (1 - z) n' either n = p r,
            r = p (W_hn h_{t-1} + b_hn) r' (reset="after") or n = p, r = h_{t-1} r', reset = r (reset="before");
            with update="write" z and 1 - z are exchanged, and the sign of h_{t-1} - n is the other one
    ======  =======================================================================================
    """
    return _FACTORS[trace.cell.kind](trace, trace.cell, at, numbers)


def jacobians_of(cell: Cell, factors: Factors, numbers: Numbers) -> Any:
    """Return the Jacobians of n steps from their factors, (n, S, S); `step_jacobians` has the equations."""
    W = {name: numbers.of(cell.W_hh[cell.rows(name)]) for name in cell.gate_names}
    if cell.kind == "elman":
        return _rows(factors["a"], W["a"])
    unit, H = numbers.of(np.eye(cell.hidden_size)), cell.hidden_size
    if isinstance(cell, GRUCell):
        if cell.reset == "after":
            dn = _rows(factors["n"], W["n"]) + _rows(factors["r"], W["r"])
        else:
            dn = _rows(factors["n"], W["n"] @ (_rows(factors["reset"], unit) + _rows(factors["r"], W["r"])))
        return dn + _rows(factors["keep"], unit) + _rows(factors["z"], W["z"])
    dc_dh = dc_dh_of(factors, W)
    J = numbers.zeros((factors["keep"].shape[0], 2 * H, 2 * H))
    J[:, :H, :H] = _rows(factors["o"], W["o"]) + _rows(factors["through"], dc_dh)
    J[:, :H, H:] = _rows(factors["through"] * factors["keep"], unit)
    J[:, H:, :H] = dc_dh
    J[:, H:, H:] = _rows(factors["keep"], unit)
    return J


def dc_dh_of(factors: Factors, W: Mapping[str, Any]) -> Any:
    """Return dc_t/dh_{t-1} of an LSTM for n steps, (n, H, H)."""
    return _rows(factors["i"], W["i"]) + _rows(factors["f"], W["f"]) + _rows(factors["g"], W["g"])


def _elman(trace: Trace, cell: ElmanCell, at: At, numbers: Numbers) -> Factors:
    return {"a": numbers.slope(cell.activation, trace.preacts["a"][at])}


def _lstm(trace: Trace, cell: LSTMCell, at: At, numbers: Numbers) -> Factors:
    gates, slopes, _ = _gates(trace, at, numbers)
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
    gates, slopes, not_z = _gates(trace, at, numbers)
    of, h_prev = numbers.of, trace.h[:-1][at]
    change = h_prev - trace.gates["n"][at]
    if cell.update == "keep":
        keep, write, z = gates["z"], not_z, of(change) * slopes["z"]
    else:
        keep, write, z = not_z, gates["z"], of(-change) * slopes["z"]
    n = write * slopes["n"]
    if cell.reset == "before":
        return {"keep": keep, "z": z, "n": n, "reset": gates["r"], "r": of(h_prev) * slopes["r"]}
    from_h_n = of(trace.from_h[at, cell.rows("n")])
    return {"keep": keep, "z": z, "n": n * gates["r"], "r": n * from_h_n * slopes["r"]}


_FACTORS: Mapping[str, Callable[..., Factors]] = {"elman": _elman, "lstm": _lstm, "gru": _gru}


def _gates(trace: Trace, at: At, numbers: Numbers) -> tuple[Factors, Factors, Any]:
    """Return the gates and candidates as applied, their slopes, and what z leaves over (None without a z)."""
    cell, held, not_z = trace.cell, held_gates(trace.clamp, trace.cell, trace.steps)[at], None
    gates, slopes = {}, {}
    for name, preacts in trace.preacts.items():
        a, value = preacts[at], held[:, cell.rows(name)]
        if name in cell.clampable:
            gates[name] = _held(numbers.sigmoid(a), value, numbers)
            slopes[name] = _held(numbers.sigmoid_slope(a), 0.0 * value, numbers)
        else:
            gates[name], slopes[name] = numbers.of(trace.gates[name][at]), numbers.tanh_slope(a)
        if name == "z":  # 1 - sigmoid(a) = sigmoid(-a), which keeps its digits where z has rounded to 1
            not_z = _held(numbers.sigmoid(-a), 1.0 - value, numbers)
    return gates, slopes, not_z


def _held(computed: Any, value: Array, numbers: Numbers) -> Any:
    """Return `computed` where `value` is nan, else `value`."""
    free = np.isnan(value)
    return computed if free.all() else computed * numbers.of(free.astype(float)) + numbers.of(np.nan_to_num(value))


def _rows(scale: Any, W: Any) -> Any:
    """Return ``diag(scale_t) W`` for every step: (n, H) and (H, J) or (n, H, J) to (n, H, J)."""
    return scale[:, :, None] * W
