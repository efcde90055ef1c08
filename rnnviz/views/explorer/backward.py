"""The drawing order of a backward step: from the loss and the step after to dL/dh, and on to every gate.

The explorer of the forward pass draws it. Every number is one of a `LossPass` or a `BackwardTrace`, or a factor that it
is made with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import BackwardTrace
from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.cells.gates import gates_and_slopes
from rnnviz.maths.extended_range.arithmetic import FLOATS
from rnnviz.maths.learning_rules.loss_pass import LossPass, ReadoutPass
from rnnviz.settings import numbered
from rnnviz.texts import say
from rnnviz.views.explorer.gated import state_limits
from rnnviz.views.explorer.picture import Picture, Variable, colour_limit
from rnnviz.views.sentences.facts import elman_activation

Array = NDArray[np.float64]
Node = Mapping[str, object]

_ERROR, _OF_STEP = "∂L/∂", "∂Lₜ/∂"
_TIMES, _THEN_TIMES = "⊙", "→ ⊙"

MOST_OUTPUTS = 2
"""Outputs that have a row each in the strip over time, beside their targets."""


def backward_picture(
    passed: BackwardTrace, layer: int = 1, loss: LossPass | None = None, characters: Sequence[str] = ()
) -> Picture:
    """The picture of a whole backward pass, from step T to step 1.

    Read from left to right, a step turns output and target into the gradient of its own loss at h, adds what arrives
    from the step after it through ``W_hh^T``, and turns the sum into the delta of every gate; the equations stand at
    `LossPass` and `BackwardTrace`.

    Parameters
    ----------
    passed : BackwardTrace
        Of a whole gradient: a truncated one is no product of ``W_hh^T`` and the deltas that are shown.
    layer : int
        The layer whose weights these are; an edit of a transposed matrix goes to them.
    loss : LossPass, optional
        Where the gradient of each step's loss comes from; left out, it is drawn without an origin.
    characters : sequence of str
        What the components of a one-hot target stand for; empty where they are no characters.

    Returns
    -------
    Picture
        Row t - 1 of each array belongs to step t, as in the forward picture. Whatever is of step t + 1 is 0 at step T.

    Raises
    ------
    ValueError
        If the pass was truncated.
    """
    if passed.truncation is not None:
        raise ValueError("backward_picture needs a whole gradient; this one was truncated")
    drawing = _Drawing(passed, layer)
    drawing.vector("from_loss", passed.from_loss, f"{_OF_STEP}h", "t")
    first = _origin(drawing, loss) if loss else [{"block": "from_loss"}]
    lines, below = _STEPS.get(passed.trace.cell.kind, _own)(drawing)
    arriving = [str(line["result"]) for line in lines]
    drawing.vector("d_h", passed.h[1:], f"{_ERROR}h", "t", decimals=4)
    if "from_future" not in arriving:  # the sum of several lines, which stands in the strip below alone
        drawing.future()
        drawing.formulas["from_future"] = {"terms": [{"ref": name} for name in arriving], "depth": 1}
    drawing.formulas["d_h"] = {"terms": [{"ref": "from_loss"}, {"ref": "from_future"}], "depth": 2}
    left = [*first, *(line["node"] for line in lines)]
    alone = len(drawing.gates) < 2
    right: list[Node] = [{"block": "d_h"}, *([{"column": below}] if below else [])]
    if drawing.gates == ("a",):
        right = [{"row": [{"block": "d_h"}, *below]}]
    deltas = [f"delta_{gate}" for gate in drawing.gates]
    return Picture(
        kind=f"{passed.trace.cell.kind} back",
        characters=characters,
        arrays=drawing.arrays,
        variables=drawing.variables,
        formulas=drawing.formulas,
        scene={
            "flow": [{"lines" if alone else "column": left}, {"join": "+", "name": "join"}, *right],
            "back": True,
            "low": not alone,  # a row for each gate: each has to do with less height
            "place": [layer, 1],
            "letters": "target",
        },
        edges=[["from_loss", "join"], *([name, "join"] for name in arriving), ["join", "d_h"]],
        loops=sorted(drawing.loops, key=lambda loop: loop[0] not in ("d_c", "d_h")),  # the memory's gradient first
        timeline=[
            *(["y", "target"] if loss and loss.y.shape[1] <= MOST_OUTPUTS else []),
            "from_loss",
            "from_future",
            "d_h",
            *(["d_c"] if passed.c is not None else []),
            *deltas,
        ],
        limits={
            "signed": colour_limit(passed.states, passed.deltas, *([loss.loss.d_y] if loss else [])),
            "weight": colour_limit(passed.trace.cell.W_hh, *(one.readout.W for one in (loss.readouts if loss else ()))),
            **({"output": colour_limit(loss.y, loss.target)} if loss else {}),
            "factor": colour_limit(*(drawing.arrays[name] for name in drawing.factors)),
            **({} if alone else state_limits(passed.trace)),
            **({"sum": colour_limit(drawing.arrays["from_h_n"])} if "from_h_n" in drawing.arrays else {}),
        },
    )


class _Drawing:
    """A picture in the making: arrays, variables and formulas by name."""

    def __init__(self, passed: BackwardTrace, layer: int) -> None:
        self.passed, self.layer, self.cell = passed, layer, passed.trace.cell
        self.gates = {"slopes": ("a",), "gates": self.cell.reading_order, "step": ()}[self.cell.told_by]
        self.arrays: dict[str, Array] = {}
        self.variables: dict[str, Variable] = {}
        self.formulas: dict[str, Mapping[str, object]] = {}
        self.factors: list[str] = []
        self.loops: list[list[str]] = []
        self.made = passed.trace.cell.factors(passed.trace, slice(None), FLOATS)

    def vector(self, name: str, array: Array, symbol: str, sub: str, caption: str = "", **form: Any) -> None:
        """A vector of every step, (T, H)."""
        self.arrays[name] = array
        self.variables[name] = Variable(name, symbol, sub, caption, **form)

    def factor(self, name: str, array: Array, symbol: str, sub: str, caption: str = "", sup: str = "") -> None:
        """One that scales gradients and is none itself."""
        self.vector(name, array, symbol, sub, caption, family="factor", sup=sup)
        self.factors.append(name)

    def state(self, name: str, array: Array, symbol: str, sub: str, scale: str = "state") -> None:
        """A state or a candidate of the forward pass: in the colours and on the scale that it has there."""
        self.vector(name, array, symbol, sub, scale=scale)

    def number(self, name: str, array: Array, symbol: str, sub: str, caption: str = "") -> None:
        """One beside the gradients, whose size may be another by far: it has the factors' colours, not their scale."""
        self.vector(name, array, symbol, sub, caption, family="factor")

    def output(self, name: str, array: Array, symbol: str, caption: str = "") -> None:
        """What the loss compares: in the colours of signed values, on a scale of its own."""
        self.vector(name, array, symbol, "t", caption, scale="output")

    def matrix(self, gate: str) -> None:
        """The rows of a gate in W_hh, transposed."""
        rows = self.cell.rows(gate)
        sub = "hh" if gate == "a" else f"hh,{gate}"
        self.transposed(f"W_{gate}_T", self.cell.W_hh[rows], sub, numbered("W_hh", self.layer), rows.start)

    def transposed(self, name: str, W: Array, sub: str, edit: str, first: int = 0) -> None:
        """A weight matrix, or its rows from `first` on, transposed."""
        self.arrays[name] = np.ascontiguousarray(W.T)
        self.variables[name] = Variable(
            name, "W", sub, family="weight", per_step=False, edit=edit, sup="T", turned=first
        )

    def future(self) -> None:
        """All that arrives at h from the step after."""
        arrived = self.passed.from_future[1:, : self.cell.hidden_size]
        caption, brief = say("backward.from_future"), say("backward.from_future.brief")
        self.vector("from_future", arrived, say("backward.symbol.from_future"), "", caption, brief=brief)

    def next(self, name: str, array: Array, symbol: str, **form: Any) -> str:
        """What a result of this step is called where it arrives: at the step before."""
        self.vector(f"{name}_next", _later(array), symbol, "t+1", **form)
        self.loops.append([name, f"{name}_next"])
        return f"{name}_next"

    def back(self, gate: str, handed: str, deltas: Array, symbol: str = "δ") -> Mapping[str, Any]:
        """A line at the left: what arrives through a gate's rows of W_hh."""
        matrix = f"W_{gate}_T"
        self.matrix(gate)
        delta = self.next(handed, deltas, symbol, sup="" if gate == "a" else gate)
        if gate == "a":
            result = "from_future"
            self.future()
        else:
            result = f"from_{gate}"
            self.vector(result, self.passed.paths[gate][1:], "", "", say("backward.through", gate=gate))
        self.formulas[result] = {"terms": [{"dot": [matrix, delta]}]}
        return {"result": result, "node": {"row": [{"product": [matrix, delta]}, {"op": "="}, {"block": result}]}}

    def carried(self, result: str, caption: str, factor: str, error: str) -> Mapping[str, Any]:
        """A line at the left: what arrives past all weights, elementwise."""
        self.vector(result, _product(self.arrays[factor], self.arrays[error]), "", "", caption)
        self.formulas[result] = {"terms": [{"product": [factor, error]}]}
        row = [{"block": factor}, {"op": _TIMES}, {"block": error}, {"op": "="}, {"block": result}]
        return {"result": result, "node": {"row": row}}

    def delta(self, gate: str, slope: str, of: str) -> list[Node]:
        """The derivative of a gate's activation, and the delta that it makes of the gradient at the gate."""
        name, mark = f"delta_{gate}", "" if gate == "a" else gate
        self.factor(f"slope_{gate}", self.passed.slopes[gate], f"{slope}(a)", "")
        self.vector(name, self.passed.delta[gate], "δ", "t", sup=mark, decimals=4)
        self.formulas[name] = {"terms": [{"product": [of, f"slope_{gate}"]}], "depth": 2}
        return [{"block": f"slope_{gate}"}, {"op": "="}, {"block": name}]

    def gate_row(self, gate: str, error: str, factor: str) -> Node:
        """A row at the right: a gradient times what the gate scales is that at the gate; times g', its delta."""
        at, is_gate = f"at_{gate}", gate in self.cell.clampable
        self.vector(at, self.passed.at_gates[gate], f"{_ERROR}{gate}", "t")
        self.formulas[at] = {"terms": [{"product": [error, factor]}], "depth": 1}
        begin = [{"again": error}, {"op": _TIMES}, {"block": factor}, {"op": "="}, {"block": at}]
        return {"row": [*begin, {"op": _THEN_TIMES}, *self.delta(gate, "σ′" if is_gate else "tanh′", at)]}


