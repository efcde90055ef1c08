"""Two forms of the GRU with the same weights, in words and as a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rnnviz.maths import Trace
from rnnviz.texts import say
from rnnviz.views.numbers import power_of_ten, written

Array = NDArray[np.float64]

FORMS = (("after", "keep"), ("before", "keep"), ("before", "write"), ("after", "write"))
"""Every form of the GRU as (reset, update); the first is PyTorch's."""

ROUNDING = 1e-13


def form_words(form: tuple[str, str]) -> str:
    """The equations of a form."""
    reset, update = form
    return say("forms.form", reset=say(f"forms.reset.{reset}"), update=say(f"forms.update.{update}"))


def forms_apart(here: Trace, other: Trace, unit: int, t: int) -> str:
    """How far the states of two forms are apart."""
    steps = min(here.steps, other.steps)  # one form may overflow earlier
    difference = np.abs(here.h[1 : steps + 1] - other.h[1 : steps + 1])
    most = float(difference.max())
    if most == 0:
        said = say("forms.same", steps=steps)
    elif most < ROUNDING:
        said = say("forms.rounding", steps=steps, most=power_of_ten(float(np.log10(most))))
    else:
        said = _apart(here, other, unit, min(t, steps), difference)
    return said if here.steps == other.steps else f"{said} {say('forms.ends', steps=steps)}"


def _apart(here: Trace, other: Trace, unit: int, t: int, difference: Array) -> str:
    step, where = divmod(int(difference.argmax()), difference.shape[1])
    return say(
        "forms.apart", unit=unit + 1, t=t, here=written(float(here.h[t, unit])), other=written(float(other.h[t, unit])),
        step=step + 1, where=where + 1, most=power_of_ten(float(np.log10(difference.max()))),
    )  # fmt: skip


def forms_columns(here: Trace, other: Trace) -> dict[str, list[float]]:
    """h of both forms, a row for each step from 0 on and two columns for each unit."""
    steps = min(here.steps, other.steps)
    columns: dict[str, list[float]] = {say("forms.column.step"): list(range(steps + 1))}
    for unit in range(here.cell.hidden_size):
        for name, trace in (("here", here), ("there", other)):
            columns[say(f"forms.column.{name}", unit=unit + 1)] = trace.h[: steps + 1, unit].tolist()
    return columns
