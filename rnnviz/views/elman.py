"""The drawing order of an Elman step: what the explorer draws, in which order, and how each number is made."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Readout, Trace
from rnnviz.maths.activations import ACTIVATIONS, Activation
from rnnviz.texts import say
from rnnviz.views import facts
from rnnviz.views.picture import Picture, Variable, colour_limit

Array = NDArray[np.float64]

_CURVE_POINTS = 81


def elman_picture(
    trace: Trace, readout: Readout | None, y_preact: Array | None, y: Array | None, base: Mapping[str, Array]
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
    variables = {
        "x": Variable("x", "x", "t", say("caption.x"), edit="x"),
        "W_ih": Variable("W_ih", "W", "ih", family="weight", per_step=False, edit="W_ih"),
        "b_ih": Variable("b_ih", "b", "ih", family="weight", per_step=False, edit="b_ih"),
        "W_hh": Variable("W_hh", "W", "hh", family="weight", per_step=False, edit="W_hh"),
        "b_hh": Variable("b_hh", "b", "hh", family="weight", per_step=False, edit="b_hh"),
        "h_prev": Variable("h", "h", "t−1", say("caption.h_prev"), edit="h0"),
        "from_x": Variable("from_x", "", "", say("caption.from_x")),
        "from_h": Variable("from_h", "", "", say("caption.from_h")),
        "a": Variable("a", "a", "t", say("caption.a")),
        "h": Variable("h", "h", "t", say("caption.h"), shift=1, decimals=4),
    }
    formulas: dict[str, dict[str, object]] = {
        "from_x": {"terms": [{"dot": ["W_ih", "x"]}, {"ref": "b_ih"}]},
        "from_h": {"terms": [{"dot": ["W_hh", "h_prev"]}, {"ref": "b_hh"}]},
        "a": {"terms": [{"ref": "from_x"}, {"ref": "from_h"}]},
        "h": {"fn": activation, "terms": [{"ref": "a"}]},
    }
    plot = {"plot": activation, "name": "plot", "of": "a", "to": "h", "curve": "curve", "slope": "slope"}
    result: list[object] = [{"row": [{"block": "a"}, plot, {"block": "h"}]}]
    edges = [["from_x", "join"], ["from_h", "join"], ["join", "a"], ["a", "plot"], ["plot", "h"]]
    timeline = ["x", "h"]
    if readout is not None and y is not None and y_preact is not None:
        arrays |= {"W_ho": readout.W, "b_o": readout.b, "y": y, "y_preact": y_preact}
        variables |= {
            "W_ho": Variable("W_ho", "W", "ho", family="weight", per_step=False, edit="W_ho"),
            "b_o": Variable("b_o", "b", "o", family="weight", per_step=False, edit="b_o"),
            "y": Variable("y", "y", "t", say("caption.y"), decimals=4),
        }
        row: list[object] = [{"block": "W_ho"}, {"op": "×"}, {"again": "h"}, {"op": "+"}, {"block": "b_o"}, {"op": "="}]
        if readout.activation == "identity":
            formulas["y"] = {"terms": [{"dot": ["W_ho", "h"]}, {"ref": "b_o"}]}
        else:
            variables["y_preact"] = Variable("y_preact", "", "", say("caption.y_preact"))
            formulas["y_preact"] = {"terms": [{"dot": ["W_ho", "h"]}, {"ref": "b_o"}]}
            formulas["y"] = {"fn": readout.activation, "terms": [{"ref": "y_preact"}]}
            row += [{"block": "y_preact"}, {"op": readout.activation}]
        result.append({"row": [*row, {"block": "y"}]})
        timeline.append("y")
    scene = {
        "flow": [
            {
                "lines": [
                    _product_row("W_ih", "x", "b_ih", "from_x"),
                    _product_row("W_hh", "h_prev", "b_hh", "from_h"),
                ]
            },
            {"join": "+", "name": "join"},
            {"column": result},
        ]
    }
    return Picture(
        kind=cell.kind,
        arrays=arrays,
        variables=variables,
        formulas=formulas,
        scene=scene,
        edges=edges,
        loops=[["h", "h_prev"]],
        timeline=timeline,
        limits={
            "signed": colour_limit(base["x"], np.ones(1) if activation in ("tanh", "sigmoid") else trace.h),
            "weight": colour_limit(*(base[name] for name in ("W_ih", "W_hh", "b_ih", "b_hh"))),
        },
    )


def _product_row(weight: str, vector: str, bias: str, result: str) -> Mapping[str, object]:
    """One line of the textbook: weight times vector plus bias equals partial sum."""
    row: list[object] = [{"product": [weight, vector]}]
    for sign, block in (("+", bias), ("=", result)):
        row += [{"op": sign}, {"block": block}]
    return {"row": row}


def _curve(activation: Activation, a: Array) -> Array:
    """The activation over the sums that occur, as two rows: a and f(a)."""
    reach = max(3.0, min(float(np.abs(a).max(initial=0.0)) * 1.05, 1e100))
    points = np.linspace(-reach, reach, _CURVE_POINTS)
    return np.stack([points, activation(points)])
