"""A cell of one's own, of which a page knows no more than the step: every picture and sentence of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from rnnviz import Cell, bptt, log10_gradient_norm_grid, log10_gradient_norms, memory_ledger, memory_paths, rtrl, run
from rnnviz.views.charts.gradient_flow import CellFlow, flow_chart, pair_map
from rnnviz.views.charts.steps_back import opened_chart
from rnnviz.views.explorer.backward import backward_picture
from rnnviz.views.explorer.forward import drawer_of
from rnnviz.views.explorer.picture import Caption, Picture, Sync, pack
from rnnviz.views.explorer.unrolled import levels_of
from rnnviz.views.sentences.backward_pass import pass_notices
from rnnviz.views.sentences.gradient_flow import notice
from rnnviz.views.sentences.ledger import ledger_error, ledger_words
from rnnviz.views.sentences.notices import fact_of, notices_of
from rnnviz.views.sentences.rtrl import equality_words
from rnnviz.views.sentences.spectrum import run_words, step_words
from rnnviz.views.sentences.steps_back import opened_columns, opened_formula, opened_words
from rnnviz.views.sentences.uses import product_words, uses_columns, uses_of, uses_words


@dataclass(frozen=True, eq=False)
class Leaky(Cell):
    """``h' = (1 - alpha) h + alpha tanh(W_ih x + b_ih + W_hh h + b_hh)``."""

    alpha: float = 0.25

    kind: ClassVar[str] = "leaky"
    title: ClassVar[str] = "a leaky integrator"

    def step(self, x: Any, h: Any) -> Any:
        return (1 - self.alpha) * h + self.alpha * np.tanh(self.W_ih @ x + self.b_ih + self.W_hh @ h + self.b_hh)

    def keep_and_write(self, trace: Any) -> Any:
        sums = trace.from_x + trace.from_h
        return np.full_like(sums, 1 - self.alpha), self.alpha * np.tanh(sums)


@dataclass(frozen=True, eq=False)
class TwoStates(Cell):
    """A leaky sum c that h reads."""

    kind: ClassVar[str] = "two"
    title: ClassVar[str] = "a cell of two states"
    state_names: ClassVar[tuple[str, ...]] = ("h", "c")

    def step(self, x: Any, h: Any, c: Any) -> Any:
        c = 0.5 * c + self.W_ih @ x + self.b_ih + 0.1 * h
        return np.tanh(c + self.W_hh @ h + self.b_hh), c


D, H, T = 2, 3, 6
BOTH = pytest.mark.parametrize("kind", [Leaky, TwoStates])


def a_run(kind: Any) -> Any:
    random = np.random.default_rng(3)
    weights = random.standard_normal((H, D)), random.standard_normal((H, H)), *random.standard_normal((2, H))
    return run(kind(*weights), random.standard_normal((T, D)), *random.standard_normal((len(kind.state_names), H)))


def base_of(trace: Any) -> dict[str, Any]:
    return {"x": trace.x, **{name: getattr(trace.cell, name) for name in ("W_ih", "W_hh", "b_ih", "b_hh")}}


def computed(picture: Picture, name: str, t: int) -> np.ndarray:
    """A result at step t as its formula says, from the arrays as they are drawn."""

    def at(variable: str) -> np.ndarray:
        drawn = picture.variables[variable]
        array = picture.arrays[drawn.array]
        return np.asarray(array[t - 1 + drawn.shift] if drawn.per_step else array)

    total = np.zeros(())
    for term in picture.formulas[name]["terms"]:  # type: ignore[attr-defined]
        total = total + (at(term["dot"][0]) @ at(term["dot"][1]) if "dot" in term else at(term["ref"]))
    return total


def assert_drawn(picture: Picture) -> None:
    """It packs; all that its scene, its edges and its strip name is there; every formula gives its array."""
    assert pack(picture, Caption({}), Sync("one", 0, 0, 1))

    def blocks(node: Any) -> list[str]:
        if isinstance(node, dict):
            named = [node[key] for key in ("block", "again") if key in node]
            named += [name for key in ("product", "applied") for name in node.get(key, ())]
            return named + [name for key in ("flow", "row", "column", "lines") for name in blocks(node.get(key))]
        return [name for one in node for name in blocks(one)] if isinstance(node, list) else []

    shown = blocks(picture.scene)
    assert {*shown, *picture.timeline, *(name for loop in picture.loops for name in loop)} <= set(picture.variables)
    joins = {node["name"] for node in picture.scene["flow"] if "join" in node}  # type: ignore[attr-defined]
    assert {name for edge in picture.edges for name in edge} <= {*shown, *joins}
    assert picture.formulas
    for name in picture.formulas:
        drawn = picture.variables[name]
        for t in range(1, T + 1):
            expected = picture.arrays[drawn.array][t - 1 + drawn.shift]
            np.testing.assert_allclose(computed(picture, name, t), expected, rtol=1e-11, atol=1e-13)


