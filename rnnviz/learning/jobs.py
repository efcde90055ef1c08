"""Training runs of all sessions: at most a few at a time, each in a process of its own, the others wait in line."""

from __future__ import annotations

import os
import pickle
import secrets
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from rnnviz.learning.incident import Incident
from rnnviz.learning.plan import Ended, Learned, Plan, Reached, Told
from rnnviz.learning.training import Checkpoint, Update
from rnnviz.wording import Message

WORKERS_VARIABLE = "RNNVIZ_WORKERS"
"""The environment variable that says how many networks may be trained at a time."""

_WORKERS = 2
_PATIENCE = 75.0
"""Seconds after which a run that nobody looks at is stopped."""
_LONGEST = 600.0
"""Seconds that a run may take, without its pauses."""
_SETTLED = 4.0
"""Seconds before anything is said of the time left: a worker that starts, and the many tests at first, take longer."""
_IDLE = 120.0
"""Seconds that a worker without work is kept: starting one takes about two."""
_KEPT = 128 * 2**20
"""Bytes of runs that are kept; those that ended longest ago go first."""


_OF_CHECKPOINT, _OF_UPDATE = 18_000, 250
"""Bytes that a checkpoint takes beside its weights, and an update."""


@dataclass(eq=False)
class Lane:
    """What became of one network so far.

    Attributes
    ----------
    updates : list of Update
        All of them, oldest first.
    checkpoints : list of Checkpoint
        Those that are kept.
    now : Checkpoint or None
        The last that is known of it, which may not have been tested.
    incidents : tuple of Incident
        Of each kind the last one that was told, in the order of their updates.
    """

    updates: list[Update] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)
    now: Checkpoint | None = None
    incidents: tuple[Incident, ...] = ()

    @property
    def is_broken(self) -> bool:
        """Whether its loss or its gradient left the range of numbers."""
        return bool(self.updates) and not self.updates[-1].finite