def _origin(drawing: _Drawing, loss: LossPass) -> list[Node]:
    """The lines from output and target to the gradient of the step's own loss at h."""
    of_logits = loss.kind == "cross_entropy"
    passes = loss.readouts
    drawing.output("y", loss.y, "p" if of_logits else "y" if passes else "h", "softmax" if of_logits else "")
    drawing.output("target", loss.target, say("backward.symbol.target"))
    drawing.vector("error", loss.error, say("backward.symbol.error"), "t")
    drawing.number("factor", np.repeat(loss.factor[:, None], loss.y.shape[1], axis=1), "", "", say("backward.factor"))
    drawing.formulas["error"] = {"terms": [{"ref": "y"}, {"ref": "target", "minus": True}], "depth": 1}
    compared = [{"block": "y"}, {"op": "−"}, {"block": "target"}, {"op": "="}, {"block": "error"}]
    scaled = {"terms": [{"product": ["factor", "error"]}], "depth": 2}
    row: list[Node] = [*compared, {"op": _THEN_TIMES}, {"block": "factor"}, {"op": "="}]
    if not passes:
        drawing.formulas["from_loss"] = scaled
        return [{"row": [*row, {"block": "from_loss"}]}]
    at = "a" if of_logits else "y"
    drawing.vector("d_y", loss.loss.d_y, f"{_OF_STEP}{at}", "t")
    drawing.formulas["d_y"] = scaled
    lines: list[Node] = [{"row": [*row, {"block": "d_y"}]}]
    source = "d_y"
    if not of_logits and passes[-1].readout.activation != "identity":
        lines.append(_before_output(drawing, passes[-1], loss.y))
        source = "d_a"
    names = ("W_ho", "W_out")[: len(passes)]
    for place in reversed(range(len(passes))):
        result = "from_loss" if place == 0 else "d_u"
        if result == "d_u":
            drawing.vector("d_u", passes[0].d_y, f"{_OF_STEP}u", "t")
        name = names[place]
        edit = numbered(name, drawing.layer) if len(passes) > 1 and place == 0 else name
        drawing.transposed(f"{name}_T", passes[place].readout.W, name[2:], edit)
        drawing.formulas[result] = {"terms": [{"dot": [f"{name}_T", source]}]}
        lines.append({"row": [{"room": True}, {"applied": [f"{name}_T", source]}, {"op": "="}, {"block": result}]})
        source = result
    return lines


