"""The drawing order of an Elman step: what the explorer draws, in which order, and how each number is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Readout, Trace
from rnnviz.maths.activations import ACTIVATIONS, Activation
from rnnviz.settings import numbered
from rnnviz.texts import say
from rnnviz.views import facts
from rnnviz.views.notation import NOTATIONS
from rnnviz.views.picture import Picture, Variable, colour_limit

Array = NDArray[np.float64]

_CURVE_POINTS = 81


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


_ALONE = Place()


def elman_picture(
    trace: Trace,
    readout: Readout | None,
    y_preact: Array | None,
    y: Array | None,
    base: Mapping[str, Array],
    place: Place = _ALONE,
    notation: str = "column",
) -> Picture:
    """The picture of a whole Elman trace.

    ``h_t = f(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)`` and ``y_t = g(W_ho h_t + b_o)`` (Elman 1990).

    Parameters
    ----------
    trace : Trace
        Of an `ElmanCell`; T steps, H units, D inputs.
    readout : Readout or None
        With it the last column of the picture is drawn.
    y_preact, y : (T, O) array or None
        The readout of every step before and after its activation.
    base : mapping of str to array
        The editable arrays before the edits: the colours are scaled on them, so that an edit does not repaint what it
        does not change.
    place : Place
        Where the trace stands in a stack and in a batch; alone, if left out.
    notation : str
        How the step is written: one of `rnnviz.views.notation.NOTATIONS`.

    Returns
    -------
    Picture
    """
    cell = trace.cell
    activation = str(getattr(cell, "activation", "tanh"))
    a = trace.preacts["a"]
    arrays: dict[str, Array] = {
        "x": trace.x,
        "W_ih": cell.W_ih,
        "b_ih": cell.b_ih,
        "W_hh": cell.W_hh,
        "b_hh": cell.b_hh,
        "from_x": trace.from_x,
        "from_h": trace.from_h,
        "a": a,
        "h": trace.h,
        "slope": facts.elman_slopes(trace),
        "curve": _curve(ACTIVATIONS[activation], a),
    }
    mark = f"({place.layer})" if place.layers > 1 else ""

    def weight(name: str, symbol: str, sub: str) -> Variable:
        edit = numbered(name, place.layer)
        return Variable(name, symbol, sub, family="weight", per_step=False, edit=edit, sup=mark)

    x = Variable("x", "x", "t", say("caption.x"), edit=numbered("x", place.sequence))
    if place.layer > 1:
        x = Variable("x", "h", "t", say("caption.from_layer", layer=place.layer - 1), sup=f"({place.layer - 1})")
        if place.passes is not None:
            x = replace(x, symbol="u")
    variables = {
        "x": x,
        "W_ih": weight("W_ih", "W", "ih"),
        "b_ih": weight("b_ih", "b", "ih"),
        "W_hh": weight("W_hh", "W", "hh"),
        "b_hh": weight("b_hh", "b", "hh"),
        "h_prev": Variable("h", "h", "t−1", say("caption.h_prev"), edit=numbered("h0", place.layer), sup=mark),
        "from_x": Variable("from_x", "", "", say("caption.from_x" if place.layer == 1 else "caption.from_below")),
        "from_h": Variable("from_h", "", "", say("caption.from_h")),
        "a": Variable("a", "a", "t", say("caption.a"), sup=mark),
        "h": Variable("h", "h", "t", say("caption.h"), shift=1, decimals=4, sup=mark),
    }
    formulas: dict[str, dict[str, object]] = {
        "from_x": {"terms": [{"dot": ["W_ih", "x"]}, {"ref": "b_ih"}]},
        "from_h": {"terms": [{"dot": ["W_hh", "h_prev"]}, {"ref": "b_hh"}]},
        "a": {"terms": [{"ref": "from_x"}, {"ref": "from_h"}]},
        "h": {"fn": activation, "terms": [{"ref": "a"}]},
    }
    plot = {"plot": activation, "name": "plot", "of": "a", "to": "h", "curve": "curve", "slope": "slope"}
    writing = NOTATIONS[notation]
    result: list[object] = [writing.result(plot)]
    edges = [["a", "plot"], ["plot", "h"]]
    timeline = ["x", "h"]
    head, read_from = ("W_ho", "b_o"), "h"
    if place.passes is not None and place.passed is not None:
        arrays |= {"W_ho": place.passes.W, "b_o": place.passes.b, "u": place.passed}
        goal = "caption.to_output" if place.layer == place.layers else "caption.to_layer"
        variables |= {
            "W_ho": weight("W_ho", "W", "ho"),
            "b_o": weight("b_o", "b", "o"),
            "u": Variable("u", "u", "t", say(goal, layer=place.layer + 1), decimals=4, sup=mark),
        }
        formulas |= _readout_formulas(head, "h", "u", "identity")
        result.append(writing.readout(head, "h", "u", "identity"))
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
        formulas |= _readout_formulas(head, read_from, "y", readout.activation)
        result.append(writing.readout(head, read_from, "y", readout.activation))
        timeline.append("y")
    sums: list[object]
    if writing.joined:
        products = [{"dot": ["W_ih", "x"]}, {"dot": ["W_hh", "h_prev"]}]
        formulas["a"] = {"terms": [*products, {"ref": "b_ih"}, {"ref": "b_hh"}]}
        formulas = {name: formula for name, formula in formulas.items() if name not in ("from_x", "from_h")}
        variables = {name: variable for name, variable in variables.items() if name not in ("from_x", "from_h")}
        sums = [writing.joined_sum()]
        edges = [["b_hh", "a"], *edges]
    else:
        lines = [writing.line("W_ih", "x", "b_ih", "from_x"), writing.line("W_hh", "h_prev", "b_hh", "from_h")]
        sums = [{"lines": lines}, {"join": "+", "name": "join"}]
        edges = [["from_x", "join"], ["from_h", "join"], ["join", "a"], *edges]
    scene = {
        "flow": [*sums, {"column": result}],
        "turned": writing.turned,
        "place": [place.layer, place.sequence],  # another layer of the same sizes is another picture all the same
    }
    arriving = base[numbered("x", place.sequence)] if place.layer == 1 else trace.x
    return Picture(
        kind=cell.kind,
        arrays=arrays,
        variables=writing.named(variables),
        formulas=formulas,
        scene=scene,
        edges=edges,
        loops=[["h", "h_prev"]],
        timeline=timeline,
        limits={
            "signed": colour_limit(arriving, np.ones(1) if activation in ("tanh", "sigmoid") else trace.h),
            "weight": colour_limit(*(base[numbered(name, place.layer)] for name in ("W_ih", "W_hh", "b_ih", "b_hh"))),
        },
    )


def _readout_formulas(head: tuple[str, str], of: str, result: str, activation: str) -> dict[str, dict[str, object]]:
    """How a readout is made: one sum, or a sum and its activation."""
    summed: dict[str, object] = {"terms": [{"dot": [head[0], of]}, {"ref": head[1]}]}
    if activation == "identity":
        return {result: summed}
    preact = f"{result}_preact"
    return {preact: summed, result: {"fn": activation, "terms": [{"ref": preact}]}}


def _curve(activation: Activation, a: Array) -> Array:
    """The activation over the sums that occur, as two rows: a and f(a)."""
    reach = max(3.0, min(float(np.abs(a).max(initial=0.0)) * 1.05, 1e100))
    points = np.linspace(-reach, reach, _CURVE_POINTS)
    return np.stack([points, activation(points)])
