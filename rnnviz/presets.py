"""Named settings of the Hidden state page, each with the fact that it shows, and the network that settings stand for.

The fact of a preset is computed from the numbers on the screen, so it stays true after every edit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Cell, ElmanCell, Readout, Trace, make_cell, run
from rnnviz.sequences import GENERATORS, noise
from rnnviz.settings import SETTINGS, Problem, Settings, Value
from rnnviz.views import facts

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Preset:
    """A named base that settings and edits stand on.

    Attributes
    ----------
    values : mapping of str to value
        Settings that differ from the table's defaults.
    fact : callable
        ``fact(trace, y) -> str``: the sentence that this preset is there to show, with numbers from the trace.
    weights : mapping of str to array
        Hand-set arrays, ``W_ih W_hh b_ih b_hh`` and with a readout ``W_ho b_o``; empty where they are drawn.
    x : callable or None
        ``x(steps) -> (steps, D)``: the preset's own sequence.
    """

    values: Mapping[str, Value]
    fact: Callable[[Trace, Array | None], str]
    weights: Mapping[str, Array] = field(default_factory=dict)
    x: Callable[[int], Array] | None = None


@dataclass(frozen=True, eq=False)
class Network:
    """What settings stand for: a cell with its readout, ready to run.

    Attributes
    ----------
    cell : Cell
    readout : Readout or None
    x : (T, D) array
    h0 : (H,) array
    base : mapping of str to array
        The editable arrays as they were before the edits, by their names in the address.
    """

    cell: Cell
    readout: Readout | None
    x: Array
    h0: Array
    base: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class Walk:
    """A network with everything that it computed: what the explorer draws.

    Attributes
    ----------
    network : Network
    trace : Trace
    y_preact, y : (T, O) array or None
        The readout before and after its activation.
    """

    network: Network
    trace: Trace
    y_preact: Array | None
    y: Array | None


def values_of(settings: Settings) -> dict[str, Value]:
    """The value of every setting: the table's default, the preset's, the chosen one, the sequence's sizes."""
    table = {name: setting.default for name, setting in SETTINGS.items()}
    values = table | dict(HIDDEN_STATE[settings.preset].values) | dict(settings.chosen)
    if settings.x is not None:
        values |= {"steps": len(settings.x), "input_size": len(settings.x[0])}
    return values


def choose(settings: Settings, name: str, value: Value) -> Settings:
    """The settings after a control was moved; edits that no longer fit the arrays are dropped.

    New weights (another preset, size, seed, initialisation or gain) drop the edits of the old ones.
    """
    if name == "preset":
        return Settings(str(value))
    chosen = settings.choose(**{name: value})
    if name in ("steps", "input_size", "input"):
        chosen = replace(chosen, x=None)
    if name in _DRAWN:
        chosen = replace(chosen, edits=tuple((entry, v) for entry, v in chosen.edits if entry.name in ("x", "h0")))
    if name in ("input", "h0"):
        touched = "x" if name == "input" else "h0"
        chosen = replace(chosen, edits=tuple((entry, v) for entry, v in chosen.edits if entry.name != touched))
    return settle(chosen)[0]


def follow(settings: Settings, x: tuple[tuple[float, ...], ...]) -> Settings:
    """The settings with the reader's own sequence, which sets D and T; edits of the old one are dropped."""
    kept = tuple((entry, value) for entry, value in settings.edits if entry.name != "x")
    return settle(replace(settings, x=x, edits=kept))[0]


