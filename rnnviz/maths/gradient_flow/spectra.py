"""All directions of the gradient: singular values over any stretch of a run, and Lyapunov exponents."""

from __future__ import annotations

import numpy as np

from rnnviz.maths.checks import Array, read_integer
from rnnviz.maths.extended_range.checked_factors import CheckedFactors
from rnnviz.maths.extended_range.exact_bases import exact_product
from rnnviz.maths.extended_range.graded import log2_diagonal
from rnnviz.maths.extended_range.graded_svd import log10_singular_values_of_rows
from rnnviz.maths.extended_range.plain_bases import followed_plainly
from rnnviz.maths.trace import Trace, require_trace

__all__ = ["finite_time_exponents", "log10_singular_values", "lyapunov_exponents"]


def log10_singular_values(trace: Trace, k: int = 0, t: int | None = None) -> Array:
    """Return the singular values of the gradient between two states, as base-10 logarithms.

    They are the factors by which ``d s_t / d s_k = J_t ... J_{k+1}`` stretches and shrinks the axes of a small ball of
    states. The product itself has only the largest ones: those below 1e-16 of it are lost in its rounding. So each
    step multiplies an orthonormal basis, and what stretches it is kept apart as triangular factors (Stewart 1995, "On
    graded QR decompositions of products of matrices")::

        J_t Q_{t-1} = Q_t R_t          d s_t / d s_k = Q_t (R_t ... R_{k+1})

    Parameters
    ----------
    trace : Trace
    k, t : int
        Steps, ``0 <= k <= t <= T``; the first state and the last if left out.

    Returns
    -------
    (S,) array
        Decades, descending; -inf for an exact zero, which is decided in exact arithmetic. A direction that a single
        step shrinks 1e16 times more than the others lacks digits where their rounding alone would turn it.

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
    stretch = trace.between(k, t)
    factors = CheckedFactors(stretch)
    plain = followed_plainly(stretch, factors)
    rows = exact_product(stretch, factors)[0] if plain is None or plain.product is None else plain.product
    logarithms[: len(rows.exponent)] = log10_singular_values_of_rows(rows)
    return logarithms


def finite_time_exponents(trace: Trace) -> Array:
    """Return how fast the axes of a small ball of first states grow or shrink over this very run, per step.

    They are the singular values of the whole product as rates::

        lambda_i = 1/T ln sigma_i(J_T ... J_1)

    so ``exp(T lambda_1)`` is the norm ``||d s_T / d s_0||``. As T grows they go to the Lyapunov exponents (Oseledets
    1968). `lyapunov_exponents` goes there too, but its basis begins as the identity and needs some steps to turn to
    the directions that grow most: over T steps the two differ by O(1/T).

    Parameters
    ----------
    trace : Trace

    Returns
    -------
    (S,) array
        Nats a step, descending; -inf for a direction that is lost exactly.

    Raises
    ------
    InputError
        If the trace has no steps.

    Examples
    --------
    >>> import numpy as np
    >>> from rnnviz import ElmanCell, run
    >>> linear = ElmanCell(np.zeros((2, 1)), np.diag([2.0, 0.5]), [0.0, 0.0], [0.0, 0.0], activation="identity")
    >>> np.exp(finite_time_exponents(run(linear, np.zeros((400, 1))))).round(12).tolist()
    [2.0, 0.5]
    """
    require_trace("finite_time_exponents", trace)
    return np.asarray(log10_singular_values(trace) * np.log(10.0) / trace.steps)


def lyapunov_exponents(trace: Trace) -> Array:
    """Return how fast the directions of the state grow or shrink over the whole run, per step.

    The columns of an orthonormal basis, at first the identity, are multiplied by each step's Jacobian and made
    orthonormal again; the mean of the logarithms of what each column was stretched by is its exponent (Benettin,
    Galgani, Giorgilli & Strelcyn 1980)::

        J_t Q_{t-1} = Q_t R_t,   Q_0 = I          exponent_i = 1/T sum_t log |R_t[i, i]|

    Their sum is the mean of ``log |det J_t|``. Of a short run they keep a transient of O(1/T) from the first basis:
    `finite_time_exponents` says what this run itself does.

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
    factors = CheckedFactors(trace)
    plain = followed_plainly(trace, factors)
    log2 = log2_diagonal(*exact_product(trace, factors)) if plain is None else plain.log2_diagonal
    lost = np.full(trace.cell.state_size - len(log2), -np.inf)
    return np.concatenate([np.sort(log2)[::-1] * np.log(2.0) / trace.steps, lost])
