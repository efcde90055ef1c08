"""Products of step Jacobians from the last step back, in numbers that neither vanish nor run over.

A product ``J_T ... J_{k+1}`` over a thousand steps leaves float64 on either side, and so do its entries against each
other: with ``W = diag(2, 0.5)`` they lie 10**602 apart, and the small one is all that is left once the large one's
unit is masked at an early step. No common exponent holds both. One for each column does, but fails where a column's
large entries cancel and its small ones don't.

So the product is taken in plain float64 as long as every factor and entry keeps so far from the ends of its range
that nothing can underflow on the way to the next product, which is looked at in every step. Where that ends, it goes
on in `Wide` numbers, which have an exponent for each entry, until it is back in range. Either way it is the product
that float64 would give if its exponent did not run out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import numpy as np

from rnnviz.maths.cells import ElmanCell, GRUCell, LSTMCell
from rnnviz.maths.checks import Array
from rnnviz.maths.factors import FLOATS, WIDES, Factors, dc_dh_of, jacobians_of, step_factors
from rnnviz.maths.trace import Trace
from rnnviz.maths.wide import Wide

__all__ = ["backward_products"]

# In binary digits: an entry that is not 0 is above -FLOOR, the largest in -CEILING..CEILING, a factor or weight that
# is not 0 within REACH either way. From one look to the next an entry meets 2 factors and weights in an Elman step,
# 3 in an LSTM's and 4 in a GRU's, and three sums, each of which may cancel 53 digits: all stays above -1022.
FLOOR, CEILING = 300, 64
REACH: Mapping[str, int] = {"elman": 281, "lstm": 187, "gru": 140}
BUFFER = 2**17  # numbers worked on at a time, 1 MB

Step: TypeAlias = Callable[[Array, int, Array], object]
"""Takes P (parts, R, H), the row of the factors and where to write P J."""


def backward_products(trace: Trace, first: Array, wanted: slice) -> Iterator[tuple[range, Array, Array]]:
    """Yield ``first J_T ... J_{k+1}`` for k = T, T-1, ..., 0, some at a time.

    Parameters
    ----------
    trace : Trace
        Of at least one step.
    first : (parts, R, H) array
        R rows; their columns lie in one part, for an LSTM in two, h and c.
    wanted : slice
        The parts to hand out.

    Yields
    ------
    ks : range
        n of T, T-1, ..., 0.
    products : (n, wanted parts, R, H) array
        Overwritten by the next ones.
    exponents : (n,) array
        The products are ``products * 2**exponents``.
    """
    T, factors = trace.steps, _CheckedFactors(trace)
    size = min(max(2, BUFFER // first.size), T + 1)
    buffer, scratch = np.empty((size, *first.shape)), np.empty_like(first)
    P: Array | Wide = first
    exponent = 0.0
    for last in range(T, -1, -size):
        ks = range(last, max(last - size, -1), -1)
        exponents = np.empty(len(ks))
        step = factors.steps(ks[-1], min(last + 1, T))
        for k, out, slot in zip(ks, buffer, range(size), strict=False):
            if k == T:
                out[:] = first
            elif isinstance(P, Wide) or not factors.plain[k]:
                P = (P if isinstance(P, Wide) else _joined(P, exponent)) @ factors.wide_jacobian(k)
            else:
                step(P, k - ks[-1], out)
                P, exponent = _settled(out, exponent, scratch)
            if isinstance(P, Wide):
                out[wanted], exponents[slot] = _split(P, wanted, out.shape)
                if P.spread <= FLOOR - 2 * CEILING:
                    P, exponent = _split(P, slice(None), out.shape)
            else:
                exponents[slot] = exponent
        yield ks, buffer[: len(ks), wanted], exponents


def _settled(P: Array, exponent: float, scratch: Array) -> tuple[Array | Wide, float]:
    """Look at the entries; bring the largest back to about 1 if need be, or give up float64 for now."""
    sizes = np.abs(P, out=scratch)
    high, low = float(sizes.max()), float(sizes.min())
    if low == 0.0 < high:
        low = float(sizes.min(where=sizes > 0.0, initial=np.inf))
    if high == 0.0 or (low >= 2.0**-FLOOR and 2.0**-CEILING <= high <= 2.0**CEILING):
        return P, exponent
    shift = math.frexp(high)[1]
    if math.frexp(low)[1] - shift <= -FLOOR:
        return _joined(P, exponent), exponent
    P *= 2.0**-shift
    return P, exponent + shift


def _joined(P: Array, exponent: float) -> Wide:
    """Return the parts side by side: (parts, R, H) times ``2**exponent`` as (R, S)."""
    return Wide.of(np.concatenate(list(P), axis=1), exponent)


def _split(P: Wide, wanted: slice, shape: tuple[int, ...]) -> tuple[Array, float]:
    """Return the wanted parts of (R, S) with their largest entry in 1/2..1, and the exponent that was taken out."""
    parts, R, H = shape
    chosen = Wide(*(array.reshape(R, parts, H)[:, wanted] for array in (P.mantissa, P.exponent)))
    exponent = chosen.top if np.isfinite(chosen.top) else 0.0
    return np.ascontiguousarray(chosen.floats(exponent).transpose(1, 0, 2)), exponent


class _CheckedFactors:
    """The factors of all steps in float64, and in wide numbers where it might fail.

    Attributes
    ----------
    plain : (T,) array of bool
        Where the weights and all factors are 0 or in reach, so that float64 will do.
    """

    def __init__(self, trace: Trace) -> None:
        self.cell, self.plain = trace.cell, np.ones(trace.steps, dtype=np.bool_)
        reach = REACH[self.cell.kind]
        with np.errstate(over="ignore", invalid="ignore"):
            self._factors = step_factors(trace, slice(None), FLOATS)
            for values in self._factors.values():
                sizes = np.abs(values)
                self.plain &= ((sizes > 2.0**-reach) & (sizes < 2.0**reach)).all(axis=1)
        # A 0 may be one or may have underflown: numbers that don't underflow decide that.
        self._doubtful = np.flatnonzero(~self.plain)
        self._wide = step_factors(trace, self._doubtful, WIDES) if self._doubtful.size else {}
        settled = np.ones(self._doubtful.shape, dtype=np.bool_)
        for name, wide in self._wide.items():
            settled &= ((np.abs(wide.exponent) <= reach) | (wide.mantissa == 0.0)).all(axis=1)
            self._factors[name][self._doubtful] = wide.floats()
        weights = np.abs(self.cell.W_hh[self.cell.W_hh != 0.0])
        self.plain[self._doubtful] = settled
        self.plain &= bool(((weights >= 2.0**-reach) & (weights <= 2.0**reach)).all())

    def steps(self, start: int, stop: int) -> Step:
        """Return the step in float64, prepared for the rows ``start..stop-1``."""
        with np.errstate(over="ignore", invalid="ignore"):  # in rows that are not plain
            return _STEPS[self.cell.kind](self.cell, {name: f[start:stop] for name, f in self._factors.items()})

    def wide_jacobian(self, k: int) -> Wide:
        """Return the Jacobian of row k, (S, S)."""
        if k in self._doubtful:
            row = int(np.searchsorted(self._doubtful, k))
            factors = {name: values[row : row + 1] for name, values in self._wide.items()}
        else:
            factors = {name: Wide.of(values[k : k + 1]) for name, values in self._factors.items()}
        J: Wide = jacobians_of(self.cell, factors, WIDES)
        return J[0]


def _elman_steps(cell: ElmanCell, factors: Factors) -> Step:
    slopes, W = factors["a"], cell.W_hh

    def step(P: Array, row: int, out: Array) -> None:
        np.dot(P[0] * slopes[row], W, out=out[0])

    return step


def _lstm_steps(cell: LSTMCell, factors: Factors) -> Step:
    """One product of ``[dc, dh o]`` with ``[dc_t/dh_{t-1}; W_ho]``, half as large as one with all of W_hh."""
    H, through, keep, o = cell.hidden_size, factors["through"], factors["keep"], factors["o"]
    below = np.empty((len(keep), 2 * H, H))
    below[:, :H] = dc_dh_of(factors, {name: cell.W_hh[cell.rows(name)] for name in cell.gate_names})
    below[:, H:] = cell.W_hh[cell.rows("o")]

    def step(P: Array, row: int, out: Array) -> None:
        h, c = P
        both = np.empty((len(h), 2 * H))
        dc = both[:, :H]
        np.multiply(h, through[row], out=dc)
        np.add(dc, c, out=dc)
        np.multiply(h, o[row], out=both[:, H:])
        np.dot(both, below[row], out=out[0])
        np.multiply(dc, keep[row], out=out[1])

    return step


def _gru_steps(cell: GRUCell, factors: Factors) -> Step:
    J = jacobians_of(cell, factors, FLOATS)
    return lambda P, row, out: np.dot(P[0], J[row], out=out[0])


_STEPS: Mapping[str, Callable[..., Step]] = {"elman": _elman_steps, "lstm": _lstm_steps, "gru": _gru_steps}
