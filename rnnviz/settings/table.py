"""One table of every setting: name, type, range, default; and how a value stands in an address."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from rnnviz.maths import InputError
from rnnviz.maths.cells import CELLS
from rnnviz.sequences import write_number
from rnnviz.weights import MOST_HIDDEN, MOST_INPUTS
from rnnviz.wording import Message

Value = int | float | str | tuple[float, ...]

KINDS = tuple(CELLS)
"""The cells, by the names that `make_cell` gives them."""

MOST_BIAS = 20.0
"""The most that a gate's bias can be raised or lowered: beyond it the gate is 0 or 1 to nine digits."""

MOST_STEPS = 1000
"""The longest sequence."""

_MOST_WHOLE = 1e15
_LEAST_PLAIN, _MOST_PLAIN = 1e-3, 1e5
"""Between which numbers a message has no exponent."""

_INITS = ("torch", "xavier", "orthogonal", "identity", "spectral", "zeros", "chrono")


@dataclass(frozen=True)
class Setting:
    """One row of the table: what a setting may be. Labels and help stand in `rnnviz.texts` under its name.

    Attributes
    ----------
    name : str
        Its name in the address.
    default : int, float, str or tuple of float
        The value without a preset; its type is the setting's type.
    low, high : float
        The smallest and largest value of a number.
    choices : tuple of str
        The values of a word.
    kinds : tuple of str
        The cells that have it.
    """

    name: str
    default: Value
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()
    kinds: tuple[str, ...] = KINDS

    def read(self, text: str) -> Value:
        """The value that a text in the address stands for.

        Raises
        ------
        InputError
            If the text is of the wrong type or the value out of range; the message says what to use instead.
        """
        if self.choices:
            if text not in self.choices:
                raise one_of_words(self.choices)
            return text
        if isinstance(self.default, tuple):
            return _read_vector(text)
        whole = isinstance(self.default, int)
        value = read_number(text)
        if value is None or not self.low <= value <= self.high or (whole and not value.is_integer()):
            low, high = self.said(self.low), self.said(self.high)
            if whole and "," in text:
                raise InputError(
                    "setting.whole.comma", "Use a whole number from {low} to {high}, written without commas.",
                    low=low, high=high,
                )  # fmt: skip
            if whole:
                raise InputError("setting.whole", "Use a whole number from {low} to {high}.", low=low, high=high)
            raise InputError("setting.number", "Use a number from {low} to {high}.", low=low, high=high)
        return int(value) if whole else value

    def said(self, number: float) -> str:
        """A number of this setting in a message: all of its digits, with commas between thousands where it is whole.

        An exponent and a minus sign are written as on the screen.

        Examples
        --------
        >>> SETTINGS["max_norm"].said(1e-6), SETTINGS["max_norm"].said(1e6), SETTINGS["delay"].said(-1)
        ('1e−6', '1e6', '−1')
        >>> SETTINGS["steps"].said(5000.0), SETTINGS["steps"].said(5000.5)
        ('5,000', '5000.5')
        """
        size, whole = abs(number), isinstance(self.default, int) and float(number).is_integer()
        if whole and size < _MOST_WHOLE:
            return f"{int(number):,}".replace("-", "−")
        if not size or _LEAST_PLAIN <= size < _MOST_PLAIN:
            return write_number(number).replace("-", "−")
        return np.format_float_scientific(number, trim="-", exp_digits=1).replace("+", "").replace("-", "−")

    def nearest(self, number: float) -> int | float:
        """The value of a setting with numbers that is nearest to one; a half is rounded up.

        Examples
        --------
        >>> [SETTINGS["hidden_size"].nearest(number) for number in (3.7, 2.5, 5000.0, -1.0)]
        [4, 3, 64, 1]
        """
        within = min(max(number, self.low), self.high)
        return math.floor(within + 0.5) if isinstance(self.default, int) else within

    def write(self, value: Value) -> str:
        """The text that `read` takes back to the same value."""
        if isinstance(value, tuple):
            return ",".join(write_number(number) for number in value)
        return value if isinstance(value, str) else write_number(value)


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        setting.name: setting
        for setting in (
            Setting("input_size", 2, 1, 64),
            Setting("hidden_size", 3, 1, 64),
            Setting("steps", 8, 1, MOST_STEPS),
            Setting("layers", 1, 1, 4),
            Setting("stack", "hidden", choices=("hidden", "readout")),
            Setting("seed", 0, 0, 2**32 - 1),
            Setting("init", "torch", choices=_INITS),
            Setting("gain", 1.0, 0.0, 10.0),
            Setting("activation", "tanh", choices=("tanh", "sigmoid", "relu", "identity"), kinds=("elman",)),
            Setting("reset", "after", choices=("after", "before"), kinds=("gru",)),
            Setting("update", "keep", choices=("keep", "write"), kinds=("gru",)),
            *(Setting(f"bias_{gate}", 0.0, -MOST_BIAS, MOST_BIAS, kinds=("lstm",)) for gate in "ifgo"),
            *(Setting(f"bias_{gate}", 0.0, -MOST_BIAS, MOST_BIAS, kinds=("gru",)) for gate in "rzn"),
            Setting("input", "noise", choices=("preset", "noise", "impulse", "sine", "silence", "text")),
            Setting("sequences", 1, 1, 8),
            Setting("h0", ()),
            Setting("c0", (), kinds=("lstm",)),
            Setting("output_size", 1, 0, 64),
            Setting("output_activation", "identity", choices=("identity", "softmax", "sigmoid", "tanh")),
            Setting("order", "unit", choices=("unit", "keep", "memory", "swing"), kinds=("lstm", "gru")),
            Setting("notation", "column", choices=("column", "row", "joined", "letters")),
            Setting("input_scale", 1.0, 0.0, 100.0),
            Setting("together", "all", choices=("all", "one")),
            Setting("block", "state", choices=("state", "h", "c"), kinds=("lstm",)),
            Setting("threshold", 3, 1, 300),
            Setting("from_step", 0, 0, MOST_STEPS - 1),
            Setting("to_step", 0, 0, MOST_STEPS),
            Setting("opened", 0, 0, MOST_STEPS),
            Setting("loss", "squared", choices=("squared", "cross_entropy")),
            Setting("loss_at", "every", choices=("every", "last")),
            Setting("delay", 1, -1, MOST_STEPS - 1),
            Setting("weight", "W_hh", choices=("W_hh", "W_ih", "b_hh", "b_ih", "W_ho", "b_o", "W_out", "b_out")),
            Setting("row", 0, 0, 4 * MOST_HIDDEN),
            Setting("column", 0, 0, max(MOST_HIDDEN, MOST_INPUTS)),
            Setting("truncation", 0, 0, MOST_STEPS),
            Setting("scheme", "sliding", choices=("sliding", "chunk")),
            Setting("max_norm", 1.0, 1e-6, 1e6),
            Setting("lr", 0.1, 0.0, 100.0),
        )
    }
)
"""Every setting that a page may show, by name, with the value it has when no preset says otherwise."""

