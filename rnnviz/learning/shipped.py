"""Train the weights of the trained presets: ``python -m rnnviz.learning.shipped``, about half a minute.

Everything is drawn from fixed seeds, in float64 and on one thread, so that a second run gives the same files.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rnnviz.learning.tasks import bits, brackets, depth, parity
from rnnviz.maths import Readout, make_cell, run
from rnnviz.maths.cells.registry import cell_class

Array = NDArray[np.float64]
Weights = Mapping[str, Array]

FOLDER = Path(__file__).resolve().parent.parent / "presets" / "trained"
HIDDEN = 4
LEARNING_RATE = 0.02
DECIMALS = 3
TRAINING_SEEDS = 1_000_000  # the first of them, far from the small ones that a page starts with
FRESH_SEEDS = 2_000_000
_IN_TORCH = {"W_ih": "weight_ih_l0", "W_hh": "weight_hh_l0", "b_ih": "bias_ih_l0", "b_hh": "bias_hh_l0"}


@dataclass(frozen=True)
class Recipe:
    """How one network is trained.

    Attributes
    ----------
    what : str
        One sentence for whoever opens the file.
    kind : {"lstm", "gru"}
    draw : callable
        ``draw(steps, seed) -> (T, D)``: a sequence.
    target : callable
        ``target(x) -> (T,)``: what the readout has to say at each step.
    activation : {"identity", "sigmoid"}
        Of the readout; the loss is the squared error of the first, the cross-entropy of the second.
    steps, sequences, updates : int
        Every update sees all of so many sequences.
    seed : int
        Of the weights before training. It was looked for: most others learn the task, but spread it over more units.
    unit : float
        The target is learned in this unit, which the readout's weights take over in the end.
    options : mapping
        More for `make_cell`.
    """

    what: str
    kind: str
    draw: Callable[[int, int], Array]
    target: Callable[[Array], Array]
    activation: str
    steps: int
    sequences: int
    updates: int
    seed: int
    unit: float = 1.0
    options: Mapping[str, Any] = field(default_factory=dict)


RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        "bracket_depth": Recipe(
            what="An LSTM that says after each bracket how many are open.",
            kind="lstm",
            draw=brackets,
            target=depth,
            activation="identity",
            steps=40,
            sequences=32,
            updates=1200,
            seed=10,
            unit=3.0,
            options={"forget_bias": 1.0},
        ),
        "parity": Recipe(
            what="A GRU that says after each bit whether the ones so far are odd in number.",
            kind="gru",
            draw=bits,
            target=parity,
            activation="sigmoid",
            steps=16,
            sequences=128,
            updates=1200,
            seed=23,
        ),
    }
)
"""The networks that are shipped, by the name of their file."""


def train(recipe: Recipe, updates: int | None = None) -> tuple[dict[str, Array], list[float]]:
    """Train a network with Adam, its step shrinking to zero along half a cosine.

    Parameters
    ----------
    recipe : Recipe
    updates : int, optional
        The recipe's own number if left out.

    Returns
    -------
    dict of str to array
        ``W_ih W_hh b_ih b_hh W_ho b_o``, rounded to `DECIMALS`.
    list of float
        The loss before each update.
    """
    import torch

    updates = recipe.updates if updates is None else updates
    xs = [recipe.draw(recipe.steps, TRAINING_SEEDS + k) for k in range(recipe.sequences)]
    x, target = torch.tensor(np.stack(xs)), torch.tensor(np.stack([recipe.target(x) for x in xs]) / recipe.unit)
    network, head = _untrained(recipe, x.shape[2])
    parameters = [*network.parameters(), *head.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, updates)
    squared, cross_entropy = torch.nn.functional.mse_loss, torch.nn.functional.binary_cross_entropy_with_logits
    loss_of = squared if recipe.activation == "identity" else cross_entropy
    losses = []
    for _ in range(updates):
        optimizer.zero_grad()
        loss: Any = loss_of(head(network(x)[0])[..., 0], target)
        loss.backward()
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    arrays = {ours: getattr(network, theirs) for ours, theirs in _IN_TORCH.items()}
    arrays |= {"W_ho": head.weight * recipe.unit, "b_o": head.bias * recipe.unit}
    return {name: array.detach().numpy().round(DECIMALS) for name, array in arrays.items()}, losses


def _untrained(recipe: Recipe, inputs: int) -> tuple[Any, Any]:
    """The network and its readout in torch, with weights that no version of torch changes."""
    import torch

    cell = make_cell(recipe.kind, inputs, HIDDEN, seed=recipe.seed, **recipe.options)
    networks: dict[str, Any] = {"lstm": torch.nn.LSTM, "gru": torch.nn.GRU}
    network = networks[recipe.kind](inputs, HIDDEN, batch_first=True).double()
    head = torch.nn.Linear(HIDDEN, 1).double()
    bound = 1 / np.sqrt(HIDDEN)
    drawn = np.random.RandomState([recipe.seed, 1]).uniform(-bound, bound, (1, HIDDEN))
    with torch.no_grad():
        for ours, theirs in _IN_TORCH.items():
            getattr(network, theirs).copy_(torch.tensor(np.array(getattr(cell, ours))))
        head.weight.copy_(torch.tensor(drawn))
        head.bias.zero_()
    return network, head


def reached(recipe: Recipe, weights: Weights, steps: int = 100, sequences: int = 100) -> dict[str, float]:
    """What a network does on sequences that it was not trained on, by rnnviz's own arithmetic.

    Parameters
    ----------
    recipe : Recipe
    weights : mapping of str to array
    steps, sequences : int
        So many sequences of so many steps.

    Returns
    -------
    dict of str to number
        ``unit``, counted from 1, whose state follows the target best (an LSTM's c, a GRU's h); ``r``, its correlation
        with the target; ``next_r``, the largest |r| of another unit; ``slope``, by how much the state changes where
        the target grows by 1; ``largest_error`` of the readout. Below 0.5 the rounded readout is right at every step.
    """
    W_ih, W_hh, b_ih, b_hh = (weights[name] for name in _IN_TORCH)
    cell = cell_class(recipe.kind)(W_ih, W_hh, b_ih, b_hh)
    readout = Readout(weights["W_ho"], weights["b_o"], activation=recipe.activation)
    xs = [recipe.draw(steps, FRESH_SEEDS + k) for k in range(sequences)]
    traces = [run(cell, x) for x in xs]
    targets = np.concatenate([recipe.target(x) for x in xs])
    states = np.concatenate([(trace.h if trace.c is None else trace.c)[1:] for trace in traces])
    errors = np.concatenate([readout(trace.h[1:])[:, 0] for trace in traces]) - targets
    r = np.corrcoef(states.T, targets)[-1, :-1]
    unit, second = (int(place) for place in np.argsort(-np.abs(r))[:2])
    found = {
        "r": r[unit],
        "next_r": abs(r[second]),
        "slope": r[unit] * states[:, unit].std() / targets.std(),
        "largest_error": np.abs(errors).max(),
    }
    return {"unit": unit + 1} | {name: round(float(value), 4) for name, value in found.items()}


def upright(recipe: Recipe, weights: Weights) -> dict[str, Array]:
    """The same network with the unit that follows the target rising with it.

    A unit may be turned over where its candidate row (g or n) and every weight that reads it change sign: its state
    is negated, and no other number changes.
    """
    found = reached(recipe, weights)
    turned = {name: array.copy() for name, array in weights.items()}
    if found["r"] < 0:
        unit, cell = int(found["unit"]) - 1, cell_class(recipe.kind)
        (candidate,) = set(cell.gate_names) - set(cell.clampable)
        row = cell.gate_names.index(candidate) * HIDDEN + unit
        for name in _IN_TORCH:
            turned[name][row] *= -1
        for name in ("W_hh", "W_ho"):
            turned[name][:, unit] *= -1
    return {name: array + 0.0 for name, array in turned.items()}  # -0.0 becomes 0.0


def text_of(recipe: Recipe, weights: Weights) -> str:
    """The file of a trained network, JSON with a row of a matrix in each line."""
    entries: dict[str, object] = {
        "what": recipe.what,
        "made_by": "python -m rnnviz.learning.shipped",
        "kind": recipe.kind,
        "activation": recipe.activation,
        "reached": reached(recipe, weights),
        **{name: array.tolist() for name, array in weights.items()},
    }
    lines = (f"  {json.dumps(name)}: {_rows(value)}" for name, value in entries.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _rows(value: object) -> str:
    if isinstance(value, list) and isinstance(value[0], list):
        return "[\n" + ",\n".join(f"    {json.dumps(row)}" for row in value) + "\n  ]"
    return json.dumps(value)


def main(folder: Path = FOLDER) -> None:
    """Train every network, print what it reached, and write its file unless it falls short."""
    import torch

    torch.set_num_threads(1)
    for name, recipe in RECIPES.items():
        start = time.perf_counter()
        weights, losses = train(recipe)
        seconds = time.perf_counter() - start
        weights = upright(recipe, weights)
        found, file = reached(recipe, weights), folder / f"{name}.json"
        facts = ", ".join(f"{key.replace('_', ' ')} {value:g}" for key, value in found.items())
        print(f"{name}: {recipe.updates} updates in {seconds:.1f} s, loss {losses[-1]:.2e}; {facts}")
        if found["r"] < 0.99 or found["largest_error"] >= 0.5:
            sys.exit(f"{name} is not good enough to be shown, and {file} stays as it is. Try another seed.")
        text = text_of(recipe, weights)
        same = file.exists() and file.read_text(encoding="utf-8") == text
        file.write_text(text, encoding="utf-8")
        print(f"  {file}: {'the same as before' if same else 'written'}")


if __name__ == "__main__":
    main()
