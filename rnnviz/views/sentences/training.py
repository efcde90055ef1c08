"""What is said of a training run: where it stands, and what each network has reached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from rnnviz.learning.comparison import solved_at
from rnnviz.learning.training import Checkpoint
from rnnviz.texts import say
from rnnviz.views.names import cell_name
from rnnviz.views.numbers import power, thousands
from rnnviz.views.palette import CELL_COLOURS

_MINUTE = 60
_NEAR = 0.8
"""Of the loss of the best constant prediction, which is named beside what is no lower."""


@dataclass(frozen=True, eq=False)
class Standing:
    """What a network has reached.

    Attributes
    ----------
    kind : str
    update : int
    tested : sequence of Checkpoint
    broken : bool
        Whether its loss or its gradient left the range of numbers.
    is_past : bool
        Whether it is a moment that the run has left behind: then nothing is said of what came of it.
    """

    kind: str
    update: int
    tested: Sequence[Checkpoint]
    broken: bool = False
    is_past: bool = False

    @property
    def last(self) -> Checkpoint | None:
        """The last test."""
        return self.tested[-1] if self.tested else None

    def solved_at(self, solved: float) -> int | None:
        """The update from which on every test loss was below a level; None where the last one is not."""
        losses = np.array([one.test_loss for one in self.tested])
        return solved_at(np.array([one.update for one in self.tested], dtype=np.int64), losses, solved)


def standing_words(one: Standing, solved: float) -> str:
    """One network in a few words, for its place in the row above the charts."""
    if one.broken:
        return say("training.standing.broken", update=thousands(one.update))
    if one.last is None:
        return say("training.standing.none")
    loss, at = power(one.last.test_loss, 3), one.solved_at(solved)
    if one.is_past:
        return say("training.standing.past", loss=loss, update=thousands(one.last.update))
    if not solved:
        return say("training.standing.loss", loss=loss)
    if at is None:
        return say("training.standing.not", loss=loss)
    return say("training.standing.solved", loss=loss, update=thousands(at))


def progress_words(
    state: str, update: int, updates: int, seconds: float | None, place: int, allowed: float | None = None
) -> str:
    """Where a run stands; `allowed` are the minutes after which it will be stopped before its last update."""
    slots = {"update": thousands(update), "updates": thousands(updates)}
    if state == "queued" and place:
        return say("training.state.queued", place=place)
    if state == "queued" or (state == "running" and not update):
        return say("training.state.starts")
    if state == "running":
        left = None if seconds is None else max(1, round(seconds))
        if left is None:
            return say("training.state.begins", **slots)
        if allowed is not None:
            slots |= {"minutes": f"{round(left / _MINUTE):,}", "allowed": f"{allowed:.2g}"}
            return say("training.state.beyond", **slots)
        if left >= 2 * _MINUTE:
            return say("training.state.minutes", minutes=round(left / _MINUTE), **slots)
        return say("training.state.running", seconds=left, **slots)
    if state == "done" and update < updates:
        return say("training.state.overflowed", **slots)
    return say(f"training.state.{state}", **slots)


def standings_html(standings: Sequence[Standing], solved: float) -> str:
    """The row of networks: a dot in the colour of each, its name, and what it has reached."""
    items = [
        f"<li class='{_class(one, solved)}'><i style='background:{CELL_COLOURS[one.kind]}'></i>"
        f"<b>{escape(cell_name(one.kind))}</b> <span>{escape(standing_words(one, solved))}</span></li>"
        for one in standings
    ]
    return f"<ul class='standings'><li>{say('training.standing')}</li>{''.join(items)}</ul>"


def _class(one: Standing, solved: float) -> str:
    if one.broken:
        return "broken"
    return "solved" if solved and not one.is_past and one.solved_at(solved) is not None else "open"


def result_words(standings: Sequence[Standing], solved: float, constant: float) -> str:
    """What came out, in whole sentences, once a run has ended; nothing where the task has no level to reach."""
    tested = [one for one in standings if one.last is not None and not one.broken]
    if not tested or not solved:
        return ""
    won = [one for one in tested if one.solved_at(solved) is not None]
    lost = [(one.kind, one.last.test_loss) for one in tested if one.last is not None and one not in won]
    said = []
    if won:
        names = _listed([_the_cell(one.kind) for one in won])
        said.append(say("training.result.won", names=names, solved=power(solved)))
    if lost:
        items = [say("training.result.item", name=_the_cell(kind), loss=power(loss)) for kind, loss in lost]
        said.append(say("training.result.lost", names=_listed(items)))
    if 0 < _NEAR * constant < max((loss for _, loss in lost), default=0.0):
        said.append(say("training.result.constant", constant=power(constant)))
    return " ".join(said)


def heart_words(standings: Sequence[Standing], level: float, constant: float) -> str:
    """Who has learned by heart what cannot be learned otherwise, once a run has ended."""
    reached = [(one.kind, one.last) for one in standings if one.last is not None and not one.broken]
    learned = [kind for kind, last in reached if last.train_loss < level]
    said = []
    if learned:
        said.append(say("training.result.heart", names=_listed(list(map(_the_cell, learned))), level=power(level)))
    if reached and min(last.test_loss for _, last in reached) >= constant:
        said.append(say("training.result.heart.test", constant=power(constant)))
    return " ".join(said)


def _the_cell(kind: str) -> str:
    return say(f"training.cell.{kind}")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else say("training.and", first=", ".join(names[:-1]), last=names[-1])
