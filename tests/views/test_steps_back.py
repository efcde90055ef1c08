"""The way back step by step, and one step opened: sums, singular values and bars against numbers found anew."""

from __future__ import annotations

import html
import math
import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import mpmath
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import Clamp, Trace, log10_gradient_norms, make_cell, run, step_jacobians
from rnnviz.texts import say
from rnnviz.views.charts.steps_back import chain_chart, factor_ticks, opened_chart
from rnnviz.views.numbers import power_of_ten
from rnnviz.views.palette import NEGATIVE, POSITIVE
from rnnviz.views.sentences.counts import of_units
from rnnviz.views.sentences.steps_back import (
    chain_columns,
    chain_note,
    chain_words,
    has_factor,
    opened_columns,
    opened_formula,
    opened_words,
    step_changes,
    symbol_of,
)
from tests.maths import digits
from tests.maths.drawn import ALL_FORMS, FORMS, cases, clamps_for, make_case
from tests.views.flows import norms_back
from tests.views.spoken import number, the_one, whole
from tests.views.written import four_digits, four_digits_power, index

Array = NDArray[np.float64]

decades = st.floats(-40.0, 40.0) | st.sampled_from([0.0, -1000.0, 400.0, 1e-12, -1e-12, 0.5])


@st.composite
def chains(draw: st.DrawFn) -> tuple[list[float], int]:
    """Norms of the steps k..t, the last the identity's, and k; now and then of steps between nothing arrives."""
    gap = draw(st.just(decades) | st.just(decades | st.just(-math.inf)))
    norms = [*draw(st.lists(gap, min_size=1, max_size=30)), 0.0]
    ended = draw(st.just(0) | st.integers(0, len(norms) - 1))
    return [-math.inf] * ended + norms[ended:], draw(st.integers(0, 900))


@st.composite
def opened(draw: st.DrawFn) -> tuple[Trace, int]:
    """Any cell, gates held or not, at any of its steps."""
    case = draw(cases(shifts=(0.0, 3.0), max_steps=6))
    clamps = draw(st.lists(clamps_for(case), max_size=2)) if case.cell.clampable else []
    return run(*case, clamp=clamps), draw(st.integers(1, len(case.x)))


# --- step by step ---------------------------------------------------------------------------------------------------


def by_hand(norms: list[float]) -> list[float]:
    """Decades of each step: nothing behind the end, where all is lost, and none where a gap leaves none to tell."""
    since = next(k for k, norm in enumerate(norms) if norm > -math.inf)
    told = [after - before if min(before, after) > -math.inf else 0.0 for after, before in pairwise(norms)]
    return [-math.inf if k == since - 1 else change for k, change in enumerate(told)]


@given(chains())
@example(([-2.0, -math.inf, 0.0], 0))
@example(([-math.inf, 3.0, -math.inf, 0.0], 0))
def test_the_steps_multiply_to_the_whole_way(chain: tuple[list[float], int]) -> None:
    """Decades add up; a step behind which nothing is left is the last that counts, and gaps count nothing."""
    norms, _ = chain
    changes = step_changes(np.array(norms)).tolist()
    assert changes == pytest.approx(by_hand(norms))
    assert math.inf not in changes
    assert changes.count(-math.inf) == (norms[0] == -math.inf)
    since = next(k for k, norm in enumerate(norms) if norm > -math.inf)
    if -math.inf not in norms[since:]:
        assert math.fsum(changes[since:]) == pytest.approx(norms[since], rel=1e-12, abs=1e-9)


