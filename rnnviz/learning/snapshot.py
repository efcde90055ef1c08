"""What a network does at one moment of its training: with a sequence of the test, and with a gradient through it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from rnnviz.lazy import lazily
from rnnviz.learning.examples import Task
from rnnviz.learning.training import Checkpoint, examples_of_test
from rnnviz.maths import InputError, Trace, log10_gradient_norms, run
from rnnviz.maths.checks import Array


@dataclass(frozen=True, eq=False)
class Shown:
    """The sequence of the test that the page shows.

    Attributes
    ----------
    x : (T, D) array
    target : (T, O) array, or (T,) array of int
    counted : (T,) array of bool
    marked : tuple of int
        Steps that matter most, from 1 on.
    """

    x: Array
    target: NDArray[np.float64] | NDArray[np.int64]
    counted: NDArray[np.bool_]
    marked: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Snapshot:
    """What a network does with one sequence.

    Attributes
    ----------
    trace : Trace
        Of the top layer.
    eigenvalues : mapping of str to (H,) array of complex
        Of each square block of its W_hh, by the letter of its gate; of a cell without gates by "W_hh".
    said : (T, O) array
        What the network answers at each step, after the readout's activation.
    """

    trace: Trace
    eigenvalues: Mapping[str, NDArray[np.complex128]]
    said: Array

    @lazily
    def norms(self) -> Array:
        """log10 of the norm of the derivative of its whole last state with respect to that of each step, (T+1,)."""
        return log10_gradient_norms(self.trace, block="state" if len(self.trace.cell.state_names) > 1 else "h")


def shown_of(task: Task, seed: int) -> Shown:
    """The sequence of the test that shows best what the task asks for."""
    found = examples_of_test(task, seed)
    place = task.telling(found)
    return Shown(found.x[place], found.target[place], found.counted, task.marked(found.x[place]))


def snapshot(checkpoint: Checkpoint, x: Array) -> Snapshot | None:
    """Look at a network; None where its state or its answer overflows float64 on the sequence."""
    try:
        for cell, h0 in zip(checkpoint.cells, checkpoint.h0s, strict=True):
            trace = run(cell, x, h0)
            x = trace.h[1:]
        said = checkpoint.readout(x)
    except InputError:  # a StateOverflowError too
        return None
    top = checkpoint.cells[-1]
    size, names = top.hidden_size, top.gate_names if len(top.gate_names) > 1 else ("W_hh",)
    blocks = {
        name: np.asarray(np.linalg.eigvals(top.W_hh[first * size : (first + 1) * size]), dtype=np.complex128)
        for first, name in enumerate(names)
    }
    return Snapshot(trace, MappingProxyType(blocks), said)
