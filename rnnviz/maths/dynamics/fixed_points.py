"""States that an Elman network maps onto themselves, and what becomes of a small perturbation there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.cells import Cell, ElmanCell
from rnnviz.maths.checks import Array, Sealed, read_array, read_integer
from rnnviz.maths.dynamics.newton import ACCEPTED, TWINS, Map, by_newton, map_under
from rnnviz.maths.dynamics.regions import FixedFlat, by_regions, lies_on
from rnnviz.maths.errors import InputError
from rnnviz.maths.forward import run
from rnnviz.maths.gradient_flow.jacobians import step_jacobians

__all__ = ["ACCEPTED", "KINDS", "FixedFlat", "FixedPoint", "FixedPointSearch", "fixed_points", "search_fixed_points"]

NEAR_ONE = 1e-6
"""Within this distance of 1 the modulus of an eigenvalue decides nothing."""

KINDS = ("attractor", "neutral", "borderline", "saddle", "repeller")

_ON_CIRCLE = 1e-12
"""Where the step is linear, moduli this close to 1 are 1 to within rounding."""
_DEFECTIVE = 1e6
"""The condition of the eigenvectors from which on there may be too few of them, and powers may grow slowly."""


@dataclass(frozen=True, eq=False)
class FixedPoint(Sealed):
    """A state with ``f(W_hh h + b_hh + W_ih u + b_ih) = h``, and the step's linear part there.

    Attributes
    ----------
    h : (H,) array
    residual : float
        The largest entry of ``|f(...) - h|``, by the cell's own step.
    jacobian : (H, H) array
        ``d h' / d h`` at `h`.
    eigenvalues : (H,) complex array
        Of `jacobian`, by descending modulus.
    on_edge : bool
        Whether a relu unit stands at its kink, where the Jacobian of one side says nothing about the other.
    linear : bool
        Whether the step is linear around it, so that the eigenvalues say all, whatever their moduli.
    """

    h: Array
    residual: float
    jacobian: Array
    eigenvalues: NDArray[np.complex128]
    on_edge: bool = False
    linear: bool = False

    def __post_init__(self) -> None:
        for array in (self.h, self.jacobian, self.eigenvalues):
            array.setflags(write=False)

    @property
    def radius(self) -> float:
        """The spectral radius: the factor of a small perturbation per step, in the long run."""
        return float(np.abs(self.eigenvalues[0]))

    @property
    def unstable(self) -> int:
        """The number of eigenvalues that are outside the unit circle beyond doubt."""
        return int((np.abs(self.eigenvalues) > 1 + NEAR_ONE).sum())

    @property
    def lasting(self) -> int:
        """The number of eigenvalues on the unit circle, to within rounding."""
        return int((np.abs(np.abs(self.eigenvalues) - 1) <= _ON_CIRCLE).sum())

    @property
    def _bounded(self) -> bool:
        """Whether the powers of the Jacobian are bounded: no modulus above 1, and an eigenvector for each of 1."""
        beyond = np.abs(self.eigenvalues) > 1 - NEAR_ONE
        return int(beyond.sum()) == self.lasting and bool(np.linalg.cond(np.linalg.eig(self.jacobian)[1]) < _DEFECTIVE)

    @property
    def kind(self) -> str:
        """``"attractor"``, ``"saddle"``, ``"repeller"``, or where the largest moduli are 1 one of two others.

        ``"neutral"`` where the step is linear, so that a small perturbation stays bounded and lasts; ``"borderline"``
        where the eigenvalues leave it open.
        """
        sizes = np.abs(self.eigenvalues)
        if self.linear and self.lasting and self._bounded:
            return "neutral"
        if self.on_edge or (np.abs(sizes - 1) <= NEAR_ONE).any():
            return "borderline"
        if self.unstable == 0:
            return "attractor"
        return "repeller" if self.unstable == len(sizes) else "saddle"


@dataclass(frozen=True)
class FixedPointSearch:
    """What a search found. It need not be all there is.

    Attributes
    ----------
    points : tuple of FixedPoint
        In the order of `KINDS`, then by spectral radius; no two are the same.
    flats : tuple of FixedFlat
        Of piecewise linear networks with eigenvalues of exactly 1.
    starts : int
        From so many places the search set out.
    failed : int
        From so many of them it arrived nowhere.
    complete : bool
        Whether every region of a piecewise linear network was solved, so that this is all there is.
    """

    points: tuple[FixedPoint, ...]
    flats: tuple[FixedFlat, ...]
    starts: int
    failed: int
    complete: bool = False


def fixed_points(
    cell: Cell, u: object = None, *, near: object = None, starts: int | None = None, seed: int = 0
) -> tuple[FixedPoint, ...]:
    """The isolated fixed points that `search_fixed_points` finds.

    Examples
    --------
    >>> cell = ElmanCell([[1.0]], [[2.0]], [0.0], [0.0])
    >>> [(point.kind, round(float(point.h[0]), 3)) for point in fixed_points(cell)]
    [('attractor', -0.958), ('attractor', 0.958), ('repeller', 0.0)]
    """
    return search_fixed_points(cell, u, near=near, starts=starts, seed=seed).points


def search_fixed_points(
    cell: Cell, u: object = None, *, near: object = None, starts: int | None = None, seed: int = 0
) -> FixedPointSearch:
    """Look for the fixed points of an Elman network under a constant input (Sussillo & Barak 2013).

    The map is ``h -> f(W_hh h + c)`` with ``c = W_ih u + b_ih + b_hh``. A network of tanh or sigmoid units is searched
    by Newton's method with halved steps, from random states, from where the network settles, and from the fixed points
    of its piecewise linear twin, in which each unit is low, high or linear. An identity network is one linear system,
    ``(I - W_hh) h = c``; a relu network is one for each set of active units: all sets up to 10 units, beyond that those
    that are met from the starts.

    Parameters
    ----------
    cell : ElmanCell
    u : (D,) array-like, optional
        The constant input; zeros if left out.
    near : (N, H) array-like, optional
        More states to start from, such as those of a run.
    starts : int, optional
        Random states to start from, at least 1: 48, above 16 units fewer, so that 64 units take no longer than a blink.
        The same seed gives the same ones.
    seed : int

    Returns
    -------
    FixedPointSearch

    Raises
    ------
    InputError
        If the cell is no Elman cell, an array does not fit, or the weights overflow float64.

    References
    ----------
    D. Sussillo, O. Barak: Opening the black box: low-dimensional dynamics in high-dimensional recurrent neural
    networks. Neural Computation 25 (2013) 626-649.
    """
    elman, constant, step = map_under(cell, u)
    H = elman.hidden_size
    extra = read_array("near", np.empty((0, H)) if near is None else near)
    if extra.shape[1:] != (H,):
        raise InputError(
            "fixed_points.near", "near must be (N, {units}), one state a row; got {got}. Give rows of {units} numbers.",
            units=H, got=str(extra.shape),
        )  # fmt: skip
    random = np.random.default_rng(read_integer("seed", seed, 0))
    count = min(48, 768 // H + 1) if starts is None else read_integer("starts", starts, 1)
    if elman.activation in TWINS:
        found, tried = by_newton(step, extra, random, count)
        return FixedPointSearch(_distinct(elman, constant, step, found), (), tried, tried - len(found))
    found, flats, tried, failed = by_regions(step, extra, random, count)
    return FixedPointSearch(_distinct(elman, constant, step, found, flats), flats, tried, failed, complete=tried == 1)


# --- what was found -------------------------------------------------------------------------------------------------


def _distinct(
    cell: ElmanCell, u: Array, step: Map, found: Array, flats: tuple[FixedFlat, ...] = ()
) -> tuple[FixedPoint, ...]:
    """Each fixed point once, the best of those that are the same; what the cell's own step denies falls away."""
    kept: list[FixedPoint] = []
    for point in sorted((_point(cell, u, h) for h in _apart(found)), key=lambda one: one.residual):
        scale = max(1.0, float(np.abs(point.h).max()))
        if point.residual > ACCEPTED * scale or any(lies_on(flat, point.h) for flat in flats):
            continue
        if not _is_among(step, point, kept):
            kept.append(point)
    return tuple(sorted(kept, key=lambda one: (KINDS.index(one.kind), round(one.radius, 9), tuple(one.h))))


