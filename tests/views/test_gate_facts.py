"""What to notice of a gated cell: every number of every sentence, found again in plain loops over the trace."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rnnviz import Clamp, Trace, run
from rnnviz.texts import say
from rnnviz.views.sentences import gate_facts
from rnnviz.views.sentences.gate_facts import percent
from tests.maths.drawn import FORMS, cases, clamps_for, make_case
from tests.views.spoken import number, slots
from tests.views.written import says, says_power, says_share

GATED = [*FORMS["lstm"], *FORMS["gru"]]

Column = list[float]


class Memory(NamedTuple):
    """One unit's memory at the steps 0..T, and what each step keeps of it and writes to it."""

    values: Column
    keeps: Column
    writes: Column


def memory(trace: Trace, unit: int) -> Memory:
    """From the gates of the trace, as the equations have it."""
    gates = {name: values[:, unit].tolist() for name, values in trace.gates.items()}
    if trace.cell.kind == "lstm":
        writes = [i * g for i, g in zip(gates["i"], gates["g"], strict=True)]
        return Memory(trace.states[:, trace.cell.hidden_size + unit].tolist(), gates["f"], writes)
    z, not_z = gates["z"], [1 - z for z in gates["z"]]
    keeps, lets_in = (z, not_z) if getattr(trace.cell, "update", "") == "keep" else (not_z, z)
    return Memory(trace.states[:, unit].tolist(), keeps, [a * n for a, n in zip(lets_in, gates["n"], strict=True)])


def left(of: Memory, t: int | None = None) -> tuple[Column, Column]:
    """The share of each write that is left at step t, and what is left of it."""
    t = len(of.writes) if t is None else t
    shares = [math.prod(of.keeps[k + 1 : t]) for k in range(t)]
    return shares, [share * write for share, write in zip(shares, of.writes[:t], strict=True)]


def letters(trace: Trace) -> tuple[str, str]:
    """Of the memory, and of what keeps it."""
    if trace.cell.kind == "lstm":
        return "c", "f"
    return "h", "z" if getattr(trace.cell, "update", "") == "keep" else "1 − z"


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """Any gated cell, with clamps or without."""
    case = draw(cases(GATED, shifts=(0.0, 30.0)))
    return run(*case, clamp=draw(st.lists(clamps_for(case), max_size=3)))


# --- shares in percent ----------------------------------------------------------------------------------------------


@given(st.floats(0.0, 1.0) | st.floats(0.0, 1e-5) | st.floats(0.0, 1e-5).map(lambda rest: 1.0 - rest))
@example(1.0 - 2.0**-53)
@example(5e-324)
@example(0.999999)
@example(0.9999994)
@example(0.995)
@example(0.005)
@example(1e-6)
@example(9.99999999e-7)
def test_a_percentage_tells_a_share_from_none_and_from_all(share: float) -> None:
    text = percent(share)
    assert says_share(text, share)
    assert (text == "0 %") == (share == 0)
    assert (text == "100 %") == (share == 1)
    shown = number(text.removeprefix("more than ").removesuffix(" %"))
    assert 0 < share < 1 or shown in (0, 100)
    assert not 0 < share < 1 or 0 < shown < 100
    assert len(text) <= len("more than 99.9999 %")


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.0, "0 %"),
        (1.0, "100 %"),
        (0.5, "50 %"),
        (0.12346, "12.35 %"),
        (0.9956, "99.56 %"),
        (0.999954, "99.9954 %"),
        (0.9999999, "more than 99.9999 %"),
        (4.54e-5, "0.00454 %"),
        (3.2e-6, "3.2e−4 %"),
        (3e-9, "3e−7 %"),
        (5e-324, "4.941e−322 %"),
    ],
)
def test_percentages_to_the_character(share: float, text: str) -> None:
    assert percent(share) == text


# --- what a preset shows --------------------------------------------------------------------------------------------


@given(traces())
def test_the_memory_and_what_keeps_it(trace: Trace) -> None:
    """What is kept and what is written make the next memory."""
    symbol, _ = letters(trace)
    assert gate_facts.memory_symbol(trace) == symbol
    for unit in range(trace.cell.hidden_size):
        of = memory(trace, unit)
        assert gate_facts.memory_of(trace)[:, unit].tolist() == of.values
        assert gate_facts.keep_factors(trace)[:, unit].tolist() == of.keeps
        for t in range(trace.steps):
            step = of.keeps[t] * of.values[t] + of.writes[t]
            assert of.values[t + 1] == pytest.approx(step, rel=1e-13, abs=1e-13)