@BOTH
def test_its_step_is_drawn(kind: Any) -> None:
    """Both sums with their arithmetic, and the states as the run has them; the states claim no arithmetic."""
    trace = a_run(kind)
    picture = drawer_of(trace)(trace, None, None, None, base_of(trace))
    assert_drawn(picture)
    assert set(picture.formulas) == {"from_x", "from_h"}
    for place, name in enumerate(kind.state_names):
        np.testing.assert_array_equal(picture.arrays[name], trace.states[:, place * H : (place + 1) * H])
    assert len(levels_of([trace])) == 2


@BOTH
def test_its_backward_step_is_drawn(kind: Any) -> None:
    """What arrives at h is the Jacobian of the next step, transposed, times its gradient: against BPTT's own sum."""
    trace = a_run(kind)
    passed = bptt(trace, np.random.default_rng(4).standard_normal((T, H))).backward
    picture = backward_picture(passed)
    assert_drawn(picture)
    np.testing.assert_array_equal(picture.arrays["d_h"], passed.h[1:])
    made = [computed(picture, "from_future", t) for t in range(1, T)]
    np.testing.assert_allclose(made, passed.from_future[1:T, :H], rtol=1e-11)
    assert len(pass_notices(passed)) == T


@BOTH
def test_its_gradient_is_told(kind: Any) -> None:
    """The curve, the map and a step opened; nothing about gates or derivatives that it does not tell."""
    trace = a_run(kind)
    front = CellFlow(trace, log10_gradient_norms(trace, block="state"), "state")
    assert front.name == {"leaky": "Leaky integrator", "two": "Cell of two states"}[kind.kind]
    pairs = pair_map(log10_gradient_norm_grid(trace, block="state", norm="fro"), 0, (0, T), front.name)
    chart = flow_chart([front], 3, "", pairs)
    assert chart.curves[0].key == kind.kind
    said = " ".join(
        [notice([front], 3), opened_words(trace, T), opened_formula(trace, T), step_words(trace, np.zeros(H))]
    )
    assert front.name in said
    for word in ("gate", "g′(a)", "tanh", "W_hh"):
        assert word not in said
    assert run_words(np.zeros(trace.cell.state_size), trace)
    units, places = opened_columns(trace, T)
    assert not units
    ends = []
    for row in np.eye(trace.cell.state_size):
        moved = [trace.states[T - 1] + size * row for size in (-1e-6, 1e-6)]
        ends.append([run(trace.cell, trace.x[T - 1 :], *trace.cell.blocks(state)).states[1] for state in moved])
    jacobian = np.array([(after - before) / 2e-6 for before, after in ends]).T
    np.testing.assert_allclose([*places.values()][1], np.linalg.svd(jacobian)[1], rtol=1e-6, atol=1e-9)
    assert len(opened_chart(trace, T)["data"]) == 1


@BOTH
def test_its_gradients_are_told(kind: Any) -> None:
    """BPTT beside RTRL, and the contributions of each step, which add up to the gradient."""
    trace = a_run(kind)
    d_h = np.random.default_rng(4).standard_normal((T, H))
    backward, forward = bptt(trace, d_h), rtrl(trace, d_h)
    assert "agree" in equality_words(backward, forward) or "same" in equality_words(backward, forward)
    for entry in (None, (1, 0)):
        uses = uses_of(backward, backward, "W_hh", entry)
        np.testing.assert_allclose(uses.whole.sum(), uses.total, rtol=1e-10)
        assert uses_words(uses)
        assert "δ" not in product_words(uses)
        assert len(uses_columns(uses)) == 2


def test_its_ledger_is_told() -> None:
    """Of a cell that says what it keeps: what is left of each write adds up to the state."""
    trace = a_run(Leaky)
    ledger = memory_ledger(trace)
    assert "h" in ledger_words(ledger, trace, 0, T)
    assert ledger_error(ledger, trace, T)
    np.testing.assert_allclose(memory_paths(trace, 0).direct[0], 0.75**T, rtol=1e-12)


@BOTH
def test_what_it_does_is_told(kind: Any) -> None:
    """Each step names the unit that moves most, by the run itself."""
    trace = a_run(kind)
    said = notices_of(trace)
    assert [unit for unit, _ in said] == np.abs(np.diff(trace.h, axis=0)).argmax(axis=1).tolist()
    assert all(str(unit + 1) in sentence for unit, sentence in said)
    assert fact_of(trace, None)
