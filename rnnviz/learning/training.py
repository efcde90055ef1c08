"""Train a network with torch, an update at a time; what it was before, after and at chosen moments stays in numpy.

Everything is in float64, on one thread, and drawn from numpy's streams, so that the same recipe gives the same weights
to the last bit on one machine.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.random import RandomState

from rnnviz.learning.examples import Examples, Task
from rnnviz.learning.torch_layers import TorchLayer
from rnnviz.maths import Cell, InputError, Readout
from rnnviz.maths.checks import Array, read_array, read_integer, read_number

if TYPE_CHECKING:
    from torch import Tensor

    State = list[tuple[Tensor, ...]]

OPTIMIZERS = ("sgd", "adam")
TESTED = 128
"""Examples of the test."""

_FRESH, _TEST = 2, 3
"""Streams of a seed, beside those that the weights are drawn from."""
_MOST_SAID = 2000
"""Numbers of its answers in the test that a checkpoint keeps."""


def _nothing() -> Array:
    return np.zeros((0, 0, 0))


@dataclass(frozen=True)
class Update:
    """One update of the weights.

    Attributes
    ----------
    number : int
        Counted from 1.
    loss : float
        On the examples that it learned from, before it did.
    grad_norm : float
        Of all weights together, before clipping.
    clipped : bool
    """

    number: int
    loss: float
    grad_norm: float
    clipped: bool

    @property
    def finite(self) -> bool:
        """Whether the run can go on."""
        return math.isfinite(self.loss) and math.isfinite(self.grad_norm)


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A network at one moment of its training.

    Attributes
    ----------
    update : int
        The updates that it has had.
    train_loss, grad_norm : float
        Of its last update; NaN before the first.
    test_loss : float
        On examples that training never sees.
    accuracy : float
        The share of right answers among these; NaN where they are numbers.
    cells : tuple of Cell
    readout : Readout
    h0s : tuple of (H,) arrays
        The initial state of each layer.
    said : (N, C, O) array
        What it says of the first N examples of the test at the C steps that count, after the readout's activation;
        empty where it was not tested.
    """

    update: int
    train_loss: float
    test_loss: float
    accuracy: float
    grad_norm: float
    cells: tuple[Cell, ...]
    readout: Readout
    h0s: tuple[Array, ...]
    said: Array = field(default_factory=_nothing)


@dataclass(frozen=True, eq=False)
class Network:
    """A network by its weights.

    Attributes
    ----------
    cells : tuple of Cell
    readout : Readout
    h0s : tuple of (H,) arrays
        The initial state of each layer.
    """

    cells: tuple[Cell, ...]
    readout: Readout
    h0s: tuple[Array, ...]


class Chunk(NamedTuple):
    """What one update learns from: B examples, or the steps of them that lie between two cuts.

    Attributes
    ----------
    x, target, counted
        As `Examples` has them.
    state : list of tuple of (B, H) tensors
        Of each layer, which it begins in.
    before : int
        Steps of the sequences that came before it; at 0 it begins in the initial state.
    """

    x: Tensor
    target: Tensor
    counted: Tensor
    state: State
    before: int


class Kept(NamedTuple):
    """An update with what it was made of: enough to make it again.

    Attributes
    ----------
    update : Update
    chunk : Chunk
    weights : (P,) array
        All parameters before it.
    """

    update: Update
    chunk: Chunk
    weights: Array


_Raw = tuple[Update, Chunk, Array] | None
"""What a `Kept` is made of: an update takes long enough without making that too."""


