"""What to notice of a gated cell: every number of every sentence, found again in plain loops over the trace."""

from __future__ import annotations

import math
from typing import NamedTuple

import mpmath
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rnnviz import Clamp, Trace, make_cell, run
from rnnviz.views import gate_facts
from rnnviz.views.gate_facts import percent
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
    """Any gated cell, with gates held or not."""
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
        (0.5, "50.0 %"),
        (0.12345, "12.3 %"),
        (0.9956, "99.56 %"),
        (0.999954, "99.995 %"),
        (0.9999999, "more than 99.9999 %"),
        (4.54e-5, "0.005 %"),
        (3e-9, "3e−7 %"),
        (5e-324, "4.9e−322 %"),
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
def test_who_wrote_what_unit_1_remembers(trace: Trace) -> None:
    sentence = gate_facts.latch(trace, None)
    said = slots("fact.latch", sentence)
    of = memory(trace, 0)
    shares, writes = left(of)
    step = int(said["step"])
    assert abs(of.writes[step - 1]) >= max(map(abs, of.writes)) * (1 - 1e-12)
    assert (said["symbol"], said["gate"]) == letters(trace)
    assert (int(said["last"]), int(said["count"])) == (trace.steps, trace.steps - step)
    assert says(said["write"], of.writes[step - 1])
    assert says(said["left"], writes[step - 1])
    assert says(said["total"], of.values[-1])
    assert says_share(said["share"], shares[step - 1]) or shares[step - 1] == pytest.approx(1.0, abs=1e-15)
    assert ("plain RNN" in sentence) == (step < trace.steps)


def left_of_a_plain_rnn(trace: Trace, step: int) -> float:
    """log10 of the spectral norm of d h_T / d h_step of PyTorch's tanh network over the same input, in 40 digits."""
    cell = make_cell("elman", trace.cell.input_size, trace.cell.hidden_size)
    with mpmath.workdps(40):
        W_ih, W_hh = (mpmath.matrix(array.tolist()) for array in (cell.W_ih, cell.W_hh))
        bias = mpmath.matrix((cell.b_ih + cell.b_hh).tolist())
        h, product = mpmath.zeros(W_hh.rows, 1), mpmath.eye(W_hh.rows)
        for t, x in enumerate(trace.x.tolist(), start=1):
            h = (W_ih * mpmath.matrix(x) + W_hh * h + bias).apply(mpmath.tanh)
            if t > step:
                product = mpmath.diag([1 - value**2 for value in h]) * W_hh * product
        return float(mpmath.log10(max(mpmath.svd_r(product, compute_uv=False))))


@pytest.mark.parametrize("form", GATED)
@pytest.mark.parametrize(("steps", "step"), [(3, 1), (12, 1), (12, 11), (12, 12), (60, 5)])
def test_what_a_plain_rnn_would_still_know(form: tuple[type, dict[str, str]], steps: int, step: int) -> None:
    trace = run(*make_case(form, D=2, H=4, T=steps, seed=steps))
    said = slots("fact.plain_rnn", gate_facts.plain_rnn(trace, step))
    assert int(said["step"]) == step
    assert says_power(said["left"], left_of_a_plain_rnn(trace, step))


@given(traces())
def test_whether_all_of_the_memory_is_that_of_the_start(trace: Trace) -> None:
    units = [memory(trace, unit) for unit in range(trace.cell.hidden_size)]
    sentence = gate_facts.copy_forever(trace, None)
    kept = all(set(of.keeps) == {1.0} and len(set(of.values)) == 1 for of in units)
    said = slots("fact.copy.exact" if kept else "fact.copy.off", sentence)
    assert (said["symbol"], int(said["steps"])) == (letters(trace)[0], trace.steps)
    if kept:
        assert said["gate"] == letters(trace)[1]
    else:
        assert says(said["error"], max(abs(of.values[-1] - of.values[0]) for of in units))
        least = min(math.prod(of.keeps) for of in units)
        assert says_share(said["share"], least) or least == pytest.approx(1.0, abs=1e-14)


@pytest.mark.parametrize("form", GATED)
def test_a_memory_that_nothing_touches_is_the_start(form: tuple[type, dict[str, str]]) -> None:
    case = make_case(form, D=2, H=3, T=9, seed=4)
    writes = form[1].get("update") == "write"
    held = [Clamp("f", 1.0), Clamp("i", 0.0)] if case.cell.kind == "lstm" else [Clamp("z", float(not writes))]
    said = slots("fact.copy.exact", gate_facts.copy_forever(run(*case, clamp=held), None))
    assert (said["symbol"], said["gate"]) == letters(run(*case))


@given(traces())
def test_the_most_that_a_step_keeps(trace: Trace) -> None:
    most = max(max(memory(trace, unit).keeps) for unit in range(trace.cell.hidden_size))
    said = slots("fact.forget.at_once" if most < 0.01 else "fact.forget.keeps", gate_facts.forget_at_once(trace, None))
    assert said["symbol"] == letters(trace)[0]
    assert says_share(said["share"], most)


@given(traces())
def test_which_unit_keeps_longest(trace: Trace) -> None:
    sentence = gate_facts.kept(trace, None)
    left = [mpmath.fprod(memory(trace, unit).keeps) for unit in range(trace.cell.hidden_size)]
    best = max(left)
    if best == 0:
        assert slots("fact.kept.none", sentence) == {"gate": letters(trace)[1]}
        return
    if "keeps all" in sentence:
        said = slots("fact.kept.all", sentence)
        assert left[int(said["unit"]) - 1] > 1 - 1e-12
        return
    said = slots("fact.kept", sentence)
    assert said["gate"] == letters(trace)[1]
    assert left[int(said["unit"]) - 1] == pytest.approx(best, rel=1e-9)
    assert says(said["steps"], float(-mpmath.log(2) * trace.steps / mpmath.log(best))) or best > 1 - 1e-12


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
        if max(moves) == 0.0 and of.keeps[t] * of.values[t] == of.values[t]:
            assert slots("notice.memory.still", sentence) == {"symbol": symbol}
            continue
        said = slots("notice.memory", sentence)
        assert (int(said["unit"]), said["symbol"]) == (unit + 1, symbol)
        assert says(said["before"], of.values[t])
        assert says(said["after"], of.values[t + 1])
        assert says_share(said["share"], of.keeps[t])
        assert says(said["kept"], of.keeps[t] * of.values[t])
        assert says(said["new"], of.writes[t])


def test_nothing_is_said_of_another_unit_that_stood_still() -> None:
    """The first of several that move alike is named."""
    case = make_case(FORMS["lstm"][0], D=1, H=3, T=4, seed=1)
    trace = run(*case, clamp=[Clamp("f", 1.0, 0), Clamp("i", 0.0, 0), Clamp("f", 1.0, 1), Clamp("i", 0.0, 1)])
    assert {unit for unit, _ in gate_facts.steps(trace)} == {2}
    np.testing.assert_array_equal(gate_facts.memory_of(trace)[-1, :2], case.c0[:2] if case.c0 is not None else None)
