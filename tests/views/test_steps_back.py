"""The way back step by step, and one step opened: sums, singular values and bars against numbers found anew."""

from __future__ import annotations

import html
import math
import re
from itertools import pairwise
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import Clamp, Trace, log10_gradient_norms, make_cell, run, step_jacobians
from rnnviz.views.steps_back import (
    chain_picture,
    chain_words,
    opened_formula,
    opened_picture,
    opened_words,
    step_changes,
    worst_step,
)
from tests.maths import digits
from tests.maths.drawn import ALL_FORMS, FORMS, cases, clamps_for, make_case
from tests.views.flows import norms_back
from tests.views.spoken import number, slots, the_one, whole
from tests.views.written import says, says_power

Array = NDArray[np.float64]
SVG = "{http://www.w3.org/2000/svg}"

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
        ([-3.0, -2.5, 0.0], "0.001 reaches step 9. The step that shrinks it most is 9: times 0.00316."),
        ([3.0, 2.5, 0.0], "1000 reaches step 9. The step that makes it grow most is 9: times 316."),
        # of more than all, the step that makes it grow; of less, the one that shrinks it
        ([1.0, -1.0, 0.5, 0.0], "10 reaches step 10. The step that makes it grow most is 8: times 100."),
        ([-1.0, 1.0, -0.5, 0.0], "0.1 reaches step 10. The step that shrinks it most is 8: times 0.01."),
        ([0.0, 1.0, 0.0], "1 reaches step 9. The step that shrinks it most is 8: times 0.1."),
        ([-math.inf, -math.inf, 5.0, 0.0], "0 reaches step 10. The step that shrinks it most is 9: times 0."),
        ([-math.inf, 3.0, -math.inf, 0.0], "0 reaches step 10. The step that shrinks it most is 8: times 0."),
        ([1e-12, -1e-12, 0.0], "all reaches step 9: no step makes it smaller or larger."),
        ([-5.0, -math.inf, -1.0, 0.0], "0.00001 reaches step 10. The step that shrinks it most is 10: times 0.1."),
        *(
            (
                norms,
                f"{left} reaches step 9, by another way than a step at a time: of a change at some step between, "
                "exactly nothing does.",
            )
            for norms, left in (([-2.0, -math.inf, 0.0], "0.01"), ([2.0, -math.inf, 0.0], "100"))
        ),
    ],
)
def test_the_way_in_a_sentence_by_hand(norms: list[float], sentence: str) -> None:
    sentence = sentence.replace("0.00001", "1e−5")
    assert chain_words(np.array(norms), 7) == f"Of a change at step 7, {sentence}"


SAID = ["chain.loses", "chain.wins", "chain.even", "chain.gap"]


@given(chains())
@example(([1e-12, -1e-12, 0.0], 3))
@example(([-math.inf, 0.0], 0))
@example(([-math.inf, -math.inf, 5.0, 0.0], 0))
@example(([5.0, -math.inf, -1.0, 0.0], 0))
def test_what_is_said_of_the_way_is_true(chain: tuple[list[float], int]) -> None:
    """The step that is named does most of what is said of it; rounding counts as none."""
    norms, first = chain
    changes = dict(enumerate(by_hand(norms), start=first + 1))
    least, most, gap = min(changes.values()), max(changes.values()), -math.inf in norms
    if -1e-8 < least < -1e-10 or 1e-10 < most < 1e-8:  # whether that is rounding is left open
        return
    key, said = the_one(SAID, chain_words(np.array(norms), first))
    assert (int(said["t"]), int(said["k"])) == (first + len(norms) - 1, first)
    assert "left" not in said or says_power(said["left"], norms[0])
    if "step" in said:
        worst = worst_step(np.array(norms), first)
        assert int(said["step"]) == worst
        assert says_power(said["factor"], changes[worst])
        wanted = least if key == "chain.loses" else most
        assert changes[worst] == pytest.approx(wanted, abs=1e-8)
    assert {
        "chain.loses": norms[0] <= 0 and least < 0,
        "chain.wins": most > 0 and (norms[0] > 0 or least > -1e-9),
        "chain.even": not gap and max(-least, most) < 1e-9,
        "chain.gap": gap and norms[0] > -math.inf and (most < 1e-9 if norms[0] > 0 else least > -1e-9),
    }[key], key


