"""Matrix products with 60 digits and exponents without end."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import mpmath
import numpy as np

from rnnviz.maths.checks import Array

mpmath.mp.dps = 60


def exact(matrix: Any) -> Any:
    return matrix if isinstance(matrix, mpmath.matrix) else mpmath.matrix(np.asarray(matrix).tolist())


def products_back(matrices: Iterable[Any]) -> list[Any]:
    """Of matrices M_1..M_T: ``M_T ... M_{k+1}`` for k = 0..T, the last the identity."""
    steps = [exact(matrix) for matrix in matrices]
    found = [mpmath.eye(steps[0].rows)]
    for step in reversed(steps):
        found.append(found[-1] * step)
    return found[::-1]


def log10_norm(matrix: Any, norm: str) -> float:
    """Of a matrix with as many digits as `matrix` has; -inf for 0."""
    if norm == "fro":
        squared = mpmath.fsum(entry**2 for entry in matrix)
    else:
        gram = matrix.T * matrix
        largest = max(abs(entry) for entry in gram)
        # eigsy iterates until its entries are small as such, so they are first made of order 1
        squared = largest * max(mpmath.eigsy(gram / largest, eigvals_only=True)) if largest else mpmath.mpf(0)
    return float(mpmath.log10(squared) / 2) if squared else -np.inf


def log10_norms_back(matrices: Iterable[Any], norm: str = "spectral") -> Array:
    return np.array([log10_norm(product, norm) for product in products_back(matrices)])
