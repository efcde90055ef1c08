"""The drawing order of an LSTM and a GRU step: gates line by line, and the memory that they act on as a highway."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Readout, Trace
from rnnviz.maths.activations import sigmoid
from rnnviz.maths.trace import clamped_gates
from rnnviz.settings import numbered
from rnnviz.texts import say
from rnnviz.views.explorer.notation import NOTATIONS
from rnnviz.views.explorer.picture import Picture, Variable, colour_limit
from rnnviz.views.explorer.reading import ALONE, Place, reading, weight_limit_names
from rnnviz.views.sentences.gate_facts import keep_factors, memory_of

Array = NDArray[np.float64]
Formula = Mapping[str, object]


def gated_picture(
    trace: Trace,
    readout: Readout | None,
    y_preact: Array | None,
    y: Array | None,
    base: Mapping[str, Array],
    place: Place = ALONE,
    notation: str = "column",
    order: str = "unit",
) -> Picture:
    """The picture of a whole LSTM or GRU trace; the equations stand at `LSTMCell` and `GRUCell`.

    Parameters
    ----------
    trace : Trace
        Of an `LSTMCell` or a `GRUCell`; T steps, H units, D inputs.
    readout : Readout or None
        With it a line below the picture is drawn.
    y_preact, y : (T, O) array or None
        The readout of every step before and after its activation.
    base : mapping of str to array
        The editable arrays before the edits: the colours are scaled on them.
    place : Place
        Where the trace stands in a stack and in a batch; alone, if left out.
    notation : str
        ``"column"``, or ``"joined"`` for one product of the joined matrix with ``[h; x]``.
    order : str
        What the units of the strip below are sorted by: see `unit_order`.

    Returns
    -------
    Picture
    """
    cell = trace.cell
    # With the reset after the product, the candidate is no single product: r stands between its two parts.
    joined = NOTATIONS[notation].joined and getattr(cell, "reset", "before") == "before"
    arrays: dict[str, Array] = {"x": trace.x, "h": trace.h, "from_x": trace.from_x, "from_h": trace.from_h}
    arrays |= {name: getattr(cell, name) for name in ("W_ih", "b_ih", "W_hh", "b_hh")}
    arrays |= {f"a_{gate}": a for gate, a in trace.preacts.items()} | dict(trace.gates)
    variables = {"x": place.arriving(), **place.weights()}
    variables |= {
        "from_x": place.from_below(),
        "from_h": Variable("from_h", "", "", say("caption.from_h"), brief=say("caption.from_h.brief")),
        "h_prev": place.start("h", "h", say("caption.h_prev")),
    }
    for gate in cell.reading_order:
        is_gate = gate in cell.clampable
        variables[f"a_{gate}"] = Variable(f"a_{gate}", "a", gate, sup=place.mark)
        family = "gate" if is_gate else "signed"
        caption, scale = say(f"gate.caption.{gate}"), "" if is_gate else "state"
        variables[gate] = Variable(gate, gate, "t", caption, family=family, sup=place.mark, scale=scale)
    formulas = _sums(trace, joined)
    _MEMORY[cell.kind](trace, place, arrays, variables, formulas)
    if joined:
        variables = {name: variable for name, variable in variables.items() if name not in ("from_x", "from_h")}
        formulas = {name: formula for name, formula in formulas.items() if name not in ("from_x", "from_h")}
    read = reading(place, readout, y_preact, y, NOTATIONS["column"])
    clamped = ~np.isnan(clamped_gates(trace.clamp, cell, trace.steps))
    clampable = cell.clampable if trace.clamp else ()
    arrays |= {f"clamped {gate}": clamped[:, cell.rows(gate)] * 1.0 for gate in clampable}
    arrays |= {f"computed {gate}": sigmoid(trace.preacts[gate]) for gate in clampable}
    memory = tuple(reversed(cell.state_names))
    arriving = base[numbered("x", place.sequence)] if place.layer == 1 else trace.x
    return Picture(
        kind=cell.kind,
        arrays=arrays | read.arrays,
        variables=_incoming_first(variables) | read.variables,
        formulas=formulas | read.formulas,
        scene={
            "bands": [_band(trace, gate) for gate in cell.reading_order],
            "joined": joined,
            "memory": memory[0],
            "form": {name: getattr(cell, name) for name in ("reset", "update") if hasattr(cell, name)},
            "lines": list(read.lines),
            "order": unit_order(trace, order),
            "sorted": [*cell.reading_order, *memory],
            "clamped": {gate: f"clamped {gate}" for gate in clampable},
            "computed": {gate: f"computed {gate}" for gate in clampable},
            "place": [place.layer, place.sequence],
        },
        edges=[],
        loops=[[name, f"{name}_prev"] for name in memory],
        timeline=["x", *cell.reading_order, *memory, *read.timeline],
        limits={
            "signed": colour_limit(arriving, np.ones(1)),
            **state_limits(trace),
            "weight": colour_limit(*(base[name] for name in weight_limit_names(place.layer))),
            "gate": 1.0,
        },
    )


def state_limits(trace: Trace) -> dict[str, float]:
    """The values at which the colours of h and of an LSTM's c are full, in either pass."""
    if trace.c is None:
        return {"state": colour_limit(trace.h[:1], np.ones(1))}
    return {"state": 1.0, "cell": colour_limit(trace.c, np.ones(1))}


