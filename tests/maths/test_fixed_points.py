"""Fixed points: sets that are known by hand, the cell's own step, its simulation, and every kind of weights."""

from __future__ import annotations

import time
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import ElmanCell, InputError, StateOverflowError, make_cell, run
from rnnviz.maths.checks import Array
from rnnviz.maths.dynamics.fixed_points import (
    ACCEPTED,
    KINDS,
    FixedPoint,
    FixedPointSearch,
    fixed_points,
    search_fixed_points,
)

from .drawn import FORMS, Case, cases

ACTIVATIONS = ("tanh", "sigmoid", "relu", "identity")
SMOOTH = [form for form in FORMS["elman"] if form[1]["activation"] in ("tanh", "sigmoid")]


def without_input(W: object, b: object, activation: str = "tanh") -> ElmanCell:
    """``h -> f(W h + b)``."""
    return ElmanCell(np.zeros((len(b), 1)), W, b, np.zeros(len(b)), activation=activation)


def after(cell: ElmanCell, h: Array, steps: int) -> Array:
    """Where the network itself goes from h."""
    return run(cell, np.zeros((steps, cell.input_size)), h).h[-1]


def one_step(cell: ElmanCell, u: Array, h: Array) -> Array:
    return run(cell, u[None], h).h[1]


# --- sets known by hand ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("H", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("gain", [1.05, 1.5, 100.0, 1e9])
def test_uncoupled_tanh_units_have_three_each(H: int, gain: float) -> None:
    """W = g I with g > 1: every combination of the three solutions of h = tanh(g h), and no other."""
    root = 1.0
    for _ in range(2000):
        root = float(np.tanh(gain * root))
    points = fixed_points(without_input(gain * np.eye(H), np.zeros(H)))
    assert len(points) == 3**H
    assert len({tuple(np.rint(point.h / root)) for point in points}) == 3**H
    for point in points:
        np.testing.assert_allclose(np.abs(point.h), np.where(np.abs(point.h) < root / 2, 0.0, root), atol=1e-9)
        at_zero = int((np.abs(point.h) < root / 2).sum())
        assert point.unstable == at_zero
        assert point.kind == ("attractor" if at_zero == 0 else "repeller" if at_zero == H else "saddle")


@given(cases(SMOOTH, shifts=(0.0, 3.0), max_steps=1), st.floats(0.0, 0.99))
def test_a_contraction_has_exactly_one(case: Case, share: float) -> None:
    """Spectral norm times the largest slope below 1 (Banach): one, an attractor, and iteration ends there."""
    cell = cast(ElmanCell, case.cell)
    slope = 0.25 if cell.activation == "sigmoid" else 1.0
    W = cell.W_hh * (share / (slope * np.linalg.norm(cell.W_hh, 2)))
    cell = ElmanCell(cell.W_ih, W, cell.b_ih, cell.b_hh, activation=cell.activation)
    u = case.x[0]
    search = search_fixed_points(cell, u)
    (point,) = search.points
    assert search.failed == 0
    assert point.kind == "attractor"
    assert point.radius <= share + 1e-9
    np.testing.assert_allclose(run(cell, np.tile(u, (4000, 1)), case.h0).h[-1], point.h, rtol=0, atol=1e-7)


def test_a_turn_by_30_degrees() -> None:
    """The oscillator: zero repels, with the complex pair 1.2 exp(+-30 degrees i)."""
    angle = np.pi / 6
    W = 1.2 * np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    (point,) = fixed_points(without_input(W, np.zeros(2)))
    assert point.kind == "repeller"
    np.testing.assert_allclose(point.h, 0.0, atol=1e-12)
    np.testing.assert_allclose(point.eigenvalues, 1.2 * np.exp([1j * angle, -1j * angle]), atol=1e-12)


