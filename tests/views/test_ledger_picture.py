"""The memory ledger on the page: its sentence, its bars and lines, its table, against plain sums over the trace."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rnnviz import Ledger, Trace, memory_ledger, run
from rnnviz.presets import build, walk
from rnnviz.settings import Settings
from rnnviz.texts import say
from rnnviz.views.ledger import ledger_error, ledger_picture, ledger_table, ledger_words
from tests.maths.drawn import FORMS, cases, clamps_for, make_case
from tests.views.spoken import number, slots
from tests.views.test_gate_facts import Memory, left, letters, memory
from tests.views.written import says, says_share

GATED = [*FORMS["lstm"], *FORMS["gru"]]
SVG = "{http://www.w3.org/2000/svg}"
NAMED = 6  # writes that the table names

Point = tuple[float, float]


class Asked(NamedTuple):
    """A trace with the unit and the step that the page asks for, and the same run with no gate held."""

    trace: Trace
    unit: int
    t: int
    free: Trace

    @property
    def ledger(self) -> Ledger:
        return memory_ledger(self.trace, self.t)

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
    """Any gated cell, gates held or not, any unit at any step."""
    case = draw(cases(GATED, shifts=(0.0, 30.0), max_steps=14))
    trace = run(*case, clamp=draw(st.lists(clamps_for(case), max_size=3)))
    return Asked(trace, draw(st.integers(0, len(case.h0) - 1)), draw(st.integers(1, len(case.x))), run(*case))


def latched(t: int = 100) -> Asked:
    """The preset of the LSTM page."""
    trace = walk(build(Settings("latch", kind="lstm"))).trace
    return Asked(trace, 0, t, trace)


# --- in words -------------------------------------------------------------------------------------------------------


@given(asked())
@example(latched())
@example(latched(2))
def test_the_sentence_says_who_wrote_what(one: Asked) -> None:
    said = slots("ledger.words", ledger_words(one.ledger, one.trace, one.unit, one.t))
    assert (said["symbol"], int(said["unit"]), int(said["t"])) == (letters(one.trace)[0], one.unit + 1, one.t)
    start, *writes = one.parts
    value = one.memory.values[one.t]
    assert says(said["value"], value)
    assert (said["sign"] == "=") == math.isclose(number(said["value"]), value, rel_tol=1e-12, abs_tol=1e-12)
    step = int(said["step"])
    assert abs(writes[step - 1]) >= max(map(abs, writes)) * (1 - 1e-12)
    assert says(said["start"], start)
    assert says(said["write"], writes[step - 1])
    assert says(said["rest"], math.fsum([*writes, -writes[step - 1]]))
    assert says_share(said["share"], one.shares[step]) or one.shares[step] == pytest.approx(1.0, abs=1e-14)


@given(asked())
@example(latched())
def test_the_ledger_adds_up_and_says_how_exactly(one: Asked) -> None:
    """The largest difference of all units: rounding alone."""
    said = slots("ledger.error", ledger_error(one.ledger, one.trace, one.t))
    assert (said["symbol"], int(said["t"])) == (letters(one.trace)[0], one.t)
    error = number(said["error"].rstrip("."))
    assert 0 <= error < 1e-13
    assert math.fsum(one.parts) == pytest.approx(one.memory.values[one.t], rel=0, abs=1e-13)


def test_a_ledger_of_another_run_does_not_add_up() -> None:
    """So that the sentence can be believed."""
    case = make_case(GATED[0], D=2, H=3, T=6, seed=1)
    trace, other = run(*case), run(*make_case(GATED[0], D=2, H=3, T=6, seed=2))
    said = slots("ledger.error", ledger_error(memory_ledger(other), trace, 6))
    state = [sum(Asked(other, unit, 6, other).parts) for unit in range(3)]
    # kept and writes are the other run's, the start is this one's
    starts = [
        math.prod(memory(other, u).keeps) * (memory(trace, u).values[0] - memory(other, u).values[0]) for u in range(3)
    ]
    wanted = max(abs(state[u] + starts[u] - memory(trace, u).values[6]) for u in range(3))
    assert number(said["error"].rstrip(".")) == pytest.approx(wanted, rel=0.01)


# --- as a picture ---------------------------------------------------------------------------------------------------


class Bar(NamedTuple):
    """One bar with the column that is pointed at, in pixels."""

    title: str
    column: dict[str, float]
    x: float
    y: float
    width: float
    height: float
    fill: str


def numbers(element: ElementTree.Element) -> dict[str, float]:
    return {name: float(element.attrib[name]) for name in ("x", "y", "width", "height")}


def bars(svg: ElementTree.Element) -> list[Bar]:
    found = []
    for group in svg.iter(f"{SVG}g"):
        title = group.find(f"{SVG}title")
        column, bar = group.findall(f"{SVG}rect")
        assert title is not None
        assert title.text
        assert column.attrib["fill"] == "transparent"
        found.append(Bar(title.text, numbers(column), **numbers(bar), fill=bar.attrib["fill"]))
    return found


def lines(svg: ElementTree.Element) -> list[tuple[list[Point], ElementTree.Element]]:
    """The polylines, each with its points."""
    return [
        ([(float(x), float(y)) for x, y in re.findall(r"([-\d.]+),([-\d.]+)", line.attrib["points"])], line)
        for line in svg.iter(f"{SVG}polyline")
    ]


def drawn(one: Asked, *, with_free: bool = False) -> ElementTree.Element:
    text = ledger_picture(one.ledger, one.trace, one.unit, one.t, one.free if with_free else None)
    (svg,) = ElementTree.fromstring(text)  # within its frame
    return svg


def texts(svg: ElementTree.Element) -> list[str]:
    return [text.text or "" for text in svg.iter(f"{SVG}text")]


@given(asked())
@example(latched())
def test_the_bars_are_as_high_as_the_writes_are_large(one: Asked) -> None:
    """In proportion, upwards from a common line where they add and downwards where they take away."""
    found, parts = bars(drawn(one)), one.parts
    assert len(found) == one.t + 1
    largest = max(map(abs, parts))
    middle = found[0].column["y"] + found[0].column["height"] / 2
    full = found[0].column["height"] / 2
    assert max(bar.height for bar in found) == pytest.approx(full if largest else 0, abs=0.01)
    for bar, part in zip(found, parts, strict=True):
        assert bar.height == pytest.approx(full * abs(part) / (largest or 1), abs=0.011)
        end = bar.y if part > 0 else bar.y + bar.height
        assert end == pytest.approx(middle - full * part / (largest or 1), abs=0.11)
    colours = {(bar.fill, part > 0) for bar, part in zip(found, parts, strict=True) if abs(part) > 1e-300}
    assert len({fill for fill, _ in colours}) == len({positive for _, positive in colours}) == len(colours)


@given(asked())
@example(latched())
def test_each_bar_stands_in_its_own_column(one: Asked) -> None:
    """Columns side by side, one for the start and one for each step of the trace; all of a column can be pointed at."""
    found = bars(drawn(one))
    pitch = found[0].column["width"]
    assert pitch * (one.trace.steps + 1) == pytest.approx(796, abs=0.01 * (one.trace.steps + 1))
    for step, bar in enumerate(found):
        assert bar.column["x"] == pytest.approx(found[0].column["x"] + step * 796 / (one.trace.steps + 1), abs=0.11)
        assert bar.x >= bar.column["x"] - 0.11
        assert bar.x + bar.width <= bar.column["x"] + pitch + 0.11
        assert bar.x + bar.width / 2 == pytest.approx(bar.column["x"] + pitch / 2, abs=0.11)


@given(asked())
@example(latched())
def test_what_is_pointed_at_says_its_numbers(one: Asked) -> None:
    for step, (bar, part, share) in enumerate(zip(bars(drawn(one)), one.parts, one.shares, strict=True)):
        said = slots("ledger.bar" if step else "ledger.bar.start", bar.title)
        assert not step or int(said["step"]) == step
        assert says(said["left"], part)
        percentage = bar.title.rpartition(", ")[2]
        assert says_share(percentage, share) or share == pytest.approx(1.0, abs=1e-14)


@given(asked(), st.booleans())
def test_the_lines_are_the_survival_and_the_memory(one: Asked, with_free: bool) -> None:
    """The survival from the foot of the bars, nothing, to their head, all; the memory on a scale of its own."""
    svg = drawn(one, with_free=with_free)
    (survival, _), *memories = lines(svg)
    top = bars(svg)[0].column["y"]
    assert len(survival) == one.t + 1
    for (_, y), share in zip(survival, one.shares, strict=True):
        assert y == pytest.approx(top + 150 * (1 - share), abs=0.06)
    values = [one.memory.values, *([memory(one.free, one.unit).values] if with_free else [])]
    assert [("stroke-dasharray" in line.attrib) for _, line in memories] == [False, True][: len(values)]
    limit = max(abs(value) for line in values for value in line) or 1.0
    middle = top + 150 + 40 + 48
    for (points, _), line in zip(memories, values, strict=True):
        assert len(points) == one.trace.steps + 1
        for (x, y), value, step in zip(points, line, range(len(points)), strict=True):
            assert y == pytest.approx(middle - 48 * value / limit, abs=0.06)
            assert x == pytest.approx(58 + 796 * (step + 0.5) / (one.trace.steps + 1), abs=0.06)
    (marker,) = [line for line in svg.iter(f"{SVG}line") if line.attrib["x1"] == line.attrib["x2"]]
    assert float(marker.attrib["x1"]) == pytest.approx(memories[0][0][one.t][0], abs=0.06)


@given(asked(), st.booleans())
def test_the_picture_has_its_sentence_and_names_its_lines(one: Asked, with_free: bool) -> None:
    svg, symbol = drawn(one, with_free=with_free), letters(one.trace)[0]
    words = ledger_words(one.ledger, one.trace, one.unit, one.t), ledger_error(one.ledger, one.trace, one.t)
    assert svg.attrib["aria-label"] == " ".join(words)
    assert svg.attrib["role"] == "img"
    key = "ledger.memory.free" if with_free else "ledger.memory"
    assert {say("ledger.bars", t=one.t), say(key, symbol=symbol, unit=one.unit + 1)} <= set(texts(svg))
    assert {"0 %", "50 %", "100 %"} <= set(texts(svg))


@pytest.mark.parametrize("steps", [1, 2, 14, 60, 500])
def test_steps_are_named_as_far_as_there_is_room(steps: int) -> None:
    """Step 1 always, no two on top of each other."""
    trace = run(*make_case(GATED[1], D=1, H=2, T=steps, seed=0))
    svg = drawn(Asked(trace, 1, steps, trace))
    below = [text for text in svg.iter(f"{SVG}text") if text.attrib["y"] == "187.0"]
    named = {int(text.text): float(text.attrib["x"]) for text in below if text.text and text.text.isdigit()}
    assert 1 in named
    assert max(named) <= steps
    places = sorted(float(text.attrib["x"]) for text in below)
    wide = [later - x for x, later in pairwise(places)]
    assert all(gap >= (12 if steps == 500 else 24) for gap in wide), wide
    for step, x in named.items():
        assert x == pytest.approx(58 + 796 * (step + 0.5) / (steps + 1), abs=0.06)


# --- as a table -----------------------------------------------------------------------------------------------------


def rows(one: Asked) -> tuple[str, list[list[str]]]:
    """The caption, and the cells of every row of the body."""
    region = ElementTree.fromstring(ledger_table(one.ledger, one.trace, one.unit))
    caption = region.find("table/caption")
    assert caption is not None
    assert len(region.findall("table/thead/tr/th")) == 3
    return caption.text or "", [[cell.text or "" for cell in row] for row in region.findall("table/tbody/tr")]


@given(asked())
@example(latched())
@example(latched(NAMED))
@example(latched(NAMED + 1))
def test_the_tables_contributions_add_up_to_the_state(one: Asked) -> None:
    caption, body = rows(one)
    assert say("ledger.table", symbol=letters(one.trace)[0], unit=one.unit + 1) == caption
    shown = [number(row[2]) for row in body]
    assert math.fsum(shown) == pytest.approx(one.memory.values[one.t], abs=0.5001e-4 * len(shown))


@given(asked())
@example(latched())
@example(latched(NAMED))
@example(latched(NAMED + 1))
def test_the_table_names_the_largest_writes_in_the_order_of_time(one: Asked) -> None:
    _, (start, *body) = rows(one)
    assert start[0] == say("ledger.start")
    others = body.pop() if one.t > NAMED else None
    named = [int(row[0]) for row in body]
    assert len(named) == min(one.t, NAMED)
    assert named == sorted(set(named))
    unnamed = [abs(one.parts[step]) for step in range(1, one.t + 1) if step not in named]
    assert min(abs(one.parts[step]) for step in named) >= max(unnamed, default=0.0) * (1 - 1e-12)
    for step, (_, share, contributes) in zip((0, *named), (start, *body), strict=True):
        assert says_share(share, one.shares[step]) or one.shares[step] == pytest.approx(1.0, abs=1e-14)
        assert says(contributes, one.parts[step])
    if others is not None:
        assert others[0] == say("ledger.others", count=one.t - NAMED)
        assert others[1] == ""
        rest = math.fsum(one.parts[step] for step in range(1, one.t + 1) if step not in named)
        assert says(others[2], rest)
