"""What a page says of any run: of the whole, and of each step. A cell is told by its slopes, its gates or its step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from rnnviz.maths import Trace
from rnnviz.maths.checks import Array
from rnnviz.views.sentences import facts, gate_facts

Notices = Callable[[Trace, int], list[tuple[int, str]]]


def fact_of(trace: Trace, y: Array | None) -> str:
    """What becomes of a change, or of what is written: for networks that no preset has a sentence for."""
    return _FACTS[trace.cell.told_by](trace, y)


def notices_of(trace: Trace, layer: int = 1) -> list[tuple[int, str]]:
    """For each step the zero-based unit that moves most, and a sentence on it."""
    return _NOTICES[trace.cell.told_by](trace, layer)


_FACTS: Mapping[str, Callable[[Trace, Array | None], str]] = MappingProxyType(
    {"slopes": facts.random, "gates": gate_facts.kept, "step": facts.random}
)
_NOTICES: Mapping[str, Notices] = MappingProxyType(
    {"slopes": facts.steps, "gates": gate_facts.steps, "step": facts.moves}
)