@given(cases([FORMS["elman"][3]], max_steps=1))
def test_a_linear_network_is_one_system(case: Case) -> None:
    """``(I - W) h = c`` by another solver, its Jacobian W itself."""
    cell, u = case.cell, case.x[0]
    c = cell.W_ih @ u + cell.b_ih + cell.b_hh
    system = np.eye(len(c)) - cell.W_hh
    (point,) = fixed_points(cell, u)
    wanted = np.linalg.lstsq(system, c, rcond=None)[0]
    np.testing.assert_allclose(point.h, wanted, rtol=1e-7, atol=1e-9 * max(1.0, np.abs(wanted).max()))
    assert np.array_equal(point.jacobian, cell.W_hh)


def test_a_linear_network_with_an_eigenvalue_of_one() -> None:
    """A line where the bias allows one, nothing where it does not, all states where W is the identity."""
    line = search_fixed_points(without_input([[1.0, 0.0], [0.0, 0.5]], [0.0, 1.0], "identity"))
    assert line.points == ()
    (flat,) = line.flats
    assert flat.h[1] == pytest.approx(2.0)
    np.testing.assert_allclose(np.abs(flat.directions), [[1.0, 0.0]])
    assert flat.span == (-np.inf, np.inf)
    nothing = search_fixed_points(without_input([[1.0, 0.0], [0.0, 0.5]], [0.1, 1.0], "identity"))
    assert (nothing.points, nothing.flats) == ((), ())
    (plane,) = search_fixed_points(without_input(np.eye(2), [0.0, 0.0], "identity")).flats
    assert plane.directions.shape == (2, 2)


def test_a_huge_weight_does_not_hide_the_others() -> None:
    """Beside a weight of 1e20, 1 - 0.5 is no zero."""
    search = search_fixed_points(without_input(np.diag([1e20, 0.5]), [0.0, 1.0], "identity"))
    assert search.flats == ()
    (point,) = search.points
    np.testing.assert_allclose(point.h, [0.0, 2.0], atol=1e-12)


def test_the_counter_has_a_bent_line() -> None:
    """Unit 1 holds any count, unit 2 what it is beyond 2: two pieces, which meet at (2, 0)."""
    cell = without_input([[1.0, 0.0], [1.0, 0.0]], [0.0, -2.0], "relu")
    search = search_fixed_points(cell)
    assert search.points == ()
    ends = sorted(
        tuple((flat.h + s * flat.directions[0]).round(9) + 0.0)
        for flat in search.flats
        for s in flat.span
        if abs(s) < 9
    )
    assert ends == [(0.0, 0.0), (2.0, 0.0), (2.0, 0.0)]
    for flat in search.flats:
        np.testing.assert_allclose(one_step(cell, np.zeros(1), flat.h), flat.h, atol=1e-12)
    driven = without_input([[1.0, 0.0], [1.0, 0.0]], [0.5, -1.5], "relu")
    assert search_fixed_points(driven) == FixedPointSearch((), (), 1, 0, complete=True)


@pytest.mark.parametrize("rest", [(0.5,), (0.5, 0.5, 0.5), (1.0, 0.5)])
def test_a_flat_on_the_edge_of_many_regions_is_one(rest: tuple[float, ...]) -> None:
    """diag(1, .5, ..): the units that fade stand at their kinks, where either piece of them holds the same flat."""
    search = search_fixed_points(without_input(np.diag([1.0, *rest]), np.zeros(1 + len(rest)), "relu"))
    assert search.points == ()
    (flat,) = search.flats
    assert len(flat.directions) == 1 + rest.count(1.0)
    np.testing.assert_allclose(flat.h[-1], 0.0, atol=1e-12)


def test_relu_units_that_compete() -> None:
    """h = relu(1 - 2 h_other): one of them wins, or both stand at a third."""
    points = fixed_points(without_input([[0.0, -2.0], [-2.0, 0.0]], [1.0, 1.0], "relu"))
    assert [(point.kind, tuple(point.h.round(9))) for point in points] == [
        ("attractor", (0.0, 1.0)),
        ("attractor", (1.0, 0.0)),
        ("repeller", (0.333333333, 0.333333333)),
    ]


