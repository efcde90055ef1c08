"""Runs in processes of their own: pause, stop, a killed worker, the line, and a page that was left."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from rnnviz import Readout, make_cell
from rnnviz.learning.examples import Adding, NextNumber, Task
from rnnviz.learning.jobs import Jobs, Run
from rnnviz.learning.plan import Learner, Plan
from rnnviz.learning.training import moments, train
from rnnviz.maths.initialisation import drawn_readout

PATIENCE = 60.0


def plan_of(task: Task, *kinds: str, updates: int, hidden: int = 4, **options: object) -> Plan:
    learners = tuple(
        Learner((make_cell(kind, task.input_size, hidden),), Readout(*drawn_readout(task.output_size, hidden, [0, 1])))
        for kind in kinds
    )
    return Plan(task, learners, updates, options)


def until(true: Callable[[], bool], *runs: Run, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, [(run.state, run.reason, len(run.lanes[0].updates)) for run in runs]
        for run in runs:
            run.seen()
        time.sleep(0.01)


@contextmanager
def jobs_of(workers: int, **limits: float) -> Iterator[Jobs]:
    jobs = Jobs(workers, **limits)
    yield jobs
    jobs.close()


@pytest.fixture(scope="module")
def jobs() -> Iterator[Jobs]:
    with jobs_of(1) as made:
        yield made


def test_a_run_is_the_training_itself(jobs: Jobs) -> None:
    """Two networks side by side are what each is alone, update by update and checkpoint by checkpoint."""
    task = Adding(6)
    plan = plan_of(task, "elman", "gru", updates=90, lr=0.02, batch_size=4)
    run = jobs.start(plan)
    until(lambda: run.is_over, run)
    assert (run.state, run.reason) == ("done", None)
    for lane, learner in zip(run.lanes, plan.learners, strict=True):
        alone = [*train(task, learner.cells, learner.readout, updates=90, seed=learner.seed, **plan.options)]
        assert [one.number for one in lane.updates] == list(range(1, 91))
        assert [one.update for one in lane.checkpoints] == moments(90)
        for found, expected in zip(lane.checkpoints, alone, strict=True):
            assert found.test_loss == expected.test_loss
            np.testing.assert_array_equal(found.cells[0].W_hh, expected.cells[0].W_hh)
        assert lane.updates[-1].loss == alone[-1].train_loss


def test_it_pauses_and_goes_on_and_stops_within_a_second(jobs: Jobs) -> None:
    run = jobs.start(plan_of(Adding(20), "lstm", updates=100_000, batch_size=8))
    updates = run.lanes[0].updates
    until(lambda: len(updates) > 20, run)
    run.pause()
    assert run.state == "paused"
    time.sleep(0.5)  # what was on its way
    reached = len(updates)
    time.sleep(0.5)
    assert len(updates) == reached
    run.go_on()
    until(lambda: len(updates) > reached + 20, run)
    start = time.monotonic()
    run.stop()
    until(lambda: run.is_over, run)
    assert time.monotonic() - start < 1.0
    assert (run.state, run.reason) == ("stopped", None)
    last = run.lanes[0].checkpoints[-1]
    assert last.update == updates[-1].number == len(updates)
    run.go_on()
    run.pause()
    run.stop()
    assert run.state == "stopped"


def test_a_paused_run_is_stopped_too(jobs: Jobs) -> None:
    run = jobs.start(plan_of(Adding(5), "elman", updates=100_000))
    until(lambda: len(run.lanes[0].updates) > 5, run)
    run.pause()
    run.stop()
    until(lambda: run.state == "stopped", run)


def test_others_wait_in_line(jobs: Jobs) -> None:
    """Each knows its place; one that is stopped there lets those behind it move up."""
    plan = plan_of(Adding(5), "elman", updates=100_000)
    first, second, third = (jobs.start(plan) for _ in range(3))
    until(lambda: len(first.lanes[0].updates) > 5, first, second, third)
    assert [run.place for run in (first, second, third)] == [0, 1, 2]
    assert second.state == third.state == "queued"
    second.stop()
    assert (second.state, third.place) == ("stopped", 1)
    first.stop()
    until(lambda: bool(third.lanes[0].updates), first, third)
    assert third.state == "running"
    third.stop()
    until(lambda: third.is_over, third)
    assert len(jobs.processes) == 1


def test_a_killed_worker_is_told_plainly_and_nothing_else_notices(jobs: Jobs) -> None:
    plan = plan_of(Adding(5), "elman", updates=100_000)
    run, waiting = jobs.start(plan), jobs.start(plan)
    until(lambda: len(run.lanes[0].updates) > 5, run, waiting)
    (process,) = jobs.processes
    os.kill(process, signal.SIGKILL)
    until(lambda: run.is_over, run, waiting)
    assert run.state == "failed"
    assert "Start the run again" in str(run.reason)
    assert run.lanes[0].checkpoints
    until(lambda: len(waiting.lanes[0].updates) > 5, waiting)
    waiting.stop()
    until(lambda: waiting.is_over, waiting)


def test_a_run_that_leaves_the_range_of_numbers_ends_there(jobs: Jobs) -> None:
    """The other network of the plan goes on to the end."""
    task = NextNumber(10.0)
    exploding = (make_cell("elman", 1, 4, activation="identity", gain=2.0),)
    (calm,) = plan_of(task, "elman", updates=400).learners
    learners = (Learner(exploding, calm.readout), Learner(calm.cells, Readout(0 * calm.readout.W, calm.readout.b)))
    run = jobs.start(Plan(task, learners, 400, {"optimizer": "sgd", "lr": 0.05, "batch_size": 1}))
    until(lambda: run.is_over, run)
    broken, whole = run.lanes
    assert run.state == "done"
    assert not broken.updates[-1].finite
    assert all(one.finite for one in broken.updates[:-1])
    assert broken.checkpoints[-1].update < broken.updates[-1].number < 400
    assert len(whole.updates) == 400
    assert run.update == 400


def test_the_time_left_is_that_of_the_networks_that_go_on() -> None:
    """One that has overflowed makes no more updates, and does not hold up the reckoning either."""
    with jobs_of(1) as jobs:
        run = jobs.start(plan_of(Adding(5), "elman", "gru", updates=100_000))
        until(lambda: len(run.lanes[1].updates) > 50 and run.seconds_left is not None, run)
        before = run.seconds_left
        run.lanes[0].updates[:] = [replace(run.lanes[0].updates[0], loss=float("inf"))]
        after = run.seconds_left
        assert before is not None
        assert after is not None
        assert after == pytest.approx(before, rel=0.3)
        run.stop()
        until(lambda: run.is_over, run)


def test_a_run_that_will_take_too_long_is_told_so_before() -> None:
    with jobs_of(1, longest=60.0) as jobs:
        run = jobs.start(plan_of(Adding(5), "elman", updates=10**9))
        assert not run.minutes_allowed  # nobody knows yet
        until(lambda: run.minutes_allowed == 1.0, run)
        run.stop()
        until(lambda: run.is_over, run)


def test_many_networks_are_stopped_at_one_update(jobs: Jobs) -> None:
    plan = plan_of(Adding(8), *["elman", "lstm", "gru"] * 4, updates=100_000)
    run = jobs.start(plan)
    until(lambda: all(len(lane.updates) > 20 for lane in run.lanes), run)
    run.stop()
    until(lambda: run.is_over, run)
    assert len({lane.checkpoints[-1].update for lane in run.lanes}) == 1


def test_a_run_that_nobody_watches_tells_of_tests_alone(jobs: Jobs) -> None:
    plan = plan_of(Adding(60), "gru", updates=20_000, hidden=16, clip=1e-3, batch_size=32)
    told = []
    for watched in (True, False):
        run = jobs.start(replace(plan, watched=watched))
        lane, between = run.lanes[0], set[int]()
        while len(lane.updates) < 250:
            run.seen()
            between |= {lane.now.update} if lane.now is not None else set()
            time.sleep(0.01)
        run.stop()
        while not run.is_over:
            time.sleep(0.01)
        between -= {one.update for one in lane.checkpoints}
        told.append((bool(between), bool(lane.incidents)))
    assert told == [(True, True), (False, False)]


def test_a_run_takes_no_more_memory_than_it_may(jobs: Jobs) -> None:
    run = jobs.start(plan_of(Adding(500), "lstm", updates=10, hidden=128, batch_size=4096))
    until(lambda: run.is_over, run)
    assert run.state == "failed"
    assert "more than the 4 GiB" in str(run.reason)
    again = jobs.start(plan_of(Adding(5), "elman", updates=5))
    until(lambda: again.is_over, again)
    assert again.state == "done"


def test_what_cannot_be_trained_is_refused(jobs: Jobs) -> None:
    run = jobs.start(plan_of(Adding(5), "elman", updates=5, lr=-1.0))
    until(lambda: run.is_over, run)
    assert run.state == "failed"
    assert "lr" in str(run.reason)


def test_a_run_that_nobody_looks_at_is_stopped() -> None:
    with jobs_of(1, patience=0.8) as jobs:
        run = jobs.start(plan_of(Adding(5), "elman", updates=1_000_000))
        until(lambda: len(run.lanes[0].updates) > 5, run)
        end = time.monotonic() + PATIENCE
        while not run.is_over:
            assert time.monotonic() < end
            time.sleep(0.05)
        assert run.state == "stopped"
        assert "page was left" in str(run.reason)
        assert run.lanes[0].checkpoints[-1].update == len(run.lanes[0].updates)


def test_runs_that_ended_longest_ago_are_forgotten_first(monkeypatch: pytest.MonkeyPatch) -> None:
    with jobs_of(2) as jobs:
        early, late = (jobs.start(plan_of(Adding(5), "elman", updates=100_000)) for _ in range(2))
        until(lambda: bool(early.lanes[0].updates and late.lanes[0].updates), early, late)
        late.stop()
        until(lambda: late.is_over, early, late)
        early.stop()
        until(lambda: early.is_over, early)
        monkeypatch.setattr("rnnviz.learning.jobs._KEPT", early.nbytes)
        last = jobs.start(plan_of(Adding(5), "elman", updates=3))
        assert jobs.find(late.name) is None
        assert jobs.find(early.name) is early
        until(lambda: last.is_over, last)


def test_a_pause_has_a_limit() -> None:
    with jobs_of(1, longest=1.5) as jobs:
        ready = jobs.start(plan_of(Adding(5), "elman", updates=1))
        until(lambda: ready.is_over, ready)
        run = jobs.start(plan_of(Adding(5), "elman", updates=1_000_000))
        until(lambda: len(run.lanes[0].updates) > 5, run)
        run.pause()
        until(lambda: run.is_over, run)
        assert "after a pause" in str(run.reason)


def test_a_run_has_a_limit() -> None:
    with jobs_of(1, longest=0.5) as jobs:
        run = jobs.start(plan_of(Adding(5), "elman", updates=1_000_000))
        until(lambda: run.is_over, run)
        assert run.state == "stopped"
        assert "stopped after" in str(run.reason)
