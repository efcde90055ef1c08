"""The gradient of a weight as the sum of the contributions of all steps, and what truncation throws away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Cell, Gradients
from rnnviz.maths.extended_range.lengths import angle, direction, lengths
from rnnviz.maths.learning_rules.gradients import WEIGHTS
from rnnviz.maths.learning_rules.loss_pass import LossPass, ReadoutPass
from rnnviz.texts import say
from rnnviz.views.numbers import ROUNDING, equals, faded, power

Array = NDArray[np.float64]

_READOUTS = (("W_ho", "b_o"), ("W_out", "b_out"))


class Factors(NamedTuple):
    """The two numbers of each step whose product is its contribution to an entry of a matrix.

    Attributes
    ----------
    delta, other : (T,) arrays
    names : (str, str)
        Their letters.
    is_before : bool
        Whether the second is of the step before.
    """

    delta: Array
    other: Array
    names: tuple[str, str]
    is_before: bool


@dataclass(frozen=True, eq=False)
class Uses:
    """What each step contributes to the gradient of a weight.

    Attributes
    ----------
    name : str
        How the gradient is written: of one entry, or the norm of that of the whole weight.
    weight : str
    entry : tuple of int or None
        Zero-based; None for the whole weight, where each contribution is projected on the gradient.
    gradient, cut_gradient : array
        Of the whole weight, without truncation and with it.
    whole, cut : (T,) arrays
        The contributions, without truncation and with it.
    total, cut_total : float
        Their sums, as the gradient has them.
    cancels : bool
        Whether steps contribute something, and yet the gradient of the whole weight is 0.
    delta_name : str
        The letter of what a bias gets at each step.
    factors : Factors or None
        Of an entry of a matrix.
    """

    name: str
    weight: str
    entry: tuple[int, ...] | None
    gradient: Array
    cut_gradient: Array
    whole: Array
    cut: Array
    total: float
    cut_total: float
    cancels: bool
    delta_name: str
    factors: Factors | None

    @property
    def is_cut(self) -> bool:
        """Whether the truncation throws anything away."""
        return not np.array_equal(self.whole, self.cut)

    @property
    def largest(self) -> int:
        """The zero-based step with the largest contribution in size, the first of equal ones."""
        return int(np.abs(self.whole).argmax())


def weight_names(loss: LossPass | None = None) -> tuple[str, ...]:
    """The weights that have a gradient: those of the cell, and those of its readouts."""
    heads = _READOUTS[: len(loss.readouts)] if loss else ()
    return (*sorted(WEIGHTS, key=lambda name: (name[0], name)), *(name for pair in heads for name in pair))


def gradient_of(found: Gradients, loss: LossPass | None, weight: str) -> Array:
    """The gradient of a weight of the cell or of a readout."""
    if weight in WEIGHTS:
        return found.weights[weight]
    head = _head(loss, weight)
    return head.W if weight.startswith("W") else head.b


def uses_of(
    whole: Gradients, cut: Gradients, weight: str, entry: tuple[int, ...] | None, loss: LossPass | None = None
) -> Uses:
    """Take a weight's gradient apart by steps.

    Parameters
    ----------
    whole, cut : Gradients
        From `rnnviz.bptt`, without and with truncation.
    weight : str
        One of `weight_names`.
    entry : tuple of int or None
        Zero-based place in it; None for the norm of the whole gradient.
    loss : LossPass, optional
        Needed for the weights of a readout.
    """
    gradient, cut_gradient = (gradient_of(found, loss, weight) for found in (whole, cut))
    if entry is None:
        along, name = direction(gradient), say("use.norm", weight=weight)
    else:
        along = np.zeros(gradient.shape)
        along[entry] = 1.0
        name = say("use.entry", weight=weight, place=_place(entry))
    total, cut_total = (float((one * along).sum()) for one in (gradient, cut_gradient))
    if weight in WEIGHTS:
        bars = whole.along(weight, along), cut.along(weight, along)
        some = entry is None and not gradient.any() and bool(whole.use_norms(weight).any())
        made = _factors(whole, weight, entry)
        return Uses(name, weight, entry, gradient, cut_gradient, *bars, total, cut_total, some, "δ", made)
    head, delta_name = _head(loss, weight), _delta_name(loss, weight)
    bar = head.along(along)  # truncation is about time; a readout's gradient does not go through it
    some = entry is None and not gradient.any() and bool((lengths(head.d_a) * lengths(head.read)).any())
    factors = None
    if entry is not None and len(entry) == 2:
        letter = "u" if weight == "W_out" else "h"
        factors = Factors(head.d_a[:, entry[0]], head.read[:, entry[1]], (delta_name, letter), False)
    return Uses(name, weight, entry, gradient, gradient, bar, bar, total, total, some, delta_name, factors)


def _head(loss: LossPass | None, weight: str) -> ReadoutPass:
    if loss is None:
        raise ValueError(f"{weight} belongs to a readout: its gradient needs the LossPass")
    return loss.readouts[0 if weight in _READOUTS[0] else 1]


def _delta_name(loss: LossPass | None, weight: str) -> str:
    """The letter of the gradient at the sum that a readout's weight goes into, as the backward pass has it."""
    if loss and len(loss.readouts) == 2 and weight in _READOUTS[0]:
        return "∂Lₜ/∂u"
    is_plain = loss is not None and loss.kind == "squared" and loss.readouts[-1].readout.activation == "identity"
    return "∂Lₜ/∂y" if is_plain else "∂Lₜ/∂a"


