"""What a backward pass leaves behind: every number of every step, as `Trace` has those of the forward pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from rnnviz.lazy import lazily
from rnnviz.maths.checks import Array, Sealed
from rnnviz.maths.errors import InputError
from rnnviz.maths.learning_rules.backward import sweep
from rnnviz.maths.trace import Trace

__all__ = ["BackwardTrace", "take_back"]


@dataclass(frozen=True, eq=False)
class BackwardTrace(Sealed):
    """Every number of one backward pass. All arrays and mappings are read-only; rows are those of the `Trace`.

    The error at a state is the gradient of the loss with respect to it. From right to left, step t takes it so::

        h = from_loss + from_future      the error at h_t
        c = from_future + c_from_h       that at c_t of an LSTM
        at_gates                         that at each gate: the error times what the gate scales
        delta = at_gates * slopes        that at the pre-activations
        paths                            W_hh^T delta, gate by gate: together from_future of the state before

    Werbos (1990), "Backpropagation through time: what it does and how to do it".

    Attributes
    ----------
    trace : Trace
        The forward pass.
    from_loss : (T, H) array
        What arrives at ``h_t`` from the loss of step t; row t - 1 is step t.
    from_future : (T+1, S) array
        What arrives at each state from the step after it; row T is 0, row 0 the whole error at the initial state.
    states : (T+1, S) array
        The error at each state, ``[dL/dh, dL/dc]`` for an LSTM.
    passed_on : (T, S) array
        The part of the error at the state of step t that goes back through the step to the state before: all of it,
        unless the pass is truncated. The rest has come as far as it may; step t itself still learns from it.
    deltas, deltas_from_h : (T, G*H) arrays
        The gradients with respect to ``from_x`` and ``from_h`` of the trace. They differ only in the n rows of a GRU
        with ``reset="after"``, where the reset gate scales the second.
    truncation : int or None
        The most steps that an error went back; None for all.
    scheme : {"sliding", "chunk"}
        How it was truncated; see `bptt`.
    """

    trace: Trace
    from_loss: Array
    from_future: Array
    states: Array
    passed_on: Array
    deltas: Array
    deltas_from_h: Array
    truncation: int | None = None
    scheme: str = "sliding"

    def __post_init__(self) -> None:
        for array in (self.from_loss, self.from_future, self.states, self.passed_on, self.deltas, self.deltas_from_h):
            array.setflags(write=False)

    @property
    def h(self) -> Array:
        """The error at each hidden state, (T+1, H)."""
        return self.states[:, : self.trace.cell.hidden_size]

    @property
    def c(self) -> Array | None:
        """The error at each cell state of an LSTM, (T+1, H), what ``h_t`` hands to it included; else None."""
        return self.states[:, self.trace.cell.hidden_size :] if self.trace.c is not None else None

    @lazily
    def c_from_h(self) -> Array | None:
        """What ``h_t = o * tanh(c_t)`` hands to ``c_t`` of an LSTM, ``dL/dh_t o tanh'(c_t)``: (T, H); else None."""
        handed = self.trace.cell.c_from_h(self)
        if handed is not None:
            handed.setflags(write=False)
        return handed

    @lazily
    def delta(self) -> Mapping[str, Array]:
        """The gradient with respect to the pre-activations, by the names of `Trace.preacts`: (T, H) each."""
        cell = self.trace.cell
        return MappingProxyType({name: self.deltas[:, cell.rows(name)] for name in cell.gate_names})

    @lazily
    def slopes(self) -> Mapping[str, Array]:
        """The slope of each gate at its pre-activation, 0 where it is clamped: (T, H) each."""
        return _sealed(self.trace.cell.slopes(self.trace))

    @lazily
    def at_gates(self) -> Mapping[str, Array]:
        """The gradient with respect to each gate and candidate, for Elman to ``h_t``: (T, H) each."""
        return _sealed(self.trace.cell.at_gates(self))

    @lazily
    def paths(self) -> Mapping[str, Array]:
        """`from_future` taken apart by the way that it came, (T+1, H) each.

        Names of gates stand for what came through their rows of W_hh to h; "keep" for what came past them, for a GRU
        to h and for an LSTM to c.
        """
        found = self.trace.cell.steps_back(self.trace).paths(self.passed_on, slice(None))
        return _sealed({name: np.concatenate([path, np.zeros_like(path[:1])]) for name, path in found.items()})


def take_back(trace: Trace, d_h: Array, truncation: int | None = None, scheme: str = "sliding") -> BackwardTrace:
    """Take the errors ``d_h`` (T, H) back through the run; `bptt` explains the rest."""
    H = trace.cell.hidden_size
    with np.errstate(over="ignore", invalid="ignore"):  # looked for below
        steps = trace.cell.steps_back(trace)
    from_future, passed_on = sweep(steps, d_h, truncation or trace.steps, scheme)
    states, every = from_future.copy(), slice(None)
    with np.errstate(over="ignore", invalid="ignore"):  # looked for below
        states[1:, :H] += d_h
        steps.complete(states[1:], every)
        deltas_from_h = steps.deltas(states[1:], every)
        deltas = steps.deltas_of_x(states[1:], deltas_from_h, every)
    _require_finite(states, deltas, deltas_from_h)
    return BackwardTrace(trace, d_h, from_future, states, passed_on, deltas, deltas_from_h, truncation, scheme)


def _require_finite(states: Array, *deltas: Array) -> None:
    finite = np.asarray(np.isfinite(states).all(axis=1))
    for array in deltas:
        finite[1:] &= np.isfinite(array).all(axis=1)
    if not finite.all():
        step = len(finite) - 1 - int(np.argmin(finite[::-1]))
        if step:
            raise InputError(
                "backward.step",
                "The gradient overflows float64 (about 1.8e308) in the backward pass, at step {step}. Lower the "
                "weights or the loss's gradient d_h, or choose a smaller truncation.",
                step=step,
            )
        raise InputError(
            "backward.start",
            "The gradient overflows float64 (about 1.8e308) in the backward pass, at the initial state. Lower the "
            "weights or the loss's gradient d_h, or choose a smaller truncation.",
        )


def _sealed(arrays: Mapping[str, Array]) -> Mapping[str, Array]:
    """Close fresh arrays and their mapping."""
    for array in arrays.values():
        array.setflags(write=False)
    return MappingProxyType(dict(arrays))
