"""The door of the package: whatever comes in leaves as checked numbers, or as an `InputError` that names the cure."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths.errors import InputError

__all__ = [
    "Array",
    "Sealed",
    "one_of",
    "read_array",
    "read_integer",
    "read_number",
    "require_shape",
]

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sealed:
    """Frozen values that hold read-only arrays, and still do so after being copied or unpickled.

    Numpy gives back writable arrays from a pickle or a deep copy, so these are rebuilt by their constructor, which
    checks and closes them again.
    """

    def __reduce__(self) -> tuple[type[Sealed], tuple[Any, ...]]:
        values = (getattr(self, field.name) for field in fields(self))
        return type(self), tuple(dict(value) if isinstance(value, Mapping) else value for value in values)


def read_array(name: str, values: object, cure: str = "Give a rectangular array of real numbers.") -> Array:
    """Copy `values` into a read-only, C-contiguous float64 array of any shape.

    Raises
    ------
    InputError
        For anything but finite real numbers; the first entry that is not finite is named.
    """
    try:
        raw = np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as problem:  # ragged lists, tensors that can't become arrays
        reason = str(problem).rstrip(".")
        raise InputError(f"{name} cannot be read as an array of numbers: {reason}. {cure}") from problem
    if raw.dtype.kind not in "iufO" or (raw.dtype.kind == "O" and not all(map(_is_real, raw.flat))):
        given = type(values).__name__ if raw.ndim == 0 else f"{raw.dtype} entries"
        raise InputError(f"{name} must hold real numbers; got {given}. {cure}")
    try:
        with np.errstate(over="ignore"):  # a wider float beyond float64 becomes inf and is named below
            array = np.array(raw, dtype=np.float64, order="C")
    except OverflowError as problem:
        raise InputError(f"{name} holds an integer beyond float64 (about 1.8e308). Use smaller numbers.") from problem
    _require_finite(name, array)
    array.setflags(write=False)
    return array


def require_shape(name: str, array: Array, shape: Sequence[int | str], whose: str, cure: str) -> None:
    """Refuse an array that is not of `shape`; a letter in it stands for any size of at least 1."""
    fits = len(array.shape) == len(shape) and all(
        got >= 1 if isinstance(need, str) else got == need for got, need in zip(array.shape, shape, strict=True)
    )
    if not fits:
        raise InputError(f"{name} must be {_shape_text(shape)} {whose}; got {_shape_text(array.shape)}. {cure}")


def read_integer(name: str, value: object, low: int, high: int | None = None) -> int:
    """Return `value` as an int in `low`..`high`; bools and floats are refused."""
    needed = f"{name} must be an integer " + (f"of at least {low}" if high is None else f"in {low}..{high}")
    if isinstance(value, (bool, np.bool_)):
        raise InputError(f"{needed}; got {value}. Give a number.")
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # what is no integer raises, and is refused
    except TypeError as problem:
        raise InputError(f"{needed}; got {value!r}. Give a whole number without a decimal point.") from problem
    if number < low or (high is not None and number > high):
        raise InputError(f"{needed}; got {number}. Choose one in that range.")
    return number


def read_number(name: str, value: object, low: float = -np.inf, high: float = np.inf) -> float:
    """Return `value` as a finite float in `low`..`high`."""
    span = {(False, False): "", (True, False): f" of at least {low:g}", (True, True): f" in {low:g}..{high:g}"}
    needed = f"{name} must be a finite number{span[bool(np.isfinite(low)), bool(np.isfinite(high))]}"
    if not _is_real(value):
        raise InputError(f"{needed}; got {value!r}. Give a real number.")
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:  # an integer beyond float64
        number = np.inf
    if not (np.isfinite(number) and low <= number <= high):
        raise InputError(f"{needed}; got {number}. Choose one in that range.")
    return number


def one_of(name: str, value: object, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise InputError(f"{name} {value!r} is not known. Choose one of {listed}.")
    return value


def _is_real(value: object) -> bool:
    return isinstance(value, (Real, np.integer, np.floating)) and not isinstance(value, (bool, np.bool_))


def _require_finite(name: str, array: Array) -> None:
    finite = np.isfinite(array)
    if finite.all():
        return
    index = tuple(int(axis) for axis in np.argwhere(~finite)[0])
    counted = [str(axis + 1) for axis in index]
    where = f" row {counted[0]}, column {counted[1]}" if array.ndim == 2 else f" entry {', '.join(counted)}"
    python = f" ({name}[{', '.join(map(str, index))}] in Python)"
    entry = name + (where + python if index else "")
    raise InputError(f"{entry} is {array[index]}; every entry must be a finite number. Replace it.")


def _shape_text(shape: Sequence[int | str]) -> str:
    return f"({shape[0]},)" if len(shape) == 1 else f"({', '.join(map(str, shape))})"
