"""The Euclidean length, right from one end of float64 to the other."""

from __future__ import annotations

import numpy as np

from rnnviz.maths.checks import Array

__all__ = ["lengths"]


def lengths(vectors: Array) -> Array:
    """Return the length of each vector along the last axis: (..., n) to (...,); inf where it is above 1.8e308.

    `numpy.linalg.norm` squares its entries, which leave float64 at the root of its range, about 1e-162 and 1e154. Here
    they are first scaled by a power of two, which rounds nothing.

    >>> lengths(np.array([[3e-200, 4e-200], [3.0, 4.0]])).tolist()
    [5e-200, 5.0]
    """
    _, exponents = np.frexp(np.abs(vectors).max(axis=-1, initial=0.0))
    exponents = np.maximum(exponents, -1000)  # the inverse of a lower power overflows; its vectors are high enough then
    scaled = vectors * np.ldexp(1.0, -exponents)[..., None]
    with np.errstate(over="ignore"):
        return np.asarray(np.ldexp(np.sqrt(np.einsum("...i,...i->...", scaled, scaled)), exponents))
