"""The picture of a forward pass, whichever the cell: what each kind has, and what a cell's step alone can show."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from rnnviz.maths import Readout, Trace
from rnnviz.maths.checks import Array
from rnnviz.settings import numbered
from rnnviz.texts import say
from rnnviz.views.explorer.elman import elman_picture
from rnnviz.views.explorer.gated import gated_picture
from rnnviz.views.explorer.notation import NOTATIONS
from rnnviz.views.explorer.picture import Picture, Variable, colour_limit
from rnnviz.views.explorer.reading import ALONE, Place, reading, weight_limit_names


def drawer_of(trace: Trace) -> Callable[..., Picture]:
    """What draws a run, by its kind of cell; the parameters stand at `gated_picture`."""
    return _PICTURES.get(trace.cell.kind, step_picture)


def step_picture(
    trace: Trace,
    readout: Readout | None,
    y_preact: Array | None,
    y: Array | None,
    base: Mapping[str, Array],
    place: Place = ALONE,
    notation: str = "column",
    order: str = "unit",
) -> Picture:
    """The picture of a cell that tells no more than its step: what its weights make of x and h, and the new states.

    How it makes these of those sums it does not tell, so they have no arithmetic.
    """
    del order  # it is for gates
    cell, writing = trace.cell, NOTATIONS[notation]
    states = {name: trace.states[:, rows] for name, rows in _blocks(trace).items()}
    arrays: dict[str, Array] = {"x": trace.x, "from_x": trace.from_x, "from_h": trace.from_h, **states}
    arrays |= {name: getattr(cell, name) for name in ("W_ih", "b_ih", "W_hh", "b_hh")}
    variables = {
        "x": place.arriving(),
        **place.weights(),
        **{f"{name}_prev": place.start(name, name, say(f"caption.{name}_prev")) for name in states},
        "from_x": place.from_below(),
        "from_h": Variable("from_h", "", "", say("caption.from_h"), brief=say("caption.from_h.brief")),
        **{name: place.state(name) for name in states},
    }
    read = reading(place, readout, y_preact, y, writing)
    lines = [writing.line("W_ih", "x", "b_ih", "from_x"), writing.line("W_hh", "h_prev", "b_hh", "from_h")]
    made = [{"row": [{"block": name}]} for name in states]
    made[1:] = [{"row": [{"block": f"{name}_prev"}, {"op": "→"}, {"block": name}]} for name in list(states)[1:]]
    arriving = base[numbered("x", place.sequence)] if place.layer == 1 else trace.x
    return Picture(
        kind=cell.kind,
        arrays=arrays | read.arrays,
        variables=writing.named(variables | read.variables),
        formulas={
            "from_x": {"terms": [{"dot": ["W_ih", "x"]}, {"ref": "b_ih"}]},
            "from_h": {"terms": [{"dot": ["W_hh", "h_prev"]}, {"ref": "b_hh"}]},
            **read.formulas,
        },
        scene={
            "flow": [{"lines": lines}, {"join": "f", "name": "step"}, {"column": [*made, *read.lines]}],
            "turned": writing.turned,
            "place": [place.layer, place.sequence],
        },
        edges=[["from_x", "step"], ["from_h", "step"], *(["step", name] for name in states)],
        loops=[[name, f"{name}_prev"] for name in states],
        timeline=["x", *states, *read.timeline],
        limits={
            "signed": colour_limit(arriving, np.ones(1)),
            "state": colour_limit(trace.h),
            **({"cell": colour_limit(states["c"])} if "c" in states else {}),
            "weight": colour_limit(*(base[name] for name in weight_limit_names(place.layer))),
        },
    )


def _blocks(trace: Trace) -> dict[str, slice]:
    """Where each part of the state stands, by its name."""
    H = trace.cell.hidden_size
    return {name: slice(place * H, (place + 1) * H) for place, name in enumerate(trace.cell.state_names)}


_PICTURES: Mapping[str, Callable[..., Picture]] = MappingProxyType(
    {"elman": elman_picture, "lstm": gated_picture, "gru": gated_picture}
)