def unit_order(trace: Trace, by: str) -> list[int]:
    """The units, zero-based, from the one with the most of something to the one with the least.

    Parameters
    ----------
    trace : Trace
        Of an LSTM or a GRU.
    by : {"unit", "keep", "memory", "swing"}
        Their number; the share of the memory that they keep at a step, on average; their memory at the last step; how
        much their memory varies over time (standard deviation).
    """
    units = range(trace.cell.hidden_size)
    if by == "unit":
        return list(units)
    measures: Mapping[str, Callable[[], Array]] = {
        "keep": lambda: np.asarray(keep_factors(trace).mean(axis=0)),
        "memory": lambda: np.asarray(memory_of(trace)[-1]),
        "swing": lambda: _swing(memory_of(trace)),
    }
    measure = measures[by]()
    return sorted(units, key=lambda unit: -measure[unit])


def _swing(memory: Array) -> Array:
    """The standard deviation of each unit, in units of the largest number, whose square may be none of float64."""
    return np.asarray((memory / (np.abs(memory).max() or 1.0)).std(axis=0))


def _band(trace: Trace, gate: str) -> Mapping[str, object]:
    """A gate's lines: where its rows begin in the stacked weights, its function, its name in words."""
    rows = trace.cell.rows(gate)
    return {
        "gate": gate,
        "start": rows.start,
        "fn": "σ" if gate in trace.cell.clampable else "tanh",
        "title": say(f"gate.{gate}"),
        "words": say(f"gate.{trace.cell.kind}.{gate}"),
        "rows": say("which.rows", first=rows.start + 1, last=rows.stop),
    }


def _sums(trace: Trace, joined: bool) -> dict[str, Formula]:
    """How the gates come from the input and the memory."""
    cell = trace.cell
    formulas: dict[str, Formula] = {
        "from_x": {"terms": [{"dot": ["W_ih", "x"]}, {"ref": "b_ih"}]},
        "from_h": {"terms": [{"dot": ["W_hh", "h_prev"]}, {"ref": "b_hh"}]},
    }
    for gate in cell.reading_order:
        offset = cell.rows(gate).start
        terms: list[object] = [{"ref": name, "offset": offset} for name in ("from_x", "from_h")]
        if joined:
            seen = "r_h" if gate == "n" else "h_prev"  # joined, a reset acts before the product
            products = [{"dot": ["W_hh", seen], "offset": offset}, {"dot": ["W_ih", "x"], "offset": offset}]
            terms = [*products, *({"ref": name, "offset": offset} for name in ("b_ih", "b_hh"))]
        formulas[f"a_{gate}"] = {"terms": terms}
        formulas[gate] = {"fn": "sigmoid" if gate in cell.clampable else "tanh", "terms": [{"ref": f"a_{gate}"}]}
    return formulas


def _lstm(
    trace: Trace, place: Place, arrays: dict[str, Array], variables: dict[str, Variable], formulas: dict[str, Formula]
) -> None:
    """c as it is kept and written, and h as it is shown."""
    c = trace.states[:, trace.cell.hidden_size :]
    arrays |= {"c": c, "tanh_c": np.tanh(c[1:])}
    variables |= {
        "c_prev": place.start("c", "c", say("caption.c_prev")),
        "c": place.state("c"),
        "tanh_c": Variable("tanh_c", "tanh c", "t", sup=place.mark, scale="state"),
        "h": place.state("h"),
    }
    formulas["c"] = {"terms": [{"product": ["f", "c_prev"]}, {"product": ["i", "g"]}], "depth": 1}
    formulas["tanh_c"] = {"fn": "tanh", "terms": [{"ref": "c"}], "depth": 2}
    formulas["h"] = {"terms": [{"product": ["o", "tanh_c"]}], "depth": 1}


def _gru(
    trace: Trace, place: Place, arrays: dict[str, Array], variables: dict[str, Variable], formulas: dict[str, Formula]
) -> None:
    """h as it is kept and written, and what the reset gate lets the candidate see of it."""
    cell = trace.cell
    H, n_rows = cell.hidden_size, cell.rows("n")
    before, keep = getattr(cell, "reset", "") == "before", getattr(cell, "update", "") == "keep"
    variables["h"] = place.state("h")
    kept, written = ("z", {"one_minus": "z"}) if keep else ({"one_minus": "z"}, "z")
    formulas["h"] = {"terms": [{"product": [kept, "h_prev"]}, {"product": [written, "n"]}], "depth": 1}
    if before:
        arrays["r_h"] = trace.gates["r"] * trace.h[:-1]
        variables["r_h"] = Variable("r_h", "r ⊙ h", "t−1", say("caption.r_h"), sup=place.mark, scale="state")
        formulas["r_h"] = {"terms": [{"product": ["r", "h_prev"]}]}
        dots: Sequence[object] = [
            {"dot": ["W_hh", "h_prev"], "rows": [0, 2 * H]},
            {"dot": ["W_hh", "r_h"], "rows": [n_rows.start, n_rows.stop]},
        ]
        formulas["from_h"] = {"terms": [*dots, {"ref": "b_hh"}]}
        return
    reset_sum = {"product": ["r", {"ref": "from_h", "offset": n_rows.start}]}
    formulas["a_n"] = {"terms": [{"ref": "from_x", "offset": n_rows.start}, reset_sum], "depth": 1}


_MEMORY = {"lstm": _lstm, "gru": _gru}
"""What each gated cell makes of its gates."""


def _incoming_first(variables: Mapping[str, Variable]) -> dict[str, Variable]:
    """The variables in the order in which the table of a step lists them."""
    return {name: variables[name] for name in ("x", "h_prev", "c_prev") if name in variables} | dict(variables)
