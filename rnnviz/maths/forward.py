"""The forward pass, with every intermediate kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise, repeat

import numpy as np
from numpy.typing import ArrayLike

from rnnviz.maths.cells import Cell
from rnnviz.maths.cells.loops import Sums
from rnnviz.maths.checks import Array, read_array, require_shape
from rnnviz.maths.errors import InputError, StateOverflowError
from rnnviz.maths.trace import Clamp, Trace, clamped_gates, read_clamps
from rnnviz.wording import Message

__all__ = ["run", "run_stack"]


def run(
    cell: Cell,
    x: ArrayLike,
    h0: ArrayLike | None = None,
    c0: ArrayLike | None = None,
    *,
    clamp: Iterable[Clamp] = (),
) -> Trace:
    """Run a cell over one sequence and keep every number.

    Parameters
    ----------
    cell : ElmanCell, LSTMCell or GRUCell
        Its docstring has the equations.
    x : (T, D) array-like
        One row for each step, at least one.
    h0 : (H,) array-like, optional
        Initial hidden state; zeros if left out.
    c0 : (H,) array-like, optional
        Initial cell state, for an LSTM only; zeros if left out.
    clamp : iterable of Clamp
        Gates to clamp to a value. Where two clamp the same gate, the later one wins.

    Returns
    -------
    Trace

    Raises
    ------
    InputError
        If a shape does not fit, an entry is not a finite number or a clamp does not fit the cell.
    StateOverflowError
        If a number grows past float64; it names the step and carries the trace up to it.

    Examples
    --------
    >>> from rnnviz import ElmanCell
    >>> cell = ElmanCell([[1.0]], [[0.5]], [0.0], [0.0], activation="identity")
    >>> run(cell, [[1.0], [0.0], [0.0]]).h[:, 0]
    array([0.  , 1.  , 0.5 , 0.25])
    """
    _require_cell("run", cell)
    x = read_array("x", x)
    whose = Message("error.run.x", "for {cell} with input size {size}", cell=cell.in_words(), size=cell.input_size)
    require_shape("x", x, ("T", cell.input_size), whose, _ROWS)
    clamps = read_clamps(clamp, cell, len(x))
    first = _initial_state(cell, h0, c0)
    # One block: the system gives large memory in larger pages, which takes a sixth off a long run.
    from_x, from_h, preacts, gates = np.empty((4, len(x), len(cell.W_hh)))
    clamped = clamped_gates(clamps, cell, len(x)) if clamps else repeat(None)
    sums = Sums(from_x, from_h, preacts, gates, clamped)
    # Overflow is looked for once, after the loop; in a gate it is the way to the right limit.
    with np.errstate(over="ignore", invalid="ignore"):
        np.dot(x, cell.W_ih.T, out=from_x)
        np.add(from_x, cell.b_ih, out=from_x)
        states = cell.loop(x, first, sums)
    overflow = cell.overflow(sums, states)
    if overflow:
        raise _overflow(cell, x, sums, states, clamps, *overflow)
    return _trace(cell, x, sums, states, clamps, len(x))


def run_stack(
    cells: Sequence[Cell],
    x: ArrayLike,
    h0: Sequence[ArrayLike | None] | Array | None = None,
    c0: Sequence[ArrayLike | None] | Array | None = None,
) -> tuple[Trace, ...]:
    """Run stacked layers: the first reads `x`, each further one the ``h_t`` of the layer below.

    Parameters
    ----------
    cells : sequence of L cells
        Each with the hidden size of the one before as its input size.
    x : (T, D) array-like
    h0, c0 : sequence of L vectors, optional
        One for each layer, from the first up; None for zeros, and for the `c0` of a layer that has no cell state.

    Returns
    -------
    tuple of L Trace

    Raises
    ------
    InputError, StateOverflowError
        As `run`; the message names the layer, counted from 1.

    Examples
    --------
    >>> from rnnviz import ElmanCell
    >>> double = ElmanCell([[2.0]], [[0.0]], [0.0], [0.0], activation="identity")
    >>> run_stack([double, double], [[1.0]])[-1].h[-1]
    array([4.])
    """
    if isinstance(cells, Cell):
        raise InputError(
            "stack.one", "run_stack needs a sequence of cells; got a single one. List the layers from the input up."
        )
    if len(cells) == 0:
        raise InputError(
            "stack.none", "run_stack needs a sequence of cells; got none. List the layers from the input up."
        )
    for cell in cells:
        _require_cell("run_stack", cell)
    for number, (below, cell) in enumerate(pairwise(cells), start=2):
        if cell.input_size != below.hidden_size:
            raise InputError(
                "stack.size",
                "Layer {number} must have input size {needed}, the hidden size of layer {below}; got {got}. Change its "
                "W_ih or the order of the cells.",
                number=number, needed=below.hidden_size, below=number - 1, got=cell.input_size,
            )  # fmt: skip
    traces: list[Trace] = []
    starts = zip(cells, _by_layer("h0", h0, len(cells)), _by_layer("c0", c0, len(cells)), strict=True)
    for number, (cell, h_start, c_start) in enumerate(starts, start=1):
        try:
            traces.append(run(cell, traces[-1].h[1:] if traces else x, h_start, c_start))
        except InputError as problem:
            raise problem.within("layer", "Layer {number}: {problem}", number=number) from problem
    return tuple(traces)


_ROWS = Message("error.run.rows", "One row for each step, one column for each input; a single series s is s[:, None].")


def _require_cell(who: str, cell: object) -> None:
    if not isinstance(cell, Cell):
        raise InputError(
            "cell", "{who} needs an ElmanCell, LSTMCell or GRUCell; got {got}. Make one, or use make_cell.",
            who=who, got=type(cell).__name__,
        )  # fmt: skip


def _initial_state(cell: Cell, h0: ArrayLike | None, c0: ArrayLike | None) -> Array:
    if c0 is not None and "c" not in cell.state_names:
        raise InputError(
            "run.c0", "c0 was given, but {cell} has no cell state. Leave c0 out, or use an LSTM.", cell=cell.in_words()
        )
    first = np.zeros(cell.state_size)
    H = cell.hidden_size
    whose = Message("error.cell.whose", "for {cell} with hidden size {size}", cell=cell.in_words(), size=H)
    for name, given, part in (("h0", h0, first[:H]), ("c0", c0, first[H:])):
        if given is not None:
            vector = read_array(name, given)
            require_shape(name, vector, (H,), whose, Message("error.run.units", "One number for each unit."))
            part[:] = vector
    return first


def _trace(cell: Cell, x: Array, sums: Sums, states: Array, clamps: tuple[Clamp, ...], steps: int) -> Trace:
    """Cut the first `steps` steps into the named parts of a trace."""
    for array in (sums.from_x, sums.from_h, sums.preacts, sums.gates, states):
        array.setflags(write=False)  # before it is cut: a view of a read-only array can't be opened again
    gates, preacts = cell.named(sums)
    return Trace(
        cell=cell,
        x=x[:steps],
        states=states[: steps + 1],
        gates={name: gate[:steps] for name, gate in gates.items()},
        preacts={name: preact[:steps] for name, preact in preacts.items()},
        from_x=sums.from_x[:steps],
        from_h=sums.from_h[:steps],
        clamp=clamps,
    )


def _overflow(
    cell: Cell, x: Array, sums: Sums, states: Array, clamps: tuple[Clamp, ...], step: int, where: Message
) -> StateOverflowError:
    before = _trace(cell, x, sums, states, clamps, step - 1)
    if step == 1:
        return StateOverflowError(
            "overflow.first",
            "The {where} overflows float64 (about 1.8e308) at step {step} of {steps}. Lower the weights, the gain, the "
            "inputs or the initial state.",
            step=step, trace=before, where=where, steps=len(x),
        )  # fmt: skip
    if "activation" not in cell.form_names() or np.abs(before.h[-1]).max() <= 1.0:  # which another one would not help
        return StateOverflowError(
            "overflow.bounded",
            "The {where} overflows float64 (about 1.8e308) at step {step} of {steps}. Lower the weights, the gain or "
            "the inputs, or end the sequence after step {last}.",
            step=step, trace=before, where=where, steps=len(x), last=step - 1,
        )  # fmt: skip
    return StateOverflowError(
        "overflow.later",
        "The {where} overflows float64 (about 1.8e308) at step {step} of {steps}. Lower the weights, the gain or the "
        "inputs, choose tanh or sigmoid as the activation, or end the sequence after step {last}.",
        step=step, trace=before, where=where, steps=len(x), last=step - 1,
    )  # fmt: skip


def _by_layer(
    name: str, vectors: Sequence[ArrayLike | None] | Array | None, layers: int
) -> Sequence[ArrayLike | None] | Array:
    if vectors is None:
        return (None,) * layers
    if not hasattr(vectors, "__len__"):
        raise InputError(
            "stack.start.one",
            "{name} must hold {layers} vectors, one for each layer; got a single value. Use None for zeros.",
            name=name, layers=layers,
        )  # fmt: skip
    if len(vectors) != layers:
        raise InputError(
            "stack.start.count",
            "{name} must hold {layers} vectors, one for each layer; got {got}. Use None for zeros.",
            name=name, layers=layers, got=len(vectors),
        )  # fmt: skip
    return vectors