@given(traces())
def test_what_is_left_of_the_largest_write_into_unit_1(trace: Trace) -> None:
    sentence = gate_facts.latch(trace, None)
    of = memory(trace, 0)
    shares, _ = left(of)
    is_last = max(range(trace.steps), key=lambda k: abs(of.writes[k])) == trace.steps - 1
    said = slots("fact.latch.last" if is_last else "fact.latch", sentence)
    step = int(said["step"])
    assert abs(of.writes[step - 1]) >= max(map(abs, of.writes)) * (1 - 1e-12)
    assert said["symbol"] == letters(trace)[0]
    assert says(said["write"], of.writes[step - 1])
    if is_last:
        assert step == trace.steps
        assert says(said["total"], of.values[-1])
        return
    assert (int(said["last"]), int(said["count"]), said["gate"]) == (trace.steps, trace.steps - step, letters(trace)[1])
    assert says(said["low"], min(of.keeps[step:]))
    assert says_share(said["share"], shares[step - 1]) or shares[step - 1] == pytest.approx(1.0, abs=1e-15)
    assert gate_facts.subject_of(gate_facts.latch, trace) == (0, step)


def tanh_latch(trace: Trace, step: int) -> tuple[float, float]:
    """The end of h = tanh(3 h + 5 u) over the same input, and log10 of its derivative from a step on, in 40 digits."""
    with mpmath.workdps(40):
        h, product = mpmath.mpf(0), mpmath.mpf(1)
        for t, x in enumerate(trace.x.tolist(), start=1):
            h = mpmath.tanh(3 * h + 5 * mpmath.mpf(x[-1]))
            if t > step:
                product *= 3 * (1 - h**2)
        return float(h), float(mpmath.log10(product))


@given(traces())
def test_the_tanh_unit_beside_it_is_that_of_its_equation(trace: Trace) -> None:
    sentence = gate_facts.latch(trace, None)
    of = memory(trace, 0)
    step = max(range(trace.steps), key=lambda k: abs(of.writes[k])) + 1
    if step == trace.steps:
        assert "tanh" not in sentence
        return
    said = slots("fact.latch.tanh", sentence[sentence.index("A plain tanh unit") :])
    h, log10 = tanh_latch(trace, step)
    assert says(said["h"], h)
    assert int(said["step"]) == step
    assert says_power(said["left"].rstrip("."), log10)


def alone(trace: Trace) -> str:
    """How the key of a sentence ends that names no unit, where there is but one."""
    return ".only" if trace.cell.hidden_size == 1 else ""


@given(traces())
def test_whether_all_of_the_memory_is_that_of_the_start(trace: Trace) -> None:
    units = [memory(trace, unit) for unit in range(trace.cell.hidden_size)]
    sentence = gate_facts.copy_forever(trace, None)
    kept = all(set(of.keeps) == {1.0} and len(set(of.values)) == 1 for of in units)
    wrote = any(any(of.writes) for of in units)
    key = ("fact.copy.rounded" if wrote else "fact.copy.exact") if kept else f"fact.copy.off{alone(trace)}"
    said = slots(key, sentence)
    assert (said["symbol"], int(said["steps"])) == (letters(trace)[0], trace.steps)
    if kept:
        assert said["gate"] == letters(trace)[1]
    else:
        assert says(said["error"], max(abs(of.values[-1] - of.values[0]) for of in units))
        least = min(math.prod(of.keeps) for of in units)
        assert says_share(said["share"], least) or least == pytest.approx(1.0, abs=1e-14)
    unit, start = gate_facts.subject_of(gate_facts.copy_forever, trace)
    assert start == 0
    lefts = [mpmath.fprod(of.keeps) for of in units]
    assert lefts[unit] <= min(lefts) * (1 + 1e-9)


@pytest.mark.parametrize("form", GATED)
def test_a_memory_that_nothing_touches_is_the_start(form: tuple[type, dict[str, str]]) -> None:
    case = make_case(form, D=2, H=3, T=9, seed=4)
    writes = form[1].get("update") == "write"
    clamps = [Clamp("f", 1.0), Clamp("i", 0.0)] if case.cell.kind == "lstm" else [Clamp("z", float(not writes))]
    said = slots("fact.copy.exact", gate_facts.copy_forever(run(*case, clamp=clamps), None))
    assert (said["symbol"], said["gate"]) == letters(run(*case))


