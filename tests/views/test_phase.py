"""The phase portrait: its sentences for every case, its tables, and a figure tested against the run's own arrays."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import ElmanCell, Trace, run
from rnnviz.maths.checks import Array
from rnnviz.maths.dynamics.endings import Endings, find_endings
from rnnviz.maths.dynamics.fixed_points import FixedPointSearch, search_fixed_points
from rnnviz.network import build, network_of, run_network
from rnnviz.presets import HIDDEN_STATE
from rnnviz.settings import Settings
from rnnviz.texts.en import TEXTS
from rnnviz.views.charts.phase import phase_portrait, window_of
from rnnviz.views.sentences.phase import endings_said, fixed_points_said, path_columns, phase_notes, point_columns
from tests.maths.drawn import FORMS, Case, cases
from tests.views.spoken import number, slots

NONE = Endings((), 1, 1, 0, np.empty(0), -1.0, 1.0)


def without_input(W: object, b: object, activation: str = "tanh", h0: object = None, steps: int = 6) -> Trace:
    cell = ElmanCell(np.zeros((len(b), 1)), W, b, np.zeros(len(b)), activation=activation)  # type: ignore[arg-type]
    return run(cell, np.zeros((steps, 1)), h0)  # type: ignore[arg-type]


def elman(trace: Trace) -> ElmanCell:
    assert isinstance(trace.cell, ElmanCell)
    return trace.cell


def said_of(trace: Trace) -> str:
    return fixed_points_said(search_fixed_points(trace.cell), 0, 1)


def ends_of(trace: Trace) -> str:
    return endings_said(trace, search_fixed_points(trace.cell), find_endings(elman(trace)))


def then(key: str, text: str, following: str) -> dict[str, str]:
    """The slots of a sentence that stands somewhere after the first one."""
    slots(key, text)
    for end in re.finditer(r"[.:] ", text):
        with suppress(AssertionError):
            return slots(following, text[end.end() :])
    raise AssertionError(f"not said with {following}: {text}")


def preset(name: str) -> Trace:
    return run_network(build(network_of(Settings(name)))).trace


# --- what was found -------------------------------------------------------------------------------------------------


def test_the_oscillator_has_a_repeller_in_its_middle() -> None:
    """1.2 > 1, and a turn of 30 degrees; a perturbation doubles every ln 2 / ln 1.2 steps."""
    text = said_of(preset("oscillator"))
    assert slots("phase.only.repeller", text) == {"a": "0", "b": "0"}
    said = then("phase.only.repeller", text, "phase.perturb.doubles")
    assert said == {"radius": "1.2", "steps": f"{math.log(2) / math.log(1.2):.3f}"}
    assert then("phase.only.repeller", text, "phase.turn") == {"angle": "30"}


def test_a_doubling_within_a_step_is_told_as_a_factor() -> None:
    text = said_of(without_input(np.diag([5.5, 3.0]), [0.0, 0.0], "identity"))
    assert then("phase.only.repeller", text, "phase.perturb.grows") == {"radius": "5.5"}


def test_an_attractor_says_how_fast_a_perturbation_shrinks() -> None:
    text = said_of(without_input([[0.83, 0.0], [0.0, 0.2]], [0.17 * 2.0, -0.8], "identity"))
    assert slots("phase.only.attractor", text) == {"a": "2", "b": "−1"}
    said = then("phase.only.attractor", text, "phase.perturb.halves")
    assert said == {"radius": "0.83", "steps": "3.72"}
    quick = said_of(without_input(np.diag([0.3, 0.1]), [0.0, 0.0], "identity"))
    assert then("phase.only.attractor", quick, "phase.perturb.shrinks") == {"radius": "0.3"}


@pytest.mark.parametrize("seed", range(10))
def test_a_perturbation_does_what_the_sentence_says(seed: int) -> None:
    """Long runs beside the fixed point: the steps in which the distance halves, by the network's own run."""
    drawn = np.random.default_rng(seed).standard_normal((3, 3))
    W = drawn + drawn.T  # real eigenvalues, so the distance shrinks evenly
    W *= 0.85 / np.abs(np.linalg.eigvalsh(W)).max()
    trace = without_input(W, [0.1, -0.2, 0.3], "identity")
    said = then("phase.only.attractor", said_of(trace), "phase.perturb.halves")
    (point,) = search_fixed_points(trace.cell).points
    h = run(trace.cell, np.zeros((121, 1)), point.h + 1.0).h
    far = np.linalg.norm(h - point.h, axis=1)
    assert number(said["steps"]) == pytest.approx(math.log(2) * 40 / math.log(far[80] / far[120]), rel=0.02)


