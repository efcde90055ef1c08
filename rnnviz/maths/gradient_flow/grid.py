"""How strongly the state after any step depends on the state after any earlier one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rnnviz.maths.checks import Array, one_of
from rnnviz.maths.errors import InputError
from rnnviz.maths.extended_range.arithmetic import FLOATS, WIDES
from rnnviz.maths.extended_range.stacks import joined, log10_norms, multiplied, running_products
from rnnviz.maths.extended_range.wide import Wide
from rnnviz.maths.trace import Trace, require_trace

__all__ = ["log10_gradient_norm_grid"]

# Steps up to which every product is made, rather than halved once more; timed with H of 16 to 64.
LEAF = 12
# A scalar product of Gram matrices that is smaller than this against their norms has lost too many digits.
CANCELLED = 1e-6
BUFFER = 2**18  # numbers worked on at a time, 2 MB


def log10_gradient_norm_grid(trace: Trace, *, block: str = "h", norm: str = "spectral") -> Array:
    """Return the norm of the gradient of every state with respect to every earlier one, as a base-10 logarithm.

    The gradient is the product of the step Jacobians between the two::

        d s_t / d s_k = J_t J_{t-1} ... J_{k+1}

    The last row is `log10_gradient_norms`. All T (T+1) / 2 products would take that many matrix multiplications. The
    Frobenius norms don't need them: with a step s between k and t the sequence falls into two halves,
    ``A_t = ds_t/ds_s`` and ``B_k = ds_s/ds_k``, and the norm of their product ::

        ||A_t B_k||^2 = <A_t^T A_t, B_k B_k^T>

    is a scalar product, so that all pairs across s are one matrix multiplication; each half is halved again. Where
    the scalar product cancels, that pair is multiplied out.

    Parameters
    ----------
    trace : Trace
    block : {"h", "c", "state"}
        "h" is ``dh_t/dh_k``, for an LSTM with ``c_k`` held, "c" is ``dc_t/dc_k`` of an LSTM with ``h_k`` held, and
        "state" is the whole of ``[h; c]``; for the other cells it is "h".
    norm : {"spectral", "fro"}
        The largest singular value, by which a change of the state can grow at most, or the root of the sum of the
        squares of all entries, which is far faster here.

    Returns
    -------
    (T+1, T+1) array
        Entry [t, k] in decades; -inf for an exact zero, and for k > t since no state depends on a later one. Right far
        below 1e-308 and above 1e308. A clamped gate is a constant.

    Raises
    ------
    InputError
        If the block or norm is unknown, the cell has no c, or the trace has no steps.

    Examples
    --------
    >>> from rnnviz import ElmanCell, run
    >>> linear = ElmanCell([[1.0]], [[0.1]], [0.0], [0.0], activation="identity")
    >>> log10_gradient_norm_grid(run(linear, [[1.0], [1.0]])).round(9)
    array([[  0., -inf, -inf],
           [ -1.,   0., -inf],
           [ -2.,  -1.,   0.]])
    """
    require_trace("log10_gradient_norm_grid", trace)
    part = _part(trace, block)
    one_of("norm", norm, ("spectral", "fro"))
    J = _jacobians(trace)
    grid = np.full((trace.steps + 1, trace.steps + 1), -np.inf)
    grid[1:, :-1] = _frobenius(J, part) if norm == "fro" else _spectral(J, part)
    np.fill_diagonal(grid, 0.5 * np.log10(part.stop - part.start) if norm == "fro" else 0.0)
    return grid


def _part(trace: Trace, block: str) -> slice:
    """Return the rows and columns of a block in the state."""
    one_of("block", block, ("h", "c", "state"))
    cell, H = trace.cell, trace.cell.hidden_size
    if block == "c" and trace.c is None:
        raise InputError(
            "block.c", 'block "c" needs a cell state, but {cell} has none. Use "h", or run an LSTM.',
            cell=cell.in_words(),
        )  # fmt: skip
    return {"h": slice(0, H), "c": slice(H, 2 * H), "state": slice(0, cell.state_size)}[block]


def _jacobians(trace: Trace) -> Wide:
    """Return the Jacobian of every step, (T, S, S), with slopes below float64 too."""
    cell, reach = trace.cell, trace.cell.reach
    factors = cell.factors(trace, slice(None), WIDES)
    parts = (Wide.of(cell.W_hh), *factors.values())
    if all(((np.abs(one.exponent) <= reach) | (one.mantissa == 0.0)).all() for one in parts):
        return Wide.stack(cell.jacobians({name: one.floats() for name, one in factors.items()}, FLOATS))
    return Wide.stack(cell.jacobians(factors, WIDES))


def _spectral(J: Wide, part: slice) -> Array:
    """Return the logarithms of entries [1:, :-1] of the grid, (T, T)."""
    T = len(J.mantissa)
    logs = np.full((T, T), -np.inf)
    for t, products in enumerate(_products(J, J.part(columns=part))):
        logs[t, : t + 1] = log10_norms(products.part(rows=part), "spectral")
    return logs


def _frobenius(J: Wide, part: slice) -> Array:
    """Return the logarithms of entries [1:, :-1] of the grid, (T, T)."""
    half = len(J.mantissa) // 2
    if len(J.mantissa) <= LEAF:
        return _leaf(J, part).logs
    return _across(_stretch(J[:half], part), _stretch(J[half:], part))


@dataclass(frozen=True, eq=False)
class _Stretch:
    """What is known of n steps: the logarithms, (n, n), and products of their Jacobians.

    `whole` is that of all, (1, S, S). `from_start` are those of the first up to any, but for the rows of the block,
    (n, R, S); `to_end` those of any up to the last, but for its columns, (n, S, R).
    """

    logs: Array
    whole: Wide
    from_start: Wide
    to_end: Wide


def _stretch(J: Wide, part: slice) -> _Stretch:
    """Halve the steps until few are left."""
    half = len(J.mantissa) // 2
    if len(J.mantissa) <= LEAF:
        return _leaf(J, part)
    before, after = _stretch(J[:half], part), _stretch(J[half:], part)
    return _Stretch(
        logs=_across(before, after),
        whole=multiplied(after.whole, before.whole),
        from_start=joined([before.from_start, multiplied(after.from_start, before.whole)]),
        to_end=joined([multiplied(after.whole, before.to_end), after.to_end]),
    )


def _leaf(J: Wide, part: slice) -> _Stretch:
    """Multiply everything out."""
    logs = np.full((len(J.mantissa), len(J.mantissa)), -np.inf)
    for t, products in enumerate(_products(J, J.part(columns=part))):
        logs[t, : t + 1] = log10_norms(products.part(rows=part), "fro")
    whole = running_products(J)[1:]
    return _Stretch(logs, whole[-1:], whole.part(rows=part), products)


def _products(J: Wide, first: Wide) -> Iterator[Wide]:
    """Yield for t = 1..T the products ``J_t ... J_{k+2} first_{k+1}``, k = 0..t-1."""
    products = first[:1]
    yield products
    for t in range(1, len(J.mantissa)):
        products = joined([multiplied(J[t : t + 1], products), first[t : t + 1]])
        yield products


def _across(before: _Stretch, after: _Stretch) -> Array:
    """Return the logarithms of two neighbours, (n + m, n + m), with those of all pairs across the step between."""
    n = len(before.logs)
    logs = np.full((n + len(after.logs), n + len(after.logs)), -np.inf)
    logs[:n, :n], logs[n:, n:] = before.logs, after.logs
    logs[n:, :n] = _pairs(after.from_start, before.to_end)
    return logs


def _pairs(after: Wide, before: Wide) -> Array:
    """Return the logarithms of ``||A_t B_k||`` for m matrices A, (R, S), and n matrices B, (S, R): (m, n)."""
    together = after.together(), before.together()
    (A, of_after), (B, of_before) = ((one.mantissa, one.exponent) for one in together)
    grams_A = (np.swapaxes(A, -2, -1) @ A).reshape(len(A), -1)
    grams_B = (B @ np.swapaxes(B, -2, -1)).reshape(len(B), -1)
    squares = grams_A @ grams_B.T
    sizes = np.sqrt(np.multiply.outer(*(np.einsum("ni,ni->n", grams, grams) for grams in (grams_A, grams_B))))
    with np.errstate(divide="ignore", invalid="ignore"):  # a negative square has cancelled
        logs: Array = 0.5 * np.log10(squares) + (of_after[:, None] + of_before) * np.log10(2.0)
    t, k = np.nonzero(squares < CANCELLED * sizes)
    size = max(1, BUFFER // before.mantissa[0].size)
    for first in range(0, len(t), size):
        i, j = (index[first : first + size] for index in (t, k))
        logs[i, j] = log10_norms(multiplied(after[i], before[j]), "fro")
    return logs