@given(traces(), st.booleans())
def test_the_most_that_a_step_keeps(trace: Trace, closed: bool) -> None:
    if closed:  # none of it
        gate, value = ("f", 0.0) if trace.cell.kind == "lstm" else ("z", float(letters(trace)[1] != "z"))
        starts = (trace.h[0],) if trace.c is None else (trace.h[0], trace.c[0])
        trace = run(trace.cell, trace.x, *starts, clamp=[Clamp(gate, value)])
    keeps = [memory(trace, unit).keeps for unit in range(trace.cell.hidden_size)]
    most = max(map(max, keeps))
    key = "fact.forget.keeps" if most >= 0.01 else "fact.forget.at_once" if most else "fact.forget.all"
    sentence = gate_facts.forget_at_once(trace, None)
    said = slots(key, sentence)
    assert said["symbol"] == letters(trace)[0]
    assert key == "fact.forget.all" or says_share(said["share"], most)
    assert ("No weight reads h" in sentence) == (most < 0.01 and not trace.cell.W_hh.any())
    assert ("But W_hh reads h" in sentence) == (most < 0.01 and bool(trace.cell.W_hh.any()))
    unit, step = gate_facts.subject_of(gate_facts.forget_at_once, trace)
    assert keeps[unit][step] == most


def alike(units: list[Memory]) -> str:
    """How the key ends where no unit keeps longest: there is but one, or all have the same mean of their logarithms."""
    with np.errstate(divide="ignore"):
        return ".only" * (len({float(np.log(of.keeps).mean()) for of in units}) == 1)


@given(traces())
def test_which_unit_keeps_longest(trace: Trace) -> None:
    sentence = gate_facts.kept(trace, None)
    units = [memory(trace, unit) for unit in range(trace.cell.hidden_size)]
    left = [mpmath.fprod(of.keeps) for of in units]
    best = max(left)
    symbol, gate = letters(trace)
    unit, start = gate_facts.subject_of(gate_facts.kept, trace)
    assert start == 0
    assert left[unit] >= best * (1 - 1e-9)
    if best == 0:
        assert slots("fact.kept.none", sentence) == {"symbol": symbol, "gate": gate}
        assert all(0.0 in of.keeps for of in units)
        return
    if "forgets nothing" in sentence:
        said = slots("fact.kept.all", sentence)
        assert set(units[int(said["unit"]) - 1].keeps) == {1.0}
        return
    if best < mpmath.mpf(0.5) ** trace.steps:  # halved in less than a step
        said = slots(f"fact.kept.little{alike(units)}", sentence)
        assert (said["gate"], said["symbol"]) == (gate, symbol)
        assert left[int(said.get("unit", "1")) - 1] == pytest.approx(best, rel=1e-9)
        assert says_power(said["share"], float(mpmath.log10(best)) / trace.steps + 2)
        return
    said = slots(f"fact.kept{alike(units)}", sentence)
    assert (said["gate"], said["symbol"]) == (gate, symbol)
    assert left[int(said.get("unit", "1")) - 1] == pytest.approx(best, rel=1e-9)
    assert says(said["steps"], float(-mpmath.log(2) * trace.steps / mpmath.log(best))) or best > 1 - 1e-12


@pytest.mark.parametrize("form", GATED)
@pytest.mark.parametrize("clamped", [False, True])
def test_a_gate_of_0_is_one_of_float64(form: tuple[type, dict[str, str]], clamped: bool) -> None:
    """A computed one is e^-2000 here and no 0: float64 cannot hold it, and that is what the sentences say."""
    case = make_case(form, D=1, H=2, T=3, seed=1)
    lstm, sign = case.cell.kind == "lstm", 1.0 if form[1].get("update") == "write" else -1.0
    b_ih = np.array(case.cell.b_ih)
    b_ih[case.cell.rows("f" if lstm else "z")] = sign * 2000.0
    clamps = [Clamp("f", 0.0)] if lstm else [Clamp("z", float(sign > 0))]
    trace = run(replace(case.cell, b_ih=b_ih), *case[1:], clamp=clamps if clamped else [])
    assert not any(any(memory(trace, unit).keeps) for unit in range(2))
    for key, said in (
        ("fact.forget.all", gate_facts.forget_at_once(trace, None)),
        ("fact.kept.none", gate_facts.kept(trace, None)),
    ):
        slots(key, said)
        assert "in float64" in said


FACTS = [
    gate_facts.latch, gate_facts.copy_forever, gate_facts.forget_at_once, gate_facts.binary_counter,
    gate_facts.bracket_depth, gate_facts.parity_bit, gate_facts.kept,
]  # fmt: skip


@given(traces(), st.sampled_from(FACTS))
def test_a_fact_speaks_of_a_unit_and_a_step_that_there_are(
    trace: Trace, fact: Callable[[Trace, np.ndarray | None], str]
) -> None:
    assert fact(trace, None)
    unit, step = gate_facts.subject_of(fact, trace)
    assert 0 <= unit < trace.cell.hidden_size
    assert 0 <= step < trace.steps


@pytest.mark.parametrize("inputs", [1, 2])
@pytest.mark.parametrize("form", GATED)
def test_one_step_and_one_unit_are_enough_for_every_fact(form: tuple[type, dict[str, str]], inputs: int) -> None:
    """Brackets, bits and pulses among them."""
    case = make_case(form, D=inputs, H=1, T=1, seed=0)
    for x in (case.x, np.eye(1, inputs)):
        trace = run(case.cell, x)
        for fact in FACTS:
            assert fact(trace, None)
            assert gate_facts.subject_of(fact, trace).step == 0


