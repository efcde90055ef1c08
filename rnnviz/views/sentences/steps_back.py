"""The way from one step back to another, step by step, and one of them opened into what it is made of: sentences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Trace, log10_gradient_norms, step_jacobians
from rnnviz.texts import say
from rnnviz.views.numbers import power, power_of_ten, subscript
from rnnviz.views.sentences.counts import of_units
from rnnviz.views.sentences.facts import elman_activation, elman_slopes, log10_slopes
from rnnviz.views.sentences.gate_facts import keep_factors, keeper

Array = NDArray[np.float64]

LOW = 0.1
"""The derivative under which a unit counts as saturated."""
_SYMBOLS = {"h": "h", "c": "c", "state": "s"}


def symbol_of(trace: Trace, block: str) -> str:
    """How the state that is followed is called: h or c, and s where it is both."""
    return "h" if trace.c is None else _SYMBOLS[block]


# --- from step to step ----------------------------------------------------------------------------------------------


def worst_step(norms: Array, first: int) -> int:
    """The step at which the way back loses most, or wins most where the norm grows.

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

    Nothing can come back by another way too, as through the cell state of an LSTM: the steps of such a gap count 0.
    """
    changes = np.zeros(len(norms) - 1)
    np.subtract(norms[:-1], norms[1:], out=changes, where=_both(norms))
    if np.isneginf(norms[0]):
        changes[_cut(norms)] = -np.inf
    return changes


def has_factor(norms: Array) -> NDArray[np.bool_]:
    """Which steps have a factor: those with norms on both sides, and the one that cuts the way, whose factor is 0."""
    found = _both(norms)
    if np.isneginf(norms[0]):
        found[_cut(norms)] = True
    return found


def _both(norms: Array) -> NDArray[np.bool_]:
    """Which steps have a norm that is not 0 on both sides."""
    arrives = ~np.isneginf(norms)
    return np.asarray(arrives[:-1] & arrives[1:])


def _cut(norms: Array) -> int:
    """The entry of the step behind which nothing is left, where nothing arrives at the first."""
    return int(np.argmax(~np.isneginf(norms))) - 1


def _rounded(changes: Array) -> Array:
    """Without what rounding alone makes of steps that keep every length."""
    return np.asarray(changes.round(9))


def chain_words(norms: Array, first: int, symbol: str = "h") -> str:
    """The norm from step t back to step `first`, and the step with the most extreme factor.

    Parameters
    ----------
    norms : (n+1,) array
        log10 ||d s_t / d s_k|| for k = first..t.
    first : int
        The step of entry 0.
    symbol : str
        How the state is called.
    """
    count = len(norms) - 1
    ends = {"s": symbol, "to": subscript(first + count), "of": subscript(first)}
    worst, changes = worst_step(norms, first), _rounded(step_changes(norms))
    if np.isneginf(norms[0]):
        return say("chain.cut", step=worst, **ends)
    left, factor = power_of_ten(float(norms[0])), power_of_ten(float(changes[worst - first - 1]))
    if np.isneginf(norms).any():
        gap = first + int(np.argmax(np.isneginf(norms)))
        return say("chain.gap", left=left, k=first, through=subscript(gap), **ends)
    if count == 1:
        return say("chain.single", left=left, **ends)
    if not changes.any():
        return say("chain.even", count=count, **ends)
    if np.ptp(changes) <= 2e-9:
        return say("chain.same", count=count, left=left, factor=factor, **ends)
    key = "chain.loses" if changes[worst - first - 1] < 0 else "chain.wins"
    return say(key, count=count, left=left, step=worst, factor=factor, **ends)


def chain_note(norms: Array, first: int, symbol: str = "h") -> str:
    """What the factor of a step is; with a gap the factors don't multiply to the whole."""
    key = "chain.note.gap" if np.isneginf(norms).any() else "chain.note"
    said = say(key, t=first + len(norms) - 1)
    return f"{said} {say('chain.state')}" if symbol == "s" else said


def chain_columns(norms: Array, first: int) -> dict[str, list[float | None]]:
    """Factors and norms of all steps, as columns of a table; logarithms, for they may lie far outside float64."""
    last = first + len(norms) - 1
    changes, there = step_changes(norms), has_factor(norms)
    return {
        say("chain.column.step"): [float(step) for step in range(first + 1, last + 1)],
        say("chain.column.factor"): [
            change if has else None for change, has in zip(changes.tolist(), there, strict=True)
        ],
        say("chain.column.norm", t=last): norms[:-1].tolist(),
    }


# --- one step opened ------------------------------------------------------------------------------------------------


