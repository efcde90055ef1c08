"""The network that settings stand for, and its walk over the sequence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Cell, ElmanCell, Readout, Trace, make_cell, run
from rnnviz.presets.hidden_state import HIDDEN_STATE
from rnnviz.sequences import GENERATORS
from rnnviz.settings import SETTINGS, Settings, Value

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Network:
    """What settings stand for: a cell with its readout, ready to run.

    Attributes
    ----------
    cell : Cell
    readout : Readout or None
    x : (T, D) array
    h0 : (H,) array
    base : mapping of str to array
        The editable arrays as they were before the edits, by their names in the address.
    """

    cell: Cell
    readout: Readout | None
    x: Array
    h0: Array
    base: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Walk:
    """A network with everything that it computed: what the explorer draws.

    Attributes
    ----------
    network : Network
    trace : Trace
    y_preact, y : (T, O) array or None
        The readout before and after its activation.
    """

    network: Network
    trace: Trace
    y_preact: Array | None
    y: Array | None


def values_of(settings: Settings) -> dict[str, Value]:
    """The value of every setting: the table's default, the preset's, the chosen one, the sequence's sizes."""
    table = {name: setting.default for name, setting in SETTINGS.items()}
    values = table | dict(HIDDEN_STATE[settings.preset].values) | dict(settings.chosen)
    if settings.x is not None:
        values |= {"steps": len(settings.x), "input_size": len(settings.x[0])}
    return values


def build(settings: Settings) -> Network:
    """The network that settings stand for, edits applied.

    Raises
    ------
    InputError
        If an array is refused.
    """
    base = base_arrays(settings)
    arrays = {name: array.copy() for name, array in base.items()}
    for entry, value in settings.edits:
        arrays[entry.name][entry.place] = value
    values = values_of(settings)
    cell = ElmanCell(
        arrays["W_ih"], arrays["W_hh"], arrays["b_ih"], arrays["b_hh"], activation=str(values["activation"])
    )
    readout = None
    if "W_ho" in arrays:
        readout = Readout(arrays["W_ho"], arrays["b_o"], activation=str(values["output_activation"]))
    return Network(cell, readout, arrays["x"], arrays["h0"], MappingProxyType(base))


def walk(network: Network) -> Walk:
    """Run a network over its sequence and read out every step.

    Raises
    ------
    StateOverflowError
        If a state leaves float64; it carries the trace up to there.
    InputError
        If an output leaves float64.
    """
    return read_out(network, run(network.cell, network.x, network.h0))


def read_out(network: Network, trace: Trace) -> Walk:
    """A trace with the readout of each of its steps.

    Raises
    ------
    InputError
        If an output leaves float64.
    """
    if network.readout is None:
        return Walk(network, trace, None, None)
    h = trace.h[1:]
    y = network.readout(h)  # first: it refuses sums that overflow
    return Walk(network, trace, h @ network.readout.W.T + network.readout.b, y)


def base_arrays(settings: Settings) -> dict[str, Array]:
    """Every editable array before the edits."""
    preset, values = HIDDEN_STATE[settings.preset], values_of(settings)
    inputs, hidden, outputs, steps, seed = (
        whole_of(values[name]) for name in ("input_size", "hidden_size", "output_size", "steps", "seed")
    )
    arrays = {name: array for name, array in preset.weights.items() if name not in ("W_ho", "b_o")}
    if not arrays:
        options: dict[str, Any] = {"init": values["init"], "gain": values["gain"], "seed": seed}
        cell = make_cell("elman", inputs, hidden, **options)
        arrays = {"W_ih": cell.W_ih, "W_hh": cell.W_hh, "b_ih": cell.b_ih, "b_hh": cell.b_hh}
    if outputs:
        own = preset.weights.get("W_ho")
        if own is not None and len(own) == outputs:
            arrays |= {"W_ho": own, "b_o": preset.weights["b_o"]}
        else:
            arrays |= _drawn_readout(outputs, hidden, seed)
    if settings.x is not None:
        arrays["x"] = np.array(settings.x)
    elif values["input"] == "preset" and preset.x is not None:
        arrays["x"] = preset.x(steps)
    else:
        arrays["x"] = GENERATORS[str(values["input"])](steps, inputs, seed)
    h0 = vector_of(values["h0"])
    arrays["h0"] = np.array(h0 if len(h0) == hidden else (h0 or (0.0,)) * hidden, dtype=np.float64)
    return arrays


def _drawn_readout(outputs: int, hidden: int, seed: int) -> dict[str, Array]:
    """PyTorch's initialisation of a linear layer, from a stream of its own beside the cell's."""
    generator, bound = np.random.RandomState([seed, 1]), 1 / np.sqrt(hidden)
    W_ho = generator.uniform(-bound, bound, (outputs, hidden))
    return {"W_ho": W_ho, "b_o": generator.uniform(-bound, bound, outputs)}


def whole_of(value: Value) -> int:
    """The value of a setting that counts something."""
    return int(value) if isinstance(value, int | float) else 0


def vector_of(value: Value) -> tuple[float, ...]:
    """The value of a setting that is a vector; empty where it is none."""
    return value if isinstance(value, tuple) else ()
