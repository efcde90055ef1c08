"""How numbers are written on the screen: the same decimals, the same minus, the same sign for "rounded", everywhere."""

from __future__ import annotations

import math

MINUS = "−"


ROUNDING = 1e-12
"""What is below it is written as 0 where it is no more than rounding beside numbers of order 1."""


def written(value: float, decimals: int = 2, *, floor: float = ROUNDING) -> str:
    """A number for a sentence: fixed decimals, one more or an exponent where those would hide it, a true minus sign.

    Numbers below `floor` are written as 0.

    Examples
    --------
    >>> written(-0.3), written(0.0012), written(0.00004), written(123456.0)
    ('−0.30', '0.001', '4e−5', '1.2e5')
    """
    size = abs(value)
    if size == math.inf:
        return "∞" if value > 0 else MINUS + "∞"
    if size < floor or not size:
        text = f"{0.0:.{decimals}f}"
    elif 0.05 * 10.0**-decimals <= size < 1e4:
        text = f"{value:.{decimals + (size < 0.5 * 10.0**-decimals)}f}"
    else:
        mantissa, exponent = f"{value:.1e}".split("e")
        text = f"{mantissa.removesuffix('.0')}e{int(exponent)}"
    return text.replace("-", MINUS)


def equals(value: float, decimals: int = 2, *, floor: float = ROUNDING) -> str:
    """The sign to write before a number as `written` rounds it: ``=`` where nothing was lost, else ``≈``.

    Examples
    --------
    >>> equals(0.22), equals(0.2165)
    ('=', '≈')
    """
    shown = float(written(value, decimals, floor=floor).replace(MINUS, "-").replace("∞", "inf"))
    return "=" if math.isclose(value, shown, rel_tol=1e-12, abs_tol=floor) else "≈"


def faded(value: float, decimals: int = 4) -> str:
    """A number that may have faded to almost nothing, which only 0 itself is written as.

    Examples
    --------
    >>> faded(0.25), faded(-3.2e-43), faded(0.0)
    ('0.2500', '−3.2e−43', '0.0000')
    """
    return written(value, decimals, floor=0.0)


def vector(values: object, decimals: int = 2) -> str:
    """A short vector for a sentence: ``[0.04, 0.00, 0.22]``."""
    return "[" + ", ".join(written(float(value), decimals) for value in values) + "]"  # type: ignore[attr-defined]


def power_of_ten(log10: float) -> str:
    """A positive number given by its base-10 logarithm, in two or three digits, also far outside float64's range.

    Examples
    --------
    >>> power_of_ten(-1.0), power_of_ten(-321.3), power_of_ten(-math.inf), power_of_ten(-2.5e40)
    ('0.1', '5e−322', '0', '10^−2.5e40')
    """
    if math.isinf(log10):
        return "0" if log10 < 0 else "∞"
    if -4 <= log10 < 4:
        return f"{10.0**log10:.3g}" if log10 < 3 else f"{10.0**log10:.0f}"
    if abs(log10) >= _FAR:
        return f"10^{written(log10)}"
    exponent = math.floor(log10)
    mantissa = f"{10 ** (log10 - exponent):.1f}"
    if mantissa == "10.0":
        mantissa, exponent = "1.0", exponent + 1
    return f"{mantissa.removesuffix('.0')}e{exponent}".replace("-", MINUS)


def power(value: float) -> str:
    """A number of at least 0 in a sentence, as a power of ten where it is far from 1.

    Examples
    --------
    >>> power(0.25), power(0.0), power(3e-40)
    ('0.25', '0', '3e−40')
    """
    return power_of_ten(math.log10(value) if value else -math.inf)


_FAR = 1e7  # decades, from which on the exponent itself is too long to read