def opened_formula(trace: Trace, t: int) -> str:
    """The Jacobian of a step as it is made, in HTML."""
    cell = trace.cell
    form = elman_activation(trace) if cell.told_by == "slopes" else cell.kind if cell.told_by == "gates" else "step"
    return say(f"opened.formula.{form}", t=t, before=t - 1, gate=keeper(trace))


def opened_words(trace: Trace, t: int) -> str:
    """What a step multiplies a change by at most, and the size of each of its parts."""
    jacobian = _jacobian(trace, t)
    cell, H = trace.cell, trace.cell.hidden_size
    step = power_of_ten(float(log10_gradient_norms(trace.between(t - 1, t), block="state")[0]))
    if cell.told_by == "step":
        return say("opened.step", t=t, sigma=step)
    if cell.told_by == "slopes":
        if elman_activation(trace) == "identity":
            return say("opened.linear", t=t, sigma=step)
        logs = log10_slopes(trace)[t - 1]
        low = of_units(int((logs < np.log10(LOW)).sum()), H)
        return say(
            "opened.elman", t=t, mean=power_of_ten(_log10_mean(logs)), low=low,
            limit=LOW, sigma=power_of_ten(_log_norm(cell.W_hh)), step=step,
        )  # fmt: skip
    keep = keep_factors(trace)[t - 1]
    slots = {"t": t, "gate": keeper(trace), "mean": power(float(keep.mean())), "most": power(float(keep.max()))}
    if trace.c is None:
        rest = power_of_ten(_log_norm(jacobian - np.diag(keep)))
        return say("opened.gru", rest=rest, step=step, **slots)
    parts = {"hh": jacobian[:H, :H], "hc": jacobian[:H, H:], "ch": jacobian[H:, :H]}
    return say("opened.lstm", step=step, **slots, **{name: power_of_ten(_log_norm(one)) for name, one in parts.items()})


def shares(trace: Trace, t: int) -> Array:
    """What every unit lets through at a step, (H,): the derivative of an Elman network, else what its gate keeps."""
    return np.asarray((elman_slopes(trace) if trace.cell.told_by == "slopes" else keep_factors(trace))[t - 1])


def singular_values(trace: Trace, t: int) -> tuple[Array, Array]:
    """Of the Jacobian of a step, (S,), and of its part that stands for itself, (H,): W_hh, or the gates in order.

    A cell that tells no more than its step has no such part, (0,).
    """
    told_by, alone = trace.cell.told_by, np.empty(0)
    if told_by != "step":
        alone = singular_values_of(trace.cell.W_hh) if told_by == "slopes" else np.sort(shares(trace, t))[::-1]
    return singular_values_of(_jacobian(trace, t)), alone


def opened_columns(trace: Trace, t: int) -> tuple[dict[str, list[float]], dict[str, list[float | None]]]:
    """The units of an opened step and its singular values, as columns of two tables."""
    whole, alone = singular_values(trace, t)
    of_places: dict[str, list[float | None]] = {
        say("opened.column.place"): [float(place) for place in range(1, len(whole) + 1)],
        say("opened.column.step"): whole.tolist(),
    }
    if trace.cell.told_by == "step":
        return {}, of_places
    units, gate = shares(trace, t), keeper(trace)
    names = {
        "slopes": (say("opened.column.slope"), say("opened.column.weights")),
        "gates": (gate, say("opened.column.gates", gate=gate)),
    }[trace.cell.told_by]
    of_units = {
        say("opened.column.unit"): [float(unit) for unit in range(1, len(units) + 1)],
        names[0]: units.tolist(),
    }
    of_places[names[1]] = [*alone.tolist(), *[None] * (len(whole) - len(alone))]
    return of_units, of_places


def _jacobian(trace: Trace, t: int) -> Array:
    return np.asarray(step_jacobians(trace.between(t - 1, t))[0])


def singular_values_of(matrix: Array) -> Array:
    """Singular values, descending; 0 where they are no more than the rounding of the largest."""
    found = np.linalg.svd(matrix, compute_uv=False)
    rounding = len(matrix) * np.finfo(float).eps * found[0]
    return np.where(found > rounding, found, 0.0)


def _log10_mean(logs: Array) -> float:
    """log10 of the mean of numbers given by their logarithms."""
    top = float(logs.max())
    return top + float(np.log10((10.0 ** (logs - top)).mean())) if np.isfinite(top) else top


def _log_norm(matrix: Array) -> float:
    """log10 of the spectral norm."""
    size = float(np.linalg.norm(matrix, 2))
    return float(np.log10(size)) if size > 0 else -np.inf
