"""The memory ledger as a picture, a sentence and a table: who wrote what a unit remembers, and how much survives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Ledger, Trace
from rnnviz.texts import say
from rnnviz.views.gate_facts import memory_of, memory_symbol, percent
from rnnviz.views.numbers import equals, power_of_ten, written
from rnnviz.views.plots import NEGATIVE, POSITIVE, Plot, label, picture
from rnnviz.views.tables import table

Array = NDArray[np.float64]

_WIDTH, _LEFT, _RIGHT = 900.0, 58.0, 46.0
_TOP, _BARS, _LINES, _GAP = 24.0, 150.0, 96.0, 40.0
_SURVIVAL = "#8b5cc7"
_MOST_NAMED = 6


def ledger_words(ledger: Ledger, trace: Trace, unit: int, t: int) -> str:
    """Who wrote what is in a unit's memory at step t, in a sentence."""
    memory, symbol = memory_of(trace), memory_symbol(trace)
    writes, start = ledger.writes[:, unit], float(ledger.kept[unit] * memory[0, unit])
    value = float(memory[t, unit])
    writer = int(np.abs(writes).argmax())
    rest = float(writes.sum() - writes[writer])
    return say(
        "ledger.words", symbol=symbol, unit=unit + 1, t=t, sign=equals(value, 4), value=written(value, 4),
        start=written(start), step=writer + 1, write=written(float(writes[writer])), rest=written(rest),
        share=percent(float(ledger.survival[writer, unit])),
    )  # fmt: skip


def ledger_error(ledger: Ledger, trace: Trace, t: int) -> str:
    """How far the ledger's sum is from the state itself, over all units: rounding alone."""
    memory = memory_of(trace)
    error = float(np.abs(ledger.kept * memory[0] + ledger.writes.sum(axis=0) - memory[t]).max())
    sign = say("ledger.exact") if error == 0 else power_of_ten(float(np.log10(error)))
    return say("ledger.error", symbol=memory_symbol(trace), t=t, error=sign)


def ledger_picture(ledger: Ledger, trace: Trace, unit: int, t: int, free: Trace | None = None) -> str:
    """Two plots over the steps: what each write still contributes at step t with the share that survives, and the
    memory itself.

    Parameters
    ----------
    ledger : Ledger
        At step t.
    trace : Trace
        Of an LSTM or a GRU.
    unit : int
        Zero-based.
    t : int
        1..T.
    free : Trace, optional
        The same run with no gate held, for a second line of the memory.

    Returns
    -------
    str
        One SVG element that takes the text's colour; what is pointed at says its numbers.
    """
    start = float(ledger.kept[unit])
    shares = [start, *ledger.survival[:, unit].tolist()]
    bars = [start * float(memory_of(trace)[0, unit]), *ledger.writes[:, unit].tolist()]
    limit = max(map(abs, bars)) or 1.0
    plot = Plot(_LEFT, _TOP, _WIDTH - _LEFT - _RIGHT, _BARS, trace.steps + 1, limit)
    parts = [plot.axis(), plot.steps(say("ledger.start")), label(_LEFT, 10, say("ledger.bars", t=t), "start")]
    parts += [_bar(plot, step, bar, share) for step, (bar, share) in enumerate(zip(bars, shares, strict=True))]
    parts.append(_survival(plot, shares))
    below = _TOP + _BARS + _GAP
    parts.append(_memory(trace, unit, t, free, replace(plot, top=below, height=_LINES)))
    said = f"{ledger_words(ledger, trace, unit, t)} {ledger_error(ledger, trace, t)}"
    return picture("ledger", _WIDTH, below + _LINES + 12, said, parts)


def ledger_table(ledger: Ledger, trace: Trace, unit: int) -> str:
    """The writes that contribute most, as an HTML table in the order of time."""
    memory = memory_of(trace)
    writes, survival = ledger.writes[:, unit], ledger.survival[:, unit]
    most = sorted(np.argsort(-np.abs(writes), kind="stable")[:_MOST_NAMED].tolist())
    start = (say("ledger.start"), percent(float(ledger.kept[unit])), float(ledger.kept[unit] * memory[0, unit]))
    rows = [start, *((str(k + 1), percent(float(survival[k])), float(writes[k])) for k in most)]
    others = float(writes.sum() - writes[most].sum())
    if len(writes) > len(most):
        rows.append((say("ledger.others", count=len(writes) - len(most)), "", others))
    head = [say(f"ledger.column.{name}") for name in ("step", "share", "left")]
    caption = say("ledger.table", symbol=memory_symbol(trace), unit=unit + 1)
    return table("ledger", caption, head, [(name, share, written(left, 4)) for name, share, left in rows])


def _bar(plot: Plot, step: int, left: float, share: float) -> str:
    """What is left of a step's write, 0 for the start; its whole column says so when pointed at."""
    key = "ledger.bar" if step else "ledger.bar.start"
    title = say(key, step=step, left=written(left, 4), share=percent(share))
    width, x = max(0.8, min(0.82 * plot.pitch, 40.0)), plot.x(step)
    y, height = min(plot.y(left), plot.y(0)), abs(plot.y(left) - plot.y(0))
    column = f'<rect x="{x - plot.pitch / 2:.1f}" y="{plot.top:g}" width="{plot.pitch:.2f}" height="{plot.height:g}"'
    bar = f'<rect x="{x - width / 2:.1f}" y="{y:.1f}" width="{width:.2f}" height="{height:.2f}"'
    fill = POSITIVE if left > 0 else NEGATIVE
    return f'<g><title>{escape(title)}</title>{column} fill="transparent"/>{bar} fill="{fill}"/></g>'


def _survival(plot: Plot, shares: Sequence[float]) -> str:
    """The share of each write that survives, from nothing at the lower edge to all at the upper, with its own axis."""
    points = " ".join(
        f"{plot.x(step):.1f},{plot.top + plot.height * (1 - share):.1f}" for step, share in enumerate(shares)
    )
    line = f'<polyline points="{points}" fill="none" stroke="{_SURVIVAL}" stroke-width="1.6"/>'
    right = plot.left + plot.width + 6
    numbers = [
        label(right, plot.top + plot.height * (1 - share / 100), f"{share} %", "start") for share in (0, 50, 100)
    ]
    return line + "".join(numbers)


def _memory(trace: Trace, unit: int, t: int, free: Trace | None, plot: Plot) -> str:
    """The memory of a unit over the steps, with what it would be were no gate held."""
    lines = [memory_of(one)[: plot.columns, unit].tolist() for one in (trace, free) if one is not None]
    plot = replace(plot, limit=max(abs(value) for line in lines for value in line) or 1.0)
    key = "ledger.memory" if free is None else "ledger.memory.free"
    title = say(key, symbol=memory_symbol(trace), unit=unit + 1)
    parts = [plot.axis(), plot.marker(t), label(plot.left, plot.top - 10, title, "start")]
    parts += [plot.line(line, "currentColor", dashed=bool(number)) for number, line in enumerate(lines)]
    return "".join(parts)
