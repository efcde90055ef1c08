"""The readout against its formula and torch."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from rnnviz import InputError, Readout

W = np.array([[1.0, -2.0, 0.5], [0.25, 0.0, 3.0]])
b = np.array([0.1, -0.2])
h = np.random.default_rng(0).uniform(-1.0, 1.0, (4, 5, 3))


def test_every_activation_is_torchs() -> None:
    torch = pytest.importorskip("torch")
    a = torch.nn.functional.linear(torch.tensor(h), torch.tensor(W), torch.tensor(b))
    expected = {"identity": a, "softmax": a.softmax(-1), "sigmoid": a.sigmoid(), "tanh": a.tanh()}
    for name, y in expected.items():
        np.testing.assert_allclose(Readout(W, b, name)(h), y.numpy(), rtol=1e-14, err_msg=name)


def test_one_state_or_many() -> None:
    readout = Readout(W, b, "softmax")
    assert readout(h[0, 0]).shape == (2,)
    np.testing.assert_allclose(readout(h[0, 0]), readout(h)[0, 0], rtol=1e-15)
    assert readout(np.empty((0, 3))).shape == (0, 2)


def test_softmax_at_the_ends_of_the_range() -> None:
    readout = Readout(np.eye(3), np.zeros(3), "softmax")
    np.testing.assert_array_equal(readout([1e308, -1e308, 0.0]), [1.0, 0.0, 0.0])
    np.testing.assert_allclose(readout([1e4, 1e4, 1e4]), np.full(3, 1 / 3), rtol=1e-15)
    np.testing.assert_allclose(readout([0.0, -700.0, 0.0])[1], np.exp(-700.0) / 2, rtol=1e-14)


def test_it_holds_read_only_copies() -> None:
    mine = W.copy()
    readout = Readout(mine, b)
    mine[0, 0] = 9.0
    for one in (readout, copy.deepcopy(readout)):
        np.testing.assert_array_equal(one.W, W)
        assert not one.W.flags.writeable
        assert not one.b.flags.writeable


def test_overflow_is_refused() -> None:
    with pytest.raises(InputError, match=r"overflows float64.*Lower W, b or the states"):
        Readout(np.array([[1e300]]), np.zeros(1))([1e300])
