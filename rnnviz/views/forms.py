"""Two forms of the GRU with the same weights side by side, and who uses which."""

from __future__ import annotations

import numpy as np

from rnnviz.maths import Trace
from rnnviz.texts import say
from rnnviz.views.numbers import power_of_ten, written
from rnnviz.views.plots import NEGATIVE, POSITIVE, Plot, picture

_WIDTH, _HEIGHT, _LEFT = 900.0, 130.0, 58.0

FORMS = (("after", "keep"), ("before", "keep"), ("before", "write"), ("after", "write"))
"""Every form of the GRU as (reset, update); the first is PyTorch's."""


def form_words(form: tuple[str, str]) -> str:
    """The equations of a form in words."""
    reset, update = form
    return say("forms.form", reset=say(f"forms.reset.{reset}"), update=say(f"forms.update.{update}"))


def forms_apart(here: Trace, other: Trace, unit: int, t: int) -> str:
    """How far the states of two forms are apart, in a sentence."""
    steps = min(here.steps, other.steps)  # one form may overflow earlier
    difference = np.abs(here.h[1 : steps + 1] - other.h[1 : steps + 1])
    t = min(t, steps)
    most = float(difference.max())
    a, b = float(here.h[t, unit]), float(other.h[t, unit])
    if most == 0:
        return say("forms.same", steps=steps)
    step = int(difference.max(axis=1).argmax()) + 1
    return say(
        "forms.apart", unit=unit + 1, t=t, here=written(a, 4), other=written(b, 4), step=step,
        most=power_of_ten(float(np.log10(most))),
    )  # fmt: skip


def forms_picture(here: Trace, other: Trace, unit: int, t: int) -> str:
    """The state of a unit over time in both forms, as one SVG element that takes the text's colour."""
    limit = max(float(np.abs(one.h[:, unit]).max()) for one in (here, other)) or 1.0
    plot = Plot(_LEFT, 10.0, _WIDTH - _LEFT - 12, _HEIGHT, max(here.steps, other.steps) + 1, limit)
    parts = [plot.axis(), plot.steps(say("ledger.start")), plot.marker(t)]
    parts += [plot.line(here.h[:, unit].tolist(), POSITIVE)]
    parts += [plot.line(other.h[:, unit].tolist(), NEGATIVE, dashed=True)]
    return picture("forms", _WIDTH, _HEIGHT + 32, forms_apart(here, other, unit, t), parts)
