"""A cell as a layer of torch: its parameters, its run over a batch, and the cell again after they moved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from rnnviz.maths import Cell, InputError
from rnnviz.maths.cells.protocol import WEIGHTS
from rnnviz.maths.checks import Array

if TYPE_CHECKING:
    from torch import Tensor

    State = tuple[Tensor, ...]
    Step = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]

_THEIRS = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
_NAMES = dict(zip(WEIGHTS, _THEIRS, strict=True))


class TorchLayer:
    """One layer in float64, on torch's own module where torch has this form of cell and as a loop where it has not.

    Parameters
    ----------
    cell : Cell
        Its first weights.

    Raises
    ------
    InputError
        If torch has no such kind of cell.
    """

    def __init__(self, cell: Cell) -> None:
        import torch

        if cell.kind not in _FORMS:
            raise InputError(
                "training.kind", "Only these cells can be trained: {known}; got {got}.",
                known=", ".join(_FORMS), got=cell.kind,
            )  # fmt: skip
        self._cell, form = cell, _FORMS[cell.kind](cell)
        self._signs = np.ones(len(cell.b_hh))
        if form.negated:
            self._signs[cell.rows(form.negated)] = -1.0
        sizes = {"batch_first": True, "dtype": torch.float64}
        self._module = getattr(torch.nn, form.module)(cell.input_size, cell.hidden_size, **form.options, **sizes)
        self._step = form.step
        self.parameters: dict[str, Tensor] = {name: getattr(self._module, theirs) for name, theirs in _NAMES.items()}
        with torch.no_grad():
            for name, tensor in self.parameters.items():
                tensor.copy_(torch.from_numpy(self.signed(getattr(cell, name))))

    def __call__(self, x: Tensor, state: State) -> tuple[Tensor, State]:
        """Run over (B, T, D) from a state, (B, H) each: the hidden states (B, T, H), and the state at the end."""
        if self._step is not None:
            return self._loop(self._step, x, state[0])
        first = tuple(part[None].contiguous() for part in state)
        h, last = self._module(x, first if len(first) > 1 else first[0])
        return h, tuple(part[0] for part in (last if len(first) > 1 else (last,)))

    def start(self, h0: Tensor, batch: int) -> State:
        """The state that a batch begins in: h0 for all, and zeros for what the cell carries beside it."""
        h = h0.expand(batch, -1)
        return (h, *(h.new_zeros(h.shape) for _ in self._cell.state_names[1:]))

    @property
    def cell(self) -> Cell:
        """The cell with the weights of now."""
        arrays = {name: self.signed(tensor.detach().numpy()) for name, tensor in self.parameters.items()}
        form = {name: getattr(self._cell, name) for name in self._cell.form_names()}
        return type(self._cell)(**arrays, **form)

    def signed(self, array: Array) -> Array:
        """An array of torch's for one of ours, or the other way round: some rows may have the other sign there."""
        return (array.T * self._signs).T

    def _loop(self, step: Step, x: Tensor, h: Tensor) -> tuple[Tensor, State]:
        import torch

        W_ih, W_hh, b_ih, b_hh = self.parameters.values()
        hs = []
        for from_x in (x @ W_ih.T + b_ih).unbind(1):
            h = step(from_x, h, W_hh, b_hh)
            hs.append(h)
        return torch.stack(hs, 1), (h,)


@dataclass(frozen=True)
class _Form:
    """How torch runs a cell.

    Attributes
    ----------
    module : str
        Its name in ``torch.nn``.
    options : mapping
        What else it is made with.
    step : callable, optional
        ``step(W_ih x + b_ih, h, W_hh, b_hh) -> h`` where the module is another form of the cell.
    negated : str
        The gate whose rows have the other sign in torch.
    """

    module: str
    options: Mapping[str, Any] = field(default_factory=dict)
    step: Step | None = None
    negated: str = ""


def _elman(cell: Any) -> _Form:
    if cell.activation in ("tanh", "relu"):
        return _Form("RNN", {"nonlinearity": cell.activation})
    return _Form("RNN", step=_sigmoid_step if cell.activation == "sigmoid" else _linear_step)


def _gru(cell: Any) -> _Form:
    # torch's z keeps: sigma(-a) = 1 - sigma(a), and neither optimizer minds the sign of a weight
    negated = "z" if cell.update == "write" else ""
    return _Form("GRU", step=_reset_before_step if cell.reset == "before" else None, negated=negated)


_FORMS: Mapping[str, Callable[[Cell], _Form]] = MappingProxyType(
    {"elman": _elman, "lstm": lambda _: _Form("LSTM"), "gru": _gru}
)


def _sigmoid_step(from_x: Tensor, h: Tensor, W_hh: Tensor, b_hh: Tensor) -> Tensor:
    import torch

    return torch.sigmoid(from_x + h @ W_hh.T + b_hh)


def _linear_step(from_x: Tensor, h: Tensor, W_hh: Tensor, b_hh: Tensor) -> Tensor:
    return from_x + h @ W_hh.T + b_hh


def _reset_before_step(from_x: Tensor, h: Tensor, W_hh: Tensor, b_hh: Tensor) -> Tensor:
    """``n = tanh(W_in x + b_in + W_hn (r h) + b_hn)``, ``h = (1 - z) n + z h``."""
    import torch

    both = 2 * h.shape[1]
    r, z = torch.sigmoid(from_x[:, :both] + h @ W_hh[:both].T + b_hh[:both]).chunk(2, 1)
    n = torch.tanh(from_x[:, both:] + (r * h) @ W_hh[both:].T + b_hh[both:])
    return (1 - z) * n + z * h
