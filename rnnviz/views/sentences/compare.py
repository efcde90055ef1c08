"""Three cells beside each other: what each costs, how far back it reaches, what it learned; adjectives as numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import gradient_reach
from rnnviz.texts import say
from rnnviz.views.names import cell_name
from rnnviz.views.numbers import power, power_of_ten, thousands, written
from rnnviz.views.sentences.rtrl import unit_and_size
from rnnviz.views.sentences.seeds import Quartiles, quartiles
from rnnviz.views.tables import NOTHING, Row

Array = NDArray[np.float64]
Cell = tuple[str, str]

THRESHOLD = -3.0
"""log10 of the gradient norm that still counts as arriving."""

_MICRO = 1e6


@dataclass(frozen=True)
class Costs:
    """What the networks of one kind take, whatever their weights.

    Attributes
    ----------
    hidden_size, parameters : int
    multiply_adds : int
        Of a step forward.
    state, kept : int
        Numbers that pass from step to step, and that BPTT keeps over the whole sequence.
    blocks, states : int
        In the equations of one layer: the blocks of rows in its weights, and the vectors that it carries.
    """

    hidden_size: int
    parameters: int
    multiply_adds: int
    state: int
    kept: int
    blocks: int
    states: int


@dataclass(frozen=True, eq=False)
class Decay:
    """The gradients of the networks of one kind over one sequence each.

    Attributes
    ----------
    norms : (N, T+1) array
        log10 ||d s_T / d s_k||, a row for each network that ran to the end.
    lost : int
        Networks that overflowed float64.
    gates : mapping of str to float
        The mean of each gate over these networks, their units and steps.
    """

    norms: Array
    lost: int
    gates: Mapping[str, float]

    @property
    def reach(self) -> list[int]:
        """For each network the furthest step back with a norm of at least ten to the `THRESHOLD`."""
        return [gradient_reach(norms, THRESHOLD).horizon for norms in self.norms]

    @property
    def quartiles(self) -> Quartiles:
        """Of the norms at each step."""
        return quartiles(self.norms)


@dataclass(frozen=True, eq=False)
class Learned:
    """What training made of the networks of one kind.

    Attributes
    ----------
    updates : (M,) array of int
        The moments at which all were tested.
    losses : (N, M) array
        Infinite from where a network left the range of numbers.
    solved : tuple of int or None
        For each network the update from which on every test is below the level of the task.
    lost : int
        Networks that left the range of numbers.
    """

    updates: NDArray[np.int64]
    losses: Array
    solved: tuple[int | None, ...]
    lost: int = 0

    @property
    def is_lost(self) -> bool:
        """Whether no network is left."""
        return self.lost == len(self.losses)


class Band(NamedTuple):
    """The smallest value, the lower quartile, the median, the upper quartile and the largest, (M,) each."""

    low: Array
    lower: Array
    median: Array
    upper: Array
    high: Array


def band(losses: Array) -> Band:
    """The ranks of losses at each moment, interpolated between two networks (Hyndman & Fan 1996, type 7).

    Parameters
    ----------
    losses : (N, M) array
        Where one is infinite, so is what lies between it and another.
    """
    ranked = np.sort(losses, axis=0)
    return Band(*(_at(ranked, share) for share in (0.0, 0.25, 0.5, 0.75, 1.0)))


def _at(ranked: Array, share: float) -> Array:
    place = share * (len(ranked) - 1)
    below, above, part = ranked[math.floor(place)], ranked[math.ceil(place)], place - math.floor(place)
    if not part:
        return np.array(below)
    between, there = np.array(above), np.isfinite(above)
    between[there] = below[there] + part * (above[there] - below[there])
    return between


# --- above the fold -------------------------------------------------------------------------------------------------


def notice(costs: Mapping[str, Costs], decays: Mapping[str, Decay] | None, steps: int, *, is_sized: bool) -> str:
    """What to notice of the cells before any training; `is_sized`: hidden sizes were chosen for equal parameters."""
    (_, first), *others = costs.items()
    if is_sized:
        cells = [
            say(
                "compare.sized.cell", name=cell_name(kind), hidden=one.hidden_size, parameters=thousands(one.parameters)
            )
            for kind, one in costs.items()
        ]
        said = say("compare.sized", cells=", ".join(cells))
    else:
        cells = [
            say("compare.times.cell", name=cell_name(kind), times=written(one.parameters / first.parameters))
            for kind, one in others
        ]
        said = say("compare.times", hidden=first.hidden_size, cells=", ".join(cells))
    if not decays or not all(len(one.norms) for one in decays.values()):
        return said
    reached = [
        say("compare.reach.cell", name=cell_name(kind), reach=written(median(one.reach)))
        for kind, one in decays.items()
    ]
    count = max(len(one.norms) for one in decays.values())
    share = power_of_ten(THRESHOLD)
    return f"{said} {say('compare.reach', cells=', '.join(reached), steps=steps, share=share, count=count)}"


def outcome(
    learned: Mapping[str, Learned], before: Mapping[str, Decay] | None, after: Mapping[str, Decay] | None,
    steps: int, level: float,
) -> str:  # fmt: skip
    """What came of the training: who solved the task, or how low the losses are, and how the reach has changed."""
    updates = thousands(_updates(learned))
    if level:
        seeds = max(len(one.solved) for one in learned.values())
        cells = [
            say("compare.after.cell", name=cell_name(kind), count=sum(update is not None for update in one.solved))
            for kind, one in learned.items()
        ]
        said = say("compare.after.solved", updates=updates, seeds=seeds, cells=", ".join(cells))
    else:
        said = loss_words(learned, 0.0, 0.0)
    if not before or not after or not all(len(one.norms) for one in (*before.values(), *after.values())):
        return said
    reached = [
        say(
            "compare.after.reach.cell", name=cell_name(kind), before=written(median(before[kind].reach)),
            after=written(median(after[kind].reach)),
        )
        for kind in before
    ]  # fmt: skip
    return f"{said} {say('compare.after.reach', cells=', '.join(reached), steps=steps)}"


def cost_rows(costs: Mapping[str, Costs], steps: int) -> list[Row]:
    """What each cell costs, whatever its weights."""
    first = next(iter(costs.values()))

    def times(name: str) -> list[Cell]:
        numbers = [getattr(one, name) for one in costs.values()]
        return [(thousands(number), _times(number, getattr(first, name))) for number in numbers]

    return [
        Row(say("compare.row.hidden_size"), [(str(one.hidden_size), "") for one in costs.values()]),
        Row(say("compare.row.parameters"), times("parameters")),
        Row(say("compare.row.multiply_adds"), times("multiply_adds")),
        Row(say("compare.row.state"), [_memory(one.state) for one in costs.values()]),
        Row(say("compare.row.kept", steps=steps), [_memory(one.kept) for one in costs.values()]),
    ]


def time_row(kinds: Sequence[str], seconds: Mapping[str, float]) -> Row:
    """How long a step took, as a multiple of the first cell's."""
    return Row(say("compare.row.time"), _time_cells(kinds, seconds))


