"""An orthonormal basis followed through a run by plain QR, and a check after it whether that was enough.

In ``J_t Q_{t-1} = Q_t R_t`` the product with J_t and the factorization leave an error E of the rounding of the largest
entry. R_t is then that of a Jacobian which is ``I + F`` times the true one, in the basis of Q_t with ::

    |F e_l|  =  |E R_t^-1 e_l|  <=  u |J_t| |R_t^-1 e_l|

where u is the unit of rounding. So direction l has that share of its length wrong, and as much of it lies along the
directions after it. There it counts if they outgrow direction l later on: it then grows as they do against it.
The sum over the steps is what the logarithms may be off by, to first order. It is small as long as no step shrinks one
direction a million times more than another and none that has been weak takes over. All else is for `exact_bases`.

Steps that shrink all directions nearly alike are multiplied with each other first, some at a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.arithmetic import FLOATS
from rnnviz.maths.extended_range.checked_factors import CheckedFactors
from rnnviz.maths.extended_range.graded import UNORDERED, with_rows_apart
from rnnviz.maths.extended_range.wide import Wide
from rnnviz.maths.trace import Trace

__all__ = ["Followed", "followed_plainly"]

ACCURACY = 1e-10  # of a logarithm, relative; of less than FEW decades absolute, as if it had as many
FEW = 10.0
UNIT = 2.0**-53
REGULAR = 2.0**30  # condition; up to here a Jacobian is far from singular, whatever its rounding
RANGE = 2.0**100  # size of a Jacobian either way; the product of GROUP of them keeps all its digits
GROUP, MILD = 8, 2.0**12  # Jacobians multiplied at most before a factorization, and the condition they may come to
BUFFER = 2**17  # numbers worked on at a time, 1 MB


@dataclass(frozen=True, eq=False)
class Followed:
    """What a basis that begins as the identity was stretched by.

    Attributes
    ----------
    log2_diagonal : (S,) array
        Of ``R_T ... R_1``, binary digits.
    product : Wide or None
        ``R_T ... R_1``, with an exponent for each row; None where the check asks for another order of them.
    """

    log2_diagonal: Array
    product: Wide | None


def followed_plainly(trace: Trace, factors: CheckedFactors) -> Followed | None:
    """Return what plain QR gives, or None if it is not certain to `ACCURACY`."""
    if not factors.plain.all():
        return None
    S, cell = trace.cell.state_size, trace.cell
    Q, product = np.eye(S), _Product(S)
    logs, errors = [], []
    first, group = 0, 1
    while first < trace.steps:
        most = max(4, min(64, BUFFER // S**2 // group)) * group
        last = min(first + most, trace.steps)
        group = group if (last - first) % group == 0 else 1
        J = cell.jacobians(factors.floats(slice(first, last)), FLOATS)
        with np.errstate(over="ignore"):
            sizes = _lengths(J, (1, 2))
        if not (sizes.min() >= 1.0 / RANGE and sizes.max() <= RANGE):
            return None
        J, sizes = _multiplied(J, group), sizes.reshape(-1, group).prod(axis=1)
        R = np.empty_like(J)
        for one, triangle in zip(J, R, strict=True):
            Q, triangle[:] = np.linalg.qr(one @ Q)
        diagonal = np.abs(np.einsum("tii->ti", R))
        if not diagonal.all():
            return None
        logs.append(np.log2(diagonal))
        errors.append(sizes[:, None] * _lengths(_inverse(R), 1))
        worst = float(errors[-1].max())
        if not worst <= REGULAR:
            return None
        product.multiply(R)
        first, group = last, _next_group(worst, group)
    log2 = np.concatenate(logs)
    if not _certain(log2.cumsum(axis=0), np.concatenate(errors)):
        return None
    return Followed(log2.sum(axis=0), product.rows if product.ordered else None)


def _next_group(worst: float, group: int) -> int:
    """Return how many steps to multiply next, given the condition that so many have come to now."""
    bits = max(float(np.log2(worst)) / group, 0.1)
    return int(np.clip(np.log2(MILD) / bits, 1, GROUP))


def _certain(growth: Array, errors: Array) -> bool:
    """Whether the logarithms after the last step are right, given those after each and its errors, (n, S) each."""
    S = growth.shape[1]
    off = np.empty(S)
    for one in range(S):
        later = growth[:, one + 1 :] - growth[:, one, None]
        outgrown = (np.maximum.accumulate(later[::-1])[::-1] - later).max(axis=1, initial=0.0)
        off[one] = UNIT * errors[:, one] @ np.exp2(np.minimum(outgrown, 1000.0))
    return bool((off <= ACCURACY * np.maximum(FEW, np.abs(growth[-1]) * np.log10(2.0))).all())


class _Product:
    """The product of the triangles so far."""

    def __init__(self, S: int) -> None:
        self.rows, self.ordered = Wide(np.eye(S), np.zeros(S)), True

    def multiply(self, R: Array) -> None:
        """Multiply by n triangles, (n, S, S), each row by its own power of 2 so that it stays in float64."""
        if not self.ordered:
            return
        _, powers = np.frexp(np.abs(np.einsum("tii->ti", R)))
        exponents = np.cumsum(np.vstack([self.rows.exponent, powers]), axis=0)
        between = np.clip(exponents[:-1, None, :] - exponents[1:, :, None], -2000.0, 2000.0)
        with np.errstate(over="ignore", invalid="ignore"):  # where small rows stand above large ones: looked for
            triangles = np.ldexp(R, between.astype(int))
            rows = np.empty((len(R) + 1, *R.shape[1:]))
            rows[0] = self.rows.mantissa
            for triangle, before, after in zip(triangles, rows, rows[1:], strict=False):
                np.dot(triangle, before, out=after)
            sizes = exponents[:-1] + np.log2(np.abs(rows[:-1]).max(axis=2)) + np.log2(_lengths(R, 1))
            later = np.maximum.accumulate(sizes[:, ::-1], axis=1)[:, ::-1]
            self.ordered = bool((later - sizes).max() <= UNORDERED)
        if self.ordered:
            self.rows = with_rows_apart(Wide(rows[-1], exponents[-1]))


def _multiplied(J: Array, group: int) -> Array:
    """Return the products of so many neighbours each."""
    product = J[::group]
    for place in range(1, group):
        product = J[place::group] @ product
    return product


def _lengths(matrices: Array, axis: int | tuple[int, int]) -> Array:
    return np.asarray(np.sqrt(np.square(matrices).sum(axis=axis)))


def _inverse(R: Array) -> Array:
    """Return the inverses of upper triangular matrices, (n, S, S), by halves: faster than LAPACK, which takes any."""
    half = R.shape[-1] // 2
    if half < 8:
        return np.asarray(np.linalg.inv(R), dtype=np.float64)
    inverse = np.zeros_like(R)
    inverse[:, :half, :half], inverse[:, half:, half:] = _inverse(R[:, :half, :half]), _inverse(R[:, half:, half:])
    inverse[:, :half, half:] = -inverse[:, :half, :half] @ R[:, :half, half:] @ inverse[:, half:, half:]
    return inverse