def test_a_perturbation_that_is_gone_at_once() -> None:
    text = said_of(without_input(np.zeros((2, 2)), [0.1, 0.2]))
    assert then("phase.only.attractor", text, "phase.perturb.gone") == {"units": "2"}


def test_a_saddle_says_in_how_many_directions_it_grows() -> None:
    text = said_of(without_input(np.diag([2.0, 0.5, 0.5]), np.zeros(3), "identity"))
    said = then("phase.only.saddle", text, "phase.perturb.some")
    assert said == {"radius": "2", "unstable": "1", "units": "3"}


def test_several_attractors() -> None:
    """Two uncoupled units with three solutions each."""
    text = said_of(without_input(2 * np.eye(2), np.zeros(2)))
    several = slots("phase.several", text)
    assert several["count"] == "9"
    assert several["kinds"] == "4 attractors, 4 saddles and 1 repeller"
    assert TEXTS["phase.choice"] in text


def test_none_that_attracts() -> None:
    text = said_of(preset("chaotic"))
    assert slots("phase.several", text) == {"count": "3", "kinds": "3 saddles"}
    assert TEXTS["phase.unstable"] in text


@pytest.mark.parametrize(
    ("key", "W", "b", "activation"),
    [
        ("phase.flat.line", np.diag([1.0, 0.5]), [0.0, 1.0], "identity"),
        ("phase.flat.part_of_line", np.diag([1.0, 0.5]), [0.0, 1.0], "relu"),
        ("phase.flat.plane", np.diag([1.0, 1.0, 0.5]), [0.0, 0.0, 1.0], "identity"),
        ("phase.flat.part_of_plane", np.diag([1.0, 1.0, 0.5]), [0.0, 0.0, 1.0], "relu"),
        ("phase.flat.more", np.diag([1.0, 1.0, 1.0, 0.5]), [0.0, 0.0, 0.0, 1.0], "relu"),
        ("phase.flat.everything", np.eye(2), [0.0, 0.0], "identity"),
        ("phase.flat.region", np.eye(2), [0.0, 0.0], "relu"),
        ("phase.none.proved", np.diag([1.0, 0.5]), [0.1, 1.0], "identity"),
        ("phase.none.proved", np.diag([1.0, 0.5]), [0.1, 1.0], "relu"),
    ],
)
def test_lines_planes_and_nothing(key: str, W: Array, b: list[float], activation: str) -> None:
    slots(key, said_of(without_input(W, b, activation)))


def test_pieces_of_lines_are_counted() -> None:
    assert slots("phase.flat.lines", said_of(preset("counter"))) == {"count": "2"}


def test_a_point_beside_a_line_is_told() -> None:
    """Unit 1 keeps any number while unit 2 is off; where unit 2 is at 1 it pushes unit 1 to 0."""
    trace = without_input([[1.0, -1.0], [0.0, 2.0]], [0.0, -1.0], "relu")
    said = then("phase.flat.part_of_line", said_of(trace), "phase.isolated")
    assert said["kinds"] == "1 saddle"
    (point,) = search_fixed_points(trace.cell).points
    assert point.h.tolist() == [0.0, 1.0]


