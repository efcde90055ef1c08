"""Norms over many seeds, and of several initialisations, on an axis of decades."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.texts import say
from rnnviz.views.decades import BEHIND, FRONT, Chart, Curve
from rnnviz.views.flow import CellFlow
from rnnviz.views.numbers import power_of_ten

Array = NDArray[np.float64]

_HEIGHT = 250
_COLOURS = ("elman", "lstm", "gru", "alone", "other", "muted")


def quartiles(norms: Array) -> tuple[Array, Array, Array]:
    """The lower quartile, the median and the upper quartile at each step, each the norm of one of the networks.

    Parameters
    ----------
    norms : (N, T+1) array
        log10; ``-inf`` is an exact 0, which no mean of neighbours could hold.
    """
    lower, median, upper = np.quantile(norms, (0.25, 0.5, 0.75), axis=0, method="nearest")
    return lower, median, upper


def bands_chart(flows: Mapping[str, Sequence[CellFlow]]) -> Chart:
    """The median of each cell's norms with its quartiles.

    Parameters
    ----------
    flows : mapping of kind to the networks of many seeds, all of one length
    """
    count = max(len(networks) for networks in flows.values())
    curves: list[Curve] = []
    for kind, networks in flows.items():
        lower, median, upper = quartiles(np.array([flow.norms for flow in networks]))
        name = networks[0].name
        note = say("seeds.note", name=name, count=len(networks))
        curves.append(Curve(name, median, kind, BEHIND if curves else FRONT, note, (lower, upper)))
    return Chart(curves, say("seeds.chart", count=count), height=_HEIGHT)


def bands_words(flows: Mapping[str, Sequence[CellFlow]]) -> str:
    """Between which norms at step 0 the middle half of the networks lies."""
    said = []
    for networks in flows.values():
        lower, _, upper = (
            power_of_ten(float(edge[0])) for edge in quartiles(np.array([one.norms for one in networks]))
        )
        said.append(say("seeds.cell", name=networks[0].name, lower=lower, upper=upper))
    return say("seeds.bands", count=max(map(len, flows.values())), cells=", ".join(said))


def inits_chart(flows: Mapping[str, CellFlow]) -> Chart:
    """A curve for each initialisation, by its name on the screen."""
    name = next(iter(flows.values())).name
    curves = [
        Curve(init, flow.norms, colour, BEHIND, say("flows.note.norm", name=f"{name}, {init}"))
        for (init, flow), colour in zip(flows.items(), _COLOURS, strict=False)
    ]
    return Chart(curves, say("inits.chart", name=name), height=_HEIGHT)


def inits_words(flows: Mapping[str, CellFlow], seed: int) -> str:
    """What each initialisation leaves at step 0."""
    name = next(iter(flows.values())).name
    said = [say("inits.cell", name=init, left=power_of_ten(float(flow.norms[0]))) for init, flow in flows.items()]
    return say("inits.words", name=name, seed=seed, cells=", ".join(said))
