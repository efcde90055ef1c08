"""How strongly the last state depends on each earlier one, as base-10 logarithms of norms."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.checks import Array, one_of
from rnnviz.maths.errors import InputError
from rnnviz.maths.products import backward_products
from rnnviz.maths.trace import Trace, require_trace

__all__ = ["log10_gradient_norms"]

ROUNDING = float(np.finfo(float).eps)
GAP = 1e-6  # of the two bounds, relative: far above what rounding does to their difference


def log10_gradient_norms(trace: Trace, *, block: str = "h", norm: str = "spectral") -> Array:
    """Return the norm of the gradient of the last state with respect to each state, as a base-10 logarithm.

    The gradient is the product of the step Jacobians between the two (Pascanu, Mikolov & Bengio 2013, "On the
    difficulty of training recurrent neural networks")::

        d s_T / d s_k = J_T J_{T-1} ... J_{k+1}

    It is taken with numbers that neither vanish nor overflow, so that the logarithms are right to rounding far below
    1e-308 and above 1e308. A clamped gate is a constant.

    Parameters
    ----------
    trace : Trace
    block : {"h", "c", "state"}
        "h" is ``dh_T/dh_k``, for an LSTM with ``c_k`` held, "c" is ``dc_T/dc_k`` of an LSTM with ``h_k`` held, and
        "state" is the whole of ``[h; c]``; for the other cells it is "h".
    norm : {"spectral", "fro"}
        The largest singular value, by which a change of the state can grow at most, or the root of the sum of the
        squares of all entries.

    Returns
    -------
    (T+1,) array
        Entry k belongs to the state after step k; entry T to the identity. Decades; -inf for an exact zero.

    Raises
    ------
    InputError
        If the block or norm is unknown, the cell has no c, or the trace has no steps.

    Examples
    --------
    >>> from rnnviz import ElmanCell, run
    >>> linear = ElmanCell([[1.0]], [[0.1]], [0.0], [0.0], activation="identity")
    >>> log10_gradient_norms(run(linear, [[1.0]] * 1000))[[0, 999, 1000]].round(9).tolist()
    [-1000.0, -1.0, 0.0]
    """
    require_trace("log10_gradient_norms", trace)
    one_of("block", block, ("h", "c", "state"))
    one_of("norm", norm, ("spectral", "fro"))
    cell, H = trace.cell, trace.cell.hidden_size
    if block == "c" and trace.c is None:
        raise InputError(f'block "c" needs a cell state, and {cell.title} has none. Use "h", or run an LSTM.')
    parts = cell.state_size // H
    wanted = {"h": slice(0, 1), "c": slice(1, 2), "state": slice(0, parts)}[block]
    rows = np.eye(cell.state_size).reshape(parts, H, parts, H)[wanted].reshape(-1, parts, H)
    sizes, logarithms = SIZES[norm], np.empty(trace.steps + 1)
    for ks, products, exponents in backward_products(trace, np.ascontiguousarray(rows.transpose(1, 0, 2)), wanted):
        matrices = products.transpose(0, 2, 1, 3).reshape(*products.shape[::2], -1)
        # Scaled before they are squared: a square leaves float64 at the root of its range.
        _, shifts = np.frexp(np.abs(matrices).max(axis=(1, 2)))
        with np.errstate(divide="ignore"):  # the logarithm of an exact zero
            sized = np.log10(sizes(matrices * np.ldexp(1.0, -shifts)[:, None, None]))
        logarithms[ks[-1] : ks[0] + 1] = (sized + (exponents + shifts) * np.log10(2.0))[::-1]
    return logarithms


def _frobenius(matrices: Array) -> Array:
    """Return the root of the sum of squares of n matrices, (n,)."""
    squares: Array = np.einsum("nij,nij->n", matrices, matrices)
    return np.sqrt(squares)


def _spectral(matrices: Array) -> Array:
    """Return the largest singular value of n matrices, (n,)."""
    squares, certain = _leading(matrices)
    rest = matrices[~certain]
    squares[~certain] = np.linalg.eigvalsh(rest @ rest.transpose(0, 2, 1))[:, -1]
    return np.sqrt(squares)


def _leading(matrices: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return the largest eigenvalue of ``G = M^T M``, (n,), and where it is certain.

    After many steps a product has often one direction left: a few power iterations from the longest row find it, far
    faster than all eigenvalues. With the Rayleigh quotient ``q`` of a vector and its residual ``r``, Kato (1949) and
    Temple (1928) put the eigenvalue between ``q`` and ``q + |r|^2 / (q - b)``, where b is any bound of the second
    one below q; here ``b = trace(G) - q``. It is certain once the two agree to rounding. Nothing is guessed: where
    they don't agree, the caller takes another way.
    """
    rows = np.einsum("nij,nij->ni", matrices, matrices)
    trace = rows.sum(axis=1)
    leading, certain = np.zeros_like(trace), trace == 0.0
    at = np.flatnonzero(~certain)
    M, v, before = matrices[at], matrices[at, rows[at].argmax(axis=1)], np.full(at.shape, np.inf)
    while at.size:
        v = v / np.sqrt(np.einsum("nj,nj->n", v, v))[:, None]
        u = (M @ v[:, :, None])[:, :, 0]
        w = (u[:, None, :] @ M)[:, 0]
        q = np.einsum("ni,ni->n", u, u)
        residual = np.square(w - q[:, None] * v).sum(axis=1)
        gap = 2.0 * q - trace[at]
        done = (gap > GAP * q) & (residual <= ROUNDING * q * gap)
        leading[at[done]], certain[at[done]] = q[done], True
        going = ~done & (residual < before / 10.0) & ((gap > 0.0) | np.isinf(before))
        if not going.all():
            at, M, v, residual, w = at[going], M[going], v[going], residual[going], w[going]
        v, before = w, residual
    return leading, certain


SIZES = {"spectral": _spectral, "fro": _frobenius}
