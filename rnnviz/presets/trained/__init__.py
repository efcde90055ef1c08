"""The weights of the trained presets, as files. ``python -m rnnviz.learning.shipped`` made them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import InputError

Array = NDArray[np.float64]

TRAINED = ("bracket_depth", "parity")
"""The networks that are shipped."""

_ARRAYS = ("W_ih", "W_hh", "b_ih", "b_hh", "W_ho", "b_o")


@cache
def trained(name: str) -> Mapping[str, Array]:
    """The weights of a shipped network; read-only, for all who ask get the same.

    Parameters
    ----------
    name : str
        One of `TRAINED`: "bracket_depth" is an LSTM that reads `rnnviz.learning.brackets` and says their depth,
        "parity" a GRU that reads `rnnviz.learning.bits` and says whether the ones are odd in number, by a sigmoid.

    Returns
    -------
    mapping of str to array
        ``W_ih W_hh b_ih b_hh`` of the cell and ``W_ho b_o`` of its readout.

    Raises
    ------
    InputError
        If there is no such network.

    Examples
    --------
    >>> {name: array.shape for name, array in trained("parity").items()}
    {'W_ih': (12, 1), 'W_hh': (12, 4), 'b_ih': (12,), 'b_hh': (12,), 'W_ho': (1, 4), 'b_o': (1,)}
    """
    if name not in TRAINED:
        raise InputError(
            "trained", "There is no trained network {name}. Choose one of {names}.",
            name=repr(name), names=", ".join(TRAINED),
        )  # fmt: skip
    content = json.loads((Path(__file__).parent / f"{name}.json").read_text(encoding="utf-8"))
    arrays = {array: np.array(content[array], dtype=np.float64) for array in _ARRAYS}
    for array in arrays.values():
        array.setflags(write=False)
    return MappingProxyType(arrays)