def test_a_relu_unit_at_its_kink_is_borderline() -> None:
    (point,) = fixed_points(without_input([[0.5]], [0.0], "relu"))
    assert point.on_edge
    assert point.kind == "borderline"


@pytest.mark.parametrize("H", [12, 64])
def test_many_relu_units_are_met_from_starts(H: int) -> None:
    """Beyond ten units not all sets of active ones are looked at; each find is one."""
    cell = make_cell("elman", 1, H, seed=H, activation="relu")
    search = search_fixed_points(cell)
    assert len(search.points) == 1
    assert search.starts > 1
    np.testing.assert_allclose(after(cell, np.zeros(H), 500), search.points[0].h, atol=1e-9)


# --- the cell's own step and its simulation -------------------------------------------------------------------------


@given(cases(FORMS["elman"], shifts=(0.0, 3.0, 800.0), max_steps=1), st.sampled_from([0.0, 1.0, 4.0, 1e3, 1e8]))
def test_every_find_is_one(case: Case, gain: float) -> None:
    """The cell's own step keeps it; order, kinds and distances are as promised; the same search finds the same."""
    cell, u = cast(ElmanCell, case.cell), case.x[0]
    cell = ElmanCell(cell.W_ih, gain * cell.W_hh, cell.b_ih, cell.b_hh, activation=cell.activation)
    search = search_fixed_points(cell, u, near=case.h0[None])
    assert 0 <= search.failed <= search.starts
    kinds = [KINDS.index(point.kind) for point in search.points]
    assert kinds == sorted(kinds)
    for number, point in enumerate(search.points):
        scale = max(1.0, np.abs(point.h).max())
        assert np.abs(one_step(cell, u, point.h) - point.h).max() == point.residual <= ACCEPTED * scale
        sizes = np.abs(point.eigenvalues)
        assert (np.diff(sizes) <= 1e-9 * max(1.0, sizes[0])).all()
        for other in search.points[:number]:
            assert np.abs(point.h - other.h).max() > 1e-7
    again = search_fixed_points(cell, u, near=case.h0[None])
    assert [point.h.tolist() for point in again.points] == [point.h.tolist() for point in search.points]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("seed", range(6))
def test_a_nudge_does_what_the_kind_says(activation: str, seed: int) -> None:
    """An attractor takes it back, and along the fastest direction of the others it grows."""
    gain = {"tanh": 2.0, "sigmoid": 9.0, "relu": 0.9, "identity": 0.9}[activation]
    drawn = make_cell("elman", 1, 4, init="spectral", gain=gain, seed=seed)
    b = np.random.default_rng(seed).uniform(-0.4, 0.4, 4) - (gain / 4 if activation == "sigmoid" else 0.0)
    cell = without_input(drawn.W_hh, b, activation)
    points = fixed_points(cell)
    for point in points:
        if point.kind == "attractor":
            steps = 50 + int(60 / max(1e-3, 1 - point.radius))
            nudged = point.h + 1e-4 * np.array([1, -1, 1, -1]) / 2
            np.testing.assert_allclose(after(cell, nudged, steps), point.h, rtol=0, atol=1e-8)
        elif point.radius > 1.05:
            assert grows(cell, point)
    assert points


def grows(cell: ElmanCell, point: FixedPoint) -> bool:
    values, vectors = np.linalg.eig(point.jacobian)
    direction = np.real(vectors[:, np.argmax(np.abs(values))])
    nudge = 1e-6 * direction / np.linalg.norm(direction)
    steps = int(np.ceil(np.log(30) / np.log(point.radius)))
    farthest = max(np.linalg.norm(after(cell, point.h + nudge, step) - point.h) for step in range(1, steps + 1))
    return bool(farthest > 5e-6)