FLOW_SETTINGS = ("input_scale", "together", "block", "threshold", "from_step", "to_step", "opened")
"""Those that only the Gradient flow page has controls for."""

OBJECTIVE_SETTINGS = (
    "loss", "loss_at", "delay", "weight", "row", "column", "truncation", "scheme", "max_norm", "lr",
)  # fmt: skip
"""Those that only the page on backpropagation has controls for: what is to be learned, and what is shown of it."""


@lru_cache(maxsize=64)
def settings_of(*kinds: str) -> Mapping[str, Setting]:
    """The settings that networks of these kinds of cell have, by name."""
    found = {name: setting for name, setting in SETTINGS.items() if not set(kinds).isdisjoint(setting.kinds)}
    return MappingProxyType(found)


@lru_cache(maxsize=1024)
def choices_of(name: str, *kinds: str) -> tuple[str, ...]:
    """The words that a setting may have with these kinds of cell: some are not for all."""
    words = SETTINGS[name].choices
    return tuple(word for word in words if not set(kinds).isdisjoint(_KINDS_OF_WORD.get((name, word), KINDS)))


_KINDS_OF_WORD = {
    ("init", "chrono"): ("lstm", "gru"),  # it sets the biases of gates
    ("notation", "row"): ("elman",),
    ("notation", "letters"): ("elman",),
}


NOT_HERE = Message("error.setting.not_here", "This page has no such setting.")
"""What to say of a name that no setting of the page has."""


def one_of_words(words: Iterable[str]) -> InputError:
    """The refusal of a word that is none of those allowed.

    Examples
    --------
    >>> str(one_of_words(["tanh", "relu"]))
    'Use one of these: tanh, relu.'
    """
    return InputError("setting.word", "Use one of these: {words}.", words=", ".join(words))


def read_number(text: str) -> float | None:
    """A finite float, or None; underscores, 'nan' and 'infinity' are no numbers here, though Python takes them."""
    if not re.fullmatch(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", text):
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def _read_vector(text: str) -> tuple[float, ...]:
    values = [read_number(part) for part in re.split(r"[,;\s]+", text.strip()) if part]
    if not values or None in values:
        raise InputError("setting.numbers", "Use finite numbers separated by commas, for example 0.1,0.2,-0.1.")
    return tuple(value for value in values if value is not None)
