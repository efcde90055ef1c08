"""Settings to results, cached for all sessions: traces are read-only, so they are shared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from rnnviz.maths import StateOverflowError
from rnnviz.presets import HIDDEN_STATE, Walk, build, read_out, walk
from rnnviz.settings import Settings
from rnnviz.views import facts
from rnnviz.views.elman import elman_picture
from rnnviz.views.picture import Picture


@dataclass(frozen=True, eq=False)
class Result:
    """Everything that a page shows of its settings.

    Attributes
    ----------
    walk : Walk
        The network and all that it computed.
    picture : Picture
        What the explorer draws.
    fact : str
        What the preset shows.
    notices : list of (unit, str)
        For each step the zero-based unit that moves most, and a sentence on it.
    alert : str
        Why the walk ends early, or empty.
    """

    walk: Walk
    picture: Picture
    fact: str
    notices: list[tuple[int, str]]
    alert: str


def result_of(settings: Settings) -> Result:
    """The results of settings.

    Raises
    ------
    InputError
        If the network is refused, or its very first step leaves float64.
    """
    return _result(replace(settings, t=1))


@lru_cache(maxsize=64)
def _result(settings: Settings) -> Result:
    network, alert = build(settings), ""
    try:
        walked = walk(network)
    except StateOverflowError as error:
        if error.step == 1:
            raise
        walked, alert = read_out(network, error.trace), str(error)
    trace, y = walked.trace, walked.y
    return Result(
        walked,
        elman_picture(trace, network.readout, walked.y_preact, y, network.base),
        HIDDEN_STATE[settings.preset].fact(trace, y),
        facts.steps(trace),
        alert,
    )
