"""Settings to results, cached for all sessions: traces are read-only, so they are shared."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rnnviz.cache import remembered
from rnnviz.maths import Trace
from rnnviz.network import (
    Ends,
    SequenceRun,
    build,
    characters_of,
    ends_of,
    of_network,
    run_network,
    run_to_the_end,
    values_of,
)
from rnnviz.presets import preset_of
from rnnviz.settings import Settings
from rnnviz.texts import say
from rnnviz.views.explorer.forward import drawer_of
from rnnviz.views.explorer.notation import NOTATIONS, Notation, remark
from rnnviz.views.explorer.picture import Picture
from rnnviz.views.explorer.reading import Place
from rnnviz.views.explorer.unrolled import Level, levels_of
from rnnviz.views.sentences.notices import fact_of, notices_of
from rnnviz.wording import Message


@dataclass(frozen=True, eq=False)
class Result:
    """Everything that a page shows of its settings.

    Attributes
    ----------
    run : SequenceRun
        The network and all that it computed over the sequence shown.
    trace : Trace
        Of the layer and the sequence shown.
    picture : Picture
        What the explorer draws.
    fact : str
        What the preset shows.
    remark : str
        What to know of the notation, or empty.
    notices : list of (unit, str)
        For each step the zero-based unit that moves most, and a sentence on it.
    alert : Message or None
        Why the run ends early.
    """

    run: SequenceRun
    trace: Trace
    picture: Picture
    fact: str
    remark: str
    notices: list[tuple[int, str]]
    alert: Message | None


def result_of(settings: Settings) -> Result:
    """The results of settings.

    Raises
    ------
    InputError
        If the network is refused, or its very first step leaves float64.
    """
    return _result(replace(settings, t=1))


def trace_of(settings: Settings) -> Trace:
    """The trace of the layer and the sequence shown, without what a page draws and says of it."""
    return run_of(settings)[0].traces[settings.layer - 1]


def run_of(settings: Settings) -> tuple[SequenceRun, Message | None]:
    """The run over the sequence shown, and why it ends early, if it does; the layer shown makes no other one."""
    return _ran(of_network(replace(settings, layer=1)))


def ends_shown(settings: Settings) -> Ends:
    """Where all sequences of a batch end."""
    return _ends(of_network(replace(settings, layer=1, sequence=1)))


@remembered
def _result(settings: Settings) -> Result:
    ran, alert = run_of(settings)
    trace, layer = trace_of(settings), settings.layer
    picture, fact = _picture(settings, ran), _fact(settings, ran)
    letters = (one.symbol + one.sup for one in (picture.variables["x"], picture.variables["h"]))
    values = values_of(settings)
    said = remark(str(values["notation"]), trace, int(str(values["sequences"])), *letters)
    return Result(ran, trace, picture, fact, said, notices_of(trace, layer), alert)


@remembered
def _ran(settings: Settings) -> tuple[SequenceRun, Message | None]:
    """Of all layers, whichever is shown. All sequences of a batch end where the first of them does."""
    network = build(settings)
    if len(network.xs) == 1:
        ran, alert = run_to_the_end(network)
        return ran.of(1), alert
    ends = ends_shown(settings)
    x = network.xs[settings.sequence - 1][: ends.steps]
    return run_network(replace(network, xs=(x,))).of(1), ends.reason


@remembered
def _ends(settings: Settings) -> Ends:
    return ends_of(build(settings))


def _picture(settings: Settings, ran: SequenceRun) -> Picture:
    """The picture of the layer and sequence shown; the top layer has the output."""
    layer, notation = settings.layer, str(values_of(settings)["notation"])
    network, shown = ran.network, ran.layers[layer - 1]
    output = ran.output if layer == len(ran.layers) else None
    passes = network.passes[layer - 1] if network.passes else None
    readout, y_preact, y = (network.readout, output.preact, output.y) if output else (None, None, None)
    where = Place(layer, len(ran.layers), settings.sequence, passes, shown.passed)
    order = str(values_of(settings).get("order", "unit"))
    picture = drawer_of(shown.trace)(shown.trace, readout, y_preact, y, network.base, where, notation, order)
    return replace(picture, levels=_levels(ran, NOTATIONS[notation]), characters=characters_of(settings))


def _levels(ran: SequenceRun, writing: Notation) -> tuple[Level, ...]:
    """The whole network over one sequence as a graph."""
    passes = [
        (readout, layer.passed)
        for readout, layer in zip(ran.network.passes, ran.layers, strict=False)
        if layer.passed is not None
    ]
    head = (ran.network.readout, ran.output.y) if ran.network.readout and ran.output else None
    return levels_of(ran.traces, passes, head, writing.letter)


def _fact(settings: Settings, ran: SequenceRun) -> str:
    """What the preset shows. It speaks of layer 1; of an upper one there is its memory to tell."""
    number, traces = settings.layer, ran.traces
    y = ran.output.y if ran.output else None
    tell = preset_of(settings).fact if number == 1 else fact_of
    fact = tell(traces[number - 1], y)
    return say("fact.layer", layer=number, fact=fact) if len(traces) > 1 else fact
