"""The bars of a weight's gradient: they add up to it, and what is cut off is told, against plain sums of `by_use`."""

from __future__ import annotations

import math
import re
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import ElmanCell, Gradients, bptt, make_cell, run
from rnnviz.texts import say
from rnnviz.views.lesson_words import gradient_facts, lesson_words
from rnnviz.views.uses import (
    MOST_CELLS,
    Uses,
    cut_words,
    gradient_picture,
    product_words,
    uses_error,
    uses_of,
    uses_picture,
    uses_table,
    uses_words,
)
from tests.maths.drawn import Drawn, runs
from tests.maths.twins import NAMES
from tests.views.spoken import number, slots, somewhere
from tests.views.written import says, says_power

Slots = dict[str, str]
SVG = "{http://www.w3.org/2000/svg}"


class Asked(NamedTuple):
    whole: Gradients
    cut: Gradients
    weight: str
    entry: tuple[int, ...] | None

    @property
    def uses(self) -> Uses:
        return uses_of(*self)


@st.composite
def asked(draw: st.DrawFn) -> Asked:
    drawn: Drawn = draw(runs())
    whole = bptt(*drawn)
    most, scheme = draw(st.integers(1, drawn.trace.steps)), draw(st.sampled_from(["sliding", "chunk"]))
    cut = whole if most == drawn.trace.steps else bptt(*drawn, truncation=most, scheme=scheme)
    weight = draw(st.sampled_from(list(NAMES)))
    shape = whole.weights[weight].shape
    entry = tuple(draw(st.integers(0, size - 1)) for size in shape) if draw(st.booleans()) else None
    return Asked(whole, cut, weight, entry)


def by_hand(found: Gradients, one: Asked) -> list[float]:
    """The bars from the uses themselves, each its entry or its part along the whole gradient."""
    uses = found.by_use[one.weight]
    if one.entry is not None:
        return [float(use[one.entry]) for use in uses]
    whole = one.whole.weights[one.weight]
    length = math.sqrt(sum(value * value for value in whole.ravel().tolist()))
    return [float((use * whole).sum()) / length if length else 0.0 for use in uses]


@given(asked())
def test_the_bars_add_up_to_the_gradient(one: Asked) -> None:
    uses = one.uses
    size = max(np.abs(uses.whole).sum(), np.abs(uses.cut).sum(), 1e-290)
    gradient = one.whole.weights[one.weight]
    total = float(gradient[one.entry]) if one.entry is not None else float(np.linalg.norm(gradient))
    assert abs(uses.total - total) <= 1e-12 * size
    assert abs(sum(uses.whole.tolist()) - uses.total) <= 1e-12 * size
    assert abs(sum(uses.cut.tolist()) - uses.cut_total) <= 1e-12 * size
    np.testing.assert_allclose(uses.whole, by_hand(one.whole, one), rtol=1e-9, atol=1e-12 * size)
    np.testing.assert_allclose(uses.cut, by_hand(one.cut, one), rtol=1e-9, atol=1e-12 * size)


@given(asked())
def test_what_is_said_of_them(one: Asked) -> None:
    uses, said = one.uses, uses_words(one.uses)
    if not uses.whole.any():
        cancels = one.entry is None and one.whole.by_use[one.weight].any()
        assert said == say("use.cancels" if cancels else "use.nothing", name=uses.name)
        return
    if len(uses.whole) == 1:
        assert says(slots("use.sum_of_one", said)["total"].split(" ")[-1], uses.total)
        return
    found = slots("use.sum", said)
    assert says(found["total"].split(" ")[-1], uses.total)
    assert found["steps"] == str(one.whole.backward.trace.steps)
    assert says(found["most"].rstrip("."), float(uses.whole[int(found["step"]) - 1]))
    assert abs(uses.whole[int(found["step"]) - 1]) == np.abs(uses.whole).max()
    error = abs(float(uses.whole.sum()) - uses.total)
    if error == 0:
        assert uses_error(uses) == say("use.exact")
    else:
        assert says_power(slots("use.error", uses_error(uses))["error"].rstrip("."), math.log10(error))


