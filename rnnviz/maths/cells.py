"""The three recurrent cells. A cell is its weights: names, layout and gate order are PyTorch's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.checks import Array, Sealed, one_of, read_array, require_shape

__all__ = ["Cell", "ElmanCell", "GRUCell", "LSTMCell"]

_BIAS_CURE = "One number for each row of W_hh; a cell without biases takes zeros."


@dataclass(frozen=True, eq=False)
class Cell(Sealed):
    """What the three cells share: G blocks of H rows, one for each gate, stacked in the order of `gate_names`.

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
    title: ClassVar[str]  # with its article, for messages
    gate_names: ClassVar[tuple[str, ...]]  # the row blocks from top to bottom
    clampable: ClassVar[tuple[str, ...]]  # the blocks whose values lie in 0..1

    def __post_init__(self) -> None:
        W_hh = read_array("W_hh", self.W_hh)
        H = W_hh.shape[-1] if W_hh.ndim == 2 and W_hh.size else "H"
        rows = f"{len(self.gate_names)}*H" if isinstance(H, str) else len(self.gate_names) * H
        whose = f"for {self.title} with hidden size {H}"
        stacked = len(self.gate_names) > 1
        cure = f"Stack the gates {', '.join(self.gate_names)}." if stacked else "Stack one row for each unit."
        if stacked and W_hh.ndim == 2 and W_hh.shape[1] == len(self.gate_names) * W_hh.shape[0]:
            cure += " This looks transposed: pass W_hh.T."
        require_shape("W_hh", W_hh, (rows, H), whose, cure)
        W_ih = read_array("W_ih", self.W_ih)
        transposed = W_ih.ndim == 2 and W_ih.shape[1] == rows
        require_shape("W_ih", W_ih, (rows, "D"), whose, cure + " This looks transposed: pass W_ih.T." * transposed)
        biases = {name: read_array(name, getattr(self, name), _BIAS_CURE) for name in ("b_ih", "b_hh")}
        for name, bias in biases.items():
            require_shape(name, bias, (rows,), whose, _BIAS_CURE)
        for name, array in {"W_ih": W_ih, "W_hh": W_hh, **biases}.items():
            object.__setattr__(self, name, array)

    @property
    def input_size(self) -> int:
        """D, the length of one input vector."""
        return int(self.W_ih.shape[1])

    @property
    def hidden_size(self) -> int:
        """H, the number of units."""
        return int(self.W_hh.shape[1])

    @property
    def state_size(self) -> int:
        """S, the length of the state that passes from step to step: H, for an LSTM ``[h; c]`` 2H."""
        return self.hidden_size

    def rows(self, gate: str) -> slice:
        """Return the rows of one gate in the stacked weights and sums.

        >>> import numpy as np
        >>> GRUCell(np.zeros((6, 1)), np.zeros((6, 2)), np.zeros(6), np.zeros(6)).rows("z")
        slice(2, 4, None)
        """
        first = self.gate_names.index(gate) * self.hidden_size
        return slice(first, first + self.hidden_size)


@dataclass(frozen=True, eq=False)
class ElmanCell(Cell):
    """The simple recurrent network of Elman (1990), with the two biases of ``torch.nn.RNN``::

        h_t = g(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh)

    Parameters
    ----------
    W_ih : (H, D) array-like
    W_hh : (H, H) array-like
    b_ih, b_hh : (H,) array-like
    activation : {"tanh", "sigmoid", "relu", "identity"}
        g. Elman's own units are "sigmoid"; "identity" makes the network linear.

    Raises
    ------
    InputError
        If a shape does not fit, an entry is not a finite number or the activation is unknown.

    Examples
    --------
    >>> cell = ElmanCell([[1.0, 0.0]], [[0.5]], [0.0], [0.0])
    >>> cell.input_size, cell.hidden_size
    (2, 1)
    """

    activation: str = "tanh"

    kind: ClassVar[str] = "elman"
    title: ClassVar[str] = "an Elman RNN"
    gate_names: ClassVar[tuple[str, ...]] = ("a",)
    clampable: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("activation", self.activation, tuple(ACTIVATIONS))


@dataclass(frozen=True, eq=False)
class LSTMCell(Cell):
    """Long short-term memory (Hochreiter & Schmidhuber 1997) with the forget gate of Gers et al. (2000)::

        i, f, o = sigmoid(W x_t + b_ih + W h_{t-1} + b_hh)    each with its own rows
        g       = tanh   (W x_t + b_ih + W h_{t-1} + b_hh)
        c_t = f * c_{t-1} + i * g
        h_t = o * tanh(c_t)

    Parameters
    ----------
    W_ih : (4H, D) array-like
        Rows i, f, g, o, as in ``torch.nn.LSTM``.
    W_hh : (4H, H) array-like
    b_ih, b_hh : (4H,) array-like

    Raises
    ------
    InputError
        If a shape does not fit or an entry is not a finite number.

    Examples
    --------
    >>> import numpy as np
    >>> cell = LSTMCell(np.zeros((8, 3)), np.zeros((8, 2)), np.zeros(8), np.zeros(8))
    >>> cell.hidden_size, cell.state_size
    (2, 4)
    """

    kind: ClassVar[str] = "lstm"
    title: ClassVar[str] = "an LSTM"
    gate_names: ClassVar[tuple[str, ...]] = ("i", "f", "g", "o")
    clampable: ClassVar[tuple[str, ...]] = ("i", "f", "o")

    @property
    def state_size(self) -> int:
        """S = 2H: the state is ``[h; c]``."""
        return 2 * self.hidden_size


@dataclass(frozen=True, eq=False)
class GRUCell(Cell):
    """Gated recurrent unit (Cho et al. 2014); the defaults are the form of ``torch.nn.GRU``::

        r, z = sigmoid(W x_t + b_ih + W h_{t-1} + b_hh)       each with its own rows
        n = tanh(W_in x_t + b_in + r * (W_hn h_{t-1} + b_hn))     reset="after"
        n = tanh(W_in x_t + b_in + W_hn (r * h_{t-1}) + b_hn)     reset="before"
        h_t = (1 - z) * n + z * h_{t-1}                           update="keep"
        h_t = (1 - z) * h_{t-1} + z * n                           update="write"

    Parameters
    ----------
    W_ih : (3H, D) array-like
        Rows r, z, n, as in ``torch.nn.GRU``.
    W_hh : (3H, H) array-like
    b_ih, b_hh : (3H,) array-like
    reset : {"after", "before"}
        Whether the reset gate acts after the product with ``W_hn`` or before it.
    update : {"keep", "write"}
        What an open update gate does: keep the old state or write the candidate.

    Raises
    ------
    InputError
        If a shape does not fit, an entry is not a finite number or a form is unknown.

    Examples
    --------
    >>> import numpy as np
    >>> GRUCell(np.zeros((6, 3)), np.zeros((6, 2)), np.zeros(6), np.zeros(6), reset="before").hidden_size
    2
    """

    reset: str = "after"
    update: str = "keep"

    kind: ClassVar[str] = "gru"
    title: ClassVar[str] = "a GRU"
    gate_names: ClassVar[tuple[str, ...]] = ("r", "z", "n")
    clampable: ClassVar[tuple[str, ...]] = ("r", "z")

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("reset", self.reset, ("after", "before"))
        one_of("update", self.update, ("keep", "write"))
