"""Where random starts end: fixed points and cycles known by hand, the cell's own run, and exponents by QR."""

from __future__ import annotations

import numpy as np
import pytest

from rnnviz import ElmanCell, InputError, lyapunov_exponents, make_cell, run
from rnnviz.maths.dynamics.endings import GROWN, find_endings
from rnnviz.maths.dynamics.fixed_points import fixed_points
from rnnviz.network import build, network_of, run_network
from rnnviz.settings import Settings

ACTIVATIONS = ("tanh", "sigmoid", "relu", "identity")


def without_input(W: object, b: object, activation: str = "tanh") -> ElmanCell:
    """``h -> f(W h + b)``."""
    return ElmanCell(np.zeros((len(b), 1)), W, b, np.zeros(len(b)), activation=activation)  # type: ignore[arg-type]


def test_two_attractors_share_the_starts_by_their_sign() -> None:
    """h = tanh(2 h): a start ends on its own side, so the numbers of starts are those of the draws."""
    endings = find_endings(without_input([[2.0]], [0.0]))
    drawn = np.random.default_rng(0).uniform(-1, 1, (64, 1))
    counts = {round(float(end.states[0, 0]), 3): end.starts for end in endings.found}
    assert counts == {0.958: int((drawn > 0).sum()), -0.958: int((drawn < 0).sum())}
    assert (endings.moving, endings.growing) == (0, 0)


def test_a_flip_is_a_cycle_of_two() -> None:
    (end,) = find_endings(without_input([[-2.0]], [0.0])).found
    assert end.period == 2
    np.testing.assert_allclose(end.states[:, 0], [-0.9575040240772687, 0.9575040240772687], atol=1e-10)


@pytest.mark.parametrize("period", [2, 3, 12])
def test_a_turn_has_a_cycle_for_each_start(period: int) -> None:
    angle = 2 * np.pi / period
    W = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    endings = find_endings(without_input(W, [0.0, 0.0], "identity"))
    assert {end.period for end in endings.found} == {period}
    assert len(endings.found) == 64


def test_what_grows_is_told_from_what_moves() -> None:
    assert find_endings(without_input([[1.5]], [0.1], "identity")).growing == 64
    drift = find_endings(without_input([[1.0]], [0.5], "relu"))
    assert (drift.moving, drift.growing, drift.found) == (64, 0, ())
    dead = find_endings(without_input([[-3.0]], [-0.5], "relu"))
    assert [(end.states.tolist(), end.starts) for end in dead.found] == [([[0.0]], 64)]
    assert GROWN == 1e9


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("seed", range(8))
def test_every_ending_repeats_by_the_cells_own_run(activation: str, seed: int) -> None:
    gain = {"tanh": 1.8, "sigmoid": 8.0, "relu": 0.95, "identity": 0.95}[activation]
    cell = make_cell("elman", 2, 2 + seed % 4, init="spectral", gain=gain, seed=seed, activation=activation)
    u = np.random.default_rng(seed).uniform(-1, 1, 2)
    endings = find_endings(cell, u, seed=seed)
    assert sum(end.starts for end in endings.found) + endings.moving + endings.growing == 64
    for end in endings.found:
        ran = run(cell, np.tile(u, (end.period, 1)), end.states[0]).h
        np.testing.assert_allclose(ran[:-1], end.states, atol=1e-6)
        np.testing.assert_allclose(ran[-1], end.states[0], atol=1e-6)
        if end.period > 1:
            assert np.abs(np.diff(end.states, axis=0)).max() > 1e-7
    rests = [end.states[0] for end in endings.found if end.period == 1]
    points = fixed_points(cell, u, near=np.array(rests).reshape(-1, cell.hidden_size))
    for h in rests:
        assert min(np.abs(point.h - h).max() for point in points) < 1e-5


@pytest.mark.parametrize(("seed", "gain"), [(56, 3.0), (6, 4.0), (12, 3.0), (47, 3.0)])
def test_the_factor_of_what_moves_is_the_largest_exponent(seed: int, gain: float) -> None:
    """The mean of log of one tangent vector's growth, against QR along a long run of the cell."""
    cell = make_cell("elman", 1, 5, init="spectral", gain=gain, seed=seed)
    endings = find_endings(cell)
    assert endings.moving == 64
    trace = run(cell, np.zeros((6000, 1)), np.full(5, 0.3))
    later = run(cell, np.zeros((4000, 1)), trace.h[-1])
    assert np.log(endings.factors).mean() == pytest.approx(lyapunov_exponents(later)[0], abs=0.02)


def test_the_chaotic_preset_is_chaotic() -> None:
    """No start settles, and small differences grow: by the run of two neighbours too."""
    trace = run_network(build(network_of(Settings("chaotic")))).trace
    endings = find_endings(trace.cell)
    assert (endings.found, endings.moving) == ((), 64)
    assert (endings.factors > 1.05).all()
    one, other = (run(trace.cell, np.zeros((60, 1)), trace.h[-1] + side).h for side in (0.0, 1e-12))
    apart = np.abs(one - other).max(axis=1)
    assert apart[60] / apart[1] > 1.05**59


def test_the_saturated_preset_ends_in_cycles() -> None:
    endings = find_endings(run_network(build(network_of(Settings("saturated")))).trace.cell)
    assert {end.period for end in endings.found} == {2}
    assert sum(end.starts for end in endings.found) == 64


def test_refusals() -> None:
    with pytest.raises(InputError, match="an LSTM"):
        find_endings(make_cell("lstm", 2, 3))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="starts"):
        find_endings(make_cell("elman", 2, 3), starts=0)
    with pytest.raises(InputError, match=r"u must be \(2,\)"):
        find_endings(make_cell("elman", 2, 3), [1.0])
