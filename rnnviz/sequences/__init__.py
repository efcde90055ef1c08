"""Sequences in and out: typed, pasted, from a CSV file, or generated. Every one is a ``(T, D)`` array, time first."""

from rnnviz.sequences.generated import (
    GENERATORS,
    alphabet,
    derived_seed,
    generate,
    impulse,
    noise,
    one_hot,
    silence,
    sine,
)
from rnnviz.sequences.reading import Array, read_batch, read_batch_file, read_sequence, read_sequence_file
from rnnviz.sequences.writing import write_batch, write_lines, write_number, write_sequence, write_table

__all__ = [
    "GENERATORS",
    "Array",
    "alphabet",
    "derived_seed",
    "generate",
    "impulse",
    "noise",
    "one_hot",
    "read_batch",
    "read_batch_file",
    "read_sequence",
    "read_sequence_file",
    "silence",
    "sine",
    "write_batch",
    "write_lines",
    "write_number",
    "write_sequence",
    "write_table",
]
