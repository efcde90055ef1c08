"""The network that settings stand for: its arrays, its layers, the sequences that it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rnnviz.cache import remembered
from rnnviz.maths import Cell, Clamp, Readout, make_cell
from rnnviz.maths.cells.protocol import WEIGHTS
from rnnviz.maths.cells.registry import cell_class
from rnnviz.maths.initialisation import drawn_readout
from rnnviz.presets.table import preset_of
from rnnviz.sequences import alphabet, derived_seed, generate, one_hot
from rnnviz.settings import SETTINGS, BaseSettings, NetworkSettings, array_of, numbered

Array = NDArray[np.float64]

STACKS = SETTINGS["stack"].choices
READOUTS = ("W_ho", "b_o", "W_out", "b_out")


@dataclass(frozen=True, eq=False)
class Network:
    """What settings stand for, ready to run.

    Attributes
    ----------
    cells : tuple of L Cell
        The layers, from the input up.
    passes : tuple of L Readout, or empty
        Where each layer hands its own readout to the next one instead of its h.
    readout : Readout or None
        What makes y, of the top layer's h or, where `passes` are, of its readout.
    xs : tuple of N arrays
        The sequences, ``(T, D)`` each.
    h0s : tuple of L arrays
        The initial state of each layer, ``(H,)``; all sequences share it.
    base : mapping of str to array
        The editable arrays as they were before the edits, by their names in the address.
    c0s : tuple of L arrays, or of None
        The initial cell state of each layer, where the cells have one.
    clamps : tuple of L tuples of Clamp
        The gates that are held in each layer.
    """

    cells: tuple[Cell, ...]
    passes: tuple[Readout, ...]
    readout: Readout | None
    xs: tuple[Array, ...]
    h0s: tuple[Array, ...]
    base: Mapping[str, Array]
    c0s: tuple[Array | None, ...]
    clamps: tuple[tuple[Clamp, ...], ...]

    @property
    def cell(self) -> Cell:
        """The first layer."""
        return self.cells[0]

    @property
    def x(self) -> Array:
        """The first sequence."""
        return self.xs[0]

    @property
    def h0(self) -> Array:
        """The initial state of the first layer."""
        return self.h0s[0]


def characters_of(base: BaseSettings) -> tuple[str, ...]:
    """What the components of the input stand for where it is a text; empty where it is none."""
    return alphabet(base.text) if base.text else ()


def build(settings: NetworkSettings) -> Network:
    """The network that settings stand for, edits applied.

    Raises
    ------
    InputError
        If an array is refused.
    """
    base, arrays = settings.base, edited_arrays(settings)
    layers, sequences = range(1, base.layers + 1), range(1, base.sequences + 1)
    make, form = cell_class(base.kind), dict[str, Any](base.form)

    def cell(number: int) -> Cell:
        return make(*(arrays[numbered(name, number)] for name in WEIGHTS), **form)

    def readout(names: tuple[str, str], number: int = 1, activation: str = "identity") -> Readout:
        W, b = (arrays[numbered(name, number)] for name in names)
        return Readout(W, b, activation=activation)

    passes: tuple[Readout, ...] = ()
    head = ("W_ho", "b_o")
    if _passes_readouts(base):
        passes, head = tuple(readout(head, number) for number in layers), ("W_out", "b_out")
    return Network(
        cells=tuple(cell(number) for number in layers),
        passes=passes,
        readout=readout(head, activation=settings.output_activation) if head[0] in arrays else None,
        xs=tuple(arrays[numbered("x", number)] for number in sequences),
        h0s=tuple(arrays[numbered("h0", number)] for number in layers),
        base=base_arrays(base),
        c0s=tuple(arrays.get(numbered("c0", number)) for number in layers),
        clamps=tuple(tuple(clamp for layer, clamp in settings.clamps if layer == number) for number in layers),
    )


def edited_arrays(settings: NetworkSettings) -> dict[str, Array]:
    """Every editable array with the edits applied, by its name in the address."""
    arrays = {name: array.copy() for name, array in base_arrays(settings.base).items()}
    for entry, value in settings.edits:
        arrays[entry.name][entry.place] = value
    return arrays


@remembered
def base_arrays(base: BaseSettings) -> Mapping[str, Array]:
    """Every editable array before the edits; read-only, for they are drawn once for all who ask."""
    arrays = _layers(base)
    for number in range(1, base.sequences + 1):
        arrays[numbered("x", number)] = _sequence(base, number)
    for name, array in arrays.items():
        arrays[name] = array.view()
        arrays[name].setflags(write=False)
    return MappingProxyType(arrays)


@remembered
def parameter_counts(base: BaseSettings) -> Mapping[str, int]:
    """How many weights and biases the network has in each form of stack, by the form's name in the address."""
    weights = sum(array.size for name, array in base_arrays(base).items() if array_of(name) in WEIGHTS)
    readouts = {stack: _readouts(replace(base, stack=stack)) for stack in STACKS}
    return {stack: weights + sum(array.size for array in readouts[stack].values()) for stack in STACKS}


def redrawn(settings: NetworkSettings, *, seed: int | None = None, init: str | None = None) -> NetworkSettings:
    """The network drawn anew, with another seed or initialisation: what was typed over the old numbers is gone."""
    gone = {*WEIGHTS, *READOUTS} | (set() if seed is None else {"x"})
    base = replace(
        settings.base,
        seed=settings.base.seed if seed is None else seed,
        init=settings.base.init if init is None else init,
    )
    edits = tuple((entry, value) for entry, value in settings.edits if array_of(entry.name) not in gone)
    return replace(settings, base=base, edits=edits)


