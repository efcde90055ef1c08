"""What a network is to learn, and what is true of its gradient whatever it learns, in sentences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Gradients
from rnnviz.texts import say
from rnnviz.views.numbers import equals, power_of_ten, written

Array = NDArray[np.float64]


def lesson_words(kind: str, at: str, delay: int, value: float) -> str:
    """The loss: of what, where, and how much.

    Parameters
    ----------
    kind : {"squared", "cross_entropy"}
    at : {"every", "last"}
    delay : int
        How many steps before the target is the input.
    value : float
        The loss.
    """
    named = {0: say("lesson.target.now"), 1: say("lesson.target.one_before")}
    target = named.get(delay) or say("lesson.target.before", delay=delay)
    where = say(f"lesson.at.{at}")
    return say(f"lesson.{kind}", target=target, at=where, sign=equals(value, 4), value=written(value, 4))


def gradient_facts(whole: Gradients, from_last: Array) -> list[str]:
    """What holds for the gradient of W_hh, with the numbers of this network.

    Parameters
    ----------
    whole : Gradients
        From `rnnviz.bptt`.
    from_last : (T,) array
        The length of the error at each hidden state, of the loss of the last step alone.
    """
    steps = whole.backward.trace.steps
    first = float(whole.use_norms("W_hh")[0])
    facts = [say("lesson.fact.graph", steps=steps), _first_use(whole, first, steps)]
    if from_last[-1] > 0 and steps > 1:
        facts.append(_fading(float(np.sqrt((whole.W_hh**2).sum())), from_last))
    return facts


def _first_use(whole: Gradients, first: float, steps: int) -> str:
    """What the use at step 1 adds, which multiplies the initial state."""
    if whole.backward.trace.h[0].any():
        return say("lesson.fact.start", norm=written(first, 4))
    return say("lesson.fact.zero_start" if steps > 1 else "lesson.fact.one_step")


def _fading(norm: float, from_last: Array) -> str:
    """Whether the length of the weight's gradient tells how much of the last error arrives at step 1."""
    with np.errstate(divide="ignore"):
        decades = float(np.log10(from_last[0]) - np.log10(from_last[-1]))
    key = "fades" if decades < -2 else "grows" if decades > 2 else "stays"
    return say(f"lesson.error.{key}", norm=written(norm, 4), share=power_of_ten(decades))