def test_states_beside_a_line_approach_it_or_leave_it() -> None:
    inwards = said_of(without_input(np.diag([1.0, 0.5]), [0.0, 1.0], "identity"))
    assert then("phase.flat.line", inwards, "phase.across.in") == {"radius": "0.5"}
    outwards = said_of(without_input(np.diag([1.0, -1.5]), [0.0, 1.0], "identity"))
    assert then("phase.flat.line", outwards, "phase.across.out") == {"radius": "1.5"}
    sheared = said_of(without_input([[1.0, 1.0], [0.0, 1.0]], [0.0, 0.0], "identity"))
    assert sheared == TEXTS["phase.flat.line"]  # beside the line all drift along it for ever


def test_undecided_cases_say_why() -> None:
    touching = said_of(without_input(np.diag([1.0, 0.5]), [0.0, 0.0]))
    then("phase.only.borderline", touching, "phase.perturb.one")
    kink = said_of(without_input(np.diag([0.5, 0.5]), [0.0, 0.0], "relu"))
    then("phase.only.borderline", kink, "phase.perturb.edge")
    turned = search_fixed_points(without_input([[-1.0, 0.0], [0.0, 2.0]], [0.0, 0.0], "identity").cell)
    assert then("phase.only.borderline", fixed_points_said(turned, 0, 1), "phase.perturb.mixed") == {"radius": "2"}


def test_a_linear_step_of_modulus_1_is_neutral() -> None:
    """A rotation keeps every length; a small perturbation is followed for a million steps by squaring."""
    rotation = preset("rotation")
    text = said_of(rotation)
    then("phase.only.neutral", text, "phase.perturb.neutral")
    then("phase.only.neutral", text, "phase.turn")
    many = np.linalg.matrix_power(rotation.cell.W_hh, 1 << 20)
    assert np.linalg.svd(many)[1] == pytest.approx([1.0, 1.0], abs=1e-6)
    part = said_of(without_input(np.diag([-1.0, 0.5]), [0.0, 0.0], "identity"))
    assert then("phase.only.neutral", part, "phase.perturb.neutral.part") == {"count": "1", "units": "2"}


def test_a_turn_with_too_few_eigenvectors_is_not_neutral() -> None:
    """Twice the eigenvalues of a quarter turn, coupled: a perturbation grows in proportion to the steps."""
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    W = np.block([[turn, np.eye(2)], [np.zeros((2, 2)), turn]])
    assert np.linalg.norm(np.linalg.matrix_power(W, 1000), 2) > 999
    (point,) = search_fixed_points(without_input(W, [0.0] * 4, "identity").cell).points
    assert point.kind == "borderline"


# --- where starts end -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "W", "b", "activation"),
    [
        ("phase.all.point", 0.5 * np.eye(2), [0.1, 0.2], "tanh"),
        ("phase.all.flat", np.diag([1.0, 0.5]), [0.0, 1.0], "identity"),
        ("phase.all.cycle", np.array([[-9.0, 0.0], [0.0, 0.5]]), [0.1, 0.0], "tanh"),
        ("phase.all.cycles", -np.eye(2), [0.0, 0.0], "identity"),
        ("phase.all.growing", 1.5 * np.eye(2), [0.0, 0.0], "identity"),
        ("phase.all.moving", np.diag([1.0, 0.5]), [0.1, 1.0], "identity"),
        ("phase.all.numbered", np.diag([2.0, 0.5]), [-5.0, 1.0], "relu"),
    ],
)
def test_all_starts_end_alike(key: str, W: Array, b: list[float], activation: str) -> None:
    said = slots(key, ends_of(without_input(W, b, activation)))
    assert said["starts"] == "64"