def _before_output(drawing: _Drawing, head: ReadoutPass, y: Array) -> Node:
    """The line through the output's activation, from the gradient at y to that at what it was made of."""
    activation = head.readout.activation
    drawing.vector("d_a", head.d_a, f"{_OF_STEP}a", "t")
    begin: list[Node] = [{"again": "d_y"}]
    if activation != "softmax":
        drawing.number(
            "slope_y", ACTIVATIONS[activation].slope(head.readout.preacts(head.read)), f"{activation}′(a)", ""
        )
        drawing.formulas["d_a"] = {"terms": [{"product": ["d_y", "slope_y"]}], "depth": 2}
        return {"row": [*begin, {"op": _TIMES}, {"block": "slope_y"}, {"op": "="}, {"block": "d_a"}]}
    mean = np.repeat((y * head.d_y).sum(axis=1, keepdims=True), y.shape[1], axis=1)
    drawing.vector("mean", mean, "", "", say("backward.mean"))
    drawing.vector("centred", head.d_y - mean, "", "", say("backward.difference"))
    drawing.formulas["centred"] = {"terms": [{"ref": "d_y"}, {"ref": "mean", "minus": True}], "depth": 1}
    drawing.formulas["d_a"] = {"terms": [{"product": ["y", "centred"]}], "depth": 1}
    less = [{"op": "−"}, {"block": "mean"}, {"op": "="}, {"block": "centred"}]
    return {"row": [*begin, *less, {"op": _THEN_TIMES}, {"again": "y"}, {"op": "="}, {"block": "d_a"}]}


