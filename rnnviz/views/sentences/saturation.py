"""How often each gate is closed or open, in words and as a table: the statistics of Karpathy, Johnson & Li (2015)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rnnviz.maths import Saturation
from rnnviz.texts import say
from rnnviz.views.sentences.counts import of_units

SIDES = ("left", "right")


def saturation_words(found: Mapping[str, Saturation]) -> list[str]:
    """For each gate in how many units it is mostly open, and in how many mostly closed."""
    return [
        say(
            "saturation.words",
            gate=gate,
            open=of_units(int((one.right > 0.5).sum()), len(one.right)),
            closed=of_units(int((one.left > 0.5).sum()), len(one.left)),
        )
        for gate, one in found.items()
    ]


def saturation_columns(found: Mapping[str, Saturation]) -> dict[str, Sequence[float]]:
    """The shares of all steps, 0..1, a row for each unit."""
    units = len(next(iter(found.values())).left)
    columns: dict[str, Sequence[float]] = {say("saturation.column.unit"): list(range(1, units + 1))}
    for gate, one in found.items():
        columns |= {say(f"saturation.column.{side}", gate=gate): getattr(one, side).tolist() for side in SIDES}
    return columns


def places_of(one: Saturation) -> dict[tuple[float, float], list[int]]:
    """The units, counted from 1, by where their dot is: many share a corner."""
    places: dict[tuple[float, float], list[int]] = {}
    for unit, place in enumerate(zip(one.left.tolist(), one.right.tolist(), strict=True), start=1):
        places.setdefault(place, []).append(unit)
    return places
