"""The ways in which the same step is written: as columns, as rows, as one joined product, in other letters.

The numbers and their names are the same in each; a notation decides the letters and what stands beside what.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np

from rnnviz.maths import Trace
from rnnviz.texts import say
from rnnviz.views.explorer.picture import Variable
from rnnviz.views.numbers import power_of_ten

Node = Mapping[str, object]


@dataclass(frozen=True)
class Notation:
    """One way of writing a step.

    Attributes
    ----------
    letters : mapping of str to (symbol, subscript)
        The letters that differ from those of PyTorch.
    turned : bool
        Whether vectors are rows and stand before their matrices, which are transposed.
    joined : bool
        Whether input and memory are one vector and their weights one matrix.
    """

    letters: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    turned: bool = False
    joined: bool = False

    def named(self, variables: Mapping[str, Variable]) -> dict[str, Variable]:
        """The variables with this notation's letters; what arrives as x from a layer below is written as an h there."""
        known = {name: letters for name, letters in self.letters.items() if name != "x"}
        arriving = variables["x"].symbol
        if arriving in self.letters:
            known["x"] = self.letters[arriving]
        return {
            name: replace(variable, symbol=known[name][0], sub=known[name][1]) if name in known else variable
            for name, variable in variables.items()
        }

    def letter(self, name: str, usual: str) -> str:
        """A variable's letter and subscript in one word, as ``W_xh``; the usual one where the notation has no other."""
        symbol, sub = self.letters.get(name, (usual, ""))
        return f"{symbol}_{sub}" if sub and name[0] in "Wb" else symbol

    def line(self, weight: str, vector: str, bias: str, result: str) -> Node:
        """One line of the textbook: weight times vector plus bias equals partial sum."""
        product = {"product": [weight, vector], "turned": self.turned}
        return {"row": [product, {"op": "+"}, self._block(bias), {"op": "="}, self._block(result)]}

    def joined_sum(self) -> Node:
        """Both products as one, plus both biases."""
        product = {"joined": [["W_ih", "x"], ["W_hh", "h_prev"]], "turned": self.turned}
        return {"row": [product, {"op": "+"}, self._block("b_ih"), {"op": "+"}, self._block("b_hh"), {"room": True}]}

    def result(self, plot: Node) -> Node:
        """The sum, the activation's curve and the new state: rows stand below each other."""
        return {"upright" if self.turned else "row": [self._block("a"), plot, self._block("h")]}

    def readout(self, head: tuple[str, str], of: str, result: str, activation: str) -> Node:
        """One line below the state: weight times state plus bias equals what is read out."""
        product = {"applied": [head[0], of], "turned": self.turned}
        row: list[object] = [product, {"op": "+"}, self._block(head[1]), {"op": "="}]
        if activation != "identity":
            row += [self._block(f"{result}_preact"), {"op": activation}]
        return {"row": [*row, self._block(result)]}

    def _block(self, name: str) -> Node:
        return {"block": name, "turned": True} if self.turned else {"block": name}


_ROWS = {
    "x": ("X", "t"),
    "W_ih": ("W", "xh"),
    "b_ih": ("b", "xh"),
    "h_prev": ("H", "t−1"),
    "a": ("A", "t"),
    "h": ("H", "t"),
    "W_ho": ("W", "hq"),
    "b_o": ("b", "q"),
    "y": ("O", "t"),
}
_LETTERS = {
    "x": ("x", "(t)"),
    "W_ih": ("V", ""),
    "b_ih": ("b", "1,V"),
    "W_hh": ("U", ""),
    "b_hh": ("b", "1,U"),
    "h_prev": ("h", "(t−1)"),
    "a": ("a", "(t)"),
    "h": ("h", "(t)"),
    "W_ho": ("W", ""),
    "b_o": ("b", "2"),
    "y": ("ŷ", "(t)"),
}

NOTATIONS: Mapping[str, Notation] = MappingProxyType(
    {
        "column": Notation(),
        "row": Notation(_ROWS, turned=True),
        "joined": Notation(_ROWS, turned=True, joined=True),
        "letters": Notation(_LETTERS),
    }
)
"""Every notation by its name in the address."""


def remark(notation: str, trace: Trace, sequences: int, x: str = "X", h: str = "H") -> str:
    """What to know of a notation: its shapes, and of the joined product how equal it is; empty for the usual one.

    `x` and `h` are the letters of what the layer reads and of its state.
    """
    D, H = trace.cell.input_size, trace.cell.hidden_size
    if notation == "joined" and trace.cell.told_by == "gates":
        return _joined_gates(trace)
    if notation == "row":
        batch = say("notation.row.batch", x=x, h=h, sequences=sequences, D=D, H=H) if sequences > 1 else ""
        return f"{say('notation.row', x=x, h=h, D=D, H=H)} {batch}".strip()
    if notation == "joined":
        return f"{say('notation.joined', x=x, h=h, H=H, both=D + H)} {_equality(joining_error(trace))}"
    return say("notation.letters") if notation == "letters" else ""


def _joined_gates(trace: Trace) -> str:
    """The joined product of a gated cell; with the reset after the product its candidate is none."""
    cell = trace.cell
    reset = getattr(cell, "reset", "")
    if reset == "after":
        return say("notation.gates.after")
    rows, both = len(cell.W_hh), cell.hidden_size + cell.input_size
    if reset == "before":
        return f"{say('notation.gates.before', rows=rows, both=both)} {_equality(joining_error(trace))}"
    joined = say("notation.gates", rows=rows, both=both, gates=len(cell.gate_names))
    return f"{joined} {_equality(joining_error(trace))}"


def _equality(error: float) -> str:
    if error == 0:
        return say("notation.joined.exact")
    return say("notation.joined.off", error=power_of_ten(float(np.log10(error))))


def joining_error(trace: Trace) -> float:
    """The largest difference over all steps between two products apart and the joined one, as it is drawn.

    Both are the same sum of products; floating-point sums depend on their order. An Elman step is written
    ``[X, H] [W_xh; W_hh]``, a gated one ``[W_hh, W_ih] [h; x]``, with ``r * h`` in the rows of a GRU's n.
    """
    cell, memory = trace.cell, trace.h[:-1]
    if cell.told_by != "gates":
        apart = trace.x @ cell.W_ih.T + memory @ cell.W_hh.T
        joined = np.hstack([trace.x, memory]) @ np.vstack([cell.W_ih.T, cell.W_hh.T])
        return float(np.abs(joined - apart).max())
    errors = []
    for gate in cell.gate_names:
        rows, seen = cell.rows(gate), trace.gates["r"] * memory if gate == "n" else memory
        W_ih, W_hh = cell.W_ih[rows], cell.W_hh[rows]
        apart = trace.x @ W_ih.T + seen @ W_hh.T
        errors.append(np.abs(np.hstack([seen, trace.x]) @ np.hstack([W_hh, W_ih]).T - apart).max())
    return float(max(errors))