class Training:
    """A network that is being trained.

    Attributes
    ----------
    last : Update

    Parameters
    ----------
    task : Task
    cells : Cell or sequence of Cell
        The layers from the input up, with their first weights.
    readout : Readout
        Of the top layer, with its first weights. Its activation is the one that the task's loss asks for.
    optimizer : {"sgd", "adam"}
    lr : float
        The learning rate, above 0.
    clip : float, optional
        The largest norm of the whole gradient.
    truncation : int, optional
        Losses are backpropagated through at most so many steps: each sequence is cut into chunks of so many, the
        weights are updated after each chunk, and its last state is where the next one begins, without a gradient.
    batch_size : int
    seed : int
        Of the examples.
    learn_h0 : bool
        Whether the initial hidden states are learned too.

    Raises
    ------
    InputError
        If the network does not fit the task, or a number is out of range.
    """

    def __init__(
        self,
        task: Task,
        cells: Cell | Sequence[Cell],
        readout: Readout,
        *,
        optimizer: str = "adam",
        lr: float = 0.01,
        clip: float | None = None,
        truncation: int | None = None,
        batch_size: int = 32,
        seed: int = 0,
        learn_h0: bool = False,
    ) -> None:
        import torch

        layers = (cells,) if isinstance(cells, Cell) else tuple(cells)
        self.task, self._torch = task, torch
        self._limit = None if clip is None else read_number("clip", clip, float(np.finfo(np.float64).tiny))
        self._chunk = task.steps if truncation is None else read_integer("truncation", truncation, 1)
        self._batch = read_integer("batch_size", batch_size, 1)
        self._activation = _activation(task, layers, readout)
        self._layers = tuple(TorchLayer(cell) for cell in layers)
        self._W, self._b = (torch.tensor(array.copy(), requires_grad=True) for array in (readout.W, readout.b))
        self._h0s = tuple(torch.zeros(cell.hidden_size, dtype=torch.float64, requires_grad=learn_h0) for cell in layers)
        self._parameters = [
            *(tensor for layer in self._layers for tensor in layer.parameters.values()),
            self._W, self._b, *(self._h0s if learn_h0 else ()),
        ]  # fmt: skip
        self._flat = _in_one_block(self._parameters)
        self._optimizer = _optimizer(optimizer, self._parameters, read_number("lr", lr, 0.0))
        self._random = RandomState([seed, _FRESH])
        self._test = _as_tensors(examples_of_test(task, seed))
        self._chunks = self._all_chunks()
        self._end: State = []
        self.last = Update(0, float("nan"), float("nan"), False)
        self._two: tuple[_Raw, _Raw] = (None, None)

    def update(self) -> Update:
        """Learn from the next batch, or from the next chunk of it."""
        torch, chunk = self._torch, next(self._chunks)
        self._optimizer.zero_grad()
        outputs, self._end = self._outputs(chunk.x, chunk.state)
        loss: Any = self._loss(outputs, chunk.target, chunk.counted)
        loss.backward()
        limit = float("inf") if self._limit is None else self._limit
        norm = float(torch.nn.utils.clip_grad_norm_(self._parameters, limit))
        self.last = Update(self.last.number + 1, float(loss.detach()), norm, norm > limit)
        self._two = self._two[1], (self.last, chunk, self._flat.copy())
        self._optimizer.step()
        return self.last

    def checkpoint(self) -> Checkpoint:
        """The network of now, tested."""
        with self._torch.no_grad():
            x, target, counted = self._test
            outputs, _ = self._outputs(x, self._start(len(x)))
            loss = float(self._loss(outputs, target, counted))
            outputs, target = outputs[:, counted], target[:, counted]
            accuracy = self._accuracy(outputs, target)
            shown = max(1, _MOST_SAID // (outputs.shape[1] * outputs.shape[2]))
            said = self._activated(outputs[:shown]).numpy().copy()
        return self._now(loss, accuracy, said)

    def glimpse(self) -> Checkpoint:
        """The network of now without a test, which takes as long as some updates."""
        return self._now(float("nan"), float("nan"), _nothing())

    def _now(self, test_loss: float, accuracy: float, said: Array) -> Checkpoint:
        return Checkpoint(
            update=self.last.number, train_loss=self.last.loss, test_loss=test_loss, accuracy=accuracy,
            grad_norm=self.last.grad_norm, said=said, **vars(self.network()),
        )  # fmt: skip

    # --- an update once more ----------------------------------------------------------------------------------------

    @property
    def limit(self) -> float | None:
        """The largest norm of the whole gradient; None where it is not clipped."""
        return self._limit

    @property
    def kept(self) -> tuple[Kept, ...]:
        """The last two updates, oldest first; fewer at the beginning."""
        return tuple(Kept(*one) for one in self._two if one)

    def weights(self) -> Array:
        """A copy of all parameters, (P,): by numpy, which takes a tenth of torch's time for it."""
        return self._flat.copy()

    @contextmanager
    def having(self, weights: Array) -> Iterator[None]:
        """Have other weights for a while."""
        now = self.weights()
        self._flat[:] = weights
        try:
            yield
        finally:
            self._flat[:] = now

    def network(self) -> Network:
        """The network of now.

        Raises
        ------
        InputError
            If not all of its weights are finite numbers.
        """
        readout = Readout(self._W.detach().numpy().copy(), self._b.detach().numpy().copy(), self._activation)
        h0s = tuple(h0.detach().numpy().copy() for h0 in self._h0s)
        return Network(tuple(layer.cell for layer in self._layers), readout, h0s)

    def losses(self, chunk: Chunk) -> list[float]:
        """The loss of each example of a chunk with the weights of now."""
        with self._torch.no_grad():
            outputs = self._again(chunk)
            each = zip(outputs, chunk.target, strict=True)
            return [float(self._loss(said[None], target[None], chunk.counted)) for said, target in each]

    def loss(self, chunk: Chunk) -> float:
        """The loss of a chunk with the weights of now."""
        with self._torch.no_grad():
            return float(self._loss(self._again(chunk), chunk.target, chunk.counted))

    def gradient(self, chunk: Chunk) -> list[tuple[int, str, Array]]:
        """The gradient of a chunk's loss with the weights of now, unclipped: layer (0: the readout), name and array."""
        loss = self._loss(self._again(chunk), chunk.target, chunk.counted)
        found = self._torch.autograd.grad(loss, self._parameters, allow_unused=True)
        return self._named(
            np.zeros(parameter.shape) if one is None else one.numpy()
            for parameter, one in zip(self._parameters, found, strict=True)
        )

    def arrays(self) -> list[tuple[int, str, Array]]:
        """The parameters of now, named as `gradient` has them."""
        return self._named(parameter.detach().numpy().copy() for parameter in self._parameters)

    def _named(self, arrays: Iterator[Array]) -> list[tuple[int, str, Array]]:
        layers = [
            (number, name, layer.signed(next(arrays)))
            for number, layer in enumerate(self._layers, 1)
            for name in layer.parameters
        ]
        readout = [(0, name, next(arrays)) for name in ("W_ho", "b_o")]
        return [*layers, *readout, *((number, "h0", array) for number, array in enumerate(arrays, 1))]

    def _again(self, chunk: Chunk) -> Tensor:
        state = chunk.state if chunk.before else self._start(len(chunk.x))
        return self._outputs(chunk.x, state)[0]

    # --- what it is made of -----------------------------------------------------------------------------------------

    def _all_chunks(self) -> Iterator[Chunk]:
        """What to learn from, one after the other; a chunk in which nothing is asked leads to the next."""
        kept = None if self.task.fresh else self._drawn()
        while True:
            x, target, counted = kept or self._drawn()
            state = self._start(len(x))
            for first in range(0, x.shape[1], self._chunk):
                part = slice(first, first + self._chunk)
                if counted[part].any():
                    yield Chunk(x[:, part], target[:, part], counted[part], state, first)
                else:
                    with self._torch.no_grad():
                        _, self._end = self._outputs(x[:, part], state)
                state = [tuple(one.detach() for one in of_layer) for of_layer in self._end]

    def _drawn(self) -> tuple[Tensor, Tensor, Tensor]:
        return _as_tensors(self.task.draw(self._batch, self._random))

    def _start(self, batch: int) -> State:
        return [layer.start(h0, batch) for layer, h0 in zip(self._layers, self._h0s, strict=True)]

    def _outputs(self, x: Tensor, state: State) -> tuple[Tensor, State]:
        """What the readout says before its activation, and the state at the end."""
        last = []
        for layer, first in zip(self._layers, state, strict=True):
            x, end = layer(x, first)
            last.append(end)
        return x @ self._W.T + self._b, last

    def _loss(self, outputs: Tensor, target: Tensor, counted: Tensor) -> Tensor:
        functional: Any = self._torch.nn.functional
        outputs, target = outputs[:, counted], target[:, counted]
        if self.task.loss == "squared":
            found = functional.mse_loss(outputs, target)
        elif self.task.loss == "binary":
            found = functional.binary_cross_entropy_with_logits(outputs, target)
        else:
            found = functional.cross_entropy(outputs.flatten(0, 1), target.flatten())
        tensor: Tensor = found
        return tensor

    def _activated(self, outputs: Tensor) -> Tensor:
        if self.task.loss == "squared":
            return outputs
        return outputs.softmax(-1) if self.task.loss == "cross_entropy" else outputs.sigmoid()

    def _accuracy(self, outputs: Tensor, target: Tensor) -> float:
        if self.task.loss == "squared":
            return float("nan")
        right = outputs.argmax(-1) == target if self.task.loss == "cross_entropy" else (outputs > 0) == (target > 0.5)
        return float(right.double().mean())


def examples_of_test(task: Task, seed: int) -> Examples:
    """The examples of the test, which training never sees."""
    return task.held_back(TESTED, RandomState([seed, _TEST]))


def train(
    task: Task | tuple[Array, Array],
    cells: Cell | Sequence[Cell],
    readout: Readout,
    *,
    updates: int,
    **options: Any,
) -> Iterator[Checkpoint]:
    """Train a network and yield it at moments that are dense early and sparse later, the first and the last included.

    Parameters
    ----------
    task : Task or pair of arrays
        Or data of one's own: x (B, T, D) and its target (B, T, O), which every update sees all of, and the test too.
    cells, readout
        As `Training`, with their first weights.
    updates : int
        At least 0.
    **options
        As `Training`: ``optimizer lr clip truncation batch_size seed learn_h0``.

    Yields
    ------
    Checkpoint

    Raises
    ------
    InputError
        As `Training`; or if the loss leaves the range of numbers.
    """
    known = task if isinstance(task, Task) else _OwnData(*task)
    training = Training(known, cells, readout, **options)
    wanted = set(moments(read_integer("updates", updates, 0)))
    yield training.checkpoint()
    for number in range(1, updates + 1):
        if not training.update().finite:
            raise InputError(
                "training.diverged",
                "The loss is no finite number at update {number}. Use a smaller learning rate, or clip the gradient.",
                number=number,
            )  # fmt: skip
        if number in wanted:
            yield training.checkpoint()


_PARTS = 32
"""So many checkpoints at least are spread evenly over a long run."""


def moments(updates: int, most: int = 1000) -> list[int]:
    """The updates after which a checkpoint is kept: 0, each of the first ones, then ever fewer, and the last.

    At most so many of them, evenly chosen.

    Examples
    --------
    >>> moments(12)
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
    >>> len(moments(1000)), moments(1000)[:14], moments(1000)[-3:]
    (60, [0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 31], [938, 969, 1000])
    """
    ladder = np.round(10.0 ** (np.arange(61) / 10.0)).astype(np.int64)
    even = np.round(np.arange(1, _PARTS) * updates / _PARTS).astype(np.int64)
    early = range(min(updates, _PARTS) + 1) if updates <= _PARTS else range(1)
    found = sorted({*early, *(int(one) for one in [*ladder, *even] if 0 < one < updates), 0, updates})
    chosen = np.round(np.linspace(0, len(found) - 1, min(most, len(found)))).astype(np.int64)
    return [found[place] for place in chosen]


class _OwnData(Task):
    """Arrays that are given: the same at every update."""

    def __init__(self, x: Array, target: Array) -> None:
        self._x, self._target = read_array("x", x), read_array("target", target)
        if self._x.ndim != 3 or self._target.ndim != 3 or self._x.shape[:2] != self._target.shape[:2]:
            raise InputError(
                "training.data",
                "x must be (B, T, D) and its target (B, T, O) with the same B and T; got {x} and {target}.",
                x=str(self._x.shape), target=str(self._target.shape),
            )  # fmt: skip
        (_, self.steps, self.input_size), self.output_size = self._x.shape, self._target.shape[2]

    def draw(self, count: int, random: RandomState) -> Examples:
        del count, random
        return Examples(self._x, self._target, np.ones(self.steps, dtype=np.bool_))


def _activation(task: Task, cells: tuple[Cell, ...], readout: Readout) -> str:
    """The readout's activation that belongs to the task's loss."""
    sizes = (task.input_size, *(cell.hidden_size for cell in cells))
    got = [cell.input_size for cell in cells] + [readout.W.shape[1]]
    if got != list(sizes) or len(readout.b) != task.output_size:
        raise InputError(
            "training.fit",
            "The network does not fit the task, which has {inputs} {inputs:input|inputs} and {outputs} "
            "{outputs:output|outputs}: its layers read {layers}, its readout has {rows} {rows:row|rows}.",
            inputs=task.input_size, outputs=task.output_size, layers=", ".join(map(str, got)), rows=len(readout.b),
        )  # fmt: skip
    return {"squared": "identity", "cross_entropy": "softmax", "binary": "sigmoid"}[task.loss]


def _optimizer(name: str, parameters: list[Tensor], lr: float) -> Any:
    import torch

    if name not in OPTIMIZERS:
        raise InputError(
            "training.optimizer", "optimizer must be one of: {known}; got {got}.", known=", ".join(OPTIMIZERS), got=name
        )
    made: dict[str, Any] = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}
    return made[name](parameters, lr=lr)


def _in_one_block(parameters: Sequence[Tensor]) -> Array:
    """Move parameters into one block of memory, so that a copy of all takes as long as a copy of one.

    Each begins at a multiple of 64 bytes, as torch places them itself: a product may round otherwise elsewhere.
    """
    import torch

    sizes = [-(-parameter.numel() // 8) * 8 for parameter in parameters]
    block = torch.zeros(sum(sizes), dtype=torch.float64)
    for parameter, end in zip(parameters, np.cumsum(sizes).tolist(), strict=True):
        first = end - -(-parameter.numel() // 8) * 8
        place = block[first : first + parameter.numel()].view_as(parameter)
        place.copy_(parameter.detach())
        parameter.data = place
    array: Array = block.numpy()
    return array


def _as_tensors(examples: Examples) -> tuple[Tensor, Tensor, Tensor]:
    import torch

    x, target, counted = (torch.tensor(array) for array in (examples.x, examples.target, examples.counted))
    return x, target, counted