def settle(settings: Settings) -> tuple[Settings, tuple[Problem, ...]]:
    """Bring settings into their one canonical form.

    Hand-set weights exist at one size only, so asking for another size, seed, initialisation or gain is asking for
    random weights. Choices equal to the base are no choices; the step stays within the sequence.

    Returns
    -------
    Settings
    tuple of Problem
        Entries that lie outside the arrays, and an ``h0`` of the wrong length; they are left out.
    """
    preset = HIDDEN_STATE[settings.preset]
    if preset.weights and any(values_of(settings)[name] != _own(preset, name) for name in _DRAWN):
        kept = {name: value for name, value in values_of(settings).items() if not (preset.x and value == "preset")}
        if settings.x is not None:
            kept = {name: value for name, value in kept.items() if name not in ("steps", "input_size")}
        if len(_vector(kept["h0"])) not in (0, 1, kept.get("hidden_size")):
            kept.pop("h0")
        settings = replace(settings, preset="random", chosen=tuple(sorted(kept.items())))
    settings = _without_defaults(settings)
    problems: list[Problem] = []
    values = values_of(settings)
    size = _whole(values["hidden_size"])
    h0 = _vector(values["h0"])
    if len(h0) not in (0, 1, size):
        given = SETTINGS["h0"].write(h0)
        problems.append(Problem("h0", given, f"needs {size} numbers, one for each unit, or a single one for all"))
        settings = settings.choose(h0=None)
    base = _base(settings)
    for entry, value in settings.edits:
        shape = base[entry.name].shape if entry.name in base else ()
        if len(shape) != len(entry.place) or any(place >= end for place, end in zip(entry.place, shape, strict=True)):
            limits = " x ".join(str(end) for end in shape)
            needed = f"lies outside {entry.name}, which is {limits}" if shape else "is not part of this network"
            problems.append(Problem(entry.address, f"{value:g}", needed))
            settings = settings.edit({entry: None})
        elif value == base[entry.name][entry.place]:
            settings = settings.edit({entry: None})
    return replace(settings, t=min(settings.t, _whole(values["steps"]))), tuple(problems)


def build(settings: Settings) -> Network:
    """The network that settings stand for, edits applied.

    Raises
    ------
    InputError
        If an array is refused.
    """
    base = _base(settings)
    arrays = {name: array.copy() for name, array in base.items()}
    for entry, value in settings.edits:
        arrays[entry.name][entry.place] = value
    values = values_of(settings)
    cell = ElmanCell(
        arrays["W_ih"], arrays["W_hh"], arrays["b_ih"], arrays["b_hh"], activation=str(values["activation"])
    )
    readout = None
    if "W_ho" in arrays:
        readout = Readout(arrays["W_ho"], arrays["b_o"], activation=str(values["output_activation"]))
    return Network(cell, readout, arrays["x"], arrays["h0"], MappingProxyType(base))


def walk(network: Network) -> Walk:
    """Run a network over its sequence and read out every step.

    Raises
    ------
    StateOverflowError
        If a state leaves float64; it carries the trace up to there.
    """
    return read_out(network, run(network.cell, network.x, network.h0))


def read_out(network: Network, trace: Trace) -> Walk:
    """A trace with the readout of each of its steps."""
    if network.readout is None:
        return Walk(network, trace, None, None)
    h = trace.h[1:]
    return Walk(network, trace, h @ network.readout.W.T + network.readout.b, network.readout(h))


def weights_are_hand_set(settings: Settings) -> bool:
    """Whether the preset brings its own weights, so that seed, initialisation and gain do not act."""
    return bool(HIDDEN_STATE[settings.preset].weights)


_DRAWN = ("input_size", "hidden_size", "seed", "init", "gain")


def _own(preset: Preset, name: str) -> Value:
    return preset.values.get(name, SETTINGS[name].default)


def _without_defaults(settings: Settings) -> Settings:
    preset = HIDDEN_STATE[settings.preset]
    kept = {name: value for name, value in settings.chosen if value != _own(preset, name)}
    if settings.x is not None:
        kept = {name: value for name, value in kept.items() if name not in ("steps", "input_size", "input")}
    if kept.get("input") == "preset" and preset.x is None:
        kept.pop("input")
    return replace(settings, chosen=tuple(sorted(kept.items())))


def _base(settings: Settings) -> dict[str, Array]:
    """Every editable array before the edits."""
    preset, values = HIDDEN_STATE[settings.preset], values_of(settings)
    inputs, hidden, outputs, steps, seed = (
        _whole(values[name]) for name in ("input_size", "hidden_size", "output_size", "steps", "seed")
    )
    arrays = {name: array for name, array in preset.weights.items() if name not in ("W_ho", "b_o")}
    if not arrays:
        options: dict[str, Any] = {"init": values["init"], "gain": values["gain"], "seed": seed}
        cell = make_cell("elman", inputs, hidden, **options)
        arrays = {"W_ih": cell.W_ih, "W_hh": cell.W_hh, "b_ih": cell.b_ih, "b_hh": cell.b_hh}
    if outputs:
        own = preset.weights.get("W_ho")
        if own is not None and len(own) == outputs:
            arrays |= {"W_ho": own, "b_o": preset.weights["b_o"]}
        else:
            arrays |= _drawn_readout(outputs, hidden, seed)
    if settings.x is not None:
        arrays["x"] = np.array(settings.x)
    elif values["input"] == "preset" and preset.x is not None:
        arrays["x"] = preset.x(steps)
    else:
        arrays["x"] = GENERATORS[str(values["input"])](steps, inputs, seed)
    h0 = _vector(values["h0"])
    arrays["h0"] = np.array(h0 if len(h0) == hidden else (h0 or (0.0,)) * hidden, dtype=np.float64)
    return arrays


