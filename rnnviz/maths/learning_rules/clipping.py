"""Gradient clipping."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import ArrayLike

from rnnviz.maths.checks import Array, read_array, read_number
from rnnviz.maths.errors import InputError
from rnnviz.maths.extended_range.lengths import lengths

__all__ = ["clip_by_global_norm"]


def clip_by_global_norm(arrays: Mapping[str, ArrayLike], max_norm: float) -> tuple[Mapping[str, Array], float]:
    """Shrink gradients together until their norm is at most `max_norm`; the direction stays.

    The norm is that of all entries of all arrays as one vector (Pascanu, Mikolov & Bengio 2013, "On the difficulty of
    training recurrent neural networks")::

        norm = sqrt(sum of squares)        clipped = arrays * min(1, max_norm / norm)

    Entries are scaled before they are squared, so that both are right from 1e-300 to 1e300.
    ``torch.nn.utils.clip_grad_norm_`` divides by ``norm + 1e-6`` instead, and by infinity where a square overflows.

    Parameters
    ----------
    arrays : mapping of name to array-like
        Such as ``gradients.weights``.
    max_norm : float
        At least 0, at which all becomes 0.

    Returns
    -------
    clipped : mapping of name to array
        Read-only; the same numbers if the norm was not above `max_norm`.
    norm : float
        The norm before.

    Raises
    ------
    InputError
        If `arrays` is no mapping, an entry is not a finite number, max_norm is not a finite number of at least 0 or the
        norm overflows float64.

    Examples
    --------
    >>> clipped, norm = clip_by_global_norm({"W": [[3.0]], "b": [4.0]}, max_norm=2.5)
    >>> norm, clipped["W"].tolist(), clipped["b"].tolist()
    (5.0, [[1.5]], [2.0])
    """
    max_norm, given = read_number("max_norm", max_norm, 0.0), _read(arrays)
    norm = float(lengths(np.array([lengths(array.reshape(-1)) for array in given.values()])))
    if np.isinf(norm):
        raise InputError("clip.norm", "The global norm overflows float64 (about 1.8e308). Scale the loss down.")
    if norm > max_norm:
        # Mantissa and exponent apart, since max_norm / norm may have left float64; the factor itself is below 1.
        (top, top_exponent), (bottom, bottom_exponent) = np.frexp(max_norm), np.frexp(norm)
        factor, exponent = top / bottom / 2.0, top_exponent - bottom_exponent + 1
        given = {name: np.ldexp(array * factor, exponent) for name, array in given.items()}
        for array in given.values():
            array.setflags(write=False)
    return MappingProxyType(given), norm


def _read(arrays: object) -> dict[str, Array]:
    if not isinstance(arrays, Mapping):
        raise InputError(
            "clip.arrays", 'arrays must be a mapping of names to arrays; got {got}. Write {{"W_hh": ...}}.',
            got=type(arrays).__name__,
        )  # fmt: skip
    return {name: read_array(str(name), array) for name, array in arrays.items()}
