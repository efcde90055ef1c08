"""The memory ledger in words and as a table: who wrote what a unit remembers, and by which paths a change lasts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Ledger, MemoryPaths, Trace
from rnnviz.maths.ledger import keep_and_write
from rnnviz.texts import say
from rnnviz.views.numbers import faded, power_of_ten, signed_power, written
from rnnviz.views.sentences.gate_facts import keeper, memory_of, memory_symbol

Array = NDArray[np.float64]

NINE_DIGITS, ALMOST_NONE = 1e-9, 1e-3


def ledger_words(ledger: Ledger, trace: Trace, unit: int, t: int) -> str:
    """What a unit's memory at step t is made of."""
    memory, symbol = memory_of(trace), memory_symbol(trace)
    writes, start = ledger.writes[:, unit], float(ledger.kept[unit] * memory[0, unit])
    value = float(memory[t, unit])
    writer = int(np.abs(writes).argmax())
    key = "ledger.words.none" if not writes.any() else "ledger.words.one" if t == 1 else "ledger.words"
    return say(
        key, symbol=symbol, unit=unit + 1, t=t, value=written(value), start=faded(start),
        step=writer + 1, write=faded(float(writes[writer])), rest=faded(float(np.delete(writes, writer).sum())),
    )  # fmt: skip


def ledger_error(ledger: Ledger, trace: Trace, t: int) -> str:
    """How far the contributions' sum is from the state itself, over all units: rounding alone."""
    memory, symbol = memory_of(trace), memory_symbol(trace)
    error = float(np.abs(ledger.kept * memory[0] + ledger.writes.sum(axis=0) - memory[t]).max())
    if error == 0:
        return say("ledger.exact", symbol=symbol)
    return say("ledger.error", symbol=symbol, error=power_of_ten(float(np.log10(error))))


def paths_words(paths: MemoryPaths, trace: Trace, step: int, t: int) -> str:
    """How a change at a step (0..t-1) reaches step t: along the direct path, and along all."""
    direct, sign, every = float(paths.log10_direct[step]), float(paths.sign[step]), float(paths.log10[step])
    rest_sign, rest = _difference(sign, every, direct)
    words = {"symbol": memory_symbol(trace), "gate": keeper(trace), "step": step, "t": t, "rest": power_of_ten(rest)}
    if direct == every == -np.inf:
        return say("paths.none", **words)
    said = say("paths.words", every=signed_power(sign, every), direct=power_of_ten(direct), **words)
    if rest <= max(direct, every) + np.log10(NINE_DIGITS):
        kind = "same"
    elif direct == -np.inf:
        kind = "only"
    elif rest_sign > 0:
        kind = "mostly" if direct < every + np.log10(ALMOST_NONE) else "more"
    else:
        kind = "opposite" if sign < 0 else "less"
    return f"{said} {say(f'paths.{kind}', **words)}"


def ledger_columns(ledger: Ledger, paths: MemoryPaths, trace: Trace, unit: int) -> dict[str, list[float]]:
    """The numbers of the charts, a row for the initial state and one for each step up to t."""
    memory, t = memory_of(trace)[:, unit], len(ledger.writes)
    columns = {
        "step": list(range(t + 1)),
        "write": [np.nan, *keep_and_write(trace)[1][:t, unit].tolist()],
        "share": paths.direct.tolist(),
        "left": [float(ledger.kept[unit] * memory[0]), *ledger.writes[:, unit].tolist()],
        "every": paths.every.tolist(),
        "memory": memory[: t + 1].tolist(),
    }
    return {say(f"ledger.column.{name}", symbol=memory_symbol(trace)): values for name, values in columns.items()}


def _difference(sign: float, log10: float, direct: float) -> tuple[float, float]:
    """The sign and the base-10 logarithm of a number less a positive one, which are given the same way."""
    top = max(log10, direct)
    if top == -np.inf:
        return 0.0, top
    rest = sign * 10.0 ** (log10 - top) - 10.0 ** (direct - top)
    return float(np.sign(rest)), top + float(np.log10(abs(rest))) if rest else -np.inf