@pytest.mark.parametrize(
    ("norms", "sentence"),
    [
        ([-3.0, -2.5, 0.0], "The norm ‖∂h₉/∂h₇‖ is 0.001. The smallest factor of the 2 steps is 0.003162, at step 9."),
        ([3.0, 2.5, 0.0], "The norm ‖∂h₉/∂h₇‖ is 1000. The largest factor of the 2 steps is 316.2, at step 9."),
        # of more than all, the step that makes it grow; of less, the one that shrinks it
        ([1.0, -1.0, 0.5, 0.0], "The norm ‖∂h₁₀/∂h₇‖ is 10. The largest factor of the 3 steps is 100, at step 8."),
        ([-1.0, 1.0, -0.5, 0.0], "The norm ‖∂h₁₀/∂h₇‖ is 0.1. The smallest factor of the 3 steps is 0.01, at step 8."),
        ([0.0, 1.0, 0.0], "The norm ‖∂h₉/∂h₇‖ is 1. The smallest factor of the 2 steps is 0.1, at step 8."),
        ([-math.inf, -math.inf, 5.0, 0.0], "∂h₁₀/∂h₇ is exactly 0. Step 9 cuts the path: its factor is 0."),
        ([-math.inf, 3.0, -math.inf, 0.0], "∂h₁₀/∂h₇ is exactly 0. Step 8 cuts the path: its factor is 0."),
        ([-math.inf, 0.0], "∂h₈/∂h₇ is exactly 0. Step 8 cuts the path: its factor is 0."),
        ([-1.0, 0.0], "The norm ‖∂h₈/∂h₇‖ is 0.1, the factor of a single step."),
        ([0.0, 0.0], "The norm ‖∂h₈/∂h₇‖ is 1, the factor of a single step."),
        ([-3.0, -2.0, -1.0, 0.0], "The norm ‖∂h₁₀/∂h₇‖ is 0.001. All 3 steps have the same factor, 0.1."),
        ([2.0, 1.0, 0.0], "The norm ‖∂h₉/∂h₇‖ is 100. All 2 steps have the same factor, 10."),
        (
            [1e-12, -1e-12, 0.0],
            "The norm ‖∂h₉/∂h₇‖ is 1. All 2 steps have the factor 1: none shrinks or stretches the gradient.",
        ),
        *(
            (
                norms,
                f"The norm ‖∂h{end}/∂h₇‖ is {left}, although ∂h{end}/∂h₈ is exactly 0. The "
                "gradient reaches step 7 through another part of the state, so the factors around the gap are left "
                "out.",
            )
            for norms, left, end in (
                ([-2.0, -math.inf, 0.0], "0.01", "₉"),
                ([2.0, -math.inf, 0.0], "100", "₉"),
                ([-5.0, -math.inf, -1.0, 0.0], "1e−5", "₁₀"),
            )
        ),
    ],
)
def test_the_way_in_a_sentence_by_hand(norms: list[float], sentence: str) -> None:
    assert chain_words(np.array(norms), 7) == sentence


SAID = [f"chain.{name}" for name in ("loses", "wins", "same", "even", "single", "cut", "gap")]


@given(chains())
@example(([1e-12, -1e-12, 0.0], 3))
@example(([-math.inf, 0.0], 0))
@example(([-math.inf, -math.inf, 5.0, 0.0], 0))
@example(([5.0, -math.inf, -1.0, 0.0], 0))
@example(([-2.0, -1.0, 0.0], 0))
def test_what_is_said_of_the_way_is_true(chain: tuple[list[float], int]) -> None:
    """The step that is named has the most extreme factor of all that are counted; rounding counts as none."""
    norms, first = chain
    changes = dict(enumerate(by_hand(norms), start=first + 1))
    least, most, gap = min(changes.values()), max(changes.values()), -math.inf in norms
    if -1e-8 < least < -1e-10 or 1e-10 < most < 1e-8:  # whether that is rounding is left open
        return
    if 1e-10 < most - least < 1e-8:
        return
    key, said = the_one(SAID, chain_words(np.array(norms), first, "c"))
    assert (said["s"], index(said["to"]), index(said["of"])) == ("c", first + len(norms) - 1, first)
    assert "left" not in said or four_digits_power(said["left"], norms[0])
    assert "count" not in said or int(said["count"]) == len(norms) - 1
    if "through" in said:
        assert int(said["k"]) == first
        assert norms[index(said["through"]) - first] == -math.inf
    if "factor" in said:
        wanted = most if key == "chain.wins" else least
        assert four_digits_power(said["factor"], wanted)
        assert "step" not in said or changes[int(said["step"])] == pytest.approx(wanted, abs=1e-8)
    if key == "chain.cut":
        assert changes[int(said["step"])] == -math.inf
    one, told = len(norms) == 2, norms[0] > -math.inf and not gap
    assert {
        "chain.cut": norms[0] == -math.inf,
        "chain.gap": gap and norms[0] > -math.inf,
        "chain.single": told and one,
        "chain.even": told and not one and max(-least, most) < 1e-9,
        "chain.same": told and not one and most - least < 1e-8,
        "chain.loses": told and not one and norms[0] <= 0 and least < 0,
        "chain.wins": told and not one and most > 0 and (norms[0] > 0 or least > -1e-9),
    }[key], key


