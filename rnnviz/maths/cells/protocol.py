"""What a cell is: its weights and its step. All else follows from these, or the cell says it faster itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from rnnviz.maths.cells import generic
from rnnviz.maths.checks import Array, Sealed, read_array, require_shape
from rnnviz.maths.errors import InputError
from rnnviz.maths.extended_range.arithmetic import Arithmetic, At, Factors, Numbers
from rnnviz.maths.extended_range.half_steps import Part, product_of
from rnnviz.wording import Message

if TYPE_CHECKING:
    from rnnviz.maths.cells.loops import Sums
    from rnnviz.maths.cells.steps_back import StepsBack
    from rnnviz.maths.gradient_flow.products import Steps
    from rnnviz.maths.learning_rules.backward_trace import BackwardTrace
    from rnnviz.maths.learning_rules.influence import Carry
    from rnnviz.maths.trace import Trace

__all__ = ["WEIGHTS", "Cell"]

WEIGHTS = ("W_ih", "W_hh", "b_ih", "b_hh")

_BIAS_CURE = Message("error.cell.bias", "One number for each row of W_hh; a cell without biases takes zeros.")


@dataclass(frozen=True, eq=False)
class Cell(Sealed):
    """What all cells share: G blocks of H rows, one for each gate, stacked in the order of `gate_names`.

    A cell of one's own is a frozen dataclass with a `kind` and a `step`; constants of its equations are further fields.
    Its derivatives are then taken through the step, see `generic`. What a cell knows better it overrides: the three
    built-in ones have a fast loop, their derivatives by hand and names for all numbers on the way.

    Attributes
    ----------
    W_ih : (G*H, D) array
    W_hh : (G*H, H) array
    b_ih, b_hh : (G*H,) arrays
    """

    W_ih: Array
    W_hh: Array
    b_ih: Array
    b_hh: Array

    kind: ClassVar[str]
    title: ClassVar[str] = "a cell"  # with its article, for messages
    gate_names: ClassVar[tuple[str, ...]] = ("a",)  # the row blocks from top to bottom
    clampable: ClassVar[tuple[str, ...]] = ()  # the blocks whose values lie in 0..1; `loop` must clamp them
    state_names: ClassVar[tuple[str, ...]] = ("h",)  # or h and c, H numbers each
    # Binary digits either way of 1 within which factors and weights are safe in float64; `checked_factors` says why.
    reach: ClassVar[int] = 350
    # For each of the `parts` the rows of W_hh and the factors that must be regular and other than 0 for it to lose no
    # direction; None where that is not enough.
    losses: ClassVar[tuple[tuple[str, tuple[str, ...]] | None, ...]] = (("", ()), None)
    bias_options: ClassVar[Mapping[str, str]] = {}  # options of `make_cell` that set the bias of a gate, and the gate
    # What a change of the state is told by: the "slopes" of the one sum that goes through W_hh, the "gates" that keep
    # the memory, or nothing but the "step".
    told_by: ClassVar[str] = "step"
    keeping: ClassVar[str] = ""  # the gate that keeps the memory
    reading_order: ClassVar[tuple[str, ...]] = ()  # the gates in the order in which they act, where `told_by` gates

    def __post_init__(self) -> None:
        W_hh = read_array("W_hh", self.W_hh)
        H = W_hh.shape[-1] if W_hh.ndim == 2 and W_hh.size else "H"
        rows = f"{len(self.gate_names)}*H" if isinstance(H, str) else len(self.gate_names) * H
        whose = Message("error.cell.whose", "for {cell} with hidden size {size}", cell=self.in_words(), size=H)
        gates = ", ".join(self.gate_names)
        stacked = len(self.gate_names) > 1
        cure = Message("error.cell.units", "Stack one row for each unit.")
        if stacked:
            cure = Message("error.cell.gates", "Stack the gates {gates}.", gates=gates)
        lies = stacked and W_hh.ndim == 2 and W_hh.shape[1] == len(self.gate_names) * W_hh.shape[0]
        require_shape("W_hh", W_hh, (rows, H), whose, _transposed("W_hh", cure) if lies else cure)
        W_ih = read_array("W_ih", self.W_ih)
        lies = W_ih.ndim == 2 and W_ih.shape[1] == rows
        require_shape("W_ih", W_ih, (rows, "D"), whose, _transposed("W_ih", cure) if lies else cure)
        biases = {name: read_array(name, getattr(self, name), _BIAS_CURE) for name in ("b_ih", "b_hh")}
        for name, bias in biases.items():
            require_shape(name, bias, (rows,), whose, _BIAS_CURE)
        for name, array in {"W_ih": W_ih, "W_hh": W_hh, **biases}.items():
            object.__setattr__(self, name, array)

    @classmethod
    def in_words(cls) -> Message:
        """Its title in a message."""
        return Message(f"error.title.{getattr(cls, 'kind', '')}", "{title}", title=cls.title)

    @property
    def input_size(self) -> int:
        """D, the length of one input vector."""
        return int(self.W_ih.shape[1])

    @property
    def hidden_size(self) -> int:
        """H, the number of units."""
        return int(self.W_hh.shape[1])

    @classmethod
    def form_names(cls) -> tuple[str, ...]:
        """The fields that are no weights, as the activation of an Elman cell."""
        return tuple(field.name for field in fields(cls) if field.name not in WEIGHTS)

    @property
    def keeper(self) -> str:
        """The letter of what multiplies the old memory, as `keep_and_write` has it."""
        return self.keeping or "keep"

    @property
    def state_size(self) -> int:
        """S, the length of the state that passes from step to step: H, with a cell state ``[h; c]`` 2H."""
        return len(self.state_names) * self.hidden_size

    def rows(self, gate: str) -> slice:
        """Return the rows of one gate in the stacked weights and sums.

        >>> from rnnviz import GRUCell
        >>> GRUCell(np.zeros((6, 1)), np.zeros((6, 2)), np.zeros(6), np.zeros(6)).rows("z")
        slice(2, 4, None)
        """
        first = self.gate_names.index(gate) * self.hidden_size
        return slice(first, first + self.hidden_size)

    def blocks(self, state: Array) -> list[Array]:
        """Return a state (S,) cut into what `state_names` says, (H,) each."""
        return np.split(state, len(self.state_names))

    # --- forward ----------------------------------------------------------------------------------------------------

    def step(self, *args: Any, **kwargs: Any) -> Any:
        """Take one step: ``step(x, h)`` returns h, ``step(x, h, c)`` returns h and c, (H,) each, for an input (D,).

        The equations, as a textbook has them. Inputs, states and weights may be complex; see `generic`.
        """
        raise InputError(
            "step.none", "{cell} has no step. Define step(self, x, h), which returns the next h.",
            cell=type(self).__name__,
        )  # fmt: skip

    def loop(self, x: Array, first: Array, sums: Sums) -> Array:
        """Run all steps from the state `first` (S,): fill the sums and return the states (T+1, S)."""
        return generic.loop(self, x, first, sums)

    def overflow(self, sums: Sums, states: Array) -> tuple[int, Message] | None:
        """Return the first step (1..T) with a number that is not finite and what it is, or None."""
        return generic.overflow(self, states)

    def named(self, sums: Sums) -> tuple[dict[str, Array], dict[str, Array]]:
        """Return the gates and the pre-activations by name, (T, H) each; a step alone does not tell them."""
        return {}, {}

    # --- from state to state ----------------------------------------------------------------------------------------

    def factors(self, trace: Trace, at: At, numbers: Numbers) -> Factors:
        """Return what the Jacobians of the steps `at` are made of; a clamped gate is a constant, so its slope is 0."""
        return {"jacobian": numbers.of(generic.state_jacobians(trace, at))}

    def jacobians(self, factors: Factors, numbers: Arithmetic) -> Any:
        """Return the Jacobians of n steps from their factors, (n, S, S); `step_jacobians` has the equations."""
        return factors["jacobian"]

    def product_steps(self, most: int) -> Steps:
        """Return what multiplies by ``J^T`` over and over, at most so many steps at a time."""
        return generic.product_steps(self)

    def column_powers(self, factors: Factors, numbers: Numbers) -> Array:
        """Return the powers of 2 in the sizes of the columns that mix, (n, S), for each of n steps."""
        return numbers.column_powers(self.jacobians(factors, numbers))

    def parts(self, factors: Factors, powers: Array, numbers: Arithmetic) -> list[list[Part]]:
        """Return the parts of each of n steps, the first to be taken first; their product is the Jacobian.

        The first part multiplies rows by the `powers` of 2 of `column_powers`, (n, S), relative to the largest of the
        step, which the next one takes back.
        """
        J = self.jacobians(factors, numbers)
        return [product_of(numbers, row, J[k]) for k, row in enumerate(powers)]

    # --- backward ---------------------------------------------------------------------------------------------------

    def steps_back(self, trace: Trace) -> StepsBack:
        """Return the steps of a run, ready to be taken back."""
        return generic.GenericStepsBack(trace)

    def slopes(self, trace: Trace) -> dict[str, Array]:
        """Return the slope of each gate at its pre-activation, 0 where it is clamped: (T, H) each."""
        raise self._untold("slopes")

    def at_gates(self, passed: BackwardTrace) -> dict[str, Array]:
        """Return the gradient with respect to each gate and candidate, (T, H) each."""
        raise self._untold("at_gates")

    def c_from_h(self, passed: BackwardTrace) -> Array | None:
        """Return what h_t hands to c_t, (T, H), where the one is made of the other; else None."""
        return None

    def operand_letters(self, gate: str) -> tuple[str, str]:
        """Return how the two factors of a contribution to the rows of a gate in W_hh are written."""
        return "δ", "h"

    def operand(self, trace: Trace, gate: str) -> Array:
        """Return what the rows of one gate in W_hh are multiplied by at every step, (T, H)."""
        raise self._untold("operand")

    def input_gradient(self, passed: BackwardTrace) -> Array:
        """Return the gradient with respect to each input, (T, D)."""
        return generic.input_gradient(passed)

    def gradient(self, passed: BackwardTrace, name: str) -> Array:
        """Return the gradient with respect to one of the weights, of its shape."""
        return np.asarray(self.uses(passed, name).sum(axis=0))

    def uses(self, passed: BackwardTrace, name: str) -> Array:
        """Return what the use of a weight at each step contributes to its gradient, (T, *shape)."""
        return generic.uses(passed, name)

    def use_norms(self, passed: BackwardTrace, name: str) -> Array:
        """Return the Frobenius norm of what each use of a weight contributes, (T,)."""
        return generic.use_norms(self.uses(passed, name))

    def along(self, passed: BackwardTrace, name: str, direction: Array) -> Array:
        """Return the part of each use of a weight along a direction of its shape, (T,)."""
        return np.asarray((self.uses(passed, name) * direction).reshape(passed.trace.steps, -1).sum(axis=1))

    def carry(self, trace: Trace) -> Carry:
        """Return what carries the influence of the weights over step k, 0..T-1: it takes k, before and after."""
        return generic.carry(trace)

    # --- what is kept, drawn and paid -------------------------------------------------------------------------------

    def keep_and_write(self, trace: Trace) -> tuple[Array, Array] | None:
        """Return what multiplies the old memory at every step and what is added to it, (T, H) each.

        The memory is the last of `state_names`. None if the cell keeps none so; see `memory_ledger`.
        """
        return None

    def log_keep(self, trace: Trace) -> Array | None:
        """Return the logarithm of what multiplies the old memory at every step, (T, H), in nats; None as above."""
        found = self.keep_and_write(trace)
        with np.errstate(divide="ignore"):
            return None if found is None else np.asarray(np.log(found[0]))

    def chrono_biases(self, keep: Array) -> Mapping[str, Array]:
        """Return the biases of gates that make the cell remember; `keep` (H,) is the one for a gate that keeps."""
        raise self._untold("chrono")

    def extra_costs(self) -> tuple[int, int]:
        """Return what a step costs beyond `gradient_costs`' formula: numbers kept by BPTT, multiply-adds of RTRL."""
        raise self._untold("gradient_costs")

    def _untold(self, who: str) -> InputError:
        return InputError(
            "step.untold",
            "{who} needs what happens inside a step, but {cell} has no more than the step. Use an Elman RNN, an LSTM "
            "or a GRU.",
            who=who, cell=self.in_words(),
        )  # fmt: skip


def _transposed(name: str, cure: Message) -> Message:
    return Message("error.cell.transposed", "{cure} This looks transposed: pass {name}.T.", cure=cure, name=name)