def reach_row(decays: Mapping[str, Decay] | None, kinds: Sequence[str], *, is_trained: bool) -> Row:
    """How far back the gradient reaches, before or after training."""
    title = say("compare.row.reach.trained") if is_trained else say("compare.row.reach")
    if decays is None:
        return Row(title, [(NOTHING, "")] * len(kinds))
    return Row(title, [_reach_cell(decays[kind]) for kind in kinds])


def _reach_cell(decay: Decay) -> Cell:
    if not len(decay.norms):
        return NOTHING, say("compare.lost", lost=decay.lost)
    reach, parts = decay.reach, list[str]()
    if min(reach) != max(reach):
        parts.append(say("compare.range", low=str(min(reach)), high=str(max(reach))))
    if decay.lost:
        parts.append(say("compare.lost", lost=decay.lost))
    return _reach(decay), "; ".join(parts)


def _memory(numbers: int) -> Cell:
    unit, size = unit_and_size(numbers)
    return say(f"compare.size.{unit}", size=size), say("compare.count", count=thousands(numbers))


def _times(number: float, first: float) -> str:
    return f"× {power(number / first)}"


def _time_cells(kinds: Sequence[str], seconds: Mapping[str, float]) -> list[Cell]:
    if not seconds:
        return [("", say("compare.press.measure"))] * len(kinds)
    first = next(iter(seconds.values()))
    times = [(_times(seconds[kind], first), written(_MICRO * seconds[kind], 3)) for kind in kinds]
    return [(main, say("compare.time", time=time)) for main, time in times]