@given(asked())
def test_what_is_said_of_the_truncation(one: Asked) -> None:
    said = cut_words(one.uses, one.whole, one.cut)
    most = one.cut.backward.truncation
    if most is None:
        assert said == ""
        return
    key = "use.cut_by.detach" if most == 1 else f"use.cut_by.{one.cut.backward.scheme}"
    assert slots(key, said)["most"].split(" ")[0].rstrip(",") == str(most)
    u, v = (np.concatenate([found.weights[name].ravel() for name in NAMES]) for found in (one.whole, one.cut))
    told = somewhere("use.cut.angle", said)
    if told is None:
        little = somewhere("use.cut.little", said)
        assert (little is not None) == bool(u.any() and v.any())
        assert little is None or np.linalg.norm(u - v) < 1.01e-3 * np.linalg.norm(u)
        return
    cosine = float(u @ v) / (np.linalg.norm(u) * np.linalg.norm(v))
    if np.isfinite(cosine):
        assert math.degrees(math.acos(max(-1.0, min(1.0, cosine)))) == pytest.approx(number(told["angle"]), abs=0.0501)
        assert says(told["share"], float(np.linalg.norm(v) / np.linalg.norm(u)))


@given(asked())
def test_the_picture_has_a_bar_for_every_step(one: Asked) -> None:
    uses = one.uses
    svg = ElementTree.fromstring(re.search(r"<svg.*</svg>", uses_picture(uses))[0])  # type: ignore[index]
    groups = list(svg.iter(f"{SVG}g"))
    assert len(groups) == len(uses.whole)
    drawn = [group.findall(f"{SVG}rect")[1] for group in groups]
    heights = [float(bar.attrib["height"]) for bar in drawn]
    highest = max(np.abs(uses.whole).max(), np.abs(uses.cut).max())
    for bar, height, value, title in zip(drawn, heights, uses.cut, svg.iter(f"{SVG}title"), strict=True):
        if highest:
            assert height == pytest.approx(75.0 * abs(value) / highest, abs=0.01)
        if height >= 0.1:
            assert (float(bar.attrib["y"]) < 101.0 - 0.05) == (value > 0)
        key = "use.bar.cut" if uses.is_cut else "use.bar"
        assert says(slots(key, str(title.text))["cut" if uses.is_cut else "whole"], float(value))
    outlines = [rect for rect in svg.iter(f"{SVG}rect") if rect.get("class") == "whole"]
    assert len(outlines) == (len(uses.whole) if uses.is_cut else 0)


@given(asked())
def test_the_table_has_the_same_numbers(one: Asked) -> None:
    uses = one.uses
    rows = re.findall(r"<tr><th scope=\"row\">(.*?)</th>(.*?)</tr>", uses_table(uses))
    assert len(rows) == len(uses.whole) + 1
    columns = [[*uses.whole, uses.total], [*uses.cut, uses.cut_total]][: 2 if uses.is_cut else 1]
    for place, (_, cells) in enumerate(rows):
        for text, column in zip(re.findall(r"<td>(.*?)</td>", cells), columns, strict=True):
            assert says(text, float(column[place]))


@given(asked())
def test_every_entry_of_the_gradient_is_drawn(one: Asked) -> None:
    gradient = one.whole.weights[one.weight]
    found = gradient_picture(gradient, one.weight, one.entry)
    if gradient.size > MOST_CELLS:
        assert found == ""
        return
    svg = ElementTree.fromstring(re.search(r"<svg.*</svg>", found)[0])  # type: ignore[index]
    cells = svg.findall(f"{SVG}rect")
    assert len(cells) == gradient.size
    for cell, (place, value) in zip(cells, np.ndenumerate(gradient), strict=True):
        title = cell.find(f"{SVG}title")
        assert title is not None
        name, _, text = str(title.text).rpartition(" = ")
        assert name == say("use.entry", weight=one.weight, place=", ".join(str(one + 1) for one in place))
        assert says(text, float(value))
        assert ("stroke" in cell.attrib) == (place == one.entry)


