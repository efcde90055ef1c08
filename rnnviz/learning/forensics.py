"""What happened at an update that was clipped or that ended its run: which step, which weight, which singular value.

The network before the update, the one an update earlier and the one after it run over the same example, the one of the
batch with the largest loss. L is the loss of the batch; of its gradient the example has its part.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from rnnviz.learning.incident import Example, Incident, Made, Part
from rnnviz.learning.training import Network
from rnnviz.maths import (
    Gradients,
    InputError,
    StateOverflowError,
    Trace,
    bptt,
    cross_entropy,
    log10_gradient_norms,
    run_stack,
    step_jacobians,
)
from rnnviz.maths.activations import sigmoid
from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.lengths import lengths
from rnnviz.maths.gradient_flow.decay import spectral_radius

_AGREED = 1e-3
"""Decades that two ways to one norm may be apart."""
_LOG2 = float(np.log10(2.0))


@dataclass(frozen=True)
class Overflow:
    """The first number beyond float64, in the order of the computation.

    Attributes
    ----------
    what : {"state", "output", "loss", "batch", "gradient", "weight", "norm", "unknown"}
        A number of the forward pass, the output, the loss of the example, that of the batch, a number of the backward
        pass, the gradient of a weight, or the norm of the whole gradient, for which its entries are squared.
    step : int
        Of the sequence, from 1; 0 where it is of none.
    layer : int
        From 1; 0 where it is of none.
    """

    what: str
    step: int = 0
    layer: int = 0


@dataclass(frozen=True)
class Block:
    """The recurrent weights of one gate, or of a cell that has none.

    Attributes
    ----------
    layer : int
        From 1.
    gate : str
        Empty for a cell without gates.
    sigma, radius : float
        The largest singular value, and the largest absolute eigenvalue.
    """

    layer: int
    gate: str
    sigma: float
    radius: float


@dataclass(frozen=True, eq=False)
class LayerReading:
    """One layer on its way over the example; base-10 logarithms, -inf for 0 and for what is 1e-308 of the largest.

    Attributes
    ----------
    errors : (T,) array
        The norm of ``dL/dh_t``, with what arrives from later steps.
    contributions : (T,) array
        The norm of what step t contributes to ``dL/dW_hh``.
    total : float
        The norm of ``dL/dW_hh``, of the example's part.
    stretches : (T,) array
        The largest singular value of each step's Jacobian.
    product : float
        That of the product of all of them.
    state : float
        The largest norm of a hidden state.
    """

    errors: Array
    contributions: Array
    total: float
    stretches: Array
    product: float
    state: float


@dataclass(frozen=True, eq=False)
class Reading:
    """A network on the example.

    Attributes
    ----------
    updates : int
        The updates that it has had.
    losses : (T,) array
        log10 of each step's part of L; -inf where it has none.
    blocks : tuple of Block
    layers : tuple of LayerReading
        Empty where a number of the forward pass overflows, or one of the backward pass far beyond float64.
    overflow : Overflow or None
        The first number of the example beyond float64.
    """

    updates: int
    losses: Array
    blocks: tuple[Block, ...]
    layers: tuple[LayerReading, ...]
    overflow: Overflow | None


@dataclass(frozen=True)
class Move:
    """What the update did to the entry of an array that had the largest gradient.

    Attributes
    ----------
    part : Part
    gate : str
        That the entry's row belongs to; empty where there are none.
    share : float
        Of the squared norm of the whole gradient; NaN where that is no finite number.
    before, after : float
        The second is NaN where the weights are no finite numbers any more.
    """

    part: Part
    gate: str
    share: float
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class Forensics:
    """What is to be said of an incident.

    Attributes
    ----------
    incident : Incident
    readings : tuple of Reading
        In the order of their updates.
    at : int
        The place of the network that the update began with.
    moves : tuple of Move
        A move for each array of weights, by the update to tell of.
    overflow : Overflow or None
        What ended the run.
    """

    incident: Incident
    readings: tuple[Reading, ...]
    at: int
    moves: tuple[Move, ...]
    overflow: Overflow | None

    @property
    def steps(self) -> range:
        """The steps of the example, as the sequence counts them."""
        example = self.incident.example
        return range(example.before + 1, example.before + len(example.x) + 1)

    @property
    def seen(self) -> Reading | None:
        """The last network up to the update that could be followed through the example."""
        return next((one for one in reversed(self.readings[: self.at + 1]) if one.layers), None)

    @property
    def layer(self) -> int:
        """The zero-based layer with the largest gradient of W_hh there; the top one where none can be followed."""
        seen = self.seen
        return int(np.argmax([one.total for one in seen.layers])) if seen else len(self.incident.this.network.cells) - 1

    @property
    def rounded(self) -> tuple[float, float] | None:
        """The example's gradient norm of W_hh before this update, exact (log10) and as training had it.

        None where they agree: training takes the derivative of a saturated unit as 0 where its state rounds to the
        limit, as ``1 - h**2`` does.
        """
        here = self.readings[self.at]
        if not here.layers:
            return None
        example = self.incident.example
        exact, used = here.layers[self.layer].total, example.recurrent[self.layer] / self.incident.batch
        if not np.isfinite(used) or abs(exact - float(_log10(used))) < _AGREED or exact == _log10(used):
            return None
        return exact, used

    @property
    def largest(self) -> Move:
        """The move of the weight with the largest gradient."""
        return max(self.moves, key=lambda one: abs(one.part.largest) if np.isfinite(one.part.largest) else np.inf)

    @property
    def blocks(self) -> tuple[tuple[Block, Block | None], ...]:
        """The blocks of W_hh before the update to tell of and after it."""
        readings = {one.updates: one.blocks for one in self.readings}
        number = self.incident.told.update.number
        after: Sequence[Block | None] = readings.get(number, ()) or (None,) * len(readings[number - 1])
        return tuple(zip(readings[number - 1], after, strict=True))


def forensics_of(incident: Incident) -> Forensics:
    """Look into an incident."""
    number, networks = incident.this.update.number, list[tuple[int, Network]]()
    if incident.earlier is not None:
        networks.append((number - 2, incident.earlier.network))
    networks.append((number - 1, incident.this.network))
    at = len(networks) - 1
    if incident.after is not None:
        networks.append((number, incident.after))
    readings = tuple(_read(network, incident, updates) for updates, network in networks)
    overflow = _overflow(incident, readings[at]) if incident.kind == "end" else None
    return Forensics(incident, readings, at, _moves(incident.told, incident.led_to), overflow)


def _overflow(incident: Incident, reading: Reading) -> Overflow:
    """What ended the run: of this example where it shows there, else of the batch or of the gradient."""
    update, found = incident.this.update, reading.overflow
    if not np.isfinite(update.loss):
        of_loss = found is not None and found.what in ("state", "output", "loss")
        return found if found is not None and of_loss else Overflow("batch" if incident.batch > 1 else "unknown")
    if found is not None and found.what == "gradient":
        return found
    if not all(np.isfinite(part.largest) for part in incident.this.gradient):
        return Overflow("weight")
    return Overflow("norm")


def _moves(made: Made, after: Network | None) -> tuple[Move, ...]:
    norms = np.array([part.norm for part in made.gradient])
    whole = float(lengths(norms)) if np.isfinite(norms).all() else np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.square(norms / whole)
    before, moved = _values(made.network), _values(after) if after is not None else {}
    return tuple(
        Move(
            part, _gate(made.network, part), float(share), float(before[part.layer, part.name][part.place]),
            float(moved[part.layer, part.name][part.place]) if moved else np.nan,
        )
        for part, share in zip(made.gradient, shares, strict=True)
    )  # fmt: skip


def _values(network: Network) -> dict[tuple[int, str], Array]:
    found = {(0, "W_ho"): network.readout.W, (0, "b_o"): network.readout.b}
    for number, (cell, h0) in enumerate(zip(network.cells, network.h0s, strict=True), 1):
        found |= {(number, name): getattr(cell, name) for name in ("W_ih", "W_hh", "b_ih", "b_hh")}
        found[number, "h0"] = h0
    return found


def _gate(network: Network, part: Part) -> str:
    if not part.layer or part.name == "h0":
        return ""
    cell = network.cells[part.layer - 1]
    return cell.gate_names[part.place[0] // cell.hidden_size] if len(cell.gate_names) > 1 else ""


# --- one network on the example -------------------------------------------------------------------------------------


def _read(network: Network, incident: Incident, updates: int) -> Reading:
    example = incident.example
    blocks = tuple(
        _block(number, gate if len(cell.gate_names) > 1 else "", cell.W_hh[cell.rows(gate)])
        for number, cell in enumerate(network.cells, 1)
        for gate in cell.gate_names
    )
    nothing = np.full(len(example.x), np.nan)
    try:
        traces = _run(network, example)
    except StateOverflowError as error:
        found = Overflow("state", example.before + error.step, int(str(error.slots.get("number", 1))))
        return Reading(updates, nothing, blocks, (), found)
    with np.errstate(over="ignore", invalid="ignore"):
        a = traces[-1].h[1:] @ network.readout.W.T + network.readout.b
    if not np.isfinite(a).all():
        step = int(np.isfinite(a).all(axis=1).argmin())
        return Reading(updates, nothing, blocks, (), Overflow("output", example.before + step + 1))
    found_loss = _LOSSES[incident.loss](a, example, incident.batch)
    d_h, exponent = _scaled(found_loss.d_a)
    W, more = _scaled(network.readout.W)
    gradients, exponent = _back(traces, d_h @ W, exponent + more + found_loss.exponent)
    overflow = found_loss.overflow
    if gradients and overflow is None:
        overflow = _overflow_back(gradients, exponent, example.before)
    if not gradients:
        return Reading(updates, found_loss.log10, blocks, (), overflow or Overflow("gradient"))
    layers = tuple(_layer(trace, one, exponent) for trace, one in zip(traces, gradients, strict=True))
    return Reading(updates, found_loss.log10, blocks, layers, overflow)


def _block(layer: int, gate: str, W: Array) -> Block:
    return Block(layer, gate, float(np.linalg.svd(W, compute_uv=False)[0]), spectral_radius(W))


def _run(network: Network, example: Example) -> tuple[Trace, ...]:
    starts = example.starts or tuple((h0,) for h0 in network.h0s)
    # a cell that carries more beside h begins with zeros there
    c0s = [start[1] if len(start) > 1 else None for start in starts]
    return run_stack(network.cells, example.x, [start[0] for start in starts], c0s)


def _layer(trace: Trace, gradients: Gradients, exponent: int) -> LayerReading:
    try:
        stretches = _log10(np.array([one[0] for one in np.linalg.svd(step_jacobians(trace), compute_uv=False)]))
    except InputError:  # an entry beyond float64
        stretches = np.full(trace.steps, np.nan)
    return LayerReading(
        errors=_log10(lengths(gradients.h[1:])) + exponent * _LOG2,
        contributions=_log10(gradients.use_norms("W_hh")) + exponent * _LOG2,
        total=float(_log10(lengths(gradients.W_hh.reshape(-1))) + exponent * _LOG2),
        stretches=stretches,
        product=float(log10_gradient_norms(trace, block="state")[0]),
        state=float(lengths(trace.h[1:]).max()),
    )


# --- the loss -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Lost:
    """The loss of the example, as a part of that of the batch.

    Attributes
    ----------
    log10 : (T,) array
        Of each step.
    d_a : (T, O) array
        Its gradient at the sums of the readout, divided by ``2**exponent``.
    exponent : int
    overflow : Overflow or None
    """

    log10: Array
    d_a: Array
    exponent: int = 0
    overflow: Overflow | None = None


def _squared(a: Array, example: Example, batch: int) -> _Lost:
    count = batch * int(example.counted.sum()) * a.shape[1]
    with np.errstate(over="ignore"):
        off = np.where(example.counted[:, None], a - example.target, 0.0)
        squares = np.square(off).sum(axis=1)
    near, exponent = _scaled(off)
    return _Lost(
        log10=2.0 * _log10(lengths(off)) - float(np.log10(count)), d_a=2.0 / count * near, exponent=exponent,
        overflow=_overflow_of_sum(squares, example.before),
    )  # fmt: skip


def _overflow_of_sum(squares: Array, before: int) -> Overflow | None:
    beyond = np.isinf(squares)
    if beyond.any():
        return Overflow("loss", before + int(beyond.argmax()) + 1)
    with np.errstate(over="ignore"):
        return Overflow("loss") if np.isinf(squares.sum()) else None


def _classes(a: Array, example: Example, batch: int) -> _Lost:
    here, count = example.counted, batch * int(example.counted.sum())
    loss, d_a, losses = cross_entropy(a[here], example.target[here]), np.zeros_like(a), np.zeros(len(a))
    d_a[here], losses[here] = loss.d_y, loss.by_step
    return _Lost(_log10(losses / count), d_a / count)


def _binary(a: Array, example: Example, batch: int) -> _Lost:
    count = batch * int(example.counted.sum()) * a.shape[1]
    is_one, here = example.target > 0.5, example.counted[:, None]
    losses = np.where(here, np.logaddexp(0.0, np.where(is_one, -a, a)), 0.0)
    d_a = np.where(here, np.where(is_one, -sigmoid(-a), sigmoid(a)), 0.0)
    return _Lost(_log10(losses.sum(axis=1) / count), d_a / count)


_LOSSES: Mapping[str, Callable[[Array, Example, int], _Lost]] = MappingProxyType(
    {"squared": _squared, "cross_entropy": _classes, "binary": _binary}
)


# --- the way back ---------------------------------------------------------------------------------------------------

_SHIFTS = (0, 500, 1000)
"""Powers of 2 by which the errors are made smaller where the way back leads out of float64."""


def _back(traces: Sequence[Trace], d_h: Array, exponent: int) -> tuple[tuple[Gradients, ...], int]:
    """The gradients of all layers times ``2**-exponent``, and that exponent; none where it leads out of all range."""
    near, more = _scaled(d_h)
    for shift in _SHIFTS:
        try:
            error, found = np.ldexp(near, -shift), list[Gradients]()
            for trace in reversed(traces):
                found.append(bptt(trace, error))
                error = found[-1].x
        except InputError:
            continue
        return tuple(reversed(found)), exponent + more + shift
    return (), 0


def _overflow_back(gradients: Sequence[Gradients], exponent: int, before: int) -> Overflow | None:
    """The first number of the backward pass beyond float64: from the top layer down, the last step first."""
    for layer in range(len(gradients), 0, -1):
        passed = gradients[layer - 1].backward
        beyond = _beyond(passed.states[1:], exponent) | _beyond(passed.deltas, exponent)
        if beyond.any():
            return Overflow("gradient", before + int(np.flatnonzero(beyond)[-1]) + 1, layer)
    return None


def _beyond(rows: Array, exponent: int) -> NDArray[np.bool_]:
    with np.errstate(over="ignore"):
        return np.asarray(np.isinf(np.ldexp(rows, exponent)).any(axis=1))


def _scaled(array: Array) -> tuple[Array, int]:
    """An array with its largest entry in 1/2..1, and the power of 2 that was taken out."""
    exponent = int(np.frexp(np.abs(array).max(initial=0.0))[1])
    return np.ldexp(array, -exponent), exponent


def _log10(values: Array | float) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log10(values))