def test_the_held_input_moves_it() -> None:
    """h = tanh(0.5 h + 2 u): the point under a held input is where a long walk under that input ends."""
    cell = ElmanCell([[2.0]], [[0.5]], [0.1], [0.0])
    (point,) = fixed_points(cell, [0.3])
    np.testing.assert_allclose(run(cell, np.full((200, 1), 0.3)).h[-1], point.h, atol=1e-12)
    assert fixed_points(cell)[0].h[0] != pytest.approx(point.h[0], abs=0.1)


def test_more_places_to_start_from_are_used() -> None:
    cell = without_input(1.5 * np.eye(2), [0.0, 0.0])
    plain = search_fixed_points(cell)
    more = search_fixed_points(cell, near=[[0.123, 0.456]])
    assert (more.starts, len(more.points)) == (plain.starts + 1, 9)


# --- any weights ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("H", [1, 2, 7, 64])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_zero_weights(H: int, activation: str) -> None:
    """One point, f(b), and every nudge is gone after a step."""
    b = np.linspace(0.5, 1.0, H)
    (point,) = fixed_points(without_input(np.zeros((H, H)), b, activation))
    np.testing.assert_allclose(point.h, after(without_input(np.zeros((H, H)), b, activation), np.zeros(H), 1))
    assert (point.radius, point.kind) == (0.0, "attractor")


@pytest.mark.parametrize("size", [1e3, 1e150, 1e300])
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_huge_weights(size: float, activation: str) -> None:
    """No warning, and whatever is found is one: saturated units where they saturate."""
    cell = without_input(size * np.array([[1.0, -0.5], [0.7, 2.0]]), [1.0, -1.0], activation)
    points = fixed_points(cell)
    assert all(point.residual <= ACCEPTED * max(1.0, np.abs(point.h).max()) for point in points)
    if activation == "tanh":
        assert {tuple(point.h) for point in points} >= {(1.0, 1.0), (-1.0, -1.0)}


def test_a_point_that_is_hard_to_pin_down_is_one_point() -> None:
    """h = tanh(h) touches at 0: a residual of 1e-10 is reached already at 7e-4."""
    (point,) = fixed_points(without_input([[1.0]], [0.0]))
    assert point.kind == "borderline"
    assert abs(point.h[0]) < 1e-3


@pytest.mark.parametrize("slope", [1.0, 10.0, 100.0])
def test_a_point_that_is_hard_to_pin_down_along_a_curve_is_one_point(slope: float) -> None:
    """Unit 1 is h = tanh(h), and unit 2 bends with it: halfway between two finds is beside the curve."""
    near = np.array([[s, np.tanh(slope * s + 0.5)] for s in np.linspace(-1e-3, 1e-3, 21)])
    (point,) = fixed_points(without_input([[1.0, 0.0], [slope, 0.0]], [0.0, 0.5]), near=near)
    assert point.kind == "borderline"
    np.testing.assert_allclose(point.h, [0.0, np.tanh(0.5)], atol=1e-3 * slope)


@pytest.mark.parametrize("more", [3e-5, 1e-5, 3e-6, 1e-6])
def test_points_that_are_merely_close_stay_apart(more: float) -> None:
    """h = tanh((1 + e) h): zero, and about the root of 3 e on either side; unit 2 follows on a bend."""
    root = np.sqrt(3 * more)
    for W, b in (([[1 + more]], [0.0]), ([[1 + more, 0.0], [10.0, 0.0]], [0.0, 0.5])):
        points = fixed_points(without_input(W, b))
        assert sorted(point.h[0] for point in points) == pytest.approx([-root, 0.0, root], abs=root / 20)


def test_many_points_that_are_close_are_told_apart_quickly() -> None:
    begin = time.thread_time()
    assert len(fixed_points(without_input((1 + 1e-6) * np.eye(5), np.zeros(5)))) == 3**5
    assert time.thread_time() - begin < 2.0