def test_a_gap_of_a_network_is_told_as_one() -> None:
    """From step 2 on nothing is written and all gates are held, so h at 1 and 2 is not heard; at 0 it was, by c."""
    held = [Clamp("f", 1.0, None, 2), Clamp("i", 0.0, None, 2), Clamp("o", 0.5, None, 2)]
    trace = run(make_cell("lstm", 1, 2), np.zeros((3, 1)), clamp=held)
    norms = log10_gradient_norms(trace)
    assert [norm == -math.inf for norm in norms] == [False, True, True, False]
    assert step_changes(norms).tolist() == [0.0, 0.0, 0.0]
    assert says_power(whole("chain.gap", chain_words(norms, 0))["left"], norms_back(trace)[0])


@given(opened(), st.data())
def test_the_way_back_of_a_network(one: tuple[Trace, int], data: st.DataObject) -> None:
    """From any step t back to any k: the changes are those of products of the steps between them, in 60 digits."""
    trace, t = one
    k = data.draw(st.integers(0, t - 1))
    part, H = trace.between(k, t), trace.cell.hidden_size
    norms = np.array([sigma(product[:H, :H]) for product in digits.products(part)])
    np.testing.assert_allclose(step_changes(log10_gradient_norms(part)), step_changes(norms), rtol=0, atol=1e-8)


class Bar(NamedTuple):
    """A bar with its title, in pixels."""

    title: str
    x: float
    width: float
    top: float
    height: float
    fill: str
    column: tuple[float, float, float]  # left, width, height


def drawn(text: str) -> ElementTree.Element:
    (svg,) = ElementTree.fromstring(text)
    assert svg.attrib["role"] == "img"
    return svg


def bars(svg: ElementTree.Element) -> list[Bar]:
    found = []
    for group in svg.iter(f"{SVG}g"):
        title = group.find(f"{SVG}title")
        if title is None:
            continue
        column, bar = group.findall(f"{SVG}rect")
        x, width, top, height = (float(bar.attrib[key]) for key in ("x", "width", "y", "height"))
        left, wide, tall = (float(column.attrib[key]) for key in ("x", "width", "height"))
        found.append(Bar(title.text or "", x, width, top, height, bar.attrib["fill"], (left, wide, tall)))
    return found


def labels(svg: ElementTree.Element) -> list[tuple[float, float, str]]:
    return [(float(t.attrib["x"]), float(t.attrib["y"]), t.text or "") for t in svg.iter(f"{SVG}text")]


@given(chains(), st.data())
def test_a_bar_for_each_step_as_long_as_its_decades(chain: tuple[list[float], int], data: st.DataObject) -> None:
    """Up where it wins, down where it loses, right down where nothing is left; the opened one is framed."""
    norms, first = chain
    steps = len(norms) - 1
    shown = data.draw(st.integers(first + 1, first + steps))
    svg = drawn(chain_picture(np.array(norms), first, shown))
    changes = by_hand(norms)
    limit = max([abs(change) for change in changes if change > -math.inf] + [0.01])
    found = bars(svg)
    middle, pitch = 24 + 60, (400 - 58 - 8) / steps
    assert len(found) == steps
    for number_, (bar, change) in enumerate(zip(found, changes, strict=True)):
        said = slots("chain.bar", bar.title)
        assert (int(said["step"]), int(said["before"])) == (first + number_ + 1, first + number_)
        assert says_power(said["factor"], change)
        share = max(change, -limit) / limit
        assert bar.height == pytest.approx(60 * abs(share), abs=0.006)
        assert bar.top == pytest.approx(middle - 60 * max(share, 0), abs=0.051)
        assert bar.x + bar.width / 2 == pytest.approx(58 + (number_ + 0.5) * pitch, abs=0.11)
        assert bar.width <= max(pitch, 0.8) + 0.01
        assert bar.column == pytest.approx((58 + number_ * pitch, pitch, 120), abs=0.051)
    colours = {(bar.fill, change > 0) for bar, change in zip(found, changes, strict=True)}
    assert len({fill for fill, _ in colours}) == len({up for _, up in colours}) == len(colours)
    (frame,) = [rect for rect in svg.findall(f"{SVG}rect") if rect.attrib["fill"] == "none"]
    assert float(frame.attrib["x"]) + float(frame.attrib["width"]) / 2 == pytest.approx(
        58 + (shown - first - 0.5) * pitch, abs=0.11
    )
    at_side = sorted((y, text) for x, y, text in labels(svg) if x == 50)
    assert [y for y, _ in at_side] == [24, 84, 144]
    for (_, text), value in zip(at_side, (limit, 0.0, -limit), strict=True):
        assert says_power(text, value)
    assert len({text for _, text in at_side}) == 3
    assert svg.attrib["aria-label"] == chain_words(np.array(norms), first)