def test_starts_that_end_apart_are_counted() -> None:
    """W = 2 I: four corners, each with the starts of its own quadrant."""
    trace = without_input(2 * np.eye(2), np.zeros(2))
    text = ends_of(trace)
    found = re.findall(r"(\d+) of 64 random starts end at fixed point (\d)", text)
    points = search_fixed_points(trace.cell).points
    drawn = np.random.default_rng(0).uniform(-1, 1, (64, 2))
    assert sum(int(count) for count, _ in found) == 64
    for count, place in found:
        signs = np.sign(points[int(place) - 1].h)
        assert int(count) == int((np.sign(drawn) == signs).all(axis=1).sum())


def test_many_ends_are_cut_short_and_add_up() -> None:
    text = ends_of(without_input(2 * np.eye(3), np.zeros(3)))
    counts = [int(count) for count in re.findall(r"(\d+) of 64", text)]
    rest = re.search(r"The other (\d+) starts? end", text)
    assert rest
    assert len(counts) == 3
    assert sum(counts) + int(rest[1]) == 64


def test_saturated_and_chaotic_say_what_attracts() -> None:
    assert slots("phase.all.cycles", ends_of(preset("saturated"))) == {"starts": "64", "cycles": "3", "period": "2"}
    text = ends_of(preset("chaotic"))
    slots("phase.all.moving", text)
    assert number(then("phase.all.moving", text, "phase.factor.grows")["factor"]) == pytest.approx(1.196, abs=0.01)
    then("phase.all.moving", ends_of(preset("oscillator")), "phase.factor.stays")


# --- how to read it -------------------------------------------------------------------------------------------------


def test_the_projection_is_named() -> None:
    two, three = without_input(np.eye(2) / 2, [0, 0]), without_input(np.eye(3) / 2, [0, 0, 0])
    then(
        "phase.note.kinds",
        phase_notes(two, search_fixed_points(two.cell), NONE, np.zeros(1), lambda _: True),
        "phase.note.field",
    )
    said = phase_notes(three, search_fixed_points(three.cell), NONE, np.zeros(1), lambda _: True)
    assert then("phase.note.kinds", said, "phase.note.projection") == {"units": "3"}


def test_what_the_search_missed_or_proved_is_told() -> None:
    trace = without_input(np.eye(2) / 2, [0, 0])
    lost = phase_notes(trace, FixedPointSearch((), (), 50, 7), NONE, np.zeros(1), lambda _: True)
    assert TEXTS["phase.note.failed"].format(failed=7, starts=50) in lost
    then("phase.note.field", lost, "phase.note.search")
    proved = phase_notes(trace, FixedPointSearch((), (), 1, 0, complete=True), NONE, np.zeros(1), lambda _: True)
    then("phase.note.field", proved, "phase.note.complete")


def test_points_outside_the_picture_are_counted() -> None:
    trace = without_input(2 * np.eye(2), np.zeros(2))
    search = search_fixed_points(trace.cell)
    said = phase_notes(trace, search, NONE, np.zeros(1), lambda point: point.h[0] > 0.5)
    assert then("phase.note.kinds", said, "phase.note.field") == {}
    assert then("phase.note.field", said[said.index("Each grey arrow") :], "phase.note.outside") == {"count": "6"}


@pytest.mark.parametrize(
    ("x", "held", "differs"), [([0, 1], 0, True), ([1, 1], 0, True), ([1, 1], 1, False), ([0, 0], 0, False)]
)
def test_a_constant_input_that_is_not_that_of_the_path_is_told(x: list[float], held: float, differs: bool) -> None:
    cell = ElmanCell(np.ones((2, 1)), np.eye(2) / 2, np.zeros(2), np.zeros(2))
    u = np.array([float(held)])
    trace = run(cell, np.array(x, dtype=float)[:, None])
    notes = phase_notes(trace, search_fixed_points(cell, u), NONE, u, lambda _: True)
    assert (TEXTS["phase.note.input"] in notes) is differs


# --- the figure -----------------------------------------------------------------------------------------------------


