"""Losses over a sequence, and the way of their gradient back through the readout to the hidden states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rnnviz.maths.activations import ACTIVATIONS
from rnnviz.maths.checks import Array, Sealed, one_of, read_array, require_shape
from rnnviz.maths.errors import InputError
from rnnviz.maths.readout import Readout, softmax
from rnnviz.wording import Message

__all__ = ["Loss", "ReadoutGradients", "cross_entropy", "readout_gradients", "squared_error"]


@dataclass(frozen=True, eq=False)
class Loss(Sealed):
    """The loss of a sequence. The arrays are read-only.

    Attributes
    ----------
    value : float
        The whole loss, the sum over the steps.
    by_step : (T,) array
        The loss of each step; 0 where a step has none.
    d_y : (T, O) array
        The gradient of `value` with respect to what the loss was computed from: outputs or logits.
    """

    value: float
    by_step: Array
    d_y: Array

    def __post_init__(self) -> None:
        if not np.isfinite(self.value):
            raise InputError(
                "loss.overflow", "The loss overflows float64 (about 1.8e308). Use smaller weights or fewer steps."
            )
        for array in (self.by_step, self.d_y):
            array.setflags(write=False)


def squared_error(y: ArrayLike, target: ArrayLike, *, at: str = "every") -> Loss:
    """Return the sum of the squared differences::

        L = sum_t |y_t - target_t|^2        dL/dy_t = 2 (y_t - target_t)

    ``torch.nn.MSELoss`` is this divided by the number of terms.

    Parameters
    ----------
    y : (T, O) array-like
        The outputs, such as ``readout(trace.h[1:])``.
    target : (T, O) array-like
        With ``at="last"``: (O,), for the last step.
    at : {"every", "last"}
        Whether every step has a loss or the last one alone.

    Returns
    -------
    Loss

    Raises
    ------
    InputError
        If a shape does not fit, an entry is not a finite number, `at` is unknown or the loss overflows float64.

    Examples
    --------
    >>> loss = squared_error([[1.0], [2.0]], [[0.0], [4.0]])
    >>> loss.value, loss.by_step.tolist(), loss.d_y.tolist()
    (5.0, [1.0, 4.0], [[2.0], [-4.0]])
    >>> squared_error([[1.0], [2.0]], [4.0], at="last").d_y.tolist()
    [[0.0], [-4.0]]
    """
    y, steps = _read_outputs("y", y, at)
    wanted = read_array("target", target)
    if at == "last":
        whose = Message(
            "error.target.last", "for the last step of {outputs} {outputs:output|outputs}", outputs=y.shape[1]
        )
        require_shape("target", wanted, y.shape[1:], whose, _LAST)
    else:
        whose = Message(
            "error.target.every", "for {steps} {steps:step|steps} of {outputs} {outputs:output|outputs}",
            steps=y.shape[0], outputs=y.shape[1],
        )  # fmt: skip
        require_shape("target", wanted, y.shape, whose, _EVERY)
    with np.errstate(over="ignore"):  # looked for by Loss
        off = y[steps] - wanted
        return _loss(steps, len(y), np.square(off).sum(axis=1), 2.0 * off)


def cross_entropy(logits: ArrayLike, target: ArrayLike, *, at: str = "every") -> Loss:
    """Return how unlikely a softmax of the logits makes the classes that were right, in nats::

        L = -sum_t log softmax(a_t)[k_t]        dL/da_t = softmax(a_t) - onehot(k_t)

    It is taken from the logits, not from the probabilities, so that it is right however sure the network is.
    ``torch.nn.CrossEntropyLoss(reduction="sum")``.

    Parameters
    ----------
    logits : (T, O) array-like
        a, such as ``readout.preacts(trace.h[1:])``.
    target : (T,) array-like of integers, or (T, O) array-like
        The class of each step, zero-based, or rows with a single 1. With ``at="last"``: one integer, or (O,).
    at : {"every", "last"}
        Whether every step has a loss or the last one alone.

    Returns
    -------
    Loss
        Its `d_y` belongs to the logits: hand it on by ``readout_gradients(readout, h, d_y, of="preacts")``.

    Raises
    ------
    InputError
        If a shape does not fit, an entry is not a finite number, a class is none of 0..O-1 or `at` is unknown.

    Examples
    --------
    >>> loss = cross_entropy([[0.0, 0.0], [0.0, 1000.0]], [0, 0])
    >>> loss.by_step.round(6).tolist(), loss.d_y.tolist()
    ([0.693147, 1000.0], [[-0.5, 0.5], [-1.0, 1.0]])
    """
    a, steps = _read_outputs("logits", logits, at)
    here = a[steps]
    rows, classes = np.arange(len(here)), _read_classes(target, here.shape, at)
    with np.errstate(over="ignore"):  # to -inf, whose exp is the right limit; elsewhere looked for by Loss
        below = here - here.max(axis=1, keepdims=True)
        others = np.exp(below)
        others[rows, here.argmax(axis=1)] = 0.0
        # Two terms that are never negative, so that a loss far below the rounding of 1 keeps its digits.
        losses = np.log1p(others.sum(axis=1)) - below[rows, classes]
    d_a = softmax(here)
    d_a[rows, classes] = 0.0
    d_a[rows, classes] = -d_a.sum(axis=1)  # p - 1, which would be 0 where p rounds to 1
    return _loss(steps, len(a), losses, d_a)


class ReadoutGradients(NamedTuple):
    """The gradient of a loss behind a readout: ``d_h, d_W, d_b = readout_gradients(...)``.

    Attributes
    ----------
    h : (..., H) array
        The direct gradient with respect to each state, the `d_h` of `bptt`.
    W : (O, H) array
    b : (O,) array
    """

    h: Array
    W: Array
    b: Array


def readout_gradients(readout: Readout, h: ArrayLike, d_y: ArrayLike, *, of: str = "outputs") -> ReadoutGradients:
    """Take the gradient of a loss back through a readout, ``y = g(W h + b)`` at every step::

        dL/da_t = g'(a_t) * dL/dy_t, for a softmax y_t * (dL/dy_t - y_t . dL/dy_t)
        dL/dh_t = W^T dL/da_t        dL/dW = sum_t dL/da_t h_t^T        dL/db = sum_t dL/da_t

    Parameters
    ----------
    readout : Readout
    h : (..., H) array-like
        The states that were read out, such as ``trace.h[1:]``.
    d_y : (..., O) array-like
        The gradient with respect to the outputs, such as that of `squared_error`.
    of : {"outputs", "preacts"}
        "preacts": `d_y` is with respect to ``a = W h + b`` already, as that of `cross_entropy`.

    Returns
    -------
    ReadoutGradients

    Raises
    ------
    InputError
        If a shape does not fit, an entry is not a finite number, `of` is unknown or a number overflows float64.

    Examples
    --------
    >>> readout = Readout([[2.0, 0.0]], [0.0])
    >>> d_h, d_W, d_b = readout_gradients(readout, [[1.0, 3.0]], [[0.5]])
    >>> d_h.tolist(), d_W.tolist(), d_b.tolist()
    ([[1.0, 0.0]], [[0.5, 1.5]], [0.5])
    """
    one_of("of", of, ("outputs", "preacts"))
    a = readout.preacts(h)
    states, d_a = read_array("h", h), read_array("d_y", d_y)
    whose = Message(
        "error.d_y.whose", "for states {shape} and {outputs} {outputs:output|outputs}",
        shape=str(states.shape), outputs=a.shape[-1],
    )  # fmt: skip
    require_shape("d_y", d_a, a.shape, whose, _EVERY)
    with np.errstate(over="ignore", invalid="ignore"):  # looked for below
        if of == "outputs":
            d_a = before_activation(readout, a, d_a)
        by_row = d_a.reshape(-1, a.shape[-1])
        found = ReadoutGradients(d_a @ readout.W, by_row.T @ states.reshape(-1, states.shape[-1]), by_row.sum(axis=0))
    for array in found:
        if not np.isfinite(array).all():
            raise InputError(
                "readout.gradient",
                "The gradient of the readout overflows float64 (about 1.8e308). Lower d_y, W or h.",
            )
        array.setflags(write=False)
    return found


_EVERY = Message(
    "error.outputs.rows",
    "One row for each step, one number for each output; trace.h[1:] leaves out the initial state.",
)
_LAST = Message("error.target.last.cure", "Give the numbers of the last step alone, such as target[-1].")


def before_activation(readout: Readout, a: Array, d_y: Array) -> Array:
    """Return the gradient with respect to the pre-activations a of a readout, (..., O), from that of its outputs."""
    if readout.activation != "softmax":
        return np.asarray(ACTIVATIONS[readout.activation].slope(a) * d_y)
    y = softmax(a)
    return np.asarray(y * (d_y - (y * d_y).sum(axis=-1, keepdims=True)))


def _read_outputs(name: str, outputs: ArrayLike, at: str) -> tuple[Array, slice]:
    """Return the outputs, checked, and the steps that have a loss."""
    one_of("at", at, ("every", "last"))
    array = read_array(name, outputs)
    whose = Message("error.outputs.whose", "with a step and an output at least")
    require_shape(name, array, ("T", "O"), whose, _EVERY)
    return array, slice(None) if at == "every" else slice(-1, None)


def _read_classes(target: ArrayLike, shape: tuple[int, ...], at: str) -> NDArray[np.int_]:
    """Return the right class of each of n rows of logits, `shape` (n, O)."""
    cure = Message("error.classes.cure", "Give the zero-based class of each step, or rows with a single 1.")
    given = read_array("target", target, cure)
    wanted, (n, size) = given[None] if at == "last" else given, shape
    if wanted.shape == shape:
        right = np.array([sorted(row) == [0.0] * (size - 1) + [1.0] for row in wanted.tolist()])
        classes = np.asarray(wanted.argmax(axis=1))
    elif wanted.shape == (n,):
        right = np.isin(wanted, np.arange(size))
        classes = wanted.astype(np.int_)
    else:
        if at == "last":
            raise InputError(
                "classes.last", "target must be one class or ({size},); got {got}. {cure}",
                size=size, got=str(given.shape), cure=cure,
            )  # fmt: skip
        raise InputError(
            "classes.every",
            "target must be ({steps},) or {shape} for {steps} {steps:step|steps} of {size} {size:class|classes}; got "
            "{got}. {cure}",
            steps=n, shape=str(shape), size=size, got=str(given.shape), cure=cure,
        )  # fmt: skip
    if not right.all():
        row = int(np.argmin(right))
        raise InputError(
            "classes.value",
            "target must hold classes in 0..{last}, or rows of zeros with a single 1; got {got} for step {step}. "
            "{cure}",
            last=size - 1, got=str(wanted[row].tolist()), step=row + 1, cure=cure,
        )  # fmt: skip
    return classes


def _loss(steps: slice, T: int, by_step: Array, d_y: Array) -> Loss:
    """Return the loss of a sequence from those of the `steps` that have one."""
    everywhere = np.zeros(T), np.zeros((T, d_y.shape[1]))
    for whole, part in zip(everywhere, (by_step, d_y), strict=True):
        whole[steps] = part
    with np.errstate(over="ignore"):  # looked for by Loss
        return Loss(float(by_step.sum()), *everywhere)