@pytest.mark.parametrize("steps", [1, 2, 9, 40, 100, 1000])
@pytest.mark.parametrize("first", [0, 7])
def test_steps_are_named_as_far_as_there_is_room(steps: int, first: int) -> None:
    svg = drawn(chain_picture(np.linspace(-3, 0, steps + 1), first, first + 1))
    pitch = (400 - 58 - 8) / steps
    below = sorted((x, int(text)) for x, y, text in labels(svg) if y == 157)
    assert below
    for x, step in below:
        assert x == pytest.approx(58 + (step - first - 0.5) * pitch, abs=0.06)
        assert first < step <= first + steps
    assert all(later - x >= 20 for (x, _), (later, _) in pairwise(below))


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
    said = slots(f"opened.{kind}", opened_words(trace, t))
    assert int(said["t"]) == t
    assert near(said["step"].rstrip("."), sigma(J))
    if kind == "elman":
        slopes = slopes_of(trace, t)
        assert says(said["mean"], math.fsum(slopes) / H)
        assert int(said["units"]) == H
        assert int(said["low"]) == sum(slope < 0.1 for slope in slopes)
        assert float(said["limit"]) == 0.1
        assert near(said["sigma"], sigma(digits.exact(trace.cell.W_hh)))
        return
    keeps = keeps_of(trace, t)
    assert said["gate"] == ("f" if kind == "lstm" else "1 − z" if getattr(trace.cell, "update", "") == "write" else "z")
    assert says(said["mean"], math.fsum(keeps) / H)
    assert says(said["most"], max(keeps))
    if kind == "lstm":
        for name, part in {"hh": J[:H, :H], "hc": J[:H, H:], "ch": J[H:, :H]}.items():
            assert near(said[name], sigma(part)), name
    else:
        assert near(said["rest"], sigma(J - np.diag(digits.exact(keeps))))


def near(text: str, log10: float) -> bool:
    """That number, or one so small that float64 cannot tell it from 0 beside what it was taken from."""
    return (log10 < -15 and number(text) < 1e-14) or says_power(text, log10)