def untrained_rows(kinds: Sequence[str], level: float, *, running: bool) -> list[Row]:
    """The rows that training fills, before it or while it goes on."""
    titles = [say("compare.row.reach.trained"), *_titles(level)]
    there = say("compare.in_training" if running else "compare.press.train")
    return [Row(title, [("", there)] * len(kinds)) for title in titles]


def _titles(level: float) -> list[str]:
    solved = [say("compare.row.solved", level=power(level))] if level else []
    return [*solved, say("compare.row.loss")]


# --- while and after training ---------------------------------------------------------------------------------------


def loss_words(learned: Mapping[str, Learned], constant: float, level: float) -> str:
    """What the chart of losses comes to."""
    updates = _updates(learned)
    cells = []
    for kind, one in learned.items():
        loss = float(band(one.losses).median[-1])
        if one.is_lost or not math.isfinite(loss):
            cells.append(say("compare.loss.lost", name=cell_name(kind), lost=one.lost, seeds=len(one.losses)))
        else:
            cells.append(say("compare.loss.cell", name=cell_name(kind), loss=power(loss)))
    said = say("compare.loss.words", updates=thousands(updates), cells=", ".join(cells))
    more = [say("compare.loss.level", level=power(level))] if level else []
    more += [say("compare.loss.constant", constant=power(constant))] if constant else []
    return " ".join([said, *more])


def _updates(learned: Mapping[str, Learned]) -> int:
    """The last update at which networks were tested: of those that are left, where any is."""
    left = [one for one in learned.values() if not one.is_lost]
    return int(max(one.updates[-1] for one in left or learned.values()))


def learned_rows(learned: Mapping[str, Learned], level: float) -> list[Row]:
    """What each cell had learned by the last update."""
    tell = [_solved_cell, _loss_cell][0 if level else 1 :]
    return [Row(title, [one(of) for of in learned.values()]) for title, one in zip(_titles(level), tell, strict=True)]


def _solved_cell(of: Learned) -> Cell:
    there = [update for update in of.solved if update is not None]
    main = say("compare.solved", count=len(there), seeds=len(of.solved))
    return main, say("compare.solved.at", update=f"{median(there):,.0f}") if there else ""


def _loss_cell(of: Learned) -> Cell:
    found = band(of.losses)
    low, middle, high = (float(edge[-1]) for edge in (found.low, found.median, found.high))
    main = power(middle) if math.isfinite(middle) and not of.is_lost else NOTHING
    if of.lost:
        return main, say("compare.overflowed", lost=of.lost, seeds=len(of.losses))
    return main, say("compare.range", low=power(low), high=power(high)) if low != high else ""


def loss_columns(learned: Mapping[str, Learned]) -> dict[str, list[float]]:
    """All tests as columns of a table, a row for each moment."""
    shortest = min(learned.values(), key=lambda one: len(one.updates))
    columns = {say("compare.column.update"): [float(update) for update in shortest.updates]}
    for kind, one in learned.items():
        for edge, values in band(one.losses)._asdict().items():
            columns[say(f"compare.column.{edge}", name=cell_name(kind))] = values[: len(shortest.updates)].tolist()
    return columns


