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
from rnnviz.presets.table import preset_of
from rnnviz.sequences import alphabet, derived_seed, generate, one_hot
from rnnviz.settings import OBJECTIVE_SETTINGS, SETTINGS, Settings, Value, array_of, choices_of, numbered, settings_of

Array = NDArray[np.float64]

FIRST_TEXT = "hello world"
"""The text that stands there until the reader types one."""

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


def values_of(settings: Settings) -> dict[str, Value]:
    """The value of every setting: the table's default, the preset's, the chosen one, the sequence's sizes."""
    table = {name: setting.default for name, setting in settings_of(*settings.kinds).items()}
    values = table | dict(preset_of(settings).values) | dict(settings.chosen)
    if settings.x is not None:
        values |= {"steps": len(settings.x), "input_size": len(settings.x[0]), "sequences": len(settings.batch)}
    elif values["input"] == "text":
        text = text_of(settings)
        values |= {"steps": len(text), "input_size": len(alphabet(text))}
    return values


def _own_values(settings: Settings) -> dict[str, Value]:
    """The values that the kind of cell itself takes; what it has no word for, it takes as the table has it."""
    own, words = settings_of(settings.kind), {name: choices_of(name, settings.kind) for name in SETTINGS}
    return {
        name: value if not words[name] or value in words[name] else own[name].default
        for name, value in values_of(settings).items()
        if name in own
    }


def text_of(settings: Settings) -> str:
    """The text that a sequence of characters is made of."""
    return settings.text or FIRST_TEXT


def characters_of(settings: Settings) -> tuple[str, ...]:
    """What the components of the input stand for where it is a text; empty where it is none."""
    reads_text = settings.x is None and values_of(settings)["input"] == "text"
    return alphabet(text_of(settings)) if reads_text else ()


def build(settings: Settings) -> Network:
    """The network that settings stand for, edits applied.

    Raises
    ------
    InputError
        If an array is refused.
    """
    base, arrays = base_arrays(settings), edited_arrays(settings)
    values = _own_values(settings)
    layers, sequences = (range(1, whole_of(values[name]) + 1) for name in ("layers", "sequences"))
    output, form = str(values["output_activation"]), _form(values)
    make = cell_class(settings.kind)

    def cell(number: int) -> Cell:
        return make(*(arrays[numbered(name, number)] for name in WEIGHTS), **form)

    def readout(names: tuple[str, str], number: int = 1, activation: str = "identity") -> Readout:
        W, b = (arrays[numbered(name, number)] for name in names)
        return Readout(W, b, activation=activation)

    passes: tuple[Readout, ...] = ()
    head = ("W_ho", "b_o")
    if _passes_readouts(values):
        passes, head = tuple(readout(head, number) for number in layers), ("W_out", "b_out")
    return Network(
        cells=tuple(cell(number) for number in layers),
        passes=passes,
        readout=readout(head, activation=output) if head[0] in arrays else None,
        xs=tuple(arrays[numbered("x", number)] for number in sequences),
        h0s=tuple(arrays[numbered("h0", number)] for number in layers),
        base=base,
        c0s=tuple(arrays.get(numbered("c0", number)) for number in layers),
        clamps=tuple(tuple(clamp for layer, clamp in settings.clamps if layer == number) for number in layers),
    )


def edited_arrays(settings: Settings) -> dict[str, Array]:
    """Every editable array with the edits applied, by its name in the address."""
    arrays = {name: array.copy() for name, array in base_arrays(settings).items()}
    for entry, value in settings.edits:
        arrays[entry.name][entry.place] = value
    return arrays


def _form(values: Mapping[str, Value]) -> dict[str, Any]:
    """What a kind of cell can be told apart from its weights."""
    return {name: values[name] for name in ("activation", "reset", "update") if name in values}


def base_arrays(settings: Settings) -> Mapping[str, Array]:
    """Every editable array before the edits; read-only, for they are drawn once for all who ask."""
    return _base_arrays(_base_of(settings))


def _base_of(settings: Settings) -> Settings:
    """The settings without what does not touch the base: edits, and what is shown of the network."""
    return of_network(replace(settings, edits=(), layer=1, sequence=1, clamps=()))


def of_network(settings: Settings) -> Settings:
    """The settings of the network alone, without those that only choose what is shown of it, and how."""
    return replace(settings, t=1, missing="").choose(**dict.fromkeys(VIEW_SETTINGS))


VIEW_SETTINGS = (
    "order", "notation", "together", "block", "threshold", "from_step", "to_step", "opened", *OBJECTIVE_SETTINGS,
)  # fmt: skip


@remembered
def _base_arrays(settings: Settings) -> Mapping[str, Array]:
    values = _own_values(settings)
    arrays = _layers(settings, values)
    for number in range(1, whole_of(values["sequences"]) + 1):
        arrays[numbered("x", number)] = _sequence(settings, values, number)
    for name, array in arrays.items():
        arrays[name] = array.view()
        arrays[name].setflags(write=False)
    return MappingProxyType(arrays)


def parameter_counts(settings: Settings) -> Mapping[str, int]:
    """How many weights and biases the network has in each form of stack, by the form's name in the address."""
    return _parameter_counts(_base_of(settings))


@remembered
def _parameter_counts(settings: Settings) -> Mapping[str, int]:
    weights = sum(array.size for name, array in base_arrays(settings).items() if array_of(name) in WEIGHTS)
    values = _own_values(settings)
    readouts = {stack: _readouts(settings, {**values, "stack": stack}) for stack in STACKS}
    return {stack: weights + sum(array.size for array in readouts[stack].values()) for stack in STACKS}


