"""How near a number must be to the one that is written on the screen."""

from __future__ import annotations

import math

from tests.views.spoken import number


def half_a_digit(text: str) -> float:
    """The most by which a number can be off from its text, by the last digit that the text has."""
    mantissa, _, exponent = text.replace("−", "-").lstrip("-").partition("e")
    decimals = len(mantissa.partition(".")[2])
    return 0.5000001 * 10.0 ** (int(exponent or 0) - decimals) if mantissa != "∞" else math.inf


def says(text: str, value: float) -> bool:
    """Whether a text is a number rounded to the digits that it has; what is below 1e-12 may be written as 0."""
    return abs(number(text) - value) <= half_a_digit(text) + 1e-12 * max(1.0, abs(value))


def share(text: str) -> tuple[float, float]:
    """The shares from and to which a percentage on the screen may stand for."""
    if text.startswith("more than "):
        return share(text.removeprefix("more than "))[0], 1.0
    shown = text.removesuffix(" %")
    assert shown != text, f"no percentage: {text}"
    middle, half = number(shown) / 100, half_a_digit(shown) / 100
    return middle - half, middle + half


def says_share(text: str, value: float) -> bool:
    """Whether a percentage on the screen is that share, rounded; 0 % and 100 % are that to the last bit."""
    if text in ("0 %", "100 %"):
        return value == float(text == "100 %")
    low, high = share(text)
    return low <= value <= high and value not in (0.0, 1.0)
