"""The drawing order of an Elman step: what the explorer draws, in which order, and how each number is made."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Readout, Trace
from rnnviz.maths.activations import ACTIVATIONS, Activation
from rnnviz.settings import numbered
from rnnviz.texts import say
from rnnviz.views.explorer.notation import NOTATIONS
from rnnviz.views.explorer.picture import Picture, Variable, colour_limit
from rnnviz.views.explorer.reading import ALONE, Place, reading, weight_limit_names
from rnnviz.views.sentences import facts

Array = NDArray[np.float64]

_CURVE_POINTS, _CURVE_REACH = 81, 4.0


def elman_picture(
    trace: Trace,
    readout: Readout | None,
    y_preact: Array | None,
    y: Array | None,
    base: Mapping[str, Array],
    place: Place = ALONE,
    notation: str = "column",
    order: str = "unit",
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
        How the step is written: one of `rnnviz.views.explorer.notation.NOTATIONS`.
    order : str
        Of no use: it is for gates.

    Returns
    -------
    Picture
    """
    del order
    cell = trace.cell
    activation = facts.elman_activation(trace)
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
        "curve": _curve(ACTIVATIONS[activation]),
    }
    variables = {
        "x": place.arriving(),
        **place.weights(),
        "h_prev": place.start("h", "h", say("caption.h_prev")),
        "from_x": place.from_below(),
        "from_h": Variable("from_h", "", "", say("caption.from_h"), brief=say("caption.from_h.brief")),
        "a": Variable("a", "a", "t", say("caption.a"), sup=place.mark),
        "h": place.state("h"),
    }
    formulas: dict[str, Mapping[str, object]] = {
        "from_x": {"terms": [{"dot": ["W_ih", "x"]}, {"ref": "b_ih"}]},
        "from_h": {"terms": [{"dot": ["W_hh", "h_prev"]}, {"ref": "b_hh"}]},
        "a": {"terms": [{"ref": "from_x"}, {"ref": "from_h"}]},
        "h": {"fn": activation, "terms": [{"ref": "a"}]},
    }
    plot = {
        "plot": say(f"choice.activation.{activation}"),
        "name": "plot",
        "of": "a",
        "to": "h",
        "curve": "curve",
        "slope": "slope",
    }
    writing = NOTATIONS[notation]
    edges = [["a", "plot"], ["plot", "h"]]
    read = reading(place, readout, y_preact, y, writing)
    formulas |= read.formulas
    variables |= read.variables
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
        "flow": [*sums, {"column": [writing.result(plot), *read.lines]}],
        "turned": writing.turned,
        "place": [place.layer, place.sequence],  # another layer of the same sizes is another picture all the same
    }
    arriving = base[numbered("x", place.sequence)] if place.layer == 1 else trace.x
    return Picture(
        kind=cell.kind,
        arrays=arrays | read.arrays,
        variables=writing.named(variables),
        formulas=formulas,
        scene=scene,
        edges=edges,
        loops=[["h", "h_prev"]],
        timeline=["x", "h", *read.timeline],
        limits={
            "signed": colour_limit(arriving, np.ones(1)),
            "state": 1.0 if activation in ("tanh", "sigmoid") else colour_limit(trace.h),
            "weight": colour_limit(*(base[name] for name in weight_limit_names(place.layer))),
        },
    )


def _curve(activation: Activation) -> Array:
    """The activation from -4 to 4, whatever sums occur, as two rows: a and f(a). It saturates within that range."""
    points = np.linspace(-_CURVE_REACH, _CURVE_REACH, _CURVE_POINTS)
    return np.stack([points, activation(points)])