def parts(trace: Trace, t: int = 1, a: int = 0, b: int = 1) -> dict[str, list[dict[str, Any]]]:
    """The traces of the figure by their name; the arrows have none."""
    search, endings = search_fixed_points(trace.cell), find_endings(elman(trace))
    drawn = phase_portrait(trace, a, b, search, endings, np.zeros(trace.cell.input_size), t)
    found: dict[str, list[dict[str, Any]]] = {}
    for part in drawn["data"]:
        found.setdefault(part.get("name", ""), []).append(part)
    return found


def places(part: dict[str, Any]) -> Array:
    return np.array([part["x"], part["y"]], dtype=float).T


def test_every_state_and_fixed_point_is_where_its_numbers_say() -> None:
    trace = preset("oscillator")
    found = parts(trace, t=9)
    (path,), (point,), (now,), (start,) = found["path"], found["repeller"], found["step 9"], found["start"]
    assert places(path).tolist() == trace.h.tolist()
    assert places(now).tolist() == [trace.h[9].tolist()]
    assert places(start).tolist() == [trace.h[0].tolist()]
    for t, text in enumerate(path["hovertext"]):
        said = slots("phase.hover.state", text)
        assert int(said["t"]) == t
        assert [number(said["a"]), number(said["b"].rstrip(")"))] == pytest.approx(trace.h[t].tolist(), rel=1e-3)
    assert point["hovertext"][0].endswith("1.039\u00a0±\u00a00.6i")
    assert path["marker"]["color"] == list(range(37))


def test_a_start_at_a_fixed_point_is_seen() -> None:
    """Its square is drawn after the disc of the point."""
    names = list(parts(preset("echo")))
    assert names.index("start") > names.index("attractor")


def test_units_are_chosen() -> None:
    trace = without_input(np.diag([0.9, 0.5, 0.2]), np.zeros(3), "tanh", [-0.8, 0.3, 0.6])
    for a, b in ((0, 1), (2, 0)):
        assert places(parts(trace, a=a, b=b)["path"][0]).tolist() == trace.h[:, [a, b]].tolist()


@pytest.mark.parametrize(("activation", "low", "high"), [("tanh", -1.0, 1.0), ("sigmoid", 0.0, 1.0)])
def test_bounded_units_have_their_whole_range(activation: str, low: float, high: float) -> None:
    """And both axes have one scale; a start outside widens them."""
    trace = without_input(0.1 * np.eye(2), [0.0, 0.0], activation, [0.01, 0.02])
    window = window_of(trace, (0, 1), search_fixed_points(trace.cell))
    assert window.low[0] <= low <= high <= window.high[0]
    assert window.side < 1.2 * (high - low)
    layout = phase_portrait(trace, 0, 1, FixedPointSearch((), (), 1, 0), NONE, np.zeros(1), 0)["layout"]
    assert layout["yaxis"]["scaleanchor"] == "x"
    far = without_input(0.1 * np.eye(2), [0.0, 0.0], activation, [5.0, 0.02])
    wide = window_of(far, (0, 1), search_fixed_points(far.cell))
    assert wide.holds(np.array([5.0, 0.02]))
    assert wide.holds(np.array([low, high]))


def test_arrows_stand_for_two_units_alone_and_follow_the_map() -> None:
    """Under W = 0.5 I every arrow points to the middle."""
    (field,) = parts(without_input(0.5 * np.eye(2), [0.0, 0.0], "identity", [1.0, 1.0]))[""]
    strokes = np.array([[np.nan if value is None else value for value in field[axis]] for axis in "xy"]).T
    strokes = strokes.reshape(-1, 6, 2)
    assert len(strokes) > 60
    tails, tips = strokes[:, 0], strokes[:, 1]
    aimed = (tips - tails) / np.linalg.norm(tips - tails, axis=1)[:, None]
    middle = (tips + tails) / 2
    np.testing.assert_allclose(aimed, -middle / np.linalg.norm(middle, axis=1)[:, None], atol=1e-9)
    assert "" not in parts(without_input(0.5 * np.eye(3), [0.0, 0.0, 0.0]))


