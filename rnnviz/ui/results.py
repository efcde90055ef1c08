"""Settings to results, remembered for all sessions by the parts that they depend on; and what a page says of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rnnviz.cache import remembered
from rnnviz.maths import Trace
from rnnviz.network import (
    Ends,
    Parts,
    SequenceRun,
    build,
    characters_of,
    ends_of,
    parts_of,
    run_network,
    run_to_the_end,
)
from rnnviz.presets import preset_of
from rnnviz.settings import NetworkSettings, Settings
from rnnviz.texts import language, say
from rnnviz.views.explorer.forward import drawer_of
from rnnviz.views.explorer.notation import NOTATIONS, Notation, remark
from rnnviz.views.explorer.picture import Picture
from rnnviz.views.explorer.reading import Place
from rnnviz.views.explorer.unrolled import Level, levels_of
from rnnviz.views.sentences.notices import fact_of, notices_of
from rnnviz.wording import Message


@remembered
def run_of(network: NetworkSettings, sequence: int) -> tuple[SequenceRun, Message | None]:
    """The run over one sequence, numbered from 1, and why it ends early, or None.

    All sequences of a batch end where the first of them does.

    Raises
    ------
    InputError
        If the network is refused, or its very first step leaves float64.
    """
    built = build(network)
    if len(built.xs) == 1:
        ran, alert = run_to_the_end(built)
        return ran.of(1), alert
    ends = ends_shown(network)
    x = built.xs[sequence - 1][: ends.steps]
    return run_network(replace(built, xs=(x,))).of(1), ends.reason


@remembered
def ends_shown(network: NetworkSettings) -> Ends:
    """Where all sequences of a batch end."""
    return ends_of(build(network))


def run_shown(settings: Settings) -> tuple[SequenceRun, Message | None]:
    """The run over the sequence that settings show, as `run_of`."""
    parts = parts_of(settings)
    return run_of(parts.network, parts.view.sequence)


def trace_of(settings: Settings) -> Trace:
    """The trace of the layer and the sequence shown."""
    return run_shown(settings)[0].traces[settings.layer - 1]


def picture_of(settings: Settings) -> Picture:
    """What the explorer draws of the layer and sequence shown; the top layer has the output."""
    parts, (ran, _) = parts_of(settings), run_shown(settings)
    view, network = parts.view, ran.network
    shown = ran.layers[view.layer - 1]
    output = ran.output if view.layer == len(ran.layers) else None
    passes = network.passes[view.layer - 1] if network.passes else None
    readout, y_preact, y = (network.readout, output.preact, output.y) if output else (None, None, None)
    where = Place(view.layer, len(ran.layers), view.sequence, passes, shown.passed)
    draw = drawer_of(shown.trace)
    picture = draw(shown.trace, readout, y_preact, y, network.base, where, view.notation, view.order)
    return replace(picture, levels=_levels(ran, NOTATIONS[view.notation]), characters=characters_of(parts.base))


def _levels(ran: SequenceRun, writing: Notation) -> tuple[Level, ...]:
    """The whole network over one sequence as a graph."""
    passes = [
        (readout, layer.passed)
        for readout, layer in zip(ran.network.passes, ran.layers, strict=False)
        if layer.passed is not None
    ]
    head = (ran.network.readout, ran.output.y) if ran.network.readout and ran.output else None
    return levels_of(ran.traces, passes, head, writing.letter)


@dataclass(frozen=True)
class Words:
    """What a page says of a run.

    Attributes
    ----------
    fact : str
        What the preset shows.
    notices : list of (unit, str)
        For each step the zero-based unit that moves most, and a sentence on it.
    """

    fact: str
    notices: list[tuple[int, str]]


def words_of(settings: Settings) -> Words:
    """What a page says of the layer and sequence that settings show."""
    parts = parts_of(settings)
    return _words(parts.network, parts.view.sequence, parts.view.layer, language())


@remembered  # sentences of a thousand steps; none of the results holds any
def _words(network: NetworkSettings, sequence: int, layer: int, language: str) -> Words:
    del language  # `say` knows it; here it is part of the key
    ran, _ = run_of(network, sequence)
    traces = ran.traces
    tell = preset_of(network.base).fact if layer == 1 else fact_of  # a preset speaks of layer 1
    fact = tell(traces[layer - 1], ran.output.y if ran.output else None)
    if len(traces) > 1:
        fact = say("fact.layer", layer=layer, fact=fact)
    return Words(fact, notices_of(traces[layer - 1], layer))


def remark_of(parts: Parts, trace: Trace, picture: Picture) -> str:
    """What to know of the notation, or nothing."""
    letters = (one.symbol + one.sup for one in (picture.variables["x"], picture.variables["h"]))
    return remark(parts.view.notation, trace, parts.base.sequences, *letters)
