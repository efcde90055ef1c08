"""The gates of a run and their slopes, in any kind of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.arithmetic import At, Factors, Numbers
from rnnviz.maths.trace import Trace, clamped_gates

__all__ = ["gates_and_slopes", "log_of_gate"]


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


def log_of_gate(trace: Trace, gate: str, *, opposite: bool = False) -> Array:
    """Return the logarithm of a gate as applied, or of 1 minus it, (T, H), in nats, which does not underflow."""
    rows = trace.cell.rows(gate)
    a, clamped = trace.preacts[gate], clamped_gates(trace.clamp, trace.cell, trace.steps)[:, rows]
    a, clamped = (-a, 1.0 - clamped) if opposite else (a, clamped)  # 1 - sigmoid(a) = sigmoid(-a)
    with np.errstate(divide="ignore"):
        return np.where(np.isnan(clamped), -np.logaddexp(0.0, -a), np.log(clamped))


def _clamped(computed: Any, value: Array | None, numbers: Numbers) -> Any:
    """Return `computed` where `value` is nan, else `value`."""
    if value is None:
        return computed
    return computed * numbers.of(np.isnan(value).astype(float)) + numbers.of(np.nan_to_num(value))
