"""Eigenvalues and singular values of the recurrent weights, and what a run makes of them: sentences and columns."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Cell, Trace, step_jacobians
from rnnviz.maths.extended_range.arithmetic import WIDES
from rnnviz.maths.extended_range.wide import Wide
from rnnviz.maths.gradient_flow.decay import spectral_radius
from rnnviz.texts import say
from rnnviz.views.numbers import power, power_of_ten, subscript, written
from rnnviz.views.sentences.counts import of_units
from rnnviz.views.sentences.facts import elman_activation, elman_slopes
from rnnviz.views.sentences.steps_back import LOW, singular_values_of, symbol_of

Array = NDArray[np.float64]
Complex = NDArray[np.complex128]

ROUNDING = 1e-9
"""Of a logarithm, or relative: a rotation's singular values are 1 but for that."""
_MOST_TURNS = 360


def matrix_name(cell: Cell, gate: str) -> str:
    """How the recurrent weights are called: those of a gated cell by the block that is looked at."""
    return "W_hh" if len(cell.gate_names) == 1 else f"W_h{gate}"


def spectrum(W: Array) -> tuple[Complex, Array]:
    """Eigenvalues and singular values, each from the largest down.

    A nilpotent matrix's eigenvalues come out of the computer as a ring around 0: its radius is known better.
    """
    nilpotent = spectral_radius(W) == 0
    eigenvalues = np.zeros(len(W), np.complex128) if nilpotent else np.linalg.eigvals(W).astype(np.complex128)
    order = np.argsort(-np.abs(eigenvalues), kind="stable")
    return eigenvalues[order], singular_values_of(W)


def last_step(trace: Trace) -> Array:
    """The Jacobian of the last step, (S, S)."""
    return np.asarray(step_jacobians(trace.between(trace.steps - 1, trace.steps))[0])


# --- the weights ----------------------------------------------------------------------------------------------------


def weights_words(W: Array, norms: Array, name: str = "W_hh") -> str:
    """What the eigenvalues promise, what the singular values allow, and what the powers of W do.

    Parameters
    ----------
    W : (H, H) array
    norms : (n+1,) array
        log10 of the spectral norm of its powers, W^n first, W^0 last.
    name : str
        How W is called.
    """
    eigenvalues, singular = spectrum(W)
    radius, sigma, steps = float(np.abs(eigenvalues[0])), float(singular[0]), len(norms) - 1
    said = [
        say(
            "spectrum.words", matrix=name, radius=power(radius), sigma=power(sigma), steps=steps,
            left=power_of_ten(_unless_rounding(float(norms[0]))),
        )
    ]  # fmt: skip
    peak = int(np.argmax(norms[::-1]))
    if radius < 1 - ROUNDING and norms.max() > ROUNDING:
        if peak == steps:
            said.append(say("spectrum.transient.still", matrix=name, power=peak))
        else:
            grown = power_of_ten(float(norms.max()))
            said.append(say("spectrum.transient", matrix=name, power=peak, peak=grown, steps=steps))
    return " ".join([*said, *_orthogonal_words(W, singular, name)])


def _orthogonal_words(W: Array, singular: Array, name: str) -> list[str]:
    """What a multiple of an orthogonal matrix does: by its singular values, all of one size."""
    sigma = float(singular[0])
    if len(W) == 1 or sigma == 0 or singular[-1] < sigma * (1 - ROUNDING):
        return []
    if np.array_equal(W, np.eye(len(W))):
        return [say("spectrum.identity", matrix=name)]
    if abs(sigma - 1) > ROUNDING:
        return [say("spectrum.orthogonal.scaled", matrix=name, sigma=written(sigma))]
    said = [say("spectrum.orthogonal", matrix=name)]
    if len(W) == 2 and np.linalg.det(W) > 0:
        angle = math.degrees(math.atan2(W[1, 0], W[0, 0]))
        turns = (n for n in range(1, _MOST_TURNS + 1) if abs(math.remainder(n * angle, 360.0)) < 1e-6)
        period, turned = next(turns, None), written(angle)
        if period is None:
            said.append(say("spectrum.turn", angle=turned))
        else:
            said.append(say("spectrum.turn.back", angle=turned, period=period))
    return said


def step_name(trace: Trace) -> str:
    """How the Jacobian of the last step is called; empty of a linear network, where it is W_hh itself."""
    if trace.cell.told_by != "slopes":
        return say("spectrum.plane.step.gated", t=trace.steps)
    return say("spectrum.plane.step", t=trace.steps) if elman_activation(trace) != "identity" else ""