def _apart(found: Array) -> list[Array]:
    """One of each bunch of states that agree in six digits."""
    kept: list[Array] = []
    for h in found:
        scale = 1e-6 * max(1.0, float(np.abs(h).max()))
        if not kept or np.abs(np.array(kept) - h).max(axis=1).min() > scale:
            kept.append(h)
    return kept


def _is_among(step: Map, point: FixedPoint, kept: list[FixedPoint]) -> bool:
    """Whether a find is the same fixed point as one of those kept.

    Where ``I - J`` is almost singular, a residual of rounding size does not pin the place down: h = tanh(h) is met to
    1e-10 within 7e-4 of zero. Two finds there are one if what lies between them would be accepted as well; two fixed
    points that are merely close, as those of h = tanh(1.00003 h), have states between them that move.
    """
    if not kept:
        return False
    scale, others = max(1.0, float(np.abs(point.h).max())), np.array([other.h for other in kept])
    apart = np.abs(others - point.h).max(axis=1)
    if apart.min() <= 1e-6 * scale:
        return True
    near = apart <= 0.1 * scale
    left, sizes, right = np.linalg.svd(np.eye(len(point.h)) - point.jacobian)
    if sizes[-1] >= 1e-4 or not near.any():
        return False
    # The finds lie along a curve and what is between them beside it: it is moved there, in the steep directions alone.
    steep = sizes > 1e-3
    inverse = left[:, steep] / sizes[steep] @ right[steep]
    between = point.h + np.array([0.25, 0.5, 0.75])[:, None, None] * (others[near] - point.h)
    moved = np.zeros_like(between)
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(_ONTO_THE_CURVE if steep.any() else 0):
            moved += step.misses(between + moved) @ inverse
        misses = np.abs(step.misses(between + moved)).max(axis=2)
    stayed = np.abs(moved).max(axis=2) <= apart[near]
    return bool(((misses <= ACCEPTED * scale) & stayed).all(axis=0).any())


_ONTO_THE_CURVE = 12
"""Newton steps with the Jacobian of the find: each leaves a share of the miss as small as the finds are near."""


def _point(cell: ElmanCell, u: Array, h: Array) -> FixedPoint:
    trace = run(cell, u[None], h)
    J, a = step_jacobians(trace)[0], trace.preacts["a"][0]
    eigenvalues = np.linalg.eigvals(J).astype(np.complex128)
    order = np.lexsort([-eigenvalues.imag, -eigenvalues.real, -np.abs(eigenvalues)])
    near_kink = ACCEPTED * max(1.0, float(np.abs(h).max()))
    at_kink = cell.activation == "relu" and bool((np.abs(a) <= near_kink).any())
    return FixedPoint(
        h.copy(),
        float(np.abs(trace.h[1] - h).max()),
        J.copy(),
        eigenvalues[order],
        on_edge=at_kink,
        linear=cell.activation in ("identity", "relu") and not at_kink,
    )
