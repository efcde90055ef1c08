"""How many of a few: counts as a sentence has them, where 0 of 2 and 1 of 1 would read oddly."""

from __future__ import annotations

from rnnviz.texts import say


def of_units(count: int, units: int) -> str:
    """So many of a layer's units, for the place of a noun in a sentence.

    Examples
    --------
    >>> of_units(0, 8), of_units(3, 8), of_units(1, 1)
    ('no unit', '3 of 8 units', 'the only unit')
    """
    if not count:
        return say("count.units.none")
    return say("count.units.only") if units == 1 else say("count.units", count=count, units=units)
