"""A network's run over its sequences, layer by layer, with every number kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import InputError, Readout, StateOverflowError, Trace, run
from rnnviz.network.network import Network

Array = NDArray[np.float64]


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
    found: list[tuple[Layer, ...]] = []
    first: StateOverflowError | None = None
    for number, x in enumerate(network.xs, start=1):
        try:
            found.append(_climb(network, x))
        except StateOverflowError as error:
            if first is None or error.step < first.step:
                where = f"Sequence {number}: " if len(network.xs) > 1 else ""
                first = StateOverflowError(f"{where}{error}", error.step, error.trace)
    if first is not None:
        raise first
    return NetworkRun(network, tuple(found), _outputs(network, found))


def run_to_the_end(network: Network) -> tuple[NetworkRun, str]:
    """Run a network as far as all its numbers are finite.

    Returns
    -------
    Walk
        All sequences up to the same step.
    str
        Why it ends early, or empty.

    Raises
    ------
    StateOverflowError
        If not one step is left.
    InputError
        If an output leaves float64.
    """
    reason = ""
    while True:  # a shorter run can but fail for a smaller step of another sequence or layer
        try:
            return run_network(network), reason
        except StateOverflowError as error:
            if error.step == 1:
                raise
            reason = str(error)
            network = replace(network, xs=tuple(x[: error.step - 1] for x in network.xs))


def _climb(network: Network, x: Array) -> tuple[Layer, ...]:
    """One sequence through all layers."""
    layers: list[Layer] = []
    starts = zip(network.cells, network.h0s, network.c0s, network.clamps, strict=True)
    for number, (cell, h0, c0, clamps) in enumerate(starts, start=1):
        where = f"Layer {number}: " if len(network.cells) > 1 else ""
        try:
            trace = run(cell, x, h0, c0, clamp=[one for one in clamps if one.from_step <= len(x)])
            passed = network.passes[number - 1](trace.h[1:]) if network.passes else None
        except StateOverflowError as error:
            raise StateOverflowError(f"{where}{error}", error.step, error.trace) from None
        except InputError as error:
            raise InputError(f"{where}{error}") from None
        layers.append(Layer(trace, passed))
        x = trace.h[1:] if passed is None else passed
    return tuple(layers)


def _outputs(network: Network, batch: list[tuple[Layer, ...]]) -> tuple[Output, ...]:
    if network.readout is None:
        return ()
    return tuple(_output(network.readout, layers[-1]) for layers in batch)


def _output(readout: Readout, top: Layer) -> Output:
    read = top.trace.h[1:] if top.passed is None else top.passed
    y = readout(read)  # first: it refuses sums that overflow
    return Output(read @ readout.W.T + readout.b, y)
