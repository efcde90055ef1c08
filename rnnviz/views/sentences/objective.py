"""What a network is to learn, and what is true of its gradient whatever it learns, in sentences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Gradients
from rnnviz.maths.extended_range.lengths import lengths
from rnnviz.maths.learning_rules.loss_pass import LossPass
from rnnviz.texts import plain, say
from rnnviz.views.numbers import equals, faded, power_of_ten, subscript

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Target:
    """What the outputs are compared with.

    Attributes
    ----------
    delay : int
        How many steps before the target is the input; -1 is the next input.
    inputs : int
        How many numbers an input has.
    text : str
        The letters that the inputs stand for, or empty.
    alphabet : str
        The letters of the classes, in their order.
    """

    delay: int
    inputs: int
    text: str = ""
    alphabet: str = ""


def loss_words(loss: LossPass, target: Target) -> list[str]:
    """The loss with its formula, its value and its gradient, and what the target is.

    Parameters
    ----------
    loss : LossPass
    target : Target
    """
    steps, count = len(loss.y), int(loss.has_loss.sum())
    where = "one" if count == 1 else "every" if count == steps else "but_last"
    value = loss.loss.value
    slots = {"y": "y" if loss.readouts else "h", "t": loss.last, "at": subscript(loss.last), "steps": steps}
    slots |= {"sign": equals(value, floor=0.0), "value": faded(value)}
    if loss.kind == "squared":
        said = [say(f"loss.squared.{where}", **slots)]
    else:
        said = [say(f"loss.cross_entropy.{where}", **slots)]
    if target.delay < 0:
        said.append(say("target.next", steps=steps))
    elif target.delay == 0:
        said.append(say("target.now"))
    else:
        said.append(say("target.before", delay=target.delay))
    said.append(_classes(loss, target) if loss.kind == "cross_entropy" else _components(loss, target))
    return [one for one in said if one]


def _components(loss: LossPass, target: Target) -> str:
    """Which components of the input are the target, where it is not just all of them."""
    outputs, inputs = loss.y.shape[1], target.inputs
    if outputs == 1 < inputs:
        return say("target.component")
    if outputs < inputs:
        return say("target.first", outputs=outputs, inputs=inputs)
    return say("target.repeated", outputs=outputs, inputs=inputs) if outputs > inputs else ""


def _classes(loss: LossPass, target: Target) -> str:
    """What a class is; of a text the letters, where each has a class of its own."""
    if not target.text:
        return say("target.class")
    if loss.y.shape[1] != len(target.alphabet):
        return say("target.few", inputs=len(target.alphabet))
    inputs, wanted = target.text[: len(loss.y)], target_letters(loss, target)
    if loss.has_loss.sum() == 1:
        return say("target.letter", letter=_short(wanted[loss.last - 1]), t=loss.last)
    return say("target.letters", text=_short(inputs), letters=_short(wanted))


def target_letters(loss: LossPass, target: Target) -> str:
    """The letter of each step's class; a dot where a step has no target."""
    return "".join(target.alphabet[int(row.argmax())] if row.any() else _NO_LETTER for row in loss.target)


_NO_LETTER = "·"
_MOST_LETTERS = 40


def _short(text: str) -> str:
    """Letters for a sentence: blanks are seen, and none has a meaning to Markdown."""
    return plain(text.replace(" ", "␣").replace("\n", "⏎"), _MOST_LETTERS)


def gradient_facts(whole: Gradients, of_last: Array, last: int) -> list[str]:
    """What holds for the gradient of W_hh, with the numbers of this network.

    Parameters
    ----------
    whole : Gradients
        From `rnnviz.bptt`.
    of_last : (T,) array
        The norm of the gradient at each state, [h; c] for an LSTM, of the loss of step `last` alone.
    last : int
        The last step that has a loss, counted from 1.
    """
    steps = whole.backward.trace.steps
    facts = [say("objective.fact.graph", steps=steps) if steps > 1 else say("objective.fact.one_use")]
    facts.append(_first_use(whole, steps))
    norm = float(lengths(whole.W_hh.reshape(-1)))
    if of_last[last - 1] > 0 and norm > 0 and last > 1:
        facts.append(_reaching(norm, of_last, last))
    return facts


def _first_use(whole: Gradients, steps: int) -> str:
    """What step 1 contributes, whose weight multiplies the initial state."""
    if not whole.backward.trace.h[0].any():
        return say("objective.fact.zero_start" if steps > 1 else "objective.fact.one_step")
    first = float(whole.use_norms("W_hh")[0])
    return say("objective.fact.start", norm=faded(first)) if first else say("objective.fact.start_lost")


_ROUNDING = 1e-9
"""Decades: a rotation keeps every norm but for that."""


def _reaching(norm: float, of_last: Array, last: int) -> str:
    """That the norm of the weight's gradient does not tell how much reaches step 1."""
    slots = {"norm": faded(norm), "t": last}
    if not of_last[0]:
        return say("objective.norm.gone", **slots)
    decades = float(np.log10(of_last[0]) - np.log10(of_last[last - 1]))
    if abs(decades) < _ROUNDING:
        return say("objective.norm.same", **slots)
    return say(
        "objective.norm.shrinks" if decades < 0 else "objective.norm.grows", share=power_of_ten(decades), **slots
    )