@pytest.mark.parametrize(
    ("form", "formula"),
    [
        (FORMS["elman"][0], "∂h3/∂h2 = diag(1 − h3²) · Whh"),
        (FORMS["elman"][1], "∂h3/∂h2 = diag(h3(1 − h3)) · Whh"),
        (FORMS["elman"][2], "∂h3/∂h2 = diag(a3 > 0) · Whh"),
        (FORMS["elman"][3], "∂h3/∂h2 = Whh"),
        (FORMS["lstm"][0], "∂c3/∂c2 = diag(f3), and three more blocks through h"),
        (FORMS["gru"][0], "∂h3/∂h2 = diag(z3) + the ways through the gates"),
        (FORMS["gru"][3], "∂h3/∂h2 = diag(1 − z3) + the ways through the gates"),
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
    svg = drawn(opened_picture(trace, t))
    found = bars(svg)
    units, places = found[: len(shares)], found[len(shares) :]
    assert len(places) == len(singular) == trace.cell.state_size
    for unit, (bar, share) in enumerate(zip(units, shares, strict=True), start=1):
        said = slots("opened.unit", bar.title)
        assert int(said["unit"]) == unit
        assert near(said["value"], math.log10(share) if share else -math.inf)
    assert_upright(units, shares, 1.0, foot=144)
    for place, (bar, value) in enumerate(zip(places, singular, strict=True), start=1):
        said = slots("opened.direction", bar.title)
        assert int(said["place"]) == place
        assert near(said["value"], math.log10(value) if value else -math.inf)
    limit = max(1.0, singular[0], alone[0])
    assert_upright(places, singular, limit, foot=144 + 172)
    dots = [(float(dot.attrib["cx"]), float(dot.attrib["cy"])) for dot in svg.iter(f"{SVG}circle")]
    assert len(dots) == len(alone)
    for number_, ((x, y), value) in enumerate(zip(dots, alone, strict=True)):
        assert x == pytest.approx(58 + (number_ + 0.5) * 334 / len(places), abs=0.06)
        assert y == pytest.approx(144 + 172 - 120 * value / limit, abs=0.06)
    assert svg.attrib["aria-label"].endswith(opened_words(trace, t))
    side = sorted((y, number(text)) for x, y, text in labels(svg) if x == 50)
    assert [value for _, value in side[:3]] == [1.0, 0.5, 0.0]
    assert [value for _, value in side[3:]] == pytest.approx([limit, limit / 2, 0], abs=0.051)


def assert_upright(found: list[Bar], values: list[float], limit: float, foot: float) -> None:
    """Bars on a foot, 120 pixels to the limit, side by side."""
    pitch = 334 / len(values)
    for place, (bar, value) in enumerate(zip(found, values, strict=True)):
        assert bar.height == pytest.approx(120 * value / limit, abs=0.006)
        assert bar.top + bar.height == pytest.approx(foot, abs=0.06)
        assert bar.x + bar.width / 2 == pytest.approx(58 + (place + 0.5) * pitch, abs=0.11)
        assert bar.width <= pitch


@pytest.mark.parametrize("form", ALL_FORMS)
@pytest.mark.parametrize("hidden", [1, 2, 16, 64])
def test_columns_are_counted_as_far_as_there_is_room(form: tuple[type, dict[str, str]], hidden: int) -> None:
    trace = run(*make_case(form, D=1, H=hidden, T=2, seed=hidden))
    svg = drawn(opened_picture(trace, 2))
    for foot, columns in ((144, hidden), (144 + 172, trace.cell.state_size)):
        below = sorted((x, int(text)) for x, y, text in labels(svg) if y == foot + 13)
        assert below
        assert all(x == pytest.approx(58 + (place - 0.5) * 334 / columns, abs=0.06) for x, place in below)
        assert all(later - x >= 23.9 for (x, _), (later, _) in pairwise(below))


def test_a_step_that_lets_nothing_through() -> None:
    """All units of relu asleep; a cell without weights whose gates are shut."""
    asleep = run(make_cell("elman", 1, 2, activation="relu", init="identity"), [[0.0]], [-1.0, -1.0])
    assert opened_words(asleep, 1) == (
        "Step 1: slopes 0.00 in the mean, 2 of 2 units under 0.1. Largest singular value of W_hh: 1; of the whole "
        "step: 0."
    )
    shut = run(make_cell("gru", 1, 2, init="zeros"), [[0.0]], clamp=[Clamp("z", 0.0)])
    assert opened_words(shut, 1) == (
        "Step 1: z is 0.00 in the mean, 0.00 at most. Largest singular values: the gate alone 0.00, the other ways "
        "0, the whole step 0."
    )
    for trace in (asleep, shut):
        assert all(bar.height == 0 for bar in bars(drawn(opened_picture(trace, 1))))
