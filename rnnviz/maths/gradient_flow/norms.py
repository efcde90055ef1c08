"""How strongly the last state depends on each earlier one, as base-10 logarithms of norms."""

from __future__ import annotations

import numpy as np

from rnnviz.maths.checks import Array, one_of
from rnnviz.maths.errors import InputError
from rnnviz.maths.gradient_flow.products import backward_products
from rnnviz.maths.trace import Trace, require_trace

__all__ = ["log10_gradient_norms"]

SQUARABLE = 2.0**500  # a sum of squares up to this, and down to its reciprocal, has lost nothing to underflow
WEAK = 1e-14  # a direction whose eigenvalue is this much below the largest adds nothing to a sum of squares
AGREED = 4e-14  # between two bounds of a square, relative: 1e-14 in a logarithm


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
        raise InputError(
            "block.c", 'block "c" needs a cell state, but {cell} has none. Use "h", or run an LSTM.',
            cell=cell.in_words(),
        )  # fmt: skip
    rows = {"h": slice(0, H), "c": slice(H, 2 * H), "state": slice(0, cell.state_size)}[block]
    largest, logarithms = _LargestSquare(), np.empty(trace.steps + 1)
    for ks, products, exponents in backward_products(trace, rows):
        matrices, shifts, totals = _squarable(products)
        with np.errstate(divide="ignore"):  # the logarithm of an exact zero
            logs = np.log10(largest(matrices, totals) if norm == "spectral" else totals) / 2.0
        logarithms[ks[-1] : ks[0] + 1] = (logs + (exponents + shifts) * np.log10(2.0))[::-1]
    return logarithms


def _squarable(matrices: Array) -> tuple[Array, Array | float, Array]:
    """Return n matrices divided by powers of 2 such that they can be squared, the powers and the sums of squares."""
    totals: Array = np.einsum("nij,nij->n", matrices, matrices)
    if ((totals > 1.0 / SQUARABLE) & (totals < SQUARABLE)).all():
        return matrices, 0.0, totals
    _, shifts = np.frexp(np.abs(matrices).max(axis=(1, 2)))
    matrices = matrices * np.ldexp(1.0, -shifts)[:, None, None]
    return matrices, shifts.astype(float), np.einsum("nij,nij->n", matrices, matrices)


class _LargestSquare:
    """The square of the largest singular value of products ``P``, ``J P``, ``J' J P``, ..., given n at a time.

    After many steps few directions are left that P does not lose. With an orthonormal basis U of them the eigenvalues
    of the small ``U^T P^T P U`` will do::

        lambda_1(U^T P^T P U)  <=  sigma_1(P)^2  <=  lambda_1(U^T P^T P U) + |P|_F^2 - |P U|_F^2

    Where the two bounds don't agree to rounding, as after a step that cut off the strong directions, all eigenvalues
    of ``P^T P`` are taken. Nothing is guessed.
    """

    def __init__(self) -> None:
        self.basis: Array | None = None  # (R, p), or None for all R directions

    def __call__(self, matrices: Array, totals: Array) -> Array:
        """Return the squares for n products, (n,), given the sums of the squares of their entries."""
        inside = matrices if self.basis is None else matrices @ self.basis
        grams = inside.transpose(0, 2, 1) @ inside
        eigenvalues = np.linalg.eigvalsh(grams)
        squares, last = eigenvalues[:, -1].copy(), eigenvalues[-1]
        uncertain = totals - np.einsum("nii->n", grams) > AGREED * squares
        if uncertain.any():
            self.basis, others = None, matrices[uncertain]
            grams = others.transpose(0, 2, 1) @ others
            eigenvalues = np.linalg.eigvalsh(grams)
            squares[uncertain], last = eigenvalues[:, -1], eigenvalues[-1]
        if 4 * np.count_nonzero(last >= WEAK * last[-1]) <= 3 * len(last):
            values, vectors = np.linalg.eigh(grams[-1])
            strong = vectors[:, values >= WEAK * values[-1]]
            self.basis = strong if self.basis is None else self.basis @ strong
        return np.asarray(np.maximum(squares, 0.0))
