"""How far back a gradient reaches, read off its norms over time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rnnviz.maths.checks import Array, read_array, read_number, require_shape
from rnnviz.maths.errors import InputError
from rnnviz.wording import Message

__all__ = ["Reach", "gradient_reach"]


@dataclass(frozen=True)
class Reach:
    """What norms over time amount to.

    Attributes
    ----------
    steps : int
        T, the most steps back.
    decades_per_step : float
        The mean change of log10 of the norm for each step back, as far back as `zero`; negative where it
        fades, ``-inf`` where one step back nothing is left.
    horizon : int
        The most steps back from which at least `threshold` arrives; T where all steps are within it.
    zero : int or None
        The last of the first steps, from 0 on, of which exactly nothing arrives.
    verdict : {"vanishing", "stable", "exploding"}
        Whether the norm at the first step is under the threshold, over its inverse, or between.
    """

    steps: int
    decades_per_step: float
    horizon: int
    zero: int | None
    verdict: str

    @property
    def half_life(self) -> float:
        """Steps in which the norm halves, by its mean; infinite where it does not fade."""
        return float(np.log10(0.5) / self.decades_per_step) if self.decades_per_step < 0 else np.inf

    @property
    def doubling(self) -> float:
        """Steps in which the norm doubles, by its mean; infinite where it does not grow."""
        return float(np.log10(2.0) / self.decades_per_step) if self.decades_per_step > 0 else np.inf


def gradient_reach(log10_norms: object, threshold: float = -3.0) -> Reach:
    """Return how far back a gradient reaches.

    Parameters
    ----------
    log10_norms : (T+1,) array
        From `log10_gradient_norms`: entry k belongs to step k, the last to the identity.
    threshold : float
        log10 of what still counts, below 0.

    Returns
    -------
    Reach

    Raises
    ------
    InputError
        If there are fewer than two norms, one is infinite or no number, the last is no identity's, or the threshold is
        over 0.

    Examples
    --------
    >>> reach = gradient_reach([-4.0, -3.0, -2.0, -1.0, 0.0])
    >>> reach.horizon, reach.verdict, round(reach.half_life, 3)
    (3, 'vanishing', 0.301)
    """
    norms = read_norms(log10_norms)
    threshold = read_number(Message("error.reach.threshold", "threshold (a log10)"), threshold, -_FAR, 0.0)
    steps, there = len(norms) - 1, np.isfinite(norms)
    zero = None if there[0] else int(np.argmax(there)) - 1  # behind a gap a gradient can come back, by another way
    first = 0 if zero is None else zero + 1
    per_step = float((norms[first] - norms[-1]) / (steps - first)) if first < steps else -np.inf
    verdict = "vanishing" if norms[0] < threshold else "exploding" if norms[0] > -threshold else "stable"
    return Reach(steps, per_step, steps - int(np.argmax(norms >= threshold)), zero, verdict)


_FAR = 1e9  # decades
_ROUNDING = 1e-9
_CURE = Message("error.reach.cure", "Give what log10_gradient_norms returns.")


def read_norms(log10_norms: object) -> Array:
    """Return norms over time as a checked array; it keeps exact zeros, which no other array may hold as infinities."""
    try:
        raw = np.asarray(log10_norms)
    except (TypeError, ValueError, RuntimeError):
        return read_array("log10_norms", log10_norms, _CURE)  # which says why it is none
    zeros = np.equal(raw, -np.inf) if raw.dtype.kind in "iuf" else np.zeros(raw.shape, dtype=bool)
    norms = read_array("log10_norms", np.where(zeros, 0.0, raw) if zeros.any() else raw, _CURE)
    require_shape("log10_norms", norms, ("T+1",), Message("error.reach.whose", "with T at least 1"), _CURE)
    norms = np.where(zeros, -np.inf, norms)
    if len(norms) < 2:
        raise InputError(
            "reach.one", "log10_norms needs a step and the identity behind it; got one norm. Run at least one step."
        )
    if norms[-1] < -_ROUNDING:
        raise InputError(
            "reach.end",
            "log10_norms must end with the identity's norm, log10 of 1 or more; got {got:g}. Give them in the order of "
            "the steps 0..T; reverse them if they begin at T.",
            got=float(norms[-1]),
        )
    return np.asarray(norms)
