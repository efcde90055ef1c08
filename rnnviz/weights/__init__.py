"""Weights that no setting draws: networks kept under the hash of their content, from wherever they came."""

from rnnviz.weights.store import STORE, WeightStore
from rnnviz.weights.stored import (
    HASH_LENGTH,
    MOST_HIDDEN,
    MOST_INPUTS,
    MOST_LAYERS,
    StoredNetwork,
    from_bytes,
    is_name,
    to_bytes,
)

__all__ = [
    "HASH_LENGTH",
    "MOST_HIDDEN",
    "MOST_INPUTS",
    "MOST_LAYERS",
    "STORE",
    "StoredNetwork",
    "WeightStore",
    "from_bytes",
    "is_name",
    "to_bytes",
]