def test_the_state_that_is_followed_has_its_symbol() -> None:
    lstm, gru = (run(make_cell(kind, 1, 2), [[1.0]]) for kind in ("lstm", "gru"))
    assert [symbol_of(lstm, block) for block in ("h", "c", "state")] == ["h", "c", "s"]
    assert {symbol_of(gru, block) for block in ("h", "state")} == {"h"}


@pytest.mark.parametrize("steps", [1, 1000])
@pytest.mark.parametrize("gain", [0.0, 0.5, 4.0])
@pytest.mark.parametrize("kind", ["elman", "lstm", "gru"])
def test_ends_of_the_ranges(kind: str, gain: float, steps: int) -> None:
    """No weights, vanishing, exploding, a single step and a thousand: something true is said and drawn."""
    trace = run(make_cell(kind, 1, 2, gain=gain), np.random.default_rng(0).standard_normal((steps, 1)))
    for block in ("h", "state") if kind == "lstm" else ("h",):
        norms = log10_gradient_norms(trace, block=block)
        key, said = the_one(SAID, chain_words(norms, 0))
        assert (key in ("chain.single", "chain.cut")) == (steps == 1 or norms[0] == -math.inf)
        assert index(said["to"]) == steps
        assert len(chain_chart(norms, 0, 1)["data"][0]["x"]) == steps


def test_a_gap_of_a_network_is_told_as_one() -> None:
    """From step 2 on nothing is written and all gates are held, so h at 1 and 2 is not heard; at 0 it was, by c."""
    held = [Clamp("f", 1.0, None, 2), Clamp("i", 0.0, None, 2), Clamp("o", 0.5, None, 2)]
    trace = run(make_cell("lstm", 1, 2), np.zeros((3, 1)), clamp=held)
    norms = log10_gradient_norms(trace)
    assert [norm == -math.inf for norm in norms] == [False, True, True, False]
    assert step_changes(norms).tolist() == [0.0, 0.0, 0.0]
    said = whole("chain.gap", chain_words(norms, 0))
    assert four_digits_power(said["left"], norms_back(trace)[0])
    assert index(said["through"]) == 1
    assert has_factor(norms).tolist() == [False] * 3
    assert "The product of all factors" not in chain_note(norms, 0)
    assert "The product of all factors" in chain_note(np.array([-1.0, 0.0]), 0)
    assert chain_note(norms, 0, "s").endswith(say("chain.state"))


@given(opened(), st.data())
def test_the_way_back_of_a_network(one: tuple[Trace, int], data: st.DataObject) -> None:
    """From any step t back to any k: the changes are those of products of the steps between them, in 60 digits."""
    trace, t = one
    k = data.draw(st.integers(0, t - 1))
    part, H = trace.between(k, t), trace.cell.hidden_size
    norms = np.array([sigma(product[:H, :H]) for product in digits.products(part)])
    np.testing.assert_allclose(step_changes(log10_gradient_norms(part)), step_changes(norms), rtol=0, atol=1e-8)


@given(chains(), st.data())
def test_a_bar_for_each_step_as_long_as_its_decades(chain: tuple[list[float], int], data: st.DataObject) -> None:
    """Up where it wins, down where it loses, right down where nothing is left; the opened one is marked."""
    norms, first = chain
    steps = len(norms) - 1
    shown = data.draw(st.integers(first + 1, first + steps))
    figure = chain_chart(np.array(norms), first, shown)
    changes = by_hand(norms)
    (bars,) = figure["data"]
    low, high = figure["layout"]["yaxis"]["range"]
    assert high == -low >= 1.08 * max([abs(change) for change in changes if change > -math.inf] + [0.1]) - 1e-12
    assert bars["x"] == list(range(first + 1, first + steps + 1))
    assert bars["y"] == pytest.approx([max(change, low) for change in changes])
    arrives = [norm > -math.inf for norm in norms]
    for place, (step, change, hover) in enumerate(zip(bars["x"], changes, bars["hovertext"], strict=True)):
        if change == -math.inf or (arrives[place] and arrives[place + 1]):
            said = whole("chain.bar", hover)
            assert int(said["step"]) == step
            assert four_digits_power(said["factor"], change)
        else:
            assert hover == say("chain.bar.gap", step=step)
    for colour, value in zip(bars["marker"]["color"], bars["y"], strict=True):
        assert colour == (NEGATIVE if value < 0 else POSITIVE)
    zeros = [step for step, change in zip(bars["x"], changes, strict=True) if change == -math.inf]
    assert [note["x"] for note in figure["layout"]["annotations"] if note["text"] == "× 0"] == zeros
    (band,) = figure["layout"]["shapes"]
    assert (band["x0"], band["x1"]) == (shown - 0.5, shown + 0.5)
    assert say("chain.opened", step=shown) in [note["text"] for note in figure["layout"]["annotations"]]
    ticks, texts = (figure["layout"]["yaxis"][name] for name in ("tickvals", "ticktext"))
    assert 0.0 in ticks
    assert texts == [f"× {power_of_ten(tick)}" for tick in ticks]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize(("shown", "edge"), [(1, "bottom"), (6, "top"), (16, "top"), (20, "bottom")])
