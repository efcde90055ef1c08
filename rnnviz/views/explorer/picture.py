"""What the cell explorer gets: a drawing order, the formulas and every array of a trace, packed into bytes.

The browser draws and multiplies factors that it displays; every result comes from here. A new kind of cell needs a
new drawing order; the browser knows two layouts, a flow of blocks (`elman`) and bands of gates beside a highway
(`gated`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rnnviz.views.explorer.unrolled import Level
from rnnviz.views.message import packed

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Variable:
    """One drawn vector or matrix.

    Attributes
    ----------
    array : str
        The array that holds its numbers.
    symbol, sub : str
        Its letter and subscript on the screen.
    caption : str
        What it is, in a word.
    brief : str
        The same where there is little room; left out, the caption.
    family : str
        Which colours it has: ``"signed"``, ``"weight"`` or ``"gate"``.
    scale : str
        Whose limit its colours have; left out, the family's.
    per_step : bool
        Whether the array's first axis is time.
    shift : int
        Row of the array at step t is ``t - 1 + shift``.
    decimals : int
        More than 2 where its cells are wider than others, since it is what the step comes down to.
    edit : str or None
        The editable array behind it: ``"h0"`` can be edited at step 1 alone.
    sup : str
        A mark above its letter: the layer, in a stack.
    turned : int or None
        Of a matrix that is some rows of the editable array transposed: the first of them.
    """

    array: str
    symbol: str
    sub: str
    caption: str = ""
    family: str = "signed"
    per_step: bool = True
    shift: int = 0
    decimals: int = 2
    edit: str | None = None
    sup: str = ""
    turned: int | None = None
    scale: str = ""
    brief: str = ""


@dataclass(frozen=True)
class Picture:
    """A drawing order with the arrays of one trace.

    Attributes
    ----------
    kind : str
        The cell's kind.
    arrays : mapping of str to array
        Results, time first.
    variables : mapping of str to Variable
        What is drawn, by its ``data-var``.
    formulas : mapping of str to dict
        How a result is made: a sum of ``terms`` inside the function ``fn``. A term is ``{"dot": [matrix, vector]}``,
        ``{"product": [factor, factor]}`` or ``{"ref": var, "offset": rows}``, the offset where a gate's rows begin in a
        stacked vector; a factor is a variable or ``{"one_minus": var}``. With ``"minus": True`` a ref is taken away.
    scene : dict
        Nested rows, columns and lines of blocks, operators, named plots and joins, and ``room`` for an arrow. A
        ``product`` is a matrix with the vector that it multiplies; ``lines`` stand below each other, or side by side
        where the picture is folded.
        With ``back`` time goes from step T to step 1, and a loop arrives at the step before.
    edges : list of (str, str)
        Arrows between them.
    loops : list of (str, str)
        Each result that is the next step's memory, and where it arrives; the state itself comes first.
    timeline : list of str
        The variables of the strip below; the first has a row for each step and no other.
    limits : mapping of str to float
        The value at which a scale's colour is full.
    levels : sequence of Level, or None
        The whole network as a graph over time, from the input up; None where it is left out (see `without_graph`).
    characters : sequence of str
        Of an input that is a text: the character that each component of x stands for.
    """

    kind: str
    arrays: Mapping[str, Array]
    variables: Mapping[str, Variable]
    formulas: Mapping[str, Mapping[str, object]]
    scene: Mapping[str, object]
    edges: Sequence[Sequence[str]]
    loops: Sequence[Sequence[str]]
    timeline: Sequence[str]
    limits: Mapping[str, float]
    levels: Sequence[Level] | None = ()
    characters: Sequence[str] = ()


@dataclass(frozen=True)
class Caption:
    """The words and marks around a picture.

    Attributes
    ----------
    words : mapping of str to str
        Fixed texts of the explorer: names of buttons, hints.
    fact : str
        What the preset shows.
    notices : list of (unit, str)
        For each step a zero-based unit to look at first, and what to notice.
    alert : str
        What went wrong, or empty.
    edited : list of (name, index, base value)
        The hand-edited entries with the value that a reset brings back, those of other layers and sequences too.
    typed : list of float
        The values that they have now, in the same order.
    remark : str
        What to know of the notation, or empty.
    """

    words: Mapping[str, str]
    fact: str = ""
    notices: Sequence[tuple[int, str]] = ()
    alert: str = ""
    edited: Sequence[tuple[str, tuple[int, ...], float]] = field(default=())
    typed: Sequence[float] = ()
    remark: str = ""


@dataclass(frozen=True)
class Sync:
    """What keeps the browser's edits and the server's settings in step.

    Attributes
    ----------
    session : str
        The server session that answers; another one means that the server was restarted.
    epoch : int
        Raised by a new preset or an adopted address, so that stale edits fall away.
    acknowledged : int
        The highest sequence number of an edit that was applied.
    t : int
        The step to show when the session or the epoch is new; afterwards the browser owns the step.
    undoable : int
        How many changes of the page can be undone.
    """

    session: str
    epoch: int
    acknowledged: int
    t: int
    undoable: int = 0


def pack(picture: Picture, caption: Caption, sync: Sync) -> bytes:
    """What the explorer draws as one message (`rnnviz.views.message`).

    Parameters
    ----------
    picture, caption, sync
        What to send.

    Returns
    -------
    bytes

    Raises
    ------
    ValueError
        If an array holds NaN or an infinity: results are finite by the core's own checks.
    """
    arrays = dict(picture.arrays)
    graph = None if picture.levels is None else [_level(level, arrays) for level in picture.levels]
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ValueError(f"the array {name} of a picture must be finite")
    header = {
        "kind": picture.kind,
        "steps": len(picture.arrays[picture.variables[picture.timeline[0]].array]),
        "variables": {name: vars(variable) for name, variable in picture.variables.items()},
        "formulas": picture.formulas,
        "scene": picture.scene,
        "edges": picture.edges,
        "loops": picture.loops,
        "timeline": picture.timeline,
        "limits": picture.limits,
        "graph": graph,
        "characters": picture.characters,
        **vars(caption),
        **vars(sync),
    }
    return packed(header, arrays)


def without_graph(picture: Picture) -> Picture:
    """The picture as it is sent while nobody looks at the graph: a large one is left out until it is asked for."""
    levels = picture.levels or ()
    weights = [arrow[1] for level in levels for arrow in (level.inward, level.around) if arrow]
    size = sum(array.size for array in [*weights, *(level.values for level in levels)])
    return replace(picture, levels=None) if size > GRAPH_AT_ONCE else picture


GRAPH_AT_ONCE = 20_000
"""Numbers of a graph that are sent whether it is looked at or not."""


def _level(level: Level, arrays: dict[str, Array]) -> dict[str, object]:
    """A level as the browser reads it; arrays that are not sent yet are added."""
    shown: dict[str, object] = {"symbol": level.symbol, "sup": level.sup, "scale": level.scale}
    shown |= {
        "values": _sent_as(level.values, arrays),
        "shift": 1 if level.has_start else 0,
        "from_below": level.from_below,
    }
    shown["carry"] = level.carry and {"label": level.carry[0], "array": _sent_as(level.carry[1], arrays)}
    for kind, arrow in (("inward", level.inward), ("around", level.around)):
        shown[kind] = arrow and {"symbol": arrow[0], "array": _sent_as(arrow[1], arrays)}
    return shown


def _sent_as(array: Array, arrays: dict[str, Array]) -> str:
    """The name under which an array is sent: once, though several pictures may be made of it."""
    for name, sent in arrays.items():
        if sent.shape == array.shape and sent.ctypes.data == array.ctypes.data and sent.strides == array.strides:
            return name
    arrays[f"graph {len(arrays)}"] = array
    return f"graph {len(arrays) - 1}"


def colour_limit(*arrays: Array) -> float:
    """The value at which a colour is full: the largest size, rounded up to one digit."""
    largest = max((float(np.abs(array).max(initial=0.0)) for array in arrays), default=0.0)
    if largest == 0.0:
        return 1.0
    if not 1e-300 < largest < 1e300:  # too near to float64's ends to be rounded
        return largest
    power = 10.0 ** math.floor(math.log10(largest))
    return math.ceil(largest / power * (1 - 1e-12)) * power
