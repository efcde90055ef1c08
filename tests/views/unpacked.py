"""The explorer's payload read as the browser reads it, with nothing from the package."""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Unpacked:
    """A payload's header and arrays."""

    header: dict[str, Any]
    arrays: dict[str, NDArray[np.float64]]

    def rows(self, name: str, t: int) -> Any:
        """The numbers of a drawn variable at step t (1..T)."""
        variable = self.header["variables"][name]
        array = self.arrays[variable["array"]]
        return (array[t - 1 + variable["shift"]] if variable["per_step"] else array).tolist()

    def vector(self, name: str, t: int) -> list[float]:
        """The same, of a variable that is a vector."""
        values: list[float] = self.rows(name, t)
        assert all(isinstance(value, float) for value in values)
        return values


def unpack(message: bytes) -> Unpacked:
    (length,) = struct.unpack_from("<I", message)
    header = json.loads(message[4 : 4 + length], parse_constant=lambda name: 1 / 0)
    arrays = {
        name: np.frombuffer(message, "<f8", math.prod(place["shape"]), 4 + length + 8 * place["offset"]).reshape(
            place["shape"]
        )
        for name, place in header["arrays"].items()
    }
    return Unpacked(header, arrays)
