"""Arrays with a header in one message of bytes: what a component in the browser is told."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def packed(header: Mapping[str, object], arrays: Mapping[str, Array]) -> bytes:
    """One message: header length (uint32, little-endian), JSON header padded to 8 bytes, float64 arrays.

    Parameters
    ----------
    header : mapping
        What JSON can hold; finite numbers only.
    arrays : mapping of str to array

    Returns
    -------
    bytes
        The header's ``arrays`` maps each name to its offset in float64 numbers and its shape.
    """
    places, parts, offset = {}, [], 0
    for name, array in arrays.items():
        places[name] = {"offset": offset, "shape": array.shape}
        parts.append(np.ascontiguousarray(array, dtype="<f8").tobytes())
        offset += array.size
    text = json.dumps({"arrays": places, **header}, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 4) % 8)
    return b"".join([struct.pack("<I", len(text)), text, *parts])
