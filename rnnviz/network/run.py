"""A network's run over its sequences, layer by layer, with every number kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import InputError, StateOverflowError, Trace, run
from rnnviz.network.network import Network
from rnnviz.wording import Message

Array = NDArray[np.float64]
R = TypeVar("R")


@dataclass(frozen=True, eq=False)
class Layer:
    """What one layer did with one sequence.

    Attributes
    ----------
    trace : Trace
        Its `x` is what arrived from below.
    passed : (T, H) array or None
        Its own readout, where the stack hands that on.
    """

    trace: Trace
    passed: Array | None = None


@dataclass(frozen=True, eq=False)
class Output:
    """What the network says to one sequence.

    Attributes
    ----------
    preact, y : (T, O) array
        The readout before and after its activation.
    """

    preact: Array
    y: Array


@dataclass(frozen=True, eq=False)
class SequenceRun:
    """A network with everything that it computed over one sequence: what a page shows.

    Attributes
    ----------
    network : Network
    layers : tuple of L Layer
    output : Output or None
        None without a readout.
    """

    network: Network
    layers: tuple[Layer, ...]
    output: Output | None

    @property
    def traces(self) -> tuple[Trace, ...]:
        """The traces by layer."""
        return tuple(layer.trace for layer in self.layers)


@dataclass(frozen=True, eq=False)
class NetworkRun:
    """A network with everything that it computed: what the explorer draws.

    Attributes
    ----------
    network : Network
    batch : tuple of N tuples of L Layer
        The layers of each sequence, all N of one length.
    outputs : tuple of N Output, or empty
        Empty without a readout.
    """

    network: Network
    batch: tuple[tuple[Layer, ...], ...]
    outputs: tuple[Output, ...]

    @property
    def traces(self) -> tuple[tuple[Trace, ...], ...]:
        """The traces by sequence and layer."""
        return tuple(tuple(layer.trace for layer in layers) for layers in self.batch)

    def of(self, sequence: int) -> SequenceRun:
        """What it did with one sequence, numbered from 1."""
        output = self.outputs[sequence - 1] if self.outputs else None
        return SequenceRun(self.network, self.batch[sequence - 1], output)

    @property
    def trace(self) -> Trace:
        """Layer 1 over the first sequence."""
        return self.batch[0][0].trace

    @property
    def y_preact(self) -> Array | None:
        """The readout of the first sequence before its activation."""
        return self.outputs[0].preact if self.outputs else None

    @property
    def y(self) -> Array | None:
        """The readout of the first sequence."""
        return self.outputs[0].y if self.outputs else None


def run_network(network: Network) -> NetworkRun:
    """Run a network over all its sequences and read out every step.

    With ``network.passes`` layer l reads ``W_ho h + b_o`` of the layer below, else its ``h``.

    Raises
    ------
    StateOverflowError
        If a state leaves float64, with the least step at which one does; it carries that trace up to there.
    InputError
        If an output leaves float64.
    """
    each = _over_each(network, lambda ran: ran)
    outputs = tuple(ran.output for ran in each if ran.output)
    return NetworkRun(network, tuple(ran.layers for ran in each), outputs)


def run_to_the_end(network: Network) -> tuple[NetworkRun, Message | None]:
    """Run a network as far as all its numbers are finite.

    Returns
    -------
    NetworkRun
        All sequences up to the same step.
    Message or None
        Why it ends early.

    Raises
    ------
    StateOverflowError
        If not one step is left.
    InputError
        If an output leaves float64.
    """
    return _to_the_end(network, run_network)


@dataclass(frozen=True, eq=False)
class Ends:
    """Where the sequences of a batch end, all at the same step.

    Attributes
    ----------
    steps : int
    reason : Message or None
        Why there are no more.
    states : tuple of N tuples of L (H,) arrays
        The last h by sequence and layer.
    """

    steps: int
    reason: Message | None
    states: tuple[tuple[Array, ...], ...]


def ends_of(network: Network) -> Ends:
    """Where the sequences end: as `run_to_the_end`, with the last states alone kept of each.

    A large batch with every number is too much to keep, and a page shows one sequence of it.
    """

    def ended(network: Network) -> tuple[int, tuple[tuple[Array, ...], ...]]:
        return len(network.xs[0]), tuple(_over_each(network, _last_states))

    (steps, states), reason = _to_the_end(network, ended)
    return Ends(steps, reason, states)


def _last_states(ran: SequenceRun) -> tuple[Array, ...]:
    return tuple(trace.h[-1].copy() for trace in ran.traces)


def _to_the_end(network: Network, run_all: Callable[[Network], R]) -> tuple[R, Message | None]:
    """What `run_all` returns of a network, its sequences as short as it takes; and why."""
    reason: Message | None = None
    while True:  # a shorter run can but fail for a smaller step of another sequence or layer
        try:
            return run_all(network), reason
        except StateOverflowError as error:
            if error.step == 1:
                raise
            reason = error.message
            network = replace(network, xs=tuple(x[: error.step - 1] for x in network.xs))


def _over_each(network: Network, keep: Callable[[SequenceRun], R]) -> list[R]:
    """Run over one sequence after the other; what `keep` takes of each is all that stays. Raises as `run_network`."""
    found: list[R] = []
    first: StateOverflowError | None = None
    refused: InputError | None = None
    for number, x in enumerate(network.xs, start=1):
        try:
            layers = _climb(network, x)
        except StateOverflowError as error:
            if first is None or error.step < first.step:
                first = _in_sequence(number, error) if len(network.xs) > 1 else error
            continue
        if first or refused:
            continue
        try:
            found.append(keep(SequenceRun(network, layers, _output(network, layers[-1]))))
        except InputError as error:
            refused = error
    if first or refused:
        raise first or refused  # type: ignore[misc]
    return found


def _in_sequence(number: int, error: StateOverflowError) -> StateOverflowError:
    """The refusal with the number of its sequence, beside that of the layer if it has one."""
    if error.code != "layer":
        return error.within("sequence", "Sequence {number}: {problem}", number=number)
    return StateOverflowError(
        "sequence.layer", "Sequence {sequence}, layer {layer}: {problem}",
        step=error.step, trace=error.trace, sequence=number, layer=error.slots["number"],
        problem=error.slots["problem"],
    )  # fmt: skip


def _climb(network: Network, x: Array) -> tuple[Layer, ...]:
    """One sequence through all layers."""
    layers: list[Layer] = []
    starts = zip(network.cells, network.h0s, network.c0s, network.clamps, strict=True)
    for number, (cell, h0, c0, clamps) in enumerate(starts, start=1):
        try:
            trace = run(cell, x, h0, c0, clamp=[one for one in clamps if one.from_step <= len(x)])
            passed = network.passes[number - 1](trace.h[1:]) if network.passes else None
        except InputError as error:
            if len(network.cells) == 1:
                raise
            raise error.within("layer", "Layer {number}: {problem}", number=number) from None
        layers.append(Layer(trace, passed))
        x = trace.h[1:] if passed is None else passed
    return tuple(layers)


def _output(network: Network, top: Layer) -> Output | None:
    readout = network.readout
    if readout is None:
        return None
    read = top.trace.h[1:] if top.passed is None else top.passed
    y = readout(read)  # first: it refuses sums that overflow
    return Output(read @ readout.W.T + readout.b, y)