def test_the_name_of_the_opened_step_stands_where_the_bars_leave_room(shown: int, edge: str) -> None:
    """The steps at both ends win a decade each, those in the middle lose a hundredth of it."""
    factors = [1.0] * 4 + [-0.01] * 12 + [1.0] * 4
    figure = chain_chart(np.append(np.cumsum(factors[::-1])[::-1], 0.0), 0, shown)
    (note,) = [one for one in figure["layout"]["annotations"] if one["text"] == say("chain.opened", step=shown)]
    assert (note["yanchor"], note["y"]) == (edge, float(edge == "top"))


@given(st.floats(0.1, 3000.0))
@example(0.108)
@example(0.43)
@example(0.9)
def test_factors_at_the_axis_are_round_and_few(limit: float) -> None:
    ticks = factor_ticks(limit)
    assert 0.0 in [round(tick, 12) for tick in ticks]
    assert 3 <= len(ticks) <= 9
    assert ticks == sorted(set(ticks))
    assert all(abs(tick) <= limit + 1e-9 for tick in ticks)
    assert min(ticks) < 0 < max(ticks)
    for tick in ticks:
        mantissa = f"{10 ** (tick - math.floor(tick + 1e-9)):.6f}"
        assert number(mantissa) * 100 == pytest.approx(round(number(mantissa) * 100), abs=0.02), tick


@given(chains())
def test_the_table_of_factors(chain: tuple[list[float], int]) -> None:
    """Norms in decades, from which the factors are differences."""
    norms, first = chain
    steps, factors, left = chain_columns(np.array(norms), first).values()
    assert steps == list(range(first + 1, first + len(norms)))
    assert left == norms[:-1]
    for place, (factor, change) in enumerate(zip(factors, by_hand(norms), strict=True)):
        if factor is None:
            assert -math.inf in norms[place : place + 2]
        else:
            assert factor == pytest.approx(change)


# --- one step opened ------------------------------------------------------------------------------------------------


def slopes_of(trace: Trace, t: int) -> list[float]:
    """What each unit of an Elman network lets through, in closed form."""
    slope: dict[str, Any] = {
        "tanh": lambda a: 1 / math.cosh(a) ** 2,
        "sigmoid": lambda a: 1 / (2 + 2 * math.cosh(a)),
        "relu": lambda a: float(a > 0),
        "identity": lambda a: 1.0,
    }
    return [slope[getattr(trace.cell, "activation", "")](a) for a in trace.preacts["a"][t - 1].tolist()]


def keeps_of(trace: Trace, t: int) -> list[float]:
    """What each unit of a gated cell keeps."""
    gate: list[float] = trace.gates["f" if trace.c is not None else "z"][t - 1].tolist()
    return [1 - value for value in gate] if getattr(trace.cell, "update", "") == "write" else gate


def sigma(matrix: Any) -> float:
    """log10 of the largest singular value, in 60 digits."""
    return digits.log10_norm(np.asarray(matrix), "spectral")