@pytest.mark.parametrize("gain", [0.9, 3.0])
def test_64_units_are_quick(gain: float) -> None:
    """Measured at 0.1 to 0.2 s; the bound is for a busy machine."""
    cell = make_cell("elman", 2, 64, init="spectral", gain=gain, seed=1)
    search_fixed_points(cell)
    begin = time.thread_time()
    search_fixed_points(cell)
    assert time.thread_time() - begin < 2.0


# --- refusals -------------------------------------------------------------------------------------------------------


def test_refusals() -> None:
    cell = make_cell("elman", 2, 3)
    with pytest.raises(InputError, match="an LSTM"):
        fixed_points(make_cell("lstm", 2, 3))
    with pytest.raises(InputError, match=r"u must be \(2,\)"):
        fixed_points(cell, [1.0])
    with pytest.raises(InputError, match=r"near must be \(N, 3\)"):
        fixed_points(cell, near=[[1.0, 2.0]])
    with pytest.raises(InputError, match="starts"):
        fixed_points(cell, starts=0)
    with pytest.raises(StateOverflowError):
        fixed_points(ElmanCell([[1e308]], [[1.0]], [0.0], [0.0]), [1e308])


def test_what_is_found_is_read_only() -> None:
    (point,) = fixed_points(make_cell("elman", 2, 3))
    for array in (point.h, point.jacobian, point.eigenvalues):
        assert not array.flags.writeable


# --- lines and planes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("activation", ["relu", "identity"])
@pytest.mark.parametrize("H", [1, 2, 4, 12])
def test_the_identity_keeps_every_state_that_its_units_can_have(activation: str, H: int) -> None:
    """Beyond ten relu units the region is named by a state that rests in it."""
    search = search_fixed_points(without_input(np.eye(H), np.zeros(H), activation), near=np.ones((1, H)))
    assert search.points == ()
    assert [flat.dimensions for flat in search.flats] == [H]
    assert search.failed == 0


@pytest.mark.parametrize("seed", range(40))
def test_every_state_of_a_flat_is_kept(seed: int) -> None:
    """Random relu and linear networks with eigenvalues of 1: states drawn from each flat, by the cell's own step."""
    random = np.random.default_rng(seed)
    H, activation = 3 + seed % 3, ("relu", "identity")[seed % 2]
    basis, _ = np.linalg.qr(random.standard_normal((H, H)))
    W = basis @ np.diag([1.0] * (1 + seed % 3) + [0.5] * (H - 1 - seed % 3)) @ basis.T
    b = (np.eye(H) - W) @ np.abs(random.standard_normal(H))  # so that a positive state is kept
    cell = without_input(W, b, activation)
    search = search_fixed_points(cell)
    assert search.flats
    assert search.complete
    for flat in search.flats:
        np.testing.assert_allclose(flat.directions @ flat.directions.T, np.eye(flat.dimensions), atol=1e-12)
        assert (flat.offsets > 0).all()  # what is named lies inside
        for s in random.standard_normal((50, flat.dimensions)):
            h = flat.h + s @ flat.directions
            if (flat.normals @ s + flat.offsets >= 0).all():
                np.testing.assert_allclose(one_step(cell, np.zeros(1), h), h, atol=1e-8)
            elif (flat.normals @ s + flat.offsets).min() < -1e-3:
                assert np.abs(one_step(cell, np.zeros(1), h) - h).max() > 1e-12
        across = np.delete(
            np.linalg.eigvals(flat.jacobian),
            np.argsort(np.abs(np.linalg.eigvals(flat.jacobian) - 1))[: flat.dimensions],
        )
        assert flat.radius_across == pytest.approx(np.abs(across).max(initial=0.0))


def test_a_line_beside_a_plane_is_found_too() -> None:
    """Unit 3 active or not: a line where it is, a plane where it is not, and neither is part of the other."""
    W = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
    search = search_fixed_points(without_input(W, [0.0, 0.0, -1.0], "relu"))
    assert sorted(flat.dimensions for flat in search.flats) == [1, 2]