# --- what to notice at a step ---------------------------------------------------------------------------------------


@given(traces())
def test_who_moves_at_each_step_and_why(trace: Trace) -> None:
    units = [memory(trace, unit) for unit in range(trace.cell.hidden_size)]
    notices = gate_facts.steps(trace)
    assert len(notices) == trace.steps
    for t, (unit, sentence) in enumerate(notices):
        moves = [abs(of.values[t + 1] - of.values[t]) for of in units]
        assert moves[unit] == max(moves)
        of, symbol = units[unit], letters(trace)[0]
        if max(moves) == 0.0:
            still = all(one.keeps[t] * one.values[t] == one.values[t] for one in units)
            key = "notice.memory.still" if still else "notice.memory.balance"
            assert slots(key, sentence) == {"symbol": symbol}
            continue
        from_zero = of.values[t] == 0.0  # then nothing is kept, whatever the share
        alike = len({(one.values[t], one.values[t + 1], one.keeps[t]) for one in units}) == 1
        said = slots(f"notice.memory{'.from_zero' * from_zero}{'.only' * alike}", sentence)
        assert (int(said.get("unit", "1")), said["symbol"]) == (unit + 1, symbol)
        assert says(said["after"], of.values[t + 1])
        if from_zero:
            assert of.writes[t] == of.values[t + 1]
            continue
        assert says(said["before"], of.values[t])
        assert says_share(said["share"], of.keeps[t])
        assert says(said["kept"], of.keeps[t] * of.values[t])
        assert says(said["new"], of.writes[t])


def test_nothing_is_said_of_another_unit_that_stood_still() -> None:
    """The first of several that move alike is named."""
    case = make_case(FORMS["lstm"][0], D=1, H=3, T=4, seed=1)
    trace = run(*case, clamp=[Clamp("f", 1.0, 0), Clamp("i", 0.0, 0), Clamp("f", 1.0, 1), Clamp("i", 0.0, 1)])
    assert {unit for unit, _ in gate_facts.steps(trace)} == {2}
    np.testing.assert_array_equal(gate_facts.memory_of(trace)[-1, :2], case.c0[:2] if case.c0 is not None else None)


@pytest.mark.parametrize("form", GATED)
@pytest.mark.parametrize("moved", [0.0, 1.0])
def test_none_of_units_that_are_all_alike_is_singled_out(form: tuple[type, dict[str, str]], moved: float) -> None:
    """All weights 0, and the same biases in every unit: every gate, write and memory is the same in all of them."""
    cell = make_case(form, D=1, H=4, T=1, seed=0).cell
    zeros = {name: np.zeros_like(getattr(cell, name)) for name in ("W_ih", "W_hh", "b_ih", "b_hh")}
    trace = run(replace(cell, **zeros | {"b_ih": zeros["b_ih"] + moved}), np.ones((5, 1)))
    for unit in range(1, 4):
        assert memory(trace, unit) == memory(trace, 0)
    said = [gate_facts.kept(trace, None), *(text for _, text in gate_facts.steps(trace))]
    assert not any("nit 1" in text or "most" in text or "longest" in text for text in said)
    of = memory(trace, 0)
    half = math.log(0.5) * trace.steps / math.fsum(map(math.log, of.keeps))
    if half >= 1 - 1e-12:
        assert says(slots("fact.kept.only", said[0])["steps"], half)
    else:
        assert says(slots("fact.kept.little.only", said[0])["share"], 100 * 0.5 ** (1 / half))
    if moved:
        for t in (0, 4):
            told = slots("notice.memory.only" if t else "notice.memory.from_zero.only", said[t + 1])
            assert says(told["after"], of.values[t + 1])
    else:
        assert set(said[1:]) == {say("notice.memory.still", symbol=letters(trace)[0])}


@pytest.mark.parametrize("form", GATED)
def test_a_memory_at_rest_is_not_said_to_change_most(form: tuple[type, dict[str, str]]) -> None:
    """Under a constant input it reaches a fixed point to the last bit: the same again, yet kept in part alone."""
    trace = run(make_case(form, D=1, H=2, T=1, seed=1).cell, np.ones((600, 1)))
    units = [memory(trace, unit) for unit in range(2)]
    assert all(of.values[-1] == of.values[-2] for of in units)
    assert max(of.keeps[-1] for of in units) < 0.99
    assert max(abs(of.writes[-1] - (1 - of.keeps[-1]) * of.values[-1]) for of in units) < 1e-15
    assert gate_facts.steps(trace)[-1][1] == say("notice.memory.balance", symbol=letters(trace)[0])