def _drawn_readout(outputs: int, hidden: int, seed: int) -> dict[str, Array]:
    """PyTorch's initialisation of a linear layer, from a stream of its own beside the cell's."""
    generator, bound = np.random.RandomState([seed, 1]), 1 / np.sqrt(hidden)
    W_ho = generator.uniform(-bound, bound, (outputs, hidden))
    return {"W_ho": W_ho, "b_o": generator.uniform(-bound, bound, outputs)}


def _whole(value: Value) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _vector(value: Value) -> tuple[float, ...]:
    return value if isinstance(value, tuple) else ()


def _worked_sequence(steps: int) -> Array:
    """The textbook gives one input; ours follow it."""
    x = noise(steps, 2, 14)
    x[0] = (0.5, -0.3)
    return x


def _pulses(steps: int) -> Array:
    return (noise(steps, 1, 5) > 0).astype(np.float64)


def _hand_set(**arrays: object) -> dict[str, Array]:
    return {name: np.array(array, dtype=np.float64) for name, array in arrays.items()}


_TURN = 2 * np.pi / 12

HIDDEN_STATE: Mapping[str, Preset] = MappingProxyType(
    {
        "worked_example": Preset(
            {"input": "preset", "h0": (0.1, 0.2, -0.1)},
            facts.worked_example,
            _hand_set(
                W_ih=[[0.1, 0.2], [-0.3, 0.4], [0.5, 0.6]],
                W_hh=[[0.7, -0.2, 0.3], [0.4, 0.5, -0.6], [-0.1, 0.8, 0.9]],
                b_ih=[0.01, 0.02, 0.03],
                b_hh=[0.04, 0.05, 0.06],
                W_ho=[[0.6, -0.5, 0.8]],
                b_o=[0.1],
            ),
            _worked_sequence,
        ),
        "echo": Preset(
            {"input_size": 1, "steps": 12, "activation": "identity"},
            facts.echo,
            _hand_set(
                W_ih=[[1], [0], [0]],
                W_hh=[[0, 0, 0], [1, 0, 0], [0, 1, 0]],
                b_ih=[0, 0, 0],
                b_hh=[0, 0, 0],
                W_ho=[[0, 1, 0]],
                b_o=[0],
            ),
        ),
        "counter": Preset(
            {"input_size": 1, "hidden_size": 2, "steps": 16, "activation": "relu", "input": "preset"},
            facts.counter,
            _hand_set(
                W_ih=[[1], [1]],
                W_hh=[[1, 0], [1, 0]],
                b_ih=[0, -2],
                b_hh=[0, 0],
                W_ho=[[1, 0]],
                b_o=[0],
            ),
            _pulses,
        ),
        "oscillator": Preset(
            {"input_size": 1, "hidden_size": 2, "steps": 36, "input": "silence", "h0": (0.6, 0.0)},
            facts.oscillator,
            _hand_set(
                W_ih=[[1], [0]],
                W_hh=1.2 * np.array([[np.cos(_TURN), -np.sin(_TURN)], [np.sin(_TURN), np.cos(_TURN)]]).round(4),
                b_ih=[0, 0],
                b_hh=[0, 0],
                W_ho=[[1, 0]],
                b_o=[0],
            ),
        ),
        "saturated": Preset(
            {"steps": 12},
            facts.saturated,
            _hand_set(
                W_ih=[[4, -3], [-3, 5], [2, 4]],
                W_hh=[[5, -3, 2], [-4, 6, 3], [3, 2, -5]],
                b_ih=[1, -1, 0.5],
                b_hh=[0, 0, 0],
                W_ho=[[0.6, -0.5, 0.8]],
                b_o=[0.1],
            ),
        ),
        "chaotic": Preset(
            {
                "hidden_size": 5,
                "input_size": 1,
                "steps": 100,
                "init": "spectral",
                "seed": 24,
                "gain": 2.6,
                "input": "silence",
                "h0": (0.5,),
            },
            facts.chaotic,
        ),
        "random": Preset({}, facts.random),
    }
)
"""The presets of the Hidden state page, in the order of their buttons; the first is the page's default."""
