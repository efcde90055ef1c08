"""Training against plain loops of torch, written out; that the same recipe gives the same weights; what is refused."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from numpy.random import RandomState

from rnnviz import ElmanCell, GRUCell, InputError, LSTMCell, Readout, clip_by_global_norm, make_cell
from rnnviz.learning import train
from rnnviz.learning.examples import Adding, Copy, NextNumber, Parity, RandomClasses, Recall, Series, Sine, Task
from rnnviz.learning.training import Training, moments
from rnnviz.maths.initialisation import drawn_readout
from rnnviz.weights import StoredNetwork

WEIGHTS = ("W_ih", "W_hh", "b_ih", "b_hh")
THEIRS = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
FORMS = [
    ("elman", {}), ("elman", {"activation": "relu", "init": "identity"}), ("lstm", {"forget_bias": 1.0}), ("gru", {}),
]  # fmt: skip
"""Those that torch has modules for."""


def head(outputs: int, hidden: int, seed: int = 0) -> Readout:
    return Readout(*drawn_readout(outputs, hidden, [seed, 1]))


class Plain(torch.nn.Module):
    """The model as anyone would write it."""

    def __init__(self, cell: Any, readout: Readout) -> None:
        super().__init__()
        made = {ElmanCell: torch.nn.RNN, LSTMCell: torch.nn.LSTM, GRUCell: torch.nn.GRU}[type(cell)]
        form = {"nonlinearity": cell.activation} if isinstance(cell, ElmanCell) else {}
        self.rnn = made(cell.input_size, cell.hidden_size, batch_first=True, **form).double()
        self.head = torch.nn.Linear(cell.hidden_size, len(readout.b)).double()
        with torch.no_grad():
            for ours, theirs in zip(WEIGHTS, THEIRS, strict=True):
                getattr(self.rnn, theirs).copy_(torch.tensor(np.array(getattr(cell, ours))))
            self.head.weight.copy_(torch.tensor(np.array(readout.W)))
            self.head.bias.copy_(torch.tensor(np.array(readout.b)))

    def weights(self) -> list[np.ndarray]:
        return [tensor.detach().numpy().copy() for tensor in self.parameters()]


def ours(training: Training) -> list[np.ndarray]:
    now = training.checkpoint()
    (cell,) = now.cells
    return [*(np.array(getattr(cell, name)) for name in WEIGHTS), np.array(now.readout.W), np.array(now.readout.b)]


@pytest.mark.parametrize(("kind", "options"), FORMS)
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("clip", [None, 0.3])
def test_updates_are_those_of_a_plain_loop(kind: str, options: dict[str, Any], optimizer: str, clip: float) -> None:
    task = Adding(12)
    cell, readout = make_cell(kind, 2, 7, seed=4, **options), head(1, 7)
    training = Training(task, cell, readout, optimizer=optimizer, lr=0.05, clip=clip, batch_size=6, seed=9)
    plain, random = Plain(cell, readout), RandomState([9, 2])
    step = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}[optimizer](plain.parameters(), lr=0.05)
    for number in range(1, 21):
        examples = task.draw(6, random)
        step.zero_grad()
        out, _ = plain.rnn(torch.tensor(examples.x))
        loss = ((plain.head(out[:, -1]) - torch.tensor(examples.target[:, -1])) ** 2).mean()
        loss.backward()
        grads = [one.grad.flatten() for one in plain.parameters() if one.grad is not None]
        norm = float(torch.cat(grads).norm())
        if clip is not None:
            torch.nn.utils.clip_grad_norm_(plain.parameters(), clip)
        step.step()
        found = training.update()
        assert found.number == number
        np.testing.assert_allclose([found.loss, found.grad_norm], [loss.item(), norm], rtol=1e-9)
        assert found.clipped == (clip is not None and norm > clip)
    for mine, theirs in zip(ours(training), plain.weights(), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=1e-12)


def test_the_next_number_is_learned_as_the_textbook_loop_does() -> None:
    """1 input, 10 units, 1 output; SGD after every number, the state set back each epoch and detached each step."""
    cell, readout = make_cell("elman", 1, 10, seed=3), head(1, 10, 3)
    training = Training(NextNumber(), cell, readout, optimizer="sgd", lr=0.05, truncation=1, batch_size=1)
    plain = Plain(cell, readout)
    step = torch.optim.SGD(plain.parameters(), lr=0.05)
    data, log, total = [number / 10 for number in range(1, 11)], [], 0.0
    for epoch in range(120):
        state: Any = torch.zeros(1, 1, 10, dtype=torch.float64)
        total, mine = 0.0, 0.0
        for now, following in pairwise(data):
            out, after = plain.rnn(torch.tensor([[[now]]], dtype=torch.float64), state)
            loss = torch.nn.functional.mse_loss(plain.head(out), torch.tensor([[[following]]], dtype=torch.float64))
            step.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            step.step()
            total += loss.item()
            state = after.detach()
            mine += training.update().loss
        if epoch % 20 == 0:
            log.append((mine, total))
    np.testing.assert_allclose(*zip(*log, strict=True), rtol=1e-9)
    assert total < 0.05 < log[0][1]
    for our, their in zip(ours(training), plain.weights(), strict=True):
        np.testing.assert_allclose(our, their, rtol=1e-9)


@pytest.mark.parametrize(
    ("kind", "options"),
    [*FORMS, ("elman", {"activation": "sigmoid"}), ("elman", {"activation": "identity"}),
     ("gru", {"reset": "before"}), ("gru", {"update": "write"}), ("gru", {"reset": "before", "update": "write"})],
)  # fmt: skip
def test_every_form_of_cell_has_the_gradient_of_the_core(kind: str, options: dict[str, Any]) -> None:
    """One step of SGD against backpropagation in numpy, which torch has no part in."""
    from rnnviz import bptt, run

    task, lr = Recall(6), 0.1
    cell, readout = make_cell(kind, 1, 5, seed=1, gain=0.9, **options), head(1, 5)
    training = Training(task, cell, readout, optimizer="sgd", lr=lr, batch_size=3, seed=2)
    training.update()
    (moved,) = training.checkpoint().cells
    examples = task.draw(3, RandomState([2, 2]))
    total = {name: np.zeros_like(getattr(cell, name)) for name in WEIGHTS}
    for x, target in zip(examples.x, examples.target, strict=True):
        trace = run(cell, x)
        d_h = np.zeros((6, 5))
        d_h[-1] = 2.0 / 3.0 * (readout(trace.h[-1]) - target[-1]) @ readout.W
        gradients = bptt(trace, d_h)
        total = {name: total[name] + getattr(gradients, name) for name in WEIGHTS}
    for name in WEIGHTS:
        expected = getattr(cell, name) - lr * total[name]
        np.testing.assert_allclose(getattr(moved, name), expected, rtol=1e-10, atol=1e-13)


def test_truncation_drops_what_lies_before_the_chunk() -> None:
    """Two chunks of 3 with nothing asked in the first: its state arrives, its gradient does not."""
    task = Recall(6)
    cell, readout = make_cell("elman", 1, 4, seed=1), head(1, 4)
    training = Training(task, cell, readout, optimizer="sgd", lr=0.1, truncation=3, batch_size=5, seed=2)
    training.update()
    plain, examples = Plain(cell, readout), task.draw(5, RandomState([2, 2]))
    x = torch.tensor(examples.x)
    _, state = plain.rnn(x[:, :3])
    out, _ = plain.rnn(x[:, 3:], state.detach())
    ((plain.head(out[:, -1]) - torch.tensor(examples.target[:, -1])) ** 2).mean().backward()  # type: ignore[no-untyped-call]
    torch.optim.SGD(plain.parameters(), lr=0.1).step()
    for mine, theirs in zip(ours(training), plain.weights(), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-9)


def test_stacks_and_learned_initial_states_learn() -> None:
    """The layers and h0 of a stack, against torch's own with its h0 a parameter."""
    task = Parity(5)
    cells = (make_cell("gru", 1, 4, seed=1), make_cell("gru", 4, 4, seed=2))
    readout = head(1, 4)
    training = Training(task, cells, readout, optimizer="sgd", lr=0.3, batch_size=4, seed=5, learn_h0=True)
    rnn: Any = torch.nn.GRU(1, 4, num_layers=2, batch_first=True).double()
    linear = Plain(cells[0], readout).head
    h0 = torch.zeros(2, 1, 4, dtype=torch.float64, requires_grad=True)
    with torch.no_grad():
        for layer, cell in enumerate(cells):
            for mine, theirs in zip(WEIGHTS, THEIRS, strict=True):
                getattr(rnn, theirs.replace("l0", f"l{layer}")).copy_(torch.tensor(np.array(getattr(cell, mine))))
    parameters, random = [*rnn.parameters(), *linear.parameters(), h0], RandomState([5, 2])
    step = torch.optim.SGD(parameters, lr=0.3)
    for _ in range(4):
        examples = task.draw(4, random)
        step.zero_grad()
        out, _ = rnn(torch.tensor(examples.x), h0.expand(2, 4, 4).contiguous())
        said, wanted = linear(out), torch.tensor(examples.target)
        loss: Any = torch.nn.functional.binary_cross_entropy_with_logits(said, wanted)
        loss.backward()
        step.step()
        training.update()
    now = training.checkpoint()
    np.testing.assert_allclose(now.h0s, h0.detach().numpy()[:, 0], rtol=1e-9)
    np.testing.assert_allclose(now.cells[1].W_hh, rnn.weight_hh_l1.detach().numpy(), rtol=1e-9)
    assert all(h0.any() for h0 in now.h0s)
    assert now.readout.activation == "sigmoid"


