"""Cells and sequences for Hypothesis: sizes, forms and scales are drawn, the numbers come from a drawn seed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from rnnviz import Cell, Clamp, ElmanCell, GRUCell, LSTMCell, Trace, run
from rnnviz.maths.checks import Array

FORMS: dict[str, list[tuple[type[Cell], dict[str, str]]]] = {
    "elman": [(ElmanCell, {"activation": name}) for name in ("tanh", "sigmoid", "relu", "identity")],
    "lstm": [(LSTMCell, {})],
    "gru": [(GRUCell, {"reset": r, "update": u}) for r in ("after", "before") for u in ("keep", "write")],
}
ALL_FORMS = [form for forms in FORMS.values() for form in forms]
TORCH_FORMS = [FORMS["elman"][0], FORMS["elman"][2], FORMS["lstm"][0], FORMS["gru"][0]]


class Case(NamedTuple):
    cell: Cell
    x: Array
    h0: Array
    c0: Array | None


def make_case(
    form: tuple[type[Cell], dict[str, str]],
    D: int,
    H: int,
    T: int,
    seed: int,
    shift: float = 0.0,
) -> Case:
    """Weights, inputs and states of order 1; `shift` moves every bias by up to half as much again, either way."""
    kind, options = form
    random = np.random.default_rng(seed)
    G = len(kind.gate_names)
    scale = 1.2 / np.sqrt(H)
    shifts = shift * random.choice([-1.0, 1.0], G * H) * random.uniform(1.0, 1.5, G * H)
    cell = kind(
        random.uniform(-1.0, 1.0, (G * H, D)),
        random.uniform(-scale, scale, (G * H, H)),
        random.uniform(-1.0, 1.0, G * H) + shifts,
        random.uniform(-1.0, 1.0, G * H),
        **options,
    )
    c0 = random.uniform(-2.0, 2.0, H) if kind is LSTMCell else None
    return Case(cell, random.uniform(-2.0, 2.0, (T, D)), random.uniform(-1.0, 1.0, H), c0)


def cases(
    forms: list[tuple[type[Cell], dict[str, str]]] = ALL_FORMS,
    shifts: tuple[float, ...] = (0.0, 30.0, 800.0, 1e6),
    max_steps: int = 12,
) -> st.SearchStrategy[Case]:
    """One cell of these forms with a sequence and initial states."""
    sizes = (st.integers(1, 3), st.integers(1, 6), st.integers(1, max_steps))
    return st.builds(make_case, st.sampled_from(forms), *sizes, st.integers(0, 2**32 - 1), st.sampled_from(shifts))


def clamps_for(case: Case) -> st.SearchStrategy[Clamp]:
    """A clamp that fits a gated case: any gate, value, unit and step; shut and open come up often."""
    return st.builds(
        Clamp,
        st.sampled_from(case.cell.clampable),
        st.sampled_from([0.0, 1.0]) | st.floats(0.0, 1.0),
        st.none() | st.integers(0, len(case.h0) - 1),
        st.integers(1, len(case.x)),
    )


def stack_above(case: Case, layers: int) -> tuple[Cell, ...]:
    """The cell with further layers of its own form on top, each with other weights."""
    kind, H = type(case.cell), case.cell.hidden_size
    options = {name: getattr(case.cell, name) for name in ("activation", "reset", "update") if hasattr(case.cell, name)}
    above = [make_case((kind, options), H, H, 1, seed=number).cell for number in range(layers - 1)]
    return (case.cell, *above)


def with_rows(cell: Cell, rows: list[int], bias: float) -> Cell:
    """The cell with these rows of all weights zero, and `bias` in their rows of b_ih."""
    arrays = {name: getattr(cell, name).copy() for name in ("W_ih", "W_hh", "b_ih", "b_hh")}
    for array in arrays.values():
        array[rows] = 0.0
    arrays["b_ih"][rows] = bias
    return replace(cell, **arrays)


class Drawn(NamedTuple):
    """A run, and the direct gradient of some loss with respect to each hidden state."""

    trace: Trace
    d_h: Array


@st.composite
def runs(draw: st.DrawFn, forms: Any = ALL_FORMS, max_steps: int = 6) -> Drawn:
    """A run, with clamps where there are gates; some steps have no loss."""
    case: Case = draw(cases(forms, shifts=(0.0, 3.0), max_steps=max_steps))
    cell, x, h0, c0 = case
    clamps = draw(st.lists(clamps_for(case), max_size=2)) if cell.clampable else []
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    d_h = random.uniform(-1.0, 1.0, (len(x), cell.hidden_size))
    d_h[draw(st.lists(st.integers(0, len(x) - 1), max_size=2))] = 0.0
    return Drawn(run(cell, x, h0, c0, clamp=clamps), d_h)


def close(found: Any, expected: Any, what: str = "", *, digits: float = 1e-13) -> None:
    """To rounding of the largest entry."""
    scale = max(1.0, float(np.abs(expected).max(initial=0.0)))
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=digits * scale, err_msg=what)


def away_from_the_kink(trace: Trace) -> None:
    """Where relu bends, differences have no gradient to agree with."""
    if isinstance(trace.cell, ElmanCell) and trace.cell.activation == "relu":
        assume(np.abs(trace.preacts["a"]).min() > 1e-3)