def _place(entry: Sequence[int]) -> str:
    return ", ".join(str(one + 1) for one in entry)


def _factors(whole: Gradients, weight: str, entry: tuple[int, ...] | None) -> Factors | None:
    if entry is None or len(entry) == 1:
        return None
    row, column = entry
    trace, passed, cell = whole.backward.trace, whole.backward, whole.backward.trace.cell
    if cell.told_by == "step":
        return None
    if weight == "W_ih":
        return Factors(passed.deltas[:, row], trace.x[:, column], ("δ", "x"), False)
    gate = _gate_of(cell, row)
    operand = cell.operand(trace, gate)[:, column]
    return Factors(passed.deltas_from_h[:, row], operand, cell.operand_letters(gate), True)


def _gate_of(cell: Cell, row: int) -> str:
    """The gate that a row of W_hh belongs to."""
    return cell.gate_names[row // cell.hidden_size]


# --- sentences ------------------------------------------------------------------------------------------------------


def uses_words(uses: Uses) -> str:
    """What the contributions add up to, and which of them is the largest."""
    steps, step = len(uses.whole), uses.largest
    if uses.cancels:
        return say("use.cancels", name=uses.name)
    if not uses.whole.any():
        return say("use.nothing", name=uses.name)
    slots = {"name": uses.name, "sign": equals(uses.total, floor=0.0), "total": faded(uses.total)}
    if steps == 1:
        return say("use.sum_of_one", **slots)
    return say("use.sum", step=step + 1, most=faded(float(uses.whole[step])), steps=steps, **slots)


def product_words(uses: Uses) -> str:
    """How the largest bar is made: of an entry the product of two numbers of its step, else what a bar is."""
    if uses.entry is None:
        return say("use.explain.whole")
    if len(uses.entry) == 2 and uses.factors is None:
        return say("use.explain.step")
    if uses.factors is None:
        return say("use.explain.bias", delta=uses.delta_name, row=uses.entry[0] + 1)
    step = uses.largest
    delta, other, bar = (float(part[step]) for part in (uses.factors.delta, uses.factors.other, uses.whole))
    exact = all(equals(value, floor=0.0) == "=" for value in (delta, other, bar))
    one, two = uses.factors.names
    slots = {"step": step + 1, "row": uses.entry[0] + 1, "column": uses.entry[1] + 1, "sign": "=" if exact else "≈"}
    second = f"({faded(other)})" if other < 0 else faded(other)
    slots |= {"one": one, "two": two, "delta": faded(delta), "other": second, "bar": faded(bar)}
    return (
        say("use.explain.before", before=step, **slots) if uses.factors.is_before else say("use.explain.now", **slots)
    )


def rounding_words(uses: Uses) -> str:
    """How far the sum of the contributions is from the gradient: rounding alone."""
    error = abs(float(uses.whole.sum()) - uses.total)
    return say("use.rounding", name=uses.name, error=power(error))


class Change(NamedTuple):
    """What truncation makes of a gradient.

    Attributes
    ----------
    angle : float
        In degrees.
    ratio : float
        The truncated norm over the whole one.
    thrown : float
        The norm of the difference over the whole one.
    """

    angle: float
    ratio: float
    thrown: float


def change_of(whole: Array, cut: Array) -> Change:
    """Compare two gradients of any shape and any size in float64, neither of them 0."""
    one, other = whole.reshape(-1), cut.reshape(-1)
    near = -max(int(np.frexp(np.abs(array).max())[1]) for array in (one, other))
    one, other = np.ldexp(one, near), np.ldexp(other, near)
    norm = float(lengths(one))
    with np.errstate(over="ignore", divide="ignore"):
        ratio, thrown = (float(np.divide(lengths(array), norm)) for array in (other, one - other))
    return Change(angle(whole.reshape(-1), cut.reshape(-1)), ratio, thrown)


def cut_words(uses: Uses, whole: Gradients, cut: Gradients) -> list[str]:
    """What truncation does to this weight's gradient and to those of all weights; empty without one."""
    most, scheme = cut.backward.truncation, cut.backward.scheme
    if most is None:
        return []
    said = [say(f"use.cut_by.{scheme}" if most > 1 else "use.cut_by.detach", most=most)]
    if uses.weight in WEIGHTS:
        said.append(_weight_change(uses))
    else:
        said.append(say("use.cut.readout", weight=uses.weight))
    one, other = (_flat(found.weights) for found in (whole, cut))
    if np.array_equal(one, other):
        return [*said, say("use.cut.all.same")]
    if not one.any():
        return [*said, say("use.cut.all.none", left=faded(float(lengths(other)))), say("use.cut.biased")]
    if not other.any():
        return [*said, say("use.cut.all.gone"), say("use.cut.biased")]
    change = change_of(one, other)
    if change.thrown < ROUNDING:
        return [*said, say("use.cut.all.rounding", thrown=_percent(change.thrown))]
    return [*said, say("use.cut.all", **_written(change)), say("use.cut.biased")]


def _weight_change(uses: Uses) -> str:
    one, other, weight = uses.gradient, uses.cut_gradient, uses.weight
    if np.array_equal(one, other):
        return say("use.cut.same", weight=weight)
    if not one.any():
        return say("use.cut.none", weight=weight, left=faded(float(lengths(other.reshape(-1)))))
    if not other.any():
        return say("use.cut.gone", weight=weight)
    change = change_of(one, other)
    if change.thrown < ROUNDING:
        return say("use.cut.rounding", weight=weight, thrown=_percent(change.thrown))
    return say("use.cut", weight=weight, **_written(change))


def _written(change: Change) -> dict[str, str]:
    return {"angle": faded(change.angle), "ratio": faded(change.ratio), "thrown": _percent(change.thrown)}


def _percent(share: float) -> str:
    """A share in percent; above 100 % too, where what is thrown away is more than what there was."""
    return f"{faded(100.0 * share)} %"


def _flat(arrays: Mapping[str, Array]) -> Array:
    return np.concatenate([array.reshape(-1) for array in arrays.values()])


def gradient_words(uses: Uses) -> str:
    """The gradient's size and its largest entry: the text twin of its map."""
    matrix = uses.gradient.reshape(len(uses.gradient), -1)
    place = np.unravel_index(int(np.abs(uses.gradient).argmax()), uses.gradient.shape)
    slots = {"weight": uses.weight, "rows": matrix.shape[0], "columns": matrix.shape[1]}
    largest = float(uses.gradient[place])
    if not largest:
        return say("use.matrix.zero", **slots)
    return say("use.matrix", place=_place([int(one) for one in place]), most=faded(largest), **slots)


# --- numbers --------------------------------------------------------------------------------------------------------


def uses_columns(uses: Uses) -> dict[str, Sequence[object]]:
    """The contributions of all steps as columns of a table, with what they are products of."""
    columns: dict[str, Sequence[object]] = {say("use.column.step"): range(1, len(uses.whole) + 1)}
    if uses.factors:
        one, two = uses.factors.names
        row, column = (place + 1 for place in uses.entry or (0, 0))
        columns |= {f"{one}[{row}]": uses.factors.delta.tolist(), f"{two}[{column}]": uses.factors.other.tolist()}
    columns[say("use.column.whole")] = uses.whole.tolist()
    if uses.is_cut:
        columns[say("use.column.cut")] = uses.cut.tolist()
    return columns


def gradient_columns(uses: Uses, gates: Sequence[str]) -> dict[str, Sequence[object]]:
    """The gradient of the whole weight as columns of a table, its rows named as in the map."""
    matrix = uses.gradient.reshape(len(uses.gradient), -1)
    columns: dict[str, Sequence[object]] = {say("use.column.row"): row_names(len(matrix), gates)}
    if uses.gradient.ndim == 1:
        return columns | {say("use.column.value"): matrix[:, 0].tolist()}
    return columns | {say("use.column.column", column=j + 1): matrix[:, j].tolist() for j in range(matrix.shape[1])}


def row_names(rows: int, gates: Sequence[str]) -> list[str]:
    """The rows of a weight by their numbers, with the gate that each belongs to."""
    if len(gates) < 2:
        return [str(row + 1) for row in range(rows)]
    units = rows // len(gates)
    return [f"{row + 1} {gates[row // units]}" for row in range(rows)]