Parts = tuple[list[Mapping[str, Any]], list[Node]]


def _elman(drawing: _Drawing) -> Parts:
    """The lines that arrive, and what follows the sum."""
    lines = [drawing.back("a", "delta_a", drawing.passed.deltas_from_h)]
    activation = elman_activation(drawing.passed.trace)
    return lines, [{"op": _TIMES}, *drawing.delta("a", f"{activation}′", "d_h")]


def _lstm(drawing: _Drawing) -> Parts:
    passed, gates = drawing.passed, drawing.passed.trace.gates
    c, d_c = passed.trace.states[:, drawing.cell.hidden_size :], passed.states[1:, drawing.cell.hidden_size :]
    lines = [drawing.back(gate, f"delta_{gate}", passed.delta[gate]) for gate in drawing.gates]
    drawing.factor("through", drawing.made["through"], "o⊙tanh′c", "t")
    drawing.factor("f_next", _later(gates["f"]), "f", "t+1", say("gate.caption.f"))
    drawing.next("d_c", d_c, f"{_ERROR}c")
    drawing.vector("d_c", d_c, f"{_ERROR}c", "t", decimals=4)
    drawing.formulas["d_c"] = {
        "terms": [{"product": ["d_h", "through"]}, {"product": ["f_next", "d_c_next"]}],
        "depth": 1,
    }
    drawing.state("c_prev", c[:-1], "c", "t−1", "cell")
    drawing.state("g", gates["g"], "g", "t")
    drawing.factor("i", gates["i"], "i", "t")
    drawing.state("tanh_c", np.tanh(c[1:]), "tanh c", "t")
    scaled = {"f": ("d_c", "c_prev"), "i": ("d_c", "g"), "g": ("d_c", "i"), "o": ("d_h", "tanh_c")}
    shown = [{"again": "d_h"}, {"op": _TIMES}, {"block": "through"}]
    kept = [{"op": "+"}, {"block": "f_next"}, {"op": _TIMES}, {"block": "d_c_next"}]
    memory: Node = {"row": [*shown, *kept, {"op": "="}, {"block": "d_c"}]}
    return lines, [memory, *(drawing.gate_row(gate, *scaled[gate]) for gate in drawing.gates)]


