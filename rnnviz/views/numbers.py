"""How numbers are written on the screen: one format for all of it.

Four significant digits without trailing zeros, an exponent below 1e-3 and from 1e5 on, a true minus sign. A number that
is not 1 is never written as 1: a forget gate of 0.99995 teaches by its last digits.
"""

from __future__ import annotations

import math

MINUS = "−"

DIGITS = 4
ROUNDING = 1e-12
"""What is below it is written as 0 where it is no more than rounding beside numbers of order 1."""

_LEAST, _MOST = 1e-3, 1e5
_NEAR = 5e-4
"""Numbers closer to 1 than this need more digits than the others."""
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_FAR = 1e7
"""Decades, from which on the exponent itself is too long to read."""


def written(value: float, digits: int = DIGITS, *, floor: float = ROUNDING) -> str:
    """A number for a sentence or a label: `digits` significant digits, no trailing zeros.

    Numbers below `floor` are written as 0.

    Examples
    --------
    >>> written(-0.3), written(0.0012), written(0.00004), written(123456.0), written(0.99995)
    ('−0.3', '0.0012', '4e−5', '1.235e5', '0.99995')
    """
    if math.isnan(value):
        return "NaN"  # never to be taken for a number
    size = abs(value)
    if size == math.inf:
        return "∞" if value > 0 else MINUS + "∞"
    if size < floor or not size:
        return "0"
    apart = abs(size - 1)
    if ROUNDING < apart < _NEAR:
        decimals = 1 - math.floor(math.log10(apart))
        return _trimmed(f"{value:.{decimals}f}")
    if _LEAST <= float(f"{size:.{digits - 1}e}") < _MOST:
        decimals = max(0, digits - 1 - math.floor(math.log10(float(f"{size:.{digits - 1}e}"))))
        return _trimmed(f"{value:.{decimals}f}")
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{_trimmed(mantissa)}e{_with_minus(str(int(exponent)))}"


def thousands(count: int) -> str:
    """A count: all of its digits, with a comma between thousands. The number of a step or a unit is a name without.

    Examples
    --------
    >>> thousands(999), thousands(21000)
    ('999', '21,000')
    """
    return f"{count:,}"


def subscript(number: int) -> str:
    """A number of a step or a unit as the index of its symbol.

    Examples
    --------
    >>> "h" + subscript(100)
    'h₁₀₀'
    """
    return str(number).translate(_SUBSCRIPTS)


def equals(value: float, digits: int = DIGITS, *, floor: float = ROUNDING) -> str:
    """The sign to write before a number as `written` rounds it: ``=`` where nothing was lost, else ``≈``.

    Examples
    --------
    >>> equals(0.2165), equals(0.216518)
    ('=', '≈')
    """
    shown = float(written(value, digits, floor=floor).replace(MINUS, "-").replace("∞", "inf"))
    return "=" if math.isclose(value, shown, rel_tol=1e-12, abs_tol=floor) else "≈"


def faded(value: float, digits: int = DIGITS) -> str:
    """A number that may have faded to almost nothing, which only 0 itself is written as.

    Examples
    --------
    >>> faded(0.25), faded(-3.2e-43), faded(0.0)
    ('0.25', '−3.2e−43', '0')
    """
    return written(value, digits, floor=0.0)


def vector(values: object, digits: int = DIGITS) -> str:
    """A short vector for a sentence: ``[0.04, 0, 0.22]``."""
    return "[" + ", ".join(written(float(value), digits) for value in values) + "]"  # type: ignore[attr-defined]


def power_of_ten(log10: float, digits: int = DIGITS) -> str:
    """A positive number given by its base-10 logarithm, as `written` writes it, also far outside float64's range.

    Examples
    --------
    >>> power_of_ten(-1.0), power_of_ten(-321.3), power_of_ten(-math.inf), power_of_ten(-2.5e40)
    ('0.1', '5.012e−322', '0', '10^−2.5e40')
    """
    if math.isnan(log10):
        return "NaN"
    if math.isinf(log10):
        return "0" if log10 < 0 else "∞"
    if abs(log10) < 300:
        return written(10.0**log10, digits, floor=0.0)
    if abs(log10) >= _FAR:
        return f"10^{written(log10)}"
    exponent = math.floor(log10)
    mantissa = f"{10 ** (log10 - exponent):.{digits - 1}f}"
    if mantissa.startswith("10"):
        mantissa, exponent = "1", exponent + 1
    return f"{_trimmed(mantissa)}e{_with_minus(str(exponent))}"


def signed_power(sign: float, log10: float) -> str:
    """A number by its sign and its base-10 logarithm, as `power_of_ten` writes it.

    Examples
    --------
    >>> signed_power(-1.0, -1.0), signed_power(0.0, -math.inf)
    ('−0.1', '0')
    """
    return (MINUS if sign < 0 else "") + power_of_ten(float(log10))


def power(value: float, digits: int = DIGITS) -> str:
    """A number of at least 0 in a sentence, however close to 0.

    Examples
    --------
    >>> power(0.25), power(0.0), power(3e-40)
    ('0.25', '0', '3e−40')
    """
    return power_of_ten(math.log10(value) if value else -math.inf, digits)


def _trimmed(text: str) -> str:
    return _with_minus(text.rstrip("0").rstrip(".") if "." in text else text)


def _with_minus(text: str) -> str:
    return text.replace("-", MINUS)
