"""The memory ledger on the page: its sentences, its figure and its table, against plain sums over the trace."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rnnviz import Clamp, Ledger, MemoryPaths, Trace, make_cell, memory_ledger, memory_paths, run, step_jacobians
from rnnviz.network import build, network_of, run_network
from rnnviz.settings import Settings
from rnnviz.texts import say
from rnnviz.views.charts.ledger import ledger_figure
from rnnviz.views.sentences.ledger import ledger_columns, ledger_error, ledger_words, paths_words
from tests.maths.drawn import FORMS, cases, clamps_for, make_case
from tests.views.spoken import number, slots, the_one
from tests.views.test_gate_facts import Memory, left, letters, memory
from tests.views.written import says, says_power

GATED = [*FORMS["lstm"], *FORMS["gru"]]


class Asked(NamedTuple):
    """A trace with the unit and the two steps that the page asks for, and the same run without clamps."""

    trace: Trace
    unit: int
    step: int
    t: int
    free: Trace

    @property
    def ledger(self) -> Ledger:
        return memory_ledger(self.trace, self.t)

    @property
    def paths(self) -> MemoryPaths:
        return memory_paths(self.trace, self.unit, self.t)

    @property
    def memory(self) -> Memory:
        return memory(self.trace, self.unit)

    @property
    def shares(self) -> list[float]:
        """What is left at step t of the start and of each write."""
        return [math.prod(self.memory.keeps[: self.t]), *left(self.memory, self.t)[0]]

    @property
    def parts(self) -> list[float]:
        """What the start and each write contribute at step t."""
        return [self.shares[0] * self.memory.values[0], *left(self.memory, self.t)[1]]


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    """Any gated cell, clamped or not, any unit at any step."""
    case = draw(cases(GATED, shifts=(0.0, 30.0), max_steps=14))
    trace = run(*case, clamp=draw(st.lists(clamps_for(case), max_size=3)))
    t = draw(st.integers(1, len(case.x)))
    return Asked(trace, draw(st.integers(0, len(case.h0) - 1)), draw(st.integers(0, t - 1)), t, run(*case))


def preset(name: str, kind: str, unit: int, step: int, t: int) -> Asked:
    trace = run_network(build(network_of(Settings(name, kind=kind)))).trace
    return Asked(trace, unit, step, t, trace)


LATCH, BRACKETS = preset("latch", "lstm", 0, 3, 100), preset("bracket_depth", "lstm", 1, 20, 40)


# --- in words -------------------------------------------------------------------------------------------------------


@given(asked())
@example(LATCH)
@example(BRACKETS)
def test_the_sentence_says_who_wrote_what(one: Asked) -> None:
    start, *writes = one.parts
    key = "ledger.words.none" if not any(writes) else "ledger.words.one" if one.t == 1 else "ledger.words"
    said = slots(key, ledger_words(one.ledger, one.trace, one.unit, one.t))
    assert (said["symbol"], int(said["unit"]), int(said.get("t", 1))) == (letters(one.trace)[0], one.unit + 1, one.t)
    value = one.memory.values[one.t]
    assert says(said["value"], value)
    if key == "ledger.words.none":
        assert value == pytest.approx(start, rel=1e-12, abs=1e-300)
        return
    step = int(said.get("step", 1))
    assert abs(writes[step - 1]) >= max(map(abs, writes)) * (1 - 1e-12)
    assert says(said["start"].rstrip("."), start)
    assert says(said["write"].rstrip("."), writes[step - 1])
    if one.t > 1:
        assert says(said["rest"], math.fsum([*writes, -writes[step - 1]]))


@given(asked())
@example(LATCH)
def test_the_ledger_adds_up_and_says_how_closely(one: Asked) -> None:
    """The largest difference of all units: rounding alone."""
    said = ledger_error(one.ledger, one.trace, one.t)
    if said == say("ledger.exact", symbol=letters(one.trace)[0]):
        error = 0.0
    else:
        error = number(slots("ledger.error", said)["error"].rstrip("."))
    assert 0 <= error < 1e-13
    assert math.fsum(one.parts) == pytest.approx(one.memory.values[one.t], rel=0, abs=1e-13)


def test_a_ledger_of_another_run_does_not_add_up() -> None:
    """So that the sentence can be believed."""
    case = make_case(GATED[0], D=2, H=3, T=6, seed=1)
    trace, other = run(*case), run(*make_case(GATED[0], D=2, H=3, T=6, seed=2))
    said = slots("ledger.error", ledger_error(memory_ledger(other), trace, 6))
    assert number(said["error"].rstrip(".")) > 1e-3


KINDS = ("same", "more", "mostly", "less", "opposite", "only")


def whole_derivative(one: Asked) -> float:
    """By the product of the step Jacobians, in one piece."""
    product, row = np.eye(one.trace.cell.state_size), one.trace.cell.state_size - one.trace.cell.hidden_size + one.unit
    for jacobian in step_jacobians(one.trace)[one.step : one.t]:
        product = jacobian @ product
    return float(product[row, row])


def check_paths(one: Asked) -> str:
    """Every number and every word of the sentence on the paths; which of them it is."""
    text = paths_words(one.paths, one.trace, one.step, one.t)
    every, direct = whole_derivative(one), one.shares[one.step]
    symbol, gate = letters(one.trace)
    if text.startswith("No small change"):
        said = slots("paths.none", text)
        assert every == direct == 0.0
        assert (said["symbol"], said["gate"]) == (symbol, gate)
        return "none"
    said = slots("paths.words", text)
    kind, words = the_one([f"paths.{kind}" for kind in KINDS], text[text.index(" contributes ") :].partition(". ")[2])
    assert (said["symbol"], said["gate"]) == (symbol, gate)
    assert (int(said["step"]), int(said["t"])) == (one.step, one.t)
    shown = number(said["every"])
    assert (shown < 0) == (every < 0) or abs(every) < 1e-14
    assert shown == pytest.approx(every, rel=1e-3, abs=1e-14)
    assert number(said["direct"].rstrip(".")) == pytest.approx(direct, rel=1e-3, abs=1e-300)
    rest = every - direct
    if "rest" in words:
        assert number(words["rest"]) == pytest.approx(abs(rest), rel=1e-3, abs=1e-14)
    kind = kind.removeprefix("paths.")
    tiny = 1e-14
    assert {
        "same": abs(rest) <= 1.1e-9 * max(abs(every), direct) + tiny,
        "only": direct == 0.0,
        "more": every > direct - tiny and every < 1e3 * direct * 1.001 + tiny,
        "mostly": 0.999e-3 * every > direct * 0.998 - tiny,
        "less": -tiny < every < direct + tiny,
        "opposite": every < tiny < direct + 2 * tiny,
    }[kind]
    return kind


@given(asked())
@example(LATCH)
@example(BRACKETS)
def test_the_words_on_the_paths_are_computed(one: Asked) -> None:
    check_paths(one)


def test_the_bracket_counter_says_both_paths() -> None:
    assert check_paths(BRACKETS) == "more"
    text = paths_words(BRACKETS.paths, BRACKETS.trace, 20, 40)
    assert "0.7093 over all paths" in text
    assert "0.02198" in text
    assert "0.6874" in text


def test_every_word_on_the_paths_is_said_somewhere() -> None:
    """Larger, far larger, smaller, of the other sign, the same, on the other paths alone, and none at all."""
    said = {check_paths(LATCH)}
    for seed in range(12):
        for gain in (1.0, 6.0):
            trace = run(make_cell("lstm", 2, 3, seed=seed, init="spectral", gain=gain), np.ones((8, 2)))
            said |= {check_paths(Asked(trace, unit, step, 8, trace)) for unit in range(3) for step in range(8)}
    cell = make_cell("lstm", 1, 2, seed=1)
    shut = run(cell, np.ones((5, 1)), clamp=[Clamp("f", 0.0, from_step=3)])
    said.add(check_paths(Asked(shut, 0, 1, 5, shut)))
    bare = run(replace(cell, W_hh=np.zeros((8, 2))), np.ones((5, 1)), clamp=[Clamp("f", 0.0, from_step=3)])
    said.add(check_paths(Asked(bare, 0, 1, 5, bare)))
    assert said == {*KINDS, "none"}


# --- as a figure ----------------------------------------------------------------------------------------------------


def drawn(one: Asked, *, with_free: bool = False) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    free = one.free if with_free else None
    figure = ledger_figure(one.ledger, one.paths, one.trace, one.unit, one.step, one.t, free, ("clamped", "computed"))
    return figure["data"], figure["layout"]


@given(asked(), st.booleans())
@example(LATCH, False)
def test_three_panels_over_the_same_steps(one: Asked, with_free: bool) -> None:
    (bars, direct, every, *memories), layout = drawn(one, with_free=with_free)
    assert bars["x"] == direct["x"] == every["x"] == list(range(one.t + 1))
    np.testing.assert_allclose(bars["y"], one.parts, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(direct["y"], [*one.shares[:-1], 1.0] if one.t else [], rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(every["y"], one.paths.every, rtol=1e-12)
    wanted = [one.memory.values, *([memory(one.free, one.unit).values] if with_free else [])]
    assert [line["y"] for line in memories] == wanted
    assert [line["line"].get("dash", "") != "" for line in memories] == [False, True][: len(wanted)]
    assert [layout[axis].get("matches") for axis in ("xaxis", "xaxis2", "xaxis3")] == ["x3", "x3", None]
    panels = [layout[axis]["domain"] for axis in ("yaxis3", "yaxis2", "yaxis")]
    assert all(high < low for (_, high), (low, _) in itertools.pairwise(panels))
    assert {shape["x0"] for shape in layout["shapes"]} == {one.step, one.t}


@given(asked())
def test_derivatives_stand_within_their_panel(one: Asked) -> None:
    """Shares from 0 to 1 always, and as far as all paths go beyond that."""
    (_, direct, every, *_), layout = drawn(one)
    low, high = layout["yaxis2"]["range"]
    assert low < min(0.0, *direct["y"], *every["y"])
    assert high > max(1.0, *direct["y"], *every["y"])


@given(asked())
@example(LATCH)
def test_what_is_pointed_at_says_its_numbers(one: Asked) -> None:
    (bars, direct, every, *memories), _ = drawn(one)
    wrote = [one.memory.values[0], *one.memory.writes]
    for k in range(one.t + 1):
        said = slots("ledger.hover.write" if k else "ledger.hover.start", bars["hovertext"][k])
        assert says(said["write"], wrote[k])
        assert says(said["left"], one.parts[k])
        assert f"{direct['hovertext'][k]}".startswith(f"step {k} to {one.t}")
        value = slots("ledger.hover.every", every["hovertext"][k])["value"]
        if abs(one.paths.every[k]) > 1e-300:
            assert says_power(value.lstrip("−"), float(one.paths.log10[k]))
        assert value.startswith("−") == (one.paths.sign[k] < 0)
    last = slots("ledger.hover.memory", memories[0]["hovertext"][-1])
    assert says(last["value"], one.memory.values[-1])


@given(asked())
def test_panels_and_curves_have_their_names(one: Asked) -> None:
    data, layout = drawn(one, with_free=True)
    symbol, gate = letters(one.trace)
    names = [line["name"] for line in data[1:]]
    assert names == [
        say("ledger.curve.direct", gate=gate), say("ledger.curve.every"),
        say("ledger.curve.memory", symbol=symbol, gates="clamped"),
        say("ledger.curve.memory", symbol=symbol, gates="computed"),
    ]  # fmt: skip
    assert [one["text"] for one in layout["annotations"]] == [
        say("ledger.panel.contributions", symbol=symbol, t=one.t),
        say("ledger.panel.paths", t=one.t),
        say("ledger.panel.memory", symbol=symbol, unit=one.unit + 1),
    ]
    assert all(layout[f"yaxis{panel}"]["title"]["text"] for panel in ("", "2", "3"))


def test_what_overflows_float64_leaves_a_gap() -> None:
    """An LSTM whose gradient explodes for hundreds of steps: the number stands where it is pointed at."""
    cell = make_cell("lstm", 1, 2, init="zeros")
    W_hh = np.zeros((8, 2))
    W_hh[4:6] = 1e4 * np.eye(2)
    trace = run(replace(cell, W_hh=W_hh), np.zeros((200, 1)), clamp=[Clamp("i", 1.0), Clamp("o", 1.0), Clamp("f", 0.5)])
    one = Asked(trace, 0, 0, 200, trace)
    (_, _, every, *_), layout = drawn(one)
    assert every["y"][0] is None
    assert "e" in every["hovertext"][0]
    assert "range" not in layout["yaxis2"]
    assert "e7" in paths_words(one.paths, trace, 0, 200) or "e8" in paths_words(one.paths, trace, 0, 200)


# --- as a table -----------------------------------------------------------------------------------------------------


@given(asked())
@example(LATCH)
def test_the_table_has_every_number_in_full(one: Asked) -> None:
    symbol = letters(one.trace)[0]
    columns = ledger_columns(one.ledger, one.paths, one.trace, one.unit)
    steps, write, share, contribution, every, states = columns.values()
    assert list(columns) == [say(f"ledger.column.{name}", symbol=symbol) for name in (
        "step", "write", "share", "left", "every", "memory")]  # fmt: skip
    assert steps == list(range(one.t + 1))
    assert math.isnan(write[0])
    np.testing.assert_allclose(write[1:], one.memory.writes[: one.t], rtol=1e-12)
    np.testing.assert_allclose(share, one.shares, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(contribution, one.parts, rtol=1e-12, atol=1e-300)
    np.testing.assert_array_equal(every, one.paths.every)
    assert states == one.memory.values[: one.t + 1]
    assert math.fsum(contribution) == pytest.approx(one.memory.values[one.t], rel=0, abs=1e-13)
