"""All directions of the gradient: singular values over any stretch of a run, and Lyapunov exponents."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.checks import Array, read_integer
from rnnviz.maths.factors import RESIDUES, ZEROS, jacobians_of, step_factors
from rnnviz.maths.graded import float_qr, log10_graded_singular_values, wide_qr
from rnnviz.maths.products import CheckedFactors
from rnnviz.maths.residues import Residues, independent_columns
from rnnviz.maths.scaled import Scaled
from rnnviz.maths.trace import Trace, require_trace
from rnnviz.maths.wide import Wide

__all__ = ["log10_singular_values", "lyapunov_exponents"]

NARROW = 400  # binary digits between entries up to which float64 will do
CERTAIN = 1e8  # of the inverse of R with columns of length 1: far from where rounding could hide a lost column
CHUNK = 16  # steps whose Jacobians are made at a time


def log10_singular_values(trace: Trace, k: int = 0, t: int | None = None) -> Array:
    """Return the singular values of the gradient between two states, as base-10 logarithms.

    They are the factors by which ``d s_t / d s_k = J_t ... J_{k+1}`` stretches and shrinks the axes of a small ball of
    states. The product itself has only the largest ones: those below 1e-16 of it are lost in its rounding. So each
    step multiplies an orthonormal basis, and what stretches it is kept apart as triangular factors (Bojanczyk, Ewerbring,
    Luk & Van Dooren 1991, "An accurate product SVD algorithm")::

        J_t Q_{t-1} = Q_t R_t          d s_t / d s_k = Q_t (R_t ... R_{k+1})

    Parameters
    ----------
    trace : Trace
    k, t : int
        Steps, ``0 <= k <= t <= T``; the first state and the last if left out.

    Returns
    -------
    (S,) array
        Decades, descending; -inf for an exact zero, which is decided in exact arithmetic.

    Raises
    ------
    InputError
        If k or t is out of range or the trace has no steps.

    Examples
    --------
    >>> import numpy as np
    >>> from rnnviz import ElmanCell, run
    >>> linear = ElmanCell(np.zeros((2, 1)), np.diag([10.0, 0.1]), [0.0, 0.0], [0.0, 0.0], activation="identity")
    >>> log10_singular_values(run(linear, np.zeros((400, 1)))).round(9).tolist()
    [400.0, -400.0]
    """
    require_trace("log10_singular_values", trace)
    t = trace.steps if t is None else read_integer("t", t, 0, trace.steps)
    k = read_integer("k", k, 0, t)
    logarithms = np.full(trace.cell.state_size, -np.inf)
    if k == t:
        return np.zeros_like(logarithms)
    factors = [R for R, _ in _triangular_factors(trace.between(k, t))]
    rank = factors[-1].shape[0]
    if rank:
        logarithms[:rank] = log10_graded_singular_values(_product(factors))
    return logarithms


def lyapunov_exponents(trace: Trace) -> Array:
    """Return how fast the directions of the state grow or shrink over the whole run, per step.

    The columns of an orthonormal basis, at first the identity, are multiplied by each step's Jacobian and made
    orthonormal again; the mean of the logarithms of what each column was stretched by is its exponent (Benettin,
    Galgani, Giorgilli & Strelcyn 1980)::

        J_t Q_{t-1} = Q_t R_t,   Q_0 = I          exponent_i = 1/T sum_t log |R_t[i, i]|

    Their sum is the mean of ``log |det J_t|``, exactly.

    Parameters
    ----------
    trace : Trace

    Returns
    -------
    (S,) array
        Nats a step, descending; -inf for a direction that is lost altogether: as many as the rank of
        ``d s_T / d s_0`` falls short of S, which is decided in exact arithmetic.

    Raises
    ------
    InputError
        If the trace has no steps.

    Examples
    --------
    >>> import numpy as np
    >>> from rnnviz import ElmanCell, run
    >>> linear = ElmanCell(np.zeros((2, 1)), np.diag([2.0, 0.5]), [0.0, 0.0], [0.0, 0.0], activation="identity")
    >>> np.exp(lyapunov_exponents(run(linear, np.zeros((400, 1))))).round(12).tolist()
    [2.0, 0.5]
    """
    require_trace("lyapunov_exponents", trace)
    logarithms = np.zeros(trace.cell.state_size)
    for R, kept in _triangular_factors(trace):
        diagonal = R[np.arange(len(kept)), kept]
        logarithms = logarithms[kept] + np.log(np.abs(diagonal.mantissa)) + diagonal.exponent * np.log(2.0)
    lost = np.full(trace.cell.state_size - len(logarithms), -np.inf)
    return np.concatenate([np.sort(logarithms)[::-1] / trace.steps, lost])


def _triangular_factors(trace: Trace) -> Iterator[tuple[Wide, list[int]]]:
    """Yield for every step R, (r', r), and the r' of the r columns of Q that the step does not lose."""
    basis = _Basis(trace)
    for start in range(0, trace.steps, CHUNK):
        J = basis.factors.jacobians(slice(start, start + CHUNK))
        for step, one in enumerate(J, start):
            R, kept = basis.multiply(step, one)
            yield R, kept
            if not kept:
                return


def _product(factors: Iterable[Wide]) -> Wide:
    """Multiply up ``R_n ... R_1``: neighbours first, whose entries lie close enough together for float64."""
    runs: list[tuple[int, Scaled]] = []
    for factor in factors:
        length, run = 1, Scaled.of(Wide(factor.mantissa[None], factor.exponent[None]))
        while runs and runs[-1][0] == length:
            length, run = 2 * length, run @ runs.pop()[1]
        runs.append((length, run))
    product = runs.pop()[1]
    while runs:
        product = product @ runs.pop()[1]
    return Wide.of(product.digits[0], product.exponents[0])


class _Basis:
    """Orthonormal columns Q, (S, r), that are multiplied by step after step, less those that a step loses.

    A column is lost if the step makes it a combination of those before it. Rounding hides that, so where a column may
    be lost the columns of the product are looked at in exact arithmetic.
    """

    def __init__(self, trace: Trace) -> None:
        self.factors, self.lossless = CheckedFactors(trace), _lossless(trace)
        self.Q: Array | Wide = np.eye(trace.cell.state_size)
        self.exact, self.steps = Residues.of(np.eye(trace.cell.state_size)), 0

    def multiply(self, step: int, J: Array) -> tuple[Wide, list[int]]:
        """Make Q that of the next step, given its Jacobian in float64; return R, (r', r), and the columns kept."""
        A, exponent = self._multiplied(step, J)
        Q, R = _qr(A)
        kept = list(range(A.shape[1]))
        if not (self.lossless[step] or _surely_independent(R)):
            kept = self._independent(step)
        if not kept:
            return Wide.zeros((0, A.shape[1])), kept
        if len(kept) < A.shape[1]:
            Q, pivots = _qr(A[:, kept])
            R = Q.T @ A
            R[:, kept] = pivots
        self.Q = Q if isinstance(Q, np.ndarray) or Q.spread > NARROW else Q.floats()
        return (Wide.of(R, exponent) if isinstance(R, np.ndarray) else R), kept

    def _multiplied(self, step: int, J: Array) -> tuple[Array | Wide, float]:
        """Return ``J Q`` in float64 with an exponent, or in wide numbers."""
        if isinstance(self.Q, np.ndarray) and self.factors.plain[step] and _within(J) and _within(self.Q):
            A: Array = J @ self.Q
            if _within(A):
                return A, 0.0
        Q = self.Q if isinstance(self.Q, Wide) else Wide.of(self.Q)
        wide = self.factors.wide_jacobian(step) @ Q
        return wide.scaled() if wide.spread <= NARROW else (wide, 0.0)

    def _independent(self, step: int) -> list[int]:
        """Return the columns that are no combination of those before them, and forget the others."""
        for passed in range(self.steps, step + 1):
            exact = {name: Residues.of(values) for name, values in self.factors.wide(passed).items()}
            self.exact = jacobians_of(self.factors.cell, exact, RESIDUES)[0] @ self.exact
        self.steps = step + 1
        kept = independent_columns(self.exact)
        self.exact = self.exact[:, kept]
        return kept


def _lossless(trace: Trace) -> NDArray[np.bool_]:
    """Return at which steps the Jacobian has an inverse for certain, (T,).

    An Elman cell's determinant is that of W_hh times all slopes; that of an LSTM, once ``through`` times the rows of c
    is taken from those of h, that of W_ho times all factors ``o`` and ``keep``.
    """
    cell, lossless = trace.cell, np.zeros(trace.steps, dtype=np.bool_)
    gate, names = {"elman": ("a", ("a",)), "lstm": ("o", ("o", "keep"))}.get(cell.kind, ("", ()))
    if gate and len(independent_columns(Residues.of(cell.W_hh[cell.rows(gate)]))) == cell.hidden_size:
        zeros = step_factors(trace, slice(None), ZEROS)
        lossless = np.logical_and.reduce([(zeros[name] != 0.0).all(axis=1) for name in names])
    return lossless


def _surely_independent(R: Array | Wide) -> bool:
    """Whether the columns are independent by far more than rounding."""
    if isinstance(R, Wide):
        return False
    lengths = np.sqrt(np.einsum("ij,ij->j", R, R))
    try:
        inverse = np.linalg.inv(R / np.maximum(lengths, np.finfo(float).tiny))
    except np.linalg.LinAlgError:
        return False
    return bool(np.linalg.norm(inverse) < CERTAIN)


def _qr(A: Any) -> tuple[Any, Any]:
    return float_qr(A) if isinstance(A, np.ndarray) else wide_qr(A)


def _within(values: Array) -> bool:
    """Whether no entry but 0 is so far from 1 that products could underflow."""
    sizes = np.abs(values)
    low = sizes.min(where=sizes > 0.0, initial=np.inf)
    return bool(sizes.max() <= 2.0**NARROW and low >= 2.0**-NARROW)
