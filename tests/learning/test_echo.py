"""The bit of some steps ago: the loss and its gradient against torch, what is learned at eight seeds."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from rnnviz import InputError
from rnnviz.learning import echo as module
from rnnviz.learning.echo import CHANCE, STEPS, echo


def torch_losses(
    weights: dict[str, np.ndarray], bits: np.ndarray, delay: int
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The loss of each network and its gradient by autograd, from the equations."""
    losses, gradient = [], {name: np.zeros_like(weight) for name, weight in weights.items()}
    for place in range(2):
        own = {name: torch.tensor(weight[place], requires_grad=True) for name, weight in weights.items()}
        h, outputs, x = torch.zeros(len(bits), own["b"].shape[0], dtype=torch.float64), [], torch.tensor(bits)
        for t in range(bits.shape[1]):
            h = torch.tanh(x[:, t : t + 1] @ own["W_ih"].T + h @ own["W_hh"].T + own["b"])
            outputs.append(h @ own["W_ho"].T + own["b_o"])
        said, target = torch.cat(outputs, dim=1)[:, delay:], x[:, : bits.shape[1] - delay]
        loss = torch.nn.functional.binary_cross_entropy_with_logits(said, target)
        loss.backward()  # type: ignore[no-untyped-call]
        losses.append(loss.item())
        for name, one in own.items():
            gradient[name][place] = one.grad.numpy() if one.grad is not None else 0.0
    gradient["W_hh"][0] = 0.0  # it is held at 0
    return np.array(losses), gradient


@pytest.mark.parametrize("delay", [0, 1, 4, STEPS - 1])
def test_loss_and_gradient_are_those_of_torch(delay: int) -> None:
    weights, bits = module._first_weights(5), module._drawn(np.random.RandomState(1), 6)
    losses, gradient = torch_losses(weights, bits, delay)
    np.testing.assert_allclose(module._loss(weights, bits, delay), losses, rtol=1e-12)
    for name, found in module._gradient(weights, bits, delay).items():
        np.testing.assert_allclose(found, gradient[name], rtol=1e-9, atol=1e-14, err_msg=name)


def test_an_update_is_adams() -> None:
    weights, bits = module._first_weights(2), module._drawn(np.random.RandomState(3), 4)
    moments = {name: (np.zeros_like(weight), np.zeros_like(weight)) for name, weight in weights.items()}
    own = {name: torch.tensor(weight.copy(), requires_grad=True) for name, weight in weights.items()}
    adam = torch.optim.Adam(own.values(), lr=0.02)
    for update in range(1, 6):
        gradient = module._gradient(weights, bits, 1)
        for name, one in own.items():
            one.grad = torch.tensor(gradient[name])
        adam.step()
        weights, moments = module._adam(weights, gradient, moments, update)
        for name, weight in weights.items():
            np.testing.assert_allclose(weight, own[name].detach(), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("delay", range(6))
def test_only_a_state_says_what_is_no_longer_there(delay: int) -> None:
    """At four seeds for the delay that the page begins with; all delays were tried at eight by hand."""
    for seed in range(4 if delay == 1 else 1):
        found = echo(delay, seed)
        assert found.with_state[-1] < 1e-3
        if delay:
            assert abs(found.without[-1] - CHANCE) < 2e-3
            assert not np.ptp(found.said[0][found.bits == 1])  # the same bit, the same probability
        else:
            assert found.without[-1] < 1e-3
        right = found.said[1][delay:] > 0.5
        np.testing.assert_array_equal(right, found.bits[: STEPS - delay] == 1)
        assert found.updates[0] == 0
        assert len(found.updates) == len(found.without) == len(found.with_state)


def test_the_same_seed_learns_the_same() -> None:
    one, other = echo(1, 3), echo(1, 3)
    np.testing.assert_array_equal(one.with_state, other.with_state)
    assert (echo(1, 4).with_state != one.with_state).any()


def test_a_delay_beyond_the_sequence_is_refused() -> None:
    for delay in (-1, STEPS):
        with pytest.raises(InputError):
            echo(delay)
