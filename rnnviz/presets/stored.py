"""Stored weights as a preset: a base of their own sizes, on which settings and edits stand as on any other."""

from __future__ import annotations

from dataclasses import replace

from rnnviz.maths.cells.protocol import WEIGHTS
from rnnviz.presets.preset import Array, Preset
from rnnviz.settings import Value, numbered
from rnnviz.weights import StoredNetwork


def of_stored(network: StoredNetwork, drawn: Preset) -> Preset:
    """A preset with the weights of a stored network; all else is as in the preset for drawn ones."""
    first, readout = network.cells[0], network.readout
    values: dict[str, Value] = {
        "input_size": first.input_size, "hidden_size": first.hidden_size, "layers": len(network.cells),
        "output_size": 0 if readout is None else len(readout.W), **network.form,
    }  # fmt: skip
    weights: dict[str, Array] = {
        numbered(name, number): getattr(cell, name)
        for number, cell in enumerate(network.cells, start=1) for name in WEIGHTS
    }  # fmt: skip
    if readout is not None:
        values["output_activation"] = readout.activation
        weights |= {"W_ho": readout.W, "b_o": readout.b}
    return replace(drawn, values={**drawn.values, **values}, weights=weights)
