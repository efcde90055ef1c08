"""What every picture of a cell has around it: its place in a stack and a batch, and what is read out of its state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Readout
from rnnviz.settings import numbered
from rnnviz.texts import say
from rnnviz.views.explorer.notation import Notation
from rnnviz.views.explorer.picture import Variable

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Place:
    """Where a trace stands in a stack and in a batch.

    Attributes
    ----------
    layer, layers : int
        The layer, counted from 1, of how many.
    sequence : int
        The sequence of the batch, counted from 1.
    passes : Readout or None
        The layer's own readout, where the stack hands that on; y is then read from what it gives.
    passed : (T, H) array or None
        What it gives at each step.
    """

    layer: int = 1
    layers: int = 1
    sequence: int = 1
    passes: Readout | None = None
    passed: Array | None = None

    @property
    def mark(self) -> str:
        """What stands above the letters of this layer, where there are several."""
        return f"({self.layer})" if self.layers > 1 else ""

    def weight(self, name: str, symbol: str, sub: str) -> Variable:
        """A weight or bias of this layer."""
        edit = numbered(name, self.layer)
        return Variable(name, symbol, sub, family="weight", per_step=False, edit=edit, sup=self.mark)

    def start(self, name: str, symbol: str, caption: str) -> Variable:
        """A state as it arrives from the step before; at step 1 it is an initial state, which can be edited."""
        edit = numbered(f"{name}0", self.layer)
        scale, brief = ("cell", "caption.c.brief") if name == "c" else ("state", "caption.h_prev.brief")
        return Variable(name, symbol, "t−1", caption, edit=edit, sup=self.mark, scale=scale, brief=say(brief))

    def state(self, name: str) -> Variable:
        """The state that a step computes: h, or c of an LSTM."""
        caption = say("caption.c" if name == "c" else "caption.h")
        scale, brief = ("cell", "caption.c.brief") if name == "c" else ("state", "caption.h.brief")
        return Variable(name, name, "t", caption, shift=1, decimals=4, sup=self.mark, scale=scale, brief=say(brief))

    def arriving(self) -> Variable:
        """What the cell reads: the input, or what comes from the layer below."""
        if self.layer == 1:
            return Variable("x", "x", "t", say("caption.x"), edit=numbered("x", self.sequence))
        symbol = "h" if self.passes is None else "u"
        below = self.layer - 1
        scale = "state" if symbol == "h" else ""
        return Variable("x", symbol, "t", say("caption.from_layer", layer=below), sup=f"({below})", scale=scale)

    def from_below(self) -> Variable:
        """The first partial sum: what comes from the input, or from the layer below."""
        caption = say("caption.from_x" if self.layer == 1 else "caption.from_below")
        return Variable("from_x", "", "", caption, brief=say("caption.from_x.brief", symbol=self.arriving().symbol))

    def weights(self) -> dict[str, Variable]:
        """The weights and biases of this layer."""
        letters = {"W_ih": "W", "b_ih": "b", "W_hh": "W", "b_hh": "b"}
        return {name: self.weight(name, letter, name[2:]) for name, letter in letters.items()}


ALONE = Place()


@dataclass(frozen=True)
class Reading:
    """What is read out of a state: more arrays, variables and formulas of a picture, a line for each readout.

    Attributes
    ----------
    arrays, variables, formulas : dict
        As in a `Picture`.
    lines : sequence of dict
        Scene nodes.
    timeline : sequence of str
        Variables of the strip below.
    """

    arrays: dict[str, Array]
    variables: dict[str, Variable]
    formulas: dict[str, Mapping[str, object]]
    lines: Sequence[Mapping[str, object]]
    timeline: Sequence[str]


def reading(
    place: Place, readout: Readout | None, y_preact: Array | None, y: Array | None, writing: Notation
) -> Reading:
    """What is read out of h: what a layer hands on, where the stack does that, and y above the top layer.

    Parameters
    ----------
    place : Place
    readout : Readout or None
        What makes y, or None.
    y_preact, y : (T, O) array or None
        The readout of every step before and after its activation.
    writing : Notation
    """
    arrays: dict[str, Array] = {}
    variables: dict[str, Variable] = {}
    formulas: dict[str, Mapping[str, object]] = {}
    lines: list[Mapping[str, object]] = []
    timeline: list[str] = []
    head, read_from = ("W_ho", "b_o"), "h"
    if place.passes is not None and place.passed is not None:
        arrays |= {"W_ho": place.passes.W, "b_o": place.passes.b, "u": place.passed}
        goal = "caption.to_output" if place.layer == place.layers else "caption.to_layer"
        variables |= {
            "W_ho": place.weight("W_ho", "W", "ho"),
            "b_o": place.weight("b_o", "b", "o"),
            "u": Variable("u", "u", "t", say(goal, layer=place.layer + 1), decimals=4, sup=place.mark),
        }
        formulas |= _formulas(head, "h", "u", "identity")
        lines.append(writing.readout(head, "h", "u", "identity"))
        timeline.append("u")
        head, read_from = ("W_out", "b_out"), "u"
    if readout is not None and y is not None and y_preact is not None:
        subs = ("ho", "o") if head[0] == "W_ho" else ("out", "out")
        arrays |= {head[0]: readout.W, head[1]: readout.b, "y": y, "y_preact": y_preact}
        for name, symbol, sub in zip(head, "Wb", subs, strict=True):
            variables[name] = Variable(name, symbol, sub, family="weight", per_step=False, edit=name)
        variables["y"] = Variable("y", "y", "t", say("caption.y"), decimals=4)
        if readout.activation != "identity":
            variables["y_preact"] = Variable("y_preact", "", "", say("caption.y_preact"))
        formulas |= _formulas(head, read_from, "y", readout.activation)
        lines.append(writing.readout(head, read_from, "y", readout.activation))
        timeline.append("y")
    return Reading(arrays, variables, formulas, lines, timeline)


def _formulas(head: tuple[str, str], of: str, result: str, activation: str) -> dict[str, dict[str, object]]:
    """How a readout is made: one sum, or a sum and its activation."""
    summed: dict[str, object] = {"terms": [{"dot": [head[0], of]}, {"ref": head[1]}]}
    if activation == "identity":
        return {result: summed}
    preact = f"{result}_preact"
    return {preact: summed, result: {"fn": activation, "terms": [{"ref": preact}]}}


def weight_limit_names(layer: int) -> tuple[str, ...]:
    """The arrays on which the colours of a layer's weights are scaled."""
    return tuple(numbered(name, layer) for name in ("W_ih", "W_hh", "b_ih", "b_hh"))
