"""Who causes a gradient's change: by shares that do not depend on T, over a grid of settings and seeds."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import Trace, decay_causes, log10_gradient_norms, make_cell, run
from rnnviz.maths.gradient_flow.causes import cause_of, gates_part, weights_share
from rnnviz.sequences import noise

logs = st.floats(-3000.0, 3000.0) | st.sampled_from([-math.inf, 0.0, -1.0, 1.0, -0.5])
losses = st.floats(-3000.0, 0.0) | st.sampled_from([-math.inf, 0.0, -1.0, -0.5])


@given(logs, logs, losses)
def test_each_verdict_is_what_it_says(norm: float, weights: float, slopes: float) -> None:
    """In sums of decades, apart from what rounding decides."""
    verdict = cause_of(norm, weights, slopes)
    lost = [min(one, 0.0) for one in (weights, slopes)]
    if norm > 1:
        assert verdict == ("stretch" if weights >= norm / 2 else "interplay")
    elif norm >= -1:
        assert verdict == ("balance" if weights > 1 and slopes < -1 else "still")
    elif sum(lost) > norm / 2:
        assert verdict == "interplay"
    elif lost == [-math.inf, -math.inf]:
        assert verdict == "both"
    elif -math.inf in lost:
        assert verdict == ("weights" if lost[0] == -math.inf else "slopes")
    else:
        share = lost[0] / sum(lost)
        if abs(share - 0.5) > 0.1 + 1e-9:
            assert verdict == ("weights" if share > 0.5 else "slopes")
        elif abs(share - 0.5) < 0.1 - 1e-9:
            assert verdict == "both"


@pytest.mark.parametrize("times", [1, 2, 10, 1000])
@given(st.floats(-5.0, -1.01), st.floats(-3.0, 3.0), st.floats(-5.0, 0.0))
def test_so_many_times_the_decades_have_the_same_cause(times: int, norm: float, weights: float, slopes: float) -> None:
    """As T grows over steps like each other, all three grow with it."""
    share = weights_share(weights, slopes)
    if share is not None and min(abs(share - 0.4), abs(share - 0.6)) < 1e-9:
        return
    if abs(min(weights, 0.0) + min(slopes, 0.0) - norm / 2) < 1e-9:
        return
    assert cause_of(times * norm, times * weights, times * slopes) == cause_of(norm, weights, slopes)


def test_the_derivatives_cause_it_where_they_cost_nearly_all() -> None:
    """Input 1000: 1.8e-6 by the weights and 2.7e-1937 by the slopes is not "each alone"."""
    assert cause_of(-1940.0, math.log10(1.8e-6), -1936.57) == "slopes"


def test_one_cause_and_none() -> None:
    assert weights_share(0.0, 0.0) is None
    assert weights_share(-math.inf, -math.inf) is None
    assert weights_share(-math.inf, -3.0) == 1.0
    assert weights_share(-3.0, -math.inf) == 0.0
    assert weights_share(-1.0, -3.0) == 0.25
    assert weights_share(5.0, -3.0) == 0.0


@pytest.mark.parametrize(
    ("norm", "weights", "verdict"),
    [
        (-10.0, -9.0, "weights"),
        (-10.0, -5.0, "both"),
        (-10.0, -1.0, "slopes"),
        (-10.0, 3.0, "slopes"),
        (-10.0, -20.0, "weights"),
        (-math.inf, -3.0, "slopes"),
        (-math.inf, -math.inf, "weights"),
        (10.0, -math.inf, "interplay"),
        (10.0, 20.0, "stretch"),
        (0.5, 20.0, "still"),
    ],
)
def test_a_singular_matrix_leaves_the_rest_to_the_slopes(norm: float, weights: float, verdict: str) -> None:
    assert cause_of(norm, weights, None) == verdict


# --- a grid of networks ---------------------------------------------------------------------------------------------


def ends(trace: Trace) -> tuple[float, float, float]:
    causes = decay_causes(trace)
    return float(log10_gradient_norms(trace)[0]), float(causes.weights_alone[0]), float(causes.slopes_alone[0])


GRID = [*product(("torch", "xavier", "orthogonal", "spectral"), ("tanh", "sigmoid"), (0.6, 1.0), (0.5, 4.0), (0, 1, 2))]
GRID += [*product(("torch", "xavier", "orthogonal", "spectral"), ("tanh", "sigmoid"), (0.6, 1.0), (1000.0,), (0,))]


@pytest.mark.parametrize(("init", "activation", "gain", "scale", "seed"), GRID)
def test_the_verdict_does_not_flip_with_t(init: str, activation: str, gain: float, scale: float, seed: int) -> None:
    """Noise is the same at every step: from 20 to 1000 steps it is never the one cause and then the other."""
    cell = make_cell("elman", 4, 16, init=init, gain=gain, activation=activation, seed=seed)
    verdicts, shares = set(), []
    for steps in (20, 50, 100, 300, 1000):
        norm, weights, slopes = ends(run(cell, scale * noise(steps, 4, seed)))
        if norm < -1:
            verdicts.add(cause_of(norm, weights, slopes))
            shares.append(weights_share(weights, slopes))
    assert shares, "a norm that falls by more than a factor of 10"
    assert not {"weights", "slopes"} <= verdicts
    found = [share for share in shares if share is not None]
    assert len(verdicts) == 1 or any(min(abs(share - 0.4), abs(share - 0.6)) < 0.1 for share in found), verdicts
    assert max(found) - min(found) < 0.25


@pytest.mark.parametrize("steps", [3, 10, 50, 100, 300, 1000])
@pytest.mark.parametrize("seed", range(6))
def test_an_input_of_1000_saturates_whatever_t(steps: int, seed: int) -> None:
    norm, weights, slopes = ends(run(make_cell("elman", 4, 32, seed=seed), 1000 * noise(steps, 4, seed)))
    assert cause_of(norm, weights, slopes) == "slopes"


# --- gates ----------------------------------------------------------------------------------------------------------


@given(logs, losses)
def test_the_part_of_the_gates_is_what_it_says(norm: float, kept: float) -> None:
    verdict = gates_part(norm, kept)
    if norm > 1:
        assert verdict == ("open_grows" if kept >= -1 else "around")
    elif norm >= -1:
        assert verdict == ("others" if norm > kept + 1 else "lost" if kept > norm + 0.5 else "open")
    else:
        assert verdict in ("lost", "others", "shut", "shut_rest")
        assert (verdict == "lost") == (kept > 0.8 * norm)
        if verdict == "lost":
            assert kept > norm  # more than arrives
        elif verdict == "others":
            assert norm > kept / 2
        else:
            assert (verdict == "shut_rest") == (norm > kept + 1)


def test_arrays_of_the_grid_are_the_same_for_all() -> None:
    """A noise that changed with T would make another network of each."""
    np.testing.assert_array_equal(noise(20, 4, 0), noise(1000, 4, 0)[:20])
