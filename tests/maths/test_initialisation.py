"""Drawn weights: the same for ever, and with the property that names them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rnnviz import Cell, ElmanCell, GRUCell, LSTMCell, make_cell
from rnnviz.maths.checks import Array

KINDS = {"elman": ElmanCell, "lstm": LSTMCell, "gru": GRUCell}
kinds, sizes, seeds = st.sampled_from(list(KINDS)), st.integers(1, 9), st.integers(0, 2**32 - 1)
gains = st.sampled_from([0.0, 0.5, 1.0, 1.7])


def blocks(cell: Cell) -> list[Array]:
    return [cell.W_hh[cell.rows(name)] for name in cell.gate_names]


# Written down once. If one of these fails, the code is wrong, never the number: weights of a seed are in shared links.
TORCH_7 = {
    "W_ih": [-0.5991905634324065, 0.3958649523490667],
    "W_hh": [-0.08710250021327082, 0.31602748520663254, 0.6759792505376927, 0.05444138202979242],
    "b_ih": [0.0015845749040303708, -0.6052110912048202],
    "b_hh": [-0.3274767348568799, -0.00016616892606074508],
}
XAVIER_7 = {
    "W_ih": [-1.1983811268648132, 0.7917299046981336],
    "W_hh": [-0.15086595583566403, 0.5473756609661093, 1.170830406793615, 0.09429523970986774],
    "b_ih": [0.0, 0.0],
    "b_hh": [0.0, 0.0],
}
GRU_LAST = {
    "W_ih": [-0.8047359420119724, 0.8247656906052436, 0.5780706037032799],
    "W_hh": [0.16800215886808065, -0.28923619560795283, 0.28170355932885144],
    "b_ih": [0.1863506987020218, -0.7077656880121233, 0.818750145595541],
    "b_hh": [0.10747262318500028, 0.9691111120715898, -0.17150710854918083],
}


@pytest.mark.parametrize(
    ("cell", "weights"),
    [
        (make_cell("elman", 1, 2, seed=7), TORCH_7),
        (make_cell("elman", 1, 2, seed=7, init="xavier"), XAVIER_7),
        (make_cell("elman", 1, 2, seed=7, init="identity"), XAVIER_7 | {"W_hh": [1.0, 0.0, 0.0, 1.0]}),
        (make_cell("gru", 1, 1, seed=2**32 - 1, gain=0.3), GRU_LAST),
    ],
    ids=["torch", "xavier", "identity", "gru"],
)
def test_golden_uniform_weights(cell: Cell, weights: dict[str, list[float]]) -> None:
    """Bit for bit."""
    for name, numbers in weights.items():
        assert getattr(cell, name).ravel().tolist() == numbers, name


def test_golden_weights_through_linear_algebra() -> None:
    """To rounding, which the linear algebra library decides."""
    golden = {
        "orthogonal": [0.3285650166998533, -0.9444813549250325, -0.9444813549250325, -0.3285650166998532],
        "spectral": [0.10932471095245161, -2.1112035914279197, -0.31426094038941305, -0.4019164817612344],
    }
    for init, numbers in golden.items():
        cell = make_cell("elman", 1, 2, seed=3, init=init)
        assert cell.W_ih.ravel().tolist() == [0.14367816552214369, 0.5887309474499063]
        np.testing.assert_allclose(cell.W_hh.ravel(), numbers, rtol=1e-12, err_msg=init)


def test_golden_chrono_weights() -> None:
    cell = make_cell("lstm", 1, 1, init="chrono", seed=7, t_max=50)
    W_ih = [-0.8473834212520857, 0.5598375844802292, -0.123181537118213, 0.44693035566188244]
    W_hh = [0.9559790239932053, 0.07699174082086735, 0.002240927319875796, -0.8558977332804769]
    assert cell.W_ih.ravel().tolist() == W_ih
    assert cell.W_hh.ravel().tolist() == W_hh
    biases = [-2.4197009703129844, 2.4197009703129844, 0.35845999224188096, 0.6074780722087509]
    np.testing.assert_allclose(cell.b_ih, biases, rtol=1e-12)
    assert cell.b_hh.tolist() == [0.0, 0.0, -0.4237088013840129, 0.8191870554392273]


@given(kinds, sizes, sizes, gains, seeds)
def test_torch_and_xavier_stay_in_their_bounds(kind: str, D: int, H: int, gain: float, seed: int) -> None:
    cell, bound = make_cell(kind, D, H, gain=gain, seed=seed), 1.0 / np.sqrt(H)
    for array in (cell.W_ih, cell.b_ih, cell.b_hh):
        assert np.abs(array).max() <= bound
    assert np.abs(cell.W_hh).max() <= gain * bound
    xavier = make_cell(kind, D, H, init="xavier", gain=gain, seed=seed)
    assert np.abs(xavier.W_ih).max() <= np.sqrt(6.0 / (D + H))
    assert np.abs(xavier.W_hh).max() <= gain * np.sqrt(3.0 / H)
    assert not xavier.b_ih.any()
    assert not xavier.b_hh.any()


def test_uniform_weights_fill_their_bounds() -> None:
    """Mean 0 and variance bound**2 / 3, to about four standard errors."""
    for init, in_bound, h_bound in (("torch", 0.1, 0.1), ("xavier", np.sqrt(6.0 / 150), np.sqrt(6.0 / 200))):
        cell = make_cell("lstm", 50, 100, init=init, seed=1)
        for W, bound in ((cell.W_ih, in_bound), (cell.W_hh, h_bound)):
            assert abs(W.mean()) < 4.0 * bound / np.sqrt(3.0 * W.size)
            assert W.var() == pytest.approx(bound**2 / 3.0, rel=4.0 / np.sqrt(W.size))


@given(kinds, sizes, gains, seeds)
def test_orthogonal_blocks(kind: str, H: int, gain: float, seed: int) -> None:
    for W in blocks(make_cell(kind, 2, H, init="orthogonal", gain=gain, seed=seed)):
        np.testing.assert_allclose(W @ W.T, gain**2 * np.eye(H), rtol=0.0, atol=1e-13)


def test_orthogonal_draws_prefer_no_direction() -> None:
    """Without the sign correction the diagonal of Q would lean to one side."""
    diagonals = [np.diag(make_cell("elman", 1, 4, init="orthogonal", seed=seed).W_hh) for seed in range(400)]
    assert np.abs(np.mean(diagonals, axis=0)).max() < 4.0 * 0.5 / np.sqrt(400)


@given(kinds, sizes, gains, seeds)
def test_spectral_radius_is_the_gain(kind: str, H: int, gain: float, seed: int) -> None:
    for W in blocks(make_cell(kind, 2, H, init="spectral", gain=gain, seed=seed)):
        assert np.abs(np.linalg.eigvals(W)).max() == pytest.approx(gain, rel=1e-10, abs=0.0)


@given(kinds, sizes, gains, seeds)
def test_identity_and_zeros(kind: str, H: int, gain: float, seed: int) -> None:
    for W in blocks(make_cell(kind, 2, H, init="identity", gain=gain, seed=seed)):
        np.testing.assert_array_equal(W, gain * np.eye(H))
    zeros = make_cell(kind, 2, H, init="zeros", gain=gain, seed=seed)
    for array in (zeros.W_ih, zeros.W_hh, zeros.b_ih, zeros.b_hh):
        assert not array.any()


def test_blocks_are_drawn_apart() -> None:
    for init in ("orthogonal", "spectral", "xavier"):
        drawn = blocks(make_cell("lstm", 2, 3, init=init, seed=2))
        assert len({block.tobytes() for block in drawn}) == 4


@given(sizes, st.floats(3.0, 1e4), seeds)
def test_chrono_biases(H: int, t_max: float, seed: int) -> None:
    """Time scales 1/(1-f) = 1 + e**b lie in 2..t_max; all else is as "torch"."""
    lstm, plain = (make_cell("lstm", 2, H, init=init, seed=seed, **more) for init, more in _chrono(t_max))
    keep = lstm.b_ih[lstm.rows("f")]
    assert keep.min() >= 0.0
    assert keep.max() <= np.log(t_max - 1.0)
    np.testing.assert_array_equal(lstm.b_ih[lstm.rows("i")], -keep)
    assert not lstm.b_hh[: 2 * H].any()
    _same(lstm, plain, slice(2 * H, None))
    keeping, writing = (
        make_cell("gru", 2, H, init="chrono", t_max=t_max, seed=seed, update=update) for update in ("keep", "write")
    )
    z = keeping.rows("z")
    assert keeping.b_ih[z].min() >= 0.0
    assert keeping.b_ih[z].max() <= np.log(t_max - 1.0)
    np.testing.assert_array_equal(writing.b_ih[z], -keeping.b_ih[z])
    assert not keeping.b_hh[z].any()
    plain = make_cell("gru", 2, H, seed=seed)
    for rows in (keeping.rows("r"), keeping.rows("n")):
        _same(keeping, plain, rows)


def test_chrono_biases_fill_their_range() -> None:
    """``e**b`` is uniform in 1..t_max - 1."""
    drawn = [make_cell("lstm", 1, 50, init="chrono", t_max=101, seed=seed) for seed in range(80)]
    scales = np.exp([cell.b_ih[cell.rows("f")] for cell in drawn])
    assert scales.mean() == pytest.approx(50.5, rel=0.04)
    assert scales.max() > 99.0


@given(st.sampled_from(["torch", "xavier", "zeros", "chrono"]), sizes, st.floats(-20.0, 20.0), seeds)
def test_forget_bias(init: str, H: int, bias: float, seed: int) -> None:
    """After any init, and nothing else moves."""
    options = {"t_max": 9} if init == "chrono" else {}
    raised = make_cell("lstm", 2, H, init=init, seed=seed, forget_bias=bias, **options)
    plain = make_cell("lstm", 2, H, init=init, seed=seed, **options)
    assert set(raised.b_ih[raised.rows("f")]) == {bias}
    assert not raised.b_hh[raised.rows("f")].any()
    for rows in (slice(H), slice(2 * H, None)):
        _same(raised, plain, rows)


def test_kinds_and_forms() -> None:
    for kind, cell_class in KINDS.items():
        cell = make_cell(kind, np.int64(2), 3)
        assert type(cell) is cell_class
        assert (cell.kind, cell.input_size, cell.hidden_size) == (kind, 2, 3)
    relu = make_cell("elman", 1, 1, activation="relu")
    assert isinstance(relu, ElmanCell)
    assert relu.activation == "relu"
    gru = make_cell("gru", 1, 1, reset="before", update="write")
    assert isinstance(gru, GRUCell)
    assert (gru.reset, gru.update) == ("before", "write")


def test_the_global_generator_is_left_alone() -> None:
    np.random.seed(1)
    expected = np.random.random_sample()
    np.random.seed(1)
    first = make_cell("gru", 2, 3, init="orthogonal", seed=4)
    assert np.random.random_sample() == expected
    np.testing.assert_array_equal(first.W_hh, make_cell("gru", 2, 3, init="orthogonal", seed=4).W_hh)


def _chrono(t_max: float) -> tuple[tuple[str, dict[str, float]], ...]:
    return ("chrono", {"t_max": t_max}), ("torch", {})


def _same(one: Cell, other: Cell, rows: slice) -> None:
    """Both weights everywhere, and both biases in these rows."""
    for name in ("W_ih", "W_hh"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("b_ih", "b_hh"):
        np.testing.assert_array_equal(getattr(one, name)[rows], getattr(other, name)[rows])
