"""The Euclidean length, right from one end of float64 to the other."""

from __future__ import annotations

import numpy as np

from rnnviz.maths.checks import Array

__all__ = ["angle", "direction", "lengths"]


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


def direction(vector: Array) -> Array:
    """Return a vector of length 1 in the direction of one of any shape; one of zeros stays.

    >>> direction(np.array([3e-200, 4e-200])).tolist()
    [0.6, 0.8]
    """
    if not vector.any():
        return vector
    near = np.ldexp(vector, -int(np.frexp(np.abs(vector).max())[1]))  # the length itself may leave float64
    return np.asarray(near / lengths(near.reshape(-1)))


def angle(one: Array, other: Array) -> float:
    """Return the angle between two vectors in degrees, right for small ones too; nan if one of them is 0.

    ``2 atan2(|u - v|, |u + v|)`` of vectors of length 1 (Kahan 2006, "How futile are mindless assessments of roundoff
    in floating-point computation?"), where the arc cosine of ``u . v`` loses half of the digits.

    >>> f"{np.radians(angle(np.array([1.0, 0.0]), np.array([2.0, 2e-10]))):.12e}"
    '1.000000000000e-10'
    """
    u, v = direction(one), direction(other)
    if not (u.any() and v.any()):
        return float("nan")
    return float(np.degrees(2.0 * np.arctan2(lengths(u - v), lengths(u + v))))
