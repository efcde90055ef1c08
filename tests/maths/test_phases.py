"""Where a norm is exponential: exact curves, noise, two phases, ends at 0; every line found again by numpy's fit."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from rnnviz import InputError, log10_gradient_norms, make_cell, run
from rnnviz.maths.gradient_flow.phases import FLOOR, TOLERANCE, Phase, decay_phases
from rnnviz.sequences import noise

Array = NDArray[np.float64]


def by_steps_back(values: object) -> Array:
    """Norms in the order of the steps 0..T of a curve that is told from the last step back."""
    return np.asarray(values, dtype=float)[::-1]


def assert_lines(norms: Array, phases: tuple[Phase, ...]) -> None:
    """Each is the least-squares line of its range, and every norm of it lies within the tolerance."""
    back = norms[::-1]
    for phase in phases:
        lags = np.arange(phase.first, phase.last + 1)
        slope, level = np.polyfit(lags - phase.first, back[lags], 1)
        assert phase.decades_per_step == pytest.approx(slope, rel=1e-6, abs=1e-9)
        assert phase.start == pytest.approx(level, rel=1e-6, abs=1e-6)
        off = np.abs(back[lags] - level - slope * (lags - phase.first)).max()
        assert phase.off == pytest.approx(off, rel=1e-6, abs=1e-6)
        assert off <= max(FLOOR, TOLERANCE * abs(slope) * (phase.last - phase.first)) + 1e-6
        assert len(lags) >= 5


def is_line(back: Array, first: int) -> bool:
    """Whether the tail from so many steps back on is a line, by numpy's fit."""
    lags = np.arange(first, len(back))
    slope, level = np.polyfit(lags, back[lags], 1)
    return bool(
        np.abs(back[lags] - level - slope * lags).max() <= max(FLOOR, TOLERANCE * abs(slope) * (lags[-1] - first))
    )


@pytest.mark.parametrize("steps", [4, 5, 30, 100, 1000])
@pytest.mark.parametrize("rate", [-12.0, -0.3, -1e-4, 0.0, 0.01, 2.5])
def test_an_exact_exponential_is_one_line_over_all_of_it(steps: int, rate: float) -> None:
    (phase,) = decay_phases(by_steps_back(rate * np.arange(steps + 1)))
    assert (phase.first, phase.last) == (0, steps)
    assert phase.decades_per_step == pytest.approx(rate, abs=1e-12)
    assert phase.off == pytest.approx(0.0, abs=1e-9)
    assert phase.change == pytest.approx(rate * steps, abs=1e-9)


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_few_steps_are_no_line(steps: int) -> None:
    assert decay_phases(by_steps_back(-np.arange(steps + 1.0))) == ()


@given(st.integers(0, 400), st.sampled_from([-0.5, -0.1, 0.2]), st.integers(40, 300))
def test_noise_moves_the_rate_little(seed: int, rate: float, steps: int) -> None:
    """Of a tenth of a decade at most, the norms of 0 steps back on."""
    lags = np.arange(steps + 1)
    back = rate * lags + np.random.default_rng(seed).uniform(-0.1, 0.1, steps + 1)
    back[0] = 0.0
    norms = by_steps_back(back)
    (phase,) = decay_phases(norms)
    assert_lines(norms, (phase,))
    assert phase.decades_per_step == pytest.approx(rate, abs=0.6 / steps)
    assert phase.last == steps
    assert phase.first <= 2


@pytest.mark.parametrize("meet", [20, 50, 80, 150, 280])
@pytest.mark.parametrize(("early", "late"), [(-0.5, -0.05), (-0.05, -0.5), (0.3, -0.2), (-0.4, 0.0), (0.0, -0.4)])
def test_two_phases_are_told_apart(meet: int, early: float, late: float) -> None:
    """Both rates, and where they meet, to within the tolerance."""
    lags = np.arange(301)
    back = np.where(lags <= meet, early * lags, early * meet + late * (lags - meet))
    norms = by_steps_back(back)
    phases = decay_phases(norms)
    assert_lines(norms, phases)
    assert len(phases) == 2 or is_line(back, phases[0].first)
    if len(phases) == 2:
        first, second = phases
        assert (first.first, second.last) == (0, 300)
        assert first.last == second.first == pytest.approx(meet, abs=1)
        assert first.decades_per_step == pytest.approx(early, abs=0.02)
        assert second.decades_per_step == pytest.approx(late, abs=0.02)


def test_a_short_beginning_is_left_out_of_the_line() -> None:
    """Three decades in three steps, and then a half at each."""
    lags = np.arange(101)
    back = np.where(lags <= 3, -1.0 * lags, -3.0 - math.log10(2) * (lags - 3))
    (phase,) = decay_phases(by_steps_back(back))
    assert 0 < phase.first <= 3
    assert phase.last == 100
    assert -math.log10(2) / phase.decades_per_step == pytest.approx(1.0, rel=0.01)


@pytest.mark.parametrize("zeros", [1, 5, 90])
def test_what_is_exactly_0_is_left_out(zeros: int) -> None:
    steps = 100
    norms = -0.2 * np.arange(steps, -1.0, -1.0)
    norms[:zeros] = -np.inf
    (phase,) = decay_phases(norms)
    assert (phase.first, phase.last) == (0, steps - zeros)
    assert phase.decades_per_step == pytest.approx(-0.2)


@pytest.mark.parametrize(
    "norms",
    [
        [-np.inf] * 9 + [0.0],
        [-3.0, -2.0, -np.inf, -1.0, -0.5, 0.0],  # a gap
        list(by_steps_back(np.sin(np.arange(50) / 3))),
        list(by_steps_back(-(np.arange(80.0) ** 2))),  # ever faster
        list(by_steps_back(-5.0 * np.log10(1 + np.arange(100.0)))),  # a power of the steps
        list(by_steps_back(np.where(np.arange(60) < 30, 0.0, -8.0))),  # a single step
    ],
)
def test_what_is_not_exponential_has_no_line_or_only_true_ones(norms: list[float]) -> None:
    """No line, or the tail of a power of the steps, that is one within the tolerance."""
    found = decay_phases(norms)
    assert_lines(np.array(norms), found)
    if not found:
        back = np.array(norms)[::-1]
        finite = back[: int(np.flatnonzero(np.isfinite(back))[-1]) + 1]
        if len(finite) > 5 and np.isfinite(finite).all():
            last = len(finite) - 1
            tried = np.unique(np.linspace(0, min(last // 2, last - 4), min(last // 2 + 1, 48)).round().astype(int))
            assert not any(is_line(finite, int(first)) for first in tried)
    else:
        assert found[-1].first > 0


@pytest.mark.parametrize("kind", ["elman", "lstm", "gru"])
@pytest.mark.parametrize("steps", [12, 100, 400])
def test_lines_of_real_networks(kind: str, steps: int) -> None:
    """Over eight seeds: each line is one, and its rate is that of the ends of its range."""
    for seed in range(8):
        trace = run(make_cell(kind, 4, 16, seed=seed), noise(steps, 4, seed))
        norms = log10_gradient_norms(trace, block="state")
        phases = decay_phases(norms)
        assert_lines(norms, phases)
        for phase in phases:
            back = norms[::-1]
            assert back[phase.last] - back[phase.first] == pytest.approx(phase.change, abs=2 * phase.off + 1e-9)


def test_the_norms_are_checked() -> None:
    with pytest.raises(InputError, match="log10_norms"):
        decay_phases([0.0, math.nan])
