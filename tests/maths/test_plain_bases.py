"""Plain QR where its check lets it pass, against the exact way; and that the check stops what would be wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rnnviz import Cell, Clamp, Trace, log10_singular_values, lyapunov_exponents, make_cell, run, step_jacobians
from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.checked_factors import CheckedFactors
from rnnviz.maths.extended_range.exact_bases import exact_product
from rnnviz.maths.extended_range.graded import log2_diagonal
from rnnviz.maths.extended_range.graded_svd import log10_singular_values_of_rows
from rnnviz.maths.extended_range.plain_bases import ACCURACY, FEW, Followed, followed_plainly
from rnnviz.maths.gradient_flow import spectra

from .drawn import ALL_FORMS, cases, clamps_for, make_case
from .test_gradient_norms import NILPOTENT, make_linear, masked
from .test_own_cell import LeakyCell, a_run

KINDS = ["elman", "lstm", "gru"]


def plainly(trace: Trace) -> Followed | None:
    return followed_plainly(trace, CheckedFactors(trace))


def trace_of(kind: str, H: int, T: int, seed: int = 0, **options: Any) -> Trace:
    return run(make_cell(kind, 2, H, seed=seed, **options), np.random.default_rng(seed).standard_normal((T, 2)))


def off(found: Array, expected: Array) -> float:
    """The largest error of logarithms, relative, or as of a few decades."""
    assert len(found) == len(expected)
    return float((np.abs(found - expected) / np.maximum(FEW, np.abs(expected))).max())


def assert_as_exact(trace: Trace, plain: Followed) -> None:
    """No direction is lost, and all logarithms are as accurate as the check has promised."""
    factors = CheckedFactors(trace)
    exact, columns = exact_product(trace, factors)
    found, expected = (np.sort(log2) * np.log10(2.0) for log2 in (plain.log2_diagonal, log2_diagonal(exact, columns)))
    assert off(found, expected) <= ACCURACY
    if plain.product is not None:
        assert off(*map(log10_singular_values_of_rows, (plain.product, exact))) <= ACCURACY


@st.composite
def networks(draw: st.DrawFn) -> Trace:
    """All forms; ordinary, saturated, with rows of weights far apart or zero, with inputs that change half way."""
    case = draw(cases(shifts=(0.0, 1.0, 3.0, 10.0, 30.0), max_steps=40))
    cell, x = case.cell, case.x
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scales: Any = draw(st.sampled_from([1.0, 0.01, 3.0, 10.0]))
    if draw(st.booleans()):
        scales = 10.0 ** random.integers(-4, 1, (len(cell.W_hh), 1))
    there = random.random(cell.W_hh.shape) < draw(st.sampled_from([1.0, 0.9, 0.5]))
    half = np.arange(len(x))[:, None] < len(x) // 2
    x = np.where(half, x, draw(st.sampled_from([1.0, 0.0, 10.0])) * x)
    clamps = draw(st.lists(clamps_for(case), max_size=1)) if cell.clampable else []
    return run(replace(cell, W_hh=scales * there * cell.W_hh), x, case.h0, case.c0, clamp=clamps)


@settings(max_examples=150)
@given(networks())
def test_what_passes_is_as_exact(trace: Trace) -> None:
    plain = plainly(trace)
    if plain is not None:
        assert_as_exact(trace, plain)


@pytest.mark.parametrize(("H", "T"), [(1, 1), (1, 1000), (3, 1000), (8, 200), (16, 50), (64, 8)])
@pytest.mark.parametrize("kind", KINDS)
def test_ordinary_networks_pass(kind: str, H: int, T: int) -> None:
    trace = trace_of(kind, H, T)
    plain = plainly(trace)
    assert plain is not None
    assert plain.product is not None
    assert_as_exact(trace, plain)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("options", [{}, {"init": "orthogonal"}, {"init": "xavier", "gain": 1.5}])
def test_most_seeds_pass(kind: str, options: dict[str, Any]) -> None:
    """Else the exact way would be taken where nothing asks for it."""
    found = [plainly(trace_of(kind, 8, 50, seed, **options)) for seed in range(20)]
    assert sum(plain is not None and plain.product is not None for plain in found) >= 18


def test_a_cell_of_ones_own_passes() -> None:
    trace = a_run(LeakyCell, 60)
    plain = plainly(trace)
    assert plain is not None
    assert_as_exact(trace, plain)


NASTY = {
    "weights of 0": trace_of("elman", 3, 10, init="zeros"),
    "a nilpotent matrix": run(make_linear(NILPOTENT), np.zeros((3, 1))),
    "a matrix of rank 1": run(make_linear(0.1 * np.ones((2, 2))), np.zeros((3, 1))),
    "nearly of rank 1": run(make_linear(np.array([[0.1, 0.3], [0.3, 0.9]])), np.zeros((3, 1))),
    "a masked unit": masked([[0.5, 0.2], [0.1, 0.7]], 20, {10: [0]}),
    "saturated units": run(*make_case(ALL_FORMS[0], 1, 3, 8, seed=3, shift=30.0)),
    "slopes below float64": run(*make_case(ALL_FORMS[0], 1, 3, 8, seed=3, shift=800.0)),
    "gates shut": run(*make_case(ALL_FORMS[4], 1, 3, 8, seed=3), clamp=[Clamp("f", 0.0)]),
    "weights beyond reach": run(make_linear(np.diag([1e150, 1e149])), np.zeros((3, 1))),
    "units far apart": run(make_linear(np.diag([1.0, 1e-12])), np.zeros((3, 1))),
}


@pytest.mark.parametrize("name", NASTY)
def test_the_rest_goes_the_exact_way(name: str) -> None:
    assert plainly(NASTY[name]) is None


@pytest.mark.parametrize("seed", [0, 2, 9])
def test_weak_directions_that_take_over_go_the_exact_way(seed: int) -> None:
    """Units that hear themselves alone: each by itself is a network whose exponents are some of those of all.

    No step shrinks one direction much more than another, yet what is weak for long is strong later.
    """
    trace = trace_of("lstm", 8, 50, seed, init="identity")
    alone = []
    for unit in range(8):
        rows = {name: getattr(trace.cell, name)[unit::8] for name in ("W_ih", "W_hh", "b_ih", "b_hh")}
        rows["W_hh"] = rows["W_hh"][:, [unit]]
        alone.append(lyapunov_exponents(run(replace(trace.cell, **rows), trace.x)))
    assert np.linalg.cond(step_jacobians(trace)).max() < 1e6
    assert plainly(trace) is None
    np.testing.assert_allclose(lyapunov_exponents(trace), np.sort(np.concatenate(alone))[::-1], rtol=1e-12)


@dataclass(frozen=True, eq=False)
class TurnedCell(Cell):
    """Two directions of which one grows with the input as the other shrinks."""

    kind: ClassVar[str] = "turned"

    def step(self, x: Any, h: Any) -> Any:
        turn = np.array([[0.6, -0.8], [0.8, 0.6]])
        return turn @ (np.exp(x[0] * np.array([1.0, -1.0])) * (turn.T @ h))


@pytest.mark.parametrize(("steps", "passes"), [(0, True), (2, True), (40, False)])
def test_a_direction_that_takes_over_late_has_lost_digits(steps: int, passes: bool) -> None:
    """So many steps one way and back, 2**(2 steps) at the turn; every singular value is 1 in the end."""
    x = np.log(2.0) * np.concatenate([np.ones(steps), -np.ones(steps), [0.0]])
    cell = TurnedCell(np.zeros((2, 1)), np.zeros((2, 2)), np.zeros(2), np.zeros(2))
    plain = plainly(run(cell, x[:, None], np.ones(2)))
    assert (plain is not None) == passes


def test_both_ways_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that passes is not done again, and another one is."""
    taken: list[str] = []

    def noted(trace: Trace, factors: CheckedFactors) -> Any:
        taken.append("exact")
        return exact_product(trace, factors)

    monkeypatch.setattr(spectra, "exact_product", noted)
    log10_singular_values(trace_of("gru", 3, 20))
    assert not taken
    log10_singular_values(NASTY["a masked unit"])
    assert taken == ["exact"]