@pytest.mark.parametrize("kind", ["elman", "lstm", "gru"])
def test_the_same_recipe_gives_the_same_weights_to_the_last_bit(kind: str) -> None:
    def hashes() -> list[str]:
        cell, readout = make_cell(kind, 6, 8, seed=1), head(4, 8)
        found = train(Copy(gap=3), cell, readout, updates=12, lr=0.01, clip=1.0, batch_size=5, seed=7)
        return [StoredNetwork(one.cells, one.readout).hash for one in found]

    first = hashes()
    assert first == hashes()
    assert len(set(first)) == 13


def test_the_test_is_on_what_training_never_sees() -> None:
    """And it does not move the stream that training draws from."""
    task = Sine(10)
    cell, readout = make_cell("elman", 1, 4), head(1, 4)
    one, other = (Training(task, cell, readout, seed=3) for _ in range(2))
    for number in range(5):
        if number % 2:
            other.checkpoint()
        assert one.update() == other.update()
    seen = np.concatenate([task.draw(32, RandomState([3, 2])).x for _ in range(5)])
    tested = task.held_back(256, RandomState([3, 3])).x
    assert not {row.tobytes() for row in seen} & {row.tobytes() for row in tested}


def test_data_of_ones_own_is_learned_whole() -> None:
    x = RandomState(0).standard_normal((3, 4, 2))
    found = [*train((x, x), make_cell("elman", 2, 8), head(2, 8), updates=150, lr=0.02)]
    assert found[0].test_loss > 0.5
    assert found[-1].test_loss < 0.05
    assert [one.update for one in found] == moments(150)