def gate_rows(before: Mapping[str, Decay], after: Mapping[str, Decay] | None) -> list[Row]:
    """The mean of each gate before and after training, a row for each gate of each cell."""
    rows = []
    for kind, decay in before.items():
        for gate, mean in decay.gates.items():
            title = say("compare.gate", name=cell_name(kind), role=say(f"compare.gate.{kind}.{gate}"))
            then = (_gate(after[kind].gates.get(gate)), "") if after else ("", say("compare.press.train"))
            rows.append(Row(title, [(written(mean), ""), then]))
    return rows


def _gate(mean: float | None) -> str:
    return NOTHING if mean is None else written(mean)


# --- adjectives -----------------------------------------------------------------------------------------------------

_ADJECTIVES: Mapping[str, Mapping[str, str]] = {
    "memory": {"elman": "limited", "lstm": "strong", "gru": "strong"},
    "parameters": {"elman": "low", "lstm": "high", "gru": "medium"},
    "vanishing": {"elman": "vulnerable", "lstm": "resistant", "gru": "resistant"},
    "efficiency": {"elman": "high", "lstm": "low", "gru": "medium"},
    "complexity": {"elman": "low", "lstm": "high", "gru": "medium"},
}
"""What a tutorial on Elman networks says of the three cells, feature by feature."""


def adjective_rows(
    costs: Mapping[str, Costs],
    before: Mapping[str, Decay] | None,
    after: Mapping[str, Decay] | None,
    seconds: Mapping[str, float],
    *,
    on: str,
    updates: int | None,
) -> list[Row]:
    """The tutorial's table with the numbers of these networks, and below each row how they were found.

    Parameters
    ----------
    before, after : mapping of str to Decay, or None
        None where it is not known; `after` also before any training.
    on : str
        The task with its length, as it stands in a sentence.
    updates : int or None
        Of the training; None before it.
    """
    kinds, first = list(costs), next(iter(costs.values()))
    done = "undone" if updates is None else "done"
    slots = {"on": on, "share": power_of_ten(THRESHOLD), "updates": thousands(updates or 0)}
    missing = say("compare.press.train") if updates is None else NOTHING
    reach = [_reach(after[kind]) if after else missing for kind in kinds]
    norm = [_norm(after[kind]) if after else missing for kind in kinds]
    early = [_norm(before[kind]) if before else NOTHING for kind in kinds]
    counted = [thousands(one.parameters) for one in costs.values()]
    work = [_times(one.multiply_adds, first.multiply_adds) for one in costs.values()]
    parts = [say("compare.parts", blocks=one.blocks, states=one.states) for one in costs.values()]
    return [
        _judged("memory", kinds, reach, say(f"compare.how.memory.{done}", **slots)),
        _judged("parameters", kinds, counted, say("compare.how.parameters")),
        _judged("vanishing", kinds, norm, say(f"compare.how.vanishing.{done}", **slots)),
        Row(say("compare.feature.before"), [(one, "") for one in early], say("compare.how.before", on=on)),
        _judged("efficiency", kinds, work, say("compare.how.efficiency")),
        Row(say("compare.feature.time"), _time_cells(kinds, seconds), say("compare.how.time", on=on)),
        _judged("complexity", kinds, parts, say("compare.how.complexity")),
    ]


def _judged(feature: str, kinds: Sequence[str], numbers: Sequence[str], how: str) -> Row:
    words = [say(f"compare.word.{_ADJECTIVES[feature][kind]}") for kind in kinds]
    quoted = [say("compare.quoted", word=word) for word in words]
    return Row(say(f"compare.feature.{feature}"), list(zip(numbers, quoted, strict=True)), how)


def _reach(decay: Decay) -> str:
    if not len(decay.norms):
        return NOTHING
    return say("compare.of_steps", reach=written(median(decay.reach)), steps=decay.norms.shape[1] - 1)


def _norm(decay: Decay) -> str:
    return power_of_ten(float(decay.quartiles.median[0])) if len(decay.norms) else NOTHING