def test_lines_and_planes_are_drawn() -> None:
    one, two = parts(preset("counter"))["set of fixed points"]
    joined = np.concatenate([places(one), places(two)])
    np.testing.assert_allclose(joined[:, 1], np.maximum(joined[:, 0] - 2, 0), atol=1e-9)
    assert [one["showlegend"], two["showlegend"]] == [True, False]
    (plane,) = parts(without_input(np.eye(2), [0.0, 0.0], "relu", [1.0, 2.0]))["set of fixed points"]
    assert plane["fill"] == "toself"
    assert places(plane).min() == pytest.approx(0.0, abs=1e-12)


def test_cycles_are_drawn_in_their_order() -> None:
    trace = preset("saturated")
    cycles = parts(trace)["cycle"]
    assert len(cycles) == 3
    for cycle in cycles:
        assert cycle["x"][0] == cycle["x"][-1]
        assert len(cycle["x"]) == 3


@pytest.mark.parametrize("name", list(HIDDEN_STATE))
def test_every_preset_is_drawn(name: str) -> None:
    trace = preset(name)
    assert f"step {trace.steps}" in parts(trace, t=trace.steps)


@given(cases(FORMS["elman"], shifts=(0.0, 800.0), max_steps=9), st.sampled_from([0.0, 1.0, 1e8]))
def test_any_network_is_drawn(case: Case, gain: float) -> None:
    """Finite numbers, sentences and tables for whatever the weights are."""
    cell = case.cell
    if cell.hidden_size == 1:
        return
    cell = ElmanCell(cell.W_ih, gain * cell.W_hh, cell.b_ih, cell.b_hh, activation=vars(cell)["activation"])
    trace, endings = run(cell, case.x, case.h0), find_endings(cell, case.x[0], starts=4)
    search = search_fixed_points(cell, case.x[0])
    drawn = phase_portrait(trace, 1, 0, search, endings, case.x[0], 1)
    for part in drawn["data"]:
        assert all(value is None or math.isfinite(value) for axis in "xy" for value in part[axis])
    assert all(math.isfinite(end) for axis in ("xaxis", "yaxis") for end in drawn["layout"][axis]["range"])
    for text in (fixed_points_said(search, 1, 0), endings_said(trace, search, endings)):
        assert text
        assert not re.search(r"\b(nan|inf)\b", text)
    assert len({len(column) for column in point_columns(search, endings).values()}) == 1


@pytest.mark.parametrize("size", [0.0, 5e-324, 1e-9, 1e12, 1.7e308])
def test_states_of_any_size(size: float) -> None:
    (path,) = parts(without_input(-np.eye(2), [0.0, 0.0], "identity", [size, -size]))["path"]
    assert np.isfinite(places(path)).all()
    assert len(path["hovertext"]) == 7


# --- tables ---------------------------------------------------------------------------------------------------------


def test_the_table_has_every_number_of_every_point() -> None:
    trace = without_input(2 * np.eye(2), np.zeros(2))
    search = search_fixed_points(trace.cell)
    columns = point_columns(search, find_endings(elman(trace)))
    assert columns["no."] == list(range(1, 10))
    assert columns["h of unit 2"] == [float(point.h[1]) for point in search.points]
    assert columns["largest |eigenvalue|"] == [point.radius for point in search.points]
    assert sum(count for count in columns["of 64 starts end here"] if isinstance(count, int)) == 64
    assert columns["|eigenvalues| above 1"] == [point.unstable for point in search.points]


def test_the_path_begins_at_the_start() -> None:
    trace = preset("oscillator")
    columns = path_columns(trace)
    assert columns["step"] == list(range(37))
    assert columns["h of unit 1"] == trace.h[:, 0].tolist()
    assert columns["h of unit 2"] == trace.h[:, 1].tolist()
