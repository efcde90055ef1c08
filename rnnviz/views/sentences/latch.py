"""The same latch in a plain tanh unit: it holds a bit, and its gradient vanishes (Bengio, Simard & Frasconi 1994)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import ElmanCell, Trace, log10_gradient_norms, make_cell, memory_paths, run
from rnnviz.maths.cells import CELLS
from rnnviz.texts import say
from rnnviz.views.numbers import power_of_ten, signed_power, subscript, written

Array = NDArray[np.float64]

W_IH, W_HH = 5.0, 3.0
FIXED_POINT = 0.9949015284526289
"""Where ``h = tanh(3 h)``, beside 0 and its negative."""
LATCHED = 0.9
"""The |h| above which a step multiplies the gradient by 0.57 at most."""
SEEDS = 32


def tanh_latch(x: Array) -> Trace:
    """The run of one unit with ``h = tanh(3 h + 5 u)``, set by hand; u is the last component of the input, the mark."""
    W_ih = np.zeros((1, x.shape[1]))
    W_ih[0, -1] = W_IH
    return run(ElmanCell(W_ih, np.array([[W_HH]]), np.zeros(1), np.zeros(1)), x)


def log10_gradients(plain: Trace) -> Array:
    """log10 of ``|dh_T/dh_k|`` of the tanh latch for k = 0..T."""
    return log10_gradient_norms(plain)


def latch_words(trace: Trace, plain: Trace, step: int, symbol: str) -> str:
    """What both latches hold at the end, how much of the gradient reaches a step (0..T-1), and why."""
    memory = trace.h if trace.c is None else trace.c
    paths, left = memory_paths(trace, 0), float(log10_gradients(plain)[step])
    said = say(
        "latch.words", step=step, last=trace.steps, symbol=symbol, memory=written(float(memory[-1, 0])),
        h=written(float(plain.h[-1, 0])), gated=signed_power(paths.sign[step], float(paths.log10[step])),
        left=power_of_ten(left),
    )  # fmt: skip
    return f"**{said}** {_why(plain, step, keeps_more=float(paths.log10_direct[step]) > left)}"


def _why(plain: Trace, step: int, *, keeps_more: bool) -> str:
    """What the tanh unit does from a step on: it holds its bit, was never written to, or neither.

    Where it holds its bit and the gated unit's direct path keeps more of the gradient, that is told, too.
    """
    h, factor = plain.h[:, 0], power_of_ten(float(log10_gradients(plain)[-2]))
    if not h.any():
        return say("latch.why.empty", factor=factor)
    least = float(np.abs(h[step:]).min())
    if least > LATCHED and np.ptp(np.sign(h[step:])) == 0:
        said = say("latch.why.holds", step=step, least=written(least), factor=factor)
        return f"{said} {say('latch.why.gated')}" if keeps_more else said
    return say(
        "latch.why.other", step=step, last=plain.steps, h=written(float(h[-1])), factor=factor,
        fixed=written(FIXED_POINT), flat=written(W_HH * (1.0 - FIXED_POINT**2)),
    )  # fmt: skip


def random_norms(x: Array, hidden_size: int, step: int, seeds: Sequence[int] = range(SEEDS)) -> dict[str, float]:
    """The median of log10 of the spectral norm of ``ds_T/ds_step`` of each kind of cell, drawn as PyTorch draws it.

    The state s is h, of an LSTM [h; c].
    """
    return {kind: float(np.median([_norm(kind, x, hidden_size, step, seed) for seed in seeds])) for kind in CELLS}


def random_words(norms: dict[str, float], step: int, last: int, seeds: int = SEEDS) -> str:
    """What random networks of these sizes pass back, as medians."""
    numbers = {kind: power_of_ten(norm) for kind, norm in norms.items()}
    return say("latch.random", of=subscript(step), to=subscript(last), seeds=seeds, **numbers)


def _norm(kind: str, x: Array, hidden_size: int, step: int, seed: int) -> float:
    trace = run(make_cell(kind, x.shape[1], hidden_size, seed=seed), x)
    return float(log10_gradient_norms(trace, block="state")[step])
