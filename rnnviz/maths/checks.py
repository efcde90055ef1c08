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
from rnnviz.wording import Message

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


Name: TypeAlias = str | Message
"""What is asked about: a name such as W_hh, or words."""

_RECTANGULAR = Message("error.array.cure", "Give a rectangular array of real numbers.")


def read_array(name: Name, values: object, cure: Message = _RECTANGULAR) -> Array:
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
        raise InputError(
            "array.unreadable", "{name} cannot be read as an array of numbers: {reason}. {cure}",
            name=name, reason=reason, cure=cure,
        ) from problem  # fmt: skip
    if raw.dtype.kind not in "iufO" or (raw.dtype.kind == "O" and not all(map(_is_real, raw.flat))):
        if raw.ndim == 0:
            got: Name = type(values).__name__
        else:
            got = Message("error.array.entries", "{kind} entries", kind=str(raw.dtype))
        raise InputError(
            "array.real", "{name} must hold real numbers; got {got}. {cure}", name=name, got=got, cure=cure
        )
    try:
        with np.errstate(over="ignore"):  # a wider float beyond float64 becomes inf and is named below
            array = np.array(raw, dtype=np.float64, order="C")
    except OverflowError as problem:
        raise InputError(
            "array.huge", "{name} holds an integer beyond float64 (about 1.8e308). Use smaller numbers.", name=name
        ) from problem
    _require_finite(name, array)
    array.setflags(write=False)
    return array


def require_shape(name: Name, array: Array, shape: Sequence[int | str], whose: Message, cure: Message) -> None:
    """Refuse an array that is not of `shape`; a letter in it stands for any size of at least 1."""
    fits = len(array.shape) == len(shape) and all(
        got >= 1 if isinstance(need, str) else got == need for got, need in zip(array.shape, shape, strict=True)
    )
    if not fits:
        raise InputError(
            "array.shape", "{name} must be {shape} {whose}; got {got}. {cure}",
            name=name, shape=_shape_text(shape), whose=whose, got=_shape_text(array.shape), cure=cure,
        )  # fmt: skip


def read_integer(name: Name, value: object, low: int, high: int | None = None) -> int:
    """Return `value` as an int in `low`..`high`; bools and floats are refused."""
    if high is None:
        needed = Message("error.integer.least", "{name} must be an integer of at least {low}", name=name, low=low)
    else:
        needed = Message(
            "error.integer.range", "{name} must be an integer in {low}..{high}", name=name, low=low, high=high
        )
    if isinstance(value, (bool, np.bool_)):
        raise InputError("integer.truth", "{needed}; got {got}. Give a number.", needed=needed, got=str(value))
    try:
        number = operator.index(value)  # type: ignore[arg-type]  # what is no integer raises, and is refused
    except TypeError as problem:
        raise InputError(
            "integer.not_whole", "{needed}; got {got}. Give a whole number without a decimal point.",
            needed=needed, got=repr(value),
        ) from problem  # fmt: skip
    if number < low or (high is not None and number > high):
        raise _outside(needed, number)
    return number


def read_number(name: Name, value: object, low: float = -np.inf, high: float = np.inf) -> float:
    """Return `value` as a finite float in `low`..`high`."""
    if np.isfinite(high):
        needed = Message(
            "error.number.range", "{name} must be a finite number in {low:g}..{high:g}", name=name, low=low, high=high
        )
    elif np.isfinite(low):
        needed = Message("error.number.least", "{name} must be a finite number of at least {low:g}", name=name, low=low)
    else:
        needed = Message("error.number.any", "{name} must be a finite number", name=name)
    if not _is_real(value):
        raise InputError("number.not_real", "{needed}; got {got}. Give a real number.", needed=needed, got=repr(value))
    try:
        number = float(value)  # type: ignore[arg-type]
    except OverflowError:  # an integer beyond float64
        number = np.inf
    if not (np.isfinite(number) and low <= number <= high):
        raise _outside(needed, number)
    return number


def _outside(needed: Message, number: float) -> InputError:
    return InputError("number.outside", "{needed}; got {got}. Choose one in that range.", needed=needed, got=number)


def one_of(name: Name, value: object, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`."""
    if not isinstance(value, str) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise InputError(
            "unknown", "{name} {got} is not known. Choose one of {choices}.",
            name=name, got=repr(value), choices=listed,
        )  # fmt: skip
    return value


def _is_real(value: object) -> bool:
    return isinstance(value, (Real, np.integer, np.floating)) and not isinstance(value, (bool, np.bool_))


def _require_finite(name: Name, array: Array) -> None:
    finite = np.isfinite(array)
    if finite.all():
        return
    index = tuple(int(axis) for axis in np.argwhere(~finite)[0])
    counted, python = [str(axis + 1) for axis in index], ", ".join(map(str, index))
    entry = name
    if len(index) == 2:
        entry = Message(
            "error.array.row_column", "{name} row {row}, column {column} ({name}[{index}] in Python)",
            name=name, row=counted[0], column=counted[1], index=python,
        )  # fmt: skip
    elif index:
        entry = Message(
            "error.array.entry", "{name} entry {counted} ({name}[{index}] in Python)",
            name=name, counted=", ".join(counted), index=python,
        )  # fmt: skip
    raise InputError(
        "array.finite", "{entry} is {got}; every entry must be a finite number. Replace it.",
        entry=entry, got=str(array[index]),
    )  # fmt: skip


def _shape_text(shape: Sequence[int | str]) -> str:
    return f"({shape[0]},)" if len(shape) == 1 else f"({', '.join(map(str, shape))})"