def _gru(drawing: _Drawing) -> Parts:
    passed, cell, trace = drawing.passed, drawing.cell, drawing.passed.trace
    n_rows, h_prev, gates = cell.rows("n"), trace.h[:-1], trace.gates
    before, keep = getattr(cell, "reset", "") == "before", getattr(cell, "update", "") == "keep"
    lines = [drawing.back(gate, f"delta_{gate}", passed.delta[gate]) for gate in ("r", "z")]
    if before:
        seen = passed.delta["n"] @ cell.W_hh[n_rows]
        drawing.matrix("n")
        drawing.factor("r_next", _later(gates["r"]), "r", "t+1", say("gate.caption.r"))
        arrived = drawing.next("d_seen", seen, f"{_ERROR}(r⊙h)")
        lines.append(drawing.carried("from_n", say("backward.through", gate="n"), "r_next", arrived))
    else:
        lines.append(drawing.back("n", "handed_n", passed.deltas_from_h[:, n_rows], "r⊙δ"))
    kept, written = ("z", "1−z") if keep else ("1−z", "z")
    drawing.factor("keep_next", _later(drawing.made["keep"]), kept, "t+1")
    arrived = drawing.next("d_h", passed.h[1:], f"{_ERROR}h")
    lines.append(drawing.carried("kept", say("backward.kept"), "keep_next", arrived))
    one_less = gates_and_slopes(trace, slice(None), FLOATS)[2]  # 1 - z, exact where z is all but 1
    drawing.factor("write", one_less if keep else gates["z"], written, "t")
    drawing.state("change", h_prev - gates["n"] if keep else gates["n"] - h_prev, "h−n" if keep else "n−h", "")
    rows = [drawing.gate_row("n", "d_h", "write"), drawing.gate_row("z", "d_h", "change")]
    if before:
        drawing.vector("d_seen", seen, f"{_ERROR}(r⊙h)", "t")
        drawing.formulas["d_seen"] = {"terms": [{"dot": ["W_n_T", "delta_n"]}]}
        drawing.state("h_prev", h_prev, "h", "t−1")
        through: Node = {"row": [{"applied": ["W_n_T", "delta_n"]}, {"op": "="}, {"block": "d_seen"}]}
        return lines, [*rows, through, drawing.gate_row("r", "d_seen", "h_prev")]
    drawing.vector("from_h_n", trace.from_h[:, n_rows], say("caption.from_h.brief"), "", "n", scale="sum")
    drawing.factor("r", gates["r"], "r", "t", say("gate.caption.r"))
    drawing.vector("handed_n", passed.deltas_from_h[:, n_rows], "r⊙δ", "t", sup="n")
    drawing.formulas["handed_n"] = {"terms": [{"product": ["delta_n", "r"]}], "depth": 1}
    handed: list[Node] = [{"again": "delta_n"}, {"op": _TIMES}, {"block": "r"}, {"op": "="}, {"block": "handed_n"}]
    return lines, [*rows, drawing.gate_row("r", "delta_n", "from_h_n"), {"row": handed}]


def _own(drawing: _Drawing) -> Parts:
    """A cell that tells no more than its step: what arrives comes through the Jacobian of the step after, in full."""
    names, cell, gradients = drawing.cell.state_names, drawing.cell, drawing.passed.states[1:]
    blocks = {name: slice(place * cell.hidden_size, (place + 1) * cell.hidden_size) for place, name in enumerate(names)}
    handed = {name: drawing.next(f"d_{name}", gradients[:, rows], f"{_ERROR}{name}") for name, rows in blocks.items()}
    jacobian = _later(np.asarray(cell.jacobians(drawing.made, FLOATS)))

    def through(result: str, to: str, node: str) -> list[Node]:
        """The sum of what every part of the state hands back to one of them."""
        products = []
        for name in names:
            array = np.ascontiguousarray(jacobian[:, blocks[name], blocks[to]].transpose(0, 2, 1))
            sub = "t+1" if len(names) == 1 else f"{name}{to},t+1"
            drawing.factor(f"J_{name}_{to}_T", array, "J", sub, sup="T")
            products.append([f"J_{name}_{to}_T", handed[name]])
        drawing.formulas[result] = {"terms": [{"dot": product} for product in products]}
        first, *rest = ({node: product} for product in products)
        more = [part for product in rest for part in ({"op": "+"}, product)]
        return [first, *more, {"op": "="}, {"block": result}]

    drawing.future()
    line = {"result": "from_future", "node": {"row": through("from_future", "h", "product")}}
    below: list[Node] = []
    for to in names[1:]:
        drawing.vector(f"d_{to}", gradients[:, blocks[to]], f"{_ERROR}{to}", "t", decimals=4)
        below.append({"row": through(f"d_{to}", to, "applied")})
    return [line], below


_STEPS = {"elman": _elman, "lstm": _lstm, "gru": _gru}
"""What each kind of cell draws of a step; any other draws its Jacobian."""


def _later(array: Array) -> Array:
    """Row by row what the step after has; 0 after the last."""
    return np.concatenate([array[1:], np.zeros_like(array[:1])])


def _product(one: Array, other: Array) -> Array:
    return np.asarray(one * other)
