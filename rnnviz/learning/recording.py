"""What is kept of a run for later: the updates whose gradient was clipped, and the one at which numbers overflow.

A run keeps two updates with their weights, which costs it next to nothing. Only of one worth a look all the rest is
made, by making it again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from rnnviz.learning.incident import Example, Incident, Made, Part
from rnnviz.learning.training import Chunk, Kept, Network, Training, Update
from rnnviz.maths import InputError
from rnnviz.maths.checks import Array
from rnnviz.maths.extended_range.lengths import lengths

HISTORY = 64
"""Updates up to an incident that are told with it."""
_MORE = 2.0
"""So many times as large as the last one told a gradient norm must be to be told at once, not at the end."""


class _Moment(NamedTuple):
    """Two updates, and the weights after them."""

    kept: tuple[Kept, ...]
    after: Array
    history: tuple[Update, ...]
    best: Update


class Recorder:
    """Watches a training, and tells of incidents.

    Parameters
    ----------
    training : Training
    learner : int
    kinds : collection of str
        Those of `incident.KINDS` that are wanted.
    tell : callable
    """

    def __init__(
        self, training: Training, learner: int, kinds: Collection[str], tell: Callable[[Incident], None]
    ) -> None:
        self._training, self._learner, self._kinds, self._tell = training, learner, kinds, tell
        self._history = deque[Update](maxlen=HISTORY)
        self._largest = self._told = 0.0
        self._untold: _Moment | None = None
        self._best = Update(0, float("inf"), float("nan"), False)

    def note(self, updates: Sequence[Update]) -> None:
        """Take down updates that are done with; many at a time cost next to nothing."""
        self._history.extend(updates)
        self._best = _best_of(self._best, *updates)

    def saw(self, updates: Sequence[Update]) -> None:
        """Look at an update that was clipped or is not finite: the last of those that are not noted yet."""
        last = updates[-1]
        if not last.finite:
            self.leave()
            self._report("end", self._moment(updates))
        elif last.clipped and last.grad_norm > self._largest:
            first, self._largest = not self._largest, last.grad_norm
            if last.grad_norm > _MORE * self._told:
                self._told, self._untold = last.grad_norm, None
                self._report("first" if first and "first" in self._kinds else "largest", self._moment(updates))
            else:
                self._untold = self._moment(updates)

    def leave(self) -> None:
        """Tell what has waited for the end."""
        if self._untold is not None:
            self._report("largest", self._untold)
        self._untold = None

    def _moment(self, updates: Sequence[Update]) -> _Moment:
        history = (*self._history, *updates)[-HISTORY:]
        return _Moment(self._training.kept, self._training.weights(), history, _best_of(self._best, *updates))

    def _report(self, kind: str, moment: _Moment) -> None:
        with suppress(InputError):  # the weights before it were no numbers: there is nothing to look at
            if kind not in self._kinds:
                return
            self._tell(incident_of(self._training, self._learner, kind, moment))


def _best_of(*updates: Update) -> Update:
    return min(updates, key=lambda one: one.loss if one.finite else float("inf"))


def incident_of(training: Training, learner: int, kind: str, moment: _Moment) -> Incident:
    """Make the last update of a moment, and the one before it, again."""
    this = moment.kept[-1]
    earlier = moment.kept[0] if len(moment.kept) > 1 else None
    return Incident(
        learner=learner, kind=kind, loss=training.task.loss, limit=training.limit, batch=len(this.chunk.x),
        example=_example(training, this), earlier=earlier and _made(training, earlier, this.weights),
        this=_made(training, this, moment.after), after=_network(training, moment.after), history=moment.history,
        best=moment.best,
    )  # fmt: skip


def _made(training: Training, kept: Kept, after: Array) -> Made:
    with training.having(kept.weights):
        network, gradient = training.network(), training.gradient(kept.chunk)
        before = [array for _, _, array in training.arrays()]
    with training.having(after):
        finite = _network(training, after) is not None
        loss = training.loss(kept.chunk) if finite else float("nan")
        now = [array for _, _, array in training.arrays()]
    with np.errstate(over="ignore", invalid="ignore"):
        moves = zip(gradient, before, now, strict=True)
        promised = sum(float((part * (new - old)).sum()) for (_, _, part), old, new in moves)
    return Made(kept.update, network, tuple(_part(*one) for one in gradient), loss, promised)


def _part(layer: int, name: str, array: Array) -> Part:
    finite = np.isfinite(array)
    place = int(np.abs(array).argmax() if finite.all() else finite.argmin())
    norm = float(lengths(array.reshape(-1))) if finite.all() else float("nan")
    where = tuple(int(one) for one in np.unravel_index(place, array.shape))
    return Part(layer, name, norm, where, float(array[where]))


def _network(training: Training, weights: Array) -> Network | None:
    with training.having(weights):
        try:
            return training.network()
        except InputError:  # some are no numbers any more
            return None


def _example(training: Training, kept: Kept) -> Example:
    """The example with the largest loss, the first one whose loss is no finite number where there is one."""
    chunk: Chunk = kept.chunk
    with training.having(kept.weights):
        losses = np.array(training.losses(chunk))
        place = int(np.where(np.isfinite(losses), losses, np.inf).argmax())
        alone = _one_of(chunk, place)
        recurrent = [_part(*one).norm for one in training.gradient(alone) if one[1] == "W_hh"]
    x, target, counted = alone.x[0].numpy().copy(), alone.target[0].numpy().copy(), alone.counted.numpy().copy()
    starts = tuple(tuple(part[0].detach().numpy().copy() for part in layer) for layer in alone.state)
    return Example(
        x, target, counted, starts if chunk.before else None, chunk.before, training.task.steps,
        float(losses[place]), tuple(recurrent),
    )  # fmt: skip


def _one_of(chunk: Chunk, place: int) -> Chunk:
    """One example of a chunk, as a chunk."""
    one = slice(place, place + 1)
    state = [tuple(part[one] for part in layer) for layer in chunk.state]
    return chunk._replace(x=chunk.x[one], target=chunk.target[one], state=state)
