"""Cells with drawn weights. The weights of a seed never change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rnnviz.maths.cells import Cell, cell_class
from rnnviz.maths.checks import Array, one_of, read_integer, read_number
from rnnviz.maths.errors import InputError

__all__ = ["make_cell"]


def make_cell(
    kind: str,
    input_size: int,
    hidden_size: int,
    *,
    init: str = "torch",
    gain: float = 1.0,
    seed: int = 0,
    **options: Any,
) -> Cell:
    """Draw the weights of a cell.

    Parameters
    ----------
    kind : {"elman", "lstm", "gru"}
    input_size, hidden_size : int
        D and H, at least 1.
    init : str
        H x H blocks of ``W_hh`` are drawn one for each gate; biases are zero unless said.

        - "torch": all four uniform in ``+-1/sqrt(H)``, as PyTorch does.
        - "xavier": ``W_ih`` uniform in ``+-sqrt(6/(D+H))`` and ``W_hh`` in ``+-sqrt(6/(2H))`` (Glorot & Bengio 2010).
          The next three draw ``W_ih`` so too.
        - "orthogonal": random orthogonal blocks (Saxe et al. 2014).
        - "identity": identity blocks (Le, Jaitly & Hinton 2015, with ReLU).
        - "spectral": normal blocks scaled to a spectral radius of `gain` (Jaeger 2001).
        - "zeros": all four zero.
        - "chrono": as "torch", and the gates that keep the state get biases ``log U(1, t_max - 1)``: LSTM f rows, with
          the negative in the i rows; GRU z rows, negated for ``update="write"`` (Tallec & Ollivier 2018).
    gain : float
        Multiplies ``W_hh``; not negative.
    seed : int
        0 to 2**32 - 1.
    **options
        ``t_max`` (steps, at least 3) with "chrono"; ``forget_bias`` for an LSTM, the f rows of ``b_ih``, with 0 in
        those of ``b_hh``; ``activation`` for "elman"; ``reset`` and ``update`` for "gru".

    Returns
    -------
    ElmanCell, LSTMCell or GRUCell

    Raises
    ------
    InputError
        For an unknown kind, init or option, or a number out of its range.

    Examples
    --------
    >>> make_cell("gru", 2, 2, init="identity", gain=0.5).W_hh[:2]
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    made = cell_class(kind)
    one_of("init", init, _INITS)
    D, H = read_integer("input_size", input_size, 1), read_integer("hidden_size", hidden_size, 1)
    gain = read_number("gain", gain, 0.0)
    _require_known(made, init, options)
    # RandomState, not a Generator: numpy promises never to change its stream.
    random = np.random.RandomState(read_integer("seed", seed, 0, 2**32 - 1))
    W_ih, W_hh, b_ih, b_hh = _draw(init, random, D, H, len(made.gate_names))
    with np.errstate(over="ignore"):  # the cell names the entry that a huge gain made infinite
        W_hh = gain * W_hh
    form = {name: options[name] for name in made.form_names() if name in options}
    cell = made(W_ih, W_hh, b_ih, b_hh, **form)
    if init == "chrono":
        t_max = read_number("t_max", options["t_max"], 3.0)
        keep = np.log(1.0 + (t_max - 2.0) * random.random_sample(H))
        cell = _with_biases(cell, cell.chrono_biases(keep))
    for name, gate in made.bias_options.items():
        if name in options:
            cell = _with_biases(cell, {gate: read_number(name, options[name])})
    return cell


def drawn_readout(outputs: int, hidden: int, stream: Sequence[int]) -> tuple[Array, Array]:
    """Return W (O, H) and b (O,) of a readout as PyTorch draws a linear layer, from a stream of their own."""
    generator, bound = np.random.RandomState(list(stream)), 1 / np.sqrt(hidden)
    W = generator.uniform(-bound, bound, (outputs, hidden))
    return W, generator.uniform(-bound, bound, outputs)


