"""Whether what is written on the screen is a number, rounded to the digits that it shows."""

from __future__ import annotations

import math
import unicodedata

from tests.views.spoken import number


def half_a_digit(text: str) -> float:
    """The most by which a number can be off from its text: half of the last digit, of the first decimal before an e."""
    mantissa, e, exponent = text.replace("−", "-").partition("e")
    decimals = 1 if e else len(mantissa.partition(".")[2])
    return 0.500001 * 10.0 ** (int(exponent or 0) - decimals)


def says(text: str, value: float) -> bool:
    """Whether a text is that number; what is below 1e-12 may be written as 0."""
    return abs(number(text) - value) <= half_a_digit(text) + 1e-12 * max(1.0, abs(value))


def says_power(text: str, log10: float) -> bool:
    """Whether a text of two or three digits is the positive number of that logarithm, in float64's range or not."""
    if math.isinf(log10) or text == "0":
        return text == "0" and math.isinf(log10)
    mantissa, e, exponent = text.replace("−", "-").partition("e")
    digits = math.log10(float(mantissa)) + int(exponent or 0)
    relative = 0.0501 / float(mantissa) if e else 0.00501
    return abs(digits - log10) <= relative / math.log(10) * 1.1 + 1e-9


def index(text: str) -> int:
    """The number of a subscript."""
    return int(unicodedata.normalize("NFKC", text))


def says_share(text: str, value: float) -> bool:
    """Whether a percentage is that share; 0 % and 100 % are that to the last bit."""
    if text in ("0 %", "100 %"):
        return value == float(text == "100 %")
    if text.startswith("more than "):
        return text == "more than 99.9999 %" and 0.999999 <= value < 1.0
    shown = text.removesuffix(" %")
    assert shown != text, f"no percentage: {text}"
    if "e" in shown:
        return 0.0 < value < 1e-5 and says_power(shown, math.log10(value) + 2)
    return 0.0 < value < 1.0 and says(shown, 100 * value)


def four_digits(text: str, value: float) -> bool:
    """Whether a text is that number to four significant digits; what is below 1e-12 may be written as 0."""
    if math.isinf(value):
        return number(text) == value
    return abs(number(text) - value) <= 5.01e-4 * abs(value) + 1.01e-12


def four_digits_power(text: str, log10: float) -> bool:
    """Whether a text of four digits is the positive number of that logarithm, in float64's range or not."""
    if math.isinf(log10) or text == "0":
        return text == "0" and math.isinf(log10)
    mantissa, _, exponent = text.replace("−", "-").partition("e")
    return abs(math.log10(float(mantissa)) + int(exponent or 0) - log10) <= 2.2e-4 + 1e-12 * abs(log10)