def _layers(base: BaseSettings) -> dict[str, Array]:
    """Weights and initial states of all layers, and the readouts."""
    arrays: dict[str, Array] = {}
    inputs, sizes = base.input_size, hidden_sizes(base)
    for number, hidden in enumerate(sizes, start=1):
        layer = _layer(base, number, inputs)
        given = {"h0": base.h0, "c0": base.c0}
        starts = {name: _start(start, sizes, number) for name, start in given.items() if start is not None}
        arrays |= {numbered(name, number): array for name, array in {**layer, **starts}.items()}
        inputs = hidden
    return arrays | _readouts(base)


def hidden_sizes(base: BaseSettings) -> tuple[int, ...]:
    """H of each layer: that of its hand-set weights, or the one that is asked for."""
    own, layers = preset_of(base).weights, (numbered("W_hh", number) for number in range(1, base.layers + 1))
    return tuple(own[name].shape[1] if name in own else base.hidden_size for name in layers)


def _passes_readouts(base: BaseSettings) -> bool:
    """Whether the layers hand on readouts; a single layer has no next one."""
    return base.stack == "readout" and base.layers > 1


def _layer(base: BaseSettings, number: int, inputs: int) -> dict[str, Array]:
    """Weights of a layer: the preset's where it has them for it, else drawn."""
    own, form = preset_of(base).weights, dict[str, Any](base.form)
    arrays = {name: own[of_layer] for name in WEIGHTS if (of_layer := numbered(name, number)) in own}
    if not arrays:
        options: dict[str, Any] = {"init": base.init, "gain": base.gain, "seed": derived_seed(base.seed, number)}
        options |= form  # what keeps, and so gets chrono's biases
        if base.init == "chrono":
            options["t_max"] = max(base.steps, _SHORTEST_CHRONO)
        cell = make_cell(base.kind, inputs, base.hidden_size, **options)
        arrays = {name: getattr(cell, name) for name in WEIGHTS}
    elif number == 1:
        arrays["W_ih"] = _for_inputs(arrays["W_ih"], inputs)
    arrays["b_ih"] = raised(arrays["b_ih"], dict(base.gate_biases), cell_class(base.kind).gate_names)
    return arrays


def _for_inputs(W_ih: Array, inputs: int) -> Array:
    """A preset's weights for inputs of another size: those of the components that both have."""
    fitted = np.zeros((len(W_ih), inputs))
    both = min(inputs, W_ih.shape[1])
    fitted[:, :both] = W_ih[:, :both]
    return fitted


_SHORTEST_CHRONO = 3
STARTS = ("h0", "c0")


def raised(b_ih: Array, biases: Mapping[str, float], gates: tuple[str, ...]) -> Array:
    """The bias with what the sliders add to each gate's rows."""
    by_gate = [biases.get(gate, 0.0) for gate in gates]
    return b_ih + np.repeat(by_gate, len(b_ih) // len(gates)) if any(by_gate) else b_ih


def _start(given: tuple[float, ...], sizes: Sequence[int], number: int) -> Array:
    """A layer's part of a typed initial state; zeros where nothing was typed."""
    hidden, before = sizes[number - 1], sum(sizes[: number - 1])
    start = given[before : before + hidden] if len(given) == sum(sizes) else given
    return np.array(start if len(start) == hidden else (start or (0.0,)) * hidden, dtype=np.float64)


def start_lengths(sizes: Sequence[int]) -> set[int]:
    """How many numbers an h0 or c0 may have: none, one for all, one for each unit, or those of each layer.

    Parameters
    ----------
    sizes : sequence of int
        H of each layer, as `hidden_sizes` has it.
    """
    each = {sizes[0]} if len(set(sizes)) == 1 else set[int]()
    return {0, 1, sum(sizes)} | each


def _readouts(base: BaseSettings) -> dict[str, Array]:
    """What makes y, the preset's own where it fits; and the readout of each layer where those are handed on."""
    sizes = hidden_sizes(base)
    arrays: dict[str, Array] = {}
    head, top = ("W_ho", "b_o"), sizes[-1]
    if _passes_readouts(base):
        for number, hidden in enumerate(sizes, start=1):
            drawn = drawn_readout(hidden, hidden, [base.seed, 1, number])
            arrays |= {numbered(name, number): array for name, array in zip(head, drawn, strict=True)}
        head = ("W_out", "b_out")
    if base.output_size:
        own = preset_of(base).weights
        fits = "W_ho" in own and own["W_ho"].shape == (base.output_size, top)
        pair = (own["W_ho"], own["b_o"]) if fits else drawn_readout(base.output_size, top, [base.seed, 1])
        arrays |= dict(zip(head, pair, strict=True))
    return arrays


def _sequence(base: BaseSettings, number: int) -> Array:
    """A sequence of the batch: the reader's own, or of the same rule as the first."""
    if base.batch:
        return np.array(base.batch[number - 1])
    if base.text:
        return one_hot(base.text, number)
    of_preset = preset_of(base)
    if base.input != "preset" or of_preset.x is None:
        return base.input_scale * generate(base.input, base.steps, base.input_size, base.seed, number)
    if of_preset.seeded:
        return base.input_scale * of_preset.x(base.steps, number - 1)
    # Each begins a step later, and ends with the rest.
    return base.input_scale * np.roll(of_preset.x(base.steps), 1 - number, axis=0)