def test_a_run_that_diverges_says_so() -> None:
    cell, readout = make_cell("elman", 1, 10, activation="identity"), head(1, 10)
    with pytest.raises(InputError, match=r"at update .* smaller learning rate"):
        list(train(NextNumber(10.0), cell, readout, updates=3000, optimizer="sgd", lr=0.5, batch_size=1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"optimizer": "rmsprop"}, "optimizer must be one of: sgd, adam; got rmsprop"),
        ({"lr": -1.0}, "lr"), ({"clip": 0.0}, "clip"), ({"truncation": 0}, "truncation"), ({"batch_size": 0}, "batch"),
    ],
)  # fmt: skip
def test_what_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Training(Adding(5), make_cell("elman", 2, 3), head(1, 3), **options)


def test_a_network_that_does_not_fit_is_refused() -> None:
    with pytest.raises(InputError, match="2 inputs and 1 output: its layers read 1, 3, its readout has 1 row"):
        Training(Adding(5), make_cell("elman", 1, 3), head(1, 3))
    with pytest.raises(InputError, match="x must be"):
        list(train((np.zeros((2, 3, 1)), np.zeros((2, 4, 1))), make_cell("elman", 1, 3), head(1, 3), updates=1))


@pytest.mark.parametrize("updates", [0, 1, 32, 33, 59, 999, 10**6])
def test_moments_are_dense_early(updates: int) -> None:
    found = moments(updates)
    assert (found[0], found[-1]) == (0, updates)
    assert len(found) <= 95
    assert found == sorted(set(found))
    assert found[:6] == list(range(min(updates, 5) + 1))
    assert max(np.diff(found), default=0) <= updates / 32 + 1