# --- what holds for every gradient ----------------------------------------------------------------------------------


def facts(steps: int, gain: float, *, h0: float = 0.0) -> tuple[list[str], Gradients, list[float]]:
    """Of a linear network with one unit whose weight is `gain`, a loss at the last step."""
    cell = make_cell("elman", 1, 1, activation="identity", init="identity", gain=gain)
    trace = run(cell, np.ones((steps, 1)), [h0])
    d_h = np.zeros((steps, 1))
    d_h[-1] = 2.0
    errors = [2.0 * gain ** (steps - t) for t in range(1, steps + 1)]
    whole = bptt(trace, d_h)
    return gradient_facts(whole, np.array(errors)), whole, errors


def test_the_first_use_multiplies_the_initial_state() -> None:
    assert facts(3, 0.5)[0][1] == say("lesson.fact.zero_start")
    assert not facts(3, 0.5)[1].by_use["W_hh"][0].any()
    said, whole, _ = facts(3, 0.5, h0=0.7)
    assert says(slots("lesson.fact.start", said[1])["norm"], 2.0 * 0.25 * 0.7)
    assert whole.by_use["W_hh"][0].item() == pytest.approx(2.0 * 0.25 * 0.7)
    assert facts(1, 0.5)[0] == [say("lesson.fact.one_use"), say("lesson.fact.one_step")]
    assert not facts(1, 0.5)[1].W_hh.any()


@pytest.mark.parametrize(("gain", "key"), [(0.1, "fades"), (0.9, "stays"), (10.0, "grows")])
def test_the_norm_of_the_weights_gradient_does_not_show_what_the_errors_show(gain: float, key: str) -> None:
    said, whole, errors = facts(4, gain)
    found = slots(f"lesson.error.{key}", said[2])
    assert says(found["norm"], abs(whole.W_hh.item()))
    assert says_power(found["share"], math.log10(errors[0] / errors[-1]))
    assert str(4) in slots("lesson.fact.graph", said[0]).values()


def test_an_error_that_is_gone_at_step_1() -> None:
    said, gone, _ = facts(3, 0.0)
    assert says(slots("lesson.error.gone", said[2])["norm"], abs(gone.W_hh.item()))
    cell = make_cell("elman", 1, 1)
    whole = bptt(run(cell, np.ones((3, 1)), [0.5]), np.zeros((3, 1)))
    assert gradient_facts(whole, np.zeros(3))[1:] == [say("lesson.fact.start_lost")]  # no error, no word of it


@pytest.mark.parametrize("kind", ["squared", "cross_entropy"])
def test_what_is_to_be_learned(kind: str) -> None:
    def said(delay: int, sizes: tuple[int, int] = (2, 2), *, of_h: bool = False, value: float = 0.12346) -> Slots:
        return slots(f"loss.{kind}", lesson_words(kind, "every", delay, sizes, of_h, value))

    for delay, key in ((0, "now"), (1, "one_before")):
        assert said(delay)["target"] == say(f"lesson.target.{key}")
    seventh = say("lesson.target.before", delay=7)
    assert said(7)["target"] == seventh
    assert said(7, (1, 3))["target"] == say("lesson.target.component", target=seventh)
    assert said(7, (2, 3))["target"] == say("lesson.target.first", target=seventh, outputs=2, inputs=3)
    assert said(7, (3, 2))["target"] == say("lesson.target.repeated", target=seventh)
    assert (said(7)["y"], said(7, of_h=True)["y"]) == ("y", "h")
    assert said(7)["value"].rstrip(".") == "0.1235"
    assert said(7, value=3e-40)["value"].rstrip(".") == "3e−40"


