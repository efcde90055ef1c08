"""What a run leaves behind: every number of every step."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from rnnviz.maths.checks import Array, Sealed, read_integer, read_number
from rnnviz.maths.errors import InputError
from rnnviz.wording import Message

if TYPE_CHECKING:
    from rnnviz.maths.cells import Cell

__all__ = ["Clamp", "Trace", "clamped_gates", "no_gates", "read_clamps", "require_gates", "require_trace"]


_FROM_STEP = Message("error.clamp.from_step", "from_step of a Clamp")


@dataclass(frozen=True)
class Clamp:
    """Clamp a gate to a value, whatever the network computes for it.

    Parameters
    ----------
    gate : str
        "i", "f" or "o" of an LSTM; "r" or "z" of a GRU.
    value : float
        0 (closed) to 1 (open).
    unit : int, optional
        Zero-based; every unit if left out.
    from_step : int
        The first step (1..T) at which the gate is clamped.

    Raises
    ------
    InputError
        If the value is outside 0..1, or the unit or step is not an integer in range. Gate, unit and step are checked
        against the cell and the sequence by `run`.

    Examples
    --------
    >>> Clamp("f", 1.0, from_step=3)
    Clamp(gate='f', value=1.0, unit=None, from_step=3)
    """

    gate: str
    value: float
    unit: int | None = None
    from_step: int = 1

    def __post_init__(self) -> None:
        value = Message("error.clamp.value", "the value of a Clamp")
        object.__setattr__(self, "value", read_number(value, self.value, 0.0, 1.0))
        object.__setattr__(self, "from_step", read_integer(_FROM_STEP, self.from_step, 1))
        if self.unit is not None:
            unit = Message("error.clamp.unit", "the unit of a Clamp")
            object.__setattr__(self, "unit", read_integer(unit, self.unit, 0))


@dataclass(frozen=True, eq=False)
class Trace(Sealed):
    """Every number of one forward pass. All arrays and mappings are read-only; time is the first axis.

    Attributes
    ----------
    cell : ElmanCell, LSTMCell or GRUCell
    x : (T, D) array
    states : (T+1, S) array
        Row 0 is the initial state. ``h`` for Elman and GRU, ``[h; c]`` for the LSTM.
    gates : mapping of name to (T, H) array
        As applied, so clamped where clamped. LSTM i, f, g, o; GRU r, z, n; Elman none.
    preacts : mapping of name to (T, H) array
        As computed. The names of `gates`; "a" for Elman.
    from_x : (T, G*H) array
        ``W_ih x_t + b_ih``.
    from_h : (T, G*H) array
        ``W_hh h_{t-1} + b_hh``; the n rows of a GRU with ``reset="before"`` use ``r_t * h_{t-1}``.
    clamp : tuple of Clamp
    """

    cell: Cell
    x: Array
    states: Array
    gates: Mapping[str, Array]
    preacts: Mapping[str, Array]
    from_x: Array
    from_h: Array
    clamp: tuple[Clamp, ...] = ()

    def __post_init__(self) -> None:
        for array in (self.x, self.states, self.from_x, self.from_h, *self.gates.values(), *self.preacts.values()):
            array.setflags(write=False)
        object.__setattr__(self, "gates", MappingProxyType(dict(self.gates)))
        object.__setattr__(self, "preacts", MappingProxyType(dict(self.preacts)))

    @property
    def steps(self) -> int:
        """T, the number of steps."""
        return len(self.x)

    @property
    def h(self) -> Array:
        """The hidden states, (T+1, H); row 0 is the initial one."""
        return self.states[:, : self.cell.hidden_size]

    def between(self, first: int, last: int) -> Trace:
        """The steps after `first` up to `last`, as a run of its own that begins in the state at step `first`.

        Raises
        ------
        InputError
            If ``0 <= first <= last <= T`` does not hold.

        Examples
        --------
        >>> from rnnviz import make_cell, run
        >>> trace = run(make_cell("gru", 1, 2), [[0.1], [0.2], [0.3]])
        >>> part = trace.between(1, 3)
        >>> part.steps, (part.h[0] == trace.h[1]).all()
        (2, np.True_)
        """
        first = read_integer(Message("error.between.first", "first of Trace.between"), first, 0, self.steps)
        last = read_integer(Message("error.between.last", "last of Trace.between"), last, first, self.steps)
        rows = slice(first, last)
        clamps = [replace(one, from_step=max(1, one.from_step - first)) for one in self.clamp if one.from_step <= last]
        return Trace(
            self.cell,
            self.x[rows],
            self.states[first : last + 1],
            {name: gate[rows] for name, gate in self.gates.items()},
            {name: preact[rows] for name, preact in self.preacts.items()},
            self.from_x[rows],
            self.from_h[rows],
            tuple(clamps),
        )

    @property
    def c(self) -> Array | None:
        """The cell states of an LSTM, (T+1, H), row 0 the initial one; None for the other cells."""
        return self.states[:, self.cell.hidden_size :] if "c" in self.cell.state_names else None


def read_clamps(clamp: Iterable[Clamp], cell: Cell, steps: int) -> tuple[Clamp, ...]:
    """Return the clamps as a tuple, each checked against the cell and the number of steps."""
    if isinstance(clamp, Clamp) or not isinstance(clamp, Iterable):
        raise InputError(
            "clamp.sequence", "clamp must be a sequence of Clamp; got {got}. Write clamp=[Clamp(...)].", got=repr(clamp)
        )
    clamps = tuple(clamp)
    for one in clamps:
        if not isinstance(one, Clamp):
            raise InputError(
                "clamp.object", "clamp must contain Clamp objects; got {got}. Write clamp=[Clamp(gate, value)].",
                got=repr(one),
            )  # fmt: skip
        if not cell.clampable:
            raise InputError(
                "clamp.no_gates", "{clamp} needs gates, but {cell} has none. Use an LSTM (i, f, o) or a GRU (r, z).",
                clamp=str(one), cell=cell.in_words(),
            )  # fmt: skip
        if one.gate not in cell.clampable:
            raise _no_gate(one, cell)
        if one.unit is not None:
            unit = Message("error.clamp.unit.zero_based", "the unit of a Clamp (zero-based)")
            read_integer(unit, one.unit, 0, cell.hidden_size - 1)
        read_integer(_FROM_STEP, one.from_step, 1, steps)
    return clamps


def _no_gate(clamp: Clamp, cell: Cell) -> InputError:
    slots = {"gate": repr(clamp.gate), "cell": cell.in_words(), "gates": ", ".join(cell.clampable)}
    if clamp.gate in cell.gate_names:
        return InputError(
            "clamp.candidate", "{gate} is a candidate in -1..1, not a gate of {cell}. Clamp one of {gates}.", **slots
        )
    return InputError("clamp.gate", "{gate} is not a gate of {cell}. Clamp one of {gates}.", **slots)


def clamped_gates(clamps: tuple[Clamp, ...], cell: Cell, steps: int) -> Array:
    """Return the clamped value of every gate row at every step, (T, G*H), nan where free; a later clamp wins."""
    clamped = np.full((steps, cell.W_hh.shape[0]), np.nan)
    for one in clamps:
        rows = clamped[one.from_step - 1 :, cell.rows(one.gate)]
        rows[:, slice(None) if one.unit is None else one.unit] = one.value
    return clamped


def require_trace(who: str, trace: object) -> Trace:
    """Refuse what is no trace with at least one step; `who` is the function that asks."""
    if not isinstance(trace, Trace):
        raise InputError(
            "trace", "{who} needs a Trace; got {got}. Give what run returns, or one layer of a run_stack.",
            who=who, got=type(trace).__name__,
        )  # fmt: skip
    if not trace.steps:
        raise InputError(
            "trace.empty",
            "{who} needs a trace of at least one step; got none. Lower the weights or the input, and run again.",
            who=who,
        )
    return trace


def require_gates(who: str, trace: object) -> None:
    """Refuse what is no trace of a gated cell with at least one step; `who` is the function that asks."""
    known = require_trace(who, trace)
    if not known.gates:
        raise no_gates(who, known.cell)


def no_gates(who: str, cell: Cell) -> InputError:
    """Return the refusal of a cell that has no gates to ask about; `who` is the function that asks."""
    return InputError(
        "trace.no_gates", "{who} needs gates, but {cell} has none. Run an LSTM or a GRU instead.",
        who=who, cell=cell.in_words(),
    )  # fmt: skip
