"""What two units show of a set of fixed points, against the network's own step on a grid and on random states."""

from __future__ import annotations

import numpy as np
import pytest

from rnnviz import ElmanCell, run
from rnnviz.maths.checks import Array
from rnnviz.maths.dynamics.fixed_points import search_fixed_points
from rnnviz.maths.dynamics.shadow import shadow

LOW, HIGH = (-3.0, -3.0), (3.0, 3.0)


def network(W: Array, b: Array, activation: str) -> ElmanCell:
    return ElmanCell(np.zeros((len(b), 1)), W, b, np.zeros(len(b)), activation=activation)


def within(polygon: Array, places: Array, slack: float) -> Array:
    """Which places lie in a convex polygon, whichever way round it goes."""
    edges = np.roll(polygon, -1, axis=0) - polygon
    lengths = np.hypot(*edges.T)
    there = places[:, None] - polygon[None]
    rooms = (edges[:, 0] * there[..., 1] - edges[:, 1] * there[..., 0]) / np.where(lengths > 0, lengths, 1.0)
    return np.asarray((rooms >= -slack).all(axis=1) | (rooms <= slack).all(axis=1))


def test_a_line_is_cut_at_the_edge_of_the_picture() -> None:
    (flat,) = search_fixed_points(network(np.diag([1.0, 0.5]), np.array([0.0, 1.0]), "identity")).flats
    ends = shadow(flat, (0, 1), LOW, HIGH)
    np.testing.assert_allclose(sorted(ends.tolist()), [[-3.0, 2.0], [3.0, 2.0]], atol=1e-12)
    assert len(shadow(flat, (0, 1), LOW, (3.0, 1.5))) == 0


def test_a_line_seen_from_its_end_is_a_point() -> None:
    (flat,) = search_fixed_points(network(np.diag([1.0, 0.5, 0.2]), np.array([0.0, 1.0, 0.0]), "identity")).flats
    np.testing.assert_allclose(shadow(flat, (1, 2), LOW, HIGH), [[2.0, 0.0]], atol=1e-12)


@pytest.mark.parametrize("H", [2, 3, 5, 12])
def test_all_states_fill_the_picture_and_all_relu_states_a_quadrant(H: int) -> None:
    for activation, least in (("identity", -3.0), ("relu", 0.0)):
        cell = network(np.eye(H), np.zeros(H), activation)
        search = search_fixed_points(cell, near=np.ones((1, H)))
        corners = shadow(search.flats[0], (0, H - 1), LOW, HIGH)
        assert {tuple(corner) for corner in corners.round(9) + 0.0} == {
            (least, least), (3.0, least), (3.0, 3.0), (least, 3.0),
        }  # fmt: skip


@pytest.mark.parametrize("seed", range(24))
def test_shadows_hold_just_the_fixed_states(seed: int) -> None:
    """A plane or more of a relu network: of random states, those that one step keeps lie in a shadow of a flat."""
    random = np.random.default_rng(seed)
    H, k = 4, int(random.integers(2, 4))
    basis, _ = np.linalg.qr(random.standard_normal((H, H)))
    W = basis[:, :k] @ basis[:, :k].T  # a projection: what lies in its range stays, where no unit is cut off
    cell = network(W, np.zeros(H), "relu")
    search = search_fixed_points(cell)
    states = np.maximum(random.standard_normal((4000, k)) @ basis[:, :k].T, 0.0)
    states = states @ W.T  # on the range
    states = states[(states >= 0).all(axis=1)]
    kept = np.array([h for h in states if np.abs(run(cell, [[0.0]], h).h[1] - h).max() < 1e-9]).reshape(-1, H)
    units = (0, 2)
    shadows = [shadow(flat, units, LOW, HIGH) for flat in search.flats]
    areas = [corners for corners in shadows if len(corners) > 2]
    seen = kept[:, units]
    seen = seen[(np.abs(seen) < 2.9).all(axis=1)]
    covered = np.zeros(len(seen), dtype=bool)
    for corners in areas:
        covered |= within(corners, seen, 1e-7)
    assert covered.all()
    for flat, corners in zip(search.flats, shadows, strict=True):
        for corner in corners:
            assert stands_for_a_fixed_state(cell, flat.h, flat.directions, units, corner)


def stands_for_a_fixed_state(cell: ElmanCell, h: Array, directions: Array, units: tuple[int, int], at: Array) -> bool:
    """Whether some state over this place is kept by the step: the unseen directions are searched."""
    onto = directions[:, list(units)].T
    s = np.linalg.lstsq(onto, at - h[list(units)], rcond=None)[0]
    unseen = np.linalg.svd(onto)[2][np.linalg.matrix_rank(onto, 1e-9) :]
    shifts = np.linspace(-300, 300, 120_001)[:, None] * unseen[0] if len(unseen) == 1 else np.zeros((1, len(s)))
    states = h + (s + shifts) @ directions
    misses = np.abs(np.maximum(states @ cell.W_hh.T, 0.0) - states).max(axis=1)
    return bool(misses.min() < 0.01)


def test_too_many_inequalities_leave_a_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """The part is still made of fixed states: no larger than the whole."""
    search = search_fixed_points(network(np.eye(4), np.zeros(4), "relu"))
    whole = shadow(search.flats[0], (0, 1), LOW, HIGH)
    monkeypatch.setattr("rnnviz.maths.dynamics.shadow._MOST_ROWS", 0)
    part = shadow(search.flats[0], (0, 1), LOW, HIGH)
    assert len(part) > 2
    assert within(whole, part, 1e-9).all()
