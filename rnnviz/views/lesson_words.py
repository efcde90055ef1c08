"""What a network is to learn, and what is true of its gradient whatever it learns, in sentences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Gradients
from rnnviz.maths.lengths import lengths
from rnnviz.texts import say
from rnnviz.views.numbers import equals, faded, power_of_ten

Array = NDArray[np.float64]


def lesson_words(kind: str, at: str, delay: int, sizes: tuple[int, int], of_h: bool, value: float) -> str:
    """The loss: of what, where, and how much.

    Parameters
    ----------
    kind : {"squared", "cross_entropy"}
    at : {"every", "last"}
    delay : int
        How many steps before the target is the input.
    sizes : (O, D)
        How many numbers are compared, and how many an input has.
    of_h : bool
        Whether these are the hidden state itself, as there is no readout.
    value : float
        The loss.
    """
    named = {0: say("lesson.target.now"), 1: say("lesson.target.one_before")}
    target = named.get(delay) or say("lesson.target.before", delay=delay)
    outputs, inputs = sizes
    if outputs == 1 < inputs:
        target = say("lesson.target.component", target=target)
    elif outputs < inputs:
        target = say("lesson.target.first", target=target, outputs=outputs, inputs=inputs)
    if outputs > inputs:
        target = say("lesson.target.repeated", target=target)
    y = "h" if of_h else "y"
    slots = {"target": target, "at": say(f"lesson.at.{at}"), "sign": equals(value, 4, floor=0.0), "value": faded(value)}
    return say("loss.squared", y=y, **slots) if kind == "squared" else say("loss.cross_entropy", y=y, **slots)


def gradient_facts(whole: Gradients, from_last: Array) -> list[str]:
    """What holds for the gradient of W_hh, with the numbers of this network.

    Parameters
    ----------
    whole : Gradients
        From `rnnviz.bptt`.
    from_last : (T,) array
        The length of the error at each state, [h; c] for an LSTM, of the loss of the last step alone.
    """
    steps = whole.backward.trace.steps
    first, norm = float(whole.use_norms("W_hh")[0]), float(lengths(whole.W_hh.reshape(-1)))
    graph = say("lesson.fact.graph", steps=steps) if steps > 1 else say("lesson.fact.one_use")
    facts = [graph, _first_use(whole, first, steps)]
    if from_last[-1] > 0 and norm > 0 and steps > 1:
        facts.append(_fading(norm, from_last))
    return facts


def _first_use(whole: Gradients, first: float, steps: int) -> str:
    """What the use at step 1 adds, which multiplies the initial state."""
    if not whole.backward.trace.h[0].any():
        return say("lesson.fact.zero_start" if steps > 1 else "lesson.fact.one_step")
    return say("lesson.fact.start", norm=faded(first)) if first else say("lesson.fact.start_lost")


def _fading(norm: float, from_last: Array) -> str:
    """Whether the length of the weight's gradient tells how much of the last error arrives at step 1."""
    if not from_last[0]:
        return say("lesson.error.gone", norm=faded(norm))
    decades = float(np.log10(from_last[0]) - np.log10(from_last[-1]))
    key = "fades" if decades < -2 else "grows" if decades > 2 else "stays"
    return say(f"lesson.error.{key}", norm=faded(norm), share=power_of_ten(decades))
