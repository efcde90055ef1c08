"""The process in which networks are trained: ``python -m rnnviz.learning.worker``, a plan at a time from its input.

Only here is torch loaded. What is asked and what is told goes through its standard input and output, pickled: both ends
are this program. It ends with the server that started it.
"""

from __future__ import annotations

import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import BinaryIO

from rnnviz.learning.plan import MOST_MEMORY, Ended, Learned, Plan, Reached, Told
from rnnviz.learning.recording import Recorder
from rnnviz.learning.training import Training, Update
from rnnviz.maths import InputError
from rnnviz.wording import Message

_EVERY = 0.2
"""Seconds between two words on a network."""
_ROUND = 0.3
"""Seconds after which a round of updates is left where it is: until then all networks are stopped at one update."""
_SOON = 0.1
"""Seconds that the last test of a network may take which was asked to stop."""


def follow(plan: Plan, tell: Callable[[Told], None], goes_on: Callable[[], bool]) -> None:
    """Train the networks of a plan in turn, and tell of it.

    Parameters
    ----------
    goes_on : callable
        Asked before each round of updates, and within a long one before each update: waits while the run is paused,
        and says whether it is to go on.
    """
    try:
        lanes = [_Lane(number, plan, tell) for number in range(len(plan.learners))]
        while lanes and goes_on():
            end = time.monotonic() + _ROUND
            lanes = [lane for lane in lanes if (time.monotonic() > end and not goes_on()) or lane.went_on()]
        for lane in lanes:
            lane.leave()
        tell(Ended("stopped" if lanes else "done"))
    except InputError as error:
        tell(Ended("failed", error.message))
    except (MemoryError, RuntimeError) as error:
        if isinstance(error, RuntimeError) and "allocate memory" not in str(error):
            raise
        most = f"{MOST_MEMORY / 2**30:.0f}"
        reason = Message(
            "run.memory",
            "The run needs more than the {most} GiB that a run may take. Lower the batch size, T, H or the layers.",
            most=most,
        )
        tell(Ended("failed", reason))


class _Lane:
    """One network of a plan."""

    def __init__(self, number: int, plan: Plan, tell: Callable[[Told], None]) -> None:
        learner = plan.learners[number]
        self._training = Training(plan.task, learner.cells, learner.readout, seed=learner.seed, **plan.options)
        self._number, self._tell, self._updates, self._watched = number, tell, plan.updates, plan.watched
        self._wanted, self._untold, self._cost = set(plan.moments), list[Update](), 0.0
        self._recorder = Recorder(self._training, number, plan.incidents, tell)
        self._reach()

    def went_on(self) -> bool:
        """Make one more update, unless all were made or the last one left the range of numbers."""
        last = self._training.last
        if last.number == self._updates or (last.number and not last.finite):
            self._recorder.leave()
            return False
        now = self._training.update()
        self._untold.append(now)
        if now.clipped or not now.finite:
            self._recorder.saw(self._untold)
        if now.number in self._wanted or not now.finite:
            self._reach()
        elif time.monotonic() - self._told > _EVERY:
            self._say()
            if self._watched:
                self._tell(Reached(self._number, self._training.glimpse(), kept=False))
        return True

    def leave(self) -> None:
        """Tell what it is when it is stopped."""
        self._recorder.leave()
        if self._training.last.number not in self._wanted and self._cost < _SOON:
            self._reach()

    def _reach(self) -> None:
        self._say()
        if not self._training.last.number or self._training.last.finite:
            start = time.monotonic()
            checkpoint = self._training.checkpoint()
            self._cost = time.monotonic() - start
            self._tell(Reached(self._number, checkpoint))

    def _say(self) -> None:
        if self._untold:
            self._recorder.note(self._untold)
            self._tell(Learned(self._number, tuple(self._untold)))
            self._untold.clear()
        self._told = time.monotonic()


class _Orders:
    """What the server asks of the run: read by a thread of its own, for the run is at work."""

    def __init__(self, source: BinaryIO) -> None:
        self.plans: SimpleQueue[Plan | None] = SimpleQueue()
        self._stopped, self._may_go = threading.Event(), threading.Event()
        self._may_go.set()
        threading.Thread(target=self._read, args=(source,), daemon=True).start()

    def next_plan(self) -> Iterator[Plan]:
        """The plans, one after the other, until the server is gone."""
        while (plan := self.plans.get()) is not None:
            yield plan

    def goes_on(self) -> bool:
        self._may_go.wait()
        return not self._stopped.is_set()

    def _read(self, source: BinaryIO) -> None:
        with suppress(EOFError, OSError):
            while True:
                order = pickle.load(source)
                if isinstance(order, Plan):
                    self._stopped.clear()
                    self._may_go.set()
                    self.plans.put(order)
                elif order == "pause":
                    self._may_go.clear()
                elif order == "go on":
                    self._may_go.set()
                else:
                    self._stopped.set()
                    self._may_go.set()
        os._exit(0)  # without a server nobody wants what is computed


def main() -> None:
    """Serve until the input ends."""
    orders = _Orders(sys.stdin.buffer)  # who reads from the start: a plan is larger than a pipe
    import torch

    torch.set_num_threads(1)
    with suppress(ImportError, OSError, ValueError):  # where the system knows no such limit
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_DATA)[1]))
    with suppress(AttributeError, OSError):
        os.nice(1)  # who looks at a page comes first
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what anybody prints is no word of ours

    def tell(word: Told) -> None:
        pickle.dump(word, out)
        out.flush()

    for plan in orders.next_plan():
        follow(plan, tell, orders.goes_on)


if __name__ == "__main__":
    main()