def test_uses_that_cancel_are_not_nothing() -> None:
    """A linear unit without memory whose uses add 2 and take away 2 (W_hh = 0, errors 2 and -1, states 1 and 2)."""
    cell = ElmanCell([[1.0]], [[0.0]], [0.0], [0.0], activation="identity")
    whole = bptt(run(cell, [[1.0], [2.0], [1.5]]), [[0.0], [2.0], [-1.0]])
    assert whole.by_use["W_hh"].ravel().tolist() == [0.0, 2.0, -2.0]
    assert whole.W_hh.item() == 0.0
    uses = uses_of(whole, whole, "W_hh", None)
    assert uses_words(uses) == say("use.cancels", name=uses.name)
    entry = uses_of(whole, whole, "W_hh", (0, 0))
    assert says(slots("use.sum", uses_words(entry))["total"].split(" ")[-1], 0.0)


@pytest.mark.parametrize("size", [1e-250, 1e-40, 1e250])
def test_numbers_far_from_1_are_written_as_what_they_are(size: float) -> None:
    trace = run(make_cell("elman", 2, 3), np.ones((4, 2)))
    d_h = size * np.arange(1.0, 13.0).reshape(4, 3)
    whole, cut = bptt(trace, d_h), bptt(trace, d_h, truncation=1)
    near, near_cut = (bptt(trace, d_h / size, truncation=most) for most in (None, 1))
    uses = uses_of(whole, cut, "W_hh", None)
    total = number(slots("use.sum", uses_words(uses))["total"].split(" ")[-1])
    assert total == pytest.approx(size * float(np.linalg.norm(near.W_hh)), rel=0.1)
    found, expected = (
        somewhere("use.cut.angle", cut_words(uses_of(one, other, "W_hh", None), one, other))
        for one, other in ((whole, cut), (near, near_cut))
    )
    assert found == expected
    assert found is not None
    said = gradient_facts(whole, np.full(4, size))[2]
    assert number(slots("lesson.error.stays", said)["norm"]) == pytest.approx(total, rel=0.1)


def test_what_hardly_throws_anything_away() -> None:
    cell = ElmanCell([[1.0]], [[1e-5]], [0.0], [0.0], activation="identity")
    trace = run(cell, np.ones((5, 1)))
    whole, cut = bptt(trace, np.ones((5, 1))), bptt(trace, np.ones((5, 1)), truncation=1)
    share = somewhere("use.cut.little", cut_words(uses_of(whole, cut, "W_ih", None), whole, cut))
    assert share is not None
    one, other = (np.concatenate([found.weights[name].ravel() for name in NAMES]) for found in (whole, cut))
    assert number(share["share"]) == pytest.approx(float(np.linalg.norm(one - other) / np.linalg.norm(one)), rel=0.01)


@given(asked())
def test_the_largest_bar_is_a_product_of_two_numbers(one: Asked) -> None:
    """Of the step's own delta, which the bias of that row has for itself, and what the weight multiplies there."""
    uses, cell = one.uses, one.whole.backward.trace.cell
    said = product_words(uses, one.weight, cell)
    if one.entry is None:
        assert said == say("use.explain.whole")
        return
    if one.weight.startswith("b"):
        assert said == say("use.explain.bias")
        return
    found = slots("use.explain.x" if one.weight == "W_ih" else "use.explain.h", said)
    step, (row, column) = int(found["step"]), one.entry
    assert (found["row"], found["column"]) == (str(row + 1), str(column + 1))
    trace = one.whole.backward.trace
    other = (trace.x if one.weight == "W_ih" else trace.h)[step - 1, column]
    if found.get("state") == "(r·h)":
        assert cell.gate_names[row // cell.hidden_size] == "n"
        other = other * trace.gates["r"][step - 1, column]
    assert says(found["other"], float(other))
    delta = one.whole.by_use["b_ih" if one.weight == "W_ih" else "b_hh"][step - 1, row]  # a bias multiplies 1
    assert says(found["delta"], float(delta))
    assert says(found["bar"].rstrip(",").split(",")[0], float(uses.whole[step - 1]))