def _draw(init: str, random: np.random.RandomState, D: int, H: int, G: int) -> tuple[Array, Array, Array, Array]:
    """Draw W_ih, W_hh, b_ih, b_hh, in this order, before the gain."""
    rows = G * H
    if init == "zeros":
        return np.zeros((rows, D)), np.zeros((rows, H)), np.zeros(rows), np.zeros(rows)
    if init in ("torch", "chrono"):
        bound = 1.0 / np.sqrt(H)
        W_ih, W_hh = _uniform(random, bound, rows, D), _uniform(random, bound, rows, H)
        return W_ih, W_hh, _uniform(random, bound, rows), _uniform(random, bound, rows)
    W_ih = _uniform(random, np.sqrt(6.0 / (D + H)), rows, D)
    W_hh = np.concatenate([_BLOCKS[init](random, H) for _ in range(G)])
    return W_ih, W_hh, np.zeros(rows), np.zeros(rows)


def _uniform(random: np.random.RandomState, bound: float, *shape: int) -> Array:
    """Draw from ``-bound..bound``, in operations that round alike on every processor."""
    return np.asarray(bound * (2.0 * random.random_sample(shape) - 1.0))


def _xavier(random: np.random.RandomState, H: int) -> Array:
    return _uniform(random, np.sqrt(6.0 / (2 * H)), H, H)


def _orthogonal(random: np.random.RandomState, H: int) -> Array:
    Q, R = np.linalg.qr(random.standard_normal((H, H)))
    return np.asarray(Q * np.where(np.diag(R) < 0.0, -1.0, 1.0))  # the signs make the draw uniform over rotations


def _identity(random: np.random.RandomState, H: int) -> Array:
    return np.eye(H)


def _spectral(random: np.random.RandomState, H: int) -> Array:
    W = random.standard_normal((H, H))
    return np.asarray(W / np.abs(np.linalg.eigvals(W)).max())


_BLOCKS: Mapping[str, Callable[[np.random.RandomState, int], Array]] = {
    "xavier": _xavier,
    "orthogonal": _orthogonal,
    "identity": _identity,
    "spectral": _spectral,
}
_INITS = ("torch", *_BLOCKS, "zeros", "chrono")


def _with_biases(cell: Cell, biases: Mapping[str, Array | float]) -> Cell:
    """Give the named gates these biases, all in b_ih."""
    b_ih, b_hh = cell.b_ih.copy(), cell.b_hh.copy()
    for gate, bias in biases.items():
        b_ih[cell.rows(gate)] = bias
        b_hh[cell.rows(gate)] = 0.0
    return replace(cell, b_ih=b_ih, b_hh=b_hh)


def _require_known(made: type[Cell], init: str, options: Mapping[str, object]) -> None:
    """Refuse options that this kind and init don't take, and chrono where it has no gate or no t_max."""
    if init == "chrono" and not made.clampable:
        raise InputError(
            "init.chrono", 'init "chrono" sets gate biases, but {cell} has no gates. Choose "lstm" or "gru".',
            cell=made.in_words(),
        )  # fmt: skip
    if init == "chrono" and "t_max" not in options:
        raise InputError(
            "init.t_max", 'init "chrono" needs t_max, the longest memory in steps; got none. Add t_max=100.'
        )
    taken = (*made.form_names(), *("t_max",) * (init == "chrono"), *made.bias_options)
    unknown = [name for name in options if name not in taken]
    if unknown:
        slots = {"kind": made.kind, "init": init, "option": unknown[0]}
        if taken:
            raise InputError(
                "init.option", 'kind "{kind}" with init "{init}" has no option {option}. Choose from {choices}.',
                choices=", ".join(taken), **slots,
            )  # fmt: skip
        raise InputError(
            "init.no_options", 'kind "{kind}" with init "{init}" has no option {option}. Leave it out.', **slots
        )