def _layers(settings: Settings, values: Mapping[str, Value]) -> dict[str, Array]:
    """Weights and initial states of all layers, and the readouts."""
    arrays: dict[str, Array] = {}
    inputs, sizes = whole_of(values["input_size"]), hidden_sizes(settings, values)
    for number, hidden in enumerate(sizes, start=1):
        layer = _layer(settings, values, number, inputs)
        starts = {name: _start(vector_of(values[name]), sizes, number) for name in STARTS if name in values}
        arrays |= {numbered(name, number): array for name, array in {**layer, **starts}.items()}
        inputs = hidden
    return arrays | _readouts(settings, values)


def hidden_sizes(settings: Settings, values: Mapping[str, Value]) -> tuple[int, ...]:
    """H of each layer: that of its hand-set weights, or the one that is asked for."""
    own, hidden = preset_of(settings).weights, whole_of(values["hidden_size"])
    layers = (numbered("W_hh", number) for number in range(1, whole_of(values["layers"]) + 1))
    return tuple(own[name].shape[1] if name in own else hidden for name in layers)


def _passes_readouts(values: Mapping[str, Value]) -> bool:
    """Whether the layers hand on readouts; a single layer has no next one."""
    return values["stack"] == "readout" and whole_of(values["layers"]) > 1


def _layer(settings: Settings, values: Mapping[str, Value], number: int, inputs: int) -> dict[str, Array]:
    """Weights of a layer: the preset's where it has them for it, else drawn."""
    hidden, seed, own = whole_of(values["hidden_size"]), whole_of(values["seed"]), preset_of(settings).weights
    arrays = {name: own[of_layer] for name in WEIGHTS if (of_layer := numbered(name, number)) in own}
    if not arrays:
        options: dict[str, Any] = {"init": values["init"], "gain": values["gain"], "seed": derived_seed(seed, number)}
        options |= _form(values)  # what keeps, and so gets chrono's biases
        if values["init"] == "chrono":
            options["t_max"] = max(whole_of(values["steps"]), _SHORTEST_CHRONO)
        cell = make_cell(settings.kind, inputs, hidden, **options)
        arrays = {name: getattr(cell, name) for name in WEIGHTS}
    elif number == 1:
        arrays["W_ih"] = _for_inputs(arrays["W_ih"], inputs)
    arrays["b_ih"] = _raised(arrays["b_ih"], values, cell_class(settings.kind).gate_names)
    return arrays


def _for_inputs(W_ih: Array, inputs: int) -> Array:
    """A preset's weights for inputs of another size: those of the components that both have."""
    fitted = np.zeros((len(W_ih), inputs))
    both = min(inputs, W_ih.shape[1])
    fitted[:, :both] = W_ih[:, :both]
    return fitted


_SHORTEST_CHRONO = 3
STARTS = ("h0", "c0")


def _raised(b_ih: Array, values: Mapping[str, Value], gates: tuple[str, ...]) -> Array:
    """The bias with what the sliders add to each gate's rows."""
    by_gate = [float(str(values.get(f"bias_{gate}", 0.0))) for gate in gates]
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


def _readouts(settings: Settings, values: Mapping[str, Value]) -> dict[str, Array]:
    """What makes y, the preset's own where it fits; and the readout of each layer where those are handed on."""
    outputs, seed, sizes = whole_of(values["output_size"]), whole_of(values["seed"]), hidden_sizes(settings, values)
    arrays: dict[str, Array] = {}
    head, top = ("W_ho", "b_o"), sizes[-1]
    if _passes_readouts(values):
        for number, hidden in enumerate(sizes, start=1):
            drawn = _drawn_readout(hidden, hidden, [seed, 1, number])
            arrays |= {numbered(name, number): array for name, array in zip(head, drawn, strict=True)}
        head = ("W_out", "b_out")
    if outputs:
        own = preset_of(settings).weights
        fits = "W_ho" in own and own["W_ho"].shape == (outputs, top)
        pair = (own["W_ho"], own["b_o"]) if fits else _drawn_readout(outputs, top, [seed, 1])
        arrays |= dict(zip(head, pair, strict=True))
    return arrays


def _drawn_readout(outputs: int, hidden: int, stream: list[int]) -> tuple[Array, Array]:
    """PyTorch's initialisation of a linear layer, from a stream of its own beside the cell's."""
    generator, bound = np.random.RandomState(stream), 1 / np.sqrt(hidden)
    W_ho = generator.uniform(-bound, bound, (outputs, hidden))
    return W_ho, generator.uniform(-bound, bound, outputs)


def _sequence(settings: Settings, values: Mapping[str, Value], number: int) -> Array:
    """A sequence of the batch: the reader's own, or of the same rule as the first."""
    if settings.x is not None:
        return np.array(settings.batch[number - 1])
    kind, preset = str(values["input"]), preset_of(settings)
    inputs, steps, seed = (whole_of(values[name]) for name in ("input_size", "steps", "seed"))
    if kind == "text":
        return one_hot(text_of(settings), number)
    scale = float(str(values["input_scale"]))
    if kind == "preset" and preset.x is not None:
        if preset.seeded:
            return scale * preset.x(steps, number - 1)
        return scale * np.roll(preset.x(steps), 1 - number, axis=0)  # each begins a step later, and ends with the rest
    return scale * generate(kind, steps, inputs, seed, number)


def whole_of(value: Value) -> int:
    """The value of a setting that counts something."""
    return int(value) if isinstance(value, int | float) else 0


def vector_of(value: Value) -> tuple[float, ...]:
    """The value of a setting that is a vector; empty where it is none."""
    return value if isinstance(value, tuple) else ()
