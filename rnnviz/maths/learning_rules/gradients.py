"""The gradient of a loss with respect to everything that a run was made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from rnnviz.lazy import lazily
from rnnviz.maths.cells.protocol import WEIGHTS
from rnnviz.maths.checks import Array, Sealed, one_of, read_array, require_shape
from rnnviz.maths.errors import InputError
from rnnviz.maths.learning_rules.backward_trace import BackwardTrace
from rnnviz.maths.learning_rules.influence import gradients_by_loss, part_of, require_small
from rnnviz.maths.trace import Trace
from rnnviz.wording import Message

__all__ = ["WEIGHTS", "Gradients", "read_d_h"]


@dataclass(frozen=True, eq=False)
class Gradients(Sealed):
    """The gradient of a loss, in the shapes of what it belongs to. All arrays and mappings are read-only.

    Attributes
    ----------
    W_ih : (G*H, D) array
    W_hh : (G*H, H) array
    b_ih, b_hh : (G*H,) arrays
    x : (T, D) array
        The gradient with respect to each input; for the layer below in a stack, its `d_h`.
    backward : BackwardTrace
        Every number of the backward pass.
    """

    W_ih: Array
    W_hh: Array
    b_ih: Array
    b_hh: Array
    x: Array
    backward: BackwardTrace

    def __post_init__(self) -> None:
        for name in (*WEIGHTS, "x"):
            array = getattr(self, name)
            if not np.isfinite(array).all():
                raise InputError(
                    "gradient",
                    "The gradient of {name} overflows float64 (about 1.8e308). Lower the weights, the inputs or the "
                    "loss's gradient d_h.",
                    name=name,
                )
            array.setflags(write=False)

    @property
    def h(self) -> Array:
        """The total gradient with respect to each hidden state, (T+1, H); row 0 is the initial one."""
        return self.backward.h

    @property
    def c(self) -> Array | None:
        """The total gradient with respect to each cell state of an LSTM, (T+1, H); None for the other cells."""
        return self.backward.c

    @property
    def weights(self) -> Mapping[str, Array]:
        """The gradients of W_ih, W_hh, b_ih and b_hh by name."""
        return MappingProxyType({name: getattr(self, name) for name in WEIGHTS})

    @lazily
    def by_use(self) -> Mapping[str, Array]:
        """What the use of each weight at step t contributes, (T, *shape) by name; adds up to the gradient.

        A weight is the same at every step: its gradient is the sum over its uses. Each is made when it is asked for.
        If the gradient is truncated, so are the parts.
        """
        return _Made(self._by_use)

    @lazily
    def by_loss(self) -> Mapping[str, Array]:
        """The gradient of the loss of step t alone, (T, *shape) by name; adds up to the gradient.

        Each is made by a forward sweep of `rtrl` when it is asked for, so it takes as long.

        Raises
        ------
        InputError
            If the gradient is truncated, or the cell has more than 64 units.
        """
        if self.backward.truncation is not None:
            raise InputError(
                "gradient.by_loss",
                "by_loss belongs to a whole gradient; this one is truncated to {count} {count:step|steps}. Call bptt "
                "without truncation, or rtrl.",
                count=self.backward.truncation,
            )
        require_small("by_loss", self.backward.trace)
        return _Made(self._by_loss)

    def use_norms(self, name: str) -> Array:
        """Return the Frobenius norm of what each use of a weight contributes, as ``|delta_t| |h_{t-1}|``.

        Parameters
        ----------
        name : {"W_ih", "W_hh", "b_ih", "b_hh"}

        Returns
        -------
        (T,) array
            The norms of ``by_use[name]``, without that being made.
        """
        one_of("weight", name, WEIGHTS)
        return self.backward.trace.cell.use_norms(self.backward, name)

    def along(self, name: str, direction: ArrayLike) -> Array:
        """Return the part of each use of a weight along a direction; they add up to that of the gradient.

        Parameters
        ----------
        name : {"W_ih", "W_hh", "b_ih", "b_hh"}
        direction : array-like
            Of the shape of the weight: with a single 1 it picks an entry, with the gradient over its length the parts
            add up to that length.

        Returns
        -------
        (T,) array
            ``sum(by_use[name][t] * direction)``, without `by_use` being made.

        Raises
        ------
        InputError
            If there is no such weight, or the direction has another shape or an entry that is not finite.
        """
        one_of("weight", name, WEIGHTS)
        wanted = read_array("direction", direction)
        whose = Message("error.direction.whose", "as {name} is", name=name)
        cure = Message("error.direction.entries", "One number for each entry.")
        require_shape("direction", wanted, getattr(self, name).shape, whose, cure)
        return self.backward.trace.cell.along(self.backward, name, wanted)

    def _by_use(self, name: str) -> Array:
        return self.backward.trace.cell.uses(self.backward, name)

    def _by_loss(self, name: str) -> Array:
        trace = self.backward.trace
        alone = gradients_by_loss(trace, self.backward.from_loss)
        return np.stack([part_of(one, name, trace.cell) for one in alone])


class _Made(Mapping[str, Array]):
    """One read-only array for each weight, made when it is first asked for."""

    def __init__(self, make: Callable[[str], Array]) -> None:
        self._make = make
        self._made: dict[str, Array] = {}

    def __getitem__(self, name: str) -> Array:
        if name not in WEIGHTS:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._make(name)
            self._made[name].setflags(write=False)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(WEIGHTS)

    def __len__(self) -> int:
        return len(WEIGHTS)


def read_d_h(d_h: object, trace: Trace) -> Array:
    """Return the direct gradient of a loss with respect to every hidden state, checked against the run."""
    cure = Message(
        "error.d_h.rows",
        "One row for each step, from step 1 on: dL/dh_t of the loss of step t alone, zeros where it has none.",
    )
    direct = read_array("d_h", d_h, cure)
    T, H = trace.steps, trace.cell.hidden_size
    if direct.shape == (T + 1, H):
        cure = Message("error.d_h.row_0", "Leave out row 0, the initial state, which has no loss.")
    whose = Message(
        "error.d_h.whose", "for a run of {steps} {steps:step|steps} of {units} {units:unit|units}", steps=T, units=H
    )
    require_shape("d_h", direct, (T, H), whose, cure)
    return direct
