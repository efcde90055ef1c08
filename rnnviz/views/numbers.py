"""How numbers are written on the screen: the same decimals, the same minus, the same sign for "rounded", everywhere."""

from __future__ import annotations

import math

MINUS = "−"


def written(value: float, decimals: int = 2) -> str:
    """A number for a sentence: fixed decimals, exponents where those would hide it, a true minus sign.

    Examples
    --------
    >>> written(-0.3), written(0.00004), written(123456.0)
    ('−0.30', '4.0e−5', '1.2e5')
    """
    size = abs(value)
    if size == math.inf:
        return "∞" if value > 0 else MINUS + "∞"
    if size < 1e-12 or 10.0**-decimals <= size < 1e4:
        text = f"{0.0 if size < 1e-12 else value:.{decimals}f}"
    else:
        mantissa, exponent = f"{value:.1e}".split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text.replace("-", MINUS)


def equals(value: float, decimals: int = 2) -> str:
    """The sign to write before a rounded number: ``=`` where nothing was lost, else ``≈``.

    Examples
    --------
    >>> equals(0.22), equals(0.2165)
    ('=', '≈')
    """
    return "=" if math.isclose(value, round(float(value), decimals), rel_tol=1e-12, abs_tol=1e-12) else "≈"


def vector(values: object, decimals: int = 2) -> str:
    """A short vector for a sentence: ``[0.04, 0.00, 0.22]``."""
    return "[" + ", ".join(written(float(value), decimals) for value in values) + "]"  # type: ignore[attr-defined]


def power_of_ten(log10: float) -> str:
    """A positive number given by its base-10 logarithm, also far outside float64's range.

    Examples
    --------
    >>> power_of_ten(-1.0), power_of_ten(-321.3), power_of_ten(-math.inf)
    ('0.10', '5.0e−322', '0')
    """
    if math.isinf(log10):
        return "0" if log10 < 0 else "∞"
    if -4 <= log10 < 4:
        return written(10.0**log10)
    exponent = math.floor(log10)
    return f"{10 ** (log10 - exponent):.1f}e{exponent}".replace("-", MINUS)
