"""The phase portrait: its sentences for every case, its numbers, and an SVG that is read back as XML."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import ElmanCell, Trace, run
from rnnviz.maths.fixed_points import FixedPointSearch, search_fixed_points
from rnnviz.presets import HIDDEN_STATE, build, walk
from rnnviz.settings import Settings
from rnnviz.texts.en import TEXTS
from rnnviz.views.phase import phase_legend, phase_notes, phase_portrait
from rnnviz.views.phase_words import fixed_point_table, fixed_points_said, path_table
from tests.maths.drawn import FORMS, Case, cases
from tests.views.spoken import number, slots

SVG = "{http://www.w3.org/2000/svg}"


def without_input(W: object, b: object, activation: str = "tanh", h0: object = None, steps: int = 6) -> Trace:
    cell = ElmanCell(np.zeros((len(b), 1)), W, b, np.zeros(len(b)), activation=activation)
    return run(cell, np.zeros((steps, 1)), h0)


def said_of(trace: Trace) -> str:
    return fixed_points_said(search_fixed_points(trace.cell), 0, 1)


def then(key: str, text: str, following: str) -> dict[str, str]:
    """The slots of a sentence that stands somewhere after the first one."""
    slots(key, text)
    for end in re.finditer(r"\. ", text):
        with suppress(AssertionError):
            return slots(following, text[end.end() :])
    raise AssertionError(f"not said with {following}: {text}")


def preset(name: str) -> Trace:
    return walk(build(Settings(name))).trace


# --- sentences ------------------------------------------------------------------------------------------------------


def test_the_oscillator_has_a_repeller_in_its_middle() -> None:
    """1.2 > 1, and a turn of 30 degrees; a nudge doubles every ln 2 / ln 1.2 steps."""
    text = said_of(preset("oscillator"))
    assert slots("phase.only.repeller", text) == {"a": "0.00", "b": "0.00"}
    nudge = then("phase.only.repeller", text, "phase.nudge.doubles")
    assert nudge == {"radius": "1.20", "steps": f"{math.log(2) / math.log(1.2):.1f}"}
    assert then("phase.only.repeller", text, "phase.turn") == {"angle": "30.0"}


def test_an_attractor_says_how_fast_a_nudge_fades() -> None:
    text = said_of(without_input([[0.83, 0.0], [0.0, 0.2]], [0.17 * 2.0, -0.8], "identity"))
    assert slots("phase.only.attractor", text) == {"a": "2.00", "b": "−1.00"}
    nudge = then("phase.only.attractor", text, "phase.nudge.halves")
    assert nudge == {"radius": "0.83", "steps": "3.7"}


def test_a_nudge_that_is_gone_at_once() -> None:
    text = said_of(without_input(np.zeros((2, 2)), [0.1, 0.2]))
    assert then("phase.only.attractor", text, "phase.nudge.gone") == {"radius": "0.00"}


def test_a_saddle_says_in_how_many_directions_it_grows() -> None:
    text = said_of(without_input(np.diag([2.0, 0.5, 0.5]), np.zeros(3), "identity"))
    nudge = then("phase.only.saddle", text, "phase.nudge.some")
    assert nudge == {"radius": "2.00", "unstable": "1", "units": "3", "steps": "1.0"}


def test_several_attractors() -> None:
    """Two uncoupled units with three solutions each."""
    text = said_of(without_input(2 * np.eye(2), np.zeros(2)))
    several = slots("phase.found.several", text)
    assert several["count"] == "9"
    assert several["kinds"] == "4 attractors, 4 saddles and 1 repeller"
    assert TEXTS["phase.choice"] in text


def test_none_that_attracts() -> None:
    text = said_of(preset("chaotic"))
    assert slots("phase.found.several", text) == {"count": "3", "kinds": "3 saddles"}
    assert TEXTS["phase.restless"] in text


def test_lines_planes_and_nothing() -> None:
    """A linear network with an eigenvalue of one, twice, and one that is pushed along it."""
    slots("phase.found.line", said_of(without_input(np.diag([1.0, 0.5]), [0.0, 1.0], "identity")))
    assert slots("phase.found.flat", said_of(without_input(np.eye(2), [0, 0], "identity"))) == {"count": "2"}
    slots("phase.found.none", said_of(without_input(np.diag([1.0, 0.5]), [0.1, 1.0], "identity")))
    assert slots("phase.found.lines", said_of(preset("counter")))["count"] == "2"


def test_borderline_cases_say_why() -> None:
    touching = said_of(without_input(np.diag([1.0, 0.5]), [0.0, 0.0]))
    then("phase.only.borderline", touching, "phase.nudge.one")
    kink = said_of(without_input(np.diag([0.5, 0.5]), [0.0, 0.0], "relu"))
    then("phase.only.borderline", kink, "phase.nudge.edge")
    turned = search_fixed_points(without_input([[-1.0, 0.0], [0.0, 2.0]], [0.0, 0.0], "identity").cell)
    assert then("phase.only.borderline", fixed_points_said(turned, 0, 1), "phase.nudge.mixed") == {"radius": "2.00"}


def test_starts_that_arrived_nowhere_are_told() -> None:
    text = fixed_points_said(FixedPointSearch((), (), 50, 7), 0, 1)
    assert then("phase.found.none", text, "phase.failed") == {"failed": "7", "starts": "50"}


def test_the_projection_is_named() -> None:
    two, three = without_input(np.eye(2) / 2, [0, 0]), without_input(np.eye(3) / 2, [0, 0, 0])
    slots("phase.field", phase_notes(two, 0, 1, search_fixed_points(two.cell), np.zeros(1)))
    said = phase_notes(three, 0, 1, search_fixed_points(three.cell), np.zeros(1))
    assert slots("phase.projection", said) == {"units": "3"}


@pytest.mark.parametrize(
    ("x", "held", "differs"), [([0, 1], 0, True), ([1, 1], 0, True), ([1, 1], 1, False), ([0, 0], 0, False)]
)
def test_a_held_input_that_is_not_that_of_the_path_is_told(x: list[float], held: float, differs: bool) -> None:
    """A constant input moves nothing, and yet the fixed points under zero are not its own."""
    cell = ElmanCell(np.ones((2, 1)), np.eye(2) / 2, np.zeros(2), np.zeros(2))
    u = np.array([float(held)])
    notes = phase_notes(run(cell, np.array(x, dtype=float)[:, None]), 0, 1, search_fixed_points(cell, u), u)
    assert (TEXTS["phase.moving"] in notes) is differs


# --- the picture ----------------------------------------------------------------------------------------------------


def drawn(trace: Trace, t: int = 1, a: int = 0, b: int = 1) -> ElementTree.Element:
    search = search_fixed_points(trace.cell)
    return ElementTree.fromstring(phase_portrait(trace, a, b, search, np.zeros(trace.cell.input_size), t))


def titles(svg: ElementTree.Element) -> list[str]:
    return [title.text or "" for title in svg.iter(f"{SVG}title")]


def kinds(svg: ElementTree.Element) -> list[str]:
    return [group.get("data-kind", "") for group in svg.iter(f"{SVG}g") if group.get("data-kind")]


def test_every_state_and_fixed_point_says_its_numbers() -> None:
    trace = preset("oscillator")
    svg = drawn(trace, t=9)
    states = [slots("phase.state", text) for text in titles(svg) if text.startswith("step")]
    assert [int(state["t"]) for state in states] == list(range(37))
    shown = [[number(state["a"]), number(state["b"].rstrip(")"))] for state in states]
    np.testing.assert_allclose(shown, trace.h, atol=0.51e-4)
    (point,) = [text for text in titles(svg) if not text.startswith("step")]
    assert point.endswith("= 1.039\u00a0±\u00a00.600i")
    assert kinds(svg) == ["repeller"]
    assert "t = 9" in [text.text for text in svg.iter(f"{SVG}text")]


def test_places_follow_the_numbers() -> None:
    """Unit a to the right, unit b upwards; the marked step is ringed."""
    trace = without_input(np.diag([0.9, 0.5, 0.2]), np.zeros(3), "tanh", [-0.8, 0.3, 0.6])
    for a, b in ((0, 1), (2, 0)):
        svg = drawn(trace, a=a, b=b)
        small = [dot for dot in svg.iter(f"{SVG}circle") if dot.get("r") == "2.6"]
        dots = np.array([[float(dot.get(axis, "")) for axis in ("cx", "cy")] for dot in small])
        h = trace.h[:, [a, b]]
        scale = np.diff(dots[:2, 0])[0] / np.diff(h[:2, 0])[0]
        assert scale > 0
        np.testing.assert_allclose(np.diff(dots, axis=0), np.diff(h, axis=0) * [scale, -scale], atol=0.11)
        (ring,) = [one for one in svg.iter(f"{SVG}circle") if one.get("r") == "9"]
        assert [float(ring.get("cx", "")), float(ring.get("cy", ""))] == dots[1].tolist()


def test_arrows_stand_for_two_units_alone_and_follow_the_map() -> None:
    """Under W = 0.5 I every arrow points to the middle."""
    svg = drawn(without_input(0.5 * np.eye(2), [0.0, 0.0], "identity", [1.0, 1.0]))
    (field,) = [path for path in svg.iter(f"{SVG}path") if path.get("stroke-width") == "1.1"]
    places = re.findall(r"M(\S+) (\S+)L(\S+) (\S+)M", field.get("d", ""))
    assert len(places) > 60
    ends = np.array(places, dtype=float)
    (point,) = [group for group in svg.iter(f"{SVG}g") if group.get("data-kind")]
    middle = [float(point.find(f"{SVG}circle").get(axis, "")) for axis in ("cx", "cy")]
    before, behind = np.hypot(*(ends[:, :2] - middle).T), np.hypot(*(ends[:, 2:] - middle).T)
    assert (behind < before + 0.2)[before > 12].all()
    three = drawn(without_input(0.5 * np.eye(3), [0.0, 0.0, 0.0]))
    assert [path for path in three.iter(f"{SVG}path") if path.get("stroke-width") == "1.1"] == []


@pytest.mark.parametrize("name", list(HIDDEN_STATE))
def test_every_preset_is_drawn(name: str) -> None:
    trace = preset(name)
    svg = drawn(trace, t=trace.steps)
    assert svg.get("role") == "img"
    assert f"{trace.steps} steps" in svg.get("aria-label", "")
    assert "nan" not in ElementTree.tostring(svg, encoding="unicode")


@given(cases(FORMS["elman"], shifts=(0.0, 800.0), max_steps=9), st.sampled_from([0.0, 1.0, 1e8]))
def test_any_network_is_drawn(case: Case, gain: float) -> None:
    """A picture without nan, a sentence, a legend and tables for whatever the weights are."""
    cell = case.cell
    if cell.hidden_size == 1:
        return
    cell = ElmanCell(cell.W_ih, gain * cell.W_hh, cell.b_ih, cell.b_hh, activation=vars(cell)["activation"])
    trace, search = run(cell, case.x, case.h0), search_fixed_points(cell, case.x[0])
    svg = phase_portrait(trace, 1, 0, search, case.x[0], 1)
    ElementTree.fromstring(svg)
    assert not re.search(r"[ \"(](nan|inf|-inf)\b", svg)
    assert fixed_points_said(search, 1, 0)
    ElementTree.fromstring(phase_legend(search, 1))
    ElementTree.fromstring(path_table(trace, 1, 0))


@pytest.mark.parametrize("size", [0.0, 5e-324, 1e-9, 1e12, 1.7e308])
def test_states_of_any_size(size: float) -> None:
    svg = drawn(without_input(-np.eye(2), [0.0, 0.0], "identity", [size, -size]))
    assert len(titles(svg)) == 8


# --- tables ---------------------------------------------------------------------------------------------------------


def cells(html: str) -> list[list[str]]:
    return [
        ["".join(cell.itertext()) for cell in row] for row in ElementTree.fromstring(f"<div>{html}</div>").iter("tr")
    ]


def test_the_table_has_the_numbers_of_the_picture() -> None:
    search = search_fixed_points(without_input(2 * np.eye(2), np.zeros(2)).cell)
    head, *rows = cells(fixed_point_table(search, 1, 0))
    assert head[2:4] == ["h of unit 2", "h of unit 1"]
    for row, point in zip(rows, search.points, strict=True):
        assert [number(row[2]), number(row[3])] == pytest.approx([point.h[1], point.h[0]], abs=1e-4)
        assert number(row[4]) == pytest.approx(point.radius, abs=1e-3)
    assert [row[0] for row in rows] == [str(place) for place in range(1, 10)]


def test_a_long_table_is_cut_and_says_so() -> None:
    html = fixed_point_table(search_fixed_points(without_input(2 * np.eye(4), np.zeros(4)).cell), 0, 1)
    assert len(cells(html)) == 25
    assert TEXTS["phase.more"].format(count=81 - 24) in html


def test_no_point_no_table() -> None:
    assert fixed_point_table(FixedPointSearch((), (), 1, 0), 0, 1) == ""


def test_the_path_begins_at_the_start() -> None:
    trace = preset("oscillator")
    head, *rows = cells(path_table(trace, 0, 1))
    assert len(head) == 3
    assert rows[0] == ["0", "0.6000", "0.0000"]
    assert len(rows) == 37