class Run:
    """A plan on its way: what was told of it so far, and its buttons.

    Attributes
    ----------
    name : str
        By which `Jobs` finds it again.
    plan : Plan
    of : object
        What it was started for.
    lanes : tuple of Lane
        One for each network. They only ever grow, but for what is said to be the last.
    state : {"queued", "running", "paused", "done", "stopped", "failed"}
    ended : float or None
        When it was over, on the clock of `time.monotonic`.
    reason : Message or None
        Why it failed, or who stopped it where that was not the reader.
    """

    def __init__(self, plan: Plan, jobs: Jobs, of: object = None) -> None:
        self.name, self.plan, self.of = secrets.token_hex(4), plan, of
        self.lanes = tuple(Lane() for _ in plan.learners)
        self.state, self.reason = "queued", None  # type: str, Message | None
        self.ended: float | None = None
        self._jobs, self._worker = jobs, None  # type: Jobs, _Worker | None
        self._seen = self._since = self._paused_at = time.monotonic()
        self._lock = threading.RLock()

    @property
    def place(self) -> int:
        """In line, counted from 1; 0 where it waits no more."""
        return self._jobs.place_of(self)

    @property
    def update(self) -> int:
        """The last update of those networks that are whole, or of all where none is."""
        whole = [len(lane.updates) for lane in self.lanes if not lane.is_broken]
        return max(whole or [len(lane.updates) for lane in self.lanes])

    @property
    def seconds_left(self) -> float | None:
        """How long it will still take at the pace so far; None in its first seconds, whose pace is none."""
        done, took = self.update, time.monotonic() - self._since
        if self.state != "running" or not done or took < _SETTLED:
            return None
        return took * (self.plan.updates - done) / done

    @property
    def minutes_allowed(self) -> float | None:
        """How long a run may take in all, where this one will take longer at the pace so far."""
        left = self.seconds_left
        if left is None or time.monotonic() - self._since + left <= self._jobs.longest:
            return None
        return self._jobs.longest / 60

    @property
    def is_over(self) -> bool:
        """Whether it has ended, however."""
        return self.state in ("done", "stopped", "failed")

    @property
    def nbytes(self) -> int:
        """The memory that it takes, nearly."""
        kept = [(learner.nbytes, lane) for learner, lane in zip(self.plan.learners, self.lanes, strict=True)]
        return sum(
            (len(lane.checkpoints) + 1) * (size + _OF_CHECKPOINT)
            + len(lane.updates) * _OF_UPDATE
            + 3 * size * len(lane.incidents)  # the weights before, between and after
            for size, lane in kept
        )

    def seen(self) -> None:
        """Somebody looks at it: without that it is stopped before long."""
        self._seen = time.monotonic()

    def pause(self) -> None:
        """Wait after the update that is being made."""
        with self._lock:
            if self.state == "running":
                self._paused_at = time.monotonic()
            self._order("running", "pause", "paused")

    def go_on(self) -> None:
        """Go on after a pause."""
        with self._lock:
            if self.state == "paused":
                self._since += time.monotonic() - self._paused_at
            self._order("paused", "go on", "running")

    def stop(self, reason: Message | None = None) -> None:
        """End it with what it has reached: after the update that is being made, or at once where it waits in line."""
        with self._lock:
            if self.is_over:
                return
            self.reason = reason
            if self._worker is not None:
                self._worker.order("stop")
            else:
                self.state, self.ended = "stopped", time.monotonic()
        self._jobs.left(self)

    def _order(self, before: str, order: str, after: str) -> None:
        with self._lock:
            if self.state == before and self._worker is not None:
                self._worker.order(order)
                self.state = after

    def begin(self, worker: _Worker) -> bool:
        """Let a worker do it, unless it was stopped meanwhile."""
        with self._lock:
            if self.state != "queued":
                return False
            self._worker, self.state, self._since = worker, "running", time.monotonic()
            worker.order(self.plan)
            return True

    def take(self, word: Told) -> None:
        """Note what the worker tells."""
        with self._lock:
            if isinstance(word, Learned):
                self.lanes[word.network].updates.extend(word.updates)
            elif isinstance(word, Reached):
                lane = self.lanes[word.network]
                if word.kept:
                    lane.checkpoints.append(word.checkpoint)
                lane.now = word.checkpoint
            elif isinstance(word, Incident):
                lane = self.lanes[word.learner]
                others = (one for one in lane.incidents if one.kind != word.kind)
                lane.incidents = tuple(sorted((*others, word), key=lambda one: one.this.update.number))
            else:
                self._worker, self.state, self.ended = None, word.how, time.monotonic()
                self.reason = word.reason or (None if word.how == "done" else self.reason)

    def look_after(self, patience: float, longest: float) -> None:
        """Stop it where nobody looks at it any longer, or where it takes too long."""
        now = time.monotonic()
        if self.is_over:
            return
        if now - self._seen > patience:
            self.stop(Message("run.left", "The run was stopped because its page was left."))
        elif self.state == "paused" and now - self._paused_at > longest:
            minutes = round(longest / 60)
            self.stop(Message("run.paused", "The run was stopped after a pause of {minutes} minutes.", minutes=minutes))
        elif self.state == "running" and now - self._since > longest:
            minutes = round(longest / 60)
            self.stop(Message("run.long", "The run was stopped after {minutes} minutes.", minutes=minutes))


