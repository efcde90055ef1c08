"""What a network is to learn, against torch: target, loss, and the error at every hidden state."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from rnnviz import InputError, bptt, step_jacobians
from rnnviz.network import Objective, build, network_of, objective_of, of_cell, parts_of, run_network
from rnnviz.network.objective import Array
from rnnviz.presets import BPTT_RTRL, cell_of
from rnnviz.settings import KINDS, Settings, Value
from tests.maths.twins import tensor


def found(settings: Settings, sequence: int = 1) -> Objective:
    return objective_of(run_network(build(network_of(settings))).of(sequence), parts_of(settings).objective)


def by_torch(objective: Objective, x: Array, delay: int) -> tuple[float, Array]:
    """The loss, and its gradient with respect to the hidden states, in torch's own words."""
    h = tensor(objective.trace.h[1:]).requires_grad_()
    y, logits = h, h
    for readout in objective.readouts:
        logits = y @ tensor(readout.W).T + tensor(readout.b)
        y = {"tanh": torch.tanh, "sigmoid": torch.sigmoid, "identity": lambda a: a}[readout.activation](logits)
    late = torch.cat([torch.zeros(max(delay, 0), x.shape[1]), tensor(x)[max(-delay, 0) :]])[: len(x)]
    target = torch.stack([late[:, place % x.shape[1]] for place in range(y.shape[1])], dim=1)
    with_target = len(late)
    steps = slice(0 if objective.at == "every" else with_target - 1, with_target)
    if objective.kind == "squared":
        loss = torch.nn.functional.mse_loss(y[steps], target[steps], reduction="sum")
    else:
        loss = torch.nn.functional.cross_entropy(logits[steps], target[steps].argmax(dim=1), reduction="sum")
    return loss.item(), torch.autograd.grad(loss, h)[0].numpy()


@given(
    st.sampled_from(KINDS), st.integers(1, 3), st.integers(2, 4), st.integers(1, 6), st.integers(-1, 7),
    st.sampled_from(["squared", "cross_entropy"]), st.sampled_from(["every", "last"]),
    st.sampled_from(["tanh", "sigmoid", "identity"]), st.sampled_from([1, 2]), st.sampled_from(["hidden", "readout"]),
)  # fmt: skip
def test_the_loss_and_its_error_are_torchs(
    kind: str, inputs: int, outputs: int, steps: int, delay: int, loss: str, at: str, head: str, layers: int, stack: str
) -> None:
    assume(loss == "squared" or inputs > 1)
    assume(delay >= 0 or steps > 1)
    chosen: dict[str, Value] = {"input_size": inputs, "hidden_size": 3, "steps": steps, "output_size": outputs}
    chosen |= {"delay": delay, "loss": loss, "loss_at": at, "output_activation": head, "layers": layers, "stack": stack}
    settings = Settings("random", kind=kind).choose(**chosen)
    objective, x = found(settings), build(network_of(settings)).xs[0]
    value, d_h = by_torch(objective, x, min(delay, steps))
    assert objective.loss.value == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(objective.d_h, d_h, rtol=1e-11, atol=1e-13)
    again, error = objective.loss_of(objective.trace.h[1:])
    assert again.value == objective.loss.value
    np.testing.assert_array_equal(error, objective.d_h)


def test_without_a_readout_the_hidden_state_itself_is_compared() -> None:
    settings = Settings("random").choose(output_size=0, delay=0, loss_at="last", input_size=2, hidden_size=3)
    objective, x = found(settings), build(network_of(settings)).xs[0]
    assert objective.readouts == ()
    off = objective.trace.h[-1] - np.array([x[-1, 0], x[-1, 1], x[-1, 0]])
    assert objective.loss.value == pytest.approx(float((off**2).sum()))
    np.testing.assert_allclose(objective.d_h[-1], 2 * off)
    assert not objective.d_h[:-1].any()


def test_the_next_input_as_target_leaves_the_last_step_without_a_loss() -> None:
    for at, has_loss in (("every", [True, True, True, False]), ("last", [False, False, True, False])):
        settings = Settings("random").choose(delay=-1, steps=4, input_size=1, loss_at=at)
        objective, x = found(settings), build(network_of(settings)).xs[0]
        assert objective.path.has_loss.tolist() == has_loss
        assert objective.path.last == 3
        assert objective.target[:-1].tolist() == x[1:].tolist()
        assert (objective.loss.by_step > 0).tolist() == has_loss
        assert objective.d_h.any(axis=1).tolist() == has_loss
    with pytest.raises(InputError, match="needs at least 2 steps, and there is 1"):
        found(Settings("random").choose(delay=-1, steps=1))


def test_one_class_is_none() -> None:
    with pytest.raises(InputError, match=r"input size of at least 2, .* input size is 1\."):
        found(Settings("random").choose(output_size=2, input_size=1, loss="cross_entropy"))
    with pytest.raises(InputError, match=r"at least 2 outputs, .* there is 1\."):
        found(Settings("random").choose(output_size=1, loss="cross_entropy"))


@pytest.mark.parametrize("name", BPTT_RTRL)
@pytest.mark.parametrize("kind", KINDS)
def test_every_lesson_has_a_gradient_in_every_cell(name: str, kind: str) -> None:
    front = cell_of(name)
    page = Settings(name, kind=front, beside=tuple(one for one in KINDS if one != front), gallery="bptt_rtrl")
    objective = found(of_cell(page, kind))
    gradient = bptt(objective.trace, objective.d_h)
    assert objective.loss.value > 0
    assert np.abs(gradient.W_hh).max() > 0


def test_what_reaches_step_1_differs_by_decades_between_an_lstm_and_an_elman_network() -> None:
    """The presets' own point, in the Jacobians of single steps, over many seeds: no word of what is learned."""
    for name, kind, low, high in (("first_step", "elman", -12, -3), ("first_step_lstm", "lstm", -2, 0)):
        shares = []
        for seed in range(9):
            trace = found(Settings(name, kind=kind).choose(seed=seed)).trace
            H = trace.cell.hidden_size
            last = np.zeros(trace.states.shape[1])
            last[:H] = found(Settings(name, kind=kind).choose(seed=seed)).d_h[-1]
            first = np.linalg.multi_dot([last, *step_jacobians(trace)[:0:-1]])
            shares.append(np.log10(np.linalg.norm(first) / np.linalg.norm(last)))
        assert low < np.median(shares) < high