def step_words(trace: Trace, exponents: Array, name: str = "W_hh") -> str:
    """Which matrix a step of the gradient really multiplies by; nothing of a linear network, whose W_hh is that one.

    Parameters
    ----------
    trace : Trace
    exponents : (S,) array
        From `rnnviz.maths.gradient_flow.spectra.finite_time_exponents`.
    name : str
        How the block of the weights is called that stands beside it.
    """
    cell, t = trace.cell, trace.steps
    if cell.told_by != "slopes":
        gated = say("spectrum.gated", matrix=name, count=len(cell.gate_names)) if cell.told_by == "gates" else ""
        return f"{gated} {say('spectrum.step.gated', t=t, step=power(spectral_radius(last_step(trace))))}".strip()
    if elman_activation(trace) == "identity":
        return ""
    radius = _log10_step_radius(trace)
    stretches = exponents[0] * t > ROUNDING
    explodes = spectral_radius(cell.W_hh) < 1 - ROUNDING and radius > ROUNDING and stretches
    low = of_units(int((elman_slopes(trace)[t - 1] < LOW).sum()), cell.hidden_size)
    key = "spectrum.step.explodes" if explodes else "spectrum.step"
    return say(key, t=t, step=power_of_ten(radius), limit=LOW, low=low)


def _log10_step_radius(trace: Trace) -> float:
    """log10 of the spectral radius of ``diag(g'(a)) W_hh`` at the last step, also where the derivatives underflow."""
    slopes: Wide = WIDES.slope(elman_activation(trace), trace.preacts["a"][-1])
    jacobian, exponent = (slopes[:, None] * Wide.of(trace.cell.W_hh)).scaled()
    radius = spectral_radius(jacobian)
    return float(np.log10(radius) + exponent * np.log10(2.0)) if radius else -np.inf


# --- the run --------------------------------------------------------------------------------------------------------


def run_words(exponents: Array, trace: Trace) -> str:
    """What this run does to its directions, by the singular values of the whole product.

    Parameters
    ----------
    exponents : (S,) array
        Finite-time exponents, nats a step, descending; ``-inf`` where a direction is lost.
    trace : Trace
    """
    largest, count, steps = float(exponents[0]), len(exponents), trace.steps
    slots: dict[str, object] = {"to": subscript(steps), "s": symbol_of(trace, "state")}
    if np.isneginf(largest):
        return say("spectrum.run.none", **slots)
    lengths = exponents * steps
    size = {"largest": written(largest), "factor": _natural(largest), "left": _natural(largest * steps)}
    if count == 1:
        said = say("spectrum.run.only", **size, **slots)
    elif largest * steps > ROUNDING:
        grows = int((lengths > ROUNDING).sum())
        said = say("spectrum.run.grows", count=grows, all=count, **size, **slots)
    elif largest * steps < -ROUNDING:
        said = say("spectrum.run.fades", **size, **slots)
    else:
        kept = int((np.abs(lengths) <= ROUNDING).sum())
        said = say("spectrum.run.keeps", count=kept, all=count, **slots)
    lost = int(np.isneginf(exponents).sum())
    return f"{said} {say('spectrum.run.lost', lost=lost, all=count)}" if lost else said


def headline_words(trace: Trace, block: str) -> str:
    """How the largest exponent and the norm in the page's headline belong together.

    Parameters
    ----------
    trace : Trace
    block : str
        What the page follows: "h", or of an LSTM "h", "c" or "state".
    """
    if trace.c is None:
        return say("spectrum.run.same")
    beside = say("spectrum.run.same") if block == "state" else say("spectrum.run.block", block=block)
    return f"{say('spectrum.run.state')} {beside}"


def _natural(log: float) -> str:
    """A positive number by its natural logarithm."""
    return power_of_ten(log / math.log(10.0))


def _unless_rounding(log10: float) -> float:
    """0 where a logarithm is no more than rounding beside it."""
    return 0.0 if abs(log10) < ROUNDING else log10


# --- the numbers ----------------------------------------------------------------------------------------------------


def spectrum_columns(W: Array, exponents: Array) -> dict[str, list[float | None]]:
    """All of them as columns of a table, a row for each place in the order of size.

    An LSTM has twice as many exponents as a block of its weights has singular values: their places stay empty.
    """
    eigenvalues, singular = spectrum(W)
    rest = [None] * (len(exponents) - len(W))
    with np.errstate(over="ignore"):
        factors = np.exp(exponents)
    columns: dict[str, list[float | None]] = {
        "place": [float(place) for place in range(1, len(exponents) + 1)],
        "real": [*eigenvalues.real.tolist(), *rest],
        "imaginary": [*eigenvalues.imag.tolist(), *rest],
        "size": [*np.abs(eigenvalues).tolist(), *rest],
        "singular": [*singular.tolist(), *rest],
        "exponent": exponents.tolist(),
        "factor": factors.tolist(),
    }
    return {say(f"spectrum.column.{name}"): values for name, values in columns.items()}
