"""The memory ledger as a picture, a sentence and a table: who wrote what a unit remembers, and how much survives."""

from __future__ import annotations

from html import escape

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Ledger, Trace
from rnnviz.texts import say
from rnnviz.views.gate_facts import memory_of, memory_symbol, percent
from rnnviz.views.numbers import equals, power_of_ten, written

Array = NDArray[np.float64]

_WIDTH, _LEFT, _RIGHT = 900.0, 58.0, 46.0
_BARS, _LINES, _GAP = 150.0, 96.0, 40.0
_NEGATIVE, _POSITIVE, _SURVIVAL = "#e0762f", "#2b7fc3", "#8b5cc7"
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
    memory = memory_of(trace)
    writes, survival = ledger.writes[:, unit], ledger.survival[:, unit]
    bars = np.concatenate([[ledger.kept[unit] * memory[0, unit]], writes])
    limit = float(np.abs(bars).max()) or 1.0
    pitch = (_WIDTH - _LEFT - _RIGHT) / (trace.steps + 1)
    middle = 24 + _BARS / 2
    parts = [_axis(middle, limit, 24, _BARS), _text(_LEFT, 10, say("ledger.bars", t=t), "start")]
    for k, bar in enumerate(bars):
        height = float(abs(bar)) / limit * _BARS / 2
        x, y = _LEFT + k * pitch, middle - height if bar > 0 else middle
        title = _bar_title(k, float(bar), float(survival[k - 1]) if k else float(ledger.kept[unit]))
        full = f'<rect x="{x:.1f}" y="24" width="{pitch:.2f}" height="{_BARS:g}" fill="transparent"/>'
        fill = _POSITIVE if bar > 0 else _NEGATIVE
        width = max(0.8, min(0.82 * pitch, 40.0))
        drawn = f'<rect x="{x + (pitch - width) / 2:.1f}" y="{y:.1f}" width="{width:.2f}" height="{height:.2f}"'
        parts.append(f'<g><title>{escape(title)}</title>{full}{drawn} fill="{fill}"/></g>')
    shares = np.concatenate([[ledger.kept[unit]], survival])
    points = " ".join(
        f"{_LEFT + (k + 0.5) * pitch:.1f},{24 + _BARS * (1 - share):.1f}" for k, share in enumerate(shares)
    )
    parts.append(f'<polyline points="{points}" fill="none" stroke="{_SURVIVAL}" stroke-width="1.6"/>')
    for share in (0, 50, 100):
        parts.append(_text(_WIDTH - _RIGHT + 6, 24 + _BARS * (1 - share / 100), f"{share} %", "start", _SURVIVAL))
    parts.append(_step_labels(trace.steps, pitch, 24 + _BARS + 13))
    parts.append(_memory_plot(trace, unit, t, free, pitch, 24 + _BARS + _GAP))
    height = 24 + _BARS + _GAP + _LINES + 24
    label = f"{ledger_words(ledger, trace, unit, t)} {ledger_error(ledger, trace, t)}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="ledger" viewBox="0 0 {_WIDTH:g} {height:g}" width="100%" '
        f'role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def ledger_table(ledger: Ledger, trace: Trace, unit: int) -> str:
    """The writes that contribute most, as an HTML table in the order of time."""
    memory = memory_of(trace)
    writes, survival = ledger.writes[:, unit], ledger.survival[:, unit]
    most = sorted(np.argsort(-np.abs(writes), kind="stable")[:_MOST_NAMED].tolist())
    head = "".join(f'<th scope="col">{say(f"ledger.column.{name}")}</th>' for name in ("step", "share", "left"))
    start = (say("ledger.start"), percent(float(ledger.kept[unit])), float(ledger.kept[unit] * memory[0, unit]))
    rows = [start, *((str(k + 1), percent(float(survival[k])), float(writes[k])) for k in most)]
    others = float(writes.sum() - writes[most].sum())
    if len(writes) > len(most):
        rows.append((say("ledger.others", count=len(writes) - len(most)), "", others))
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{share}</td><td>{written(left, 4)}</td></tr>'
        for name, share, left in rows
    )
    caption = say("ledger.table", symbol=memory_symbol(trace), unit=unit + 1)
    return (
        f'<div class="ledger-table" role="region" aria-label="{caption}" tabindex="0"><table><caption>{caption}</caption><thead><tr>{head}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _bar_title(step: int, left: float, share: float) -> str:
    key = "ledger.bar" if step else "ledger.bar.start"
    return say(key, step=step, left=written(left, 4), share=percent(share))


def _memory_plot(trace: Trace, unit: int, t: int, free: Trace | None, pitch: float, top: float) -> str:
    """The memory of a unit over the steps, with what it would be were no gate held."""
    lines = [(memory_of(trace)[:, unit], "")]
    if free is not None:
        lines.append((memory_of(free)[:, unit], ' stroke-dasharray="5 4"'))
    limit = max(float(np.abs(values).max()) for values, _ in lines) or 1.0
    middle = top + _LINES / 2
    title = say("ledger.memory" if free is None else "ledger.memory.free", symbol=memory_symbol(trace), unit=unit + 1)
    parts = [_axis(middle, limit, top, _LINES), _text(_LEFT, top - 10, title, "start")]
    for values, dash in lines:
        points = " ".join(
            f"{_LEFT + (k + 0.5) * pitch:.1f},{middle - value / limit * _LINES / 2:.1f}"
            for k, value in enumerate(values)
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{_POSITIVE}" stroke-width="2"{dash}/>')
    x = _LEFT + (t + 0.5) * pitch
    parts.append(
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top:g}" y2="{top + _LINES:g}" stroke="currentColor" '
        'stroke-opacity="0.5" stroke-dasharray="2 3"/>'
    )
    return "".join(parts)


def _axis(middle: float, limit: float, top: float, height: float) -> str:
    """The line of nought and the numbers at both ends."""
    ends = ((limit, top), (0.0, middle), (-limit, top + height))
    numbers = "".join(_text(_LEFT - 8, y, written(value), "end") for value, y in ends)
    line = f'<line x1="{_LEFT:g}" x2="{_WIDTH - _RIGHT:g}" y1="{middle:g}" y2="{middle:g}"'
    return f'{line} stroke="currentColor" stroke-opacity="0.35"/>{numbers}'


def _step_labels(steps: int, pitch: float, y: float) -> str:
    every = next((count for count in (1, 2, 5, 10, 20, 50) if count * pitch >= 30), 100)
    wanted = [0, *(step for step in range(1, steps + 1) if step == 1 or step % every == 0)]
    if pitch < 30:
        wanted.remove(0)
    return "".join(
        _text(_LEFT + (step + 0.5) * pitch, y, say("ledger.start") if step == 0 else str(step), "middle")
        for step in wanted
    )


def _text(x: float, y: float, text: str, anchor: str, fill: str = "currentColor") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="central" font-size="12" '
        f'fill="{fill}">{escape(text)}</text>'
    )
