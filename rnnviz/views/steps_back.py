"""The way from one step back to another, step by step, and one of them opened into what it is made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import ElmanCell, Trace, step_jacobians
from rnnviz.texts import say
from rnnviz.views.facts import elman_slopes
from rnnviz.views.gate_facts import keep_factors, keeper
from rnnviz.views.numbers import power_of_ten, written
from rnnviz.views.plots import NEGATIVE, POSITIVE, Plot, column_bar, label, picture, step_numbers

Array = NDArray[np.float64]

_GATE, _STEP = "#7c4dbd", "#0b83a5"
_WIDTH, _LEFT, _TOP, _HEIGHT = 400.0, 58.0, 24.0, 120.0


def worst_step(norms: Array, first: int) -> int:
    """The step at which the way back loses most, or wins most where more than all of a change arrives.

    Parameters
    ----------
    norms : (n+1,) array
        log10 ||d s_t / d s_k|| for k = first..t.
    first : int
        The step of entry 0.
    """
    changes = _rounded(step_changes(norms))
    wins = norms[0] > 0 or changes.min() >= 0
    return first + 1 + int(np.argmax(changes) if wins else np.argmin(changes))


def step_changes(norms: Array) -> Array:
    """How many decades the way back loses (negative) or wins at each step; ``-inf`` where it ends, 0 behind that.

    Nothing can come back by another way too, as through the long memory of an LSTM: the steps of such a gap count 0.
    """
    arrives = ~np.isneginf(norms)
    changes = np.zeros(len(norms) - 1)
    np.subtract(norms[:-1], norms[1:], out=changes, where=arrives[:-1] & arrives[1:])
    if not arrives[0]:
        changes[np.argmax(arrives) - 1] = -np.inf
    return changes


def _rounded(changes: Array) -> Array:
    """Without what rounding alone makes of steps that keep every length."""
    return np.asarray(changes.round(9))


def chain_words(norms: Array, first: int) -> str:
    """What is left from step `first` at step t, and where most of it is lost."""
    last = first + len(norms) - 1
    worst, left = worst_step(norms, first), power_of_ten(float(norms[0]))
    change = float(_rounded(step_changes(norms))[worst - first - 1])
    if change == 0:
        return say("chain.gap" if np.isneginf(norms).any() else "chain.even", t=last, k=first, left=left)
    key = "chain.loses" if change < 0 else "chain.wins"
    return say(key, t=last, k=first, left=left, step=worst, factor=power_of_ten(change))


def chain_picture(norms: Array, first: int, opened: int) -> str:
    """A bar for each step: what the way back over it multiplies the norm by, in decades."""
    changes = step_changes(norms)
    finite = changes[np.isfinite(changes)]
    limit = max(float(np.abs(finite).max(initial=0.0)), 0.01)  # below, all numbers of the axis would read 1
    plot = Plot(_LEFT, _TOP, _WIDTH - _LEFT - 8, _HEIGHT, len(changes), limit)
    bars = [_bar(plot, number, first + number + 1, float(change)) for number, change in enumerate(changes)]
    mark = plot.x(opened - first - 1)
    marker = (
        f'<rect x="{mark - max(plot.pitch, 5) / 2:.1f}" y="{_TOP:g}" width="{max(plot.pitch, 5):.1f}" '
        f'height="{_HEIGHT:g}" fill="none" stroke="currentColor" stroke-width="1.6" rx="3"/>'
    )
    axis = [label(_LEFT - 8, plot.y(value), power_of_ten(value), "end") for value in (limit, 0.0, -limit)]
    title = label(_LEFT, 10, say("chain.bars"), "start")
    line = f'<path d="M{_LEFT:g} {plot.y(0):g}H{_WIDTH - 8:g}" stroke="currentColor" stroke-opacity="0.35"/>'
    return picture(
        "chain", _WIDTH, _TOP + _HEIGHT + 24, chain_words(norms, first),
        [title, *axis, line, *bars, marker, *step_numbers(plot, first)],
    )  # fmt: skip


def _bar(plot: Plot, column: int, step: int, change: float) -> str:
    """What one step does; a step behind which nothing is left reaches the lower edge."""
    title = say("chain.bar", step=step, before=step - 1, factor=power_of_ten(change))
    return column_bar(plot, column, max(change, -plot.limit), POSITIVE if change > 0 else NEGATIVE, title)


def opened_formula(trace: Trace, t: int) -> str:
    """The Jacobian of a step as it is made, in HTML."""
    cell = trace.cell
    kind = cell.activation if isinstance(cell, ElmanCell) else cell.kind
    return say(f"opened.formula.{kind}", t=t, before=t - 1, gate=keeper(trace) if cell.clampable else "")


def opened_words(trace: Trace, t: int) -> str:
    """What a step multiplies a change by, and the size of each of its parts."""
    jacobian = step_jacobians(trace.between(t - 1, t))[0]
    cell, H = trace.cell, trace.cell.hidden_size
    step = power_of_ten(_log_norm(jacobian))
    if isinstance(cell, ElmanCell):
        slopes = elman_slopes(trace)[t - 1]
        return say(
            "opened.elman", t=t, mean=written(float(slopes.mean())), low=int((slopes < LOW).sum()), units=H,
            limit=LOW, sigma=power_of_ten(_log_norm(cell.W_hh)), step=step,
        )  # fmt: skip
    keep = keep_factors(trace)[t - 1]
    slots = {"t": t, "gate": keeper(trace), "mean": written(float(keep.mean())), "most": written(float(keep.max()))}
    if cell.kind == "gru":
        rest = power_of_ten(_log_norm(jacobian - np.diag(keep)))
        return say("opened.gru", rest=rest, step=step, **slots)
    parts = {"hh": jacobian[:H, :H], "hc": jacobian[:H, H:], "ch": jacobian[H:, :H]}
    return say("opened.lstm", step=step, **slots, **{name: power_of_ten(_log_norm(one)) for name, one in parts.items()})


LOW = 0.1
"""The slope under which a unit counts as saturated."""


def opened_picture(trace: Trace, t: int) -> str:
    """What a step does to each unit and to each direction.

    Above, what every unit lets through: the slope of an Elman network, else the gate that keeps its memory. Below, the
    singular values of the whole step as bars, and as dots those of W_hh or, in a gated cell, the gates in their order:
    what the step would be without the rest.
    """
    if isinstance(trace.cell, ElmanCell):
        shares, alone = elman_slopes(trace)[t - 1], _singular_values(trace.cell.W_hh)
        title, below = say("opened.slopes", t=t), say("opened.singular")
    else:
        shares = keep_factors(trace)[t - 1]
        alone, gate = np.sort(shares)[::-1], keeper(trace)
        title, below = say("opened.gates", t=t, gate=gate), say("opened.singular.gates", gate=gate)
    whole = _singular_values(step_jacobians(trace.between(t - 1, t))[0])
    upper = Plot(_LEFT, _TOP, _WIDTH - _LEFT - 8, 2 * _HEIGHT, len(shares), 1.0)  # its upper half alone is used
    limit = max(1.0, float(whole[0]), float(alone[0]))
    lower = replace(upper, top=_TOP + _HEIGHT + 52, columns=len(whole), limit=limit)
    parts = [_frame(upper, title), *_places(upper), _frame(lower, below), *_places(lower)]
    for unit, value in enumerate(shares):
        said = say("opened.unit", unit=unit + 1, value=_share(value))
        parts.append(column_bar(upper, unit, min(float(value), 1.0), _GATE, said))
    for place, value in enumerate(whole):
        said = say("opened.direction", place=place + 1, value=_share(value))
        parts.append(column_bar(lower, place, float(value), _STEP, said))
    dots = (f'<circle cx="{lower.x(place):.1f}" cy="{lower.y(value):.1f}" r="3"/>' for place, value in enumerate(alone))
    parts.append(f'<g fill="currentColor">{"".join(dots)}</g>')
    return picture("opened", _WIDTH, lower.y(0) + 24, f"{title} {opened_words(trace, t)}", parts)


def _frame(plot: Plot, title: str) -> str:
    """The foot of upright bars with the numbers at its side."""
    axis = [label(_LEFT - 8, plot.y(value), written(value, 1), "end") for value in (plot.limit, plot.limit / 2, 0.0)]
    foot = f'<path d="M{_LEFT:g} {plot.y(0):g}H{_WIDTH - 8:g}" stroke="currentColor" stroke-opacity="0.35"/>'
    return "".join([label(_LEFT, plot.top - 14, title, "start"), *axis, foot])


def _places(plot: Plot) -> list[str]:
    """The numbers of the columns, counted from 1, as many as there is room for."""
    every = next((count for count in (1, 2, 4, 8, 16) if count * plot.pitch >= 24), 32)
    wanted = [column for column in range(plot.columns) if (column + 1) % every == 0 or plot.columns == 1]
    return [label(plot.x(column), plot.y(0) + 13, str(column + 1)) for column in wanted]


def _singular_values(matrix: Array) -> Array:
    return np.asarray(np.linalg.svd(matrix, compute_uv=False))


def _share(value: float) -> str:
    return power_of_ten(float(np.log10(value)) if value > 0 else -np.inf)


def _log_norm(matrix: Array) -> float:
    """log10 of the spectral norm."""
    size = float(np.linalg.norm(matrix, 2))
    return float(np.log10(size)) if size > 0 else -np.inf
