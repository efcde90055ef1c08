"""The influence of every weight on the state, carried forward from step to step."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

import numpy as np

from rnnviz.maths.cells import Cell, ElmanCell, GRUCell, LSTMCell
from rnnviz.maths.checks import Array, read_integer
from rnnviz.maths.errors import InputError
from rnnviz.maths.factors import FLOATS, Factors, jacobians_of, operand_of, step_factors
from rnnviz.maths.lengths import lengths
from rnnviz.maths.trace import Trace, require_trace

__all__ = [
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
    cell, factors = trace.cell, step_factors(trace, slice(None), FLOATS)
    inputs = {name: _inputs(trace, name) for name in cell.gate_names}
    shape = (cell.state_size, len(cell.W_hh), cell.input_size + cell.hidden_size + 2)
    before, after = np.zeros(shape) if first is None else first.copy(), np.empty(shape)
    for k in range(trace.steps):
        here = {name: factor[k : k + 1] for name, factor in factors.items()}
        with np.errstate(over="ignore", invalid="ignore"):  # looked for in what comes of it
            _STEPS[cell.kind](cell, here, {name: rows[k] for name, rows in inputs.items()}, before, after)
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
        needed = f"{who} carries the influence of every weight on every unit, so H must be at most {LARGEST}"
        raise InputError(f"{needed}; got {units}. Use fewer units, or bptt, which finds the same gradient.")


def _inputs(trace: Trace, gate: str) -> Array:
    """Return what each weight of a gate's rows is multiplied by: (T, 1, D+H+2), or (T, H, D+H+2) by rows."""
    T, H = trace.steps, trace.cell.hidden_size
    by_h = operand_of(trace, gate)[:, None, :]
    one = np.ones((T, 1, 1))
    if gate == "n" and isinstance(trace.cell, GRUCell) and trace.cell.reset == "after":
        reset = trace.gates["r"][:, :, None]
        x = np.broadcast_to(trace.x[:, None, :], (T, H, trace.cell.input_size))
        return np.concatenate([x, reset * by_h, np.broadcast_to(one, (T, H, 1)), reset], axis=2)
    return np.concatenate([trace.x[:, None, :], by_h, one, one], axis=2)


def _elman(cell: ElmanCell, factors: Factors, inputs: Mapping[str, Array], before: Array, after: Array) -> None:
    _multiply(factors["a"][0][:, None] * cell.W_hh, before, after)
    _add_use(after, cell.rows("a"), factors["a"][0], inputs["a"])


def _lstm(cell: LSTMCell, factors: Factors, inputs: Mapping[str, Array], before: Array, after: Array) -> None:
    H, W = cell.hidden_size, {name: cell.W_hh[cell.rows(name)] for name in cell.gate_names}
    factor = {name: rows[0] for name, rows in factors.items()}
    h, c = after[:H], after[H:]
    from_gates = FLOATS.mixed([factors[name] for name in "ifg"], [W[name] for name in "ifg"])
    _multiply(from_gates[0], before[:H], c)
    c += factor["keep"][:, None, None] * before[H:]
    for name in ("i", "f", "g"):
        _add_use(c, cell.rows(name), factor[name], inputs[name])
    _multiply(factor["o"][:, None] * W["o"], before[:H], h)
    _add_use(h, cell.rows("o"), factor["o"], inputs["o"])
    h += factor["through"][:, None, None] * c


def _gru(cell: GRUCell, factors: Factors, inputs: Mapping[str, Array], before: Array, after: Array) -> None:
    _multiply(jacobians_of(cell, factors, FLOATS)[0], before, after)
    for name in ("z", "n"):
        _add_use(after, cell.rows(name), factors[name][0], inputs[name])
    if cell.reset == "after":
        _add_use(after, cell.rows("r"), factors["r"][0], inputs["r"])
    else:  # each reset gate reaches every unit, through W_hn
        through_W_hn = factors["n"][0][:, None] * cell.W_hh[cell.rows("n")] * factors["r"][0]
        after[:, cell.rows("r")] += through_W_hn[:, :, None] * inputs["r"]


_STEPS: Mapping[str, Callable[..., None]] = {"elman": _elman, "lstm": _lstm, "gru": _gru}


def _multiply(J: Array, before: Array, after: Array) -> None:
    """Write ``J before`` to `after`, both (H, G*H, D+H+2)."""
    np.dot(J, before.reshape(len(J), -1), out=after.reshape(len(J), -1))


def _add_use(after: Array, rows: slice, factor: Array, inputs: Array) -> None:
    """Add what a gate's own rows do to its own units: row j to unit j, `factor` (H,) times `inputs`."""
    own = np.einsum("jjn->jn", after[:, rows])  # a view of the diagonal
    own += factor[:, None] * inputs


def require_finite(numbers: Array, step: int) -> None:
    """Refuse an influence, or what was read off it, that overflowed on the way to this step."""
    if not np.isfinite(numbers).all():
        cure = "Lower the weights or shorten the sequence."
        raise InputError(f"The influence of the weights overflows float64 (about 1.8e308) at step {step}. {cure}")
