"""A network's weights as one value, named by the hash of its content, and the file that carries it."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from typing import Any

import numpy as np

from rnnviz.lazy import lazily
from rnnviz.maths import Cell, InputError, Readout
from rnnviz.maths.cells.protocol import WEIGHTS
from rnnviz.maths.cells.registry import CELLS
from rnnviz.maths.checks import Array, Sealed
from rnnviz.wording import Message

HASH_LENGTH = 20
"""Hexadecimal digits of a name: 80 bits, so that no two of even a billion networks share one."""

MOST_LAYERS, MOST_HIDDEN, MOST_INPUTS = 4, 512, 512

_NAME = re.compile(rf"[0-9a-f]{{{HASH_LENGTH}}}")


@dataclass(frozen=True, eq=False)
class StoredNetwork(Sealed):
    """The weights of a network: its layers from the input up, and what reads the top one out.

    Parameters
    ----------
    cells : tuple of Cell
        Of one kind and form; each reads the hidden state of the one below. Their hidden sizes may differ.
    readout : Readout or None

    Raises
    ------
    InputError
        If the layers do not fit each other, are of different kinds, or are too many or too large to be shown.
    """

    cells: tuple[Cell, ...]
    readout: Readout | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", tuple(self.cells))
        if not 1 <= len(self.cells) <= MOST_LAYERS:
            raise InputError(
                "stored.layers", "A network must have 1 to {most} layers; got {got}.",
                most=MOST_LAYERS, got=len(self.cells),
            )  # fmt: skip
        first, arriving = self.cells[0], self.cells[0].input_size
        if arriving > MOST_INPUTS:
            raise InputError(
                "stored.inputs", "Layer 1 reads {size:,} components; at most {most} can be shown.",
                size=arriving, most=MOST_INPUTS,
            )  # fmt: skip
        for number, cell in enumerate(self.cells, start=1):
            if (cell.kind, form_of(cell)) != (first.kind, form_of(first)):
                raise InputError(
                    "stored.kinds",
                    "All layers must be of one kind and form: layer 1 is {first}, layer {number} {other}.",
                    first=_said(first), number=number, other=_said(cell),
                )  # fmt: skip
            if cell.input_size != arriving:
                raise InputError(
                    "stored.below",
                    "Layer {number} reads {size} {size:number|numbers}, but the layer below has {units} hidden "
                    "{units:unit|units}.",
                    number=number, size=cell.input_size, units=arriving,
                )  # fmt: skip
            if cell.hidden_size > MOST_HIDDEN:
                raise InputError(
                    "stored.hidden", "Layer {number} has {size:,} hidden units; at most {most} can be shown.",
                    number=number, size=cell.hidden_size, most=MOST_HIDDEN,
                )  # fmt: skip
            arriving = cell.hidden_size
        if self.readout is not None and self.readout.W.shape[1] != arriving:
            raise InputError(
                "stored.readout",
                "The readout reads {size} {size:number|numbers}, but the top layer has {units} hidden "
                "{units:unit|units}.",
                size=self.readout.W.shape[1], units=arriving,
            )  # fmt: skip

    @property
    def kind(self) -> str:
        """The kind of its cells."""
        return self.cells[0].kind

    @property
    def form(self) -> dict[str, Any]:
        """What its cells are told apart by beside their weights: an activation, or the forms of a GRU."""
        return form_of(self.cells[0])

    @lazily
    def hash(self) -> str:
        """Its name: two networks have the same one if every weight has the same bits."""
        digest = sha256(_header(self).encode())
        for _, array in _arrays(self):
            digest.update(array.astype("<f8", copy=False).tobytes())
        return digest.hexdigest()[:HASH_LENGTH]

    @property
    def nbytes(self) -> int:
        """The memory that its arrays take."""
        return sum(array.nbytes for _, array in _arrays(self))


def is_name(text: str) -> bool:
    """Whether a text can be the hash of a network.

    Examples
    --------
    >>> is_name("0123456789abcdef0123"), is_name("../weights")
    (True, False)
    """
    return _NAME.fullmatch(text) is not None


def form_of(cell: Cell) -> dict[str, Any]:
    """What a cell of a kind is told apart by beside its weights."""
    return {name: getattr(cell, name) for name in cell.form_names()}


def to_bytes(network: StoredNetwork) -> bytes:
    """The network as a file (npz) that `from_bytes` reads back bit for bit."""
    file, arrays = BytesIO(), dict[str, Any](_arrays(network))
    np.savez(file, header=np.array(_header(network)), **arrays)
    return file.getvalue()


def from_bytes(content: bytes) -> StoredNetwork:
    """Read a network from a file, with no trust in it.

    Raises
    ------
    InputError
        If it is not as `to_bytes` writes it, or no network can be made of it.
    """
    try:
        with np.load(BytesIO(content), allow_pickle=False) as file:
            header = json.loads(str(file["header"]))
            cells = tuple(
                CELLS[header["kind"]](*(file[f"{number}.{name}"] for name in WEIGHTS), **header["form"])
                for number in range(1, int(header["layers"]) + 1)
            )
            activation = header["readout"]
            readout = None if activation is None else Readout(file["W_ho"], file["b_o"], activation=activation)
    except InputError:
        raise
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as problem:
        raise InputError(
            "stored.file", "These bytes are not a network as it is stored here. Choose a file that was saved here."
        ) from problem
    return StoredNetwork(cells, readout)


def _header(network: StoredNetwork) -> str:
    """All that is not in the arrays; their shapes too, for the hash."""
    readout = None if network.readout is None else network.readout.activation
    shapes = {name: array.shape for name, array in _arrays(network)}
    content = {
        "kind": network.kind, "form": network.form, "layers": len(network.cells), "readout": readout, "shapes": shapes,
    }  # fmt: skip
    return json.dumps(content, sort_keys=True)


def _arrays(network: StoredNetwork) -> Iterator[tuple[str, Array]]:
    for number, cell in enumerate(network.cells, start=1):
        yield from ((f"{number}.{name}", getattr(cell, name)) for name in WEIGHTS)
    if network.readout is not None:
        yield from (("W_ho", network.readout.W), ("b_o", network.readout.b))


def _said(cell: Cell) -> Message:
    form = ", ".join(f"{name} {value}" for name, value in form_of(cell).items())
    if not form:
        return cell.in_words()
    return Message("error.stored.form", "{cell} ({form})", cell=cell.in_words(), form=form)