@settings(max_examples=40)
@given(opened())
def test_what_a_step_multiplies_a_change_by(one: tuple[Trace, int]) -> None:
    """Its Jacobian and that of each part, written down anew in 60 digits."""
    trace, t = one
    J, H = digits.jacobian(trace, t), trace.cell.hidden_size
    kind, text = trace.cell.kind, opened_words(trace, t)
    assert text.startswith(f"Step {t}: ")
    if getattr(trace.cell, "activation", "") == "identity":
        assert slopes_of(trace, t) == [1.0] * H
        assert near(whole("opened.linear", text)["sigma"].rstrip("."), sigma(digits.exact(trace.cell.W_hh)))
        return
    said = whole(f"opened.{kind}", opened_words(trace, t))
    assert int(said["t"]) == t
    assert near(said["step"], sigma(J))
    if kind == "elman":
        slopes = slopes_of(trace, t)
        assert four_digits(said["mean"], math.fsum(slopes) / H)
        assert said["low"] == of_units(sum(slope < 0.1 for slope in slopes), H)
        assert float(said["limit"]) == 0.1
        assert near(said["sigma"], sigma(digits.exact(trace.cell.W_hh)))
        return
    keeps = keeps_of(trace, t)
    assert said["gate"] == ("f" if kind == "lstm" else "1 − z" if getattr(trace.cell, "update", "") == "write" else "z")
    assert four_digits(said["mean"], math.fsum(keeps) / H)
    assert four_digits(said["most"], max(keeps))
    if kind == "lstm":
        assert near(said["most"], sigma(J[H:, H:]))  # c to c is the gate alone
        for name, part in {"hh": J[:H, :H], "hc": J[:H, H:], "ch": J[H:, :H]}.items():
            assert near(said[name], sigma(part)), name
    else:
        assert near(said["rest"], sigma(J - np.diag(digits.exact(keeps))))


def test_a_step_far_below_float64_is_no_zero() -> None:
    """Every sum is near 1000: the derivative sech² is about 1e-868, and the Jacobian of one unit that times w."""
    trace = run(make_cell("elman", 1, 1), [[1000.0 / float(make_cell("elman", 1, 1).W_ih[0, 0])]])
    said = whole("opened.elman", opened_words(trace, 1))
    with mpmath.workdps(50):
        slope = mpmath.sech(mpmath.mpf(float(trace.preacts["a"][0, 0]))) ** 2
        step = slope * abs(mpmath.mpf(float(trace.cell.W_hh[0, 0])))
        assert mpmath.log10(slope) < -860
        assert four_digits_power(said["mean"], float(mpmath.log10(slope)))
        assert four_digits_power(said["step"], float(mpmath.log10(step)))


def near(text: str, log10: float) -> bool:
    """That number, or one so small that float64 cannot tell it from 0 beside what it was taken from."""
    return (log10 < -15 and number(text) < 1e-14) or four_digits_power(text, log10)


@pytest.mark.parametrize(
    ("form", "formula"),
    [
        (FORMS["elman"][0], "∂h3/∂h2 = diag(1 − h3²) Whh"),
        (FORMS["elman"][1], "∂h3/∂h2 = diag(h3 ⊙ (1 − h3)) Whh"),
        (FORMS["elman"][2], "∂h3/∂h2 = diag(a3 > 0) Whh"),
        (FORMS["elman"][3], "∂h3/∂h2 = Whh"),
        (FORMS["lstm"][0], "∂c3/∂c2 = diag(f3); the three other blocks involve h"),
        (FORMS["gru"][0], "∂h3/∂h2 = diag(z3) + the paths through gates and candidate"),
        (FORMS["gru"][3], "∂h3/∂h2 = diag(1 − z3) + the paths through gates and candidate"),
    ],
)
def test_the_formula_of_a_step(form: tuple[type, dict[str, str]], formula: str) -> None:
    text = opened_formula(run(*make_case(form, D=1, H=2, T=4, seed=0)), 3)
    ElementTree.fromstring(f"<p>{text}</p>")
    assert html.unescape(re.sub("<[^>]*>", "", text)) == formula


@pytest.mark.parametrize("form", FORMS["elman"])
def test_the_formula_is_the_jacobian(form: tuple[type, dict[str, str]]) -> None:
    """Filled in with the numbers of the step."""
    trace = run(*make_case(form, D=2, H=3, T=4, seed=3))
    h, a, W = trace.h[3], trace.preacts["a"][2], trace.cell.W_hh
    by_hand = {
        "tanh": np.diag(1 - h**2) @ W,
        "sigmoid": np.diag(h * (1 - h)) @ W,
        "relu": np.diag((a > 0).astype(float)) @ W,
        "identity": W,
    }[form[1]["activation"]]
    np.testing.assert_allclose(step_jacobians(trace)[2], by_hand, rtol=1e-12, atol=1e-15)


