"""Stacks of matrices as wide numbers: their products from step to step, and their norms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.wide import Wide

__all__ = ["joined", "log10_norms", "multiplied", "running_products"]


def multiplied(one: Wide, other: Wide) -> Wide:
    """Return the product, with an exponent for each matrix again where the factors had one for each entry.

    >>> small = Wide.stack(np.diag([1e-200, 1.0]))
    >>> log10_norms(multiplied(small, small.part(columns=slice(0, 1))), "fro").round(9).item()
    -400.0
    """
    return (one @ other).narrowed()


def joined(parts: Sequence[Wide]) -> Wide:
    """Concatenate along the first axis."""
    parts = parts if all(part.shared for part in parts) else [part.entries for part in parts]
    return Wide(np.concatenate([part.mantissa for part in parts]), np.concatenate([part.exponent for part in parts]))


def running_products(J: Wide) -> Wide:
    """Return ``J_i ... J_1`` for i = 0..T, entry 0 the identity: (T, n, n) to (T+1, n, n)."""
    chain = [Wide.stack(np.eye(J.shape[-1])[None])]
    for step in range(len(J.mantissa)):
        chain.append(multiplied(J[step : step + 1], chain[-1]))
    return joined(chain)


def log10_norms(P: Wide, norm: str) -> Array:
    """Return the base-10 logarithm of the "spectral" or "fro" norm of each matrix, (...,); -inf for an exact zero."""
    P = P.together()
    if norm == "fro":
        squares = np.einsum("...ij,...ij->...", P.mantissa, P.mantissa)
    else:
        grams = P.mantissa @ np.swapaxes(P.mantissa, -2, -1)
        squares = np.maximum(np.linalg.eigvalsh(grams)[..., -1], 0.0)
    with np.errstate(divide="ignore"):
        return np.asarray(0.5 * np.log10(squares) + P.exponent * np.log10(2.0))
