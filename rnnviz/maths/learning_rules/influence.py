"""The influence of every weight on the state, carried forward from step to step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from rnnviz.maths.cells import Cell
from rnnviz.maths.checks import Array, read_integer
from rnnviz.maths.errors import InputError
from rnnviz.maths.extended_range.lengths import lengths
from rnnviz.maths.trace import Trace, require_trace

__all__ = [
    "Carry",
    "gradients_by_loss",
    "influence",
    "influence_norms",
    "influences",
    "part_of",
    "read_off",
    "require_finite",
    "require_small",
]

LARGEST = 64
"""Hidden units. The influence holds about G H^3 numbers (of an LSTM twice that, 18 MB for 64 units), and every step
multiplies each by H others."""


Carry: TypeAlias = Callable[[int, Array, Array], None]
"""Takes a step k, 0..T-1, the influence before it and where to write that after it; see `influences`."""


def influence(trace: Trace, t: int) -> Mapping[str, Array]:
    """Return how the state at step t depends on each weight, by the run up to there: ``d s_t / d theta``.

    It is what real-time recurrent learning carries forward, with the step Jacobian J_t and what the weights do at step
    t itself (Williams & Zipser 1989, "A learning algorithm for continually running fully recurrent neural networks")::

        d s_t / d theta = J_t  d s_{t-1} / d theta + (d s_t / d theta with s_{t-1} held),    d s_0 / d theta = 0

    Parameters
    ----------
    trace : Trace
        Of at most 64 units.
    t : int
        The step, 1..T.

    Returns
    -------
    mapping of name to array
        "W_ih" (S, G*H, D), "W_hh" (S, G*H, H), "b_ih" and "b_hh" (S, G*H): entry [i, ...] is the gradient of unit i
        of the state, h or ``[h; c]``.

    Raises
    ------
    InputError
        If the cell has more than 64 units, t is not an integer in 1..T, or a number overflows float64.

    Examples
    --------
    >>> from rnnviz import ElmanCell, run
    >>> linear = ElmanCell([[1.0]], [[0.5]], [0.0], [0.0], activation="identity")
    >>> influence(run(linear, [[1.0], [1.0], [1.0]]), 3)["W_ih"].item()  # 1 + 0.5 + 0.25
    1.75
    """
    require_small("influence", trace)
    t = read_integer("t", t, 1, trace.steps)
    for found in influences(trace.between(0, t)):
        last = found
    require_finite(last, t)
    last.setflags(write=False)
    return MappingProxyType({name: part_of(last, name, trace.cell) for name in ("W_ih", "W_hh", "b_ih", "b_hh")})


def influence_norms(trace: Trace) -> Array:
    """Return the Frobenius norm of `influence` after every step, all weights together.

    Parameters
    ----------
    trace : Trace
        Of at most 64 units.

    Returns
    -------
    (T,) array
        Entry t - 1 belongs to step t.

    Raises
    ------
    InputError
        If the cell has more than 64 units, the trace has no steps or a number overflows float64.

    Examples
    --------
    >>> from rnnviz import ElmanCell, run
    >>> linear = ElmanCell([[1.0]], [[0.0]], [0.0], [0.0], activation="identity")
    >>> influence_norms(run(linear, [[1.0], [1.0]])).tolist()  # of [x_t, h_{t-1}, 1, 1]
    [1.7320508075688772, 2.0]
    """
    require_small("influence_norms", trace)
    norms = np.empty(trace.steps)
    for k, found in enumerate(influences(trace)):
        norms[k] = lengths(found.reshape(-1))
        require_finite(norms[k], k + 1)
    return norms


def gradients_by_loss(trace: Trace, d_h: Array) -> Iterator[Array]:
    """Yield the gradient of the loss of each step alone, ``d_h[t-1]^T dh_t/dtheta``: (G*H, D+H+2), see `part_of`."""
    for step, (row, found) in enumerate(zip(d_h, influences(trace), strict=True), start=1):
        gradient = read_off(found, row)
        require_finite(gradient, step)
        yield gradient


def read_off(found: Array, d_h: Array) -> Array:
    """Return the gradient ``d_h^T dh_t/dtheta``, (G*H, D+H+2), of a loss with the direct gradient `d_h` (H,)."""
    with np.errstate(over="ignore", invalid="ignore"):  # looked for by the caller
        gradient: Array = np.dot(d_h, found[: len(d_h)].reshape(len(d_h), -1)).reshape(found.shape[1:])
    return gradient


def influences(trace: Trace, first: Array | None = None) -> Iterator[Array]:
    """Yield the influence after each step, (S, G*H, D+H+2); it is overwritten two steps later.

    The last axis runs over what the weights of a row are multiplied by: the inputs, the hidden states, and a 1 for
    each bias. `first` is the influence on the initial state, 0 if left out; it is left as it is.
    """
    cell, carry = trace.cell, trace.cell.carry(trace)
    shape = (cell.state_size, len(cell.W_hh), cell.input_size + cell.hidden_size + 2)
    before, after = np.zeros(shape) if first is None else first.copy(), np.empty(shape)
    for k in range(trace.steps):
        with np.errstate(over="ignore", invalid="ignore"):  # looked for in what comes of it
            carry(k, before, after)
        yield after
        before, after = after, before


def part_of(rows: Array, name: str, cell: Cell) -> Array:
    """Return the part of (..., G*H, D+H+2) that belongs to one of the four weights, a view."""
    D = cell.input_size
    columns: dict[str, int | slice] = {"W_ih": slice(0, D), "W_hh": slice(D, -2), "b_ih": -2, "b_hh": -1}
    part: Array = rows[..., columns[name]]
    return part


def require_small(who: str, trace: object) -> None:
    """Refuse a cell too large for real-time recurrent learning; `who` is the function that asks."""
    units = require_trace(who, trace).cell.hidden_size
    if units > LARGEST:
        raise InputError(
            "influence.size",
            "RTRL carries the influence of every weight on every unit, so H must be at most {most}; got {got}. Use "
            "fewer units, or BPTT, which finds the same gradient.",
            most=LARGEST, got=units,
        )  # fmt: skip


def require_finite(numbers: Array, step: int) -> None:
    """Refuse an influence, or what was read off it, that overflowed on the way to this step."""
    if not np.isfinite(numbers).all():
        raise InputError(
            "influence.overflow",
            "The influence of the weights overflows float64 (about 1.8e308) at step {step}. Lower the weights or "
            "shorten the sequence.",
            step=step,
        )
