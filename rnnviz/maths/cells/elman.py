"""The simple recurrent network of Elman."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.cells.factored import FactoredCell, add_use, multiply_into
from rnnviz.maths.cells.loops import Sums, states_after_one, with_bias
from rnnviz.maths.cells.protocol import Cell
from rnnviz.maths.cells.steps_back import StepsBack
from rnnviz.maths.checks import Array, one_of
from rnnviz.maths.errors import InputError
from rnnviz.maths.extended_range.arithmetic import FLOATS, Arithmetic, At, Factors, Numbers, scaled_rows
from rnnviz.maths.extended_range.half_steps import Part, product_of
from rnnviz.wording import Message

if TYPE_CHECKING:
    from rnnviz.maths.gradient_flow.products import Steps
    from rnnviz.maths.learning_rules.backward_trace import BackwardTrace
    from rnnviz.maths.trace import Trace

__all__ = ["ElmanCell", "require_elman"]


@dataclass(frozen=True, eq=False)
class ElmanCell(FactoredCell):
    """The simple recurrent network of Elman (1990), with the two biases of ``torch.nn.RNN``::

        h_t = g(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)

    Parameters
    ----------
    W_ih : (H, D) array-like
    W_hh : (H, H) array-like
    b_ih, b_hh : (H,) array-like
    activation : {"tanh", "sigmoid", "relu", "identity"}
        g. Elman's own units are "sigmoid"; "identity" makes the network linear.

    Raises
    ------
    InputError
        If a shape does not fit, an entry is not a finite number or the activation is unknown.

    Examples
    --------
    >>> cell = ElmanCell([[1.0, 0.0]], [[0.5]], [0.0], [0.0])
    >>> cell.input_size, cell.hidden_size
    (2, 1)
    """

    activation: str = "tanh"

    kind: ClassVar[str] = "elman"
    title: ClassVar[str] = "an Elman RNN"
    gate_names: ClassVar[tuple[str, ...]] = ("a",)
    told_by: ClassVar[str] = "slopes"
    reach: ClassVar[int] = 350
    losses: ClassVar[tuple[tuple[str, tuple[str, ...]] | None, ...]] = (("", ()), ("a", ("a",)))

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("activation", self.activation, tuple(ACTIVATIONS))

    def step(self, x: Array, h: Array) -> Array:
        g = ACTIVATIONS[self.activation]
        return g(self.W_ih @ x + self.b_ih + self.W_hh @ h + self.b_hh)

    def loop(self, x: Array, first: Array, sums: Sums) -> Array:
        b_W_hh, activation = with_bias(self), ACTIVATIONS[self.activation].into
        one_h = states_after_one(first, sums)
        rows = zip(sums.from_x, sums.from_h, sums.preacts, one_h, one_h[1:, 1:], strict=False)
        for u, w, a, one_h_prev, h in rows:
            b_W_hh.dot(one_h_prev, w)
            np.add(u, w, a)
            activation(a, h)  # h_t = g(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)
        return one_h[:, 1:].copy()

    # --- derivatives ------------------------------------------------------------------------------------------------

    def factors(self, trace: Trace, at: At, numbers: Numbers) -> Factors:
        """``a = g'(a)``."""
        return {"a": numbers.slope(self.activation, trace.preacts["a"][at])}

    def jacobians(self, factors: Factors, numbers: Arithmetic) -> Any:
        return scaled_rows(factors["a"], numbers.of(self.W_hh))

    def product_steps(self, most: int) -> Steps:
        W = self.W_hh.T

        def steps(factors: Factors, P: Array, out: Array) -> None:
            for slope, product in zip(factors["a"][:, :, None], out, strict=False):
                P = np.dot(W, slope * P, out=product)

        return steps

    def column_powers(self, factors: Factors, numbers: Numbers) -> Array:
        return numbers.column_powers(numbers.mixed([factors["a"]], [numbers.of(self.W_hh)]))

    def parts(self, factors: Factors, powers: Array, numbers: Arithmetic) -> list[list[Part]]:
        W = numbers.of(self.W_hh)
        return [product_of(numbers, row, W, factors["a"][k]) for k, row in enumerate(powers)]

    def steps_back(self, trace: Trace) -> StepsBack:
        return StepsBack(trace)

    def slopes(self, trace: Trace) -> dict[str, Array]:
        return {"a": FLOATS.slope(self.activation, trace.preacts["a"])}

    def at_gates(self, passed: BackwardTrace) -> dict[str, Array]:
        """For Elman the gradient with respect to ``h_t``."""
        return {"a": passed.h[1:]}

    def carry_factors(self, factors: Factors, inputs: Mapping[str, Array], before: Array, after: Array) -> None:
        multiply_into(factors["a"][0][:, None] * self.W_hh, before, after)
        add_use(after, self.rows("a"), factors["a"][0], inputs["a"])


def require_elman(cell: object, needed: Message, cure: Message) -> ElmanCell:
    """Refuse any other cell: for what is known of this form alone, ``diag(g'(a)) W_hh``."""
    if isinstance(cell, ElmanCell):
        return cell
    got = cell.in_words() if isinstance(cell, Cell) else type(cell).__name__
    raise InputError("elman_only", "{needed}; got {got}. {cure}", needed=needed, got=got, cure=cure)