@given(opened())
def test_the_bars_of_an_opened_step(one: tuple[Trace, int]) -> None:
    """Above what each unit lets through, from 0 to 1; below the singular values of the step, and dots to compare."""
    trace, t = one
    elman = trace.cell.kind == "elman"
    shares = slopes_of(trace, t) if elman else keeps_of(trace, t)
    singular = sorted(np.linalg.svd(step_jacobians(trace)[t - 1], compute_uv=False).tolist(), reverse=True)
    alone = np.linalg.svd(trace.cell.W_hh, compute_uv=False).tolist() if elman else sorted(shares, reverse=True)
    figure = opened_chart(trace, t)
    units, places, dots = figure["data"]
    assert len(singular) == trace.cell.state_size
    for drawn, values, key in (
        (units, shares, "opened.unit"),
        (places, singular, "opened.direction"),
        (dots, alone, "opened.alone" if elman else "opened.alone.gates"),
    ):
        assert drawn["x"] == list(range(1, len(values) + 1))
        assert drawn["y"] == pytest.approx(values, rel=1e-9, abs=1e-14)
        for place, (value, hover) in enumerate(zip(values, drawn["hovertext"], strict=True), start=1):
            said = whole(key, hover)
            assert int(said["unit" if key == "opened.unit" else "place"]) == place
            assert near(said["value"], math.log10(value) if value else -math.inf)
    layout = figure["layout"]
    assert layout["yaxis"]["range"][0] == layout["yaxis2"]["range"][0] == 0
    assert layout["yaxis"]["range"][1] >= 1.0
    assert layout["yaxis2"]["range"][1] >= max(1.0, singular[0], alone[0])
    assert (layout["yaxis"]["domain"][0], places["yaxis"], dots["yaxis"]) > (layout["yaxis2"]["domain"][1], "y2", "y2")
    of_units, of_places = (list(columns.values()) for columns in opened_columns(trace, t))
    assert of_units[1] == pytest.approx(shares, rel=1e-9, abs=1e-14)
    assert of_places[1] == pytest.approx(singular, rel=1e-9, abs=1e-14)
    assert of_places[2][: len(alone)] == pytest.approx(alone, rel=1e-9, abs=1e-14)
    assert of_places[2][len(alone) :] == [None] * (len(singular) - len(alone))


@pytest.mark.parametrize("form", ALL_FORMS)
@pytest.mark.parametrize("hidden", [1, 64])
def test_an_opened_step_of_any_size(form: tuple[type, dict[str, str]], hidden: int) -> None:
    trace = run(*make_case(form, D=1, H=hidden, T=2, seed=hidden))
    assert len(opened_chart(trace, 2)["data"][0]["y"]) == hidden
    assert opened_words(trace, 2)


def test_a_step_that_lets_nothing_through() -> None:
    """All units of relu off; a cell without weights whose gates are shut."""
    off = run(make_cell("elman", 1, 2, activation="relu", init="identity"), [[0.0]], [-1.0, -1.0])
    assert opened_words(off, 1) == (
        "Step 1: the derivative g′(a) is 0 on average, and below 0.1 in 2 of 2 units. The largest singular value σ₁ is "
        "0 for the step's Jacobian and 1 for W_hh alone."
    )
    shut = run(make_cell("gru", 1, 2, init="zeros"), [[0.0]], clamp=[Clamp("z", 0.0)])
    assert opened_words(shut, 1) == (
        "Step 1: z is 0 on average and 0 at most. The largest singular value is 0 for the gate's path, 0 for the "
        "other paths and 0 for the whole Jacobian."
    )
    for trace in (off, shut):
        assert all(value == 0 for bars in opened_chart(trace, 1)["data"][:2] for value in bars["y"])


def test_a_single_unit_is_counted_as_one() -> None:
    trace = run(make_cell("elman", 1, 1), [[0.0]])
    assert "below 0.1 in no unit." in opened_words(trace, 1)
    saturated = run(make_cell("elman", 1, 1), [[100.0]])
    assert "below 0.1 in the only unit." in opened_words(saturated, 1)
