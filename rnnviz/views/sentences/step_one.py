"""What of the last loss's gradient reaches step 1, in the three cells beside each other: words and table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Gradients
from rnnviz.maths.extended_range.lengths import lengths
from rnnviz.texts import say
from rnnviz.views.numbers import power_of_ten

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StepOne:
    """The gradient of one step's loss on its way back to step 1.

    Attributes
    ----------
    norms : (t,) array
        Its norm at the states of steps 1 to t, [h; c] for an LSTM.
    h, x : float
        Its norms at ``h_1`` and at the input of step 1.
    c : float or None
        That at ``c_1`` of an LSTM.
    """

    norms: Array
    h: float
    x: float
    c: float | None

    @property
    def shares(self) -> Array:
        """log10 of the norms over the last of them; -inf where one is 0, nan where all are."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log10(self.norms) - np.log10(self.norms[-1]))

    @property
    def share(self) -> float:
        """log10 of the share of the norm that reaches step 1."""
        return float(self.shares[0])


def step_one_of(found: Gradients, last: int) -> StepOne:
    """Read off the gradient of the loss of step `last` alone."""
    c = found.backward.c
    return StepOne(
        norms=lengths(found.backward.states[1 : last + 1]),
        h=float(lengths(found.h[1])),
        x=float(lengths(found.x[0])),
        c=None if c is None else float(lengths(c[1])),
    )


def step_one_words(cells: Mapping[str, StepOne], seeds: Mapping[str, Sequence[float]]) -> list[str]:
    """What share of the norm reaches step 1 in each cell.

    Parameters
    ----------
    cells : mapping of kind to StepOne
    seeds : mapping of kind to sequence of float
        log10 of the shares with several seeds; empty where the weights are not drawn by a seed.
    """
    last = len(next(iter(cells.values())).norms)
    if any(len(one.norms) != last for one in cells.values()):
        return [say("step_one.apart")]
    if last == 1:
        return [say("step_one.alone")]
    if not any(one.norms[-1] for one in cells.values()):
        return [say("step_one.none", t=last)]
    said = [say("step_one.words", t=last, **{kind: _share(one.share) for kind, one in cells.items()})]
    if seeds:
        count = len(next(iter(seeds.values())))
        if all(len(set(shares)) == 1 for shares in seeds.values()):
            said.append(say("step_one.same", count=count))
        else:
            medians = {kind: _share(float(np.median(shares))) for kind, shares in seeds.items()}
            said.append(say("step_one.medians", count=count, **medians))
    every = [one.share for one in cells.values()] + [share for shares in seeds.values() for share in shares]
    if np.isneginf(every).any():
        said.append(say("step_one.below"))
    return said


def is_followed(cells: Mapping[str, StepOne]) -> bool:
    """Whether there is a way back to follow: the same for all cells, of more than a step, with a gradient on it."""
    every = list(cells.values())
    return (
        len({len(one.norms) for one in every}) == 1 and len(every[0].norms) > 1 and any(one.norms[-1] for one in every)
    )


def _share(log10: float) -> str:
    return "0" if np.isnan(log10) else power_of_ten(log10)


def step_one_columns(cells: Mapping[str, StepOne]) -> dict[str, Sequence[object]]:
    """The norms as columns of a table, a row for each cell."""
    every = list(cells.values())
    last = len(every[0].norms)
    return {
        say("step_one.column.cell"): [say(f"step_one.cell.{kind}") for kind in cells],
        say("step_one.column.last", t=last): [float(one.norms[-1]) for one in every],
        say("step_one.column.first"): [float(one.norms[0]) for one in every],
        say("step_one.column.share", t=last): [10.0**one.share for one in every],
        say("step_one.column.h"): [one.h for one in every],
        say("step_one.column.c"): [one.c for one in every],
        say("step_one.column.x"): [one.x for one in every],
    }
