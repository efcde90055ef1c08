"""What makes a gradient vanish or explode: the weights, the slopes of the activation, or the gates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.cells.elman import ElmanCell, require_elman
from rnnviz.maths.cells.protocol import Cell
from rnnviz.maths.checks import Array, Sealed
from rnnviz.maths.extended_range.arithmetic import WIDES
from rnnviz.maths.extended_range.stacks import log10_norms, running_products
from rnnviz.maths.extended_range.wide import Wide
from rnnviz.maths.trace import Trace, no_gates, require_trace
from rnnviz.wording import Message

__all__ = [
    "DecayCauses",
    "GradientBounds",
    "decay_causes",
    "gradient_bounds",
    "log10_keep_products",
    "power_norms",
    "spectral_radius",
]

_ROUNDING = 13.0  # decades, in one step


@dataclass(frozen=True, eq=False)
class DecayCauses(Sealed):
    """Two curves that leave out one cause each, and the split of the determinant. The arrays are read-only.

    Attributes
    ----------
    weights_alone : (T+1,) array
        Decades: log10 of the spectral norm of ``W_hh^(T-k)``, the gradient if every slope were 1.
    slopes_alone : (T+1,) array
        Decades: log10 of the spectral norm of ``D_T Q ... D_{k+1} Q`` with Q the orthogonal matrix closest to W_hh, the
        gradient if the weights turned it and did no more.
    log_slopes : (T,) array
        Nats: ``log |det D_t|``, the logarithms of the slopes of step t added over the units.
    log_weights : float
        Nats: ``log |det W_hh|``; -inf where W_hh is singular.
    """

    weights_alone: Array
    slopes_alone: Array
    log_slopes: Array
    log_weights: float

    def __post_init__(self) -> None:
        for array in (self.weights_alone, self.slopes_alone, self.log_slopes):
            array.setflags(write=False)


@dataclass(frozen=True)
class GradientBounds:
    """What W_hh and the activation alone say about ``||dh_T/dh_k||``, whatever the sequence.

    Attributes
    ----------
    largest_singular_value : float
        Of W_hh.
    largest_slope : float
        That the activation has anywhere: 1/4 for "sigmoid", else 1.
    spectral_radius : float
        The largest absolute eigenvalue of W_hh; 0 if ``W_hh^H`` is 0 to within rounding.
    """

    largest_singular_value: float
    largest_slope: float
    spectral_radius: float

    @property
    def log10_bound(self) -> float:
        """Decades a step that no gradient grows faster than: ``log10(largest singular value * largest slope)``."""
        return _log10(self.largest_singular_value) + _log10(self.largest_slope)

    @property
    def log10_reference(self) -> float:
        """Decades a step of the line ``rho^(T-k)``, log10 of the spectral radius: no bound, see `gradient_bounds`."""
        return _log10(self.spectral_radius)


def decay_causes(trace: Trace) -> DecayCauses:
    """Ask of an Elman RNN what its gradient owes to the weights and what to the slopes.

    ``dh_T/dh_k = D_T W_hh ... D_{k+1} W_hh`` with ``D_t = diag(g'(a_t))``. Neither cause has a share in percent: they
    don't add up in a norm. Two things can be said exactly. One is what the norm would be with either cause alone. The
    other is a sum, since determinants multiply::

        log |det J_t| = log |det D_t| + log |det W_hh|

    so that the mean of `log_slopes` and `log_weights` add up to the mean of ``log |det J_t|`` over the steps, the sum
    of the Lyapunov exponents.

    Parameters
    ----------
    trace : Trace
        Of an Elman RNN.

    Returns
    -------
    DecayCauses
        Exact far beyond float64; an exact 0 is -inf. If W_hh is singular, more than one orthogonal matrix is closest:
        Q is ``U V^T`` of ``W_hh = U S V^T`` as LAPACK finds it.

    Raises
    ------
    InputError
        If the cell is not an Elman RNN or the trace has no steps.

    Examples
    --------
    >>> from rnnviz import ElmanCell, run
    >>> growing = ElmanCell([[1.0]], [[10.0]], [0.0], [0.0], activation="identity")
    >>> causes = decay_causes(run(growing, [[0.0]] * 3))
    >>> causes.weights_alone.round(12), causes.slopes_alone
    (array([3., 2., 1., 0.]), array([0., 0., 0., 0.]))
    """
    require_trace("decay_causes", trace)
    instead = Message("error.decay.causes", "log10_keep_products(trace) has what its gates alone let pass.")
    cell = _require_elman("decay_causes", trace.cell, instead)
    W, slopes = cell.W_hh, WIDES.slope(cell.activation, trace.preacts["a"])
    U, _, V = np.linalg.svd(W)
    # A product has the norm of its transpose, whose factors from left to right are those of step k+1 to step T.
    steps_back = slopes[::-1, None, :] * Wide.of((U @ V).T)
    slopes_alone = _log10_running(steps_back, "spectral")
    with np.errstate(divide="ignore"):
        log_slopes = (np.log(np.abs(slopes.mantissa)) + slopes.exponent * np.log(2.0)).sum(axis=1)
    return DecayCauses(
        weights_alone=power_norms(W, trace.steps),
        slopes_alone=(_without_rounding(slopes_alone) if cell.activation == "relu" else slopes_alone)[::-1],
        log_slopes=log_slopes,
        log_weights=_log_determinant(W),
    )


def gradient_bounds(cell: Cell) -> GradientBounds:
    """Return how fast the gradient of an Elman RNN can grow at most, and the line that is often taken for it.

    ``||dh_T/dh_k|| <= (largest singular value * largest slope)^(T-k)`` holds for every sequence (Pascanu, Mikolov &
    Bengio 2013, "On the difficulty of training recurrent neural networks"). The spectral radius bounds nothing: a
    matrix can stretch for many steps before its powers go the way of its eigenvalues, and with slopes in between they
    need never go there. ``1.5 [[1, -1], [1, -1]]`` has radius 0, and with unequal slopes its product can explode.

    Parameters
    ----------
    cell : ElmanCell

    Returns
    -------
    GradientBounds
        The radius of a matrix whose eigenvectors nearly coincide is uncertain in the digits that its eigenvalues share:
        a rounding of 1e-16 moves a twofold 0 to 1e-8. So where ``W_hh^H`` is no larger than the rounding made on the
        way to it, the radius is 0.

    Raises
    ------
    InputError
        If the cell is not an Elman RNN.

    Examples
    --------
    >>> from rnnviz import ElmanCell
    >>> gradient_bounds(ElmanCell([[1.0], [1.0]], [[1.5, -1.5], [1.5, -1.5]], [0.0, 0.0], [0.0, 0.0]))
    GradientBounds(largest_singular_value=3.0..., largest_slope=1.0, spectral_radius=0.0)
    """
    instead = Message("error.decay.bounds", "log10_gradient_norms(trace) measures it on a sequence.")
    cell = _require_elman("gradient_bounds", cell, instead)
    return GradientBounds(
        largest_singular_value=float(np.linalg.svd(cell.W_hh, compute_uv=False)[0]),
        largest_slope=ACTIVATIONS[cell.activation].largest_slope,
        spectral_radius=spectral_radius(cell.W_hh),
    )


def log10_keep_products(trace: Trace) -> Array:
    """Return what the gates alone let pass of the state at step k, through no weights: the direct path.

    ``s_t = keep_t * s_{t-1} + write_t`` makes ``diag(keep_T * ... * keep_{k+1})`` a part of ``ds_T/ds_k``: all of it
    if gates and candidates did not see the state, the other paths go through them. This is its spectral norm, the
    largest product over the units::

        LSTM                      s = c    keep = f
        GRU, update="keep"        s = h    keep = z
        GRU, update="write"       s = h    keep = 1 - z

    Parameters
    ----------
    trace : Trace
        Of an LSTM or a GRU.

    Returns
    -------
    (T+1,) array
        Decades; entry T is 0. Gates count as applied, so clamped where clamped; one clamped to 0 gives -inf. Free ones
        are taken from their pre-activations, so that no product underflows and ``1 - z`` keeps its digits.

    Raises
    ------
    InputError
        If the cell has no gates or the trace has no steps.

    Examples
    --------
    >>> from rnnviz import Clamp, make_cell, run
    >>> clamps = [Clamp("f", 0.1), Clamp("f", 1.0, from_step=3)]
    >>> log10_keep_products(run(make_cell("lstm", 1, 2), [[0.0]] * 4, clamp=clamps))
    array([-2., -1.,  0.,  0.,  0.])
    """
    require_trace("log10_keep_products", trace)
    cell, log_keep = trace.cell, trace.cell.log_keep(trace)
    if log_keep is None:
        raise no_gates("log10_keep_products", cell)
    from_k = np.zeros((trace.steps + 1, cell.hidden_size))
    from_k[:-1] = log_keep[::-1].cumsum(axis=0)[::-1]
    return np.asarray(from_k.max(axis=1) / np.log(10.0))


def _log10_running(J: Array | Wide, norm: str) -> Array:
    """Return log10 of the norms of ``J_i ... J_1`` for i = 0..T, (T+1,)."""
    return log10_norms(running_products(Wide.stack(J)), norm)


def _without_rounding(log10: Array) -> Array:
    """Make 0 what is left of a product of 0 by rounding.

    A Q that mirrors has ``Q Q = 1``: while both of two units are on, its power is 1 or Q, so ``D_t Q ... D_k`` can be 0
    from where one is off to where the other is. With slopes of 0 and 1, hardly anything else falls so far in a step.
    """
    fallen = np.flatnonzero(log10[1:] < log10[:-1] - _ROUNDING)
    return np.where(np.arange(len(log10)) > fallen[0], -np.inf, log10) if len(fallen) else log10


def _require_elman(who: str, cell: object, instead: Message) -> ElmanCell:
    needed = Message("error.decay.elman", "{who} needs an Elman RNN, whose step is diag(g'(a)) W_hh", who=who)
    return require_elman(cell, needed, instead)


def _log_determinant(W: Array) -> float:
    """``log |det W|``, scaled first so that no pivot leaves float64."""
    exponent = int(np.frexp(np.abs(W).max())[1])
    return float(np.linalg.slogdet(np.ldexp(W, -exponent))[1] + len(W) * exponent * np.log(2.0))


def power_norms(W: Array, most: int) -> Array:
    """Return log10 of the spectral norm of ``W^most, ..., W^1, W^0``, (most+1,); exact far beyond float64."""
    return _log10_running(np.broadcast_to(W, (most, *W.shape)), "spectral")[::-1]


def spectral_radius(W: Array) -> float:
    """Return the largest absolute eigenvalue; 0 if ``W^H`` is 0 to within rounding."""
    if not np.tril(W, -1).any() or not np.triu(W, 1).any():
        return float(np.abs(np.diag(W)).max())
    return 0.0 if _is_nilpotent(W) else float(np.abs(np.linalg.eigvals(W)).max())


def _is_nilpotent(W: Array) -> bool:
    """Whether ``W^H``, 0 for a nilpotent matrix, is no larger than the rounding made on the way to it.

    The rounding of step j comes to ``H eps ||W^j|| ||W||``, and what follows multiplies it by ``||W^(H-1-j)||``.
    """
    H = len(W)
    norms = _log10_running(np.broadcast_to(W, (H, H, H)), "fro")
    if np.isneginf(norms[H]):
        return True
    passed_on = norms[:H] + norms[H - 1 :: -1]
    largest = passed_on.max()
    rounding = largest + np.log10(np.sum(10.0 ** (passed_on - largest))) + norms[1] + np.log10(H * np.finfo(float).eps)
    return bool(norms[H] <= rounding)


def _log10(number: float) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log10(number))