def test_the_clip_is_that_of_the_core_to_its_rounding() -> None:
    """torch divides by the norm and a millionth."""
    task, cell, readout = Adding(8), make_cell("lstm", 2, 4, seed=2), head(1, 4)
    before, moved = [*(np.array(getattr(cell, name)) for name in WEIGHTS), readout.W, readout.b], []
    for clip in (None, 0.01):
        training = Training(task, cell, readout, optimizer="sgd", lr=1.0, seed=1, clip=clip)
        training.update()
        moved.append([old - new for old, new in zip(before, ours(training), strict=True)])
    clipped, _ = clip_by_global_norm({str(place): array for place, array in enumerate(moved[0])}, 0.01)
    for mine, theirs in zip(moved[1], clipped.values(), strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-3, atol=1e-9)


# --- tasks ----------------------------------------------------------------------------------------------------------


def all_tasks() -> list[Task]:
    from rnnviz.learning.examples import TASKS

    series = np.cumsum(RandomState(1).standard_normal((200, 2)), axis=0)
    return [*(made() for made in TASKS.values()), Series(series, 12)]


@pytest.mark.parametrize("task", all_tasks(), ids=lambda task: type(task).__name__)
def test_examples_have_the_shapes_that_the_task_says(task: Task) -> None:
    for examples in (task.draw(7, RandomState(0)), task.held_back(7, RandomState(0))):
        B, T, D = examples.x.shape
        assert (task.steps, task.input_size) == (T, D) or isinstance(task, NextNumber)
        assert examples.target.shape == ((B, T) if task.loss == "cross_entropy" else (B, T, task.output_size))
        assert examples.counted.shape == (T,)
        assert examples.counted.any()
        assert np.isfinite(examples.x).all()


@pytest.mark.parametrize("task", [RandomClasses(3), NextNumber(), Parity(3)], ids=lambda task: type(task).__name__)
def test_what_is_not_fresh_is_seen_again_and_again(task: Task) -> None:
    """A network that learns nothing then has the same loss at every update."""
    readout = head(task.output_size, 4)
    training = Training(task, make_cell("gru", task.input_size, 4), readout, optimizer="sgd", lr=1e-300)
    losses = {training.update().loss for _ in range(4)}
    assert len(losses) == (4 if task.fresh else 1)


def test_a_sine_counts_where_it_can_be_known() -> None:
    """From three values on, the next one is no longer a guess."""
    examples = Sine(40).draw(50, RandomState(0))
    assert examples.counted.tolist() == [False, False] + [True] * 38
    assert [Sine(steps).draw(1, RandomState(0)).counted.sum() for steps in (2, 3, 4)] == [1, 1, 2]
    x, wanted = examples.x[..., 0], examples.target[:, :, 0]
    with np.errstate(divide="ignore"):
        following = (x[:, :-2] + x[:, 2:]) / x[:, 1:-1] * x[:, 2:] - x[:, 1:-1]
    known = np.abs(x[:, 1:-1]) > 1e-3
    np.testing.assert_allclose(following[known], wanted[:, 2:][known], atol=1e-9)


def test_larger_numbers_are_no_harder_to_solve() -> None:
    """The threshold is the same share of the distance between two numbers."""
    assert NextNumber().solved == pytest.approx(1e-3)
    assert NextNumber(10.0).solved == pytest.approx(0.1)
