"""Settings to results, cached for all sessions: traces are read-only, so they are shared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from rnnviz.maths import Trace
from rnnviz.network import NetworkRun, build, characters_of, of_network, run_to_the_end, values_of
from rnnviz.presets import preset_of
from rnnviz.settings import Settings
from rnnviz.texts import say
from rnnviz.views.explorer.forward import forward_picture
from rnnviz.views.explorer.notation import NOTATIONS, Notation, remark
from rnnviz.views.explorer.picture import Picture
from rnnviz.views.explorer.reading import Place
from rnnviz.views.explorer.unrolled import Level, levels_of
from rnnviz.views.sentences.notices import fact_of, notices_of


@dataclass(frozen=True, eq=False)
class Result:
    """Everything that a page shows of its settings.

    Attributes
    ----------
    run : NetworkRun
        The network and all that it computed.
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
    alert : str
        Why the run ends early, or empty.
    """

    run: NetworkRun
    trace: Trace
    picture: Picture
    fact: str
    remark: str
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


def trace_of(settings: Settings) -> Trace:
    """The trace of the layer and the sequence shown, without what a page draws and says of it."""
    return run_of(settings)[0].traces[settings.sequence - 1][settings.layer - 1]


def run_of(settings: Settings) -> tuple[NetworkRun, str]:
    """The run of settings: what is shown of it, and how, makes no other one."""
    return _ran(of_network(replace(settings, layer=1, sequence=1)))


@lru_cache(maxsize=64)
def _result(settings: Settings) -> Result:
    ran, alert = run_of(settings)
    trace, layer = trace_of(settings), settings.layer
    picture, fact = _picture(settings, ran), _fact(settings, ran)
    letters = (one.symbol + one.sup for one in (picture.variables["x"], picture.variables["h"]))
    said = remark(str(values_of(settings)["notation"]), trace, len(ran.batch), *letters)
    return Result(ran, trace, picture, fact, said, notices_of(trace, layer), alert)


@lru_cache(maxsize=16)
def _ran(settings: Settings) -> tuple[NetworkRun, str]:
    """Of all layers and sequences, whichever is shown."""
    return run_to_the_end(build(settings))


def _picture(settings: Settings, ran: NetworkRun) -> Picture:
    """The picture of the layer and sequence shown; the top layer has the output."""
    layer, sequence, notation = settings.layer, settings.sequence, str(values_of(settings)["notation"])
    network, layers = ran.network, ran.batch[sequence - 1]
    shown, is_top = layers[layer - 1], layer == len(layers)
    output = ran.outputs[sequence - 1] if ran.outputs and is_top else None
    passes = network.passes[layer - 1] if network.passes else None
    readout, y_preact, y = (network.readout, output.preact, output.y) if output else (None, None, None)
    where = Place(layer, len(layers), sequence, passes, shown.passed)
    order = str(values_of(settings).get("order", "unit"))
    picture = forward_picture(shown.trace, readout, y_preact, y, network.base, where, notation, order)
    characters = characters_of(settings)
    return replace(picture, levels=_levels(ran, sequence, NOTATIONS[notation]), characters=characters)


def _levels(ran: NetworkRun, sequence: int, writing: Notation) -> tuple[Level, ...]:
    """The whole network over one sequence as a graph."""
    network, layers = ran.network, ran.batch[sequence - 1]
    passes = [
        (readout, layer.passed)
        for readout, layer in zip(network.passes, layers, strict=False)
        if layer.passed is not None
    ]
    head = (network.readout, ran.outputs[sequence - 1].y) if network.readout and ran.outputs else None
    return levels_of([layer.trace for layer in layers], passes, head, writing.letter)


def _fact(settings: Settings, ran: NetworkRun) -> str:
    """What the preset shows. It speaks of layer 1; of an upper one there is its memory to tell."""
    number, traces = settings.layer, ran.traces[settings.sequence - 1]
    y = ran.outputs[settings.sequence - 1].y if ran.outputs else None
    tell = preset_of(settings).fact if number == 1 else fact_of
    fact = tell(traces[number - 1], y)
    return say("fact.layer", layer=number, fact=fact) if len(traces) > 1 else fact
