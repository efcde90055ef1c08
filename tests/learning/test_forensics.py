"""Clips and overflows: what a run tells of them, and what is found there, against plain loops and torch's autograd."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from rnnviz import ElmanCell, Readout, make_cell, run_stack, step_jacobians
from rnnviz.learning.examples import Adding, Copy, Parity, Recall, Task
from rnnviz.learning.forensics import Forensics, forensics_of
from rnnviz.learning.incident import KINDS, Incident
from rnnviz.learning.jobs import Jobs
from rnnviz.learning.plan import Ended, Learned, Learner, Plan, Told
from rnnviz.learning.recording import HISTORY, Recorder
from rnnviz.learning.training import Training, Update, _OwnData
from rnnviz.learning.worker import follow
from rnnviz.maths import Cell
from rnnviz.maths.initialisation import drawn_readout
from rnnviz.network.plan import plan_of
from rnnviz.presets.recipes import RECIPES
from tests.learning.test_jobs import until

WEIGHTS = ("W_ih", "W_hh", "b_ih", "b_hh")


def learner(task: Task, *cells: Cell, seed: int = 0) -> Learner:
    return Learner(cells, Readout(*drawn_readout(task.output_size, cells[-1].hidden_size, [seed, 1])), seed)


def told_by(plan: Plan) -> tuple[list[Incident], list[Update]]:
    """What a run of one network tells."""
    words: list[Told] = []
    follow(plan, words.append, lambda: True)
    assert words[-1] == Ended("done")
    updates = [one for word in words if isinstance(word, Learned) for one in word.updates]
    return [word for word in words if isinstance(word, Incident)], updates


def clipped_run(kind: str = "elman", **options: Any) -> tuple[list[Incident], list[Update]]:
    task = Adding(12)
    asked = {"lr": 0.05, "clip": 0.5, "batch_size": 6, **options}
    return told_by(Plan(task, (learner(task, make_cell(kind, 2, 5, seed=3)),), 80, asked))


# --- what a run tells -----------------------------------------------------------------------------------------------


def test_the_first_clip_and_the_largest_are_told_and_no_more_than_needed() -> None:
    incidents, updates = clipped_run()
    clipped = [one for one in updates if one.clipped]
    assert 2 < len(clipped) < len(updates)
    assert (incidents[0].kind, incidents[0].this.update) == ("first", clipped[0])
    assert {one.kind for one in incidents[1:]} == {"largest"}
    assert incidents[-1].this.update == max(clipped, key=lambda one: one.grad_norm)
    for one in incidents:
        before = updates[: one.this.update.number]
        assert one.this.update == max(before, key=lambda update: update.grad_norm)
        assert one.history == tuple(before[-HISTORY:])
        assert one.best == min(before, key=lambda update: update.loss)
    norms = [one.this.update.grad_norm for one in incidents]
    at_once = norms[:-1]  # the last one may have waited for the end
    assert all(later > 2.0 * sooner for sooner, later in pairwise(at_once))


def test_norms_that_grow_slowly_do_not_flood_the_pipe() -> None:
    """Each is a little larger than the one before: told at each doubling, and the last one at the end."""

    class Grown:
        kept = ()

        def weights(self) -> None:
            return None

    training: Any = Grown()
    told: list[tuple[str, float]] = []
    recorder = Recorder(training, 0, KINDS, lambda _: None)
    recorder._report = lambda kind, moment: told.append((kind, moment.history[-1].grad_norm))  # type: ignore[method-assign]
    norms = [2.0 * 1.01**place for place in range(400)]
    for number, norm in enumerate(norms, 1):
        recorder.saw([Update(number, 1.0, norm, True)])
    assert len(told) == 1 + int(math.log(1.01**399, 2.0))
    recorder.leave()
    assert told[0] == ("first", 2.0)
    assert told[-1] == ("largest", norms[-1])


def test_a_run_without_a_clip_and_with_finite_numbers_tells_nothing() -> None:
    incidents, updates = clipped_run(clip=None)
    assert incidents == []
    assert len(updates) == 80
    assert clipped_run(clip=1e6)[0] == []


def test_very_large_networks_keep_less() -> None:
    def kept(units: int, count: int) -> tuple[str, ...]:
        task = Adding(5)
        cells = make_cell("lstm", 2, units), *(make_cell("lstm", units, units) for _ in range(2))
        return Plan(task, (learner(task, *cells),) * count, 1).incidents

    assert kept(8, 1) == KINDS
    assert [kept(128, count) for count in (2, 3, 6, 12)] == [KINDS, KINDS[:2], KINDS[:1], ()]


def test_a_lane_holds_the_last_of_each_kind() -> None:
    task = Adding(12)
    plan = Plan(
        task, (learner(task, make_cell("gru", 2, 5)), learner(task, make_cell("elman", 2, 5, seed=3))), 60,
        {"lr": 0.05, "clip": 0.5, "batch_size": 6},
    )  # fmt: skip
    jobs = Jobs(1)
    try:
        run = jobs.start(plan)
        until(lambda: run.is_over, run)
    finally:
        jobs.close()
    assert run.state == "done"
    for number, lane in enumerate(run.lanes):
        kinds = [one.kind for one in lane.incidents]
        assert len(kinds) == len(set(kinds)) >= 1
        assert {one.learner for one in lane.incidents} == {number}
        numbers = [one.this.update.number for one in lane.incidents]
        assert numbers == sorted(numbers)
        clipped = [one for one in lane.updates if one.clipped]
        assert lane.incidents[0].this.update == clipped[0]
        assert lane.incidents[-1].this.update == max(clipped, key=lambda one: one.grad_norm)


@pytest.mark.parametrize(("kind", "options"), [("elman", {}), ("lstm", {"truncation": 5}), ("gru", {"learn_h0": True})])
def test_an_incident_holds_the_networks_of_its_run(kind: str, options: dict[str, Any]) -> None:
    """Before, an update earlier and after, to the last bit; and the loss of its batch before and after."""
    incidents, _ = clipped_run(kind, **options)
    incident = incidents[-1]
    number = incident.this.update.number
    assert number > 1
    task = Adding(12)
    first = learner(task, make_cell(kind, 2, 5, seed=3))
    training = Training(
        task, first.cells, first.readout, **{"lr": 0.05, "clip": 0.5, "batch_size": 6, "seed": 0, **options}
    )
    networks = {0: training.network()}
    for update in range(1, number + 1):
        training.update()
        networks[update] = training.network()
    assert incident.earlier is not None
    assert incident.after is not None
    for found, updates in ((incident.earlier.network, -2), (incident.this.network, -1), (incident.after, 0)):
        expected = networks[number + updates]
        for one, other in zip(found.cells, expected.cells, strict=True):
            for name in WEIGHTS:
                np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        np.testing.assert_array_equal(found.readout.W, expected.readout.W)
        np.testing.assert_array_equal(found.h0s, expected.h0s)
    last = training.kept[-1]
    assert incident.this.loss_after == training.loss(last.chunk)
    with training.having(last.weights):
        assert incident.this.update.loss == training.loss(last.chunk)
        losses = training.losses(last.chunk)
        assert max(losses) == incident.example.loss
        np.testing.assert_allclose(np.mean(losses), incident.this.update.loss, rtol=1e-12)
    np.testing.assert_array_equal(training.network().readout.W, incident.after.readout.W)  # as it was


# --- steps, weights, singular values --------------------------------------------------------------------------------

CELLS = {
    "elman": lambda x, state, w: (torch.rnn_tanh_cell(x[None], state[0][None], *w)[0],),
    "lstm": lambda x, state, w: tuple(one[0] for one in torch.lstm_cell(x[None], [one[None] for one in state], *w)),
    "gru": lambda x, state, w: (torch.gru_cell(x[None], state[0][None], *w)[0],),
}


class Apart(NamedTuple):
    """One example by autograd, with a copy of W_hh for every step of the layer that is looked at."""

    errors: list[float]
    contributions: list[float]
    total: float
    loss: float


def by_autograd(found: Forensics, place: int) -> Apart:
    incident = found.incident
    network, example = (incident.earlier, incident.this, incident)[place + 1 - found.at], incident.example
    network = getattr(network, "network", None) or getattr(network, "after", None)
    assert network is not None
    inputs, hs, copies = [torch.tensor(row) for row in example.x], [], []
    for number, cell in enumerate(network.cells):
        names = ("W_ih", "W_hh", "b_ih", "b_hh")
        weights = {name: torch.tensor(np.array(getattr(cell, name))) for name in names}
        if example.starts is None:
            state: Any = (torch.tensor(network.h0s[number]),)
            state += (torch.zeros(cell.hidden_size, dtype=torch.float64),) * (len(cell.state_names) - 1)
        else:
            state = tuple(torch.tensor(part) for part in example.starts[number])
        outputs = []
        for x in inputs:
            used = {**weights, "W_hh": weights["W_hh"].clone().requires_grad_()}
            state = CELLS[cell.kind](x, state, [used[name] for name in names])  # type: ignore[no-untyped-call]
            state[0].requires_grad_() if not state[0].requires_grad else None
            state[0].retain_grad()
            outputs.append(state[0])
            if number == found.layer:
                copies.append(used["W_hh"])
                hs.append(state[0])
        inputs = outputs
    said = torch.stack(inputs) @ torch.tensor(np.array(network.readout.W)).T + torch.tensor(np.array(network.readout.b))
    counted, target = torch.tensor(example.counted), torch.tensor(example.target)
    functional: Any = torch.nn.functional
    of = {
        "squared": functional.mse_loss, "binary": functional.binary_cross_entropy_with_logits,
        "cross_entropy": functional.cross_entropy,
    }[incident.loss]  # fmt: skip
    loss = of(said[counted], target[counted]) / incident.batch
    loss.backward()
    parts = [np.zeros(1) if one.grad is None else one.grad.numpy() for one in copies]
    return Apart(
        [float(one.grad.norm()) for one in hs], [float(np.linalg.norm(one)) for one in parts],
        float(np.linalg.norm(sum(parts))), float(loss.detach()),
    )  # fmt: skip


CASES: list[tuple[Task, str, int, dict[str, Any]]] = [
    (Adding(9), "elman", 1, {}),
    (Adding(9), "lstm", 1, {"truncation": 4}),
    (Adding(9), "gru", 2, {}),
    (Parity(7), "lstm", 2, {"truncation": 3, "learn_h0": True}),
    (Parity(7), "elman", 1, {"truncation": 1, "optimizer": "sgd"}),
    (Copy(gap=2), "gru", 1, {}),
    (Copy(gap=2), "elman", 3, {"batch_size": 1}),
]


@pytest.fixture(scope="module", params=range(len(CASES)), ids=lambda one: f"{CASES[one][1]}{one}")
def found(request: pytest.FixtureRequest) -> Forensics:
    task, kind, layers, options = CASES[request.param]
    cells = [make_cell(kind, task.input_size, 4, seed=1)]
    cells += [make_cell(kind, 4, 4, seed=number) for number in range(2, layers + 1)]
    asked = {"lr": 0.1, "clip": 0.02, "batch_size": 5, **options}
    incidents, _ = told_by(Plan(task, (learner(task, *cells),), 9, asked))
    return forensics_of(incidents[-1])


def test_errors_and_contributions_are_those_of_autograd(found: Forensics) -> None:
    assert len(found.readings) >= 2
    for place, reading in enumerate(found.readings):
        apart, here = by_autograd(found, place), reading.layers[found.layer]
        np.testing.assert_allclose(10**here.errors, apart.errors, rtol=1e-9, atol=1e-300)
        np.testing.assert_allclose(10**here.contributions, apart.contributions, rtol=1e-9, atol=1e-300)
        np.testing.assert_allclose([10**here.total, (10**reading.losses).sum()], [apart.total, apart.loss], rtol=1e-9)
        assert reading.overflow is None
    example = found.incident.example
    part = 10 ** found.readings[found.at].losses
    np.testing.assert_allclose(part.sum() * found.incident.batch, example.loss, rtol=1e-9)
    exact = 10 ** found.readings[found.at].layers[found.layer].total
    np.testing.assert_allclose(exact * found.incident.batch, example.recurrent[found.layer], rtol=1e-9)
    assert found.rounded is None
    assert list(found.steps) == [*range(example.before + 1, example.before + len(example.x) + 1)]


def test_the_layer_looked_at_has_the_largest_gradient_of_its_recurrent_weights(found: Forensics) -> None:
    totals = [one.total for one in found.readings[found.at].layers]
    assert totals[found.layer] == max(totals)


def test_states_jacobians_and_spectra_are_those_of_plain_numpy(found: Forensics) -> None:
    incident = found.incident
    network, example = incident.this.network, incident.example
    starts = example.starts or tuple((h0, np.zeros_like(h0)) for h0 in network.h0s)
    c0s = [start[-1] if cell.state_names[1:] else None for start, cell in zip(starts, network.cells, strict=True)]
    traces = run_stack(network.cells, example.x, [start[0] for start in starts], c0s)
    for trace, here in zip(traces, found.readings[found.at].layers, strict=True):
        J = step_jacobians(trace)
        product = np.eye(trace.cell.state_size)
        for one in J:
            product = one @ product
        np.testing.assert_allclose(10**here.stretches, [np.linalg.norm(one, 2) for one in J], rtol=1e-9)
        np.testing.assert_allclose(10**here.product, np.linalg.norm(product, 2), rtol=1e-9)
        np.testing.assert_allclose(here.state, np.linalg.norm(trace.h[1:], axis=1).max(), rtol=1e-12)
    blocks = found.blocks
    assert len(blocks) == sum(len(cell.gate_names) for cell in network.cells)
    for before, after in blocks:
        cell = network.cells[before.layer - 1]
        gate = before.gate or cell.gate_names[0]
        W = cell.W_hh[cell.rows(gate)]
        np.testing.assert_allclose(before.sigma**2, np.linalg.eigvalsh(W.T @ W)[-1], rtol=1e-9)
        np.testing.assert_allclose(before.radius, np.abs(np.linalg.eigvals(W)).max(), rtol=1e-9)
        assert after is not None
        assert incident.after is not None
        moved = incident.after.cells[before.layer - 1]
        np.testing.assert_allclose(after.sigma, np.linalg.norm(moved.W_hh[moved.rows(gate)], 2), rtol=1e-9)


@pytest.mark.parametrize("update", ["keep", "write"])
def test_what_a_step_of_descent_moved_is_the_rate_times_the_clipped_gradient(update: str) -> None:
    """And the gradient promised what the sum of its products with the moves says."""
    task, lr, clip = Recall(6), 0.5, 0.02
    first = learner(task, make_cell("gru", 1, 4, seed=2, update=update))
    options = {"optimizer": "sgd", "lr": lr, "clip": clip, "batch_size": 3}
    incidents, _ = told_by(Plan(task, (first,), 3, options))
    incident = incidents[0]
    found = forensics_of(incident)
    norm = incident.this.update.grad_norm
    np.testing.assert_allclose(math.sqrt(sum(one.part.norm**2 for one in found.moves)), norm, rtol=1e-9)
    np.testing.assert_allclose(sum(one.share for one in found.moves), 1.0, rtol=1e-9)
    for move in found.moves:
        expected = move.before - lr * clip / (norm + 1e-6) * move.part.largest
        np.testing.assert_allclose(move.after, expected, rtol=1e-9)
    np.testing.assert_allclose(incident.this.promised, -lr * clip / (norm + 1e-6) * norm**2, rtol=1e-9)
    assert [move.part.name for move in found.moves] == [*WEIGHTS, "W_ho", "b_o"]
    largest = max(abs(move.part.largest) for move in found.moves)
    assert abs(found.largest.part.largest) == largest
    rows = {move.part.name: move.gate for move in found.moves}
    assert set(rows["W_hh"]) <= set("rzn")
    assert rows["b_o"] == ""


# --- overflow -------------------------------------------------------------------------------------------------------


def linear(
    W_hh: float, W_ho: float, x: list[float], target: list[float], b_o: float = 0.0, **options: Any
) -> Forensics:
    """What ended a linear network of one unit at its first update; several targets of length 1 are a batch."""
    shape = (len(target), len(x) // len(target), 1)
    data = _OwnData(np.reshape(x, shape), np.broadcast_to(np.reshape(target, (-1, 1, 1)), shape))
    cell = ElmanCell([[1.0]], [[W_hh]], [0.0], [0.0], activation="identity")
    training = Training(data, cell, Readout([[W_ho]], [b_o]), optimizer="sgd", lr=0.1, **options)
    told: list[Incident] = []
    recorder = Recorder(training, 0, KINDS, told.append)
    update = training.update()
    assert not update.finite
    recorder.saw([update])
    (incident,) = told
    assert (incident.kind, incident.earlier, incident.told) == ("end", None, incident.this)
    found = forensics_of(incident)
    assert found.overflow is not None
    return found


def told_overflow(found: Forensics) -> tuple[str, int]:
    assert found.overflow is not None
    return found.overflow.what, found.overflow.step


def test_a_state_overflows() -> None:
    """1, 1e200, 1e400: at step 3."""
    found = linear(1e200, 1.0, [1.0, 0.0, 0.0, 0.0], [0.0])
    assert told_overflow(found) == ("state", 3)
    assert found.seen is None
    assert found.layer == 0


def test_an_output_overflows() -> None:
    """1, 1e100, 1e200 times 1e150: at step 3."""
    assert told_overflow(linear(1e100, 1e150, [1.0, 0.0, 0.0], [0.0])) == ("output", 3)


def test_a_squared_error_overflows() -> None:
    """1e100 squared is 1e200, 1e160 squared is beyond: at step 3, and yet its error can be told."""
    found = linear(1e80, 1.0, [1.0, 0.0, 0.0], [0.0])
    assert told_overflow(found) == ("loss", 3)
    assert found.seen is not None
    # dL/dy = 2/3 (1, 1e80, 1e160); at step 1 dL/dh = sum of W^k dL/dy = 2/3 (1 + 1e160 + 1e320)
    expected = np.log10(2.0 / 3.0) + np.array([320.0, 240.0, 160.0])
    np.testing.assert_allclose(found.seen.layers[0].errors, expected, rtol=1e-12)
    np.testing.assert_allclose(found.seen.losses, np.array([0.0, 160.0, 320.0]) - np.log10(3.0), atol=1e-9)


def test_the_sum_of_squared_errors_overflows() -> None:
    assert told_overflow(linear(1.0, 1e154, [1.2, 0.0], [0.0])) == ("loss", 0)


def test_the_loss_of_a_batch_overflows() -> None:
    assert told_overflow(linear(0.0, 1e154, [1.2, 1.1], [0.0, 0.0])) == ("batch", 0)


def test_the_backward_pass_overflows() -> None:
    """All states are 0; the error at step T - k is 2/T times the sum of 1e60^j, j to k: 1e360 for k = 6."""
    found = linear(1e60, 1.0, [0.0] * 8, [1.0])
    assert told_overflow(found) == ("gradient", 2)
    assert found.seen is not None
    expected = np.log10(2.0 / 8.0) + 60.0 * np.arange(7, -1, -1)
    np.testing.assert_allclose(found.seen.layers[0].errors, expected, rtol=1e-12)
    np.testing.assert_allclose(found.seen.layers[0].stretches, 60.0, rtol=1e-12)
    np.testing.assert_allclose(found.seen.layers[0].product, 480.0, rtol=1e-12)


def test_the_gradient_norm_overflows() -> None:
    """The largest entry is 2/5 1e160: it is squared for the norm."""
    found = linear(1e40, 1.0, [0.0] * 5, [1.0])
    assert told_overflow(found) == ("norm", 0)
    assert math.isinf(found.incident.this.update.grad_norm)
    # b_ih gets the sum of the errors of all steps
    np.testing.assert_allclose(max(abs(one.part.largest) for one in found.moves), 0.4e160, rtol=1e-9)
    assert found.largest.part.name in ("b_ih", "b_hh")


def test_with_a_limit_the_network_may_survive_an_infinite_norm() -> None:
    """A finite limit by an infinite norm is 0: nothing moves, and the run ends all the same."""
    found = linear(1e40, 1.0, [0.0] * 5, [1.0], clip=1.0)
    assert told_overflow(found) == ("norm", 0)
    assert found.incident.after is not None
    assert [one.before for one in found.moves] == [one.after for one in found.moves]


# --- the recipe that shows it ---------------------------------------------------------------------------------------


def test_the_explosion_is_that_of_the_textbook_loop() -> None:
    """1..10 at a learning rate of 0.1: 1 input, 10 units, 1 output, the state detached after every number."""
    incidents, updates = told_by(plan_of(RECIPES["explosion"]))
    (incident,) = incidents
    assert incident.kind == "end"
    assert incident.this.update == updates[-1]
    found = forensics_of(incident)
    first = plan_of(RECIPES["explosion"]).learners[0]
    rnn, linear = torch.nn.RNN(1, 10, batch_first=True).double(), torch.nn.Linear(10, 1).double()
    with torch.no_grad():
        for name in WEIGHTS:
            theirs = f"{'weight' if name.startswith('W') else 'bias'}_{name[2:]}_l0"
            getattr(rnn, theirs).copy_(torch.tensor(np.array(getattr(first.cells[0], name))))
        linear.weight.copy_(torch.tensor(np.array(first.readout.W)))
        linear.bias.copy_(torch.tensor(np.array(first.readout.b)))
    parameters = [*rnn.parameters(), *linear.parameters()]
    step = torch.optim.SGD(parameters, lr=0.1)
    number, steps, kept = 0, 0, list[Any]()
    state: Any = None
    while True:
        steps = number % 9
        state = state.detach() if steps else torch.zeros(1, 1, 10, dtype=torch.float64)
        x, target = (torch.full((1, 1, 1), steps + shift, dtype=torch.float64) for shift in (1.0, 2.0))
        out, state = rnn(x, state)
        loss = torch.nn.functional.mse_loss(linear(out), target)
        step.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        number += 1
        squares = sum(float((one.grad**2).sum()) for one in parameters if one.grad is not None)
        grads = [one.grad.numpy().copy() for one in parameters if one.grad is not None]
        kept = [*kept[-1:], ([one.detach().numpy().copy() for one in parameters], grads, float(loss.detach()))]
        if not math.isfinite(squares) or not math.isfinite(float(loss.detach())):
            break
        step.step()
    assert number == incident.this.update.number
    (_, grads, loss_before), (weights, _, loss_now) = kept
    (old, _, _) = kept[0]
    told = incident.told
    assert told.update.number == number - 1
    np.testing.assert_allclose([told.update.loss, incident.this.update.loss], [loss_before, loss_now], rtol=1e-6)
    assert told_overflow(found) == ("norm", 0)
    assert list(found.steps) == [steps + 1]
    sizes = [np.abs(one).max() for one in grads]
    names = [*WEIGHTS, "W_ho", "b_o"]
    assert found.largest.part.name in [name for name, size in zip(names, sizes, strict=True) if size == max(sizes)]
    for move, before, after, grad in zip(found.moves, old, weights, grads, strict=True):
        place = move.part.place
        np.testing.assert_allclose([move.before, move.after], [before[place], after[place]], rtol=1e-6)
        np.testing.assert_allclose(move.part.norm, np.linalg.norm(grad / max(sizes)) * max(sizes), rtol=1e-6)
    ((before, after),) = found.blocks
    assert after is not None
    np.testing.assert_allclose([before.sigma, after.sigma], [np.linalg.norm(one[1], 2) for one in (old, weights)])
    np.testing.assert_allclose(before.radius, np.abs(np.linalg.eigvals(old[1])).max(), rtol=1e-6)
    assert found.rounded is not None
    assert found.rounded[1] == 0.0  # torch's 1 - tanh^2
    assert found.rounded[0] > 200.0


@pytest.mark.parametrize("steps", [4, 6, 8])
def test_the_way_back_is_right_beyond_float64(steps: int) -> None:
    """The error at step 1 is 1e100 to the power T - 1; where even that is out of reach it says so."""
    found = linear(1e100, 1.0, [0.0] * steps, [1.0])
    reading = found.readings[0]
    # 2/4 1e300 is a number, its square none; with more steps it is 2/T 1e400, four steps before the last
    assert told_overflow(found) == {4: ("norm", 0), 6: ("gradient", 2), 8: ("gradient", 0)}[steps]
    if steps == 8:
        assert reading.layers == ()
        return
    expected = np.log10(2.0 / steps) + 100.0 * np.arange(steps - 1, -1, -1)
    np.testing.assert_allclose(reading.layers[0].errors, expected, rtol=1e-9)
    assert reading.layers[0].contributions.tolist() == [-math.inf] * steps  # all states are 0


def test_random_streams_are_left_alone() -> None:
    """Recording draws nothing: a run that is watched is the run that is not."""
    task = Adding(6)
    one, other = (
        Training(task, first.cells, first.readout, lr=0.05, clip=0.05, batch_size=4, seed=2)
        for first in [learner(task, make_cell("elman", 2, 4))] * 2
    )
    recorder = Recorder(one, 0, KINDS, lambda _: None)
    for _ in range(20):
        assert one.update() == other.update()
        recorder.saw([one.last])
    np.testing.assert_array_equal(one.network().readout.W, other.network().readout.W)
