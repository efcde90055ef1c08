"""The same network drawn many times."""

from __future__ import annotations

from dataclasses import replace
from statistics import median
from time import perf_counter

from rnnviz.cache import remembered
from rnnviz.maths import InputError
from rnnviz.maths.checks import Array
from rnnviz.network import redrawn
from rnnviz.ui.gradient_flow.flows import Followed, fresh_flow

_TIMED = 3
"""Networks of a kind that are timed beforehand."""


@remembered
def of_seeds(of: Followed, count: int) -> tuple[Array, ...]:
    """The same network with each seed from its own on; those that overflow float64 before the end are left out."""
    drawn = (_drawn(redrawn_as(of, further=number)) for number in range(count))
    return tuple(norms for norms in drawn if norms is not None)


@remembered
def seconds_of(of: Followed) -> float:
    """How long one of the networks takes: the median of three, since a single one may meet a pause of the computer.

    Those whose gradient leaves float64 take much longer.
    """
    return median(_timed(redrawn_as(of, further=number)) for number in range(_TIMED))


def _timed(of: Followed) -> float:
    start = perf_counter()
    _drawn(of)
    return perf_counter() - start


def redrawn_as(of: Followed, *, further: int = 0, init: str | None = None) -> Followed:
    """The same with weights drawn anew, from a further seed or in another way; none of them is typed."""
    seed = (of.network.base.seed + further) % 2**32
    return replace(of, network=redrawn(of.network, seed=seed if init is None else None, init=init))


def _drawn(of: Followed) -> Array | None:
    """What is followed of one network; None where it overflows float64 too early."""
    try:
        flow = fresh_flow(of)
    except InputError:
        return None
    return flow.norms if flow.trace.steps == of.network.base.steps else None