class Jobs:
    """The runs of all sessions.

    Parameters
    ----------
    workers : int
        Runs at a time.
    patience, longest : float
        Seconds without anybody who looks, and in all, after which a run is stopped.
    """

    def __init__(self, workers: int = _WORKERS, patience: float = _PATIENCE, longest: float = _LONGEST) -> None:
        self._most, self._patience, self.longest = workers, patience, longest
        self._line: deque[Run] = deque()
        self._runs: dict[str, Run] = {}
        self._workers: list[_Worker] = []
        self._lock = threading.RLock()
        self._looks_after: threading.Thread | None = None

    def start(self, plan: Plan, *, of: object = None) -> Run:
        """Put a plan in line; it begins as soon as a worker is free. `of` is what it is for."""
        run = Run(plan, self, of)
        with self._lock:
            self._forget()
            self._runs[run.name] = run
            self._line.append(run)
            self._hand_out()
            self._look_after()
        return run

    def find(self, name: str) -> Run | None:
        """A run by its name, unless it ended so long ago that it is no longer kept."""
        with self._lock:
            return self._runs.get(name)

    def _forget(self) -> None:
        size = sum(run.nbytes for run in self._runs.values())
        over = [(run.ended, run) for run in self._runs.values() if run.ended is not None]
        for _, run in sorted(over, key=lambda one: one[0]):
            if size <= _KEPT:
                return
            size -= run.nbytes
            del self._runs[run.name]

    def warm(self) -> None:
        """Have a worker ready, for somebody looks at the page."""
        with self._lock:
            if not self._workers:
                self._workers.append(_Worker(self))
                self._look_after()

    def place_of(self, run: Run) -> int:
        """A run's place in line, counted from 1; 0 where it is not in it."""
        with self._lock:
            return self._line.index(run) + 1 if run in self._line else 0

    def left(self, run: Run) -> None:
        """A run wants no worker any more."""
        with self._lock, suppress(ValueError):
            self._line.remove(run)

    def close(self) -> None:
        """End all workers, and what they do."""
        with self._lock:
            for run in [*self._line, *(worker.run for worker in self._workers if worker.run)]:
                run.stop()
            for worker in self._workers:
                worker.end()
            self._workers.clear()

    @property
    def processes(self) -> list[int]:
        """The numbers of the workers' processes."""
        with self._lock:
            return [worker.process.pid for worker in self._workers]

    def free(self, worker: _Worker, *, alive: bool) -> None:
        """A worker has ended a run, or itself."""
        with self._lock:
            worker.run, worker.since = None, time.monotonic()
            if not alive and worker in self._workers:
                self._workers.remove(worker)
            self._hand_out()

    def _hand_out(self) -> None:
        while self._line:
            worker = next((one for one in self._workers if one.run is None), None)
            if worker is None:
                if len(self._workers) >= self._most:
                    return
                worker = _Worker(self)
                self._workers.append(worker)
            run = self._line.popleft()
            worker.run = run
            if not run.begin(worker):
                worker.run = None

    def _look_after(self) -> None:
        if self._looks_after is None or not self._looks_after.is_alive():
            self._looks_after = threading.Thread(target=self._watch, daemon=True, name="runs")
            self._looks_after.start()

    def _watch(self) -> None:
        """Stop runs that nobody wants, and end workers without work; as long as there is anything to watch."""
        while True:
            time.sleep(min(1.0, self._patience / 4))
            with self._lock:
                for run in [*self._line, *(worker.run for worker in self._workers if worker.run)]:
                    run.look_after(self._patience, self.longest)
                for worker in list(self._workers):
                    if worker.run is None and time.monotonic() - worker.since > _IDLE:
                        self._workers.remove(worker)
                        worker.end()
                if not self._workers and not self._line:
                    self._looks_after = None
                    return


class _Worker:
    """A process that trains, and the thread that listens to it."""

    def __init__(self, jobs: Jobs) -> None:
        self.run: Run | None = None
        self.since = time.monotonic()
        self._jobs = jobs
        self.process = subprocess.Popen(
            [sys.executable, "-m", "rnnviz.learning.worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        threading.Thread(target=self._listen, daemon=True, name="training").start()

    def order(self, order: Any) -> None:
        """Send a plan or a word; one that is gone is told of by the thread that listens."""
        with suppress(OSError):
            pickle.dump(order, self.process.stdin)  # type: ignore[arg-type]
            self.process.stdin.flush()  # type: ignore[union-attr]

    def end(self) -> None:
        """End the process."""
        self.process.kill()

    def _listen(self) -> None:
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                word: Told = pickle.load(self.process.stdout)  # type: ignore[arg-type]
                run = self.run
                if run is not None:
                    run.take(word)
                if isinstance(word, Ended):
                    self._jobs.free(self, alive=True)
        run = self.run
        if run is not None:
            lost = Message("run.lost", "The training process ended unexpectedly. Start the run again.")
            run.take(Ended("failed", lost))
        self._jobs.free(self, alive=False)
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        self.process.wait()


def _asked() -> int:
    given = os.environ.get(WORKERS_VARIABLE, "").strip()
    return max(1, int(given)) if given.isdigit() else _WORKERS


JOBS = Jobs(_asked())
"""The server's own, for all sessions."""
